"""Transcripts that another process reads before they are asked for here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from spillview.crews import Bound, Crew, Hands
from spillview.errors import Cancelled as Stopped
from spillview.errors import Unreadable
from spillview.links.records import NOTHING, Cancelled, Told

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.links.sheets import Group
    from spillview.profiles.profile import Profile

    Session = tuple[Group, Sequence[TranscriptFound]]

HEAVY = 40
"""To read a record takes so many times as long as to count the same bytes."""


def with_readings(
    sessions: Iterable[Session],
    unread: Callable[[TranscriptFound], bool],
    profile: Callable[[str], Profile],
    cancelled: Cancelled | None,
    crew: Crew,
) -> Iterator[tuple[Session, Told]]:
    """Each session with what a crew has read of its transcripts.

    `unread`: whether nothing is known of a transcript; others are read on from where
    they were left, and that is not done here.
    """

    def job(session: Session) -> list[TranscriptFound] | None:
        return [log for log in session[1] if unread(log)] or None

    given = list(sessions)
    profiles = {harness: profile(harness) for (harness, _), _ in given}
    hands: Hands[Session, list[TranscriptFound], Told] = Hands(
        lambda session: NOTHING,
        job,
        Bound(read_all, profiles),
        weight=lambda logs: HEAVY * sum(log.size for log in logs),
        ready=ready,
        crew=crew,
    )
    try:
        yield from hands.over(given, cancelled, len(given))
    except Stopped:
        return
    finally:
        hands.close()


def read_all(
    profiles: Mapping[str, Profile], sessions: list[list[TranscriptFound]]
) -> list[Told]:
    """What there is to tell of the transcripts of each session."""
    return [
        {log.path: _read(log, profiles[log.harness]) for log in logs}
        for logs in sessions
    ]


def _read(log: TranscriptFound, profile: Profile) -> bytes | str:
    from spillview.processes import unwanted
    from spillview.transcripts import read_transcript

    try:
        return read_transcript(log, profile, cancelled=unwanted).to_json()
    except Unreadable as error:
        return str(error)


def ready() -> None:
    """Load what most transcripts are read by."""
    import orjson  # noqa: F401

    import spillview.transcripts.claude
    import spillview.transcripts.facts  # noqa: F401
