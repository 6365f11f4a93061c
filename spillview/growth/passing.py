"""Which limits a file, a session, everything together, or a disk passes."""

from __future__ import annotations

from collections.abc import Iterable

from spillview.frozen import replace
from spillview.growth.changes import Change
from spillview.growth.disks import Disk, until_full
from spillview.growth.limits import Limits
from spillview.growth.memory import Known
from spillview.growth.readings import LONGEST, Passed, Reading

SETTLED = 60
"""Seconds after which the fall of a disk's free space says more than chance."""


def judged(reading: Reading, limits: Limits, alone: Iterable[Reading] = ()) -> Reading:
    """The reading with the limits that it passes.

    A rate that one of the files `alone` has is not told of all of them again.
    """
    most = {
        "session": ("max-session", limits.max_session),
        "total": ("max-total", limits.max_total),
    }.get(reading.kind, ("max-file", limits.max_file))
    passed = []
    if most[1] is not None and reading.disk > most[1]:
        passed.append(Passed(most[0], most[1], reading.disk))
    rate = reading.per_second
    fastest = limits.max_rate if reading.kind != "session" else None
    if any(each.limit == "max-rate" for other in alone for each in other.passed):
        fastest = None
    if fastest is not None and rate is not None and rate > fastest:
        passed.append(Passed("max-rate", fastest, rate))
    return replace(reading, passed=tuple(passed))


def disk_reading(
    disk: Disk, before: Known | None, seconds: float | None, rate: float, limits: Limits
) -> Reading:
    """A disk: what is free on it, how fast it fills up, and until when."""
    fell = None
    if before is not None and seconds is not None and disk.dev in before.free:
        lost = before.free[disk.dev] - disk.free
        fell = Change(seconds, lost if lost >= 0 else None)
        if SETTLED <= seconds <= LONGEST and lost > 0:
            rate = max(rate, lost / seconds)
    full = until_full(disk.free, rate)
    passed = []
    if limits.min_free is not None:
        least = limits.min_free.of(disk.size)
        if disk.free < least:
            passed.append(Passed("min-free", least, disk.free))
    within = limits.full_within
    if within is not None and full is not None and full < within:
        passed.append(Passed("full-within", within, full))
    return Reading(
        "disk",
        disk.path,
        disk=disk.free,
        since=fell,
        of=disk.size,
        full_in=full,
        filling=rate,
        passed=tuple(passed),
        dev=disk.dev,
    )
