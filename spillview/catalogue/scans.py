"""Looking at what is there: the scans of a catalogue, and what the last one found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from spillview.catalogue.finds import Finds
from spillview.catalogue.footing import made_once
from spillview.catalogue.listing import Listing, table_of
from spillview.catalogue.query import Query
from spillview.catalogue.remembered import Remembered
from spillview.collection import uncollected
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.catalogue.ahead import Ahead
    from spillview.catalogue.first_look import FirstLook
    from spillview.catalogue.listing import Table
    from spillview.crews import Crew
    from spillview.discovery.discovery import Discovery, StoreFound, TranscriptFound
    from spillview.discovery.rescan import Rescan
    from spillview.links.records import Records
    from spillview.links.standing import Standing
    from spillview.model import Artifact, Boundary, Problem


class Scans(Remembered):
    """The side of a catalogue that finds artifacts; nothing of it loads before that."""

    _query = Query()
    _ahead: Ahead | None = None
    """What another process looks for, to be taken by the first scan of its query."""
    _scanned: tuple[Listing | None, int] = (None, 0)
    """The last scan's listing, and how often records had been read by then."""

    _there: tuple[str, ...] = ()
    """The PATHs of the last scan, which were all there then."""

    @made_once
    def _problems(self) -> list[Problem]:
        return []

    @made_once
    def _seen(self) -> Discovery:
        from spillview.discovery.discovery import Discovery

        return Discovery()

    @made_once
    def _rescan(self) -> Rescan:
        from spillview.discovery.rescan import Rescan

        return Rescan()

    @made_once
    def _elsewhere(self) -> Records:
        """What transcripts say of sessions that may have run in a folder."""
        from spillview.links.records import Records

        return Records(self.profile, self.cache)

    def _take_profiles(self) -> None:
        super()._take_profiles()
        vars(self).pop("_elsewhere", None)
        self._scanned = None, 0

    def forget(self) -> None:
        """Let go what was found; parts of it hold each other, and would stay long."""
        for name in ("_seen", "_rescan"):
            vars(self).pop(name, None)
        self._take_profiles()

    def tell_reading(self, tell: Callable[[int, int], object]) -> None:
        """Have `tell` called with how many of the unread transcripts are read."""
        self._records.tell = tell

    @property
    def seen(self) -> Discovery:
        """All that the last scan found."""
        return self._seen

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

    def close(self) -> None:
        """Close cache and state, and let go of a look that nobody took."""
        if self._ahead is not None:
            self._ahead.close()
        super().close()

    # What is there

    def take_ahead(self, ahead: Ahead | None) -> None:
        """Have the first scan of its query take what another process looks for."""
        self._ahead = ahead

    def opened(self, query: Query) -> float:
        """When a look at this query began, seconds since the epoch."""
        ahead = self._ahead
        fits = ahead is not None and ahead.query == query
        return ahead.opened if ahead is not None and fits else self.now()

    def first_look(self, query: Query, *, wait: bool) -> FirstLook | None:
        """What another process gives a first frame of very many artifacts, once.

        None where it gives none, and without `wait` where it does not yet.
        """
        ahead = self._ahead
        if ahead is None or ahead.query != query:
            return None
        return ahead.first(wait=wait)

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
        if entries and self._reading.is_outdated(self.places):
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
        from spillview.links.addresses import real_path

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
        ahead, self._ahead = self._ahead, None
        found = ahead.discovery() if ahead is not None else None
        if ahead is not None and found is not None and ahead.query == query:
            return found
        if query.harness is not None and query.harness not in self.profiles:
            from spillview.profiles.own import refused

            why = refused(query.harness, self._profile_problems)
            if why is not None:
                raise BadInput(why)
        from spillview.discovery.discovery import discover

        look = (self.places, self.profiles, self.settings)
        seen = discover(*look, query.paths, query.harness, there=self._there)
        if not seen.plain and not seen.projects:
            return seen
        from spillview.links.workplaces import with_sessions

        seen = with_sessions(seen, *look, query.harness, self._elsewhere)
        self._records.learn(self._elsewhere)
        return seen

    def refresh(self) -> bool:
        """Look at the entries again; True when something came, went or changed.

        Most times only at folders, transcripts and the files of sessions at work; a
        file that grew in any other one is noticed at every tenth time. A profile that
        was edited changes everything.
        """
        if self._reading.is_outdated(self.places):
            return True
        from spillview.discovery.discovery import store_roots

        query = self._query
        return self._rescan.differs(
            self._seen,
            lambda: self._discover(query),
            lambda: store_roots(self.places, self.profiles, query.harness),
        )
