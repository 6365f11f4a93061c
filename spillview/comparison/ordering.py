"""The lines of two texts of any size in order: hunks of what is not in both.

What is equal is passed over by its bytes. From the first line that differs on, windows
of both are compared by the hashes of their lines, up to the last lines that are the
same. Memory is bounded by the window. Lines are told apart by all bytes but their LF,
through a hash of 64 bits under a key of this process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from spillview.comparison.matching import Block, blocks
from spillview.comparison.noise import without_noise
from spillview.errors import Cancelled

if TYPE_CHECKING:
    from spillview.content.content import Content

EQUAL = 1 << 20
"""Bytes that are compared at a time, at most, where both are equal."""

NEAR = 1 << 15
"""Bytes that are compared first: the next difference may be near."""

FIRST = (1 << 8, 1 << 17)
LAST = (1 << 15, 1 << 23)
"""Lines and bytes of the smallest and of the largest window."""

LONG = 1 << 20
"""A line of so many bytes is hashed in pieces."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Part:
    """Some whole lines of one text: the first by its number, and their bytes."""

    line: int
    """0-based: so many lines are before it."""
    lines: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of the one that stand in place of lines of the other; one may be none."""

    gone: Part
    new: Part


@dataclass(slots=True)
class Window:
    """Whole lines from a place on: their hashes, and where each ends."""

    hashes: list[int]
    ends: list[int]
    """Past the LF, counted from the window's start."""
    last: bool
    """Whether the text ends with it."""


@dataclass(slots=True)
class Place:
    """How far one text was compared."""

    content: Content
    at: int = 0
    line: int = 0

    def part(self, window: Window, first: int, stop: int) -> Part:
        """Lines `[first, stop)` of a window that begins here."""
        start = self.at + (window.ends[first - 1] if first else 0)
        end = self.at + (window.ends[stop - 1] if stop else 0)
        return Part(self.line + first, stop - first, start, max(start, end))

    def pass_over(self, window: Window, lines: int) -> None:
        """Go on behind so many lines of a window that begins here."""
        if lines:
            self.at += window.ends[lines - 1]
            self.line += lines


def hunks(
    a: Content,
    b: Content,
    *,
    plain: bool = False,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
    first: tuple[int, int] = FIRST,
    last: tuple[int, int] = LAST,
) -> Iterator[tuple[Hunk, list[int], list[int]]]:
    """What differs, in order, with the hashes of the lines gone and new.

    With `plain` lines that differ in noise alone are the same. Applied to `a`, the
    hunks give `b`. Raises `Cancelled`, and what reading raises.
    """
    left, right = Place(a), Place(b)
    size, total = first, a.size + b.size
    while left.at < a.size or right.at < b.size:
        if cancelled is not None and cancelled():
            raise Cancelled("The comparison was stopped.")
        if progress is not None:
            progress(left.at + right.at, total)
        _pass_equal(left, right, cancelled)
        one = read(a, left.at, *size, plain=plain)
        two = read(b, right.at, *size, plain=plain)
        found = blocks(one.hashes, two.hashes)
        whole = one.last and two.last
        if not found and not whole and size < last:
            size = (min(size[0] * 4, last[0]), min(size[1] * 4, last[1]))
            continue
        stop = _stop(one, two, found)
        for hunk in _between(left, right, one, two, found, stop):
            i, j = hunk.gone.line - left.line, hunk.new.line - right.line
            yield (
                hunk,
                one.hashes[i : i + hunk.gone.lines],
                two.hashes[j : j + hunk.new.lines],
            )
        left.pass_over(one, stop[0])
        right.pass_over(two, stop[1])
        size = first if found else size


def _stop(one: Window, two: Window, found: list[Block]) -> tuple[int, int]:
    """How many lines of each window are settled."""
    ends = len(one.hashes), len(two.hashes)
    if one.last and two.last:
        return ends
    if not found:
        # What follows in one may be what stands here in the other: no more than what
        # both have is given up, unless one of them ends.
        return ends
    i, j, size = found[-1]
    return i + size, j + size


def _between(
    left: Place,
    right: Place,
    one: Window,
    two: Window,
    found: list[Block],
    stop: tuple[int, int],
) -> Iterator[Hunk]:
    at_a = at_b = 0
    for i, j, size in [*found, (*stop, 0)]:
        if i > at_a or j > at_b:
            yield Hunk(left.part(one, at_a, i), right.part(two, at_b, j))
        at_a, at_b = i + size, j + size


def _pass_equal(
    left: Place, right: Place, cancelled: Callable[[], bool] | None
) -> None:
    """Go on behind whole lines that are the same, byte for byte."""
    at = 0
    done = lines = 0
    size = NEAR
    while True:
        if cancelled is not None and cancelled():
            raise Cancelled("The comparison was stopped.")
        one = left.content.pread(left.at + at, size)
        two = right.content.pread(right.at + at, size)
        same = _common(one, two)
        feed = one.rfind(b"\n", 0, same)
        if feed >= 0:
            lines += one.count(b"\n", 0, feed + 1)
            done = at + feed + 1
        at += same
        if same < size:
            break
        size = min(EQUAL, 4 * size)
    left.at, left.line = left.at + done, left.line + lines
    right.at, right.line = right.at + done, right.line + lines


def _common(one: bytes, two: bytes) -> int:
    """How many bytes both begin with."""
    most = min(len(one), len(two))
    if one[:most] == two[:most]:
        return most
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle
    return low


def read(
    content: Content, start: int, lines: int, size: int, *, plain: bool = False
) -> Window:
    """Up to `lines` whole lines from `start` on, of `size` bytes or a single one."""
    data = content.pread(start, size)
    last = start + len(data) >= content.size
    if not last:
        cut = data.rfind(b"\n") + 1
        if not cut:
            return _long(content, start, plain=plain)
        data = data[:cut]
    if not data:
        return Window([], [], last)
    rows = data.split(b"\n")
    open_end = bool(rows[-1])
    if not open_end:
        rows.pop()
    if len(rows) > lines:
        del rows[lines:]
        last = open_end = False
    lengths = [len(row) + 1 for row in rows]
    ends = list(accumulate(lengths))
    if open_end:
        ends[-1] -= 1
    if max(lengths) > LONG:
        return Window([_hash(row, plain=plain) for row in rows], ends, last)
    if plain:
        rows = without_noise(data[: ends[-1]]).split(b"\n")[: len(rows)]
    return Window(list(map(hash, rows)), ends, last)


def _hash(row: bytes, *, plain: bool) -> int:
    if len(row) >= LONG:
        return _digest(hashlib.blake2b(row, digest_size=8))
    return hash(without_noise(row) if plain else row)


def _digest(digest: hashlib.blake2b) -> int:
    return int.from_bytes(digest.digest(), "little", signed=True)


def _long(content: Content, start: int, *, plain: bool) -> Window:
    """The line that begins at `start`, of any length."""
    digest = hashlib.blake2b(digest_size=8)
    at, kept = start, b""
    while True:
        data = content.pread(at, EQUAL)
        feed = data.find(b"\n")
        part = data if feed < 0 else data[:feed]
        digest.update(part)
        if len(kept) < LONG:
            kept += part
        at += len(part)
        if feed >= 0 or len(data) < EQUAL:
            break
    ended = feed >= 0
    size = at - start
    number = hash(without_noise(kept) if plain else kept)
    if size >= LONG:
        number = _digest(digest)
    return Window([number], [size + ended], at + ended >= content.size)
