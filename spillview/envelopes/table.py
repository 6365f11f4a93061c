"""The envelope of a table: its summary, the top rows by a column, where the rest is."""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Any

from spillview.envelopes import cells
from spillview.envelopes.cells import Form
from spillview.envelopes.chunks import CHUNK, Chunk, table_chunks
from spillview.envelopes.columns import Column, is_missing, number_of
from spillview.envelopes.parts import (
    BUDGET,
    Envelope,
    Facts,
    existing,
    one_line,
    too_small,
    with_size,
)
from spillview.envelopes.records import Record, Rows
from spillview.errors import BadInput
from spillview.text import human_count, path_text, printable

if TYPE_CHECKING:
    from spillview.model import Counts

__all__ = [
    "CHUNK",
    "MOST_COLUMNS",
    "TOP",
    "Chunk",
    "dated_name",
    "fold_rows",
    "table_chunks",
    "table_envelope",
]

TOP = 20
"""Rows that are shown."""

CELLS = (300, 120, 60, 24)
"""Chars of a cell: the most with which all rows fit, else the last."""

MOST_COLUMNS = 10_000
"""Distinct columns that rows may have."""

END = "[end of the envelope]"

_BATCH = 1_000


def table_envelope(
    rows: Any,
    *,
    path: str | os.PathLike[str],
    by: str | None,
    top: int = TOP,
    totals: Sequence[str] = (),
    distinct: Sequence[str] = (),
    columns: Sequence[str] = (),
    label: str = "a table",
    form: Form = "tsv",
    budget: int = BUDGET,
) -> str:
    """What a model should receive in the place of a table, in `budget` chars at most.

    `rows` is anything that `records.Rows` takes; `path` is the file that holds all of
    them already. First comes the summary: how many rows, the total, extremes and
    distinct values of the columns in `totals` (`distinct` names further ones for the
    latter), then the `top` rows with the largest values in `by` (None: the first
    rows). Numbers come before other texts, texts of numbers count as numbers, rows
    that lack the column come last, equal ones keep their order. `columns` are those to
    be shown, in that order. Whatever is cut or left out is said.

    Raises `BadInput` when `path` or a column does not exist, or the budget is too
    small for the least there must be.
    """
    return fold_rows(
        rows,
        path=path,
        by=by,
        top=top,
        totals=totals,
        distinct=distinct,
        columns=columns,
        label=label,
        form=form,
        budget=budget,
    ).text


def fold_rows(
    rows: Any,
    *,
    path: str | os.PathLike[str],
    by: str | None,
    top: int = TOP,
    totals: Sequence[str] = (),
    distinct: Sequence[str] = (),
    columns: Sequence[str] = (),
    label: str = "a table",
    form: Form = "tsv",
    budget: int = BUDGET,
    counts: Counts | None = None,
) -> Envelope:
    """`table_envelope` with its facts, in bounded memory where `rows` is a content.

    `counts` are the sizes of a CSV, TSV, JSON or JSONL content, for the facts. Raises
    what `table_envelope` raises, and what reading raises.
    """
    if top < 0:
        raise BadInput(f"The top has 0 rows or more, not {top}.")
    name = existing(path)
    gathered = _Gathered(by, top, totals, distinct)
    source = Rows(rows)
    gathered.take(source)
    gathered.check((*totals, *distinct, *columns, *([by] if by is not None else [])))
    header = [
        f"[spillview table envelope, {{size}} chars] {one_line(label)}",
        f"Full output: {printable(path_text(name))}",
        f"Size: {human_count(gathered.total)} rows, {len(gathered.names)} columns",
    ]
    if source.left_out:
        header.append(f"Left out: {source.left_out:,} lines that are no JSON")
    header += [f"{one_line(c.name, 60)}: {c.said()}" for c in gathered.columns]
    envelope = _Shown(gathered, header, tuple(columns), form, budget).envelope()
    if counts is None:
        return envelope
    facts = replace(
        envelope.facts,
        bytes=counts.bytes,
        total_chars=counts.chars,
        lines=counts.lines,
    )
    return replace(envelope, facts=facts)


class _Gathered:
    """One pass over the rows."""

    def __init__(
        self, by: str | None, top: int, totals: Sequence[str], distinct: Sequence[str]
    ) -> None:
        self.by = by
        self.top = top
        self.total = 0
        self.names: dict[str, None] = {}
        summed = dict.fromkeys((*totals, *distinct, *([by] if by is not None else [])))
        self.columns = [
            Column(name, name in totals, name in totals or name in distinct)
            for name in summed
        ]
        self._best: list[tuple[Any, Record]] = []

    @property
    def best(self) -> list[Record]:
        """The rows at the top."""
        return [row for _, row in self._best]

    def take(self, rows: Iterable[Record]) -> None:
        batch: list[Record] = []
        for row in rows:
            self.total += 1
            if not row.keys() <= self.names.keys():
                self.names.update(dict.fromkeys(row))
                if len(self.names) > MOST_COLUMNS:
                    raise BadInput(
                        f"These rows have over {MOST_COLUMNS:,} different columns: they"
                        " are no table."
                    )
            for column in self.columns:
                column.add(row.get(column.name))
            if self.by is None:
                if len(self._best) < self.top:
                    self._best.append((None, row))
                continue
            batch.append(row)
            if len(batch) >= _BATCH:
                self._choose(batch)
                batch = []
        self._choose(batch)

    def _choose(self, batch: list[Record]) -> None:
        if self.by is None or not batch:
            return
        keyed = [(_order(row.get(self.by)), row) for row in batch]
        # Equal ones keep their order: nlargest is a stable sort, reversed.
        self._best = heapq.nlargest(
            self.top, chain(self._best, keyed), key=lambda pair: pair[0]
        )

    def check(self, wanted: Iterable[str]) -> None:
        """Raises `BadInput` for a column that no row has."""
        for name in wanted:
            if name not in self.names and self.total:
                known = ", ".join(one_line(each, 40) for each in list(self.names)[:20])
                more = len(self.names) - 20
                rest = f" and {more:,} more" if more > 0 else ""
                raise BadInput(
                    f"No row has a column `{one_line(name, 60)}`. There are: {known}"
                    f"{rest}."
                )


