"""Rows of two texts side by side: what is the same in both stands on one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from spillview.comparison.places import Across
from spillview.layout.folding import Row

Differs = Callable[[Row], bool]
"""Whether a row is of a part that the other text has not."""

Places = list[int | None]
"""For each line of the screen which row stands there; None where it is empty."""


def aligned(
    left: Sequence[Row],
    right: Sequence[Row],
    differs: tuple[Differs, Differs],
    across: Across,
) -> tuple[Places, Places]:
    """The rows of both sides as they stand side by side, from the first on.

    A difference takes as many lines as its longer side, and so does a line of the
    text that is broken, or a stretch that is folded, at one side only.
    """
    gone, new = differs
    sides: tuple[Places, Places] = ([], [])
    ours, theirs = list(_lines(left)), list(_lines(right))
    at, other = 0, 0
    while at < len(ours) or other < len(theirs):
        first, second = at, other
        while at < len(ours) and gone(left[ours[at][0]]):
            at += 1
        while other < len(theirs) and new(right[theirs[other][0]]):
            other += 1
        if (at, other) == (first, second):  # the same line in both
            at, other = min(at + 1, len(ours)), min(other + 1, len(theirs))
            one = left[ours[first][0]] if first < at else None
            two = right[theirs[second][0]] if second < other else None
            if one is None or two is None:
                pass
            elif one.fold is not None and two.fold is None:
                stop = across.other(one.end, later=False)
                while other < len(theirs) and right[theirs[other][0]].start < stop:
                    other += 1
            elif two.fold is not None and one.fold is None:
                stop = across.other(two.end, later=True)
                while at < len(ours) and left[ours[at][0]].start < stop:
                    at += 1
        rows = (
            [row for line in ours[first:at] for row in line],
            [row for line in theirs[second:other] for row in line],
        )
        for here, there in zip_longest(*rows):
            sides[0].append(here)
            sides[1].append(there)
    return sides


def _lines(rows: Sequence[Row]) -> Iterator[range]:
    """Which rows make up each line of the text; a fold is a line of its own."""
    start = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or not rows[place].continuation:
            yield range(start, place)
            start = place
