"""Text of a zstd log: frames one after the other, the last one perhaps torn.

A log is appended to a frame at a time, so a frame's start is a place from which reading
can go on. Whatever cannot be decompressed ends its frame; what came out of it before
counts, and the next frame is looked for behind it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spillview.compression import zstd
from spillview.errors import Unreadable
from spillview.frozen import Frozen
from spillview.text import path_text, printable
from spillview.transcripts.jsonl import CHUNK

if TYPE_CHECKING:
    from spillview.content.content import Content, FileContent

MAGIC = b"\x28\xb5\x2f\xfd"
READ = 1 << 17
"""Compressed bytes read at a time, at most."""

FIRST = 1 << 13
"""Compressed bytes read at first: most frames are small, and what was read of the next
one is read again."""

FLOOR = 64 << 20
"""Bytes of text that any log may hold."""

RATIO = 1000
"""A log that holds more than that may be this many times as large as its file."""


class Mark(Frozen):
    """The start of a frame."""

    file: int
    """Byte in the file."""
    text: int
    """Byte in the decompressed text."""


@dataclass(slots=True)
class Frames:
    """Decompressed chunks of a log from a frame's start on."""

    content: Content
    start: Mark
    cancelled: Callable[[], bool] | None = None
    marks: list[Mark] = field(default_factory=list)
    """Starts of frames passed, before which a line had ended; the first is `start`."""
    broken: int = 0
    """Frames that could not be decompressed whole though another came behind them."""
    torn: bool = False
    """True when the file ends inside a frame."""

    def __iter__(self) -> Iterator[bytes]:
        self.marks = [self.start]
        at, text = self.start.file, self.start.text
        ended = True
        while at < self.content.size:
            if self.cancelled is not None and self.cancelled():
                return
            frame = _Frame(self.content, at)
            for chunk in frame:
                text += len(chunk)
                if text > FLOOR and text > RATIO * self.content.size:
                    raise _bomb(self.content)
                ended = chunk.endswith(b"\n")
                yield chunk
                if self.cancelled is not None and self.cancelled():
                    return
            if frame.after is not None:
                at = frame.after
                if ended:
                    self.marks.append(Mark(at, text))
                continue
            follower = _next_frame(self.content, at + 1)
            if follower is None:
                self.torn = True
                return
            self.broken += 1
            at = follower
            if not ended:
                # What the broken frame began is no line; it ends here.
                text += 1
                ended = True
                yield b"\n"


class _Frame:
    """One frame's chunks; `after` is where it ended, None when it is not whole."""

    def __init__(self, content: Content, start: int) -> None:
        self.content = content
        self.start = start
        self.after: int | None = None

    def __iter__(self) -> Iterator[bytes]:
        packer = zstd()
        machine = packer.ZstdDecompressor()
        at, size = self.start, FIRST
        try:
            while not machine.eof:
                data = b""
                if machine.needs_input:
                    data = self.content.pread(at, min(size, self.content.size - at))
                    if not data:
                        return
                    at += len(data)
                    size = min(READ, 4 * size)
                chunk = machine.decompress(data, max_length=CHUNK)
                if chunk:
                    yield chunk
        except packer.ZstdError:
            return
        self.after = at - len(machine.unused_data)


def _bomb(content: Content) -> Unreadable:
    name = printable(path_text(content.path or ""))
    return Unreadable(
        f"{name} unpacks to more than {RATIO:,} times its size, so it is not read."
    )


def _next_frame(content: Content, start: int) -> int | None:
    """Where the next bytes that begin a frame stand."""
    at, size = start, FIRST
    while at < content.size:
        data = content.pread(at, min(size, content.size - at))
        size = min(READ, 4 * size)
        if not data:
            return None
        found = data.find(MAGIC)
        if found >= 0:
            return at + found
        at += max(1, len(data) - len(MAGIC) + 1)
        if len(data) < len(MAGIC):
            return None
    return None


def is_compressed(content: Content) -> bool:
    """Whether the file begins with a zstd frame."""
    return content.pread(0, 4) == MAGIC


_INDEXES: OrderedDict[tuple[object, ...], list[Mark]] = OrderedDict()
"""Frame starts of logs that were looked into lately; a log is indexed once."""

_KEPT = 16


def text_at(content: FileContent, offset: int, length: int) -> bytes:
    """That byte range of the decompressed text; shorter where it cannot be had."""
    mark = Mark(0, 0)
    for each in _index(content):
        if each.text <= offset:
            mark = each
    out = bytearray()
    at = mark.text
    for chunk in Frames(content, mark):
        first = max(0, offset - at)
        if first < len(chunk):
            out += chunk[first : first + length - len(out)]
        at += len(chunk)
        if len(out) >= length:
            break
    return bytes(out)


def _index(content: FileContent) -> list[Mark]:
    key = (content.path, content.dev, content.ino, content.size, content.mtime_ns)
    marks = _INDEXES.get(key)
    if marks is None:
        frames = Frames(content, Mark(0, 0))
        for _ in frames:
            pass
        marks = _INDEXES[key] = frames.marks
        while len(_INDEXES) > _KEPT:
            _INDEXES.popitem(last=False)
    return marks
