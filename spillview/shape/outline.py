"""What an outline says: paths with their facts, items, limits, and what was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from spillview.content.content import Content
from spillview.model import Range
from spillview.shape.containers import BATCH, WHOLE
from spillview.shape.limits import warnings
from spillview.shape.numbers import Number
from spillview.shape.samples import Item
from spillview.shape.stream import Progress, Stream
from spillview.shape.trace import Shown
from spillview.shape.tree import MANY_KEYS, MOST_KEYS, MOST_PATHS, Node, Tree

if TYPE_CHECKING:
    from spillview.shape.teams import Team

Kind = Literal["array", "object", "jsonl", "scalar", "text"]

Trail = tuple[str | None, ...]
"""The steps to a path: keys, and None for the elements of an array or map."""


@dataclass(frozen=True, slots=True)
class Break:
    """Where the text stops being JSON."""

    byte: int
    message: str
    """A plain sentence without its full stop."""


@dataclass(frozen=True, slots=True)
class PathFacts:
    """What is known of the values at one path."""

    path: str
    """For jq, ready to be pasted."""
    trail: Trail
    count: int
    types: dict[str, int]
    """jq's type names, each with how many values have it."""
    integers: int
    """Of the numbers, those without a fraction or an exponent."""
    min_len: int | None
    max_len: int | None
    """Characters of strings, elements of arrays, keys of objects."""
    min: Number | None
    max: Number | None
    example: Any
    """A scalar; a long string is cut and ends with an ellipsis."""
    open: int
    """Arrays and objects that the text breaks in."""
    seen: int | None
    """How many the model received whole; None where nothing is known."""
    shown: bool | None
    """Whether it received the key at all; without a key, one whole value."""


