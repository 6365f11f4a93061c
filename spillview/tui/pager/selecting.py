"""A reader in which text is selected, copied and handed to other programs."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.message import Message

from spillview.errors import SpillError
from spillview.layout.folding import Row
from spillview.model import Range
from spillview.text import human_bytes, human_count, printable
from spillview.tui.copying import LIMIT, Copyable, Copying
from spillview.tui.live_keys import key_of
from spillview.tui.pager import paint
from spillview.tui.pager.reader import Reader

WHEEL = 3
"""Rows of one turn of the mouse wheel."""


class Selecting(Reader):
    """Selects by keys and by mouse; the map at the right edge scrolls."""

    @dataclass
    class Runs(Message):
        """A program is to be run with (a part of) the text."""

        reader: Selecting
        kind: str
        """`editor`, `pager` or `pipe`."""
        command: str = ""
        part: Range | None = None

        @property
        def control(self) -> Selecting:
            """The reader that asks."""
            return self.reader

    def __init__(self, *, of_file: bool = True, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(of_file=of_file, id=id)
        self.selection: Range | None = None
        self._anchor: int | None = None
        self._grabbed: str | None = None

    def overlays(self, start: int, end: int) -> list[tuple[Range, Style]]:
        """The selection."""
        if self.selection is None:
            return []
        if self.selection[1] <= start or self.selection[0] >= end:
            return []
        return [(self.selection, self.style_of("selection"))]

    def select(self, selection: Range | None) -> None:
        """Select a byte range, or nothing."""
        self.selection = selection
        if selection is None:
            self._anchor = None
        self.redraw()
        self.changed()

    def action_select(self, rows: int) -> None:
        """Select from the cursor's row, a row further."""
        row = self.cursor_row
        if row is None or self.folding is None:
            return
        if self.selection is None or self._anchor is None:
            self._anchor = row.start
            self.selection = (row.start, row.end)
        else:
            self.walk(rows)
        here, first = self.cursor_row, None
        with self.told():
            first = self.folding.row_at(self._anchor)
        if here is not None and first is not None:
            low, high = min(here.start, first.start), max(here.end, first.end)
            self.select((low, high))
        size = self.selection[1] - self.selection[0]
        copy, pipe = key_of(self, "pager.copy"), key_of(self, "pager.pipe")
        self.say(f"{human_count(size)} bytes selected: {copy} copies, {pipe} pipes")

    # -- copying ---------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy the selection; without one offer the line and what else there is."""
        screen = self.screen
        if self.selection is None and isinstance(screen, Copying):
            screen.action_copy_menu()
            return
        for each in self.nearest():
            if isinstance(screen, Copying):
                screen.copy(each)
                continue
            assert isinstance(each.text, str)
            self.app.copy_to_clipboard(each.text)
            note = f", {each.note}" if each.note else ""
            self.say(f"copied {human_count(len(each.text))} chars{note}")

    def nearest(self) -> list[Copyable]:
        """The selection, or the line under the cursor; none, which is said, if too
        large."""
        document, row = self.document, self.cursor_row
        if document is None or row is None:
            return []
        try:
            part = self.selection or self._line_of(row)
            if part is None or part[1] - part[0] > LIMIT:
                limit = human_bytes(LIMIT)
                what = "The selection" if self.selection else "The line"
                pipe = key_of(self, "pager.pipe")
                self.say(f"{what} is over {limit}, too much to copy: pipe it, {pipe}")
                return []
            data = document.shown(bare=self.bare).pread(part[0], part[1] - part[0])
            exact = self.bare or data == document.text.pread(part[0], len(data))
        except SpillError as error:
            self.say(str(error))
            return []
        # What is pasted may land in a shell, so control characters stay pictures.
        text = printable(data.decode("utf-8", "replace"), newlines=True, tabs=True)
        bare = key_of(self, "pager.bare")
        stars = "" if exact else f"credentials as stars ({bare} shows them)"
        return [
            Copyable(
                "y", "the selection" if self.selection else "the line", text, stars
            )
        ]

    def _line_of(self, row: Row) -> Range | None:
        """The line around a row without its end; None when it is too long to copy."""
        assert self.document is not None
        text = self.document.text
        base = max(0, row.start - LIMIT)
        before = text.pread(base, row.start - base).rfind(b"\n")
        if before < 0 and base > 0:
            return None
        after = text.pread(row.start, LIMIT).find(b"\n")
        end = row.start + after if after >= 0 else text.size
        return base + before + 1, end

    def action_outside(self, kind: str) -> None:
        """Hand the file to another program."""
        self.post_message(self.Runs(self, kind))

    # -- the mouse -------------------------------------------------------------------

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll(-WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Place the cursor, open a fold, or take hold of the map."""
        if event.button != 1:
            return
        event.stop()
        self.focus()
        self.said = ""
        self.capture_mouse()
        if event.x >= self.size.width - 1:
            self._grabbed = "map"
            self._scroll_map(event.y)
            return
        self._grabbed = "nothing"
        row = self._row_under(event.y)
        if row is None:
            return
        self.select(None)
        if row.fold is not None:
            self.cursor = row.start
            self.toggle_fold(row.fold)
            return
        self._grabbed = "text"
        self._anchor = self._byte_under(row, event.x)
        self.cursor = row.start
        self.changed()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select, or scroll by the map."""
        if self._grabbed == "map":
            self._scroll_map(event.y)
        elif self._grabbed == "text" and self._anchor is not None:
            if event.y < 0 or event.y >= self.height:
                self.scroll(-1 if event.y < 0 else 1)
            row = self._row_under(max(0, min(event.y, len(self.rows()) - 1)))
            if row is None:
                return
            here = self._byte_under(row, event.x)
            after = self._byte_under(row, event.x + 1)
            low, high = min(self._anchor, here), max(self._anchor, after)
            self.selection = (low, high) if low < high else None
            self.cursor = row.start
            self.redraw()
            self.changed()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The selection is made."""
        if self._grabbed is not None:
            event.stop()
            self._grabbed = None
            self.release_mouse()

    def _row_under(self, y: int) -> Row | None:
        rows = self.rows()
        return rows[y] if 0 <= y < len(rows) else None

    def _byte_under(self, row: Row, x: int) -> int:
        left = 1 + (self.digits + 1 if self.digits else 0)
        cell = x - left + self.column
        return row.byte_at(paint.index_at(row.text, cell))

    def _scroll_map(self, y: int) -> None:
        if self.document is None:
            return
        share = max(0, min(y, self.height - 1)) / max(1, self.height - 1)
        if share >= 1:
            self.to_end()
        else:
            byte = int(self.document.size * share)
            self.goto(byte, line=0, unfold=False)
