"""Clean-ups as they lie in the trash: found, written, closed, and settled.

A batch is a folder with a journal and the files themselves. What is true of it is read
from the files that are there, never from what a run meant to do.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from spillview.cleanup import journal as papers
from spillview.cleanup import moving, restoring
from spillview.cleanup.bins import FILES, drop_bin, find_bin
from spillview.cleanup.journal import Item, Journal
from spillview.disk import Disk
from spillview.errors import BadInput, Unreadable
from spillview.own_files import FULL
from spillview.space import bytes_of
from spillview.text import human_bytes, path_text

RESERVE = "reserve"
PREFIX = 4
"""The shortest beginning of a batch's name that means it."""
RESERVED = 256 << 10
"""Bytes kept for a journal, so that a full disk can still be cleaned up."""


class UnknownBatch(BadInput):
    """No clean-up in the trash has that name: there is nothing to do."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Batch:
    """One clean-up as it lies in the trash."""

    id: str
    when: float
    """Seconds since the epoch."""
    items: int
    """Files of it that are in the trash at the moment."""
    bytes: int
    path: str
    """The folder that holds its files (the first, where several do)."""
    paths: tuple[str, ...] = ()
    total: int = 0
    """Files that were moved into it; while it is open, those it means to move."""
    open: bool = False
    """True while it is at work (or was killed and is not settled yet)."""
    away: int = 0
    """Files of it that lie on a filesystem that cannot be reached at the moment."""
    problem: str | None = None
    """Why it cannot be used, as a plain sentence."""


Slots = list[tuple[Item, os.stat_result]]
"""Items that lie in the trash, and the facts of each."""


class Batches:
    """The batches below one trash folder."""

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self.path = path
        self.settled: list[str] = []
        """Sentences about what killed runs left and what became of it."""

    def all(self, room: int) -> list[Batch]:
        """Every batch, the newest first."""
        found = [
            batch
            for name in self._disk.names(room)
            if is_batch(name) and (batch := self._look(room, name)) is not None
        ]
        return sorted(found, key=lambda batch: (-batch.when, batch.id))

    def _look(self, room: int, batch: str) -> Batch | None:
        """What lies in the trash of a batch; None when it is not written (yet)."""
        try:
            journal = self.journal(room, batch)
        except (OSError, Unreadable) as error:
            if isinstance(error, FileNotFoundError) and self._unwritten(room, batch):
                return None
            why = moving.words(error) if isinstance(error, OSError) else str(error)
            path = os.path.join(self.path, batch)
            return Batch(batch, 0.0, 0, 0, path, (path,), problem=why)
        slots, away = self.slots(journal)
        return Batch(
            batch,
            journal.when,
            len(slots),
            bytes_of(facts for item, facts in slots if item.size),
            journal.bins[slots[0][0].bin if slots else 0],
            journal.bins,
            len(journal.expected),
            journal.moved is None,
            len(away),
        )

    def slots(self, journal: Journal) -> tuple[Slots, list[Item]]:
        """The items that lie in the trash at the moment, and those nobody can tell.

        The latter are of a bin that cannot be reached, such as a disk not mounted.
        """
        found: Slots = []
        away: list[Item] = []
        by_bin: dict[int, list[Item]] = {}
        for item in journal.items:
            by_bin.setdefault(item.bin, []).append(item)
        for number, items in by_bin.items():
            path, seen = journal.bins[number], len(found)
            try:
                with find_bin(self._disk, path, items[0].dev) as bin_:
                    if bin_ is None:
                        continue
                    for item in items:
                        facts = self._disk.facts(bin_, item.slot)
                        if facts is not None:
                            found.append((item, facts))
            except OSError:
                del found[seen:]
                away += [item for item in items if item.number in journal.expected]
        return found, away

    def journal(self, room: int, batch: str) -> Journal:
        """The journal of a batch; raises OSError or `Unreadable`."""
        with self._disk.inside(room, [batch]) as folder:
            data = self._disk.read(folder, papers.NAME, papers.MOST)
        journal = papers.decode(data, batch)
        # The state folder may have been moved; its own bin moved with it.
        home = os.path.join(self.path, batch, FILES)
        return replace(journal, bins=(home, *journal.bins[1:]))

    def _unwritten(self, room: int, batch: str) -> bool:
        """Whether a batch certainly has no journal: then nothing was moved for it."""
        try:
            with self._disk.inside(room, [batch]) as folder:
                return self._disk.facts(folder, papers.NAME) is None
        except OSError:
            return False

    def write(self, room: int, folder: int, journal: Journal) -> None:
        """Have the journal on the disk before anything is moved."""
        self._disk.write(folder, papers.DRAFT, journal.encode())
        self._disk.replace(folder, papers.DRAFT, papers.NAME)
        self._disk.sync(folder)
        self._disk.sync(room)

    def close(
        self, room: int, journal: Journal, moved: Sequence[int] | None = None
    ) -> None:
        """Seal a batch with the items that lie in the trash, or drop an empty one.

        When that cannot be done, the batch stays open and is settled next time.
        """
        with suppress(OSError):
            if moved is None:
                slots, away = self.slots(journal)
                if away:
                    return
                moved = [item.number for item, _ in slots]
            self._seal(room, journal, moved)
            if not moved:
                self.clear(room, journal.batch, journal.bins)

    def _seal(self, room: int, journal: Journal, moved: Sequence[int]) -> None:
        at = papers.decode(journal.encode(), journal.batch).room
        seal = journal.seal(moved)
        blank = b" " * (journal.space - len(seal))
        with self._disk.inside(room, [journal.batch]) as folder:
            self._disk.overwrite(folder, papers.NAME, at, seal + blank)

    def drop_if_empty(self, room: int, journal: Journal) -> None:
        """Remove a batch of which certainly no file lies in the trash any more."""
        slots, away = self.slots(journal)
        if not slots and not away:
            self.close(room, journal, ())

    def clear(self, room: int, batch: str, bins: Sequence[str] = ()) -> None:
        """Remove a batch that holds no files; what is not empty stays."""
        disk = self._disk
        for path in bins[1:]:
            drop_bin(disk, path)
        with suppress(OSError):
            with disk.inside(room, [batch]) as folder:
                disk.remove_folder(folder, FILES)
                if disk.facts(folder, FILES) is not None:
                    return
                for name in (papers.DRAFT, papers.NAME):
                    if disk.facts(folder, name) is not None:
                        disk.remove(folder, name)
            disk.remove_folder(room, batch)

    # Room for a journal on a full disk

    def keep_reserve(self, room: int) -> None:
        """Keep some space, if there is some, for the journal of a later clean-up."""
        with suppress(OSError):
            if self._disk.facts(room, RESERVE) is None:
                self._disk.write(room, RESERVE, b"\0" * RESERVED)

    def spend_reserve(self, room: int) -> bool:
        """Give that space back to the disk; False when there was none."""
        return self._disk.discard(room, RESERVE)

    # After a run that was killed

    def settle(self, room: int) -> None:
        """Close every batch that a killed run left open; no run may be at work."""
        for name in self._disk.names(room):
            if not is_batch(name):
                continue
            try:
                journal = self.journal(room, name)
            except (OSError, Unreadable):  # it is listed with its problem, unless
                if self._unwritten(room, name):
                    self.clear(room, name)  # killed before anything was moved
                continue
            if journal.moved is None:
                self._settle_one(room, journal)
            elif not journal.moved:
                self.clear(room, name, journal.bins)  # emptied, and then killed
            else:
                slots, _ = self.slots(journal)
                half = [item for item, facts in slots if facts.st_nlink > 1]
                restoring.finish(self._disk, journal, half)
                self.drop_if_empty(room, journal)

    def _settle_one(self, room: int, journal: Journal) -> None:
        slots, away = self.slots(journal)
        strange = tuple(item for item, facts in slots if not item.is_of(facts))
        if strange:
            # Moved in the instant in which they took another file's name.
            restoring.put_back(self._disk, replace(journal, items=strange))
            slots, away = self.slots(journal)
        if away:
            return  # it stays open until its disk can be asked
        for number in sorted({item.folder for item, _ in slots}):
            moving.tidy(self._disk, journal.folders[number])
        self.close(room, journal, [item.number for item, _ in slots])
        self.settled.append(_settled(journal, slots))


def _settled(journal: Journal, slots: Slots) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(journal.when))
    total = len(journal.items)
    if not slots:
        return (
            f"the clean-up of {when} was interrupted before it had moved any of"
            f" its {total:,} artifacts: none of them is in the trash"
        )
    size = human_bytes(bytes_of(facts for item, facts in slots if item.size))
    return (
        f"the clean-up of {when} was interrupted: {len(slots):,} of {total:,}"
        f" artifacts ({size}) had been moved and are in the trash, the rest was left"
        f" alone; `spillview undo {journal.batch}` puts them back"
    )


def new_name(when: float) -> str:
    """A batch's name: its time in UTC and four digits by chance."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(when))
    return f"{stamp}-{os.urandom(2).hex()}"


