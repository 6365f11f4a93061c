"""The keys of the search screen."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from spillview.tui.copying import COPYING_BINDINGS

SEARCH_BINDINGS: list[BindingType] = [
    Binding(
        "slash",
        "edit",
        "Pattern",
        key_display="/",
        id="search.pattern",
        tooltip="Type another pattern",
    ),
    Binding(
        "u",
        "unseen",
        "Never seen only",
        id="search.unseen",
        tooltip="Keep only hits that the model never saw, or show all again",
    ),
    Binding(
        "r",
        "regex",
        "Regex",
        id="search.regex",
        tooltip="Take the pattern as a regex, or as it is",
    ),
    Binding(
        "a",
        "all",
        "All",
        id="search.all",
        tooltip="Search everything here, or only what the queue shows",
    ),
    Binding(
        "escape",
        "stop",
        "Stop",
        id="search.stop",
        tooltip="Stop the search and keep what it found",
    ),
    Binding("escape", "back", "Back", show=False, id="search.back", tooltip="Go back"),
    *COPYING_BINDINGS,
    Binding("q", "leave", "Back", id="search.leave", tooltip="Go back"),
    Binding(
        "down",
        "results",
        "Results",
        show=False,
        id="search.results",
        tooltip="Go from the pattern to the results",
    ),
]


class PatternInput(Input):
    """The pattern; the footer names the keys that end it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "submit",
            "Search",
            id="pattern.search",
            tooltip="Search inside every artifact shown",
        ),
        Binding(
            "escape",
            "screen.stop",
            "Stop",
            id="pattern.stop",
            tooltip="Stop the search and keep what it found",
        ),
        Binding(
            "escape",
            "screen.back",
            "Back",
            id="pattern.back",
            tooltip="Go to the results; where there are none, go back",
        ),
    ]
