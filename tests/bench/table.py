"""The interface of a benchmark that stands in the table of speeds.

Such a module has `rows(scale)`, which yields a `Row` for each line of the table.
`python -m tests.bench` runs every one of them and prints the table.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the work is, how often it runs, and where heavy files are kept."""

    share: float = 1.0
    """Part of the table's full sizes: 1 for 1 GB or 100,000 artifacts."""
    runs: int = 5
    """Interleaved runs that a median is of."""
    folder: str = "/tmp/svbench"
    """Files made here are found again by the next run."""

    def of(self, amount: int, least: int = 1) -> int:
        """`amount` at this scale, never under `least`."""
        return max(least, round(amount * self.share))

    def steps(self) -> tuple[Scale, Scale, Scale]:
        """A hundredth, a tenth and all of the work: what growth is measured at."""
        return (
            replace(self, share=self.share / 100),
            replace(self, share=self.share / 10),
            self,
        )


@dataclass(frozen=True, slots=True)
class Target:
    """What a row is to reach; every part that is set must hold."""

    ratio: float | None = None
    """At most this many times the peer."""
    seconds: float | None = None
    """At most this long."""
    megabytes: float | None = None
    """At most this much resident memory at its peak."""
    at_least: float | None = None
    """`Row.found` is at least this: a rate or a share of right answers."""
    unit: str = ""
    """What `at_least` counts, such as "MB/s"; nothing for a share."""

    def words(self) -> str:
        """The target as the table says it."""
        parts = []
        if self.ratio is not None:
            parts.append(f"≤ {self.ratio:g} ×")
        if self.seconds is not None:
            parts.append(f"≤ {duration(self.seconds)}")
        if self.megabytes is not None:
            parts.append(f"≤ {self.megabytes:g} MB")
        if self.at_least is not None:
            parts.append(f"≥ {self.at_least:g} {self.unit}".rstrip())
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    work: str
    """What was done, with its size: "line index of 1 GB, 10 M lines"."""
    target: Target
    against: str = ""
    """The peer that was measured in turn with it: "`wc -l`"; nothing for none."""
    ratio: float | None = None
    """Its median over the peer's median on the same data in the same run."""
    seconds: float | None = None
    """The median, or the 95th percentile where `work` says so."""
    growth: tuple[float, ...] = ()
    """Seconds at 1, 10 and 100 times the work; the last is the full size."""
    megabytes: float | None = None
    """Peak resident memory, where it was measured."""
    found: float | None = None
    """What `Target.at_least` asks about."""
    note: str = ""
    """A few words on what was measured, where they change its meaning."""

    def met(self) -> bool | None:
        """Whether every part of the target holds; None where one was not measured."""
        pairs = [
            (self.target.ratio, self.ratio, 1),
            (self.target.seconds, self.seconds, 1),
            (self.target.megabytes, self.megabytes, 1),
            (self.target.at_least, self.found, -1),
        ]
        asked = [pair for pair in pairs if pair[0] is not None]
        if not asked or any(value is None for _, value, _ in asked):
            return None
        return all(
            (value - limit) * sign <= 0
            for limit, value, sign in asked
            if limit is not None and value is not None
        )


def duration(seconds: float) -> str:
    """Seconds in the unit that reads best: "0.07 ms", "12 ms", "3.4 s"."""
    for limit, unit, scale, digits in (
        (1e-3, "ms", 1e3, 3),
        (1e-2, "ms", 1e3, 2),
        (1e-1, "ms", 1e3, 1),
        (1.0, "ms", 1e3, 0),
    ):
        if seconds < limit:
            text = f"{seconds * scale:.{digits}f}"
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"
    return f"{seconds:.2f}".rstrip("0").rstrip(".") + " s"


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def medians(
    works: Mapping[str, Callable[[], object]],
    runs: int,
    before: Callable[[], object] = lambda: None,
) -> dict[str, float]:
    """Median seconds of each work over interleaved runs; `before` each one."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            before()
            times[name].append(seconds(work))
    return {name: statistics.median(some) for name, some in times.items()}


def percentile(values: list[float], share: float = 0.95) -> float:
    """The value that `share` of them do not pass: nearest rank, nothing made up."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]
