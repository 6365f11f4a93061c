"""A naive outline to compare with: a value at a time, everything held."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from spillview.shape.numbers import Written
from spillview.shape.outline import Outline, Trail

TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


@dataclass
class Plain:
    """What a path holds, as a plain walk finds it."""

    count: int = 0
    types: dict[str, int] = field(default_factory=dict)
    integers: int = 0
    lengths: list[int] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)

    def facts(self) -> tuple[object, ...]:
        """What is compared."""
        return (
            self.count,
            self.types,
            self.integers,
            min(self.lengths, default=None),
            max(self.lengths, default=None),
            min(self.numbers, default=None),
            max(self.numbers, default=None),
        )


def walk(value: Any, trail: Trail, found: dict[Trail, Plain]) -> None:
    """Add `value` and all in it."""
    plain = found.setdefault(trail, Plain())
    plain.count += 1
    kind = TYPES[type(value)]
    plain.types[kind] = plain.types.get(kind, 0) + 1
    plain.integers += type(value) is int
    if kind == "number":
        plain.numbers.append(value)
    if isinstance(value, str | list | dict):
        plain.lengths.append(len(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            walk(inner, (*trail, key), found)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, (*trail, None), found)


def naive(documents: list[Any]) -> dict[Trail, tuple[object, ...]]:
    """The facts of every path of these documents together."""
    found: dict[Trail, Plain] = {}
    for document in documents:
        walk(document, (), found)
    return {trail: plain.facts() for trail, plain in found.items()}


def facts(outline: Outline) -> dict[Trail, tuple[object, ...]]:
    """The same of an outline."""
    return {
        path.trail: (
            path.count,
            path.types,
            path.integers,
            path.min_len,
            path.max_len,
            path.min,
            path.max,
        )
        for path in outline.paths
    }


def lost_keys(text: str) -> int:
    """How many keys are lost to equal ones in the same object."""
    lost = 0

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal lost
        lost += len(members) - len(dict(members))
        return dict(members)

    json.loads(text, object_pairs_hook=pairs)
    return lost


__all__ = ["Written", "facts", "lost_keys", "naive", "walk"]
