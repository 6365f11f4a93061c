"""Brings the index up to date: reads what is new, writes segments, drops what is old.

Each segment is written under another name, brought to the disk and renamed, and what
it replaces is removed after that; so a process that is killed at any time leaves an
index that is right, and at worst a file that the next update removes.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from spillview.content.content import FileContent, open_content
from spillview.content.kinds import HEAD, utf16_of
from spillview.content.transcoding import MARKS, UTF8_MARK
from spillview.discovery.writers import mapped_elsewhere, open_elsewhere
from spillview.disk import Busy
from spillview.errors import SpillError, Unreadable
from spillview.index.drafts import DRAFT, Writer
from spillview.index.facts import changed_ns, facts_of, file_of, size_of
from spillview.index.lookup import Lookup
from spillview.index.plan import Work, complete, plan, present
from spillview.index.segments import Entry, Segment
from spillview.index.signature import BLOCK, OVERLAP
from spillview.index.wanted import Wanted
from spillview.own_files import is_stranger, set_aside
from spillview.places import checked_own, private_dir

SETTLED = 0.05
"""Seconds since the last change of a file before it is read: two changes within one
tick of the file system's clock look like one. So long is waited after a first look at
them too, for that clock may be another machine's, or wrong."""
COARSE = 3.0
"""The same where its clock shows no fractions of a millisecond."""
LOCK = "lock"


class NoNumpy(SpillError):
    """The index cannot be made for want of numpy."""


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
    given = present(wanted)
    looked = time.monotonic()
    if not given and not os.path.isdir(folder):
        return Outcome()
    private_dir(folder)
    checked_own(os.path.dirname(os.path.abspath(folder)))
    with _alone(folder), Lookup(folder) as index:
        _sweep(folder)
        work = plan(index, given)
        outcome = Outcome(damaged=index.damaged)
        worth = work.bytes >= least or index.damaged > 0
        if work.files and worth:
            time.sleep(max(0.0, SETTLED - (time.monotonic() - looked)))
            _read(folder, work, given, outcome, progress, cancelled)
        if (worth or not work.files) and not cancelled():
            _drop(index, work.old)
    with Lookup(folder) as index:
        answered = complete(index.segments)
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


def _drop(index: Lookup, old: Sequence[Segment]) -> None:
    for segment in old:
        index.segments.remove(segment)
        segment.close()
        with contextlib.suppress(OSError):
            os.unlink(segment.path)


# Reading


def _read(
    folder: str,
    work: Work,
    given: dict[bytes, Wanted],
    outcome: Outcome,
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool],
) -> None:
    """Read the files of `work` into segments."""
    files = set(map(file_of, work.files))
    open_ones = open_elsewhere(files)
    mapped = mapped_elsewhere({inode for _, inode in files})
    held = {file for file in files if open_ones.get(file) or file[1] in mapped}
    total = sum(size_of(key) for key in work.files if file_of(key) not in held)
    try:
        writer = Writer(folder, total)
    except ImportError as error:
        raise NoNumpy(
            "the search index needs numpy to be made; to have it: pip install numpy"
        ) from error
    known: set[tuple[str, str]] = set()
    for key, each in work.files.items():
        if cancelled():
            break
        if file_of(key) in held:
            continue
        before = outcome.read
        if _read_file(writer, key, each, known, outcome, cancelled) and key in given:
            outcome.added += 1
        if progress is not None and outcome.read // BLOCK > before // BLOCK:
            progress(outcome.read, total)
    writer.write()


def _read_file(
    writer: Writer,
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
