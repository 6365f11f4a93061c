"""Keeping the search index up to date while the screen is looked at."""

from __future__ import annotations

import time

from textual import on, work
from textual.worker import get_current_worker

from spillview.tui.live import LiveScreen
from spillview.tui.members import Members
from spillview.tui.messages import Gathered

EVERY = 60.0
"""Seconds between two updates, at least."""


class IndexingScreen(LiveScreen):
    """Has the index brought up to date, by another process, once all is counted."""

    _indexed: float | None = None
    """When the last update began."""

    def indexable(self) -> Members:
        """The artifacts that searches from here look at."""
        raise NotImplementedError

    @on(Gathered)
    def _begin_to_index(self) -> None:
        now = time.monotonic()
        if self._indexed is None or now - self._indexed >= EVERY:
            self._indexed = now
            self._index(self.indexable())

    @work(
        thread=True,
        exit_on_error=False,
        group="index",
        description="Bring the search index up to date",
    )
    def _index(self, artifacts: Members) -> None:
        from spillview.index.background import LEAST, update_apart
        from spillview.index.wanted import wanted

        if artifacts.bytes < LEAST:
            return  # ripgrep reads that in no time
        worker = get_current_worker()
        update_apart(
            self.catalogue.places.index_dir,
            wanted(artifacts),
            lambda: worker.is_cancelled,
        )
