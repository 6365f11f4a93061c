"""What the first key would wait for, made ready once the first screen stands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

from textual.app import App
from textual.css.errors import StylesheetError

from spillview.tui import stylesheet

MODULES = (
    "spillview.tui.artifact.artifact",
    "spillview.seen.envelope",
    "spillview.tui.search.search",
)
"""What the screens one key away are made of, and what they look up at once."""

SHEETS = (
    "artifact.tcss",
    "search.tcss",
    "cleanup.tcss",
    "forecast.tcss",
    "note.tcss",
    "problems.tcss",
    "report.tcss",
    "statistics.tcss",
)


def import_screens(cancelled: Callable[[], bool]) -> None:
    """Import the screens that open from the first one; in a worker."""
    for module in MODULES:
        if cancelled() or module in sys.modules:
            continue
        import_module(module)


def read_stylesheets(app: App[object]) -> None:
    """Read the stylesheets of all screens.

    A screen that is pushed reads its own only where it was not read before, and then
    has every one parsed again and laid over every widget.
    """
    try:
        for name in SHEETS:
            app.stylesheet.read(stylesheet(name))
        app.stylesheet.parse()
    except StylesheetError:
        return  # the screen that needs it will tell
