"""Files that another program is given by name, in folders that only the user changes.

A name may come to mean another file at any time. In a folder that nobody else may
write, only the user's own programs can do that; it is noticed afterwards, and what the
other program said of such a file is not believed.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress

_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_WAKE = (
    os.O_WRONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)

TICK_NS = 50_000_000
"""Two changes of a folder within so many nanoseconds may look like one."""

_Mark = tuple[int, int, int, int]


class Ground:
    """The files below one folder that are given by name; the folder is held open."""

    def __init__(self, root: str) -> None:
        """Raises OSError where `root` cannot be opened, or is not the user's own."""
        self.root = root
        self.folder = os.open(os.path.realpath(root), _FOLDER)
        """Names are relative to it."""
        self._below = root.rstrip(os.sep) + os.sep
        self._user = os.geteuid()
        self._marks: dict[str, _Mark | None] = {}
        """Of each folder below, what changes with its entries; None: not to be
        trusted."""
        self._inside: dict[str, str | None] = {}
        """What stands before the names of each folder's files."""
        self._files: dict[str, tuple[int, int]] = {}
        """Device and inode of each file, by name."""
        self._fresh: set[str] = set()
        """Folders that were looked at a moment ago."""
        try:
            if self._mark("", os.fstat(self.folder)) is None:
                raise PermissionError(1, "not the user's own", root)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the folder back; closing twice is fine."""
        folder, self.folder = self.folder, -1
        if folder >= 0:
            os.close(folder)

    def __del__(self) -> None:
        self.close()

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def take(self, folder: str, own: str, place: tuple[int, int]) -> str | None:
        """The name of a regular file of that device and inode: `own` in `folder`,
        which has a separator at its end.

        None where it has none here that can be trusted.
        """
        inside = self._inside
        prefix = inside[folder] if folder in inside else self._prefix(folder)
        if prefix is None or (not prefix and own == "-"):  # "-" is the standard input
            return None
        name = prefix + own
        self._files[name] = place
        return name

    def _prefix(self, folder: str) -> str | None:
        """What stands before the names of a folder's files."""
        prefix = None
        if folder.startswith(self._below):
            prefix = folder[len(self._below) :]
            below = prefix[: -len(os.sep)]
            marks = self._marks
            if (marks[below] if below in marks else self._look(below)) is None:
                prefix = None
        self._inside[folder] = prefix
        return prefix

    def _look(self, folder: str) -> _Mark | None:
        """The mark of a folder, after those of all above it."""
        above, _, own = folder.rpartition(os.sep)
        if own in ("", os.curdir, os.pardir):
            self._marks[folder] = None
            return None
        if (self._marks[above] if above in self._marks else self._look(above)) is None:
            self._marks[folder] = None
            return None
        return self._mark(folder, self._facts(folder))

    def _mark(self, folder: str, facts: os.stat_result | None) -> _Mark | None:
        mark = _mark_of(facts)
        if (
            facts is None
            or mark is None
            or facts.st_uid != self._user
            or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        ):
            mark = None
        elif time.time_ns() - max(mark[2:]) < TICK_NS:
            mark = (*mark[:2], 0, 0)  # it is taken as changed
        self._marks[folder] = mark
        return mark

    def _mark_now(self, folder: str) -> _Mark | None:
        return _mark_of(self._facts(folder) if folder else os.fstat(self.folder))

    def _facts(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except (OSError, ValueError):
            return None

    def renew(self) -> None:
        """Believe nothing of what `stays` saw before."""
        self._fresh.clear()

    def stays(self, name: str) -> bool:
        """Whether a file that was read lately is the one that was taken.

        A look at its folder is enough for all files of it, until `renew`.
        """
        folder = name.rpartition(os.sep)[0]
        if folder in self._fresh:
            return True
        if self._marks[folder] == self._mark_now(folder):
            self._fresh.add(folder)
            return True
        return self.same(name)

    def same(self, name: str) -> bool:
        """Whether the file of that name is the one that was taken."""
        facts = self._facts(name)
        return (
            facts is not None
            and (facts.st_dev, facts.st_ino) == self._files[name]
            and stat.S_ISREG(facts.st_mode)
        )

    def replaced(self) -> set[str]:
        """The names that mean something else now than when they were taken."""
        marks = self._marks.items()
        changed = {f for f, mark in marks if mark != self._mark_now(f)}
        if not changed:
            return set()
        return {
            name
            for name in self._files
            if name.rpartition(os.sep)[0] in changed and not self.same(name)
        }

    def displaced(self, name: str) -> bool:
        """Whether a link or something special has that name now."""
        facts = self._facts(name)
        return facts is not None and not stat.S_ISREG(facts.st_mode)

    def wake(self) -> bool:
        """Let go whoever waits at a FIFO that took the place of one of the files.

        Whether one of the names means something else by now.
        """
        names = self.replaced()
        for name in names:
            facts = self._facts(name)
            if facts is not None and stat.S_ISFIFO(facts.st_mode):
                with suppress(OSError):
                    os.close(os.open(name, _WAKE, dir_fd=self.folder))
        return bool(names)


def _mark_of(facts: os.stat_result | None) -> _Mark | None:
    if facts is None or not stat.S_ISDIR(facts.st_mode):
        return None
    return facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns
