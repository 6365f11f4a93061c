"""Artifacts by the session that made them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from spillview import triage
from spillview.model import Artifact, Session

if TYPE_CHECKING:
    from spillview.session_facts import SessionFacts

LIVE_SECONDS = 3600
"""A session active within the last hour counts as live."""


def by_session(
    artifacts: Iterable[Artifact],
    known: Mapping[tuple[str, str], SessionFacts],
    now: float,
) -> list[Session]:
    """The artifacts by session: worst session first, worst artifact first.

    `known` is what transcripts say of a harness's session.
    """
    grouped: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in artifacts:
        key = (artifact.found.harness, artifact.session)
        grouped.setdefault(key, []).append(artifact)
    sessions = []
    for (harness, sid), members in grouped.items():
        facts = known.get((harness, sid))
        active = facts.last_active if facts is not None else None
        if active is None:
            active = max(a.changed for a in members)
        growing = any("growing" in a.flags for a in members)
        sessions.append(
            Session(
                harness,
                sid,
                facts.project if facts is not None else None,
                facts.title if facts is not None else None,
                facts.started if facts is not None else None,
                active,
                growing or 0 <= now - active < LIVE_SECONDS,
                tuple(members),
                facts.skipped if facts is not None else 0,
            )
        )
    return triage.order_sessions(sessions)
