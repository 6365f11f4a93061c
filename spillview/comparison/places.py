"""Where both texts stand beside each other: hunks, what is between, places across."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.comparison.ordering import Hunk
from spillview.model import Range

if TYPE_CHECKING:
    from spillview.content.content import Content

AROUND = 3
"""Lines of what is the same that stay in sight around a difference."""

SEARCHED = 8 << 10
"""Bytes in which they are looked for."""

FOLDED = 2_000
"""Stretches that are folded at most."""

WORTH = 8
"""Lines of a stretch that are worth a fold."""


@dataclass(frozen=True, slots=True)
class Across:
    """The places of two texts that belong together."""

    hunks: Sequence[Hunk]
    sizes: tuple[int, int]
    """Bytes of the earlier and the later text."""

    def other(self, byte: int, *, later: bool) -> int:
        """The byte beside `byte` of the later (or earlier) text in the other one.

        Inside a difference it is the beginning of what stands in its place.
        """
        own, theirs = (1, 0) if later else (0, 1)
        at = bisect_right(self.hunks, byte, key=lambda h: _part(h, own)[0]) - 1
        found = byte
        if at >= 0:
            start, end = _part(self.hunks[at], own)
            begin, stop = _part(self.hunks[at], theirs)
            found = begin if start <= byte < end else stop + max(0, byte - end)
        return max(0, min(found, self.sizes[theirs]))

    def next(self, byte: int, step: int, *, later: bool) -> int | None:
        """The index of the next (or previous) difference, seen from a place."""
        own = 1 if later else 0
        at = bisect_right(self.hunks, byte, key=lambda h: _part(h, own)[0])
        if step > 0:
            return at if at < len(self.hunks) else None
        before = at - 1
        if before >= 0 and _part(self.hunks[before], own)[0] == byte:
            before -= 1
        return before if before >= 0 else None

    def same(self, *, later: bool) -> list[Range]:
        """The stretches of a text that the other one has too, in order."""
        own = 1 if later else 0
        edges = [0]
        for hunk in self.hunks:
            edges += _part(hunk, own)
        edges.append(self.sizes[own])
        return list(zip(edges[::2], edges[1::2], strict=True))


def _part(hunk: Hunk, own: int) -> Range:
    part = hunk.new if own else hunk.gone
    return part.start, part.end


def folded(text: Content, stretches: Sequence[Range]) -> list[Range]:
    """What of the stretches is folded: all but a few lines at both ends of each."""
    found: list[Range] = []
    for start, end in stretches[:FOLDED]:
        low = start if start == 0 else _behind(text, start, end)
        high = end if end >= text.size else _before(text, start, end)
        if high <= low:
            continue
        enough = high - low > SEARCHED
        if enough or text.pread(low, high - low).count(b"\n") >= WORTH:
            found.append((low, high))
    return found


def _behind(text: Content, start: int, end: int) -> int:
    """Past the first lines of a stretch."""
    data = text.pread(start, min(SEARCHED, end - start))
    at = -1
    for _ in range(AROUND):
        feed = data.find(b"\n", at + 1)
        if feed < 0:
            return end if len(data) < SEARCHED else start
        at = feed
    return start + at + 1


def _before(text: Content, start: int, end: int) -> int:
    """Where the last lines of a stretch begin."""
    base = max(start, end - SEARCHED)
    data = text.pread(base, end - base)
    at = len(data) - 1 if data.endswith(b"\n") else len(data)
    for _ in range(AROUND):
        feed = data.rfind(b"\n", 0, at)
        if feed < 0:
            return start if base == start else end
        at = feed
    return base + at + 1
