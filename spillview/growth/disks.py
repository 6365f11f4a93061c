"""How much is free on the disks that the stores lie on, each disk once."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from spillview.frozen import Frozen


class Disk(Frozen):
    """One filesystem."""

    dev: int
    path: str
    """A folder on it."""
    free: int
    """Bytes that this user may still write."""
    size: int

    @property
    def share(self) -> float:
        """The free part of it."""
        return self.free / self.size if self.size else 0.0


def disk_of(path: str) -> Disk | None:
    """The disk with the folder at `path`; None where the system does not tell."""
    try:
        dev = os.stat(path).st_dev
        facts = os.statvfs(path)
    except (OSError, AttributeError):  # the latter where there is no such call
        return None
    unit = facts.f_frsize
    return Disk(dev, path, facts.f_bavail * unit, facts.f_blocks * unit)


def disks_of(paths: Iterable[str]) -> dict[int, Disk]:
    """The disks of these folders by their device, in the order of the folders."""
    disks: dict[int, Disk] = {}
    for path in paths:
        disk = disk_of(path)
        if disk is not None:
            disks.setdefault(disk.dev, disk)
    return disks


def until_full(free: int, per_second: float | None) -> float | None:
    """Seconds until nothing is free at this rate; None without growth."""
    if per_second is None or per_second <= 0:
        return None
    seconds = free / per_second
    return seconds if math.isfinite(seconds) else None
