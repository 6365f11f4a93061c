"""How artifacts grow of which that is known: rates, writers, what they repeat."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from spillview.discovery.writers import open_files
from spillview.growth.disks import disk_of, until_full
from spillview.growth.limits import DEFAULTS, Free, limits_of
from spillview.growth.looks import Looks, Watched
from spillview.growth.readings import Reading
from spillview.growth.repetition import look_at
from spillview.model import Artifact, Found

if TYPE_CHECKING:
    from spillview.config import Settings

INTERVAL = 0.5
"""Seconds between the two looks."""
LOOKED = 10
"""So many are looked into for what they repeat."""


def on_disk(found: Found) -> bool:
    """Whether it is a regular file of its own: no link, no row of a database."""
    return found.type == "file" and found.row is None


def growing(
    artifacts: Iterable[Artifact], *, sleep: Callable[[float], None] = time.sleep
) -> dict[str, Reading]:
    """What is to be said of those that grow, by their ids, after two looks at each.

    Waits only where there are any. What is no file of its own (a link, a row) has none.
    """
    found = [
        artifact.found
        for artifact in artifacts
        if "growing" in artifact.flags and on_disk(artifact.found)
    ]
    if not found:
        return {}
    looks = Looks(
        [Watched(item.path, item.harness, item.session, item.root) for item in found]
    )
    looks.first()
    real = {os.path.realpath(item.path) for item in found}
    opened = open_files(real.__contains__).files
    sleep(INTERVAL)
    looks.second()
    made: dict[str, Reading] = {}
    for place, item in enumerate(found):
        size = looks.size(place)
        if size is None:
            continue
        known = opened.get((size.dev, size.ino))
        made[item.id] = Reading(
            "file",
            item.path,
            size.size,
            size.disk,
            item.harness,
            item.session,
            "artifact",
            looks.now(place),
            holders=known.holders if known is not None else (),
            repetition=look_at(item.path, item.root) if place < LOOKED else None,
            dev=size.dev,
            root=item.root,
        )
    rates = filling(made)
    full = {dev: until_full(_free(made, dev), rate) for dev, rate in rates.items()}
    return {
        ident: reading.filling_by(full.get(reading.dev))
        for ident, reading in made.items()
    }


def filling(readings: Mapping[str, Reading]) -> dict[int, float]:
    """Bytes of the disk a second that come to each device by what grows on it."""
    rates: dict[int, float] = {}
    for reading in {(r.dev, r.path): r for r in readings.values()}.values():
        change = reading.change
        if change is not None and change.disk:
            rate = change.disk / change.seconds
            rates[reading.dev] = rates.get(reading.dev, 0.0) + rate
    return rates


def _free(readings: Mapping[str, Reading], dev: int) -> int:
    """What is free on a device; so much that it says nothing where that is unknown."""
    paths = (r.path for r in readings.values() if r.dev == dev)
    disk = disk_of(os.path.dirname(next(paths)))
    return disk.free if disk is not None else 1 << 80


def least_free(settings: Settings) -> Free | None:
    """How much must be free before a disk is worth a word: as `watch` has it."""
    set_by_hand = limits_of(settings.watch).min_free
    return set_by_hand if settings.watch else DEFAULTS.min_free
