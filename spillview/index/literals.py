"""What a pattern cannot match without: texts that each match must hold.

ripgrep's syntax is read here just as far as it is understood for certain; of anything
else nothing is required, and the index is of no use. Texts are bytes of UTF-8 with
ASCII in lower case, as signatures hold them.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from spillview.index.folds import spellings

GRAM = 4
"""Bytes of a gram, the unit of a signature."""
REACH = 64
"""A required text is at most so long: so far do the blocks of a file overlap."""
VARIANTS = 16
"""More spellings of one piece make it unknown."""
GROUPS = 24
"""Grams of one required text that are asked for."""
LONGEST = 10_000
"""Chars of a pattern that are looked at."""
MOST = 4_000
"""Grams of a whole pattern; more are not worth the reading."""
DEEPEST = 40
"""Groups within groups."""

Element = tuple[bytes, ...]
"""One of these stands here."""


class Chain(NamedTuple):
    """A text without a gap: of each group at least one gram is in it."""

    groups: tuple[tuple[bytes, ...], ...]


class AnyOf(NamedTuple):
    """One of these alternatives is met."""

    needs: tuple[Need, ...]


Need = tuple["Chain | AnyOf", ...]
"""All of these are in each matching line; nothing is required by an empty one."""


def required(patterns: Sequence[str], case: str | None, fixed: bool) -> Need:
    """What each line must hold that matches one of `patterns`.

    `case` is ripgrep's own option (`-i`, `-S`), None where case matters.
    """
    needs = []
    for pattern in patterns:
        if len(pattern) > LONGEST:
            return ()
        folded = case is not None or _FOLDING.search(pattern) is not None
        try:
            if fixed:
                piece = _joined([_char(c, folded) for c in pattern])
            else:
                piece = _Parser(pattern, folded).whole()
        except (_Unknown, UnicodeEncodeError):
            return ()
        needs.append(piece.needs)
    need = _either(needs)
    return need if sum(_sizes(need)) <= MOST else ()


_FOLDING = re.compile(r"\(\?[a-zA-Z-]*i")


def _sizes(need: Need) -> Iterator[int]:
    for clause in need:
        if isinstance(clause, Chain):
            yield sum(map(len, clause.groups))
        else:
            for each in clause.needs:
                yield from _sizes(each)


class _Unknown(Exception):
    """The pattern holds something whose meaning is not known here."""


class _Piece(NamedTuple):
    """Part of a pattern."""

    variants: Element | None
    """All the texts that it can match; None where that is not known."""
    needs: Need = ()
    """What it cannot match without."""


_NOTHING = _Piece((b"",))
_GAP = _Piece(None)


def _char(char: str, folded: bool) -> _Piece:
    """One character as it is, or in all its spellings."""
    if "\n" in char:
        raise _Unknown
    if not folded:
        return _Piece((char.encode().lower(),))
    same = spellings(char)
    return _GAP if same is None else _Piece(_distinct(c.encode().lower() for c in same))


def _distinct(texts: Iterable[bytes]) -> Element:
    return tuple(dict.fromkeys(texts))


def _joined(pieces: Sequence[_Piece]) -> _Piece:
    """The pieces one after the other."""
    whole: Element | None = (b"",)
    clauses: list[Chain | AnyOf] = []
    chain: list[Element] = []
    for piece in pieces:
        if piece.variants is None:
            clauses += _chains(chain)
            chain, whole = [], None
        else:
            chain.append(piece.variants)
            if whole is not None:
                whole = _product(whole, piece.variants)
        if piece.variants is None or len(piece.variants) > 1:
            clauses += piece.needs
    clauses += _chains(chain)
    return _Piece(whole, tuple(dict.fromkeys(clauses)))


def _product(one: Element, other: Element) -> Element | None:
    if len(one) * len(other) > VARIANTS:
        return None
    return _distinct(a + b for a, b in product(one, other))


def _either(needs: Sequence[Need]) -> Need:
    """What is required where any of these is."""
    if not needs or not all(needs):
        return ()
    return needs[0] if len(set(needs)) == 1 else (AnyOf(tuple(needs)),)


def _chains(elements: Sequence[Element]) -> list[Chain | AnyOf]:
    """The grams of elements that follow each other, in windows of `REACH` bytes."""
    fine = [part for element in elements for part in _split(element)]
    chains: list[Chain | AnyOf] = []
    start = 0
    while start < len(fine):
        stop, size = start, 0
        while stop < len(fine) and size + max(map(len, fine[stop])) <= REACH:
            size += max(map(len, fine[stop]))
            stop += 1
        groups = _distinct_groups(fine[start:stop])
        if groups:
            chains.append(Chain(groups))
        start = max(stop, start + 1)
    return chains


def _split(element: Element) -> Iterator[Element]:
    """The element by its first bytes, as far as all its variants share them."""
    while all(element) and len({text[0] for text in element}) == 1:
        yield (element[0][:1],)
        element = _distinct(text[1:] for text in element)
    if element != (b"",):
        yield element


def _distinct_groups(elements: Sequence[Element]) -> tuple[tuple[bytes, ...], ...]:
    groups: dict[tuple[bytes, ...], None] = {}
    for start in range(len(elements)):
        group = _grams(elements[start:])
        if group is not None:
            groups[group] = None
    # Those of one gram tell most.
    return tuple(sorted(groups, key=len)[:GROUPS])


def _grams(elements: Sequence[Element]) -> tuple[bytes, ...] | None:
    """What the first `GRAM` bytes of these can be; None where it is too much to say."""
    texts: Element = (b"",)
    for element in elements:
        if all(len(text) == GRAM for text in texts):
            break
        longer: dict[bytes, None] = {}
        for text in texts:
            for part in element if len(text) < GRAM else (b"",):
                longer[(text + part)[:GRAM]] = None
        if len(longer) > VARIANTS:
            return None
        texts = tuple(longer)
    return tuple(sorted(texts)) if all(len(t) == GRAM for t in texts) else None


_SPACES = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_HEX = {"x": 2, "u": 4, "U": 8}
_COUNT = re.compile(r"\{(\d{1,4})(,\d{0,4})?\}")
_NAME = re.compile(r"\?P?<[A-Za-z_][A-Za-z0-9_]*>")
_FLAGS = re.compile(r"\?[imsU]*(?:-[imsU]+)?([:)])")
_BOUNDARY = re.compile(r"\{(?:start|end)(?:-half)?\}")
_DIGITS = re.compile(r"\{[0-9A-Fa-f]{1,8}\}")
_NAMED = re.compile(r"\^?[A-Za-z]|\{\^?[A-Za-z0-9_=:! -]+\}")


class _Parser:
    """Reads one pattern from its beginning to its end."""

    def __init__(self, pattern: str, folded: bool) -> None:
        self._text = pattern
        self._at = 0
        self._folded = folded
        self._depth = 0

    def whole(self) -> _Piece:
        """The pattern's piece; raises `_Unknown`."""
        piece = self._alternatives()
        if self._at < len(self._text):
            raise _Unknown  # a bracket too many
        return piece

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise _Unknown
        self._at += 1
        return self._text[self._at - 1]

    def _takes(self, known: re.Pattern[str]) -> re.Match[str] | None:
        found = known.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _alternatives(self) -> _Piece:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Unknown
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
                texts = _distinct((*texts, *branch.variants))
            else:
                texts = None
        if texts is not None and len(texts) > VARIANTS:
            texts = None
        return _Piece(texts, _either([branch.needs for branch in branches]))

    def _branch(self) -> _Piece:
        pieces: list[_Piece] = []
        while self._peek() not in ("", "|", ")"):
            pieces += self._repeated(self._atom())
        return _joined(pieces)

    def _repeated(self, piece: _Piece) -> list[_Piece]:
        """The piece as often as the pattern has it."""
        pieces = [piece]
        while True:
            mark = self._peek()
            low, most = 0, 0
            if mark == "{":
                count = self._takes(_COUNT)
                if count is None:
                    raise _Unknown
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
                pieces = [_Piece(None, _joined(pieces).needs)]
            pieces = _times(pieces[0], low, most)

    def _atom(self) -> _Piece:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        if char == ".":
            return _GAP
        if char in "^$":
            return _NOTHING
        if char in "?*+{":
            raise _Unknown
        return _char(char, self._folded)

    def _group(self) -> _Piece:
        if self._peek() == "?" and self._takes(_NAME) is None:
            flags = self._takes(_FLAGS)
            if flags is None:
                raise _Unknown
            if flags[1] == ")":
                return _NOTHING
        piece = self._alternatives()
        if self._next() != ")":
            raise _Unknown
        return piece

    def _escape(self) -> _Piece:
        char = self._next()
        if char in "dDwWsS":
            return _GAP
        if char in "pP":
            if self._takes(_NAMED) is None:
                raise _Unknown
            return _GAP
        if char == "b" and self._peek() == "{" and self._takes(_BOUNDARY) is None:
            raise _Unknown
        if char in "bBAz<>":
            return _NOTHING
        return _char(self._escaped(char), self._folded)

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
                raise _Unknown
            number = int(digits, 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                raise _Unknown
            return chr(number)
        if char in string.punctuation or char == " ":
            return char
        raise _Unknown

    def _class(self) -> _Piece:
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
                raise _Unknown
            high = one
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                high = self._member(self._next())
                if one is None or high is None or high < one:
                    raise _Unknown
            texts = self._with(texts, one, high)
        if negated or texts is None:
            return _GAP
        return _Piece(_distinct(texts))

    def _member(self, char: str) -> str | None:
        """A character of a set; None for a set of its own such as `\\d`."""
        if char == "[":
            found = re.compile(r":\^?[a-z]+:\]").match(self._text, self._at)
            if found is None:
                raise _Unknown  # a set within the set
            self._at = found.end()
            return None
        if char in "&~" and self._peek() == char:
            raise _Unknown
        if char != "\\":
            return char
        escaped = self._next()
        if escaped in "dDwWsS":
            return None
        if escaped in "pP":
            if self._takes(_NAMED) is None:
                raise _Unknown
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
            piece = _char(chr(number), self._folded)
            if piece.variants is None:
                return None
            texts += [text for text in piece.variants if text not in texts]
        return texts if len(texts) <= VARIANTS else None


def _times(piece: _Piece, low: int, most: int) -> list[_Piece]:
    """A piece `low` times at least; `most` where that is a small number, else 0."""
    if low == 0:
        if most == 1 and piece.variants is not None:
            return [_Piece(_distinct((*piece.variants, b"")))]
        return [_GAP]
    if most == low and low <= GRAM:
        return [piece] * low
    # The first of them follow what is before, and the last stands before the rest.
    return [*[piece] * min(low, GRAM), _GAP, piece]
