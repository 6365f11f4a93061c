"""spillview at a given time in a home: `python -m tests.walked SECONDS HOME …`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.discovery.roots import RootFound
    from spillview.places import Places
    from spillview.profiles.profile import Profile


def main() -> int:
    """Run the command line there; gives its exit code."""
    now, home = float(sys.argv[1]), sys.argv[2]
    sys.argv[1:3] = []
    # Before any module takes the functions for its own.
    gmtime = time.gmtime
    time.time = lambda: now
    time.gmtime = lambda seconds=now: gmtime(seconds)
    stand_still(home)
    from spillview.__main__ import program

    return program()


def stand_still(home: str) -> None:
    """Leave nothing to chance: what disks have free, names, which stores there are.

    No store counts that lies outside `home`, for `/tmp` is everybody's.
    """
    from spillview.discovery import stores

    drawn = sha256(repr(sys.argv[1:]).encode()).digest()
    os.urandom = lambda size: (drawn * size)[:size]
    os.statvfs = room
    vars(stores)["find_roots"] = fenced(home)
    if "index" in sys.argv[1:2]:
        from spillview.index import building

        # These files are older than the clock that they are compared with.
        building.COARSE = building.SETTLED = float("-inf")


def room(path: object) -> os.statvfs_result:
    """What `os.statvfs` says of every disk here: 80 GB of 256 GB are free."""
    block, free = 4096, 80_000_000_000 // 4096
    total = 256_000_000_000 // block
    return os.statvfs_result((block, block, total, free, free, 9, 9, 9, 0, 255))


def fenced(home: str) -> Callable[..., list[RootFound]]:
    """What finds the roots below `home` alone."""
    from spillview.discovery import roots

    def find(
        profile: Profile,
        places: Places,
        tell: Callable[[str, OSError], None],
        listed: dict[str, list[str]],
    ) -> list[RootFound]:
        found = roots.find_roots(profile, places, tell, listed)
        return [root for root in found if Path(root.path).is_relative_to(home)]

    return find


if __name__ == "__main__":
    sys.exit(main())
