"""Small files that still are what a listing found, read in one piece."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from spillview.content.content import OPEN, BytesContent, read_at
from spillview.content.counts import count, text_counts
from spillview.discovery.ways import Ways
from spillview.errors import Unreadable
from spillview.model import Counts

LARGEST = 1 << 19
"""Bytes of a file that is read in one piece."""

Key = tuple[int, int, int, int]


def counted_unchanged(
    path: str, root: str, key: Key, ways: Ways, cancelled: Callable[[], bool] | None
) -> tuple[BytesContent, Counts] | None:
    """The content of a file that `read_unchanged` reads, and its counts.

    Raises `Cancelled` where `cancelled` says so.
    """
    data = read_unchanged(path, root, key, ways)
    if data is None:
        return None
    content = BytesContent(data, path)
    return content, text_counts(data) or count(content, cancelled=cancelled)


def read_unchanged(path: str, root: str, key: Key, ways: Ways) -> bytes | None:
    """All of the regular file at `path`, while its `Found.key` is this one.

    It is opened as by `open_content`, and is the same before and behind the reading.
    None for anything else, an error or a larger file too: whoever opens it the usual
    way learns what it is.
    """
    size = key[2]
    if size > LARGEST:
        return None
    try:
        folder, name = ways.near(path, root)
        if _key(os.stat(name, dir_fd=folder, follow_symlinks=False)) != key:
            return None
        descriptor = os.open(name, OPEN, dir_fd=folder)
    except (OSError, ValueError, Unreadable):
        return None
    try:
        if _key(os.fstat(descriptor)) != key:
            return None
        data = read_at(descriptor, size, 0)
        same = len(data) == size and _key(os.fstat(descriptor)) == key
        return data if same else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _key(facts: os.stat_result) -> Key | None:
    """As `Found.key`; None for what is no regular file."""
    if not stat.S_ISREG(facts.st_mode):
        return None
    return (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
