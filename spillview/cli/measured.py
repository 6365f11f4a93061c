"""What `measure` prints: one output in words, several as a table, each as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spillview.cli.tables import Cell, Column, write_table
from spillview.hints import TYPE_CHECKING, Any
from spillview.text import (
    human_bytes,
    human_count,
    human_ratio,
    path_text,
    plural,
    printable,
    share_text,
)

if TYPE_CHECKING:
    from spillview.cli.streams import Streams, Style
    from spillview.store.measure import Measured
    from spillview.wrap.running import Ended

WIDEST = 60
"""Cells of a source in the table."""


@dataclass(frozen=True, slots=True)
class Result:
    """One output that was measured."""

    measured: Measured
    started: float
    path: str | None = None
    """Of a file that was named; None for a command, and for stdin."""
    ended: Ended | None = None
    """How the command ended."""


def tell(result: Result, streams: Streams, vocabulary: str | None) -> None:
    """Print all that was measured of one output."""
    m, line = result.measured, streams.line
    counts, survival = m.counts, m.survival
    line(streams.styled(printable(path_text(m.source)), "name"))
    exact = ""
    if m.exact_tokens is not None:
        exact = f" ({human_count(m.exact_tokens)} by {vocabulary})"
    line(
        f"  size       {plural(counts.chars, 'char')},"
        f" {plural(counts.bytes, 'byte')}, {human_count(counts.utf16)} utf16,"
        f" {plural(counts.lines, 'line')},"
        f" ~{plural(counts.tokens, 'token')}{exact}"
    )
    over = m.ratio > 1
    ratio = streams.styled(human_ratio(m.ratio), "over" if over else "below")
    line(f"  ratio      {ratio} the boundary of {m.boundary}")
    kept = _kept(m, survival.verdict_kept)
    line(
        f"  head cut   keeps {human_count(survival.lines_kept)} of"
        f" {plural(survival.lines, 'line')} ({share_text(survival.share)}){kept}"
    )
    if m.lines_kept_if_bytes != survival.lines_kept:
        line(
            f"  byte cut   at {human_count(m.boundary.size)} bytes keeps"
            f" {plural(m.lines_kept_if_bytes, 'line')}"
        )
    if not _legible(m):
        line("  verdict    none that can be read: it is a binary file")
    elif counts.verdict is not None:
        line(f"  verdict    {printable(counts.verdict.text[:200])}")
    if survival.json_parses is not None:
        line(f"  JSON       {_json(m)}")
    if m.envelope.folded:
        line(
            f"  envelope   {plural(m.envelope.chars, 'char')}"
            f" ({share_text(m.envelope.share)}){_kept(m, m.envelope.verdict_kept)}"
        )
    else:
        line("  envelope   none: it fits, and is received whole")
    if result.ended is not None:
        line(f"  exit code  {result.ended.code}")


def write_results(results: Sequence[Result], streams: Streams, *, exact: bool) -> None:
    """Print a table with a row for each; with the counts of a vocabulary if `exact`."""
    coded = any(result.ended is not None for result in results)
    columns = [
        Column("source", least=16, most=WIDEST),
        Column("bytes", right=True, drop=3),
        Column("chars", right=True),
        Column("utf16", right=True, drop=6),
        Column("lines", right=True, drop=2),
        Column("tokens", right=True, drop=5),
        *([Column("exact", right=True, drop=4)] if exact else []),
        Column("ratio", right=True),
        Column("lines kept", right=True),
        Column("verdict", drop=1),
        Column("JSON", drop=4),
        Column("envelope", right=True),
        Column("its verdict", drop=1),
        *([Column("exit", right=True)] if coded else []),
    ]
    write_table(
        streams,
        columns,
        [_cells(result, exact=exact, coded=coded) for result in results],
    )


def _cells(result: Result, *, exact: bool, coded: bool) -> list[Cell]:
    m = result.measured
    counts, survival, ended = m.counts, m.survival, result.ended
    parses = {True: "parses", False: "broken", None: "-"}[survival.json_parses]
    code = "" if ended is None else str(ended.code)
    return [
        Cell(printable(path_text(m.source)), "name", result.path is not None),
        Cell(human_bytes(counts.bytes)),
        Cell(human_count(counts.chars)),
        Cell(human_count(counts.utf16)),
        Cell(human_count(counts.lines)),
        Cell(f"~{human_count(counts.tokens)}"),
        *([Cell(human_count(m.exact_tokens or 0))] if exact else []),
        Cell(human_ratio(m.ratio), "over" if m.ratio > 1 else "below"),
        Cell(f"{human_count(survival.lines_kept)} ({share_text(survival.share)})"),
        Cell(*_seen(m, survival.verdict_kept)),
        Cell(parses),
        Cell(human_count(m.envelope.chars) if m.envelope.folded else "none"),
        Cell(*_seen(m, m.envelope.verdict_kept)),
        *([Cell(code, "over" if code not in ("", "0") else None)] if coded else []),
    ]


def _legible(m: Measured) -> bool:
    """Whether the verdict is text; that of a binary file is whatever lies there."""
    verdict = m.counts.verdict
    if m.counts.kind not in ("binary", "image") or verdict is None:
        return True
    return all(char.isprintable() or char in "\t\r\x1b" for char in verdict.text) and (
        "\N{REPLACEMENT CHARACTER}" not in verdict.text
    )


def _seen(m: Measured, kept: bool | None) -> tuple[str, Style | None]:
    if kept is None or not _legible(m):
        return "-", None
    return ("kept", "seen") if kept else ("lost", "unseen")


def _kept(m: Measured, kept: bool | None) -> str:
    if not _legible(m):
        return ""
    if kept is None:
        return ", there is no verdict"
    return ", the verdict is kept" if kept else ", the verdict is lost"


def _json(m: Measured) -> str:
    if m.survival.json_parses:
        return "what the cut keeps still parses"
    broken = m.json_break
    where = f" at char {broken.char:,}: {broken.message}" if broken is not None else ""
    return f"what the cut keeps is broken{printable(where)}"


def row(result: Result) -> dict[str, Any]:
    """The JSON row."""
    found = result.measured.row()
    if result.ended is not None:
        found["exit_code"] = result.ended.code
        found["seconds"] = round(result.ended.seconds, 3)
        if result.ended.left_open:
            found["partial"] = True
    return found
