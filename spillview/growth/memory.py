"""The sizes of the check before, kept in the state folder for each ground checked."""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spillview.errors import Unreadable
from spillview.frozen import Frozen
from spillview.growth.changes import Size
from spillview.growth.moments import Moment
from spillview.own_files import is_stranger, open_own, set_aside, unwritable
from spillview.places import private_dir

if TYPE_CHECKING:
    from spillview.catalogue.query import Query
    from spillview.places import Places

FORM = 1
"""Raised when what is kept changes; another form is no memory."""
FOLDER = "watch"
MOST = 256 << 20
"""Bytes of a memory that are read."""
KEPT = 30 * 86_400
"""Seconds after which the memory of a ground nobody checks any more goes."""


class Known(Frozen):
    """What a check remembers of the one before it, on the same ground."""

    when: Moment
    sizes: Mapping[int, Size]
    """By the digest of a file's path, see `digest`."""
    free: Mapping[int, int] = {}
    """Bytes that were free, by device."""
    whole: bool = True
    """Whether nothing was left out: then a file that was not seen was not there."""


def digest(path: str) -> int:
    """What stands for a path; two that are alike make the size of one unknown."""
    return zlib.crc32(os.fsencode(path))


def ground_of(query: Query) -> str:
    """What a check looks at, for the name of its memory."""
    from spillview.digests import sha256

    paths = sorted({os.path.realpath(path) for path in query.paths})
    parts = (*paths, query.harness or "", query.session or "")
    return sha256(os.fsencode("\0".join(parts))).hexdigest()[:16]


def recall(places: Places, ground: str) -> Known | None:
    """What is remembered of this ground; None where nothing is, or nothing usable."""
    try:
        with open_own(_path(places, ground)) as file:
            data = file.read(MOST)
    except OSError:
        return None
    import orjson

    try:
        return _unpacked(orjson.loads(data))
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def remember(places: Places, ground: str, known: Known) -> None:
    """Keep these sizes instead of those before. Raises `Unreadable` saying why not."""
    folder = os.path.join(places.state_dir, FOLDER)
    temporary = os.path.join(folder, f".{ground}.{secrets.token_hex(6)}")
    try:
        private_dir(places.state_dir)
        private_dir(folder)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(_packed(known))
            if is_stranger(_path(places, ground)):
                set_aside(_path(places, ground), "sizes")
            os.replace(temporary, _path(places, ground))
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        _forget(folder, known.when.wall)
    except OSError as error:
        raise Unreadable(
            f"the sizes are not kept for the next check: {unwritable(folder, error)}"
        ) from None


def _path(places: Places, ground: str) -> str:
    return os.path.join(places.state_dir, FOLDER, f"{ground}.json")


def _forget(folder: str, now: float) -> None:
    """Let go of grounds that nobody checks, and of what a killed run left."""
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                if now - facts.st_mtime > KEPT:
                    os.unlink(entry.path)


def _packed(known: Known) -> bytes:
    """Columns of numbers: 100,000 files are some 4 MB."""
    import orjson

    devices = sorted({size.dev for size in known.sizes.values()})
    number = {dev: n for n, dev in enumerate(devices)}
    sizes = list(known.sizes.items())
    return orjson.dumps(
        {
            "form": FORM,
            "when": known.when.packed(),
            "free": sorted(known.free.items()),
            "whole": known.whole,
            "devices": devices,
            "path": [key for key, _ in sizes],
            "device": [number[size.dev] for _, size in sizes],
            "inode": [size.ino for _, size in sizes],
            "bytes": [size.size for _, size in sizes],
            "disk": [size.disk for _, size in sizes],
        }
    )


def _unpacked(data: Any) -> Known:
    if data["form"] != FORM:
        raise ValueError(data["form"])
    devices = _numbers(data["devices"])
    names = ("path", "device", "inode", "bytes", "disk")
    columns = [_numbers(data[name]) for name in names]
    sizes = {
        path: Size(devices[device], inode, size, disk)
        for path, device, inode, size, disk in zip(*columns, strict=True)
    }
    free = {int(dev): int(most) for dev, most in data["free"]}
    return Known(Moment.unpacked(data["when"]), sizes, free, data["whole"] is True)


def _numbers(values: Iterable[Any]) -> list[int]:
    numbers = list(values)
    if not all(type(value) is int and value >= 0 for value in numbers):
        raise ValueError("no sizes")
    return numbers
