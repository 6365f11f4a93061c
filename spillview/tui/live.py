"""A screen over a catalogue that is gathered in a worker and kept fresh by a timer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual import work
from textual.worker import Worker, get_current_worker

from spillview.catalogue.first_look import Window
from spillview.catalogue.gists import Gists
from spillview.catalogue.query import Query
from spillview.model import Artifact
from spillview.tui.failing import Failing
from spillview.tui.messages import GatheringFailed, Paced
from spillview.tui.queue.gathering import gather
from spillview.tui.readiness import import_screens, read_stylesheets
from spillview.tui.room import give_back

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.growth.pace import Pace

REFRESH_SECONDS = 2.0
"""The stores are looked at again this often, or more seldom where it takes long."""

SHOWN_SECONDS = 0.5
"""The first rows get the processor for so long at most until they are drawn."""

REFRESH_SHARE = 20
"""Looking again may take at most one part in so many of the time."""


class LiveScreen(Failing):
    """Gathers `scope` and posts what it learns; see `messages`."""

    def __init__(self, catalogue: Catalogue, scope: Query) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.scope = scope
        self.first = catalogue.first_look(scope, wait=False)
        """What another process found for the first frame, if it did so in time."""
        self.opening = (
            Window.of(catalogue, scope, catalogue.opened(scope))
            if self.first is None
            else self.first.window
        )
        self._lock = threading.Lock()
        self.list_shown = threading.Event()
        """Set once the first rows are drawn."""
        self._next_look = 0.0
        self._pace: Pace | None = None

    def near(self, gists: Gists) -> Callable[[int], bool]:
        """Tells of a place whether its artifact is in view, to be completed first."""
        raise NotImplementedError

    def watch_stores(self) -> None:
        """Gather at once, and again whenever something changed."""
        self.gather_all(known=self.first is not None)
        self.set_interval(REFRESH_SECONDS, self._look_again)
        self.set_interval(REFRESH_SECONDS, self.look_at_growth)

    def growing(self) -> Sequence[Artifact]:
        """The artifacts known to grow."""
        return ()

    def look_at_growth(self) -> None:
        """Look at the disks and at what grows, unless a look is still at work."""
        if not any(w.group == "pace" and not w.is_finished for w in self.workers):
            self._look_at_growth(self.growing())

    def stand(self) -> None:
        """The first rows are drawn: let counting begin, and make the next screen ready.

        What is made ready would otherwise be waited for by the first key.
        """
        if not self.list_shown.is_set():
            self.list_shown.set()
            read_stylesheets(self.app)
            self._get_ready()

    @work(
        thread=True,
        exit_on_error=False,
        group="readiness",
        description="Import the screens",
    )
    def _get_ready(self) -> None:
        worker = get_current_worker()
        import_screens(lambda: worker.is_cancelled)

    def _look_again(self) -> None:
        busy = any(
            worker.group == "catalogue" and not worker.is_finished
            for worker in self.workers
        )
        if not busy and time.monotonic() >= self._next_look:
            self.gather_all(only_changes=True)

    @work(
        thread=True,
        exit_on_error=False,
        group="pace",
        description="Look at what grows",
    )
    def _look_at_growth(self, artifacts: Sequence[Artifact]) -> None:
        from spillview.growth.pace import Pace  # after the first frame

        if self._pace is None:
            self._pace = Pace(self.catalogue.settings)
        roots = [store.root for store in self.catalogue.stores]
        growth, short = self._pace.on_disks(self._pace.look(list(artifacts)), roots)
        self.post_message(Paced(growth, short))

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="catalogue",
        description="Find, count and link artifacts",
    )
    def gather_all(self, *, only_changes: bool = False, known: bool = False) -> None:
        """Scan and complete in a thread; `only_changes`: only if there are any.

        `known`: the first rows are there.
        """
        worker = get_current_worker()
        # One at a time: a cancelled thread runs on until it looks.
        with self._lock:
            if worker.is_cancelled:
                return
            if only_changes:
                started = time.monotonic()
                changed = self.catalogue.refresh()
                took = time.monotonic() - started
                self._next_look = time.monotonic() + REFRESH_SHARE * took
                if not changed:
                    return
            gather(
                self.catalogue,
                self.scope,
                self.near,
                self.post_message,
                lambda: worker.is_cancelled,
                window=self.opening,
                quick=not only_changes,
                known=known,
                shown=self._wait_for_rows,
            )

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so where the rows are."""
        sentence = f"{worker.description} failed. {reason}"
        self.post_message(GatheringFailed(sentence))

    def _wait_for_rows(self) -> None:
        """In a worker: let the first rows be drawn, before much is made."""
        self.list_shown.wait(SHOWN_SECONDS)
        give_back()
