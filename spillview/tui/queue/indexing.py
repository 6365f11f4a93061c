"""Keeping the search index up to date while the screen is looked at."""

from __future__ import annotations

import time

from textual import on, work
from textual.worker import get_current_worker

from spillview.catalogue.listing import BATCH
from spillview.tui.live import LiveScreen
from spillview.tui.messages import Gathered
from spillview.tui.queue.members import Members

EVERY = 60.0
"""Seconds between two updates, at least."""

PAUSE = 0.001
"""Seconds that the look for credentials leaves to others after each MiB."""


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
            artifacts = self.indexable()
            self._index(artifacts)
            self._look_for_credentials(artifacts)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="credentials",
        description="Look for credentials",
    )
    def _look_for_credentials(self, artifacts: Members) -> None:
        """While nobody waits for it; their flags are there once it is through."""
        from spillview.secrets.kept import look_through

        worker = get_current_worker()

        def idle() -> bool:
            time.sleep(PAUSE)
            return worker.is_cancelled

        cache, holding = self.catalogue.cache, False
        for start in range(0, len(artifacts), BATCH):
            batch = artifacts[start : start + BATCH]
            holding |= look_through(cache, batch, cancelled=idle).holding > 0
            if worker.is_cancelled:
                return
        if holding:
            self.app.call_from_thread(self.action_reload)

    def action_reload(self) -> None:
        """Take in what is known now."""
        raise NotImplementedError

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
