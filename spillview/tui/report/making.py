"""A report on the screen: made in a worker, and shown with the marks it has now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

from textual import getters, on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker, get_current_worker

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.errors import SpillError
from spillview.report.findings import Report
from spillview.report.finishing import remember_report
from spillview.report.period import words
from spillview.report.wording import closing, headline
from spillview.text import printable
from spillview.tui import stylesheet
from spillview.tui.cleanup.undoing import sentence
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.pacing import Pacing
from spillview.tui.report.report_list import (
    FindingDetail,
    FindingRow,
    rows_of,
    subject_of,
)
from spillview.tui.review.marks import Marks
from spillview.tui.review.note import Notes
from spillview.tui.row_list import Row, RowList
from spillview.tui.runs import wrap

PERIOD_LINES = 3
"""Lines of the period, at most."""


class MadeReport(Pacing, Failing):
    """The report of a ground; `ReportScreen` acts on what it says."""

    CSS_PATH = stylesheet("report.tcss")
    AUTO_FOCUS = "#findings"

    title_line = getters.query_one("#report-title", Static)
    period_line = getters.query_one("#report-period", Static)
    findings = getters.query_one("#findings", RowList)
    detail = getters.query_one("#finding", FindingDetail)

    @dataclass
    class Made(Message):
        """The report is there, or could not be made."""

        report: Report | None
        rows: Sequence[Row] = ()
        error: str | None = None

    def __init__(self, catalogue: Catalogue, scope: Query) -> None:
        super().__init__()
        self.catalogue = catalogue
        # A queue that shows all time says so with 0; the report begins as `review`.
        self.scope = replace(scope, since=scope.since or None)
        self.all_time = False
        self.report: Report | None = None
        self.marks, self.notes = Marks(catalogue), Notes(catalogue)
        self._said = ""

    def compose(self) -> ComposeResult:
        """The headline, the period, the findings, one of them in full."""
        yield Static("", id="report-title", markup=False)
        yield Static("", id="report-period", markup=False)
        yield RowList(id="findings")
        yield FindingDetail(lambda finding: self.notes.of(subject_of(finding)))
        yield Footer()

    @property
    def query_made(self) -> Query:
        """What is reported on: the ground, and a beginning that was asked for."""
        return replace(self.scope, since=0.0) if self.all_time else self.scope

    @property
    def row(self) -> FindingRow | None:
        """The finding under the cursor."""
        row = self.findings.row
        return row if isinstance(row, FindingRow) else None

    def look(self) -> None:
        """Make it, or make it anew."""
        self.title_line.update("reading the transcripts …")
        self.title_line.remove_class("-bad")
        self._make(self.query_made, self.begin_work())

    def say_pace(self, words: str) -> None:
        """In the place of the headline."""
        self.title_line.update(words)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="report",
        description="Make the report",
    )
    def _make(self, query: Query, work: Event) -> None:
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
            own.tell_reading(self.paced("transcripts read", work))
            report = gather(
                own,
                query,
                progress=self.paced("counted", work),
                cancelled=work.is_set,
            )
            # What they are ordered by is counted here, and not when they are drawn.
            made = self.Made(report, rows_of(report, self._is_marked))
        except (SpillError, OSError) as error:
            made = self.Made(None, error=sentence(error))
        finally:
            self.app.call_from_thread(self.end_work, work)
        if not get_current_worker().is_cancelled:
            self.post_message(made)

    @on(Made)
    def _show(self, message: Made) -> None:
        anew = self.report is None
        report = self.report = message.report
        if report is None:
            self.title_line.update(printable(message.error or "No report was made."))
            self.findings.show(())
            return
        if self.catalogue.state is not None and report.partial is None:
            remember_report(self.catalogue.state, self.query_made, report)
        self.title_line.update(headline(report))
        self.title_line.set_class(bool(report.went_on), "-bad")
        told = [words(report.period, report.made), *closing(report), *report.problems]
        self._said = printable(" · ".join(each.removesuffix(".") for each in told))
        self._show_period()
        self.findings.show(message.rows, anew=anew)
        self.show_marks()

    def _show_period(self) -> None:
        """The period and what became of the rest, as far as there is room."""
        lines = wrap(self._said, max(8, self.size.width - 2), PERIOD_LINES)
        self.period_line.update("\n".join(lines))

    def on_resize(self) -> None:
        """More or less of it has room."""
        self._show_period()

    def _is_marked(self, mark: str) -> bool:
        """Whether a mark was set since the report was made; asked when it is drawn."""
        return self.report is not None and self.marks.is_set(mark, self.report.made)

    def show_marks(self) -> None:
        """The rows as they are marked now."""
        self.findings.refresh()
        self.detail.remake()
        self.refresh_bindings()

    @on(RowList.Highlighted)
    def _highlight(self) -> None:
        row = self.row
        self.detail.show(row.finding if row is not None else None)
        self.refresh_bindings()

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so; of the report itself in its place."""
        if worker.group == "report":
            self.title_line.update(f"The report failed. {reason}")
        else:
            super().failed(worker, reason)
