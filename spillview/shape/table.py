"""Records as a table: the first ones, or the top ones by a column."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from spillview.content.content import Content
from spillview.errors import BadInput
from spillview.shape.numbers import Constant, Endless, Written, written
from spillview.shape.outline import Outline
from spillview.shape.stream import Progress, Stream

TOP = 20
"""Rows of a table unless more are asked for."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """Some of the records at one path."""

    path: str
    columns: tuple[str, ...]
    """Keys, the common ones first where a record may lack some."""
    rows: tuple[Record, ...]
    by: str | None
    """The column that the rows were chosen by; None: they are the first ones."""
    having: int
    """Records that have the column; all, without one."""
    total: int
    """Records in all."""
    left_out: int
    """Records too large to be parsed whole, which are in no table."""


class _Enough(Exception):
    """The first rows are there."""


def table(
    outline: Outline,
    content: Content,
    *,
    by: str | None = None,
    top: int = TOP,
    smallest: bool = False,
    lines: bool = False,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
) -> Table:
    """The first `top` records, or the `top` ones with the largest values in `by`.

    `content` is what was outlined; it is read again. Numbers come before strings,
    strings before arrays and objects (by their size), those before true and false, and
    null comes last; with `smallest` the smallest of each kind come first. Equal values
    keep their order.

    Raises `BadInput` when there are no records or none has the column, `Cancelled`, and
    what reading raises.
    """
    records, tree = outline.records, outline.tree
    if records is None or tree is None:
        raise BadInput("There are no objects in an array here, so there is no table.")
    if by is not None and records.keys and by not in dict(records.keys):
        known = ", ".join(key for key, _ in records.keys[:20])
        raise BadInput(f"No record has the key “{by}”. There are: {known}.")
    node = tree.root
    for key in records.trail:
        below = node.find(key)
        assert below is not None
        node = below
    gathered = _Gathering(by, top, smallest)
    stream = Stream(
        content,
        begin=outline.begin,
        lines=lines,
        cancelled=cancelled,
        progress=progress,
    )
    stream.watch(node, gathered.take)
    try:
        stream.run()
    except _Enough:
        left_out = 0
    else:
        left_out = records.count - gathered.passed
    rows = tuple(gathered.rows)
    keys = [key for key, _ in records.keys] or [key for row in rows for key in row]
    return Table(
        path=records.path,
        columns=tuple(dict.fromkeys(keys)),
        rows=rows,
        by=by,
        having=records.count if by is None else gathered.having,
        total=records.count,
        left_out=left_out,
    )


class _Gathering:
    """The best records so far."""

    def __init__(self, by: str | None, top: int, smallest: bool) -> None:
        self._by = by
        self._top = top
        self._smallest = smallest
        self._best: list[tuple[Any, Record]] = []
        self.passed = 0
        self.having = 0

    @property
    def rows(self) -> Iterable[Record]:
        """The records, the first or best one first."""
        return (record for _, record in self._best)

    def take(self, records: Sequence[Record]) -> None:
        """Look at a batch."""
        self.passed += len(records)
        by = self._by
        if by is None:
            self._best += ((None, r) for r in records[: self._top - len(self._best)])
            if len(self._best) >= self._top:
                raise _Enough
            return
        order = _rising if self._smallest else _falling
        having = [(order(record[by]), record) for record in records if by in record]
        self.having += len(having)
        best = chain(self._best, having)
        choose = heapq.nsmallest if self._smallest else heapq.nlargest
        self._best = choose(self._top, best, key=_first)


def _first(pair: tuple[Any, Record]) -> Any:
    return pair[0]


def _falling(value: Any) -> tuple[int, Any]:
    """What to sort by, the largest first."""
    if value is True or value is False:
        return 2, value
    if isinstance(value, int | float | Written):
        return 5, value
    if isinstance(value, str):
        return 4, value
    if isinstance(value, list | dict):
        return 3, len(value)
    return (1 if value is None else 0), 0


def _rising(value: Any) -> tuple[int, Any]:
    """What to sort by, the smallest first."""
    rank, size = _falling(value)
    return -rank, size


def cell(value: Any) -> str:
    """A value as the text of a cell: strings bare, everything else as JSON."""
    if isinstance(value, str):
        return value
    return as_json(value)


def as_json(value: Any) -> str:
    """A parsed value as JSON on one line, its numbers as they were read."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float | Written):
        return written(value)
    try:
        return json.dumps(
            value, ensure_ascii=False, separators=(",", ":"), default=_rare
        )
    except RecursionError:
        return "…"


def _rare(value: Any) -> Any:
    if isinstance(value, Written):
        return value.text
    if isinstance(value, Constant):
        return value.name
    if isinstance(value, Endless):
        return f"a number of {value.chars:,} characters"
    raise TypeError(type(value).__name__)
