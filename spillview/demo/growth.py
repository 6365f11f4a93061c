"""The weeks before the night: what some commands printed on each day of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from spillview.demo.night import DAY, HOUR, Dice, Night
from spillview.model import Boundary, Counts
from spillview.places import Places
from spillview.wrap import history

DAYS = 24
"""So many days are told of, the last of them yesterday."""

BOUNDARY = Boundary(100_000, "chars")


def write(night: Night) -> None:
    """Write the history of `wrap`, as if those commands had gone through it."""
    dice = Dice("growth")
    places = Places.of_home(night.home)
    runs: list[history.Run] = []

    def tell(project: str, command: str, size: Callable[[int], float]) -> None:
        for day in range(DAYS):
            for _ in range(dice.between(1, 2)):
                when = night.now - (DAYS - day) * DAY + dice.between(9, 17) * HOUR
                chars = int(size(day)) + dice.below(120)
                lines = chars // 61
                counts = Counts(chars, chars, chars, lines, "utf-8", "text")
                runs.append(
                    history.run_of(
                        counts,
                        BOUNDARY,
                        command=command,
                        cwd=night.project(project),
                        label=None,
                        started=when,
                        seconds=4.0,
                        exit_code=0,
                    )
                )

    tell("site", "make index", lambda day: 76_400 + 890 * day)
    tell("storefront", "npm run lint", lambda day: 44_000 + 610 * day)
    tell(
        "yomimono",
        "python tools/glossary.py --check",
        lambda day: 58_000 + (21_000 if day >= 11 else 0),
    )
    tell("ledger", "cargo doc --workspace", lambda day: 91_300 + 40 * (day % 3))
    tell("kisho", "python -m kisho.audit --brief", lambda day: 39_000 - 420 * day)
    tell("mesh", "go vet ./...", lambda day: 18_000 + dice.below(9_000))
    path = os.path.join(places.state_dir, history.NAME)
    with suppress(FileNotFoundError):  # of an earlier night at the same place
        os.unlink(path)
    for run in sorted(runs, key=lambda run: run.started):
        history.append(run, places)
    os.utime(path, (night.now - DAY, night.now - DAY))
