"""Commands in random order while other processes change what they look at.

`python -m tests.soak [--minutes N] [--seed N]` runs until the time is over and prints
what was done. Nothing may raise; no count may be claimed of bytes that were not there;
what is cleaned up and put back is the same; memory stays as it was.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from tests import faults
from tests.command import Ran, run
from tests.harness_stores import make

ROOT = Path(__file__).parent.parent
STORES = ("claude_clones", "gemini_cli", "codex", "pi")
"""Made stores, beside that of dsh, whose files are changed by others."""

Facts = tuple[int, int, int, int]


@dataclass
class Told:
    """What was done and what was wrong."""

    done: Counter[str] = field(default_factory=Counter)
    checked: int = 0
    """Rows whose counts were compared with the bytes they were claimed of."""
    ranges: int = 0
    """Ranges called seen that were found inside their file."""
    bytes: int = 0
    """Bytes that went into the trash and came back the same."""
    wrong: list[str] = field(default_factory=list)
    grown: int = 0
    """Bytes of memory more than after the first round of all commands."""


def facts(path: str) -> Facts | None:
    """What tells a file and its version apart."""
    try:
        now = os.lstat(path)
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


def copied(path: str) -> tuple[Facts, bytes] | None:
    """A file's bytes, if it was the same before and after they were read."""
    before = facts(path)
    try:
        data = Path(path).read_bytes()
    except OSError:
        return None
    after = facts(path)
    return (before, data) if before is not None and before == after else None


def mutate(top: Path, seed: int) -> None:
    """Change files below a folder until somebody ends this process."""
    rng = random.Random(seed)
    while True:
        files = [p for p in top.rglob("*") if p.is_file() and not p.is_symlink()]
        if not files:
            time.sleep(0.05)
            continue
        path = rng.choice(files)
        size = rng.randrange(1, 4000)
        data = bytes(rng.choices(b'ab\n\xc3\xa9 {}"', k=size))
        with suppress(OSError):
            match rng.randrange(8):
                case 0 | 1:
                    with open(path, "ab") as file:
                        file.write(data)
                case 2:
                    os.truncate(path, rng.randrange(path.stat().st_size + 1))
                case 3:
                    fresh = path.with_name(f"fresh-{seed}")
                    fresh.write_bytes(data)
                    fresh.replace(path)
                case 4:
                    if len(files) > 20:
                        path.unlink()
                case 5:
                    path.rename(path.with_name(f"{seed}-{rng.randrange(99)}.txt"))
                case 6:
                    path.chmod(rng.choice((0o000, 0o600, 0o644)))
                case _:
                    path.with_name(f"new-{rng.randrange(99)}.txt").write_bytes(data)
        time.sleep(rng.random() * 0.02)


