"""Signatures: which hashed grams of four bytes occur in each block of text.

A signature is a pure function of the bytes. Those of many blocks lie side by side, a
row for each hash and a column for each block, so that one row answers for all blocks.
Only what makes signatures loads numpy; what reads them does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spillview.index.needs import GRAM, REACH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 128 << 10
"""Bytes of text of one column; a short last text may have less."""
ROWS = 17
"""Rows are two to the power of this, for a whole `BLOCK`."""
OVERLAP = REACH - 1
"""Bytes that a block of a file has in common with the next."""
DENSITY = 6
"""A block has at least so many bytes for each byte of its signature."""

_FACTOR = 0x9E3779B1
_LOWER = bytes(range(256)).lower()


def row_of(gram: bytes, rows: int) -> int:
    """The row of a gram (four bytes, ASCII in lower case); `rows` as a power of two."""
    return (int.from_bytes(gram, "little") * _FACTOR & 0xFFFFFFFF) >> (32 - rows)


def rows_for(block: int) -> int:
    """How many rows (as a power of two) blocks of so many bytes should have."""
    return max(3, min(ROWS, (block * 8 // DENSITY).bit_length() - 1))


class Columns:
    """The signatures of blocks, made one after the other.

    Raises ImportError where there is no numpy.
    """

    def __init__(self, rows: int) -> None:
        import numpy

        self._np = numpy
        self._rows = rows
        self._hashes = numpy.empty(0, numpy.uint32)
        self._places = numpy.empty(0, numpy.intp)
        self._column = numpy.zeros(1 << rows, numpy.bool_)
        self._planes: list[NDArray[np.uint8]] = []
        """A byte for each row, of eight columns each."""
        self.count = 0
        """Columns that were ended."""

    def add(self, text: bytes) -> None:
        """Add the grams of `text` to the present column."""
        numpy = self._np
        text = text.translate(_LOWER)
        if len(self._hashes) < len(text) // GRAM:
            self._hashes = numpy.empty(len(text) // GRAM, numpy.uint32)
            self._places = numpy.empty(len(text) // GRAM, numpy.intp)
        factor, shift = numpy.uint32(_FACTOR), numpy.uint32(32 - self._rows)
        for start in range(GRAM):
            count = (len(text) - start) // GRAM
            if count <= 0:
                return
            grams = numpy.frombuffer(text, "<u4", count, start)
            hashes, places = self._hashes[:count], self._places[:count]
            numpy.multiply(grams, factor, out=hashes)
            numpy.right_shift(hashes, shift, out=places, casting="unsafe")
            self._column[places] = True

    def end(self) -> None:
        """End the present column and begin the next."""
        bit = self.count % 8
        if bit == 0:
            self._planes.append(self._np.zeros(1 << self._rows, self._np.uint8))
        self._planes[-1] |= self._column.view(self._np.uint8) << self._np.uint8(bit)
        self._column[:] = False
        self.count += 1

    def matrix(self) -> memoryview:
        """All rows one after the other, of as many bytes as eight columns need each.

        The first column is the lowest bit of a row's first byte.
        """
        rows = self._np.empty((1 << self._rows, len(self._planes)), self._np.uint8)
        for start in range(0, 1 << self._rows, 1 << 10):  # what fits the cache
            for number, plane in enumerate(self._planes):
                rows[start : start + 1024, number] = plane[start : start + 1024]
        return rows.data.cast("B")
