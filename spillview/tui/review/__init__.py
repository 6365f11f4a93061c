"""Marks, notes, pins, and what is done with a session: on every screen."""
