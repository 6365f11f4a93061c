"""Every store on this machine as artifacts and sessions: found, counted, linked.

Data flows one way: directory entries (`scan`), then contents and transcripts
(`complete`, see `assembly`), each remembered in the cache for the next start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from spillview.catalogue.assembly import Assembly, Progress
from spillview.catalogue.finds import Finds
from spillview.catalogue.listing import Listing, Table, table_of
from spillview.catalogue.query import Query
from spillview.catalogue.remembered import Remembered
from spillview.catalogue.sessions import by_session, session_of
from spillview.collection import uncollected
from spillview.discovery.discovery import (
    Discovery,
    StoreFound,
    TranscriptFound,
    discover,
    store_roots,
)
from spillview.discovery.rescan import Rescan
from spillview.errors import BadInput
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.links.addresses import real_path
from spillview.links.records import Cancelled, Records
from spillview.links.standing import Standing
from spillview.model import (
    Artifact,
    Boundary,
    Found,
    Mention,
    Missing,
    Problem,
    Session,
)
from spillview.profiles.profile import Profile, load_profiles, marks_of
from spillview.transcripts.guests import with_hosts

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
    from spillview.catalogue.gists import Gists
    from spillview.catalogue.known_gists import Said
    from spillview.cleanup.removals import Removals
    from spillview.config import Settings
    from spillview.crews import Crew
    from spillview.discovery.ahead import Ahead
    from spillview.links.session_facts import SessionFacts
    from spillview.places import Places
    from spillview.profiles.own import UserProfile
    from spillview.review.state import State
    from spillview.seen.envelope import EnvelopeFacts

__all__ = ["Catalogue", "Query"]


class Catalogue(Remembered):
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
        from spillview.catalogue.cache import Cache
        from spillview.config import load_settings

        self.places = places
        self.settings = settings if settings is not None else load_settings(places)
        self.cache = cache if cache is not None else Cache(None)
        self.state = state
        self.now = now
        self._problems: list[Problem] = []
        self._query = Query()
        self._seen = Discovery()
        self._ahead: tuple[Query, Ahead] | None = None
        """What is looked for by another process, to be taken by the first scan."""
        self._scanned: tuple[Listing | None, int] = (None, 0)
        """The last scan's listing, and how often records had been read by then."""
        self._there: tuple[str, ...] = ()
        """The PATHs of the last scan, which were all there then."""
        self._rescan = Rescan()
        self._removed: Removals | None = None
        self._elsewhere: Records | None = None
        """What transcripts say of sessions that may have run in a folder."""
        self._take_profiles()

    def _take_profiles(self) -> None:
        """Read the profiles, and forget what was learnt by others."""
        self._profile_marks = marks_of(self.places)
        profiles, self._profile_problems = load_profiles(self.places)
        self.profiles = {name: with_hosts(p, profiles) for name, p in profiles.items()}
        self._records = Standing(self.profile, self.cache)
        self._elsewhere = None
        self._scanned = None, 0
        self._assembly = Assembly(
            self._records,
            self.cache,
            self.profile,
            self.places.env,
            self.settings,
            lambda: self.now(),
        )

    @classmethod
    def here(cls, places: Places | None = None) -> Catalogue:
        """The catalogue of this user's machine, with its cache and state."""
        from spillview.catalogue.cache import Cache
        from spillview.places import Places
        from spillview.review.state import State

        where = places if places is not None else Places.here()
        cache = Cache(os.path.join(where.cache_dir, "catalogue.sqlite3"))
        return cls(where, cache=cache, state=State(where))

    def tell_reading(self, tell: Callable[[int, int], object]) -> None:
        """Have `tell` called with how many of the unread transcripts are read."""
        self._records.tell = tell

    def forget(self) -> None:
        """Let go what was found; parts of it hold each other, and would stay long."""
        self._seen, self._rescan = Discovery(), Rescan()
        self._take_profiles()

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
    def stores(self) -> list[StoreFound]:
        """The stores of the last scan, and what each holds."""
        return self._seen.stores

    @property
    def logs(self) -> Sequence[TranscriptFound]:
        """The transcripts that the last scan found, read or not."""
        return self._seen.transcripts

    @property
    def standing(self) -> Standing:
        """What transcripts say of it."""
        return self._records

    @property
    def boundary(self) -> Boundary | None:
        """The boundary that the last scan's query put in place of all others."""
        return self._assembly.boundary

    @property
    def problems(self) -> list[Problem]:
        """What could not be read in the last scan and completion."""
        return [*self._problems, *self._records.problems]

    @property
    def mended(self) -> list[Problem]:
        """What became of broken files of our own; everything could be read."""
        return [*self.cache.mended, *(self.state.mended if self.state else ())]

    def profile(self, harness: str) -> Profile:
        """The profile of a harness; the plain folder's for one unknown."""
        return self.profiles.get(harness) or self.profiles["folder"]

    # What is there

    def look_ahead(self, query: Query) -> None:
        """Have another process look at the stores, for the scan of the same query.

        Only for a process that has one thread, and then much else to do at first.
        """
        if query.paths:  # which may stand for sessions that the cache tells of
            return
        from spillview.discovery.ahead import look_ahead

        look = (self.places, self.profiles, self.settings)
        ahead = look_ahead(lambda: discover(*look, harness=query.harness))
        self._ahead = (query, ahead) if ahead is not None else None

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
        Raises `BadInput` for a path that is not there, unless it was at the last scan:
        that it is gone is a problem then.
        """
        with uncollected:
            return self._scan(query, bare, entries)

    def _scan(self, query: Query | None, bare: bool, entries: bool) -> Listing:
        if entries and marks_of(self.places) != self._profile_marks:
            self._take_profiles()
        self._query = query = query if query is not None else Query()
        seen = self._seen = self._discover(query) if entries else self._seen
        if entries:
            self._there = tuple(query.paths)
            self._rescan.begin(seen)
        self._problems = [*self._profile_problems, *seen.problems]
        self._assembly.begin(self.reviewed(), self._pins(), query.boundary)
        if not bare:
            self.learn_secrets()
        found = Finds() if bare else seen.found
        self._records.take(() if bare else seen.transcripts, found)
        listing: Listing | None = None
        if query.paths and len(seen.projects) == len(query.paths) and not bare:
            listing = self._ran_in(seen.projects)
        if query.needs_records and not bare:
            self._records.read_all()
        order = listing.order if listing is not None else None
        whole = query.among(Listing(self._table(seen.found), order)).newest_first()
        if not bare:
            self._scanned = whole, self._records.reads
        return whole

    def _table(self, finds: Finds) -> Table:
        """The columns of these artifacts, as far as they are known."""
        records = self._records if finds is self._seen.found else None
        return table_of(finds, self._records.link, self._assembly.make, records)

    def settled(
        self, artifacts: Iterable[Artifact], crew: Crew | None = None
    ) -> Listing:
        """These of the last scan, newest first, once every transcript was read.

        Before that a file's own time stands for its call's, and the order may change.
        A `crew` helps where there are very many.
        """
        self._records.read_all(crew=crew)
        scanned, reads = self._scanned
        if (
            scanned is not None
            and scanned is artifacts
            and reads == self._records.reads
        ):
            return scanned
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
        ahead, self._ahead = self._ahead, None
        if ahead is not None and (seen := ahead[1].result()) and ahead[0] == query:
            return seen
        if query.harness is not None and query.harness not in self.profiles:
            from spillview.profiles.own import refused

            why = refused(query.harness, self._profile_problems)
            if why is not None:
                raise BadInput(why)
        seen = discover(*look, query.paths, query.harness, there=self._there)
        if not seen.plain and not seen.projects:
            return seen
        from spillview.links.workplaces import with_sessions

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
        file that grew in any other one is noticed at every tenth time. A profile that
        was edited changes everything.
        """
        if marks_of(self.places) != self._profile_marks:
            return True
        query = self._query
        return self._rescan.differs(
            self._seen,
            lambda: self._discover(query),
            lambda: store_roots(self.places, self.profiles, query.harness),
        )

    # The contents

    def complete(
        self,
        artifacts: Iterable[Artifact],
        *,
        huge: bool = False,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        crew: Crew | None = None,
    ) -> Iterator[Artifact]:
        """The artifacts of the last scan with everything counted and linked.

        Yields each in the order given; one whose link was settled only by another
        session's transcript is yielded again at the end. Files over 1 GiB stay
        uncounted unless `huge`. A `crew` helps where there are very many.
        """
        return self._assembly.complete(
            artifacts, huge=huge, progress=progress, cancelled=cancelled, crew=crew
        )

    def complete_one(self, artifact: Artifact) -> Artifact:
        """One artifact of the last scan, counted and linked at once.

        For a search, which asks what of it the model saw: where no record points at
        it, nothing more is read. What another session's transcript would add is left
        to `complete`.
        """
        return self._assembly.complete_one(artifact)

    def growing_in(self, listing: Listing) -> set[tuple[str, str]]:
        """The sessions of a listing with a file that another process may write."""
        return self._assembly.growing_in(listing)

    def artifact_at(self, place: int) -> Artifact:
        """The artifact at a place of the last scan, with what is known of it."""
        [artifact] = self._assembly.make([self._seen.found[place]])
        return artifact

    def known(self, found: Found) -> Artifact:
        """The artifact of an entry of the last scan, with what is known of it."""
        [artifact] = self._assembly.make([found])
        return artifact

    def remakes(self, artifact: Artifact) -> bool:
        """Whether a complete artifact is made again as it is: the cache has it."""
        return self._assembly.remakes(artifact)

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
        from spillview.profiles.own import user_profiles

        return user_profiles(self)

    # What a word names

    def find(self, reference: str, query: Query | None = None) -> Artifact:
        """The artifact that an id (prefix), path or bare file name means, completed.

        Raises `BadInput` when nothing, or more than one thing, answers to it.
        """
        from spillview.catalogue.reference import find

        return find(self, reference, query if query is not None else Query())

    def where(
        self, words: Sequence[str], query: Query | None = None
    ) -> Sequence[Artifact]:
        """The artifacts that these ids, sessions, harnesses and paths mean together.

        No words mean every artifact the query admits. Raises `BadInput` for a word
        that means nothing.
        """
        from spillview.catalogue.reference import where

        return where(self, words, query if query is not None else Query())

    def envelope(self, artifact: Artifact) -> EnvelopeFacts:
        """The artifact's envelope beside its content; reads both."""
        from spillview.seen.envelope import envelope_facts

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
        return by_session(artifacts, self.session_of)

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
        return session_of(key, artifacts, changed, growing, facts, self.now())

    def gists(
        self,
        listing: Listing,
        shelve: Callable[[Artifact], object] = lambda made: None,
        expect: Callable[[int], object] = lambda number: None,
    ) -> tuple[Gists, set[tuple[str, str]]]:
        """See `known_gists.gists_of`."""
        from spillview.catalogue.known_gists import gists_of

        return gists_of(self, listing, shelve, expect)

    def keep_gists(
        self,
        gists: Gists,
        groups: Iterable[tuple[str, str]],
        said: Callable[[Sequence[int]], Iterable[Said]],
    ) -> set[tuple[str, str]]:
        """See `known_gists.keep`."""
        from spillview.catalogue.known_gists import keep

        return keep(self, gists, groups, said)

    def said_in(self, group: tuple[str, str]) -> list[Said] | None:
        """See `known_gists.said_in`."""
        from spillview.catalogue.known_gists import said_in

        return said_in(self, group)

    def is_open(self, group: tuple[str, str]) -> bool:
        """Whether what other sessions say may still change a session's links."""
        return self._records.is_open(group)

    @property
    def has_counts(self) -> bool:
        """Whether anything was ever counted."""
        return self._assembly.has_counts

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
        removals = self._removals()
        for row in filter(query.admits_call, self._records.missing):
            if removals is not None and row.state == "dangling":
                removal = removals.of(row)
                if removal is not None:
                    said = removal.sentence
                    rows.append(replace(row, swept=said, removal=removal))
                    continue
            when = row.mention.time
            swept = self.profile(row.harness).swept(row.state, when, self.now())
            rows.append(replace(row, swept=swept) if swept is not None else row)
        rows.sort(key=lambda m: -(m.mention.time or 0.0))
        return rows

    def _removals(self) -> Removals | None:
        """What our own clean-ups took; None where there was none."""
        if not os.path.lexists(os.path.join(self.places.state_dir, "trash")):
            return None
        if self._removed is None:
            from spillview.cleanup.removals import Removals

            self._removed = Removals(self.places)
        return self._removed
