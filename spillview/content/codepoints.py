"""Counting characters and line feeds in blocks of UTF-8, and where a block may end.

Everything agrees with `bytes.decode("utf-8", "replace")`: a character is a valid
sequence, or one maximal run of bytes for which the decoder gives U+FFFD.
"""

from __future__ import annotations

from collections.abc import Callable

from stringzilla import (
    bytesum,
    count,
    find,
    find_first_of,
    translate,
    utf8_count,
)

_HIGH = bytes(range(0x80, 0x100))
_NEVER = b"\xc0\xc1" + bytes(range(0xF5, 0x100))
_LEADS4 = b"\xf0\xf1\xf2\xf3\xf4"
_SHORT = 128
"""Bytes up to which one decoding costs less than a handful of vector passes."""
_PIECE = 1 << 15
"""Bytes decoded at a time; the text of more would leave the processor's cache."""

_INVALID = (-1, 0)

Buffer = bytes | memoryview


def _table(classes: Callable[[int], str]) -> bytes:
    return bytes(ord(classes(byte)) for byte in range(256))


def _leads(first: int) -> bytes:
    """Leads from `first` on, as continuation bytes, beside `c` and `a`: see below."""
    return _table(
        lambda byte: "\x80" if byte >= first else "c" if 0x80 <= byte < 0xC0 else "a"
    )


# `bytesum` adds bytes up at memory speed, so that it counts any set of bytes, or weighs
# them, behind a table.
_FEEDS = _table(lambda byte: "\1" if byte == 0x0A else "\0")
_QUOTES = _table(lambda byte: "\1" if byte == 0x22 else "\0")
# `utf8_count` counts all bytes but continuation bytes.
_NEEDS = (
    (_leads(0xC0), b"\x80a", b"\x80\x80"),
    (_leads(0xE0), b"\x80ca", b"\x80c\x80"),
)
_NEEDS4 = (_leads(0xF0), b"\x80cca", b"\x80cc\x80")
_SECOND = _table(
    lambda byte: (
        {0xE0: "0", 0xED: "d", 0xF0: "f", 0xF4: "4"}.get(byte)
        or (
            "."
            if not 0x80 <= byte < 0xC0
            else "p"
            if byte < 0x90
            else "q"
            if byte < 0xA0
            else "r"
        )
    )
)
_PLAIN = _table(
    lambda byte: (
        "\1"
        if byte < 0x80
        else "\0"
        if byte < 0xC0
        else "\xff"
        if byte in (0xC0, 0xC1, 0xE0, 0xED) or byte >= 0xF0
        else "\2"
        if byte < 0xE0
        else "\3"
    )
)
"""How many bytes each byte announces, in what most texts are made of; 255 needs a
closer look."""
_FIRST = 1 << 10
"""Bytes that tell of many texts that they need a closer look."""
_OVERLONG4 = b"fp"
_NARROW = b"\xe0\xed\xf4"
_FORBIDDEN = (b"0p", b"0q", b"dr", b"4q", b"4r")


