"""What the catalogue's workers tell the home screen, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from spillview.catalogue.first_look import Unlisted
from spillview.model import Missing, Session
from spillview.tui.queue.arrangement import Arrangement
from spillview.tui.queue.members import Members
from spillview.tui.told import Told

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.growth.pace import Short
    from spillview.growth.readings import Reading


class Scanned(Told):
    """Every artifact as directory entries and the cache know it, by session."""

    sessions: Sequence[Session]
    rest: Unlisted | None = None
    """Where these are only the first: what is not listed yet."""


class Counted(Told):
    """Artifacts whose facts are complete now, and how far the work has come."""

    ids: list[str]
    done: int
    total: int
    left: float | None
    """Estimated seconds left; None while there is nothing to estimate from."""


class Ordered(Told):
    """The sessions in the order that the facts known by now give."""

    sessions: Sequence[Session]
    missing: list[Missing] | None
    """Calls without a file; None while the transcripts are being read."""

    def can_replace(self, message: Message) -> bool:
        """An order that a newer one follows is not shown, unless it is a last one."""
        return isinstance(message, Ordered) and self.missing is None


class Gathered(Told):
    """Everything is counted and linked; `problems` could not be read."""

    problems: int
    broken: int = 0
    """Transcripts with broken records."""


class Paced(Told):
    """How what grows does so, by the artifact's id, and which disks are short."""

    growth: dict[str, Reading]
    short: Sequence[Short] = ()


class GatheringFailed(Told):
    """The stores could not be read at all; a plain sentence says why."""

    sentence: str


class DemoMade(Told):
    """A demo night was made."""

    catalogue: Catalogue


class RowsMade(Told):
    """Artifacts that are drawn were made."""

    artifacts: Members


class Arranged(Told):
    """Rows for one state of the view, made in a worker."""

    arrangement: Arrangement
    generation: int
    """Which request it answers; an older one is dropped."""
