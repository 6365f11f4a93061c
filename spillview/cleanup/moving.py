"""Taking files out of their stores: looked at again, then moved into the trash.

Nothing is taken that is not, at that moment, the very file that was planned: its folder
reached without a link, the same device, inode, size and time.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from spillview.cleanup.bins import Bins, NoBin, open_bin
from spillview.cleanup.journal import Folder, Item, Journal, Level
from spillview.disk import Disk, gain
from spillview.model import Found
from spillview.own_files import FULL

Progress = Callable[[int, int], None]
"""Called with (done, total) files."""
Cancelled = Callable[[], bool]

STOPPED = "it was stopped before it came to this one"
"""Why a file that nobody touched is where it was."""

PROBLEMS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "the system does not allow it",
    errno.EROFS: "its filesystem is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EXDEV: "it is on another filesystem than the trash",
    errno.EIO: "the disk reports an error",
    errno.ELOOP: "a link stands in its path, which is not followed",
    errno.ENOTDIR: "a link stands in its path, which is not followed",
    errno.ENOENT: "it is gone: something else removed it",
    errno.EBUSY: "it is in use",
    errno.ENODEV: "it is not there: is its filesystem mounted?",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """One file that was not moved, and why."""

    found: Found
    reason: str
    """The end of a sentence: `permission denied`."""
    no_bin: bool = False
    """True when its filesystem has no place (left) for a trash: it can be deleted."""


@dataclass(slots=True)
class Carried:
    """What was done of a batch."""

    moved: list[Found] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Of the items that lie in the trash now."""
    failed: list[Failure] = field(default_factory=list)
    gained: int = 0
    """Bytes that the disk has more than before, at least."""


def words(error: OSError) -> str:
    """Why a file could not be moved, as the end of a sentence."""
    known = PROBLEMS.get(error.errno or 0)
    return known or (error.strerror or "the system refuses it").lower()


def way(found: Found) -> tuple[str, tuple[str, ...]] | None:
    """The real root of a file's store and the folders below it; None if outside."""
    folder = os.path.dirname(found.path)
    below = os.path.relpath(folder, found.root)
    names = () if below == os.curdir else tuple(below.split(os.sep))
    if found.row is not None:
        return None  # a database is nobody's output
    if os.pardir in names or not os.path.isabs(found.path):
        return None
    return os.path.realpath(found.root), names


def differs(
    disk: Disk, folder: int, found: Found, facts: os.stat_result | None
) -> str | None:
    """Why a name is not the file that was planned; None when it is, unchanged."""
    if facts is None:
        return PROBLEMS[errno.ENOENT]
    if (facts.st_dev, facts.st_ino) != (found.dev, found.ino):
        return "it is another file now"
    if facts.st_mtime_ns != found.mtime_ns:
        return "it changed since it was looked at"
    if stat.S_ISLNK(facts.st_mode) and found.type == "symlink":
        if disk.target(folder, found.name) != found.target:
            return "the link points elsewhere now"
        return None
    if not stat.S_ISREG(facts.st_mode) or found.type != "file":
        return "it is no regular file"
    return None if facts.st_size == found.size else "it changed since it was looked at"


def by_folder(
    found: Iterable[Found],
) -> tuple[dict[tuple[str, tuple[str, ...]], list[Found]], list[Failure]]:
    """Files by the folder they lie in; those outside of their store failed."""
    groups: dict[tuple[str, tuple[str, ...]], list[Found]] = {}
    failed = []
    ways: dict[tuple[str, str], tuple[str, tuple[str, ...]] | None] = {}
    for item in found:
        key = (item.root, os.path.dirname(item.path))
        if key not in ways:
            ways[key] = way(item)
        leads = ways[key]
        if leads is None:
            failed.append(Failure(item, "it lies outside of its store"))
        else:
            groups.setdefault(leads, []).append(item)
    return groups, failed


# Before anything is moved


@dataclass(slots=True)
class Draft:
    """A batch made ready: what may be moved where, and what may not at all."""

    folders: list[Folder] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    found: dict[int, Found] = field(default_factory=dict)
    """By the number of the item."""
    failed: list[Failure] = field(default_factory=list)


def prepare(
    disk: Disk,
    found: Sequence[Found],
    bins: Bins,
    home: int,
    cancelled: Cancelled | None = None,
) -> Draft:
    """Look at every file again and choose a bin for it; nothing is moved yet."""
    draft = Draft()
    groups, draft.failed = by_folder(found)
    for (root, names), members in groups.items():
        try:
            with levels_of(disk, root, names) as (folder, levels):
                number: int | NoBin | None = None
                for item in members:
                    if cancelled is not None and cancelled():
                        draft.failed.append(Failure(item, STOPPED))
                        continue
                    why = differs(disk, folder, item, disk.facts(folder, item.name))
                    if why is None and number is None:
                        number = bins.number_for(folder, root, names, home)
                        if not isinstance(number, NoBin):
                            draft.folders.append(Folder(root, names, tuple(levels)))
                    if why is not None:
                        draft.failed.append(Failure(item, why))
                    elif isinstance(number, NoBin):
                        why = f"no trash can be made on its filesystem: {number.reason}"
                        draft.failed.append(Failure(item, why, no_bin=True))
                    elif number is not None:
                        _add(draft, item, number)
        except OSError as error:
            known = {id(f.found) for f in draft.failed}
            known |= {id(f) for f in draft.found.values()}
            draft.failed += [
                Failure(item, words(error)) for item in members if id(item) not in known
            ]
    return draft


def _add(draft: Draft, item: Found, number: int) -> None:
    place = len(draft.items)
    draft.found[place] = item
    facts = item.dev, item.ino, item.size, item.mtime_ns
    last = len(draft.folders) - 1
    draft.items.append(Item(place, item.id, item.path, item.name, last, number, *facts))


