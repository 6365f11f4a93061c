"""What our own clean-ups took: which file lies in which batch, or was deleted for good.

The journals in the trash say it while a batch is there; what was deleted for good is
noted in a file for each batch. A result that is missing is asked after here, so that
nobody looks for what they removed themselves.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from spillview.disk import Disk, private_folder
from spillview.errors import Unreadable
from spillview.frozen import Frozen

if TYPE_CHECKING:
    from spillview.model import Missing
    from spillview.places import Places

FOLDER = "deleted"
"""The folder in the trash that holds a note for each batch deleted for good."""
NOTES = 500
"""So many are kept, the newest ones."""
MOST = 64 << 20
"""Bytes of one note that are read, and that it may unfold to."""


class Removal(Frozen):
    """How one file was removed by a clean-up of ours."""

    batch: str | None
    """The clean-up; None where no trash could take the file."""
    when: float
    """When it was moved or deleted, seconds since the epoch."""
    deleted: float | None = None
    """When it was deleted for good; None while it lies in the trash."""
    kept: str | None = None
    """The `trash_keep` that it had outlived, where that deleted it."""

    @property
    def word(self) -> str:
        """What became of it, in the room of a state."""
        return "in trash" if self.deleted is None else "deleted"

    @property
    def words(self) -> str:
        """What became of it, as the end of a sentence without its full stop."""
        if self.deleted is None:
            return (
                f"in the trash since {_day(self.when)}: `spillview undo {self.batch}`"
                " puts it back"
            )
        if self.kept is not None:
            why = f"because trash_keep is {self.kept}"
            return f"deleted for good on {_day(self.deleted)}, {why}"
        return f"deleted for good by you on {_day(self.deleted)}"

    @property
    def sentence(self) -> str:
        """The same as a sentence of its own."""
        return f"{self.words[:1].upper()}{self.words[1:]}."


def _day(when: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(when))


# Noting what is deleted for good


def note(disk: Disk, room: int, removal: Removal, paths: Sequence[str]) -> None:
    """Note that these files were deleted; where that cannot be, less is known later."""
    if not paths:
        return
    said = [removal.batch, removal.when, removal.deleted, removal.kept, list(paths)]
    name = f"{int((removal.deleted or 0.0) * 1000):015d}-{os.urandom(2).hex()}"
    data = zlib.compress(json.dumps(said).encode("ascii"))
    with suppress(OSError):
        private_folder(disk, room, FOLDER)
        with disk.inside(room, [FOLDER]) as folder:
            disk.write(folder, name, data)
            disk.sync(folder)
            for old in sorted(disk.names(folder))[:-NOTES]:
                disk.discard(folder, old)


def _noted(disk: Disk, room: int) -> Iterator[tuple[Removal, list[str]]]:
    with suppress(OSError), disk.inside(room, [FOLDER]) as folder:
        for name in sorted(disk.names(folder)):
            with suppress(OSError, ValueError, TypeError, zlib.error):
                unfold = zlib.decompressobj()
                data = unfold.decompress(disk.read(folder, name, MOST), MOST)
                *facts, paths = json.loads(data)
                yield Removal(*facts), [path for path in paths if isinstance(path, str)]


# Asking


class Removals:
    """What the clean-ups of one user took, read anew when the trash changed."""

    def __init__(self, places: Places) -> None:
        self._path = os.path.join(os.path.realpath(places.state_dir), "trash")
        self._mark: object = None
        self._at: dict[str, Removal] = {}
        """By real path."""
        self._named: dict[str, list[str]] = {}
        """Real paths by the file's name, and by that up to its first dot."""
        self._folders: dict[str, str] = {}

    def of(self, missing: Missing) -> Removal | None:
        """How the file of a call was removed by us; None where it was not."""
        self._learn()
        if not self._at:
            return None
        said = missing.mention
        if said.path is not None:
            found = self._at.get(self._real(os.path.expanduser(said.path)))
            if found is not None:
                return found
        names = {said.ident, said.call_id}
        if said.path is not None:
            names.add(said.path.replace("\\", "/").rpartition("/")[2])
        for name in names - {None, ""}:
            for path in self._named.get(name or "", ()):
                if said.session in path:
                    return self._at[path]
        return None

    def _real(self, path: str) -> str:
        folder, name = os.path.split(path)
        known = self._folders.get(folder)
        if known is None:
            with suppress(ValueError):  # a NUL in what a record says
                known = os.path.realpath(folder)
            known = self._folders[folder] = known or folder
        return os.path.join(known, name)

    def _learn(self) -> None:
        mark = _mark(self._path)
        if mark == self._mark:
            return
        self._mark = mark
        self._at, self._named, self._folders = {}, {}, {}
        for removal, paths in self._all() if mark else ():
            for path in paths:
                self._at[self._real(path)] = removal
        for path in self._at:
            name = os.path.basename(path)
            for each in {name, name.partition(".")[0]}:
                self._named.setdefault(each, []).append(path)

    def _all(self) -> list[tuple[Removal, list[str]]]:
        """Everything that was taken, the oldest first."""
        from spillview.cleanup.batches import Batches, is_batch

        disk = Disk()
        batches = Batches(disk, self._path)
        found: list[tuple[Removal, list[str]]] = []
        with suppress(OSError), disk.folder(self._path) as room:
            found += _noted(disk, room)
            for name in filter(is_batch, disk.names(room)):
                with suppress(OSError, Unreadable):
                    journal = batches.journal(room, name)
                    slots, away = batches.slots(journal)
                    items = [*(item for item, _ in slots), *away]
                    removal = Removal(name, journal.when)
                    found.append((removal, [item.path for item in items]))
        return sorted(found, key=lambda pair: pair[0].when)


def _mark(trash: str) -> tuple[object, ...]:
    """What changes when something was put into the trash, put back, or deleted."""
    try:
        names = sorted(os.listdir(trash))
    except OSError:
        return ()
    facts: list[object] = []
    for name in names:
        for path in (name, os.path.join(name, "files"), os.path.join(name, "journal")):
            with suppress(OSError):
                facts.append((path, os.lstat(os.path.join(trash, path)).st_mtime_ns))
    return tuple(facts)
