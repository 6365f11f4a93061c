"""Two looks at very many files, each a sweep over their directory entries."""

from __future__ import annotations

import os
import stat
import time
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from spillview.growth.births import born
from spillview.growth.changes import Change, Size, change
from spillview.space import taken


class Watched(NamedTuple):
    """A file that is looked at."""

    path: str
    harness: str
    session: str
    root: str | None = None
    """The store's folder, which it is not left from."""
    what: str = "artifact"
    """`artifact` or `transcript`."""


class Looks:
    """What two sweeps over the same files found, in columns."""

    def __init__(self, files: Sequence[Watched]) -> None:
        self.files = files
        self._at = array("d", bytes(8 * len(files)))
        self._sizes: list[Size | None] = []
        self._began = self._wall = self.seconds = 0.0
        """Seconds between the sweeps; 0 without a second one."""
        self._still: Change | None = None
        """What is said of files that are as they were."""
        self.changes: dict[int, Change] = {}
        """By the place of a file: those that are not as they were at the first."""

    def first(self) -> None:
        """Look at each."""
        clock, at = time.monotonic, self._at
        self._began, self._wall = clock(), time.time()
        for place, file in enumerate(self.files):
            self._sizes.append(size_at(file.path))
            at[place] = clock()

    def second(self) -> None:
        """Look again; what changed in between is kept, with the time it took."""
        clock, at, sizes = time.monotonic, self._at, self._sizes
        self.seconds = clock() - self._began
        self._still = Change(self.seconds, 0)
        for place, file in enumerate(self.files):
            before, now = sizes[place], size_at(file.path)
            if before is None or now is None or before == now:
                continue
            seconds = clock() - at[place]
            if seconds > 0:
                came = change(before, now, seconds)
                if came.grown and made_since(file.path, self._wall):
                    came = Change(seconds, None, why="replaced")
                self.changes[place] = came
            sizes[place] = now

    def now(self, place: int) -> Change | None:
        """What came to the file at a place; None without a second sweep."""
        return self.changes.get(place, self._still)

    def between(self, before: Size, after: Size) -> Change | None:
        """What came to a file that was looked at when the sweeps began."""
        return change(before, after, self.seconds) if self.seconds > 0 else None

    def size(self, place: int) -> Size | None:
        """The file as the last look found it; None when it was no regular file."""
        return self._sizes[place]

    def key(self, place: int) -> tuple[int, int] | None:
        """The device and inode of the file at a place."""
        size = self._sizes[place]
        return (size.dev, size.ino) if size is not None else None

    def names(self) -> dict[tuple[int, int], int]:
        """How many of the paths lead to each file."""
        return Counter((size.dev, size.ino) for size in self._sizes if size is not None)

    def unique(self) -> list[int]:
        """The places of regular files, one for each file whatever its names."""
        met: set[tuple[int, int]] = set()
        places = []
        for place, size in enumerate(self._sizes):
            if size is not None and (size.dev, size.ino) not in met:
                met.add((size.dev, size.ino))
                places.append(place)
        return places


def made_since(path: str, before: float) -> bool | None:
    """Whether the file at `path` was made after a moment (seconds since the epoch).

    A file that was made anew often gets the number of the one that was removed. None
    where the disk does not tell, or tells of a time to come.
    """
    made = born(path)
    if made is None or made > time.time():
        return None
    return made > before


def size_at(path: str) -> Size | None:
    """The regular file at `path` by its entry; links are not followed."""
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(facts.st_mode):
        return None
    disk = taken(facts.st_size, getattr(facts, "st_blocks", None))
    return Size(facts.st_dev, facts.st_ino, facts.st_size, disk)
