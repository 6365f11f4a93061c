"""Pure functions of bytes, each with an oracle that shares no code with it.

A check takes a batch of inputs and gives how many different questions it put to the
function under test; it raises `Differs` with the smallest input it can name.
"""

from __future__ import annotations

import codecs
import random
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from spillview.content.codepoints import (
    _if_valid,
    chars,
    double_quotes,
    escaped_quotes,
    first_char,
    is_ascii,
    line_feeds,
    whole,
)
from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.content.lines import LineIndex
from spillview.content.pages import PageUnit, page
from spillview.text import printable
from tests.fuzz import inputs

Check = Callable[[Sequence[bytes]], int]


class Differs(AssertionError):
    """The function and its oracle do not agree about an input."""


def same(what: str, data: object, got: object, wanted: object) -> None:
    """Raise `Differs` unless what was got is what was wanted."""
    if got != wanted:
        raise Differs(f"{what} of {data!r}: {got!r}, not {wanted!r}")


# Characters


_errors: list[tuple[int, int]] = []


def _noted(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    _errors.append((error.start, error.end))
    return "\ufffd", error.end


codecs.register_error("fuzz-noted", _noted)


def starts_of(data: bytes) -> np.ndarray:
    """Where each character begins, by what the decoder says of each of its errors."""
    _errors.clear()
    data.decode("utf-8", "fuzz-noted")
    raw = np.frombuffer(data, dtype=np.uint8)
    starts = (raw & 0xC0) != 0x80
    for begin, end in _errors:
        starts[begin:end] = False
        starts[begin] = True
    return np.flatnonzero(starts)


def check_codepoints(batch: Sequence[bytes]) -> int:
    """Counts of characters, halves, LFs and quotes, and where a block may be cut."""
    good: list[bytes] = []
    for data in batch:
        text = data.decode("utf-8", "replace")
        points, high = len(text), text.isascii()
        wide = 0 if high else len(text.encode("utf-16-le")) // 2 - points
        valid = high or "\ufffd" not in text or _valid(data)
        if chars(data) != (points, wide, valid):
            same("chars", data, chars(data), (points, wide, valid))
        end = whole(data)
        if end != len(data):
            apart = data[:end].decode("utf-8", "replace"), data[end:]
            if apart[0] + apart[1].decode("utf-8", "replace") != text or not (
                0 < len(data) - end <= 3
            ):
                same("whole", data, end, "a place where it may be cut")
        elif data and data[-1] >= 0x80:
            # Nothing that comes next can belong to it.
            for more in _CONTINUING:
                joined = (data + more).decode("utf-8", "replace")
                if joined != text + more.decode("utf-8", "replace"):
                    same("whole", (data, more), end, "a place before its end")
        # As vectors see it: what is called valid is, and has these numbers.
        vectors = _if_valid(data, end)
        if vectors != _NOT and end == len(data):
            same("_if_valid", data, (*vectors, True), (points, wide, valid))
        elif valid and end == len(data):
            same("_if_valid", data, vectors, (points, wide))
        if valid:
            good.append(data)
        if line_feeds(data) != data.count(b"\n"):
            same("line_feeds", data, line_feeds(data), data.count(b"\n"))
        if is_ascii(data) != data.isascii():
            same("is_ascii", data, is_ascii(data), data.isascii())
        if b'"' in data:
            same("double_quotes", data, double_quotes(data), data.count(b'"'))
            escaped = escaped_quotes(data)
            if escaped is not None:
                same("escaped_quotes", data, escaped, _escaped(data))
        if data:
            first = first_char(data)
            if data[:first].decode("utf-8", "replace") != text[0]:
                same("first_char", data, first, text[0])
    for many in (b"".join(batch), b"".join(good)):
        text = many.decode("utf-8", "replace")
        wide = len(text.encode("utf-16-le")) // 2 - len(text)
        same("chars", many, chars(many), (len(text), wide, _valid(many)))
    return len(batch)


def _valid(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


_NOT = (-1, 0)
_CONTINUING = (b"\x80", b"\x90\x80", b"\xa0\xbf\x80", b"\xbf\x80\x80")


def _escaped(data: bytes) -> int:
    """Quotes behind an odd number of backslashes, one byte after the other."""
    found = run = 0
    for byte in data:
        found += byte == 0x22 and run % 2
        run = run + 1 if byte == 0x5C else 0
    return found


# Lines


def check_lines(batch: Sequence[bytes]) -> int:
    """Where every line and every character begins, in an index of small blocks."""
    rng = random.Random(hash(batch[0]) ^ len(batch))
    content = BytesContent(rng.choice((b"", b"\n", b"\r\n")).join(batch))
    data = content.pread(0, content.size)
    index = LineIndex(content, block=rng.choice((8, 9, 16, 31, 64, 256, 4096)))
    while not index.extend(rng.choice((1, 100, 10_000, None))):
        pass
    raw = np.frombuffer(data, dtype=np.uint8)
    feeds = np.flatnonzero(raw == 0x0A)
    begins = np.concatenate(([0], feeds + 1))
    begins = begins[begins < len(data)]
    starts = starts_of(data)
    same("lines", data, index.lines, len(begins))
    same("chars", data, index.chars, len(starts))
    asked = 0
    for number, start in enumerate(begins.tolist(), 1):
        if index.line_start(number) != start:
            same(f"line {number}", data, index.line_start(number), start)
        asked += 1
    same("the line after", data, index.line_start(len(begins) + 1), None)
    some = rng.sample(range(len(data)), min(len(data), 512))
    lines = np.searchsorted(begins, some, "right").tolist()
    numbers = (np.searchsorted(starts, some, "right") - 1).tolist()
    for place, line, number in zip(some, lines, numbers, strict=True):
        if index.line_at(place) != line:
            same(f"the line at {place}", data, index.line_at(place), line)
        if index.char_at(place) != number:
            same(f"the char at {place}", data, index.char_at(place), number)
        asked += 2
    for number in rng.sample(range(len(starts)), min(len(starts), 512)):
        if index.char_start(number) != starts[number]:
            same(f"char {number}", data, index.char_start(number), starts[number])
        asked += 1
    return asked


# Pages


UNITS: tuple[PageUnit, ...] = ("line", "char", "byte")


def check_pages(batch: Sequence[bytes]) -> int:
    """Pages follow each other, joined they are the content, none splits a character."""
    rng = random.Random(hash(batch[0]) ^ len(batch))
    asked = 0
    for at in range(0, len(batch), 128):
        data = rng.choice((b"", b"\n")).join(batch[at : at + 128])
        content = BytesContent(data)
        index = LineIndex(content, block=rng.choice((8, 64, 1024)))
        starts = {*starts_of(data).tolist(), len(data)}
        unit = rng.choice(UNITS)
        limit = rng.choice((1, 2, 3, 7, 20, 100))
        offset: int | None = 1 if unit == "line" else 0
        place = 0
        while offset is not None:
            got = page(content, index, unit, offset, limit)
            asked += 1
            where = (unit, offset, limit, data)
            same("the page's begin", where, got.start, place)
            same("the page's bytes", where, got.data, data[place : got.end])
            if data:
                same("whether it is empty", where, got.end > got.start, True)
            same("a cut at a char", where, got.end in starts, True)
            if unit == "line":
                feeds = got.data.count(b"\n")
                ended = got.end == len(data) or got.data.endswith(b"\n")
                same("a cut at a line", where, ended and feeds <= limit, True)
            if got.next_offset is not None:
                same("whether it goes on", where, got.next_offset > offset, True)
            place, offset = got.end, got.next_offset
        same("all pages", (unit, limit, data), place, len(data))
    return asked


# Counts


def check_counts(batch: Sequence[bytes]) -> int:
    """The facts of a content, block by block, whatever the block's size."""
    rng = random.Random(hash(batch[0]) ^ len(batch))
    asked = 0
    for data in batch:
        text = data.decode("utf-8", "replace")
        # An escape sequence that a block ends in is told by a block that holds it.
        block = 1 << 18 if b"\x1b" in data else rng.choice((8, 9, 13, 64))
        got = count(BytesContent(data), block=block, utf8=True)
        feeds = data.count(b"\n")
        lines = feeds + (bool(data) and not data.endswith(b"\n"))
        wanted = (
            len(data),
            len(text),
            len(text.encode("utf-16-le")) // 2,
            lines,
        )
        same("counts", data, (got.bytes, got.chars, got.utf16, got.lines), wanted)
        last = _last_line(data)
        line = got.verdict
        found = None if line is None else (line.number, line.start, line.end)
        same("the last line", data, found, last)
        asked += 1
    return asked


_SILENT = re.compile(r"\0|\x1b\[[0-?]*[ -/]*[@-~]")
"""What a terminal shows nothing of, as far as it is made here."""


def _last_line(data: bytes) -> tuple[int, int, int] | None:
    """Number and bytes of the last line that is not blank, without its CRs and LF."""
    start, best = 0, None
    for number, line in enumerate(data.split(b"\n"), 1):
        text = _SILENT.sub("", line.decode("utf-8", "replace"))
        if text and not text.isspace():
            best = number, start, start + len(line.rstrip(b"\r"))
        start += len(line) + 1
    return best


# Text for a screen


@cache
def _shown() -> tuple[np.ndarray, np.ndarray]:
    """By code point: what it may become (-1: itself alone), and whether two are fine.

    Made from the categories of Unicode, not from the table of the program.
    """
    wanted = np.full(sys.maxunicode + 1, -1, dtype=np.int64)
    free = np.zeros(sys.maxunicode + 1, dtype=bool)
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if code < 0x20:
            wanted[code] = 0x2400 + code
        elif code == 0x7F:
            wanted[code] = 0x2421
        elif category in ("Cc", "Cs", "Zl", "Zp") or (
            category == "Cf" and code not in _VISIBLE
        ):
            wanted[code] = 0xFFFD
        elif category in ("Lo", "Mn", "Cn") and wanted[code] < 0:
            free[code] = True  # fillers and selectors may be hidden, letters not
    return wanted, free


_VISIBLE = {
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
}  # fmt: skip
"""Format characters that are drawn: signs above the numbers that follow them."""
CODES = 1 << 20
"""Code points in one text for `printable`."""


def check_printable(codes: np.ndarray) -> int:
    """Each four code points are one text; none keeps what a terminal obeys."""
    wanted, free = _shown()
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    escapes = (codes >= 0xDC80) & (codes < 0xDD00)
    shown = printable(text)
    got = np.frombuffer(shown.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(
        np.int64
    )
    lengths = np.where(escapes, 4, 1)
    same("the length", "a text", len(got), int(lengths.sum()))
    places = np.cumsum(lengths) - lengths
    first = got[places]
    target = wanted[codes]
    target = np.where(target < 0, codes, target)
    good = (first == target) | (free[codes] & (first == 0xFFFD))
    good |= escapes & (first == ord("\\"))
    if not good.all():
        worst = int(np.flatnonzero(~good)[0])
        same("printable", hex(int(codes[worst])), hex(int(first[worst])), "safe")
    return len(codes) // 4


def code_points(seed: int) -> Iterator[np.ndarray]:
    """Every code point, then arrays of them: half of all, half of those that matter."""
    yield np.arange(sys.maxunicode + 1, dtype=np.int64)
    rng = np.random.default_rng(seed)
    wanted, free = _shown()
    matter = np.flatnonzero((wanted >= 0) | free)
    edges = np.unique(np.concatenate((matter - 1, matter + 1))) % (sys.maxunicode + 1)
    while True:
        every = rng.integers(0, sys.maxunicode + 1, CODES)
        some = rng.choice(np.concatenate((matter, edges)), CODES)
        yield np.where(rng.random(CODES) < 0.5, every, some)


# All of them

BYTEWISE: dict[str, Check] = {
    "codepoints": check_codepoints,
    "lines": check_lines,
    "pages": check_pages,
    "counts": check_counts,
}


def runs(name: str, seed: int, *, deep: bool) -> Iterator[int]:
    """Put batch after batch to a target; each step gives how many inputs it had."""
    if name == "printable":
        yield from map(check_printable, code_points(seed))
        return
    check = BYTEWISE[name]
    size = 512 if name == "lines" else inputs.BATCH
    if deep:
        yield from map(check, inputs.batches(inputs.short(deep=True), size))
    yield from map(check, inputs.batches(inputs.made(seed), size))
