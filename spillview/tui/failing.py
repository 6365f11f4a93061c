"""A worker that failed: the screen says so and goes on."""

from __future__ import annotations

from typing import Any

from textual import on
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from spillview.errors import SpillError
from spillview.text import printable


class Failing(Screen[Any]):
    """Tells of its workers that failed; `failed` says where and what is done then."""

    @on(Worker.StateChanged)
    def _tell_failure(self, event: Worker.StateChanged) -> None:
        worker = event.worker
        if event.state is WorkerState.ERROR and worker.node is self:
            error = worker.error
            known = isinstance(error, SpillError)
            reason = str(error) if known else f"{type(error).__name__}: {error}"
            self.failed(worker, printable(reason))

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """A worker failed; the reason is safe to show."""
        words = f"{worker.description} failed. {reason}"
        self.notify(words, severity="error", markup=False)
