"""A table in parts for whoever has to judge every one of its rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spillview.envelopes import cells
from spillview.envelopes.cells import Form
from spillview.envelopes.parts import existing, one_line
from spillview.envelopes.records import Record, Rows
from spillview.errors import BadInput
from spillview.text import path_text, printable

CHUNK = 200
"""Rows of one part."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a table that stands for itself."""

    text: str
    first: int
    """Number of its first row, from 1."""
    last: int
    """Number of its last row."""


def table_chunks(
    rows: Any,
    *,
    path: str | os.PathLike[str],
    size: int = CHUNK,
    label: str = "a table",
    form: Form = "tsv",
    columns: Sequence[str] = (),
) -> Iterator[Chunk]:
    """The rows in parts of `size` for whoever has to judge every one of them.

    Each part has a header that says which rows it holds and of what, and the column
    names (those of its own rows, where rows differ). No cell is cut; together the
    parts hold every row exactly once, each behind its number.

    Raises `BadInput` when `path` does not exist or `size` is less than 1, and, while
    rows are read, when one is none.
    """
    if size < 1:
        raise BadInput(f"A part has 1 row or more, not {size}.")
    name = existing(path)
    return _chunks(Rows(rows), name, size, label, form, tuple(columns))


def _chunks(
    rows: Rows, path: str, size: int, label: str, form: Form, columns: tuple[str, ...]
) -> Iterator[Chunk]:
    first = 1
    batch: list[Record] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield _chunk(batch, first, path, label, form, columns)
            first += size
            batch = []
    if batch:
        yield _chunk(batch, first, path, label, form, columns)


def _chunk(
    rows: list[Record],
    first: int,
    path: str,
    label: str,
    form: Form,
    columns: tuple[str, ...],
) -> Chunk:
    last = first + len(rows) - 1
    names = columns or tuple(dict.fromkeys(name for row in rows for name in row))
    number = "row"
    while number in names:
        number += "_"
    numbered = [{number: first + n, **row} for n, row in enumerate(rows)]
    header = [
        f"[rows {first} to {last} of {one_line(label)}]",
        f"Full output: {printable(path_text(path))}",
    ]
    body = cells.lines((number, *names), numbered, form)
    return Chunk("\n".join((*header, *body)), first, last)
