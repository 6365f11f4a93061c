"""Runs of commands, and runs of one command together: plain facts, no I/O."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from spillview.model import BYTES_PER_TOKEN, Boundary, Unit

KEPT = 2_000
"""So many runs of one command are looked at, the newest; all are counted."""


class Run(NamedTuple):
    """One run of a command and how much it printed."""

    time: float
    """Seconds since the epoch."""
    bytes: int
    chars: int
    utf16: int
    lines: int
    boundaries: tuple[Boundary, ...]
    """What it was held against; empty where nothing spills it."""
    source: str
    """The harness whose records tell of it; `wrap` or `measure`."""
    spilled: bool = False
    number: float | None = None
    """The number that it printed, where that was all."""

    def size_in(self, unit: Unit) -> int:
        """Its output in `unit`."""
        if unit == "tokens":
            return -(-self.bytes // BYTES_PER_TOKEN)
        size: int = getattr(self, unit)
        return size


class Key(NamedTuple):
    """What runs of one command have in common."""

    project: str
    command: str
    """Normalised."""


@dataclass(slots=True)
class Group:
    """The runs of one command in one project."""

    key: Key
    example: str = ""
    """The newest run's command as it was typed."""
    tool: str | None = None
    runs: int = 0
    """All of them; `sample` has the newest."""
    unsized: int = 0
    """Runs whose whole output is not on disk any more: their size is not known."""
    sources: set[str] = field(default_factory=set)
    _heap: list[tuple[float, int, Run]] = field(default_factory=list)
    _newest: tuple[float, int] = (float("-inf"), 0)

    def add(
        self, run: Run, example: str, tool: str | None, *, late: bool = False
    ) -> None:
        """Take one more; `late` ones come after all others of their moment."""
        self.runs += 1
        self.sources.add(run.source)
        moment = (run.time, next(_ORDER) + (_LATE if late else 0))
        if moment > self._newest:
            self._newest, self.example, self.tool = moment, example, tool
        entry = (*moment, run)
        if len(self._heap) < KEPT:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    @property
    def sample(self) -> list[Run]:
        """The newest runs, oldest first."""
        return [run for _, _, run in sorted(self._heap)]


_ORDER = count()
_LATE = 1 << 62


def boundary_of(sample: Sequence[Run]) -> Boundary | None:
    """The boundary that is crossed first, by the latest run of each source.

    Each source has its own, and may have changed it; what it was before counts no
    longer. The one with the highest ratio leads. None where there is none.
    """
    if not sample:
        return None
    latest = sample[-1]
    current: dict[str, tuple[Boundary, ...]] = {}
    for run in sample:
        if run.boundaries:
            current[run.source] = run.boundaries
    gates = {gate for each in current.values() for gate in each}
    if not gates:
        return None
    return max(
        gates, key=lambda gate: (latest.size_in(gate.unit) / gate.size, gate.unit)
    )


def points(sample: Iterable[Run], unit: Unit) -> list[tuple[float, float]]:
    """Days since the epoch and sizes in `unit`."""
    return [(run.time / 86_400, float(run.size_in(unit))) for run in sample]
