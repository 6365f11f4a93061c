"""The table of speeds: every benchmark with `rows`, printed as Markdown.

python -m tests.bench [--quick] [--share S] [--folder DIR] [--runs N] [NAME ...]

A NAME is a benchmark without its `bench_`; without one all run. Each runs in a process
of its own, so that its peak of memory is its own. Read the ratios, not the times.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.bench.table import Row, Scale, Target, duration

HERE = Path(__file__).parent
QUICK = Scale(share=0.02, runs=3)
"""Small enough for a look before a commit; its growth starts from next to nothing."""

HEAD = ("work", "target", "measured", "against", "time", "at 1, 10, 100 × the work")
MET = {True: "", False: " **missed**", None: " (not measured)"}


def main(words: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 where a benchmark broke."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="these alone")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--share", type=float, help="part of the full sizes")
    parser.add_argument("--runs", type=int, help="interleaved runs of a median")
    parser.add_argument("--folder", help="where heavy files are kept")
    parser.add_argument("--rows", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    base = QUICK if options.quick else Scale()
    scale = Scale(
        base.share if options.share is None else options.share,
        base.runs if options.runs is None else options.runs,
        base.folder if options.folder is None else options.folder,
    )
    os.makedirs(scale.folder, exist_ok=True)
    if options.rows:
        for row in importlib.import_module(options.rows).rows(scale):
            print(json.dumps(asdict(row)), flush=True)
        return 0
    rows, broken = [], []
    for name in benchmarks(options.names):
        print(f"{name} …", file=sys.stderr, flush=True)
        found, error = measured(name, scale)
        rows += found
        if error:
            print(error, file=sys.stderr)
            broken.append(name)
    print(markdown(rows, judged=scale.share >= 1))
    print()
    print(machine(scale))
    for name in broken:
        print(f"\n`{name}` broke; its rows are not complete.")
    return 1 if broken else 0


def benchmarks(names: Sequence[str]) -> list[str]:
    """Modules that have rows, those asked for or all, in the order of their names."""
    wanted = {f"bench_{name.removeprefix('bench_')}" for name in names}
    there = [path.stem for path in sorted(HERE.glob("bench_*.py"))]
    unknown = wanted.difference(there)
    if unknown:
        raise SystemExit(f"No such benchmark: {', '.join(sorted(unknown))}")
    return [
        f"tests.bench.{name}"
        for name in there
        if (not wanted or name in wanted)
        and re.search(r"^def rows\(", (HERE / f"{name}.py").read_text("utf-8"), re.M)
    ]


def measured(name: str, scale: Scale) -> tuple[list[Row], str]:
    """Rows of one benchmark, run in a process of its own, and what broke it."""
    command = [sys.executable, "-m", "tests.bench", "--rows", name]
    command += ["--share", str(scale.share), "--runs", str(scale.runs)]
    done = subprocess.run(
        [*command, "--folder", scale.folder],
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [row_of(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return rows, done.stderr if done.returncode else ""


def row_of(line: str) -> Row:
    """A row as another process printed it."""
    facts = json.loads(line)
    target, growth = Target(**facts.pop("target")), tuple(facts.pop("growth"))
    return Row(target=target, growth=growth, **facts)


def markdown(rows: Iterable[Row], *, judged: bool = True) -> str:
    """The table; a target is `judged` only at the size that it is for."""
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in rows:
        work = f"{row.work} ({row.note})" if row.note else row.work
        took = duration(row.seconds) if row.seconds is not None else ""
        growth = ", ".join(duration(step) for step in row.growth)
        found = measure(row) + (MET[row.met()] if judged else "")
        cells = (work, row.target.words(), found, row.against, took, growth)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure(row: Row) -> str:
    """What was measured of all that its target asks, and of memory."""
    parts = []
    if row.ratio is not None:
        parts.append(f"{row.ratio:.{2 if row.ratio >= 0.1 else 4}f} ×")
    if row.target.seconds is not None and row.seconds is not None:
        parts.append(duration(row.seconds))
    if row.found is not None:
        parts.append(f"{row.found:.3g} {row.target.unit}".rstrip())
    if row.megabytes is not None:
        parts.append(f"{row.megabytes:.0f} MB")
    return ", ".join(parts)


def machine(scale: Scale) -> str:
    """One line: what it was measured on, with which versions, and when."""
    versions = [f"CPython {platform.python_version()}"]
    for name in ("textual", "stringzilla", "orjson"):
        versions.append(f"{name} {importlib.metadata.version(name)}")
    for tool in ("rg", "wc", "less", "jq", "fzf"):
        versions.append(version_of(tool))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    said = [
        f"{processor()}, {cores or os.cpu_count()} cores, {memory()}",
        f"{platform.system()} {platform.release()}",
        *(version for version in versions if version),
        f"medians of {scale.runs} interleaved runs with a warm page cache",
        time.strftime("%Y-%m-%d", time.gmtime()),
    ]
    if scale.share != 1:
        said.append(f"at {scale.share:g} of the full sizes")
    return "; ".join(said) + "."


def processor() -> str:
    """Its name, where the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line for line in lines if line.startswith("model name")]
        return names[0].partition(":")[2].strip()
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def memory() -> str:
    """How much the machine has."""
    pages, each = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * each / 1e9:.0f} GB of memory"


def version_of(tool: str) -> str:
    """`TOOL 1.2.3`, or nothing where there is no such tool."""
    if tool == "rg":
        from spillview.search.ripgrep import find_ripgrep

        path: str | None = find_ripgrep().path
    else:
        path = shutil.which(tool)
    if path is None:
        return ""
    done = subprocess.run(
        [path, "--version"], capture_output=True, text=True, check=False
    )
    found = re.search(r"\d[\d.]*", done.stdout)
    return f"{tool} {found[0]}" if found else tool


if __name__ == "__main__":
    raise SystemExit(main())
