"""`forecast --cost`: results by what the context paid for them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import islice

from spillview.hints import TYPE_CHECKING
from spillview.text import human_count, iso, path_text, printable, share_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.catalogue.listing import Listing
    from spillview.cli.streams import Streams
    from spillview.forecast.cost_rows import Cost
    from spillview.forecast.series import Completing

SHOWN = 50
"""Rows on a terminal, unless told otherwise."""


def write_costs(
    catalogue: Catalogue,
    artifacts: Listing,
    completing: Completing,
    query: Query,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    """Print results by what they cost; exit code 2 if a part could not be read."""
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.forecast.cost import rank
    from spillview.forecast.rows import cost_row

    found = rank(
        catalogue,
        artifacts,
        query,
        completing=completing,
        progress=lambda done, total: streams.progress("reading results", done, total),
    )
    limit = args.limit
    if limit is None and streams.terminal and not args.all and not args.json:
        limit = SHOWN
    total_rows = len(found.rows)
    if args.command is not None:
        total_rows = sum(1 for _ in _wanted(found.rows, args.command))
    shown = islice(_wanted(found.rows, args.command), limit)
    if args.json:
        for cost in shown:
            streams.json(cost_row(cost))
    else:
        total = found.carried or 1
        table = [
            [
                Cell(f"~{human_count(cost.carried)}"),
                Cell(share_text(cost.carried / total)),
                Cell(f"~{human_count(cost.tokens)}"),
                Cell(human_count(cost.turns)),
                Cell("spilled" if cost.spilled else "whole"),
                Cell((iso(cost.time) or "–")[:16].replace("T", " ")),
                Cell(printable(path_text(cost.session))[:8]),
                Cell(printable(cost.tool or "–")),
                Cell(printable(" ".join((cost.command or "–").split())), "name"),
            ]
            for cost in shown
        ]
        columns = [
            Column("CARRIED, TOKENS", right=True),
            Column("SHARE", right=True, drop=3),
            Column("TOKENS", right=True),
            Column("TURNS", right=True),
            Column("", drop=4),
            Column("TIME", drop=2),
            Column("SESSION", drop=5),
            Column("TOOL", least=6, most=14, drop=1),
            Column("COMMAND", least=16),
        ]
        if table:
            write_table(streams, columns, table, headed=True)
        else:
            streams.note("no result was found")
        if total_rows:
            streams.note(
                f"{human_count(len(table))} of {human_count(total_rows)} results; all"
                f" together ~{human_count(found.carried)} tokens were carried"
            )
    if found.unknown:
        streams.note(
            f"of {human_count(found.unknown)} results no record tells how long they"
            " were carried: their harness does not tell of compactions"
        )
    for problem in found.problems:
        streams.error(f"{path_text(problem.path)}: {problem.sentence}")
    return 2 if found.problems else 0


def _wanted(rows: Iterable[Cost], text: str | None) -> Iterator[Cost]:
    """Those whose command holds a text."""
    wanted = text.casefold() if text is not None else ""
    return (each for each in rows if wanted in (each.command or "").casefold())
