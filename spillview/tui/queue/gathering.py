"""The work behind the queue: scan, then complete; runs in a worker thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from spillview.catalogue.first_look import MANY, FirstLook, Window
from spillview.catalogue.gists import Gists
from spillview.catalogue.query import Query
from spillview.errors import SpillError
from spillview.tui.messages import (
    Counted,
    Gathered,
    GatheringFailed,
    Ordered,
    Scanned,
)
from spillview.tui.pauses import live_on
from spillview.tui.queue.held import Held

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

BATCH_SECONDS = 0.2
"""Completed artifacts are handed over this often."""

ORDER_SECONDS = 0.6
"""The order is settled anew at most this often while facts come in."""

ORDER_SHARE = 8
"""Ordering may take at most one part in so many of the time."""

FILE_WEIGHT = 20_000
"""Opening a file costs about as much as counting so many bytes."""


class Progress:
    """How far a completion is, in bytes and files, and what time is left."""

    def __init__(
        self, total: int, size: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """So many artifacts are to be completed, of so many bytes."""
        self.total = total
        self.bytes = size
        self.clock = clock
        self.done = 0
        self._finished = 0
        self._start = clock()

    def add(self, size: int) -> None:
        """One artifact more is complete, of so many bytes."""
        self.done += 1
        self._finished += FILE_WEIGHT + size

    @property
    def left(self) -> float | None:
        """Seconds left at the pace so far."""
        if not self._finished:
            return None
        elapsed = self.clock() - self._start
        every = FILE_WEIGHT * self.total + self.bytes
        return elapsed * (every - self._finished) / self._finished


def gather(
    catalogue: Catalogue,
    query: Query,
    first: Callable[[Gists], Callable[[int], bool]],
    post: Callable[[Message], object],
    cancelled: Callable[[], bool],
    *,
    window: Window,
    quick: bool = False,
    known: bool = False,
    shown: Callable[[], object] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Post everything that the catalogue knows, and what it finds out after that.

    Artifacts whose places `first` admits are completed before the others. `quick` has
    the first of very many artifacts listed before the others are made, first without
    what transcripts tell of them (those are `known` where the screen has them already);
    all goes on once `shown` returns. `window` is what their totals are of.
    """
    try:
        look, looked = None, False
        if quick and not known:
            look = catalogue.first_look(query, wait=True)
            looked = look is None
        if looked:
            listing = catalogue.scan(query, bare=True)
            if len(listing) > MANY:
                look = FirstLook.of(catalogue, listing, window)
        if look is not None:
            post(Scanned(look.sessions, look.rest))
        if look is not None or known:
            shown()
        listing = catalogue.scan(query, entries=not looked)

        def expect(number: int) -> None:
            if quick and number > MANY and not cancelled():
                again = FirstLook.of(catalogue, listing, window)
                post(Scanned(again.sessions, again.rest))

        held = Held(catalogue, listing, expect)
        sessions = held.ordered()
        held.make_ready(sessions, first)
    except SpillError as error:
        post(GatheringFailed(str(error)))
        return
    if cancelled():
        return
    live_on()  # to walk it all again would stall the keys
    post(Scanned(sessions))
    queue = held.lacking(first)
    progress = Progress(len(queue), queue.bytes, clock)
    batch: list[str] = []
    posted = ordered = clock()
    pause = ORDER_SECONDS
    try:
        for artifact in held.complete(queue, cancelled):
            if cancelled():
                return
            if held.take(artifact):
                progress.add(artifact.found.size)
            batch.append(artifact.id)
            now = clock()
            if now - posted < BATCH_SECONDS:
                continue
            post(Counted(batch, progress.done, progress.total, progress.left))
            batch, posted = [], now
            if now - ordered > pause:
                post(Ordered(held.ordered(), None))
                ordered = clock()
                pause = max(ORDER_SECONDS, ORDER_SHARE * (ordered - now))
        if cancelled():
            return
        post(Counted(batch, progress.done, progress.total, 0.0))
        missing = catalogue.missing(query, cancelled=cancelled)
    except SpillError as error:
        post(GatheringFailed(str(error)))
        return
    if not cancelled():
        post(Ordered(held.ordered(anew=True), missing))
        post(Gathered(len(catalogue.problems), len(catalogue.broken_records())))
        live_on()
