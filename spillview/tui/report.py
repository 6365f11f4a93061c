"""The morning's report on the screen: every finding under its section, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from spillview.catalogue import Catalogue, Query
from spillview.errors import SpillError
from spillview.report.findings import Finding, Report
from spillview.report.finishing import remember_report
from spillview.report.period import words
from spillview.report.rows import opening, rows
from spillview.report.wording import closing, headline
from spillview.text import printable
from spillview.tui import stylesheet
from spillview.tui.footer import Footer
from spillview.tui.report_list import FindingRow, rows_of
from spillview.tui.row_list import Row, RowList
from spillview.tui.runs import Lines, Runs, fit_runs, plain, wrap
from spillview.tui.undoing import sentence


class FindingDetail(Lines):
    """What one finding says, in full as far as there is room."""

    def __init__(self) -> None:
        super().__init__(id="finding")
        self._finding: Finding | None = None

    def show(self, finding: Finding | None) -> None:
        """Show a finding."""
        self._finding = finding
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """Its sentence, the person's note, and how to open it elsewhere."""
        finding = self._finding
        if finding is None:
            return []
        below: list[Runs] = []
        if finding.note:
            below.append([(" note  ", "label"), (plain(finding.note), "notice")])
        command = opening(finding)
        if command is not None:
            below.append([(" open  ", "label"), (command, "dim")])
        room = max(1, height - len(below))
        text = wrap(plain(finding.text), max(8, width - 2), room)
        lines: list[Runs] = [[(" ", ""), (line, "")] for line in text]
        return [fit_runs(line, width) for line in (*lines, *below)][:height]


class ReportScreen(Screen[str | None]):
    """The report; it is left with the id of the artifact to be opened, or None."""

    CSS_PATH = stylesheet("home.tcss")
    AUTO_FOCUS = "#findings"
    BINDING_GROUP_TITLE = "Report"
    HELP = """
## Report

What needs a look, as `spillview review` prints it: sessions that went on after a
failure they never saw lead, then what else was never seen, JSON items missed, other
failures, results that are gone or were cut, what grows, what is exposed, what the disk
needs. What was reviewed is left out and counted above.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="report.open", tooltip="Open the artifact"),
        Binding(
            "c",
            "copy",
            "Copy as JSON Lines",
            id="report.copy",
            tooltip="The rows of `spillview review --json`",
        ),
        Binding("escape,q,R", "dismiss", "Back", id="report.back"),
    ]

    title_line = getters.query_one("#report-title", Static)
    period_line = getters.query_one("#report-period", Static)
    findings = getters.query_one("#findings", RowList)
    detail = getters.query_one("#finding", FindingDetail)

    @dataclass
    class Made(Message):
        """The report is there, or could not be made."""

        report: Report | None
        error: str | None = None

    def __init__(self, catalogue: Catalogue, scope: Query) -> None:
        super().__init__()
        self.catalogue, self.scope = catalogue, scope
        self.report: Report | None = None

    def compose(self) -> ComposeResult:
        """The headline, the period, the findings, one of them in full."""
        yield Static("reading the transcripts …", id="report-title", markup=False)
        yield Static("", id="report-period", markup=False)
        yield RowList(id="findings")
        yield FindingDetail()
        yield Footer()

    def on_mount(self) -> None:
        """Start making it."""
        self._make()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="report",
        description="Make the report",
    )
    def _make(self) -> None:
        from spillview.report.gathering import gather

        theirs = self.catalogue
        own = Catalogue(
            theirs.places,
            theirs.settings,
            cache=theirs.cache,
            state=theirs.state,
            now=theirs.now,
        )
        try:
            self.post_message(self.Made(gather(own, self.scope)))
        except (SpillError, OSError) as error:
            self.post_message(self.Made(None, sentence(error)))

    @on(Made)
    def _show(self, message: Made) -> None:
        report = self.report = message.report
        if report is None:
            self.title_line.update(printable(message.error or "No report was made."))
            return
        if self.catalogue.state is not None:
            remember_report(self.catalogue.state, self.scope, report)
        self.title_line.update(headline(report))
        self.title_line.set_class(bool(report.went_on), "-bad")
        told = [words(report.period, report.made), *closing(report), *report.problems]
        self.period_line.update(printable(" · ".join(told)))
        self.findings.show(rows_of(report), anew=True)

    @on(RowList.Highlighted)
    def _highlight(self, event: RowList.Highlighted) -> None:
        self.detail.show(_finding(event.row))

    @on(Worker.StateChanged)
    def _report_crash(self, event: Worker.StateChanged) -> None:
        """A fault of ours in the worker becomes a sentence on the screen."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            words = f"The report failed. {type(error).__name__}: {error}"
            self.title_line.update(printable(words))

    def action_open(self) -> None:
        """Open the artifact under the cursor."""
        finding = _finding(self.findings.row)
        if finding is None:
            return
        if finding.artifact is None:
            self.notify("There is no file to open.", markup=False)
        else:
            self.dismiss(finding.artifact.id)

    def action_copy(self) -> None:
        """Copy the rows."""
        import orjson

        if self.report is None:
            return
        lines = [orjson.dumps(row).decode() for row in rows(self.report)]
        self.app.copy_to_clipboard("\n".join(lines) + "\n")
        self.notify(f"{len(lines):,} rows copied as JSON Lines", markup=False)


def _finding(row: Row | None) -> Finding | None:
    return row.finding if isinstance(row, FindingRow) else None
