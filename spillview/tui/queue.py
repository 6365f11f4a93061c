"""The windowed list of sessions and artifacts: only the visible rows are drawn."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spillview.growth.readings import Reading
from spillview.model import Artifact, Session
from spillview.tui import columns
from spillview.tui.arrangement import Key, Row, is_done, row_key, session_key
from spillview.tui.keys import QUEUE_BINDINGS, QUEUE_HELP
from spillview.tui.parts import Parts
from spillview.tui.rows import artifact_runs, missing_runs, session_runs
from spillview.tui.runs import Palette


@dataclass
class FromQueue(Message):
    """What a queue tells."""

    queue: Queue

    @property
    def control(self) -> Queue:
        """The queue that sent it."""
        return self.queue


class Queue(ScrollView, Parts, can_focus=True, inherit_bindings=False):
    """Rows of sessions, artifacts and missing calls, on the line API."""

    HELP = QUEUE_HELP
    BINDING_GROUP_TITLE = "Queue"
    BINDINGS: ClassVar[list[BindingType]] = QUEUE_BINDINGS

    cursor: var[int] = var(-1)
    """Index of the highlighted row; -1 when there is none."""

    @dataclass
    class Highlighted(FromQueue):
        """Another row is under the cursor, or the row's facts changed."""

        row: Row | None

    @dataclass
    class Opened(FromQueue):
        """The person asked to open a row that is no session."""

        row: Row

    @dataclass
    class Toggled(FromQueue):
        """A session is to be opened or closed."""

        session: Session

    @dataclass
    class Selected(FromQueue):
        """The set of selected artifacts changed."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(id="queue")
        self.clock = clock
        self.rows: list[Row] = []
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
        self._owners = array("l")
        self._places: dict[str, int] | None = None
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
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def set_rows(
        self,
        rows: list[Row],
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
        old = self.row
        place = self.cursor - self.scroll_offset.y
        self.rows, self.flat, self.collapsed, self.titles = (
            rows,
            flat,
            collapsed,
            titles,
        )
        self._owners = array("l")
        owner = -1
        for index, row in enumerate(rows):
            if isinstance(row, Session):
                owner = index
            self._owners.append(owner)
        self._places = None
        self._forget()
        self.virtual_size = Size(self.size.width, len(rows))
        wanted = aim or (row_key(old) if old is not None and self.touched else None)
        index = self._index_of(wanted) if wanted is not None else -1
        if index >= 0:
            self._go(index, scroll_y=index - place if aim is None else None)
        elif old is not None and self.touched:
            self._go(min(self.cursor, len(rows) - 1))
        else:
            self._go(self._first(best_first), scroll_y=0)
        self.refresh()
        self.post_message(self.Highlighted(self, self.row))

    def update_rows(self, artifacts: Iterable[Artifact]) -> None:
        """Put newer facts in the place of the same artifacts' rows."""
        if self._places is None:
            self._places = {
                row.id: index
                for index, row in enumerate(self.rows)
                if isinstance(row, Artifact)
            }
        top, height = self.scroll_offset.y, self.size.height
        for artifact in artifacts:
            index = self._places.get(artifact.id)
            if index is None:
                continue
            self.rows[index] = artifact
            self._strips.pop(index, None)
            if top <= index < top + height:
                self.refresh_line(index)
            if index == self.cursor:
                self.post_message(self.Highlighted(self, artifact))

    def has(self, key: Key) -> bool:
        """Whether a row with this key is shown."""
        return self._index_of(key) >= 0

    def aim(self, key: Key) -> bool:
        """Put the cursor on the row with this key; False when it is not shown."""
        index = self._index_of(key)
        if index >= 0:
            self.touched = True
            self._go(index)
        return index >= 0

    def tick(self) -> None:
        """Draw ages anew."""
        self._forget()
        self.refresh()

    def _index_of(self, key: Key) -> int:
        for index, row in enumerate(self.rows):
            if row_key(row) == key:
                return index
        return -1

    def _first(self, reviewed_too: bool) -> int:
        """The first row that is no session header and not reviewed, else the first."""
        first = 0 if self.rows else -1
        for index, row in enumerate(self.rows):
            if isinstance(row, Session):
                continue
            if reviewed_too or not is_done(row):
                return index
            if isinstance(self.rows[first], Session):
                first = index
        return first

    def next_open(self) -> Key | None:
        """The next row below that is not reviewed, else the first one above.

        A session's rows are passed over where the cursor is on its header; None where
        nothing else is left.
        """
        here = self.row
        for index in (*range(self.cursor + 1, len(self.rows)), *range(self.cursor)):
            row = self.rows[index]
            if isinstance(row, Session) or is_done(row):
                continue
            if isinstance(here, Session) and self._owner(index) == self.cursor:
                continue
            return row_key(row)
        return None

    def _owner(self, index: int) -> int:
        """Index of the header of the row's session; -1 in a flat list."""
        return self._owners[index] if 0 <= index < len(self._owners) else -1

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
        self.refresh()
        self.post_message(self.Highlighted(self, self.row))

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
            if isinstance(self.rows[index], Session):
                following = index + 1
                inside = following < len(self.rows) and not isinstance(
                    self.rows[following], Session
                )
                self._move_to(following if inside else index)
                return

    def _move_to(self, index: int) -> None:
        if self.rows:
            self.touched = True
            self._go(max(0, min(index, len(self.rows) - 1)))

    # -- sessions and selection --------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what needs sessions from a flat list."""
        if action in {"session", "toggle_session", "fold", "unfold"}:
            return not self.flat
        return True

    @property
    def session(self) -> Session | None:
        """The session under the cursor; None in a flat list."""
        owner = self._owner(self.cursor)
        row = self.rows[owner] if owner >= 0 else None
        return row if isinstance(row, Session) else None

    def action_open(self) -> None:
        """Open the row; a session opens or closes."""
        row = self.row
        if isinstance(row, Session):
            self.post_message(self.Toggled(self, row))
        elif row is not None:
            self.touched = True
            self.post_message(self.Opened(self, row))

    def action_toggle_session(self) -> None:
        """Open or close the session under the cursor."""
        session = self.session
        if session is not None:
            self.touched = True
            self.post_message(self.Toggled(self, session))

    def action_fold(self) -> None:
        """Close the session under the cursor."""
        session = self.session
        if session is not None and session_key(session) not in self.collapsed:
            self.action_toggle_session()

    def action_unfold(self) -> None:
        """Open the session under the cursor."""
        session = self.session
        if session is not None and session_key(session) in self.collapsed:
            self.action_toggle_session()

    def action_select(self) -> None:
        """Select the row, or take the selection off; a header stands for its rows."""
        row = self.row
        if isinstance(row, Session):
            self._select([artifact.id for artifact in row.artifacts])
        elif isinstance(row, Artifact):
            self._select([row.id])
            self.action_move(1)

    def action_select_all(self) -> None:
        """Select every artifact, also of closed sessions; all selected: none."""
        shown = [row.id for row in self.rows if isinstance(row, Artifact)]
        heads = (row for row in self.rows if isinstance(row, Session))
        self._select([*shown, *(a.id for head in heads for a in head.artifacts)])

    def _select(self, ids: list[str]) -> None:
        if self.selected.issuperset(ids):
            self.selected.difference_update(ids)
        else:
            self.selected.update(ids)
        self._forget()
        self.refresh()
        self.post_message(self.Selected(self))

    # -- the mouse ---------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Click highlights, in the gutter selects; a double click opens."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self._row_at(offset.y)
        if index is None:
            return
        self.touched = True
        self._go(index)
        if offset.x < columns.GUTTER:
            if isinstance(self.rows[index], Session):
                self.action_toggle_session()
            else:
                self._select_clicked(index)
        elif event.chain == 2:
            self.action_open()

    def _select_clicked(self, index: int) -> None:
        row = self.rows[index]
        if isinstance(row, Artifact):
            self._select([row.id])

    def _row_at(self, y: int) -> int | None:
        top = self.scroll_offset.y
        index = self._sticky(top) if y == 0 else top + y
        return index if index < len(self.rows) else None

    def _sticky(self, top: int) -> int:
        """The row drawn on the first line: the header of the session under it."""
        owner = self._owner(top)
        return owner if owner >= 0 and self.cursor != top else top

    # -- drawing -----------------------------------------------------------------

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._palette.forget()
        self._forget()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.virtual_size = Size(self.size.width, len(self.rows))
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
        row = self.rows[index]
        chosen = self.columns
        context = columns.Context(self.clock(), self.titles, self.settled, self.growth)
        if isinstance(row, Session):
            closed = session_key(row) in self.collapsed
            runs = session_runs(row, chosen, closed)
        elif isinstance(row, Artifact):
            selected = row.id in self.selected
            runs = artifact_runs(row, chosen, selected, context)
        else:
            runs = missing_runs(row, chosen, context)
        base = self.rich_style
        if index == self.cursor:
            base = self.get_component_rich_style("queue--cursor")
            text, tone = runs[0]
            runs = [("▌", "bar"), (text[1:], tone), *runs[1:]]
        elif isinstance(row, Session):
            base = self.get_component_rich_style("queue--session")
        return self._palette.strip(runs, base, width)
