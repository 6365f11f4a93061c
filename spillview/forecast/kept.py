"""Forecasts that were made, what each rested on, and how far off it turned out to be.

One JSON object a line in `forecasts.jsonl` of the state folder. A command's forecast is
noted once a day at most; once the file has `LARGEST` bytes its older half is forgotten.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

from spillview.forecast.crossing import Forecast, day_of
from spillview.forecast.runs import Key, Run
from spillview.model import Boundary, Unit
from spillview.own_files import is_stranger, open_own, set_aside
from spillview.places import Places, private_dir

NAME = "forecasts.jsonl"

LARGEST = 4 << 20
"""Bytes at which the older half is forgotten: some 10,000 forecasts."""

APART = 72_000.0
"""Seconds between two forecasts of a command that are both kept: a cron job's day."""

_LONGEST = 1 << 14
"""Bytes of a line; a longer one is none of ours."""

MOST = 1e18
"""No moment, size or rate of ours is larger."""

_UNITS = ("chars", "utf16", "bytes", "lines", "tokens")
_OPEN = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


@dataclass(frozen=True, slots=True)
class Kept:
    """One forecast as it was made."""

    key: Key
    made: float
    """Seconds since the epoch."""
    boundary: Boundary
    crosses_on: date
    crosses_between: tuple[date, date]
    runs: int
    """What it rested on: so many runs …"""
    since: float
    """… from this moment …"""
    until: float
    """… to this one, at which the size stood at `level` and grew by `per_day`."""
    level: float
    per_day: float
    average_per_day: float | None
    recent_per_day: float | None

    def expected(self, when: float) -> float:
        """The size that it expects at a moment."""
        return self.level + self.per_day * (when - self.until) / 86_400


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a forecast."""

    kept: Kept
    expected: float | None = None
    """What it said for the time of the runs that came later; None before any did."""
    actual: float | None = None
    """What these printed: the median of the newest of them."""
    later_runs: int = 0
    crossed_on: date | None = None
    """When the command crossed; None where it has not."""
    passed: bool = False
    """Whether the day that was told is over."""

    @property
    def error(self) -> float | None:
        """Expected less actual, in the boundary's unit; above 0 it said too much."""
        if self.expected is None or self.actual is None:
            return None
        return self.expected - self.actual

    @property
    def error_share(self) -> float | None:
        """The error / what was printed."""
        return (
            self.error / self.actual if self.error is not None and self.actual else None
        )

    @property
    def days_late(self) -> int | None:
        """Days from the day that was told to the real one; None before it crossed."""
        if self.crossed_on is None:
            return None
        return (self.crossed_on - self.kept.crosses_on).days


def of(found: Forecast, now: float) -> Kept | None:
    """What is kept of a forecast; None where it tells no day."""
    between, on = found.crosses_between, found.crosses_on
    if on is None or between is None or found.boundary is None:
        return None
    trend = found.trend
    return Kept(
        found.group.key,
        now,
        found.boundary,
        on,
        between,
        len(found.sample),
        found.sample[0].time,
        trend.day * 86_400,
        trend.level,
        found.expected_per_day,
        trend.average.value if trend.average is not None else None,
        trend.recent.value if trend.recent is not None else None,
    )


def note(forecasts: Iterable[Kept], places: Places) -> int:
    """Keep those whose command has none yet, or an old one; gives how many.

    Raises OSError; a caller whose forecast matters more goes on.
    """
    newest: dict[Key, float] = {}
    for kept in read(places):
        newest[kept.key] = max(kept.made, newest.get(kept.key, kept.made))
    fresh = [
        kept
        for kept in forecasts
        if kept.made - newest.get(kept.key, float("-inf")) >= APART
    ]
    if not fresh:
        return 0
    folder = private_dir(places.state_dir)
    path = os.path.join(folder, NAME)
    data = b"".join(map(_line, fresh))
    if is_stranger(path):
        set_aside(path)
    handle = os.open(path, _OPEN, 0o600)
    try:
        size = os.fstat(handle).st_size
        torn = size and hasattr(os, "pread") and os.pread(handle, 1, size - 1) != b"\n"
        if torn:
            data = b"\n" + data  # one that was ended while it wrote
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
    finally:
        os.close(handle)
    if size + len(data) > LARGEST:
        _shorten(folder, path)
    return len(fresh)


