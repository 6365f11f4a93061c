"""The journal of one clean-up: what is to be moved where, written before anything is.

It is lines of JSON in ASCII, so that a person can put a file back by hand. Behind them
room is kept for one more, the seal: what was really moved. So a full disk cannot keep
the clean-up from being closed. A journal without a seal belongs to a run that is at
work, or was killed; what it had done shows in which files lie in the trash.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from spillview.errors import Unreadable

FORM = 1
"""Raised when journals change; those of another form are left alone."""
NAME = "journal"
DRAFT = "journal.new"
MOST = 1 << 30
"""Bytes of a journal that are read."""


@dataclass(frozen=True, slots=True)
class Level:
    """One folder as it was: enough to know it again, or to make it anew."""

    mode: int
    atime_ns: int
    mtime_ns: int
    dev: int
    ino: int

    @classmethod
    def of(cls, facts: os.stat_result) -> Level:
        """The folder that has these facts."""
        mode = facts.st_mode & 0o7777
        times = facts.st_atime_ns, facts.st_mtime_ns
        return cls(mode, *times, facts.st_dev, facts.st_ino)

    def is_of(self, facts: os.stat_result) -> bool:
        """Whether these facts are of the same folder."""
        return (self.dev, self.ino) == (facts.st_dev, facts.st_ino)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that files are taken from: a store's real root and the way down."""

    root: str
    names: tuple[str, ...]
    levels: tuple[Level, ...]
    """The root's, then that of each name."""

    @property
    def path(self) -> str:
        """Where it lies."""
        return os.path.join(self.root, *self.names)


@dataclass(frozen=True, slots=True)
class Item:
    """One file (or link) that is moved."""

    number: int
    id: str
    path: str
    """As it was listed."""
    name: str
    folder: int
    """Which of the journal's folders it lies in."""
    bin: int
    """Which of the journal's bins takes it."""
    dev: int
    ino: int
    size: int
    mtime_ns: int

    @property
    def slot(self) -> str:
        """Its name in the trash."""
        return f"{self.number:06d}"

    def is_of(self, facts: os.stat_result) -> bool:
        """Whether these facts are of the file that was meant, unchanged."""
        return (self.dev, self.ino, self.mtime_ns) == (
            facts.st_dev,
            facts.st_ino,
            facts.st_mtime_ns,
        )


@dataclass(frozen=True, slots=True)
class Journal:
    """One clean-up."""

    batch: str
    when: float
    """Seconds since the epoch."""
    bins: tuple[str, ...]
    """The folders, one for each filesystem, that take the files."""
    folders: tuple[Folder, ...]
    items: tuple[Item, ...]
    moved: frozenset[int] | None = None
    """Numbers of the items that were moved; None while it is not sealed."""
    room: int = 0
    """Byte at which the seal is written."""

    @property
    def expected(self) -> frozenset[int]:
        """The numbers of the items that may lie in the trash."""
        if self.moved is not None:
            return self.moved
        return frozenset(item.number for item in self.items)

    @property
    def space(self) -> int:
        """Bytes that are kept for the seal."""
        return len(self.items) // 4 + 64

    def encode(self) -> bytes:
        """The journal as it is written before anything is moved: without a seal."""
        lines = [_line({"form": FORM, "batch": self.batch, "when": self.when})]
        lines += [_line({"bin": path}) for path in self.bins]
        for folder in self.folders:
            levels = [
                [lv.mode, lv.atime_ns, lv.mtime_ns, lv.dev, lv.ino]
                for lv in folder.levels
            ]
            way = {"root": folder.root, "names": folder.names}
            lines.append(_line({**way, "levels": levels}))
        for it in self.items:
            facts = [it.dev, it.ino, it.size, it.mtime_ns]
            said = {"item": it.number, "id": it.id, "path": it.path, "name": it.name}
            lines.append(
                _line({**said, "folder": it.folder, "bin": it.bin, "facts": facts})
            )
        text = b"".join(lines)
        end = _line({"end": len(lines), "sha256": sha256(text).hexdigest()})
        return text + end + b" " * self.space + b"\n"

    def seal(self, moved: Sequence[int]) -> bytes:
        """The seal that says which items were moved; it fits into the room kept."""
        digits = bytearray(b"0" * (max(moved, default=0) + 1))
        for number in moved:
            digits[-1 - number] = ord("1")
        return json.dumps({"moved": f"{int(digits, 2):x}"}).encode("ascii")


def decode(data: bytes, batch: str) -> Journal:
    """The journal of `batch` in `data`; raises `Unreadable` when it is not whole."""
    try:
        return _decode(data, batch)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Unreadable(
            f"the journal of clean-up {batch} is damaged ({error}); it is left alone"
        ) from None


def _decode(data: bytes, batch: str) -> Journal:
    text, _, end = data.rpartition(b'{"end":')
    if not text:
        raise ValueError("it has no end")
    end_line, _, rest = end.partition(b"\n")
    said = json.loads(b'{"end":' + end_line)
    lines = text.splitlines()
    if said["end"] != len(lines) or said["sha256"] != sha256(text).hexdigest():
        raise ValueError("it is not what was written")
    head, *entries = (json.loads(line) for line in lines)
    if head["form"] != FORM:
        raise ValueError("another version of spillview wrote it")
    if head["batch"] != batch:
        raise ValueError(f"it is that of {head['batch']}")
    bins: list[str] = []
    folders: list[Folder] = []
    items: list[Item] = []
    for entry in entries:
        if "item" in entry:
            items.append(
                Item(
                    entry["item"],
                    entry["id"],
                    entry["path"],
                    entry["name"],
                    entry["folder"],
                    entry["bin"],
                    *entry["facts"],
                )
            )
        elif "root" in entry:
            levels = tuple(Level(*level) for level in entry["levels"])
            folders.append(Folder(entry["root"], tuple(entry["names"]), levels))
        else:
            bins.append(entry["bin"])
    names = [item.name for item in items]
    names += [name for folder in folders for name in folder.names]
    if any("/" in name or name in ("", ".", "..") for name in names):
        raise ValueError("a name in it is no file's name")
    if items and (
        max(item.folder for item in items) >= len(folders)
        or max(item.bin for item in items) >= len(bins)
    ):
        raise ValueError("a folder in it is missing")
    room = len(text) + len(b'{"end":') + len(end_line) + 1
    moved = _moved(rest)
    if moved is not None and not moved <= {item.number for item in items}:
        raise ValueError("its seal is of another journal")
    return Journal(
        batch,
        float(head["when"]),
        tuple(bins),
        tuple(folders),
        tuple(items),
        moved,
        room,
    )


def _moved(seal: bytes) -> frozenset[int] | None:
    """The numbers in a seal; None when there is none, or it was not written whole."""
    try:
        bits = int(json.loads(seal)["moved"], 16)
    except (ValueError, KeyError, TypeError):
        return None
    return frozenset(n for n, bit in enumerate(reversed(f"{bits:b}")) if bit == "1")


def _line(value: dict[str, Any]) -> bytes:
    """One line of ASCII; undecodable bytes of names stay as escaped surrogates."""
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
