"""JSON's tokens one by one with their bytes, and the exact byte where they break.

Slow beside a parser in C, and used where such a parser gives up or tells too little:
for documents that break, for depths and numbers beyond its limits, and for places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from spillview.possessive import repeated
from spillview.text import printable

Inside = Literal["array", "object", "documents"]
"""What the text is a part of: members of an array or object, or whole documents."""

OPEN, CLOSE, COMMA, COLON, STRING, NUMBER, WORD, KEY = range(1, 9)

Event = tuple[int, int, int]
"""What it is (`OPEN`, `CLOSE`, `STRING`, `NUMBER`, `WORD` or `KEY`), start, end."""

STRING_BODY = repeated(rb'[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')

TOKEN = re.compile(
    rb"[ \t\r\n]*+(?:([\[{])|([\]}])|(,)|(:)|"
    rb'("' + STRING_BODY + rb'")'
    rb"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
    rb"|(true|false|null|NaN|-?Infinity))"
)

_SPACE = re.compile(rb"[ \t\r\n]*+")
_BEGUN = re.compile(
    rb'"' + STRING_BODY + rb"(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
    rb"|-?(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?)?(?:(?<=[0-9])[eE][+-]?[0-9]*+)?"
)
"""As much of a string or number as can be one."""

_WORDS = (b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity")

_VALUE, _VALUE_OR_CLOSE, _KEY, _KEY_OR_CLOSE, _COLON, _AFTER, _NEXT = range(7)

_EXPECTED = {
    _VALUE: "a value is expected here",
    _VALUE_OR_CLOSE: "a value is expected here",
    _KEY: "a key in quotes is expected here",
    _KEY_OR_CLOSE: "a key in quotes is expected here",
    _COLON: "a colon is expected here",
    _AFTER: "a comma or a closing bracket is expected here",
    _NEXT: "a JSON document is expected here",
}


class Broken(Exception):
    """The text stops being JSON at byte `offset`."""

    def __init__(self, offset: int, message: str, *, ended: bool) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        """A plain sentence."""
        self.ended = ended
        """Whether the text merely ended too soon."""


def events(
    data: bytes, inside: Inside, at: int = 0, *, whole: bool = True
) -> Iterator[Event]:
    """The tokens of `data` from `at` on, up to its end or the bracket that closes it.

    In an array or object the text begins with a member; when members were `whole` a
    delimiter follows behind `data`, otherwise the text ends there. The `CLOSE` of the
    surrounding container itself, where it is in `data`, is the last event.

    Raises `Broken` where the text is no JSON.
    """
    stack = bytearray()
    state = {"array": _VALUE, "object": _KEY, "documents": _NEXT}[inside]
    around = {"array": 0x5B, "object": 0x7B, "documents": 0}[inside]
    match_token = TOKEN.match
    while True:
        match = match_token(data, at)
        if match is None:
            at = _SPACE.match(data, at).end()  # type: ignore[union-attr] # matches always
            if at >= len(data):
                if not stack and (state == _NEXT or (whole and state == _AFTER)):
                    return
                raise Broken(at, _ending(stack, around), ended=True)
            raise _broken(data, at, state)
        kind = match.lastindex or 0
        start, at = match.span(kind)
        if kind == OPEN:
            if state not in (_VALUE, _VALUE_OR_CLOSE, _NEXT):
                raise _unexpected(data, start, state)
            bracket = data[start]
            stack.append(bracket)
            state = _VALUE_OR_CLOSE if bracket == 0x5B else _KEY_OR_CLOSE
            yield OPEN, start, at
            continue
        if kind == CLOSE:
            bracket = data[start]
            opened = stack[-1] if stack else around
            matches = opened + 2 == bracket
            if not matches or state not in (_AFTER, _VALUE_OR_CLOSE, _KEY_OR_CLOSE):
                raise _unexpected(data, start, state)
            yield CLOSE, start, at
            if not stack:
                return
            stack.pop()
        elif kind == COMMA:
            opened = stack[-1] if stack else around
            if state != _AFTER or not opened:
                raise _unexpected(data, start, state)
            state = _VALUE if opened == 0x5B else _KEY
            continue
        elif kind == COLON:
            if state != _COLON:
                raise _unexpected(data, start, state)
            state = _VALUE
            continue
        elif kind == STRING and state in (_KEY, _KEY_OR_CLOSE):
            state = _COLON
            yield KEY, start, at
            continue
        else:
            if state not in (_VALUE, _VALUE_OR_CLOSE, _NEXT):
                raise _unexpected(data, start, state)
            if kind == NUMBER:
                if data[at : at + 1] in (b".", b"e", b"E"):
                    raise _broken(data, start, _VALUE)
                unfinished = at == len(data) and (stack or not whole)
                if unfinished and (stack or around):
                    raise Broken(at, "the text ends inside a number", ended=True)
            if not around and not stack and kind != STRING and data[at : at + 1] > b" ":
                shown = shown_at(data, at)
                raise Broken(at, f"the document ends before {shown}", ended=False)
            yield kind, start, at
        state = _AFTER if stack or around else _NEXT


def _broken(data: bytes, at: int, state: int) -> Broken:
    """What is wrong at `at`, where no token is; exactly where the text goes wrong."""
    byte = data[at]
    if byte == 0x22 and state not in (_COLON, _AFTER):
        end = _BEGUN.match(data, at).end()  # type: ignore[union-attr] # it begins a string
        if end >= len(data):
            return Broken(end, "the text ends inside a string", ended=True)
        return Broken(end, _bad_in_string(data, end), ended=False)
    if state in (_VALUE, _VALUE_OR_CLOSE, _NEXT):
        end = at
        for word in _WORDS:
            length = _common(word, data[at : at + len(word)])
            end = max(end, at + length)
        match = _BEGUN.match(data, at)
        if match is not None:
            end = max(end, match.end())
        if end >= len(data):
            return Broken(end, "the text ends inside a value", ended=True)
        if end > at:
            return Broken(end, f"{shown_at(data, end)} breaks a value", ended=False)
    return _unexpected(data, at, state)


_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?")


def bad_string(data: bytes, at: int, base: int) -> Broken:
    """What is wrong inside a string that goes well until `data[at]`, byte `base + at`,
    where an escape may begin."""
    escape = _ESCAPE.match(data, at)
    at = min(escape.end() if escape else at, len(data) - 1)
    return Broken(base + at, _bad_in_string(data, at), ended=False)


def _bad_in_string(data: bytes, at: int) -> str:
    return f"a string cannot hold {shown_at(data, at)} there"


def _common(word: bytes, data: bytes) -> int:
    length = 0
    while length < min(len(word), len(data)) and word[length] == data[length]:
        length += 1
    return length


def _unexpected(data: bytes, at: int, state: int) -> Broken:
    return Broken(at, f"{_EXPECTED[state]}, not {shown_at(data, at)}", ended=False)


def shown_at(data: bytes, at: int) -> str:
    """The character at `at`, for a sentence."""
    text = data[at : at + 4].decode("utf-8", "replace")[:1]
    return f"“{printable(text)}”"


def _ending(stack: bytearray, around: int) -> str:
    innermost = stack[-1] if stack else around
    where = {0x5B: "an array", 0x7B: "an object", 0: "a document"}[innermost]
    return f"the text ends inside {where}"
