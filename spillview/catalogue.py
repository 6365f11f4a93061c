"""Every store on this machine as artifacts and sessions: found, counted, linked.

Data flows one way: directory entries (`scan`), then contents and transcripts
(`complete`), each remembered in the cache for the next start.
"""

from __future__ import annotations

import gc
import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from spillview import looks, triage
from spillview.addresses import real_path
from spillview.completion import Completion, growing_now
from spillview.discovery import (
    Discovery,
    StoreFound,
    TranscriptFound,
    discover,
    store_roots,
)
from spillview.errors import Cancelled as Stopped
from spillview.finds import Finds
from spillview.frozen import replace
from spillview.listing import Listing, Table
from spillview.model import (
    Artifact,
    Boundary,
    Counts,
    Found,
    Link,
    Mention,
    Missing,
    Problem,
    Session,
)
from spillview.permissions import world_readable
from spillview.profile import Profile, load_profiles
from spillview.query import Query
from spillview.records import Cancelled, Records
from spillview.rescan import Watched
from spillview.reviewed import is_reviewed
from spillview.standing import Standing
from spillview.transcripts.guests import with_hosts

if TYPE_CHECKING:
    from spillview.cache import Cache, Key
    from spillview.config import Settings
    from spillview.envelope import EnvelopeFacts
    from spillview.gists import Gists
    from spillview.known_gists import Said
    from spillview.links import SessionFacts
    from spillview.places import Places
    from spillview.state import Note, State

__all__ = ["LIVE_SECONDS", "Catalogue", "Query"]

WHOLE_LOOK = 10
"""Every so often everything is looked at for changes."""

REMEMBERED = 2000
"""So many artifacts whose every fact was stored are known to need nothing more."""

LIVE_SECONDS = 3600
"""A session active within the last hour counts as live."""

Progress = Callable[[int, int], None]
"""Called with (done, total) artifacts."""


class UserProfile(NamedTuple):
    """A profile of the user's own, and what it found."""

    harness: str
    path: str
    replaces: bool
    """Whether it has the name of a built-in one, which it takes the place of."""
    artifacts: int
    logs: int
    notices: int
    matched: int
    """Notices in the result of a call that the log tells."""

    def __str__(self) -> str:
        return (
            f"{self.artifacts:,} artifacts, {self.logs:,} logs read,"
            f" {self.notices:,} notices, {self.matched:,} of them in a call's result"
        )


