"""`review --stats`: what became of spilled outputs, as a table or as rows."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from spillview.cli.commands import query_of, tell_problems, tell_reading
from spillview.hints import TYPE_CHECKING
from spillview.text import human_bytes, human_count, path_text, printable, share_text

if TYPE_CHECKING:
    from spillview.catalogue.listing import Listing
    from spillview.cli.streams import Streams
    from spillview.cli.tables import Cell
    from spillview.model import Artifact
    from spillview.review.statistics import Statistics

STATISTICS = """\
Read-back statistics (--stats): for each tool and size band how many outputs were
spilled, how many the agent read back and after how many calls, which share of the bytes
the model ever saw, and what carrying the envelopes cost: tokens x later turns. Then a
sweep: at a boundary of N chars so many spills, so many read back, so many tokens that
the model never received; and so many results that went in whole, in the same sessions.
With --boundary the sweep tries that one alone.

Tokens are estimated, one for every four bytes. Sizes are in chars."""


def print_statistics(args: argparse.Namespace, streams: Streams) -> int:
    """Print the statistics; exit code 2 if a part could not be read."""
    from dataclasses import replace

    from spillview.catalogue.catalogue import Catalogue
    from spillview.review.statistics import measure

    catalogue = Catalogue.here()
    try:
        tell_reading(catalogue, streams)
        query = query_of(args, args.words)
        boundary, query = query.boundary, replace(query, boundary=None)
        found = catalogue.settled(catalogue.scan(query))
        unread = 0

        def completing(listing: Listing) -> Iterator[Artifact]:
            nonlocal unread
            for artifact in catalogue.complete(listing):
                unread += artifact.error is not None
                yield artifact

        statistics = measure(
            catalogue,
            found,
            boundary=boundary,
            completing=completing,
            progress=lambda done, total: streams.progress("measured", done, total),
        )
        if args.json:
            from spillview.review.statistics_rows import rows

            for row in rows(statistics):
                streams.json(row)
        else:
            _write(statistics, streams)
        if statistics.uncounted:
            words = human_count(statistics.uncounted)
            streams.note(f"{words} artifacts are not counted and left out")
        code = tell_problems(streams, catalogue)
        if unread:
            code = 2
        if not found and query.session is not None:
            streams.note(f"no artifact of session {query.session} was found")
            code = code or 1
        return code
    finally:
        catalogue.close()


def _write(statistics: Statistics, streams: Streams) -> None:
    from spillview.cli.tables import Cell, Column, write_table

    if not statistics.tools:
        streams.note("nothing was spilled")
        return
    columns = [
        Column("TOOL", least=4),
        Column("CHARS"),
        Column("SPILLED", right=True),
        Column("READ BACK", right=True),
        Column("CALLS LATER", right=True, drop=2),
        Column("SEEN", right=True),
        Column("CARRIED, TOKENS", right=True, drop=1),
        Column("BYTES", right=True, drop=1),
    ]
    table: list[list[Cell]] = []
    for row in statistics.tools:
        later = "–" if row.calls_later is None else f"{row.calls_later:g}"
        carried = "–"
        if row.carried_tokens is not None:
            carried = f"~{human_count(row.carried_tokens)}"
        unlinked = row.spilled - row.linked
        table.append(
            [
                Cell(printable(path_text(row.tool or "–")), "name"),
                Cell(str(row.band)),
                Cell(human_count(row.spilled)),
                Cell("–" if row.read_back is None else human_count(row.read_back)),
                Cell(later),
                Cell(share_text(row.seen_share)),
                Cell(carried),
                Cell(human_bytes(row.bytes)),
            ]
        )
        if unlinked and row.read_back is not None:
            table[-1][3] = Cell(f"{human_count(row.read_back)} of {row.linked:,}")
    write_table(streams, columns, table, headed=True)
    streams.line()
    columns = [
        Column("BOUNDARY", right=True),
        Column("SPILLS", right=True),
        Column("READ BACK", right=True),
        Column("TOKENS KEPT OUT", right=True),
        Column("WENT IN WHOLE", right=True, drop=1),
        Column(""),
    ]
    write_table(
        streams,
        columns,
        [
            [
                Cell(str(row.boundary)),
                Cell(human_count(row.spills)),
                Cell("–" if row.read_backs is None else human_count(row.read_backs)),
                Cell(
                    "–"
                    if row.tokens_kept_out is None
                    else f"~{human_count(row.tokens_kept_out)}"
                ),
                Cell("–" if row.whole is None else human_count(row.whole)),
                Cell("" if row.complete else "at least: smaller ones left no file"),
            ]
            for row in statistics.sweep
        ],
    )
