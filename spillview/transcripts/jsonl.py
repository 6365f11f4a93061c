"""Records of a JSON Lines transcript, one LF-ended line each, in bounded memory.

A transcript may be gigabytes long and damaged: cut lines, NUL padding, a last line
that is still being written. Only LF ends a record; what cannot be read is counted and
the rest goes on. Lines are looked at through byte needles first, because parsing every
record of a large transcript takes many times as long as reading it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from stringzilla import count, find

from spillview.transcripts.facts import load

CHUNK = 1 << 20
"""Bytes read at a time."""

LIMIT = 64 << 20
"""A record longer than this is skipped and counted, never held in memory."""

EXACT = 64 << 20
"""Transcripts up to this size are parsed whole, so that every broken record is
counted. In larger ones a record without a needle is only looked at: it must begin and
end as an object, and no other may begin inside it."""


@dataclass(slots=True)
class Record:
    """One parsed record."""

    number: int
    """1-based line in the transcript."""
    offset: int
    length: int
    """Byte range in the (decompressed) transcript, without the LF."""
    hits: int
    """Bit i is set when needle i stands in it."""
    value: dict[str, Any]


Choice = Callable[[int, bytes], bool]
"""Given a line's needle bits and its bytes: is the record wanted?"""


class Scanner:
    """Walks the lines of a stream of chunks and parses those that are wanted.

    Iterating gives a `Record` for each wanted line that holds an object. `offset`,
    `number` say where the stream begins. After the walk `records`, `skipped`,
    `number`, `consumed` and `unfinished` say what was passed.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        needles: tuple[bytes, ...],
        wanted: Choice,
        *,
        offset: int = 0,
        number: int = 0,
        idle: Callable[[], bool] = lambda: False,
        opening: bytes = b"",
        exact: bool = True,
        joint: bool = False,
    ) -> None:
        self.chunks = chunks
        self.needles = needles
        self.wanted = wanted
        self.idle = idle
        """Whether a line without a needle cannot be wanted now."""
        self.opening = opening
        """How most records begin: one in the middle of a line was glued to it."""
        self.exact = exact
        self.number = number
        """Line ends passed."""
        self.consumed = offset
        """Offset just past the last line taken in."""
        self.records = 0
        self.skipped = 0
        self.unfinished = False
        """True when the stream ended inside a record."""
        self.last: list[tuple[int, int]] = []
        """Byte ranges of the last few lines that hold records."""
        self.joint = joint
        """True when the last line was taken in without its LF."""

    def __iter__(self) -> Iterator[Record]:
        carry: list[bytes] = []
        held = 0
        for chunk in self.chunks:
            start = 0
            if carry or held:
                end = chunk.find(b"\n")
                if end < 0:
                    held = self._hold(carry, held, chunk)
                    continue
                held = self._hold(carry, held, chunk[:end])
                yield from self._line(b"".join(carry), held)
                carry, held, start = [], 0, end + 1
            stop = chunk.rfind(b"\n") + 1
            if stop > start:
                yield from self._lines(chunk, start, stop)
                start = stop
            if start < len(chunk):
                held = self._hold(carry, held, chunk[start:])
        if held:
            yield from self._end(b"".join(carry), held)

    @staticmethod
    def _hold(carry: list[bytes], held: int, piece: bytes) -> int:
        """Keep `piece` of an open line, or nothing of a line past the limit."""
        held += len(piece)
        if held <= LIMIT:
            carry.append(piece)
        else:
            carry.clear()
        return held

    def _lines(self, chunk: bytes, start: int, stop: int) -> Iterator[Record]:
        """The whole lines in `chunk[start:stop]`, which ends with an LF."""
        hits = self._hits(chunk, start, stop)
        marked = sorted(hits)
        clean = not self.exact and self._clean(chunk, start, stop)
        base = self.consumed - start
        self._note_last(chunk, start, stop, base)
        at, following = start, 0
        while at < stop:
            while following < len(marked) and marked[following] < at:
                following += 1
            if clean and not self.joint and self.idle():
                ahead = marked[following] if following < len(marked) else stop
                if ahead > at:
                    passed = count(chunk, b"\n", at, ahead)
                    self.number += passed
                    self.records += passed
                    at = ahead
                    continue
            end = chunk.find(b"\n", at)
            self._number_line()
            bits = hits.get(at, 0)
            first, at = at, end + 1
            if not self.exact and (clean or _shaped(chunk, first, end)):
                data = chunk[first:end] if bits or not self.idle() else b""
                if not data or not self.wanted(bits, data):
                    self.records += 1
                    continue
            record = self._parse(chunk[first:end], bits, base + first, end - first)
            self.consumed = base + at
            if record is not None:
                yield record
        self.consumed = base + stop

    def _number_line(self) -> None:
        """Count a line; the rest of one that was taken in before its end is none."""
        if self.joint:
            self.joint = False
        else:
            self.number += 1

    def _hits(self, chunk: bytes, start: int, stop: int) -> dict[int, int]:
        """For each line with a needle, by its start: the bits of its needles."""
        hits: dict[int, int] = {}
        for bit, needle in enumerate(self.needles):
            at = start
            while at < stop and (step := find(chunk, needle, at, stop)) >= 0:
                line = chunk.rfind(b"\n", start, step) + 1 or start
                hits[line] = hits.get(line, 0) | 1 << bit
                at = chunk.find(b"\n", step) + 1
        return hits

    def _clean(self, chunk: bytes, start: int, stop: int) -> bool:
        """Whether every line begins and ends as an object and none looks glued."""
        lines = count(chunk, b"\n", start, stop)
        if chunk[start] != 0x7B or chunk[stop - 2 : stop - 1] != b"}":
            return False
        if count(chunk, b"}\n{", start, stop) != lines - 1:
            return False
        if not self.opening:
            return True
        begun = count(chunk, b"\n" + self.opening, start, stop)
        begun += chunk.startswith(self.opening, start)
        return bool(count(chunk, self.opening, start, stop) == begun)

    def _note_last(self, chunk: bytes, start: int, stop: int, base: int) -> None:
        end = stop - 1
        for _ in range(8):
            first = chunk.rfind(b"\n", start, end) + 1 or start
            self.last.append((base + first, end - first))
            end = first - 1
            if end < start:
                break
        self.last = sorted(self.last[-16:])

    def _line(self, data: bytes, length: int) -> Iterator[Record]:
        """One line that came in several chunks; `data` is empty past the limit."""
        self._number_line()
        offset = self.consumed
        hits = 0
        if length <= LIMIT:
            self.last = [*self.last[-15:], (offset, length)]
            for bit, needle in enumerate(self.needles):
                if find(data, needle) >= 0:
                    hits |= 1 << bit
        if length > LIMIT:
            self.skipped += 1
        elif (
            not self.exact
            and _shaped(data, 0, length)
            and not ((hits or not self.idle()) and self.wanted(hits, data))
        ):
            self.records += 1
        else:
            record = self._parse(data, hits, offset, length)
            self.consumed = offset + length + 1
            if record is not None:
                yield record
        self.consumed = offset + length + 1

    def _end(self, data: bytes, length: int) -> Iterator[Record]:
        """What stands after the last LF: a whole record, or one still being written.

        Nothing can be added to a whole object that keeps it one record, so a last line
        that parses is taken in; any other is left for the next time.
        """
        if length > LIMIT or not _text(data, self.consumed):
            self.unfinished = True
            return
        before = (self.records, self.skipped, self.number, list(self.last))
        consumed = self.consumed
        exact, self.exact = self.exact, True
        yield from self._line(data, length)
        self.exact = exact
        if self.skipped > before[1]:
            self.records, self.skipped, self.number, self.last = before
            self.consumed = consumed
            self.unfinished = True
        else:
            self.consumed = consumed + length
            self.joint = True

    def _parse(self, data: bytes, hits: int, offset: int, length: int) -> Record | None:
        """The record in a line if it is wanted; counts it, or what cannot be read."""
        text = _text(data, offset)
        if not text:
            # An empty line loses nothing; a line of NULs stands for a lost record.
            if b"\0" in data:
                self.skipped += 1
            return None
        try:
            value = load(text)
        except ValueError:
            self.skipped += 1
            return None
        if not isinstance(value, dict):
            self.skipped += 1
            return None
        self.records += 1
        if not (hits or not self.idle()) or not self.wanted(hits, data):
            return None
        return Record(self.number, offset, length, hits, value)


def _text(data: bytes, offset: int) -> bytes:
    """A line without padding, and without the byte order mark of a file's start."""
    text = data.strip(b"\0 \t\r")
    return text.removeprefix(b"\xef\xbb\xbf") if offset == 0 else text


def _shaped(data: bytes, start: int, end: int) -> bool:
    """Whether a line begins and ends as an object and its quotes pair.

    An escaped backslash before a closing quote can make a good line look odd; it is
    then parsed, which decides.
    """
    if end <= start or data[start] != 0x7B or data[end - 1] != 0x7D:
        return False
    quotes = count(data, b'"', start, end)
    escaped = count(data, b'\\"', start, end)
    return bool((quotes - escaped) % 2 == 0)


def pieces(
    pread: Callable[[int, int], bytes],
    start: int,
    end: int,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[bytes]:
    """Chunks of `[start, end)`, ending early at the file's end or when cancelled."""
    while start < end and not (cancelled is not None and cancelled()):
        chunk = pread(start, min(CHUNK, end - start))
        if not chunk:
            return
        yield chunk
        start += len(chunk)
