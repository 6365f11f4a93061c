"""Who else can read, plant or swap what lies in a store: facts, and what to do.

Nothing is opened here. Each fact is of one kind, has a path where it shows, and says
how many artifacts it is of.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from spillview.frozen import Frozen
from spillview.text import path_text, plural

if TYPE_CHECKING:
    from spillview.discovery.entries import StoreFound
    from spillview.model import Found
    from spillview.profiles.profile import Profile

Kind = Literal[
    "group-readable",
    "acl",
    "foreign-folder",
    "open-folder",
    "group-folder",
    "fixed-name",
    "guessable-name",
    "leads-out",
    "hard-link",
    "secret-like",
]


class Exposure(Frozen):
    """One way in which others reach what is in a store."""

    kind: Kind
    harness: str
    path: str
    """Where it shows: the folder, or the first of the artifacts."""
    means: str
    """What it is and what it means, as a phrase that can follow a number."""
    advice: str
    """What to do, as a phrase."""
    number: int = 0
    """Artifacts that it is of; 0 where it is of a folder."""

    more: dict[str, int] | None = None
    """Other numbers of it, by their names in JSON."""

    @property
    def sentence(self) -> str:
        """All of it in words."""
        if not self.number:
            return f"{self.means}: {self.advice}"
        means = self.means
        if self.number == 1:
            verb, _, rest = means.partition(" ")
            means = f"{_ALONE.get(verb, verb)} {rest}"
        return f"{plural(self.number, 'artifact')} {means}: {self.advice}"

    @property
    def many(self) -> str:
        """The sentence for several places together, with `{}` for the number."""
        means = _FOLDERS.get(self.kind)
        noun = "artifacts" if means is None else "folders"
        return f"{{}} {noun} {means or self.means}: {self.advice}"


_ALONE = {"have": "has", "are": "is", "lie": "lies", "hold": "holds", "link": "links"}
_FOLDERS: dict[Kind, str] = {
    "foreign-folder": "belong to others, who can remove and swap what is in them",
    "open-folder": "are open to every user, who can plant, remove and swap files there",
    "group-folder": "are open to a group, which can plant, remove and swap files there",
    "fixed-name": "have names that every user can make before the harness does, for all"
    " know them: it then fails, or writes where they read",
}


def exposures(
    stores: Sequence[StoreFound],
    artifacts: Iterable[Found],
    profiles: Mapping[str, Profile],
    uid: int,
) -> Iterator[Exposure]:
    """Every exposure of these artifacts and of the folders they lie in.

    World-readable files and files of other owners are told of elsewhere: an entry
    alone says so. Nothing where the system has no owners (`uid` below 0).
    """
    if uid < 0:
        return
    roots = [os.path.realpath(store.root) for store in stores]
    files: dict[tuple[str, str], _Files] = {}
    for found in artifacts:
        key = (found.harness, found.root)
        of_store = files.get(key)
        if of_store is None:
            of_store = files[key] = _Files(roots)
        of_store.take(found)
    told: set[tuple[Kind, str]] = set()
    for store in stores:
        mine = files.get((store.harness, store.root)) or _Files(roots)
        facts = [*mine.facts(store.harness)]
        facts += _of_folders(store, mine.folders, profiles.get(store.harness), uid)
        for fact in facts:
            # A folder above several stores is told of once.
            if fact.number or (fact.kind, fact.path) not in told:
                told.add((fact.kind, fact.path))
                yield fact


# -- files -------------------------------------------------------------------------


@dataclass(slots=True)
class _Paths:
    """Paths of which the first is told, and how many there are."""

    first: str = ""
    number: int = 0

    def add(self, path: str) -> None:
        """One more."""
        self.first = self.first or path
        self.number += 1


class _Files:
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


_ADVICE = "give the harness a temp folder of its own (TMPDIR)"
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
        _ADVICE,
    ),
)
_GUESSABLE = re.compile(r"[A-Za-z-]*\d{10,13}(?:\.[a-z]+)?")


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
    return group_name(facts.st_gid) if _reached(path, facts.st_gid) else None


def _reached(path: str, gid: int) -> bool:
    """Whether the members of a group get through every folder above `path`."""
    return _passed(os.path.dirname(path), gid)


@lru_cache(maxsize=4096)
def _passed(folder: str, gid: int) -> bool:
    try:
        facts = os.stat(folder)
    except OSError:
        return False
    bit = 0o010 if facts.st_gid == gid else 0o001
    parent = os.path.dirname(folder)
    return bool(facts.st_mode & bit) and (parent == folder or _passed(parent, gid))


@lru_cache(maxsize=256)
def others_in(gid: int, uid: int) -> bool:
    """Whether a group has a member besides the user and root."""
    try:
        import grp
        import pwd

        group = grp.getgrgid(gid)
        users = {
            entry.pw_name: (entry.pw_uid, entry.pw_gid) for entry in pwd.getpwall()
        }
    except (ImportError, KeyError):
        return False
    members = {users.get(name, (-1, -1))[0] for name in group.gr_mem}
    members |= {own for own, primary in users.values() if primary == gid}
    return bool(members - {uid, 0, -1})


def group_name(gid: int) -> str:
    """The name of a group, else its number."""
    try:
        import grp

        return grp.getgrgid(gid).gr_name
    except (ImportError, KeyError):
        return str(gid)


def user_name(uid: int) -> str:
    """`user NAME`, else `user NUMBER`."""
    try:
        import pwd

        return f"user {pwd.getpwuid(uid).pw_name}"
    except (ImportError, KeyError):
        return f"user {uid}"


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


# -- folders -----------------------------------------------------------------------


def _of_folders(
    store: StoreFound, folders: Iterable[str], profile: Profile | None, uid: int
) -> Iterator[Exposure]:
    root = os.path.realpath(store.root)
    inner = {
        above
        for folder in folders
        for above in _above(os.path.realpath(folder))
        if above == root or above.startswith(f"{root}/")
    }
    for folder in sorted({*inner, *_above(root)}):
        fact = _of_folder(store.harness, folder, uid)
        if fact is not None:
            yield fact
    if profile is None:
        return
    known = fixed_names(profile, uid)
    for folder in _above(root):
        name, parent = os.path.basename(folder), os.path.dirname(folder)
        if name in known and is_shared(parent):
            yield Exposure(
                "fixed-name",
                store.harness,
                folder,
                f"every user can make {path_text(folder)} before {store.harness} does,"
                " for all know its name: it then fails, or writes where they read",
                _ADVICE,
            )


def _above(folder: str) -> Iterator[str]:
    """A folder and every one above it."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


