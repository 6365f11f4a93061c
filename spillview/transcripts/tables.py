"""Transcripts that are rows: one database (or tree of files) holds many sessions.

A reader's module gives `rows_of(database)`, and `events` for what one row tells. A
`Source` names its sessions, each with a stamp that changes whenever one of its rows
does; the rows of one in their order, each with a stamp of its own; and one row as a
record. A session whose stamp is the same is not read again. In one that changed, only
the rows behind those that were read and are as they were are taken in.

Rows that will still be written (a call under way, an answer that streams in) are no
part of what is gone on from: facts are kept as they were before the first of these, and
what it and the rows behind it tell is added anew each time. So reading on always gives
what reading at once does.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from spillview.errors import Cancelled as Stopped
from spillview.errors import Unreadable
from spillview.named import NamedTuple
from spillview.transcripts import jsonl
from spillview.transcripts.conversation import Conversation
from spillview.transcripts.draft import Draft
from spillview.transcripts.facts import TranscriptFacts

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile
    from spillview.stored.databases import Database, State

TRIES = 3
"""So often a database that is written while it is read is read again."""

Cancelled = Callable[[], bool]


class Key(NamedTuple):
    """Where a row is, and a mark that changes when it does."""

    table: int
    rowid: int
    stamp: str | int | float | None = None


class Source(Protocol):
    """What holds the sessions, as it is at one moment."""

    def sessions(self) -> Iterable[tuple[str, str]]:
        """Every session's id with a stamp of all its rows, in a stable order."""

    def about(self, session: str) -> dict[str, Any] | None:
        """The row of a session itself: a record for `events` like any other."""

    def keys(self, session: str) -> Sequence[Key]:
        """The rows of a session in the order in which they happened."""

    def record(self, table: int, rowid: int) -> dict[str, Any] | None:
        """One row; None when it is not there, too large or no record."""

    def final(self, record: dict[str, Any]) -> bool:
        """Whether a row will not be written again in the course of things."""


class Tree(Source, Protocol):
    """One session in a folder of files."""

    def state(self) -> State:
        """What changes when anything in it does. Raises OSError."""


class Reader(Protocol):
    """What a reader's module gives for this form."""

    def rows_of(self, database: Database) -> Source:
        """The sessions of an open database."""

    def tree_at(self, path: str) -> Tree:
        """The session in a folder; a reader without such sessions has no such name."""


def read(
    found: TranscriptFound,
    profile: Profile,
    module: object,
    previous: TranscriptFacts | None,
    cancelled: Cancelled | None = None,
) -> TranscriptFacts:
    """The facts of every session, one in `parts` for each. Raises `Unreadable`."""
    for left in reversed(range(TRIES)):
        try:
            return _read(found, profile, cast(Reader, module), previous, cancelled)
        except Unreadable:
            if not left or (cancelled is not None and cancelled()):
                raise
    raise AssertionError


def _read(
    found: TranscriptFound,
    profile: Profile,
    module: Reader,
    previous: TranscriptFacts | None,
    cancelled: Cancelled | None,
) -> TranscriptFacts:
    try:
        # Before it is opened: what is written from now on makes these facts old.
        state = _state(module, found.path)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise Unreadable(f"{found.path} cannot be read: {reason}.") from error
    known: dict[str, TranscriptFacts] = {}
    if previous is not None and (previous.dev, previous.ino) == state[:2]:
        known = {part.session: part for part in previous.parts}
    parts: list[TranscriptFacts] = []
    try:
        with _opened(module, found.path, cancelled) as source:
            for session, stamp in source.sessions():
                part = known.get(session)
                if part is None or part.extra.get("stamp") != stamp:
                    if cancelled is not None and cancelled():
                        raise Stopped("Nobody waits for these sessions any more.")
                    part = _session(found, profile, module, source, session, part)
                    part.extra["stamp"] = stamp
                parts.append(part)
    except Stopped:
        # What is left out is read the next time, for its stamp is not known.
        read = {part.session for part in parts}
        parts += [part for name, part in known.items() if name not in read]
        state = state._replace(size=-1)
    return TranscriptFacts(
        found.path,
        found.harness,
        found.session,
        dev=state.dev,
        ino=state.ino,
        size=state.size,
        mtime_ns=state.mtime_ns,
        size_read=max(0, state.size),
        records=sum(part.records for part in parts),
        skipped=sum(part.skipped for part in parts),
        parts=tuple(parts),
    )


