"""Brings the index up to date: reads what is new, writes segments, drops what is old.

Each segment is written under another name, brought to the disk and renamed, and what
it replaces is removed after that; so a process that is killed at any time leaves an
index that is right, and at worst a file that the next update removes.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spillview.content import FileContent, open_content
from spillview.disk import Busy
from spillview.errors import SpillError, Unreadable
from spillview.index.facts import changed_ns, facts_of, file_of, size_of
from spillview.index.lookup import SUFFIX, Lookup, whole_files
from spillview.index.segments import Damaged, Entry, Segment, packed
from spillview.index.signature import BLOCK, OVERLAP, Columns, rows_for
from spillview.kinds import HEAD, utf16_of
from spillview.own_files import is_stranger, set_aside
from spillview.places import checked_own, private_dir
from spillview.transcoding import MARKS, UTF8_MARK
from spillview.writers import open_elsewhere

LARGEST = 1024
"""Blocks of one segment: 128 MiB of text, 16 MiB of signatures."""
SPARE = 256
"""Blocks that it may have more, so that only a file over 32 MiB is cut in parts."""
LIGHT = LARGEST // 2
"""Segments of fewer blocks are brought together from time to time."""
MOST_LIGHT = 16
"""So many of them may lie side by side."""
SETTLED = 0.05
"""Seconds since the last change of a file before it is read: two changes within one
tick of the file system's clock look like one."""
COARSE = 3.0
"""The same where its clock shows no fractions of a millisecond."""
DRAFT = ".part"
LOCK = "lock"


class NoNumpy(SpillError):
    """The index cannot be made for want of numpy."""


class Wanted(NamedTuple):
    """A file that should be in the index."""

    root: str
    """The folder that nothing is followed out of on the way to it; may be empty."""
    path: str


@dataclass(slots=True)
class Outcome:
    """What an update did, and what there is now."""

    files: int = 0
    """Wanted files that the index now answers for."""
    text: int = 0
    """Their bytes."""
    size: int = 0
    """Bytes of the index itself, of files that were not asked for too."""
    added: int = 0
    """Wanted files that were read for it now."""
    read: int = 0
    """Bytes that were read now."""
    left: int = 0
    """Wanted files that stay outside: growing, just changed, unreadable, UTF-16."""
    damaged: int = 0
    """Segments that were damaged and are made anew."""


@dataclass(slots=True)
class _Work:
    """What is to be read, and which segments can go after that."""

    files: dict[bytes, Wanted] = field(default_factory=dict)
    old: list[Segment] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return sum(map(size_of, self.files))


