"""ripgrep's syntax, read just as far as it is understood for certain."""

from __future__ import annotations

import re
import string
from itertools import islice

from spillview.index.needs import GRAM
from spillview.index.pieces import (
    GAP,
    NOTHING,
    VARIANTS,
    Element,
    Piece,
    Unknown,
    char_piece,
    distinct,
    either,
    joined,
)

DEEPEST = 40
"""Groups within groups."""

_SPACES = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_HEX = {"x": 2, "u": 4, "U": 8}
_COUNT = re.compile(r"\{(\d{1,4})(,\d{0,4})?\}")
_NAME = re.compile(r"\?P?<[A-Za-z_][A-Za-z0-9_]*>")
_FLAGS = re.compile(r"\?[imsU]*(?:-[imsU]+)?([:)])")
_BOUNDARY = re.compile(r"\{(?:start|end)(?:-half)?\}")
_DIGITS = re.compile(r"\{[0-9A-Fa-f]{1,8}\}")
_NAMED = re.compile(r"\^?[A-Za-z]|\{\^?[A-Za-z0-9_=:! -]+\}")


class Parser:
    """Reads one pattern from its beginning to its end."""

    def __init__(self, pattern: str, folded: bool) -> None:
        self._text = pattern
        self._at = 0
        self._folded = folded
        self._depth = 0

    def whole(self) -> Piece:
        """The pattern's piece; raises `Unknown`."""
        piece = self._alternatives()
        if self._at < len(self._text):
            raise Unknown  # a bracket too many
        return piece

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise Unknown
        self._at += 1
        return self._text[self._at - 1]

    def _takes(self, known: re.Pattern[str]) -> re.Match[str] | None:
        found = known.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _alternatives(self) -> Piece:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unknown
        branches = [self._branch()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._branch())
        self._depth -= 1
        if len(branches) == 1:
            return branches[0]
        texts: Element | None = ()
        for branch in branches:
            if texts is not None and branch.variants is not None:
                texts = distinct((*texts, *branch.variants))
            else:
                texts = None
        if texts is not None and len(texts) > VARIANTS:
            texts = None
        return Piece(texts, either([branch.needs for branch in branches]))

    def _branch(self) -> Piece:
        pieces: list[Piece] = []
        while self._peek() not in ("", "|", ")"):
            pieces += self._repeated(self._atom())
        return joined(pieces)

    def _repeated(self, piece: Piece) -> list[Piece]:
        """The piece as often as the pattern has it."""
        pieces = [piece]
        while True:
            mark = self._peek()
            low, most = 0, 0
            if mark == "{":
                count = self._takes(_COUNT)
                if count is None:
                    raise Unknown
                low = int(count[1])
                most = low if count[2] is None else 0
            elif mark and mark in "?*+":
                self._at += 1
                low, most = mark == "+", mark == "?"
            else:
                return pieces
            if self._peek() == "?":  # lazy: it matches the same
                self._at += 1
            if len(pieces) > 1:
                pieces = [Piece(None, joined(pieces).needs)]
            pieces = _times(pieces[0], low, most)

    def _atom(self) -> Piece:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        if char == ".":
            return GAP
        if char in "^$":
            return NOTHING
        if char in "?*+{":
            raise Unknown
        return char_piece(char, self._folded)

    def _group(self) -> Piece:
        if self._peek() == "?" and self._takes(_NAME) is None:
            flags = self._takes(_FLAGS)
            if flags is None:
                raise Unknown
            if flags[1] == ")":
                return NOTHING
        piece = self._alternatives()
        if self._next() != ")":
            raise Unknown
        return piece

    def _escape(self) -> Piece:
        char = self._next()
        if char in "dDwWsS":
            return GAP
        if char in "pP":
            if self._takes(_NAMED) is None:
                raise Unknown
            return GAP
        if char == "b" and self._peek() == "{" and self._takes(_BOUNDARY) is None:
            raise Unknown
        if char in "bBAz<>":
            return NOTHING
        return char_piece(self._escaped(char), self._folded)

    def _escaped(self, char: str) -> str:
        """The character that an escape means."""
        if char in _SPACES:
            return _SPACES[char]
        if char in _HEX:
            braced = self._takes(_DIGITS)
            if braced is not None:
                digits = braced[0][1:-1]
            else:
                digits = "".join(islice(iter(self._next, ""), _HEX[char]))
            if not all(c in string.hexdigits for c in digits):
                raise Unknown
            number = int(digits, 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                raise Unknown
            return chr(number)
        if char in string.punctuation or char == " ":
            return char
        raise Unknown

    def _class(self) -> Piece:
        """A set of characters, as spellings of one where they are few."""
        negated = self._peek() == "^"
        self._at += negated
        texts: list[bytes] | None = []
        first = True
        while True:
            low = self._next()
            if low == "]" and not first:
                break
            first = False
            one = self._member(low)
            if self._text[self._at : self._at + 2] in ("&&", "--", "~~"):
                raise Unknown
            high = one
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                high = self._member(self._next())
                if one is None or high is None or high < one:
                    raise Unknown
            texts = self._with(texts, one, high)
        if negated or texts is None:
            return GAP
        return Piece(distinct(texts))

    def _member(self, char: str) -> str | None:
        """A character of a set; None for a set of its own such as `\\d`."""
        if char == "[":
            found = re.compile(r":\^?[a-z]+:\]").match(self._text, self._at)
            if found is None:
                raise Unknown  # a set within the set
            self._at = found.end()
            return None
        if char in "&~" and self._peek() == char:
            raise Unknown
        if char != "\\":
            return char
        escaped = self._next()
        if escaped in "dDwWsS":
            return None
        if escaped in "pP":
            if self._takes(_NAMED) is None:
                raise Unknown
            return None
        return self._escaped(escaped)

    def _with(
        self, texts: list[bytes] | None, one: str | None, high: str | None
    ) -> list[bytes] | None:
        """The texts and those of a range, unless they become too many."""
        if texts is None or one is None or high is None:
            return None
        if ord(high) - ord(one) >= 2 * VARIANTS:
            return None
        for number in range(ord(one), ord(high) + 1):
            if 0xD800 <= number < 0xE000 or number == 0x0A:
                return None
            piece = char_piece(chr(number), self._folded)
            if piece.variants is None:
                return None
            texts += [text for text in piece.variants if text not in texts]
        return texts if len(texts) <= VARIANTS else None


def _times(piece: Piece, low: int, most: int) -> list[Piece]:
    """A piece `low` times at least; `most` where that is a small number, else 0."""
    if low == 0:
        if most == 1 and piece.variants is not None:
            return [Piece(distinct((*piece.variants, b"")))]
        return [GAP]
    if most == low and low <= GRAM:
        return [piece] * low
    # The first of them follow what is before, and the last stands before the rest.
    return [*[piece] * min(low, GRAM), GAP, piece]