def records(
    module: object, path: str, session: str, cancelled: Cancelled | None = None
) -> Iterator[jsonl.Record]:
    """The rows of one session in their order, what it is before them.

    Raises `Unreadable`.
    """
    with _opened(cast(Reader, module), path, cancelled) as source:
        about = source.about(session)
        if about is not None:
            yield jsonl.Record(0, 0, 0, 0, about)
        for key in source.keys(session):
            if cancelled is not None and cancelled():
                return
            record = _record(source, key)
            if record is not None:
                yield record


def record_at(
    module: object, path: str, table: int, rowid: int
) -> dict[str, Any] | None:
    """The record of one row; None when it is not there any more."""
    try:
        with _opened(cast(Reader, module), path) as source:
            return source.record(table, rowid)
    except Unreadable:
        return None


def _state(module: Reader, path: str) -> State:
    """What changes when anything in it does. Raises OSError."""
    if os.path.isdir(path):
        return module.tree_at(path).state()
    from spillview.stored.databases import state

    return state(path)


@contextmanager
def _opened(
    module: Reader, path: str, cancelled: Cancelled | None = None
) -> Iterator[Source]:
    """The sessions at `path`, a database or a folder. Raises `Unreadable`."""
    if not os.path.isdir(path):
        from spillview.stored.databases import open_database

        with open_database(path, cancelled=cancelled) as database:
            yield module.rows_of(database)
        return
    try:
        yield module.tree_at(path)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise Unreadable(f"{path} cannot be listed: {reason}.") from error


def _session(
    found: TranscriptFound,
    profile: Profile,
    module: Reader,
    source: Source,
    session: str,
    part: TranscriptFacts | None,
) -> TranscriptFacts:
    """The facts of one session, going on from `part` where its rows are the same."""
    keys = source.keys(session)
    base = _base(part)
    done = base.extra["done"] if base is not None else 0
    if base is None or _digest(keys[:done]) != base.extra["digest"]:
        base, done = None, 0
    draft = (
        Draft.of(base)
        if base is not None
        else Draft(found.path, found.harness, session)
    )
    talk = Conversation(found, profile, module, draft)
    talk.ground.sessions.add(session)
    about = source.about(session)
    if about is not None:
        talk.take(jsonl.Record(0, 0, 0, 0, about))
    ahead: jsonl.Record | None = None
    for key in keys[done:]:
        record = _record(source, key)
        if record is not None and not source.final(record.value):
            ahead = record
            break
        talk.count(record)
        done += 1
    talk.close()
    draft.lines = done
    draft.extra["done"], draft.extra["digest"] = done, _digest(keys[:done])
    stable = draft.facts()
    if ahead is None:
        return stable
    draft = Draft.of(stable)
    talk = Conversation(found, profile, module, draft)
    talk.ground.sessions.add(session)
    talk.count(ahead)
    for key in keys[done + 1 :]:
        talk.count(_record(source, key))
    talk.close()
    draft.lines = len(keys)
    draft.extra["stable"] = stable.to_json().decode("utf-8", "replace")
    return draft.facts()


def _base(part: TranscriptFacts | None) -> TranscriptFacts | None:
    """The facts to go on from: those before the first row that was not final."""
    if part is None:
        return None
    kept = part.extra.get("stable")
    base = TranscriptFacts.from_json(kept.encode()) if isinstance(kept, str) else part
    if base is None or not isinstance(base.extra.get("done"), int):
        return None
    extra = {key: value for key, value in base.extra.items() if key != "stable"}
    return replace(base, extra=extra)


def _record(source: Source, key: Key) -> jsonl.Record | None:
    """The row as a record: its number and offset are the rowid, its length tells the
    table."""
    value = source.record(key.table, key.rowid)
    if value is None:
        return None
    return jsonl.Record(key.rowid, key.rowid, key.table + 1, 0, value)


def _digest(keys: Sequence[Key]) -> str:
    data = json.dumps([[*key] for key in keys]).encode()
    return hashlib.sha256(data).hexdigest()[:32]
