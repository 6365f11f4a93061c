"""What one check says of a file, a session, everything together, or a disk."""

from __future__ import annotations

from collections.abc import Sequence

from spillview.discovery.writers import Holder
from spillview.frozen import Frozen, replace
from spillview.growth.changes import Change
from spillview.growth.limits import Limits
from spillview.hints import TYPE_CHECKING, Literal
from spillview.model import Problem
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.growth.repetition import Repetition

Kind = Literal["file", "deleted", "session", "total", "disk"]
"""`deleted` is a file without a name that a process still has open."""

LONGEST = 2 * 3600
"""Seconds: over more than that, the time since the check before says nothing of now."""


class Passed(NamedTuple):
    """A limit that is passed."""

    limit: str
    most: float
    """What the limit allows; of `min-free` and `full-within` what must be left."""
    has: float

    @property
    def excess(self) -> float:
        """How many times over; more than 1."""
        low, high = sorted((self.most, self.has))
        return high / low if low > 0 else float("inf")


class Reading(Frozen):
    """One line of a check."""

    kind: Kind
    path: str
    bytes: int = 0
    """What it holds."""
    disk: int = 0
    """Bytes of the disk that it takes; of a disk what is free."""
    harness: str | None = None
    session: str | None = None
    what: str | None = None
    """Of a file: `artifact` or `transcript`."""
    now: Change | None = None
    """Between the two looks of this check."""
    since: Change | None = None
    """Since the check before."""
    names: int = 1
    """How many names the file was found by."""
    of: int | None = None
    """The size of a disk."""
    full_in: float | None = None
    """Seconds until its disk is full, at the rate of everything that grows on it; None
    for what does not grow."""
    filling: float | None = None
    """Bytes a second by which a disk fills up."""
    holders: tuple[Holder, ...] = ()
    passed: tuple[Passed, ...] = ()
    repetition: Repetition | None = None
    """None where it was not looked for."""
    dev: int = 0
    root: str | None = None
    """The store's folder."""

    @property
    def change(self) -> Change | None:
        """What tells how fast it grows."""
        return telling(self.since, self.now)

    @property
    def per_second(self) -> float | None:
        """Bytes a second; None where it is not known."""
        if self.kind == "disk":
            return self.filling
        change = self.change
        return change.per_second if change is not None else None

    @property
    def grows(self) -> bool:
        """Whether it became larger while we looked, or else since the check before."""
        change = self.now if self.now is not None else self.since
        return change is not None and bool(change.grown)

    def filling_by(self, seconds: float | None) -> Reading:
        """The same with when its disk is full, where it helps to fill it."""
        helps = self.grows or bool(self.per_second)
        return replace(self, full_in=seconds if helps else None)

    @property
    def reads_itself(self) -> bool:
        """Whether one process writes it and has it open for reading as well."""
        return any(holder.reads and holder.writes for holder in self.holders)

    @property
    def flags(self) -> tuple[str, ...]:
        """`repeats` and `self-reference`, where they were looked for and hold."""
        flags = self.repetition.flags if self.repetition is not None else ()
        if self.reads_itself and "self-reference" not in flags:
            flags = (*flags, "self-reference")
        return flags


class Check(Frozen):
    """What one check found, worst first."""

    readings: Sequence[Reading]
    """What passed a limit or grows now, then every disk."""
    limits: Limits
    chosen: bool
    """Whether somebody set the limits; else they are our own."""
    total: Reading
    """All artifacts together, each file once; `names` is their number."""
    interval: float
    """Seconds between the two looks; 0 without a second one."""
    closed: int = 0
    """Processes of others, which may hold files that were deleted."""
    told: bool = True
    """Whether the system tells which process has what open."""
    problems: Sequence[Problem] = ()

    @property
    def passed(self) -> list[Reading]:
        """What passed a limit."""
        return [reading for reading in self.readings if reading.passed]


def telling(since: Change | None, now: Change | None) -> Change | None:
    """Which of two changes tells how fast a file grows.

    That of the longer time, while it speaks of now; a moment alone may be a burst.
    """
    if since is None or since.grown is None or since.seconds > LONGEST:
        return now
    return now if now is not None and now.seconds > since.seconds else since


def worst_first(reading: Reading) -> tuple[object, ...]:
    """Limits by how far they are passed, then rates, then sizes."""
    excess = max((each.excess for each in reading.passed), default=0.0)
    rate = reading.per_second or 0.0
    return (reading.kind == "disk" and not excess, -excess, -rate, -reading.disk,
            reading.path)  # fmt: skip