def update(
    folder: str,
    wanted: Iterable[Wanted],
    *,
    least: int = 0,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Bring the index in `folder` up to date with these files.

    Args:
        folder: Made when it is not there, for the owner alone.
        wanted: Files of other folders stay in the index as long as they are there.
        least: Nothing is done for fewer new bytes.
        progress: Called with (read, to read) bytes.
        cancelled: Looked at before each block; what is whole is kept.

    Raises `Busy` while another process does the same, `NoNumpy`, and OSError where
    the folder cannot be written.
    """
    given = _facts(wanted)
    if not given and not os.path.isdir(folder):
        return Outcome()
    private_dir(folder)
    checked_own(os.path.dirname(os.path.abspath(folder)))
    with _alone(folder), Lookup(folder) as index:
        _sweep(folder)
        work = _plan(index, given)
        outcome = Outcome(damaged=index.damaged)
        worth = work.bytes >= least or index.damaged > 0
        if work.files and worth:
            _read(folder, work, given, outcome, progress, cancelled)
        if (worth or not work.files) and not cancelled():
            _drop(index, work.old)
    with Lookup(folder) as index:
        answered = _complete(index.segments)
        outcome.files = sum(key in answered for key in given)
        outcome.text = sum(size_of(key) for key in given if key in answered)
        outcome.size = sum(segment.size for segment in index.segments)
        outcome.left = len(given) - outcome.files
    return outcome


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    import fcntl

    path = os.path.join(folder, LOCK)
    if is_stranger(path):
        set_aside(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(path, flags, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                "another process brings the search index up to date at the moment"
            ) from None
        yield
    finally:
        os.close(handle)


def _sweep(folder: str) -> None:
    """Remove what a process that was killed had begun."""
    for name in os.listdir(folder):
        if name.endswith(DRAFT):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _facts(wanted: Iterable[Wanted]) -> dict[bytes, Wanted]:
    """The regular files among these by their present facts, each once."""
    given: dict[bytes, Wanted] = {}
    for each in wanted:
        facts = _look(each.path)
        if facts is not None:
            given.setdefault(facts, each)
    return given


def _look(path: str) -> bytes | None:
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts_of(facts) if stat.S_ISREG(facts.st_mode) else None


def _plan(index: Lookup, given: dict[bytes, Wanted]) -> _Work:
    """What is new or was lost, and what is brought together or left out by the way."""
    work = _Work()
    live: dict[Segment, dict[bytes, Wanted]] = {}
    seen: set[tuple[bytes, int]] = set()
    for segment in sorted(index.segments, key=lambda each: -each.columns):
        try:
            paths = segment.paths()
        except (Damaged, OSError):
            index.damaged += 1
            work.old.append(segment)
            continue
        alive: dict[bytes, Wanted] = {}
        dead = 0
        for number, (key, path) in enumerate(zip(segment.facts(), paths, strict=True)):
            start, end = segment.part(number)
            if (key, start) in seen or not (key in given or _look(path) == key):
                dead += max(1, end - start)
                continue
            seen.add((key, start))
            alive[key] = given.get(key) or Wanted("", path)
        live[segment] = alive
        if 2 * dead > segment.columns * BLOCK or not alive:
            work.old.append(segment)
    light = [s for s in live if s.columns < LIGHT and s not in work.old]
    if len(light) > MOST_LIGHT:
        work.old += light
    known: set[bytes] = set()
    for segment, alive in live.items():
        if segment in work.old:
            work.files |= alive
        else:
            known |= alive.keys()
    # A file in parts of which one is lost is read again as a whole.
    parted: set[bytes] = set()
    for segment in live:
        if segment.partial:
            keys = segment.facts()
            parted.update(keys[n] for n in segment.partial if segment.part(n)[1])
    known -= parted - _complete(each for each in live if each not in work.old)
    work.files |= {key: each for key, each in given.items() if key not in known}
    return work


def _complete(segments: Iterable[Segment]) -> set[bytes]:
    """The files that the segments answer for."""
    return whole_files(
        (key, segment.part(number))
        for segment in segments
        for number, key in enumerate(segment.facts())
    )


def _drop(index: Lookup, old: Sequence[Segment]) -> None:
    for segment in old:
        index.segments.remove(segment)
        segment.close()
        with contextlib.suppress(OSError):
            os.unlink(segment.path)


# Reading


class _Writer:
    """Takes the text of files block by block and writes a segment when it is full."""

    def __init__(self, folder: str, total: int) -> None:
        self._folder = folder
        segments = max(1, -(-total // (LARGEST * BLOCK)))
        share = -(-total // segments)
        # Less text than eight blocks is cut into eight all the same.
        self.block = min(BLOCK, max(64, -(-share // 8)))
        self._rows = rows_for(self.block)
        self._most = max(8, -(-share // self.block))
        self._columns = Columns(self._rows)
        self._filled = 0
        self._entries: list[Entry] = []

    @property
    def room(self) -> int:
        """Bytes that the present block still takes."""
        return self.block - self._filled

    @property
    def present(self) -> int:
        """The present block's number."""
        return self._columns.count

    @property
    def full(self) -> bool:
        """Whether the segment has all the blocks that it should have."""
        return self._columns.count >= self._most

    @property
    def crammed(self) -> bool:
        """Whether it cannot even take the rest of a file."""
        return self._columns.count >= self._most + SPARE

    def add(self, text: bytes, own: int) -> None:
        """Add text to the block, of which `own` bytes are not the next block's too."""
        self._columns.add(text)
        self._filled += own
        if self._filled >= self.block:
            self._columns.end()
            self._filled = 0

    def note(self, entry: Entry) -> None:
        """Keep what was read of a file."""
        self._entries.append(entry)

    def write(self) -> None:
        """Write the segment, if there is anything in it, and begin the next."""
        if self._filled or self._columns.count == 0:
            self._columns.end()
            self._filled = 0
        if self._entries:
            columns = self._columns.count
            parts = packed(self._entries, self._rows, columns, self._columns.matrix())
            _write(self._folder, parts)
        self._columns = Columns(self._rows)
        self._entries = []


def _write(folder: str, parts: Sequence[bytes | memoryview]) -> None:
    """A new segment of these bytes, on the disk before it has its name."""
    name = os.urandom(8).hex()
    draft = os.path.join(folder, name + DRAFT)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb", closefd=True) as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, os.path.join(folder, name + SUFFIX))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    with contextlib.suppress(OSError):
        inside = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(inside)
        finally:
            os.close(inside)


def _read(
    folder: str,
    work: _Work,
    given: dict[bytes, Wanted],
    outcome: Outcome,
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool],
) -> None:
    """Read the files of `work` into segments."""
    held = open_elsewhere(set(map(file_of, work.files)))
    total = sum(size_of(key) for key in work.files if not held.get(file_of(key)))
    try:
        writer = _Writer(folder, total)
    except ImportError as error:
        raise NoNumpy(
            "the search index needs numpy to be made; to have it: pip install numpy"
        ) from error
    known: set[tuple[str, str]] = set()
    for key, each in work.files.items():
        if cancelled():
            break
        if held.get(file_of(key)):
            continue
        before = outcome.read
        if _read_file(writer, key, each, known, outcome, cancelled) and key in given:
            outcome.added += 1
        if progress is not None and outcome.read // BLOCK > before // BLOCK:
            progress(outcome.read, total)
    writer.write()


