"""spillview: what a tool really printed, and what the model never saw of it."""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__"]
