"""Envelopes and results read again from the transcript, as the model had them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spillview.errors import ArtifactGone
from spillview.model import Mention, Read
from spillview.text import path_text, printable
from spillview.transcripts import READERS
from spillview.transcripts.notices import Block, by_id

if TYPE_CHECKING:
    from spillview.profile import Profile
    from spillview.transcripts.facts import Touch


def text(place: Mention | Touch | Read, profile: Profile) -> str:
    """The envelope's text, or the whole text of a call's result.

    Raises `ArtifactGone` when the record is no longer there.
    """
    found = blocks_at(place.transcript, place.offset, place.length, profile)
    if isinstance(place, Mention):
        if place.block < len(found):
            whole = found[place.block].text
            shown = whole[place.start : place.end]
            notice = by_id(profile, place.notice)
            if place.end <= len(whole) and (notice is None or notice.needle in shown):
                return shown
        raise gone(place)
    texts = [block.text for block in found if block.call_id == place.call_id]
    if not texts:
        raise gone(place)
    return "\n".join(texts)


def blocks_at(
    transcript: str, offset: int, length: int, profile: Profile
) -> list[Block]:
    """The texts of one record; empty when it is no record any more."""
    from spillview.content import open_content

    content = open_content(transcript)
    try:
        for rule in profile.transcripts:
            name = READERS.get(rule.reader)
            if name is None:
                continue
            reader = import_module(name)
            value: dict[str, Any] | None = reader.record_at(content, offset, length)
            if value is not None:
                found: list[Block] = reader.blocks(value)
                if found:
                    return found
    finally:
        content.close()
    return []


def gone(place: Mention | Touch | Read) -> ArtifactGone:
    """The error for a record that is not where it was."""
    name = printable(path_text(place.transcript))
    return ArtifactGone(
        f"Record {place.record} of {name} is no longer what it was; read it again."
    )
