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
from typing import TYPE_CHECKING

from spillview.catalogue import looks
from spillview.catalogue.cache import Cache, Key, Pending
from spillview.catalogue.listing import Listing
from spillview.discovery.ways import Ways
from spillview.discovery.writers import being_written
from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.links.records import Cancelled, Records
from spillview.model import Artifact, Counts, Found, Link

if TYPE_CHECKING:
    from spillview.content.content import FileContent
    from spillview.profiles.profile import Profile
    from spillview.stored.stored import StoredContent

HUGE = 1 << 30
"""Files over 1 GiB are counted only when asked (flag `uncounted`)."""


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

    def facts(
        self, artifact: Artifact, huge: bool, cancelled: Cancelled | None
    ) -> tuple[Counts | None, Link | None, str | None]:
        """Its counts, its link, and why it could not be read, if so."""
        found, counts, error = artifact.found, artifact.counts, artifact.error
        content: FileContent | StoredContent | None = None
        try:
            if counts is None and found.type == "file" and error is None:
                from spillview.stored.stored import open_artifact

                try:
                    content = open_artifact(
                        found, root=found.root, cancelled=cancelled, ways=self._ways
                    )
                    counts = self._counted(found, content, huge, cancelled)
                except Unreadable as failure:
                    error = str(failure)
            link = self._look(found, counts, artifact.link, content)
        finally:
            if content is not None:
                content.close()
        if link is not None and self.records.unreadable()(found):
            link = _uncertain(link)
        if self._pending.is_full:
            self.write()
        return counts, link, error

    def _counted(
        self,
        found: Found,
        content: FileContent | StoredContent,
        huge: bool,
        cancelled: Cancelled | None,
    ) -> Counts | None:
        """Count a content, unless it is huge or grows and that was not asked for."""
        from spillview.content.counts import count

        counts: Counts | None = None
        grown = found.id in self.growing or content.key != found.key
        if (found.size <= HUGE and not grown) or huge:
            counted = count(content, cancelled=cancelled)
            grown = grown or content.changed() is not None
            if huge or not grown:
                counts = counted
        if grown:
            self.growing.add(found.id)
        elif counts is not None:
            self.counts[found.id] = (found.key, counts)
            self._pending.counts.append((found, counts))
        return counts

    def _look(
        self,
        found: Found,
        counts: Counts | None,
        known: Link | None,
        content: FileContent | StoredContent | None,
    ) -> Link | None:
        link = self.records.link(found) or known or Link("orphan")
        if counts is None or found.id in self.growing:
            return link
        mark = looks.token(found, link, self.profile(found.harness))
        stored = self._looked.get(found.id)
        if stored is None and self._any_looks:
            stored = self.cache.looks([found]).get(found.id)
        if stored is not None and stored[0] == mark:
            restored = looks.restore(link, stored[1])
            if restored is not None:
                return restored
        # imported no sooner: a list of what is known already should start at once
        from spillview.seen.envelope import has_digest
        from spillview.seen.seen import look

        profile = self.profile(found.harness)
        try:
            looked = look(
                found, counts, link, profile, content=content, ways=self._ways
            )
            if found.digest is not None:
                looked = replace(looked, intact=has_digest(found))
        except Unreadable as failure:
            return replace(link, note=str(failure))
        packed = looks.pack(looked)
        self._looked[found.id] = (mark, packed)
        self._pending.looks.append((found, mark, packed))
        return looked


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
