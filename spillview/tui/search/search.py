"""Search across artifacts: streamed results, each tagged with whether it was seen."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import Worker, get_current_worker

from spillview.catalogue.catalogue import Catalogue
from spillview.errors import SpillError
from spillview.model import Artifact
from spillview.search.hits import Pattern
from spillview.search.selection import Options
from spillview.tui import stylesheet
from spillview.tui.copying import Copyable, Copying
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.pager.viewport import Viewport
from spillview.tui.queue.bars import plural
from spillview.tui.search.hit_list import HitList
from spillview.tui.search.keys import SEARCH_BINDINGS, PatternInput
from spillview.tui.search.preview import Preview
from spillview.tui.search.rows import ArtifactRow, Batch, LineRow, grouped
from spillview.tui.search.search_bar import Progress, SearchBar, advice

PAUSE = 0.05
"""Seconds between two batches of results."""
REST = 0.005
"""Seconds of rest after each."""

DAMAGED = (
    "A part of the search index was damaged. All of it was searched instead,"
    " and it is made anew."
)


class SearchScreen(Copying, Failing):
    """A pattern above, the lines that match below it, and a look at each in place."""

    CSS_PATH: ClassVar = [stylesheet("artifact.tcss"), stylesheet("search.tcss")]
    BINDING_GROUP_TITLE = "Search"
    HELP = """
## Search

