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

    The same text where it holds none, which costs one pass.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode(
            "utf-16-le", "surrogatepass"
        )
        return _LONE.sub(REPLACEMENT, joined)
    return text


def pieces(text: str) -> Iterator[bytes]:
    """The UTF-8 of `well_formed(text)`, a piece at a time."""
    at = 0
    while at < len(text):
        end = at + PIECE
        if "\ud800" <= text[end - 1 : end] <= "\udbff":
            end += 1
        yield well_formed(text[at:end]).encode("utf-8")
        at = end
