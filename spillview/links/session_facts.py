"""What the transcripts say of sessions."""

from __future__ import annotations

from collections.abc import Iterable

from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.transcripts.facts import TranscriptFacts


class SessionFacts(Frozen):
    """What the transcripts say of one session, its subagents included."""

    project: str | None = None
    title: str | None = None
    started: float | None = None
    last_active: float | None = None
    parents: tuple[str, ...] = ()
    """Sessions it was forked from, or that delegated to it."""
    version: str | None = None
    skipped: int = 0
    """Lines of its transcripts that hold no readable record."""
    unfinished: bool = False
    """True while a last line has no end yet."""


def sessions_of(
    facts: Iterable[TranscriptFacts],
) -> dict[tuple[str, str], SessionFacts]:
    """What is known of each session, by harness and true id."""
    known: dict[tuple[str, str], SessionFacts] = {}
    # The session's own transcript names it; those of subagents widen its times.
    for each in sorted(facts, key=lambda f: f.agent is not None):
        key = (each.harness, each.session)
        old = known.get(key, SessionFacts())
        main = each.agent is None
        started = [t for t in (old.started, each.started) if t is not None]
        active = [t for t in (old.last_active, each.last_active) if t is not None]
        known[key] = SessionFacts(
            old.project or each.project,
            old.title or (each.title if main else None),
            min(started, default=None),
            max(active, default=None),
            tuple(dict.fromkeys((*old.parents, *each.parents))),
            old.version or each.version,
            old.skipped + each.skipped,
            old.unfinished or each.unfinished,
        )
    return known
