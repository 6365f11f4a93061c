"""Batches of members taken into the tree, by the fastest reader that is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spillview.model import Range
from spillview.shape import parsing
from spillview.shape.columns import Columns, Lossy
from spillview.shape.exact import OpenDict, OpenList, read
from spillview.shape.parsing import EXACT, FAST, PLAIN, Refused, Values
from spillview.shape.tokens import Broken, Inside
from spillview.shape.trace import Shown, mark_shown
from spillview.shape.tree import Node, Origin, Tree

Collect = Callable[[Sequence[dict[str, Any]]], None]


class Batches:
    """What parts of the text say, added to one tree."""

    def __init__(self, tree: Tree, shown: Shown) -> None:
        self.tree = tree
        self.shown = shown
        self.invalid: int | None = None
        """The first byte that is no UTF-8."""
        self.target: Node | None = None
        self.collect: Collect | None = None
        """Is given the objects at `target`, batch by batch."""

    def take(
        self,
        data: bytes,
        base: int,
        inside: Inside,
        node: Node | None,
        depth: int,
        reader: int,
    ) -> Values | None:
        """Take whole members of `node` (None: documents) that begin at byte `base`.

        `depth` is how many arrays and objects are around them. Gives them as parsed;
        None, and nothing is taken, when `reader` (not `EXACT`) cannot read them.
        """
        try:
            values = parsing.parse(data, inside, reader)
            if not values:
                return None
            columns = self._columns(data, base, inside, node, depth, reader, values)
        except (Refused, Lossy):
            return None
        if reader == PLAIN:
            self._look_for_invalid(data, base)
        if parsing.quotes(data) != 2 * columns.strings:
            self.tree.duplicates += parsing.count_duplicates(data, inside)
        self._commit(columns, data, base, inside, node)
        return values

    def take_any(
        self,
        data: bytes,
        base: int,
        inside: Inside,
        node: Node | None,
        depth: int,
        *,
        whole: bool = True,
    ) -> tuple[Values, int, Broken | None]:
        """Take members by whatever reader can.

        Gives them, the reader, and where they break, up to which all is taken; `whole`
        as in `tokens.events`.
        """
        if whole:
            for reader in (FAST, PLAIN):
                values = self.take(data, base, inside, node, depth, reader)
                if values is not None:
                    return values, reader, None
        exact = read(data, inside, whole=whole)
        columns = self._columns(data, base, inside, node, depth, EXACT, exact.values)
        self.tree.duplicates += exact.duplicates
        self._look_for_invalid(data[: exact.end], base)
        self._commit(columns, data, base, inside, node)
        broken = exact.broken
        if broken is not None:
            broken = Broken(base + broken.offset, broken.message, ended=broken.ended)
        return exact.values, EXACT, broken

    def take_value(
        self, value: object, node: Node, depth: int, start: int, end: int
    ) -> None:
        """Take one value whose bytes are known."""
        columns = Columns(self.tree, exact=True)
        columns.elements([value], node, depth)
        columns.commit(seen=self.shown.covers(start, end), keys=False)

    def _columns(
        self,
        data: bytes,
        base: int,
        inside: Inside,
        node: Node | None,
        depth: int,
        reader: int,
        values: Values,
    ) -> Columns:
        self.tree.origin = Origin(base, base + len(data), inside, node)
        columns = Columns(self.tree, exact=reader != FAST, target=self.target)
        if isinstance(values, dict):
            assert node is not None
            columns.members(values, node.current(), depth)
        else:
            at = self.tree.root if node is None else node.current().elements()
            columns.elements(values, at, depth)
        return columns

    def _commit(
        self,
        columns: Columns,
        data: bytes,
        base: int,
        inside: Inside,
        node: Node | None,
    ) -> None:
        self.tree.note(self.tree.origin)
        end = base + len(data)
        all_seen = self.shown.covers(base, end)
        columns.commit(seen=all_seen)
        if not all_seen and self.shown.touches(base, end):
            mark_shown(data, inside, node, self.tree, base, self.shown)
        if self.collect is not None:
            for records in columns.records:
                self.collect(records)

    def _look_for_invalid(self, data: bytes, base: int) -> None:
        if self.invalid is None:
            try:
                data.decode()
            except UnicodeDecodeError as error:
                self.invalid = base + error.start

    def show_key(self, node: Node, key: Range | None) -> None:
        """Note that the model received a key, if it did."""
        if key is not None and self.shown.covers(*key):
            node.current().shown = True


def complete(values: Values) -> int:
    """How many of them the text holds to the end."""
    cut = isinstance(values, list) and isinstance(
        values[-1] if values else None, OpenList | OpenDict
    )
    return len(values) - cut
