"""Reading and linking a large transcript, as a ratio to `rg -c` on the same file.

`python -m tests.bench transcripts`. The file holds short and long results, some of
12 MB, an envelope every thousand calls and reads of what was spilled. Read the ratios,
not the times.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from spillview.discovery.discovery import TranscriptFound
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.search.ripgrep import find_ripgrep
from spillview.transcripts import read_transcript
from spillview.transcripts.facts import TranscriptFacts
from tests.bench.large import FULL, peak_mebibytes
from tests.bench.table import Row, Scale, Target, medians, seconds
from tests.stores import Claude, envelope_of

RG = find_ripgrep().path
GROWTH = b'{"type":"assistant","message":{"content":[]}}\n' * 100
WORDS = [
    *("error", "build", "src/main.py", "warning", "line", "test", "passed", "import"),
    *("def", "return", "self", "config", "value", "module", "0x1f", '"quoted"'),
    *("path/to/file.rs", "notes.txt", "日本語"),
]


def transcript(folder: str, size: int) -> tuple[Path, int]:
    """A transcript of so many bytes, made when it is not there, and its envelopes."""
    home = Path(folder) / f"transcript-{size}"
    made = home / "envelopes"
    if not made.exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        path, mentions = make(home, size)
        made.write_text(f"{mentions} {path}")
    number, _, name = made.read_text().partition(" ")
    return Path(name), int(number)


def count_with_rg(path: Path) -> None:
    """The peer: how many lines hold a word that each call holds."""
    command = [RG, "--no-config", "-c", "tool_use", str(path)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def grown(path: Path) -> float:
    """Seconds for reading on after a transcript grew, by some kilobytes."""
    facts, size = read(path, None), path.stat().st_size
    try:
        with path.open("ab") as file:
            file.write(GROWTH)
        return seconds(lambda: read(path, facts))
    finally:
        os.truncate(path, size)


def rows(scale: Scale) -> Iterator[Row]:
    """Reading it all, and what it grew by."""
    took: list[float] = []
    for step in scale.steps():
        path, mentions = transcript(step.folder, step.of(FULL, 1 << 20))
        facts = read(path, None)
        if len(facts.mentions) != mentions:
            raise RuntimeError(f"{len(facts.mentions)} of {mentions} envelopes")
        works = {
            "rg": lambda path=path: count_with_rg(path),
            "ours": lambda path=path: read(path, None),
        }
        times = medians(works, min(3, step.runs))
        took.append(times["ours"])
    what = f"a transcript of {path.stat().st_size / 1e9:.3g} GB"
    yield Row(
        f"linking {what}, {mentions:,} envelopes",
        Target(ratio=8, megabytes=150),
        "`rg -c`",
        times["ours"] / times["rg"],
        times["ours"],
        tuple(took),
        peak_mebibytes(),
    )
    yield Row(
        f"{what}: what it grew by, {len(GROWTH) / 1e3:.1f} KB",
        Target(seconds=0.02),
        seconds=grown(path),
    )


@cache
def _profile() -> Profile:
    return load_profiles(Places.of_home(os.curdir))[0]["claude-code"]


def read(path: Path, previous: TranscriptFacts | None) -> TranscriptFacts:
    """The transcript's facts."""
    profile = _profile()
    facts = path.stat()
    found = TranscriptFound(
        "claude-code",
        "claude",
        str(path),
        path.stem,
        None,
        None,
        path.parent.name,
        facts.st_size,
        facts.st_mtime_ns,
        facts.st_dev,
        facts.st_ino,
        str(path.parents[1]),
        path.stem,
    )
    return read_transcript(found, profile, previous)


def text_of(dice: random.Random, size: int) -> str:
    """Lines of words, `size` chars in all or a little more."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(" ".join(dice.choices(WORDS, k=dice.randint(4, 14))))
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def make(folder: Path, size: int) -> tuple[Path, int]:
    """A transcript of about `size` bytes, and how many envelopes it holds."""
    dice = random.Random(7)
    pool = [
        text_of(dice, dice.choice([200, 800, 3000, 8000, 20_000])) for _ in range(99)
    ]
    huge = text_of(dice, 2_000_000) * 6
    main = Claude(folder)
    main.prompt("Work through the night")
    main.transcript.parent.mkdir(parents=True)
    mentions = calls = written = 0
    with main.transcript.open("wb") as file:
        while written < size:
            calls += 1
            text = dice.choice(pool)
            call = main.calls("Bash", f"toolu_{calls}", command="grep -rn TODO .")
            if calls % 1000 == 0:
                mentions += 1
                path = main.place(f"b{calls:08d}.txt")
                main.gets(call, envelope_of(path, text.encode(), text[:2000]))
                main.says("Read on.")
                again = main.calls("Bash", f"toolu_r{calls}", command=f"tail -5 {path}")
                main.gets(again, text[-200:])
            else:
                whole = huge if calls % 3000 == 1 else text
                main.gets(call, text, result={"stdout": whole, "stderr": ""})
            main.says(text[:300])
            block = b"\n".join(main.lines) + b"\n"
            main.lines.clear()
            file.write(block)
            written += len(block)
    return main.transcript, mentions
