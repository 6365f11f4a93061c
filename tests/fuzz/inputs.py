"""Byte strings in batches: all short ones first, then made ones without end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from tests.hostile import PIECES

BATCH = 4096
"""Inputs that are given out together."""

EDGES = bytes.fromhex(
    "00 09 0a 0d 22 41 5c 7f 80 8f 90 9f a0 bfc0 c1 c2 df e0 e1 ed ee ef f0 f1 f4 f5 ff"
)
"""One byte of every kind that UTF-8, lines and JSON strings tell apart."""


def every(alphabet: bytes, size: int) -> Iterator[bytes]:
    """Every string of `size` bytes of an alphabet."""
    return map(bytes, product(alphabet, repeat=size))


def short(deep: bool) -> Iterator[bytes]:
    """Every string of up to two bytes, and of edges up to three; `deep`: 3 and 5."""
    most, edges = (3, 5) if deep else (2, 3)
    for size in range(most + 1):
        yield from every(bytes(range(256)), size)
    for size in range(most + 1, edges + 1):
        yield from every(EDGES, size)


def made(seed: int) -> Iterator[bytes]:
    """Strings put together from pieces and edges, without end."""
    rng = random.Random(seed)
    pieces = [*PIECES, *(bytes([edge]) for edge in EDGES)]
    choose, below = rng.choices, rng.random
    while True:
        data = b"".join(choose(pieces, k=int(below() * 9)))
        if below() < 0.05:  # some are long enough for whole vectors
            data *= int(below() * 60)
        yield data


def batches(strings: Iterator[bytes], size: int = BATCH) -> Iterator[list[bytes]]:
    """Lists of `size` strings; the last may be shorter."""
    batch: list[bytes] = []
    for data in strings:
        batch.append(data)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
