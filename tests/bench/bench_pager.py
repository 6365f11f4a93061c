"""The pager against `less` on a terminal: first screen, the end, one key, memory.

Run by hand: `python tests/bench/bench_pager.py [--folder DIR] [--runs N]`. Each run is
a new process on a pty of 120×40; medians of interleaved runs with a warm page cache.
Read the ratios, not the times; times are in milliseconds. `less` counts no lines.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from contextlib import suppress

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZE = struct.pack("HHHH", 40, 120, 0, 0)
KEYS = 30
PATIENCE = 30.0
"""Seconds after which a program is given up: `less` needs minutes in a long line."""

WHAT = (
    "first screen",
    "to the end",
    "back to the top",
    "a row down",
    "a page down",
    "memory, MB",
)

PAGER = """
import sys
from textual.app import App
from spillview.tui import stylesheet
from spillview.tui.document import open_document
from spillview.tui.pager import Pager

class Shown(App):
    CSS_PATH = stylesheet("artifact.tcss")

    def compose(self):
        yield Pager(id="full")

    def on_mount(self):
        pager = self.query_one(Pager)
        pager.open(open_document(sys.argv[1], root=None, encoding=None))
        pager.focus()

Shown().run()
"""


def lines_1gb(write: Callable[[bytes], object]) -> None:
    """1 GB of lines of about 90 bytes."""
    block = b"".join(
        b"%08d INFO module.%d: request handled in %d ms, status 200, path /items/%d\n"
        % (n, n % 97, n % 1000, n)
        for n in range(100_000)
    )
    for _ in range(1 + (1 << 30) // len(block)):
        write(block)
    write(b"the very end\n")


def line_200mb(write: Callable[[bytes], object]) -> None:
    """One line of JSON of 200 MB."""
    write(b'{"first": [')
    block = b"".join(b'{"id": %d, "price": %d.5}, ' % (n, n) for n in range(50_000))
    for _ in range(1 + (200 << 20) // len(block)):
        write(block)
    write(b'"the very end"]}')


def line_10mb(write: Callable[[bytes], object]) -> None:
    """A line of 10 MB and a short one."""
    write(b"first " + b"z" * (10 << 20) + b"\nthe very end\n")


MADE = {
    "1 GB of lines": (lines_1gb, b"00000000 INFO"),
    "one line of 200 MB": (line_200mb, b'{"first"'),
    "10 MB line, then one more": (line_10mb, b"first zzz"),
}


class Program:
    """A program on a terminal of its own."""

    def __init__(self, command: list[str]) -> None:
        self.begun = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, SIZE)
            env = os.environ | {
                "TERM": "xterm-256color",
                "PYTHONPATH": ROOT,
                "LESS": "",
                "LESSOPEN": "",
            }
            os.execvpe(command[0], command, env)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, SIZE)

    def until(self, wanted: bytes | None = None) -> float:
        """Seconds until it wrote `wanted`, or anything at all."""
        begun = time.perf_counter()
        written = b""
        while time.perf_counter() - begun < PATIENCE:
            if select.select([self.terminal], [], [], 0.2)[0]:
                written += os.read(self.terminal, 1 << 16)
                if wanted is None or wanted in written:
                    return time.perf_counter() - begun
        raise TimeoutError(f"{wanted!r} never came: {written[-500:]!r}")

    def calm(self, pause: float = 0.25) -> None:
        """Read what it still writes, until it is silent."""
        while select.select([self.terminal], [], [], pause)[0]:
            os.read(self.terminal, 1 << 16)

    def press(self, keys: bytes, wanted: bytes | None = None) -> float:
        """Seconds from typing `keys` until it wrote `wanted`."""
        os.write(self.terminal, keys)
        return self.until(wanted)

    def memory(self) -> float:
        """Its resident MB now; nan where the system does not say."""
        with suppress(OSError), open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        return float("nan")

    def end(self) -> None:
        """Kill it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def measure(command: list[str], first: bytes) -> dict[str, float]:
    """First screen, the end, a row and a page down, memory."""
    program = Program(command)
    found = dict.fromkeys(WHAT, float("inf"))
    try:
        program.until(first)
        found["first screen"] = time.perf_counter() - program.begun
        program.calm(0.5)
        found["to the end"] = program.press(b"G", b"the very end")
        program.calm()
        found["back to the top"] = program.press(b"g", first)
        program.calm()
        for name, key in (("a row down", b"j"), ("a page down", b"f")):
            times = []
            for _ in range(KEYS):
                times.append(program.press(key))
                program.calm(0.03)
            found[name] = statistics.median(times)
        found["memory, MB"] = program.memory()
    except TimeoutError:
        pass  # what it did not reach stays infinite
    finally:
        program.end()
    return found


def main() -> None:
    """Make the files, run both programs in turn, print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--folder", default=os.path.join(tempfile.gettempdir(), "bench-pager")
    )
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for title, (make, first) in MADE.items():
        path = os.path.join(options.folder, make.__name__)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                make(file.write)
        commands = {
            "pager": [sys.executable, "-c", PAGER, path],
            "less": ["less", "-n", path],
        }
        results: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        for _ in range(options.runs):
            for name, command in commands.items():
                results[name].append(measure(command, first))
        print(title)
        for what in WHAT:
            ours, peer = (
                statistics.median(run[what] for run in results[name])
                for name in commands
            )
            scale = 1 if what == "memory, MB" else 1000
            print(
                f"  {what:<16} {ours * scale:9.1f}   less {peer * scale:9.1f}"
                f"   {ours / peer:8.4f} ×"
            )


if __name__ == "__main__":
    main()
