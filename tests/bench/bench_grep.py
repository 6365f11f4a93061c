"""Search against `rg --json` itself: one file of 1 GB, and 20,000 files.

Run by hand: `python -m tests.bench.bench_grep [MEGABYTES FILES]`. Times are the median
of interleaved runs with a warm page cache; read the ratios, not the times. `search` is
the library over a list of artifacts, `spillview grep` the whole command on the folder
(started, stores read, printed), with what it knows in its cache.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact, Seen
from spillview.search.grep import Options, search
from spillview.search.ripgrep import find_ripgrep
from tests.bench.large import FULL, made
from tests.bench.table import Row, Scale, Target, medians

RUNS = 5
WORDS = [b"alpha", b"error:", b"gamma", b"compile", b"link", b"warning", b"note", b"ok"]

RG = find_ripgrep().path


PATTERNS = {
    "literal": ("needle", None),
    "-i": ("NEEDLE", "-i"),
    "regex": (r"need[a-z]+ at (the|an) end$", None),
    "alternation": ("needle|nowhere to be found|no such word", None),
}
"""What one large file is searched for, each found once, at its end."""


def rows(scale: Scale) -> Iterator[Row]:
    """One large file, four kinds of patterns, the library's search against `rg`."""
    home = os.path.join(scale.folder, f"home-grep-{os.getpid()}")
    found = [(path, artifacts_of(path, home)) for path in map(large, scale.steps())]
    shutil.rmtree(home, ignore_errors=True)
    for name, (pattern, case) in PATTERNS.items():
        took = []
        for path, artifacts in found:
            options = [case] if case else []
            works = {
                "ours": library(pattern, artifacts, Options(case=case)),
                "rg": rg(pattern, path, *options),
            }
            took.append(medians(works, scale.runs))
        last = took[-1]
        yield Row(
            f"grep, {name}, one file of {scale.of(FULL, 1000) / 1e9:.3g} GB",
            Target(ratio=1.15),
            "`rg --json`",
            last["ours"] / last["rg"],
            last["ours"],
            tuple(each["ours"] for each in took),
        )


def artifacts_of(path: str, home: str) -> list[Artifact]:
    """The artifacts of a folder, or of one file."""
    from spillview.catalogue.catalogue import Query
    from spillview.places import Places

    catalogue = Catalogue.here(Places.of_home(home))
    artifacts = list(catalogue.scan(Query(paths=(path,))))
    catalogue.close()
    return artifacts


def large(scale: Scale) -> str:
    """1 GB of words in lines, a rare one at the end."""
    size = scale.of(FULL, 1000)
    [block] = text(100_000, 1)
    return made(f"grep-{size}", scale.folder, size, block, b"needle at the end\n")


def text(size: int, seed: int) -> Iterator[bytes]:
    """Blocks of words in lines, about `size` bytes."""
    dice = random.Random(seed)
    block = b"".join(b" ".join(dice.choices(WORDS, k=12)) + b"\n" for _ in range(2000))
    for _ in range(max(1, size // len(block))):
        yield block[: min(size, len(block))]


def make_one(folder: str, megabytes: int) -> None:
    """One large file, a rare word at its end."""
    with open(os.path.join(folder, "large.txt"), "wb") as out:
        for block in text(megabytes * 10**6, 1):
            out.write(block)
        out.write(b"needle at the end\n")


def make_many(folder: str, files: int) -> None:
    """`files` files of 20 kB in 200 folders, a rare word in one of a hundred."""
    [body] = text(20_000, 2)
    for number in range(files):
        below = os.path.join(folder, f"{number % 200:03}")
        os.makedirs(below, exist_ok=True)
        with open(os.path.join(below, f"{number:06}.txt"), "wb") as out:
            out.write(b"%d\n" % number + body)
            if number % 100 == 0:
                out.write(b"needle\n")


def timed(work: Callable[[], object]) -> float:
    """Seconds one run takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rg(pattern: str, folder: str, *options: str) -> Callable[[], object]:
    """ripgrep alone, as many threads as it likes."""
    command = [RG, "--no-config", "--json", "-a", "--no-ignore", "--hidden"]
    return lambda: subprocess.run(
        [*command, *options, "-e", pattern, folder],
        stdout=subprocess.DEVNULL,
        check=False,
    )


def library(
    pattern: str, artifacts: list[Artifact], options: Options | None = None
) -> Callable[[], object]:
    """The library, its messages thrown away."""

    def run() -> None:
        for _ in search(artifacts, pattern, options):
            pass

    return run


def command(folder: str, *words: str, env: dict[str, str]) -> Callable[[], object]:
    """The whole command."""
    return lambda: subprocess.run(
        [sys.executable, "-m", "spillview", "grep", *words, folder],
        stdout=subprocess.DEVNULL,
        env=env,
        check=False,
    )


def compare(name: str, ways: dict[str, Callable[[], object]]) -> None:
    """Run every way in turn; print medians and ratios to the first."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(RUNS):
        for way, work in ways.items():
            times[way].append(timed(work))
    base = statistics.median(times[next(iter(ways))])
    print(name)
    for way, taken in times.items():
        median = statistics.median(taken)
        print(f"  {way:<34}{median * 1e3:9.1f} ms {median / base:7.2f} x")


def main(arguments: list[str]) -> None:
    """Make the files, compare, clean up."""
    megabytes, files = (int(a) for a in arguments or ("1000", "20000"))
    with tempfile.TemporaryDirectory() as base:
        env: dict[str, Any] = {**os.environ, "HOME": os.path.join(base, "home")}
        os.makedirs(env["HOME"])
        for name, make, size in (
            (f"one file of {megabytes} MB", make_one, megabytes),
            (f"{files:,} files", make_many, files),
        ):
            folder = os.path.join(base, make.__name__)
            os.makedirs(folder)
            make(folder, size)
            env["PYTHONDONTWRITEBYTECODE"] = ""
            subprocess.run(
                [sys.executable, "-m", "spillview", "ls", "--json", folder],
                stdout=subprocess.DEVNULL,
                env=env,
                check=True,
            )
            artifacts = artifacts_of(folder, env["HOME"])
            for pattern in ("needle", "nowhere", "(?i)NEEDLE|nothing"):
                compare(
                    f"{name}, {pattern}",
                    {
                        "rg --json": rg(pattern, folder),
                        "search": library(pattern, list(artifacts)),
                        "spillview grep --json": command(
                            folder, "--json", "-e", pattern, env=env
                        ),
                        "spillview grep -l": command(
                            folder, "-l", "-e", pattern, env=env
                        ),
                    },
                )
        few = artifacts[:2000]
        paths = [a.found.path for a in few]
        seen = Seen(((0, 1000),))
        assert seen.bytes == 1000
        compare(
            "2,000 files, a match in every second line",
            {
                "rg --json": lambda: subprocess.run(
                    [RG, "--no-config", "--json", "-a", "error:", *paths],
                    stdout=subprocess.DEVNULL,
                    check=False,
                ),
                "search": library("error:", few),
            },
        )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"largest resident size of this process: {most:.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
