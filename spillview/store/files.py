"""The system calls of a store, each announced first: see `spillview.disk`."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from spillview.disk import Disk, Unsafe
from spillview.text import path_text, printable

_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_PIECE = 1 << 20
_POLL = 0.01


class StoreDisk(Disk):
    """What a store needs of the disk beside folders. Raises OSError as the system."""

    def make_root(self, path: str) -> None:
        """Make a folder and those above it that are missing, closed to others."""
        above = os.path.dirname(path)
        if above != path and not os.path.isdir(above):
            self.make_root(above)
        self._step("mkdir")
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
            return
        with suppress(OSError):  # one that cannot be synced holds spills all the same
            self.sync_folder_of(path)

    def sync_folder_of(self, path: str) -> None:
        """Have a folder's name on the disk itself."""
        with self.folder(os.path.dirname(path)) as above:
            self.sync(above)

    def create(self, folder: int, name: str) -> int:
        """A new file that its owner alone can read, open for writing.

        Raises FileExistsError when anything has that name, a broken link too.
        """
        self._step("create")
        handle = os.open(name, _NEW, 0o600, dir_fd=folder)
        with suppress(OSError):  # a umask only takes rights away
            self.set_mode(handle, 0o600)
        return handle

    def append(self, handle: int, data: memoryview) -> Iterator[int]:
        """Write all of `data`; gives each number of bytes that were written."""
        done = 0
        while done < len(data):
            self._step("write")
            wrote = os.write(handle, data[done : done + _PIECE])
            done += wrote
            yield wrote

    def size(self, handle: int) -> int:
        """Bytes of an open file."""
        self._step("stat")
        return os.fstat(handle).st_size

    def sync_file(self, handle: int) -> None:
        """Have a file's bytes on the disk itself."""
        self._step("fsync")
        os.fsync(handle)

    def close(self, handle: int) -> None:
        """Close a file; some file systems tell only now that they had no room."""
        try:
            self._step("close")
        finally:
            os.close(handle)

    def leads_to(self, path: str, handle: int) -> bool:
        """Whether the path is still the name of this open file."""
        self._step("stat")
        try:
            facts = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        mine = os.fstat(handle)
        return (facts.st_dev, facts.st_ino) == (mine.st_dev, mine.st_ino)

    def stored(self, folder: int) -> int:
        """Bytes of all spills in a folder; sidecars do not count."""
        total = 0
        self._step("list")
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                try:
                    facts = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if stat.S_ISREG(facts.st_mode):
                    total += facts.st_size
        return total

    @contextmanager
    def alone(self, folder: int, wait: float) -> Iterator[None]:
        """Alone with a folder among all who ask for it; a killed process frees it.

        Raises TimeoutError when another one still has it after `wait` seconds.
        """
        import fcntl

        self._step("open")
        handle = os.open(".", os.O_RDONLY, dir_fd=folder)
        try:
            pause, until = _POLL, time.monotonic() + wait
            while True:
                self._step("lock")
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise TimeoutError(
                            errno.ETIMEDOUT, "another process is writing there"
                        ) from None
                time.sleep(pause)
                # Who has waited long asks more often, so that nobody waits for ever.
                pause = max(pause * 0.98, _POLL / 20)
            yield
        finally:
            os.close(handle)

    def open_root(self, path: str) -> int:
        """The store's root, checked: its owner's, and nobody else may change it.

        Made when it is missing. Raises `Unsafe` when it is not what it must be.
        """
        real = os.path.realpath(path)
        for _ in range(2):
            try:
                with self.folder(real) as opened:
                    facts = self.own_facts(opened)
                    _check(
                        path,
                        facts,
                        0o022,
                        "may be changed by other users: chmod go-w it",
                    )
                    return os.dup(opened)
            except FileNotFoundError:
                self.make_root(real)
            except NotADirectoryError:
                raise Unsafe(f"{shown(path)} is no folder.") from None
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def open_session(self, root: int, path: str, name: str) -> int:
        """A session's folder, checked: its owner's alone, and no link.

        Made when it is missing. Raises `Unsafe` when it is not what it must be.
        """
        place = os.path.join(path, name)
        for _ in range(2):
            try:
                with self.inside(root, [name]) as opened:
                    facts = self.own_facts(opened)
                    _check(place, facts, 0o077, "is open to other users: chmod go= it")
                    return os.dup(opened)
            except FileNotFoundError:
                self.make_folder(root, name)
            except OSError as error:
                if error.errno in (errno.ENOTDIR, errno.ELOOP):
                    raise Unsafe(f"{shown(place)} is no folder.") from None
                raise
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place)


def shown(path: str) -> str:
    """A path in a sentence."""
    return printable(path_text(path))


def _check(path: str, facts: os.stat_result, closed: int, complaint: str) -> None:
    getuid = getattr(os, "geteuid", None)
    if getuid is not None and facts.st_uid != getuid():
        raise Unsafe(f"{shown(path)} belongs to another user.")
    if stat.S_IMODE(facts.st_mode) & closed:
        raise Unsafe(f"{shown(path)} {complaint}.")
