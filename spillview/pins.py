"""Pins: artifacts that no clean-up plans for removal, kept in the state folder.

A list that cannot be read is never taken for an empty one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from spillview.disk import Disk
from spillview.errors import Unreadable
from spillview.places import Places, private_dir
from spillview.text import path_text

NAME = "pins"
_DRAFT = "pins.new"
_LOCK = "pins.lock"
_MOST = 64 << 20
_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Pin:
    """One artifact that stays."""

    id: str
    path: str
    when: float
    """Seconds since the epoch."""


class Pins:
    """The pins of one user."""

    def __init__(self, places: Places, disk: Disk | None = None) -> None:
        self.path = os.path.join(places.state_dir, NAME)
        self._folder = os.path.realpath(places.state_dir)
        self._disk = disk if disk is not None else Disk()

    def all(self) -> dict[str, Pin]:
        """Every pin by its artifact's id; raises `Unreadable` when that is unsure."""
        if not os.path.lexists(self._folder):
            return {}
        try:
            with self._disk.folder(self._folder) as folder:
                return self._read(folder)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unreadable(error.strerror or "cannot be read") from None

    def add(self, pins: Iterable[Pin]) -> list[Pin]:
        """Pin these; gives those that were not pinned yet. Raises `Unreadable`."""
        given = {pin.id: pin for pin in pins}

        def change(known: dict[str, Pin]) -> list[Pin]:
            new = [pin for ident, pin in given.items() if ident not in known]
            known.update((pin.id, pin) for pin in new)
            return new

        return self._change(change)

    def remove(self, ids: Iterable[str]) -> list[Pin]:
        """Unpin these; gives those that were pinned. Raises `Unreadable`."""

        def change(known: dict[str, Pin]) -> list[Pin]:
            return [known.pop(ident) for ident in dict.fromkeys(ids) if ident in known]

        return self._change(change)

    def _change(self, change: Callable[[dict[str, Pin]], list[Pin]]) -> list[Pin]:
        disk = self._disk
        try:
            private_dir(self._folder)
            with disk.folder(self._folder) as folder, disk.locked(folder, _LOCK, _WAIT):
                known = self._read(folder)
                changed = change(known)
                if changed:
                    with suppress(FileNotFoundError):
                        disk.remove(folder, _DRAFT)
                    lines = [_line(pin) for pin in known.values()]
                    disk.write(folder, _DRAFT, b"".join(lines))
                    disk.replace(folder, _DRAFT, NAME)
                    disk.sync(folder)
                return changed
        except OSError as error:
            raise self._unreadable(error.strerror or "cannot be written") from None

    def _read(self, folder: int) -> dict[str, Pin]:
        try:
            data = self._disk.read(folder, NAME, _MOST)
        except FileNotFoundError:
            return {}
        try:
            return {pin.id: pin for pin in map(_pin, data.splitlines())}
        except (ValueError, KeyError, TypeError):
            raise self._unreadable("is damaged") from None

    def _unreadable(self, why: str) -> Unreadable:
        return Unreadable(
            f"the pins in {path_text(self.path)}: {why.lower()}; without them nothing"
            " is planned, so that no pinned artifact goes"
        )


def _line(pin: Pin) -> bytes:
    said = {"id": pin.id, "path": pin.path, "when": pin.when}
    return json.dumps(said).encode("ascii") + b"\n"


def _pin(line: bytes) -> Pin:
    said = json.loads(line)
    return Pin(str(said["id"]), str(said["path"]), float(said["when"]))
