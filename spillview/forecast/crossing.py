"""When a command's output will be larger than its boundary, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from spillview.catalogue.triage import CLOSE
from spillview.forecast.rates import Rate, Trend, trend
from spillview.forecast.runs import Group, Run, boundary_of, points
from spillview.model import Boundary

FARTHEST = 730.0
"""Days ahead that a date is given for, unless ten times the series reach farther."""

FARTHEST_EVER = 3650.0
"""Days; a date beyond them is none."""

State = Literal[
    "over", "growing", "far", "step", "resets", "steady", "shrinking", "unknown"
]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is known of one command, and what is to come."""

    group: Group
    sample: tuple[Run, ...]
    """The runs that it rests on, oldest first."""
    boundary: Boundary | None
    trend: Trend
    state: State
    crosses_on: date | None = None
    """By the more careful of the two rates; None where nothing tells of a day."""
    crosses_between: tuple[date, date] | None = None
    crossed_on: date | None = None
    """Where it is over: the day since which it has been."""
    why: str = ""
    """A plain clause: why there is no date."""

    @property
    def latest(self) -> int | None:
        """The newest run's size in the boundary's unit; chars where there is none."""
        if not self.sample:
            return None
        return self.sample[-1].size_in(self.boundary.unit if self.boundary else "chars")

    @property
    def ratio(self) -> float | None:
        """The newest run's size / the boundary."""
        if self.boundary is None or self.latest is None:
            return None
        return self.latest / self.boundary.size

    @property
    def close(self) -> bool:
        """Whether it is at 0.9 of its boundary or more."""
        return self.ratio is not None and self.ratio >= CLOSE

    @property
    def expected_per_day(self) -> float:
        """The rate that the date rests on; 0 where there is none."""
        rate = self.trend.careful
        return rate.value if rate is not None and self.state == "growing" else 0.0


def forecast(group: Group, now: float, boundary: Boundary | None = None) -> Forecast:
    """The forecast for one command at `now` (seconds since the epoch).

    `boundary` takes the place of its own.
    """
    sample = group.sample
    gate = boundary if boundary is not None else boundary_of(sample)
    series = points(sample, gate.unit if gate is not None else "chars")
    found = trend(series)
    kept = tuple(sample)
    if gate is None or not sample:
        why = "nothing spills it: there is no boundary"
        if not sample:
            why = "of no run the whole output is on disk"
        return Forecast(group, kept, gate, found, "unknown", why=why)
    sizes = [size for _, size in series]
    if sizes[-1] > gate.size:
        return Forecast(
            group, kept, gate, found, "over", crossed_on=_since(series, gate.size)
        )
    if found.state != "growing":
        return Forecast(group, kept, gate, found, found.state, why=why_not(found))
    rate = found.careful
    assert rate is not None  # or it would not be growing
    span = series[-1][0] - series[0][0]
    reach = min(FARTHEST_EVER, max(FARTHEST, 10 * span))
    days = max(0.0, (gate.size - found.level) / rate.value)
    if days > reach:
        why = f"it is more than {reach:,.0f} days away"
        return Forecast(group, kept, gate, found, "far", why=why)
    early, late = _range(found, rate, gate.size)
    today = now / 86_400
    dates = [
        day_of(max(today, found.day + min(each, FARTHEST_EVER)))
        for each in (min(early, days), days, max(late, days))
    ]
    first, middle, last = dates
    return Forecast(group, kept, gate, found, "growing", middle, (first, last))


def _range(found: Trend, rate: Rate, size: int) -> tuple[float, float]:
    """Days to the earliest and the latest crossing that nine of ten ranges allow."""
    sure = [
        each
        for each in (found.average, found.recent)
        if each is not None and each.sure > 0
    ]
    fast = max(each.high for each in sure)
    slow = min(max(each.low, each.value / 10) for each in sure)
    early = max(0.0, (size - found.level - found.noise) / fast)
    if found.share is not None and size > found.level > 0:
        # It speeds up: it may go on to, by the same share a day.
        early = min(early, math.log(size / found.level) / found.share.high)
    late = max(0.0, (size - found.level + found.noise) / slow)
    return early, late


def _since(series: Sequence[tuple[float, float]], size: int) -> date:
    """The day from which on it has been over."""
    first = series[-1][0]
    for day, value in reversed(series):
        if value <= size:
            break
        first = day
    return day_of(first)


def day_of(day: float) -> date:
    """The date of a day since the epoch (UTC), within what dates can express."""
    least, most = -719_162, 2_932_896
    if not math.isfinite(day):
        return date.max
    whole = int(min(max(math.floor(day), least), most))
    return date(1970, 1, 1) + timedelta(days=whole)


def why_not(found: Trend) -> str:
    """A clause that says why a trend leads to no date."""
    if found.why:
        return found.why
    if found.state == "step" and found.steps:
        step = found.steps[-1]
        way = "up" if step.size > 0 else "down"
        return f"a step {way} on {day_of(step.day)}, flat otherwise"
    return {"steady": "it is steady", "shrinking": "it shrinks"}.get(found.state, "")
