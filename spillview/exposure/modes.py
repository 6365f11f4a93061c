"""Taking rights away from others: 0600 for artifacts, 0700 for the folders of stores.

One of the rooms that change the disk. Every folder on the way is opened without
following a link, and what is changed is what was opened: a name that somebody swaps
meanwhile leads nowhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal

from spillview.frozen import Frozen
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.model import Artifact
    from spillview.places import Places

FILE, FOLDER = 0o600, 0o700
"""Rights that are left: nobody's but the owner's."""


class Change(Frozen):
    """One path whose rights are to be taken from others."""

    path: str
    root: str
    """The real folder of its store, which no link leads out of."""
    kind: Literal["file", "folder"]
    before: int
    after: int
    dev: int
    ino: int

    @property
    def words(self) -> str:
        """`0644 → 0600  /…/a.txt`."""
        shown = printable(path_text(self.path))
        return f"{self.before:04o} → {self.after:04o}  {shown}"

    @property
    def undo(self) -> str:
        """The command that gives the rights back."""
        import shlex

        return f"chmod {self.before:04o} -- {shlex.quote(self.path)}"


class Left(Frozen):
    """A path that others reach and that is left as it is."""

    path: str
    reason: str


def plan(
    artifacts: Iterable[Artifact], places: Places
) -> tuple[list[Change], list[Left]]:
    """What would be changed of these artifacts and their stores' folders, and what not.

    Only what is the user's own, and inside a store. A file with another name (a hard
    link) is left, for its rights are that one's too; so is the home folder.
    """
    changes: dict[str, Change] = {}
    left: dict[str, Left] = {}
    for artifact in artifacts:
        found = artifact.found
        if found.type == "unreadable":
            continue
        root = os.path.realpath(found.root)
        folder = os.path.realpath(os.path.dirname(found.path))
        if folder != root and not folder.startswith(f"{root}{os.sep}"):
            left[found.path] = Left(
                found.path, "a link on the way leads out of its store"
            )
            continue
        while folder not in changes and folder not in left:
            _add(folder, root, "folder", places, changes, left)
            if folder == root:
                break
            folder = os.path.dirname(folder)
        if found.type == "file":
            path = os.path.join(
                os.path.realpath(os.path.dirname(found.path)),
                os.path.basename(found.path),
            )
            if path not in changes and path not in left:
                _add(path, root, "file", places, changes, left)
    wanted = sorted(
        (c for c in changes.values() if c.before != c.after),
        key=lambda c: (c.kind == "folder", c.path),
    )
    return wanted, sorted((x for x in left.values() if x.reason), key=lambda x: x.path)


def _add(
    path: str,
    root: str,
    kind: Literal["file", "folder"],
    places: Places,
    changes: dict[str, Change],
    left: dict[str, Left],
) -> None:
    try:
        facts = os.lstat(path)
    except OSError as error:
        left[path] = Left(path, (error.strerror or str(error)).lower())
        return
    mode = stat.S_IMODE(facts.st_mode)
    test = stat.S_ISDIR if kind == "folder" else stat.S_ISREG
    open_ = bool(mode & 0o077)
    reason = ""
    if not test(facts.st_mode):
        reason = f"it is no {kind} any more"
    elif facts.st_uid != places.uid:
        reason = "it belongs to another user" if open_ else ""
    elif kind == "file" and facts.st_nlink > 1:
        reason = "it has another name too, whose rights are the same" if open_ else ""
    elif kind == "folder" and _holds_home(path, places):
        reason = "your home folder is not this command's to change" if open_ else ""
    else:
        after = mode & FOLDER if kind == "folder" else mode & FILE
        changes[path] = Change(
            path, root, kind, mode, after, facts.st_dev, facts.st_ino
        )
        return
    left[path] = Left(path, reason)


def _holds_home(folder: str, places: Places) -> bool:
    home = os.path.realpath(places.home)
    return home == folder or home.startswith(folder.rstrip(os.sep) + os.sep)


_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)


def apply(changes: Sequence[Change]) -> Iterator[tuple[Change, str | None]]:
    """Make the changes, files first; with each why it was not made, if so."""
    for change in changes:
        try:
            yield change, _made(change)
        except OSError as error:
            yield change, (error.strerror or str(error)).lower()


def _made(change: Change) -> str | None:
    with ExitStack() as stack:
        descriptor = _opened(change, stack)
        facts = os.fstat(descriptor)
        if (facts.st_dev, facts.st_ino) != (change.dev, change.ino):
            return "another file has its name now"
        if stat.S_IMODE(facts.st_mode) != change.before:
            return "its rights changed meanwhile"
        if facts.st_uid != os.geteuid():
            return "it belongs to another user"
        if change.kind == "file" and facts.st_nlink > 1:
            return "it has another name too, whose rights are the same"
        os.fchmod(descriptor, change.after)
    return None


def _opened(change: Change, stack: ExitStack) -> int:
    """A descriptor of what is to be changed; every folder on the way is walked."""

    def open_(name: str, more: int, folder: int | None) -> int:
        descriptor = os.open(name, _FLAGS | more, dir_fd=folder)
        stack.callback(os.close, descriptor)
        return descriptor

    at = open_(change.root, _DIRECTORY, None)
    inner = os.path.relpath(change.path, change.root)
    if inner == os.curdir:
        return at
    *folders, name = inner.split(os.sep)
    for part in folders:
        at = open_(part, _DIRECTORY, at)
    return open_(name, _DIRECTORY if change.kind == "folder" else 0, at)
