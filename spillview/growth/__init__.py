"""What grows, how fast, who writes it, and how long the disk will bear it."""
