"""The night's home folder, its clock and its dice."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

from spillview.places import DEMO_MARKER

T = TypeVar("T")

MARKER = DEMO_MARKER

MINUTE = 60.0
HOUR = 3600.0
DAY = 86400.0

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LOWER = "0123456789abcdefghijklmnopqrstuvwxyz"


class Dice:
    """Chance that falls the same way each time, on every Python.

    Only `Random.random` keeps its sequence between versions, so all else is made of it.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # a fixed seed: nothing secret

    def below(self, bound: int) -> int:
        """A whole number from 0 up to `bound`, the bound left out."""
        return int(self._random.random() * bound)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def pick(self, things: Sequence[T]) -> T:
        """One of the things."""
        return things[self.below(len(things))]

    def hex(self, length: int) -> str:
        """Lower-case hex digits."""
        return "".join(_LOWER[self.below(16)] for _ in range(length))

    def lower(self, length: int) -> str:
        """Lower-case letters and digits."""
        return "".join(self.pick(_LOWER) for _ in range(length))

    def base62(self, length: int) -> str:
        """Letters of both cases and digits."""
        return "".join(self.pick(_BASE62) for _ in range(length))

    def uuid(self) -> str:
        """A version 4 UUID."""
        digits = self.hex(32)
        variant = "89ab"[self.below(4)]
        return (
            f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}"
            f"-{variant}{digits[17:20]}-{digits[20:]}"
        )


class Night:
    """Where the night is written and which moment is its morning."""

    def __init__(self, home: str, now: float) -> None:
        self.home = home
        self.now = now
        getuid = getattr(os, "getuid", None)
        self.uid: int = getuid() if getuid else 1000

    def path(self, *parts: str) -> str:
        """A path below the home folder."""
        return os.path.join(self.home, *parts)

    def project(self, name: str) -> str:
        """The working folder of a project; it is made, empty, so one can go there."""
        path = self.path("code", name)
        self._folder(path)
        return path

    def write(self, path: str, data: bytes, when: float, mode: int = 0o600) -> None:
        """Write one file, its folders private, its mtime `when`."""
        self._folder(os.path.dirname(path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        flags |= getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, mode), "wb") as file:
            file.write(data)
        os.chmod(path, mode)  # the umask had its say in `open`
        os.utime(path, (when, when))

    def link(self, path: str, target: str) -> None:
        """Make a symlink; an empty file where the platform allows none."""
        self._folder(os.path.dirname(path))
        if os.path.lexists(path):
            os.unlink(path)
        try:
            os.symlink(target, path)
        except OSError:
            self.write(path, b"", self.now)
            return
        if os.utime in os.supports_follow_symlinks:
            os.utime(path, (self.now, self.now), follow_symlinks=False)

    def _folder(self, path: str) -> None:
        """Make a private folder and those above it (`makedirs` leaves them open)."""
        if not os.path.isdir(path):
            self._folder(os.path.dirname(path))
            os.mkdir(path, 0o700)


def iso(when: float) -> str:
    """`2026-11-29T22:30:00.000Z`, as the transcripts write times."""
    moment = datetime.fromtimestamp(when, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def stamp(when: float) -> str:
    """`2026-11-29 22:30:00`, as logs write times (UTC)."""
    return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M:%S}"