def _read_file(
    writer: _Writer,
    key: bytes,
    wanted: Wanted,
    known: set[tuple[str, str]],
    outcome: Outcome,
    cancelled: Callable[[], bool],
) -> bool:
    """Add one file; False when it is not as it was, or has to settle first."""
    try:
        with _opened(wanted, known) as content:
            if not _settled(content, key):
                return False
            if not _as_it_is(content):
                now = writer.present
                writer.note(Entry(wanted.path, key, 0, 0, now, now))
                return False
            at = 0
            while not cancelled():
                start, first, last = at, writer.present, writer.present
                while at < content.size and not writer.crammed and not cancelled():
                    own = min(writer.room, content.size - at)
                    last = writer.present
                    writer.add(content.pread(at, own + OVERLAP), own)
                    at += own
                    outcome.read += own
                if cancelled() or not _is(content, key):
                    return False
                writer.note(Entry(wanted.path, key, start, at, first, last))
                if writer.full:
                    writer.write()
                if at >= content.size:
                    return True
    except Unreadable:
        return False
    return False


def _opened(wanted: Wanted, known: set[tuple[str, str]]) -> FileContent:
    """The file; the way to it is walked for the first of each folder."""
    folder = (wanted.root, os.path.dirname(wanted.path))
    if not wanted.root or folder in known:
        return open_content(wanted.path)
    content = open_content(wanted.path, root=wanted.root)
    known.add(folder)
    return content


def _settled(content: FileContent, key: bytes) -> bool:
    """Whether any later change of the file will show in its facts."""
    if not _is(content, key):
        return False
    changed = changed_ns(key)
    tick = COARSE if changed % 1_000_000 == 0 else SETTLED
    return time.time() - changed / 1e9 > tick


def _is(content: FileContent, key: bytes) -> bool:
    try:
        return facts_of(os.fstat(content.fileno())) == key
    except OSError:
        return False


def _as_it_is(content: FileContent) -> bool:
    """Whether ripgrep searches the bytes as they are: not decoded, no mark left out."""
    head = content.pread(0, HEAD)
    marked = head[:2] in MARKS or head[:3] == UTF8_MARK
    return not marked and utf16_of(head) is None
