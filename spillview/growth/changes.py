"""How much a file grew between two looks, where that can be said at all."""

from __future__ import annotations

from spillview.frozen import Frozen
from spillview.hints import Literal
from spillview.named import NamedTuple

Why = Literal["", "new", "replaced", "shortened", "unknown"]
"""What is to be said of a change: nothing, that the file was not there before, or why
it cannot be measured."""


class Size(NamedTuple):
    """A file at one look."""

    dev: int
    ino: int
    size: int
    disk: int
    """Bytes of the disk that it takes."""


class Change(Frozen):
    """What came to a file in some time."""

    seconds: float
    """More than 0."""
    grown: int | None
    """Bytes; None where another file took its place, it was shortened, or no look at
    it is known."""
    disk: int = 0
    """Bytes of the disk that it took in that time; 0 where it is not known."""
    why: Why = ""

    @property
    def per_second(self) -> float | None:
        """Bytes a second; never negative, and None where it is not known."""
        return None if self.grown is None else self.grown / self.seconds


def change(before: Size | None, after: Size, seconds: float) -> Change:
    """What came to a file between two looks at the same path; None: it is new."""
    if before is None:
        return Change(seconds, after.size, after.disk, "new")
    if (before.dev, before.ino) != (after.dev, after.ino):
        return Change(seconds, None, why="replaced")
    if after.size < before.size:
        return Change(seconds, None, why="shortened")
    grown = after.size - before.size
    return Change(seconds, grown, max(0, after.disk - before.disk))


def together(changes: list[Change]) -> Change | None:
    """What came to several files in the same time, as far as it is known."""
    known = [each for each in changes if each.grown is not None]
    if not changes:
        return None
    return Change(
        max(each.seconds for each in changes),
        sum(each.grown or 0 for each in known),
        sum(each.disk for each in known),
        "" if len(known) == len(changes) else "unknown",
    )
