"""`forecast`: which commands are about to cross the boundary, and what results cost."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from dataclasses import replace

from spillview.cli.commands import query_of, tell_problems, tell_reading, whole_number
from spillview.cli.listing import completed
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.secrets.masking import masked_text
from spillview.text import human_count, human_ratio, path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.catalogue.listing import Listing
    from spillview.cli.streams import Streams, Style
    from spillview.cli.tables import Cell
    from spillview.forecast.board import Board
    from spillview.forecast.crossing import Forecast
    from spillview.forecast.per import PerUnit
    from spillview.forecast.series import Completing
    from spillview.model import Artifact

FORECAST = """\
How the output of every command grows, spilled or not, and when it crosses the boundary:
from transcripts, the history of `wrap` and `measure --save`. Runs are one command when
they differ only in temp paths, numbers, hashes, dates and the like.

  spillview forecast                            what crosses next comes first
  spillview forecast ~/project --json           one object a command
  spillview forecast --fail-within 30d          for a cron job: exit code 1 if any does
  spillview forecast --per 'ls articles' --noun article --command index
                                                so many chars an article, so many left
  spillview forecast --cost                     results by tokens x later turns

Two rates are told, per day: the average over all runs and the recent one, over the
later half. The faster one, where it is more than noise, gives the day of crossing; the
range holds it nine times of ten. Steps, outliers and quiet weekends are
no growth, fewer than 5 runs in 2 days tell nothing. A ratio of 0.9 and more is marked.
Forecasts are kept, and what became of them is told beside the next ones.

--per runs COMMAND here and takes the number that it prints, else its number of lines;
of average and marginal size the larger one counts.

--cost ranks every result, spilled or not, by what the context paid for it: its tokens
(estimated: bytes / 4) x the model's later turns, up to a compaction."""

