"""Calls that are remembered for the results that answer them: the last so many."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from spillview.named import NamedTuple
from spillview.transcripts.touches import Made


class RememberedCall(NamedTuple):
    """What a result's envelope tells of the call that made it."""

    tool: str | None = None
    command: str | None = None
    time: float | None = None
    """Seconds since the epoch."""
    message: str | None = None
    """The answer, or the step, in which the call was decided."""

    def made(self) -> Made:
        """What a later read tells of the call."""
        return self.tool, self.command, self.time


class RememberedCalls(OrderedDict[str, RememberedCall]):
    """Calls by their ids, the oldest first."""

    def __init__(
        self, most: int, rows: Iterable[tuple[str, Sequence[Any]]] = ()
    ) -> None:
        """At most so many; `rows` are those that `rows` gave before."""
        super().__init__((key, RememberedCall(*row)) for key, row in rows)
        self._most = most

    def remember(self, key: str, call: RememberedCall) -> None:
        """One more, which is the newest; the oldest may go."""
        self[key] = call
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)

    def rows(self) -> list[list[Any]]:
        """All of them as JSON has them: an id, and a list of what is told."""
        return [[key, list(call)] for key, call in self.items()]
