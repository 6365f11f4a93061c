"""What the transcripts of every store say, read once and joined with the artifacts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cache

from spillview.discovery.discovery import TranscriptFound
from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.model import Found, Link, Mention, Missing, Problem

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
    from spillview.crews import Crew
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
        self._guests: tuple[str, ...] = ()
        """Harnesses without transcripts of their own that have artifacts here."""
        self._of_guests: dict[tuple[str, str], TranscriptFacts] = {}
        """What transcripts say of a guest's artifacts, by guest and path."""
        self._stale_for: set[tuple[str, str]] = set()
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

    def _may_tell_of(self, paths: Set[str]) -> Callable[[Found], bool]:
        guests = {guest for guest, _ in self._stale_for} if paths is self._stale else ()
        if paths and paths is self._unreadable:
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
        read = [
            facts
            for log in self._logs
            if log.harness == harness
            and (facts := self._facts.get(log.path)) is not None
        ]
        mentions = [m for facts in read for each in facts.each for m in each.mentions]
        return len(read), len(mentions), sum(m.tool is not None for m in mentions)

    @property
    def guests(self) -> tuple[str, ...]:
        """Harnesses whose notices stand in transcripts of all others."""
        return self._guests

    def log(self, path: str) -> TranscriptFound | None:
        """The transcript of the last scan at `path`."""
        return next((log for log in self._logs if log.path == path), None)

    def learn(self, other: Records) -> None:
        """Take over what others have read, so that it is not read again."""
        self._facts.update(other._facts)
        self._of_guests.update(other._of_guests)

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
        known = [self._facts.get(path)]
        known += [self._of_guests.get((guest, path)) for guest in self._guests]
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
        self._logs = list(logs)
        self._logs_of, self._found_of, self._stale = {}, {}, set()
        self._unreadable = set()
        self.problems = []
        kept: dict[str, TranscriptFacts] = {}
        for log in logs:
            group = (log.harness, log.spill_session)
            self._logs_of.setdefault(group, []).append(log)
            facts = self._facts.get(log.path)
            exact = facts is not None and facts.key == log.key
            if not exact:
                stored = self._cache.facts(log.path, self._rules(log), log.key)
                if stored is not None:
                    # Not before: without transcripts a list starts sooner.
                    from spillview.transcripts.facts import TranscriptFacts

                    exact, data = stored
                    facts = TranscriptFacts.from_json(data) or facts
            if facts is not None:
                kept[log.path] = facts
            if facts is None or not exact:
                self._stale.add(log.path)
        self._facts = kept
        for item in found:
            self._found_of.setdefault((item.harness, item.session), []).append(item)
        self._take_guests()
        self.join()

    def _take_guests(self) -> None:
        """What the cache knows of artifacts whose harness runs inside others."""
        harnesses = dict.fromkeys(harness for harness, _ in self._found_of)
        self._guests = tuple(name for name in harnesses if self._profile(name).guest)
        self._stale_for = set()
        kept: dict[tuple[str, str], TranscriptFacts] = {}
        for guest in self._guests:
            for log in self._logs:
                place = (guest, log.path)
                facts = self._of_guests.get(place)
                exact = facts is not None and facts.key == log.key
                if not exact:
                    name, rules = _aside(log, guest), self._guest_rules(log, guest)
                    stored = self._cache.facts(name, rules, log.key)
                    if stored is not None:
                        from spillview.transcripts.facts import TranscriptFacts

                        exact, data = stored
                        facts = TranscriptFacts.from_json(data) or facts
                if facts is not None:
                    kept[place] = facts
                if facts is None or not exact:
                    self._stale_for.add(place)
        self._of_guests = kept

    def _guest_rules(self, log: TranscriptFound, guest: str) -> str:
        return f"{self._rules(log)} {self._profile(guest).rules}"

    def _read_guests(
        self, guests: Collection[str], cancelled: Cancelled | None
    ) -> bool:
        """Read what is new in all transcripts of artifacts of these guests."""
        if not self._stale_for:
            return False
        from spillview.transcripts.guests import read_guest

        changed = False
        for guest in guests:
            for log in self._logs:
                place = (guest, log.path)
                if place not in self._stale_for or log.path in self._unreadable:
                    continue
                if cancelled is not None and cancelled():
                    return changed
                host, profile = self._profile(log.harness), self._profile(guest)
                known = self._of_guests.get(place)
                try:
                    facts = read_guest(log, host, profile, known, cancelled)
                except Unreadable:
                    # Told where the host's own facts are read.
                    self._stale_for.discard(place)
                    continue
                if cancelled is not None and cancelled():
                    return changed
                self._stale_for.discard(place)
                self._of_guests[place] = facts
                self._cache.store_facts(
                    _aside(log, guest),
                    self._guest_rules(log, guest),
                    facts.key,
                    facts.to_json(),
                )
                changed = True
                self.reads += 1
        return changed

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
        from spillview.transcripts import read_transcript
        from spillview.transcripts.facts import TranscriptFacts

        changed = False
        total = len(self._stale)
        for log in logs:
            if log.path not in self._stale:
                continue
            if cancelled is not None and cancelled():
                return changed
            self.tell(total - len(self._stale), total)
            profile = self._profile(log.harness)
            told = ahead.get(log.path)
            try:
                if isinstance(told, str):
                    raise Unreadable(told)
                facts = TranscriptFacts.from_json(told) if told is not None else None
                if facts is None:
                    told = None
                    facts = read_transcript(
                        log, profile, self._facts.get(log.path), cancelled=cancelled
                    )
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
            kept = self._cache.store_facts(
                log.path, self._rules(log), facts.key, told or facts.to_json()
            )
            (self._unkept.discard if kept else self._unkept.add)(log.path)
            changed = True
            self.reads += 1
        return changed

    def _join(
        self, harness: str, found: Sequence[Found], logs: Iterable[TranscriptFound]
    ) -> None:
        facts = [
            each
            for log in logs
            if log.path in self._facts
            for each in self._facts[log.path].each
        ]
        if found or facts:  # else nothing that joins need be loaded
            self.sessions.update(self._put_together(harness, found, facts).sessions)

    def _join_guest(self, guest: str) -> None:
        """Join a guest's artifacts with what the transcripts of all hosts say of them.

        Its sessions are those of its hosts.
        """
        facts = [
            each
            for log in self._logs
            if (guest, log.path) in self._of_guests
            for each in self._of_guests[guest, log.path].each
        ]
        joined = self._put_together(guest, self._found_in(guest), facts)
        told = {
            (mention.transcript, mention.record, mention.path)
            for log in self._logs
            if log.harness != guest and log.path in self._facts
            for each in self._facts[log.path].each
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


def _aside(log: TranscriptFound, guest: str) -> str:
    """The name under which the cache keeps what a transcript says of a guest's."""
    return f"{log.path}\0{guest}"
