"""Which bytes of the text belong to which path."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spillview.model import Range
from spillview.shape.exact import string
from spillview.shape.tokens import CLOSE, KEY, OPEN, Broken, Inside, events
from spillview.shape.tree import Node, Tree


@dataclass(frozen=True, slots=True)
class Place:
    """One value in the text."""

    node: Node | None
    """Its path's node; None when its path is not listed."""
    start: int
    end: int
    """The byte after it; of a container that does not end in the text, -1."""
    key: Range | None
    """Its key with the quotes, for a member of an object."""
    depth: int
    """Containers around it within the text; 0 for the text's own members."""


def places(
    data: bytes, inside: Inside, node: Node | None, tree: Tree, base: int = 0
) -> Iterator[Place]:
    """Every value of a part of the text that begins at byte `base`, as it ends.

    `node` is the array or object whose members these are. A container follows its
    members, and those the part does not hold to the end come last, innermost first.
    """
    stack: list[tuple[Node | None, int, Range | None, bool]] = []
    above = tree.root if node is None else node.current()
    current: Node | None = above
    named = inside == "object"
    key: Range | None = None
    name: str | None = None

    def below() -> Node | None:
        if current is None:
            return None
        if not stack and inside == "documents":
            return tree.root
        return current.find(name if named else None)

    try:
        for kind, start, end in events(data, inside, whole=True):
            if kind == KEY:
                key = (base + start, base + end)
                name = string(data[start:end])
            elif kind == OPEN:
                inner = below()
                stack.append((current, base + start, key, named))
                current, named, key = inner, data[start] == 0x7B, None
            elif kind == CLOSE:
                if not stack:
                    return
                inner = current
                current, opened, key, named = stack.pop()
                yield Place(inner, opened, base + end, key, len(stack))
            else:
                yield Place(below(), base + start, base + end, key, len(stack))
    except Broken:
        pass
    while stack:
        inner = current
        current, opened, key, named = stack.pop()
        yield Place(inner, opened, -1, key, len(stack))


def spans(data: bytes, inside: Inside, most: int, *, whole: bool = True) -> list[Range]:
    """Where the first `most` members of `data` begin and end, keys left out."""
    found: list[Range] = []
    depth = begun = 0
    try:
        for kind, start, end in events(data, inside, whole=whole):
            if kind == OPEN:
                if not depth:
                    begun = start
                depth += 1
                continue
            if kind == CLOSE:
                depth -= 1
                start = begun
            if depth == 0 and kind != KEY:
                found.append((start, end))
                if len(found) == most:
                    break
            elif depth < 0:
                break
    except Broken:
        pass
    return found


class Shown:
    """The ranges of the text that the model received."""

    __slots__ = ("_ends", "_starts", "known")

    def __init__(self, ranges: Sequence[Range] | None) -> None:
        """None: nothing is known."""
        self.known = ranges is not None
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(ranges or ()):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    @property
    def ranges(self) -> tuple[Range, ...] | None:
        """They themselves, in order, none touching the next; None: nothing is known."""
        if not self.known:
            return None
        return tuple(zip(self._starts, self._ends, strict=True))

    def covers(self, start: int, end: int) -> bool:
        """Whether every byte of `[start, end)` was received."""
        place = bisect_right(self._starts, start) - 1
        return place >= 0 and end <= self._ends[place]

    def touches(self, start: int, end: int) -> bool:
        """Whether some of the bytes of `[start, end)` were received."""
        place = bisect_right(self._starts, end - 1) - 1
        return place >= 0 and self._ends[place] > start


def mark_shown(
    data: bytes,
    inside: Inside,
    node: Node | None,
    tree: Tree,
    base: int,
    shown: Shown,
) -> None:
    """Count what the model received of a part of the text that it saw in part."""
    for place in places(data, inside, node, tree, base):
        if place.node is None:
            continue
        if place.key is not None and shown.covers(*place.key):
            place.node.shown = True
        if place.end >= 0 and shown.covers(place.start, place.end):
            place.node.seen += 1
