"""Pins: what no clean-up plans for removal, kept in the state folder.

An artifact is pinned by its id, which follows from its path; a session by its own id,
so that its pin holds for every artifact it has or will have, wherever they lie.

A list that cannot be read is never taken for an empty one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from spillview.disk import Disk
from spillview.errors import Unreadable
from spillview.places import Places, private_dir
from spillview.reviewed import session_mark
from spillview.text import path_text

NAME = "pins"
_DRAFT = "pins.new"
_LOCK = "pins.lock"
_MOST = 64 << 20
_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Pin:
    """One artifact, or one session with all of its artifacts, that stays."""

    id: str
    """The artifact's id, or the session's mark."""
    path: str
    """Where the artifact was; empty for a session."""
    when: float
    """Seconds since the epoch."""
    harness: str | None = None
    session: str | None = None
    """Of a session alone."""


def session_pin(harness: str, session: str, when: float) -> Pin:
    """A pin of a whole session."""
    return Pin(session_mark(harness, session), "", when, harness, session)


def why_pinned(
    pins: Mapping[str, Pin], ident: str, sessions: Iterable[tuple[str, str]]
) -> str | None:
    """Why an artifact of these harnesses and sessions is pinned, if it is."""
    if ident in pins:
        return "it is pinned"
    if any(pin.session is not None for pin in pins.values()) and any(
        session_mark(*key) in pins for key in sessions
    ):
        return "its session is pinned"
    return None


class Pins:
    """The pins of one user."""

    def __init__(self, places: Places, disk: Disk | None = None) -> None:
        self.path = os.path.join(places.state_dir, NAME)
        self._folder = os.path.realpath(places.state_dir)
        self._disk = disk if disk is not None else Disk()

    def all(self) -> dict[str, Pin]:
        """Every pin by its id; raises `Unreadable` when that is unsure."""
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
    said: dict[str, object] = {"id": pin.id, "path": pin.path, "when": pin.when}
    if pin.session is not None:
        said |= {"harness": pin.harness, "session": pin.session}
    return json.dumps(said).encode("ascii") + b"\n"


def _pin(line: bytes) -> Pin:
    said = json.loads(line)
    pin = Pin(str(said["id"]), str(said["path"]), float(said["when"]))
    if "session" not in said:
        return pin
    return replace(pin, harness=str(said["harness"]), session=str(said["session"]))
