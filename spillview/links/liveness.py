"""Which sessions are live, and which artifacts they still need.

Live is what was active within the hour, what another process has open, and what grows.
An artifact is needed by its own live session, and by every other that refers to it.
"""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field

from spillview.catalogue.sessions import LIVE_SECONDS
from spillview.discovery.writers import open_elsewhere
from spillview.errors import Cancelled as Stopped
from spillview.hints import TYPE_CHECKING
from spillview.links.standing import Standing
from spillview.model import Found, Problem
from spillview.text import human_age, path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing
    from spillview.discovery.discovery import Discovery, TranscriptFound
    from spillview.links.records import Records

Key = tuple[str, str]
"""A harness and a session id."""
Cancelled = Callable[[], bool]

STEP = 256
"""So many files are looked at before it is told, or asked whether to go on."""


@dataclass(slots=True)
class Guard:
    """What is known of sessions and of who needs what."""

    active: dict[Key, float] = field(default_factory=dict)
    """When each session was last active, by its records."""
    live: dict[Key, str] = field(default_factory=dict)
    """Why each live session is live, as the end of a sentence."""
    needed: dict[str, str] = field(default_factory=dict)
    """Why an artifact is needed, by its id."""
    problems: list[Problem] = field(default_factory=list)
    """What could not be read of the records."""
    unreadable: Callable[[Found], bool] = lambda found: False
    """Tells of an artifact whether a transcript that may point at it is closed."""
    torn: Callable[[Found], bool] = lambda found: False
    """Tells of an artifact whether a record that may point at it is broken."""
    true: dict[Key, str] = field(default_factory=dict)
    """Session ids by what the layout calls them, where the two differ."""

    def session_of(self, harness: str, session: str) -> Key:
        """A harness and session, by its true id where that is known."""
        return harness, self.true.get((harness, session), session)


