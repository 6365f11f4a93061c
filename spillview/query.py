"""What narrows every command alike: paths, harness, session, times, a boundary."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.model import Artifact, Boundary

MIN_PREFIX = 4
"""The shortest id prefix that names an artifact or a session."""


@dataclass(frozen=True, slots=True)
class Query:
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

    def admits(self, artifact: Artifact) -> bool:
        """Whether the artifact is inside `session`, `since` and `until`."""
        if self.session is not None and not names_session(self.session, artifact):
            return False
        if self.since is not None and artifact.created < self.since:
            return False
        return self.until is None or artifact.created <= self.until


def names_session(reference: str, artifact: Artifact) -> bool:
    """Whether `reference` is the artifact's session id or a prefix of it."""
    return any(
        sid == reference or (len(reference) >= MIN_PREFIX and sid.startswith(reference))
        for sid in (artifact.session, artifact.found.session)
    )
