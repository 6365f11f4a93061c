"""The settings written out as TOML, and what counts where nothing is set."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from spillview.growth.limits import DEFAULTS
from spillview.hints import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)

UNSET = {
    "theme": "what fits the terminal",
    "remember": "true: the screens open as they were left",
    "keys": "the keys that `spillview config --keys` lists",
    "roots": "the places where each harness keeps its files",
    "boundaries": "those of each harness, which `spillview doctor` lists",
    "policy": "none, so `prune --policy` removes nothing",
    "trash_keep": "for good: clean-ups stay in the trash until `trash --empty`",
    "watch": ", ".join(DEFAULTS.words()),
}
"""What counts where a key of the settings is not set."""


def lines(data: Mapping[str, Any]) -> Iterator[str]:
    """A TOML document as lines: what is one value first, then the tables."""
    tables = {}
    for key, value in data.items():
        if _is_table(value) or (key == "policy" and _is_tables(value)):
            tables[key] = value
        else:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in tables.items():
        if _is_table(value):
            yield from _table(_key(key), value)
            continue
        for each in value:
            yield ""
            yield f"[[{_key(key)}]]"
            yield from _pairs(each)


def _table(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    inner = {key: value for key, value in table.items() if _is_table(value)}
    if len(inner) < len(table) or not table:
        yield ""
        yield f"[{name}]"
        yield from _pairs({k: v for k, v in table.items() if k not in inner})
    for key, value in inner.items():
        yield from _table(f"{name}.{_key(key)}", value)


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        yield f"{_key(key)} = {_value(value)}"


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_table, value))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # What JSON escapes, TOML reads; beyond that it wants this one escaped, too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        pairs = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
        return f"{{{pairs}}}"
    return str(value)  # numbers and dates
