"""What the model received of an artifact: its envelope, and every later read."""
