"""Content as rows of terminal cells, for files of any size."""
