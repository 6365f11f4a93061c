"""One page of a content, by lines, chars or bytes; and JSON strings unescaped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from spillview.codepoints import first_char, whole
from spillview.content import BytesContent, Content
from spillview.errors import BadInput, PastEnd
from spillview.lines import LineIndex

PageUnit = Literal["line", "char", "byte"]

LINE_PAGE = 1 << 20
"""Bytes at which a page of lines stops."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of the content and where the next part begins."""

    unit: PageUnit
    offset: int
    """Where it begins, in `unit`: lines from 1, chars and bytes from 0."""
    limit: int
    """How many units were asked for."""
    total: int | None
    """Units in all; None while the index is not complete (`measure=False`)."""
    next_offset: int | None
    """Where the next page begins, in `unit`; None after the last one. After a page
    that stopped inside a line it is the line after that one: see `next`."""
    data: bytes
    """The page's bytes, of whole characters."""
    text: str
    """`data` decoded as UTF-8 with errors replaced."""
    cut: bool
    """Whether it stopped at 1 MiB, before `limit` lines were full."""
    next: dict[str, str | int] | None
    """Where to go on when it was cut, exactly: `{"unit": "byte", "offset": N}`."""
    start: int
    end: int
    """Its byte range."""


def page(
    content: Content,
    index: LineIndex,
    unit: PageUnit,
    offset: int,
    limit: int,
    *,
    measure: bool = True,
) -> Page:
    """The page of `limit` units from `offset` on; `index` is extended as far as needed.

    Pages follow each other without a gap or an overlap, so joined they are the content.
    No page is empty while bytes are left, and no character is split: a byte offset
    inside one moves back to its beginning, and a limit smaller than one character gives
    that character whole. The end of a char or byte page also moves back to the last
    boundary between what a reader takes for one character (a letter with its accents,
    a joined emoji, CRLF), as far as the page is not emptied by that. A page of lines
    stops at 1 MiB; pages of chars and bytes are as large as their limit asks.

    With `measure` the index is completed, so that `total` is known.

    Raises `PastEnd` when `offset` lies beyond the end, `BadInput` when it or `limit`
    cannot be meant.
    """
    first = 1 if unit == "line" else 0
    if offset < first:
        raise BadInput(f"A {unit} offset counts from {first}, not {offset}.")
    if limit < 1:
        raise BadInput(f"A page needs a limit of at least 1, not {limit}.")
    if measure:
        index.extend()
    if content.size == 0 and offset == first:
        return Page(unit, offset, limit, 0, None, b"", "", False, None, 0, 0)
    match unit:
        case "line":
            return _lines(content, index, offset, limit)
        case "char":
            return _chars(content, index, offset, limit)
        case _:
            return _bytes(content, index, offset, limit)


_STEP = 1 << 23


def _past(unit: PageUnit, offset: int, total: int) -> PastEnd:
    return PastEnd(
        f"{unit.capitalize()} {offset:,} is past the end: there are {total:,} {unit}s."
    )


def _lines(content: Content, index: LineIndex, offset: int, limit: int) -> Page:
    while (start := index.line_start(offset)) is None and not index.complete:
        index.extend(_STEP)
    if start is None:
        raise _past("line", offset, index.lines)
    most = start + LINE_PAGE
    following = offset + limit
    while not index.complete and index.indexed <= most and index.lines <= following:
        index.extend(_STEP)
    stop = index.line_start(following)
    end = content.size if stop is None else stop
    cut = end > most
    if cut:
        data = content.pread(start, LINE_PAGE)
        keep = data.rfind(b"\n") + 1
        if keep:
            data = data[:keep]
            following = index.line_at(start + keep) or following
        else:
            data = data[: whole(data)]
            following = offset + 1
        end = start + len(data)
    else:
        data = content.pread(start, end - start)
    while index.line_start(following) is None and not index.complete:
        index.extend(_STEP)
    more = end < content.size and index.line_start(following) is not None
    return Page(
        unit="line",
        offset=offset,
        limit=limit,
        total=index.lines if index.complete else None,
        next_offset=following if more else None,
        data=data,
        text=data.decode("utf-8", "replace"),
        cut=cut,
        next={"unit": "byte", "offset": end} if cut else None,
        start=start,
        end=end,
    )


