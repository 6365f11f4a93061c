"""The items of two JSON documents by a key: added, removed, changed in which fields.

The key is chosen by itself: a field that every item of both has, unlike in all of them.
Items are read in batches, and of each its key and a hash are kept. Small documents that
hold no records (a map, a list of values) are read whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spillview.comparison.document import Cancelled, Document
from spillview.shape.table import as_json, cell

if TYPE_CHECKING:
    from spillview.content.content import Content

LIKELY = (
    *("id", "_id", "uuid", "guid", "key", "nodeid", "node_id", "number", "sku", "slug"),
    *("code", "path", "file", "filename", "url", "href", "name", "title", "symbol"),
)
"""Names that are tried for the key first, in this order."""

TRIED = 6
"""So many fields are tried at most."""

MOST = 300_000
"""Items of a side that are held by their keys."""

CHANGED = 50_000
"""Changed items whose fields are compared."""

SHOWN = 100
"""Keys of each kind that are kept."""

LARGEST = 1 << 30
"""Bytes of a larger document are not parsed."""

NAME = 200
"""Chars of a key that are kept."""


@dataclass(frozen=True, slots=True)
class ItemComparison:
    """What became of the items."""

    before: int
    after: int
    path: str
    """Where they are, for jq: in the later document."""
    key: str | None
    """The field they are known by; None where whole items, or a map's keys, are."""
    said: str
    """How they were told apart, as a sentence without its full stop."""
    added: int
    removed: int
    changed: int
    """Items with the same key whose values differ; 0 where whole items are compared."""
    fields: tuple[tuple[str, int], ...]
    """In how many of the changed ones each field differs, most often first."""
    fields_of: int
    """Changed items whose fields were looked at."""
    first_added: tuple[str, ...]
    first_removed: tuple[str, ...]
    first_changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotCompared:
    """Why there is no comparison by items, as a plain sentence."""

    sentence: str


def compare_items(
    before: Content, after: Content, *, cancelled: Cancelled | None = None
) -> ItemComparison | NotCompared:
    """Compare the items of two documents.

    Raises `Cancelled`, and what reading raises.
    """
    from spillview.shape.source import Source

    if max(before.size, after.size) > LARGEST:
        return NotCompared(f"More than {LARGEST:,} bytes of JSON are not parsed.")
    with (
        Source(before, cancelled=cancelled) as a,
        Source(after, cancelled=cancelled) as b,
    ):
        if {a.kind, b.kind} - {"json", "jsonl"}:
            return NotCompared("One of them is no JSON.")
        one, two = Document(a, cancelled), Document(b, cancelled)
        for side, which in ((one, "earlier"), (two, "later")):
            error = side.outline.error
            if error is not None:
                return NotCompared(
                    f"The {which} one breaks at byte {error.byte:,}: {error.message}."
                )
        if one.outline.records is not None and two.outline.records is not None:
            return _records(one, two)
        if one.whole and two.whole:
            return _values(one, two)
        return NotCompared("They hold no items that could be told apart.")


# -- records ------------------------------------------------------------------------


def _records(one: Document, two: Document) -> ItemComparison | NotCompared:
    most = max(one.count or 0, two.count or 0)
    if most > MOST:
        return NotCompared(
            f"There are {most:,} items; up to {MOST:,} are told apart by their keys."
        )
    key = _key(one, two)
    left, right = _Known(key), _Known(key)
    one.each(left.take)
    two.each(right.take)
    if left.taken != one.count or right.taken != two.count:
        return NotCompared("Some items are too large to be parsed whole.")
    if key is None:
        return _bags(one, two, left.bag, right.bag, two.outline.records)
    added = [name for name in right.items if name not in left.items]
    removed = [name for name in left.items if name not in right.items]
    changed = [
        name
        for name, value in right.items.items()
        if name in left.items and left.items[name] != value
    ]
    looked = set(changed[:CHANGED])
    fields: Counter[str] = Counter()
    if looked:
        held: dict[str, dict[str, int]] = {}

        def hold(records: Sequence[Any]) -> None:
            for record in records:
                name = cell(record[key])
                if name in looked:
                    held[name] = _fields(record)

        def compare(records: Sequence[Any]) -> None:
            for record in records:
                name = cell(record[key])
                if name in looked:
                    mine, other = _fields(record), held[name]
                    fields.update(
                        field
                        for field in mine.keys() | other.keys()
                        if mine.get(field) != other.get(field)
                    )

        one.each(hold)
        two.each(compare)
    records = two.outline.records
    assert records is not None
    return ItemComparison(
        one.count or 0,
        two.count or 0,
        records.path,
        key,
        f"items are known by their “{key}”",
        len(added),
        len(removed),
        len(changed),
        _ordered(fields),
        len(looked),
        _names(added),
        _names(removed),
        _names(changed),
    )


