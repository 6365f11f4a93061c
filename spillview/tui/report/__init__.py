"""The report of a night as a screen."""
