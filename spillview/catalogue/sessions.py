"""Artifacts by the session that made them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spillview.catalogue import triage
from spillview.hints import TYPE_CHECKING, Protocol
from spillview.model import Artifact, Session

if TYPE_CHECKING:
    from spillview.links.session_facts import SessionFacts

LIVE_SECONDS = 3600
"""A session active within the last hour counts as live."""


class Making(Protocol):
    """Makes the session of a harness and id, with these artifacts."""

    def __call__(
        self,
        key: tuple[str, str],
        artifacts: Sequence[Artifact],
        changed: float,
        *,
        growing: bool,
    ) -> Session:
        """`changed`: when the last of them did; `growing`: whether one of them is."""


def by_session(artifacts: Iterable[Artifact], make: Making) -> list[Session]:
    """The artifacts by session: worst session first, worst artifact first."""
    grouped: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in artifacts:
        key = (artifact.found.harness, artifact.session)
        grouped.setdefault(key, []).append(artifact)
    return triage.order_sessions(
        make(
            key,
            tuple(members),
            max(a.changed for a in members),
            growing=any("growing" in a.flags for a in members),
        )
        for key, members in grouped.items()
    )


def session_of(
    key: tuple[str, str],
    artifacts: Sequence[Artifact],
    changed: float,
    growing: bool,
    facts: SessionFacts | None,
    now: float,
) -> Session:
    """The session of a harness and id with these artifacts.

    `changed`: when the last of them did; `growing`: whether one of them is; `facts`:
    what transcripts say of it.
    """
    active = facts.last_active if facts is not None else None
    if active is None:
        active = changed
    return Session(
        *key,
        facts.project if facts is not None else None,
        facts.title if facts is not None else None,
        facts.started if facts is not None else None,
        active,
        growing or 0 <= now - active < LIVE_SECONDS,
        artifacts,
        facts.skipped if facts is not None else 0,
    )
