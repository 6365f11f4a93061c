"""The help beside a screen: its keys first, what it shows, how to move, the rest.

Only what shows it imports this: a parser of Markdown takes a twentieth of the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual import getters
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import HelpPanel, Markdown, Static

from spillview.tui.live_keys import key_of, with_keys

MOVING = {
    *("move", "page", "edge", "group", "session", "first", "last", "top", "bottom"),
    *("percent", "sideways", "scroll", "scroll_up", "scroll_down"),
    *("scroll_home", "scroll_end"),
}
"""Actions that only go about what is shown; nearly every screen has the same keys."""

ROOMY = 50
"""Cells of a help beside whose keys there is room for more than their names."""


_HEADING = re.compile(r"\A## .*\n+")
"""Whose help it is stands above its keys already."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What one or more keys do."""

    keys: str
    name: str
    words: str
    first: bool
    """Whether the footer offers it too."""


@dataclass(frozen=True, slots=True)
class KeyGroups:
    """The keys that work on a screen now."""

    own: Sequence[KeyRow]
    moving: Sequence[KeyRow]
    everywhere: Sequence[KeyRow]


def key_groups(screen: Screen[Any]) -> KeyGroups:
    """The keys of a screen; of its own those come first that its footer has, too."""
    app = screen.app
    groups: dict[str, dict[tuple[object, str], KeyRow]] = {
        "own": {},
        "moving": {},
        "everywhere": {},
    }
    for node, binding, enabled, tooltip in screen.active_bindings.values():
        general = node is app
        # What else has no name in `[keys]` is Textual's: a focus, a line that is typed.
        if not enabled or binding.system or (binding.id is None and not general):
            continue
        name = "everywhere" if general else "own"
        if binding.action.partition("(")[0] in MOVING:
            name = "moving"
        rows, place = groups[name], (node, binding.action)
        known = rows.get(place)
        key = app.get_key_display(binding)
        if known is not None:
            keys = known.keys
            key = keys if key in keys.split() else f"{keys} {key}"
        described = binding.description or binding.action
        rows[place] = KeyRow(key, described, tooltip, binding.show)
    found = {name: list(rows.values()) for name, rows in groups.items()}
    own = sorted(found["own"], key=lambda row: not row.first)
    return KeyGroups(own, found["moving"], found["everywhere"])


class KeyTable(Static):
    """Keys beside what they do."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "keytable--key",
        "keytable--title",
        "keytable--more",
    }

    def show(self, groups: Iterable[tuple[str, Sequence[KeyRow]]], width: int) -> None:
        """Show keys under titles, in so many cells; a title without keys is left out.

        Where there is room, with what each does in full.
        """
        key = self.get_component_rich_style("keytable--key")
        title = self.get_component_rich_style("keytable--title")
        more = self.get_component_rich_style("keytable--more")
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(ratio=1)
        for name, rows in groups:
            if not rows:
                continue
            if table.row_count:
                table.add_row("", "")
            table.add_row("", Text(name, title))
            for row in rows:
                text = Text(row.name)
                if width >= ROOMY and row.words:
                    text.append(f"  {row.words}", more)
                table.add_row(Text(row.keys, key), text)
        self.update(table)


class LiveHelp(HelpPanel):
    """Textual's panel with the keys that work now, page by page."""

    page_line = getters.query_one("#help-page", Static)
    body = getters.query_one("#help-body", VerticalScroll)
    own = getters.query_one("#help-own", KeyTable)
    general = getters.query_one("#help-general", KeyTable)

    def compose(self) -> ComposeResult:
        """Which page it is, the screen's keys, what it shows, all other keys."""
        yield Static(id="help-page", markup=False)
        with VerticalScroll(id="help-body", can_focus=False):
            yield KeyTable(id="help-own")
            yield Markdown(id="widget-help")
            yield KeyTable(id="help-general")

    def on_mount(self) -> None:
        """Follow the keys, the focus and the pages."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)
        self.watch(self.body, "scroll_y", self._tell_page, init=False)
        self.watch(self.body, "virtual_size", self._tell_page, init=False)
        self._show_keys()

    def on_unmount(self) -> None:
        """Follow them no longer."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def on_resize(self) -> None:
        """There is more or less room."""
        self._show_keys()
        self.call_after_refresh(self._tell_page)

    def _bindings_updated(self, screen: Screen[Any]) -> None:
        self.call_after_refresh(self._show_keys)

    def _show_keys(self) -> None:
        if not (self.is_attached and self.screen.is_active):
            return
        groups, width = key_groups(self.screen), self.size.width
        title = self.screen.BINDING_GROUP_TITLE or "Keys"
        with suppress(NoMatches):
            own = list(groups.own)
            palette = self.screen.active_bindings.get(self.app.COMMAND_PALETTE_BINDING)
            if palette is not None and width < ROOMY:
                key = self.app.get_key_display(palette.binding)
                own.append(KeyRow(key, "says what each of these does", "", False))
            self.own.show([(title, own)], width)
            others = [("Moving", groups.moving), ("Everywhere", groups.everywhere)]
            self.general.show(others, width)

    def update_help(self, focused_widget: Widget | None) -> None:
        """Show the help of what has the focus, or of what is nearest above it."""
        if not (self.app.app_focus and self.screen.is_active):
            return
        ways = focused_widget.ancestors_with_self if focused_widget is not None else ()
        node = next((n for n in ways if isinstance(n, Widget) and n.HELP), None)
        self.set_class(node is not None, "-show-help")
        if node is not None and node.HELP is not None:
            with suppress(NoMatches):
                text = _HEADING.sub("", dedent(node.HELP.strip()))
                self.query_one(Markdown).update(with_keys(text, node))

    # -- pages ---------------------------------------------------------------------

    @property
    def pages(self) -> tuple[int, int]:
        """The page that is shown, and how many there are."""
        height, lines = max(1, self.body.size.height), self.body.virtual_size.height
        shown = min(lines, self.body.scroll_target_y + height)
        return max(1, -(-int(shown) // height)), max(1, -(-lines // height))

    def turn(self) -> bool:
        """Turn to the next page; False where this is the last one."""
        page, pages = self.pages
        if page >= pages:
            return False
        at = self.body.scroll_target_y + self.body.size.height
        self.body.scroll_to(y=at, animate=False, force=True)
        return True

    def _tell_page(self) -> None:
        page, pages = self.pages
        key = key_of(self, "app.help")
        what = f"{key} turns the page" if page < pages else f"{key} closes the help"
        words = f"page {page} of {pages}: {what}" if pages > 1 else what
        self.page_line.update(words)
