"""What was read from files, kept in a form that is read faster."""

from __future__ import annotations

import json
import os

from spillview.hook.reading import read_regular

TYPE_CHECKING = False  # as in `typing`, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_MAX_BYTES = 4 << 20
FORM = 1
"""Changes when what is kept changes its form."""


def kept(
    cache_dir: str, files: Sequence[str], make: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """What `make` gives, from the cache folder while `files` stay as they are.

    Raises whatever `make` raises; a cache that cannot be used is as good as none.
    """
    stamp = [FORM, *map(_stamp, files)]
    path = os.path.join(cache_dir, "hook-rules.json")
    try:
        found = json.loads(read_regular(path, _MAX_BYTES))
        if found["stamp"] == stamp and _own(path):
            return dict(found["value"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    value = make()
    if stamp == [FORM, *map(_stamp, files)]:
        _keep(path, {"stamp": stamp, "value": value})
    return value


def _stamp(path: str) -> list[Any]:
    try:
        facts = os.stat(path)
    except OSError:
        return [path]
    return [path, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]


def _own(path: str) -> bool:
    """Whether nobody else could have written it."""
    facts = os.stat(path)
    getuid = getattr(os, "getuid", None)
    return getuid is None or (facts.st_uid == getuid() and not facts.st_mode & 0o022)


def _keep(path: str, value: dict[str, Any]) -> None:
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "x", opener=_private) as file:
            json.dump(value, file)
        os.replace(temporary, path)
    except OSError:
        return  # next time


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
