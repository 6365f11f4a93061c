"""Where the first items of a JSON text begin and end, whatever their size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spillview.model import Range
from spillview.possessive import repeated

if TYPE_CHECKING:
    from spillview.content.content import Content

BLOCK = 1 << 16
"""Bytes read at a time."""

_STRING = re.compile(repeated(rb'[^"\\]++|\\.'), re.DOTALL)
_MARK = re.compile(rb'["\[\]{}]')
_SCALAR_END = re.compile(rb"[,\[\]{}\" \t\r\n]")
_SPACE = re.compile(rb"[ \t\r\n]*+")


def items_from(
    content: Content, at: int, most: int, *, stop: int, documents: bool
) -> list[Range]:
    """The first values from byte `at` on, up to `most` of them and up to byte `stop`.

    With `documents` they follow each other, else commas stand between them and a
    bracket behind. Only their ends are looked for; whether they are JSON is not.
    """
    found: list[Range] = []
    while len(found) < most:
        at = _skip(content, at)
        if at >= stop or content.pread(at, 1) in (b"]", b"}", b""):
            break
        end = value_end(content, at)
        if end is None or end > stop or end == at:
            break
        found.append((at, end))
        at = _skip(content, end)
        if not documents:
            if content.pread(at, 1) != b",":
                break
            at += 1
    return found


def value_end(content: Content, at: int) -> int | None:
    """The byte after the value that begins at `at`; None when it does not end."""
    first = content.pread(at, 1)
    if first not in (b"{", b"[", b'"'):
        return _scalar_end(content, at)
    depth, quoted = 0, False
    while data := content.pread(at, BLOCK):
        pos = 0
        while pos < len(data):
            if quoted:
                match = _STRING.match(data, pos)
                assert match is not None
                pos = match.end()
                if data[pos : pos + 1] != b'"':
                    break  # a backslash may be left, which the next block begins with
                quoted, pos = False, pos + 1
                if depth == 0:
                    return at + pos
                continue
            mark = _MARK.search(data, pos)
            if mark is None:
                pos = len(data)
                break
            pos = mark.end()
            if mark[0] == b'"':
                quoted = True
            elif mark[0] in (b"{", b"["):
                depth += 1
            else:
                depth -= 1
                if depth == 0:
                    return at + pos
        if pos == 0:
            return None  # nothing but a backslash at the end
        at += pos
    return None


def _scalar_end(content: Content, at: int) -> int:
    while data := content.pread(at, 256):
        match = _SCALAR_END.search(data)
        if match is not None:
            return at + match.start()
        at += len(data)
    return at


def _skip(content: Content, at: int) -> int:
    """The next byte that is no white space."""
    length = 64
    while data := content.pread(at, length):
        match = _SPACE.match(data)
        end = match.end() if match is not None else 0
        at += end
        if end < len(data):
            break
        length = BLOCK
    return at
