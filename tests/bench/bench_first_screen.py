"""From Enter to the text of an artifact on the screen, whatever the artifact is.

python -m tests.bench first_screen

Each start is a new process on a pty, with an empty cache for the first screen of a
`first` start: Enter comes as soon as the list stands, while counting goes on.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.bench.bench_lines import ten_million
from tests.bench.large import made
from tests.bench.sessions import home_in, make_session
from tests.bench.table import Row, Scale, Target
from tests.bench.terminal import Program

LIST = b"make everything"
LATER = 0.2
"""Seconds between the list and the first key: nobody is quicker."""

END = b"the very end"


@dataclass(frozen=True, slots=True)
class Kind:
    """A file, and what is on its first screen."""

    name: str
    path: str
    top: bytes
    """On the screen where it opens at its beginning."""
    end: bytes = END
    """On the screen where it opens at its verdict."""


def json_line(scale: Scale) -> str:
    """200 MB of JSON without one line end."""
    block = b"".join(b'{"id": %d, "price": %d.5}, ' % (n, n) for n in range(50_000))
    size = scale.of(200_000_000, 1000)
    begin = b'{"first": [' + block
    return made(f"json-{size}", scale.folder, size, begin, b'"the very end"]}')


def long_line(scale: Scale) -> str:
    """A line of 10 MB between two short ones."""
    size = scale.of(10_000_000, 1000)
    line = b"first\nthe long line " + b"z" * size + b"\n"
    return made(f"long-{size}", scale.folder, len(line), line, END + b"\n")


def wide(scale: Scale) -> str:
    """100 MB of UTF-16."""
    text = "".join(f"{n:09} 広い行 wide\n" for n in range(20_000))
    block = ("\ufeff" + text).encode("utf-16-le")
    size = max(1, scale.of(100_000_000) // len(block)) * len(block)
    end = "the very end\n".encode("utf-16-le")
    return made(f"wide-{size}", scale.folder, size, block, end)


def packed(scale: Scale) -> str:
    """200 MB that are no text, with the head of a gzip file."""
    size = scale.of(200_000_000, 1000)
    block = b"\x1f\x8b\x08 not unpacked \x00\xff\xfe" + bytes(range(256)) * 4000
    return made(f"packed-{size}", scale.folder, size, block, b"\n" + END + b"\n")


def kinds(scale: Scale) -> list[Kind]:
    """Every kind of file, made where it is not there."""
    lines, one, long, utf16, binary = (
        make(scale) for make in (ten_million, json_line, long_line, wide, packed)
    )
    return [
        Kind(named("lines", lines), lines, b"000000003", b" x x"),
        Kind(named("JSON in one line", one), one, b'{"first": [', b'"]}'),
        Kind(named("a long line in the middle", long), long, b"the long line"),
        Kind(named("UTF-16", utf16), utf16, "広い行".encode()),
        Kind(named("no text", binary), binary, b"not unpacked"),
    ]


def named(what: str, path: str) -> str:
    """What it is, and its size."""
    return f"{os.path.getsize(path) / 1e6:,.3g} MB of {what}"


@dataclass(slots=True)
class Seconds:
    """What one start took."""

    first: list[float]
    again: list[float]
    end: list[float]
    megabytes: float = 0.0


def opened(kind: Kind, scale: Scale) -> Seconds:
    """Enter on the artifact in starts of which the first has an empty cache."""
    with home_in(scale.folder, "first") as home:
        return _opened(kind, scale.runs, home)


def _opened(kind: Kind, runs: int, home: str) -> Seconds:
    found = Seconds([], [], [])
    for _ in range(runs):
        make_session(home, {"make everything": kind.path})
        for times in (found.first, found.again):
            program = Program([sys.executable, "-m", "spillview"], home)
            try:
                program.until(LIST)
                rest(program, LATER)
                times.append(program.press(b"\r", kind.top, kind.end))
                program.until(b"NEVER SEEN")  # now it is at its verdict
                program.calm()
                program.press(b"g", kind.top)
                program.calm()
                found.end.append(program.press(b"G", kind.end))
                program.calm()
                found.megabytes = max(found.megabytes, program.memory())
            finally:
                program.end()
    return found


def rest(program: Program, seconds: float) -> None:
    """Read on for so long."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        program.read(left)


def rows(scale: Scale) -> Iterator[Row]:
    """A row per kind; then the jump past a long line."""
    for place, kind in enumerate(kinds(scale)):
        found = opened(kind, scale)
        growth: tuple[float, ...] = ()
        if place < 2:
            growth = tuple(
                statistics.median(opened(kinds(step)[place], step).first)
                for step in scale.steps()[:2]
            )
        first, again = map(statistics.median, (found.first, found.again))
        yield Row(
            f"first screen of {kind.name}, from the key press",
            Target(seconds=0.1, megabytes=150),
            seconds=max(first, again),
            growth=(*growth, first) if growth else (),
            megabytes=found.megabytes,
            note=f"new {first * 1e3:.0f} ms, counted before {again * 1e3:.0f} ms",
        )
        if "long line" in kind.name:
            yield Row(
                f"jump to the end, past {kind.name}",
                Target(seconds=0.1),
                seconds=statistics.median(found.end),
            )


def main(print_row: Callable[[Row], object] = print) -> None:
    """Print the rows."""
    for row in rows(Scale(runs=3)):
        print_row(row)


if __name__ == "__main__":
    main()
