"""A part of the text as Python values: by the fastest reader that gets it all right."""

from __future__ import annotations

import gc
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from spillview.content.codepoints import double_quotes, escaped_quotes, line_feeds
from spillview.shape.exact import read
from spillview.shape.numbers import Constant
from spillview.shape.tokens import Inside

Values = list[Any] | dict[str, Any]

FAST, PLAIN, EXACT = range(3)
"""orjson; the standard library's parser (any integer, NaN); token by token."""

_BRACKETS = {"array": (b"[", b"]"), "object": (b"{", b"}"), "documents": (b"[", b"]")}

MARK = f"{secrets.token_hex(8)}"
"""Stands between documents that are parsed together; no text can know it."""

_JOINT = f',"{MARK}",'.encode()

_ENDINGS = ((b"\n", _JOINT), (b"}\n{", b"}" + _JOINT + b"{"), (b"", b""))

_DECODER = json.JSONDecoder(parse_constant=Constant)


class Refused(Exception):
    """This reader cannot take the text; the next one may."""


def parse(data: bytes, inside: Inside, reader: int) -> Values:
    """The members of an array or object, or the documents (one a line), in `data`.

    `FAST` and `PLAIN` raise `Refused` when they cannot: the text is no JSON, or beyond
    them. `PLAIN` gives U+FFFD for undecodable bytes.
    """
    opening, closing = _BRACKETS[inside]
    if inside == "documents":
        return _documents(data, reader)
    return _loads(opening + data + closing, reader)


def _loads(text: bytes, reader: int) -> Values:
    values: Values
    try:
        if reader == FAST:
            values = orjson.loads(text)
        else:
            values = _DECODER.decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise Refused from error
    return values


def _documents(data: bytes, reader: int) -> list[Any]:
    """One document a line, or documents that each end and begin a line with a brace.

    They are parsed as one array with marks between them. The marks must come out where
    they were put in: then no document reaches over the end of its part.
    """
    data = data.strip(b" \t\r\n")
    for ending, joined in _ENDINGS:
        count = 1
        if ending:
            count += line_feeds(data) if ending == b"\n" else data.count(ending)
        text = data.replace(ending, joined) if count > 1 else data
        try:
            values = _loads(b"[" + text + b"]", reader)
        except Refused:
            continue
        assert isinstance(values, list)
        if len(values) == 2 * count - 1 and values[1::2].count(MARK) == count - 1:
            return values[::2]
    raise Refused


def count_duplicates(data: bytes, inside: Inside) -> int:
    """How many keys of `data`, all objects in it together, are lost to equal ones."""
    lost = 0

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal lost
        found = dict(members)
        lost += len(members) - len(found)
        return found

    opening, closing = _BRACKETS[inside]
    if inside != "documents":
        decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=Constant)
        try:
            text = (opening + data + closing).decode("utf-8", "replace")
            decoder.decode(text)
        except (ValueError, RecursionError):
            pass
        else:
            return lost
    return read(data, inside).duplicates


_ESCAPE = re.compile(rb"\\.", re.DOTALL)


def quotes(data: bytes) -> int:
    """How many quotes begin or end a string in `data`, which is JSON."""
    escaped = escaped_quotes(data)
    if escaped is None:
        escaped = _ESCAPE.findall(data).count(b'\\"')
    return double_quotes(data) - escaped


@contextmanager
def collection_off() -> Iterator[None]:
    """No garbage collection meanwhile: parsed values hold no cycles to be found."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
