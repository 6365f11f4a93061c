"""The files of a search as ripgrep is given them: opened here, or by name.

ripgrep follows links, walks folders and waits at FIFOs; a path may have become any of
them since it was listed. So a file is opened as every other reader here opens it, and
ripgrep reads what was opened. That takes longer than the search of a small file: of
the user's own folders it is given names instead, and they are looked at again. Where a
process cannot be given open files (or hardly any may be open at once) it is given the
path.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from spillview.catalogue.listing import Listing
from spillview.content.content import FileContent, open_content
from spillview.content.kinds import HEAD, utf16_of
from spillview.content.transcoding import MARKS, UTF8_MARK
from spillview.errors import NotRegular, Unreadable
from spillview.hints import TYPE_CHECKING
from spillview.index.known import Left
from spillview.model import Artifact
from spillview.search.grounds import Ground

if TYPE_CHECKING:
    from spillview.stored.stored import StoredContent

FIRST_FILES = 500
"""Files of the first batch, so that the search begins while others are looked at."""
BATCH_FILES = 2000
"""And of each other: every process costs its start, and the cores should have done at
about the same time."""
BATCH_ARGUMENTS = 24 << 10 if sys.platform == "win32" else 384 << 10
"""Chars of names that one process is given: what the system takes, and less."""
BATCH_BYTES = 256 << 20
"""Bytes of content that one process is given, unless one file alone is larger."""
LARGE = 1 << 20
"""From this size on a file is looked at for lines that ripgrep should not hold."""
SAMPLE = 64 << 10
"""Bytes looked at, at each MiB; in files over 64 MiB at each sixteenth."""

AT_ONCE = 256
"""Artifacts of a listing that are made at once, where most of them are asked for."""

DESCRIPTORS = "/proc/self/fd"
SPARE = 96
"""Descriptors left for everything else."""
FEW = 16
"""With fewer open files for each process there would be too many processes."""


class Subject:
    """The artifacts of a search by their numbers, made when they are asked for.

    Of a listing those behind are made together with the first, more of them as long
    as they are asked for one after the other.
    """

    def __init__(self, artifacts: Sequence[Artifact]) -> None:
        self._artifacts = artifacts
        self._listing = artifacts if isinstance(artifacts, Listing) else None
        self._made: list[Artifact] = []
        self._first = 0

    def __len__(self) -> int:
        return len(self._artifacts)

    def __getitem__(self, index: int) -> Artifact:
        if self._listing is None:
            return self._artifacts[index]
        at = index - self._first
        if not 0 <= at < len(self._made):
            next_one = at == len(self._made) > 0
            more = min(2 * at, AT_ONCE) if next_one else 1
            self._made = self._listing[index : index + more]
            self._first, at = index, 0
        return self._made[at]

    def root(self, index: int) -> str:
        """The root folder of the store that an artifact lies in."""
        if self._listing is None:
            return self._artifacts[index].found.root
        return self._listing.table.finds.root(self._listing.order[index])


class Batch:
    """Files that one process searches, in their order."""

    def __init__(
        self, subject: Subject, encoding: str | None, files: int, opened: int
    ) -> None:
        self._subject = subject
        self.encoding = encoding
        """The UTF-16 that ripgrep must be told of, for want of a byte order mark."""
        self.mapped = False
        """Whether ripgrep maps the files: else it holds the longest line in memory."""
        self.names: dict[str, int] = {}
        """What ripgrep is given and gives back, and which artifact each means."""
        self.contents: dict[str, FileContent | StoredContent] = {}
        """Those it is given open, by the same name."""
        self.ground: Ground | None = None
        """Where the others are that it is given by name."""
        self.plain: set[str] = set()
        """Those that are searched as they are: not decoded, no mark left out."""
        self.files = files
        """So many it takes at most."""
        self.opened = opened
        """So many of them open."""
        self.arguments = 0
        self.size = 0
        """Bytes of content."""

    def artifact(self, name: str) -> Artifact:
        """The artifact of that name."""
        return self._subject[self.names[name]]

    def add(self, name: str, index: int, size: int, plain: bool) -> None:
        """Take a file of that name."""
        self.names[name] = index
        if plain:
            self.plain.add(name)
        self.arguments += len(name)
        self.size += size

    def takes(self, name: str, size: int, encoding: str | None, mapped: bool) -> bool:
        """Whether one more file fits."""
        return not self.names or (
            encoding == self.encoding
            and not (mapped or self.mapped)  # what happens to one is its own
            and len(self.names) < self.files
            and len(self.contents) < self.opened
            and self.arguments + len(name) <= BATCH_ARGUMENTS
            and self.size + size <= BATCH_BYTES
        )

    def displaced(self, name: str) -> bool:
        """Whether a link or special file lies where a file was given by name."""
        return self.ground is not None and self.ground.displaced(name)

    def close(self) -> None:
        """Close what was opened for it."""
        for content in self.contents.values():
            content.close()
        if self.ground is not None:
            self.ground.close()


def room(processes: int) -> int:
    """How many files may be open at once for each of so many processes.

    0 where a process cannot be given open files, or too few of them.
    """
    if sys.platform != "linux":
        return 0
    import resource

    try:
        taken = len(os.listdir(DESCRIPTORS))
    except OSError:
        return 0
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = BATCH_FILES * processes + SPARE if allowed < 0 else allowed
    each = (allowed - taken - SPARE) // (processes + 1)  # one batch is being filled
    return each if each >= FEW else 0


def batches(
    artifacts: Sequence[Artifact],
    left: Iterable[Left],
    opened: int,
    skip: Callable[[], None],
    refuse: Callable[[Artifact, OSError | Unreadable], None],
) -> Iterator[Batch]:
    """The regular files among those `left` of the artifacts, by batches.

    At most `opened` of a batch are open; 0 names all by path. `skip` is told of links
    and special files, `refuse` of what cannot be read.
    """
    subject = Subject(artifacts)
    folders: set[tuple[str, str]] = set()
    most = opened or BATCH_FILES
    batch = Batch(subject, None, FIRST_FILES, most)
    grounds = _Grounds()
    for index, folder, own, facts, plain in left:
        if plain and opened and facts is not None and facts.st_size < LARGE:
            # There may be very many of these, so they take the shortest way.
            size = facts.st_size
            if not batch.takes(folder + own, size, None, False):
                yield batch
                batch = Batch(subject, None, BATCH_FILES, most)
            batch.ground = batch.ground or grounds.of(subject.root(index))
            if batch.ground is not None:
                place = (facts.st_dev, facts.st_ino)
                name = batch.ground.take(folder, own, place)
                if name is not None:
                    batch.encoding = None
                    batch.add(name, index, size, True)
                    continue
        artifact = subject[index]
        found = artifact.found
        content: FileContent | StoredContent | None = None
        encoding, mapped = None, False
        try:
            if facts is None:
                facts = os.lstat(found.path)
            if not stat.S_ISREG(facts.st_mode):
                skip()
                continue
            size = facts.st_size
            small = opened > 0 and size < LARGE and found.stored is None
            if not small or not (plain or _is_text(artifact, facts)):
                content = _open(artifact, facts, folders)
                size = content.size
                if not plain:
                    encoding, plain = _encoding_of(artifact, content)
                mapped = size >= LARGE and _has_long_line(content)
                small = small and plain and size < LARGE
            if not batch.takes(found.path, size, encoding, mapped):
                yield batch
                batch = Batch(subject, encoding, BATCH_FILES, most)
            name = None
            if small:
                place = (facts.st_dev, facts.st_ino)
                if isinstance(content, FileContent):
                    place = (content.dev, content.ino)
                batch.ground = batch.ground or grounds.of(found.root)
                if batch.ground is not None:
                    above, separator, own = found.path.rpartition(os.sep)
                    name = batch.ground.take(above + separator, own, place)
            if name is None and content is None:
                content = _open(artifact, facts, folders)
        except NotRegular:
            skip()
            continue
        except (OSError, Unreadable) as error:
            if content is not None:
                content.close()
            refuse(artifact, error)
            continue
        batch.encoding, batch.mapped = encoding, mapped
        if name is None and content is not None:
            name = found.path
            if opened:
                name = f"{DESCRIPTORS}/{content.fileno()}"
            elif not isinstance(content, FileContent):
                name = content.named()
            if opened or found.stored is not None:
                batch.contents[name] = content
                content = None
        assert name is not None
        batch.add(name, index, size, plain)
        if content is not None:
            content.close()
    if batch.names:
        yield batch


class _Grounds:
    """A new ground for each batch, unless the root is known not to be one."""

    def __init__(self) -> None:
        self._others: set[str] = set()

    def of(self, root: str) -> Ground | None:
        if not root or root in self._others:
            return None
        try:
            return Ground(root)
        except OSError:
            self._others.add(root)
            return None


def _is_text(artifact: Artifact, facts: os.stat_result) -> bool:
    """Whether it was counted as it is, and ripgrep sees its encoding by itself."""
    found, counts = artifact.found, artifact.counts
    if counts is None or counts.encoding.startswith("utf-16"):
        return False
    key = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    return found.stored is None and found.key == key


def _open(
    artifact: Artifact, facts: os.stat_result, folders: set[tuple[str, str]]
) -> FileContent | StoredContent:
    """The artifact's file; the way to it is walked for the first of each folder."""
    path, root = artifact.found.path, artifact.found.root
    folder = (root, path.rpartition(os.sep)[0])
    if artifact.found.stored is not None:
        from spillview.stored.stored import open_artifact

        return open_artifact(artifact.found, root=root)
    if folder in folders:
        return open_content(path, facts=facts)
    content = open_content(path, root=root)
    folders.add(folder)
    return content


