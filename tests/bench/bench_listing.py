"""Listing very many artifacts, against `find -printf` over the same folders.

`python -m tests.bench listing`. 100,000 artifacts in 2,000 sessions of Claude Code,
each linked by a record. Every run is a process of its own, from its start until the
first line, and until the last, came through a pipe. The first one has an empty cache;
a later one is after everything was counted. Read the ratios, not the times.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from tests.bench.bench_home import make_store
from tests.bench.table import Row, Scale, Target, medians
from tests.bench.terminal import environment

ARTIFACTS = 100_000
EACH = 50
"""Artifacts of a session."""

READ = 1 << 16
LOOK = 0.2
"""Seconds between two looks at how large the processes are."""
LS = ("ls", "--no-count", "--json")


def store(folder: str, artifacts: int) -> str:
    """A home with so many artifacts, made when it is not there."""
    home = os.path.join(folder, f"list-{artifacts}")
    made = os.path.join(home, "made")
    if not os.path.exists(made):
        shutil.rmtree(home, ignore_errors=True)
        make_store(home, artifacts, max(2, artifacts // EACH))
        age(home)
        with open(made, "wb"):
            pass
    return home


def age(home: str) -> None:
    """Have all files changed yesterday: of sessions at work each file is looked at."""
    yesterday = time.time() - 86_400
    for folder, _, names in os.walk(home):
        for name in names:
            os.utime(os.path.join(folder, name), (yesterday, yesterday))


def largest(pid: int) -> dict[str, int]:
    """The largest resident KiB of a process and its children by now, where told."""
    sizes: dict[str, int] = {}
    with suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (str(pid), *children):
            status = Path(f"/proc/{each}/status").read_text()
            if (told := re.search(r"VmHWM:\s*(\d+)", status)) is not None:
                sizes[each] = int(told[1])
    return sizes


@dataclass(slots=True)
class Times:
    """Seconds of each run, and the largest resident size of one."""

    begun: list[float] = field(default_factory=list)
    """Until the first line was there."""
    ended: list[float] = field(default_factory=list)
    kibibytes: int = 0
    """Of it, or of the largest process that helped it."""
    together: int = 0
    """Kibibytes of all its processes, each at its largest."""

    def run(self, command: list[str], home: str) -> None:
        """Run a command, and read its output without keeping it."""
        out, into = os.pipe()
        start = time.perf_counter()
        # Neither a fork nor a copy of this process: its own memory is not measured.
        child = os.posix_spawn(
            command[0],
            command,
            environment(home),
            file_actions=[(os.POSIX_SPAWN_DUP2, into, 1)],
        )
        os.close(into)
        first = None
        sizes: dict[str, int] = {}
        looked = 0.0
        while os.read(out, READ):
            now = time.perf_counter() - start
            first = first or now
            if now - looked > LOOK:
                looked = now
                sizes |= largest(child)
        self.together = max(self.together, sum(sizes.values()))
        _, status, used = os.wait4(child, 0)
        self.ended.append(time.perf_counter() - start)
        os.close(out)
        if status or first is None:
            raise RuntimeError(f"{' '.join(command)} ended with {status}")
        self.begun.append(first)
        self.kibibytes = max(self.kibibytes, used.ru_maxrss)


def measured(home: str, runs: int) -> dict[str, Times]:
    """`find`, and listing with an empty cache and a full one, in turn."""
    ours = [sys.executable, "-m", "spillview"]
    tree = os.path.join(home, ".claude/projects")
    find = [shutil.which("find") or "find", tree, "-printf", r"%p %s %T@\n"]
    cache = os.path.join(home, ".cache")
    full = os.path.join(home, "full-cache")
    names = ("find", "first", "later", "counted", "whole")
    times = {name: Times() for name in names}
    shutil.rmtree(cache, ignore_errors=True)
    times["whole"].run([*ours, "ls", "--json"], home)
    os.replace(cache, full)
    for _ in range(runs):
        times["find"].run(find, home)
        shutil.rmtree(cache, ignore_errors=True)
        times["first"].run([*ours, *LS], home)
        shutil.rmtree(cache)
        shutil.copytree(full, cache)
        times["later"].run([*ours, *LS], home)
        times["counted"].run([*ours, "ls", "--json"], home)
    shutil.rmtree(full)
    return times


def looking_again(home: str) -> Callable[[], object]:
    """A look whether anything changed since a scan."""
    catalogue = Catalogue(Places.of_home(home))
    catalogue.scan()
    # Once wholly: what only folders tell is asked for from then on.
    catalogue.refresh()

    def look() -> None:
        if catalogue.refresh():
            raise RuntimeError(f"something changed in {home}")

    return look


def rows(scale: Scale) -> Iterator[Row]:
    """The first listing, later ones, and a look for changes."""
    took: dict[str, list[float]] = {}
    again: list[float] = []
    for step in scale.steps():
        artifacts = step.of(ARTIFACTS, 2 * EACH)
        home = store(step.folder, artifacts)
        times = measured(home, step.runs)
        for name, each in times.items():
            took.setdefault(name, []).append(statistics.median(each.ended))
        look = looking_again(home)
        # Not every tenth one, which looks at everything.
        again.append(medians({"look": look}, min(8, step.runs))["look"])
    peer = took["find"][-1]
    what = f"{artifacts:,} artifacts in {artifacts // EACH:,} sessions"
    for name, limit, command in (
        ("first", 5.0, "`ls --no-count --json`, first run"),
        ("later", 3.0, "`ls --no-count --json`, later"),
        ("counted", None, "`ls --json`, later"),
        ("whole", None, "`ls --json`, first run, which counts and links all"),
    ):
        each = times[name]
        begun = statistics.median(each.begun)
        yield Row(
            f"{what}: {command}, first rows",
            Target(seconds=0.5),
            seconds=begun,
        )
        yield Row(
            f"{what}: {command}, complete",
            Target(ratio=limit, megabytes=150),
            "`find -printf`",
            took[name][-1] / peer,
            took[name][-1],
            tuple(took[name]),
            each.kibibytes >> 10,
            note=f"{each.together >> 10} MiB in all its processes"
            if name == "whole"
            else "",
        )
    yield Row(
        f"{what}: a look for changes where there are none",
        Target(seconds=0.02),
        "`find -printf`",
        again[-1] / peer,
        again[-1],
        tuple(again),
    )
