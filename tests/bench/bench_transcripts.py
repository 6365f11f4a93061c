"""Reading a large transcript, as a ratio to `rg -c` on the same file.

Run by hand: `python -m tests.bench.bench_transcripts [BYTES]` (a gigabyte by default).
The file holds short and long results, some of 12 MB, an envelope every thousand calls
and reads of what was spilled. Memory is that of a process of its own.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from spillview.discovery import TranscriptFound
from spillview.places import Places
from spillview.profile import load_profiles
from spillview.transcripts import read_transcript
from spillview.transcripts.facts import TranscriptFacts
from tests.stores import Claude, envelope_of

ROUNDS = 3
WORDS = [
    *("error", "build", "src/main.py", "warning", "line", "test", "passed", "import"),
    *("def", "return", "self", "config", "value", "module", "0x1f", '"quoted"'),
    *("path/to/file.rs", "notes.txt", "日本語"),
]


def main() -> None:
    """Make the transcript, measure, print a table."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000_000
    folder = Path(tempfile.mkdtemp(prefix="spillview-bench-"))
    try:
        path, mentions = make(folder, size)
        print(f"{path.stat().st_size / 1e6:,.0f} MB, {mentions} envelopes")
        rg = shutil.which("rg") or "rg"
        peers: list[float] = []
        ours: list[float] = []
        for _ in range(ROUNDS):
            peers.append(timed(lambda: count_with(rg, path)))
            ours.append(timed(lambda: read(path, None)))
        facts = read(path, None)
        assert len(facts.mentions) == mentions, len(facts.mentions)
        peer, own = statistics.median(peers), statistics.median(ours)
        print(f"rg -c               {peer:8.3f} s   1.0")
        print(f"read_transcript     {own:8.3f} s   {own / peer:.1f}")
        with path.open("ab") as file:
            file.write(b'{"type":"assistant","message":{"content":[]}}\n' * 100)
        again = timed(lambda: read(path, facts))
        print(f"read on after growth{again:8.3f} s   {again / peer:.2f}")
        peak = subprocess.run(
            [sys.executable, "-m", __spec__.name, "--peak", path],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        print(f"peak memory         {int(peak) / 1024:8.0f} MB")
    finally:
        shutil.rmtree(folder)


def count_with(rg: str, path: Path) -> None:
    """The peer: how many lines hold a word that each call holds."""
    subprocess.run([rg, "-c", "tool_use", path], stdout=subprocess.DEVNULL, check=True)


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def read(path: Path, previous: TranscriptFacts | None) -> TranscriptFacts:
    """The transcript's facts."""
    profile = load_profiles(Places.of_home(str(path.parent)))[0]["claude-code"]
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


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        read(Path(sys.argv[2]), None)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    else:
        os.environ.setdefault("PYTHONHASHSEED", "0")
        print(json.dumps({"python": sys.version.split()[0]}))
        main()
