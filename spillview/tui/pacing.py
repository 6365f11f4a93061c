"""Work behind a screen: how far it is, what time is left, and a key that stops it.

Stopping keeps what is there by then, and the screen says of how much it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

from textual import on
from textual.message import Message
from textual.screen import Screen

from spillview.pace import Pace

EVERY = 0.2
"""Seconds between two words about how far it is."""


class Pacing(Screen[Any]):
    """Tells how far its worker is."""

    _stopping: Event | None = None
    """Set to stop the work that goes on; None while there is none."""

    @dataclass
    class Paced(Message):
        """How far the work is, in words."""

        work: Event
        words: str

        def can_replace(self, message: Message) -> bool:
            """Only how far it is now counts."""
            return isinstance(message, Pacing.Paced)

    def begin_work(self) -> Event:
        """Some work begins in the place of any other; gives what tells it to stop."""
        self._stopping = Event()
        return self._stopping

    @property
    def is_at_work(self) -> bool:
        """Whether some work goes on."""
        return self._stopping is not None

    def end_work(self, work: Event | None = None) -> None:
        """It came to its end."""
        if work is None or work is self._stopping:
            self._stopping = None

    def stop_work(self) -> bool:
        """Have it stop; whether it goes on and was not told so before."""
        if self._stopping is None or self._stopping.is_set():
            return False
        self._stopping.set()
        self.say_pace("stopping …")
        return True

    def say_pace(self, words: str) -> None:
        """Show how far it is."""

    def paced(self, verb: str, work: Event) -> Callable[[int, int], None]:
        """What a worker tells how many of how many are done; for any thread."""
        pace, last = Pace(), time.monotonic()

        def tell(done: int, total: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < EVERY:
                return
            last = now
            words = f"{pace.words(verb, done, total)}; Esc stops"
            self.post_message(self.Paced(work, words))

        return tell

    @on(Paced)
    def _say_pace(self, message: Paced) -> None:
        if message.work is self._stopping and not message.work.is_set():
            self.say_pace(message.words)


def partial_words(done: int, total: int) -> str:
    """That work was stopped, and after how much: `partial: 200 of 1,000 artifacts`."""
    return f"partial: {done:,} of {total:,} artifacts"
