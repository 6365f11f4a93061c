"""Large files for the benchmarks, made once in a folder, and times of peers."""

from __future__ import annotations

import argparse
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

FULL = 1_000_000_000
"""Bytes of the large file of the table of speeds."""

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
    for name in options.names:
        yield name, file_of(name, options.size << 20, options.folder)


def file_of(name: str, size: int, folder: str) -> str:
    """The path of a file of at least `size` bytes, made when it is not there."""
    lines = (PATTERNS[name].format(n=n, m=n % 997) for n in range(20_000))
    block = "".join(lines).encode("utf-8", "surrogateescape")
    return made(f"{name}-{size}", folder, size, block)


def made(name: str, folder: str, size: int, block: bytes, end: bytes = b"") -> str:
    """The path of a file that repeats a block of lines and is cut after one of them."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        with open(path + ".part", "wb") as file:
            for _ in range(size // len(block)):
                file.write(block)
            left = size % len(block)
            if left:
                file.write(block[: block.find(b"\n", left - 1) + 1 or left])
            file.write(end)
        os.replace(path + ".part", path)
    return path


def ran(*command: str) -> Callable[[], object]:
    """`command` as work, its output thrown away."""
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    return lambda: subprocess.run(
        command, stdout=subprocess.DEVNULL, check=True, env=environment
    )


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
