"""The queue's rows as a windowed list: a cursor, and the rows in sight as lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spillview.model import Artifact, Missing
from spillview.tui.queue import columns
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.queue.queue_rows import Key, Row, Rows, session_key
from spillview.tui.queue.rows import (
    artifact_runs,
    missing_runs,
    session_runs,
    waiting_runs,
)
from spillview.tui.queue.sessions import Run
from spillview.tui.runs import Palette

if TYPE_CHECKING:
    from spillview.growth.readings import Reading


class QueueList(ScrollView, inherit_bindings=False):
    """Rows of sessions, artifacts and missing calls, on the line API.

    `Queue` says what is told of them, and what selects and opens them.
    """

    cursor: var[int] = var(-1)
    """Index of the highlighted row; -1 when there is none."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(id="queue")
        self.clock = clock
        self.rows = Rows(Ledger.of(()))
        self.flat = False
        self.collapsed: frozenset[Key] = frozenset()
        self.titles: dict[str, str] = {}
        self.growth: Mapping[str, Reading] = {}
        """How what grows does so, by its id."""
        self.selected: set[str] = set()
        """Ids of the selected artifacts."""
        self.settled = False
        """Whether counting has ended; before, what is not known is still to come."""
        self.touched = False
        """Whether the person moved the cursor; until then it stays at the top."""
        self._wanted: set[int] = set()
        """Places of artifacts that are to be asked for."""
        self._asked: set[int] = set()
        """Places of those that were."""
        self._strips: dict[int, Strip] = {}
        self._drawn_width = 0
        self._palette = Palette(self)

    # -- rows ------------------------------------------------------------------

    @property
    def columns(self) -> tuple[columns.Column, ...]:
        """The columns at the present width."""
        return columns.choose(max(20, self.size.width), self.flat)

    @property
    def row(self) -> Row | None:
        """The row under the cursor, made if need be."""
        return self.rows[self.cursor] if self._is_row(self.cursor) else None

    @property
    def shown_row(self) -> Row | None:
        """The row under the cursor; None too while its artifact is being made."""
        return self._at_hand(self.cursor) if self._is_row(self.cursor) else None

    def _at_hand(self, index: int) -> Row | None:
        """A row as it is known at once; what has to be made is asked for."""
        row = self.rows.known(index)
        if row is None:
            self._want(index)
            row = self.rows.older(index)
        return row

    def _is_row(self, index: int) -> bool:
        return 0 <= index < len(self.rows)

    def set_rows(
        self,
        rows: Rows,
        *,
        flat: bool,
        collapsed: frozenset[Key],
        titles: dict[str, str],
        aim: Key | None = None,
        best_first: bool = False,
    ) -> None:
        """Show other rows, keeping the cursor on its row and that row in its place.

        `aim` puts the cursor on the row with that key instead. Until the person moved
        it, it stands on the first row that is not reviewed; with `best_first` on the
        first, reviewed or not.
        """
        old = self.rows.key(self.cursor) if self._is_row(self.cursor) else None
        place = self.cursor - self.scroll_offset.y
        self.rows, self.flat, self.collapsed, self.titles = (
            rows,
            flat,
            collapsed,
            titles,
        )
        self._wanted.clear()
        self._asked.clear()
        self._forget()
        # No width: as it changes, Textual would lay out and paint all once more.
        self.virtual_size = Size(0, len(rows))
        wanted = aim or (old if self.touched else None)
        index = rows.index_of(wanted) if wanted is not None else -1
        if index >= 0:
            self._go(index, scroll_y=index - place if aim is None else None)
        elif old is not None and self.touched:
            self._go(min(self.cursor, len(rows) - 1))
        else:
            self._go(self._first(best_first), scroll_y=0)
        self.refresh()
        self._tell()

    def _tell(self) -> None:
        """Say what is under the cursor."""
        raise NotImplementedError

    def update_rows(self, ids: Iterable[str]) -> None:
        """Draw the rows of these artifacts anew: there are newer facts of them."""
        gists = self.rows.members.gists
        top, height = self.scroll_offset.y, self.size.height
        newer = set(ids)
        for index in range(max(0, top - 1), min(top + height, len(self.rows))):
            place = self.rows.place(index)
            if place is not None and gists.ident(place) in newer:
                self._strips.pop(index, None)
                self.refresh_line(index)
        place = self.rows.place(self.cursor) if self._is_row(self.cursor) else None
        if place is not None and gists.ident(place) in newer:
            self._tell()

    def has(self, key: Key) -> bool:
        """Whether a row with this key is shown."""
        return self.rows.index_of(key) >= 0

    def aim(self, key: Key) -> bool:
        """Put the cursor on the row with this key; False when it is not shown."""
        index = self.rows.index_of(key)
        if index >= 0:
            self.touched = True
            self._go(index)
        return index >= 0

    def tick(self) -> None:
        """Draw ages anew."""
        self._forget()
        self.refresh()

    def _first(self, reviewed_too: bool) -> int:
        """The first row that is no session header and not reviewed, else the first."""
        rows = self.rows
        first = 0 if rows else -1
        for index in range(len(rows)):
            if rows.session(index) is not None:
                continue
            if reviewed_too or not rows.is_done(index):
                return index
            if rows.session(first) is not None:
                first = index
        return first

    def next_open(self) -> Key | None:
        """The next row below that is not reviewed, else the first one above.

        A session's rows are passed over where the cursor is on its header; None where
        nothing else is left.
        """
        rows, cursor = self.rows, self.cursor
        header = self._is_row(cursor) and rows.session(cursor) is not None
        for index in (*range(cursor + 1, len(rows)), *range(cursor)):
            if rows.session(index) is not None or rows.is_done(index):
                continue
            if header and self._owner(index) == cursor:
                continue
            return rows.key(index)
        return None

    def _owner(self, index: int) -> int:
        """Index of the header of the row's session; -1 in a flat list."""
        return self.rows.header(index) if self._is_row(index) else -1

    # -- the cursor --------------------------------------------------------------

    def _go(self, index: int, *, scroll_y: int | None = None) -> None:
        if scroll_y is not None:
            self.scroll_to(y=max(0, scroll_y), animate=False, force=True)
        self.cursor = index
        self._reveal()

    def _reveal(self) -> None:
        """Scroll as little as needed to show the cursor below the sticky header."""
        height = self.scrollable_content_region.height
        if self.cursor < 0 or height <= 0:
            return
        top = self.scroll_target_y
        owner = self._owner(self.cursor)
        head = 1 if 0 <= owner < self.cursor and height > 1 else 0
        if self.cursor - head < top:
            target = owner if owner == self.cursor - 1 else self.cursor - head
            self.scroll_to(y=target, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def watch_cursor(self, old: int, new: int) -> None:
        """Draw the two rows anew and say what is highlighted."""
        for index in (old, new):
            self._strips.pop(index, None)
            self.refresh_line(index)
        top = self.scroll_offset.y
        if {top, self._owner(top)} & {old, new}:  # which of them the first line shows
            self.refresh_line(top)
        self._tell()

    def action_move(self, rows: int) -> None:
        """Move the cursor by so many rows."""
        self._move_to(self.cursor + rows)

    def action_page(self, pages: float) -> None:
        """Move by so many pages, without animation."""
        step = max(1, int((self.size.height - 1) * abs(pages)))
        self._move_to(self.cursor + (step if pages > 0 else -step))

    def action_first(self) -> None:
        """Go to the first row."""
        self._move_to(0)

    def action_last(self) -> None:
        """Go to the last row."""
        self._move_to(len(self.rows) - 1)

    def action_session(self, direction: int) -> None:
        """Go to the first artifact of the next or previous session."""
        index = self._owner(self.cursor)
        if direction < 0:
            index -= 1
        while 0 <= (index := index + direction) < len(self.rows):
            if self.rows.session(index) is not None:
                following = index + 1
                inside = following < len(self.rows) and not self.rows.session(following)
                self._move_to(following if inside else index)
                return

    def _move_to(self, index: int) -> None:
        if self.rows:
            self.touched = True
            self._go(max(0, min(index, len(self.rows) - 1)))

    # -- drawing -----------------------------------------------------------------

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._palette.forget()
        self._forget()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._reveal()

    def _forget(self) -> None:
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """One visible row."""
        width = self.size.width
        if width != self._drawn_width:  # not every change brings a resize event
            self._forget()
            self._drawn_width = width
        top = self.scroll_offset.y
        index = self._sticky(top) if y == 0 else top + y
        if index >= len(self.rows) or index < 0:
            return Strip.blank(width, self.rich_style)
        strip = self._strips.get(index)
        if strip is None:
            if len(self._strips) > 2000:
                self._forget()
            strip = self._strips[index] = self._draw(index, width)
        return strip

    def _draw(self, index: int, width: int) -> Strip:
        row = self._at_hand(index)
        chosen = self.columns
        context = columns.Context(self.clock(), self.titles, self.settled, self.growth)
        place = self.rows.place(index)
        selected = place is not None and self.rows.key(index)[1] in self.selected
        if isinstance(row, Run):
            closed = session_key(row) in self.collapsed
            runs = session_runs(row, chosen, closed)
        elif isinstance(row, Artifact):
            runs = artifact_runs(row, chosen, selected, context)
        elif isinstance(row, Missing):
            runs = missing_runs(row, chosen, context)
        else:
            runs = waiting_runs(self.rows.members, place or 0, chosen, selected)
        base = self.rich_style
        if index == self.cursor:
            base = self.get_component_rich_style("queue--cursor")
            text, tone = runs[0]
            runs = [("▌", "bar"), (text[1:], tone), *runs[1:]]
        elif isinstance(row, Run):
            base = self.get_component_rich_style("queue--session")
        return self._palette.strip(runs, base, width)

    def _want(self, index: int) -> None:
        """Have a row's artifact made, with all others that a frame lacks."""
        place = self.rows.place(index)
        if place is not None and place not in self._asked:
            if not self._wanted:
                self.call_later(self._ask)
            self._wanted.add(place)

    def _ask(self) -> None:
        """Ask for what is wanted."""
        raise NotImplementedError

    def show_made(self, members: Members) -> None:
        """Draw the rows of artifacts that were wanted and are made."""
        if members.table is self.rows.members.table:
            self._asked.difference_update(members.order)
            self._forget()  # of rows out of sight too
            self.refresh()
            if self._is_row(self.cursor):
                place = self.rows.place(self.cursor)
                if place is not None and place in members.order:
                    self._tell()

    def _sticky(self, top: int) -> int:
        """The row drawn on the first line: the header of the session under it."""
        owner = self._owner(top)
        return owner if owner >= 0 and self.cursor != top else top
