"""The classes that tell a screen how large the terminal is, from its first frame on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.screen import Screen


def take_shape(screen: Screen[Any]) -> None:
    """Set them before the first layout; Textual does so only after that."""
    app = screen.app
    wide, high = app.HORIZONTAL_BREAKPOINTS or (), app.VERTICAL_BREAKPOINTS or ()
    width, height = app.size
    apply = {_name(width, wide), _name(height, high)}
    for _, name in (*wide, *high):
        screen.set_class(name in apply, name)


def _name(cells: int, breakpoints: Iterable[tuple[int, str]]) -> str | None:
    """The class of the largest breakpoint that so many cells reach."""
    reached = [each for each in breakpoints if cells >= each[0]]
    return max(reached)[1] if reached else None