def read(places: Places) -> Iterator[Kept]:
    """Every forecast that is kept, oldest first; lines that are none are passed over.

    Raises OSError when the file cannot be read.
    """
    try:
        file = open_own(os.path.join(places.state_dir, NAME))
    except FileNotFoundError:
        return
    with file:
        while line := file.readline(_LONGEST):
            kept = _kept(line)
            if kept is not None:
                yield kept


def outcome(kept: Kept, sample: Sequence[Run], now: float) -> Outcome:
    """What the runs since then say of a forecast."""
    unit, size = kept.boundary.unit, kept.boundary.size
    later = [run for run in sample if run.time > kept.until + 1 and run.time <= now]
    passed = day_of(now / 86_400) > kept.crosses_on
    if not later:
        return Outcome(kept, passed=passed)
    crossed = next((run for run in later if run.size_in(unit) > size), None)
    newest = later[-min(3, len(later)) :]
    return Outcome(
        kept,
        median(kept.expected(run.time) for run in newest),
        float(median(run.size_in(unit) for run in newest)),
        len(later),
        day_of(crossed.time / 86_400) if crossed is not None else None,
        passed,
    )


def outcomes(
    places: Places, forecasts: Sequence[Forecast], now: float
) -> dict[Key, Outcome]:
    """For each command the oldest forecast of which something is known by now.

    Raises OSError when the file cannot be read.
    """
    samples = {found.group.key: found.sample for found in forecasts}
    told: dict[Key, Outcome] = {}
    for kept in read(places):
        sample = samples.get(kept.key)
        if sample is None or kept.key in told or kept.made >= now:
            continue
        found = outcome(kept, sample, now)
        if found.later_runs or found.passed:
            told[kept.key] = found
    return told


def _line(kept: Kept) -> bytes:
    row = {
        "v": 1,
        "made": round(kept.made, 3),
        "project": kept.key.project,
        "command": kept.key.command,
        "boundary": kept.boundary.size,
        "boundary_unit": kept.boundary.unit,
        "crosses_on": kept.crosses_on.isoformat(),
        "crosses_between": [day.isoformat() for day in kept.crosses_between],
        "runs": kept.runs,
        "since": round(kept.since, 3),
        "until": round(kept.until, 3),
        "level": kept.level,
        "per_day": kept.per_day,
        "average_per_day": kept.average_per_day,
        "recent_per_day": kept.recent_per_day,
    }
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def _kept(line: bytes) -> Kept | None:
    try:
        row = json.loads(line)
        if row["boundary_unit"] not in _UNITS:
            return None
        unit: Unit = row["boundary_unit"]
        first, last = map(date.fromisoformat, row["crosses_between"])
        if _finite(row["boundary"]) < 1:
            return None
        return Kept(
            Key(str(row["project"]), str(row["command"])),
            _finite(row["made"]),
            Boundary(int(row["boundary"]), unit),
            date.fromisoformat(row["crosses_on"]),
            (first, last),
            int(row["runs"]),
            _finite(row["since"]),
            _finite(row["until"]),
            _finite(row["level"]),
            _finite(row["per_day"]),
            _number(row.get("average_per_day")),
            _number(row.get("recent_per_day")),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _number(value: Any) -> float | None:
    return None if value is None else _finite(value)


def _finite(value: Any) -> float:
    """A number that can be reckoned with. Raises ValueError for any other."""
    number = float(value)
    if not math.isfinite(number) or abs(number) > MOST:
        raise ValueError(value)
    return number


def _shorten(folder: str, path: str) -> None:
    """Forget the older half; what cannot be replaced stays as it is."""
    with open(path, "rb") as file:
        file.seek(-LARGEST // 2, os.SEEK_END)
        file.readline()
        rest = file.read()
    temporary = os.path.join(folder, f".{NAME}.{secrets.token_hex(6)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(rest)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise
