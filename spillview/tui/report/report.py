"""The morning's report on the screen: every finding under its section, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker, WorkerState, get_current_worker

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.errors import SpillError
from spillview.model import Artifact, Missing
from spillview.report.findings import Report
from spillview.report.finishing import Finished, finish, hold, remember_report, resume
from spillview.report.period import words
from spillview.report.rows import rows
from spillview.report.wording import closing, finished, headline
from spillview.review.reviewed import call_mark
from spillview.text import path_text, printable
from spillview.tui import stylesheet
from spillview.tui.cleanup.undoing import SECONDS, offer_mark, sentence
from spillview.tui.copying import Copyable, Copying
from spillview.tui.footer import Footer
from spillview.tui.home import HomeScreen
from spillview.tui.pacing import Pacing
from spillview.tui.queue.members import Mapped
from spillview.tui.report.keys import REPORT_BINDINGS
from spillview.tui.report.report_list import (
    FindingDetail,
    FindingRow,
    key_of,
    rows_of,
    subject_of,
)
from spillview.tui.review.acting import Acting
from spillview.tui.review.marks import Marks
from spillview.tui.review.note import Notes, NoteScreen, words_about
from spillview.tui.row_list import RowList
from spillview.tui.runs import wrap

PERIOD_LINES = 3
"""Lines of the period, at most."""


class ReportScreen(Pacing, Copying, Acting):
    """The report of what the queue below looks at, for the period of `review`."""

    CSS_PATH = stylesheet("report.tcss")
    AUTO_FOCUS = "#findings"
    BINDING_GROUP_TITLE = "Report"
    HELP = """
## Report

What needs a look, as `spillview review` prints it: sessions that went on after a
failure they never saw lead, then what else was never seen, JSON items missed, other
failures, results that are gone or were cut, what grows, what is exposed, what the disk
needs. What was reviewed is left out and counted above.

