"""Counting one large file, as ratios to `wc -l` and `wc -lm` in the same run.

Then 20,000 files of 2 GB, those of the index, against reading each of them once.

python -m tests.bench.bench_counts [--size MiB] [NAME ...]
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.examination import Examined, Task, examine, examine_all, ready
from spillview.content.content import open_content
from spillview.content.counts import BLOCK, count
from spillview.crews import Bound, Hands, crew
from spillview.discovery.ways import Ways
from spillview.model import Found, Link
from spillview.places import Places
from spillview.profiles.profile import Profile
from tests.bench.bench_index import FILES, make
from tests.bench.large import FULL, arguments, file_of, files, peak_mebibytes, ran
from tests.bench.table import Row, Scale, Target, medians, seconds

ALL = "exact bytes, chars, utf16, lines and validity"


def counted(path: str, runs: int) -> tuple[float, float]:
    """Median seconds of `wc -l` and of counting."""
    with open_content(path) as content:
        times = medians(
            {"wc": ran("wc", "-l", path), "count": partial(count, content)}, runs
        )
    return times["wc"], times["count"]


def rows(scale: Scale) -> Iterator[Row]:
    """ASCII against `wc -l`; Japanese and emoji against it and `wc -lm`."""
    size = scale.of(FULL, 1 << 10)
    for name in ("ascii", "japanese", "emoji"):
        path = file_of(name, size, scale.folder)
        lines, ours = counted(path, scale.runs)
        growth = tuple(
            counted(file_of(name, step.of(FULL, 1 << 10), scale.folder), scale.runs)[1]
            for step in scale.steps()[:2]
        )
        work = f"{ALL}, {size / 1e9:.3g} GB of {name}"
        limit = Target(ratio=1.5 if name == "ascii" else 5.0, megabytes=150)
        peak = peak_mebibytes()
        ratio = ours / lines
        yield Row(work, limit, "`wc -l`", ratio, ours, (*growth, ours), peak)
        if name != "ascii":
            chars = seconds(ran("wc", "-lm", path))
            target = Target(at_least=12, unit="× faster")
            yield Row(work, target, "`wc -lm`", seconds=ours, found=chars / ours)
    yield from many(scale)


def _read(paths: list[str]) -> None:
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        while os.read(descriptor, BLOCK):
            pass
        os.close(descriptor)


def _tasks(found: list[Found]) -> list[Task]:
    return [
        Task(each, None, Link("orphan"), None, growing=False, look=False, huge=False)
        for each in found
    ]


def _count(found: list[Found], profiles: Mapping[str, Profile]) -> None:
    ways = Ways()
    for task in _tasks(found):
        examine(task, profiles[task.found.harness], ways)
    ways.close()


def _together(found: list[Found], profiles: Mapping[str, Profile]) -> None:
    """The same, with the processes that help where there are many."""
    tasks = _tasks(found)
    ways = Ways()
    hands: Hands[Task, Task, Examined | None] = Hands(
        lambda task: examine(task, profiles[task.found.harness], ways),
        lambda task: task,
        Bound(examine_all, profiles),
        weight=lambda task: task.found.size,
        ready=ready,
        crew=crew(),
    )
    for _ in hands.over(tasks, number=len(tasks)):
        pass
    hands.close()
    ways.close()


def many(scale: Scale) -> Iterator[Row]:
    """Counts of very many files, against reading each once: alone, and with others."""
    took: dict[str, list[float]] = {"alone": [], "together": []}
    for step in scale.steps():
        base = make(step.folder, step.of(FILES, 50))
        places = Places.of_home(base)
        store = os.path.join(base, "store")
        catalogue = Catalogue(places)
        found = [a.found for a in catalogue.scan(Query(paths=(store,)))]
        paths = [each.path for each in found]
        works = {
            "read": partial(_read, paths),
            "alone": partial(_count, found, catalogue.profiles),
            "together": partial(_together, found, catalogue.profiles),
        }
        times = medians(works, step.runs)
        for name, some in took.items():
            some.append(times[name])
    size = sum(each.size for each in found) / 1e9
    for name, note in (("alone", "one process"), ("together", "with its processes")):
        yield Row(
            f"{ALL}, {len(found):,} files of {size:.1f} GB",
            Target(ratio=2.0, megabytes=150),
            "reading each once",
            times[name] / times["read"],
            times[name],
            tuple(took[name]),
            peak_mebibytes(),
            note=note,
        )


def main() -> None:
    """Print a row per file."""
    options = arguments("Count large files.")
    print(f"{'file':10}{'wc -l':>9}{'count':>9}{'/ wc -l':>9}{'/ wc -lm':>10}  peak")
    for name, path in files(options):
        lines, ours = counted(path, options.runs)
        chars = seconds(ran("wc", "-lm", path))
        print(
            f"{name:10}{lines:8.3f}s{ours:8.3f}s{ours / lines:9.2f}"
            f"{ours / chars:10.3f}  {peak_mebibytes()} MiB"
        )


if __name__ == "__main__":
    main()
