"""Files of our own, about which others, a full disk or a power cut may have been busy.

Nothing here follows a link, waits for a pipe or takes another user's file for ours.
What is no file of ours any more is renamed, so that nothing in it is lost, and the
program goes on with a new one.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from spillview.hints import BinaryIO
from spillview.model import Problem
from spillview.places import own_uid

told: list[Problem] = []
"""What became of broken files of our own in this process, until somebody takes it."""

KEPT = 3
"""Broken files that are kept of each name; one more takes the oldest one's place."""
_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite has beside a database, and would mix into a new one of that name."""
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def is_own(facts: os.stat_result) -> bool:
    """Whether these are the facts of a regular file of this user."""
    return is_mine(facts) and stat.S_ISREG(facts.st_mode)


def is_stranger(path: str) -> bool:
    """Whether something has the name that is no file of ours, or has others too."""
    try:
        facts = os.lstat(path)
    except OSError:
        return False
    return not is_own(facts) or facts.st_nlink > 1


def open_own(path: str) -> BinaryIO:
    """A regular file, open for reading; raises OSError for anything else."""
    # Its type before it is opened: to open a device may already do something.
    if stat.S_ISREG(os.lstat(path).st_mode):
        handle = os.open(path, _READ)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return open(handle, "rb")
        os.close(handle)
    raise OSError(errno.EINVAL, "it is no regular file", path)


def mended(path: str, sentence: str) -> Problem:
    """Keep what became of a broken file, to be told once."""
    problem = Problem(path, sentence)
    told.append(problem)
    return problem


def set_aside(path: str, kind: str | None = None) -> str:
    """Rename what has this name, a link itself, and what SQLite has beside it.

    Gives the new name, made of the name `kind` where several files are of one kind.
    Raises OSError where that is not possible.
    """
    base = path if kind is None else os.path.join(os.path.dirname(path), kind)
    folder = "folder-" if stat.S_ISDIR(os.lstat(path).st_mode) else ""
    names = [f"{base}.broken-{folder}{number}" for number in range(1, KEPT + 1)]
    free = [name for name in names if not os.path.lexists(name)]
    # A folder, which nothing can take the place of, has to be looked at by a person.
    aside = free[0] if free else min(names, key=lambda name: os.lstat(name).st_mtime)
    os.replace(path, aside)
    for end in _BESIDE:
        with suppress(OSError):
            os.replace(path + end, aside + end)
    return aside


FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""What a full disk, or a user's share of it, answers."""


def unwritable(path: str, error: Exception | None = None) -> str:
    """Why nothing can be written at `path`: the folder in its way, and what to do.

    The middle of a sentence. `error` is what the attempt raised, an OSError or one of
    SQLite's.
    """
    from spillview.text import path_text

    number = getattr(error, "errno", None)
    text = str(error) if error is not None else ""
    place = _nearest(path)
    said = path_text(place)
    if number in FULL or "is full" in text:
        return f"the disk of {said} is full: make room there"
    if number == errno.EFBIG:
        return f"no file in {said} may grow so far (see ulimit -f)"
    if not os.path.isdir(place) and (place != path or number == errno.EEXIST):
        return f"{said} stands where a folder has to be: move it away"
    if number == errno.EROFS or _is_read_only(place):
        return f"{said} is on a filesystem that can only be read"
    if os.path.isfile(place):
        folder = os.path.dirname(place)
        if not os.access(folder, os.W_OK | os.X_OK):
            place, said = folder, path_text(folder)
    kind = "folder" if os.path.isdir(place) else "file"
    if not is_mine(os.lstat(place)) and number in (errno.EACCES, errno.EPERM, None):
        return f"the {kind} {said} belongs to another user and cannot be written to"
    if number in (errno.EACCES, errno.EPERM) or not os.access(place, os.W_OK):
        return f"the {kind} {said} cannot be written to (see its mode, chmod u+rwX)"
    why = (getattr(error, "strerror", None) or text or "nobody knows why").lower()
    return f"the {kind} {said} cannot be written to ({why})"


def _is_read_only(place: str) -> bool:
    """Whether the filesystem of something takes nothing from anybody."""
    try:
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except (AttributeError, OSError):
        return False


def barred(folder: str) -> str | None:
    """Why nothing could be written in a folder of ours; None where it could be.

    Nothing is written to try it.
    """
    place = _nearest(folder)
    # One of our own is given its mode back before it is written to.
    mine = place == folder and os.path.isdir(place) and is_mine(os.stat(place))
    if os.path.isdir(place) and (mine or os.access(place, os.W_OK | os.X_OK)):
        return None
    return unwritable(folder)


def is_mine(facts: os.stat_result) -> bool:
    """Whether this user owns what has these facts."""
    return own_uid() < 0 or facts.st_uid == own_uid()


def _nearest(path: str) -> str:
    """What there is of a path: itself, or the last thing on the way to it."""
    place = os.path.abspath(path)
    while not os.path.lexists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    return place


def is_sound(path: str, version: int, tables: str) -> bool:
    """Whether a database of ours is there, of this version and with these tables.

    Nothing of it is changed: it is for who could tell nobody what was mended.
    """
    import sqlite3
    from urllib.parse import quote

    if is_stranger(path) or not os.path.lexists(path):
        return False
    try:
        db = sqlite3.connect(f"file:{quote(path)}?mode=rw", timeout=0.1, uri=True)
        try:
            (found,) = db.execute("pragma user_version").fetchone()
            db.execute(f"select 1 from {tables} limit 0")
        finally:
            db.close()
    except (sqlite3.Error, ValueError):
        return False
    return bool(found == version)