@dataclass(frozen=True, slots=True)
class Records:
    """The path whose objects make the rows of a table."""

    path: str
    trail: Trail
    count: int
    seen: int | None
    keys: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The shape of a JSON or JSONL text; every value of it is counted."""

    kind: Kind
    complete: bool
    """Whether it was JSON to its end."""
    error: Break | None
    items: int | None
    """Elements of an array, documents of JSONL; None for everything else."""
    keys: tuple[tuple[str, int], ...]
    """The keys of the items (or of the object), each with how many have it."""
    paths: tuple[PathFacts, ...]
    duplicate_keys: int
    warnings: tuple[str, ...]
    sample: tuple[Item, ...]
    items_seen: int | None
    """Items that the model received whole; None where nothing is known."""
    keys_unseen: tuple[str, ...] | None
    """Keys of the items that the model never received."""
    records: Records | None
    size: int
    """Bytes of the text."""
    depth: int
    unwrapped: str | None = None
    """The jq path to the string that holds the document."""
    seen_certain: bool = True
    """False when it may have received more than could be located."""
    tree: Tree | None = field(default=None, repr=False, compare=False)
    """What the facts were taken from; see `locating` and `table`."""
    begin: int = 0
    """The byte of the text after its byte order mark."""

    def pasteable(self, path: str) -> str:
        """A jq program for a path of the whole artifact, wrappings undone."""
        if self.unwrapped is None:
            return path
        undo = "fromjson"
        if self.kind == "jsonl" and not self.unwrapped.endswith(".[].text"):
            undo = 'split("\n")[] | select(. != "") | fromjson'
        return f"{self.unwrapped} | {undo} | {path}"

    def facts(self, path: str) -> PathFacts | None:
        """The facts of a path as it is written here, or without its `?`."""
        exact = next((facts for facts in self.paths if facts.path == path), None)
        if exact is not None:
            return exact
        bare = _bare(path)
        return next((facts for facts in self.paths if _bare(facts.path) == bare), None)


def _bare(path: str) -> str:
    return path.replace("?", "").replace(" | arrays[]", "[]")


def outline(
    content: Content,
    *,
    begin: int = 0,
    lines: bool = False,
    seen: Sequence[Range] | None = None,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
    batch: int = BATCH,
    whole: int = WHOLE,
    most_keys: int = MOST_KEYS,
    team: Team | None = None,
) -> Outline:
    """The outline of a UTF-8 text; offsets are those of `content`.

    `begin` is the byte after a byte order mark, `lines` says that each line is a
    document, `seen` are the ranges the model received, `most_keys` is how many keys of
    the objects at one path are told apart. Memory is bounded by a part of the text
    (`batch`, and `whole` for a single large member). A `team` takes stretches of a
    large file.

    Raises `Cancelled` when `cancelled` says so (asked once a batch), and what reading
    raises.
    """
    for in_lines in (True,) if lines else (False, True):
        stream = Stream(
            content,
            begin=begin,
            lines=in_lines,
            shown=Shown(seen),
            cancelled=cancelled,
            progress=progress,
            batch=batch,
            whole=whole,
            tree=Tree(most_keys=most_keys, most_paths=max(MOST_PATHS, 2 * most_keys)),
        )
        if team is None:
            stream.run()
        else:
            from spillview.shape.teams import share

            share(stream, team, cancelled, progress)
        if not stream.lines_follow:
            break
    return _Assembly(stream, seen is not None, content.size, begin).outline()


def nothing(size: int, message: str) -> Outline:
    """The outline of a text that is no JSON."""
    return Outline(
        kind="text",
        complete=False,
        error=Break(0, message),
        items=None,
        keys=(),
        paths=(),
        duplicate_keys=0,
        warnings=(),
        sample=(),
        items_seen=None,
        keys_unseen=None,
        records=None,
        size=size,
        depth=0,
    )


class _Assembly:
    """The facts of a finished pass put together."""

    def __init__(self, stream: Stream, known: bool, size: int, begin: int) -> None:
        self._stream = stream
        self._tree = stream.tree
        self._known = known
        self._size = size
        self._begin = begin

    def outline(self) -> Outline:
        stream, root = self._stream, self._tree.root
        for node in list(root.walk()):
            if looks_like_map(node):
                node.names = _counted(node)
                node.to_map()
        kind = self._kind()
        items, node = self._items(kind)
        sample = stream.sample if kind == "array" else stream.documents_sample
        paths = tuple(self._facts(node) for node in root.walk() if node.count)
        names = self._names(node)
        unseen = None
        if self._known:
            unseen = tuple(
                key
                for key, _ in names
                if (child := node.children.get(key)) is not None and not child.shown
            )
        broken = stream.broken
        return Outline(
            kind=kind,
            complete=broken is None and kind != "text",
            error=Break(broken.offset, broken.message) if broken is not None else None,
            items=items,
            keys=names,
            paths=paths,
            duplicate_keys=self._tree.duplicates,
            warnings=tuple(warnings(stream)),
            sample=tuple(sample.items),
            items_seen=self._seen(node) if self._known and items is not None else None,
            keys_unseen=unseen,
            records=self._records(kind, node),
            size=self._size,
            depth=self._tree.depth,
            tree=self._tree,
            begin=self._begin,
        )

    def _kind(self) -> Kind:
        stream, root = self._stream, self._tree.root
        if not root.count:
            return "text"
        if root.count > 1 or (stream.documents and stream.broken_lines > 1):
            return "jsonl"
        if root.arrays:
            return "array"
        return "object" if root.objects else "scalar"

    def _items(self, kind: Kind) -> tuple[int | None, Node]:
        root = self._tree.root
        if kind == "jsonl":
            return self._stream.documents, root
        if kind == "array":
            return self._stream.items or 0, root.elements()
        return None, root

    def _names(self, node: Node) -> tuple[tuple[str, int], ...]:
        return _counted(node) if node.names is None else node.names

    def _seen(self, node: Node) -> int:
        return min(node.seen, node.count)

    def _shown(self, node: Node) -> bool:
        return node.shown if node.key is not None else node.seen > 0

    def _facts(self, node: Node) -> PathFacts:
        types = {
            "object": node.objects,
            "array": node.arrays,
            "string": node.strings,
            "number": node.numbers,
            "boolean": node.booleans,
            "null": node.nulls,
        }
        return PathFacts(
            path=node.path,
            trail=node.trail,
            count=node.count,
            types={name: count for name, count in types.items() if count},
            integers=node.integers,
            min_len=node.shortest,
            max_len=node.longest,
            min=node.low,
            max=node.high,
            example=node.example,
            open=node.open,
            seen=self._seen(node) if self._known else None,
            shown=self._shown(node) if self._known else None,
        )

    def _records(self, kind: Kind, items: Node) -> Records | None:
        """The items, if they are objects; else the largest array of objects."""
        node: Node | None = items
        if kind in ("object", "scalar") or not items.objects:
            candidates = [
                node
                for node in self._tree.root.walk()
                if node.key is None and node.parent is not None and node.objects
            ]
            node = max(candidates, key=lambda node: node.objects, default=None)
        if node is None or not node.objects:
            return None
        return Records(
            node.path,
            node.trail,
            node.objects,
            self._seen(node) if self._known else None,
            self._names(node),
        )


def _counted(node: Node) -> tuple[tuple[str, int], ...]:
    """The keys of the objects at a path, each with how many have it."""
    return tuple((key, n.count) for key, n in node.children.items() if n.count)


def looks_like_map(node: Node) -> bool:
    """Whether objects with so many keys are better listed as maps.

    They have over 100 distinct keys, all of whose values are of one type (or null), and
    either there is one object only or a key is found in few of them.
    """
    children = node.children
    if len(children) <= MANY_KEYS:
        return False
    kinds = {
        name
        for child in children.values()
        for name in ("objects", "arrays", "strings", "numbers", "booleans")
        if getattr(child, name)
    }
    if len(kinds) != 1:
        return False
    members = sum(child.count for child in children.values())
    return node.objects == 1 or members * 4 < len(children) * node.objects
