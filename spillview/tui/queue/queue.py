"""The windowed list of sessions and artifacts: only the visible rows are drawn."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType

from spillview.model import Artifact
from spillview.tui.keys import QUEUE_BINDINGS, QUEUE_HELP
from spillview.tui.parts import Parts
from spillview.tui.queue import columns
from spillview.tui.queue.members import Members
from spillview.tui.queue.queue_list import QueueList
from spillview.tui.queue.queue_rows import Row, session_key
from spillview.tui.queue.sessions import Run
from spillview.tui.told import Told


class FromQueue(Told):
    """What a queue tells."""

    queue: Queue

    @property
    def control(self) -> Queue:
        """The queue that sent it."""
        return self.queue


class Queue(QueueList, Parts, can_focus=True, inherit_bindings=False):
    """What its rows tell, and how they are selected, opened and closed."""

    HELP = QUEUE_HELP
    BINDING_GROUP_TITLE = "Queue"
    BINDINGS: ClassVar[list[BindingType]] = QUEUE_BINDINGS

    class Highlighted(FromQueue):
        """Another row is under the cursor, or the row's facts changed."""

        row: Row | None

    class Opened(FromQueue):
        """The person asked to open an artifact."""

        row: Artifact

    class Toggled(FromQueue):
        """A session is to be opened or closed."""

        session: Run

    class Wanted(FromQueue):
        """Artifacts that are drawn have to be made first."""

        artifacts: Members

    class Selected(FromQueue):
        """The set of selected artifacts changed."""

    def _tell(self) -> None:
        self.post_message(self.Highlighted(self, self.shown_row))

    def _ask(self) -> None:
        if self._wanted:
            members = self.rows.members.of(sorted(self._wanted))
            self._asked |= self._wanted
            self._wanted.clear()
            self.post_message(self.Wanted(self, members))

    # -- sessions and selection --------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what needs sessions from a flat list."""
        if action in {"session", "toggle_session", "fold", "unfold"}:
            return not self.flat
        if action in {"open", "shut"}:
            return action == self.entering
        return True

    @property
    def entering(self) -> str:
        """What Enter does to the row: `open`, `shut` a session, or nothing."""
        if not self._is_row(self.cursor):
            return ""
        row = self.rows.other(self.cursor)
        if isinstance(row, Run):
            return "open" if session_key(row) in self.collapsed else "shut"
        return "open" if row is None else ""

    @property
    def session(self) -> Run | None:
        """The session under the cursor; None in a flat list."""
        owner = self._owner(self.cursor)
        return self.rows.session(owner) if owner >= 0 else None

    def action_open(self) -> None:
        """Open the row; a session opens or closes."""
        row = self.row
        if isinstance(row, Run):
            self.post_message(self.Toggled(self, row))
        elif isinstance(row, Artifact):
            self.touched = True
            self.post_message(self.Opened(self, row))

    def action_shut(self) -> None:
        """Close the session whose header the row is."""
        self.action_open()

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
        if not self._is_row(self.cursor):
            return
        session = self.rows.session(self.cursor)
        if session is not None:
            self._select(session.artifacts.idents())
        elif self._select_at(self.cursor):
            self.action_move(1)

    def action_select_all(self) -> None:
        """Select every artifact, also of closed sessions; all selected: none."""
        ids = self.rows.artifacts().idents()
        for row in self.rows.others():
            if isinstance(row, Run):
                ids += row.artifacts.idents()
        self._select(ids)

    def _select_at(self, index: int) -> bool:
        """Select an artifact's row, or take that off; False for another row."""
        place = self.rows.place(index)
        if place is None:
            return False
        self._select([self.rows.members.gists.ident(place)])
        return True

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
            if self.rows.session(index) is not None:
                self.action_toggle_session()
            else:
                self._select_at(index)
        elif event.chain == 2:
            self.action_open()

    def _row_at(self, y: int) -> int | None:
        top = self.scroll_offset.y
        index = self._sticky(top) if y == 0 else top + y
        return index if index < len(self.rows) else None
