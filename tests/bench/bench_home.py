"""The home screen's first frame with many artifacts, against an empty Textual app.

Run by hand: `python tests/bench/bench_home.py [ARTIFACTS SESSIONS]`. Each run is a new
process on a pty of 120×40, from its start until the wanted text was written; medians
of interleaved runs with a warm page cache. Read the ratios, not the times.

The first start has an empty cache; a later one finds every count and link in it.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

RUNS = 7
SIZE = (40, 120)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

EMPTY = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("a usable frame")

Empty().run()
"""

HOME = """
import sys
from spillview.places import Places
from spillview.catalogue import Catalogue, Query
from spillview.tui.app import SpillviewApp

SpillviewApp(Catalogue.here(Places.of_home(sys.argv[1])), Query()).run()
"""


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


def until(program: str, argument: str, wanted: bytes, limit: float = 300.0) -> float:
    """Seconds from the start of the process until it wrote `wanted`."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    env = os.environ | {"TERM": "xterm-256color", "PYTHONPATH": ROOT}
    pattern = re.compile(wanted)
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-c", program, argument],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=env,
        start_new_session=True,
    )
    os.close(slave)
    written = b""
    try:
        while time.perf_counter() - start < limit:
            ready, _, _ = select.select([master], [], [], 0.5)
            if ready:
                try:
                    written += os.read(master, 1 << 16)
                except OSError:  # the program has ended
                    break
                # Styles stand between the words of a line.
                if pattern.search(re.sub(rb"\x1b\[[0-9;]*m", b"", written)):
                    return time.perf_counter() - start
            elif child.poll() is not None:
                break
        raise RuntimeError(f"{wanted!r} never came:\n{written[-4000:].decode()}")
    finally:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        os.close(master)


def main() -> None:
    """Make the store, run both programs in turn, print the medians."""
    artifacts = int(sys.argv[1]) if len(sys.argv) > 2 else 20_000
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    with tempfile.TemporaryDirectory() as home:
        make_store(home, artifacts, sessions)
        total = f"{artifacts:,} artifacts in".encode()
        empty, first, later = [], [], []
        cache = os.path.join(home, ".cache", "spillview")
        until(EMPTY, home, b"a usable frame")
        for _ in range(RUNS):
            subprocess.run(["rm", "-rf", cache], check=True)
            empty.append(until(EMPTY, home, b"a usable frame"))
            first.append(until(HOME, home, total))
        # Everything is counted, linked and in the cache once the verdicts are ranked.
        settled = until(HOME, home, f"{artifacts:,} failed unseen".encode())
        for _ in range(RUNS):
            empty.append(until(EMPTY, home, b"a usable frame"))
            later.append(until(HOME, home, total))
    base = statistics.median(empty)
    print(f"{artifacts:,} artifacts in {sessions:,} sessions, medians")
    print(f"  empty Textual app          {base * 1000:7.0f} ms   1.00 ×")
    print(f"  all counted and linked     {settled:7.1f} s")
    for name, times in (("first start", first), ("later start", later)):
        took = statistics.median(times)
        print(f"  {name:<26} {took * 1000:7.0f} ms   {took / base:.2f} ×")


if __name__ == "__main__":
    main()
