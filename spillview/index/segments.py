"""Files of signatures: written once, never changed, checked wherever they are read.

A segment holds the signatures of some files: first a header, the facts of the files
and the checksums of the pages, then the files' paths, then the rows in pages. Whatever
of it is damaged is noticed before it is believed.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from spillview.frozen import Frozen
from spillview.index.facts import FACTS
from spillview.index.needs import Chain, Need
from spillview.index.signature import row_of

MAGIC = b"svindex\x01"
"""Raised with the meaning of anything in a segment."""
PAGE = 4096
"""Bytes of rows that are read and checked at once, or a little less."""

HELD = 256
"""Pages of a segment that are held in memory."""

_HEAD = struct.Struct("<8sIIIIIII")
_NUMBERS = 4
"""Numbers that are kept of a file besides its facts: the part of it, the blocks."""

_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Damaged(Exception):
    """A segment is not what was written."""


class Outdated(Damaged):
    """A segment was written by another version."""


class Entry(Frozen):
    """A file, or a part of a large one, and which blocks hold its text."""

    path: str
    facts: bytes
    """As `facts_of` gives them, of the file as it was read."""
    start: int
    end: int
    """The bytes of the file; what overlaps with the next part is not counted."""
    first: int
    last: int
    """The first and the last of its blocks."""


def packed(
    entries: Sequence[Entry], rows: int, columns: int, matrix: memoryview
) -> list[bytes | memoryview]:
    """The bytes of a segment, in parts; the entries in the order of their blocks."""
    facts = b"".join(entry.facts for entry in entries)
    numbers = array("Q")
    for name in ("start", "end", "first", "last"):
        numbers.extend(getattr(entry, name) for entry in entries)
    if sys.byteorder == "big":
        numbers.byteswap()
    width = (columns + 7) // 8
    page = PAGE // width * width
    checks = b"".join(
        zlib.crc32(matrix[at : at + page]).to_bytes(4, "little")
        for at in range(0, len(matrix), page)
    )
    paths = zlib.compress(b"\0".join(os.fsencode(entry.path) for entry in entries), 1)
    tables = facts + numbers.tobytes() + checks
    head = _HEAD.pack(
        MAGIC,
        rows,
        columns,
        len(entries),
        len(paths),
        zlib.crc32(paths),
        zlib.crc32(tables),
        0,
    )
    head += zlib.crc32(head).to_bytes(4, "little")
    return [head, tables, paths, matrix]


class Segment:
    """One segment, open for reading.

    Everything here raises `Damaged`, or OSError as the system does.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._pages: dict[int, bytes] = {}
        self.columns = 0
        """Blocks whose signatures it has."""
        self._handle = os.open(path, _OPEN)
        try:
            facts = os.fstat(self._handle)
            if not stat.S_ISREG(facts.st_mode):
                raise Damaged
            self.size = facts.st_size
            """Bytes of the segment itself."""
            self.mark = (facts.st_ino, facts.st_ctime_ns)
            """What another file in its place would not have."""
            self._read_tables()
        except BaseException:
            self.close()
            raise

    def _read_tables(self) -> None:
        size = _HEAD.size + 4
        head = self._pread(0, size)
        if head[:7] == MAGIC[:7] and head[:8] != MAGIC:
            raise Outdated
        if zlib.crc32(head[:-4]) != int.from_bytes(head[-4:], "little"):
            raise Damaged
        magic, self._rows, columns, self.count, paths, self._paths_check, check, _ = (
            _HEAD.unpack(head[:-4])
        )
        if magic != MAGIC or not columns:
            raise Damaged
        self.columns = columns
        self._width = (columns + 7) // 8
        self._per_page = PAGE // self._width
        if not self._per_page:
            raise Damaged
        pages = -(-(1 << self._rows) // self._per_page)
        facts = self.count * FACTS
        numbers = facts + self.count * _NUMBERS * 8
        tables = self._pread(size, numbers + 4 * pages)
        if zlib.crc32(tables) != check:
            raise Damaged
        self._facts = tables[:facts]
        self._checks = tables[numbers:]
        self._numbers = array("Q", tables[facts:numbers])
        if sys.byteorder == "big":
            self._numbers.byteswap()
        self._paths = (size + len(tables), paths)
        self._matrix = size + len(tables) + paths
        if self._matrix + (self._width << self._rows) != self.size:
            raise Damaged
        starts, ends, self._first, self._last = map(self._column, range(_NUMBERS))
        sizes = array("Q", self._facts)[2 :: FACTS // 8]
        if sys.byteorder == "big":
            sizes.byteswap()
        self.partial: frozenset[int] = frozenset()
        """The entries of parts of files, and of files that are not indexed."""
        if any(starts) or ends != sizes:
            self.partial = frozenset(
                number
                for number in range(self.count)
                if starts[number] or ends[number] != sizes[number]
            )

    def close(self) -> None:
        """Give the file back; closing twice is fine."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _pread(self, offset: int, length: int) -> bytes:
        data = os.pread(self._handle, length, offset)
        if len(data) != length:
            raise Damaged
        return data

    def _column(self, number: int) -> array[int]:
        return self._numbers[number * self.count : (number + 1) * self.count]

    def facts(self) -> list[bytes]:
        """The facts of each entry's file."""
        every = self._facts
        return [every[at : at + FACTS] for at in range(0, len(every), FACTS)]

    def part(self, number: int) -> tuple[int, int]:
        """Which bytes of its file an entry is of."""
        return self._numbers[number], self._numbers[self.count + number]

    def paths(self) -> list[str]:
        """The path of each file when it was read."""
        data = self._pread(*self._paths)
        if zlib.crc32(data) != self._paths_check:
            raise Damaged
        return [os.fsdecode(path) for path in zlib.decompress(data).split(b"\0")]

    # What may match

    def candidates(self, need: Need) -> set[int] | None:
        """Which of the files may hold what is needed; None for all of them."""
        chosen: set[int] | None = None
        for clause in need:
            if isinstance(clause, Chain):
                found = self._files(self._blocks(clause))
            else:
                found = self._any_of(clause.needs)
            if found is not None:
                chosen = found if chosen is None else chosen & found
                if not chosen:
                    break
        return chosen

    def _any_of(self, needs: Sequence[Need]) -> set[int] | None:
        together: set[int] = set()
        for need in needs:
            found = self.candidates(need)
            if found is None:
                return None
            together |= found
        return together

    def _blocks(self, chain: Chain) -> int:
        """The blocks that may hold the text, as the bits of a number."""
        blocks: int = (1 << self.columns) - 1
        for group in chain.groups:
            row = 0
            for gram in group:
                row |= self._row(row_of(gram, self._rows))
            blocks &= row
            if not blocks:
                break
        return blocks

    def _row(self, number: int) -> int:
        place, inner = divmod(number, self._per_page)
        page = self._pages.get(place)
        if page is None:
            whole = self._per_page * self._width
            length = min(whole, (self._width << self._rows) - place * whole)
            page = self._pread(self._matrix + place * whole, length)
            check = self._checks[4 * place : 4 * place + 4]
            if zlib.crc32(page) != int.from_bytes(check, "little"):
                raise Damaged
            if len(self._pages) >= HELD:
                self._pages.clear()
            self._pages[place] = page
        at = inner * self._width
        return int.from_bytes(page[at : at + self._width], "little")

    def _files(self, blocks: int) -> set[int] | None:
        """The files that have text in these blocks; None where that is nearly all."""
        if blocks.bit_count() * 8 > self.columns * 7:
            return None
        if blocks.bit_count() * 8 > self.count:
            bits = bin(blocks)[:1:-1]
            spans = enumerate(zip(self._first, self._last, strict=True))
            return {n for n, (a, b) in spans if bits.find("1", a, b + 1) >= 0}
        files: set[int] = set()
        while blocks:
            lowest = blocks & -blocks
            block = lowest.bit_length() - 1
            blocks ^= lowest
            low = bisect_left(self._last, block)
            files.update(range(low, bisect_right(self._first, block)))
        return files