class Catalogue:
    """The artifacts of every store found, with what is known of each so far.

    `scan` and `complete` may run in a worker thread; their results are immutable.
    """

    def __init__(
        self,
        places: Places,
        settings: Settings | None = None,
        *,
        cache: Cache | None = None,
        state: State | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        from spillview.cache import Cache
        from spillview.config import load_settings

        self.places = places
        self.settings = settings if settings is not None else load_settings(places)
        profiles, self._profile_problems = load_profiles(places)
        self.profiles = {name: with_hosts(p, profiles) for name, p in profiles.items()}
        self.cache = cache if cache is not None else Cache(None)
        self.state = state
        self.now = now
        self.stores: list[StoreFound] = []
        self._problems: list[Problem] = []
        self._query = Query()
        self._seen = Discovery()
        self._watched: Watched | None = None
        self._roots: set[tuple[str, str]] = set()
        self._times = 0
        """How often was looked whether something changed."""
        self._marks: dict[str, float] = {}
        self._records = Standing(self.profile, self.cache)
        self._elsewhere: Records | None = None
        """What transcripts say of sessions that may have run in a folder."""
        self._counts: dict[str, tuple[Key, Counts]] = {}
        """What the cache does not have."""
        self._growing: set[str] = set()
        self._looked: dict[str, Link] = {}
        """Links as records alone tell them, of artifacts whose look was stored."""
        self._gates: dict[tuple[str | None, ...], tuple[Boundary, ...]] = {}

    @classmethod
    def here(cls, places: Places | None = None) -> Catalogue:
        """The catalogue of this user's machine, with its cache and state."""
        from spillview.cache import Cache
        from spillview.places import Places
        from spillview.state import State

        where = places if places is not None else Places.here()
        cache = Cache(os.path.join(where.cache_dir, "catalogue.sqlite3"))
        return cls(where, cache=cache, state=State(where))

    def close(self) -> None:
        """Close cache and state."""
        self.cache.close()
        if self.state is not None:
            self.state.close()

    @property
    def finds(self) -> Finds:
        """What the last scan found."""
        return self._seen.found

    @property
    def standing(self) -> Standing:
        """What transcripts say of it."""
        return self._records

    @property
    def marks(self) -> Mapping[str, float]:
        """When the person marked artifacts reviewed, as the last scan found it."""
        return self._marks

    @property
    def boundary(self) -> Boundary | None:
        """The boundary that the last scan's query put in place of all others."""
        return self._query.boundary

    @property
    def problems(self) -> list[Problem]:
        """What could not be read in the last scan and completion."""
        return [*self._problems, *self._records.problems]

    def profile(self, harness: str) -> Profile:
        """The profile of a harness; the plain folder's for one unknown."""
        return self.profiles.get(harness) or self.profiles["folder"]

    # What is there

    def scan(
        self,
        query: Query | None = None,
        *,
        bare: bool = False,
        entries: bool = True,
    ) -> Listing:
        """Artifacts at once, newest first: entries, `stat`, and what is cached.

        Each is made when it is asked for, with what is known of it by then.
        `bare` leaves out what transcripts say, for a first look in half the time;
        without `entries` the last scan's are taken, of the same query, after that.
        Raises `BadInput` for a path that does not exist.
        """
        with _no_collection():
            return self._scan(query, bare, entries)

    def _scan(self, query: Query | None, bare: bool, entries: bool) -> Listing:
        self._query = query = query if query is not None else Query()
        seen = self._seen = self._discover(query) if entries else self._seen
        self._watched = None
        self.stores = seen.stores
        self._problems = [*self._profile_problems, *seen.problems]
        self._growing.clear()
        self._looked.clear()
        self._marks = self.state.reviewed() if self.state is not None else {}
        found = Finds() if bare else seen.found
        self._records.take(() if bare else seen.transcripts, found)
        listing: Listing | None = None
        if query.paths and len(seen.projects) == len(query.paths) and not bare:
            listing = self._ran_in(seen.projects)
        if query.needs_records and not bare:
            self._records.read_all()
        order = listing.order if listing is not None else None
        return query.among(Listing(self._table(seen.found), order)).newest_first()

    def _table(self, finds: Finds) -> Table:
        """The columns of these artifacts, as far as they are known."""
        created = array("d", [mtime / 1e9 for mtime in finds.mtimes])
        sessions = finds.sessions()

        def learn(place: int, link: Link | None) -> None:
            envelope = link.envelope if link is not None else None
            if envelope is not None:
                sessions[place] = envelope.session
                if envelope.time is not None:
                    created[place] = envelope.time

        if finds is self._seen.found:
            records = self._records
            for group, sheet in records.sheets().items():
                places = records.places(group)
                if isinstance(places, range):
                    created[places.start : places.stop] = sheet.created
                else:
                    for place, time in zip(places, sheet.created, strict=True):
                        created[place] = time
                if sheet.session != group[1]:
                    for place in compress(places, sheet.linked):
                        sessions[place] = sheet.session
            for group, items in records.opened():
                for place, item in zip(records.places(group), items, strict=True):
                    learn(place, records.links.get(item.id))
        else:
            for place, item in enumerate(finds):
                learn(place, self._records.link(item))
        return Table(finds, created, sessions, self._assemble)

    def settled(self, artifacts: Iterable[Artifact]) -> Listing:
        """These of the last scan, newest first, once every transcript was read.

        Before that a file's own time stands for its call's, and the order may change.
        """
        self._records.read_all()
        if isinstance(artifacts, Listing):
            listing = Listing(self._table(artifacts.table.finds), artifacts.order)
        else:
            found = Finds(artifact.found for artifact in artifacts)
            listing = Listing(self._table(found))
        return self._query.among(listing).newest_first()

    def _ran_in(self, folders: Sequence[str]) -> Listing:
        """Without sessions that ran elsewhere: a store's folder names are lossy."""
        self._records.read_all()
        places = {os.path.realpath(folder) for folder in folders}
        listing = Listing(self._table(self._seen.found))

        def admitted(session: tuple[str, str]) -> bool:
            facts = self._records.sessions.get(session)
            project = facts.project if facts is not None else None
            return project is None or real_path(project) in places

        fits = {session: admitted(session) for session in listing.groups()}
        return listing.pick(
            index for index in range(len(listing)) if fits[listing.session(index)]
        )

    def _discover(self, query: Query) -> Discovery:
        look = (self.places, self.profiles, self.settings)
        seen = discover(*look, query.paths, query.harness)
        if not seen.plain and not seen.projects:
            return seen
        from spillview.workplaces import with_sessions

        if self._elsewhere is None:
            self._elsewhere = Records(self.profile, self.cache)
        seen = with_sessions(seen, *look, query.harness, self._elsewhere)
        self._records.learn(self._elsewhere)
        return seen

    def narrow(self, artifacts: Iterable[Artifact], query: Query) -> list[Artifact]:
        """Those the query admits, newest first."""
        kept = [a for a in artifacts if query.admits(a)]
        kept.sort(key=lambda a: (-a.created, a.found.address))
        return kept

    def refresh(self) -> bool:
        """Look at the entries again; True when something came, went or changed.

        Most times only at folders, transcripts and the files of sessions at work; a
        file that grew in any other one is noticed at every tenth time.
        """
        watched, self._times = self._watched, self._times + 1
        if watched is not None and self._times % WHOLE_LOOK:
            roots = store_roots(self.places, self.profiles, self._query.harness)
            if roots == self._roots and not watched.may_have_changed():
                return False
        began = time.time()
        seen = self._discover(self._query)
        if self._signature(seen) != self._signature(self._seen):
            return True
        seen.found = self._seen.found  # equal columns need no room of their own
        self._watch(seen, began)
        return False

    def _signature(self, seen: Discovery) -> object:
        return seen.found.signature(), self._records.signature(seen.transcripts)

    def _watch(self, seen: Discovery, began: float) -> None:
        """Keep what tells at the next look whether something changed."""
        self._watched = None
        if not seen.plain and not seen.projects:  # else sessions elsewhere count too
            self._roots = store_roots(self.places, self.profiles, self._query.harness)
            self._watched = Watched(seen, began)

    def _assemble(self, found: Sequence[Found]) -> Iterator[Artifact]:
        """These artifacts of the last scan with what is known of them."""
        counts = self.cache.counts(found)
        for item in found:
            key, counted = self._counts.get(item.id, (None, None))
            if counted is not None and key == item.key:
                counts[item.id] = counted
        stored = self.cache.looks(found)
        unread = self._records.unread()
        if len(self._looked) > REMEMBERED:
            self._looked.clear()
        for item in found:
            link = self._records.link(item)
            if link is not None and link.state == "orphan" and unread(item):
                link = None  # no record is known to point at it, so far
            if link is not None and item.id in stored:
                mark, data = stored[item.id]
                if mark == looks.token(item, link):
                    restored = looks.restore(link, data)
                    if restored is not None:
                        self._looked[item.id], link = link, restored
            reviewed = self._marks.get(item.id)
            yield self._artifact(item, counts.get(item.id), link, item.error, reviewed)

    def _artifact(
        self,
        found: Found,
        counts: Counts | None,
        link: Link | None,
        error: str | None,
        reviewed: float | None,
    ) -> Artifact:
        """The artifact with what follows from its facts: session, gates, flags."""
        envelope = link.envelope if link is not None else None
        session = envelope.session if envelope is not None else found.session
        facts = self._records.sessions.get((found.harness, session))
        artifact = Artifact(
            found,
            counts,
            link,
            self._boundaries(found, link),
            (facts.project if facts is not None else None) or found.project,
            session,
            error,
            self._flags(found, counts, link, error),
            reviewed,
        )
        if reviewed is None or is_reviewed(artifact, self.now()):
            return artifact
        return replace(artifact, reviewed=None)  # it changed since: it is open again

    def _boundaries(self, found: Found, link: Link | None) -> tuple[Boundary, ...]:
        """Those asked for, else those its writer noted, else those of its harness."""
        if self._query.boundary is not None:
            return (self._query.boundary,)
        for mention in link.mentions if link is not None else ():
            if mention.boundaries:
                return mention.boundaries
        envelope = link.envelope if link is not None else None
        tool = (envelope.tool if envelope is not None else None) or found.tool
        version = envelope.version if envelope is not None else None
        kind = (found.harness, found.content, tool, version)
        gates = self._gates.get(kind)
        if gates is None:
            gates = self._gates[kind] = self.profile(found.harness).boundaries_for(
                tool,
                version,
                content=found.content,
                env=self.places.env,
                settings=self.settings,
            )
        return gates

    def _flags(
        self,
        found: Found,
        counts: Counts | None,
        link: Link | None,
        error: str | None,
    ) -> tuple[str, ...]:
        flags = []
        if found.id in self._growing:
            flags.append("growing")
        if counts is None and found.type == "file" and error is None:
            flags.append("uncounted")
        if found.type in ("symlink", "special"):
            flags.append(found.type)
        if error is not None:
            flags.append("unreadable")
        if found.type == "file" and world_readable(found.path, found.mode):
            flags.append("world-readable")
        if (counts is not None and counts.partial) or (link and link.partial):
            flags.append("partial")
        if link is not None and link.intact is False:
            flags.append("digest-mismatch")
        return tuple(flags)

    # The contents

    def complete(
        self,
        artifacts: Iterable[Artifact],
        *,
        huge: bool = False,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Iterator[Artifact]:
        """The artifacts of the last scan with everything counted and linked.

        Yields each in the order given; one whose link was settled only by another
        session's transcript is yielded again at the end. Files over 1 GiB stay
        uncounted unless `huge`.
        """
        todo = artifacts if isinstance(artifacts, Listing) else list(artifacts)
        changed = False
        completion = self._completion()
        self._growing |= growing_now(todo)
        try:
            for done, artifact in enumerate(todo):
                if cancelled is not None and cancelled():
                    return
                changed |= self._records.read_session(artifact.found, cancelled)
                if self._settled(artifact):
                    whole = artifact
                else:
                    whole = self._whole(artifact, completion, huge, cancelled)
                yield whole
                if progress is not None:
                    progress(done + 1, len(todo))
            before = dict(self._records.links)
            harnesses = self._seen.found.harnesses()
            if not isinstance(todo, Listing):
                harnesses = {artifact.found.harness for artifact in todo}
            if not (self._records.read_all(harnesses, cancelled) or changed):
                return
            self._records.join()
            for artifact in self._open_among(todo):
                if self._records.links.get(artifact.id) != before.get(artifact.id):
                    [again] = self._assemble([artifact.found])
                    yield self._whole(again, completion, huge, cancelled)
        except Stopped:
            return
        finally:
            completion.write()

    def _open_among(self, artifacts: Sequence[Artifact]) -> Iterable[Artifact]:
        """Those of sessions whose links what other sessions say may change."""
        is_open = self._records.is_open
        if isinstance(artifacts, Listing):
            places = range(len(artifacts))
            return artifacts.pick(i for i in places if is_open(artifacts.group(i)))
        return [a for a in artifacts if is_open((a.found.harness, a.found.session))]

    def growing_in(self, listing: Listing) -> set[tuple[str, str]]:
        """The sessions of a listing with a file that another process may write."""
        growing = growing_now(listing)
        self._growing |= growing
        places = range(len(listing)) if growing else ()
        return {listing.group(i) for i in places if listing.ident(i) in growing}

    def artifact_at(self, place: int) -> Artifact:
        """The artifact at a place of the last scan, with what is known of it."""
        [artifact] = self._assemble([self._seen.found[place]])
        return artifact

    def complete_one(self, artifact: Artifact) -> Artifact:
        """One artifact of the last scan, counted and linked at once.

        For a search, which asks about what matched alone; what another session's
        transcript would add is left to `complete`.
        """
        completion = self._completion()
        try:
            self._records.read_session(artifact.found)
            return self._whole(artifact, completion)
        finally:
            completion.write()

    def _settled(self, artifact: Artifact) -> bool:
        """Whether the last scan knew all there is to know of it from the cache."""
        looked = self._looked.get(artifact.id)
        return (
            looked is not None
            and looked is self._records.link(artifact.found)
            and artifact.counts is not None
            and artifact.id not in self._growing
            and not self._records.unreadable()(artifact.found)
        )

    def _completion(self) -> Completion:
        return Completion(
            self._records,
            self.cache,
            self.profile,
            self._counts,
            self._growing,
        )

    def _whole(
        self,
        artifact: Artifact,
        completion: Completion,
        huge: bool = False,
        cancelled: Cancelled | None = None,
    ) -> Artifact:
        counts, link, error = completion.facts(artifact, huge, cancelled)
        return self._artifact(artifact.found, counts, link, error, artifact.reviewed)

    @property
    def skipped_lines(self) -> int:
        """Broken lines in the transcripts that were read so far."""
        return sum(skipped for _, skipped, _ in self._records.skipped())

    def skipped_records(self) -> list[tuple[TranscriptFound, int, int]]:
        """Transcripts with broken records: how many were skipped, and how many it has.

        Reads the transcripts that were not read yet.
        """
        self._records.read_all()
        return self._records.skipped()

    def broken_records(self) -> list[Problem]:
        """A sentence for each transcript that was read and has broken records."""
        return [
            Problem(
                log.path,
                f"{skipped:,} of {records:,} records are broken and were skipped",
                log.harness,
            )
            for log, skipped, records in self._records.skipped()
        ]

    def user_profiles(self) -> list[UserProfile]:
        """What each of the user's own profiles found in the last scan."""
        folder = os.path.join(self.places.config_dir, "harnesses")
        return [
            self._user_profile(profile)
            for profile in self.profiles.values()
            if os.path.dirname(profile.source) == folder
        ]

    def _user_profile(self, profile: Profile) -> UserProfile:
        from spillview.profile_cache import built_in

        name = profile.harness
        self._records.read_all({name})
        logs, notices, matched = self._records.tally(name)
        return UserProfile(
            name,
            profile.source,
            any(each.harness == name for each in built_in(self.places)),
            sum(
                number
                for (harness, _), (number, _) in self._seen.found.stores().items()
                if harness == name
            ),
            logs,
            notices,
            matched,
        )

    # What a word names

    def find(self, reference: str, query: Query | None = None) -> Artifact:
        """The artifact that an id (prefix), path or bare file name means, completed.

        Raises `BadInput` when nothing, or more than one thing, answers to it.
        """
        from spillview.reference import find

        return find(self, reference, query if query is not None else Query())

    def where(
        self, words: Sequence[str], query: Query | None = None
    ) -> Sequence[Artifact]:
        """The artifacts that these ids, sessions, harnesses and paths mean together.

        No words mean every artifact the query admits. Raises `BadInput` for a word
        that means nothing.
        """
        from spillview.reference import where

        return where(self, words, query if query is not None else Query())

    def envelope(self, artifact: Artifact) -> EnvelopeFacts:
        """The artifact's envelope beside its content; reads both."""
        from spillview.envelope import envelope_facts

        return envelope_facts(artifact, self.profile(artifact.found.harness))

    # Sessions and what is not there

    def transcript(self, path: str) -> TranscriptFound | None:
        """The transcript at `path`, if the last scan found one there."""
        return self._records.log(path)

    def transcripts(
        self, cancelled: Cancelled | None = None
    ) -> list[tuple[TranscriptFound, str, SessionFacts | None]]:
        """Every session of each transcript of the last scan, and what is known of it.

        Reads the transcripts that were not read yet.
        """
        self._records.read_all(cancelled=cancelled)
        return [
            (log, session, self._records.sessions.get((log.harness, session)))
            for log in self._records.logs
            for session in self._records.sessions_in(log)
        ]

    def mentions_in(self, path: str, session: str) -> list[Mention]:
        """Every envelope in one session of a transcript that was read."""
        return self._records.mentions_in(path, session)

    def sessions(self, artifacts: Iterable[Artifact]) -> list[Session]:
        """The artifacts by session: worst session first, worst artifact first."""
        grouped: dict[tuple[str, str], list[Artifact]] = {}
        for artifact in artifacts:
            key = (artifact.found.harness, artifact.session)
            grouped.setdefault(key, []).append(artifact)
        return triage.order_sessions(
            self.session_of(
                key,
                tuple(members),
                max(a.changed for a in members),
                growing=any("growing" in a.flags for a in members),
            )
            for key, members in grouped.items()
        )

    def session_of(
        self,
        key: tuple[str, str],
        artifacts: Sequence[Artifact],
        changed: float,
        *,
        growing: bool,
    ) -> Session:
        """What is known of the session of a harness and id, with these artifacts.

        `changed`: when the last of them did; `growing`: whether one of them is.
        """
        facts = self._records.sessions.get(key)
        active = facts.last_active if facts is not None else None
        if active is None:
            active = changed
        return Session(
            *key,
            facts.project if facts is not None else None,
            facts.title if facts is not None else None,
            facts.started if facts is not None else None,
            active,
            growing or 0 <= self.now() - active < LIVE_SECONDS,
            artifacts,
            facts.skipped if facts is not None else 0,
        )

    def gists(
        self,
        listing: Listing,
        shelve: Callable[[Artifact], object] = lambda made: None,
        expect: Callable[[int], object] = lambda number: None,
    ) -> tuple[Gists, set[tuple[str, str]]]:
        """See `known_gists.gists_of`."""
        from spillview.known_gists import gists_of

        return gists_of(self, listing, shelve, expect)

    def keep_gists(
        self,
        gists: Gists,
        groups: Iterable[tuple[str, str]],
        said: Callable[[Sequence[int]], Iterable[Said]],
    ) -> set[tuple[str, str]]:
        """See `known_gists.keep`."""
        from spillview.known_gists import keep

        return keep(self, gists, groups, said)

    def said_in(self, group: tuple[str, str]) -> list[Said] | None:
        """See `known_gists.said_in`."""
        from spillview.known_gists import said_in

        return said_in(self, group)

    def is_open(self, group: tuple[str, str]) -> bool:
        """Whether what other sessions say may still change a session's links."""
        return self._records.is_open(group)

    @property
    def has_counts(self) -> bool:
        """Whether anything was ever counted."""
        return bool(self._counts) or self.cache.has_counts()

    def session_named(self, harness: str, session: str) -> tuple[str | None, ...]:
        """The project and the title of a session, as far as transcripts tell."""
        facts = self._records.sessions.get((harness, session))
        return (facts.project, facts.title) if facts is not None else (None, None)

    def missing(
        self, query: Query | None = None, *, cancelled: Cancelled | None = None
    ) -> list[Missing]:
        """Calls of the last scan whose full result is not on disk, newest first.

        Reads the transcripts that were not read yet.
        """
        query = query if query is not None else self._query
        self._records.read_all(cancelled=cancelled)
        rows = []
        for row in self._records.missing:
            when = row.mention.time
            if query.session is not None and not row.session.startswith(query.session):
                continue
            if query.since is not None and (when is None or when < query.since):
                continue
            if query.until is not None and (when is None or when > query.until):
                continue
            swept = self.profile(row.harness).swept(row.state, when, self.now())
            rows.append(replace(row, swept=swept) if swept is not None else row)
        rows.sort(key=lambda m: -(m.mention.time or 0.0))
        return rows

    # The person's own marks

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        """Remember that these were reviewed at `when`; None takes the mark back."""
        if self.state is not None:
            self.state.mark_reviewed(ids, when)

    def reviewed(self) -> dict[str, float]:
        """Every reviewed mark: of artifacts, sessions and calls, with its time."""
        return self.state.reviewed() if self.state is not None else {}

    def notes(self) -> dict[str, Note]:
        """Every note by the id or mark of what it is about."""
        return self.state.notes() if self.state is not None else {}

    def set_note(self, note: Note) -> None:
        """Keep a note; an empty text takes it back."""
        if self.state is not None:
            self.state.set_note(note)

    def forgetting(self) -> str | None:
        """Why marks and notes do not last, as a sentence; None where they do."""
        if self.state is None or self.state.lasts or not self.state.problems:
            return None
        problem = self.state.problems[-1]
        return f"{problem.path}: {problem.sentence}"

    def last_review(self, paths: Sequence[str] = ()) -> float | None:
        """When the person last finished a review of these paths (none: of their own
        stores), seconds since the epoch."""
        return self.state.last_review(paths) if self.state is not None else None

    def set_last_review(self, when: float, paths: Sequence[str] = ()) -> None:
        """Remember that everything of these paths up to `when` was reviewed."""
        if self.state is not None:
            self.state.set_last_review(when, paths)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection meanwhile: looking through 100,000 new facts for
    garbage, of which there is none, takes a fifth of the time of making them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
