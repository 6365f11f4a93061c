"""Clean-ups and their undoing under `kill -9`, again and again: nothing may be lost.

Run by hand: `python -m tests.bench.kills [FILES ROUNDS]` (300 files, 200 kills unless
told otherwise). Every round starts a clean-up or an undo in a process of its own and
kills it at a moment by chance; then every byte must be in its place or in the trash.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from spillview.cleanup.trash import Trash
from tests.faults import Made, kept, make, snapshot

ROOT = Path(__file__).parents[2]

WORK = """
import sys
from pathlib import Path
from spillview.cleanup.trash import Trash
from tests.faults import Made
made = Made(Path(sys.argv[1]), Path(sys.argv[2]))
trash = Trash(made.places)
found = made.found()
print("go", flush=True)
if sys.argv[3] == "apply":
    trash.apply(found)
else:
    trash.undo()
"""


def torment(home: Path, files: int, rounds: int, chance: random.Random) -> Counter[str]:
    """Kill that many runs over that many files; counts what happened.

    Raises AssertionError as soon as a file is neither in its place nor in the trash.
    """
    sessions = max(1, files // 30)
    made = make(home, home / "tmp", sessions, files // sessions - 1)
    assert len(made.files) == files // sessions * sessions
    seen: Counter[str] = Counter()
    longest = {"apply": 0.02, "undo": 0.02}
    for _ in range(rounds):
        inside = len(snapshot(made.root))
        work = "apply" if chance.random() < inside / len(made.files) else "undo"
        started = time.monotonic()
        killed = run(made, work, chance.uniform(0, longest[work]))
        if not killed:
            longest[work] = max(longest[work] / 2, 0.002)
        else:
            longest[work] = min(longest[work] * 1.1, time.monotonic() - started)
        after = len(snapshot(made.root))
        middle = 0 < after < len(made.files)
        seen[f"{work}: {'killed' if killed else 'ended first'}"] += 1
        seen["left in the middle"] += middle
        check(made)
    trash = Trash(made.places)
    while (undone := trash.undo()).batch is not None:
        assert undone.failed == ()
    assert snapshot(made.root) == made.files
    return seen


def run(made: Made, work: str, delay: float) -> bool:
    """Do it in a process that is killed `delay` seconds after it began to work."""
    child = subprocess.Popen(
        [sys.executable, "-c", WORK, str(made.home), str(made.root), work],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.read(3) == b"go\n"
    time.sleep(delay)
    os.kill(child.pid, signal.SIGKILL)
    child.stdout.close()
    return child.wait() == -signal.SIGKILL


def check(made: Made) -> None:
    """Every file is in its place or in the trash, byte for byte, and nowhere else."""
    state = made.home / ".local/state/spillview/trash"
    held: Counter[object] = Counter()
    for path in (*Path(made.root).rglob("*"), *state.glob("*/files/*")):
        if path.is_symlink() or path.is_file():
            facts = path.lstat()
            if facts.st_nlink == 1 or path.is_relative_to(made.root):
                held[kept(path)] += 1  # a second name is one file in both places
    assert held == Counter(made.files.values())


def main() -> None:
    """Torment, and print what happened."""
    files, rounds = (int(word) for word in (*sys.argv[1:], "300", "200")[:2])
    seed = random.randrange(1 << 32)
    print(f"{files} files, {rounds} kills, seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        seen = torment(Path(folder) / "home", files, rounds, random.Random(seed))
        for what, count in sorted(seen.items()):
            print(f"{count:6}  {what}")
        print(f"nothing lost in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
