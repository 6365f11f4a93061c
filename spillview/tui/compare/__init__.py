"""Two outputs side by side."""
