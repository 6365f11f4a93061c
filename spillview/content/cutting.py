"""What a plain head cut at a boundary keeps of a content."""

from __future__ import annotations

import codecs

from spillview.hints import TYPE_CHECKING
from spillview.model import Boundary, Counts

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.seen.seen import Survival

BLOCK = 1 << 18
"""Bytes read at a time."""

PARSED = 64 << 20
"""What is kept is parsed as JSON up to this size, and not judged beyond."""


def cut(content: Content, counts: Counts, boundary: Boundary) -> Survival:
    """The survival of `content`, whose sizes are `counts`, at `boundary`."""
    from spillview.seen.seen import Survival

    whole = counts.size_in(boundary.unit) <= boundary.size
    wide = counts.encoding if counts.encoding.startswith("utf-16") else None
    kept = content.size if whole else _cut_at(content, boundary, wide)
    if whole or kept >= content.size:
        lines = counts.lines
    else:
        lines = _feeds(content, kept, wide)
    verdict = counts.verdict
    parses, error = _parses(content, counts, kept, wide)
    return Survival(
        boundary,
        kept,
        lines,
        counts.lines,
        None if verdict is None else verdict.end <= kept,
        parses,
        error,
    )


def _cut_at(content: Content, boundary: Boundary, wide: str | None) -> int:
    """The byte at which the cut falls."""
    size, unit = boundary.size, boundary.unit
    if unit == "bytes":
        return min(size, content.size)
    if unit == "tokens":
        return min(size * 4, content.size)
    if unit == "lines":
        return _after_feeds(content, size, wide)
    if wide is not None:
        return _wide_at(content, size, wide, units=unit == "utf16")
    return _narrow_at(content, size, units=unit == "utf16")


def _narrow_at(content: Content, size: int, *, units: bool) -> int:
    """The byte just past the first `size` chars (or UTF-16 units) of UTF-8 text.

    A char of two units that the cut would split is left out.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    left, at = size, 0
    while at < content.size:
        data = content.pread(at, BLOCK)
        final = at + len(data) >= content.size
        held = len(decoder.getstate()[0])
        text = decoder.decode(data, final)
        total = _units(text) if units else len(text)
        if total > left:
            chars = _fitting(text, left) if units else left
            return at - held + _bytes_of(content, at - held, chars)
        left -= total
        at += len(data)
    return content.size


def _bytes_of(content: Content, start: int, chars: int) -> int:
    """Bytes of the first `chars` chars from `start` on, bad sequences as one each."""
    from spillview.content.rendering import render

    data = content.pread(start, BLOCK + 4)
    final = start + len(data) >= content.size
    # Offset 0: the block begins at a char, so none of its bytes may be skipped.
    found = render(data, 0, 0, final=final).ranges(0, chars)
    return found[-1][1] if found else 0


def _wide_at(content: Content, size: int, wide: str, *, units: bool) -> int:
    """The byte just past the first `size` chars (or units) of UTF-16 text."""
    start = _bom(content, wide)
    decoder = codecs.getincrementaldecoder(wide)("replace")
    left, at = size, start
    while at < content.size:
        data = content.pread(at, BLOCK)
        final = at + len(data) >= content.size
        held = len(decoder.getstate()[0])
        text = decoder.decode(data, final)
        total = _units(text) if units else len(text)
        if total > left:
            chars = _fitting(text, left) if units else left
            return at - held + 2 * _units(text[:chars])
        left -= total
        at += len(data)
    return content.size


def _bom(content: Content, wide: str) -> int:
    marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return 2 if content.pread(0, 2) in marks else 0


def _units(text: str) -> int:
    """UTF-16 code units of `text`."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _fitting(text: str, units: int) -> int:
    """How many chars of `text` fit in `units` UTF-16 units."""
    low, high = 0, min(len(text), units)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if _units(text[:middle]) <= units else (low, middle - 1)
        )
    return low


def _feeds(content: Content, end: int, wide: str | None) -> int:
    """LFs before byte `end`: the whole lines kept by a cut there."""
    feed, step = _feed(wide)
    start = _bom(content, wide) if wide is not None else 0
    total, at = 0, start
    while at < end:
        data = content.pread(at, min(BLOCK, end - at))
        if not data:
            break
        total += _count(data, feed, step)
        at += len(data)
    return total


def _after_feeds(content: Content, lines: int, wide: str | None) -> int:
    """The byte just past the LF number `lines`."""
    feed, step = _feed(wide)
    at = _bom(content, wide) if wide is not None else 0
    left = lines
    while at < content.size and left > 0:
        data = content.pread(at, BLOCK)
        if not data:
            break
        total = _count(data, feed, step)
        if total >= left:
            pos = 0
            while left:
                pos = data.find(feed, pos)
                if pos % step == 0:
                    left -= 1
                pos += 1
            return at + pos - 1 + len(feed)
        left -= total
        at += len(data)
    return content.size


def _feed(wide: str | None) -> tuple[bytes, int]:
    """An LF as bytes, and the width it is aligned to."""
    return (b"\n", 1) if wide is None else ("\n".encode(wide), 2)


def _count(data: bytes, feed: bytes, step: int) -> int:
    if step == 1:
        return data.count(feed)
    total = pos = 0
    while (pos := data.find(feed, pos)) >= 0:
        total += pos % step == 0
        pos += 1
    return total


def _parses(
    content: Content, counts: Counts, kept: int, wide: str | None
) -> tuple[bool | None, str | None]:
    """Whether the kept part of a JSON content still parses, and why not."""
    if counts.kind not in ("json", "jsonl") or kept > PARSED:
        return None, None
    data = content.pread(0, kept)
    if wide is not None:
        data = data.decode(wide, "replace").lstrip("\ufeff").encode("utf-8")
    import orjson

    try:
        if counts.kind == "jsonl":
            for line in data.split(b"\n"):
                if line.strip():
                    orjson.loads(line)
        else:
            orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return False, str(error)
    return True, None
