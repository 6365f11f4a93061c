"""From a key to its paint: in 10 million lines, and while everything else is at work.

python -m tests.bench keys

The whole program runs on a pty; a key is answered once the text that it brings into
sight was written. The 95th percentile of all keys.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator

from tests.bench.bench_lines import ten_million
from tests.bench.large import FULL, made
from tests.bench.sessions import home_in, make_session
from tests.bench.table import Row, Scale, Target, percentile
from tests.bench.terminal import Program

KEYS = 100
APART = 0.05
"""Seconds of silence between two single keys."""

HELD = 1 / 30
"""Seconds between two keys of one that is held down."""

LIST = b"make everything"
FIRST = 200
"""More lines than fit on the first screen."""

NUMBER = re.compile(rb"(\d{9}) x")
NUMBER_BYTES = 10
"""One less than a number has: the end of it may come with the next bytes."""

WITHIN = Target(seconds=0.01, megabytes=150)
ANSWERED = Target(seconds=0.05, megabytes=150)


class Lines:
    """The artifact of numbered lines, maximised, and which of them are in sight."""

    def __init__(self, program: Program) -> None:
        self.program = program
        program.press(b"\r", b" x x x")
        program.until(b"NEVER SEEN")  # now it is at its verdict
        program.calm()
        for key in (b"M", b"z"):  # one pane, without folds
            program.press(key)
            program.calm()
        program.press(b"g", b"000000000 x")
        program.calm()
        self.last = self.most(FIRST)
        """The number of the last line in sight."""

    def most(self, below: int = sys.maxsize) -> int:
        """The highest number (under `below`) that was written since the last key."""
        found = map(int, NUMBER.findall(self.program.written))
        return max((number for number in found if number < below), default=-1)

    def press(self, key: bytes, step: int) -> float:
        """Seconds until a key has brought the line `step` further down into sight."""
        self.last += step
        return self.program.press(key, b"%09d x" % self.last)

    def single(self, key: bytes, step: int, times: int = KEYS) -> list[float]:
        """One key after the other, each after a pause."""
        found = []
        for _ in range(times):
            found.append(self.press(key, step))
            self.program.calm(APART)
        return found

    def held(self, key: bytes, step: int, times: int = KEYS) -> list[float]:
        """A key that is held down: seconds until what each asked for was in sight."""
        program, begun = self.program, time.perf_counter()
        program.written = b""
        most = self.last
        sent: list[float] = []
        found: list[float] = []
        while len(found) < times:
            due = begun + len(sent) * HELD
            now = time.perf_counter()
            if len(sent) < times and now >= due:
                os.write(program.terminal, key)
                sent.append(time.perf_counter())
                continue
            program.read(max(0.0, due - now) if len(sent) < times else 1.0)
            now = time.perf_counter()
            most = max(most, self.most())
            program.written = program.written[-NUMBER_BYTES:]  # looked at only once
            shown = min(len(sent), (most - self.last) // step)
            found += [now - at for at in sent[len(found) : shown]]
            if now - begun > times * HELD + 30:
                raise TimeoutError(f"{len(found)} of {times} keys were answered")
        self.last += step * times
        return found


def started(home: str, shown: bytes = LIST) -> Program:
    """The program, once its list stands."""
    program = Program([sys.executable, "-m", "spillview"], home)
    program.until(shown)
    return program


def rows(scale: Scale) -> Iterator[Row]:
    """Single keys and held ones in ten million lines; keys while all is at work."""
    with home_in(scale.folder, "keys") as home:
        yield from calm(scale, home)
        yield from busy(scale, home)


def calm(scale: Scale, home: str) -> Iterator[Row]:
    """Keys in files of which the largest has ten million lines."""
    most = max(5, min(KEYS, scale.of(100 * KEYS)))
    found: dict[str, list[tuple[float, float]]] = {}
    for step in scale.steps():
        make_session(home, {"make everything": ten_million(step)})
        program = started(home)
        try:
            program.calm(1.0)
            lines = Lines(program)
            page = max(1, lines.last)  # a page less a row
            there = step.of(FULL, 100_000) // 100
            times = max(3, min(most, there // page // 2))
            moves = (("scroll by a row", b"j", 1), ("a page", b"f", page))
            for what, key, rows_down in moves:
                took = percentile(lines.single(key, rows_down, times))
                found.setdefault(what, []).append((took, program.memory()))
            took = percentile(lines.held(b"j", 1, times))
            found.setdefault("a held key", []).append((took, program.memory()))
        finally:
            program.end()
    size = f"{scale.of(FULL, 100_000) // 100:,} lines"
    for what, some in found.items():
        yield Row(
            f"{what} in {size}, key to paint, 95th percentile",
            WITHIN,
            seconds=some[-1][0],
            growth=tuple(took for took, _ in some),
            megabytes=some[-1][1],
        )


def busy(scale: Scale, home: str) -> Iterator[Row]:
    """Keys in a pager and in the filter while thousands are counted and linked."""
    body = b"".join(b"line %d of the output\n" % n for n in range(20_000))
    small = made("small", scale.folder, len(body), body, b"error: it failed\n")
    files = {"make everything": ten_million(scale)}
    files |= {f"make part-{n}": small for n in range(scale.of(5000, 3))}
    pages: list[float] = []
    typed: list[float] = []
    peak = 0.0
    for _ in range(max(1, scale.runs // 2)):
        make_session(home, files, more=scale.of(20_000, 3))
        program = started(home, b"make ")
        try:
            text = b"/"
            program.press(b"/")
            for letter in b"everything":
                text += bytes([letter])
                wanted = b"/ " + text[1:]
                typed.append(program.press(bytes([letter]), wanted, text[1:]))
                program.read(APART)
            time.sleep(1.0)  # its matches are listed
            program.calm()
            program.press(b"\r")
            program.calm()
            program.press(b"G")  # from its session to the artifact
            program.calm()
            lines = Lines(program)
            pages += lines.single(b"j", 1, max(5, min(KEYS, scale.of(KEYS))))
            peak = max(peak, program.memory())
        finally:
            program.end()
    work = f"while {len(files):,} artifacts are counted, linked and one indexed"
    for what, took in (("a row down in the pager", pages), ("a letter", typed)):
        yield Row(
            f"{what} {work}, key to paint, 95th percentile",
            ANSWERED,
            seconds=percentile(took),
            megabytes=peak,
            note=f"slowest {max(took) * 1e3:.0f} ms",
        )


def main() -> None:
    """Print the rows."""
    for row in rows(Scale(runs=3)):
        print(row)


if __name__ == "__main__":
    main()
