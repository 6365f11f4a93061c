"""What the entries of artifacts tell of who else reaches them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from spillview.exposure.facts import OWN_TEMP, Exposure, Kind
from spillview.exposure.folders import is_shared
from spillview.exposure.people import group_name, others_in

if TYPE_CHECKING:
    from spillview.model import Found

_REST: tuple[tuple[Kind, str, str], ...] = (
    (
        "acl",
        "can be read by users named in an access list",
        "take the list away (setfacl -b, or doctor --fix-modes)",
    ),
    (
        "leads-out",
        "link out of every store: what is there is neither read nor removed",
        "look there before anything follows such a link",
    ),
    (
        "hard-link",
        "have another name outside the stores found: by that one others may read"
        " and change what is in it, and removing it here frees nothing",
        "find it with find -samefile, and remove the name that is not yours",
    ),
    (
        "guessable-name",
        "lie in a folder that all users share under a name that is a time: another"
        " user can make such a name first",
        OWN_TEMP,
    ),
)
_GUESSABLE = re.compile(r"[A-Za-z-]*\d{10,13}(?:\.[a-z]+)?")


@dataclass(slots=True)
class _Paths:
    """Paths of which the first is told, and how many there are."""

    first: str = ""
    number: int = 0

    def add(self, path: str) -> None:
        """One more."""
        self.first = self.first or path
        self.number += 1


class Files:
    """What the entries of one store tell, taken one after the other."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.folders: set[str] = set()
        """The folders that they lie in."""
        self._roots = roots
        self._shared: dict[str, _Paths] = {}
        """What each group reads."""
        self._listed: _Paths = _Paths()
        self._out: _Paths = _Paths()
        self._guessable: _Paths = _Paths()
        self._names: dict[tuple[int, int], int] = {}
        """How many names are here of files that have several."""
        self._several: list[tuple[tuple[int, int], int, str]] = []

    def take(self, found: Found) -> None:
        """One more entry."""
        folder = os.path.dirname(found.path)
        self.folders.add(folder)
        inode = (found.dev, found.ino)
        if found.nlink > 1 or found.row is not None:
            self._names[inode] = self._names.get(inode, 0) + 1
        if found.row is not None or found.type == "unreadable":
            return
        if found.type == "symlink":
            if leads_out(found.path, self._roots):
                self._out.add(found.path)
            return
        if found.type == "file" and found.mode & 0o040 and not found.mode & 0o004:
            group = _group_that_reads(found.path)
            if group is not None:
                self._shared.setdefault(group, _Paths()).add(found.path)
            if _named_readers(found.path):
                self._listed.add(found.path)
        if found.nlink > 1:
            self._several.append((inode, found.nlink, found.path))
        if _GUESSABLE.fullmatch(found.name) and is_shared(folder):
            self._guessable.add(found.path)

    def facts(self, harness: str) -> Iterator[Exposure]:
        """Each way in which others reach these."""
        for group, of in self._shared.items():
            yield Exposure(
                "group-readable",
                harness,
                of.first,
                f"can be read by the group {group}, which has other members",
                "take that right away (chmod g-r, or doctor --fix-modes)",
                of.number,
            )
        linked: _Paths = _Paths()
        for inode, names, path in self._several:
            if names > self._names[inode]:
                linked.add(path)
        told = (self._listed, self._out, linked, self._guessable)
        for (kind, means, advice), of in zip(_REST, told, strict=True):
            if of.number:
                yield Exposure(kind, harness, of.first, means, advice, of.number)


def leads_out(path: str, roots: Sequence[str]) -> bool:
    """Whether the link at `path` leads to a place outside of these real folders."""
    target = os.path.realpath(path)
    return not any(target == root or target.startswith(f"{root}/") for root in roots)


def _group_that_reads(path: str) -> str | None:
    """The name of the group that reads `path` and has other members than its owner."""
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    if not facts.st_mode & 0o040 or not others_in(facts.st_gid, facts.st_uid):
        return None
    return (
        group_name(facts.st_gid)
        if passed(os.path.dirname(path), facts.st_gid)
        else None
    )


@lru_cache(maxsize=4096)
def passed(folder: str, gid: int) -> bool:
    """Whether members of a group get through a folder and through all above it."""
    try:
        facts = os.stat(folder)
    except OSError:
        return False
    bit = 0o010 if facts.st_gid == gid else 0o001
    parent = os.path.dirname(folder)
    return bool(facts.st_mode & bit) and (parent == folder or passed(parent, gid))


_USER, _GROUP, _MASK = 0x02, 0x08, 0x10


def named_readers(acl: bytes) -> bool:
    """Whether an access list of Linux lets users or groups named in it read.

    It is a version number and entries of tag, rights and id, all little-endian.
    """
    entries = [
        (int.from_bytes(acl[at : at + 2], "little"), acl[at + 2])
        for at in range(4, len(acl) - 7, 8)
    ]
    mask = next((rights for tag, rights in entries if tag == _MASK), 7)
    return any(tag in (_USER, _GROUP) and rights & mask & 4 for tag, rights in entries)


def _named_readers(path: str) -> bool:
    read = getattr(os, "getxattr", None)  # Linux alone has it
    if read is None:
        return False
    try:
        return named_readers(
            read(path, "system.posix_acl_access", follow_symlinks=False)
        )
    except OSError:
        return False
