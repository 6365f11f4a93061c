"""Where rows may begin: a property of the bytes nearby, never of the whole file.

A segment begins at a line's start. Inside a line longer than the grid, segments
also begin at fixed multiples of it, moved past what must not be split, so that
neither direction ever looks for a line start that is far away.
"""

from __future__ import annotations

import re
from collections import OrderedDict

from spillview.hints import TYPE_CHECKING
from spillview.layout.cells import extends

if TYPE_CHECKING:
    from spillview.layout.folding import Source

GRID = 16 << 10
"""Bytes between the possible segment starts inside a long line."""

SLACK = 256
"""How far a segment start is moved at most to keep a cluster or escape whole."""

BLOCK = 64 << 10
BLOCKS = 48
"""Content is read in blocks of `BLOCK` bytes, of which this many are kept."""

_ESCAPE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|[ -/]*[0-~])"
)
_LINE_END = re.compile(rb"\r*\n")
_FILE_END = re.compile(rb"\r*\Z")
_LOOK_BACK = 64
_FLAGS = range(0x1F1E6, 0x1F200)


class Segments:
    """The segments of one content; reads are cached in blocks."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    def forget(self) -> None:
        """Drop what was read: the content changed."""
        self._blocks.clear()

    def _block(self, number: int) -> bytes:
        data = self._blocks.get(number)
        if data is not None:
            self._blocks.move_to_end(number)
            return data
        data = self._source.pread(number * BLOCK, BLOCK)
        self._blocks[number] = data
        if len(self._blocks) > BLOCKS:
            self._blocks.popitem(last=False)
        return data

    def read(self, start: int, end: int) -> bytes:
        """Bytes `[start, end)`, fewer where the content ends before."""
        start = max(0, start)
        if end <= start:
            return b""
        first, last = start // BLOCK, (end - 1) // BLOCK
        if first == last:
            base = first * BLOCK
            return self._block(first)[start - base : end - base]
        data = b"".join(self._block(number) for number in range(first, last + 1))
        return data[start - first * BLOCK : end - first * BLOCK]

    def around(self, byte: int) -> tuple[int, int]:
        """The segment that holds `byte`: `start <= byte < end`."""
        return self.start_of(byte), self.end_of(byte)

    def start_of(self, byte: int) -> int:
        """Where the segment that holds `byte` begins."""
        base = max(0, byte - 3 * GRID)
        data = self.read(base, byte)
        at = data.rfind(b"\n")
        line = base + at + 1 if at >= 0 else base
        known = at >= 0 or base == 0
        multiple = byte // GRID * GRID
        while multiple > line and multiple >= GRID:
            if known and multiple - GRID < line:
                break
            moved = self._moved(multiple)
            if moved is not None and moved <= byte:
                return moved
            multiple -= GRID
        return line

    def end_of(self, byte: int) -> int:
        """Where the segment that holds `byte` ends."""
        size = self._source.size
        stop = byte + 2 * GRID + SLACK
        data = self.read(byte, stop)
        at = data.find(b"\n")
        end = byte + at + 1 if at >= 0 else min(size, byte + len(data))
        if not data:
            return max(size, byte + 1)
        multiple = byte // GRID * GRID
        while multiple < end:
            if multiple >= GRID and b"\n" not in self.read(multiple - GRID, multiple):
                moved = self._moved(multiple)
                if moved is not None and byte < moved < end:
                    return moved
            multiple += GRID
        return end

    def _moved(self, multiple: int) -> int | None:
        """The segment start for a multiple of the grid; None where none is wanted.

        Depends on the bytes around `multiple` alone.
        """
        base = multiple - _LOOK_BACK
        data = self.read(base, multiple + SLACK)
        at = _LOOK_BACK
        for _ in range(3):
            if at < len(data) and data[at] & 0xC0 == 0x80:
                at += 1
        escape = data.rfind(b"\x1b", 0, at)
        if escape >= 0:
            match = _ESCAPE.match(data, escape)
            if match is not None:
                at = max(at, match.end())
        if at < len(data) and data[at] >= 0x80:
            at = _past_cluster(data, at)
        if _LINE_END.match(data, at):
            return None
        if len(data) < _LOOK_BACK + SLACK and _FILE_END.match(data, at):
            return None
        return base + at


def _past_cluster(data: bytes, at: int) -> int:
    """`at`, moved behind what is drawn together with the character before it."""
    before = data[max(0, at - 32) : at].decode("utf-8", "ignore")
    after = data[at : at + 128].decode("utf-8", "ignore")
    for position, char in enumerate(after):
        flag = ord(char) in _FLAGS and _odd_flags(before + after[:position])
        if not (extends(char) or flag):
            return at + len(after[:position].encode("utf-8"))
    return at


def _odd_flags(text: str) -> bool:
    count = 0
    for char in reversed(text):
        if ord(char) not in _FLAGS:
            break
        count += 1
    return count % 2 == 1
