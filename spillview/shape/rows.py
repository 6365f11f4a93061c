"""The row that `shape --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from spillview.model import Range
from spillview.shape.limits import about_sample
from spillview.shape.numbers import Number, is_portable, written
from spillview.shape.outline import Outline, PathFacts, Records, Trail
from spillview.shape.samples import Item
from spillview.text import path_text

Row = dict[str, Any]

_SMALL = 2**63
"""Integers up to here are written by the JSON library itself."""


def outline_row(
    outline: Outline,
    *,
    artifact: str | None,
    places: Mapping[Trail, Range] | None = None,
) -> Row:
    """One row of `shape`, of the artifact with this id; `places` are the first places
    of the paths in the file."""
    error = outline.error
    return {
        "id": artifact,
        "kind": outline.kind,
        "complete": outline.complete,
        "error": None
        if error is None
        else {"byte": error.byte, "message": path_text(error.message)},
        "unwrapped": outline.unwrapped,
        "items": outline.items,
        "items_seen": outline.items_seen,
        "seen_certain": outline.seen_certain,
        "keys": [[path_text(key), count] for key, count in outline.keys],
        "keys_unseen": None
        if outline.keys_unseen is None
        else [path_text(key) for key in outline.keys_unseen],
        "paths": [
            _path_row(facts, (places or {}).get(facts.trail)) for facts in outline.paths
        ],
        "duplicate_keys": outline.duplicate_keys,
        "warnings": [*outline.warnings, *about_sample(outline.sample)],
        "sample": [_item(item) for item in outline.sample],
        "records": _records(outline.records),
        "bytes": outline.size,
        "depth": outline.depth,
    }


def _path_row(facts: PathFacts, place: Range | None) -> Row:
    row: Row = {
        "path": facts.path,
        "count": facts.count,
        "types": facts.types,
        "min_len": facts.min_len,
        "max_len": facts.max_len,
        "min": _number(facts.min),
        "max": _number(facts.max),
        "example": _scalar(facts.example),
        "first": place[0] if place is not None else None,
    }
    if "number" in facts.types:
        row["integers"] = facts.integers
    if facts.open:
        row["open"] = facts.open
    if facts.seen is not None:
        row["seen"] = facts.seen
    return row


def _records(records: Records | None) -> Row | None:
    if records is None:
        return None
    return {
        "path": records.path,
        "count": records.count,
        "seen": records.seen,
        "keys": [[path_text(key), count] for key, count in records.keys],
    }


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return path_text(value)
    if isinstance(value, bool) or value is None:
        return value
    return _number(value)


def _number(value: Number | None) -> Any:
    """A number as JSON, exactly; as a string where no double can hold it."""
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, int) and -_SMALL <= value < _SMALL:
        return value
    text = written(value)
    return orjson.Fragment(text) if is_portable(text) else text


def _item(item: Item) -> Any:
    if item.whole:
        return orjson.Fragment(item.text)
    return path_text(item.text) + "…"
