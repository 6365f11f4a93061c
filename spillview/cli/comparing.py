"""`compare`: two artifacts of the same command, the earlier one found by itself."""

from __future__ import annotations

import argparse

from spillview.cli.commands import query_of, tell_problems, whole_number
from spillview.cli.reading import add_raw
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import human_age, path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.catalogue.listing import Listing
    from spillview.cli.streams import Streams, Style
    from spillview.comparison.facts import Comparison
    from spillview.comparison.lines import Told
    from spillview.model import Artifact, Found

COMPARE = """\
What changed between two runs: sizes, verdicts, lines new and gone, JSON items added,
removed and changed by a key that is chosen by itself, and what of the new lines the
model saw. Give the earlier artifact and the later one; with one alone its command's
run before it in the same project is taken (1 where there is none).

  spillview compare 9f2c51                     with the run before
  spillview compare 77ab02 9f2c51 --ignore-times
  spillview compare 9f2c51 --runs              the runs it could be compared with

Lines count whatever their place: one that only moved is neither new nor gone."""

LABEL = 10


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `compare`."""
    from spillview.comparison.rows import SHOWN

    parser.description = COMPARE
    options = parser.add_argument_group("options")
    options.add_argument(
        "--ignore-times",
        action="store_true",
        help="leave times, dates, percentages, colours and progress out of every line",
    )
    options.add_argument(
        "--limit",
        metavar="N",
        type=whole_number(0),
        default=SHOWN,
        help=f"lines and items of each kind that are printed (default {SHOWN})",
    )
    options.add_argument(
        "--runs", action="store_true", help="list the other runs of its command"
    )
    add_raw(options)


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the comparison."""
    from spillview.catalogue.catalogue import Catalogue

    words = args.words
    if not 1 <= len(words) <= 2 or (args.runs and len(words) != 1):
        raise BadInput("compare takes one artifact or two: `spillview compare A [B]`")
    catalogue = Catalogue.here()
    try:
        query = query_of(args)
        if len(words) == 1:
            return _one(catalogue, words[0], query, args, streams)
        before, after = (catalogue.find(word, query) for word in words)
        return _compare(catalogue, before, after, args, streams)
    finally:
        catalogue.close()


