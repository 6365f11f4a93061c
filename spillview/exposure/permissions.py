"""Who on this machine may read a file."""

from __future__ import annotations

import os
from functools import lru_cache


def world_readable(path: str, mode: int) -> bool:
    """Whether any user may read `path`, by its `mode` and every folder above it."""
    if not mode & 0o004:
        return False
    # By hand: there may be very many.
    folder = path.rpartition("/")[0] if path[:1] == "/" else os.path.dirname(path)
    return _passable(folder or "/")


@lru_cache(maxsize=4096)
def _passable(folder: str) -> bool:
    try:
        mode = os.stat(folder).st_mode
    except OSError:
        return False
    parent = os.path.dirname(folder)
    return bool(mode & 0o001) and (parent == folder or _passable(parent))
