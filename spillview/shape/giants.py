"""Strings and numbers too long to be held, measured piece by piece."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from spillview.content.codepoints import whole
from spillview.content.content import Content
from spillview.errors import Cancelled
from spillview.shape.exact import read
from spillview.shape.numbers import LONGEST
from spillview.shape.tokens import STRING_BODY, Broken, bad_string

CHUNK = 1 << 18

HEAD = 400
"""Characters of a long string that are kept."""

_BODY = re.compile(STRING_BODY)
_HALF = re.compile(rb"\\u[dD][89aAbB][0-9a-fA-F]{2}\Z")
_BEGUN = re.compile(rb"(?:\\(?:u[0-9a-fA-F]{0,3})?)?")
"""The beginning of an escape, or nothing."""

_DIGITS = re.compile(rb"[0-9.eE+-]*+")
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?\Z")


@dataclass(frozen=True, slots=True)
class Giant:
    """A string or number of the text."""

    start: int
    end: int
    """The byte after it."""
    chars: int
    """Code points of the string, or characters of the number."""
    head: str
    """Its beginning."""
    invalid: int | None = None
    """The first byte of a string that is no UTF-8."""


def string_at(
    content: Content,
    start: int,
    *,
    cancelled: Callable[[], bool] | None = None,
    chunk: int = CHUNK,
) -> Giant:
    """The string whose quote is at byte `start`, however long it is.

    Raises `Broken` where it stops being one, `Cancelled` when asked to stop.
    """
    at = start + 1
    chars = 0
    head = ""
    invalid = None
    size = content.size
    while True:
        if cancelled is not None and cancelled():
            raise Cancelled("The outline was stopped.")
        data = content.pread(at, chunk)
        match = _BODY.match(data)
        assert match is not None
        end = match.end()
        closed = data[end : end + 1] == b'"'
        if not closed:
            last = at + len(data) >= size
            if last and _BEGUN.fullmatch(data, end):
                raise Broken(size, "the text ends inside a string", ended=True)
            if last or end < len(data) - 6:
                raise bad_string(data, end, at)
            half = _HALF.search(data, 0, end)
            end = half.start() if half else end if end < len(data) else whole(data)
        text, bad = _utf8(data[:end])
        if bad is not None and invalid is None:
            invalid = at + bad
        piece = json.loads(f'"{text}"')
        chars += len(piece)
        if len(head) < HEAD:
            head = (head + piece)[:HEAD]
        at += end
        if closed:
            return Giant(start, at + 1, chars, head, invalid)


def _utf8(data: bytes) -> tuple[str, int | None]:
    """The text, and the first byte that is none."""
    try:
        return data.decode(), None
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace"), error.start


def number_at(
    content: Content,
    start: int,
    *,
    cancelled: Callable[[], bool] | None = None,
    chunk: int = CHUNK,
) -> Giant:
    """The number that begins at byte `start`, however many digits it has.

    Raises `Broken` where it is none.
    """
    at = start
    head = b""
    skeleton = b""
    """The number with all of its longer runs of digits cut short."""
    size = content.size
    while True:
        if cancelled is not None and cancelled():
            raise Cancelled("The outline was stopped.")
        data = content.pread(at, chunk)
        match = _DIGITS.match(data)
        assert match is not None
        end = match.end()
        head = (head + data[:end])[:LONGEST]
        skeleton = re.sub(rb"([0-9])[0-9]{2,}", rb"\g<1>1", skeleton + data[:end])
        at += end
        if end < len(data) or at >= size:
            break
    if not _NUMBER.match(skeleton):
        broken = read(content.pread(start, CHUNK), "array", whole=False).broken
        assert broken is not None
        raise Broken(start + broken.offset, broken.message, ended=broken.ended)
    return Giant(start, at, at - start, head.decode())
