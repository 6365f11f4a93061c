"""The morning's report on the screen: every finding under its section, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any, ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.worker import Worker

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.errors import Cancelled
from spillview.model import Artifact, Missing
from spillview.report.findings import Report
from spillview.report.finishing import Finished, finish, hold, resume
from spillview.report.rows import rows
from spillview.report.wording import finished, headline
from spillview.review.reviewed import call_mark
from spillview.review.state import State
from spillview.tui.cleanup.opening import OpensCleanup
from spillview.tui.cleanup.undoing import SECONDS, offer_mark
from spillview.tui.copying import Copyable, Copying
from spillview.tui.home import HomeScreen
from spillview.tui.queue.members import Mapped
from spillview.tui.report.keys import REPORT_BINDINGS
from spillview.tui.report.making import MadeReport
from spillview.tui.report.report_list import (
    key_of,
    subject_of,
)
from spillview.tui.review.acting import Acting
from spillview.tui.review.note import Noted
from spillview.tui.review.noting import Noting
from spillview.tui.review.taking_back import TakingBack
from spillview.tui.row_list import RowList


class ReportScreen(MadeReport, Noting, TakingBack, OpensCleanup, Copying, Acting):
    """The report of what the queue below looks at, for the period of `review`."""

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

    def __init__(self, catalogue: Catalogue, scope: Query) -> None:
        super().__init__(catalogue, scope)
        self.done: Finished | None = None
        """The finished review, until it is taken back."""
        self.home: HomeScreen | None = None
        """The queue below, whose marks, notes and undo these are too."""

    def on_mount(self) -> None:
        """Start making it."""
        below = self.app.screen_stack[-2:][0]
        if isinstance(below, HomeScreen):
            self.home, self.marks, self.notes = below, below.marks, below.notes
        self.look()

    def look(self) -> None:
        """Make it, or make it anew."""
        self.done = None
        super().look()

    # -- the row under the cursor --------------------------------------------------

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
            self.show_marks()
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
        self.show_marks()
        offer_mark(self, words, "report.undo")
        self.tell_forgetting()

    def action_note(self) -> None:
        """Write a note on it."""
        row = self.acted_on()
        if row is not None:
            self.write_note(row, self._noted)

    def _noted(self, done: Noted) -> None:
        self.marks.remember(done.id, done.back, done.undone)
        self._offer_undo(done.words)

    # -- the whole report ----------------------------------------------------------

    def action_finish(self) -> None:
        """The review is done; the next report begins with the rest."""
        state, report = self.catalogue.state, self.report
        if report is None or self.is_at_work:
            words = "The report is still being made. Try again when it stands here."
            self.notify(words, severity="warning", markup=False)
        elif state is not None:
            self.say_pace("marking all of it reviewed …")
            self._finish(state, report, self.begin_work())

    @work(
        thread=True,
        exit_on_error=False,
        group="finish",
        description="Mark all of it reviewed",
    )
    def _finish(self, state: State, report: Report, work: Event) -> None:
        try:
            done = finish(
                state,
                self.query_made,
                report,
                progress=self.paced("marked", work),
                cancelled=work.is_set,
            )
        except Cancelled:
            done = None
        self.app.call_from_thread(self._finished, state, report, done, work)

    def _finished(
        self, state: State, report: Report, done: Finished | None, work: Event
    ) -> None:
        """Show that it is done, or that nothing was marked after all."""
        self.end_work(work)
        self.title_line.update(headline(report))
        if done is None:
            words = "Stopped: nothing is marked, the review is not done."
            self.notify(words, markup=False)
            return
        query = self.query_made
        self.done = done if report is self.report else None

        def reopen() -> None:
            self.done = None
            resume(state, query, done)

        self.marks.finish(list(done.before), done.upto, reopen)
        if self.home is not None:
            self.home.last_batch = None
        self.show_marks()
        if state.lasts:
            words = "; ".join(finished(done, report.made)) + "."
            offer_mark(self, words, "report.undo", SECONDS)
        self.tell_forgetting()

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so, and be ready for what comes next."""
        if worker.group == "finish" and self.report is not None:
            self.end_work()
            self.title_line.update(headline(self.report))
        super().failed(worker, reason)

    def action_undo(self) -> None:
        """Take the last mark back, that the review is done, or a clean-up."""
        home = self.home
        if self._is_finishing:
            return
        if home is not None and home.last_batch is not None:
            self.start_undo(home.last_batch)
        else:
            self.take_mark_back()

    def marks_taken_back(self, ids: list[str]) -> None:
        """Go to what was marked."""
        self.show_marks()
        self._aim(ids[0])

    def _aim(self, mark: str) -> None:
        """Put the cursor on the first row about the artifact or call of that mark."""
        key = key_of(self.report, mark) if self.report is not None else None
        if key is not None:
            self.findings.aim_at(key)

    def put_back(self, left: str | None) -> None:
        """Make it anew, and the queue below."""
        self.took_over(left)
        self.look_anew()

    @property
    def cleans_by_policy(self) -> bool:
        """The report's own plan is by the standing policies, where there are any."""
        return bool(self.catalogue.settings.policies)

    def took_over(self, batch: str | None) -> None:
        """That clean-up is what an undo puts back now."""
        if self.home is not None:
            self.home.last_batch = batch

    def look_anew(self) -> None:
        """Files were moved, put back or deleted."""
        self.look()
        if self.home is not None:
            self.home.action_reload()

    def action_all_time(self) -> None:
        """All time, or only the period."""
        self.all_time = not self.all_time
        self.report = None
        self.look()

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
        if not (self.stop_work() or self.taking_back or self._is_finishing):
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
    def _is_finishing(self) -> bool:
        """Whether its marks are being written."""
        return any(
            each.node is self and each.group == "finish" and each.is_running
            for each in self.workers
        )

    @property
    def _is_whole(self) -> bool:
        """Whether there is a report, and of all that it is about."""
        return self.report is not None and self.report.partial is None
