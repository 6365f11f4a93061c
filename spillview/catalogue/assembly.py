"""What is known of the artifacts of one scan, put together; the rest is found out.

`Assembly.make` gives an artifact with what cache and transcripts say of it so far,
`Assembly.complete` with everything counted and linked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from spillview.catalogue import looks
from spillview.catalogue.completion import Begun, Completion, growing_now, hands_of
from spillview.catalogue.examination import Examined
from spillview.catalogue.listing import Listing
from spillview.errors import Cancelled as Stopped
from spillview.exposure.permissions import world_readable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.links.records import Cancelled
from spillview.model import Artifact, Boundary, Counts, Found, Link
from spillview.review.reviewed import is_reviewed

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache, Key
    from spillview.cleanup.pins import Pinned
    from spillview.config import Settings
    from spillview.crews import Crew
    from spillview.links.standing import Standing
    from spillview.profiles.profile import Profile
    from spillview.secrets.kept import Known

REMEMBERED = 2000
"""So many artifacts whose every fact was stored are known to need nothing more."""

Progress = Callable[[int, int], None]
"""Called with (done, total) artifacts."""


class Assembly:
    """The artifacts of the last scan as far as they are known."""

    def __init__(
        self,
        records: Standing,
        cache: Cache,
        profile: Callable[[str], Profile],
        env: Mapping[str, str],
        settings: Settings,
        now: Callable[[], float],
    ) -> None:
        self.records = records
        self.cache = cache
        self.profile = profile
        self.now = now
        self.marks: dict[str, float] = {}
        """When the person marked artifacts reviewed, as the last scan found it."""
        self.pinned: Pinned | None = None
        """What the person pinned; None where nothing is."""
        self.holding: Known | None = None
        """What is known to hold credentials."""
        self.boundary: Boundary | None = None
        """The boundary that the last scan's query put in place of all others."""
        self._env = env
        self._settings = settings
        self._counts: dict[str, tuple[Key, Counts]] = {}
        """What the cache does not have."""
        self._growing: set[str] = set()
        self._looked: dict[str, Link] = {}
        """Links as records alone tell them, of artifacts whose look was stored."""
        self._gates: dict[tuple[str | None, ...], tuple[Boundary, ...]] = {}

    def begin(
        self,
        marks: dict[str, float],
        pinned: Pinned | None,
        boundary: Boundary | None,
    ) -> None:
        """Start from a new scan: the person's marks and pins, the query's boundary."""
        self.marks, self.pinned, self.boundary = marks, pinned, boundary
        self._growing.clear()
        self._looked.clear()

    @property
    def has_counts(self) -> bool:
        """Whether anything was ever counted."""
        return bool(self._counts) or self.cache.has_counts()

    def make(self, found: Sequence[Found]) -> Iterator[Artifact]:
        """These artifacts of the last scan with what is known of them."""
        counts = self.cache.counts(found)
        for item in found:
            key, counted = self._counts.get(item.id, (None, None))
            if counted is not None and key == item.key:
                counts[item.id] = counted
        stored = self.cache.looks(found)
        unread = self.records.unread()
        if len(self._looked) > REMEMBERED:
            self._looked.clear()
        for item in found:
            link = self.records.link(item)
            if link is not None and link.state == "orphan" and unread(item):
                link = None  # no record is known to point at it, so far
            if link is not None and item.id in stored:
                mark, data = stored[item.id]
                if mark == looks.token(item, link, self.profile(item.harness)):
                    restored = looks.restore(link, data)
                    if restored is not None:
                        self._looked[item.id], link = link, restored
            reviewed = self.marks.get(item.id)
            yield self._artifact(
                item,
                counts.get(item.id),
                link,
                item.error,
                reviewed,
                self._project(item, link),
            )

    def _project(self, found: Found, link: Link | None) -> str | None:
        facts = self.records.sessions.get((found.harness, _session(found, link)))
        return (facts.project if facts is not None else None) or found.project

    def _artifact(
        self,
        found: Found,
        counts: Counts | None,
        link: Link | None,
        error: str | None,
        reviewed: float | None,
        project: str | None,
    ) -> Artifact:
        """The artifact with what follows from its facts: session, gates, flags."""
        artifact = Artifact(
            found,
            counts,
            link,
            self._boundaries(found, link),
            project,
            _session(found, link),
            error,
            self._flags(found, counts, link, error),
            reviewed,
        )
        if self.pinned is not None:
            artifact = self.with_pin(artifact)
        if self.holding:
            artifact = self.with_secrets(artifact)
        if reviewed is None or is_reviewed(artifact, self.now()):
            return artifact
        return replace(artifact, reviewed=None)  # it changed since: it is open again

    def with_pin(self, artifact: Artifact) -> Artifact:
        """The artifact with the flag of a pin that it has by now, or without it."""
        found, flags = artifact.found, artifact.flags
        sessions = {(found.harness, s) for s in (artifact.session, found.session)}
        pinned = self.pinned is not None and self.pinned.why(found.id, sessions)
        if bool(pinned) is ("pinned" in flags):
            return artifact
        kept = tuple(each for each in flags if each != "pinned")
        return replace(artifact, flags=(*kept, "pinned") if pinned else kept)

    def with_secrets(self, artifact: Artifact) -> Artifact:
        """The artifact with the credentials that are known to be in it."""
        from spillview.secrets.kept import with_secrets

        known = self.holding.of(artifact.found) if self.holding else None
        return with_secrets(artifact, known)

    def _boundaries(self, found: Found, link: Link | None) -> tuple[Boundary, ...]:
        """Those asked for, else those its writer noted, else those of its harness."""
        if self.boundary is not None:
            return (self.boundary,)
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
                env=self._env,
                settings=self._settings,
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
        crew: Crew | None = None,
    ) -> Iterator[Artifact]:
        """See `Catalogue.complete`."""
        todo = artifacts if isinstance(artifacts, Listing) else list(artifacts)
        changed = False
        if isinstance(todo, Listing):
            harnesses = todo.table.finds.harnesses()
        else:
            harnesses = {artifact.found.harness for artifact in todo}
        completion = self._completion()
        self._growing |= growing_now(todo)
        profiles = {harness: self.profile(harness) for harness in harnesses}
        hands = hands_of(completion, profiles, crew, cancelled)

        def begun() -> Iterator[Begun]:
            nonlocal changed
            for artifact in todo:
                _stop(cancelled)
                changed |= self.records.read_session(artifact.found, cancelled)
                yield self._begun(artifact, completion, huge)

        def again(before: dict[str, Link]) -> Iterator[Begun]:
            for artifact in self._open_among(todo):
                _stop(cancelled)
                if self.records.links.get(artifact.id) != before.get(artifact.id):
                    [anew] = self.make([artifact.found])
                    yield self._begun(anew, completion, huge, anew=True)

        try:
            over = hands.over(begun(), cancelled, len(todo))
            for done, (each, examined) in enumerate(over):
                _stop(cancelled)
                yield self._ended(each, examined, completion)
                if progress is not None:
                    progress(done + 1, len(todo))
            before = dict(self.records.links)
            if not (self.records.read_all(harnesses, cancelled) or changed):
                return
            self.records.join()
            for each, examined in hands.over(again(before), cancelled):
                yield self._ended(each, examined, completion)
        except Stopped:
            return
        finally:
            hands.close()
            completion.close()

    def _begun(
        self,
        artifact: Artifact,
        completion: Completion,
        huge: bool,
        *,
        anew: bool = False,
    ) -> Begun:
        """An artifact whose transcripts were read, and what is to be done for it."""
        if not anew and self._settled(artifact):
            return Begun(artifact, None, None)
        prepared = completion.prepare(artifact, huge)
        return Begun(
            artifact, prepared, self._project(artifact.found, prepared.task.link)
        )

    def _ended(
        self, begun: Begun, examined: Examined | None, completion: Completion
    ) -> Artifact:
        """The artifact with what examining it has found."""
        artifact, prepared, project = begun
        if prepared is None or examined is None:
            return artifact
        counts, link, error = completion.learn(prepared, examined)
        return self._artifact(
            artifact.found, counts, link, error, artifact.reviewed, project
        )

    def _open_among(self, artifacts: Sequence[Artifact]) -> Iterable[Artifact]:
        """Those of sessions whose links what other sessions say may change."""
        is_open = self.records.is_open
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

    def complete_one(self, artifact: Artifact) -> Artifact:
        """One artifact of the last scan, counted and linked at once.

        For a search, which asks what of it the model saw: where no record points at
        it, nothing more is read. What another session's transcript would add is left
        to `complete`.
        """
        self.records.read_session(artifact.found)
        link = self.records.link(artifact.found) or artifact.link
        if link is None or link.state != "linked":
            return artifact
        completion = self._completion()
        try:
            begun = self._begun(artifact, completion, huge=False, anew=True)
            assert begun.prepared is not None
            examined = completion.examine(begun.prepared, None)
            return self._ended(begun, examined, completion)
        finally:
            completion.close()

    def _settled(self, artifact: Artifact) -> bool:
        """Whether the last scan knew all there is to know of it from the cache."""
        looked = self._looked.get(artifact.id)
        return (
            looked is not None
            and looked is self.records.link(artifact.found)
            and artifact.counts is not None
            and artifact.id not in self._growing
            and not self.records.unreadable()(artifact.found)
        )

    def remakes(self, artifact: Artifact) -> bool:
        """Whether `make` gives a complete artifact again as it is."""
        found, link = artifact.found, artifact.link
        if not self.cache.lasts or artifact.error != found.error:
            return False
        if link is not None and link.note is not None and link.seen is None:
            told = self.records.link(found)
            if told is None or told.note != link.note:
                return False  # it could not be looked into
        return not self.records.unreadable()(found)

    def _completion(self) -> Completion:
        return Completion(
            self.records,
            self.cache,
            self.profile,
            self._counts,
            self._growing,
        )


def _session(found: Found, link: Link | None) -> str:
    """The true session id where its envelope says so, else what the layout gives."""
    envelope = link.envelope if link is not None else None
    return envelope.session if envelope is not None else found.session


def _stop(cancelled: Cancelled | None) -> None:
    if cancelled is not None and cancelled():
        raise Stopped("Nobody waits for this any more.")
