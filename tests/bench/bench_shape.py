"""Outlining large JSON, as ratios to `jq length` and to an orjson loop in the same run.

python -m tests.bench shape

python -m tests.bench.bench_shape [--size MB] [--check] [--no-jq] [NAME ...]

The first is the table: the size of the text grows a hundredfold, and the peak of memory
is that of all processes together. The second looks at every kind of text: each reader
is a process of its own, so that its peak memory is its own. With `--check` every fact
of every path is compared with a naive walk over `json.loads` (hold on to several times
the size in memory).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.table import Row, Scale, Target, medians

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "日本",
    "über",
    "😀",
    "kappa",
    "lambda",
]


def record(numbers: random.Random, number: int) -> dict[str, Any]:
    """Something like an issue of a tracker."""
    pick = numbers.choice
    return {
        "id": number,
        "title": f"Issue {number} about {' '.join(pick(WORDS) for _ in range(6))}",
        "state": pick(["open", "closed"]),
        "labels": [{"name": pick(WORDS)} for _ in range(numbers.randrange(4))],
        "user": {"login": pick(WORDS), "id": numbers.randrange(10**7)},
        "score": round(numbers.random() * 100, 3),
        "closed": None if numbers.random() < 0.5 else "2026-10-19T12:00:00Z",
        "body": "\n".join(" ".join(pick(WORDS) for _ in range(12)) for _ in range(3)),
        "path": pick(["src/a.py", 'C:\\x "y"']),
    }


def tree(numbers: random.Random, number: int) -> dict[str, Any]:
    """A record with records of its own kind inside, so that separators deceive."""
    children = [record(numbers, number) for _ in range(numbers.randrange(4))]
    return {"id": number, "children": children, "last": [{"id": 1}, {"id": 2}]}


Parts = Iterator[str]


def _joined(items: Iterator[str], before: str, between: str, after: str) -> Parts:
    yield before + next(items)
    for item in items:
        yield between + item
    yield after


def _items(make: Callable[[random.Random, int], Any], **style: Any) -> Iterator[str]:
    numbers = random.Random(7)
    block = [
        json.dumps(make(numbers, n), ensure_ascii=False, **style) for n in range(20_000)
    ]
    return itertools.cycle(block)


COMPACT = (",", ":")

KINDS: dict[str, Callable[[], tuple[Iterator[str], str, str, str]]] = {
    "array": lambda: (_items(record, separators=COMPACT), "[", ",", "]"),
    "jsonl": lambda: (_items(record, separators=COMPACT), "", "\n", "\n"),
    "pretty": lambda: (_items(record, indent=2), "[\n", ",\n", "\n]\n"),
    "nested": lambda: (_items(tree, separators=COMPACT), '{"a":{"items":[', ",", "]}}"),
    "escaped": lambda: (_items(record, separators=COMPACT), "[", ",", "]"),
    "map": lambda: (
        (f'"key {n}":{{"v":{n},"w":[{n}]}}' for n in itertools.count()),
        "{",
        ",",
        "}",
    ),
    "nan": lambda: (
        (f'{{"v":NaN,"big":{n}00000000000000000000}}' for n in itertools.count(1)),
        "[",
        ",",
        "]",
    ),
    "numbers": lambda: ((str(n * 7 % 1000) for n in itertools.count()), "[", ",", "]"),
}
"""Items, and what stands before, between and after them."""


def path_of(name: str, size: int, folder: Path) -> Path:
    """Where the file of one kind is."""
    return folder / f"{name}-{size}.{'jsonl' if name == 'jsonl' else 'json'}"


def make(name: str, size: int, folder: Path) -> None:
    """Make the file of one kind when it is not there."""
    path = path_of(name, size, folder)
    if path.exists():
        return
    items, before, between, after = KINDS[name]()
    written = 0

    def until() -> Iterator[str]:
        nonlocal written
        for item in items:
            yield item
            written += len(item)
            if written > size * 10**6:
                return

    with path.open("w", encoding="utf-8") as file:
        if name == "escaped":
            file.write('[{"type":"text","text":"')
        for part in _joined(until(), before, between, after):
            file.write(json.dumps(part)[1:-1] if name == "escaped" else part)
        if name == "escaped":
            file.write('"}]')


OURS = """
import sys
from spillview.content.content import open_content
from spillview.shape.source import outline_of
with open_content(sys.argv[1]) as content:
    print(outline_of(content).items)
"""

TOGETHER = """
import sys
from spillview.content.content import open_content
from spillview.shape.source import outline_of
from spillview.shape.teams import processes
with open_content(sys.argv[1]) as content:
    print(outline_of(content, team=processes()).items)
"""

LINES = """
import sys, orjson
print(sum(orjson.loads(line) is not None for line in open(sys.argv[1], "rb")))
"""

WALK = """
import sys, orjson
counts = {}
def walk(value, path):
    counts[path] = counts.get(path, 0) + 1
    if type(value) is dict:
        for key, inner in value.items():
            walk(inner, (path, key))
    elif type(value) is list:
        for inner in value:
            walk(inner, (path, None))
for line in open(sys.argv[1], "rb"):
    walk(orjson.loads(line), ())
"""

WHOLE = """
import sys, orjson
print(len(orjson.loads(open(sys.argv[1], "rb").read())))
"""


def ran(*command: str) -> tuple[float, float, int]:
    """CPU seconds, seconds and peak MiB of a process."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed")
    took = usage.ru_utime + usage.ru_stime
    scale = 20 if sys.platform == "darwin" else 10
    return took, time.perf_counter() - begun, usage.ru_maxrss >> scale


