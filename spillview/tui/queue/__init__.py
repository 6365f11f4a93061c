"""The home screen's queue: what is listed, in which order, and how it is drawn."""
