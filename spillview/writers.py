"""Which files another process holds open for writing."""

from __future__ import annotations

import os
import re
from collections.abc import Collection


def being_written(paths: Collection[str], proc: str = "/proc") -> set[str]:
    """Those of `paths` (absolute) that a process of this machine may still write.

    Linux tells it through /proc, for the processes this user may look into; elsewhere
    the answer is empty, and only a size that changes shows a file as growing.
    """
    held: set[str] = set()
    own = str(os.getpid())
    try:
        pids = [name for name in os.listdir(proc) if name.isdigit() and name != own]
    except OSError:
        return held
    for pid in pids:
        try:
            folder = os.open(f"{proc}/{pid}/fd", os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            for number in os.listdir(folder):
                try:
                    target = os.readlink(number, dir_fd=folder)
                except OSError:
                    continue
                if target[0] != "/":
                    continue  # a pipe, a socket
                if target in paths and _writes(f"{proc}/{pid}/fdinfo/{number}"):
                    held.add(target)
        except OSError:  # the process has ended
            continue
        finally:
            os.close(folder)
    return held


def open_elsewhere(
    files: Collection[tuple[int, int]], proc: str = "/proc"
) -> dict[tuple[int, int], bool]:
    """Those of `files` (device, inode) that another process holds open.

    The value tells whether one of them may write. By whatever name it was opened, a
    file is known; where `being_written` answers nothing, this does so too.
    """
    held: dict[tuple[int, int], bool] = {}
    own = str(os.getpid())
    try:
        pids = [name for name in os.listdir(proc) if name.isdigit() and name != own]
    except OSError:
        return held
    for pid in pids if files else ():
        folder = f"{proc}/{pid}/fd"
        try:
            numbers = os.listdir(folder)
        except OSError:
            continue
        for number in numbers:
            try:
                if not os.readlink(f"{folder}/{number}").startswith("/"):
                    continue  # a pipe, a socket
                facts = os.stat(f"{folder}/{number}")
            except OSError:
                continue
            key = (facts.st_dev, facts.st_ino)
            if key in files and not held.get(key):
                held[key] = _writes(f"{proc}/{pid}/fdinfo/{number}")
    return held


def mapped_elsewhere(inodes: Collection[int], proc: str = "/proc") -> set[int]:
    """Those of `inodes` that another process may write through its memory.

    It needs no open file for that, and the file's times tell of the first write alone.
    Devices are not compared (file systems name them in two ways), so that one of
    another file system may be among them.
    """
    held: set[int] = set()
    own = str(os.getpid())
    try:
        pids = [name for name in os.listdir(proc) if name.isdigit() and name != own]
    except OSError:
        return held
    for pid in pids if inodes else ():
        try:
            with open(f"{proc}/{pid}/maps", "rb") as file:
                shared = map(int, _SHARED.findall(file.read()))
        except OSError:
            continue
        held.update(inode for inode in shared if inode in inodes)
    return held


_SHARED = re.compile(rb"^\S+ .w.s \S+ \S+ (\d+)", re.MULTILINE)


def _writes(info: str) -> bool:
    """Whether an open file's flags allow writing (its access mode is not 0)."""
    try:
        with open(info, encoding="ascii", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name == "flags":
                    return bool(int(value, 8) & (os.O_WRONLY | os.O_RDWR))
    except (OSError, ValueError):
        pass
    return False
