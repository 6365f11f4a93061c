"""A pager over content of any size, and what is found and selected in it."""
