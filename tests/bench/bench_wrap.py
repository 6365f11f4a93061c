"""Throughput of `wrap` as a ratio to `tee FILE >/dev/null`, and its memory.

python -m tests.bench.bench_wrap [--size MiB] [NAME ...]

Both read the same file from a pipe. `wrap` also hashes, counts, looks for signal lines
and makes the envelope; a second number has it with the processor time of both.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.bench.large import FULL, arguments, file_of, files
from tests.bench.table import Row, Scale, Target
from tests.bench.terminal import environment


@dataclass(frozen=True, slots=True)
class Taken:
    """Median seconds of both, on the wall and on the processor, and memory."""

    tee: float
    wrap: float
    tee_busy: float
    wrap_busy: float
    megabytes: float


def taken(path: str, folder: str, runs: int) -> Taken:
    """Both in turn."""
    sides: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    peak = 0.0
    os.makedirs(folder, exist_ok=True)
    inside = tempfile.mkdtemp(prefix="wrap-", dir=folder)
    copy, store = (os.path.join(inside, name) for name in ("copy", "store"))
    ours = [sys.executable, "-m", "spillview", "-q", "wrap", "--dir", store]
    try:
        for _ in range(runs):
            sides[0].append(piped(path, ["tee", copy], inside)[:2])
            os.unlink(copy)
            *times, used = piped(path, ours, inside)
            sides[1].append((times[0], times[1]))
            peak = max(peak, used)
            shutil.rmtree(store, ignore_errors=True)  # none where it was not folded
    finally:
        shutil.rmtree(inside, ignore_errors=True)
    (tee, wrap), (tee_busy, wrap_busy) = (
        [statistics.median(each[part] for each in side) for side in sides]
        for part in (0, 1)
    )
    return Taken(tee, wrap, tee_busy, wrap_busy, peak * 1024 / 1e6)


def rows(scale: Scale) -> Iterator[Row]:
    """1 GB of ASCII, Japanese and emoji through a pipe."""
    size = scale.of(FULL, 1 << 10)
    for name in ("ascii", "japanese", "emoji"):
        growth = tuple(
            taken(
                file_of(name, step.of(FULL, 1 << 10), scale.folder),
                scale.folder,
                scale.runs,
            ).wrap
            for step in scale.steps()[:2]
        )
        found = taken(file_of(name, size, scale.folder), scale.folder, scale.runs)
        yield Row(
            f"wrap {size / 1e9:.3g} GB of {name} from a pipe",
            Target(ratio=1.3, megabytes=150),
            "`tee`, which only copies",
            found.wrap / found.tee,
            found.wrap,
            (*growth, found.wrap),
            found.megabytes,
            note=f"{found.wrap_busy / found.tee_busy:.1f} × its processor time",
        )


def main() -> None:
    """Print a row per file."""
    options = arguments("Wrap large outputs.")
    print(f"{'file':10}{'tee':>9}{'wrap':>9}{'ratio':>8}{'cpu ratio':>11}  peak")
    for name, path in files(options):
        found = taken(path, options.folder, options.runs)
        print(
            f"{name:10}{found.tee:8.3f}s{found.wrap:8.3f}s"
            f"{found.wrap / found.tee:8.2f}{found.wrap_busy / found.tee_busy:11.2f}"
            f"  {found.megabytes:.0f} MB"
        )


def piped(path: str, command: Sequence[str], home: str) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak memory of `cat PATH | COMMAND >/dev/null`."""
    begun = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    reader = subprocess.Popen(
        command, stdin=cat.stdout, stdout=subprocess.DEVNULL, env=environment(home)
    )
    assert cat.stdout is not None
    cat.stdout.close()
    _, status, used = os.wait4(reader.pid, 0)
    reader.returncode = os.waitstatus_to_exitcode(status)
    assert (reader.returncode, cat.wait()) == (0, 0)
    took = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, busy, used.ru_maxrss


if __name__ == "__main__":
    main()
