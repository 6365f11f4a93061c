"""The first items as they are written, fit for a line of JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spillview.content.content import Content
from spillview.shape.numbers import is_portable
from spillview.shape.tokens import STRING_BODY, Broken, events
from spillview.shape.tree import DEEPEST

FIRST = 8
"""Items of a sample."""

LARGEST = 1 << 16
"""Bytes of an item that is given in full."""

HEAD = 2_000
"""Characters that are given of a larger one."""

_TOKEN = re.compile(
    rb'"'
    + STRING_BODY
    + rb'"|[ \t\r\n]++|(?P<number>-?[0-9][0-9.eE+-]*+)|(?P<word>-?Infinity|NaN)'
)


@dataclass(frozen=True, slots=True)
class Item:
    """One item."""

    text: str
    """As written, without white space between tokens; the beginning of a large one."""
    whole: bool
    """Whether `text` is all of it, a JSON document."""
    size: int
    """Bytes in the text; of a large one at least so many."""
    altered: bool = False
    """Whether numbers that no parser takes are strings or null in `text`."""


class Sample:
    """Up to the first eight items."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Item] = []

    @property
    def wanted(self) -> int:
        """How many more it takes."""
        return FIRST - len(self.items)

    def add(self, raw: bytes, *, complete: bool = True) -> None:
        """Take an item's bytes, or (not `complete`) the first of them."""
        if not self.wanted:
            return
        if complete and len(raw) <= LARGEST and nesting(raw) <= DEEPEST:
            text, altered = compact(raw)
            self.items.append(Item(text, True, len(raw), altered))
        else:
            head = raw[: HEAD * 4].decode("utf-8", "replace")[:HEAD]
            self.items.append(Item(head, False, len(raw)))

    def add_range(self, content: Content, start: int, end: int) -> None:
        """Take the item at `[start, end)`."""
        if self.wanted:
            complete = end - start <= LARGEST
            length = end - start if complete else HEAD * 4
            text = content.pread(start, length)
            if complete:
                self.add(text)
            else:
                head = text.decode("utf-8", "replace")[:HEAD]
                self.items.append(Item(head, False, end - start))


def nesting(raw: bytes) -> int:
    """How deep an item's arrays and objects are nested."""
    depth = deepest = 0
    try:
        for kind, _, _ in events(raw, "documents"):
            if kind == 1:
                depth += 1
                deepest = max(deepest, depth)
            elif kind == 2:
                depth -= 1
    except Broken:
        return DEEPEST + 1
    return deepest


def compact(raw: bytes) -> tuple[str, bool]:
    """JSON without white space between its tokens, and whether numbers were altered.

    Everything stays as written but what a parser of JSON would refuse: numbers that no
    double can hold become strings of their digits, NaN and the like become null, and
    bytes that are no UTF-8 become U+FFFD.
    """
    altered = False

    def shortened(match: re.Match[bytes]) -> bytes:
        nonlocal altered
        token = match[0]
        first = token[0]
        if first in b" \t\r\n":
            return b""
        if match.lastgroup == "word":
            altered = True
            return b"null"
        if match.lastgroup == "number" and not is_portable(token.decode()):
            altered = True
            return b'"' + token + b'"'
        return token

    text = _TOKEN.sub(shortened, raw)
    return text.decode("utf-8", "replace"), altered
