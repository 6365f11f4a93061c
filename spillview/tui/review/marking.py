"""What a person says of the queue's rows: that they are reviewed, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import events, on

from spillview.model import Artifact, Missing
from spillview.review.reviewed import call_mark, is_call_reviewed, session_mark
from spillview.tui.cleanup.undoing import offer_mark
from spillview.tui.queue.arrangement import Key, in_window
from spillview.tui.queue.bars import plural
from spillview.tui.queue.members import Members
from spillview.tui.queue.screen import QueueScreen
from spillview.tui.queue.sessions import Run, places_of
from spillview.tui.review.note import Noted
from spillview.tui.review.noting import Noting
from spillview.tui.review.taking_back import TakingBack


class MarkingScreen(QueueScreen, Noting, TakingBack):
    """A queue whose rows can be marked and noted; both last in the state folder."""

    _shown_marks = 0
    """The version of the marks that the queue shows."""
    _shown_pins = 0
    """How often pins had been turned when it was shown last."""

    @on(events.ScreenResume)
    def _take_over(self) -> None:
        """Show what a screen above, which shares the marks and notes, has changed."""
        if self.marks.version != self._shown_marks:
            self.last_batch = None
            self._marked(come_back=True)
        elif self.catalogue.repinned != self._shown_pins:
            self._marked()
        self.detail.remake()

    def action_review(self) -> None:
        """Mark the row reviewed, a session with all it shows, and go on to what is
        left: below it, else above."""
        row = self.queue.row
        if row is None:
            return
        following = self.queue.next_open()
        self.last_batch = None  # the mark is what `u` takes back now
        artifacts: Members | Sequence[Artifact] = ()
        also: tuple[str, ...] = ()
        if isinstance(row, Run):
            artifacts, also = row.artifacts, (session_mark(row.harness, row.id),)
        elif isinstance(row, Missing):
            also = (call_mark(row),)
        else:
            artifacts = (row,)
        version = self.marks.version
        marked = self.marks.mark(artifacts, self.catalogue.now(), also)
        words = "Marked reviewed."
        if isinstance(row, Missing):
            words = "The missing call is marked reviewed."
        elif isinstance(row, Run):
            words = f"{plural(marked, 'artifact')} marked reviewed."
        if self.marks.version != version:
            offer_mark(self, words, "home.undo")
        self._marked(following)

    def action_pin(self) -> None:
        """Pin the artifact or session, so that no clean-up takes it; or unpin it."""
        row = self.queue.row
        if isinstance(row, Missing):
            self.notify("It has no artifact that a clean-up could take.", markup=False)
        elif row is not None:
            done = self.marks.turn_pin(row)
            if done.back is None:
                self.notify(done.words, markup=False)
                return
            self.last_batch = None
            self._marked()
            offer_mark(self, done.words, "home.undo")

    def _marked(self, aim: Key | None = None, *, come_back: bool = False) -> None:
        """Show new marks; the cursor stays, or goes to `aim`.

        Where the person comes back to a row that is reviewed now, it goes to the
        first one that is not.
        """
        self._shown_marks = self.marks.version
        self._shown_pins = self.catalogue.repinned
        changed = self.marks.apply_to(self.material.ledger)
        self.material = self.material.reordered(changed)
        self._remember_review()
        self.queue.touched = not (come_back and self._is_done_here())
        self.rearrange(aim)
        self.tell_forgetting()

    def _is_done_here(self) -> bool:
        """Whether the artifact under the cursor is reviewed."""
        rows, cursor = self.queue.rows, self.queue.cursor
        return 0 <= cursor < len(rows) and rows.is_done(cursor)

    def marks_taken_back(self, ids: list[str]) -> None:
        """Go to what was marked."""
        self._marked(("artifact", ids[0]))
        self.detail.remake()  # a note, which is no part of the rows

    def _remember_review(self) -> None:
        """The night is over once everything that it showed is reviewed.

        A review that was finished since, of a report, stands. What was held from
        further back, for the rest of it, stays so while something is left.
        """
        view = self.view
        if view.since is None or view.opened is None:
            return
        last = self.catalogue.last_review(self.scope.paths)
        if last is not None and last > view.opened:
            return
        gists = self.material.ledger.gists
        is_inside = in_window(replace(view, all_time=False), gists)
        left = any(
            not gists.is_reviewed(place) and is_inside(place)
            for place in places_of(self.material.sessions)
        )
        left = left or self._calls_left() or self.material.rest is not None
        left = left or self.scope.harness is not None or self.scope.session is not None
        held = view.since if last is None else min(last, view.since)
        moment = held if left else view.opened
        self.catalogue.set_last_review(moment, self.scope.paths)

    def _calls_left(self) -> bool:
        """Whether a missing call of the window was not looked at."""
        since, marks = self.view.since or 0.0, self.catalogue.reviewed()
        return any(
            call.swept is None
            and (call.mention.time is None or call.mention.time >= since)
            and not is_call_reviewed(call, marks)
            for call in self.material.missing
        )

    def action_note(self) -> None:
        """Write a note on the row."""
        row = self.queue.row
        if row is not None:
            self.write_note(row, self._noted)

    def _noted(self, done: Noted) -> None:
        self.last_batch = None
        self.marks.remember(done.id, done.back, done.undone)
        self.detail.remake()
        offer_mark(self, done.words, "home.undo")
        self.offer_keys()
