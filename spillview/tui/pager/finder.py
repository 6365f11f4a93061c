"""The hits of one pattern in the pager's text, searched for in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from spillview.errors import SpillError
from spillview.search import hits
from spillview.search.hits import Hit, Hits, Pattern

LIMIT = 1_000_000
"""Hits that are kept; the search goes on from there when it is asked to."""


class Searchable(Protocol):
    """What can be searched: bytes at any offset."""

    @property
    def size(self) -> int: ...

    def pread(self, offset: int, length: int) -> bytes: ...


@dataclass
class Found(Message):
    """More of a search's hits, or its end."""

    group: str
    generation: int
    hits: list[Hit]
    high: int | None = None
    """All hits up to here are known now."""
    low: int | None = None
    """All hits from here on are known now."""
    ended: bool = False
    error: str | None = None


class Finder:
    """Knows the hits around a place, and goes on looking for them.

    The widget posts nothing itself: `Found` messages reach it, and it hands them back
    to `take`.
    """

    def __init__(self, widget: Widget, group: str) -> None:
        self._widget = widget
        self._group = group
        self._generation = 0
        self._source: Searchable | None = None
        self.pattern: Pattern | None = None
        self.hits = Hits(0, 0)
        self.searching = False
        self.error: str | None = None

    @property
    def active(self) -> bool:
        """Whether there is a pattern."""
        return self.pattern is not None

    @property
    def complete(self) -> bool:
        """Whether every hit of the text is known."""
        size = self._source.size if self._source is not None else 0
        return self.hits.low == 0 and self.hits.high >= size

    def begin(
        self,
        source: Searchable,
        pattern: Pattern,
        byte: int,
        *,
        backwards: bool = False,
    ) -> None:
        """Look for `pattern` from `byte` outwards, first in the direction asked for."""
        self._source, self.pattern = source, pattern
        self.hits = Hits(byte, byte)
        self.error = None
        self._run(backwards)

    def go_on(self, *, backwards: bool) -> bool:
        """Look beyond what is known; False when there is nothing beyond."""
        if self.pattern is None or self._source is None or self.complete:
            return False
        if not self.searching:
            if len(self.hits) >= LIMIT:
                edge = self.hits.low if backwards else self.hits.high
                self.hits = Hits(edge, edge)
            self._run(backwards)
        return True

    def clear(self) -> None:
        """Forget the pattern and stop looking."""
        self._generation += 1
        self._widget.workers.cancel_group(self._widget, self._group)
        self.pattern = None
        self.searching = False
        self.hits = Hits(0, 0)

    def take(self, message: Found) -> bool:
        """Add what was found; False when it answers an older search."""
        if (message.group, message.generation) != (self._group, self._generation):
            return False
        if message.high is not None:
            self.hits.extend(message.hits, message.high)
        if message.low is not None:
            self.hits.prepend(message.hits, message.low)
        if message.ended:
            self.searching = False
            self.error = message.error
        return True

    def count_words(self) -> str:
        """`41`, or `at least 41` while not all are known."""
        known = f"{len(self.hits):,}"
        return known if self.complete else f"at least {known}"

    def _run(self, backwards: bool) -> None:
        self._generation += 1
        self.searching = True
        self._widget.run_worker(
            self._job(self._generation, backwards),
            name=f"{self._group} {self._generation}",
            group=self._group,
            description="Look for hits in the text",
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def _job(self, generation: int, backwards: bool) -> Callable[[], None]:
        source, pattern = self._source, self.pattern
        low, high = self.hits.low, self.hits.high
        group, post = self._group, self._widget.post_message
        assert source is not None
        assert pattern is not None

        def onwards(cancelled: Callable[[], bool]) -> None:
            total = 0
            for batch, known in hits.after(source, high, pattern, cancelled):
                post(Found(group, generation, batch, high=known))
                total += len(batch)
                if total >= LIMIT:
                    return

        def back(cancelled: Callable[[], bool]) -> None:
            total = 0
            for batch, known in hits.before(source, low, pattern, cancelled):
                post(Found(group, generation, batch, low=known))
                total += len(batch)
                if total >= LIMIT:
                    return

        def run() -> None:
            worker = get_current_worker()
            error: str | None = None
            try:
                hits.check(pattern)
                for part in (back, onwards) if backwards else (onwards, back):
                    part(lambda: worker.is_cancelled)
            except SpillError as failure:
                error = str(failure)
            if not worker.is_cancelled:
                post(Found(group, generation, [], ended=True, error=error))

        return run
