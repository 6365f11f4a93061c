"""One artifact: its envelope beside its text, what was read, what was found."""
