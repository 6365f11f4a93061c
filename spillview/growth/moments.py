"""Moments that can be told apart although somebody sets the clock."""

from __future__ import annotations

import math
import time
from typing import Any

from spillview.frozen import Frozen

_BOOT = "/proc/sys/kernel/random/boot_id"


class Moment(Frozen):
    """One moment by the wall clock and, where there is one, by the machine's own."""

    wall: float
    """Seconds since the epoch."""
    boot: str | None = None
    """Which start of the machine `running` counts from; None where nothing tells."""
    running: float = 0.0
    """Seconds since that start, asleep or not."""

    @classmethod
    def now(cls) -> Moment:
        """This moment."""
        boot = None
        clock = getattr(time, "CLOCK_BOOTTIME", None)
        if clock is not None:
            try:
                with open(_BOOT, encoding="ascii") as file:
                    boot = file.read(64).strip()
            except (OSError, UnicodeDecodeError):
                clock = None
        running = time.clock_gettime(clock) if clock is not None else 0.0
        return cls(time.time(), boot, running)

    def until(self, later: Moment) -> float | None:
        """Seconds from this moment to a later one; None where that cannot be.

        Within one start of the machine whatever the wall clock was set to; else by it.
        """
        if self.boot is not None and self.boot == later.boot:
            passed = later.running - self.running
        else:
            passed = later.wall - self.wall
        return passed if math.isfinite(passed) and passed > 0 else None

    def packed(self) -> list[Any]:
        """As JSON can carry it."""
        return [self.wall, self.boot, self.running]

    @classmethod
    def unpacked(cls, data: Any) -> Moment:
        """Raises ValueError or TypeError for what `packed` never gave."""
        wall, boot, running = data
        if boot is not None and not isinstance(boot, str):
            raise TypeError(boot)
        return cls(float(wall), boot, float(running))
