"""What is kept of a session that stands for itself: its facts and order columns.

A session stands for itself when all that its records say is about its own artifacts,
by their very paths. Joined with every other session or alone, its links are the same;
so while neither its transcripts nor its artifacts change, it need not be joined again.
"""

from __future__ import annotations

import os
import zlib
from array import array
from collections.abc import Iterable, Sequence

from spillview.digests import blake2b
from spillview.frozen import Frozen, values_of
from spillview.hints import TYPE_CHECKING, Any
from spillview.json_text import loads
from spillview.links.kinship import hashed
from spillview.links.resolving import is_flat

if TYPE_CHECKING:
    from spillview.catalogue.finds import Finds
    from spillview.discovery.discovery import TranscriptFound
    from spillview.links.addresses import Addresses
    from spillview.links.links import Joined
    from spillview.links.session_facts import SessionFacts
    from spillview.model import Found
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts

FORM = 1
"""Raised whenever a sheet's columns change, or the rules of `stands_alone`."""

Group = tuple[str, str]
"""A harness, and a session as its layout calls it."""


class Sheet(Frozen):
    """One session that stands for itself."""

    token: str
    """What it holds for: see `token_of`."""
    session: str
    """The session's true id."""
    facts: SessionFacts
    first_ids: tuple[str, ...]
    skipped: dict[str, tuple[int, int]]
    """Broken records and all, of the transcripts that have some."""
    created: array[float]
    """The calls' times, else the files', in the order of the artifacts."""
    linked: bytearray
    """Whether a record holds the artifact's envelope."""


def token_of(
    rules: str, logs: Iterable[TranscriptFound], found: Finds, places: Sequence[int]
) -> str:
    """What changes with the rules, a transcript or an artifact of a session."""
    digest = blake2b(digest_size=12)
    said = [(log.path, log.key) for log in logs]
    digest.update(repr((FORM, rules, said)).encode("utf-8", "backslashreplace"))
    found.sign(places, digest.update)
    return digest.hexdigest()


def sheet_of(
    group: Group,
    token: str,
    found: Sequence[Found],
    facts: Sequence[TranscriptFacts],
    joined: Joined,
) -> Sheet:
    """The sheet of a session that was joined alone."""
    from spillview.links.session_facts import SessionFacts

    true = next((each.session for each in facts), group[1])
    first = tuple(dict.fromkeys(name for each in facts for name in each.first_ids))
    known = joined.sessions.get((group[0], true), SessionFacts())
    created, linked = array("d"), bytearray()
    for item in found:
        envelope = joined.links[item.id].envelope
        time = envelope.time if envelope is not None else None
        created.append(item.mtime_ns / 1e9 if time is None else time)
        linked.append(envelope is not None)
    return Sheet(token, true, known, first, {}, created, linked)


def may_stand_alone(profile: Profile) -> bool:
    """Whether this harness's notices name artifacts by their paths."""
    return not (
        profile.guest
        or profile.pointer.get("handle")
        or any(notice.reused for notice in profile.notices)
        or any(
            not notice.cut and notice.resolve.by not in ("path", "none")
            for notice in profile.notices
        )
    )


def stands_alone(
    group: Group,
    found: Sequence[Found],
    facts: Sequence[TranscriptFacts],
    joined: Joined,
    addresses: Addresses,
) -> bool:
    """Whether nothing in a session's records can mean another session's artifact."""
    if joined.missing or joined.closed or len(joined.sessions) > 1:
        return False
    sessions = {each.session for each in facts}
    true = next(iter(sessions), group[1])
    if len(sessions) > 1 or group[1] not in (true, hashed(true)):
        return False
    for item in found:
        if item.row is not None or item.copies or item.type != "file":
            return False
        if facts and is_flat(item):
            return False
    for each in facts:
        if each.parents or each.parts:
            return False
        if any(
            mention.path not in addresses.by_path or mention.session != true
            for mention in each.mentions
        ):
            return False
        for touch in each.touches:
            if touch.session != true:
                return False
            for name in (*touch.names, *touch.shown):
                if name not in addresses.by_path and not _gone(name, group, addresses):
                    return False
    return True


def _gone(name: str, group: Group, addresses: Addresses) -> bool:
    """Whether a name says plainly that it was one of this session's own folder."""
    return (
        os.path.isabs(name)
        and not any(mark in name for mark in "*?[")
        and addresses.folder_of(name) == group[1]
        and os.path.realpath(name) == name
    )


def pack(sheet: Sheet) -> bytes | None:
    """The sheet as the cache keeps it, without its token; None where a text of it is
    no Unicode."""
    import orjson

    head = [
        sheet.session,
        tuple(values_of(sheet.facts).values()),
        sheet.first_ids,
        sheet.skipped,
        len(sheet.created),
    ]
    try:
        data = orjson.dumps(head) + b"\n"
    except TypeError:
        return None
    data += sheet.created.tobytes() + bytes(sheet.linked)
    return zlib.crc32(data).to_bytes(4, "little") + data


def unpack(token: str, stored: object) -> Sheet | None:
    """A sheet that was packed; None when it is not what it was."""
    from spillview.links.session_facts import SessionFacts

    if not isinstance(stored, bytes):
        return None
    data = stored[4:]
    if zlib.crc32(data).to_bytes(4, "little") != stored[:4]:
        return None
    head, _, columns = data.partition(b"\n")
    try:
        session, facts, first_ids, skipped, number = loads(head)
        project, title, started, active, parents, version, broken, unfinished = facts
        created = array("d")
        created.frombytes(columns[: 8 * number])
        linked = bytearray(columns[8 * number :])
        told: dict[str, Any] = {log: tuple(each) for log, each in skipped.items()}
    except (ValueError, TypeError, AttributeError):
        return None
    if len(linked) != number or len(created) != number:
        return None
    return Sheet(
        token,
        session,
        SessionFacts(
            project,
            title,
            started,
            active,
            tuple(parents),
            version,
            broken,
            unfinished,
        ),
        tuple(first_ids),
        told,
        created,
        linked,
    )
