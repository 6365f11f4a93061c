"""The search of all artifacts, its bar and its hits."""
