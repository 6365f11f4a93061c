"""The order of the morning queue: decisions that rest on a cut, worst first.

What a person has reviewed comes after all that is left, whatever its rank.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from enum import IntEnum

from spillview.frozen import replace
from spillview.hints import Any, Literal
from spillview.model import Artifact, Session
from spillview.seen.endings import ending_seen, has_failed

Band = Literal["below", "close", "over"]

CLOSE = 0.9
"""From this ratio on, a command is about to cross its boundary."""

EVENING_HOUR = 18
"""A night starts at this local hour where nothing was reviewed before."""


class Rank(IntEnum):
    """How much an artifact needs a look; lower is worse."""

    FAILED_UNSEEN = 0
    """It failed, and the model never received the verdict."""
    VERDICT_UNSEEN = 1
    """The model never received the verdict."""
    FAILED = 2
    """It failed, and the model received the verdict or nothing is known of that."""
    OVER = 3
    """Larger than its boundary; the verdict was seen or nothing is known."""
    REST = 4


def band(ratio: float | None) -> Band:
    """Which side of the boundary a ratio lies on; an unknown ratio is below."""
    if ratio is None or ratio < CLOSE:
        return "below"
    return "close" if ratio <= 1 else "over"


def rank(artifact: Artifact) -> Rank:
    """The artifact's place in the triage."""
    failed = has_failed(artifact)
    if ending_seen(artifact) is False:
        told = failed and artifact.conclusion_seen is False
        return Rank.FAILED_UNSEEN if told else Rank.VERDICT_UNSEEN
    if failed:
        return Rank.FAILED
    return Rank.OVER if band(artifact.ratio) == "over" else Rank.REST


def failed_unseen(artifact: Artifact) -> bool:
    """Whether it failed, and the model never received the verdict."""
    return rank(artifact) is Rank.FAILED_UNSEEN


def went_on(artifact: Artifact) -> bool:
    """Whether the agent said or called something on what the envelope showed."""
    following = artifact.envelope.next if artifact.envelope else None
    return following is not None and bool(following.text or following.tool)


def read_back(artifact: Artifact) -> bool:
    """Whether its own session may have read some of it after the envelope."""
    link = artifact.link
    return bool(link and any(read.own and read.ranges != () for read in link.reads))


def errors_unseen(artifact: Artifact) -> bool:
    """Whether lines tell of trouble, and the model received none of them."""
    signals = artifact.link.signals if artifact.link else None
    return signals is not None and signals.seen == 0 and bool(signals.unseen)


def coverage(artifact: Artifact) -> float | None:
    """The share of its bytes that the model received; None where it is not known."""
    seen = artifact.link.seen if artifact.link else None
    if seen is None or seen.is_unknown or artifact.counts is None:
        return None
    return seen.bytes / artifact.counts.bytes if artifact.counts.bytes else 1.0


def unseen_bytes(artifact: Artifact) -> int:
    """Bytes that the model is not known to have received.

    They compare across harnesses, whose boundaries reach from 500 bytes to megabytes.
    """
    seen = artifact.link.seen if artifact.link else None
    counts = artifact.counts
    size = counts.bytes if counts is not None else artifact.found.size
    return max(0, size - (seen.bytes if seen is not None else 0))


def worst_first(artifact: Artifact) -> tuple[int, bool, bool, int, float, str]:
    """Sort key: rank, what nobody read back, what the agent went on from, then size.

    What has most unseen bytes comes first, and what is newer. What was reviewed comes
    after everything that was not, in the same order.
    """
    after_all = len(Rank) if artifact.reviewed is not None else 0
    return (
        after_all + rank(artifact),
        read_back(artifact),
        not went_on(artifact),
        -unseen_bytes(artifact),
        -artifact.created,
        artifact.id,
    )


def session_worst_first(session: Session) -> tuple[Any, ...]:
    """Sort key of sessions: ranks counted from the worst, unseen bytes, newest.

    Sessions in which nothing is left to review come last; the others keep their place
    until then, so that none moves away under the person who works through it.
    """
    tally = [0] * len(Rank)
    done = bool(session.artifacts)
    for artifact in session.artifacts:
        tally[rank(artifact)] += 1
        done = done and artifact.reviewed is not None
    worst = [-count for count in tally[: Rank.OVER]]
    unseen = sum(map(unseen_bytes, session.artifacts))
    active = -(session.last_active or 0.0)
    return (done, *worst, -unseen, active, session.harness, session.id)


def order_sessions(sessions: Iterable[Session]) -> list[Session]:
    """Sessions worst first, each with its artifacts worst first."""
    sorted_inside = [
        replace(s, artifacts=tuple(sorted(s.artifacts, key=worst_first)))
        for s in sessions
    ]
    return sorted(sorted_inside, key=session_worst_first)


def put_in_order(sessions: list[Session], changed: Iterable[Session]) -> None:
    """Add sessions, each worst first then, to others that are in order already."""
    for session in changed:
        artifacts = tuple(sorted(session.artifacts, key=worst_first))
        session = replace(session, artifacts=artifacts)
        insort(sessions, session, key=session_worst_first)


def _text(value: str | None) -> tuple[bool, str]:
    return (value is None, (value or "").casefold())


def _number(value: float | None) -> tuple[bool, float]:
    """Largest first; what is not known comes last."""
    return (value is None, -(value or 0.0))


SORT_KEYS: dict[str, Callable[[Artifact], Any]] = {
    "worst": worst_first,
    "age": lambda a: -a.created,
    "bytes": lambda a: _number(a.found.size),
    "chars": lambda a: _number(a.counts.chars if a.counts else None),
    "lines": lambda a: _number(a.counts.lines if a.counts else None),
    "ratio": lambda a: _number(a.ratio),
    "seen": lambda a: _number(coverage(a)),
    "session": lambda a: _text(a.session),
    "project": lambda a: _text(a.project),
    "tool": lambda a: _text(a.tool),
    "command": lambda a: _text(a.command),
    "harness": lambda a: _text(a.found.harness),
    "name": lambda a: _text(a.found.name),
    "path": lambda a: _text(a.found.place),
    "link": lambda a: _text(a.link.state if a.link else None),
}
"""Sort keys by name; numbers and times sort largest and newest first."""


def evening(now: float) -> float:
    """The latest 18:00 local time that is not after `now`, seconds since the epoch."""
    # Without a zone of its own: the clocks may have been changed since that hour.
    from datetime import datetime, timedelta

    local = datetime.fromtimestamp(now)  # noqa: DTZ006 - local, as people say it
    start = local.replace(hour=EVENING_HOUR, minute=0, second=0, microsecond=0)
    if start > local:
        start = (local - timedelta(days=1)).replace(
            hour=EVENING_HOUR, minute=0, second=0, microsecond=0
        )
    return start.timestamp()


def night_start(last_review: float | None, now: float) -> float:
    """What "since it was last reviewed, else since 18:00 local" means in seconds."""
    return last_review if last_review is not None else evening(now)
