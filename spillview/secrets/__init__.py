"""Credentials in the text of artifacts: where they are, and text without them."""
