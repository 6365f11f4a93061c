"""What the catalogue's workers tell the home screen, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from spillview.catalogue.first_look import Unlisted
from spillview.model import Missing, Session
from spillview.tui.queue.arrangement import Arrangement
from spillview.tui.queue.members import Members

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.growth.pace import Short
    from spillview.growth.readings import Reading


@dataclass
class Scanned(Message):
    """Every artifact as directory entries and the cache know it, by session."""

    sessions: Sequence[Session]
    rest: Unlisted | None = None
    """Where these are only the first: what is not listed yet."""


@dataclass
class Counted(Message):
    """Artifacts whose facts are complete now, and how far the work has come."""

    ids: list[str]
    done: int
    total: int
    left: float | None
    """Estimated seconds left; None while there is nothing to estimate from."""


@dataclass
class Ordered(Message):
    """The sessions in the order that the facts known by now give."""

    sessions: Sequence[Session]
    missing: list[Missing] | None
    """Calls without a file; None while the transcripts are being read."""

    def can_replace(self, message: Message) -> bool:
        """An order that a newer one follows is not shown, unless it is a last one."""
        return isinstance(message, Ordered) and self.missing is None


@dataclass
class Gathered(Message):
    """Everything is counted and linked; `problems` could not be read."""

    problems: int
    broken: int = 0
    """Transcripts with broken records."""


@dataclass
class Paced(Message):
    """How what grows does so, by the artifact's id, and which disks are short."""

    growth: dict[str, Reading]
    short: Sequence[Short] = ()


@dataclass
class GatheringFailed(Message):
    """The stores could not be read at all; a plain sentence says why."""

    sentence: str


@dataclass
class DemoMade(Message):
    """A demo night was made."""

    catalogue: Catalogue


@dataclass
class RowsMade(Message):
    """Artifacts that are drawn were made."""

    artifacts: Members


@dataclass
class Arranged(Message):
    """Rows for one state of the view, made in a worker."""

    arrangement: Arrangement
    generation: int
    """Which request it answers; an older one is dropped."""
