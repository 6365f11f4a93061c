"""Looking for what an artifact can be compared with, while the keys are answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual import on, work
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from spillview.errors import Cancelled
from spillview.model import Artifact
from spillview.tui.compare.compare_with import Offer, offer
from spillview.tui.queue.screen import FEW


class Offering(Screen[Any]):
    """Looks through few artifacts at once, through more of them in a worker."""

    _looking: Callable[[Offer], None] | None = None
    """What is done with the offer that is being made."""

    @dataclass
    class Offered(Message):
        """What an artifact can be compared with."""

        offer: Offer
        then: Callable[[Offer], None]

    @dataclass
    class Sought(Message):
        """So many of so many were looked through."""

        done: int
        total: int

        def can_replace(self, message: Message) -> bool:
            """Only how far it is now counts."""
            return isinstance(message, Offering.Sought)

    def look_for_runs(
        self,
        artifact: Artifact,
        among: Sequence[Artifact],
        then: Callable[[Offer], None],
    ) -> None:
        """Have `then` called with what it can be compared with."""
        if len(among) <= FEW:
            then(offer(artifact, among))
            return
        self._looking = then
        self.say_sought("looking for other runs …")
        self._look_for_runs(artifact, among, then)

    def stop_looking(self) -> bool:
        """Give up the look; whether there was one."""
        was = self._looking is not None
        self._looking = None
        if was:
            self.workers.cancel_group(self, "runs")
            self.say_sought("not compared: the look for other runs was stopped")
        return was

    def say_sought(self, words: str) -> None:
        """Tell how far it is."""

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="runs",
        description="Look for other runs",
    )
    def _look_for_runs(
        self,
        artifact: Artifact,
        among: Sequence[Artifact],
        then: Callable[[Offer], None],
    ) -> None:
        worker = get_current_worker()

        def progress(done: int, total: int) -> None:
            self.post_message(self.Sought(done, total))

        try:
            made = offer(artifact, among, lambda: worker.is_cancelled, progress)
        except Cancelled:
            return
        self.post_message(self.Offered(made, then))

    @on(Sought)
    def _tell_sought(self, message: Sought) -> None:
        if self._looking is not None and message.done:
            self.say_sought(
                f"looking for other runs: {message.done:,} of {message.total:,}"
            )

    @on(Offered)
    def _take_offer(self, message: Offered) -> None:
        if self._looking is message.then:
            self._looking = None
            message.then(message.offer)
