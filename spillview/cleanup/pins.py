"""Pins: what no clean-up plans for removal, kept in the state folder.

An artifact is pinned by its id, which follows from its path; a session by its own id,
so that its pin holds for every artifact it has or will have, wherever they lie.

A list that cannot be read is never taken for an empty one. It says how many pins it
has, and is kept twice: where one is damaged the other takes its place.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace

from spillview.disk import Busy, Disk
from spillview.errors import Unreadable
from spillview.frozen import Frozen
from spillview.own_files import mended, set_aside, unwritable
from spillview.places import Places, private_dir
from spillview.review.reviewed import session_mark
from spillview.text import path_text

NAME = "pins"
COPY = "pins.copy"
_DRAFT = "pins.new"
_LOCK = "pins.lock"
_MOST = 64 << 20
_WAIT = 5.0


class Pin(Frozen):
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


class Pinned:
    """What is pinned at the moment: artifacts by their ids, sessions by their marks."""

    def __init__(self, pins: Mapping[str, Pin] | None = None) -> None:
        pins = pins if pins is not None else {}
        self.ids = frozenset(pins)
        self.sessions = frozenset(
            (pin.harness or "", pin.session)
            for pin in pins.values()
            if pin.session is not None
        )

    def __bool__(self) -> bool:
        return bool(self.ids)

    def why(self, ident: str, sessions: Iterable[tuple[str, str]]) -> str | None:
        """Why an artifact of these harnesses and sessions is pinned, if it is."""
        if ident in self.ids:
            return "it is pinned"
        if not self.sessions.isdisjoint(sessions):
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
        if not self._begun:
            return {}
        try:
            with self._disk.folder(self._folder) as folder:
                try:
                    return self._read(folder, NAME)
                except (OSError, Unreadable) as error:
                    return self._from_copy(folder, error)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unreadable(error.strerror or "cannot be read") from None

    @property
    def _begun(self) -> bool:
        """Whether anything was ever pinned."""
        return any(map(self._stands, (NAME, COPY)))

    def _stands(self, name: str) -> bool:
        """Whether a list is there; raises `Unreadable` where nobody may look."""
        try:
            os.lstat(os.path.join(self._folder, name))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise self._unreadable(error.strerror or "cannot be read") from None
        return True

    def pinned(self) -> Pinned:
        """What is pinned; raises `Unreadable` when that is unsure."""
        return Pinned(self.all() if self._begun else None)

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
                try:
                    known = self._read(folder, NAME) if self._begun else {}
                except (OSError, Unreadable) as error:
                    known = self._known(folder, error)
                changed = change(known)
                if changed:
                    data = _packed(known.values())
                    self._put(folder, data, NAME)
                    with suppress(OSError):  # what is pinned is pinned
                        self._put(folder, data, COPY)
                return changed
        except OSError as error:
            raise Unreadable(
                f"the pins are as they were: {unwritable(self.path, error)}"
            ) from None

    def _known(self, folder: int, error: Exception) -> dict[str, Pin]:
        """The copy's list in place of one that gave `error`; raises `Unreadable`."""
        try:
            return self._from_copy(folder, error, alone=True)
        except OSError as failure:
            raise self._unreadable(failure.strerror or "cannot be read") from None

    def _put(self, folder: int, data: bytes, name: str) -> None:
        """Put a list in the place of the one before, all at once."""
        disk = self._disk
        with suppress(FileNotFoundError):
            disk.remove(folder, _DRAFT)
        disk.write(folder, _DRAFT, data)
        disk.replace(folder, _DRAFT, name)
        disk.sync(folder)

    def _read(self, folder: int, name: str) -> dict[str, Pin]:
        """A list; raises OSError, or `Unreadable` where it is not whole."""
        try:
            return _unpacked(self._disk.read(folder, name, _MOST))
        except (ValueError, KeyError, TypeError):
            raise self._unreadable("is damaged") from None

    def _from_copy(
        self, folder: int, error: Exception, *, alone: bool = False
    ) -> dict[str, Pin]:
        """The list's copy, put in its place; raises `error` where there is none.

        `alone`: no other process changes pins meanwhile.
        """
        try:
            known = self._read(folder, COPY)
        except (OSError, Unreadable):
            raise error from None
        with ExitStack() as held, suppress(OSError, Busy):
            if not alone:
                held.enter_context(self._disk.locked(folder, _LOCK, _WAIT))
                with suppress(OSError, Unreadable):
                    return self._read(folder, NAME)  # another one was quicker
            aside = "was gone"
            if os.path.lexists(self.path):
                aside = f"was set aside as {os.path.basename(set_aside(self.path))}"
            self._put(folder, _packed(known.values()), NAME)
            mended(
                self.path,
                f"it was damaged and {aside}; its copy, with all pins, serves",
            )
        return known

    def _unreadable(self, why: str) -> Unreadable:
        return Unreadable(
            f"the pins in {path_text(self.path)}: {why.lower()}; without them nothing"
            " is planned, so that no pinned artifact goes"
        )


def _packed(pins: Iterable[Pin]) -> bytes:
    """A list as it is kept: how many pins there are and a checksum, then each."""
    lines = [_line(pin) for pin in pins]
    text = b"".join(lines)
    head = {"pins": len(lines), "crc32": zlib.crc32(text)}
    return json.dumps(head).encode("ascii") + b"\n" + text


def _unpacked(data: bytes) -> dict[str, Pin]:
    """The pins of a list; raises ValueError, KeyError or TypeError for any other."""
    head, _, text = data.partition(b"\n")
    said = json.loads(head)
    if "pins" not in said:  # as it was before lists said how long they are
        text = data
    elif said["crc32"] != zlib.crc32(text) or said["pins"] != text.count(b"\n"):
        raise ValueError("it is not what was written")
    return {pin.id: pin for pin in map(_pin, text.splitlines())}


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
