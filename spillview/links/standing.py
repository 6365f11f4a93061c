"""Transcripts' facts of very many sessions: only those in question are in memory.

What stands for itself (see `sheets`) is put away behind a sheet, and its links are made
again when one of its artifacts is shown. All others, and whatever they may mean, are
joined as one, as `Records` does it.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)

from spillview.catalogue.cache import BATCH, as_stored
from spillview.catalogue.finds import Finds
from spillview.hints import TYPE_CHECKING
from spillview.links.near import Near
from spillview.links.readings import kept_facts
from spillview.links.records import NOTHING, Cancelled, Records, Told
from spillview.links.sheets import (
    Group,
    Meant,
    Sheet,
    Sheets,
    may_stand_alone,
    sheet_of,
    stands_alone,
    token_of,
)

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
    from spillview.crews import Crew
    from spillview.discovery.discovery import TranscriptFound
    from spillview.links.ahead import Session
    from spillview.links.session_facts import SessionFacts
    from spillview.model import Found, Link
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts


class Standing(Records):
    """`Records` that keeps what stands for itself out of memory."""

    def __init__(self, profile: Callable[[str], Profile], cache: Cache) -> None:
        super().__init__(profile, cache)
        self._lasts = False
        """Whether the cache keeps what is put away."""
        self._found = Finds()
        self._places: Mapping[Group, Sequence[int]] = {}
        self._sheets = Sheets(cache)
        self._near = Near()
        self._agents: set[Group] = set()
        self._fit: dict[str, bool] = {}

    # What is known

    def link(self, found: Found) -> Link | None:
        """The link of an artifact; None while its transcripts are unread."""
        group = (found.harness, found.session)
        if group not in self._sheets.held:
            return self.links.get(found.id)
        if not self._logs_of.get(group) and not found.copies:
            return self._unspoken(found.harness)
        known = self._near.of(group)
        if known is None:
            links = self._made(group)
            if links is None:
                return self._again(group).get(found.id)
            self._near.keep(group, links)
            known = links.get
        return known(found.id)

    def _unspoken(self, harness: str) -> Link:
        """The link of an artifact of which there are no transcripts at all."""
        from spillview.links.links import unspoken

        return unspoken(self._profile(harness))

    def is_open(self, group: Group) -> bool:
        """Whether a session's links may still change by what others say."""
        return group in self._found_of

    def sheets(self) -> Mapping[Group, Sheet]:
        """The sessions that stand for themselves."""
        return self._sheets.held

    def places(self, group: Group) -> Sequence[int]:
        """The places of a session's artifacts among those taken."""
        return self._places.get(group, ())

    def opened(self) -> Iterable[tuple[Group, Sequence[Found]]]:
        """The others, as far as anything is known of them, with their artifacts."""
        return self._found_of.items()

    def skipped(self) -> list[tuple[TranscriptFound, int, int]]:
        """Transcripts read so far with broken lines: skipped ones, and all."""
        told = super().skipped()
        for group, sheet in self._sheets.held.items():
            if sheet.skipped:
                for log in self._logs_of.get(group, ()):
                    if log.path in sheet.skipped:
                        told.append((log, *sheet.skipped[log.path]))
        return told

    def sessions_in(self, log: TranscriptFound) -> tuple[str, ...]:
        """The true ids of the sessions in a transcript; as its name says, if unread."""
        sheet = self._sheets.held.get((log.harness, log.spill_session))
        return (sheet.session,) if sheet is not None else super().sessions_in(log)

    def _known(self, log: TranscriptFound) -> TranscriptFacts | None:
        """What was read of a transcript, of one that is put away as well."""
        if (log.harness, log.spill_session) in self._sheets.held:
            return self._stored(log)
        return super()._known(log)

    # Starting

    def take(self, logs: Sequence[TranscriptFound], found: Sequence[Found]) -> None:
        """Start from these transcripts and artifacts, with what the cache knows."""
        self._found = found if isinstance(found, Finds) else Finds(found)
        self._places = self._found.groups()
        self._sheets = Sheets(self._cache)
        self._lasts = self._cache.lasts
        if not self._lasts:
            super().take(logs, found)
            return
        self._begin(logs)
        self._near = Near()
        self.links, self.sessions, self._missing = {}, {}, {}
        self._agents = {(log.harness, log.agent) for log in logs if log.agent}
        stored = self._cache.facts_keys()
        known = set()
        for log in logs:
            rules, key = stored.get(log.path, (None, None))
            if rules == self._rules(log):
                known.add(log.path)
            facts = self._facts.get(log.path)
            exact = facts is not None and facts.key == log.key
            if not exact and (log.path not in known or key != as_stored(log.key)):
                self._stale.add(log.path)
        self._facts = {
            log.path: self._facts[log.path] for log in logs if log.path in self._facts
        }
        self._sheets.take(self._holds)
        for group in dict.fromkeys((*self._places, *self._logs_of)):
            paths = [log.path for log in self._logs_of.get(group, ())]
            if group in self._sheets.held:
                continue
            told = [path for path in paths if path in known or path in self._facts]
            if told or not paths:
                self._open(group)
                self._settle(group)
        for harness, session in self._places:
            if self._profile(harness).guest:
                self._open((harness, session))
        self._take_guests()
        self.join()
        self._sheets.write()

    def _holds(self, group: Group, token: str) -> bool:
        """Whether the sheet of a session holds for what is there now."""
        logs = self._logs_of.get(group, [])
        if group not in self._places and not logs:
            return False
        if any(log.path in self._stale for log in logs) or group in self._agents:
            return False
        return token == self._token(group)

    def _token(self, group: Group) -> str:
        logs = self._logs_of.get(group, ())
        rules = self._profile(group[0]).rules
        return token_of(rules, logs, self._found, self._places.get(group, ()))

    # Opening and putting away

    def _open(self, group: Group) -> None:
        """Have a session's artifacts and its transcripts' facts in memory."""
        if group in self._found_of:
            return
        self._sheets.drop(group)
        self._near.drop(group)
        self._found_of[group] = [self._found[p] for p in self._places.get(group, ())]
        for log in self._logs_of.get(group, ()):
            if log.path not in self._facts:
                facts = self._stored(log)
                if facts is not None:
                    self._facts[log.path] = facts
                if facts is None or facts.key != log.key:
                    self._stale.add(log.path)

    def _stored(
        self, log: TranscriptFound, *, exact: bool = False
    ) -> TranscriptFacts | None:
        stored = kept_facts(self._cache, log.path, self._rules(log), log.key)
        if stored is None or (exact and not stored[0]):
            return None
        return stored[1]

    def _settle(self, group: Group) -> None:
        """Join a session by itself, and put it away if it stands for itself."""
        from spillview.links.addresses import Addresses
        from spillview.transcripts.calls import Marks

        harness, _ = group
        logs = self._logs_of.get(group, ())
        fit = self._fit.get(harness)
        profile = self._profile(harness)
        if fit is None:
            fit = self._fit[harness] = may_stand_alone(profile)
        if not fit or group in self._agents:
            return
        here_alone = self._stale | self._unreadable | self._unkept
        if any(log.path in here_alone for log in logs):
            return
        found = self._found_of[group]
        facts = list(self._facts_of(logs))
        joined = self._put_together(harness, found, facts)
        self.sessions.update(joined.sessions)
        addresses = Addresses(found, Marks.of(profile))
        if not stands_alone(group, found, facts, joined, addresses):
            return
        sheet = sheet_of(group, self._token(group), found, facts, joined)
        for log in logs:
            facts_of = self._facts[log.path]
            if facts_of.skipped:
                total = facts_of.skipped + facts_of.records
                sheet.skipped[log.path] = (facts_of.skipped, total)
        other = self._sheets.put(group, sheet)
        if other is not None:
            self._open(other)
            return
        for log in logs:
            del self._facts[log.path]
        del self._found_of[group]
        self._near.keep(group, {item.id: self.links.pop(item.id) for item in found})

    def _again(self, group: Group) -> dict[str, Link]:
        """The links of a session whose facts the cache has lost: it is read again."""
        logs = self._logs_of.get(group, ())
        self._open(group)
        self._read(logs, None)
        self._join(group[0], self._found_of[group], logs)
        return self.links

    def _made(self, group: Group) -> dict[str, Link] | None:
        """The links of a session that is put away; None if its facts are lost."""
        from spillview.links.links import join

        found = [self._found[place] for place in self._places.get(group, ())]
        facts: list[TranscriptFacts] = []
        for log in self._logs_of.get(group, ()):
            stored = self._stored(log, exact=True)
            if stored is None:
                return None
            facts += stored.each
        return join(found, facts, self._profile(group[0])).links

    # What may mean another session

    def _pull(self) -> None:
        """Open what an open session may mean, and what it carries on."""
        opened: set[Group] = set()
        while fresh := [group for group in self._found_of if group not in opened]:
            opened.update(fresh)
            meant = Meant()
            for group in fresh:
                logs = self._logs_of.get(group, ())
                meant.add(group[0], self._found_of[group], self._facts_of(logs))
            for group, sheet in list(self._sheets.held.items()):
                if meant.may_be(group, sheet, self._found, self.places(group)):
                    self._open(group)

    # Reading

    def read_session(self, found: Found, cancelled: Cancelled | None = None) -> bool:
        """Read what is new in the transcripts that may point at `found`."""
        if not self._lasts or found.harness in self._guests:
            return super().read_session(found, cancelled)
        if not self._stale:
            return False
        group = (found.harness, found.session)
        logs = self._logs_of.get(group)
        if logs is None:
            return self.read_all((found.harness,), cancelled)
        return self._read_group(group, logs, cancelled)

    def _read_group(
        self,
        group: Group,
        logs: Sequence[TranscriptFound],
        cancelled: Cancelled | None,
        ahead: Told = NOTHING,
    ) -> bool:
        if all(log.path not in self._stale for log in logs):
            return False
        self._open(group)
        changed = self._read(logs, cancelled, ahead)
        if changed:
            self._settle(group)
            if group in self._found_of:
                self._join(group[0], self._found_of[group], logs)
            self._sheets.write(least=BATCH)
        return changed

    def read_all(
        self,
        harnesses: Collection[str] | None = None,
        cancelled: Cancelled | None = None,
        crew: Crew | None = None,
    ) -> bool:
        """Read what is new in every transcript, of these harnesses or of all."""
        if not self._lasts:
            return super().read_all(harnesses, cancelled)
        changed = False
        if total := len(self._stale):
            sessions = [
                each
                for each in self._logs_of.items()
                if harnesses is None or each[0][0] in harnesses
            ]
            tell, self.tell = self.tell, lambda done, of: None
            try:
                for (group, logs), ahead in self._ahead(sessions, cancelled, crew):
                    changed = self._read_group(group, logs, cancelled, ahead) or changed
                    tell(total - len(self._stale), total)
            finally:
                self.tell = tell
        guests = [g for g in self._guests if harnesses is None or g in harnesses]
        changed = self._read_guests(guests, cancelled) or changed
        if changed:
            self.join()
        self._sheets.write()
        return changed

    def _ahead(
        self,
        sessions: Sequence[Session],
        cancelled: Cancelled | None,
        crew: Crew | None,
    ) -> Iterator[tuple[Session, Told]]:
        """Sessions, and what others have read of their transcripts by then, if any."""
        if crew is None or len(sessions) < 2:
            return ((each, NOTHING) for each in sessions)
        from spillview.links.ahead import with_readings

        stored = self._cache.facts_keys()

        def unread(log: TranscriptFound) -> bool:
            rules, _ = stored.get(log.path, (None, None))
            known = log.path in self._facts or rules == self._rules(log)
            return log.path in self._stale and not known

        return with_readings(sessions, unread, self._profile, cancelled, crew)

    def join(self) -> None:
        """Join everything that does not stand for itself, harness by harness."""
        self._pull()
        super().join()
        known: dict[Group, SessionFacts] = {
            (group[0], sheet.session): sheet.facts
            for group, sheet in self._sheets.held.items()
            if group in self._logs_of
        }
        self.sessions = {**known, **self.sessions}
