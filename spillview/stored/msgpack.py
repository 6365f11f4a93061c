"""MessagePack as plain values: nothing it names is imported, made or called.

What a program packed as an object of its own becomes what it was made from: the members
of a message, the text of a time. Bytes and anything unknown become None.
"""

from __future__ import annotations

import struct
from typing import Any

DEPTH = 128
"""Containers inside each other; data with more is broken."""

_SIZES = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_LENGTHS = {
    0xC4: (1, "bytes"),
    0xC5: (2, "bytes"),
    0xC6: (4, "bytes"),
    0xC7: (1, "object"),
    0xC8: (2, "object"),
    0xC9: (4, "object"),
    0xD9: (1, "text"),
    0xDA: (2, "text"),
    0xDB: (4, "text"),
    0xDC: (2, "list"),
    0xDD: (4, "list"),
    0xDE: (2, "map"),
    0xDF: (4, "map"),
}


class Broken(ValueError):
    """The data is no MessagePack, or too deep."""


def unpack(data: bytes) -> Any:
    """The one value that `data` is; raises `Broken`."""
    reader = _Reader(data)
    value = reader.value(0)
    if reader.at != len(data):
        raise Broken("Something stands behind the value.")
    return value


class _Reader:
    """Walks the bytes of one value; every length is held against what is left."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        end = self.at + size
        if end > len(self.data):
            raise Broken("The data ends too early.")
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def value(self, depth: int) -> Any:
        """The next value."""
        if depth > DEPTH:
            raise Broken("The data is nested too deeply.")
        mark = self.take(1)[0]
        if mark <= 0x7F or mark >= 0xE0:
            return mark if mark <= 0x7F else mark - 256
        if mark <= 0x8F:
            return self.map(mark & 0x0F, depth)
        if mark <= 0x9F:
            return self.list(mark & 0x0F, depth)
        if mark <= 0xBF:
            return self.text(mark & 0x1F)
        if mark in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[mark]
        if mark in _SIZES:
            form = _SIZES[mark]
            return struct.unpack(form, self.take(struct.calcsize(form)))[0]
        if 0xD4 <= mark <= 0xD8:
            return self.object(1 << (mark - 0xD4), depth)
        if mark not in _LENGTHS:
            raise Broken(f"Byte {mark:#x} begins no value.")
        size, kind = _LENGTHS[mark]
        length = int.from_bytes(self.take(size), "big")
        if kind == "text":
            return self.text(length)
        if kind == "list":
            return self.list(length, depth)
        if kind == "map":
            return self.map(length, depth)
        if kind == "object":
            return self.object(length, depth)
        self.take(length)
        return None

    def text(self, length: int) -> str:
        """A text of so many bytes."""
        return self.take(length).decode("utf-8", "replace")

    def list(self, length: int, depth: int) -> list[Any]:
        """A list of so many values."""
        if length > len(self.data) - self.at:
            raise Broken("A list is longer than the data.")
        return [self.value(depth + 1) for _ in range(length)]

    def map(self, length: int, depth: int) -> dict[str, Any]:
        """Members; those whose key is no text are left out."""
        if 2 * length > len(self.data) - self.at:
            raise Broken("A map is longer than the data.")
        found: dict[str, Any] = {}
        for _ in range(length):
            key = self.value(depth + 1)
            value = self.value(depth + 1)
            if isinstance(key, str):
                found[key] = value
        return found

    def object(self, length: int, depth: int) -> Any:
        """What an object was made from: (module, name, arguments, …) inside."""
        kind = self.take(1)[0]
        inner = _Reader(self.take(length))
        if kind > 5:
            return None  # a time of MessagePack's own, an array of numbers
        try:
            made = inner.value(depth + 1)
        except Broken:
            return None
        if isinstance(made, list) and len(made) >= 3:
            return made[2]
        return None
