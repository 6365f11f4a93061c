"""The one seam between the core and an artifact's bytes: size, pread, close.

Counts, ranges, pages and searches all refer to a `Content`. Files here belong to other
programs that may truncate, replace or delete them at any time, so they are read with
`pread` and never mapped into memory (a truncated mapping ends the process).
"""

from __future__ import annotations

import errno
import os
import stat
import threading

from spillview.discovery.ways import Ways
from spillview.errors import ArtifactGone, NotRegular, Unreadable
from spillview.hints import IO, Literal, Protocol
from spillview.text import path_text, printable

# glibc keeps what was freed, up to twice as much as was ever freed in one piece. With
# less than a few blocks it would give each back to the system and have every page of
# the next made anew, which takes several times as long as looking at what is in it.
bytearray(1 << 22)

Change = Literal["grown", "truncated", "replaced", "deleted", "touched"]


class Content(Protocol):
    """Bytes with a size that can be read at any offset."""

    @property
    def path(self) -> str | None:
        """Where exactly these bytes are on disk; None when no file holds them."""

    @property
    def size(self) -> int:
        """Bytes that can be read; it stays the same until somebody refreshes it."""

    def pread(self, offset: int, length: int) -> bytes:
        """Exactly the bytes from `offset`, fewer than `length` only at `size`.

        Raises `ArtifactGone` when the bytes are no longer there, `Unreadable` when
        the system refuses to give them.
        """

    def close(self) -> None:
        """Give back what the content holds; reading afterwards is an error."""


def _shown(path: str) -> str:
    return printable(path_text(path))


def _kind_of(mode: int) -> str:
    for test, name in (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if test(mode):
            return name
    return "no regular file"


def _refusal(path: str, error: OSError) -> Unreadable:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return ArtifactGone(f"{_shown(path)} is no longer there.")
    if error.errno == errno.ELOOP:
        return NotRegular(f"{_shown(path)} is a symbolic link, which is not opened.")
    if isinstance(error, PermissionError):
        return Unreadable(f"{_shown(path)} may not be read: permission denied.")
    reason = error.strerror or str(error)
    return Unreadable(f"{_shown(path)} could not be read: {reason}.")


def _flag(name: str) -> int:
    value: int = getattr(os, name, 0)  # each is missing on some platform
    return value


OPEN = (
    os.O_RDONLY
    | _flag("O_NOFOLLOW")
    | _flag("O_NONBLOCK")
    | _flag("O_CLOEXEC")
    | _flag("O_NOCTTY")
    | _flag("O_BINARY")
    | _flag("O_NOINHERIT")
)
"""How a file of somebody else is opened: no link is followed, no FIFO waited for."""


def open_content(
    path: str,
    *,
    root: str | None = None,
    facts: os.stat_result | None = None,
    ways: Ways | None = None,
) -> FileContent:
    """Open the regular file at `path` for reading.

    Its type is known before it is opened and checked again afterwards; a symbolic
    link is not followed. With `root`, every folder between `root` and the file is
    walked without following links that lead out of `root`. `facts` are those of an
    `lstat` a moment ago, where there was one; not with `root`. `ways` are kept by who
    opens many files of few folders.

    Raises `NotRegular` for anything but a regular file (and for a way out of `root`),
    `ArtifactGone` when it does not exist, `Unreadable` when the system refuses.
    """
    folder: int | None = None
    once: Ways | None = None
    name = path
    try:
        if root is not None:
            if ways is None:
                ways = once = Ways(1)
            folder, name = ways.to(path, root)
        before = facts or os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(before.st_mode):
            raise NotRegular(
                f"{_shown(path)} is {_kind_of(before.st_mode)}, which is not opened."
            )
        descriptor = os.open(name, OPEN, dir_fd=folder)
    except OSError as error:
        raise _refusal(path, error) from error
    except ValueError:
        # A NUL or half a surrogate pair: paths come from transcripts, too.
        raise Unreadable(f"{_shown(path)} is no name that a file can have.") from None
    finally:
        if once is not None:
            once.close()
    try:
        after = os.fstat(descriptor)
        if not stat.S_ISREG(after.st_mode):
            raise NotRegular(
                f"{_shown(path)} became {_kind_of(after.st_mode)} while it was opened."
            )
    except BaseException:
        os.close(descriptor)
        raise
    return FileContent(path, descriptor, after)


class FileContent:
    """A regular file of somebody else, open for reading.

    The facts (`size`, `mtime_ns`, `dev`, `ino`, `mode`, `uid`) are those of the open
    file at the time of opening or of the last `refresh`.
    """

    __slots__ = ("_descriptor", "_stat", "path")

    def __init__(self, path: str, descriptor: int, facts: os.stat_result) -> None:
        self.path: str | None = path
        self._descriptor = descriptor
        self._stat = facts

    @property
    def size(self) -> int:
        """Bytes."""
        return self._stat.st_size

    @property
    def mtime_ns(self) -> int:
        """Time of the last write, in nanoseconds since the epoch."""
        return self._stat.st_mtime_ns

    @property
    def dev(self) -> int:
        """Device number."""
        return self._stat.st_dev

    @property
    def ino(self) -> int:
        """Inode number."""
        return self._stat.st_ino

    @property
    def mode(self) -> int:
        """Type and permission bits."""
        return self._stat.st_mode

    @property
    def uid(self) -> int:
        """Owner."""
        return self._stat.st_uid

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Device, inode, size, mtime: equal to `Found.key` while nothing changed."""
        return (self.dev, self.ino, self.size, self.mtime_ns)

    def fileno(self) -> int:
        """The open descriptor; it belongs to this object."""
        if self._descriptor < 0:
            raise Unreadable(f"{_shown(self.path or '')} was closed.")
        return self._descriptor

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        return _pread(self.fileno(), offset, length, self.size, self.path or "")

    def changed(self) -> Change | None:
        """What happened to the file at this path since its facts were taken.

        `deleted`: nothing is there now; `replaced`: another file is; `grown`,
        `truncated`: another size; `touched`: the same size but written again.
        """
        try:
            now = os.stat(self.path or "", follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return "deleted"
        except OSError as error:
            raise _refusal(self.path or "", error) from error
        if (now.st_dev, now.st_ino) != (self.dev, self.ino):
            return "replaced"
        return self._compare(now)

    def _compare(self, now: os.stat_result) -> Change | None:
        if now.st_size != self.size:
            return "grown" if now.st_size > self.size else "truncated"
        return "touched" if now.st_mtime_ns != self.mtime_ns else None

    def refresh(self) -> Change | None:
        """Take the open file's facts anew, and tell how they differ from the old.

        After `truncated` or `touched`, whatever was counted or indexed is stale. A
        `replaced` or `deleted` path is not noticed here: the open file lives on.
        """
        try:
            now = os.fstat(self.fileno())
        except OSError as error:
            raise _refusal(self.path or "", error) from error
        change = self._compare(now)
        self._stat = now
        return change

    def close(self) -> None:
        """See `Content.close`; closing twice is fine."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> FileContent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


_SEEK = threading.Lock()


def read_at(descriptor: int, length: int, offset: int) -> bytes:
    """`os.pread`, also where the platform has none."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    with _SEEK:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, length)


def _pread(descriptor: int, offset: int, length: int, size: int, path: str) -> bytes:
    wanted = min(length, size - offset)
    if offset < 0 or wanted <= 0:
        return b""
    try:
        data = read_at(descriptor, wanted, offset)
        while len(data) < wanted:
            more = read_at(descriptor, wanted - len(data), offset + len(data))
            if not more:
                raise ArtifactGone(
                    f"{_shown(path)} was truncated while it was read:"
                    f" {offset + len(data):,} of {size:,} bytes are left."
                )
            data += more
    except OSError as error:
        raise _refusal(path, error) from error
    return data


class BytesContent:
    """Bytes already in memory: an envelope's text, a field of a record."""

    __slots__ = ("_data", "path")

    def __init__(self, data: bytes, path: str | None = None) -> None:
        self._data = data
        self.path = path

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self._data)

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        if offset < 0 or length <= 0:
            return b""
        return self._data[offset : offset + length]

    def close(self) -> None:
        """Nothing to give back."""


