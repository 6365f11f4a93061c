"""What the transcripts of every store say, read once and joined with the artifacts."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from functools import cache

from spillview.discovery.discovery import TranscriptFound
from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.links.readings import kept_facts, read_facts
from spillview.model import Found, Link, Mention, Missing, Problem

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
    from spillview.crews import Crew
    from spillview.links.guests import Guest
    from spillview.links.links import Joined
    from spillview.links.session_facts import SessionFacts
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts

Cancelled = Callable[[], bool]

Told = Mapping[str, bytes | str]
"""By path the stored form of a transcript's facts, or why it cannot be read."""

NOTHING: Told = {}

CLOSED = "A transcript that may point at it could not be read."


class Records:
    """Facts of all transcripts of a scan, and the links they make.

    Transcripts that did not change since the cache knew them are not read; the rest
    are read when an artifact of their session is asked for.
    """

    def __init__(self, profile: Callable[[str], Profile], cache: Cache) -> None:
        self._profile = profile
        self._cache = cache
        self._logs: list[TranscriptFound] = []
        self._facts: dict[str, TranscriptFacts] = {}
        self._stale: set[str] = set()
        self._unreadable: set[str] = set()
        self._unkept: set[str] = set()
        """Transcripts whose facts the cache did not take."""
        self._logs_of: dict[tuple[str, str], list[TranscriptFound]] = {}
        self._found_of: dict[tuple[str, str], list[Found]] = {}
        self._missing: dict[str, list[Missing]] = {}
        self._guests: dict[str, Guest] = {}
        """Harnesses without transcripts of their own that have artifacts here."""
        self.links: dict[str, Link] = {}
        """Links by artifact id, without what needs the artifact's content."""
        self.sessions: dict[tuple[str, str], SessionFacts] = {}
        """What is known of each session, by harness and session id."""
        self.problems: list[Problem] = []
        self.reads = 0
        """How often something new was read, or could not be."""
        self.tell: Callable[[int, int], object] = lambda done, total: None
        """Is told how many of the transcripts that were unread are read."""

    def link(self, found: Found) -> Link | None:
        """The link of an artifact of the last scan, if any."""
        return self.links.get(found.id)

    @property
    def missing(self) -> list[Missing]:
        """Calls whose full result is not on disk, of the transcripts read so far."""
        return [row for rows in self._missing.values() for row in rows]

    def unread(self) -> Callable[[Found], bool]:
        """Tells of an artifact whether a transcript that may point at it is unread."""
        return self._may_tell_of(self._stale)

    def unreadable(self) -> Callable[[Found], bool]:
        """Tells of an artifact whether a transcript that may point at it is closed."""
        return self._may_tell_of(self._unreadable)

    def torn(self) -> Callable[[Found], bool]:
        """Tells of an artifact whether a record that may point at it is broken.

        One of its own session, or, where no artifact of the harness lies with a
        session's, any of the harness.
        """
        broken = {log.path for log, _, _ in self.skipped()}
        harnesses = {log.harness for log in self._logs if log.path in broken}
        known = self._logs_of
        tied = {group[0] for group in self._found_of if group in known}

        def tells(found: Found) -> bool:
            logs = known.get((found.harness, found.session))
            if logs is not None:
                return any(log.path in broken for log in logs)
            if found.harness in self._guests:
                return bool(broken)
            return found.harness in harnesses - tied

        return tells

    def _may_tell_of(self, paths: Set[str]) -> Callable[[Found], bool]:
        guests: Collection[str] = ()
        if paths is self._stale:
            guests = {name for name, guest in self._guests.items() if guest.stale}
        elif paths:
            guests = set(self._guests)
        if not paths and not guests:
            return lambda found: False
        known = self._logs_of

        @cache
        def anywhere(harness: str) -> bool:
            return any(
                log.path in paths for log in self._logs if log.harness == harness
            )

        def tells(found: Found) -> bool:
            if found.harness in guests:
                return True
            logs = known.get((found.harness, found.session))
            if logs is None:
                return anywhere(found.harness)
            return any(log.path in paths for log in logs)

        return tells

    def skipped(self) -> list[tuple[TranscriptFound, int, int]]:
        """Transcripts read so far with broken lines: skipped ones, and all."""
        return [
            (log, facts.skipped, facts.skipped + facts.records)
            for log in self._logs
            if (facts := self._facts.get(log.path)) is not None and facts.skipped
        ]

    def tally(self, harness: str) -> tuple[int, int, int]:
        """Logs of a harness that were read, their notices, and those with a call."""
        logs = notices = with_call = 0
        for log in self._logs:
            facts = self._known(log) if log.harness == harness else None
            if facts is not None:
                mentions = [m for each in facts.each for m in each.mentions]
                logs += 1
                notices += len(mentions)
                with_call += sum(m.tool is not None for m in mentions)
        return logs, notices, with_call

    def _known(self, log: TranscriptFound) -> TranscriptFacts | None:
        """What was read of a transcript."""
        return self._facts.get(log.path)

    @property
    def guests(self) -> tuple[str, ...]:
        """Harnesses whose notices stand in transcripts of all others."""
        return tuple(self._guests)

    def log(self, path: str) -> TranscriptFound | None:
        """The transcript of the last scan at `path`."""
        return next((log for log in self._logs if log.path == path), None)

    def learn(self, other: Records) -> None:
        """Take over what others have read, so that it is not read again."""
        self._facts.update(other._facts)
        for name, guest in other._guests.items():
            known = self._guests.setdefault(name, self._guest(name))
            known.facts.update(guest.facts)

    @property
    def logs(self) -> Sequence[TranscriptFound]:
        """The transcripts of the last scan."""
        return self._logs

    def sessions_in(self, log: TranscriptFound) -> tuple[str, ...]:
        """The true ids of the sessions in a transcript; as its name says, if unread."""
        facts = self._facts.get(log.path)
        if facts is None:
            return (log.parent_session or log.session,)
        return tuple(dict.fromkeys(part.session for part in facts.each))

    def mentions_in(self, path: str, session: str) -> list[Mention]:
        """Every envelope in one session of a transcript, guests' as well."""
        log = self.log(path)
        known = [self._known(log)] if log is not None else []
        known += [guest.facts.get(path) for guest in self._guests.values()]
        return [
            mention
            for facts in known
            if facts is not None
            for part in facts.each
            if not facts.parts or part.session == session
            for mention in part.mentions
            if mention.session == session
        ]

    def take(self, logs: Sequence[TranscriptFound], found: Sequence[Found]) -> None:
        """Start from these transcripts and artifacts, with what the cache knows."""
        self._begin(logs)
        kept: dict[str, TranscriptFacts] = {}
        for log in logs:
            facts = self._facts.get(log.path)
            exact = facts is not None and facts.key == log.key
            if not exact:
                stored = kept_facts(self._cache, log.path, self._rules(log), log.key)
                exact, facts = stored or (False, facts)
            if facts is not None:
                kept[log.path] = facts
            if not exact:
                self._stale.add(log.path)
        self._facts = kept
        for item in found:
            self._found_of.setdefault((item.harness, item.session), []).append(item)
        self._take_guests()
        self.join()

    def _begin(self, logs: Sequence[TranscriptFound]) -> None:
        """Have these transcripts, of which nothing is known yet."""
        self._logs = list(logs)
        self._logs_of, self._found_of, self._stale = {}, {}, set()
        self._unreadable = set()
        self.problems = []
        for log in logs:
            self._logs_of.setdefault((log.harness, log.spill_session), []).append(log)

    def _take_guests(self) -> None:
        """What the cache knows of artifacts whose harness runs inside others."""
        harnesses = dict.fromkeys(harness for harness, _ in self._found_of)
        names = [name for name in harnesses if self._profile(name).guest]
        self._guests = {name: self._guest(name) for name in names}
        for guest in self._guests.values():
            guest.take(self._logs)

    def _guest(self, name: str) -> Guest:
        """A guest, with what was read of it before."""
        from spillview.links.guests import Guest

        known = self._guests.get(name)
        facts = known.facts if known is not None else None
        return Guest(self._profile(name), self._profile, self._cache, facts)

    def _read_guests(self, names: Iterable[str], cancelled: Cancelled | None) -> bool:
        """Read what is new in all transcripts of artifacts of these guests."""
        number = 0
        for name in names:
            guest = self._guests[name]
            number += guest.read(self._logs, self._unreadable, cancelled)
        self.reads += number
        return number > 0

    def read_session(self, found: Found, cancelled: Cancelled | None = None) -> bool:
        """Read what is new in the transcripts that may point at `found`.

        True when something was; the links of its session are then newer.
        """
        if found.harness in self._guests:
            changed = self._read_guests((found.harness,), cancelled)
            if changed:
                self._join_guest(found.harness)
            return changed
        if not self._stale:
            return False
        group = (found.harness, found.session)
        logs, beside = self._logs_of.get(group), self._found_of.get(group, [])
        if logs is None:
            # The layout does not name the session: any transcript may point at it.
            logs = [log for log in self._logs if log.harness == found.harness]
            beside = self._found_in(found.harness)
        changed = self._read(logs, cancelled)
        if changed:
            self._join(found.harness, beside, logs)
        return changed

    def read_all(
        self,
        harnesses: Collection[str] | None = None,
        cancelled: Cancelled | None = None,
        crew: Crew | None = None,
    ) -> bool:
        """Read what is new in every transcript, of these harnesses or of all.

        A fork may have read what another session spilled, so that nothing is "never
        seen" before all are read. True when something was new. A `crew` may help.
        """
        logs = self._logs
        if harnesses is not None:
            logs = [log for log in logs if log.harness in harnesses]
        changed = self._read(logs, cancelled)
        guests = [g for g in self._guests if harnesses is None or g in harnesses]
        changed = self._read_guests(guests, cancelled) or changed
        if changed:
            self.join()
        return changed

    def join(self) -> None:
        """Join everything known, harness by harness."""
        self.links, self.sessions, self._missing = {}, {}, {}
        harnesses = dict.fromkeys(
            harness for harness, _ in (*self._found_of, *self._logs_of)
        )
        for harness in harnesses:
            if harness not in self._guests:
                logs = [log for log in self._logs if log.harness == harness]
                self._join(harness, self._found_in(harness), logs)
        for guest in self._guests:
            self._join_guest(guest)

    def _found_in(self, harness: str) -> list[Found]:
        return [
            f for key, fs in self._found_of.items() if key[0] == harness for f in fs
        ]

    def _rules(self, log: TranscriptFound) -> str:
        return self._profile(log.harness).rules

    def _read(
        self,
        logs: Iterable[TranscriptFound],
        cancelled: Cancelled | None,
        ahead: Told = NOTHING,
    ) -> bool:
        """Read those of `logs` that are stale; True when a fact may have changed.

        `ahead`: what others have read of them already.
        """
        changed = False
        total = len(self._stale)
        for log in logs:
            if log.path not in self._stale:
                continue
            if cancelled is not None and cancelled():
                return changed
            self.tell(total - len(self._stale), total)
            profile, known = self._profile(log.harness), self._facts.get(log.path)
            told = ahead.get(log.path)
            try:
                facts, data = read_facts(log, profile, known, told, cancelled)
            except Unreadable as error:
                self._stale.discard(log.path)
                self._unreadable.add(log.path)
                changed = True
                self.reads += 1
                self.problems.append(Problem(log.path, str(error), log.harness))
                continue
            if cancelled is not None and cancelled():
                return changed
            self._stale.discard(log.path)
            self._facts[log.path] = facts
            rules = self._rules(log)
            kept = self._cache.store_facts(log.path, rules, facts.key, data)
            (self._unkept.discard if kept else self._unkept.add)(log.path)
            changed = True
            self.reads += 1
        return changed

    def _facts_of(self, logs: Iterable[TranscriptFound]) -> Iterator[TranscriptFacts]:
        """What was read of `logs`: the facts of each session in them."""
        for log in logs:
            if log.path in self._facts:
                yield from self._facts[log.path].each

    def _join(
        self, harness: str, found: Sequence[Found], logs: Iterable[TranscriptFound]
    ) -> None:
        facts = list(self._facts_of(logs))
        if found or facts:  # else nothing that joins need be loaded
            self.sessions.update(self._put_together(harness, found, facts).sessions)

    def _join_guest(self, guest: str) -> None:
        """Join a guest's artifacts with what the transcripts of all hosts say of them.

        Its sessions are those of its hosts.
        """
        facts = list(self._guests[guest].each(self._logs))
        joined = self._put_together(guest, self._found_in(guest), facts)
        told = {
            (mention.transcript, mention.record, mention.path)
            for each in self._facts_of(x for x in self._logs if x.harness != guest)
            for mention in each.mentions
        }
        # Where guest and host word a notice alike, one that is gone is the host's.
        self._missing[guest] = [
            row
            for row in self._missing[guest]
            if (row.mention.transcript, row.mention.record, row.mention.path)
            not in told
        ]
        for (host, session), known in joined.sessions.items():
            self.sessions[guest, session] = self.sessions.get((host, session), known)

    def _put_together(
        self, harness: str, found: Sequence[Found], facts: Sequence[TranscriptFacts]
    ) -> Joined:
        from spillview.links.links import join

        joined = join(found, facts, self._profile(harness))
        self.links.update(joined.links)
        told = {problem.path for problem in self.problems}
        self.problems += [
            Problem(path, "no access: permission denied", harness)
            for path in joined.closed
            if path not in told
        ]
        closed = self.unreadable()
        for item in found:
            if self.links[item.id].state == "orphan" and closed(item):
                self.links[item.id] = replace(
                    self.links[item.id], state="unknown", note=CLOSED
                )
        kept = {row.mention: row for row in self._missing.get(harness, [])}
        kept.update({row.mention: row for row in joined.missing})
        self._missing[harness] = list(kept.values())
        return joined
