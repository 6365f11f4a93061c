"""Adding a piece to a JSON file of settings, and taking it out, byte by byte.

Nothing is written anew: the piece goes between two bytes of the file, so key order,
indentation, escapes and unknown keys stay as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from spillview.errors import BadInput

BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a JSON text, and where it stands."""

    start: int
    end: int
    """Chars; the value is `text[start:end]`."""
    kind: str
    """`object`, `array`, or `other`."""
    members: tuple[tuple[str | None, Node], ...] = ()
    """Keys and values of an object, values of an array."""

    def get(self, key: str) -> Node | None:
        """An object's member of that name."""
        for name, node in self.members:
            if name == key:
                return node
        return None


def scan(text: str) -> Node:
    """Where every value of the JSON object `text` stands.

    Raises `BadInput` where it is none, or holds what JSON has not (comments).
    """
    try:
        value = json.loads(text, object_pairs_hook=_pairs)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"is not JSON in line {error.lineno} ({error.msg}); comments and commas"
            " before a closing bracket are not JSON"
        ) from None
    except RecursionError:
        raise BadInput("is nested too deeply") from None
    except ValueError as error:
        raise BadInput(str(error)) from None
    if not isinstance(value, dict):
        raise BadInput("is no JSON object")
    # What the decoder took is JSON, so this one only finds the places.
    node, _ = _value(text, _past_blanks(text, 0))
    return node


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"holds {twice!r} twice in one object")
    return found


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANK:
        at += 1
    return at


def _value(text: str, at: int) -> tuple[Node, int]:
    char = text[at]
    if char in "{[":
        return _container(text, at)
    if char == '"':
        end = _string_end(text, at)
    else:
        end = at
        while end < len(text) and text[end] not in BLANK + ",]}":
            end += 1
    return Node(at, end, "other"), end


def _container(text: str, start: int) -> tuple[Node, int]:
    named = text[start] == "{"
    members: list[tuple[str | None, Node]] = []
    at = _past_blanks(text, start + 1)
    while text[at] not in "}]":
        key = None
        if named:
            end = _string_end(text, at)
            key = json.loads(text[at:end])
            at = _past_blanks(text, _past_blanks(text, end) + 1)
        node, at = _value(text, at)
        members.append((key, node))
        at = _past_blanks(text, at)
        if text[at] == ",":
            at = _past_blanks(text, at + 1)
    kind = "object" if named else "array"
    return Node(start, at + 1, kind, tuple(members)), at + 1


def _string_end(text: str, at: int) -> int:
    at += 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


@dataclass(frozen=True, slots=True)
class Style:
    """How a JSON text is laid out."""

    newline: str
    indent: str
    """One step of indentation; empty where everything stands on one line."""

    @classmethod
    def of(cls, text: str, root: Node) -> Style:
        """The style of a text, by its first member; two spaces where it has none."""
        newline = "\r\n" if "\r\n" in text else "\n"
        if not root.members:
            return cls(newline, "  ")
        before = text[root.start + 1 : root.members[0][1].start]
        before = before[: before.find('"')]
        if "\n" not in before:
            return cls(newline, "")
        return cls(newline, before.rpartition("\n")[2] or "  ")

    def write(self, value: object, depth: int) -> str:
        """`value` as it would stand there, its lines indented for `depth`."""
        if not self.indent:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, ensure_ascii=False, indent=self.indent)
        return text.replace("\n", self.newline + self.indent * depth)


def inserted(text: str, path: tuple[str, ...], value: object) -> tuple[str, int, int]:
    """`text` with `value` as the last item of the array at `path`, and the piece.

    Objects and the array on the way are made where they are missing. Gives the new
    text, and where in it the inserted piece begins and ends. Raises `BadInput` where
    something else stands in the way.
    """
    root = scan(text)
    style = Style.of(text, root)
    node = root
    left = list(path)
    while left:
        found = node.get(left[0])
        if found is None:
            break
        wanted = "array" if len(left) == 1 else "object"
        if found.kind != wanted:
            raise BadInput(f"has no {wanted} under {'.'.join(path)}")
        node = found
        del left[0]
    depth = len(path) - len(left) + 1
    key = ""
    if left:
        key = f"{json.dumps(left[0])}: "
        value = [value]
        for name in reversed(left[1:]):
            value = {name: value}
    item = key + style.write(value, depth)
    if node.members:
        at = node.members[-1][1].end
        lead = f",{style.newline}{style.indent * depth}" if style.indent else ", "
        piece = lead + item
    else:
        at = node.start + 1
        piece, trail = item, text[at : node.end - 1]
        if style.indent:
            piece = style.newline + style.indent * depth + item
            if "\n" not in trail:
                piece += style.newline + style.indent * (depth - 1)
    return text[:at] + piece + text[at:], at, at + len(piece)


Trail = list[tuple[Node, int]]
"""The way to an item: each container from the root, and the place in it."""


def cut_out(text: str, trail: Trail, top: int) -> str:
    """`text` without the item at the end of `trail`.

    A container that would be left empty goes too, as far up as the `top`-th of them.
    """
    level = len(trail) - 1
    while level > top and len(trail[level][0].members) == 1:
        level -= 1
    parent, place = trail[level]
    end = parent.members[place][1].end
    if place:
        start = parent.members[place - 1][1].end
    elif len(parent.members) > 1:
        start, end = parent.start + 1, text.index(",", end) + 1
    else:
        start, end = parent.start + 1, parent.end - 1
    return text[:start] + text[end:]