def is_batch(name: str) -> bool:
    """Whether a name in the trash folder is a batch's."""
    parts = name.split("-")
    return len(parts) == 3 and all(part.isalnum() for part in parts)


def is_full(error: OSError) -> bool:
    """Whether the disk, or the user's share of it, is full."""
    return error.errno in FULL


def named_batch(batches: Sequence[Batch], reference: str | None) -> Batch | None:
    """The batch that is meant; without a reference the last that has files."""
    if reference is None:
        usable = [b for b in batches if (b.items or b.away) and not b.problem]
        broken = [b for b in batches if b.problem]
        if not usable and broken:
            raise Unreadable(f"{path_text(broken[0].path)}: {broken[0].problem}")
        return usable[0] if usable else None
    hits = [batch for batch in batches if batch.id == reference]
    if not hits and len(reference) >= PREFIX:
        hits = [batch for batch in batches if batch.id.startswith(reference)]
    if not hits:
        raise UnknownBatch(
            f"there is no clean-up “{reference}” in the trash;"
            " `spillview trash` lists those there are"
        )
    if len(hits) > 1:
        raise BadInput(
            f"“{reference}” begins the names of {len(hits)} clean-ups: give more of it"
        )
    if hits[0].problem is not None:
        raise Unreadable(hits[0].problem)
    return hits[0]
