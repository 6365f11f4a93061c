"""The sessions of the queue: their facts, totals from columns, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from spillview.catalogue.gists import (
    CONTENT,
    COUNTED,
    GROWING,
    MODELLESS,
    NEVER,
    PINNED,
    VERDICT_UNSEEN,
)
from spillview.catalogue.triage import Rank
from spillview.frozen import Frozen, values_of
from spillview.model import Artifact, Session
from spillview.tui.queue.members import Ledger, Members


class Figures(Frozen):
    """Totals of some artifacts."""

    artifacts: int = 0
    counted: int = 0
    """How many of them have counts, or nothing to count; the chars are of these."""
    chars: int = 0
    bytes: int = 0
    reviewed: int = 0
    failed: int = 0
    """How many that are left to review failed, and the model never saw it."""
    unseen: int = 0
    """How many others that are left have a verdict that the model never received."""

    @classmethod
    def of(cls, members: Members) -> Figures:
        """The totals of these."""
        gists, order = members.gists, members.order
        bits, chars = gists.bits, gists.chars
        ranks, reviewed = gists.ranks, gists.reviewed
        counted = [place for place in order if bits[place] & COUNTED]
        hollow = sum(not bits[place] & (COUNTED | CONTENT) for place in order)
        left = bytes(ranks[place] for place in order if reviewed[place] == NEVER)
        return cls(
            len(order),
            len(counted) + hollow,
            sum(map(chars.__getitem__, counted)),
            members.bytes,
            len(order) - len(left),
            left.count(Rank.FAILED_UNSEEN),
            left.count(Rank.VERDICT_UNSEEN),
        )


class Run(Session):
    """A session whose artifacts stand in columns: no total makes one of them."""

    if TYPE_CHECKING:
        artifacts: Members

    @classmethod
    def of(cls, session: Session, members: Members) -> Run:
        """The session with these in the place of its artifacts, in their order."""
        return cls(**values_of(session) | {"artifacts": members})

    @classmethod
    def worst_first(cls, session: Session, members: Members) -> Run:
        """The same, with its worst artifacts first."""
        order = sorted(members.order, key=members.gists.worst_first)
        return cls.of(session, members.of(order))

    @property
    def figures(self) -> Figures:
        """The totals of its artifacts."""
        return Figures.of(self.artifacts)

    @property
    def pinned(self) -> bool:
        """Whether all its artifacts are."""
        bits, order = self.artifacts.gists.bits, self.artifacts.order
        return bool(order) and all(bits[place] & PINNED for place in order)

    @property
    def place(self) -> tuple[Any, ...]:
        """Its sort key: the same order as that of `triage.session_worst_first`."""
        gists, order = self.artifacts.gists, self.artifacts.order
        ranks = bytes(map(gists.ranks.__getitem__, order))
        done = bool(order) and NEVER not in map(gists.reviewed.__getitem__, order)
        worst = [-ranks.count(rank) for rank in range(Rank.OVER)]
        unseen = sum(map(gists.unseen.__getitem__, order))
        active = -(self.last_active or 0.0)
        return (done, *worst, -unseen, active, self.harness, self.id)

    @property
    def activity(self) -> Literal["live", "recent", ""]:
        """See `Session.activity`."""
        if not self.live:
            return ""
        bits = list(map(self.artifacts.gists.bits.__getitem__, self.artifacts.order))
        growing = any(each & GROWING for each in bits)
        alone = bool(bits) and all(each & MODELLESS for each in bits)
        return "recent" if alone and not growing else "live"

    @property
    def bytes(self) -> int:
        """Bytes of all its artifacts by `stat`."""
        return self.artifacts.bytes

    @property
    def chars(self) -> int | None:
        """Chars of all its artifacts; None while one of them is not counted."""
        figures = self.figures
        return figures.chars if figures.counted == figures.artifacts else None

    @property
    def lines(self) -> int | None:
        """Lines of all its artifacts; None where one of them has no counts."""
        gists, order = self.artifacts.gists, self.artifacts.order
        if not all(gists.bits[place] & COUNTED for place in order):
            return None
        return sum(map(gists.lines.__getitem__, order))

    @property
    def over_boundary(self) -> int:
        """How many artifacts have a ratio above 1."""
        ratios = self.artifacts.gists.ratios
        return sum(ratios[place] > 1 for place in self.artifacts.order)

    @property
    def verdict_unseen(self) -> int:
        """How many artifacts have a verdict the model did not receive."""
        bits = self.artifacts.gists.bits
        return sum(bits[p] & VERDICT_UNSEEN != 0 for p in self.artifacts.order)

    @property
    def endings_unseen(self) -> int:
        """Of how many the model never received how they ended."""
        ranks = self.artifacts.gists.ranks
        return sum(ranks[p] <= Rank.VERDICT_UNSEEN for p in self.artifacts.order)


def runs_of(sessions: Iterable[Session]) -> list[Run]:
    """These sessions over one ledger that keeps all their artifacts."""
    given = list(sessions)
    if all(isinstance(session, Run) for session in given):
        return [session for session in given if isinstance(session, Run)]
    every: list[Artifact] = [a for session in given for a in session.artifacts]
    ledger = Ledger.of(every)
    runs, start = [], 0
    for session in given:
        end = start + len(session.artifacts)
        runs.append(Run.of(session, Members(ledger, range(start, end))))
        start = end
    return runs


def in_order(runs: Iterable[Run]) -> list[Run]:
    """Worst first."""
    return sorted(runs, key=lambda run: run.place)


def places_of(runs: Sequence[Run]) -> list[int]:
    """The places of all artifacts of these, one after the other."""
    return [place for run in runs for place in run.artifacts.order]
