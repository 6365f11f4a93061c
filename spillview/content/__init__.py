"""An artifact's bytes: sizes, counts, kinds, lines, pages, and the text they mean."""
