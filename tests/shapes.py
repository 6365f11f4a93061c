"""Documents to be outlined, and a naive outline to compare with: everything held."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.shape import Outline, outline
from spillview.shape.outline import Trail

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


TRICKS = [
    "}],{",
    '\\"',
    "[[[",
    "\n",
    '":"',
    "x" * 90,
    "😀",
    '},{"id":',
    "\x1f",
    "\ud83d",
]
KEYS = st.sampled_from(["a", "b", "id", "a b", "é", "", 'x"y', "日本", "k" * 70])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=30)
    | st.sampled_from(TRICKS)
    | st.sampled_from([10**400, 2**64, 2**64 - 1, -(2**63) - 1, 0.1, 1e22])
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=6)
        | st.lists(st.fixed_dictionaries({"id": st.integers(), "t": inner}), max_size=8)
    ),
    max_leaves=30,
)
STYLES = st.fixed_dictionaries(
    {
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")]),
        "indent": st.sampled_from([None, 0, 2]),
    }
)
BATCHES = st.integers(16, 200)


def outlined(data: bytes | str, batch: int = 1 << 17, **options: Any) -> Outline:
    """The outline of some bytes, in parts of `batch` bytes."""
    content = BytesContent(data.encode() if isinstance(data, str) else data)
    whole = options.pop("whole", batch * 2 if batch < 1 << 17 else 1 << 20)
    return outline(content, batch=batch, whole=whole, **options)


class Repeated:
    """Bytes made when they are read: a head, blocks again and again, an end."""

    path = None

    def __init__(self, head: bytes, block: bytes, times: int, tail: bytes) -> None:
        self._head, self._block, self._tail = head, block, tail
        self._middle = len(block) * times
        self.size = len(head) + self._middle + len(tail)

    def pread(self, offset: int, length: int) -> bytes:
        head, block = len(self._head), len(self._block)
        parts = [self._head[offset : offset + length]]
        start = max(offset - head, 0)
        end = min(offset + length - head, self._middle)
        if start < end:
            first = start // block
            blocks = self._block * (-(-end // block) - first)
            parts.append(blocks[start - first * block : end - first * block])
        after = offset - head - self._middle
        if after + length > 0:
            parts.append(self._tail[max(after, 0) : after + length])
        return b"".join(parts)

    def close(self) -> None:
        """Nothing to give back."""
