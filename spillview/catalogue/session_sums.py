"""What the artifacts of a session come to, each taken once and let go.

A list of sessions needs no artifact of them, and there may be very many.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from spillview.catalogue import triage
from spillview.catalogue.triage import Rank
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Artifact, Session
from spillview.named import NamedTuple
from spillview.seen.endings import ending_seen

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing


class Sums:
    """Totals of a session's artifacts."""

    __slots__ = (
        "_alone",
        "_reviewed",
        "_unseen_bytes",
        "bounded",
        "bytes",
        "changed",
        "chars",
        "endings_unseen",
        "file_chars",
        "files",
        "growing",
        "known",
        "number",
        "over_boundary",
        "pinned",
        "ranks",
        "uncounted",
        "unknown",
        "verdict_unseen",
    )

    def __init__(self) -> None:
        self.number = self.files = self.bytes = 0
        """How many there are; of them files; bytes of all by `stat`, each once."""
        self.chars = self.file_chars = 0
        """Of all that are counted, and of the files among them."""
        self.uncounted = self.unknown = 0
        """Files without counts; anything that has a content and no counts."""
        self.known = self.pinned = 0
        """Files of which any link is known; artifacts that are pinned."""
        self.over_boundary = self.verdict_unseen = self.endings_unseen = 0
        self.ranks = [0] * len(Rank)
        self.bounded = self.growing = False
        """Whether one has boundaries; whether one grows."""
        self.changed = 0.0
        """When the last of them did, seconds since the epoch."""
        self._alone = self._reviewed = self._unseen_bytes = 0

    @classmethod
    def of(cls, session: Session) -> Sums:
        """The totals of a session that has its artifacts."""
        sums = cls()
        for artifact in session.artifacts:
            sums.add(artifact)
        sums.bytes = session.bytes
        return sums

    def add(self, artifact: Artifact) -> None:
        """One more; its bytes are not added, for a file may have several names."""
        counts = artifact.counts
        self.number += 1
        self.chars += counts.chars if counts is not None else 0
        self.unknown += counts is None and artifact.has_content
        if artifact.found.type == "file":
            self.files += 1
            self.file_chars += counts.chars if counts is not None else 0
            self.uncounted += counts is None
            self.known += artifact.link is not None
        self.bounded |= bool(artifact.boundaries)
        self.over_boundary += (artifact.ratio or 0) > 1
        self.verdict_unseen += artifact.verdict_seen is False
        self.endings_unseen += ending_seen(artifact) is False
        self.ranks[triage.rank(artifact)] += 1
        self.growing |= "growing" in artifact.flags
        self.pinned += "pinned" in artifact.flags
        self.changed = max(self.changed, artifact.changed)
        self._alone += artifact.modelless
        self._reviewed += artifact.reviewed is not None
        self._unseen_bytes += triage.unseen_bytes(artifact)

    @property
    def failed_unseen(self) -> int:
        """How many failed, and the model never saw it."""
        return self.ranks[Rank.FAILED_UNSEEN]

    def activity(self, session: Session) -> str:
        """See `Session.activity`."""
        if not session.live:
            return ""
        alone = self.number > 0 and self._alone == self.number
        return "recent" if alone and not self.growing else "live"

    def worst_first(self, session: Session) -> tuple[Any, ...]:
        """The same order as that of `triage.session_worst_first`."""
        return (
            self.number > 0 and self._reviewed == self.number,
            *(-count for count in self.ranks[: Rank.OVER]),
            -self._unseen_bytes,
            -(session.last_active or 0.0),
            session.harness,
            session.id,
        )


class Summed(NamedTuple):
    """A session without its artifacts, and what they come to."""

    session: Session
    sums: Sums


def summed(
    catalogue: Catalogue, listing: Listing, artifacts: Iterable[Artifact]
) -> list[Summed]:
    """The sessions of a listing, worst first; `artifacts` are those of it in order."""
    sums: dict[tuple[str, str], Sums] = {}
    places: dict[tuple[str, str], array[int]] = {}
    for place, artifact in zip(listing.order, artifacts, strict=False):
        key = (artifact.found.harness, artifact.session)
        if key not in sums:
            sums[key], places[key] = Sums(), array("i")
        sums[key].add(artifact)
        places[key].append(place)
    made = []
    for key, each in sums.items():
        each.bytes = listing.table.finds.space(places[key]).bytes
        session = catalogue.session_of(key, (), each.changed, growing=each.growing)
        made.append(Summed(session, each))
    return sorted(made, key=lambda one: one.sums.worst_first(one.session))
