"""The help panel, whose texts name the keys that work.

Only what shows it imports this: Textual's panel brings a parser of Markdown, which
takes a twentieth of the start.
"""

from __future__ import annotations

from contextlib import suppress
from textwrap import dedent

from textual.css.query import NoMatches
from textual.widget import Widget
from textual.widgets import HelpPanel, Markdown

from spillview.tui.live_keys import with_keys


class LiveHelp(HelpPanel):
    """Textual's panel; its texts name the keys that work."""

    def update_help(self, focused_widget: Widget | None) -> None:
        """Show the help of what has the focus, or of what is nearest above it."""
        if not (self.app.app_focus and self.screen.is_active):
            return
        ways = focused_widget.ancestors_with_self if focused_widget is not None else ()
        node = next((n for n in ways if isinstance(n, Widget) and n.HELP), None)
        self.set_class(node is not None, "-show-help")
        if node is not None and node.HELP is not None:
            with suppress(NoMatches):
                text = with_keys(dedent(node.HELP.rstrip()), node)
                self.query_one(Markdown).update(text)
