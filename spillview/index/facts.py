"""The facts by which a file is known again as it was when it was read."""

from __future__ import annotations

import os
import struct

_FORM = struct.Struct("<QQQqq")
FACTS = _FORM.size
"""Bytes of facts."""

facts_from = _FORM.pack
"""Facts of device, inode, size, and the ns of the last write and the last change."""


def facts_of(look: os.stat_result) -> bytes:
    """Device, inode, size, and when it was last written and changed in any way.

    A later write changes the last of these, which no program can set.
    """
    return facts_from(
        look.st_dev,
        look.st_ino,
        look.st_size,
        look.st_mtime_ns,
        look.st_ctime_ns,
    )


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
