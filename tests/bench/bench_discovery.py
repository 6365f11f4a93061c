"""Discovery against `find -printf`, on stores of 20,000 and 100,000 files.

Run by hand: `python tests/bench/bench_discovery.py [FILES SESSIONS]…`. Times are the
median of interleaved runs with a warm page cache; read the ratios, not the times.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from spillview.discovery.discovery import discover
from spillview.places import Places
from spillview.profiles.profile import load_profiles

RUNS = 7


def make_claude(home: str, files: int, sessions: int) -> None:
    """`files` artifacts in `sessions` sessions of 20 projects."""
    for session in range(sessions):
        name = f"{session:08x}-2222-4333-8444-555555555555"
        project = os.path.join(home, ".claude/projects", f"-srv-app-{session % 20}")
        folder = os.path.join(project, name, "tool-results")
        os.makedirs(folder)
        with open(os.path.join(project, f"{name}.jsonl"), "w", encoding="utf-8"):
            pass
        for number in range(files // sessions):
            path = os.path.join(folder, f"toolu_01Ab{session:04}{number:06}Cd.txt")
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def make_dsh(home: str, files: int, sessions: int) -> None:
    """`files` artifacts in `sessions` sessions of 10 processes' roots."""
    for session in range(sessions):
        root = os.path.join(home, "tmp", f"dsh-spill-AbCd{session % 10:02}")
        folder = os.path.join(root, f"session-{session:012x}")
        os.makedirs(folder)
        for number in range(files // sessions):
            path = os.path.join(folder, f"{number:012x}-bash.txt")
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def timed(work: Callable[[], object]) -> float:
    """Seconds one run takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(make: Callable[[str, int, int], None], files: int, sessions: int) -> None:
    """Make a store, list it both ways in turn, print the medians and their ratio."""
    with tempfile.TemporaryDirectory() as home:
        make(home, files, sessions)
        places = Places.of_home(home)
        profiles, _ = load_profiles(places)

        def ours() -> None:
            found = discover(places, profiles).found
            assert len(found) == files, len(found)

        def find() -> None:
            subprocess.run(
                ["find", home, "-type", "f", "-printf", r"%p %s %T@\n"],
                stdout=subprocess.DEVNULL,
                check=True,
            )

        ours()
        find()
        rounds = [(timed(ours), timed(find)) for _ in range(RUNS)]
        mine = statistics.median(own for own, _ in rounds)
        peer = statistics.median(other for _, other in rounds)
        print(
            f"{make.__name__[5:]:8} {files:8,} files in {sessions:6,} sessions:"
            f" {mine:6.3f} s, find {peer:6.3f} s = {mine / peer:4.2f} x"
        )


def main() -> None:
    """Run the sizes given in pairs, else the usual ones."""
    numbers = [int(text) for text in sys.argv[1:]]
    sizes = list(zip(numbers[::2], numbers[1::2], strict=True))
    for files, sessions in sizes or [(20_000, 200), (100_000, 2_000)]:
        compare(make_claude, files, sessions)
        compare(make_dsh, files, sessions)


if __name__ == "__main__":
    main()