@lru_cache(maxsize=4096)
def _of_folder(harness: str, folder: str, uid: int) -> Exposure | None:
    try:
        facts = os.stat(folder)
    except OSError:
        return None
    mode, shown = facts.st_mode, path_text(folder)
    if facts.st_uid not in (uid, 0):
        owner = user_name(facts.st_uid)
        return Exposure(
            "foreign-folder",
            harness,
            folder,
            f"{shown} belongs to {owner}, who can remove and swap all that is in it",
            "move the store into a folder of your own",
        )
    if mode & stat.S_ISVTX:
        return None  # nobody removes what belongs to others
    if mode & 0o002:
        return Exposure(
            "open-folder",
            harness,
            folder,
            f"every user can plant, remove and swap files in {shown}",
            "take that right away (chmod o-w, or doctor --fix-modes)",
        )
    if mode & 0o020 and others_in(facts.st_gid, facts.st_uid):
        group = group_name(facts.st_gid)
        return Exposure(
            "group-folder",
            harness,
            folder,
            f"the group {group} can plant, remove and swap files in {shown}",
            "take that right away (chmod g-w, or doctor --fix-modes)",
        )
    return None


def is_shared(folder: str) -> bool:
    """Whether every user can make new names in a folder, as in /tmp."""
    try:
        return bool(os.stat(folder).st_mode & 0o002)
    except OSError:
        return False


def fixed_names(profile: Profile, uid: int) -> set[str]:
    """The names of a harness's folders in the temp folder that anybody can know."""
    names = set()
    for root in profile.roots:
        for template in (
            *root.paths,
            *(p for v in root.by_platform.values() for p in v),
        ):
            if template.startswith("{tmp}/"):
                first = template.removeprefix("{tmp}/").split("/")[0]
                if "<" not in first:
                    names.add(first.replace("{uid}", str(uid)))
    return names


def forget() -> None:
    """Look at every folder anew."""
    for cached in (_of_folder, _passed, others_in):
        cached.cache_clear()
