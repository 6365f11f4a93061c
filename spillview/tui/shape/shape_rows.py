"""The rows of an outline, and of a table of its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from spillview.secrets.masking import masked_value
from spillview.shape import summary
from spillview.shape.outline import Outline, PathFacts, Trail
from spillview.shape.table import Record, Table, cell
from spillview.text import human_count, path_text, printable
from spillview.tui.row_list import Row
from spillview.tui.runs import Runs, clean, fit

WIDEST = 40
"""Cells of a column of a table at most."""

LEAST = 8
"""Cells in which a column that was cut is still worth seeing."""

GAP = "  "


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide the columns of an outline are where there is room."""

    path: int
    count: int
    types: int
    length: int
    values: int
    seen: int
    """0 where nothing is known of what was seen."""

    @classmethod
    def of(cls, outline: Outline) -> Columns:
        """As wide as the longest of each."""
        paths = outline.paths

        def widest(texts: list[str], title: str) -> int:
            return max([cell_len(title), *map(cell_len, texts)])

        known = any(facts.seen is not None for facts in paths)
        return cls(
            path=widest([shown(facts.path, 400) for facts in paths], "path"),
            count=widest([human_count(facts.count) for facts in paths], "count"),
            types=min(30, widest([summary.types(facts) for facts in paths], "types")),
            length=widest([summary.length(facts) for facts in paths], "length"),
            values=widest([summary.numbers(facts) for facts in paths], "values"),
            seen=widest([_seen(facts) for facts in paths], "seen") if known else 0,
        )

    def runs(self, width: int, cells: Sequence[tuple[str, str]]) -> Runs:
        """Path, count, seen, types, length, values and example as one line.

        The path keeps a third of a narrow screen at least; what finds no room at the
        right is cut or left out.
        """
        path, count, seen, types, length, values, example = cells
        rest = self.count + self.types + 2 * len(GAP)
        rest += self.seen + len(GAP) if self.seen else 0
        room = min(self.path, max(width // 3, width - rest - 2))
        runs: Runs = [(" ", ""), (fit(path[0], room), path[1])]
        used = 1 + room
        for text, cells_wide, right in (
            (count, self.count, True),
            (seen, self.seen, True),
            (types, self.types, False),
            (length, self.length, True),
            (values, self.values, False),
        ):
            if not cells_wide:
                continue
            wide = min(cells_wide, width - used - len(GAP))
            if wide < min(cells_wide, LEAST):
                return runs
            runs += [(GAP, ""), (fit(text[0], wide, right=right), text[1])]
            used += len(GAP) + wide
        left = width - used - len(GAP)
        if left >= LEAST:
            runs += [(GAP, ""), (fit(example[0], left), example[1])]
        return runs

    def title(self, width: int) -> Runs:
        """The line above the paths."""
        names = ("path", "count", "seen", "types", "length", "values", "example")
        return self.runs(width, [(name, "label") for name in names])


def shown(text: str, cells: int) -> str:
    """Text that is safe to draw."""
    return clean(path_text(text), cells)


def _seen(facts: PathFacts) -> str:
    return "" if facts.seen is None else human_count(facts.seen)


def _seen_tone(facts: PathFacts) -> str:
    if facts.seen == facts.count:
        return "good"
    return "unseen" if not facts.seen else ""


@dataclass(frozen=True, slots=True)
class PathRow:
    """One path and what is known of its values."""

    facts: PathFacts
    columns: Columns

    @property
    def key(self) -> str:
        """The path."""
        return self.facts.path

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    @property
    def trail(self) -> Trail:
        """The steps to the path."""
        return self.facts.trail

    def runs(self, width: int) -> Runs:
        """The path and its facts in columns."""
        facts = self.facts
        name = facts.path.rpartition(".")[2]
        example = "" if facts.example is None else _value(name, facts.example)
        return self.columns.runs(
            width,
            [
                (shown(facts.path, width), "head" if facts.shown is not False else ""),
                (human_count(facts.count), ""),
                (_seen(facts), _seen_tone(facts)),
                (summary.types(facts), "label"),
                (summary.length(facts), ""),
                (printable(summary.numbers(facts)), ""),
                (shown(example, width), "dim"),
            ],
        )


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of a table."""

    number: int
    record: Record
    names: tuple[str, ...]
    widths: tuple[int, ...]

    @property
    def key(self) -> str:
        """Its place in the table."""
        return str(self.number)

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    def runs(self, width: int) -> Runs:
        """Its values in columns."""
        runs: Runs = [(" ", "")]
        for place, (name, wide) in enumerate(zip(self.names, self.widths, strict=True)):
            value = _value(name, self.record[name]) if name in self.record else ""
            text = shown(value, wide)
            runs.append((fit(text, wide) + GAP, "head" if place == 0 else ""))
        return runs


def _value(name: str, value: object) -> str:
    """A value as it is drawn, which its name may tell to be a credential."""
    return masked_value(name, cell(value))


def path_rows(outline: Outline) -> tuple[Columns, list[Row]]:
    """A row for every path."""
    columns = Columns.of(outline)
    return columns, [PathRow(facts, columns) for facts in outline.paths]


def record_rows(table: Table, skipped: int = 0) -> tuple[Runs, list[Row]]:
    """The line above the records, and a row for each.

    The chosen column is the first; `skipped` of the others are left out after it.
    """
    names = list(table.columns)
    if table.by in names:
        names.remove(table.by)
        names.insert(0, table.by)
    del names[1 : 1 + skipped]
    widths = []
    for name in names:
        texts = [shown(cell(row[name]), WIDEST) for row in table.rows if name in row]
        longest = max(map(cell_len, [shown(name, WIDEST), *texts]))
        widths.append(min(WIDEST, longest))
    line: Runs = [(" ", "")]
    for name, wide in zip(names, widths, strict=True):
        line.append((fit(shown(name, wide), wide) + GAP, "label"))
    rows: list[Row] = [
        RecordRow(number, record, tuple(names), tuple(widths))
        for number, record in enumerate(table.rows)
    ]
    return line, rows