def survey(
    catalogue: Catalogue,
    artifacts: Listing,
    cancelled: Cancelled | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Guard:
    """Look at every session of every store, not only at those of `artifacts`.

    Raises `errors.Cancelled` where it is `cancelled`.
    """
    seen = _everything(catalogue, artifacts)
    logs = list({log.path: log for each in seen for log in each.transcripts}.values())
    records = Standing(catalogue.profile, catalogue.cache)
    records.tell = catalogue.standing.tell
    records.take(logs, _found(seen, artifacts))
    records.read_all(cancelled=cancelled)
    guard = Guard(
        problems=records.problems,
        unreadable=records.unreadable(),
        torn=records.torn(),
    )
    now = catalogue.now()
    _activity(guard, records, logs)
    held = open_elsewhere(_Inodes(logs, _items(seen, artifacts)))
    _times(guard, now)
    _open_logs(guard, logs, held, records)
    with_records = {name for name, p in catalogue.profiles.items() if p.transcripts}
    session_of = _sessions(guard, records)
    number = sum(len(each.found) for each in seen)
    for done, (item, key) in enumerate(_items(seen, artifacts)):
        if done % STEP == 0:
            if cancelled is not None and cancelled():
                raise Stopped
            if progress is not None:
                progress(done, max(number, len(artifacts)))
        of = guard.session_of(*key) if key is not None else session_of(item)
        _one_file(guard, item, of, held, now, item.harness in with_records)
    _ancestors(guard, records)
    for index in range(len(artifacts)):
        # The records of any other speak of its own session alone.
        if records.is_open(artifacts.group(index)):
            session = guard.session_of(*artifacts.session(index))
            _references(guard, artifacts.ident(index), session, records)
    _citations(guard, catalogue, records, artifacts, cancelled)
    return guard


def _everything(catalogue: Catalogue, artifacts: Listing) -> list[Discovery]:
    """All of this user, and of the stores of `artifacts` that are not theirs."""
    from spillview.discovery.discovery import discover

    look = (catalogue.places, catalogue.profiles, catalogue.settings)
    seen = [discover(*look)]
    known = {store.root for store in seen[0].stores}
    profiles = catalogue.profiles.items()
    recorded = {name for name, p in profiles if p.transcripts or p.guest}
    finds = artifacts.table.finds
    roots = {finds.root(p) for p in artifacts.order if finds.harness(p) in recorded}
    for root in sorted(roots - known):
        if os.path.isdir(root):
            seen.append(discover(*look, paths=(root,)))
    return seen


def _items(
    seen: Sequence[Discovery], artifacts: Listing
) -> Iterator[tuple[Found, Key | None]]:
    """Each that was found, once; an artifact as it was listed, with its session."""
    met = bytearray(len(artifacts))
    others: set[str] = set()
    finds, order = artifacts.table.finds, artifacts.order
    for each in seen:
        for item in each.found:
            index = artifacts.index_of(item.id)
            if index is None:
                if item.id not in others:
                    others.add(item.id)
                    yield item, None
            elif not met[index]:
                met[index] = True
                yield finds[order[index]], artifacts.session(index)
    for index, place in enumerate(order):
        if not met[index]:
            yield finds[place], artifacts.session(index)


def _found(seen: Sequence[Discovery], artifacts: Listing) -> Sequence[Found]:
    """Each that was found, once: as columns where nothing else is listed."""
    [own, *others] = seen
    if not others:
        finds = own.found
        listed = set(map(finds.ident, range(len(finds))))
        if all(artifacts.ident(i) in listed for i in range(len(artifacts))):
            return finds
    return [item for item, _ in _items(seen, artifacts)]


class _Inodes(Collection[tuple[int, int]]):
    """The files in question, by inode alone: for a mere `in` that may say too much."""

    def __init__(
        self,
        logs: Iterable[TranscriptFound],
        items: Iterable[tuple[Found, Key | None]],
    ) -> None:
        self._inodes = {log.ino for log in logs}
        self._inodes.update(item.ino for item, _ in items if item.type == "file")

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and key[1] in self._inodes

    def __len__(self) -> int:
        return len(self._inodes)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        raise TypeError("devices are not kept")


def _activity(guard: Guard, records: Records, logs: Sequence[TranscriptFound]) -> None:
    """When each session was last active: by its records, else by its transcript."""
    for log in logs:
        named, sessions = log.parent_session or log.session, records.sessions_in(log)
        true = sessions[0] if len(sessions) == 1 else named
        for name in {named, log.spill_session} - {true}:
            guard.true.setdefault((log.harness, name), true)
        for session in sessions:
            facts = records.sessions.get((log.harness, session))
            told = facts.last_active if facts is not None else None
            when = log.mtime_ns / 1e9 if told is None else told
            for name in (log.harness, *records.guests):
                key = (name, session)
                guard.active[key] = max(when, guard.active.get(key, when))


def _sessions(guard: Guard, records: Standing) -> Callable[[Found], Key]:
    """Tells the session of what is none of the artifacts in question."""
    sheets = records.sheets()

    def session_of(item: Found) -> Key:
        session = item.session
        if (item.harness, session) not in sheets:  # or it is what the layout says
            link = records.links.get(item.id)
            if link is not None and link.envelope is not None:
                session = link.envelope.session
        return guard.session_of(item.harness, session)

    return session_of


# What makes a session live


def _times(guard: Guard, now: float) -> None:
    for key, when in guard.active.items():
        age = now - when
        if age < 0:
            guard.live[key] = f"it was active {human_age(age)} (a clock is wrong)"
        elif age < LIVE_SECONDS:
            guard.live[key] = f"it was active {human_age(age)} ago"


def _open_logs(
    guard: Guard,
    logs: Iterable[TranscriptFound],
    held: Mapping[tuple[int, int], bool],
    records: Records,
) -> None:
    for log in logs:
        if (log.dev, log.ino) not in held:
            continue
        # Which of a database's sessions it is open for, nothing tells.
        what = "the database it is in" if log.form == "sqlite" else "its transcript"
        for session in records.sessions_in(log):
            for harness in (log.harness, *records.guests):
                why = f"another process has {what} open"
                guard.live.setdefault((harness, session), why)


def _one_file(
    guard: Guard,
    item: Found,
    key: Key,
    held: Mapping[tuple[int, int], bool],
    now: float,
    recorded: bool,
) -> None:
    """What one file tells of itself and of its session."""
    if item.row is not None:
        return  # the database is its owner's, whoever has it open
    name = path_text(item.name)
    writes = held.get((item.dev, item.ino)) if item.type == "file" else None
    if writes or _grows(item):
        guard.needed[item.id] = "it is being written"
        if recorded:
            guard.live.setdefault(key, f"{name} is being written")
    elif writes is not None:
        guard.needed[item.id] = "another process has it open"
    # A link to a log is as fresh as the log; of a folder it says nothing.
    log_ns = item.target_mtime_ns if item.target_size is not None else None
    for what, when_ns in (("it", item.mtime_ns), ("its target", log_ns)):
        if when_ns is None or item.type == "unreadable":
            continue
        age = now - when_ns / 1e9
        if age >= LIVE_SECONDS:
            continue
        ago = human_age(age) if age < 0 else f"{human_age(age)} ago"
        wrong = " (a clock is wrong)" if age < 0 else ""
        guard.needed.setdefault(item.id, f"{what} changed {ago}{wrong}")
        if recorded and key not in guard.active:
            guard.live.setdefault(key, f"{name} changed {ago}{wrong}")


def _grows(item: Found) -> bool:
    """Whether the file changed since it was found, a moment ago."""
    if item.type != "file":
        return False
    try:
        facts = os.lstat(item.path)
    except OSError:
        return False
    return (facts.st_size, facts.st_mtime_ns) != (item.size, item.mtime_ns)


def _ancestors(guard: Guard, records: Records) -> None:
    """Sessions that a live one goes on from: it has their history before it."""
    todo = list(guard.live)
    while todo:
        harness, session = todo.pop()
        facts = records.sessions.get((harness, session))
        for parent in facts.parents if facts is not None else ():
            key = (harness, parent)
            if key not in guard.live:
                guard.live[key] = f"live session {_short(session)} goes on from it"
                todo.append(key)


# What a live session refers to


def _references(guard: Guard, ident: str, own: Key, records: Records) -> None:
    """Whether a live session points at an artifact, or looked into it."""
    link = records.links.get(ident)
    if link is None or ident in guard.needed:
        return
    for session in (
        *(m.session for m in link.mentions),
        *(r.session for r in link.reads),
    ):
        if session != own[1] and (own[0], session) in guard.live:
            guard.needed[ident] = f"live session {_short(session)} refers to it"
            return


def _citations(
    guard: Guard,
    catalogue: Catalogue,
    records: Records,
    artifacts: Listing,
    cancelled: Cancelled | None,
) -> None:
    """What live sessions of any harness name anywhere in their transcripts."""
    from spillview.links.citations import Citing, cited_in

    live = [
        Citing(log, catalogue.profile(log.harness), session)
        for log in records.logs
        for session in records.sessions_in(log)
        if (log.harness, session) in guard.live
    ]
    if not live:
        return
    open_ = (
        found
        for index, found in enumerate(artifacts.found())
        if guard.session_of(*artifacts.session(index)) not in guard.live
        and found.id not in guard.needed
    )
    for ident, citing in cited_in(live, open_, cancelled).items():
        session, harness = _short(citing.session), citing.log.harness
        guard.needed[ident] = f"live session {session} of {harness} names it"


def _short(session: str) -> str:
    text = path_text(session)
    return text[:8] if len(text) == 36 and text.count("-") == 4 else text
