"""One page of a content, by lines, chars or bytes; and JSON strings unescaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spillview.content.codepoints import first_char, whole
from spillview.content.content import Content, TemporaryContent
from spillview.content.lines import LineIndex
from spillview.errors import BadInput, PastEnd
from spillview.frozen import Frozen
from spillview.hints import Literal
from spillview.regexes import late

PageUnit = Literal["line", "char", "byte"]

LINE_PAGE = 1 << 20
"""Bytes at which a page of lines stops."""

LARGEST = 1 << 23
"""Bytes at which every page stops, whatever its limit."""


class Page(Frozen):
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
    """Whether it stopped at 1 MiB (8 MiB of chars or bytes), short of its limit."""
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
    stops at 1 MiB, one of chars or bytes at 8 MiB, and is `cut` then.

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
    while index.chars <= offset and not index.complete:
        index.extend(_STEP)
    start = index.char_start(offset)
    if start is None or start >= content.size:
        raise _past("char", offset, index.chars)
    most = min(start + LARGEST, content.size)
    while index.indexed <= most and index.chars <= offset + limit:
        if index.extend(_STEP):
            break
    end = index.char_start(offset + limit)
    return _short(content, index, "char", offset, limit, start, end)


def _bytes(content: Content, index: LineIndex, offset: int, limit: int) -> Page:
    if offset >= content.size:
        raise _past("byte", offset, content.size)
    start = _char_start(content, offset)
    end = _char_start(content, min(offset + limit, content.size))
    if end <= start:
        end = start + first_char(content.pread(start, 4))
    return _short(content, index, "byte", start, limit, start, end)


def _short(
    content: Content,
    index: LineIndex,
    unit: PageUnit,
    offset: int,
    limit: int,
    start: int,
    end: int | None,
) -> Page:
    """The page of chars or bytes `[start, end)`, but for the bounds it is kept in."""
    size = content.size
    end = size if end is None else end
    cut = end - start > LARGEST
    if cut:
        end = _char_start(content, start + LARGEST)
    end = _cluster_end(content, start, end)
    data = content.pread(start, end - start)
    text = data.decode("utf-8", "replace")
    following = end if unit == "byte" else offset + len(text)
    total = size if unit == "byte" else index.chars if index.complete else None
    return Page(
        unit=unit,
        offset=offset,
        limit=limit,
        total=total,
        next_offset=following if end < size else None,
        data=data,
        text=text,
        cut=cut,
        next={"unit": "byte", "offset": end} if cut else None,
        start=start,
        end=end,
    )


def _char_start(content: Content, offset: int) -> int:
    """The beginning of the character that byte `offset` is part of."""
    if offset >= content.size:
        return content.size
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
    from stringzilla import utf8_graphemes

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


_OPENING = late(
    rb"(?:\xef\xbb\xbf)?\s*(?:"
    rb'\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*|\{\s*"result"\s*:\s*)?"'
)
_AGAIN = late(rb'\s*\}\s*,\s*\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*"')
_CLOSING = late(rb"\s*+\}?\s*+\]?\s*+\Z")
_UNFINISHED = late(
    rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z"
)
"""What waits for the next chunk: half a pair, or an escape that was cut."""
_ESCAPE = late(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PAIR = late("([\ud800-\udbff])([\udc00-\udfff])|[\ud800-\udfff]")
_AROUND_STRING = 1 << 12


def unescape(content: Content, *, chunk: int = 1 << 20) -> Content:
    """The text of a result that is stored as one JSON string, with its real lines.

    Known forms: `"…"`, `{"result": "…"}`, `[{"type": "text", "text": "…"}, …]` (its
    texts joined by LF). It works chunk by chunk, through an unlinked temporary file;
    the caller closes both contents. A string that was cut off is given as far as it
    goes; half a surrogate pair becomes U+FFFD, an unknown escape stays as it is.

    Raises `BadInput` for every other form, and what reading raises.
    """
    opening = _OPENING.match(content.pread(0, _AROUND_STRING))
    if opening is None:
        raise BadInput(
            "It is not stored as one JSON string, so it has no escapes to undo."
        )
    offset = opening.end()
    text = TemporaryContent()
    try:
        while True:
            for end, piece, _ in unescaped(content, offset, chunk=chunk):
                text.write(piece)
                offset = end
            after = content.pread(offset, _AROUND_STRING)
            again = _AGAIN.match(after)
            if again is None:
                break
            text.write(b"\n")
            offset += again.end()
        if not _CLOSING.match(after) or offset + len(after) < content.size:
            raise BadInput("It holds more than one JSON string, so it stays as it is.")
        return text.seal()
    except BaseException:
        text.close()
        raise


def unescaped(
    content: Content, offset: int, *, chunk: int = 1 << 20
) -> Iterator[tuple[int, bytes, bool]]:
    """The JSON string whose inside begins at byte `offset`, unescaped piece by piece.

    With each piece come the byte of `content` after it and whether the string is closed
    there (by the quote before that byte). Without a quote it goes on to the end.
    """
    size = content.size
    closed = False
    step = min(chunk, 4096)  # most strings are short: keys, names
    while offset < size and not closed:
        data = content.pread(offset, step)
        step = min(4 * step, chunk)
        masked = data
        if b"\\" in data:
            masked = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        end = masked.find(b'"')
        closed = end >= 0
        if not closed:
            end = len(data)
            if offset + end < size:
                unfinished = _UNFINISHED.search(masked, max(0, end - 12))
                end = unfinished.start() if unfinished else end
                end = end if end < len(data) else whole(data)
        offset += end + closed
        yield offset, unescaped_body(data[:end]), closed


def unescaped_body(body: bytes) -> bytes:
    """The inside of a JSON string without its escapes."""
    import orjson

    try:
        text: str = orjson.loads(b'"' + body + b'"')
    except ValueError:
        # Raw control characters, undecodable bytes, half pairs: by hand.
        text = _ESCAPE.sub(_meant, body.decode("utf-8", "replace"))
        text = _PAIR.sub(_joined, text)
    return text.encode()


def _meant(match: re.Match[str]) -> str:
    code, simple = match.groups()
    return chr(int(code, 16)) if code else _SIMPLE.get(simple, simple)


def _joined(match: re.Match[str]) -> str:
    high, low = match.groups()
    if high is None:
        return "\N{REPLACEMENT CHARACTER}"
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (ord(low) - 0xDC00))
