"""The facts by which a file is known again as it was when it was read."""

from __future__ import annotations

import os
import struct
import sys
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter

_FIELDS = "QQQqq"
_FORM = struct.Struct(f"<{_FIELDS}")
FACTS = _FORM.size
"""Bytes of facts."""

_OF = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")


def facts_of(look: os.stat_result) -> bytes:
    """Device, inode, size, and when it was last written and changed in any way.

    A later write changes the last of these, which no program can set.
    """
    return _FORM.pack(*_OF(look))


def facts_together(looks: Sequence[os.stat_result]) -> bytes:
    """What `facts_of` gives of each, one behind the other, in half the time."""
    return _form(len(looks)).pack(*chain.from_iterable(map(_OF, looks)))


def facts_in(columns: Sequence[array[int]]) -> list[bytes]:
    """The same of many files, from five columns in the order of the facts."""
    words = array("Q", bytes(FACTS * len(columns[0])))
    for at, column in enumerate(columns):
        words[at :: len(columns)] = array("Q", column.tobytes())
    if sys.byteorder == "big":
        words.byteswap()
    return single(words.tobytes())


@lru_cache(maxsize=64)
def _form(files: int) -> struct.Struct:
    return struct.Struct(f"<{_FIELDS * files}")


def single(packed: bytes) -> list[bytes]:
    """Facts that stand one behind the other, each by itself."""
    return [packed[at : at + FACTS] for at in range(0, len(packed), FACTS)]


def file_of(facts: bytes) -> tuple[int, int]:
    """Device and inode."""
    dev, ino, *_ = _FORM.unpack(facts)
    return dev, ino


def size_of(facts: bytes) -> int:
    """Bytes of the file."""
    size: int = _FORM.unpack(facts)[2]
    return size


def changed_ns(facts: bytes) -> int:
    """When it was last changed in any way, nanoseconds since the epoch."""
    changed: int = _FORM.unpack(facts)[4]
    return changed
