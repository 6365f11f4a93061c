"""Large files for the benchmarks, made once in a folder, and times of peers."""

from __future__ import annotations

import argparse
import os
import pty
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

PATTERNS = {
    "ascii": "{n:06d} src/module_{m}/file.py:{m}: warning: unused name {n}\n",
    "japanese": "{n:06d} これは日本語の行です。出力が長いとき、どこで切れるか。{m}\n",
    "emoji": "😀😃😄 ok {n} 🎉🚀👩\u200d👩\u200d👧 終わり 🎯🔥✨\n",
    "invalid": "{n:06d} ok \udce3\udc81 broken \udcff tail \udce9t\udce9\n",
    "one-line": '[{n}, "value value", {m}],',
}
"""What each file repeats; surrogate escapes stand for bytes that are no UTF-8."""


def arguments(description: str) -> argparse.Namespace:
    """`--size` in MiB, `--folder` to keep the files in, `--runs`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--size", type=int, default=1024, help="MiB of each file")
    parser.add_argument(
        "--folder", default=os.path.join(tempfile.gettempdir(), "bench")
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("names", nargs="*", default=list(PATTERNS))
    return parser.parse_args()


def files(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Name and path of each file asked for, made when it is not there."""
    os.makedirs(options.folder, exist_ok=True)
    for name in options.names:
        path = os.path.join(options.folder, f"{name}-{options.size}")
        lines = (PATTERNS[name].format(n=n, m=n % 997) for n in range(20_000))
        block = "".join(lines).encode("utf-8", "surrogateescape")
        if not os.path.exists(path):
            with open(path, "wb") as file:
                while file.tell() < options.size << 20:
                    file.write(block)
        yield name, path


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def ran(*command: str) -> Callable[[], object]:
    """`command` as work, its output thrown away."""
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    return lambda: subprocess.run(
        command, stdout=subprocess.DEVNULL, check=True, env=environment
    )


def medians(works: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Median seconds of each work over interleaved runs."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: statistics.median(some) for name, some in times.items()}


def peak_mebibytes() -> int:
    """The largest resident size this process ever had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak >> (20 if sys.platform == "darwin" else 10)


def until_shown(command: list[str], wanted: bytes) -> float:
    """Seconds until `command` on a terminal has drawn `wanted`."""
    begun = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, os.environ | {"LESS": "", "TERM": "xterm"})
    shown = b""
    try:
        while wanted not in shown:
            shown += os.read(terminal, 65_536)
        return time.perf_counter() - begun
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
