"""One check: two looks, the sizes of the check before, the processes, the limits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from spillview.discovery.writers import Open, OpenFile, open_files
from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.growth.changes import Change, Size, change, together
from spillview.growth.disks import disks_of
from spillview.growth.limits import Limits
from spillview.growth.looks import Looks, Watched, made_since
from spillview.growth.memory import Known, digest, ground_of, recall, remember
from spillview.growth.moments import Moment
from spillview.growth.passing import disk_reading, judged
from spillview.growth.readings import Check, Kind, Reading, telling, worst_first
from spillview.growth.repetition import look_at
from spillview.model import Problem
from spillview.space import taken

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query

LOOKED = 10
"""So many files are looked into for what they repeat."""


def check(
    catalogue: Catalogue,
    query: Query,
    limits: Limits,
    *,
    chosen: bool = True,
    interval: float = 1.0,
    whole: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Check:
    """Look at everything that `query` admits, twice when `interval` is not 0.

    The worst files are looked into for what they repeat: into parts of them, or into
    all of them when `whole`. The sizes are kept for the next check of the same.
    Raises `BadInput` for a bad PATH.
    """
    looks = Looks(_watched(catalogue, query, sessions=limits.max_session is not None))
    roots = [store.root for store in catalogue.stores]
    opened = open_files(_ours(catalogue, query))
    ground = ground_of(query)
    known = recall(catalogue.places, ground)
    looks.first()
    if interval:
        sleep(interval)
        looks.second()
    moment = Moment.now()
    work = _Work(looks, known, moment, opened)
    if query.session is None:
        work.take_nameless()
    disks = disks_of(roots if query.paths else [*roots, catalogue.places.home])
    rates, sums = work.rates(), work.sums()
    total = sums.pop(None)
    parts = (*work.grown(limits), *work.nameless, *sums.values())
    readings = [judged(each, limits) for each in parts]
    readings.append(judged(total, limits, alone=readings))
    told = [
        disk_reading(disk, work.before, work.seconds, rates.get(dev, 0.0), limits)
        for dev, disk in disks.items()
    ]
    full = {disk.dev: disk.full_in for disk in told}
    shown = [
        each.filling_by(full.get(each.dev))
        for each in readings
        if each.passed or (each.kind in ("file", "deleted") and each.grows)
    ]
    problems = list(catalogue.problems)
    free = {dev: disk.free for dev, disk in disks.items()}
    try:
        complete = not problems and query.since is None and query.until is None
        kept = Known(moment, work.sizes(), free, complete)
        remember(catalogue.places, ground, kept)
    except Unreadable as error:
        problems.append(Problem("", str(error)))
    shown = list(_looked_into(sorted([*shown, *told], key=worst_first), whole))
    return Check(
        shown,
        limits,
        chosen,
        total,
        interval,
        opened.closed,
        opened.told,
        problems,
    )


def _watched(catalogue: Catalogue, query: Query, *, sessions: bool) -> list[Watched]:
    """The regular files of the listing, and the transcripts beside them."""
    listing = catalogue.scan(query, bare=not (sessions or query.needs_records))
    if sessions:
        listing = catalogue.settled(listing)
    finds, names = listing.table.finds, listing.table.sessions
    files = []
    for place in listing.order:
        path = finds.file_path(place)
        if path is not None:
            harness, root = finds.harness(place), finds.root(place)
            files.append(Watched(path, harness, names[place], root))
    known = {file.path for file in files}
    for log in catalogue.logs:
        session = log.parent_session or log.session
        wanted = query.session is None or session.startswith(query.session)
        if wanted and log.path not in known:
            known.add(log.path)
            files.append(
                Watched(log.path, log.harness, session, log.root, "transcript")
            )
    return files


def _looked_into(readings: Sequence[Reading], whole: bool) -> Iterator[Reading]:
    """The readings, the first files of them with what they repeat."""
    left = LOOKED
    for reading in readings:
        if reading.kind == "file" and reading.what == "artifact" and left:
            left -= 1
            found = look_at(reading.path, reading.root, whole=whole)
            yield replace(reading, repetition=found)
        else:
            yield reading


def _ours(catalogue: Catalogue, query: Query) -> Callable[[str], bool]:
    """Whether a path lies in a store, or is a file that was named.

    A store in the temp folder shares it with whoever else has files there: of those
    only the folders count in which artifacts were found.
    """
    shared = {os.path.realpath(folder) for folder in catalogue.places.tmps}
    roots = {os.path.realpath(store.root) for store in catalogue.stores} - shared
    real = roots | {os.path.realpath(path) for path in query.paths}
    below = tuple(folder.rstrip("/") + "/" for folder in real)
    folders = catalogue.finds.real_folders()
    return lambda path: (
        path.startswith(below) or path in real or os.path.dirname(path) in folders
    )


class _Work:
    """What one check learns, by the places of files."""

    def __init__(
        self, looks: Looks, known: Known | None, moment: Moment, opened: Open
    ) -> None:
        self.looks = looks
        self.files = looks.files
        self.opened = opened.files
        self.seconds = known.when.until(moment) if known is not None else None
        self.before = known if self.seconds is not None else None
        """The check before, where it is known how long ago that was."""
        self.singles = looks.unique()
        """The places of files, each once whatever its names."""
        self.nameless: list[Reading] = []
        self._kept: dict[int, Size] = {}
        self._since = dict(self._changes())

    def _changes(self) -> Iterator[tuple[int, Change]]:
        """What came to each file since the check before."""
        if self.before is None or self.seconds is None:
            return
        sizes, seconds = self.before.sizes, self.seconds
        same = Change(seconds, 0)
        inodes: set[tuple[int, int]] | None = None
        for place in self.singles:
            now = self.size(place)
            before = sizes.get(digest(self.files[place].path))
            if before == now:
                yield place, same
                continue
            came = change(before, now, seconds)
            if came.grown:
                made = made_since(self.files[place].path, self.before.when.wall)
                if before is not None and made:
                    came = Change(seconds, None, why="replaced")
                elif before is None and made is None:  # the disk does not tell
                    if inodes is None:
                        inodes = {(size.dev, size.ino) for size in sizes.values()}
                    renamed = (now.dev, now.ino) in inodes
                    made = self.before.whole and not renamed
                if before is None and not made:
                    # It came from elsewhere, or was not looked at before.
                    came = Change(seconds, None, why="unknown")
            yield place, came

    def size(self, place: int) -> Size:
        """The file at a place of `singles`."""
        size = self.looks.size(place)
        assert size is not None  # it is one of the regular files
        return size

    def since(self, place: int) -> Change | None:
        """What came to it since the check before."""
        return self._since.get(place)

    def take_nameless(self) -> None:
        """Files without a name that are still open."""
        for file in self.opened.values():
            after = _again(file) if file.nameless else None
            if after is None:
                continue
            kept = digest(f"{file.path}\0{file.dev}\0{file.ino}")
            self._kept[kept] = after
            known = self.before.sizes.get(kept) if self.before is not None else None
            since = None
            if known is not None and self.seconds is not None:
                since = change(known, after, self.seconds)
            now = self.looks.between(_size(file), after)
            self.nameless.append(
                Reading(
                    "deleted",
                    file.path,
                    after.size,
                    after.disk,
                    now=now,
                    since=since,
                    holders=file.holders,
                    dev=file.dev,
                )
            )

    def sizes(self) -> dict[int, Size]:
        """What is kept for the next check."""
        named = {digest(self.files[p].path): self.size(p) for p in self.singles}
        return named | self._kept

    def rates(self) -> dict[int, float]:
        """Bytes of the disk a second that come to each device."""
        rates: dict[int, float] = {}
        named = (
            (self.size(place).dev, telling(self.since(place), self.looks.now(place)))
            for place in self.singles
        )
        for dev, each in (*named, *((r.dev, r.change) for r in self.nameless)):
            if each is not None and each.disk:
                rates[dev] = rates.get(dev, 0.0) + each.disk / each.seconds
        return rates

    def grown(self, limits: Limits) -> Iterator[Reading]:
        """The files that grow or pass a limit."""
        most = limits.max_file
        names: dict[tuple[int, int], int] | None = None
        for place in self.singles:
            size, since = self.size(place), self.since(place)
            large = most is not None and size.disk > most
            if not (large or place in self.looks.changes or (since and since.grown)):
                continue
            if names is None:
                names = self.looks.names()
            file, key = self.files[place], (size.dev, size.ino)
            opened = self.opened.get(key)
            yield Reading(
                "file",
                file.path,
                size.size,
                size.disk,
                file.harness,
                file.session,
                file.what,
                self.looks.now(place),
                since,
                names[key],
                holders=opened.holders if opened is not None else (),
                dev=size.dev,
                root=file.root,
            )

    def sums(self) -> dict[tuple[str, str] | None, Reading]:
        """What the artifacts of each session are together, and under None all."""
        members: dict[tuple[str, str], list[int]] = {}
        everything = []
        first = {self.looks.key(place): place for place in self.singles}
        for place, file in enumerate(self.files):
            key = self.looks.key(place)
            if key is not None and file.what == "artifact":
                members.setdefault((file.harness, file.session), []).append(first[key])
                everything.append(first[key])
        made: dict[tuple[str, str] | None, Reading] = {
            session: self._sum("session", places, *session)
            for session, places in members.items()
        }
        made[None] = self._sum("total", everything)
        return made

    def _sum(self, kind: Kind, places: Sequence[int], *session: str) -> Reading:
        once = set(places)
        sizes = [self.size(place) for place in once]
        now = [c for place in once if (c := self.looks.now(place)) is not None]
        since = [c for place in once if (c := self.since(place)) is not None]
        harness, name = session or (None, None)
        return Reading(
            kind,
            "",
            sum(size.size for size in sizes),
            sum(size.disk for size in sizes),
            harness,
            name,
            None,
            together(now),
            together(since),
            len(once),
        )


def _again(file: OpenFile) -> Size | None:
    """A file without a name as it is now; None once it was closed."""
    try:
        facts = os.stat(file.handle)
    except OSError:
        return None
    if (facts.st_dev, facts.st_ino) != (file.dev, file.ino):
        return None
    disk = taken(facts.st_size, getattr(facts, "st_blocks", None))
    return Size(facts.st_dev, facts.st_ino, facts.st_size, disk)


def _size(file: OpenFile) -> Size:
    return Size(file.dev, file.ino, file.size, taken(file.size, file.blocks))
