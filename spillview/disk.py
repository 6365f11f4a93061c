"""The one room that changes what lies on the user's disk: moves, removals, folders.

Every folder is a descriptor opened without following links, and every change names a
file inside such a folder, so that a path that is swapped meanwhile leads nowhere. Each
system call passes `step` first, where tests make it fail or end the process.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from spillview.errors import SpillError, Unreadable
from spillview.space import taken

_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
"""What a filesystem answers that has no second names for this file."""
_POLL = 0.05


class Busy(SpillError):
    """Another process is changing the same things at the moment."""


class Unsafe(Unreadable):
    """A folder is not what it must be: a link, another user's, open to others."""


_CALLS = (os.open, os.stat, os.rename, os.link, os.unlink, os.mkdir, os.rmdir)
CAN_WORK = all(each in os.supports_dir_fd for each in _CALLS) and hasattr(
    os, "O_NOFOLLOW"
)
"""Whether this system can name a file inside an open folder."""


def same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether two looks at a name saw the same file."""
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def gain(facts: os.stat_result) -> int:
    """Bytes that removing this name gives back at least; 0 while it has another."""
    if facts.st_nlink > 1 and not stat.S_ISDIR(facts.st_mode):
        return 0
    return taken(facts.st_size, getattr(facts, "st_blocks", None))


class Disk:
    """The system calls, each announced to `step` before it is made.

    Everything here raises OSError as the system does.
    """

    def __init__(self, step: Callable[[str], None] | None = None) -> None:
        self._step = step if step is not None else _go_on

    # Folders

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """The folder at `path` (itself no link), open for as long as it is needed."""
        self._step("open")
        handle = os.open(path, _FOLDER)
        try:
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def inside(self, folder: int, names: Sequence[str]) -> Iterator[int]:
        """The folder that `names` lead to from `folder`, none of them a link."""
        handle = os.dup(folder)
        try:
            for name in names:
                self._step("open")
                inner = os.open(name, _FOLDER, dir_fd=handle)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    def own_facts(self, folder: int) -> os.stat_result:
        """The facts of an open folder."""
        self._step("stat")
        return os.fstat(folder)

    def names(self, folder: int) -> list[str]:
        """The names in a folder, sorted."""
        self._step("list")
        return sorted(os.listdir(folder))

    def facts(self, folder: int, name: str) -> os.stat_result | None:
        """The facts of a name, of a link itself; None when there is none."""
        self._step("stat")
        try:
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def target(self, folder: int, name: str) -> str:
        """What is written in a link."""
        self._step("readlink")
        return os.readlink(name, dir_fd=folder)

    def make_folder(self, folder: int, name: str, mode: int = 0o700) -> bool:
        """Make a folder with exactly this mode; False when the name was taken."""
        self._step("mkdir")
        try:
            os.mkdir(name, mode, dir_fd=folder)
        except FileExistsError:
            return False
        try:
            with self.inside(folder, [name]) as made:
                self.set_mode(made, mode)
        except OSError:
            self.remove_folder(folder, name)
            raise
        return True

    def set_mode(self, folder: int, mode: int) -> None:
        """Give an open folder exactly this mode."""
        if stat.S_IMODE(os.fstat(folder).st_mode) != mode:
            self._step("chmod")
            os.chmod(folder, mode)

    def remove_folder(self, folder: int, name: str) -> bool:
        """Remove an empty folder; False when it is gone, not empty, or no folder."""
        self._step("rmdir")
        try:
            os.rmdir(name, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            raise
        return True

    def set_times(self, folder: int, atime_ns: int, mtime_ns: int) -> None:
        """Give an open folder its times back."""
        self._step("utime")
        os.utime(folder, ns=(atime_ns, mtime_ns))

    def sync(self, folder: int) -> None:
        """Have the folder's entries on the disk itself."""
        self._step("fsync")
        try:
            os.fsync(folder)
        except OSError as error:
            # Some filesystems cannot do it for a folder.
            if error.errno not in (errno.EINVAL, errno.EBADF, errno.EROFS):
                raise

    # Files

    def reaches(self, folder: int, other: int) -> bool:
        """Whether files can be moved between two folders, with nothing moved.

        Linux compares the mounts before it looks for the name; other systems say no
        only when a file is really moved.
        """
        self._step("probe")
        nowhere = f".spillview-{os.urandom(16).hex()}"
        try:
            os.rename(nowhere, nowhere, src_dir_fd=folder, dst_dir_fd=other)
        except FileNotFoundError:
            return True
        except OSError as error:
            if error.errno == errno.EXDEV:
                return False
            raise
        return True

    def move(self, folder: int, name: str, into: int, new: str) -> None:
        """Give a file another place, in a folder that nobody else writes to."""
        self._step("rename")
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=into)

    def place(self, folder: int, name: str, into: int, new: str) -> None:
        """Give a file another place, never over anything that is there.

        Raises FileExistsError when the place is taken. In between the file has both
        names; when the first cannot be taken away any more, it keeps both.
        """
        if self.lay(folder, name, into, new):
            self.remove(folder, name)

    def lay(self, folder: int, name: str, into: int, new: str) -> bool:
        """Give a file a place in another folder too; False when it moved there.

        Raises FileExistsError when the place is taken.
        """
        self._step("link")
        try:
            os.link(
                name, new, src_dir_fd=folder, dst_dir_fd=into, follow_symlinks=False
            )
        except (NotImplementedError, OSError) as error:
            number = getattr(error, "errno", None) or errno.ENOSYS
            if number not in _NO_LINKS:
                raise
            self._rename_new(folder, name, into, new)
            return False
        return True

    def _rename_new(self, folder: int, name: str, into: int, new: str) -> None:
        self._step("rename")
        answer = _rename_exclusively(folder, name, into, new)
        if answer == 0:
            return
        if answer not in (None, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
            _fail(answer, new)
        # Neither links nor an exclusive rename: look, then move.
        if self.facts(into, new) is not None:
            _fail(errno.EEXIST, new)
        self.move(folder, name, into, new)

    def remove(self, folder: int, name: str) -> None:
        """Take a file's name away."""
        self._step("unlink")
        os.unlink(name, dir_fd=folder)

    # The room's own papers

    def write(self, folder: int, name: str, data: bytes) -> None:
        """Write a new private file and have it on the disk itself.

        Raises FileExistsError when the name is taken. What was begun is taken away
        when it cannot be finished.
        """
        self._step("create")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
        handle = os.open(name, flags, 0o600, dir_fd=folder)
        try:
            try:
                self._all(handle, data, None)
                self._step("fsync")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError:
            self.discard(folder, name)
            raise

    def overwrite(self, folder: int, name: str, offset: int, data: bytes) -> None:
        """Write into a file that has the room for it, and have it on the disk."""
        self._step("open")
        handle = os.open(name, os.O_WRONLY | _FILE, dir_fd=folder)
        try:
            self._all(handle, data, offset)
            self._step("fsync")
            os.fsync(handle)
        finally:
            os.close(handle)

    def read(self, folder: int, name: str, most: int) -> bytes:
        """The bytes of a regular file of our own, `most` of them."""
        self._step("open")
        flags = os.O_RDONLY | _FILE | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(name, flags, dir_fd=folder)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                _fail(errno.EINVAL, name)
            parts = []
            while most > 0:
                self._step("read")
                part = os.read(handle, min(most, 1 << 20))
                if not part:
                    break
                parts.append(part)
                most -= len(part)
            return b"".join(parts)
        finally:
            os.close(handle)

    def _all(self, handle: int, data: bytes, offset: int | None) -> None:
        done = 0
        while done < len(data):
            self._step("write")
            part = data[done : done + (1 << 20)]
            if offset is None:
                done += os.write(handle, part)
            else:
                done += os.pwrite(handle, part, offset + done)

    def replace(self, folder: int, name: str, new: str) -> None:
        """Rename inside a folder of our own, over what has that name."""
        self._step("rename")
        os.replace(name, new, src_dir_fd=folder, dst_dir_fd=folder)

    def discard(self, folder: int, name: str) -> bool:
        """Take a file of our own away; False when that was not possible."""
        try:
            self.remove(folder, name)
        except OSError:
            return False
        return True

    @contextmanager
    def locked(self, folder: int, name: str, wait: float) -> Iterator[None]:
        """Alone with whatever goes by this lock file; a killed process frees it.

        Raises `Busy` when another process still holds it after `wait` seconds.
        """
        import fcntl

        facts = self.facts(folder, name)
        if facts is not None and not stat.S_ISREG(facts.st_mode):
            self.replace(folder, name, f"{name}.broken-1")  # no lock of ours
        self._step("open")
        flags = os.O_RDWR | os.O_CREAT | _FILE
        handle = os.open(name, flags, 0o600, dir_fd=folder)
        try:
            until = time.monotonic() + wait
            while True:
                self._step("lock")
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise Busy(
                            "another clean-up is at work at the moment;"
                            " try again when it has ended"
                        ) from None
                time.sleep(_POLL)
            yield
        finally:
            os.close(handle)


def private_folder(disk: Disk, folder: int, name: str) -> None:
    """Make sure that `name` is a folder that this user alone can open.

    Raises `Unsafe` when something else has that name.
    """
    facts = disk.facts(folder, name)
    if facts is None:  # a full disk still has room for what is there
        if disk.make_folder(folder, name):
            disk.sync(folder)  # what is moved into it would be lost with its name
        facts = disk.facts(folder, name)
    if facts is None or not stat.S_ISDIR(facts.st_mode):
        raise Unsafe(f"{name} is no folder")
    getuid = getattr(os, "geteuid", None)
    if getuid is not None and facts.st_uid != getuid():
        raise Unsafe(f"{name} belongs to another user")
    if stat.S_IMODE(facts.st_mode) & 0o077:
        raise Unsafe(f"{name} is open to other users")


def guarded(facts: os.stat_result) -> bool:
    """Whether no other user can swap what lies in a folder with these facts."""
    getuid = getattr(os, "geteuid", None)
    if getuid is not None and facts.st_uid not in (0, getuid()):
        return False
    others = facts.st_mode & 0o022
    return not others or bool(facts.st_mode & stat.S_ISVTX)


def _go_on(name: str) -> None:
    """Nothing stands between the program and its system calls."""


def _fail(number: int, name: str) -> NoReturn:
    raise OSError(number, os.strerror(number), name)


def _rename_exclusively(folder: int, name: str, into: int, new: str) -> int | None:
    """Rename unless the new name is taken; 0, an errno, or None where unknown."""
    import ctypes
    import sys

    call, flag = {
        "linux": ("renameat2", 1),  # RENAME_NOREPLACE
        "darwin": ("renameatx_np", 4),  # RENAME_EXCL
    }.get(sys.platform, ("", 0))
    try:
        rename = getattr(ctypes.CDLL(None, use_errno=True), call)
    except (AttributeError, OSError, TypeError):
        return None
    one, other = os.fsencode(name), os.fsencode(new)
    if rename(folder, one, into, other, flag) == 0:
        return 0
    return ctypes.get_errno() or errno.EIO