def _encoding_of(
    artifact: Artifact, content: FileContent | StoredContent
) -> tuple[str | None, bool]:
    """`utf-16-le` or `utf-16-be` where ripgrep would not see it by itself.

    Second, whether it is known that ripgrep searches the bytes as they are.
    """
    found, counts = artifact.found, artifact.counts
    if isinstance(content, FileContent) and found.ino and content.key != found.key:
        counts = None  # the file has changed since
    if counts is not None and not counts.encoding.startswith("utf-16"):
        return None, False
    head = content.pread(0, HEAD)
    if head[:2] in MARKS:
        return None, False
    if counts is not None:
        return counts.encoding, False
    wide = utf16_of(head)
    return (wide[0], False) if wide is not None else (None, head[:3] != UTF8_MARK)


def _has_long_line(content: FileContent | StoredContent) -> bool:
    """Whether a large file has a stretch without a line end (a JSON of gigabytes).

    ripgrep would hold such a line in memory, twice over; of a mapped file it holds
    nothing. Only these are mapped: one that is truncated meanwhile ends the process.
    """
    step = LARGE if content.size <= 64 * LARGE else 16 * LARGE
    return any(
        b"\n" not in content.pread(offset, SAMPLE)
        for offset in range(0, content.size - SAMPLE, step)
    )
