"""Lines that are in both texts whatever their place: two bags of hashes, cancelled.

Lines that an ordered comparison did not match may still be the same, elsewhere. What
is left after each was cancelled against one of the other side is truly new or gone,
however many lines there are: above a limit the hashes go to temporary files, in parts
that are cancelled one after the other.
"""

from __future__ import annotations

import tempfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

PARTS = 64

HELD = 1 << 17
"""Hashes of a side that are held in memory before they are written out."""


class Bag:
    """The hashes of one side with their ordinals, in parts by their last bits."""

    def __init__(self, held: int = HELD) -> None:
        self.size = 0
        self._most = held
        self._fresh = 0
        self._hashes = [array("q") for _ in range(PARTS)]
        self._ordinals = [array("Q") for _ in range(PARTS)]
        self._files: list[tuple[IO[bytes], IO[bytes]]] = []

    def add(self, hashes: Sequence[int]) -> None:
        """Put some in. Raises `OSError` where there is no room for a file."""
        into, ordinals, mask = self._hashes, self._ordinals, PARTS - 1
        for number, value in enumerate(hashes, self.size):
            part = value & mask
            into[part].append(value)
            ordinals[part].append(number)
        self.size += len(hashes)
        self._fresh += len(hashes)
        if self._fresh > self._most:
            self._write()

    def _write(self) -> None:
        if not self._files:
            self._files = [(_file(), _file()) for _ in range(PARTS)]
        for part, (one, two) in enumerate(self._files):
            self._hashes[part].tofile(one)
            self._ordinals[part].tofile(two)
            del self._hashes[part][:], self._ordinals[part][:]
        self._fresh = 0

    def part(self, number: int) -> tuple[array[int], array[int]]:
        """Hashes and ordinals of one part, in the order they came."""
        hashes, ordinals = self._hashes[number], self._ordinals[number]
        if not self._files:
            return hashes, ordinals
        kept: list[array[int]] = []
        for file, code, rest in zip(
            self._files[number], "qQ", (hashes, ordinals), strict=True
        ):
            file.seek(0)
            all_of_it: array[int] = array(code)
            all_of_it.frombytes(file.read())
            all_of_it.extend(rest)
            kept.append(all_of_it)
        return kept[0], kept[1]

    def close(self) -> None:
        """Free the files."""
        for one, two in self._files:
            one.close()
            two.close()
        self._files = []


def _file() -> IO[bytes]:
    return tempfile.TemporaryFile()


class Flags:
    """Which of so many things are meant: a bit each."""

    def __init__(self, size: int) -> None:
        self._bits = bytearray(size // 8 + 1)
        self.count = 0

    def set(self, ordinals: Iterable[int]) -> None:
        """Mean these, none of which was meant before."""
        bits = self._bits
        for number in ordinals:
            bits[number >> 3] |= 1 << (number & 7)
            self.count += 1

    def __getitem__(self, number: int) -> bool:
        return bool(self._bits[number >> 3] >> (number & 7) & 1)


def cancel(gone: Bag, new: Bag) -> tuple[Flags, Flags]:
    """Of each side those that are left: later ones of the same hash are left first."""
    left, right = Flags(gone.size), Flags(new.size)
    for number in range(PARTS):
        one, two = gone.part(number), new.part(number)
        left.set(_left(one, two[0]))
        right.set(_left(two, one[0]))
    return left, right


def _left(own: tuple[array[int], array[int]], other: array[int]) -> Iterator[int]:
    counts = Counter(other)
    for value, number in zip(*own, strict=True):
        times = counts.get(value, 0)
        if times:
            counts[value] = times - 1
        else:
            yield number
