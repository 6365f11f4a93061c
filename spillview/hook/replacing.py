"""Replacing one file that belongs to somebody else, whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress

from spillview.errors import BadInput
from spillview.own_files import unwritable
from spillview.places import own_uid
from spillview.text import path_text

LARGEST = 8 << 20
"""Bytes; no file of settings is larger."""


def read(path: str) -> bytes | None:
    """What the file holds; None where there is none.

    Raises `BadInput` for a link, for what is no file of this user, and for what cannot
    be read or replaced.
    """
    facts = _facts(path)
    if facts is None:
        return None
    _check(path, facts)
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path_text(path)}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise BadInput(f"{path_text(path)}: is over {LARGEST:,} bytes; left as it is")
    return data


def replace(path: str, before: bytes | None, after: bytes | None) -> None:
    """Make the file hold `after` in place of `before`; None is no file.

    The file is the old one or the new one at every moment, with the same mode. Raises
    `BadInput` where it no longer holds `before`, or cannot be replaced; it is then
    as it was.
    """
    try:
        if after is None:
            _unchanged(path, before)
            os.unlink(path)
        else:
            _put(path, before, after)
        _settle(os.path.dirname(path))
    except OSError as error:
        raise BadInput(
            f"{path_text(path)} is as it was: {unwritable(path, error)}"
        ) from None


def create(path: str, data: bytes) -> None:
    """Write a new private file, and see it on the disk; raises OSError."""
    descriptor = os.open(path, _NEW, 0o600)
    try:
        _write(descriptor, data)
    except BaseException:  # a Ctrl+C leaves nothing behind either
        with suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(descriptor)
    _settle(os.path.dirname(path))


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def _put(path: str, before: bytes | None, after: bytes) -> None:
    folder, name = os.path.split(path)
    facts = _facts(path)
    temporary = os.path.join(folder, f".{name}.spillview-{secrets.token_hex(6)}")
    mode = 0o600 if facts is None else stat.S_IMODE(facts.st_mode)
    descriptor = os.open(temporary, _NEW, 0o600)
    try:
        try:
            _write(descriptor, after)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        _unchanged(path, before)
        if before is None:
            os.link(temporary, path)  # fails where somebody was quicker
            os.unlink(temporary)
        else:
            os.replace(temporary, path)
    except FileExistsError:
        with suppress(OSError):
            os.unlink(temporary)
        raise BadInput(_changed(path)) from None
    except BaseException:  # a Ctrl+C leaves nothing behind either
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _unchanged(path: str, before: bytes | None) -> None:
    if read(path) != before:
        raise BadInput(_changed(path))


def _changed(path: str) -> str:
    return (
        f"{path_text(path)}: was changed by somebody else meanwhile, so nothing was"
        " written; try again"
    )


def _facts(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadInput(f"{path_text(path)}: cannot be read: {error.strerror}") from None


def _check(path: str, facts: os.stat_result) -> None:
    shown = path_text(path)
    if stat.S_ISLNK(facts.st_mode):
        raise BadInput(
            f"{shown}: is a link to {path_text(os.path.realpath(path))}, which is left"
            " to whatever keeps it there; --print shows what to put into it"
        )
    if not stat.S_ISREG(facts.st_mode):
        raise BadInput(f"{shown}: is no file")
    if facts.st_nlink > 1:
        raise BadInput(
            f"{shown}: has {facts.st_nlink} names, and replacing it would part them;"
            " --print shows what to put into it"
        )
    if own_uid() >= 0 and facts.st_uid != own_uid():
        raise BadInput(f"{shown}: belongs to another user")
    if not facts.st_mode & 0o200:
        raise BadInput(
            f"{shown}: is read-only; `chmod u+w` it first, or put in what --print shows"
        )
    if not os.access(os.path.dirname(path), os.W_OK):
        raise BadInput(f"{shown}: its folder is read-only")


def _settle(folder: str) -> None:
    """See the folder's entries on the disk, where the platform can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
