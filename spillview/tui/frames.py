"""How soon a change is painted."""

from __future__ import annotations

from textual import screen

PER_SECOND = 240
"""Two paints may come so soon after each other.

Textual paints at sixtieths of a second: what a key changes in two steps, and the rows
behind a first empty frame, wait for the next one, 17 ms at most. Nothing is painted
that did not change.
"""


def paint_soon() -> None:
    """Have screens that did not paint yet paint so often."""
    screen.UPDATE_PERIOD = 1 / PER_SECOND  # type: ignore[misc]  # read at a first paint
