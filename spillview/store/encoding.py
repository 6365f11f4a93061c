"""A text as the bytes that are stored, in pieces, whatever surrogates it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spillview.text import REPLACEMENT

PIECE = 1 << 20
"""Chars encoded at a time."""

_LONE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """`text` as UTF-8 can carry it: surrogate pairs joined, lone ones U+FFFD.

    The same text where it holds none, which costs one pass and no copy.
    """
    if text.isascii():
        return text
    try:
        for start, end in _spans(text):
            text[start:end].encode("utf-8")
    except UnicodeEncodeError:
        return "".join(_repaired(text[start:end]) for start, end in _spans(text))
    return text


def pieces(text: str) -> Iterator[bytes]:
    """The UTF-8 of `well_formed(text)`, a piece at a time."""
    for start, end in _spans(text):
        piece = text[start:end]
        try:
            yield piece.encode("utf-8")
        except UnicodeEncodeError:
            yield _repaired(piece).encode("utf-8")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Char ranges that no surrogate pair crosses."""
    at = 0
    while at < len(text):
        end = at + PIECE
        if "\ud800" <= text[end - 1 : end] <= "\udbff":
            end += 1
        yield at, end
        at = end


def _repaired(text: str) -> str:
    data = text.encode("utf-16-le", "surrogatepass")
    return _LONE.sub(REPLACEMENT, data.decode("utf-16-le", "surrogatepass"))