def work(program: str, path: Path) -> Callable[[], object]:
    """A Python program over a file, as work to be timed."""
    command = [sys.executable, "-c", program, str(path)]
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def peak(program: str, path: Path) -> float:
    """The most memory in MB that it and all processes under it held together.

    A page that several share counts once, where the system tells.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.DEVNULL
    )
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(held, family(process.pid))))
        time.sleep(0.02)
    return most * 1024 / 1e6


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for one in found:
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:  # it has ended
            continue
    return found


def held(pid: int) -> int:
    """KiB of memory of a process, its share of what it shares."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(n) for n in re.findall(r"^Pss: +(\d+)", text, re.M))


def at(name: str, scale: Scale) -> Path:
    """The file of one kind at this scale, made when it is not there."""
    folder = Path(scale.folder)
    size = scale.of(1000)
    itself("--make", name, "--size", str(size), "--folder", str(folder))
    return path_of(name, size, folder)


def warm(path: Path) -> None:
    """Have the file in memory: what a peer takes may have put it out."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def rows(scale: Scale) -> Iterator[Row]:
    """An array against `jq length`; lines against orjson and a walk."""
    small, middle, full = (at("array", step) for step in scale.steps())
    works = {"ours": work(TOGETHER, full), "small": work(TOGETHER, small)}
    works |= {"middle": work(TOGETHER, middle), "alone": work(OURS, full)}
    jq = shutil.which("jq")
    if jq is not None:
        works["jq"] = lambda: subprocess.run(
            [jq, "length", str(full)], check=True, stdout=subprocess.DEVNULL
        )
    took = medians(works, scale.runs, partial(warm, full))  # jq needs all memory
    size = f"{full.stat().st_size / 1e9:.3g} GB"
    for who, program in (("ours", TOGETHER), ("alone", OURS)):
        yield Row(
            f"JSON outline, complete, {size} array{PLACES[who]}",
            Target(ratio=0.3, megabytes=100) if who == "ours" else Target(),
            "`jq length`" if jq else "",
            took[who] / took["jq"] if jq else None,
            took[who],
            (took["small"], took["middle"], took["ours"]) if who == "ours" else (),
            peak(program, full),
        )
    small, middle, full = (at("jsonl", step) for step in scale.steps())
    works = {"ours": work(TOGETHER, full), "small": work(TOGETHER, small)}
    works |= {"middle": work(TOGETHER, middle), "alone": work(OURS, full)}
    works["walk"] = work(WALK, full)
    took = medians(works, scale.runs, partial(warm, full))
    for who, program, limit in (("ours", TOGETHER, 0.6), ("alone", OURS, 1.0)):
        yield Row(
            f"JSON outline, complete, {size} JSONL{PLACES[who]}",
            Target(ratio=limit, megabytes=100),
            "`orjson.loads` of each line and a walk",
            took[who] / took["walk"],
            took[who],
            (took["small"], took["middle"], took["ours"]) if who == "ours" else (),
            peak(program, full),
        )


PLACES = {"ours": ", two processes", "alone": ", one process"}


def check(path: Path) -> str:
    """Compare every fact with a naive walk."""
    from spillview.content.content import open_content
    from spillview.shape.source import outline_of
    from tests.shapes import facts, naive

    with open_content(str(path)) as content:
        found = outline_of(content)
    text = path.read_text(encoding="utf-8")
    if found.kind == "jsonl":
        documents = [json.loads(line) for line in text.splitlines()]
    else:
        document = json.loads(text)
        if found.unwrapped is not None:
            document = json.loads(document[0]["text"])
        documents = [document]
    wanted = naive(documents)
    if any(key is None for trail in wanted for key in trail) and found.warnings:
        return "not compared: " + found.warnings[0]
    if facts(found) != wanted:
        raise SystemExit(f"{path.name}: the outline is wrong")
    return f"{len(wanted)} paths are equal value for value"


def itself(*arguments: str) -> None:
    """Run a part of this in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.bench_shape", *arguments]
    subprocess.run(command, check=True)


def main() -> None:
    """Print a row per file."""
    parser = argparse.ArgumentParser(description="Outline large JSON.")
    parser.add_argument("--size", type=int, default=100, help="MB of each file")
    folder = Path(tempfile.gettempdir()) / "bench"
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--no-jq", action="store_true", help="jq needs 9 × the size")
    # Work that takes memory is done by processes of its own: the peak of a process is
    # that of its parent at least.
    parser.add_argument("--compare", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    if options.compare is not None:
        print(f"        {check(options.compare)}")
        return
    options.folder.mkdir(exist_ok=True)
    if options.make:
        make(options.names[0], options.size, options.folder)
        return
    jq = None if options.no_jq else shutil.which("jq")
    python = sys.executable
    for name in options.names:
        where = ["--size", str(options.size), "--folder", str(options.folder)]
        itself("--make", name, *where)
        path = path_of(name, options.size, options.folder)
        cpu, took, held_most = ran(python, "-c", OURS, str(path))
        row = f"{name:8}{took:7.1f} s ({cpu:.1f} s of CPU), {held_most} MiB"
        whole = LINES if name == "jsonl" else WHOLE
        if name != "nan":
            peer, _, most = ran(python, "-c", whole, str(path))
            row += f"; {cpu / peer:.2f} × orjson ({most:,} MiB)"
        if name == "jsonl":
            peer, _, _ = ran(python, "-c", WALK, str(path))
            row += f"; {cpu / peer:.2f} × orjson a line and a walk"
        if jq is not None and name != "nan":
            peer, _, most = ran(jq, "length", str(path))
            row += f"; {cpu / peer:.2f} × jq length ({most:,} MiB)"
        print(row, flush=True)
        if options.check:
            itself("--compare", str(path))


if __name__ == "__main__":
    main()
