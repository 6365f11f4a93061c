"""How far a work is and what time is left, in words: the same for lines and screens."""

from __future__ import annotations

import time
from collections.abc import Callable

from spillview.text import human_age

SLOW = 2.0
"""Seconds; less than that are not told to be left."""

EARLY = 0.5
"""Seconds after which a pace means something."""


class Pace:
    """The pace of one work after the other."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._work: tuple[str, int] | None = None
        self._start = 0.0
        self._first = self._done = 0

    def words(self, verb: str, done: int, total: int) -> str:
        """`counted 1,200 of 100,000, 40s left`."""
        now = self._clock()
        if self._work != (verb, total) or done < self._done:
            self._work, self._start, self._first = (verb, total), now, done
        self._done = done
        words = f"{verb} {done:,} of {total:,}"
        elapsed, came = now - self._start, done - self._first
        if elapsed < EARLY or came <= 0:
            return words
        left = elapsed * (total - done) / came
        return f"{words}, {human_age(left + 1)} left" if left > SLOW else words
