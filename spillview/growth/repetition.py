"""Whether a file says the same over and over, and whether it names itself.

Both are measured exactly, over some parts of the file or over all of it, in memory that
the file's size does not matter for.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from spillview.digests import blake2b
from spillview.errors import Cancelled, Unreadable
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.model import Found

TAIL = 1 << 20
"""Bytes at the end that are looked at for lines that come again."""
PART = 64 << 10
"""Bytes of each other part, and those at the end looked at byte by byte."""
LINES = 50_000
"""So many of the last lines are looked at for a block that comes again."""
COPIES = 4
"""A block that comes so often is no chance any more."""
FEWEST = 16
"""Of fewer lines nothing is said."""
SHOWN = 200
"""Chars of a line that are kept."""

Stop = Callable[[], bool]


class Block(NamedTuple):
    """What the end of a file repeats."""

    bytes: int
    """How long one copy is."""
    start: int
    """The byte from which on there is nothing but copies; the first may be a part."""
    end: int
    """Where they end: behind the last whole line, or with the file."""

    @property
    def copies(self) -> float:
        """How many there are."""
        return (self.end - self.start) / self.bytes


class Often(NamedTuple):
    """A line that makes up more than half of all that were looked at."""

    text: str
    """Its beginning, credentials hidden."""
    times: int
    lines: int
    """Lines that were looked at, blank ones left out."""


class Repetition(Frozen):
    """What was found in a file, or in parts of it."""

    looked: int
    """Bytes that were looked at."""
    of: int
    """Bytes that the file had."""
    block: Block | None = None
    often: Often | None = None
    names: int = 0
    """How often it names its own path."""
    named_at: int | None = None
    """The first byte of the first such place."""

    @property
    def whole(self) -> bool:
        """Whether all of it was looked at."""
        return self.looked >= self.of

    @property
    def flags(self) -> tuple[str, ...]:
        """`repeats` and `self-reference`, where they hold."""
        repeats = self.block is not None or self.often is not None
        found = (("repeats", repeats), ("self-reference", self.names > 0))
        return tuple(flag for flag, holds in found if holds)


def look_at(
    path: str, root: str | None, *, whole: bool = False, cancelled: Stop | None = None
) -> Repetition | None:
    """What the file at `path` repeats; None where it cannot be read, or is empty.

    Nothing but a regular file is opened, and with `root` none outside it.
    """
    from spillview.content.content import open_content

    try:
        with open_content(path, root=root) as content:
            if not content.size:
                return None
            if whole:
                return look_at_all(content, path, cancelled)
            return look_at_parts(content, path)
    except Unreadable:  # it is gone, or was shortened just now
        return None


def look_at_artifact(found: Found) -> Repetition | None:
    """What parts of an artifact's text repeat; None where it cannot be read, or is
    empty."""
    from spillview.stored.stored import open_artifact

    if found.type != "file":
        return None
    try:
        with open_artifact(found, root=found.root) as content:
            return look_at_parts(content, found.path) if content.size else None
    except Unreadable:
        return None


def look_at_parts(content: Content, path: str) -> Repetition:
    """The beginning, the middle and the end of a file; some 1.2 MB at most."""
    size = content.size
    tail = max(0, size - TAIL)
    spans = [(tail, size)]
    if tail > 2 * PART:
        middle = tail // 2
        spans = [(0, PART), (middle, min(middle + PART, tail)), *spans]
    elif tail:
        spans = [(0, size)]
    own = _own_path(path)
    lines: Counter[bytes] = Counter()
    names, named_at = 0, None
    data = b""
    for start, end in spans:
        data = _read(content, start, end)
        lines.update(_whole_lines(data, start == 0, end == size))
        for match in own.finditer(data):
            if start and not match.start():
                continue  # no line need begin there
            names += 1
            named_at = start + match.start() if named_at is None else named_at
    return Repetition(
        sum(end - start for start, end in spans),
        size,
        _block(data, size - len(data)),
        _often(lines),
        names,
        named_at,
    )


def look_at_all(
    content: Content, path: str, cancelled: Stop | None = None
) -> Repetition:
    """Everything, in a bounded memory; reads it up to three times.

    Raises `Cancelled`.
    """
    size = content.size
    data = _read(content, max(0, size - TAIL), size)
    block = _block(data, size - len(data))
    if block is not None:
        block = _further(content, block, cancelled)
    names, named_at = 0, None
    own = _own_path(path)
    overlap = len(os.fsencode(path)) + 8
    for start, chunk, before in _chunks(content, size, overlap, cancelled):
        for match in own.finditer(chunk):
            if match.end() <= before:
                continue  # it was counted with the chunk before
            names += 1
            if named_at is None:
                named_at = start + match.start()
    often = _most(content, size, cancelled)
    return Repetition(size, size, block, often, names, named_at)


# A block that comes again


def repeated(items: Sequence[int]) -> tuple[int, int] | None:
    """The shortest period of the end of `items`, and how many of the last have it.

    None unless they are at least half of all and four copies. Takes linear time.
    """
    count = len(items)
    half = -(-count // 2)
    if count < COPIES:
        return None
    back = items[::-1]
    fail = [0] * half  # the longest border of each beginning (Knuth, Morris, Pratt)
    length = 0
    for place in range(1, half):
        item = back[place]
        while length and back[length] != item:
            length = fail[length - 1]
        if back[length] == item:
            length += 1
        fail[place] = length
    period = half - length
    reach = half
    while reach < count and back[reach] == back[reach - period]:
        reach += 1
    return (period, reach) if reach >= COPIES * period else None


def _block(data: bytes, at: int) -> Block | None:
    """What the end of `data`, which stands at byte `at`, repeats: lines, or bytes."""
    end = data.rfind(b"\n") + 1
    lines = data[:end].split(b"\n")[:-1][-LINES:]
    if len(lines) >= FEWEST:
        numbers: dict[bytes, int] = {}
        found = repeated([numbers.setdefault(line, len(numbers)) for line in lines])
        if found is not None:
            period, reach = found
            length = sum(len(line) + 1 for line in lines[-period:])
            start = end - sum(len(line) + 1 for line in lines[-reach:])
            return Block(length, at + start, at + end)
    last = data[-PART:]
    found = repeated(last) if len(last) >= FEWEST else None
    if found is None:
        return None
    return Block(found[0], at + len(data) - found[1], at + len(data))


def _further(content: Content, block: Block, cancelled: Stop | None) -> Block:
    """The block with the place where its copies really begin."""
    start, length = block.start, block.bytes
    while start > 0:
        _stop(cancelled)
        step = min(PART * 4, start)
        one = _read(content, start - step, start)
        other = _read(content, start - step + length, start + length)
        if one == other:
            start -= step
            continue
        low, high = 0, step  # how many of the last bytes are alike
        while low < high:
            middle = (low + high + 1) // 2
            if one[-middle:] == other[-middle:]:
                low = middle
            else:
                high = middle - 1
        return block._replace(start=start - low)
    return block._replace(start=0)


# A line that comes again and again


def _whole_lines(data: bytes, begins: bool, ends: bool) -> list[bytes]:
    """The lines of a part that are whole and not blank."""
    lines = data.split(b"\n")
    if not begins:
        lines = lines[1:]
    if not ends:
        lines = lines[:-1]
    return [line for line in lines if line.strip()]


def _often(lines: Counter[bytes]) -> Often | None:
    total = lines.total()
    if total < FEWEST:
        return None
    [(line, times)] = lines.most_common(1)
    return Often(_shown(line), times, total) if 2 * times > total else None


def _most(content: Content, size: int, cancelled: Stop | None) -> Often | None:
    """The line that more than half of all lines are: by vote, then counted."""
    leader, votes, total, text = b"", 0, 0, b""
    for key, begin in _keys(content, size, cancelled):
        total += 1
        if votes == 0:
            leader, votes, text = key, 1, begin
        else:
            votes += 1 if key == leader else -1
    if total < FEWEST:
        return None
    times = sum(key == leader for key, _ in _keys(content, size, cancelled))
    return Often(_shown(text), times, total) if 2 * times > total else None


def _keys(
    content: Content, size: int, cancelled: Stop | None
) -> Iterator[tuple[bytes, bytes]]:
    """What stands for each line that is not blank, and how it begins."""
    digest, begin, blank = blake2b(digest_size=16), b"", True
    for _, chunk, _ in _chunks(content, size, 0, cancelled):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            digest.update(part)
            if part.strip() or not blank:
                yield digest.digest(), begin or part[: 4 * SHOWN]
            digest, begin, blank = blake2b(digest_size=16), b"", True
        digest.update(rest)
        begin = begin or rest[: 4 * SHOWN]
        blank = blank and not rest.strip()
    if not blank:
        yield digest.digest(), begin


def _shown(line: bytes) -> str:
    from spillview.secrets.masking import masked_text

    return masked_text(line.decode("utf-8", "replace")[: 4 * SHOWN])[:SHOWN]


# Its own name


def _own_path(path: str) -> re.Pattern[bytes]:
    """What finds a file's own path: with its folder, or as `grep -r` prints it."""
    folder, name = os.path.split(os.fsencode(path))
    parent = re.escape(os.path.basename(folder))
    own = re.escape(name)
    return re.compile(
        rb"%s/%s(?![\w.-])|^(?:\./)?%s:" % (parent, own, own), re.MULTILINE
    )


# Reading


def _read(content: Content, start: int, end: int) -> bytes:
    parts = []
    while start < end and (data := content.pread(start, end - start)):
        parts.append(data)
        start += len(data)
    return b"".join(parts)


def _chunks(
    content: Content, size: int, overlap: int, cancelled: Stop | None
) -> Iterator[tuple[int, bytes, int]]:
    """Each part of the content with some bytes before it, and how many these are."""
    before = b""
    offset = 0
    while offset < size:
        _stop(cancelled)
        data = _read(content, offset, min(offset + TAIL, size))
        if not data:
            return
        yield offset - len(before), before + data, len(before)
        offset += len(data)
        before = data[-overlap:] if overlap else b""


def _stop(cancelled: Stop | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("Nobody waits for it any more.")
