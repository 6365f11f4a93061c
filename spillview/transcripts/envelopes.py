"""Envelopes and results read again from the transcript, as the model had them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spillview.errors import ArtifactGone, Unreadable
from spillview.model import Mention, Read
from spillview.text import path_text, printable
from spillview.transcripts import READERS, reader_of
from spillview.transcripts.addressing import endings, split
from spillview.transcripts.notices import Block, by_id
from spillview.transcripts.values import is_rows

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile, TranscriptRule
    from spillview.transcripts.facts import Touch


def text(place: Mention | Touch | Read, profile: Profile) -> str:
    """The envelope's text, or the whole text of a call's result.

    Raises `ArtifactGone` when the record is no longer there.
    """
    if isinstance(place, Mention):
        return result(place, profile)[0]
    for found in readings(place, profile):
        texts = [block.text for block in found if block.call_id == place.call_id]
        if texts:
            return "\n".join(texts)
    raise gone(place)


def result(place: Mention, profile: Profile) -> tuple[str, list[Block]]:
    """The envelope's text, and all texts of the record that holds it.

    Raises `ArtifactGone` when the record is no longer there.
    """
    for found in readings(place, profile):
        if place.block < len(found):
            whole = found[place.block].text
            shown = whole[place.start : place.end]
            notice = by_id(profile, place.notice)
            if place.end <= len(whole) and (notice is None or notice.needle in shown):
                return shown, found
    raise gone(place)


def readings(place: Mention | Touch | Read, profile: Profile) -> Iterator[list[Block]]:
    """The texts of one record, by each reader that its transcript's path allows.

    Nothing is given for what is no record any more.
    """
    if profile.hosts:
        for host in _fitting(place, profile.hosts):
            yield from readings(place, host)
        return
    for rule in _rules(place.transcript, profile):
        found = _blocks(place, rule, profile)
        if found:
            yield found


_RULES: dict[tuple[int, str], tuple[Profile, list[TranscriptRule]]] = {}
"""Of the transcripts asked for, by the profile's identity."""

REMEMBERED = 64
"""So many at most."""


def _rules(transcript: str, profile: Profile) -> list[TranscriptRule]:
    """The rules by which a transcript may be read, those that fit its path first."""
    known = _RULES.get((id(profile), transcript))
    if known is not None and known[0] is profile:
        return known[1]
    patterns = tuple(rule.path for rule in profile.transcripts)
    path = split(transcript)
    fitting = [
        profile.transcripts[ending.rule]
        for ending in endings(profile, patterns)
        if ending.match(path) is not None
    ]
    rules: dict[tuple[str, str], TranscriptRule] = {}
    for rule in (*fitting, *profile.transcripts):
        if rule.reader in READERS:
            rules.setdefault((rule.reader, rule.form), rule)
    if len(_RULES) >= REMEMBERED:
        _RULES.clear()
    found = list(rules.values())
    _RULES[id(profile), transcript] = profile, found
    return found


def _fitting(
    place: Mention | Touch | Read, hosts: tuple[Profile, ...]
) -> Iterator[Profile]:
    """The harnesses whose transcript this may be; all of them where none is known."""
    path = split(place.transcript)
    fitting = [
        host
        for host in hosts
        for ending in endings(host, tuple(rule.path for rule in host.transcripts))
        if ending.match(path) is not None
    ]
    return iter({host.harness: host for host in fitting or hosts}.values())


def _blocks(
    place: Mention | Touch | Read, rule: TranscriptRule, profile: Profile
) -> list[Block]:
    reader: Any = reader_of(rule.reader, profile)
    value: dict[str, Any] | None
    if hasattr(reader, "record_at"):
        from spillview.content.content import open_content

        content = open_content(place.transcript)
        try:
            value = reader.record_at(content, place.offset, place.length)
        finally:
            content.close()
        found: list[Block] = reader.blocks(value) if value is not None else []
        return found
    from spillview.transcripts.blocks import blocks

    value = _record(place, rule, reader)
    try:
        return blocks(reader, value) if value is not None else []
    except Exception:  # a record that its reader is not ready for
        return []


def _record(
    place: Mention | Touch | Read, rule: TranscriptRule, reader: object
) -> dict[str, Any] | None:
    """One record of a transcript, by the form it is kept in."""
    from spillview.content.content import open_content
    from spillview.transcripts import documents, event_log, folders, logfile

    if is_rows(rule.form, reader):
        from spillview.transcripts import tables

        table = place.length - 1
        return tables.record_at(reader, place.transcript, table, place.offset)
    if rule.form == "json-dir":
        return folders.record_at(place.transcript, place.record, place.length)
    try:
        content = open_content(place.transcript)
    except Unreadable:
        if rule.form == "jsonl":
            raise
        return None
    try:
        if rule.form == "json":
            arrays = event_log.arrays_of(reader)
            return documents.record_at(content, place.offset, place.length, arrays)
        return logfile.value_at(content, place.offset, place.length)
    finally:
        content.close()


def gone(place: Mention | Touch | Read) -> ArtifactGone:
    """The error for a record that is not where it was."""
    name = printable(path_text(place.transcript))
    return ArtifactGone(
        f"Record {place.record} of {name} is no longer what it was; read it again."
    )
