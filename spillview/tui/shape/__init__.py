"""The outline of JSON as a tree of paths."""
