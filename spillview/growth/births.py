"""When a file was made: a number (inode) that is used again is another file."""

from __future__ import annotations

import os
import struct
from functools import cache
from typing import Any

_AT_CWD, _NO_LINK, _BIRTH = -100, 0x100, 0x800
"""Linux: AT_FDCWD, AT_SYMLINK_NOFOLLOW, STATX_BTIME."""
_MASK, _MADE = struct.Struct("=I"), struct.Struct("=qI")
_MADE_AT = 80
"""Where the time stands in Linux's `struct statx`."""


def born(path: str) -> float | None:
    """When the file at `path` was made, in seconds since the epoch.

    None where the system or the disk does not tell.
    """
    statx = _statx()
    if statx is None:
        try:
            made = getattr(os.lstat(path), "st_birthtime", None)
        except OSError:
            return None
        return None if made is None else float(made)
    room = bytearray(256)
    if statx(path, room) != 0 or not _MASK.unpack_from(room)[0] & _BIRTH:
        return None
    seconds, fraction = _MADE.unpack_from(room, _MADE_AT)
    return float(seconds + fraction / 1e9)


@cache
def _statx() -> Any:
    """Linux's call, which Python has no name for; None elsewhere."""
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).statx
    except (ImportError, OSError, AttributeError, TypeError):
        return None

    def ask(path: str, room: bytearray) -> int:
        buffer = (ctypes.c_char * len(room)).from_buffer(room)
        return int(call(_AT_CWD, os.fsencode(path), _NO_LINK, _BIRTH, buffer))

    return ask
