"""Search of many artifacts with ripgrep, and of one with a pattern."""
