"""The outline of JSON and JSONL: every path, counted, in bounded memory."""

from __future__ import annotations

from spillview.shape.outline import Outline, PathFacts, outline

__all__ = ["Outline", "PathFacts", "outline"]
