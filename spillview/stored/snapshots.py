"""Databases of other programs as files: what they look like, and private copies.

Everything here reads descriptors of our own and takes no lock. A copy is good when what
it holds is one state that was on disk, which SQLite then recovers as after a power cut.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable

from spillview.content.content import FileContent, open_content
from spillview.errors import ArtifactGone, Cancelled, Unreadable
from spillview.named import NamedTuple
from spillview.text import path_text, printable

MAGIC = b"SQLite format 3\0"
SETTLED_NS = 50_000_000
"""What was written so long ago cannot be written again with the same time."""
COPY_MOST = 256 << 20
"""Larger databases are copied only where the file system shares the blocks."""
_CHUNK = 1 << 20
_CLONE = 0x40049409
"""Linux: FICLONE."""
_JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_HEADER = 100


class Moved(Exception):
    """The database changed while it was copied: look again."""


class TooLarge(Unreadable):
    """A database that is being written is too large to copy."""


class Side(NamedTuple):
    """A file beside the database as its entry is now; all 0 when there is none."""

    ino: int = 0
    size: int = 0
    mtime_ns: int = 0


class Marks(NamedTuple):
    """What a database and the files beside it look like at one moment."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    header: bytes
    """The database's first bytes; they hold its change counter."""
    wal: Side
    journal: Side
    wal_header: bytes
    """The generation of the log: another one once the log begins anew."""
    hot: bool
    """Whether the journal may have to be rolled back."""

    @property
    def in_wal_mode(self) -> bool:
        """Whether the header says so."""
        return self.header[18:20] == b"\2\2"

    @property
    def settled(self) -> bool:
        """Whether another write from now on would show in the time."""
        return 0 < self.mtime_ns < time.time_ns() - SETTLED_NS


def look(path: str) -> Marks:
    """The database at `path` as it is now; nothing but regular files is opened.

    The change counter is read before the journal is looked for: a change under way
    then has either its journal or, afterwards, another counter.

    Raises what `open_content` raises, and `Unreadable` when it is no database.
    """
    content = opened(path)
    try:
        header = content.pread(0, _HEADER)
        if not header.startswith(MAGIC):
            raise Unreadable(
                f"{shown(path)} is empty: no database yet."
                if not header
                else f"{shown(path)} is no SQLite database, or it is encrypted."
            )
        journal = side(path + "-journal")
        wal = side(path + "-wal")
        hot = bool(journal.size) and is_hot(path)
        generation = _first(path + "-wal", 32) if wal.size else b""
        content.refresh()
        return Marks(*content.key, header, wal, journal, generation, hot)
    finally:
        close(content)


def is_hot(path: str) -> bool:
    """Whether a change of the database at `path` is under way, or was left undone."""
    return _first(path + "-journal", 8) == _JOURNAL


def side(path: str) -> Side:
    """The entry of a file beside the database. Raises `Unreadable` for a link."""
    try:
        facts = os.lstat(path)
    except OSError:
        return Side()
    if not stat.S_ISREG(facts.st_mode):
        raise Unreadable(f"{shown(path)} is no regular file: it is not opened.")
    return Side(facts.st_ino, facts.st_size, facts.st_mtime_ns)


