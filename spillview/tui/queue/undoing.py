"""The key of the queue that takes back what was done last: a mark or a clean-up."""

from __future__ import annotations

from typing import Any

from textual.worker import Worker

from spillview.tui.cleanup.opening import OpensCleanup
from spillview.tui.review.marking import MarkingScreen


class UndoingScreen(MarkingScreen, OpensCleanup):
    """A queue on which marks, pins, notes and clean-ups can be undone."""

    def applies(self) -> dict[str, bool]:
        """Which of the actions that do not always apply do so now."""
        known = super().applies()
        return known | {"clear": known["clear"] or self.is_at_work}

    def action_undo(self) -> None:
        """Take the last mark back and go to it, or the clean-up that came after it."""
        if self.last_batch is not None:
            self.undo_cleanup(self.last_batch)
        else:
            self.take_mark_back()

    def action_no_undo(self) -> None:
        """Say that there is nothing to take back."""
        self.notify("There is no mark or clean-up to take back.", markup=False)

    def undo_cleanup(self, batch: str | None) -> None:
        """Put a clean-up back, in a worker."""
        if not self.is_at_work:
            self.start_undo(batch)
            self.offer_keys()

    def say_pace(self, words: str) -> None:
        """In the first line."""
        self.top.say(words)

    def put_back(self, left: str | None) -> None:
        """Look again."""
        self.top.say(None)
        self.last_batch = left
        self.action_reload()

    def took_over(self, batch: str | None) -> None:
        """That clean-up is what an undo puts back now."""
        self.last_batch = batch

    def look_anew(self) -> None:
        """Files were moved, put back or deleted."""
        self.action_reload()

    def action_reload(self) -> None:
        """Look again now."""
        raise NotImplementedError

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so; nothing is at work any more."""
        self.end_work()
        self.top.say(None)
        super().failed(worker, reason)
