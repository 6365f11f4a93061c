"""Where a part of a large array or object can be cut: behind a member of its own."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from spillview.possessive import repeated

_STRUCTURE = re.compile(rb"[\[\]{},]")
_BLANK = b"_" * 4096

_LEVELS = 12
"""Containers inside each other that are stepped over by a pattern alone."""


def _member() -> bytes:
    """A pattern for what stands between two commas, nested up to `_LEVELS` deep.

    It does not tell brackets from braces; whoever parses the members will.
    """
    string = rb'"' + repeated(rb'[^"\\]++|\\.') + rb'"'
    inside = rb'[^\[\]{}"]++|' + string
    container = rb"[\[{]" + repeated(inside) + rb"[\]}]"
    for _ in range(_LEVELS - 1):
        container = rb"[\[{]" + repeated(inside + rb"|" + container) + rb"[\]}]"
    return repeated(rb'[^\[\]{}",]++|' + string + rb"|" + container)


_MEMBER = re.compile(_member(), re.DOTALL)
_MEMBERS = re.compile(repeated(_member() + rb","), re.DOTALL)


@dataclass(slots=True)
class Boundary:
    """What the brackets and commas of a text, which begins with a member, say."""

    comma: int = -1
    """The last comma between two members; -1 when there is none."""
    close: int = -1
    """The bracket that closes the container; -1 when it is not in the text."""
    opens: array[int] = field(default_factory=lambda: array("q"))
    """Where the containers still open at the end open, outermost first."""
    commas: array[int] = field(default_factory=lambda: array("q"))
    """The last comma between the members of each; -1 when there is none."""


def outside(data: bytes) -> bytes:
    """`data` with the inside of its strings blanked out, byte for byte."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    parts = data.split(b'"')
    for place in range(1, len(parts), 2):
        length = len(parts[place])
        parts[place] = _BLANK[:length] if length <= 4096 else b"_" * length
    return b'"'.join(parts)


def boundary(data: bytes) -> Boundary:
    """Look at all of `data` up to the bracket that closes the container it is part of.

    It goes by quotes and brackets alone: in a text that is JSON this is exact, in one
    that breaks it is true up to the break. `opens` is told only where there is neither
    a comma nor a closing bracket.
    """
    comma = _match(_MEMBERS, data, 0) - 1
    end = _match(_MEMBER, data, comma + 1)
    if data[end : end + 1] in (b"]", b"}"):
        return Boundary(comma, end)
    return Boundary(comma) if comma >= 0 else _look(data)


def _match(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    match = pattern.match(data, at)
    assert match is not None
    return match.end()


def _look(data: bytes) -> Boundary:
    """The same for what is nested deeper, bracket by bracket."""
    masked = outside(data)
    found = Boundary()
    opens, commas = found.opens, found.commas
    for match in _STRUCTURE.finditer(masked):
        at = match.start()
        byte = masked[at]
        if byte == 0x2C:
            if opens:
                commas[-1] = at
            else:
                found.comma = at
        elif byte == 0x5B or byte == 0x7B:
            opens.append(at)
            commas.append(-1)
        elif opens:
            opens.pop()
            commas.pop()
        else:
            found.close = at
            break
    return found


def balance(data: bytes, start: int, end: int) -> tuple[int, int]:
    """How many arrays and objects open more often than they close in `[start, end)`.

    Brackets inside strings are counted too, so this is a guess, and a quick one.
    """
    return (
        data.count(b"[", start, end) - data.count(b"]", start, end),
        data.count(b"{", start, end) - data.count(b"}", start, end),
    )


_SEPARATOR = re.compile(
    rb'([\]}"]?)[ \t\r\n]*,[ \t\r\n]*(\{[ \t\r\n]*"(?:[^"\\]|\\.){0,40}"|[\[{"]?)'
)

_BEFORE = 64


def separator(data: bytes, comma: int) -> tuple[bytes, int]:
    """The bytes around a comma between two members, and the comma's place in them.

    Where the members are alike, the same bytes stand between all of them.
    """
    start = comma
    while start > max(0, comma - _BEFORE) and data[start - 1] in b" \t\r\n":
        start -= 1
    start = max(0, start - 1)
    match = _SEPARATOR.match(data, start)
    if match is None or match.start(0) > comma or match.end() <= comma:
        match = _SEPARATOR.match(data, comma)
        assert match is not None
        start = comma
    return match[0], comma - start


class Learnt:
    """The separator of one container's members, as the last exact cut showed it."""

    __slots__ = ("_bytes", "_comma", "_failed", "ambiguous")

    def __init__(self) -> None:
        self._bytes = b""
        self._comma = 0
        self._failed = 0
        self.ambiguous = False
        """Whether the same bytes stand between members of inner containers, too."""

    @property
    def facts(self) -> tuple[bytes, int, int, bool]:
        """All that was learnt, for another pass to go on with."""
        return self._bytes, self._comma, self._failed, self.ambiguous

    @facts.setter
    def facts(self, facts: tuple[bytes, int, int, bool]) -> None:
        self._bytes, self._comma, self._failed, self.ambiguous = facts

    def learn(self, data: bytes, comma: int) -> None:
        """Take the separator from a cut that is known to be right."""
        self._bytes, self._comma = separator(data, comma)

    def guess(self, data: bytes) -> int:
        """Where `data` can probably be cut (a comma); -1 for no idea.

        A cut that would leave most of the data over is none.
        """
        if not self._bytes or self._failed > 3:
            return -1
        place = data.rfind(self._bytes)
        if place < 0:
            return -1
        if self.ambiguous:
            place = self._balanced(data, place)
        return place + self._comma if place > len(data) // 4 else -1

    def _balanced(self, data: bytes, place: int) -> int:
        """The last separator at or before `place` with as many closes as opens."""
        arrays, objects = balance(data, 0, place + self._comma)
        for _ in range(200):
            if arrays == objects == 0:
                return place
            before = data.rfind(self._bytes, 0, place)
            if before < 0:
                break
            less = balance(data, before + self._comma, place + self._comma)
            arrays, objects = arrays - less[0], objects - less[1]
            place = before
        return -1

    def wrong(self) -> None:
        """The last guess was no cut: be more careful, then give up."""
        self._failed += self.ambiguous
        self.ambiguous = True

    def right(self) -> None:
        """The last guess was one."""
        self._failed = 0
