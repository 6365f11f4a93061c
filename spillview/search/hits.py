"""Hits of a pattern in one content of any size, from a position outwards.

ripgrep searches a window of the content at a time; nothing but the hits' offsets is
kept, so neither a line of 200 MB nor a million hits fill the memory.
"""

from __future__ import annotations

import contextlib
import os
import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from spillview.errors import BadInput, SpillError
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.layout.folding import Source

Hit = tuple[int, int]
"""Byte range `[start, end)` of one hit."""

Cancelled = Callable[[], bool]

FIRST_WINDOW = 1 << 20
LARGEST_WINDOW = 64 << 20
"""Bytes searched at once: little at first, so that a near hit is found at once."""

CONTEXT = 32 << 10
"""How far a window looks for the ends of its first and last line. In a longer line,
hits of more than this many bytes may be found in parts."""

FEED = 1 << 20
BATCH = 4096
"""Hits that are handed on together."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is searched for, in ripgrep's syntax."""

    text: str
    case: str = "-S"
    """ripgrep's option: `-S` (an upper-case letter makes it matter), `-i` or `-s`."""
    fixed: bool = False
    """Whether the text is searched for as it is, not as a regex."""

    def arguments(self) -> list[str]:
        """ripgrep's arguments for this pattern."""
        if "\0" in self.text:
            raise BadInput(r"a pattern cannot hold a NUL byte; write it as \x00")
        return [self.case, *(["-F"] if self.fixed else []), "-e", self.text]


def check(pattern: Pattern) -> None:
    """Raise `BadPattern` (or `NoRipgrep`) unless the pattern can be searched for."""
    from spillview.search.ripgrep import check_pattern, find_ripgrep

    check_pattern(find_ripgrep(), pattern.arguments())


@dataclass(slots=True)
class Hits:
    """The hits known so far: all those that begin in `[low, high)`."""

    low: int
    high: int
    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))

    def __len__(self) -> int:
        return len(self.starts)

    def extend(self, hits: list[Hit], high: int) -> None:
        """Add hits found from `high` on, which is now known up to the new `high`."""
        self.starts.extend(start for start, _ in hits)
        self.ends.extend(end for _, end in hits)
        self.high = high

    def prepend(self, hits: list[Hit], low: int) -> None:
        """Add the hits of a stretch that ends at `low`; the new `low` is its start."""
        self.starts = array("Q", (start for start, _ in hits)) + self.starts
        self.ends = array("Q", (end for _, end in hits)) + self.ends
        self.low = low

    def next(self, byte: int) -> int | None:
        """Which hit is the first that begins at or after `byte`."""
        at = bisect_left(self.starts, byte)
        return at if at < len(self.starts) else None

    def previous(self, byte: int) -> int | None:
        """Which hit is the last that begins before `byte`."""
        at = bisect_left(self.starts, byte) - 1
        return at if at >= 0 else None

    def touching(self, start: int, end: int) -> list[Hit]:
        """The hits that have bytes in `[start, end)`."""
        at = bisect_left(self.ends, start + 1)
        found: list[Hit] = []
        while at < len(self.starts) and self.starts[at] < end:
            found.append((self.starts[at], self.ends[at]))
            at += 1
        return found


def after(
    source: Source, byte: int, pattern: Pattern, cancelled: Cancelled
) -> Iterator[tuple[list[Hit], int]]:
    """Hits from `byte` to the end in order: batches, and how far all are known."""
    window = FIRST_WINDOW
    at = byte
    while at < source.size and not cancelled():
        stop = min(source.size, at + window)
        last = at
        for batch in _search(source, at, stop, pattern, cancelled):
            last = batch[-1][0] + 1
            yield batch, last
        if cancelled():
            return
        yield [], stop
        at = stop
        window = min(LARGEST_WINDOW, window * 4)


def before(
    source: Source, byte: int, pattern: Pattern, cancelled: Cancelled
) -> Iterator[tuple[list[Hit], int]]:
    """Hits before `byte`, a stretch at a time: its hits in order, and its start."""
    window = FIRST_WINDOW
    stop = min(byte, source.size)
    while stop > 0 and not cancelled():
        at = max(0, stop - window)
        found = [
            hit
            for batch in _search(source, at, stop, pattern, cancelled)
            for hit in batch
        ]
        if cancelled():
            return
        yield found, at
        stop = at
        window = min(LARGEST_WINDOW, window * 4)


def _search(
    source: Source, low: int, high: int, pattern: Pattern, cancelled: Cancelled
) -> Iterator[list[Hit]]:
    """The hits that begin in `[low, high)`, in batches that are never empty."""
    from spillview.search.ripgrep import Run, find_ripgrep

    begin, end = _line_around(source, low, high)
    reading, writing = os.pipe()
    arguments = [
        "--only-matching",
        "--byte-offset",
        "--no-line-number",
        "--no-filename",
        "--encoding=none",
        *pattern.arguments(),
    ]
    try:
        run = Run(find_ripgrep(), arguments, ["-"], stdin=reading)
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    problem: list[SpillError] = []
    feeder = threading.Thread(
        target=_feed, args=(source, begin, end, writing, problem), daemon=True
    )
    feeder.start()
    batch: list[Hit] = []
    after_last = low
    try:
        for start, stop in _offsets(run.chunks(cancelled), begin):
            if start >= high or (len(batch) == BATCH and cancelled()):
                break
            if start < after_last:
                continue
            after_last = max(stop, start + 1)
            if len(batch) == BATCH:
                yield batch
                batch = []
            batch.append((start, stop))
        if batch and not cancelled():
            yield batch
    finally:
        run.close()
        feeder.join()
    if problem and not cancelled():
        raise problem[0]


def _feed(
    source: Source, begin: int, end: int, descriptor: int, problem: list[SpillError]
) -> None:
    """Write `[begin, end)` to ripgrep's input until it has enough."""
    try:
        with contextlib.suppress(BrokenPipeError):
            while begin < end:
                data = memoryview(source.pread(begin, min(FEED, end - begin)))
                if not data:
                    break
                begin += len(data)
                while data:
                    data = data[os.write(descriptor, data) :]
    except SpillError as error:
        problem.append(error)
    finally:
        os.close(descriptor)


def _line_around(source: Source, low: int, high: int) -> tuple[int, int]:
    """What ripgrep must read so that lines near both ends are whole."""
    base = max(0, low - CONTEXT)
    at = source.pread(base, low - base).rfind(b"\n")
    begin = base + at + 1
    at = source.pread(high - 1, CONTEXT).find(b"\n") if high else -1
    end = high + at if at >= 0 else min(source.size, high + CONTEXT)
    return begin, end


def _offsets(chunks: Iterator[bytes], base: int) -> Iterator[Hit]:
    """Byte ranges from lines `offset:text`, of which any may be longer than memory."""
    held = b""
    long: tuple[int, int] | None = None
    for chunk in chunks:
        if long is not None:
            at = chunk.find(b"\n")
            if at < 0:
                long = (long[0], long[1] + len(chunk))
                continue
            yield long[0], long[1] + at
            long = None
            chunk = chunk[at + 1 :]
        whole, newline, rest = (held + chunk).rpartition(b"\n")
        if newline:
            for line in whole.split(b"\n"):
                colon = line.find(b":")
                start = base + int(line[:colon])
                yield start, start + len(line) - colon - 1
        held = rest
        colon = held.find(b":")
        if len(held) > CONTEXT and colon >= 0:
            start = base + int(held[:colon])
            long = (start, start + len(held) - colon - 1)
            held = b""
