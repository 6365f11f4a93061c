"""Which fields of a record hold what, for a harness described by its profile alone.

    [records]
    session = "sessionId"
    project = "cwd"
    time = "timestamp"
    [[records.call]]
    when = { type = "assistant" }
    each = "message.content[]"
    where = { type = "tool_use" }
    id = "id"
    name = "name"
    arguments = "input"

A path is keys with dots between; `[]` behind a key stands for each element of an array,
`.` for the value itself. Of several paths the first that leads to something counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.profiles.toml_table import Table

_PATH = re.compile(r"\.|(?:[^.\[\]\s]+|(?=\[))(?:\[\])*(?:\.[^.\[\]\s]+(?:\[\])*)*")

Paths = tuple[str, ...]
Match = tuple[tuple[str, str], ...]

SESSION = ("session", "project", "title", "version", "time", "record_id", "parent")
"""What any record may say."""

SHAPES = {
    "prompt": ("text",),
    "said": ("text",),
    "call": ("id", "name", "arguments"),
    "result": (
        "id",
        "text",
        "name",
        "arguments",
        "error",
        "exit_code",
        "path",
        "ident",
        "partial",
    ),
}
"""What records tell of, and the fields of each."""

_NEEDED = {"prompt": "text", "said": "text", "call": "id", "result": "id"}


class Shape(NamedTuple):
    """One form in which records tell of one thing."""

    kind: str
    """`prompt`, `said`, `call` or `result`."""
    when: Match = ()
    """Paths in the record and the texts that must stand there."""
    each: str | None = None
    """A path to the parts of the record; the fields are those of each part."""
    where: Match = ()
    """Paths in the part and the texts that must stand there."""
    fields: tuple[tuple[str, Paths], ...] = ()


class RecordFields(NamedTuple):
    """The `[records]` table of a profile."""

    session: tuple[tuple[str, Paths], ...] = ()
    """What any record may say of its session."""
    shapes: tuple[Shape, ...] = ()


def record_fields(table: Table) -> RecordFields | None:
    """The rules in a `[records]` table; None for an empty one. Raises `BadProfile`."""
    if not table.data:
        return None
    said = tuple((name, paths) for name in SESSION if (paths := _paths(table, name)))
    shapes = []
    for kind, names in SHAPES.items():
        for part in table.tables(kind):
            shapes.append(_shape(part, kind, names))
    table.done()
    return RecordFields(said, tuple(shapes))


def _shape(table: Table, kind: str, names: tuple[str, ...]) -> Shape:
    each = _paths(table, "each")
    if len(each) > 1:
        raise table.bad("each", "must be one path")
    fields = tuple((name, paths) for name in names if (paths := _paths(table, name)))
    if _NEEDED[kind] not in dict(fields):
        raise table.bad(_NEEDED[kind], "is missing: add the path of that field")
    shape = Shape(
        kind,
        _match(table, "when"),
        each[0] if each else None,
        _match(table, "where"),
        fields,
    )
    table.done()
    return shape


def _match(table: Table, key: str) -> Match:
    rules = tuple(table.mapping(key).items())
    for path, _ in rules:
        _check(table, key, path)
    return rules


def _paths(table: Table, key: str) -> Paths:
    paths = table.texts(key)
    for path in paths:
        _check(table, key, path)
    return paths


def _check(table: Table, key: str, path: str) -> None:
    if not _PATH.fullmatch(path):
        raise table.bad(
            key, f"{path!r} is no path: write keys with dots, and [] for each element"
        )
