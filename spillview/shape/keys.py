"""How many distinct keys an object has that is too large to be held."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from spillview.content.content import TemporaryContent

_BUCKETS = 1024
_DIGEST = 16

HELD = 1 << 24
"""Bytes of digests in memory; beyond, they wait in a temporary file."""

_FEW = 10_000


class Keys:
    """A set of keys that only counts.

    A few keys are held as they are, more as digests of 128 bits, sorted into buckets of
    which one at a time is compared.
    """

    def __init__(self, held: int = HELD, few: int = _FEW) -> None:
        self.added = 0
        self._held = held
        self._most = few
        self._few: set[str] | None = set()
        self._buckets: list[bytearray] = []
        self._size = 0
        self._file: TemporaryContent | None = None
        self._parts: list[list[tuple[int, int]]] = []

    def add(self, keys: Iterable[str]) -> None:
        """Add keys; raises `Unreadable` when there is no room for a temporary file."""
        if self._few is not None:
            keys = list(keys)
            self._few.update(keys)
            self.added += len(keys)
            if len(self._few) > self._most:
                few, self._few = self._few, None
                self._buckets = [bytearray() for _ in range(_BUCKETS)]
                self._digest(few)
            return
        self.added += self._digest(keys)

    def _digest(self, keys: Iterable[str]) -> int:
        count = 0
        for key in keys:
            data = key.encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(data, digest_size=_DIGEST).digest()
            self._buckets[digest[0] << 2 | digest[1] >> 6] += digest
            count += 1
        self._size += count * _DIGEST
        if self._size > self._held:
            self._spill()
        return count

    def _spill(self) -> None:
        if self._file is None:
            self._file = TemporaryContent()
            self._parts = [[] for _ in range(_BUCKETS)]
        at = self._file.size
        for bucket, parts in zip(self._buckets, self._parts, strict=True):
            if bucket:
                self._file.write(bytes(bucket))
                parts.append((at, len(bucket)))
                at += len(bucket)
                bucket.clear()
        self._file.seal()
        self._size = 0

    def distinct(self) -> int:
        """How many different keys were added."""
        if self._few is not None:
            return len(self._few)
        total = 0
        for number, bucket in enumerate(self._buckets):
            known = _split(bucket)
            if self._file is not None:
                for at, length in self._parts[number]:
                    known |= _split(self._file.pread(at, length))
            total += len(known)
        return total

    def close(self) -> None:
        """Give the temporary file back."""
        if self._file is not None:
            self._file.close()


def _split(digests: bytes | bytearray) -> set[bytes]:
    whole = bytes(digests)
    return {whole[at : at + _DIGEST] for at in range(0, len(whole), _DIGEST)}