`{report.review}` marks one row reviewed. `{report.finish}` is `review --done`: all of
this report is reviewed, and the next one begins with what came after it;
`{report.undo}` takes either back.
"""
    BINDINGS: ClassVar[list[BindingType]] = REPORT_BINDINGS

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
        self.catalogue = catalogue
        # A queue that shows all time says so with 0; the report begins as `review`.
        self.scope = replace(scope, since=scope.since or None)
        self.all_time = False
        self.report: Report | None = None
        self._said = ""
        self.done: Finished | None = None
        """The finished review, until it is taken back."""
        self.home: HomeScreen | None = None
        """The queue below, whose marks, notes and undo these are too."""
        self.marks, self.notes = Marks(catalogue), Notes(catalogue)

    def compose(self) -> ComposeResult:
        """The headline, the period, the findings, one of them in full."""
        yield Static("", id="report-title", markup=False)
        yield Static("", id="report-period", markup=False)
        yield RowList(id="findings")
        yield FindingDetail(lambda finding: self.notes.of(subject_of(finding)))
        yield Footer()

    def on_mount(self) -> None:
        """Start making it."""
        below = self.app.screen_stack[-2:][0]
        if isinstance(below, HomeScreen):
            self.home, self.marks, self.notes = below, below.marks, below.notes
        self._look()

    # -- making it -----------------------------------------------------------------

    @property
    def query_made(self) -> Query:
        """What is reported on: the ground, and a beginning that was asked for."""
        return replace(self.scope, since=0.0) if self.all_time else self.scope

    def _look(self) -> None:
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
            rows_of(report)  # what they are ordered by is counted here, not when drawn
            made = self.Made(report)
        except (SpillError, OSError) as error:
            made = self.Made(None, sentence(error))
        finally:
            self.app.call_from_thread(self.end_work, work)
        if not get_current_worker().is_cancelled:
            self.post_message(made)

    @on(Made)
    def _show(self, message: Made) -> None:
        anew = self.report is None
        report = self.report = message.report
        self.done = None
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
        self._show_rows(anew=anew)

    def _show_period(self) -> None:
        """The period and what became of the rest, as far as there is room."""
        lines = wrap(self._said, max(8, self.size.width - 2), PERIOD_LINES)
        self.period_line.update("\n".join(lines))

    def on_resize(self) -> None:
        """More or less of it has room."""
        self._show_period()

    def _show_rows(self, *, anew: bool = False) -> None:
        """The rows as they are marked now; the cursor stays."""
        report = self.report
        if report is not None:
            marked = partial(self.marks.is_set, since=report.made)
            self.findings.show(rows_of(report, marked), anew=anew)
        self.detail.remake()
        self.refresh_bindings()

    @on(RowList.Highlighted)
    def _highlight(self) -> None:
        row = self.row
        self.detail.show(row.finding if row is not None else None)
        self.refresh_bindings()

    @on(Worker.StateChanged)
    def _report_crash(self, event: Worker.StateChanged) -> None:
        """A fault of ours in a worker becomes a sentence on the screen."""
        error = event.worker.error
        if event.state is not WorkerState.ERROR or error is None:
            return
        reason = f"{type(error).__name__}: {error}"
        if event.worker.group == "report":
            self.title_line.update(printable(f"The report failed. {reason}"))
        else:
            said = printable(f"{event.worker.description} failed. {reason}")
            self.notify(said, severity="error", markup=False)

    # -- the row under the cursor --------------------------------------------------

    @property
    def row(self) -> FindingRow | None:
        """The finding under the cursor."""
        row = self.findings.row
        return row if isinstance(row, FindingRow) else None

    def acted_on(self) -> Artifact | Missing | None:
        """Its artifact, or its call."""
        row = self.row
        return subject_of(row.finding) if row is not None else None

    def copyables(self) -> Sequence[Copyable]:
        """What can be copied of its artifact or call."""
        from spillview.tui.review.copies import copies_of

        row, line = self.row, None
        if row is not None and row.finding.artifact is not None:
            line = row.finding.line
        show = f"--offset {line.number}" if line is not None else ""
        return list(copies_of(self.catalogue, self.acted_on(), show=show))

    @on(RowList.Opened)
    async def _open(self) -> None:
        """What Enter does to the row."""
        for name in ("open", "cleanup", "trash"):
            if self.check_action(name, ()):
                await self.run_action(name)

    def action_open(self) -> None:
        """Open the artifact; `J` and `K` go on through those of the report."""
        from spillview.tui.artifact.artifact import ArtifactScreen

        row, report = self.row, self.report
        if row is None or report is None or row.finding.artifact is None:
            return
        opened = row.finding.artifact
        found = report.findings.artifacts()
        index = found.index_of(opened.id)
        if index is None:
            return
        shown = Mapped(found, self.marks.apply)
        screen = ArtifactScreen(self.catalogue, shown, index)
        if self.home is not None:
            screen.among = self.home.material.every()
        since = self.catalogue.now()

        def come_back(last: Artifact | None) -> None:
            self.marks.reload_since(since, found)
            self.notes.reload()
            self._show_rows()
            if last is not None and last.id != opened.id:
                self._aim(last.id)

        self.app.push_screen(screen, come_back)

    def action_review(self) -> None:
        """Mark it reviewed and go on."""
        row = self.acted_on()
        if row is None:
            return
        now = self.catalogue.now()
        if self.catalogue.state is not None:
            hold(self.catalogue.state, now, self.scope.paths)
        if isinstance(row, Missing):
            self.marks.mark((), now, (call_mark(row),))
        else:
            self.marks.mark((row,), now)
        self._offer_undo("Marked reviewed.")
        self.findings.action_move(1)

    def _offer_undo(self, words: str) -> None:
        """Show what was marked, and how that is taken back."""
        if self.home is not None:
            self.home.last_batch = None  # the mark is what is taken back now
        self._show_rows()
        offer_mark(self, words, "report.undo")
        self._tell_forgetting()

    def action_note(self) -> None:
        """Write a note on it."""
        row = self.acted_on()
        if row is None:
            return

        def keep(text: str | None) -> None:
            done = self.notes.keep(row, text)
            if done is not None:
                self.marks.remember(done.id, done.back)
                self._offer_undo(done.words)

        screen = NoteScreen(words_about(row), self.notes.of(row) or "")
        self.app.push_screen(screen, keep)

    def _tell_forgetting(self) -> None:
        """Say that what is marked and noted does not last."""
        forgetting = self.catalogue.forgetting()
        if forgetting is not None:
            said = printable(path_text(forgetting))
            self.notify(said, severity="error", timeout=20, markup=False)

    # -- the whole report ----------------------------------------------------------

    def action_finish(self) -> None:
        """The review is done; the next report begins with the rest."""
        state, report, query = self.catalogue.state, self.report, self.query_made
        if report is None:
            words = "The report is still being made. Try again when it stands here."
            self.notify(words, severity="warning", markup=False)
            return
        if state is None:
            return
        done = self.done = finish(state, query, report)

        def reopen() -> None:
            self.done = None
            resume(state, query, done)

        self.marks.finish(list(done.before), done.upto, reopen)
        if self.home is not None:
            self.home.last_batch = None
        self._show_rows()
        if state.lasts:
            words = "; ".join(finished(done, report.made)) + "."
            offer_mark(self, words, "report.undo", SECONDS)
        self._tell_forgetting()

    def action_undo(self) -> None:
        """Take the last mark back, that the review is done, or a clean-up."""
        home = self.home
        if home is not None and home.last_batch is not None:
            self._put_back(home, home.last_batch)
        elif ids := self.marks.undo():
            self._show_rows()
            self._aim(ids[0])

    def _aim(self, mark: str) -> None:
        """Put the cursor on the first row about the artifact or call of that mark."""
        key = key_of(self.report, mark) if self.report is not None else None
        if key is not None:
            self.findings.aim_at(key)

    @work(
        exclusive=True,
        exit_on_error=False,
        group="undo",
        description="Put a clean-up back",
    )
    async def _put_back(self, home: HomeScreen, batch: str) -> None:
        await home.begin_undo(batch).wait()
        self._look()

    def action_cleanup(self) -> None:
        """Plan a clean-up of what the report looks at, whatever its age."""
        from spillview.tui.cleanup.cleanup import CleanupScreen

        screen = CleanupScreen(self.catalogue, self.scope)
        # The report's own plan is by them, where there are any.
        screen.by_policy = bool(self.catalogue.settings.policies)

        def come_back(changed: bool | None) -> None:
            if self.home is not None:
                self.home.last_batch = screen.last_batch
            self._look_anew(changed)

        self.app.push_screen(screen, come_back)

    def action_trash(self) -> None:
        """What clean-ups removed: put back, or delete for good."""
        from spillview.tui.cleanup.trash import TrashScreen

        self.app.push_screen(TrashScreen(self.catalogue), self._look_anew)

    def _look_anew(self, changed: bool | None) -> None:
        if changed:
            self._look()
            if self.home is not None:
                self.home.action_reload()

    def action_all_time(self) -> None:
        """All time, or only the period."""
        self.all_time = not self.all_time
        self.report = None
        self._look()

    def action_copy(self) -> None:
        """Copy the rows."""
        if self.report is not None:
            self._copy(self.report)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="copy",
        description="Copy the rows",
    )
    def _copy(self, report: Report) -> None:
        import orjson

        lines = [orjson.dumps(row).decode() for row in rows(report)]
        text = "\n".join(lines) + "\n"
        self.app.call_from_thread(self._copied, text, len(lines))

    def _copied(self, text: str, number: int) -> None:
        self.app.copy_to_clipboard(text)
        self.notify(f"{number:,} rows copied as JSON Lines", markup=False)

    def action_leave(self) -> None:
        """Stop what is at work, and keep what there is by then; else back."""
        if not self.stop_work():
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if not self.is_mounted:
            return True
        row = self.row
        if action == "open":
            return row is not None and row.finding.artifact is not None
        if action in ("cleanup", "trash"):
            if row is None or row.finding.section != "disk":
                return False
            more = row.finding.more
            if more.get("what") == "trash":
                return action == "trash" and bool(more.get("batches"))
            return action == "cleanup"
        if action in (
            "review",
            "note",
            "copy_menu",
            "copy_prompt",
            "copy_resume",
            "open_pane",
        ):
            return self.acted_on() is not None
        if action == "finish":
            return self.done is None and (self.report is None or self._is_whole)
        if action == "undo":
            batch = self.home.last_batch if self.home is not None else None
            return self.marks.undoable > 0 or batch is not None
        return True

    @property
    def _is_whole(self) -> bool:
        """Whether there is a report, and of all that it is about."""
        return self.report is not None and self.report.partial is None
