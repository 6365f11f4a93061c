"""How fast a size grows: rates that outliers, steps and weekends do not sway.

A rate is the median of the slopes between all pairs of points (Theil and Sen), and it
counts as growth only where that is most unlikely to be noise (Mann and Kendall). Before
that, runs of one day become their median, weekends are put beside the days of the week,
and steps and resets are taken out.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

Point = tuple[float, float]
"""A day since the epoch, and a size."""

LEAST_RUNS = 5
"""Fewer runs tell nothing."""

LEAST_DAYS = 2.0
"""Nor does a shorter time."""

LEAST_POINTS = 5
"""Nor fewer moments with runs."""

MOST_POINTS = 150
"""So many points a rate is made of; more become medians of longer times."""

SURE = 2.88
"""Standard deviations: one series of noise in 500 grows by that much."""

RANGE = 1.645
"""Standard deviations of the range that is told: nine of ten."""

NOISE = 1.4826
"""Median absolute deviation x this = standard deviation."""

STAIRS = 3
"""So many steps up are growth of their own kind, no longer exceptions."""

TRIP = 4
"""Fewer points elsewhere, between a jump and one back, are outliers."""

State = Literal["growing", "steady", "shrinking", "step", "resets", "unknown"]


@dataclass(frozen=True, slots=True)
class Rate:
    """Growth per day, or per unit of whatever the points' first number counts."""

    value: float
    low: float
    high: float
    """The range that holds it nine times of ten."""
    sure: Literal[-1, 0, 1]
    """Whether it grows (1), shrinks (-1), or may be noise (0)."""


@dataclass(frozen=True, slots=True)
class Step:
    """A jump after which the size stayed where it was."""

    day: float
    """The first day after it."""
    size: float
    """How far it went; negative for a fall."""


@dataclass(frozen=True, slots=True)
class Trend:
    """What a series of sizes does."""

    state: State
    average: Rate | None = None
    """Over all of the time; None where too little is known."""
    recent: Rate | None = None
    """Over the later half; None where that has too few points."""
    level: float = 0.0
    """Where the size is at `day`, without noise."""
    day: float = 0.0
    noise: float = 0.0
    """Standard deviation of sizes around the trend."""
    share: Rate | None = None
    """Where it speeds up: by which share of itself it grows a day (as a logarithm)."""
    steps: tuple[Step, ...] = ()
    why: str = ""
    """A plain clause where there is no rate to go by."""

    @property
    def careful(self) -> Rate | None:
        """The faster one of the two rates that are sure; None where none is."""
        sure = [r for r in (self.average, self.recent) if r is not None and r.sure > 0]
        return max(sure, key=lambda rate: rate.value, default=None)


def theil_sen(points: Sequence[Point]) -> Rate | None:
    """The median slope of all pairs; None for fewer than two different moments."""
    slopes: list[float] = []
    balance = 0
    for n, (x, y) in enumerate(points):
        for other_x, other_y in points[n + 1 :]:
            if other_x != x:
                slopes.append((other_y - y) / (other_x - x))
                rise = (other_y - y) * (1 if other_x > x else -1)
                balance += (rise > 0) - (rise < 0)
    if not slopes:
        return None
    slopes.sort()
    count, n = len(slopes), len(points)
    deviation = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    reach = RANGE * deviation
    low = max(0, math.floor((count - reach) / 2))
    high = min(count - 1, math.ceil((count + reach) / 2))
    sure: Literal[-1, 0, 1] = 0
    # Of five points all pairs must agree: that is one in 120 by chance.
    clear = slopes[0] > 0 if balance > 0 else slopes[-1] < 0
    if abs(balance) - 1 > SURE * deviation or (n >= LEAST_POINTS and clear):
        sure = 1 if balance > 0 else -1
    return Rate(median(slopes), slopes[low], slopes[high], sure)


