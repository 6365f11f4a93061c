"""The report for people: what decides first, then a table for each section."""

from __future__ import annotations

from collections.abc import Sequence

from spillview.cli.report_tables import (
    LONGEST,
    REVIEWED,
    TABLES,
    brief,
    command_cell,
    plain,
    project_of,
)
from spillview.cli.tables import Cell, Column, clip, write_table
from spillview.hints import TYPE_CHECKING
from spillview.layout.cells import fold, text_width
from spillview.report.findings import SECTIONS, Finding, Report, Run, Section
from spillview.report.period import words
from spillview.report.rows import opening
from spillview.report.sentences import (
    expected_texts,
    name_of,
    open_text,
    subject,
    verdict_text,
)
from spillview.report.wording import closing, headline, many, passed, stopped_headline
from spillview.text import human_bytes, human_count

if TYPE_CHECKING:
    from spillview.cli.streams import Streams, Style

SHOWN = 8
"""Rows of a section that a terminal gets unless told otherwise."""

SESSIONS = 16
"""Sessions that a terminal gets a line each of unless told otherwise."""

DETAILED = 3
"""Failures of a session that a terminal gets in full unless told otherwise."""

LABEL = 12
"""Cells of the labels of a failure's lines."""


def write_report(report: Report, streams: Streams, *, everything: bool) -> None:
    """Print it; `everything` prints all rows on a terminal too."""
    _Writing(report, streams, everything or not streams.terminal).write()


