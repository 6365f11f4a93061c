"""Harnesses that run inside others: their notices stand in their hosts' transcripts.

A guest (a command wrapper, a hook) keeps artifacts and writes no transcript, or one of
its own calls alone. So the transcripts of all hosts are read once more with its
notices, and only where it left artifacts at all; what they say of the host's own
artifacts is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts


def read_guest(
    found: TranscriptFound,
    host: Profile,
    guest: Profile,
    previous: TranscriptFacts | None,
    cancelled: Callable[[], bool] | None = None,
) -> TranscriptFacts:
    """What a host's transcript says of a guest's artifacts.

    Raises `Unreadable` when it cannot be read.
    """
    from spillview.transcripts import read_transcript

    if host.harness == guest.harness:
        return read_transcript(found, guest, previous, cancelled)
    inside = guest._replace(
        transcripts=host.transcripts,
        pointer=host.pointer,
        frames=host.frames,
        members=host.members,
        records=host.records,
    )
    facts = read_transcript(found, inside, previous, cancelled, host=host)
    names = frozenset(notice.id for notice in guest.notices)
    parts = tuple(_own(part, names) for part in facts.parts)
    return replace(_own(facts, names), parts=parts)


def _own(facts: TranscriptFacts, names: frozenset[str]) -> TranscriptFacts:
    kept = [
        (mention, record)
        for mention, record in zip(facts.mentions, facts.mention_ids, strict=True)
        if mention.notice in names
    ]
    if len(kept) == len(facts.mentions):
        return facts
    return replace(
        facts,
        mentions=tuple(mention for mention, _ in kept),
        mention_ids=tuple(record for _, record in kept),
    )


def with_hosts(profile: Profile, profiles: dict[str, Profile]) -> Profile:
    """A guest's profile that knows in whose transcripts its notices stand."""
    if not profile.guest:
        return profile
    own = (profile,) if profile.transcripts else ()  # our own store's sidecars
    hosts = tuple(p for p in profiles.values() if p.transcripts and not p.guest)
    return profile._replace(hosts=own + hosts)
