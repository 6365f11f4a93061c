"""One check of 100,000 files against what finds and sums them: `find`, `ls --no-count`.

Run by hand: `python -m tests.bench.bench_watch [FILES]`. Each is a process of its own,
interleaved, with a warm page cache; the check remembers the run before. Beside it, how
long a file is looked into for what it repeats, against reading as much with `tail`.
Read the ratios, not the times.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from tests.bench.bench_discovery import make_claude

RUNS = 7


def timed(command: Sequence[str], env: dict[str, str]) -> float:
    """Seconds of processor time that one run takes, its own and the system's."""
    before = os.times()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    own = after.children_user - before.children_user
    return own + after.children_system - before.children_system


def compare(
    words: str,
    ours: Sequence[str],
    peers: dict[str, Sequence[str]],
    env: dict[str, str],
) -> None:
    """Run all in turn and print the medians' ratios."""
    for command in (ours, *peers.values()):
        timed(command, env)
    taken: dict[str, list[float]] = {name: [] for name in ("", *peers)}
    for _ in range(RUNS):
        taken[""].append(timed(ours, env))
        for name, command in peers.items():
            taken[name].append(timed(command, env))
    mine = statistics.median(taken[""])
    told = ", ".join(
        f"{mine / max(1e-9, statistics.median(taken[name])):5.2f} x {name}"
        for name in peers
    )
    print(f"{words}: {mine:6.3f} s = {told}")


def main() -> None:
    """Make the stores, then measure."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    program = [sys.executable, "-m", "spillview"]
    with tempfile.TemporaryDirectory() as home:
        make_claude(home, files, max(1, files // 50))
        env = os.environ | {"HOME": home, "TMPDIR": os.path.join(home, "tmp")}
        env |= {f"XDG_{n}_HOME": os.path.join(home, n) for n in ("STATE", "CACHE")}
        for words, interval in (("one look", "0"), ("two looks", "0.01s")):
            compare(
                f"{files:,} files, {words}",
                [*program, "watch", "-q", "--interval", interval],
                {
                    "ls --no-count": [*program, "ls", "--no-count", "--json"],
                    "find": ["find", home, "-type", "f", "-printf", r"%p %s %i\n"],
                },
                env,
            )
    into()


def into() -> None:
    """How long a large file is looked into, against reading its parts."""
    from spillview.growth.repetition import look_at

    with tempfile.TemporaryDirectory() as folder:
        for words, line in (
            ("one line", b"x" * 79 + b"\n"),
            ("no newline", b"xy" * 40),
        ):
            path = os.path.join(folder, "log")
            with open(path, "wb") as file:
                for _ in range(500):
                    file.write(line * 10_000)
            mine, peer = [], []
            for _ in range(RUNS):
                start = time.perf_counter()
                look_at(path, folder)
                mine.append(time.perf_counter() - start)
                start = time.perf_counter()
                with open(path, "rb") as file:
                    file.seek(-1_200_000, os.SEEK_END)
                    file.read().split(b"\n")
                peer.append(time.perf_counter() - start)
            ratio = statistics.median(mine) / statistics.median(peer)
            told = f"{statistics.median(mine):.3f} s = {ratio:.1f} x reading its lines"
            print(f"400 MB of {words} looked into: {told}")


if __name__ == "__main__":
    main()