SHOWN = 50
"""Rows on a terminal, unless told otherwise."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `forecast`."""
    parser.description = FORECAST
    options = parser.add_argument_group("options")
    options.add_argument(
        "--fail-within",
        metavar="AGE",
        help="exit code 1 if a command is over, or crosses within that time",
    )
    options.add_argument(
        "--per", metavar="COMMAND", help="fit sizes against the number that this prints"
    )
    options.add_argument(
        "--noun", metavar="WORD", default="unit", help="what that number counts"
    )
    options.add_argument(
        "--command", metavar="TEXT", help="only commands that hold this text"
    )
    options.add_argument(
        "--cost",
        action="store_true",
        help="rank results by tokens x later turns instead",
    )
    options.add_argument("--all", action="store_true", help="every row")
    options.add_argument(
        "--limit", metavar="N", type=whole_number(1), help="at most N rows"
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print forecasts or costs; exit code 1 when one is due, 2 if some is unread."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.typed import parse_age

    within = parse_age(args.fail_within) if args.fail_within is not None else None
    if args.cost and (within is not None or args.per is not None):
        raise BadInput("--cost ranks what was; it has no --fail-within and no --per")
    if not args.noun.strip():
        raise BadInput("--noun is the word for what is counted, like --noun article")
    catalogue = Catalogue.here()
    try:
        tell_reading(catalogue, streams)
        query = query_of(args, args.words)
        scanned = catalogue.scan(replace(query, boundary=None))
        artifacts = catalogue.settled(scanned)

        def completing(listing: Listing) -> Iterable[Artifact]:
            return completed(catalogue, listing, streams)

        ground = (catalogue, artifacts, completing, query, args, streams)
        if args.cost:
            from spillview.cli.costing import write_costs

            code = write_costs(*ground)
        else:
            code = _forecasts(*ground, within)
        unread = tell_problems(streams, catalogue)
        return max(code, unread) if code != 1 else code
    finally:
        catalogue.close()


def _forecasts(
    catalogue: Catalogue,
    artifacts: Listing,
    completing: Completing,
    query: Query,
    args: argparse.Namespace,
    streams: Streams,
    within: float | None,
) -> int:
    from spillview.forecast.board import board, due
    from spillview.forecast.rows import row

    counted = None
    if args.per is not None:
        from spillview.forecast.per import run_counter

        counted = run_counter(args.per)
    made = board(
        catalogue,
        artifacts,
        query,
        completing=completing,
        progress=lambda done, total: streams.progress("reading results", done, total),
    )
    found = [each for each in made.forecasts if _holds(each, args.command)]
    per: dict[int, PerUnit] = {}
    if counted is not None:
        found, per = _against(catalogue, made, found, args, counted, streams)
    if args.json:
        for each in found[: args.limit]:
            outcome = made.outcomes.get(each.group.key)
            streams.json(row(each, outcome, per.get(id(each))))
    elif counted is not None:
        _write_per(found, per, args, streams)
    else:
        _write(found, made, args, streams)
    for problem in made.problems:
        streams.error(f"{path_text(problem.path)}: {problem.sentence}")
    if made.series.left_out:
        words = human_count(made.series.left_out)
        streams.note(f"{words} older results of very long sessions are left out")
    code = 2 if made.problems else 0
    if within is not None:
        late = due(found, catalogue.now(), within)
        if late:
            over = sum(each.state == "over" for each in late)
            soon = human_count(len(late) - over)
            streams.note(
                f"{human_count(over)} over the boundary, {soon} to cross it within"
                f" {args.fail_within}"
            )
            return 1
    if not found and (query.session is not None or args.command is not None):
        streams.note("no run of such a command was found")
        return code or 1
    return code


def _holds(found: Forecast, text: str | None) -> bool:
    if text is None:
        return True
    wanted = text.casefold()
    group = found.group
    return wanted in group.key.command.casefold() or wanted in group.example.casefold()


# Against a number


def _against(
    catalogue: Catalogue,
    made: Board,
    found: list[Forecast],
    args: argparse.Namespace,
    counted: object,
    streams: Streams,
) -> tuple[list[Forecast], dict[int, PerUnit]]:
    """Those of the folder that COMMAND ran in, each against its number."""
    from spillview.forecast import per
    from spillview.forecast.rows import amount

    assert isinstance(counted, per.Counted)
    cwd = os.getcwd()
    if not args.words:
        here = [each for each in found if each.group.key.project == path_text(cwd)]
        if here:
            found = here
        elif found:
            streams.note(
                "no command was run in this folder: those of all folders are measured"
            )
    places = catalogue.places
    series = list(made.series.groups.values())
    try:
        known = per.earlier(args.per, cwd, series, places, by_lines=counted.by_lines)
        per.keep(args.per, cwd, counted, places)
    except OSError as error:
        known = []
        streams.error(f"what was counted is not kept: {error.strerror or error}")
    numbers = [each for each in known if each.when < counted.when] + [counted]
    fits = {}
    kept = []
    for each in found:
        if each.boundary is not None and each.sample:
            fits[id(each)] = per.against(each.sample, each.boundary, numbers)
            kept.append(each)
    what = "lines" if counted.by_lines else "the number"
    streams.note(f"{what} of {printable(args.per)}: {amount(counted.number)}")
    kept.sort(
        key=lambda each: (
            fits[id(each)].units_left is None,
            fits[id(each)].units_left or 0,
        )
    )
    return kept, fits


def _write_per(
    found: list[Forecast],
    per: dict[int, PerUnit],
    args: argparse.Namespace,
    streams: Streams,
) -> None:
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.forecast.rows import amount, per_text
    from spillview.layout.cells import text_width

    noun = printable(args.noun)
    table = []
    for each in _some(found, args, streams):
        fit = per[id(each)]
        unit = each.boundary.unit if each.boundary is not None else "chars"
        table.append(
            [
                _ratio(each),
                Cell(f"{each.latest or 0:,} {unit}"),
                Cell("–" if fit.average is None else amount(fit.average)),
                Cell("–" if fit.marginal is None else amount(fit.marginal.value)),
                Cell(per_text(fit, unit, noun)),
                Cell(printable(masked_text(each.group.key.command)), "name"),
            ]
        )
    if not table:
        streams.note("no run of any command was found")
        return
    columns = [
        Column("RATIO", right=True),
        Column("LATEST", right=True, drop=2),
        Column("AVERAGE", right=True, drop=3),
        Column("MARGINAL", right=True, drop=3),
        Column(f"PER {noun.upper()}"),
        Column("COMMAND", least=12),
    ]
    kept = [[row[n] for row in table] for n in (0, 4)]
    least = sum(max(text_width(c.text) for c in cells) + 2 for cells in kept) + 12
    if streams.terminal and streams.width < least:
        _write_blocks(table, streams)
    else:
        write_table(streams, columns, table, headed=True)


def _write_blocks(table: list[list[Cell]], streams: Streams) -> None:
    """What a narrow terminal has no room for side by side, below each other."""
    from spillview.cli.tables import clip
    from spillview.layout.cells import fold, text_width

    for ratio, *_, per, command in table:
        room = streams.width - text_width(ratio.text) - 2
        name = streams.styled(clip(command.text, room), command.style)
        streams.line(f"{streams.styled(ratio.text, ratio.style)}  {name}")
        for part in fold(per.text, streams.width - 2):
            streams.line(f"  {part}")


# Over time


def _write(
    found: list[Forecast], made: Board, args: argparse.Namespace, streams: Streams
) -> None:
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.forecast.rows import (
        crossing_text,
        outcome_text,
        range_text,
        rate_text,
        sparkline,
    )

    shown = found
    if streams.terminal and not args.all and args.command is None:
        shown = [each for each in found if each.state != "unknown" or each.close]
    shown = _some(shown, args, streams)
    table: list[list[Cell]] = []
    for each in shown:
        unit = each.boundary.unit if each.boundary is not None else "chars"
        sizes = [float(run.size_in(unit)) for run in each.sample]
        table.append(
            [
                Cell(crossing_text(each), _style(each)),
                Cell(range_text(each)),
                _ratio(each),
                Cell(f"{each.latest:,} {unit}" if each.latest is not None else "–"),
                Cell(rate_text(each.trend.average)),
                Cell(rate_text(each.trend.recent)),
                Cell(human_count(each.group.runs)),
                Cell(sparkline(sizes, 16)),
                Cell(printable(os.path.basename(each.group.key.project))),
                Cell(printable(masked_text(each.group.key.command)), "name"),
            ]
        )
    if table:
        columns = [
            Column("CROSSES"),
            Column("BETWEEN", drop=6),
            Column("RATIO", right=True),
            Column("LATEST", right=True, drop=4),
            Column("AVERAGE/DAY", right=True, drop=3),
            Column("RECENT/DAY", right=True, drop=3),
            Column("RUNS", right=True, drop=5),
            Column("SIZES", drop=2),
            Column("PROJECT", most=20, least=8, drop=7),
            Column("COMMAND", least=16),
        ]
        write_table(streams, columns, table, headed=True)
    elif not found:
        streams.note("no run of any command was found")
    unknown = sum(each.state == "unknown" for each in found)
    hidden = unknown - sum(each.state == "unknown" for each in shown)
    if hidden > 0:
        streams.note(
            f"{human_count(hidden)} commands have too few runs for a forecast (--all)"
        )
    if made.series.undated:
        streams.note(f"{human_count(made.series.undated)} runs have no date")
    for each in shown:
        outcome = made.outcomes.get(each.group.key)
        if outcome is not None:
            unit = outcome.kept.boundary.unit
            name = printable(masked_text(each.group.key.command))[:60]
            streams.note(f"{name}: {outcome_text(outcome, unit)}")
    if (sizes_off := made.size_error) is not None:
        share, count = sizes_off
        streams.note(
            f"earlier forecasts of {human_count(count)} commands were off by"
            f" {share:.1%} (median)"
        )


def _some(
    found: list[Forecast], args: argparse.Namespace, streams: Streams
) -> list[Forecast]:
    limit = args.limit
    if limit is None and streams.terminal and not args.all:
        limit = SHOWN
    if limit is not None and len(found) > limit:
        streams.note(f"{human_count(limit)} of {human_count(len(found))} (--all)")
        return found[:limit]
    return found


def _ratio(found: Forecast) -> Cell:
    from spillview.cli.tables import Cell

    if found.ratio is None:
        return Cell("–")
    style: Style = "over" if found.ratio > 1 else "close" if found.close else "below"
    mark = "! " if found.close and found.ratio <= 1 else ""
    return Cell(mark + human_ratio(found.ratio), style)


def _style(found: Forecast) -> Style | None:
    if found.state == "over":
        return "over"
    return "close" if found.crosses_on is not None else "dim"
