"""The home screen's first frame with many artifacts, against an empty Textual app.

Run by hand: `python -m tests.bench.bench_home [ARTIFACTS]`. Each run is a new process
on a terminal of 120×40, from its start until the wanted text was written; medians of
interleaved runs with a warm page cache. Read the ratios, not the times.

The first start has an empty cache; a later one finds every count and link in it. A
frame is usable once rows stand and a key has moved the cursor; totals may come later.
"""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import spillview
from tests.bench.table import Row, Scale, Target
from tests.bench.terminal import Program

EMPTY = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("a usable frame")

Empty().run()
"""
PATIENCE = 10.0
"""Seconds of silence after which a key is given up."""

SETTLING = 600.0
"""Seconds in which everything must be counted and linked."""


def make_store(home: str, artifacts: int, sessions: int) -> None:
    """Claude Code's layout: a transcript and a folder of results for each session."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    for session in range(sessions):
        name = f"{session:08x}-2222-4333-8444-555555555555"
        project = os.path.join(home, ".claude/projects", f"-srv-app-{session % 20}")
        folder = os.path.join(project, name, "tool-results")
        os.makedirs(folder)
        records = []
        for number in range(artifacts // sessions):
            call = f"toolu_01Ab{session:06}{number:08}Cd"
            path = os.path.join(folder, f"{call}.txt")
            body = f"line of output {number}\n" * 40 + "error: it failed\n"
            with open(path, "w", encoding="utf-8") as file:
                file.write(body)
            notice = (
                f"<persisted-output>\nOutput too large (0.9KB). Full output saved to:"
                f" {path}\n\nPreview (first 2KB):\n{body[:200]}\n...\n"
                "</persisted-output>"
            )
            common = {"sessionId": name, "cwd": "/srv/app", "timestamp": stamp}
            use = {
                "type": "tool_use",
                "id": call,
                "name": "Bash",
                "input": {"command": f"make target-{number}"},
            }
            result = {"type": "tool_result", "tool_use_id": call, "content": notice}
            records += [
                common
                | {
                    "type": "assistant",
                    "uuid": f"a{session}-{number}",
                    "message": {"role": "assistant", "content": [use]},
                },
                common
                | {
                    "type": "user",
                    "uuid": f"u{session}-{number}",
                    "message": {"role": "user", "content": [result]},
                },
            ]
        with open(os.path.join(project, f"{name}.jsonl"), "w") as log:
            log.writelines(json.dumps(record) + "\n" for record in records)


def start(command: list[str], home: str, wanted: bytes, patience: float = 60) -> float:
    """Seconds from the start of the process until it wrote `wanted`."""
    program = Program([sys.executable, *command], home)
    try:
        program.until(wanted, patience=patience)
        return time.perf_counter() - program.begun
    finally:
        program.end()


def usable(command: list[str], home: str, row: bytes, second: bytes) -> float:
    """Seconds until a row stood and `j` had moved the cursor to the second one."""
    program = Program([sys.executable, *command], home)
    there = re.compile("▌".encode() + rb"[^\r\n]{0,80}" + re.escape(second))
    try:
        program.until(row)
        program.press(b"j", second)
        while there.search(program.written) is None:
            if not program.read(PATIENCE):
                raise TimeoutError(f"the cursor never came to {second!r}")
        return time.perf_counter() - program.begun
    finally:
        program.end()


def measured(scale: Scale, artifacts: int) -> tuple[dict[str, float], float]:
    """Median seconds of each start, and how long counting and linking all took."""
    compileall.compile_dir(str(Path(spillview.__file__).parent), quiet=2)
    ours, empty = ["-m", "spillview"], ["-c", EMPTY]
    # The list is there when its total is: what is counted and linked comes later.
    total = f"{artifacts:,} artifacts in".encode()
    times: dict[str, list[float]] = {"empty": []}
    sessions = max(2, artifacts // 50)
    row = b"Cd.txt"
    second = f"{artifacts // sessions - 2:08}Cd.txt".encode()

    def starts(which: str) -> None:
        times["empty"].append(start(empty, home, b"a usable frame"))
        took = usable(ours, home, row, second)
        times.setdefault(f"{which}, usable", []).append(took)
        if which == "first":
            shutil.rmtree(os.path.join(home, ".cache"), ignore_errors=True)
        took = start(ours, home, total)
        times.setdefault(f"{which}, totals", []).append(took)

    with tempfile.TemporaryDirectory(dir=scale.folder) as home:
        make_store(home, artifacts, sessions)
        start(empty, home, b"a usable frame")
        for _ in range(scale.runs):
            shutil.rmtree(os.path.join(home, ".cache"), ignore_errors=True)
            starts("first")
        # Everything is in the cache once the verdicts are ranked.
        settled = start(ours, home, f"{artifacts:,} failed".encode(), SETTLING)
        for _ in range(scale.runs):
            starts("later")
    return {name: statistics.median(some) for name, some in times.items()}, settled


def rows(scale: Scale) -> Iterator[Row]:
    """Four lines of the table: the first start and a later one, and their totals."""
    artifacts = scale.of(20_000, 100)
    times, _ = measured(scale, artifacts)
    for name, until in product(("first", "later"), ("usable", "totals")):
        words = f"{name} start: {until}"
        if until == "usable":
            words = f"{name} start: rows stand and a key is answered"
        name = f"{name}, {until}"
        yield Row(
            f"list of {artifacts:,} in the terminal interface, {words}",
            Target(ratio=1.3),
            "an empty Textual app",
            ratio=times[name] / times["empty"],
            seconds=times[name],
        )


def main() -> None:
    """Measure and print."""
    artifacts = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    times, settled = measured(Scale(runs=7), artifacts)
    print(f"{artifacts:,} artifacts, medians")
    for name, took in times.items():
        print(f"  {name:<14} {took * 1000:7.0f} ms   {took / times['empty']:.2f} ×")
    print(f"  all counted and linked in {settled:.1f} s")


if __name__ == "__main__":
    main()
