"""Paths of a stretch of the text, packed by one process and added by another.

What is added is what one pass over both would have found, or nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from spillview.shape.tokens import Inside
from spillview.shape.tree import Node, Origin, Tree

_SUMS = ("nulls", "booleans", "numbers", "integers", "strings", "arrays", "objects")

Trail = tuple[str | None, ...]

_DEEPER, _NOWHERE = -1, -2

Place = tuple[int, int, Inside, int, bool]
"""An `Origin`, its node by number."""

Facts = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A tree, fit to be sent to another process."""

    nodes: list[tuple[int, str | None, bool, Place, Facts]]
    """Each after the one above it: that one's number, the key, whether it is mapped,
    where it came from, and its facts."""
    deeper: Facts
    parts: list[Place]
    depth: int
    duplicates: int
    constants: int
    endless: int
    long_keys: int


def packed(tree: Tree) -> Packed:
    """All of a tree in which no map was made."""
    nodes = list(tree.root.walk())
    numbers = {id(node): number for number, node in enumerate(nodes)}
    numbers[id(tree.deeper)] = _DEEPER

    def place(origin: Origin) -> Place:
        node = _NOWHERE if origin.node is None else numbers[id(origin.node)]
        return origin.start, origin.end, origin.inside, node, origin.exact

    return Packed(
        [
            (
                _NOWHERE if node.parent is None else numbers[id(node.parent)],
                node.key,
                node.mapped,
                place(node.origin),
                _facts(node),
            )
            for node in nodes
        ],
        _facts(tree.deeper),
        list(map(place, tree.parts)),
        tree.depth,
        tree.duplicates,
        tree.constants,
        tree.endless,
        tree.long_keys,
    )


def _facts(node: Node) -> Facts:
    return (
        *(getattr(node, name) for name in _SUMS),
        *(node.open, node.seen, node.shown),
        *(node.low, node.high, node.shortest, node.longest, node.example),
    )


def mapped(tree: Tree) -> tuple[Trail, ...]:
    """The paths whose objects are taken for maps."""
    return tuple(node.trail for node in tree.root.walk() if node.mapped)


def node_at(tree: Tree, trail: Iterable[str | None]) -> Node:
    """The node at the end of these steps, made when there is none."""
    node = tree.root
    for key in trail:
        node = _below(node, key)
    return node


def _below(node: Node, key: str | None) -> Node:
    return node.elements() if key is None else node.child(key)


def join(tree: Tree, more: Packed) -> bool:
    """Add what follows in the text to a tree.

    False, and nothing is added, when it depends on how the two were divided: where
    objects with ever new keys become maps.
    """
    if not _fits(tree, more):
        return False
    nodes: list[Node] = []
    node: Node | None

    def origin(place: Place) -> Origin:
        start, end, inside, number, exact = place
        node = None
        if number != _NOWHERE:
            node = tree.deeper if number == _DEEPER else nodes[number]
        return Origin(start, end, inside, node, exact)

    for above, key, _, place, facts in more.nodes:
        node = tree.root if above == _NOWHERE else nodes[above].find(key)
        if node is None:
            tree.origin = origin(place)
            node = _below(nodes[above], key)
        nodes.append(node)
        _add(node, facts)
    _add(tree.deeper, more.deeper)
    for part in more.parts:
        tree.note(origin(part))
    tree.depth = max(tree.depth, more.depth)
    tree.duplicates += more.duplicates
    tree.constants += more.constants
    tree.endless += more.endless
    tree.long_keys += more.long_keys
    return True


def _fits(tree: Tree, more: Packed) -> bool:
    """Whether no map is made on either side."""
    size = tree.size
    nodes: list[Node | None] = []
    new: dict[int, int] = {}
    """New keys by the number of the node above them."""
    for above, key, is_map, _, _ in more.nodes:
        parent = tree.root if above == _NOWHERE else nodes[above]
        node = parent
        if above != _NOWHERE and parent is not None:
            node = parent.find(key)
        nodes.append(node)
        if is_map != (node is not None and node.mapped):
            return False
        if node is None:
            size += 1 + len(key or "") // 64
            if key is not None:
                new[above] = new.get(above, 0) + 1
    return size <= tree.most_paths and all(
        count + (len(node.children) if (node := nodes[above]) is not None else 0)
        <= tree.most_keys
        for above, count in new.items()
    )


def _add(node: Node, facts: Facts) -> None:
    """Add the facts of values that come later in the text."""
    *sums, opened, seen, shown, low, high, shortest, longest, example = facts
    for name, count in zip(_SUMS, sums, strict=True):
        if count:
            setattr(node, name, getattr(node, name) + count)
    node.open += opened
    node.seen += seen
    node.shown = node.shown or shown
    node.compare(low, high)
    node.measure(shortest, longest)
    if example is not None:
        node.show(example)
