"""The trash: clean-ups that can be undone, listed, emptied, and that may expire.

One lock keeps two runs apart. Whatever a killed run left is settled when the trash is
opened next, and `settled` says how.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from spillview.cleanup import emptying, moving, restoring
from spillview.cleanup.batches import (
    Batch,
    Batches,
    UnknownBatch,
    is_full,
    named_batch,
    new_name,
)
from spillview.cleanup.bins import FILES, Bins
from spillview.cleanup.expiry import Freed, freed_batch, freed_in, is_expired, remember
from spillview.cleanup.journal import Journal
from spillview.cleanup.moving import Cancelled, Carried, Draft, Failure, Progress
from spillview.cleanup.outcomes import Applied, Emptied, Undone
from spillview.cleanup.removals import Removal, note
from spillview.disk import CAN_WORK, Busy, Disk, private_folder
from spillview.errors import SpillError, Unreadable
from spillview.model import Found
from spillview.own_files import unwritable
from spillview.places import Places, private_dir
from spillview.text import exact_age, path_text

__all__ = ["Applied", "DiskFull", "Emptied", "NoTrash", "Trash", "Undone"]

WAIT = 10.0
"""Seconds to wait for another run before saying that it is at work."""
_LOCK = "lock"


class DiskFull(SpillError):
    """There is no room for the journal, so nothing was moved."""


class NoTrash(SpillError):
    """The state folder cannot hold a trash, so nothing was moved."""


class Trash:
    """The clean-ups of one user."""

    def __init__(
        self,
        places: Places,
        disk: Disk | None = None,
        *,
        now: Callable[[], float] = time.time,
        wait: float = WAIT,
    ) -> None:
        self._state = os.path.realpath(places.state_dir)
        self.path = os.path.join(self._state, "trash")
        self._disk = disk if disk is not None else Disk()
        self._batches = Batches(self._disk, self.path)
        self._now = now
        self._wait = wait

    @property
    def settled(self) -> list[str]:
        """Sentences about what killed runs left and what became of it."""
        return self._batches.settled

    # Looking

    def batches(self) -> list[Batch]:
        """Every clean-up in the trash, the newest first; changes nothing.

        Raises `Unreadable` when the trash cannot be looked into.
        """
        try:
            with self._disk.folder(self.path) as room:
                return self._batches.all(room)
        except FileNotFoundError:
            return []
        except OSError as error:
            place = path_text(self.path)
            why = moving.words(error)
            if isinstance(error, NotADirectoryError):
                why = unwritable(self.path, error)
            raise Unreadable(f"{place} cannot be looked into: {why}") from None

    def contents(self, batch: str) -> list[tuple[str, int]]:
        """Where the files of a batch that lie in the trash came from, and their bytes.

        Raises OSError or `Unreadable` when it cannot be looked into.
        """
        with self._disk.folder(self.path) as room:
            journal = self._batches.journal(room, batch)
        slots, _ = self._batches.slots(journal)
        return [(item.path, item.size) for item, _ in slots]

    def settle(self) -> None:
        """Close what killed runs left open, unless a run is at work right now."""
        with suppress(Busy, NoTrash, OSError), self._alone(make=False, wait=0):
            pass

    # Changing

    def apply(
        self,
        found: Sequence[Found],
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Applied:
        """Move files into the trash, as one batch that can be undone.

        Raises `DiskFull`, `NoTrash` or `Busy`; then nothing was moved.
        """
        with self._alone(make=True) as room:
            batch = new_name(self._now())
            try:
                try:
                    journal, draft = self._begin(room, batch, found, cancelled)
                except OSError as error:
                    self._batches.clear(room, batch)
                    if not is_full(error) or not self._batches.spend_reserve(room):
                        raise
                    journal, draft = self._begin(room, batch, found, cancelled)
            except (OSError, Unreadable) as error:
                self._batches.clear(room, batch)
                raise self._refusal(error) from None
            if not draft.items:
                self._batches.clear(room, batch)
                return Applied(None, (), tuple(draft.failed))
            moved: list[int] | None = None  # what they are is looked up, if killed
            try:
                done = moving.carry_out(
                    self._disk, journal, draft.found, progress, cancelled
                )
                moved = done.numbers
            finally:
                self._batches.close(room, journal, moved)
            self._batches.keep_reserve(room)
            return Applied(
                batch if done.moved else None,
                tuple(done.moved),
                (*draft.failed, *done.failed),
            )

    def _begin(
        self,
        room: int,
        batch: str,
        found: Sequence[Found],
        cancelled: Cancelled | None,
    ) -> tuple[Journal, Draft]:
        """Look at every file again, and write down where each is to go."""
        disk = self._disk
        bins = Bins(disk, os.path.join(self.path, batch, FILES), batch)
        private_folder(disk, room, batch)
        with disk.inside(room, [batch]) as folder:
            private_folder(disk, folder, FILES)
            with disk.inside(folder, [FILES]) as files:
                draft = moving.prepare(disk, found, bins, files, cancelled)
            journal = Journal(
                batch,
                self._now(),
                tuple(bins.paths),
                tuple(draft.folders),
                tuple(draft.items),
            )
            if draft.items:
                self._batches.write(room, folder, journal)
        return journal, draft

    def _refusal(self, error: Exception, name: str = "") -> SpillError:
        where = path_text(self.path)
        if isinstance(error, OSError) and is_full(error):
            return DiskFull(
                f"the disk is full: there is no room in {where} to note where"
                " the artifacts belong, so none was moved"
            )
        if isinstance(error, OSError):
            path = os.path.join(self.path, name) if name else self.path
            return NoTrash(f"the trash cannot be used: {unwritable(path, error)}")
        return NoTrash(f"there is no usable trash in {where}: {error}")

    def delete(
        self,
        found: Sequence[Found],
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Applied:
        """Delete files for good; those that `cancelled` came before stay.

        They go through the trash, so that a killed run leaves none half deleted;
        where there is none they are deleted where they lie. Raises `Busy`.
        """
        try:
            applied = self.apply(found, progress=progress, cancelled=cancelled)
        except (DiskFull, NoTrash):
            done = moving.delete(self._disk, found, progress, cancelled)
            self._note_deleted(done.moved)
            return Applied(None, tuple(done.moved), tuple(done.failed), done.gained)
        emptied = Emptied()
        if applied.batch is not None:
            emptied = self.empty([applied.batch], cancelled=cancelled)
        kept = dict(emptied.failed)
        moved = [each for each in applied.moved if each.path not in kept]
        failed = [each for each in applied.failed if not each.no_bin]
        failed += [
            Failure(each, f"it is in the trash: {kept[each.path]}")
            for each in applied.moved
            if each.path in kept
        ]
        direct = Carried()
        if rest := [each.found for each in applied.failed if each.no_bin]:
            direct = moving.delete(self._disk, rest, progress, cancelled)
            self._note_deleted(direct.moved)
        return Applied(
            applied.batch if kept else None,
            (*moved, *direct.moved),
            (*failed, *direct.failed),
            emptied.freed_now + direct.gained,
        )

    def _note_deleted(self, found: Sequence[Found]) -> None:
        """Note what was deleted where it lay, if the trash can hold a note."""
        now = self._now()
        with suppress(Busy, NoTrash, OSError), self._maybe_alone() as room:
            if room is not None:
                removal = Removal(None, now, now)
                note(self._disk, room, removal, [each.path for each in found])

    def undo(
        self,
        reference: str | None = None,
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Undone:
        """Put back the last clean-up, or the one that `reference` names.

        What is left when it is `cancelled` stays in the trash, for another undo.
        Raises `UnknownBatch` or `BadInput` when it names none, or more than one.
        """
        with self._maybe_alone() as room:
            everything = self._batches.all(room) if room is not None else []
            freed = freed_in(self._disk, room) if room is not None else []
            try:
                batch = named_batch(everything, reference)
            except UnknownBatch:
                if reference is not None and (gone := freed_batch(freed, reference)):
                    raise UnknownBatch(gone.sentence) from None
                raise
            if room is None or batch is None:
                return Undone(None, freed=freed[-1] if freed else None)
            journal = self._batches.journal(room, batch.id)
            done = restoring.put_back(self._disk, journal, progress, cancelled)
            failed = [(item.path, why) for item, why in done.failed]
            self._batches.drop_if_empty(room, journal)
            restored = tuple(item.path for item in done.items)
            return Undone(batch.id, restored, tuple(failed))

    def empty(
        self,
        references: Sequence[str] | None = None,
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Emptied:
        """Delete for good what lies in the trash: everything, or these batches.

        What is left when it is `cancelled` stays there, and can still be put back.
        """
        done = Emptied()
        with self._maybe_alone() as room:
            everything = self._batches.all(room) if room is not None else []
            if references is None:
                chosen = [batch for batch in everything if batch.problem is None]
                broken = [batch for batch in everything if batch.problem is not None]
                done.failed += [(each.path, each.problem or "") for each in broken]
            else:
                named = [named_batch(everything, reference) for reference in references]
                chosen = list(dict.fromkeys(b for b in named if b is not None))
            if room is None:
                return done
            self._free(room, chosen, done, progress, cancelled)
        return done

    def expire(
        self,
        keep: float,
        spare: str | None = None,
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Emptied:
        """Delete for good the clean-ups that were made more than `keep` seconds ago.

        `spare` is the one just made, which an undo was promised for. Raises `Busy` or
        `NoTrash`; then nothing was deleted.
        """
        done = Emptied()
        with self._maybe_alone() as room:
            if room is not None:
                now = self._now()
                old = [
                    batch
                    for batch in self._batches.all(room)
                    if is_expired(batch, keep, now) and batch.id != spare
                ]
                self._free(room, old, done, progress, cancelled, exact_age(keep))
        return done

    def _free(
        self,
        room: int,
        batches: Sequence[Batch],
        done: Emptied,
        progress: Progress | None,
        cancelled: Cancelled | None,
        kept: str | None = None,
    ) -> None:
        """Delete these for good, and remember it for an undo that asks for them."""
        total = sum(batch.items for batch in batches)
        freed = []
        for batch in batches:
            items, size = done.items, done.bytes
            journal = self._batches.journal(room, batch.id)
            paths = emptying.delete_for_good(
                self._disk, journal, done, total, progress, cancelled
            )
            removal = Removal(batch.id, journal.when, self._now(), kept)
            note(self._disk, room, removal, paths)
            self._batches.drop_if_empty(room, journal)
            done.batches.append(batch)
            if done.items > items:
                gone = (done.items - items, done.bytes - size)
                freed.append(Freed(batch.id, self._now(), *gone, kept))
        remember(self._disk, room, freed)

    # Alone

    @contextmanager
    def _maybe_alone(self) -> Iterator[int | None]:
        """The trash, locked; None when there is none yet."""
        try:
            os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            yield None
            return
        except OSError as error:
            raise self._refusal(error) from None
        with self._alone(make=False) as room:
            yield room

    @contextmanager
    def _alone(self, *, make: bool, wait: float | None = None) -> Iterator[int]:
        """The trash, locked against other runs, with nothing left open in it."""
        if not CAN_WORK:
            raise NoTrash(
                "this system cannot name a file inside an open folder,"
                " without which nothing is removed safely"
            )
        disk = self._disk
        if make:
            try:
                private_dir(self._state)
                with disk.folder(self._state) as state:
                    private_folder(disk, state, "trash")
            except (OSError, Unreadable) as error:
                raise self._refusal(error) from None
        patience = self._wait if wait is None else wait
        with ExitStack() as held:
            try:
                room = held.enter_context(disk.folder(self.path))
                held.enter_context(disk.locked(room, _LOCK, patience))
            except OSError as error:
                raise self._refusal(error, _LOCK) from None
            self._batches.settle(room)
            yield room
