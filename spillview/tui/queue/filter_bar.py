"""The line in which the filter is typed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static


class FilterInput(Input):
    """Typed words narrow the queue; the arrows move in it meanwhile."""

    HELP = """
Words in any order, each a part of what it should match, a few of its letters or even
with a typo: command, tool, project, session title, harness, file name.
"""
    BINDING_GROUP_TITLE = "Filter"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "submit",
            "Keep the filter",
            id="filter.keep",
            tooltip="Keep what matches and go on in the queue",
        ),
        Binding(
            "escape",
            "screen.clear",
            "Clear it",
            id="filter.clear",
            tooltip="Show every row again",
        ),
        Binding(
            "down",
            "screen.move(1)",
            "Next row",
            id="filter.down",
            tooltip="Move in the queue while typing",
        ),
        Binding(
            "up",
            "screen.move(-1)",
            "Previous row",
            show=False,
            id="filter.up",
            tooltip="Move in the queue while typing",
        ),
    ]


class FilterBar(Horizontal):
    """A slash and the input."""

    def __init__(self) -> None:
        super().__init__(id="filter-bar")

    def compose(self) -> ComposeResult:
        """The slash, and the input."""
        yield Static("/", id="filter-slash", markup=False)
        yield FilterInput(
            id="filter",
            placeholder="words in any order",
            compact=True,
            select_on_focus=False,
        )
