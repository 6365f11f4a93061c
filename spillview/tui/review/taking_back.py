"""Undo of marks, pins and notes: it says in words what it took back."""

from __future__ import annotations

from typing import Any

from textual import work
from textual.worker import Worker

from spillview.tui.failing import Failing
from spillview.tui.review.marks import Batch, Marks

AT_ONCE = 1_000
"""So many marks are taken back at once; of more it is a worker's work."""


class TakingBack(Failing):
    """Takes the last mark, pin or note back; the screen shows what is so then."""

    marks: Marks

    taking_back = False
    """Whether very many marks are being taken back right now."""

    def take_mark_back(self) -> None:
        """Take the last one back, if there is one."""
        batch = self.marks.pop() if not self.taking_back else None
        if batch is None:
            return
        if len(batch.ids) <= AT_ONCE:
            self._settle(batch, self.marks.take_back(batch))
        else:
            self.taking_back = True
            self.refresh_bindings()
            self._take_back(batch)

    @work(
        thread=True,
        exit_on_error=False,
        group="marks",
        description="Take marks back",
    )
    def _take_back(self, batch: Batch) -> None:
        marks = self.marks.take_back(batch)
        self.app.call_from_thread(self._settle, batch, marks)

    def _settle(self, batch: Batch, marks: dict[str, float | None]) -> None:
        self.taking_back = False
        self.marks.settle(marks)
        self.notify(batch.words, markup=False)
        self.marks_taken_back(batch.ids)

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so; another one can be taken back."""
        self.taking_back = self.taking_back and worker.group != "marks"
        super().failed(worker, reason)

    def marks_taken_back(self, ids: list[str]) -> None:
        """Show that these are as they were before."""
        raise NotImplementedError
