"""What one transcript says: as the cache has it, as others read it, or read now."""

from __future__ import annotations

from collections.abc import Callable

from spillview.errors import Unreadable
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache, Key
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts


def kept_facts(
    cache: Cache, path: str, rules: str, key: Key
) -> tuple[bool, TranscriptFacts] | None:
    """What the cache has of a transcript, and whether it holds for `key` as it is.

    None where it has nothing, or another form of it.
    """
    stored = cache.facts(path, rules, key)
    if stored is None:
        return None
    # Not before: without transcripts a list starts sooner.
    from spillview.transcripts.facts import TranscriptFacts

    exact, data = stored
    facts = TranscriptFacts.from_json(data)
    return None if facts is None else (exact, facts)


def read_facts(
    log: TranscriptFound,
    profile: Profile,
    known: TranscriptFacts | None,
    told: bytes | str | None,
    cancelled: Callable[[], bool] | None,
) -> tuple[TranscriptFacts, bytes]:
    """What a transcript says now, and the form in which the cache keeps it.

    `known` is what was read before, `told` the stored form that others have read, or
    why they could not. Raises `Unreadable`.
    """
    from spillview.transcripts import read_transcript
    from spillview.transcripts.facts import TranscriptFacts

    if isinstance(told, str):
        raise Unreadable(told)
    facts = TranscriptFacts.from_json(told) if told is not None else None
    if told is not None and facts is not None:
        return facts, told
    facts = read_transcript(log, profile, known, cancelled=cancelled)
    return facts, facts.to_json()
