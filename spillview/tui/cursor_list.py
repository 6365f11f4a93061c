"""A windowed list whose cursor passes over headings; its heirs draw the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spillview.tui.parts import Parts
from spillview.tui.runs import Palette


class Placed(Protocol):
    """What moving a cursor asks of a row."""

    @property
    def heading(self) -> bool:
        """Whether it heads the rows below it; the cursor passes over it."""


def _moving(keys: str, action: str, what: str, name: str, tooltip: str) -> Binding:
    return Binding(keys, action, what, show=False, id=f"rows.{name}", tooltip=tooltip)


class CursorList(ScrollView, Parts, can_focus=True):
    """Rows under headings; moves like a pager."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _moving("j,down", "move(1)", "Down", "down", "Go to the next row"),
        _moving("k,up", "move(-1)", "Up", "up", "Go to the row before"),
        _moving(
            "right_curly_bracket",
            "group(1)",
            "Next group",
            "next",
            "Go to the first row below the next heading",
        ),
        _moving(
            "left_curly_bracket",
            "group(-1)",
            "Previous group",
            "previous",
            "Go to the first row below the heading before",
        ),
        _moving(
            "f,ctrl+f,pagedown", "page(1)", "Page down", "page_down", "Go a screen down"
        ),
        _moving("b,ctrl+b,pageup", "page(-1)", "Page up", "page_up", "Go a screen up"),
        _moving(
            "ctrl+d",
            "page(0.5)",
            "Half a page down",
            "half_down",
            "Go half a screen down",
        ),
        _moving(
            "ctrl+u", "page(-0.5)", "Half a page up", "half_up", "Go half a screen up"
        ),
        _moving("g,home", "edge(0)", "First", "first", "Go to the first row"),
        _moving("G,end", "edge(-1)", "Last", "last", "Go to the last row"),
    ]

    cursor: var[int] = var(0)
    """Index of the row under the cursor."""

    rows: Sequence[Placed] = ()

    @dataclass
    class Highlighted(Message):
        """Another row is under the cursor, or none."""

        cursor_list: CursorList

        @property
        def control(self) -> CursorList:
            """The list that sent it."""
            return self.cursor_list

    @dataclass
    class Opened(Message):
        """The row under the cursor is to be opened: it was clicked twice, say."""

        cursor_list: CursorList

        @property
        def control(self) -> CursorList:
            """The list that sent it."""
            return self.cursor_list

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._palette = Palette(self)

    def heads(self) -> Sequence[int]:
        """Where the groups begin that the keys go to."""
        return [n for n, row in enumerate(self.rows) if row.heading]

    def go(self, index: int, step: int = 1) -> bool:
        """Put the cursor on the nearest row from `index` in direction `step`.

        False where there is none.
        """
        at = index
        while 0 <= at < len(self.rows) and self.rows[at].heading:
            at += step
        if not 0 <= at < len(self.rows):
            return False
        before, self.cursor = self.cursor, at
        # The headings above a first row are worth seeing with it.
        first = at
        while first and self.rows[first - 1].heading:
            first -= 1
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif at >= top + height:
            self.scroll_to(y=at - height + 1, animate=False, force=True)
        self.refresh_line(before)
        self.refresh_line(at)
        self.post_message(self.Highlighted(self))
        return True

    def action_move(self, step: int) -> None:
        """To the next or previous row."""
        self.go(self.cursor + step, step)

    def action_page(self, pages: float) -> None:
        """A screen, or half of one."""
        rows = max(1, int((self.size.height - 1) * abs(pages)))
        step = 1 if pages > 0 else -1
        target = max(0, min(len(self.rows) - 1, self.cursor + step * rows))
        if not self.go(target, step):
            self.go(target, -step)

    def action_edge(self, index: int) -> None:
        """To the first or the last row."""
        if self.rows:
            self.go(0 if index == 0 else len(self.rows) - 1, 1 if index == 0 else -1)

    def action_group(self, step: int) -> None:
        """To the first row of the next or previous group."""
        heads = self.heads()
        if step > 0:
            target = next((n for n in heads if n > self.cursor), None)
        else:
            above = [n for n in heads if n < self.cursor]
            target = above[-2] if len(above) > 1 else (above[0] if above else None)
        if target is not None:
            self.go(target)

    def on_click(self, event: events.Click) -> None:
        """A click places the cursor, a second one opens what is there."""
        index = self.scroll_offset.y + event.y
        if 0 <= index < len(self.rows) and not self.rows[index].heading:
            again = event.chain > 1 and index == self.cursor
            self.go(index)
            if again:
                self.post_message(self.Opened(self))

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._palette.forget()

    def render_line(self, y: int) -> Strip:
        """One row, or nothing below the last."""
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width  # the scrollbar covers the rest
        if index >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        return self.draw(index, width)

    def draw(self, index: int, width: int) -> Strip:
        """One row in so many cells."""
        raise NotImplementedError
