"""Segments in the making: text goes in block by block, and a whole one is written.

Each is written under another name, brought to the disk and renamed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from spillview.index.lookup import SUFFIX
from spillview.index.segments import Entry, packed
from spillview.index.signature import BLOCK, Columns, rows_for

LARGEST = 1024
"""Blocks of one segment: 128 MiB of text, 16 MiB of signatures."""
SPARE = 256
"""Blocks that it may have more, so that only a file over 32 MiB is cut in parts."""
DRAFT = ".part"


class Writer:
    """Takes the text of files block by block and writes a segment when it is full."""

    def __init__(self, folder: str, total: int) -> None:
        self._folder = folder
        segments = max(1, -(-total // (LARGEST * BLOCK)))
        share = -(-total // segments)
        # Less text than eight blocks is cut into eight all the same.
        self.block = min(BLOCK, max(64, -(-share // 8)))
        self._rows = rows_for(self.block)
        self._most = max(8, -(-share // self.block))
        self._columns = Columns(self._rows)
        self._filled = 0
        self._entries: list[Entry] = []

    @property
    def room(self) -> int:
        """Bytes that the present block still takes."""
        return self.block - self._filled

    @property
    def present(self) -> int:
        """The present block's number."""
        return self._columns.count

    @property
    def full(self) -> bool:
        """Whether the segment has all the blocks that it should have."""
        return self._columns.count >= self._most

    @property
    def crammed(self) -> bool:
        """Whether it cannot even take the rest of a file."""
        return self._columns.count >= self._most + SPARE

    def add(self, text: bytes, own: int) -> None:
        """Add text to the block, of which `own` bytes are not the next block's too."""
        self._columns.add(text)
        self._filled += own
        if self._filled >= self.block:
            self._columns.end()
            self._filled = 0

    def note(self, entry: Entry) -> None:
        """Keep what was read of a file."""
        self._entries.append(entry)

    def write(self) -> None:
        """Write the segment, if there is anything in it, and begin the next."""
        if self._filled or self._columns.count == 0:
            self._columns.end()
            self._filled = 0
        if self._entries:
            columns = self._columns.count
            parts = packed(self._entries, self._rows, columns, self._columns.matrix())
            write(self._folder, parts)
        self._columns = Columns(self._rows)
        self._entries = []


def write(folder: str, parts: Sequence[bytes | memoryview]) -> None:
    """A new segment of these bytes, on the disk before it has its name."""
    name = os.urandom(8).hex()
    draft = os.path.join(folder, name + DRAFT)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb", closefd=True) as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, os.path.join(folder, name + SUFFIX))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    with contextlib.suppress(OSError):
        inside = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(inside)
        finally:
            os.close(inside)
