"""A command's size against a number: so many chars an article, so many articles left.

The number is what another command prints now, and what it printed before: where agents
ran it, and at each earlier forecast, which keeps it in `counted.jsonl` of the state
folder.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from spillview.errors import BadInput
from spillview.forecast.normalising import normalised
from spillview.forecast.rates import MOST_POINTS, Point, Rate, theil_sen
from spillview.forecast.runs import Group, Run
from spillview.model import Boundary
from spillview.own_files import is_stranger, open_own, set_aside
from spillview.places import Places, private_dir
from spillview.text import path_text, printable
from spillview.transcripts.results import number_in

NAME = "counted.jsonl"
LARGEST = 1 << 20
"""Bytes at which the older half is forgotten."""

LEAST = 3
"""So many different numbers make a marginal rate."""

STALE = 86_400.0
"""Seconds by which a run may be older than the number beside it, and no other is."""

BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Counted:
    """What a command counted at a moment."""

    when: float
    """Seconds since the epoch."""
    number: float
    by_lines: bool = False
    """It printed no number: these are its lines."""


@dataclass(frozen=True, slots=True)
class PerUnit:
    """How a size goes with a number."""

    number: float
    """Now."""
    average: float | None
    """Size / number, in the boundary's unit; None for a number that is not above 0."""
    marginal: Rate | None
    """What one more adds; None where too few different numbers are known."""
    pairs: int
    """So many runs had a number beside them."""
    per_unit: float | None
    """The more careful of both: the larger one."""
    units_left: int | None
    """So many more fit below the boundary; 0 where it is over."""


def run_counter(command: str, cwd: str | None = None) -> Counted:
    """Run `command` by the shell and read its number, else count its lines.

    Memory is bounded by one block. Raises `BadInput` when it fails or prints nothing.
    """
    import time

    shown = printable(path_text(command))[:200]
    try:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"`{shown}` cannot be run: {reason}") from None
    assert process.stdout is not None  # it is a pipe
    with process, process.stdout as out:
        head, lines, last = b"", 0, b""
        while block := out.read(BLOCK):
            head = head or block
            lines, last = lines + block.count(b"\n"), block[-1:]
        code = process.wait()
    if code:
        raise BadInput(f"`{shown}` ended with exit code {code}, so nothing is counted")
    if not last:
        raise BadInput(f"`{shown}` printed nothing: neither a number nor lines")
    number = number_in(head.decode("utf-8", "replace")) if len(head) <= 64 else None
    if number is not None:
        return Counted(time.time(), number)
    return Counted(time.time(), float(lines + (last != b"\n")), by_lines=True)


def earlier(
    command: str, cwd: str, groups: Iterable[Group], places: Places, *, by_lines: bool
) -> list[Counted]:
    """What the command counted before, oldest first.

    In the runs of it among `groups`, and at earlier forecasts. Raises OSError when
    these cannot be read.
    """
    folder = path_text(cwd)
    normal = normalised(command, project=folder)
    found = list(_kept(places, folder, command, by_lines))
    for group in groups:
        if group.key == (folder, normal):
            for run in group.sample:
                number = float(run.lines) if by_lines else run.number
                if number is not None:
                    found.append(Counted(run.time, number, by_lines))
    return sorted(found, key=lambda each: each.when)


def against(
    sample: Sequence[Run], boundary: Boundary, counted: Sequence[Counted]
) -> PerUnit:
    """How the sizes of these runs go with the numbers, whose moments ascend.

    A run has the number of its moment: between two that are known it lies between.
    """
    now = counted[-1].number
    number_at = _numbers(counted)
    pairs = []
    for run in sample:
        number = number_at(run.time)
        if number is not None:
            pairs.append((number, float(run.size_in(boundary.unit))))
    marginal = None
    if len({number for number, _ in pairs}) >= LEAST:
        marginal = theil_sen(_fewer(sorted(pairs)))
    latest = float(sample[-1].size_in(boundary.unit)) if sample else 0.0
    average = latest / now if now > 0 and sample else None
    rates = [rate for rate in (average,) if rate is not None]
    if marginal is not None and marginal.value > 0:
        rates.append(marginal.value)
    per_unit = max(rates, default=None)
    left = None
    if per_unit:
        room = (boundary.size - latest) / per_unit
        left = max(0, math.floor(room)) if math.isfinite(room) else None
    return PerUnit(now, average, marginal, len(pairs), per_unit or None, left)


def _fewer(pairs: list[Point]) -> list[Point]:
    """At most `MOST_POINTS` of ascending pairs: medians of neighbours where there are
    more, for every two of them are compared."""
    count = len(pairs)
    if count <= MOST_POINTS:
        return pairs
    edges = [round(n * count / MOST_POINTS) for n in range(MOST_POINTS + 1)]
    parts = [pairs[a:b] for a, b in pairwise(edges)]
    return [(median(x for x, _ in p), median(y for _, y in p)) for p in parts]


def _numbers(counted: Sequence[Counted]) -> Callable[[float], float | None]:
    moments = [each.when for each in counted]

    def at(when: float) -> float | None:
        place = bisect_left(moments, when)
        if place == len(moments):
            return counted[-1].number if when - moments[-1] <= STALE else None
        if place == 0:
            return counted[0].number if moments[0] - when <= STALE else None
        before, after = counted[place - 1], counted[place]
        share = (when - before.when) / (after.when - before.when)
        return before.number + share * (after.number - before.number)

    return at


def keep(command: str, cwd: str, counted: Counted, places: Places) -> None:
    """Keep a number for later forecasts. Raises OSError."""
    folder = private_dir(places.state_dir)
    path = os.path.join(folder, NAME)
    row = {
        "project": path_text(cwd)[:2_000],
        "command": path_text(command)[:2_000],
        "when": round(counted.when, 3),
        "number": counted.number,
        "by_lines": counted.by_lines,
    }
    if is_stranger(path):
        set_aside(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags, 0o600)
    try:
        data = json.dumps(row, separators=(",", ":")).encode() + b"\n"
        size = os.fstat(handle).st_size
        if size and hasattr(os, "pread") and os.pread(handle, 1, size - 1) != b"\n":
            data = b"\n" + data  # one that was ended while it wrote
        os.write(handle, data)
        size += len(data)
    finally:
        os.close(handle)
    if size > LARGEST:
        with open(path, "rb") as file:
            file.seek(-LARGEST // 2, os.SEEK_END)
            file.readline()
            rest = file.read()
        draft = f"{path}.{os.getpid()}"
        with open(draft, "xb", opener=_private) as file:
            file.write(rest)
        os.replace(draft, path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _kept(
    places: Places, folder: str, command: str, by_lines: bool
) -> Iterable[Counted]:
    try:
        file = open_own(os.path.join(places.state_dir, NAME))
    except FileNotFoundError:
        return
    with file:
        while line := file.readline(1 << 14):
            try:
                row = json.loads(line)
                same = (row["project"], row["command"], row["by_lines"]) == (
                    folder,
                    path_text(command)[:2_000],
                    by_lines,
                )
                when, number = float(row["when"]), float(row["number"])
                if same and math.isfinite(when) and math.isfinite(number):
                    yield Counted(when, number, by_lines)
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                continue
