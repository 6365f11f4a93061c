"""Values read token by token: nothing lost, at any depth, up to the byte of a break."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from spillview.shape.numbers import Constant, number
from spillview.shape.tokens import (
    CLOSE,
    KEY,
    NUMBER,
    OPEN,
    STRING,
    Broken,
    Inside,
    events,
)


class OpenList(list[Any]):
    """An array that the text breaks in."""


class OpenDict(dict[str, Any]):
    """An object that the text breaks in."""


_WORDS: dict[bytes, Any] = {b"true": True, b"false": False, b"null": None}


@dataclass(slots=True)
class Exact:
    """What a text holds."""

    values: list[Any] | dict[str, Any]
    """The members; an object's by key, of equal keys the last."""
    end: int
    """The byte after the last token."""
    duplicates: int
    """How many keys were lost because an equal one came later."""
    broken: Broken | None
    """Where it stops being JSON; `values` holds what was before, and containers that
    were open there as `OpenList` and `OpenDict`."""


def string(token: bytes) -> str:
    """The text of a JSON string with its quotes; undecodable bytes become U+FFFD."""
    text: str = json.loads(token.decode("utf-8", "replace"), strict=False)
    return text


def read(data: bytes, inside: Inside, at: int = 0, *, whole: bool = True) -> Exact:
    """The members of an array or object, or the documents, in `data`.

    `whole` as in `tokens.events`. Numbers are exact, NaN and its like are `Constant`.
    """
    around: list[Any] | dict[str, Any] = {} if inside == "object" else []
    current = around
    stack: list[tuple[list[Any] | dict[str, Any], str | None]] = []
    key: str | None = None
    duplicates = 0
    broken = None
    end = at
    try:
        for kind, start, end in events(data, inside, at, whole=whole):
            if kind == KEY:
                key = string(data[start:end])
                continue
            value: Any
            if kind == OPEN:
                stack.append((current, key))
                current = [] if data[start] == 0x5B else {}
                key = None
                continue
            if kind == CLOSE:
                if not stack:
                    break
                value = current
                current, key = stack.pop()
            elif kind == STRING:
                value = string(data[start:end])
            elif kind == NUMBER:
                value = number(data[start:end].decode())
            else:
                word = data[start:end]
                value = _WORDS[word] if word in _WORDS else Constant(word.decode())
            duplicates += _put(current, key, value)
    except Broken as error:
        broken = error
        while stack:
            cut: Any = OpenList if isinstance(current, list) else OpenDict
            value = cut(current)
            current, key = stack.pop()
            duplicates += _put(current, key, value)
    return Exact(around, end, duplicates, broken)


def _put(container: list[Any] | dict[str, Any], key: str | None, value: Any) -> bool:
    """Add a member; tells whether it took the place of another."""
    if isinstance(container, list):
        container.append(value)
        return False
    assert key is not None
    taken = key in container
    container[key] = value
    return taken
