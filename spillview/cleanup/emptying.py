"""Deleting for good what a batch of the trash holds."""

from __future__ import annotations

from contextlib import suppress

from spillview.cleanup.bins import find_bin
from spillview.cleanup.journal import Item, Journal
from spillview.cleanup.moving import STOPPED, Cancelled, Progress, words
from spillview.cleanup.outcomes import Emptied
from spillview.disk import Disk, gain
from spillview.own_files import unwritable


def delete_for_good(
    disk: Disk,
    journal: Journal,
    done: Emptied,
    total: int,
    progress: Progress | None,
    cancelled: Cancelled | None,
) -> list[str]:
    """Delete the files of a batch; gives where those came from that are gone.

    What became of each is added to `done`; `total` is that of all batches, for
    `progress`.
    """
    gone = []
    for number, path in enumerate(journal.bins):
        items = [item for item in journal.items if item.bin == number]
        if not items:
            continue
        try:
            with find_bin(disk, path, items[0].dev) as bin_:
                if bin_ is None:
                    continue
                for place, item in enumerate(items):
                    if cancelled is not None and cancelled():
                        left = [i for i in items[place:] if _is_in(journal, i)]
                        done.failed += [(i.path, STOPPED) for i in left]
                        break
                    if _delete(disk, path, bin_, item, done):
                        gone.append(item.path)
                    if progress is not None:
                        progress(done.items + len(done.failed), total)
                with suppress(OSError):
                    disk.sync(bin_)
        except OSError as error:
            why = words(error)
            items = [item for item in items if _is_in(journal, item)]
            done.failed += [(item.path, why) for item in items]
    return gone


def _is_in(journal: Journal, item: Item) -> bool:
    """Whether an item was moved into the trash, by what the journal says."""
    return item.number in journal.expected


def _delete(disk: Disk, path: str, bin_: int, item: Item, done: Emptied) -> bool:
    """Delete one file of the trash, if it is still there; whether it was."""
    try:
        facts = disk.facts(bin_, item.slot)
        if facts is None:
            return False
        disk.remove(bin_, item.slot)
    except OSError as error:
        why = words(error)
        if isinstance(error, PermissionError):
            why = unwritable(path, error)
        done.failed.append((item.path, why))
        return False
    done.items += 1
    done.bytes += item.size
    done.freed_now += gain(facts)
    return True
