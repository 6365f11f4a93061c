"""What is kept of a session that stands for itself: its facts and order columns.

A session stands for itself when all that its records say is about its own artifacts,
by their very paths. Joined with every other session or alone, its links are the same;
so while neither its transcripts nor its artifacts change, it need not be joined again.
"""

from __future__ import annotations

import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from spillview.digests import blake2b
from spillview.frozen import Frozen, values_of
from spillview.hints import TYPE_CHECKING, Any
from spillview.json_text import loads
from spillview.links.kinship import hashed
from spillview.links.resolving import is_flat

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
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


class Sheets:
    """The sheets that hold now, of sessions that are put away behind them."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self.held: dict[Group, Sheet] = {}
        self._owners: dict[Group, Group] = {}
        """Which put-away session has a true id, by harness and id."""
        self._new: dict[Group, Sheet] = {}
        """Those that the cache does not have yet."""

    def take(self, admits: Callable[[Group, str], bool]) -> None:
        """Start from what the cache has, of the groups and tokens that are admitted.

        Two sessions of one true id are both left out.
        """
        self.held, self._owners = {}, {}
        twice: set[Group] = set()
        for group, token, data in self._cache.sheets():
            if not admits(group, token) or (sheet := data()) is None:
                continue
            owner = self._owners.setdefault((group[0], sheet.session), group)
            if owner != group:
                twice.update((owner, group))
            self.held[group] = sheet
        for group in twice:
            del self.held[group]

    def put(self, group: Group, sheet: Sheet) -> Group | None:
        """Hold a new one; or give the session instead that has its true id already."""
        owner = self._owners.setdefault((group[0], sheet.session), group)
        if owner != group:
            return owner
        self.held[group] = self._new[group] = sheet
        return None

    def drop(self, group: Group) -> None:
        """Hold none of this session."""
        sheet = self.held.pop(group, None)
        if sheet is not None:
            self._owners.pop((group[0], sheet.session), None)
        self._new.pop(group, None)

    def write(self, least: int = 1) -> None:
        """Have the cache keep what is new, where there are so many at `least`."""
        if len(self._new) >= least:
            self._cache.store_sheets(self._new)
            self._new = {}


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


class Meant:
    """What the records of some sessions of one harness or more may mean."""

    def __init__(self) -> None:
        self._ids: set[Group] = set()
        self._firsts: set[str] = set()
        self._names: dict[str, set[str]] = {}
        """File names, by harness."""

    def add(
        self, harness: str, found: Iterable[Found], facts: Iterable[TranscriptFacts]
    ) -> None:
        """A session by its artifacts and what its transcripts say."""
        own = {item.path for item in found}
        for each in facts:
            self._firsts.update(each.first_ids)
            for session in (each.session, each.agent, *each.parents):
                if session is not None:
                    self._ids |= {(harness, session), (harness, hashed(session))}
            for name in _named(each):
                if name not in own:
                    self._names.setdefault(harness, set()).update(_lasts(name))

    def may_be(
        self, group: Group, sheet: Sheet, found: Finds, places: Sequence[int]
    ) -> bool:
        """Whether a session that is put away, with artifacts there, is among it."""
        names = self._names.get(group[0])
        return (
            group in self._ids
            or (group[0], sheet.session) in self._ids
            or not self._firsts.isdisjoint(sheet.first_ids)
            or (names is not None and found.any_named(places, names))
        )


def _named(facts: TranscriptFacts) -> Iterator[str]:
    """Every name by which a transcript may mean an artifact."""
    for mention in facts.mentions:
        if mention.path is not None:
            yield mention.path
    for touch in facts.touches:
        yield from touch.names
        yield from touch.shown


def _lasts(name: str) -> Iterator[str]:
    """The file names that `name` may stand for."""
    for form in (name, name.rstrip(". "), name.strip("`'\"")):
        yield form.replace("\\", "/").rpartition("/")[2]


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