class TemporaryContent:
    """Bytes in an unlinked file of our own, such as the transcription of another.

    Written first, `seal`ed, then read.
    """

    __slots__ = ("_file", "path", "size")

    def __init__(self) -> None:
        """Raises `Unreadable` when no temporary file can be made."""
        import tempfile

        self.path: str | None = None
        self.size = 0
        try:
            # It lives as long as this content.
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix="spillview-")  # noqa: SIM115
        except OSError as error:
            raise _no_room(error) from error

    def write(self, data: bytes) -> None:
        """Append `data`. Raises `Unreadable` when there is no room for it."""
        try:
            self._file.write(data)
        except OSError as error:
            raise _no_room(error) from error

    def seal(self) -> TemporaryContent:
        """Make what was written readable, and return this content."""
        try:
            self._file.flush()
        except OSError as error:
            raise _no_room(error) from error
        self.size = os.fstat(self._file.fileno()).st_size
        return self

    def fileno(self) -> int:
        """The open descriptor; it belongs to this object."""
        return self._file.fileno()

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        return _pread(self._file.fileno(), offset, length, self.size, "a transcription")

    def close(self) -> None:
        """See `Content.close`; the file's space is free again."""
        self._file.close()


def _no_room(error: OSError) -> Unreadable:
    reason = error.strerror or str(error)
    return Unreadable(f"There is no room for a transcription: {reason}.")


def text_content(content: Content, encoding: str) -> Content:
    """The content whose bytes are UTF-8 text: `content` itself unless it is UTF-16.

    UTF-16 (`utf-16-le`, `utf-16-be`) is transcribed in bounded memory into an unlinked
    temporary file, the byte order mark left out, errors replaced by U+FFFD. The caller
    closes both contents when they are two. Raises what reading raises, and
    `Unreadable` when there is no room for the transcription.
    """
    if encoding not in ("utf-16-le", "utf-16-be"):
        return content
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)("replace")
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    offset = 2 if content.pread(0, 2) == mark else 0
    text = TemporaryContent()
    try:
        while data := content.pread(offset, 1 << 18):
            offset += len(data)
            text.write(decoder.decode(data).encode())
        text.write(decoder.decode(b"", True).encode())
        return text.seal()
    except BaseException:
        text.close()
        raise
