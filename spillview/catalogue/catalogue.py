"""Every store on this machine as artifacts and sessions: found, counted, linked.

Data flows one way: directory entries (`scan`), then contents and transcripts
(`complete`, see `assembly`), each remembered in the cache for the next start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from spillview.catalogue.query import Query
from spillview.catalogue.scans import Scans
from spillview.catalogue.sessions import by_session, session_of
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.model import Problem

if TYPE_CHECKING:
    from spillview.catalogue.assembly import Progress
    from spillview.catalogue.gists import Gists
    from spillview.catalogue.known_gists import Said
    from spillview.catalogue.listing import Listing
    from spillview.cleanup.removals import Removals
    from spillview.crews import Crew
    from spillview.discovery.discovery import TranscriptFound
    from spillview.links.records import Cancelled
    from spillview.links.session_facts import SessionFacts
    from spillview.model import Artifact, Found, Mention, Missing, Session
    from spillview.places import Places
    from spillview.profiles.own import UserProfile
    from spillview.seen.envelope import EnvelopeFacts

__all__ = ["Catalogue", "Query"]


class Catalogue(Scans):
    """The artifacts of every store found, with what is known of each so far.

    `scan` and `complete` may run in a worker thread; their results are immutable.
    """

    _removed: Removals | None = None

    @classmethod
    def here(cls, places: Places | None = None) -> Catalogue:
        """The catalogue of this user's machine, with its cache and state."""
        from spillview.places import Places

        where = places if places is not None else Places.here()
        cache = os.path.join(where.cache_dir, "catalogue.sqlite3")
        return cls(where, cache=cache, state=True)

    def narrow(self, artifacts: Iterable[Artifact], query: Query) -> list[Artifact]:
        """Those the query admits, newest first."""
        kept = [a for a in artifacts if query.admits(a)]
        kept.sort(key=lambda a: (-a.created, a.found.address))
        return kept

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
