"""What narrows every command alike: paths, harness, session, times, a boundary."""

from __future__ import annotations

from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact, Boundary, Missing

if TYPE_CHECKING:
    from spillview.catalogue.listing import Listing

MIN_PREFIX = 4
"""The shortest id prefix that names an artifact or a session."""


class Query(Frozen):
    """What narrows every command alike."""

    paths: tuple[str, ...] = ()
    harness: str | None = None
    session: str | None = None
    since: float | None = None
    """Seconds since the epoch; artifacts created before it are left out."""
    until: float | None = None
    boundary: Boundary | None = None
    """Replaces every harness's own boundaries."""

    @property
    def needs_records(self) -> bool:
        """Whether it asks for what transcripts alone tell: a session, calls' times."""
        return (self.session, self.since, self.until) != (None, None, None)

    def among(self, listing: Listing) -> Listing:
        """Those of a listing that are inside `session`, `since` and `until`."""
        if not self.needs_records:
            return listing
        return listing.pick(
            index
            for index in range(len(listing))
            if self._admits(
                (listing.session(index)[1], listing.group(index)[1]),
                listing.created(index),
            )
        )

    def admits(self, artifact: Artifact) -> bool:
        """Whether the artifact is inside `session`, `since` and `until`."""
        sessions = (artifact.session, artifact.found.session)
        return self._admits(sessions, artifact.created)

    def admits_call(self, call: Missing) -> bool:
        """Whether a call whose result is not on disk is inside them."""
        when = call.mention.time
        if self.session is not None and not call.session.startswith(self.session):
            return False
        if self.since is not None and (when is None or when < self.since):
            return False
        return self.until is None or (when is not None and when <= self.until)

    def _admits(self, sessions: tuple[str, str], created: float) -> bool:
        if self.session is not None and not _names(self.session, sessions):
            return False
        if self.since is not None and created < self.since:
            return False
        return self.until is None or created <= self.until


def _names(reference: str, sessions: tuple[str, str]) -> bool:
    return any(
        sid == reference or (len(reference) >= MIN_PREFIX and sid.startswith(reference))
        for sid in sessions
    )