@contextmanager
def levels_of(
    disk: Disk, root: str, names: Sequence[str]
) -> Iterator[tuple[int, list[Level]]]:
    """A folder below `root`, open, and what each folder on the way is like."""
    with ExitStack() as opened:
        folder = opened.enter_context(disk.folder(root))
        levels = [Level.of(disk.own_facts(folder))]
        for name in names:
            folder = opened.enter_context(disk.inside(folder, [name]))
            levels.append(Level.of(disk.own_facts(folder)))
        yield folder, levels


# Moving


def carry_out(
    disk: Disk,
    journal: Journal,
    found: dict[int, Found],
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Carried:
    """Move what the journal says, folder by folder; then remove emptied folders."""
    done = Carried()
    by_place: dict[int, list[Item]] = {}
    for item in journal.items:
        by_place.setdefault(item.folder, []).append(item)
    with ExitStack() as opened:
        bins: dict[int, int | OSError] = {}
        for number in dict.fromkeys(item.bin for item in journal.items):
            try:
                path = journal.bins[number]
                bins[number] = opened.enter_context(
                    open_bin(disk, path, make=number > 0)
                )
            except OSError as error:
                bins[number] = error
        for place, members in by_place.items():
            _one_folder(
                disk, journal, place, members, bins, found, done, progress, cancelled
            )
        for handle in bins.values():
            if isinstance(handle, int):
                with suppress(OSError):
                    disk.sync(handle)
    for place in sorted({journal.items[n].folder for n in done.numbers}):
        tidy(disk, journal.folders[place])
    return done


def _one_folder(
    disk: Disk,
    journal: Journal,
    place: int,
    members: Sequence[Item],
    bins: dict[int, int | OSError],
    found: dict[int, Found],
    done: Carried,
    progress: Progress | None,
    cancelled: Cancelled | None,
) -> None:
    folder = journal.folders[place]
    waiting = deque(members)
    try:
        with disk.folder(folder.root) as top, disk.inside(top, folder.names) as source:
            while waiting:
                if cancelled is not None and cancelled():
                    left = [Failure(found[i.number], STOPPED) for i in waiting]
                    done.failed += left
                    return
                item = waiting.popleft()
                _one(disk, source, item, bins[item.bin], found[item.number], done)
                if progress is not None:
                    count = len(done.moved) + len(done.failed)
                    progress(count, len(journal.items))
            with suppress(OSError):
                disk.sync(source)
    except OSError as error:
        done.failed += [Failure(found[i.number], words(error)) for i in waiting]


def _one(
    disk: Disk,
    source: int,
    item: Item,
    into: int | OSError,
    found: Found,
    done: Carried,
) -> None:
    """Move one file and make sure that it was the right one."""
    if isinstance(into, OSError):
        reason = f"its trash cannot be used: {words(into)}"
        done.failed.append(Failure(found, reason, no_bin=into.errno in FULL))
        return
    full = False
    try:
        why = differs(disk, source, found, disk.facts(source, item.name))
        if why is None:
            disk.move(source, item.name, into, item.slot)
    except OSError as error:
        why, full = words(error), error.errno in FULL
    if why is not None:
        done.failed.append(Failure(found, why, no_bin=full))
        return
    try:
        facts = disk.facts(into, item.slot)
        if facts is not None and not item.is_of(facts):
            # Something took its name between the look and the move.
            disk.place(into, item.slot, source, item.name)
            done.failed.append(Failure(found, "it is another file now"))
            return
    except OSError:
        pass  # it was looked at just before; it lies in the trash now
    done.moved.append(found)
    done.numbers.append(item.number)


def tidy(disk: Disk, folder: Folder) -> None:
    """Remove a folder that was emptied, and those above it that this emptied.

    The root stays, and so does whatever is not the folder it was, or not empty.
    """
    for depth in range(len(folder.names), 0, -1):
        *above, name = folder.names[:depth]
        try:
            with disk.folder(folder.root) as top, disk.inside(top, above) as parent:
                facts = disk.facts(parent, name)
                if facts is None or not folder.levels[depth].is_of(facts):
                    return
                if not disk.remove_folder(parent, name):
                    return
                disk.sync(parent)
        except OSError:
            return


# For good


def delete(
    disk: Disk,
    found: Sequence[Found],
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Carried:
    """Delete files where they lie, with no trash: only what was asked for so."""
    done = Carried()
    groups, done.failed = by_folder(found)
    for (root, names), members in groups.items():
        waiting = deque(members)
        before = len(done.moved)
        emptied: Folder | None = None
        try:
            with levels_of(disk, root, names) as (folder, levels):
                emptied = Folder(root, names, tuple(levels))
                while waiting:
                    if cancelled is not None and cancelled():
                        done.failed += [Failure(each, STOPPED) for each in waiting]
                        waiting.clear()
                        break
                    _delete_one(disk, folder, waiting.popleft(), done)
                    if progress is not None:
                        progress(len(done.moved) + len(done.failed), len(found))
                with suppress(OSError):
                    disk.sync(folder)
        except OSError as error:
            done.failed += [Failure(item, words(error)) for item in waiting]
        if emptied is not None and len(done.moved) > before:
            tidy(disk, emptied)
    return done


def _delete_one(disk: Disk, folder: int, item: Found, done: Carried) -> None:
    try:
        facts = disk.facts(folder, item.name)
        why = differs(disk, folder, item, facts)
        if why is None and facts is not None:
            disk.remove(folder, item.name)
            done.gained += gain(facts)
            done.moved.append(item)
    except OSError as error:
        why = words(error)
    if why is not None:
        done.failed.append(Failure(item, why))
