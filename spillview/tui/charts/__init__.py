"""Sizes over time, and what became of spilled outputs."""
