"""Start-up of the command line against `python -c "import orjson"`.

Run by hand: `python -m tests.bench.bench_cli`. Every run is a process of its own, with
the bytecode written and what the last one kept in the cache; medians of interleaved
runs. Read the ratios, not the times.
"""

from __future__ import annotations

import compileall
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import spillview
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.demo import make_night
from spillview.places import Places
from tests.bench.table import Row, Scale, Target
from tests.bench.terminal import environment

EACH = 5
"""So many processes stand for one run of a longer benchmark."""

PEER = "import orjson"
PYTHON = {
    PEER: ["-c", "import orjson"],
    "pass": ["-c", "pass"],
    "import spillview.model": ["-c", "import spillview.model"],
}
NO_STORE = {
    "--version": ["--version"],
    "--help": ["--help"],
    "ls, no store": ["ls"],
}


def on_a_night(home: str) -> dict[str, list[str]]:
    """The commands for a made night, among them those of one artifact of it."""
    catalogue = Catalogue.here(Places.of_home(home))
    artifact = next(a for a in catalogue.scan(Query()) if a.found.row is None)
    ident = artifact.id
    catalogue.close()
    return {
        "ls": ["ls"],
        "ls --no-count": ["ls", "--no-count"],
        "ls --json": ["ls", "--json"],
        "sessions": ["sessions"],
        "show": ["show", ident],
        "envelope": ["envelope", ident],
        "grep": ["grep", "FAILED"],
        "grep -l": ["grep", "-l", "FAILED"],
    }


def taken(command: list[str], home: str) -> tuple[float, float]:
    """Seconds on the wall and on the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(home) | {"TMPDIR": os.path.join(home, "tmp")},
        check=False,  # 2 tells of links that were not searched
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used


def measured(runs: int) -> dict[str, tuple[float, float]]:
    """Median seconds of each command on the wall and on the processor."""
    compileall.compile_dir(str(Path(spillview.__file__).parent), quiet=2)
    with tempfile.TemporaryDirectory() as base:
        empty, night = os.path.join(base, "empty"), os.path.join(base, "night")
        os.makedirs(empty)
        make_night(night, time.time())
        works = {name: (command, empty) for name, command in PYTHON.items()}
        for commands, home in ((NO_STORE, empty), (on_a_night(night), night)):
            for name, words in commands.items():
                works[name] = (["-m", "spillview", *words], home)
        for command, home in works.values():  # fills the caches
            taken(command, home)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
        for _ in range(runs):
            for name, (command, home) in works.items():
                times[name].append(taken(command, home))
    return {
        name: (
            statistics.median(wall for wall, _ in some),
            statistics.median(used for _, used in some),
        )
        for name, some in times.items()
    }


def rows(scale: Scale) -> Iterator[Row]:
    """A line of the table for each of the commands that are used most."""
    times = measured(scale.runs * EACH)
    for name, work in (
        ("ls, no store", "`ls` without a store"),
        ("ls", "`ls` of the demo night"),
        ("show", "`show` of one artifact of it"),
        ("grep", "`grep` through all of it"),
    ):
        wall, _ = times[name]
        yield Row(
            f"{work}, start to end",
            Target(ratio=2.5),
            f'`python -c "{PEER}"`',
            ratio=wall / times[PEER][0],
            seconds=wall,
        )


def main() -> None:
    """Measure and print."""
    times = measured(runs=5 * EACH)
    wall_of, used_of = times[PEER]
    print(f"{'':<24}{'wall':>10}{'':>9}{'processor':>13}")
    for name, (wall, used) in times.items():
        print(
            f"{name:<24}{wall * 1e3:7.1f} ms {wall / wall_of:6.2f} x"
            f"{used * 1e3:10.1f} ms {used / used_of:6.2f} x"
        )


if __name__ == "__main__":
    main()