def _order(value: Any) -> tuple[int, Any]:
    """What rows are chosen by, the largest first."""
    if is_missing(value):
        return 0, 0
    number = number_of(value)
    if number is not None:
        return 2, number
    return 1, value if isinstance(value, str) else cells.text_of(value)


class _Shown:
    """The top rows in what room the header leaves."""

    def __init__(
        self,
        gathered: _Gathered,
        header: list[str],
        columns: tuple[str, ...],
        form: Form,
        budget: int,
    ) -> None:
        self.gathered = gathered
        self.header = header
        self.columns = columns or tuple(gathered.names)
        self.form: Form = form
        self.budget = budget

    def envelope(self) -> Envelope:
        gathered = self.gathered
        rows = gathered.best
        room = self.budget - cells.size(self.header) - len(END)
        room -= len(self._heading(10**9, 10**9, 300)) + len(self._rest(0)) + 2
        names, cap, count = self._fitting(rows, room)
        if count is None:
            least = cells.size(cells.lines(self.columns[:1], [], self.form, CELLS[-1]))
            raise too_small(self.budget, self.budget - min(room, 0) + least)
        table = cells.lines(names, rows[:count], self.form, cap) if names else []
        body = [*self.header]
        if names:
            body += [self._heading(count, len(names), cap), *table]
        body += [self._rest(count), END]
        text = with_size("\n".join(body))
        assert len(text) <= self.budget, "the parts were priced wrong"
        return Envelope(
            text,
            Facts(
                kind="table",
                chars=len(text),
                budget=self.budget,
                items=gathered.total,
                shown=count,
                tsv_chars=cells.size(cells.lines(names, rows[:count], "tsv", cap)),
                markdown_chars=cells.size(
                    cells.lines(names, rows[:count], "markdown", cap)
                ),
            ),
        )

    def _fitting(
        self, rows: list[Record], room: int
    ) -> tuple[tuple[str, ...], int, int | None]:
        """Columns, chars of a cell and rows that fit; no count when nothing does."""
        names = self.columns
        if not names:
            return (), CELLS[-1], 0 if room >= 0 else None
        while True:
            for cap in CELLS:
                if cells.size(cells.lines(names, rows, self.form, cap)) <= room:
                    return names, cap, len(rows)
            count = 0
            left = room - cells.size(cells.lines(names, [], self.form, CELLS[-1]))
            for line in cells.lines(names, rows, self.form, CELLS[-1])[
                1 + (self.form == "markdown") :
            ]:
                left -= len(line) + 1
                if left < 0:
                    break
                count += 1
            if count >= min(5, len(rows)) and left + room >= 0:
                return names, CELLS[-1], count
            if len(names) == 1:
                header = cells.size(cells.lines(names, [], self.form, CELLS[-1]))
                return names, CELLS[-1], count if header <= room else None
            names = names[: (len(names) + 1) // 2]

    def _heading(self, count: int, names: int, cap: int) -> str:
        gathered = self.gathered
        which = "First"
        order = ""
        if gathered.by is not None:
            which = "Top"
            order = f" by {one_line(gathered.by, 60)}, largest first"
        wanted = min(gathered.top, gathered.total)
        few = f" ({wanted:,} were asked for)" if count != wanted else ""
        some = ""
        if names != len(self.columns):
            some = f"; {names:,} of {len(self.columns):,} columns"
        return (
            f"--- {which} {count:,} rows{order}{few}{some};"
            f" cells up to {cap} chars, {self.form.upper()}"
        )

    def _rest(self, count: int) -> str:
        more = self.gathered.total - count
        return f"… {more:,} more rows in FILE" if more else "All rows are shown."


def dated_name(stem: str, extension: str, when: date | None = None) -> str:
    """A file name with its day: `2026-11-29-open-issues.tsv`.

    What a name had better not hold becomes `-`. Without `when` it is today, local time.
    """
    day = when if when is not None else date.today()  # noqa: DTZ011 - the user's day
    bare = re.sub(r"[^\w.]+", "-", stem).strip("-.")[:100] or "table"
    return f"{day:%Y-%m-%d}-{bare}.{extension.lstrip('.')}"