def _chars(content: Content, index: LineIndex, offset: int, limit: int) -> Page:
    while index.chars <= offset + limit and not index.complete:
        index.extend(_STEP)
    start = index.char_start(offset)
    if start is None or start >= content.size:
        raise _past("char", offset, index.chars)
    end = index.char_start(offset + limit)
    end = content.size if end is None else _cluster_end(content, start, end)
    more = end < content.size
    data = content.pread(start, end - start)
    text = data.decode("utf-8", "replace")
    return Page(
        unit="char",
        offset=offset,
        limit=limit,
        total=index.chars if index.complete else None,
        next_offset=offset + len(text) if more else None,
        data=data,
        text=text,
        cut=False,
        next=None,
        start=start,
        end=end,
    )


def _bytes(content: Content, index: LineIndex, offset: int, limit: int) -> Page:
    size = content.size
    if offset >= size:
        raise _past("byte", offset, size)
    start = _char_start(content, offset)
    end = min(offset + limit, size)
    if end < size:
        end = _char_start(content, end)
        if end <= start:
            end = start + first_char(content.pread(start, 4))
        end = _cluster_end(content, start, end)
    data = content.pread(start, end - start)
    return Page(
        unit="byte",
        offset=start,
        limit=limit,
        total=size,
        next_offset=end if end < size else None,
        data=data,
        text=data.decode("utf-8", "replace"),
        cut=False,
        next=None,
        start=start,
        end=end,
    )


def _char_start(content: Content, offset: int) -> int:
    """The beginning of the character that byte `offset` is part of."""
    base = max(0, offset - 3)
    around = content.pread(base, offset - base + 4)
    for start in range(offset - base - 1, -1, -1):
        byte = around[start]
        if byte & 0xC0 == 0x80:
            continue
        if byte >= 0xC0 and base + start + first_char(around[start:]) > offset:
            return base + start
        break
    return offset


_AROUND = 256
_LONGEST = 1 << 10


def _cluster_end(content: Content, start: int, end: int) -> int:
    """`end` moved to where no cluster is split, back if that leaves a page."""
    if end >= content.size:
        return end
    base = max(start, end - _AROUND)
    around = content.pread(base, end - base + _LONGEST)
    after = around[end - base]
    if after < 0x80 and (after != 0x0A or around[end - base - 1] != 0x0D):
        return end
    from stringzilla import (  # type: ignore[import-not-found] # no stubs in the wheel
        utf8_graphemes,
    )

    # An ASCII character begins a cluster (an LF perhaps inside one).
    first = next(
        (
            place
            for place in range(end - base - 1, -1, -1)
            if around[place] < 0x80 and around[place] != 0x0A
        ),
        0,
    )
    while first < end - base and around[first] & 0xC0 == 0x80:
        first += 1
    before = place = base + first
    for cluster in utf8_graphemes(around[first:]):
        place += len(bytes(cluster))
        if place >= end:
            break
        before = place
    if place == end or place - before > _LONGEST // 2:
        return end
    return before if before > start else min(place, content.size)


_WRAPPED = re.compile(
    rb'\s*(?:\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*|\{\s*"result"\s*:\s*)?"'
)


def unescape(content: Content) -> Content:
    """The text of a result that is stored as one JSON string, with its real lines.

    Known forms: a JSON string, `[{"type": "text", "text": "…"}]`, `{"result": "…"}`.
    A string that was cut is given as far as it goes. Raises `BadInput` for other forms.
    """
    import orjson

    data = content.pread(0, content.size)
    match = _WRAPPED.match(data)
    if match is None:
        raise BadInput(
            "It is not stored as one JSON string, so there is no --unescape."
        )
    inner = data[match.end() - 1 :]
    end = inner.rfind(b'"')
    try:
        return BytesContent(orjson.loads(inner[: end + 1]).encode("utf-8", "replace"))
    except ValueError:
        raise BadInput("The JSON string it is stored as does not parse.") from None
