"""One JSON document as items: its records, read in batches, or all of a small one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spillview.shape.outline import Outline
    from spillview.shape.source import Source

WHOLE = 8 << 20
"""Bytes of a document without records that is read whole."""

Cancelled = Callable[[], bool]
Take = Callable[[Sequence[Any]], None]


class Document:
    """The items of one document."""

    def __init__(self, source: Source, cancelled: Cancelled | None) -> None:
        self.source = source
        self._cancelled = cancelled
        self.outline: Outline = source.outline()
        self.value: Any = None
        """A small one without records, as Python values."""
        self.whole = False
        """Whether `value` is all of it."""
        if self.outline.records is None and self.outline.complete:
            self.whole = source.inner.size <= WHOLE
            if self.whole:
                self.value = _loaded(source)

    @property
    def count(self) -> int | None:
        """How many items there are; None where there are none to be told apart."""
        if self.outline.records is not None:
            return self.outline.records.count
        return len(self.value) if isinstance(self.value, list | dict) else None

    def keys(self) -> set[str]:
        """Fields that each of the items has."""
        records = self.outline.records
        if records is None:
            return set()
        return {name for name, count in records.keys if count == records.count}

    def each(self, take: Take) -> None:
        """Give every record to `take`, in batches."""
        from spillview.shape.stream import Stream

        records, tree = self.outline.records, self.outline.tree
        assert records is not None
        assert tree is not None
        node = tree.root
        for key in records.trail:
            below = node.find(key)
            assert below is not None
            node = below
        stream = Stream(
            self.source.inner,
            begin=self.outline.begin,
            lines=self.source.kind == "jsonl",
            cancelled=self._cancelled,
        )
        stream.watch(node, take)
        stream.run()


def _loaded(source: Source) -> Any:
    """The document as Python values; None where it cannot be read so."""
    data = source.inner.pread(source.begin, source.inner.size)
    try:
        if source.kind == "jsonl":
            return [json.loads(line) for line in data.splitlines() if line.strip()]
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