def take(
    path: str,
    before: Marks,
    room: str | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> str:
    """A new folder of ours that holds the database as `copy`, and its log or journal.

    The log is copied after the database: while it is of the same generation it holds
    every page that was written into the database meanwhile, and a frame that is not
    whole is none. Without a log, whatever was written a moment ago is read twice.

    The caller removes the folder. Raises `Moved` when a change came between,
    `Unreadable` when it is too large or there is no room, `Cancelled`.
    """
    import shutil
    import tempfile

    try:
        folder = tempfile.mkdtemp(prefix="spillview-", dir=room)
    except OSError as error:
        raise _no_room(path, error) from error
    try:
        target = os.path.join(folder, "copy")
        sides = ["-wal"] * bool(before.wal.size) + ["-journal"] * before.hot
        for suffix in ("", *sides):
            _copy(path + suffix, target + suffix, cancelled)
        if before.hot:
            _check_journal(path, target + "-journal")
        if not before.wal.size and not before.settled:
            for suffix in ("", *sides):
                _compare(path + suffix, target + suffix, cancelled)
        if not unchanged(path, before):
            raise Moved(f"{shown(path)} keeps changing while it is read.")
        return folder
    except BaseException:  # whatever it was: no copy is left behind
        shutil.rmtree(folder, ignore_errors=True)
        raise


def unchanged(path: str, before: Marks) -> bool:
    """Whether what was read since `before` is one state. Raises `Moved`."""
    try:
        # Before the counter: a change that has neither has not begun.
        if is_hot(path) != before.hot:
            return False
        after = look(path)
    except ArtifactGone as error:
        raise Moved(f"{shown(path)} is being replaced.") from error
    if before.wal.size:
        # Frames may have come to the log, and pages from it into the database.
        return (
            before.wal_header == after.wal_header
            and (before.dev, before.ino) == (after.dev, after.ino)
            and (before.wal.ino, before.hot) == (after.wal.ino, after.hot)
        )
    # A log that began meanwhile has not come into the database yet.
    return before[:5] == after[:5] and (
        before.hot == after.hot and (not before.hot or before.journal == after.journal)
    )


def _still_there(source: str) -> FileContent:
    try:
        return opened(source)
    except ArtifactGone as error:
        raise Moved(f"{shown(source)} is being replaced.") from error


def _copy(source: str, target: str, cancelled: Callable[[], bool] | None) -> None:
    """A copy that shares its blocks where the file system can do so."""
    content = _still_there(source)
    try:
        with open(target, "xb") as file:
            if _cloned(content.fileno(), file.fileno()):
                return
            if content.size > COPY_MOST:
                raise TooLarge(
                    f"{shown(source)} has {content.size:,} bytes that are being"
                    f" written: copies are made of {COPY_MOST:,} bytes at most."
                )
            free = os.statvfs(target) if hasattr(os, "statvfs") else None
            if free is not None and content.size > free.f_bavail * free.f_frsize // 2:
                raise Unreadable(f"There is no room for a copy of {shown(source)}.")
            offset = 0
            while data := content.pread(offset, _CHUNK):
                _stop(cancelled)
                file.write(data)
                offset += len(data)
    except ArtifactGone as error:
        raise Moved(f"{shown(source)} keeps changing while it is read.") from error
    except OSError as error:
        raise _no_room(source, error) from error
    finally:
        close(content)


def _compare(source: str, target: str, cancelled: Callable[[], bool] | None) -> None:
    """Read the source again: a copy that was made while it changed differs now."""
    content = _still_there(source)
    try:
        with open(target, "rb") as file:
            offset = 0
            while data := content.pread(offset, _CHUNK):
                _stop(cancelled)
                if file.read(len(data)) != data:
                    raise Moved(f"{shown(source)} keeps changing while it is read.")
                offset += len(data)
    except ArtifactGone as error:
        raise Moved(f"{shown(source)} keeps changing while it is read.") from error
    finally:
        close(content)


def _check_journal(path: str, journal: str) -> None:
    """Refuse a journal that names another file: SQLite would look there, and delete it.

    Its last eight bytes are the journal's mark when such a name stands before them.
    """
    with open(journal, "rb") as file:
        file.seek(max(0, os.path.getsize(journal) - 8))
        if file.read() == _JOURNAL:
            raise Unreadable(
                f"{shown(path)} is in the middle of a change of several databases."
            )


def _cloned(source: int, target: int) -> bool:
    try:
        import fcntl

        fcntl.ioctl(target, _CLONE, source)
    except (ImportError, OSError):
        return False
    return True


def _stop(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("Nobody waits for this database any more.")


def _first(path: str, length: int) -> bytes:
    try:
        content = opened(path)
    except ArtifactGone:
        return b""
    try:
        return content.pread(0, length)
    except ArtifactGone:
        return b""
    finally:
        close(content)


def _no_room(path: str, error: OSError) -> Unreadable:
    reason = error.strerror or str(error)
    return Unreadable(f"There is no room for a copy of {shown(path)}: {reason}.")


def shown(path: str) -> str:
    """The path as a sentence names it."""
    return printable(path_text(path))


# Locks

_HELD: dict[tuple[int, int], list[FileContent]] = {}
"""Files that are open with locks of this process, and what must not be closed yet:
closing any descriptor of a file drops every lock of the process on it."""
_COUNT: dict[tuple[int, int], int] = {}
_LOCK = threading.Lock()


def opened(path: str) -> FileContent:
    """The regular file at `path`; `close` it."""
    return open_content(path)


def close(content: FileContent) -> None:
    """Close `content` now, or when nothing holds a lock on its file any more."""
    with _LOCK:
        held = _HELD.get((content.dev, content.ino))
        if held is None:
            content.close()
        else:
            held.append(content)


def hold(*files: tuple[int, int]) -> None:
    """From now on nothing that is open on these files (device, inode) is closed."""
    with _LOCK:
        for key in files:
            _HELD.setdefault(key, [])
            _COUNT[key] = _COUNT.get(key, 0) + 1


def release(*files: tuple[int, int]) -> None:
    """Undo one `hold`; after the last one everything kept open is closed."""
    with _LOCK:
        for key in files:
            _COUNT[key] -= 1
            if not _COUNT[key]:
                del _COUNT[key]
                for content in _HELD.pop(key):
                    content.close()