def _one(
    catalogue: Catalogue,
    word: str,
    query: Query,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    from spillview.catalogue.known_gists import said_of
    from spillview.comparison.pairing import beside, earlier_run

    after = catalogue.find(word, query)
    among = catalogue.settled(catalogue.scan(query))
    if among.index_of(after.id) is None:
        # It is none of the user's own stores: the run before it lies in its own.
        from dataclasses import replace

        ground = replace(query, paths=(after.found.root,))
        among = catalogue.settled(catalogue.scan(ground))
    among = _near(catalogue, after, among)
    runs = beside(
        after,
        among,
        map(said_of, among),
        progress=lambda done, total: streams.progress("looked at", done, total),
    ).runs
    if args.runs:
        from spillview.secrets.showing import shown

        for other in runs:
            if args.json:
                from spillview.comparison.rows import side_row

                streams.json(side_row(other))
            else:
                age = human_age(max(0.0, catalogue.now() - other.created))
                seen = other if args.raw else shown(other)
                streams.line(f"{other.id}  {age} ago  {_command(seen)}")
        if not runs:
            streams.note("no other run of its command is known")
        return tell_problems(streams, catalogue) or (0 if runs else 1)
    before = earlier_run(after, runs)
    if before is None:
        what = "no run of its command before it is known in its project"
        if after.command is None:
            what = "its command is not known"
        streams.note(
            f"{what}: name the artifact to compare with, `spillview compare A B`"
        )
        return tell_problems(streams, catalogue) or 1
    [before] = list(catalogue.complete([before]))[-1:]
    return _compare(catalogue, before, after, args, streams)


def _near(catalogue: Catalogue, artifact: Artifact, among: Listing) -> Listing:
    """Those of its project: sessions tell, and none of the others is made."""
    wanted = (artifact.project, artifact.found.project_slug)

    def may_be(index: int, found: Found) -> bool:
        project = catalogue.session_named(*among.session(index))[0] or found.project
        return (project or found.project_slug) == (wanted[0] or wanted[1])

    return among.pick(
        index for index, found in enumerate(among.found()) if may_be(index, found)
    )


def _compare(
    catalogue: Catalogue,
    before: Artifact,
    after: Artifact,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    from spillview.comparison.facts import compare

    found = compare(
        before,
        after,
        plain=args.ignore_times,
        progress=lambda done, total: streams.progress("compared bytes", done, total),
    )
    if args.json:
        from spillview.comparison.rows import comparison_row

        streams.json(comparison_row(found, args.limit))
    else:
        _write(catalogue, found, args, streams)
    return tell_problems(streams, catalogue)


def _write(
    catalogue: Catalogue, found: Comparison, args: argparse.Namespace, streams: Streams
) -> None:
    from contextlib import closing

    from spillview.cli.tables import Cell, Column, write_table
    from spillview.comparison.words import (
        ending,
        ignored_words,
        item_words,
        line_words,
        seen_words,
        signed,
        trouble_words,
    )
    from spillview.secrets.lines import MaskedLines
    from spillview.secrets.masking import masked_text
    from spillview.secrets.showing import shown
    from spillview.seen.endings import ending_seen

    now = catalogue.now()
    limit, clean = args.limit, str if args.raw else masked_text
    before, after = (
        side if args.raw else shown(side) for side in (found.before, found.after)
    )
    sides = (("before", before), ("after", after))
    for label, side in sides:
        age = human_age(max(0.0, now - side.created))
        head = streams.styled(f"{label:<{LABEL}}", "dim")
        ident = streams.styled(side.id, "name")
        streams.line(f"{head}{ident}  {age} ago  {_command(side)}")
    streams.line()
    for label, side in sides:
        how, text = ending(side)
        style: Style | None = "unseen" if ending_seen(side) is False else None
        head = streams.styled(f"{label:<{LABEL}}", "dim")
        streams.line(f"{head}{streams.styled(how, style)}: {text}")
    streams.line()
    columns = [
        Column(""),
        *(Column(n, right=True) for n in ("BEFORE", "AFTER", "DIFFERENCE")),
    ]
    table = []
    for unit, one, two in found.sizes():
        sign = "~" if unit == "tokens" else ""
        cells = [f"{sign}{n:,}" if n is not None else "–" for n in (one, two)]
        table.append([Cell(unit), *map(Cell, cells), Cell(signed(one, two))])
    write_table(streams, columns, table, headed=True)
    streams.line()
    rows = [("lines", line_words(found)), ("", seen_words(found))]
    rows.append(("", trouble_words(found)))
    rows.append(("", ignored_words(found)))
    rows += [("" if n else "items", text) for n, text in enumerate(item_words(found))]
    for label, text in rows:
        if text:
            streams.line(streams.styled(f"{label:<{LABEL}}", "dim") + clean(text))
    trouble = found.lines.trouble
    told: list[tuple[str, str, int, tuple[Told, ...]]] = []
    if 0 < limit < found.lines.new and trouble:
        total = found.lines.trouble_total or found.lines.new
        told.append(("+", "new and tell of errors", total, trouble))
    told += [
        ("-", "gone", found.lines.gone, found.lines.first_gone),
        ("+", "new", found.lines.new, found.lines.first_new),
    ]
    with closing(MaskedLines()) as masks:
        for sign, what, total, lines in told:
            whole = found.before if sign == "-" else found.after
            texts = [
                one.line.text if args.raw else masks.line(whole, one.line)
                for one in lines[:limit]
            ]
            _lines(sign, what, total, lines[:limit], texts, streams)


def _lines(
    sign: str,
    what: str,
    total: int,
    told: tuple[Told, ...],
    texts: list[str],
    streams: Streams,
) -> None:
    """Lines with their numbers; `!` marks a new one that the model never saw."""
    if not told:
        return
    streams.line()
    number = len(str(max(one.line.number for one in told)))
    for one, shown in zip(told, texts, strict=True):
        mark = "!" if sign == "+" and one.seen is False else " "
        style: Style = "dim"
        if sign == "+":
            style = "unseen" if mark == "!" else "seen"
        text = printable(path_text(shown), tabs=True)
        more = "…" if one.line.truncated else ""
        row = f"{sign}{mark}{one.line.number:>{number}}  {text}{more}"
        streams.line(streams.styled(row, style))
    if len(told) < total:
        streams.note(f"{len(told):,} of {total:,} lines that are {what}; --limit N")


def _command(artifact: Artifact) -> str:
    words = artifact.command or artifact.label or artifact.found.name
    return printable(path_text(" ".join(words[:2_000].split())))