def trend(runs: Sequence[Point]) -> Trend:
    """What the sizes of these runs do, whose days ascend."""
    if len(runs) < LEAST_RUNS:
        return Trend("unknown", why=f"too few runs: {len(runs)} of {LEAST_RUNS}")
    span = runs[-1][0] - runs[0][0]
    if span < LEAST_DAYS:
        return Trend("unknown", why=f"too short a time: {_span(span)}, not two days")
    points, width = gathered(runs)
    if len(points) < LEAST_POINTS:
        return Trend(
            "unknown",
            why=f"runs at too few times: {len(points)} of {LEAST_POINTS}",
        )
    lift = 0.0
    if width == 1.0:
        points, lift = without_weekends(points)
    points, places = _without_trips(points, jumps(points))
    steps, level_points = _flattened(points, places)
    return _judged(points, level_points, steps, lift)


def _judged(
    raw: list[Point], points: list[Point], steps: tuple[Step, ...], lift: float
) -> Trend:
    average = theil_sen(points)
    assert average is not None  # there are different days
    half = max(LEAST_POINTS + 1, -(-len(points) // 2))
    recent = _recent(points, average)
    slope = average.value
    if recent is not None and recent.sure:
        slope = recent.value
    last = points[-1][0]
    tail = points[-7:]
    level = median(y + slope * (last - x) for x, y in tail)
    drift = [y - (level + slope * (x - last)) for x, y in points[-half:]]
    middle = median(drift)
    noise = NOISE * median(abs(value - middle) for value in drift)
    falls = [step for step in steps if step.size < 0]
    state, why = _state(average, recent, steps)
    if state == "growing" and len(falls) >= 2:
        peak = max(y for x, y in raw if x < falls[-1].day)
        # Nothing after it tells yet whether the last point is one more fall.
        fallen = raw[-1][1] < level + median(step.size for step in falls) / 2
        if fallen or level + lift <= peak:
            state = "resets"
            why = f"it starts over: {len(falls)} times, at {peak:,.0f} at most"
    share = None
    if recent is not None and recent.low > max(0.0, average.high):
        logs = [(x, math.log(y)) for x, y in points[-half:] if y > 0]
        share = theil_sen(logs)
        share = share if share is not None and share.low > 0 else None
    return Trend(state, average, recent, level + lift, last, noise, share, steps, why)


def _recent(points: Sequence[Point], average: Rate) -> Rate | None:
    """The rate of the later half; of the later half of that, where it speeds up."""
    found, known = None, average
    while len(points) >= LEAST_POINTS + 3:
        points = points[-max(LEAST_POINTS + 1, -(-len(points) // 2)) :]
        rate = theil_sen(points)
        faster = rate is not None and rate.sure > 0 and rate.low > known.high
        if rate is None or (found is not None and not faster):
            return found
        found = known = rate
        if not faster:
            return found
    return found


def _state(
    average: Rate, recent: Rate | None, steps: Sequence[Step]
) -> tuple[State, str]:
    """What the rates say, and a clause where they say nothing."""
    if (
        recent is not None
        and recent.sure <= 0 < average.sure
        # Growth that is merely lost in noise goes on.
        and (recent.sure < 0 or recent.high < average.low / 2)
    ):
        return "steady", "it grew once and no longer does"
    if average.sure > 0 or (recent is not None and recent.sure > 0):
        return "growing", ""
    if average.sure < 0:
        return "shrinking", ""
    if steps:
        return "step", ""
    return "steady", ""


def gathered(runs: Sequence[Point]) -> tuple[list[Point], float]:
    """Medians of days, or of shorter times where there are few; and that time."""
    span = runs[-1][0] - runs[0][0]
    width = max(1.0 if span >= 12 else span / 12, span / MOST_POINTS)
    groups: dict[int, list[Point]] = {}
    start = math.floor(runs[0][0]) if width >= 1.0 else runs[0][0]
    for x, y in runs:
        groups.setdefault(int((x - start) / width), []).append((x, y))
    return [
        (median(x for x, _ in group), median(y for _, y in group))
        for _, group in sorted(groups.items())
    ], width


def without_weekends(points: list[Point]) -> tuple[list[Point], float]:
    """Sizes of weekends moved to those of the week, where both differ.

    The second number is how much higher than the rest the weekends are: what is on
    the way to a boundary reaches it there first.
    """
    week = [(x, y) for x, y in points if not _weekend(x)]
    moved: list[float] = []
    days = [x for x, _ in week]
    for x, y in points:
        if _weekend(x):
            at = bisect_left(days, x)
            near = [p for p in week[max(0, at - 3) : at + 3] if abs(p[0] - x) <= 5]
            if any(p[0] < x for p in near) and any(p[0] > x for p in near):
                moved.append(y - median(size for _, size in near))
    if len(moved) < 4:
        return points, 0.0
    offset = median(moved)
    spread = NOISE * median(abs(value - offset) for value in moved)
    agree = sum((value > 0) == (offset > 0) for value in moved)
    if abs(offset) < 2 * spread or agree < 0.8 * len(moved) or not offset:
        return points, 0.0
    shifted = [(x, y - offset if _weekend(x) else y) for x, y in points]
    return shifted, max(0.0, offset)


def _weekend(day: float) -> bool:
    return (math.floor(day) + 3) % 7 >= 5  # the epoch began on a Thursday


def jumps(points: Sequence[Point]) -> list[int]:
    """Indexes of the points before which the size jumped and stayed."""
    if len(points) < LEAST_POINTS + 1:
        return []
    pairs = list(pairwise(points))
    slope = median((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairs)
    rests = [b[1] - a[1] - slope * (b[0] - a[0]) for a, b in pairs]
    scale = NOISE * median(map(abs, rests))
    least = max(5 * scale, 0.03 * median(abs(y) for _, y in points), 1.0)
    found = []
    for n, rest in enumerate(rests):
        near = [abs(r) for r in (*rests[max(0, n - 2) : n], *rests[n + 1 : n + 3])]
        if abs(rest) <= least or abs(rest) < 3 * median(near):
            continue
        before, after = points[max(0, n - 2) : n + 1], points[n + 1 : n + 4]
        if len(before) < 2 or len(after) < 2:
            continue  # the first or the last one alone may be an outlier
        at = points[n][0]
        moved = median(y - slope * (x - at) for x, y in after) - median(
            y - slope * (x - at) for x, y in before
        )
        if moved * rest > 0 and abs(moved) >= 0.6 * abs(rest):
            found.append(n + 1)
    return found


def _without_trips(
    points: list[Point], places: list[int]
) -> tuple[list[Point], list[int]]:
    """The points without those few that went elsewhere and came back at once."""
    while True:
        for a, b in pairwise(places):
            there = points[a][1] - points[a - 1][1]
            back = points[b][1] - points[b - 1][1]
            if b - a < TRIP and there * back < 0 and _alike(there, back):
                points = points[:a] + points[b:]
                gone = b - a
                kept = [p for p in places if p not in (a, b)]
                places = [p if p < a else p - gone for p in kept]
                break
        else:
            return points, places


def _alike(one: float, other: float) -> bool:
    return abs(abs(one) - abs(other)) < 0.5 * max(abs(one), abs(other))


def _flattened(
    points: list[Point], places: Sequence[int]
) -> tuple[tuple[Step, ...], list[Point]]:
    """The steps at these places, and the points without them.

    Earlier parts are moved to the level of the last one. Many steps up and none down
    are how some commands grow: then they stay.
    """
    if not places:
        return (), points
    edges = [0, *places, len(points)]
    parts = [points[a:b] for a, b in pairwise(edges)]
    inner = [
        (b[1] - a[1]) / (b[0] - a[0])
        for part in parts
        for n, a in enumerate(part)
        for b in part[n + 1 :]
    ]
    slope = median(inner) if inner else 0.0
    steps: list[Step] = []
    for before, after in pairwise(parts):
        at = after[0][0]
        low = median(y - slope * (x - at) for x, y in before[-7:])
        high = median(y - slope * (x - at) for x, y in after[:7])
        steps.append(Step(at, high - low))
    if len(steps) >= STAIRS and all(step.size > 0 for step in steps):
        return tuple(steps), points
    moved: list[Point] = []
    for n, part in enumerate(parts):
        shift = sum(step.size for step in steps[n:])
        moved += [(x, y + shift) for x, y in part]
    return tuple(steps), moved


def _span(days: float) -> str:
    hours = days * 24
    return f"{hours * 60:.0f} minutes" if hours < 2 else f"{hours:.0f} hours"