class _Writing:
    def __init__(self, report: Report, streams: Streams, everything: bool) -> None:
        self.report, self.streams, self.everything = report, streams, everything
        self.digits = 16
        if streams.terminal:
            passed_ = (f.artifact.id for f in report.reviewed if f.artifact is not None)
            ids = {*report.findings.idents(), *passed_}
            self.digits = 8 if len({each[:8] for each in ids}) == len(ids) else 16

    def write(self) -> None:
        """Everything in its order."""
        self._heading()
        self._unseen_failures()
        for section in SECTIONS:
            if section not in ("failed_unseen", "disk"):
                self._section(section)
        self._reviewed()
        self._disk()
        self._closing()

    def line(self, *parts: tuple[str, Style | None]) -> None:
        """One line of styled, printable texts."""
        styled = (self.streams.styled(text, style) for text, style in parts)
        self.streams.line("".join(styled).rstrip())

    def paragraph(self, text: str, style: Style | None = None, indent: int = 0) -> None:
        """A printable text, folded on a terminal."""
        first, *rest = self._folded(text, indent + 2 if indent else 0)
        self.line((" " * indent + first, style))
        for part in rest:
            self.line((" " * (indent + 2 if indent else 0) + part, style))

    def _folded(self, text: str, indent: int, most: int | None = None) -> list[str]:
        if not self.streams.terminal:
            if most is None or len(text) <= LONGEST:
                return [text]
            return [f"{text[:LONGEST]}…"]
        return fold(text, self.streams.width - indent, most)

    # -- what decides ------------------------------------------------------------------

    def _heading(self) -> None:
        report, tally = self.report, self.report.tally
        period = words(report.period, report.made)
        of = f"{many(tally.artifacts, 'artifact')} of {many(tally.sessions, 'session')}"
        self.paragraph(f"Review {period}: {of}", "title")
        self.line()

    def _unseen_failures(self) -> None:
        on, stopped = self.report.went_on, self.report.stopped
        if on:
            self.paragraph(f"{headline(self.report)}:", "over")
            self._session_table(on)
        else:
            self.paragraph(f"{headline(self.report)}.", "below")
            self.line()
        if stopped:
            self.paragraph(f"{stopped_headline(self.report)}:", "over")
            self._session_table(stopped)
        both = [*on, *stopped]
        shown = both if self.everything else both[:SHOWN]
        for run, findings in shown:
            self._failures(run, findings)
        if len(shown) < len(both):
            self._more(len(shown), len(both), "sessions in full")
            self.line()

    def _session_table(self, runs: Sequence[tuple[Run, Sequence[Finding]]]) -> None:
        columns = [
            Column("PROJECT", least=6, most=14),
            Column("SESSION", least=18),
            Column("UNSEEN", right=True),
            Column("FAILED", least=18),
            Column("NOTE", least=8, drop=1),
        ]
        rows = []
        shown = runs if self.everything else runs[:SESSIONS]
        for run, findings in shown:
            note = self.report.session_notes.get((run.harness, run.id))
            assert findings[0].artifact is not None  # failures are artifacts'
            rows.append(
                [
                    Cell(project_of(run)),
                    Cell(brief(name_of(run)), "bold"),
                    Cell(human_count(len(findings)), "unseen"),
                    Cell(brief(subject(findings[0].artifact))),
                    Cell(brief(note)),
                ]
            )
        write_table(self.streams, columns, rows, headed=True)
        if len(shown) < len(runs):
            self._more(len(shown), len(runs), "sessions")
        self.line()

    def _failures(self, run: Run, findings: Sequence[Finding]) -> None:
        project = project_of(run)
        where = " · ".join(
            each for each in (project, run.harness, plain(run.id)) if each
        )
        room = self.streams.width if self.streams.terminal else 10**6
        name = clip(plain(name_of(run)), max(18, room // 2))
        left = max(4, room - text_width(name) - 2)
        self.line((name, "bold"), (f"  {clip(where, left)}", "dim"))
        note = self.report.session_notes.get((run.harness, run.id))
        if note:
            self._labelled("note", plain(note), "name")
        shown = findings if self.everything else findings[:DETAILED]
        for finding in shown:
            self._failure(finding)
        if len(shown) < len(findings):
            self._more(len(shown), len(findings), "failures")
        self.line()

    def _failure(self, finding: Finding) -> None:
        artifact, line, following = finding.artifact, finding.line, finding.following
        assert artifact is not None  # failures are artifacts'
        self._labelled("failed", plain(subject(artifact)), "title")
        self._labelled("never seen", plain(verdict_text(line)), "unseen")
        if following is not None and following.text:
            self._labelled("then said", f"“{plain(following.text)}”")
        if following is not None and following.tool:
            self._labelled(
                "then called", plain(f"{following.tool}  {following.command or ''}")
            )
        if not finding.went_on:
            self._labelled("then", "nothing more was said or called", "dim")
        if finding.note:
            self._labelled("note", plain(finding.note), "name")
        command = opening(finding, self.digits)
        if command is not None:
            self._labelled("open", command, "name")

    def _labelled(self, label: str, text: str, style: Style | None = None) -> None:
        indent = LABEL + 2
        first, *rest = self._folded(text, indent, 2)
        self.line((f"  {label:<{LABEL}}", "dim"), (first, style))
        for part in rest:
            self.line((" " * indent + part, style))

    def _more(self, shown: int, total: int, what: str) -> None:
        self.paragraph(f"{shown:,} of {total:,} {what}; --all prints all", "dim", 2)

    # -- tables ------------------------------------------------------------------------

    def _section(self, section: Section) -> None:
        findings = self.report.of(section)
        single, alike = self.report.apart(section)
        loud: Sequence[Finding] = single
        quiet: Sequence[Finding] = ()
        if section in ("dangling", "cut"):
            loud = [finding for finding in single if not finding.swept]
            quiet = [finding for finding in single if finding.swept]
        if alike and not loud:
            self.paragraph(f"{SECTIONS[section]} ({len(alike):,})", "title")
        if loud:
            self.paragraph(f"{SECTIONS[section]} ({len(loud):,})", "title")
            shown = loud if self.everything else loud[:SHOWN]
            columns, cells = TABLES[section]
            rows = (
                [Cell(self._id(f), "name"), *cells(f), Cell(brief(f.note))]
                for f in shown
            )
            note = Column("NOTE", least=8, drop=9)
            columns = [Column("ID"), *columns, note]
            write_table(self.streams, columns, rows, headed=True)
            if len(shown) < len(loud):
                self._more(len(shown), len(loud), "rows")
        if alike:
            self.paragraph(f"{open_text(alike)}.", None, 2)
        for said in expected_texts(quiet, more=bool(loud)):
            self.paragraph(plain(said), "dim")
        if findings:
            self.line()

    def _reviewed(self) -> None:
        """What was reviewed before, where that was asked for."""
        found = self.report.reviewed
        if not found:
            return
        self.paragraph(passed(self.report), "title")
        rows = [
            [
                Cell("✓", "seen"),
                Cell(self._id(f), "name"),
                Cell(project_of(f.run)),
                command_cell(f),
                Cell(SECTIONS[f.section]),
                Cell(brief(f.note)),
            ]
            for f in found
        ]
        write_table(self.streams, REVIEWED, rows, headed=True)
        self.line()

    def _id(self, finding: Finding) -> str:
        return finding.artifact.id[: self.digits] if finding.artifact else ""

    # -- the end -----------------------------------------------------------------------

    def _disk(self) -> None:
        findings = self.report.of("disk")
        if not findings:
            return
        self.line((SECTIONS["disk"], "title"))
        stores = [f for f in findings if f.more.get("what") == "store"]
        full = [f for f in stores if f.more.get("artifacts")]
        listed = stores if self.everything else full[:SHOWN]
        for finding in findings:
            if finding.more.get("what") != "store" or finding in listed:
                self.paragraph(plain(finding.text), None, 2)
        if len(listed) < len(stores):
            total = human_bytes(sum(int(f.more["bytes"]) for f in stores))
            self._more(len(listed), len(stores), f"stores, {total} in all")
        self.line()

    def _closing(self) -> None:
        for sentence in closing(self.report):
            self.paragraph(sentence)
