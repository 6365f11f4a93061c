"""The search screen: how soon it shows hits, and whether keys wait meanwhile.

`python -m tests.bench search`. 20,000 artifacts of 2 GB (those of the index's own
benchmark), without an index: a word in every file, and a letter in nearly every line.
While the search runs a timer asks for the loop every few milliseconds, as keys do. Not
to be run in a real-time class: there ripgrep keeps both cores for whole slices.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import time
from collections.abc import Iterator
from typing import NamedTuple

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact
from spillview.places import Places
from spillview.tui.search.search import SearchScreen
from spillview.tui.theme import Themed
from tests.bench.bench_index import COMMON, FILES, make, ripgrep
from tests.bench.large import peak_mebibytes
from tests.bench.table import Row, Scale, Target, percentile, seconds

PATTERNS = {"a word in every file": COMMON, "a letter in nearly every line": "e"}
EVERY = 0.005
"""Seconds between two questions of the timer."""


class Seen(NamedTuple):
    """One search as it was seen."""

    first: float
    """Seconds from the key to the first hits; the screen is made in them too."""
    whole: float
    waits: list[float]
    """By how much the loop answered the timer late, once the screen stood."""


async def watched(
    catalogue: Catalogue, artifacts: list[Artifact], pattern: str
) -> Seen:
    """Open the screen on a pattern and watch it until the search has ended."""
    app = Themed()
    async with app.run_test(size=(120, 40)):
        screen = SearchScreen(catalogue, artifacts, pattern)
        begun = time.perf_counter()
        await app.push_screen(screen)
        first = 0.0
        waits = []
        while screen.progress.running or not screen.progress.pattern:
            asked = time.perf_counter()
            await asyncio.sleep(EVERY)
            waits.append(time.perf_counter() - asked - EVERY)
            if not first and screen.hits.rows:
                first = time.perf_counter() - begun
        return Seen(first, time.perf_counter() - begun, waits)


def rows(scale: Scale) -> Iterator[Row]:
    """First hits, the wait of keys and the whole search, for each pattern."""
    seen: dict[str, list[list[Seen]]] = {name: [] for name in PATTERNS}
    peers: dict[str, list[float]] = {name: [] for name in PATTERNS}
    for step in scale.steps():
        folder = os.path.join(make(step.folder, step.of(FILES, 50)), "store")
        home = os.path.join(step.folder, f"home-search-{os.getpid()}")
        catalogue = Catalogue.here(Places.of_home(home))
        artifacts = list(catalogue.scan(Query(paths=(folder,))))
        for name, pattern in PATTERNS.items():
            count = ripgrep(folder, "-c", pattern)
            seconds(count)  # everything is in the page cache
            runs = []
            for _ in range(step.runs):
                peers[name].append(seconds(count))
                runs.append(asyncio.run(watched(catalogue, artifacts, pattern)))
            seen[name].append(runs)
        catalogue.close()
        shutil.rmtree(home, ignore_errors=True)
    for name in PATTERNS:
        work = f"search screen over {len(artifacts):,} artifacts, {name}"
        last = seen[name][-1]
        yield Row(
            f"{work}: first hits",
            Target(seconds=0.5),
            seconds=statistics.median(run.first for run in last),
            growth=medians_of(seen[name], "first"),
        )
        yield Row(
            f"{work}: wait of a key, 95th percentile",
            Target(seconds=0.05),
            seconds=percentile([wait for run in last for wait in run.waits]),
        )
        rival = statistics.median(peers[name][-scale.runs :])
        whole = statistics.median(run.whole for run in last)
        yield Row(
            f"{work}: all counted",
            Target(),
            "`rg -c`",
            ratio=whole / rival,
            seconds=whole,
            growth=medians_of(seen[name], "whole"),
            megabytes=peak_mebibytes(),
        )


def medians_of(steps: list[list[Seen]], part: str) -> tuple[float, ...]:
    """The median of a part of the runs of each size."""
    return tuple(
        statistics.median(getattr(run, part) for run in runs) for runs in steps
    )