A pattern in ripgrep's syntax, searched in every artifact that the queue shows; `a`
takes in the others, of whatever time. A pattern in lower case ignores case. Enter
searches; Escape stops it and keeps what was found.
"""
    AUTO_FOCUS = "#pattern"
    BINDINGS: ClassVar[list[BindingType]] = SEARCH_BINDINGS

    bar = getters.query_one("#search-bar", SearchBar)
    line = getters.query_one("#pattern", Input)
    hits = getters.query_one("#hits", HitList)
    nothing = getters.query_one("#no-hits", Static)
    preview = getters.query_one("#preview-pane", Preview)

    @dataclass
    class Found(Message):
        """More results, or the end of the search."""

        generation: int
        batch: Batch
        done: int
        ended: bool = False
        error: str | None = None
        problems: int = 0
        skipped: int = 0
        unknown: int = 0
        foreign: int = 0

    def __init__(
        self,
        catalogue: Catalogue,
        artifacts: Sequence[Artifact],
        pattern: str = "",
        *,
        every: Sequence[Artifact] = (),
        titles: Mapping[str, str] | None = None,
    ) -> None:
        """`artifacts` are searched in their order, by session; `pattern` at once.

        `every` are these and the others that there are; `titles` those of sessions, by
        `harness/session`.
        """
        super().__init__()
        self.catalogue = catalogue
        self._shown, self._every = artifacts, every
        self._wide = False
        self._titles = titles or {}
        self.artifacts = grouped(artifacts)
        self.progress = Progress()
        self.options = Options(case="-S")
        self._initial = pattern
        self._generation = 0
        self._worker: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Counts, the pattern, results, a look at one of them, footer."""
        yield SearchBar()
        with Horizontal(id="pattern-line"):
            yield Static("/", id="pattern-label", markup=False)
            yield PatternInput(
                self._initial,
                id="pattern",
                placeholder="ripgrep's syntax; upper case makes case matter",
                compact=True,
            )
        yield HitList(self.artifacts, self.catalogue.now, self._titles)
        yield Static("", id="no-hits", markup=False)
        yield Preview()
        yield Footer()

    def on_mount(self) -> None:
        """Search at once when a pattern was given."""
        self.nothing.display = False
        self.nothing.can_focus = True  # so that keys are no letters of the pattern
        self._show_bar()
        if self._initial:
            self._begin(self._initial)

    @property
    def _beyond(self) -> int:
        """Artifacts that are here and not among those that are searched."""
        return 0 if self._wide else max(0, len(self._every) - len(self._shown))

    def _show_bar(self) -> None:
        progress = replace(self.progress, beyond=self._beyond)
        self.bar.show(progress, len(self.artifacts), self.options)
        ended = bool(progress.pattern) and not progress.running
        blank = ended and not self.hits.rows
        self.hits.display, self.nothing.display = not blank, blank
        if blank:
            self.nothing.update(advice(progress, len(self.artifacts), self.options))

    # -- searching -----------------------------------------------------------------

    @on(Input.Submitted, "#pattern")
    def _submit(self, event: Input.Submitted) -> None:
        if event.value:
            self._begin(event.value)

    def _begin(self, pattern: str) -> None:
        self._generation += 1
        self.progress = Progress(pattern, running=True)
        self.hits.clear()
        self.hits.focus()
        self._show_bar()
        self._worker = self._search(pattern, self.options, self._generation)
        self.refresh_bindings()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="search",
        description="Search inside the artifacts",
    )
    def _search(self, pattern: str, options: Options, generation: int) -> None:
        from spillview.tui.search.searching import Searching

        worker = get_current_worker()
        last = time.monotonic()
        error: str | None = None

        def look() -> None:
            """Tell what came since, and give keys a moment without this thread."""
            nonlocal last
            if time.monotonic() - last >= PAUSE:
                tell()
                time.sleep(REST)
                last = time.monotonic()

        work = Searching(
            self.catalogue,
            self.artifacts,
            pattern,
            options,
            cancelled=lambda: worker.is_cancelled,
            advanced=look,
        )

        def tell(ended: bool = False) -> None:
            report = work.report
            self.post_message(
                self.Found(
                    generation,
                    work.gatherer.batch(),
                    work.done,
                    ended,
                    error,
                    len(report.problems),
                    report.skipped,
                    report.unknown,
                    report.foreign,
                )
            )

        try:
            for _ in work.steps():
                look()
                if worker.is_cancelled:
                    return
        except SpillError as failure:
            error = str(failure)
        finally:
            work.gatherer.close()
        if not worker.is_cancelled:
            tell(ended=True)
            if work.report.damaged:
                self.app.call_from_thread(self.notify, DAMAGED, timeout=10)

    @on(Found)
    def _take(self, message: Found) -> None:
        if message.generation != self._generation:
            return
        batch = message.batch
        self.progress = replace(
            self.progress,
            running=not message.ended,
            error=message.error,
            done=len(self.artifacts) if message.ended else message.done,
            lines=batch.total,
            shown=batch.shown,
            artifacts=batch.artifacts,
            problems=message.problems,
            skipped=message.skipped,
            unknown=message.unknown,
            foreign=message.foreign,
        )
        if batch.rows:
            self.hits.add(batch.rows)
        else:
            self.hits.refresh()
        self._show_bar()
        if message.ended:
            self.refresh_bindings()
            if message.error is not None:
                self._mend()
            elif not batch.total:
                self.nothing.focus()

    def _mend(self) -> None:
        """Back to the pattern, its end under the cursor: it is to be corrected."""
        self.line.select_on_focus = False
        self.line.focus()
        self.call_after_refresh(setattr, self.line, "select_on_focus", True)

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so in the place of what was found."""
        self.progress = replace(self.progress, running=False, error=reason)
        self._show_bar()

    @on(HitList.Highlighted)
    def _show_preview(self) -> None:
        hit = self.hits.hit
        if hit is None:
            self.preview.clear()
        else:
            self.preview.show(self.artifacts[hit.index], hit.at)

    @on(Viewport.Moved)  # which is told to the screen
    def _tell_place(self) -> None:
        self.preview.tell_place()

    # -- what the keys do --------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters belong to the pattern while it is typed."""
        typing = self.is_mounted and self.line.has_focus
        if action == "stop":
            return self.progress.running
        if action == "results":
            return typing and bool(self.progress.pattern)
        if action == "all":
            return not typing and (self._wide or self._beyond > 0)
        if action in ("edit", "unseen", "regex", "leave", "copy_menu"):
            return not typing
        return True

    def copyables(self) -> Sequence[Copyable]:
        """The hit's line and artifact, and the search as a command."""
        from spillview.tui.review.copies import copies_of

        row = self.hits.row
        offered: list[Copyable] = []
        if isinstance(row, LineRow):
            offered.append(Copyable("y", "the line", row.text, "as it is shown"))
        if isinstance(row, LineRow | ArtifactRow):
            number = row.number if isinstance(row, LineRow) else None
            show = f"-n --offset {number} --limit 20" if number is not None else ""
            artifact = self.artifacts[row.index]
            offered += copies_of(self.catalogue, artifact, show=show)
        command = self._rg()
        return [*offered, *([command] if command is not None else [])]

    def _rg(self) -> Copyable | None:
        """The search over the artifacts that hold what it found, for a shell."""
        from spillview.search.shell_command import shell_command

        options = replace(self.options, seen=None)
        found = [row.index for row in self.hits.rows if isinstance(row, ArtifactRow)]
        if not found:
            return None
        command = shell_command(
            options.arguments([self.progress.pattern]),
            map(self.artifacts.__getitem__, found),
        )
        if command.text is None:
            return None
        total, given = self.progress.artifacts, len(found) - command.left_out
        notes = [] if given == total else [f"{given:,} of {plural(total, 'artifact')}"]
        if self.options.seen is not None:
            notes.append("what was seen too")
        return Copyable(
            "r", "the rg command of the search", command.text, ", ".join(notes)
        )

    def action_edit(self) -> None:
        """Type another pattern."""
        self.line.focus()

    def action_results(self) -> None:
        """From the pattern to the results, or to what is said in their place."""
        (self.hits if self.hits.display else self.nothing).focus()

    def action_unseen(self) -> None:
        """Only what was never seen, or everything."""
        seen = False if self.options.seen is None else None
        self._again(replace(self.options, seen=seen))

    def action_regex(self) -> None:
        """The pattern as a regex, or as it is."""
        self._again(replace(self.options, fixed=not self.options.fixed))

    def action_all(self) -> None:
        """Search everything here, or only what the queue shows."""
        self._wide = not self._wide
        self.artifacts = grouped(self._every if self._wide else self._shown)
        self.hits.clear()
        self.hits.artifacts = self.artifacts
        self._again(self.options)
        self.refresh_bindings()

    def _again(self, options: Options) -> None:
        self.options = options
        if self.progress.pattern:
            self._begin(self.progress.pattern)
        self._show_bar()

    def action_back(self) -> None:
        """From the pattern to the results; else leave."""
        if self.line.has_focus and self.progress.pattern:
            self.action_results()
        else:
            self.action_leave()

    def action_stop(self) -> None:
        """End the search and keep what it found."""
        self._generation += 1
        if self._worker is not None:
            self._worker.cancel()
        self.progress = replace(self.progress, running=False, stopped=True)
        self._show_bar()
        self.refresh_bindings()

    def action_leave(self) -> None:
        """Back to the screen below."""
        if self._worker is not None:
            self._worker.cancel()
        self.dismiss(None)

    @on(HitList.Opened)
    def _open(self) -> None:
        from spillview.tui.artifact.artifact import ArtifactScreen

        row = self.hits.hit
        if row is None:
            return
        pattern = Pattern(self.progress.pattern, fixed=self.options.fixed)
        screen = ArtifactScreen(
            self.catalogue, self.artifacts, row.index, at=row.at, pattern=pattern
        )
        self.app.push_screen(screen)
