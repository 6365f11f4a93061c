"""The tables of the report: the columns of each section, and what fills them."""

from __future__ import annotations

from collections.abc import Callable

from spillview.cli.tables import Cell, Column
from spillview.report.findings import Finding, Run, Section
from spillview.report.sentences import signals_unseen, subject, verdict_text
from spillview.seen.endings import ending_seen
from spillview.text import human_bytes, path_text, printable

LONGEST = 300
"""Chars of a text that is written on one line where nobody's terminal is."""


def plain(text: str | None) -> str:
    """A text on one line, safe on a terminal."""
    return printable(" ".join(path_text(text or "").split()))


def brief(text: str | None) -> str:
    """A text for a cell of a table, which a pipe would take whatever its length."""
    line = plain(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def project_of(run: Run | None) -> str:
    """The last folder of the session's project."""
    name = (run.project or "") if run is not None else ""
    return plain(name.rstrip("/").rpartition("/")[2])


def command_cell(finding: Finding) -> Cell:
    if finding.artifact is not None:
        return Cell(brief(subject(finding.artifact)))
    tool = finding.call.mention.tool if finding.call is not None else None
    return Cell(brief(finding.command or tool))


def _verdict(finding: Finding) -> Cell:
    line = finding.line
    return Cell(brief(verdict_text(line)) if line is not None else "")


def _errors(finding: Finding) -> Cell:
    unseen = signals_unseen(finding.artifact) if finding.artifact is not None else None
    return Cell(f"{unseen:,}" if unseen else "", "unseen")


def _of_verdict(finding: Finding) -> list[Cell]:
    return [
        Cell(project_of(finding.run)),
        command_cell(finding),
        _errors(finding),
        _verdict(finding),
    ]


def _of_signals(finding: Finding) -> list[Cell]:
    said = finding.following.text if finding.following is not None else None
    return [
        Cell(project_of(finding.run)),
        command_cell(finding),
        _errors(finding),
        Cell(brief(said)),
    ]


def _of_items(finding: Finding) -> list[Cell]:
    least = "" if finding.more["items_certain"] else "≥ "
    seen, total = finding.more["items_seen"], finding.more["items"]
    return [
        Cell(project_of(finding.run)),
        Cell(f"{least}{seen:,} of {total:,}", "unseen"),
        command_cell(finding),
        Cell(brief(finding.more["items_path"])),
    ]


def _of_failed(finding: Finding) -> list[Cell]:
    seen = finding.artifact is not None and ending_seen(finding.artifact)
    return [
        Cell(project_of(finding.run)),
        command_cell(finding),
        Cell("seen" if seen else "unknown", "seen" if seen else "close"),
        _verdict(finding),
    ]


def _of_call(finding: Finding) -> list[Cell]:
    call = finding.call
    return [
        Cell(project_of(finding.run)),
        command_cell(finding),
        Cell(brief(call.mention.path if call is not None else None)),
    ]


def _of_growing(finding: Finding) -> list[Cell]:
    size = 0
    if finding.artifact is not None:
        found = finding.artifact.found
        size = found.target_size if found.target_size is not None else found.size
    growth = brief(finding.more.get("growth", ""))
    return [
        Cell(project_of(finding.run)),
        Cell(human_bytes(size)),
        command_cell(finding),
        Cell(growth, "over" if growth else None),
    ]


def _of_exposed(finding: Finding) -> list[Cell]:
    return [Cell(brief(finding.text))]


_PROJECT = Column("PROJECT", least=6, most=14, drop=5)
_COMMAND = Column("COMMAND", least=16)
REVIEWED = [
    Column(""),
    Column("ID"),
    _PROJECT,
    _COMMAND,
    Column("WHY", least=16),
    Column("NOTE", least=8, drop=9),
]
_CALLS = [_PROJECT, _COMMAND, Column("PATH", least=12, drop=2)]

TABLES: dict[Section, tuple[list[Column], Callable[[Finding], list[Cell]]]] = {
    "verdict_unseen": (
        [
            _PROJECT,
            _COMMAND,
            Column("ERRORS", right=True),
            Column("NEVER SEEN", least=20),
        ],
        _of_verdict,
    ),
    "signals_unseen": (
        [
            _PROJECT,
            _COMMAND,
            Column("ERRORS", right=True),
            Column("THEN SAID", least=20),
        ],
        _of_signals,
    ),
    "items_missed": (
        [_PROJECT, Column("ITEMS SEEN", right=True), _COMMAND, Column("AT", least=8)],
        _of_items,
    ),
    "failed": (
        [_PROJECT, _COMMAND, Column("SEEN"), Column("VERDICT", least=20)],
        _of_failed,
    ),
    "dangling": (_CALLS, _of_call),
    "cut": (_CALLS, _of_call),
    "growing": (
        [
            _PROJECT,
            Column("BYTES", right=True),
            _COMMAND,
            Column("GROWTH", least=20),
        ],
        _of_growing,
    ),
    "exposed": ([Column("WHY", least=24)], _of_exposed),
}
"""The columns of each section's table, and what a finding puts into them."""