def whole(data: Buffer) -> int:
    """How many bytes of `data` to keep so that no character is cut at its end.

    Only an unfinished sequence of at most three bytes is left off, so that
    `data[:whole(data)]` and what follows decode apart as they do joined.
    """
    size = len(data)
    for back in range(1, min(3, size) + 1):
        byte = data[size - back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            # Leads beyond F4 are never valid, so nothing can be missing.
            return size - back if back < needs and byte <= 0xF4 else size
    return size


def is_ascii(data: Buffer) -> bool:
    """Whether no byte of `data` is above 0x7F."""
    return int(find_first_of(data, _HIGH)) < 0


def line_feeds(data: Buffer) -> int:
    """How many bytes of `data` are LF."""
    return int(bytesum(translate(data, _FEEDS)))


def double_quotes(data: Buffer) -> int:
    """How many bytes of `data` are a double quote."""
    return int(bytesum(translate(data, _QUOTES)))


def escaped_quotes(data: bytes) -> int | None:
    """How many double quotes of JSON are escaped; None when that takes a closer look:
    some follow two backslashes."""
    if find(data, b'\\\\"') >= 0:
        return None
    return int(count(data, b'\\"'))


def chars(data: Buffer, end: int | None = None) -> tuple[int, int, bool]:
    """Code points, astral code points, and whether it is valid UTF-8.

    Of all of `data`, or of its first `end` bytes where `end` is `whole(data)`.
    """
    size = len(data)
    if size > _SHORT:
        if is_ascii(data):
            return size, 0, True
        if end is None:
            end = whole(data)
            if end < size:
                return _decoded(data)
        points, astral = _if_valid(data, end)
        if (points, astral) != _INVALID:
            return points, astral, True
    return _decoded(data if end is None else data[:end])


def _decoded(data: Buffer) -> tuple[int, int, bool]:
    """`chars` of what is not valid as a whole, piece by piece."""
    points = astral = start = 0
    valid = True
    view = memoryview(data)
    while start < len(view):
        piece = view[start : start + _PIECE]
        end = whole(piece)
        more, good = _if_valid(piece, end), True
        if start + len(piece) == len(view) and end < len(piece):
            end, more = len(piece), _INVALID
        if more == _INVALID:
            more, good = _decode(piece[:end])
        points, astral, valid = points + more[0], astral + more[1], valid and good
        start += end
    return points, astral, valid


def _decode(data: Buffer) -> tuple[tuple[int, int], bool]:
    valid = True
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError:
        valid = False
        text = str(data, "utf-8", "replace")
    points = len(text)
    if find_first_of(data, _LEADS4) < 0:
        return (points, 0), valid
    return (points, len(text.encode("utf-16-le")) // 2 - points), valid


def _if_valid(data: Buffer, end: int) -> tuple[int, int]:
    """Code points and astral code points of `data[:end]`, or `_INVALID`.

    Six passes of vector instructions: no lead has more continuation bytes behind it
    than it needs, and all bytes together are as many as the leads announce. A byte
    that needs a closer look announces more than can follow it.
    """
    if find(translate(data[:_FIRST], _PLAIN), b"\xff") >= 0:
        return _if_any_valid(data, end)
    size = len(data)
    announced = translate(data, _PLAIN)
    surplus = bytesum(announced) - size
    if end < size:
        # The unfinished sequence after `end` lacks what is behind it.
        surplus -= 1 + (data[end] >= 0xE0) - (size - end - 1)
    if surplus != 0:
        return _if_any_valid(data, end) if find(announced, b"\xff") >= 0 else _INVALID
    if (
        announced[:1] == b"\0"
        or find(announced, b"\1\0") >= 0
        or find(announced, b"\2\0\0") >= 0
        or find(announced, b"\0\0\0") >= 0
    ):
        return _INVALID
    return utf8_count(data) - (end < size), 0


def _if_any_valid(data: Buffer, end: int) -> tuple[int, int]:
    """`_if_valid` of whatever bytes.

    A dozen passes of vector instructions, each some thirty times as fast as decoding:
    no byte that never occurs; after every lead at least the continuation bytes it
    needs; of these exactly as many as all leads need; no second byte out of range.
    """
    if find_first_of(data, _NEVER) >= 0:
        return _INVALID
    size = len(data)
    points: int = utf8_count(data)
    surplus = size - points
    astral = 0
    for table, absent, also in _NEEDS:
        classes = translate(data, table)
        if find(classes, absent) >= 0 or find(classes, also) >= 0:
            return _INVALID
        surplus -= size - utf8_count(classes)
    if find_first_of(data, _LEADS4) >= 0:
        table, absent, also = _NEEDS4
        classes = translate(data, table)
        if find(classes, absent) >= 0 or find(classes, also) >= 0:
            return _INVALID
        astral = size - utf8_count(classes)
        surplus -= astral
        if find(translate(data, _SECOND), _OVERLONG4) >= 0:
            return _INVALID
    if end < size:
        # The unfinished sequence after `end` was counted; take it out again.
        lead = data[end]
        points -= 1
        astral -= lead >= 0xF0
        surplus += 1 + (lead >= 0xE0) + (lead >= 0xF0) - (size - end - 1)
    if surplus != 0:
        return _INVALID
    if find_first_of(data, _NARROW) >= 0:
        classes = translate(data, _SECOND)
        if any(find(classes, pair) >= 0 for pair in _FORBIDDEN):
            return _INVALID
    return points, astral


def first_char(data: bytes) -> int:
    """Bytes of the first character of `data`, which must begin at one; 0 when empty."""
    for size in range(1, min(4, len(data))):
        if len(data[: size + 1].decode("utf-8", "replace")) > 1:
            return size
    return min(4, len(data))
