"""How much files hold and what they take of the disk: each once, whatever its names.

A file may have several names (hard links), or be found on two ways (a bind mount, two
stores that overlap); it is known by its device and inode. A link takes nothing here:
it is not followed, for what it points at is somebody else's.
"""

from __future__ import annotations

from collections.abc import Iterable

from spillview.hints import TYPE_CHECKING
from spillview.named import NamedTuple
from spillview.text import human_bytes

if TYPE_CHECKING:
    import os

    from spillview.model import Found

BLOCK = 512
"""Bytes of the unit in which `stat` tells how much is allocated."""

ROUNDING = 64 << 10
"""A disk gives whole blocks: up to so many bytes more than the content mean nothing."""


def taken(size: int, blocks: int | None) -> int:
    """Bytes of the disk that a file of `size` bytes takes, by its 512-byte `blocks`.

    Less than its size where it has holes (or the disk packs it), more where room was
    set aside beyond its end; else its size, without what fills its last block.
    """
    if blocks is None:
        return size
    allocated = blocks * BLOCK
    return size if size <= allocated < size + ROUNDING else allocated


def size_words(size: int, disk: int) -> str:
    """A size, and what it takes of the disk where that is another one."""
    text = human_bytes(size)
    return text if disk == size else f"{text} ({human_bytes(disk)} on disk)"


class Space(NamedTuple):
    """What some artifacts are together."""

    files: int = 0
    """How many different files they are."""
    bytes: int = 0
    """What these hold, each counted once."""
    disk: int = 0
    """Bytes of the disk that they take."""


def bytes_of(facts: Iterable[os.stat_result]) -> int:
    """What the files with these facts hold, each once whatever its names."""
    return sum({(each.st_dev, each.st_ino): each.st_size for each in facts}.values())


def space_of(found: Iterable[Found]) -> Space:
    """What these are together; a row of a database counts as a file of its own."""
    files = bytes_ = disk = 0
    met: set[tuple[int, int, str | None]] = set()
    for item in found:
        if item.ino:
            key = (item.dev, item.ino, item.row)
            if key in met:
                continue
            met.add(key)
        files += 1
        bytes_ += item.size
        disk += item.disk
    return Space(files, bytes_, disk)