class Soak:
    """One home, one seed."""

    def __init__(self, top: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.told = Told()
        self.home = top / "home"
        self.made = faults.make(self.home, self.home / "tmp")
        for name in STORES:
            make(name, self.home)
        self.wild = top / "wild"
        for number in range(12):
            path = self.wild / f"s{number % 3}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"line of text\n" * (number * 50 + 1))
        self.grounds = [str(self.wild), str(self.home)]

    def step(self) -> None:
        """One thing that a person or a script does."""
        name = self.rng.choice(
            [
                "ls",
                "ls",
                "show",
                "grep",
                "envelope",
                "envelope",
                "sessions",
                "index",
                "pin",
                "prune",
                "review",
                "shape",
                "watch",
            ]
        )
        self.told.done[name] += 1
        getattr(self, f"_{name}")()

    def run(self, *words: str) -> Ran:
        """A command, which may fail with a sentence only."""
        ran = run(*words)
        if ran.code not in (0, 1, 2) or "inside (" in ran.err or "Trace" in ran.err:
            self.told.wrong.append(f"{words}: {ran.code} {ran.err[-900:]}")
        return ran

    def _ls(self) -> None:
        ground = self.rng.choice(self.grounds)
        before = {
            str(path): copied(str(path))
            for path in Path(ground).rglob("*.txt")
            if path.is_file()
        }
        rows = self.run("ls", "--json", ground).rows
        for row in rows:
            known = before.get(row["path"])
            if known is None or known != copied(row["path"]) or row["chars"] is None:
                continue
            data = known[1]
            if row["encoding"].startswith("utf-16"):
                continue
            self.told.checked += 1
            text = data.decode("utf-8", "replace")
            lines = data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
            got = row["bytes"], row["chars"], row["lines"]
            if got != (len(data), len(text), lines):
                self.told.wrong.append(f"ls claims {got} of {len(data)} bytes: {row}")

    def _some(self) -> str | None:
        files = [str(p) for p in self.wild.rglob("*.txt")]
        files += [path for path in self.made.files if path.endswith(".txt")]
        return self.rng.choice(files) if files else None

    def _show(self) -> None:
        path = self._some()
        if path is None:
            return
        before = copied(path)
        ran = self.run("show", "--raw", path)
        if before is not None and before == copied(path) and ran.code == 0:
            self.told.checked += 1
            if ran.data != before[1]:
                self.told.wrong.append(f"show gives other bytes of {path}")

    def _grep(self) -> None:
        self.run("grep", "--json", self.rng.choice(("line", "out", "é")), *self.grounds)

    def _envelope(self) -> None:
        rows = self.run("ls", "--json", str(self.home)).rows
        rows = [row for row in rows if row["link"] == "linked"]
        if not rows:
            return
        row = self.rng.choice(rows)
        before = copied(row["path"])
        ran = self.run("envelope", "--json", row["id"])
        if ran.code == 0 and before is not None and before == copied(row["path"]):
            for start, end in json.loads(ran.out.splitlines()[0]).get("seen") or ():
                self.told.ranges += 1
                if not 0 <= start <= end <= len(before[1]):
                    self.told.wrong.append(f"{start}-{end} of {row['path']} is seen")

    def _sessions(self) -> None:
        self.run("sessions", "--json", *self.grounds)

    def _index(self) -> None:
        self.run("index", *self.grounds)

    def _pin(self) -> None:
        path = self._some()
        if path is not None:
            self.run(self.rng.choice(("pin", "unpin")), path)

    def _prune(self) -> None:
        """A session that nobody else touches goes and comes back."""
        before = faults.snapshot(self.made.root)
        for path in self.made.files:
            if path.endswith(".txt"):
                run("unpin", path)
        session = "session-000000000000"
        self.run("prune", "--session", session, "--apply", "--yes")
        gone = before.keys() - faults.snapshot(self.made.root).keys()
        self.run("undo")
        after = faults.snapshot(self.made.root)
        self.told.bytes += sum(len(before[path][0]) for path in gone)
        if {p: d[0] for p, d in after.items()} != {p: d[0] for p, d in before.items()}:
            self.told.wrong.append(f"lost: {before.keys() - after.keys()}")
        # Others' files may go at any moment: what was moved can be put back.
        self.run("prune", str(self.wild), "--older-than", "1s", "--apply", "--yes")
        self.run("undo")

    def _review(self) -> None:
        self.run("review", "--json", *self.grounds)

    def _shape(self) -> None:
        path = self._some()
        if path is not None:
            self.run("shape", "--json", path)

    def _watch(self) -> None:
        self.run("watch", "--json", str(self.wild))


def resident() -> int:
    """Bytes of memory that this process has now."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def soak(top: Path, seed: int, seconds: float, most: int | None = None) -> Told:
    """Go on for so long, or for `most` steps."""
    work = Soak(top, seed)
    names = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    names |= {"HOME": str(work.home), "TMPDIR": str(work.home / "tmp")}
    others = [work.wild, work.home / ".claude", work.home / ".gemini"]
    begun: list[subprocess.Popen[bytes]] = []
    try:
        for number, ground in enumerate(others):
            words = ["--mutate", str(ground), "--seed", str(seed + number)]
            begun.append(
                subprocess.Popen([sys.executable, "-m", "tests.soak", *words], cwd=ROOT)
            )
        with mock.patch.dict(os.environ, names, clear=True):
            until, steps, first = time.monotonic() + seconds, 0, None
            while time.monotonic() < until and (most is None or steps < most):
                work.step()
                steps += 1
                if steps == 100:
                    first = resident()
            if first is not None:
                work.told.grown = resident() - first
    finally:
        for process in begun:
            process.kill()
            process.wait()
    return work.told


def main() -> None:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutate", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.mutate:
        mutate(Path(args.mutate), args.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        told = soak(Path(folder), args.seed, 60 * args.minutes)
    said = (
        f"{told.done.total():,} commands, {told.checked:,} claims checked,"
        f" {told.ranges:,} ranges, {told.bytes:,} bytes moved and put back,"
        f" memory grew by {told.grown / 1e6:.1f} MB, wrong: {len(told.wrong)}"
    )
    print(said, *told.wrong[:20], sep="\n")  # noqa: T201  # its result


if __name__ == "__main__":
    main()
