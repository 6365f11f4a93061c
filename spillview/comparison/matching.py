"""Which elements of two short sequences are the same, in order: a diff in memory.

Small stretches are matched exactly. In larger ones the elements that both hold once are
anchors, of which the longest chain in order counts. What is matched is always the same
and in order; in large stretches it may be less than the most that could be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

Block = tuple[int, int, int]
"""`(in a, in b, how many)`: elements that are the same."""

SMALL = 1 << 10
"""Cells of the table of an exact match, which comes before any anchors."""

LARGE = 1 << 16
"""Cells of the table of an exact match where there are no anchors."""


def blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Block]:
    """The matching blocks, in order; none is empty, no two touch in both."""
    found: list[Block] = []
    for block in _pieces(a, b):
        if found:
            i, j, size = found[-1]
            if block[0] == i + size and block[1] == j + size:
                found[-1] = (i, j, size + block[2])
                continue
        found.append(block)
    return found


def _pieces(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Block]:
    """Blocks from left to right, without recursion."""
    todo: list[tuple[int, int, int, int] | Block] = [(0, len(a), 0, len(b))]
    while todo:
        part = todo.pop()
        if len(part) == 3:
            yield part
            continue
        low_a, high_a, low_b, high_b = part
        head = 0
        most = min(high_a - low_a, high_b - low_b)
        while head < most and a[low_a + head] == b[low_b + head]:
            head += 1
        tail = 0
        most -= head
        while tail < most and a[high_a - 1 - tail] == b[high_b - 1 - tail]:
            tail += 1
        if head:
            yield low_a, low_b, head
        low_a, low_b = low_a + head, low_b + head
        high_a, high_b = high_a - tail, high_b - tail
        if tail:
            todo.append((high_a, high_b, tail))
        if low_a == high_a or low_b == high_b:
            continue
        cells = (high_a - low_a) * (high_b - low_b)
        if cells > SMALL:
            anchors = _anchors(a, b, low_a, high_a, low_b, high_b)
            if anchors:
                todo += reversed(_between(anchors, low_a, high_a, low_b, high_b))
                continue
        if cells <= LARGE:
            yield from _exact(a[low_a:high_a], b[low_b:high_b], low_a, low_b)


def _between(
    anchors: Sequence[tuple[int, int]], low_a: int, high_a: int, low_b: int, high_b: int
) -> list[tuple[int, int, int, int] | Block]:
    parts: list[tuple[int, int, int, int] | Block] = []
    for i, j in anchors:
        if i > low_a and j > low_b:
            parts.append((low_a, i, low_b, j))
        parts.append((i, j, 1))
        low_a, low_b = i + 1, j + 1
    if high_a > low_a and high_b > low_b:
        parts.append((low_a, high_a, low_b, high_b))
    return parts


def _anchors(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    low_a: int,
    high_a: int,
    low_b: int,
    high_b: int,
) -> list[tuple[int, int]]:
    """Pairs of elements that stand once in each part: the longest chain in order."""
    in_a, in_b = Counter(a[low_a:high_a]), Counter(b[low_b:high_b])
    once = {x for x, times in in_a.items() if times == 1 and in_b.get(x) == 1}
    if not once:
        return []
    places = {b[j]: j for j in range(low_b, high_b) if b[j] in once}
    pairs = [(i, places[a[i]]) for i in range(low_a, high_a) if a[i] in once]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        place = bisect_left(ends, j)
        before.append(last[place - 1] if place else -1)
        if place == len(ends):
            ends.append(j)
            last.append(at)
        else:
            ends[place], last[place] = j, at
    chain = []
    at = last[-1]
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _exact(
    a: Sequence[Hashable], b: Sequence[Hashable], base_a: int, base_b: int
) -> Iterator[Block]:
    """A longest common subsequence, by its table."""
    width = len(b) + 1
    rows = [[0] * width]
    for x in reversed(a):
        below, row = rows[-1], [0] * width
        for j in range(len(b) - 1, -1, -1):
            if x == b[j]:
                row[j] = below[j + 1] + 1
            else:
                row[j] = max(below[j], row[j + 1])
        rows.append(row)
    rows.reverse()
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            yield base_a + i, base_b + j, 1
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
