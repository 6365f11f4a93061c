"""An outline in words: the lines above it, and the cells of its paths."""

from __future__ import annotations

from spillview.shape.numbers import Number, written
from spillview.shape.outline import Outline, PathFacts
from spillview.text import human_bytes, human_count, path_text, printable

KEYS = 12
"""Keys that are named in one line."""

DIGITS = 24
"""Characters of a number that are shown."""


def head(outline: Outline, *, modelless: bool = False) -> list[str]:
    """What it is, how far it goes, what the model saw, and its limits; printable.

    `modelless`: nothing but its envelope is known to have shown it.
    """
    lines = [_first(outline)]
    if outline.unwrapped is not None:
        lines.append(f"unwrapped, for jq: {outline.pasteable('PATH')}")
    if outline.error is not None and outline.kind != "text":
        byte = human_count(outline.error.byte)
        lines.append(f"it breaks at byte {byte}: {printable(outline.error.message)}")
    if outline.keys and outline.kind != "object":
        lines.append(f"keys: {_keys(outline)}")
    lines += _seen(outline, "the envelope showed" if modelless else "the model saw")
    lines += [printable(path_text(warning)) for warning in outline.warnings]
    return lines


def _first(outline: Outline) -> str:
    size = human_bytes(outline.size)
    if outline.kind == "text":
        message = outline.error.message if outline.error is not None else ""
        return f"no JSON: {printable(message)}, {size}"
    what = {
        "array": f"array of {_many(outline.items or 0, 'item')}",
        "object": f"object of {_many(len(outline.keys), 'key')}",
        "jsonl": f"{_many(outline.items or 0, 'document')} (JSONL)",
        "scalar": "a single value",
    }[outline.kind]
    if outline.kind == "object" and not outline.keys and outline.paths:
        what = f"object of {_many(outline.paths[0].max_len or 0, 'key')}"
    paths = _many(len(outline.paths), "path")
    whole = "complete" if outline.complete else "incomplete"
    return f"{what}, {paths}, {size}, {whole}"


def _many(count: int, noun: str) -> str:
    return f"{human_count(count)} {noun}{'' if count == 1 else 's'}"


def _keys(outline: Outline) -> str:
    named = []
    for key, count in outline.keys[:KEYS]:
        text = printable(path_text(key)) or '""'
        everywhere = count == outline.items
        named.append(text if everywhere else f"{text} ({human_count(count)})")
    more = len(outline.keys) - KEYS
    return ", ".join(named) + (f" and {more:,} more" if more > 0 else "")


def _seen(outline: Outline, who: str) -> list[str]:
    records = outline.records
    sure = "" if outline.seen_certain else "at least "
    lines = []
    if outline.items_seen is not None and outline.items is not None:
        lines.append(
            f"{who} {sure}{human_count(outline.items_seen)} of"
            f" {human_count(outline.items)} items"
        )
    elif records is not None and records.seen is not None:
        lines.append(
            f"{who} {sure}{human_count(records.seen)} of"
            f" {human_count(records.count)} records at {records.path}"
        )
    if outline.keys_unseen:
        unseen = [printable(path_text(key)) for key in outline.keys_unseen[:KEYS]]
        more = len(outline.keys_unseen) - KEYS
        rest = f" and {more:,} more" if more > 0 else ""
        keys = "keys it never saw" if who == "the model saw" else "keys not in it"
        lines.append(f"{keys}: {', '.join(unseen)}{rest}")
    return lines


def types(facts: PathFacts) -> str:
    """The types at a path, each with its count where there are several."""
    names = {
        "integer" if name == "number" and facts.integers == count else name: count
        for name, count in facts.types.items()
    }
    if len(names) == 1:
        return next(iter(names))
    ordered = sorted(names.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {human_count(count)}" for name, count in ordered)


def length(facts: PathFacts) -> str:
    """The lengths at a path: characters, elements or keys."""
    if facts.min_len is None or facts.max_len is None:
        return ""
    if facts.min_len == facts.max_len:
        return human_count(facts.min_len)
    return f"{human_count(facts.min_len)}…{human_count(facts.max_len)}"


def numbers(facts: PathFacts) -> str:
    """The smallest and the largest number at a path."""
    if facts.min is None or facts.max is None:
        return ""
    low, high = _number(facts.min), _number(facts.max)
    return low if low == high else f"{low}…{high}"


def _number(value: Number) -> str:
    text = written(value)
    return text if len(text) <= DIGITS else f"{text[: DIGITS - 1]}…"
