"""A windowed list with a cursor: only the rows in sight are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spillview.tui.parts import Parts
from spillview.tui.runs import Palette, Runs, fit_runs


class Row(Protocol):
    """What the list asks of a row."""

    @property
    def key(self) -> str:
        """What it is known by when the rows are made anew."""

    @property
    def heading(self) -> bool:
        """Whether it heads the rows below it; the cursor passes over it."""

    def runs(self, width: int) -> Runs:
        """Its text in tones."""


def _hidden(keys: str, action: str, what: str, name: str) -> Binding:
    return Binding(keys, action, what, show=False, id=f"rows.{name}")


def _index_of(rows: Sequence[Row], key: str) -> int | None:
    """Where the row of that key is that is no heading."""
    find: Callable[[str], int | None] | None = getattr(rows, "index_of", None)
    if find is not None:
        return find(key)
    same = (n for n, row in enumerate(rows) if row.key == key)
    return next((n for n in same if not rows[n].heading), None)


def _heads(rows: Sequence[Row]) -> list[int]:
    """Where the headings are."""
    heads: list[int] | None = getattr(rows, "heads", None)
    if heads is not None:
        return heads
    return [n for n, row in enumerate(rows) if row.heading]


class RowList(ScrollView, Parts, can_focus=True):
    """Rows under headings; moves like a pager."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _hidden("j,down", "move(1)", "Down", "down"),
        _hidden("k,up", "move(-1)", "Up", "up"),
        _hidden("right_curly_bracket", "group(1)", "Next group", "next"),
        _hidden("left_curly_bracket", "group(-1)", "Previous group", "previous"),
        _hidden("f,ctrl+f,pagedown", "page(1)", "Page down", "page_down"),
        _hidden("b,ctrl+b,pageup", "page(-1)", "Page up", "page_up"),
        _hidden("ctrl+d", "page(0.5)", "Half a page down", "half_down"),
        _hidden("ctrl+u", "page(-0.5)", "Half a page up", "half_up"),
        _hidden("g,home", "edge(0)", "First", "first"),
        _hidden("G,end", "edge(-1)", "Last", "last"),
    ]

    cursor: var[int] = var(0)
    """Index of the row under the cursor."""

    @dataclass
    class Highlighted(Message):
        """Another row is under the cursor, or none."""

        row_list: RowList
        row: Row | None

        @property
        def control(self) -> RowList:
            """The list that sent it."""
            return self.row_list

    @dataclass
    class Opened(Message):
        """The row under the cursor was clicked twice."""

        row_list: RowList

        @property
        def control(self) -> RowList:
            """The list that sent it."""
            return self.row_list

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()
        self._palette = Palette(self)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        if self.cursor < len(self.rows) and not self.rows[self.cursor].heading:
            return self.rows[self.cursor]
        return None

    def show(self, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Show these; the cursor stays on its row, or near where that was.

        `anew` puts it on the first row.
        """
        here = None if anew else self.row
        self.rows = rows
        self.virtual_size = Size(0, len(rows))
        at = 0 if anew else self.cursor
        if here is not None:
            place = _index_of(rows, here.key)
            at = at if place is None else place
        at = max(0, min(at, len(rows) - 1))
        if not self._go(at, 1) and not self._go(at, -1):
            self.cursor = 0
            self.post_message(self.Highlighted(self, None))
        self.refresh()

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._palette.forget()

    def _go(self, index: int, step: int) -> bool:
        """Put the cursor on the nearest row from `index` in direction `step`."""
        at = index
        while 0 <= at < len(self.rows) and self.rows[at].heading:
            at += step
        if not 0 <= at < len(self.rows):
            return False
        before, self.cursor = self.cursor, at
        # A heading above is worth seeing with its first row.
        first = at - 1 if at and self.rows[at - 1].heading else at
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif at >= top + height:
            self.scroll_to(y=at - height + 1, animate=False, force=True)
        self.refresh_line(before)
        self.refresh_line(at)
        self.post_message(self.Highlighted(self, self.rows[at]))
        return True

    def action_move(self, step: int) -> None:
        """To the next or previous row."""
        self._go(self.cursor + step, step)

    def action_page(self, pages: float) -> None:
        """A screen, or half of one."""
        rows = max(1, int((self.size.height - 1) * abs(pages)))
        step = 1 if pages > 0 else -1
        target = max(0, min(len(self.rows) - 1, self.cursor + step * rows))
        if not self._go(target, step):
            self._go(target, -step)

    def action_edge(self, index: int) -> None:
        """To the first or the last row."""
        if self.rows:
            self._go(0 if index == 0 else len(self.rows) - 1, 1 if index == 0 else -1)

    def action_group(self, step: int) -> None:
        """To the first row of the next or previous group."""
        heads = _heads(self.rows)
        if step > 0:
            target = next((n for n in heads if n > self.cursor), None)
        else:
            above = [n for n in heads if n < self.cursor]
            target = above[-2] if len(above) > 1 else (above[0] if above else None)
        if target is not None:
            self._go(target, 1)

    def aim_at(self, key: str) -> bool:
        """Put the cursor on the row of that key; whether there is one."""
        at = _index_of(self.rows, key)
        return at is not None and self._go(at, 1)

    def aim(self, wanted: Callable[[Row], bool]) -> bool:
        """Put the cursor on the first row that is wanted; whether there is one."""
        places = (n for n, row in enumerate(self.rows) if not row.heading)
        at = next((n for n in places if wanted(self.rows[n])), None)
        return at is not None and self._go(at, 1)

    def on_click(self, event: events.Click) -> None:
        """A click places the cursor, a second one opens what is there."""
        index = self.scroll_offset.y + event.y
        if 0 <= index < len(self.rows) and not self.rows[index].heading:
            again = event.chain > 1 and index == self.cursor
            self._go(index, 1)
            if again:
                self.post_message(self.Opened(self))

    def render_line(self, y: int) -> Strip:
        """One row."""
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width  # the scrollbar covers the rest
        base = self.rich_style
        if index >= len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[index]
        runs = fit_runs(row.runs(width), width)
        if row.heading:
            base = base + self.get_component_rich_style("rows--heading")
        elif index == self.cursor and self.has_focus:
            base = self.get_component_rich_style("rows--cursor")
            text, tone = runs[0] if runs else ("", "")
            if text[:1] == " ":  # seen without a colour, too
                runs = [("▌", "bar"), (text[1:], tone), *runs[1:]]
        return self._palette.strip(runs, base, width)
