"""Where in a file the lines of a text stand, each compared with the file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spillview.frozen import Frozen
from spillview.model import Counts, Range
from spillview.seen.alignment import merge

if TYPE_CHECKING:
    from spillview.content.content import Content

BLOCK = 1 << 20
"""Bytes read at a time."""

LARGEST = 256 << 20
"""Lines are looked for in files up to this size."""

LONGEST = 16 << 20
"""Longer lines than this are not looked for."""

_COLOUR = re.compile(rb"\x1b\[[0-9;:]{0,64}[mK]")


@dataclass(slots=True)
class Placed:
    """Lines of a text that were found in a file."""

    ranges: tuple[Range, ...] = ()
    missing: list[str] = field(default_factory=list)
    """Lines that do not stand in the file."""
    unsure: int = 0
    """Lines that stand in the file more often than the text shows them."""


class _Spot(Frozen):
    """A whole line of the file."""

    start: int
    end: int
    """Without CR and LF."""
    after: int
    """Where the next line begins."""


def occurrences(data: bytes, content: Content, most: int = 2) -> list[int]:
    """The first places at which `data` stands in the content, `most` at the most."""
    from stringzilla import find

    found: list[int] = []
    at, size = 0, content.size
    if not data:
        return found
    while at < size:
        window = content.pread(at, min(BLOCK + len(data) - 1, size - at))
        if len(window) < len(data):
            break
        pos = 0
        while (step := find(window, data, pos)) >= 0:
            found.append(at + step)
            if len(found) >= most:
                return found
            pos = step + 1
        at += len(window) - len(data) + 1
    return found


def place(
    shown: list[str],
    content: Content,
    counts: Counts,
    *,
    ordered: bool = True,
    width: int | None = None,
) -> Placed:
    """Find lines as whole lines of the file (or cut to `width` chars).

    With `ordered` the lines come in the file's order, which decides between equal
    lines where it can. A line counts as found only where no other place is possible,
    or where every line of the file that reads so is shown.
    """
    rows = [line.rstrip("\r") for line in shown]
    texts = [row for row in rows if row.strip()]
    spots = _spots({_key(row) for row in texts}, content, counts, width)
    result = Placed()
    picked: list[_Spot | None] = []
    first = _first_fit(rows, spots) if ordered else None
    last = _last_fit(rows, spots) if ordered else None
    shown_times = Counter(row for row in texts)
    for index, row in enumerate(rows):
        here = spots.get(_key(row), []) if row.strip() else []
        spot: _Spot | None = None
        if not row.strip():
            pass
        elif not here:
            result.missing.append(row)
        elif len(here) == 1:
            spot = here[0]
        elif first is not None and last is not None and first[index] == last[index]:
            spot = first[index]
        elif len(here) == shown_times[row]:
            result.ranges += tuple((each.start, each.after) for each in here)
        if row.strip() and here and spot is None and len(here) != shown_times[row]:
            result.unsure += 1
        picked.append(spot)
    ranges = [*result.ranges, *_ranges(rows, picked, content, width)]
    result.ranges = merge(ranges)
    return result


def _key(row: str) -> bytes:
    return row.encode("utf-8", "surrogatepass")


def _ranges(
    rows: list[str], picked: list[_Spot | None], content: Content, width: int | None
) -> list[Range]:
    """The lines' bytes, with the line ends and blank lines between neighbours."""
    ranges: list[Range] = []
    before: tuple[int, _Spot] | None = None
    for index, spot in enumerate(picked):
        if spot is None:
            if rows[index].strip():
                before = None
            continue
        end = spot.end
        if width is not None:
            end = min(end, spot.start + len(_key(rows[index])))
        ranges.append((spot.start, end))
        if before is not None:
            row, other = before
            blank = index - row - 1
            if other.after == spot.start and blank == 0:
                ranges.append((other.end, spot.start))
            elif other.after <= spot.start <= other.after + 2 * blank:
                between = content.pread(other.after, spot.start - other.after)
                if not between.strip() and between.count(b"\n") == blank:
                    ranges.append((other.end, spot.start))
        before = (index, spot) if end == spot.end else None
    return ranges


def _first_fit(
    rows: list[str], spots: dict[bytes, list[_Spot]]
) -> list[_Spot | None] | None:
    """Each line at the earliest place that the order allows; None if it allows none."""
    fit: list[_Spot | None] = []
    at = -1
    for row in rows:
        here = spots.get(_key(row), []) if row.strip() else []
        if not here:
            fit.append(None)
            continue
        spot = next((s for s in here if s.start > at), None)
        if spot is None:
            return None
        fit.append(spot)
        at = spot.start
    return fit


def _last_fit(
    rows: list[str], spots: dict[bytes, list[_Spot]]
) -> list[_Spot | None] | None:
    """Each line at the latest place that the order allows; None if it allows none."""
    fit: list[_Spot | None] = []
    at: int | None = None
    for row in reversed(rows):
        here = spots.get(_key(row), []) if row.strip() else []
        if not here:
            fit.append(None)
            continue
        spot = next((s for s in reversed(here) if at is None or s.start < at), None)
        if spot is None:
            return None
        fit.append(spot)
        at = spot.start
    return fit[::-1]


def _spots(
    wanted: set[bytes], content: Content, counts: Counts, width: int | None
) -> dict[bytes, list[_Spot]]:
    """Every place of the wanted lines, in one pass over the file."""
    found: dict[bytes, list[_Spot]] = {}
    if not wanted or content.size > LARGEST:
        return found
    invalid = counts.encoding not in ("utf-8", "utf-8-sig")
    carry = b""
    at = 0
    skip = False
    while at < content.size or carry:
        data = content.pread(at, min(BLOCK, content.size - at))
        base = at - len(carry)
        at += len(data)
        window = carry + data
        whole = at >= content.size or not data
        lines = window.split(b"\n")
        rest = b"" if whole else lines.pop()
        start = base
        if skip and lines:
            start += len(lines.pop(0)) + 1
            skip = False
        for index, line in enumerate(lines):
            last = whole and index == len(lines) - 1
            after = start + len(line) + (0 if last else 1)
            row = line.rstrip(b"\r")
            end = start + len(row)
            if b"\x1b" in row and row not in wanted:
                row = _COLOUR.sub(b"", row)
            if invalid and row not in wanted:
                row = row.decode("utf-8", "replace").encode("utf-8")
            if width is not None:
                row = row[:width] if row[:width] in wanted else _chars(row, width)
            if row in wanted:
                found.setdefault(row, []).append(_Spot(start, end, after))
            start = after
        if whole:
            break
        if len(rest) > LONGEST:
            rest, skip = b"", True
        carry = rest
    return found


def _chars(row: bytes, width: int) -> bytes:
    return row.decode("utf-8", "replace")[:width].encode("utf-8")
