"""An outline told to a person: what it is, its limits, a table of its paths."""

from __future__ import annotations

from collections.abc import Iterator

from spillview.cli.tables import Cell, Column, write_table
from spillview.hints import TYPE_CHECKING, Any
from spillview.secrets.masking import masked_text, masked_value
from spillview.shape.limits import about_sample
from spillview.shape.summary import head, length, numbers, types
from spillview.text import human_count, path_text, printable

if TYPE_CHECKING:
    from spillview.cli.streams import Streams, Style
    from spillview.model import Artifact
    from spillview.shape.outline import Outline, PathFacts
    from spillview.shape.table import Table

PATHS = 200
"""So many paths are listed on a terminal unless all are asked for."""

COLUMNS = 12
"""So many columns a table has on a terminal at most."""

TEXT = 60
"""Characters of an example, or of a cell."""


def write_outline(
    artifact: Artifact,
    outline: Outline,
    streams: Streams,
    *,
    every: bool,
    sample: bool,
    raw: bool = False,
) -> None:
    """Print the outline; every path, or the first ones on a terminal.

    `raw` prints credentials as they are.
    """
    first, *more = head(outline, modelless=artifact.modelless)
    streams.line(
        f"{streams.styled(artifact.id, 'name')}  {streams.styled(first, 'bold')}"
    )
    for line in more:
        streams.line(line)
    paths = list(outline.paths)
    shown = paths if every or not streams.terminal else paths[:PATHS]
    if shown:
        streams.line()
        seen = any(facts.seen is not None for facts in shown)
        columns = _columns(seen)
        rows = [_cells(facts, seen, raw) for facts in shown]
        write_table(streams, columns, rows, headed=True)
    if len(shown) < len(paths):
        streams.note(f"{len(shown)} of {len(paths):,} paths (--all lists them)")
    if sample and outline.sample:
        streams.line()
        total = human_count(outline.items) if outline.items is not None else "1"
        title = f"-- the first {len(outline.sample)} of {total}, as they are written"
        streams.line(streams.styled(title, "title"))
        for item in outline.sample:
            text = item.text if raw else masked_text(item.text)
            streams.line(_shown(text) + ("" if item.whole else "…"))
        for line in about_sample(outline.sample):
            streams.note(line)


def _columns(seen: bool) -> list[Column]:
    columns = [
        Column("path", least=24, most=48),
        Column("count", right=True),
        Column("types", least=6, most=28),
        Column("length", right=True, least=6, drop=1),
        Column("values", least=6, most=24, drop=2),
        Column("example", least=10, drop=3),
    ]
    if seen:
        columns.insert(2, Column("seen", right=True))
    return columns


def _cells(facts: PathFacts, seen: bool, raw: bool) -> list[Cell]:
    example = "" if facts.example is None else str(_plain(facts.example))
    if not raw:
        example = masked_value(facts.path.rpartition(".")[2], example)
    cells = [
        Cell(_shown(facts.path), "name"),
        Cell(human_count(facts.count)),
        Cell(types(facts)),
        Cell(length(facts)),
        Cell(numbers(facts)),
        Cell(_cut(_shown(example)), "dim"),
    ]
    if seen:
        some = facts.seen or 0
        style: Style | None
        style = "seen" if some == facts.count else None if some else "unseen"
        cells.insert(2, Cell(human_count(some), style))
    return cells


def _plain(value: Any) -> str:
    from spillview.shape.table import cell

    return cell(value)


def _shown(text: str) -> str:
    return printable(path_text(text))


def _cut(text: str, most: int = TEXT) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def write_records(
    artifact: Artifact,
    outline: Outline,
    table: Table,
    streams: Streams,
    *,
    raw: bool = False,
) -> None:
    """Print records as a table, with the outline's summary lines above.

    `raw` prints credentials as they are.
    """
    for line in head(outline, modelless=artifact.modelless):
        streams.line(line)
    streams.line()
    keys = list(table.columns)
    if streams.terminal and len(keys) > COLUMNS:
        streams.note(f"{COLUMNS} of {len(keys):,} columns; a pipe gets all of them")
        keys = keys[:COLUMNS]
    if table.by is not None and table.by in keys:
        keys.remove(table.by)
        keys.insert(0, table.by)

    def told(key: str, value: Any) -> str:
        text = _plain(value)
        return text if raw else masked_value(key, text)

    columns = [Column(_shown(key), least=6, most=40) for key in keys]
    rows = [
        [Cell(_cut(_shown(told(key, row[key]))) if key in row else "") for key in keys]
        for row in table.rows
    ]
    write_table(streams, columns, rows, headed=True)
    for line in _notes(table):
        streams.note(line)


def _notes(table: Table) -> Iterator[str]:
    shown, total = len(table.rows), human_count(table.total)
    if table.by is None:
        yield f"the first {shown} of {total} records at {printable(table.path)}"
    else:
        having = human_count(table.having)
        by = _shown(table.by)
        more = "" if table.having == table.total else f", of {total} in all"
        yield f"{shown} of {having} records with “{by}”{more}"
    if table.left_out:
        yield f"{table.left_out:,} records are too large for a table"
