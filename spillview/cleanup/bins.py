"""Where removed files are kept: a private folder on their own filesystem.

The state folder's trash serves where files can be moved there at once. Elsewhere a
folder near the store takes them, if it can be made so that no other user can swap it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from spillview.discovery.walk import TRASH
from spillview.disk import Disk, Unsafe, guarded, private_folder
from spillview.places import Places, own_uid
from spillview.text import path_text

FILES = "files"
"""The folder inside a batch of the state folder's trash that holds its files."""


@dataclass(frozen=True, slots=True)
class NoBin:
    """Why a filesystem has no place for a trash, as the end of a sentence."""

    reason: str


class Away(OSError):
    """A bin cannot be found, though nothing says that it was emptied."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ENODEV, "its filesystem is not mounted", path)


def near_name() -> str:
    """What this user's trash near a store is called."""
    return f"{TRASH}{max(own_uid(), 0)}"


class Bins:
    """The bins of one batch: which folder takes the files of which store."""

    def __init__(self, disk: Disk, home: str, batch: str) -> None:
        """`home` is the folder in the state folder's trash; it exists."""
        self._disk = disk
        self._batch = batch
        self.paths: list[str] = [home]
        """The folders that take files so far, in the order of their numbers."""
        self._known: dict[tuple[int, str], int | NoBin] = {}

    def number_for(
        self, folder: int, root: str, names: Sequence[str], home: int
    ) -> int | NoBin:
        """Which of `paths` takes the files of an open folder, or why none does."""
        key = (self._disk.own_facts(folder).st_dev, root)
        if key not in self._known:
            self._known[key] = self._choose(folder, root, names, home)
        return self._known[key]

    def _choose(
        self, folder: int, root: str, names: Sequence[str], home: int
    ) -> int | NoBin:
        disk = self._disk
        device = disk.own_facts(folder).st_dev
        if disk.own_facts(home).st_dev == device and disk.reaches(folder, home):
            return 0
        reasons: list[str] = []
        for base in bases(root, names):
            try:
                with disk.folder(base) as top:
                    why = unfit(disk, top, device)
                    if why is not None:
                        reasons.append(f"{path_text(base)} {why}")
                        continue
                    private_folder(disk, top, near_name())
                    with disk.inside(top, [near_name()]) as bin_:
                        if not disk.reaches(folder, bin_):
                            reasons.append(f"{path_text(base)} is mounted elsewhere")
                            continue
            except Unsafe as error:
                reasons.append(f"in {path_text(base)}, {error}")
                continue
            except OSError as error:
                words = (error.strerror or "it cannot be used").lower()
                reasons.append(f"{path_text(base)}: {words}")
                continue
            path = os.path.join(base, near_name(), self._batch)
            if path not in self.paths:
                self.paths.append(path)
            return self.paths.index(path)
        return NoBin("; ".join(reasons) or "no folder of it can hold a trash")


def bases(root: str, names: Sequence[str]) -> list[str]:
    """Folders in which a trash near a store may be made, the best first."""
    found = [os.path.dirname(root), root]
    for name in names:
        found.append(os.path.join(found[-1], name))
    return found


def unfit(disk: Disk, folder: int, device: int) -> str | None:
    """Why no trash for a device's files can be made in an open folder; None if fit."""
    facts = disk.own_facts(folder)
    if facts.st_dev != device:
        return "is on another filesystem"
    if not guarded(facts):
        return "is open to other users"
    return None


@contextmanager
def open_bin(disk: Disk, path: str, *, make: bool = False) -> Iterator[int]:
    """The folder of a batch in its bin, made if `make`; raises OSError."""
    around, name = os.path.split(path)
    with _around(disk, around) as outer:
        if make:
            private_folder(disk, outer, name)
        with disk.inside(outer, [name]) as inner:
            yield inner


@contextmanager
def find_bin(disk: Disk, path: str, device: int) -> Iterator[int | None]:
    """The folder of a batch in its bin; None when it is certain that there is none.

    A bin whose filesystem is not mounted is no empty bin: it raises `Away`.
    """
    around, name = os.path.split(path)
    with ExitStack() as opened:
        try:
            outer = opened.enter_context(_around(disk, around))
        except FileNotFoundError:
            raise Away(path) from None
        inner: int | None = None
        try:
            inner = opened.enter_context(disk.inside(outer, [name]))
        except FileNotFoundError:
            there = disk.own_facts(outer).st_dev == device
            if not there or disk.facts(outer, name) is not None:
                raise Away(path) from None
        yield inner


@contextmanager
def _around(disk: Disk, path: str) -> Iterator[int]:
    """The folder around a batch's, which must still be this user's alone."""
    with disk.folder(path) as outer:
        facts = disk.own_facts(outer)
        if stat.S_IMODE(facts.st_mode) & 0o077 or facts.st_uid != max(own_uid(), 0):
            raise PermissionError(errno.EPERM, "the trash is open to others", path)
        yield outer


def drop_bin(disk: Disk, path: str) -> None:
    """Remove a batch's empty folder, and the bin near a store when it is empty too."""
    around, name = os.path.split(path)
    with suppress(OSError):
        with disk.folder(around) as outer:
            disk.remove_folder(outer, name)
        base, bin_ = os.path.split(around)
        if bin_.startswith(TRASH):
            with disk.folder(base) as top:
                disk.remove_folder(top, bin_)


def outlook(places: Places, folder: str, root: str) -> str | NoBin:
    """Where the files of `folder` would go, with nothing made: a trash or a reason."""
    try:
        device = os.stat(folder).st_dev
        below = os.path.relpath(folder, root).split(os.sep)
    except OSError as error:
        return NoBin((error.strerror or "the folder cannot be looked at").lower())
    state = places.state_dir
    if _device(state) == device:
        return os.path.join(state, "trash")
    reasons = []
    real = os.path.realpath(root)
    for base in bases(real, [name for name in below if name != os.curdir]):
        try:
            with Disk().folder(base) as top:
                why = unfit(Disk(), top, device)
        except OSError as error:
            why = (error.strerror or "cannot be opened").lower()
        if why is None and not os.access(base, os.W_OK | os.X_OK):
            why = "cannot be written to"
        if why is None:
            return os.path.join(base, near_name())
        reasons.append(f"{path_text(base)} {why}")
    return NoBin("; ".join(reasons))


def _device(path: str) -> int | None:
    """The device of `path`, or of the nearest folder above it that exists."""
    while True:
        try:
            return os.stat(path).st_dev
        except OSError:
            parent = os.path.dirname(path)
            if parent == path:
                return None
            path = parent
