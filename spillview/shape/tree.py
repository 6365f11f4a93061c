"""The outline as it grows: a node for each path, facts that add up in any order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spillview.shape.numbers import Number
from spillview.shape.tokens import Inside
from spillview.text import printable

DEEPEST = 100
"""Steps of a path; what is nested deeper is counted but not listed."""

MOST_KEYS = 1_000
"""Distinct keys of the objects at one path beyond which they are taken for maps."""

MANY_KEYS = 100
"""Distinct keys beyond which objects that look like maps are listed as such."""

MOST_PATHS = 20_000
"""Paths in all, beyond which the objects with the most keys are taken for maps."""

MOST_PARTS = 200_000
"""Parts of the text whose places are remembered: those of 25 GB."""

LONGEST_KEY = 1_000
"""Characters of a key that a path gives in full."""

EXAMPLE = 120
"""Characters of an example."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The part of the text in which a path came up first."""

    start: int
    end: int
    inside: Inside
    node: Node | None
    """The array or object whose members these are; None for documents."""
    exact: bool = False
    """Whether the path's first value, with its key, begins at `start` itself."""


class Node:
    """What is known of the values at one path."""

    __slots__ = (
        "arrays",
        "booleans",
        "children",
        "depth",
        "element",
        "example",
        "high",
        "integers",
        "key",
        "longest",
        "low",
        "mapped",
        "merged",
        "names",
        "nulls",
        "numbers",
        "objects",
        "open",
        "origin",
        "parent",
        "seen",
        "shortest",
        "shown",
        "strings",
        "tree",
    )

    def __init__(self, tree: Tree, parent: Node | None, key: str | None) -> None:
        self.tree = tree
        self.parent = parent
        self.key = key
        """The last step by name; None for the elements of an array or a map."""
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.children: dict[str, Node] = {}
        self.element: Node | None = None
        self.merged: Node | None = None
        """The node that took this one in."""
        self.mapped = False
        """Whether objects here are maps, whose values are all `element`."""
        self.names: tuple[tuple[str, int], ...] | None = None
        """Of a map whose keys are known all the same: each with its count."""
        self.nulls = self.booleans = self.numbers = self.integers = 0
        self.strings = self.arrays = self.objects = 0
        self.open = 0
        """Arrays and objects that the text breaks in."""
        self.low: Number | None = None
        self.high: Number | None = None
        self.shortest: int | None = None
        self.longest: int | None = None
        self.example: Any = None
        self.seen = 0
        """Values that the model received whole."""
        self.shown = False
        """Whether the model received the key at all."""
        self.origin = tree.origin

    @property
    def count(self) -> int:
        """Values at this path."""
        return (
            self.nulls
            + self.booleans
            + self.numbers
            + self.strings
            + self.arrays
            + self.objects
        )

    def current(self) -> Node:
        """This node, or the one that took it in."""
        node = self
        while node.merged is not None:
            node = node.merged
        return node

    def child(self, key: str) -> Node:
        """The node of the values under `key`, made when there is none."""
        if self.mapped:
            return self.elements()
        if len(key) > LONGEST_KEY:
            key = self.tree.shorten(key)
        node = self.children.get(key)
        if node is None:
            if self.depth >= DEEPEST:
                return self.tree.deeper
            if len(self.children) >= self.tree.most_keys:
                self.to_map()
                return self.elements()
            node = self.children[key] = Node(self.tree, self, key)
            self.tree.grow(1 + len(key) // 64)
            node = node.current()
        return node

    def elements(self) -> Node:
        """The node of the elements of arrays here, made when there is none."""
        if self.element is None:
            if self.depth >= DEEPEST:
                return self.tree.deeper
            self.element = Node(self.tree, self, None)
            self.tree.grow(1)
        return self.element

    def find(self, key: str | None) -> Node | None:
        """The node under `key` (None: of the elements), if there is one."""
        if key is None or self.mapped:
            return self.element
        if len(key) > LONGEST_KEY:
            key = self.tree.shorten(key)
        return self.children.get(key)

    def to_map(self) -> None:
        """Take the objects here for maps: all their values become one path."""
        self.mapped = True
        children, self.children = self.children, {}
        for child in children.values():
            self.elements().absorb(child)

    def absorb(self, other: Node) -> None:
        """Take in another node's facts and what is below it."""
        if other.mapped and not self.mapped:
            self.to_map()
        for name in ("nulls", "booleans", "numbers", "integers", "strings", "arrays"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.objects += other.objects
        self.open += other.open
        self.seen += other.seen
        self.shown = self.shown or other.shown
        self.compare(other.low, other.high)
        self.measure(other.shortest, other.longest)
        if self.example is None:
            self.example = other.example
        if other.origin.start < self.origin.start:
            self.origin = other.origin
        if other.element is not None:
            self.elements().absorb(other.element)
        for key, child in other.children.items():
            self.child(key).absorb(child)
        other.children, other.element = {}, None
        if other is not self:
            other.merged = self

    def compare(self, low: Number | None, high: Number | None) -> None:
        """Take in the smallest and the largest of some numbers."""
        if low is not None and (self.low is None or low < self.low):
            self.low = low
        if high is not None and (self.high is None or high > self.high):
            self.high = high

    def measure(self, shortest: int | None, longest: int | None) -> None:
        """Take in the smallest and the largest of some lengths."""
        if shortest is not None and (self.shortest is None or shortest < self.shortest):
            self.shortest = shortest
        if longest is not None and (self.longest is None or longest > self.longest):
            self.longest = longest

    def show(self, example: Any) -> None:
        """Offer an example: the first that says something is kept."""
        if self.example is None or self.example == "":
            if isinstance(example, str) and len(example) > EXAMPLE:
                example = example[: EXAMPLE - 1] + "…"
            self.example = example

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of their first appearance."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children.values())
            if node.element is not None:
                stack.append(node.element)

    @property
    def path(self) -> str:
        """The jq path of the values here, ready to be pasted."""
        steps = []
        node: Node = self
        while node.parent is not None:
            steps.append(_step(node))
            node = node.parent
        text = "".join(reversed(steps))
        return text if text.startswith(".") else f".{text}"

    @property
    def trail(self) -> tuple[str | None, ...]:
        """The steps from the root: keys, and None for elements."""
        steps = []
        node: Node = self
        while node.parent is not None:
            steps.append(node.key)
            node = node.parent
        return tuple(reversed(steps))


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _step(node: Node) -> str:
    """The last step to `node`, so that jq neither stops at values of another type nor
    takes in what belongs to another path."""
    above = node.parent
    assert above is not None
    others = above.strings + above.numbers + above.booleans
    if node.key is None:
        if above.objects and not above.mapped:
            return " | arrays[]"
        return "[]?" if others + _nulls(above) else "[]"
    safe = others + above.arrays == 0
    plain = _PLAIN.fullmatch(node.key) is not None
    return (f".{node.key}" if plain else f"[{quoted(node.key)}]") + "?" * (not safe)


def _nulls(node: Node) -> int:
    """How many nulls jq has at a path: a key that is missing gives one, too."""
    nulls, above = node.nulls, node.parent
    if above is not None and node.key is not None:
        nulls += max(0, above.objects - node.count) + _nulls(above)
    return nulls


def quoted(key: str) -> str:
    """`key` as a string of jq, of visible characters, that a shell's '…' can hold."""
    parts = []
    for char in key:
        if char in '"\\':
            parts.append("\\" + char)
        elif char == "'" or printable(char) != char:
            units = char.encode("utf-16-be", "surrogatepass").hex()
            parts += ["\\u" + units[at : at + 4] for at in range(0, len(units), 4)]
        else:
            parts.append(char)
    return '"' + "".join(parts) + '"'


class Tree:
    """All paths, and what was met on the way."""

    def __init__(
        self, *, most_keys: int = MOST_KEYS, most_paths: int = MOST_PATHS
    ) -> None:
        self.most_keys = most_keys
        self.most_paths = most_paths
        self.size = 1
        self.origin = Origin(0, 0, "documents", None)
        """Where new paths come from at the moment."""
        self.root = Node(self, None, None)
        self.deeper: Node = _Deeper(self)
        """Stands for everything below the deepest paths."""
        self.parts: list[Origin] = []
        """The parts of the text that were taken, in its order."""
        self.depth = 0
        """How deep arrays and objects are nested."""
        self.duplicates = 0
        self.constants = 0
        self.endless = 0
        """Numbers too long to be compared."""
        self.long_keys = 0
        self.crowded = False
        """Whether maps were made because there were too many paths."""

    def note(self, part: Origin) -> None:
        """Remember a part of the text; of too many, every other one."""
        self.parts.append(part)
        if len(self.parts) > MOST_PARTS:
            del self.parts[::2]

    def grow(self, weight: int) -> None:
        """Count a new path; make maps when there are too many."""
        self.size += weight
        if self.size > self.most_paths:
            self._relieve()

    def _relieve(self) -> None:
        """Take the objects with the most keys for maps until half the room is free."""
        self.crowded = True
        while self.size > self.most_paths // 2:
            widest = max(self.root.walk(), key=lambda node: len(node.children))
            if len(widest.children) < 2:
                return  # chains without branches are never that many
            self.size = -(1 << 60)  # nothing is counted while branches are merged
            widest.to_map()
            self.size = sum(1 + len(n.key or "") // 64 for n in self.root.walk())

    def shorten(self, key: str) -> str:
        """A long key's beginning and a digest of all of it."""
        self.long_keys += 1
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=6)
        return f"{key[:200]}…{digest.hexdigest()}"


class _Deeper(Node):
    """One node for all that is nested too deep to be listed."""

    __slots__ = ()

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree, tree.root, "…")

    def child(self, key: str) -> Node:
        """Itself."""
        return self

    def elements(self) -> Node:
        """Itself."""
        return self

    def find(self, key: str | None) -> Node | None:
        """Itself."""
        return self
