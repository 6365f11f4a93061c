"""Counting and linking one artifact at a time, and keeping what came of it."""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)

from spillview.catalogue import looks
from spillview.catalogue.cache import Cache, Key, Pending
from spillview.catalogue.examination import (
    Examined,
    Task,
    examine,
    examine_all,
    ready,
)
from spillview.catalogue.listing import Listing
from spillview.crews import Bound, Hands
from spillview.discovery.ways import Ways
from spillview.discovery.writers import being_written
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.links.records import Cancelled, Records
from spillview.model import Artifact, Counts, Found, Link
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.crews import Crew
    from spillview.profiles.profile import Profile


class Completion:
    """Reads what is not known yet of the artifacts of one scan.

    What it learns goes to the cache in batches; `close` writes the last one.
    """

    def __init__(
        self,
        records: Records,
        cache: Cache,
        profile: Callable[[str], Profile],
        counts: dict[str, tuple[Key, Counts]],
        growing: set[str],
    ) -> None:
        self.records = records
        self.cache = cache
        self.profile = profile
        self.counts = counts
        """Counts that the cache does not have, by artifact id, with the key they hold
        for; added to."""
        self.growing = growing
        """Ids of artifacts whose size changes; added to."""
        self._pending = Pending(cache)
        self._looked: dict[str, tuple[str, bytes]] = {}
        """Looks that the cache may not have yet."""
        self._any_looks = cache.has_looks()
        """Whether the cache may have looks that were not learnt here."""
        self._ways = Ways()

    def write(self) -> None:
        """Write what is not written yet, and let go of what the cache has."""
        for ident in self._pending.write():
            self.counts.pop(ident, None)
            self._looked.pop(ident, None)

    def close(self) -> None:
        """Write, and let go of the folders that are held open."""
        self.write()
        self._ways.close()

    def prepare(self, artifact: Artifact, huge: bool) -> Prepared:
        """What is known of an artifact by now, and what is to be found out."""
        found = artifact.found
        link = self.records.link(found) or artifact.link or Link("orphan")
        growing = found.id in self.growing
        stored = None if growing else self._stored(found, link)
        return Prepared(
            Task(
                found,
                artifact.counts,
                link,
                artifact.error,
                growing,
                stored is None,
                huge,
            ),
            stored,
            not self.records.unreadable()(found),
        )

    def _stored(self, found: Found, link: Link) -> Link | None:
        """The link with what an earlier look at the same found; None if none did."""
        stored = self._looked.get(found.id)
        if stored is None and self._any_looks:
            stored = self.cache.looks([found]).get(found.id)
        profile = self.profile(found.harness)
        if stored is None or stored[0] != looks.token(found, link, profile):
            return None
        return looks.restore(link, stored[1])

    def examine(self, prepared: Prepared, cancelled: Cancelled | None) -> Examined:
        """Do here what is to be done. Raises `Cancelled`."""
        task = prepared.task
        return examine(task, self.profile(task.found.harness), self._ways, cancelled)

    def learn(
        self, prepared: Prepared, examined: Examined
    ) -> tuple[Counts | None, Link, str | None]:
        """Counts, link, and why it could not be read; kept where they are new."""
        task, stored, certain = prepared
        found, link = task.found, task.link
        counts, error, grown, look = examined
        if grown:
            self.growing.add(found.id)
        elif counts is not None and task.counts is None:
            self.counts[found.id] = (found.key, counts)
            self._pending.counts.append((found, counts))
        if counts is not None and not grown:
            if look is not None:
                link = replace(link, **look.changes)
                if look.packed is not None:
                    self._looked[found.id] = (look.mark, look.packed)
                    self._pending.looks.append((found, look.mark, look.packed))
            elif stored is not None:
                link = stored
        self._pending.bytes += found.size
        if not certain:
            link = _uncertain(link)
        if self._pending.is_full:
            self.write()
        return counts, link, error


class Prepared(NamedTuple):
    """A task of one artifact, and what the records and the cache say beside it."""

    task: Task
    stored: Link | None
    """The link with what an earlier look found, where it still holds."""
    certain: bool
    """Whether every transcript that may point at it could be read."""


class Begun(NamedTuple):
    """An artifact on its way to be complete."""

    artifact: Artifact
    prepared: Prepared | None
    """None where everything is known of it."""
    project: str | None
    """Of its session, as the transcripts read by then tell it."""


def hands_of(
    completion: Completion,
    profiles: Mapping[str, Profile],
    crew: Crew | None,
    cancelled: Cancelled | None,
) -> Hands[Begun, Task, Examined | None]:
    """How very many artifacts are examined, here or by a crew."""

    def here(begun: Begun) -> Examined | None:
        if begun.prepared is None:
            return None
        return completion.examine(begun.prepared, cancelled)

    def job(begun: Begun) -> Task | None:
        if begun.prepared is None or begun.prepared.task.idle:
            return None
        return begun.prepared.task

    return Hands(
        here,
        job,
        Bound(examine_all, profiles),
        weight=lambda task: task.found.size,
        ready=ready,
        crew=crew,
    )


def growing_now(artifacts: Sequence[Artifact]) -> set[str]:
    """Ids of those that another process holds open for writing, links to such too."""
    if not isinstance(artifacts, Listing):
        paths = _by_real_path(artifact.found for artifact in artifacts)
        return {ident for path in being_written(paths) for ident in paths[path]}
    finds = artifacts.table.finds
    within = _Within(finds.real_folders(), _by_real_path(finds.whole().values()))
    growing: set[str] = set()
    for path in being_written(within):
        growing.update(within.whole.get(path, ()))
        folder, name = os.path.split(path)
        growing.update(finds.idents_in(folder, name))
    return growing


class _Within(Collection[str]):
    """Every path in some folders, and some others, for a mere `in`."""

    def __init__(self, folders: Set[str], whole: Mapping[str, tuple[str, ...]]) -> None:
        self.folders = folders
        self.whole = whole

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (
            path in self.whole or path.rpartition("/")[0] in self.folders
        )

    def __len__(self) -> int:
        return len(self.folders) + len(self.whole)

    def __iter__(self) -> Iterator[str]:
        return iter((*self.folders, *self.whole))


def _by_real_path(items: Iterable[Found]) -> dict[str, tuple[str, ...]]:
    """Ids by the real path of the file, a link's by that of the log behind it."""
    folders: dict[str, str] = {}
    paths: dict[str, tuple[str, ...]] = {}
    for found in items:
        if found.row is not None:
            continue  # who writes to the database need not write to this row
        if found.type == "file":
            folder, name = os.path.split(found.path)
            if folder not in folders:
                folders[folder] = os.path.realpath(folder)
            path = os.path.join(folders[folder], name)
        elif found.target_size is not None:
            path = os.path.realpath(found.path)
        else:
            continue
        paths[path] = (*paths.get(path, ()), found.id)
    return paths


def _uncertain(link: Link) -> Link:
    """The link where a transcript could not be read: it may have shown more."""
    if link.seen is None:
        return link
    seen = replace(link.seen, certain=False)
    return replace(link, seen=seen, verdict_seen=link.verdict_seen or None)
