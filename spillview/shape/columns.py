"""Parsed values taken in column by column: all values of one path at a time.

A record at a time costs a step of the interpreter for each value; a column costs a few
for all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from spillview.shape.exact import OpenDict, OpenList
from spillview.shape.numbers import Constant, Endless, Written
from spillview.shape.tree import Node, Tree

_TOO_LARGE = 2.0**64
_TOO_SMALL = -(2.0**63)


class Lossy(Exception):
    """A float may stand for an integer that the parser could not hold."""


class LongString:
    """A string too long to be held: what is known of it."""

    __slots__ = ("chars", "head")

    def __init__(self, chars: int, head: str) -> None:
        self.chars = chars
        self.head = head


Fact = tuple[Node, int, int, Any, Any, Any]
"""A node, what its column holds, how many; the rest depends on what."""

NULLS, BOOLEANS, INTEGERS, FLOATS, STRINGS, ARRAYS, OBJECTS = range(7)
OPEN_ARRAYS, OPEN_OBJECTS, CONSTANTS, ENDLESS = range(7, 11)

Column = Sequence[Any]
Task = tuple[Column, Node, int]


def _order(kind: type) -> tuple[bool, str]:
    """Ordinary types first: what breaks comes last in the text, too."""
    return kind in (OpenDict, OpenList), kind.__name__


class Columns:
    """What one batch holds, not taken in by the tree before all of it is known.

    `strings` is how many strings there are in all, keys included.
    """

    def __init__(self, tree: Tree, *, exact: bool, target: Node | None = None) -> None:
        """Of numbers that are not `exact`, the large ones raise `Lossy`.

        Records at `target` are kept for whoever collects them.
        """
        self._tree = tree
        self._exact = exact
        self._target = target
        self._todo: deque[Task] = deque()
        self.facts: list[Fact] = []
        self.strings = 0
        self.depth = 0
        self.records: list[Sequence[dict[str, Any]]] = []

    def elements(self, values: Column, node: Node, depth: int) -> None:
        """Take values that are all at `node`, `depth` arrays and objects deep."""
        if values:
            self._todo.append((values, node, depth))
            self._run()

    def members(self, values: dict[str, Any], node: Node, depth: int) -> None:
        """Take members of the object at `node`, whose values are `depth` deep."""
        self.strings += len(values)
        self._spread(tuple(values), (values,), node, depth - 1)
        self._run()

    def commit(self, *, seen: bool, keys: bool = True) -> None:
        """Add everything to the tree; `seen` when the model received all of it, with
        the `keys` of it."""
        self._tree.depth = max(self._tree.depth, self.depth)
        for node, what, count, low, high, example in self.facts:
            node = node.current()
            if seen:
                node.shown = node.shown or keys
                if what not in (OPEN_ARRAYS, OPEN_OBJECTS):
                    node.seen += count
            if what == STRINGS:
                node.strings += count
                node.measure(low, high)
                node.show(example)
            elif what in (INTEGERS, FLOATS):
                node.numbers += count
                node.integers += count if what == INTEGERS else 0
                node.compare(low, high)
                node.show(example)
            elif what == NULLS:
                node.nulls += count
            elif what == BOOLEANS:
                node.booleans += count
                node.show(example)
            elif what == OBJECTS:
                node.objects += count
                node.measure(low, high)
            elif what == ARRAYS:
                node.arrays += count
                node.measure(low, high)
            elif what == OPEN_OBJECTS:
                node.objects += count
                node.open += count
            elif what == OPEN_ARRAYS:
                node.arrays += count
                node.open += count
            else:
                node.numbers += count
                if what == CONSTANTS:
                    self._tree.constants += count
                else:
                    self._tree.endless += count

    def _run(self) -> None:
        todo = self._todo
        while todo:
            column, node, depth = todo.popleft()
            node = node.current()
            kinds = set(map(type, column))
            if len(kinds) == 1:
                self._take(kinds.pop(), column, node, depth)
                continue
            for kind in sorted(kinds, key=_order):
                part = [value for value in column if type(value) is kind]
                self._take(kind, part, node, depth)

    def _take(self, kind: type, column: Column, node: Node, depth: int) -> None:
        """Take the values of one type."""
        count = len(column)
        facts = self.facts
        if kind is str:
            self.strings += count
            lengths = list(map(len, column))
            low, high = min(lengths), max(lengths)
            example = column[0] if column[0] or not high else next(filter(None, column))
            facts.append((node, STRINGS, count, low, high, example))
        elif kind is int:
            facts.append((node, INTEGERS, count, min(column), max(column), column[0]))
        elif kind is float:
            low, high = min(column), max(column)
            if high >= _TOO_LARGE or low <= _TOO_SMALL:
                self._doubt(low, high)
            facts.append((node, FLOATS, count, low, high, column[0]))
        elif kind is dict:
            self._objects(column, node, depth)
        elif kind is list:
            lengths = list(map(len, column))
            facts.append((node, ARRAYS, count, min(lengths), max(lengths), None))
            self._arrays(column, node, depth)
        elif kind is bool:
            facts.append((node, BOOLEANS, count, None, None, column[0]))
        elif column[0] is None:
            facts.append((node, NULLS, count, None, None, None))
        else:
            self._rare(kind, column, node, depth)

    def _rare(self, kind: type, column: Column, node: Node, depth: int) -> None:
        """What only the exact reader gives, and what was too long to be read whole."""
        count = len(column)
        facts = self.facts
        if kind is Written:
            whole = sum(value.text.lstrip("-").isdigit() for value in column)
            low, high = min(column), max(column)
            if whole:
                facts.append((node, INTEGERS, whole, low, high, column[0]))
            if count - whole:
                facts.append((node, FLOATS, count - whole, low, high, column[0]))
        elif kind is LongString:
            lengths = [value.chars for value in column]
            head = column[0].head
            facts.append((node, STRINGS, count, min(lengths), max(lengths), head))
        elif kind is OpenDict:
            facts.append((node, OPEN_OBJECTS, count, None, None, None))
            self.depth = max(self.depth, depth + 1)
            self._groups(column, node, depth)
        elif kind is OpenList:
            facts.append((node, OPEN_ARRAYS, count, None, None, None))
            self._arrays(column, node, depth)
        elif kind is Constant:
            facts.append((node, CONSTANTS, count, None, None, None))
        else:
            assert kind is Endless
            facts.append((node, ENDLESS, count, None, None, None))

    def _doubt(self, low: float, high: float) -> None:
        if not self._exact:
            raise Lossy
        if high - high != 0 or low - low != 0:  # beyond what a float can be
            raise Lossy

    def _arrays(self, column: Column, node: Node, depth: int) -> None:
        self.depth = max(self.depth, depth + 1)
        elements = list(chain.from_iterable(column))
        if elements:
            self._todo.append((elements, node.elements(), depth + 1))

    def _objects(self, column: Column, node: Node, depth: int) -> None:
        lengths = list(map(len, column))
        count = len(column)
        self.depth = max(self.depth, depth + 1)
        self.facts.append((node, OBJECTS, count, min(lengths), max(lengths), None))
        if node is self._target:
            self.records.append(column)
        self._groups(column, node, depth)

    def _groups(self, column: Column, node: Node, depth: int) -> None:
        """Spread objects by which keys they have."""
        if node.mapped:
            self._mapped(column, node, depth)
            return
        key_sets = list(map(tuple, column))
        if key_sets.count(key_sets[0]) == len(key_sets):
            self.strings += len(key_sets[0]) * len(key_sets)
            self._spread(key_sets[0], column, node, depth)
            return
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for keys, value in zip(key_sets, column, strict=True):
            group = groups.get(keys)
            if group is None:
                groups[keys] = [value]
            else:
                group.append(value)
        if len(groups) > 8 and len(groups) > len(column) // 8:
            self._by_key(column, node, depth)
            return
        for keys, group in groups.items():
            self.strings += len(keys) * len(group)
            self._spread(keys, group, node, depth)

    def _spread(
        self,
        keys: tuple[str, ...],
        group: Sequence[dict[str, Any]],
        node: Node,
        depth: int,
    ) -> None:
        """Make columns of objects with the same keys in the same order."""
        node = node.current()
        if not node.mapped and len(keys) > self._tree.most_keys:
            node.to_map()
        columns: Iterable[Column] = zip(*map(dict.values, group), strict=True)
        self._columns(zip(keys, columns, strict=True), node, depth)

    def _by_key(self, column: Column, node: Node, depth: int) -> None:
        """Make columns of objects whose keys differ from one to the next."""
        columns: dict[str, list[Any]] = {}
        for value in column:
            self.strings += len(value)
            for key, inner in value.items():
                if key in columns:
                    columns[key].append(inner)
                else:
                    columns[key] = [inner]
        self._columns(columns.items(), node, depth)

    def _columns(
        self, columns: Iterable[tuple[str, Column]], node: Node, depth: int
    ) -> None:
        rest: list[Any] = []
        for key, column in columns:
            if node.mapped:
                rest += column
            else:
                self._todo.append((column, node.child(key), depth + 1))
                node = node.current()
        if rest:
            self._todo.append((rest, node.elements(), depth + 1))

    def _mapped(self, column: Column, node: Node, depth: int) -> None:
        self.strings += sum(map(len, column))
        values = list(chain.from_iterable(map(dict.values, column)))
        if values:
            self._todo.append((values, node.elements(), depth + 1))
