"""Putting files back from the trash: same bytes, mode and times, over nothing.

Where a place is taken by something else, the file stays in the trash and that is said.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from spillview.cleanup.bins import find_bin
from spillview.cleanup.journal import Folder, Item, Journal, Level
from spillview.cleanup.moving import STOPPED, Cancelled, Progress, words
from spillview.disk import Disk, Unsafe, same_file
from spillview.places import own_uid
from spillview.text import path_text


@dataclass(slots=True)
class Restored:
    """What was put back of a batch."""

    items: list[Item] = field(default_factory=list)
    failed: list[tuple[Item, str]] = field(default_factory=list)
    """Items that stay in the trash (or are gone), and why."""
    gone: list[Item] = field(default_factory=list)
    """Items that were not in the trash any more."""


def put_back(
    disk: Disk,
    journal: Journal,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Restored:
    """Put back every file of the batch that lies in the trash, until `cancelled`."""
    done = Restored()

    def advanced() -> bool:
        """Tell how far it is; whether to go on."""
        if progress is not None:
            progress(len(done.items) + len(done.failed), len(journal.expected))
        return cancelled is None or not cancelled()

    by_place: dict[int, list[Item]] = {}
    for item in journal.items:
        by_place.setdefault(item.folder, []).append(item)
    with ExitStack() as opened:
        bins: dict[int, int | OSError | None] = {}
        for item in journal.items:
            if item.bin in bins:
                continue
            try:
                path = journal.bins[item.bin]
                bin_ = opened.enter_context(find_bin(disk, path, item.dev))
                bins[item.bin] = bin_
            except OSError as error:
                bins[item.bin] = error
        for place, members in by_place.items():
            _one_folder(disk, journal.folders[place], members, bins, done, advanced)
        for handle in bins.values():
            if isinstance(handle, int):
                with suppress(OSError):
                    disk.sync(handle)
    return done


def finish(disk: Disk, journal: Journal, items: Sequence[Item]) -> None:
    """Take the trash's name of files away that an undo had put back when it was killed.

    They have both names; one that is in no place but the trash is left there.
    """
    for item in items:
        folder = journal.folders[item.folder]
        with (
            suppress(OSError),
            find_bin(disk, journal.bins[item.bin], item.dev) as bin_,
            disk.folder(folder.root) as top,
            disk.inside(top, folder.names) as place,
        ):
            there = disk.facts(place, item.name)
            here = disk.facts(bin_, item.slot) if bin_ is not None else None
            if bin_ is not None and here and there and same_file(here, there):
                disk.sync(place)
                disk.remove(bin_, item.slot)


def _one_folder(
    disk: Disk,
    folder: Folder,
    members: Sequence[Item],
    bins: dict[int, int | OSError | None],
    done: Restored,
    advanced: Callable[[], bool],
) -> None:
    waiting: list[tuple[Item, int]] = []
    for item in members:
        handle = bins[item.bin]
        if isinstance(handle, OSError):
            done.failed.append((item, f"its trash cannot be used: {words(handle)}"))
            continue
        try:
            if handle is None or disk.facts(handle, item.slot) is None:
                done.gone.append(item)
            else:
                waiting.append((item, handle))
        except OSError as error:
            done.failed.append((item, words(error)))
    if not waiting:
        return
    waiting.reverse()
    try:
        with _reached(disk, folder) as target:
            both: list[tuple[Item, int]] = []
            while waiting and advanced():
                item, handle = waiting.pop()
                why = _one(disk, handle, item, target, both)
                if why is None:
                    done.items.append(item)
                else:
                    done.failed.append((item, why))
            # Only then can a power cut not take both names away.
            with suppress(OSError):
                disk.sync(target)
                for item, handle in both:
                    with suppress(OSError):  # it keeps both until it is settled
                        disk.remove(handle, item.slot)
            done.failed += [(item, STOPPED) for item, _ in waiting]
            advanced()
    except Unsafe as error:
        done.failed += [(item, str(error)) for item, _ in waiting]
    except OSError as error:
        why = f"its folder cannot be reached: {words(error)}"
        if isinstance(error, FileNotFoundError):
            why = f"the folder around its store is gone: {path_text(folder.root)}"
        done.failed += [(item, why) for item, _ in waiting]


def _one(
    disk: Disk, bin_: int, item: Item, target: int, both: list[tuple[Item, int]]
) -> str | None:
    """Put one file back; gives why not. With two names it is among `both` then."""
    try:
        there = disk.facts(target, item.name)
        if there is not None:
            here = disk.facts(bin_, item.slot)
            if here is None or not same_file(here, there):
                return "something else has its place now: move that away and undo again"
            both.append((item, bin_))
            return None
        if disk.lay(bin_, item.slot, target, item.name):
            both.append((item, bin_))
    except FileExistsError:
        return "something else has its place now: move that away and undo again"
    except OSError as error:
        with suppress(OSError):
            there = disk.facts(target, item.name)
            if there is not None and item.is_of(there):
                return None  # in its place; a second name is left in the trash
        return words(error)
    return None


@contextmanager
def _reached(disk: Disk, folder: Folder) -> Iterator[int]:
    """The folder a file came from; what is missing of the way is made as it was."""
    made: list[tuple[int, Level]] = []
    with ExitStack() as opened:
        around, name = os.path.split(folder.root)
        try:
            here = opened.enter_context(disk.folder(folder.root))
        except FileNotFoundError:
            outer = opened.enter_context(disk.folder(around))
            disk.make_folder(outer, name, folder.levels[0].mode)
            here = opened.enter_context(disk.inside(outer, [name]))
            made.append((here, folder.levels[0]))
            with suppress(OSError):
                disk.sync(outer)
        facts = disk.own_facts(here)
        if not folder.levels[0].is_of(facts) and not _own(facts):
            raise Unsafe(f"{path_text(folder.root)} belongs to another user now")
        for name, level in zip(folder.names, folder.levels[1:], strict=True):
            if disk.make_folder(here, name, level.mode):
                with suppress(OSError):
                    disk.sync(here)
                here = opened.enter_context(disk.inside(here, [name]))
                made.append((here, level))
            else:
                here = opened.enter_context(disk.inside(here, [name]))
                _finish(disk, here, level)
        try:
            yield here
        finally:
            for handle, level in reversed(made):
                with suppress(OSError):
                    disk.set_times(handle, level.atime_ns, level.mtime_ns)


def _finish(disk: Disk, folder: int, level: Level) -> None:
    """Give a folder its mode that an undo had made and could not finish."""
    facts = disk.own_facts(folder)
    if level.is_of(facts) or stat.S_IMODE(facts.st_mode) == level.mode:
        return
    if _own(facts) and not disk.names(folder):
        disk.set_mode(folder, level.mode)


def _own(facts: os.stat_result) -> bool:
    return facts.st_uid == max(own_uid(), 0) and stat.S_ISDIR(facts.st_mode)
