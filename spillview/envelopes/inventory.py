"""Every key of a JSON text with its count and types, as far as a budget goes."""

from __future__ import annotations

import json

from spillview.shape.outline import Outline
from spillview.shape.tree import Node, quoted
from spillview.text import path_text, printable

LONGEST = 300
"""Chars of a path in a row; what is longer is cut and ends with an ellipsis."""

_TYPES = ("object", "array", "string", "number", "boolean", "null")


class Inventory:
    """The keys of an outline: a row each, the most common ones first."""

    def __init__(self, outline: Outline) -> None:
        self.total = 0
        """Keys there are."""
        self.at_least = False
        """Whether there are more keys, which are not told apart."""
        self._rows: list[tuple[int, Node, str | None]] = []
        tree = outline.tree
        if tree is None:
            return
        for node in tree.root.walk():
            above = node.parent
            named = above is not None and above.mapped and above.names is not None
            if above is not None and node.count and not (node.key is None and named):
                self._rows.append((node.count, node, None))
            if node.mapped:
                self._take_map(node)
        self.total += len(self._rows)
        self._rows.sort(key=lambda row: -row[0])

    @property
    def reserve(self) -> int:
        """Chars that the words around the rows take."""
        words = '"keys":[\n],\n"keys_left_out":,\n"keys_left_out_is":"at least",\n'
        return len(words) + len('"document":,\n"samples":[\n],\n') + 20

    def listed(self, room: int) -> list[str]:
        """The rows that fit in `room` chars, a comma and an LF counted behind each."""
        rows: list[str] = []
        for count, node, name in self._rows:
            row = _row(count, node, name)
            room -= len(row) + 2
            if room < 0:
                break
            rows.append(row)
        return rows

    def _take_map(self, node: Node) -> None:
        """The keys of objects that are taken for maps, where they are known."""
        element = node.elements()
        if node.names is not None:
            self._rows += [(count, element, name) for name, count in node.names]
        elif node.objects == 1 and node.longest:
            self.total += node.longest
        else:
            self.total += node.tree.most_keys
            self.at_least = True


def _row(count: int, node: Node, name: str | None) -> str:
    types: dict[str, int] = {
        each: number
        for each in _TYPES
        if (number := getattr(node, f"{each}s" if each != "null" else "nulls"))
    }
    if node.integers and node.integers == node.numbers:
        types = {("integer" if k == "number" else k): v for k, v in types.items()}
    path = node.path
    said: str | dict[str, int] = types if len(types) > 1 else next(iter(types), "")
    if name is not None:
        parent = node.parent
        assert parent is not None
        above = "" if parent.path == "." else parent.path
        path = f"{above}[{quoted(name)}]" if above else f".[{quoted(name)}]"
        said = " or ".join(types)
    if len(path) > LONGEST:
        path = path[: LONGEST - 1] + "…"
    row = [printable(path_text(path)), count, said]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))
