"""Which files other processes hold open, and which processes these are."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator

from spillview.named import NamedTuple
from spillview.regexes import late

COMMAND = 200
"""Chars of a command that are kept."""

GONE = " (deleted)"
"""What Linux writes behind the path of an open file that has no name any more."""


def being_written(paths: Collection[str], proc: str = "/proc") -> set[str]:
    """Those of `paths` (absolute) that a process of this machine may still write.

    Linux tells it through /proc, for the processes this user may look into; elsewhere
    the answer is empty, and only a size that changes shows a file as growing.
    """
    held: set[str] = set()
    for pid in _others(proc):
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
    for pid in _others(proc) if files else ():
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


class Holder(NamedTuple):
    """A process that has a file open."""

    pid: int
    command: str
    """Its command line as the system tells it, in part, credentials hidden; not yet
    safe to draw."""
    writes: bool = False
    reads: bool = False
    """Whether it has it open for reading alone (as well)."""


class OpenFile(NamedTuple):
    """A regular file that processes of this machine have open."""

    path: str
    """The path by which it was opened, as one of them has it."""
    dev: int
    ino: int
    size: int
    blocks: int | None
    nameless: bool
    """Whether it has no name any more: what it takes is free once it is closed."""
    handle: str
    """Where it can be looked at again while it is open."""
    holders: tuple[Holder, ...]


class Open(NamedTuple):
    """What one look at every process found."""

    files: dict[tuple[int, int], OpenFile]
    """By device and inode."""
    closed: int = 0
    """Processes that this user may not look into."""
    told: bool = True
    """False where the system does not tell what its processes have open."""


def open_files(wanted: Callable[[str], bool], proc: str = "/proc") -> Open:
    """The regular files with a path that is `wanted`, and who holds them.

    Linux tells it through /proc; elsewhere nothing is told.
    """
    found: dict[tuple[int, int], OpenFile] = {}
    closed, told = 0, os.path.isdir(f"{proc}/self/fd")
    for pid in _others(proc):
        folder = f"{proc}/{pid}/fd"
        held: dict[tuple[int, int], tuple[bool, bool]] = {}
        try:
            numbers = os.listdir(folder)
        except PermissionError:
            closed += 1
            continue
        except OSError:  # the process has ended
            continue
        for number in numbers:
            handle = f"{folder}/{number}"
            try:
                target = os.readlink(handle)
                if target[0] != "/" or not wanted(target.removesuffix(GONE)):
                    continue
                facts = os.stat(handle)
            except OSError:
                continue
            if not stat.S_ISREG(facts.st_mode):
                continue
            key = (facts.st_dev, facts.st_ino)
            mode = _mode(f"{proc}/{pid}/fdinfo/{number}")
            before = held.get(key, (False, False))
            held[key] = (before[0] or mode[0], before[1] or mode[1])
            if key not in found:
                found[key] = OpenFile(
                    target.removesuffix(GONE) if not facts.st_nlink else target,
                    *key,
                    facts.st_size,
                    getattr(facts, "st_blocks", None),
                    not facts.st_nlink,
                    handle,
                    (),
                )
        for key, (writes, reads) in held.items():
            holder = Holder(int(pid), _command(proc, pid), writes, reads)
            known = found[key]
            found[key] = known._replace(holders=(*known.holders, holder))
    return Open(found, closed, told)


def _others(proc: str) -> Iterator[str]:
    """Every process but this one."""
    own = str(os.getpid())
    try:
        names = os.listdir(proc)
    except OSError:
        return iter(())
    return (name for name in names if name.isdigit() and name != own)


def _command(proc: str, pid: str) -> str:
    """What a process calls itself: its arguments, else its short name."""
    for name in ("cmdline", "comm"):
        try:
            with open(f"{proc}/{pid}/{name}", "rb") as file:
                data = file.read(4 * COMMAND)
        except OSError:
            continue
        words = os.fsdecode(data.strip(b"\0\n")).replace("\0", " ")
        if words:
            from spillview.secrets.masking import masked_text

            words = masked_text(words)
            return words if len(words) <= COMMAND else f"{words[: COMMAND - 1]}…"
    return "?"


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


_SHARED = late(rb"^\S+ .w.s \S+ \S+ (\d+)", re.MULTILINE)


def _writes(info: str) -> bool:
    """Whether an open file's flags allow writing (its access mode is not 0)."""
    return _mode(info)[0]


def _mode(info: str) -> tuple[bool, bool]:
    """Whether an open file's flags allow writing, and whether nothing but reading."""
    try:
        with open(info, encoding="ascii", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name == "flags":
                    mode = int(value, 8) & (os.O_WRONLY | os.O_RDWR)
                    return bool(mode), not mode
    except (OSError, ValueError):
        pass
    return False, False
