"""Throughput of `wrap` as a ratio to `tee FILE >/dev/null`, and its memory.

python -m tests.bench.bench_wrap [--size MiB] [NAME ...]

Both read the same file from a pipe. `wrap` also hashes, counts, looks for signal lines
and makes the envelope; a second number has it with the processor time of both.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from tests.bench.large import arguments, files


def main() -> None:
    """Print a row per file."""
    options = arguments("Wrap large outputs.")
    print(f"{'file':10}{'tee':>9}{'wrap':>9}{'ratio':>8}{'cpu ratio':>11}  peak")
    os.makedirs(options.folder, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="bench-", dir=options.folder)
    try:
        for name, path in files(options):
            tee: list[tuple[float, float]] = []
            wrap: list[tuple[float, float]] = []
            peak = 0
            for _ in range(options.runs):
                copy = os.path.join(folder, "copy")
                tee.append(piped(path, ["tee", copy])[:2])
                os.unlink(copy)
                store = os.path.join(folder, "store")
                command = [sys.executable, "-m", "spillview", "-q", "wrap"]
                *times, used = piped(path, [*command, "--dir", store])
                wrap.append((times[0], times[1]))
                peak = max(peak, int(used))
                shutil.rmtree(store)
            wall = [min(each[0] for each in side) for side in (tee, wrap)]
            busy = [min(each[1] for each in side) for side in (tee, wrap)]
            print(
                f"{name:10}{wall[0]:8.3f}s{wall[1]:8.3f}s{wall[1] / wall[0]:8.2f}"
                f"{busy[1] / busy[0]:11.2f}  {peak >> 10} MiB"
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def piped(path: str, command: Sequence[str]) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak memory of `cat PATH | COMMAND >/dev/null`."""
    begun = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    reader = subprocess.Popen(command, stdin=cat.stdout, stdout=subprocess.DEVNULL)
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
