"""How fast what grows does so, for a screen that looks again and again."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spillview.discovery.writers import Open, open_files
from spillview.growth.changes import Change, Size, change
from spillview.growth.current import filling, on_disk
from spillview.growth.disks import Disk, disks_of, until_full
from spillview.growth.limits import DEFAULTS, limits_of
from spillview.growth.looks import made_since, size_at
from spillview.growth.readings import Reading
from spillview.growth.repetition import Repetition, look_at
from spillview.text import human_age, human_bytes, path_text

if TYPE_CHECKING:
    from spillview.config import Settings
    from spillview.model import Artifact

WINDOW = 10.0
"""Seconds over which a rate is told, once so many have passed."""
PROCESSES = 10.0
"""Seconds after which the processes are looked at again."""
REPEATS = 30.0
"""Seconds after which a file is looked into again for what it repeats."""


class Short(NamedTuple):
    """A disk that has a word."""

    free: int
    full_in: float | None
    path: str

    def words(self, *, brief: bool = False) -> str:
        """What is free, until when, and unless `brief` where."""
        words = f"{human_bytes(self.free)} free"
        if self.full_in is not None:
            words += f", full in {human_age(self.full_in)}"
        return words if brief else f"{words} on the disk of {path_text(self.path)}"


class Pace:
    """Looks at what grows each time it is asked, and keeps the looks of a while."""

    def __init__(
        self, settings: Settings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits_of(settings.watch) if settings.watch else DEFAULTS
        self._clock = clock
        self._looks: dict[str, deque[tuple[float, float, Size]]] = {}
        self._opened = Open({})
        self._opened_at = float("-inf")
        self._repeats: dict[str, tuple[float, Repetition | None]] = {}

    def look(self, artifacts: Iterable[Artifact]) -> dict[str, Reading]:
        """What is to be said now of those that are files of their own, by their ids."""
        found = [a.found for a in artifacts if on_disk(a.found)]
        now = self._clock()
        paths = {item.path for item in found}
        for gone in self._looks.keys() - paths:
            del self._looks[gone]
            self._repeats.pop(gone, None)
        if found and now - self._opened_at >= PROCESSES:
            real = set(map(os.path.realpath, paths))
            self._opened, self._opened_at = open_files(real.__contains__), now
        made: dict[str, Reading] = {}
        for item in found:
            size = size_at(item.path)
            if size is None:
                continue
            opened = self._opened.files.get((size.dev, size.ino))
            made[item.id] = Reading(
                "file",
                item.path,
                size.size,
                size.disk,
                item.harness,
                item.session,
                "artifact",
                self._change(item.path, size, now),
                holders=opened.holders if opened is not None else (),
                repetition=self._repetition(item.path, item.root, now),
                dev=size.dev,
                root=item.root,
            )
        return made

    def _change(self, path: str, size: Size, now: float) -> Change | None:
        """What came to a file in the time that its looks are kept for."""
        looks = self._looks.setdefault(path, deque())
        while len(looks) > 1 and looks[1][0] <= now - WINDOW:
            looks.popleft()
        came = None
        if looks:
            then, wall, before = looks[0]
            if now > then:
                came = change(before, size, now - then)
                if came.grown and made_since(path, wall):
                    came = Change(now - then, None, why="replaced")
        if came is not None and came.grown is None:
            looks.clear()
        looks.append((now, time.time(), size))
        return came

    def _repetition(self, path: str, root: str, now: float) -> Repetition | None:
        known = self._repeats.get(path)
        if known is None or now - known[0] >= REPEATS:
            known = self._repeats[path] = (now, look_at(path, root))
        return known[1]

    def on_disks(
        self, readings: dict[str, Reading], roots: Sequence[str]
    ) -> tuple[dict[str, Reading], list[Short]]:
        """The readings with the time until their disk is full, and the short disks.

        A disk is short when it has less free than the limits of `watch` ask for, or
        would be full too soon.
        """
        disks = disks_of(
            [*roots, *(os.path.dirname(r.path) for r in readings.values())]
        )
        rates = filling(readings)
        full = {dev: until_full(d.free, rates.get(dev)) for dev, d in disks.items()}
        known = {
            ident: reading.filling_by(full.get(reading.dev))
            for ident, reading in readings.items()
        }
        short = [
            Short(disk.free, full[dev], disk.path)
            for dev, disk in disks.items()
            if self._is_short(disk, full[dev])
        ]
        return known, short

    def _is_short(self, disk: Disk, full: float | None) -> bool:
        least, within = self._limits.min_free, self._limits.full_within
        soon = full is not None and within is not None and full < within
        return soon or (least is not None and disk.free < least.of(disk.size))