class _Known:
    """Items by their keys, each with a hash; without a key a bag of hashes."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.items: dict[str, int] = {}
        self.bag: Counter[str] = Counter()
        self.taken = 0

    def take(self, records: Sequence[Any]) -> None:
        """Take a batch in."""
        self.taken += len(records)
        if self.key is None:
            self.bag.update(map(_sorted, records))
            return
        for record in records:
            self.items[cell(record[self.key])] = hash(_sorted(record))


def _key(one: Document, two: Document) -> str | None:
    """The field by which items are known in both; None where none is unlike in all."""
    both = one.keys() & two.keys()
    likely = [name for name in LIKELY if name in both]
    names = dict(two.outline.records.keys) if two.outline.records is not None else {}
    others = [name for name in names if name in both and name not in likely]
    tried = (likely + others)[:TRIED]
    for side in (one, two):
        if not tried:
            break
        distinct = _Distinct(tried)
        side.each(distinct.take)
        tried = [name for name in tried if name in distinct.values]
    return tried[0] if tried else None


class _Distinct:
    """The fields whose values are scalars, and no two the same."""

    def __init__(self, names: Iterable[str]) -> None:
        self.values: dict[str, set[int]] = {name: set() for name in names}

    def take(self, records: Sequence[Any]) -> None:
        """Look at a batch."""
        for name, values in list(self.values.items()):
            for record in records:
                value = record.get(name)
                size = len(values)
                if value is None or isinstance(value, list | dict | bool | float):
                    break
                values.add(hash(cell(value)))
                if len(values) == size:
                    break
            else:
                continue
            del self.values[name]


# -- documents without records ------------------------------------------------------


def _values(one: Document, two: Document) -> ItemComparison | NotCompared:
    a, b = one.value, two.value
    if isinstance(a, dict) and isinstance(b, dict):
        left = {name: _sorted(value) for name, value in a.items()}
        right = {name: _sorted(value) for name, value in b.items()}
        changed = [n for n in right if n in left and left[n] != right[n]]
        fields: Counter[str] = Counter()
        for name in changed:
            mine, other = b[name], a[name]
            if isinstance(mine, dict) and isinstance(other, dict):
                fields.update(
                    field
                    for field in mine.keys() | other.keys()
                    if _sorted(mine.get(field, ...)) != _sorted(other.get(field, ...))
                )
        added = [name for name in right if name not in left]
        removed = [name for name in left if name not in right]
        return ItemComparison(
            len(a),
            len(b),
            ".",
            None,
            "the members of the object are compared by their names",
            len(added),
            len(removed),
            len(changed),
            _ordered(fields),
            len(changed),
            _names(added),
            _names(removed),
            _names(changed),
        )
    if isinstance(a, list) and isinstance(b, list):
        bags = Counter(map(_sorted, a)), Counter(map(_sorted, b))
        return _bags(one, two, *bags, None)
    return NotCompared("One is a list and the other is none.")


def _bags(
    one: Document, two: Document, left: Counter[str], right: Counter[str], records: Any
) -> ItemComparison:
    added, removed = right - left, left - right
    return ItemComparison(
        one.count or 0,
        two.count or 0,
        records.path if records is not None else ".[]",
        None,
        "no field is unlike in all items: whole items are compared",
        added.total(),
        removed.total(),
        0,
        (),
        0,
        _names(added.elements()),
        _names(removed.elements()),
        (),
    )


# -- values -------------------------------------------------------------------------


def _fields(record: dict[str, Any]) -> dict[str, int]:
    return {name: hash(_sorted(value)) for name, value in record.items()}


def _sorted(value: Any) -> str:
    """A value as text; objects are equal whatever the order of their members."""
    if value is ...:
        return ""
    try:
        return as_json(_in_order(value))
    except RecursionError:
        return as_json(value)


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_in_order(item) for item in value]
    return value


def _ordered(fields: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(fields.items(), key=lambda pair: (-pair[1], pair[0])))


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(_shown(names))


def _shown(names: Iterable[str]) -> Iterator[str]:
    for number, name in enumerate(names):
        if number == SHOWN:
            return
        yield name if len(name) <= NAME else f"{name[:NAME]}…"
