"""The home screen: a queue per session of the decisions that rest on a cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.widgets import Input

from spillview.catalogue.catalogue import Query
from spillview.catalogue.picks import PICKS
from spillview.errors import SpillError
from spillview.model import Artifact, Missing
from spillview.seen.endings import ending_line
from spillview.text import printable
from spillview.tui.copying import Copyable, Copying
from spillview.tui.keys import HOME_BINDINGS
from spillview.tui.messages import (
    DemoMade,
    GatheringFailed,
)
from spillview.tui.queue.arrangement import (
    WORST,
    Key,
    Material,
    View,
    in_window,
    prepare,
    row_key,
    session_key,
)
from spillview.tui.queue.bars import Bar
from spillview.tui.queue.columns import ALL
from spillview.tui.queue.indexing import IndexingScreen
from spillview.tui.queue.leaving import LeavingScreen
from spillview.tui.queue.members import Members
from spillview.tui.queue.queue import Queue
from spillview.tui.queue.screen import FEW
from spillview.tui.queue.sessions import Run, places_of
from spillview.tui.queue.undoing import UndoingScreen
from spillview.tui.review.acting import Acting
from spillview.tui.titles import Titles


class HomeScreen(UndoingScreen, IndexingScreen, LeavingScreen, Copying, Acting):
    """Sessions worst first, each with its artifacts worst first."""

    BINDING_GROUP_TITLE = "Home"
    BINDINGS: ClassVar[list[BindingType]] = HOME_BINDINGS

    _greeting: str | None = None

    def greet(self, words: str) -> None:
        """Say something in the first line, until a key is pressed."""
        self._greeting = printable(words)
        if self.is_mounted:
            self.top.say(self._greeting)

    def on_mount(self) -> None:
        """What was to be said before it was there."""
        if self._greeting is not None:
            self.top.say(self._greeting)

    def end_greeting(self) -> None:
        """A key was pressed."""
        if self._greeting is not None:
            self._greeting = None
            self.top.say(None)

    def indexable(self) -> Members:
        """Every artifact of the sessions that are shown."""
        return self.material.every()

    @on(Queue.Opened)
    def _open(self, event: Queue.Opened) -> None:
        self.open_artifact(event.row.id)

    def open_artifact(self, artifact_id: str) -> None:
        """Open an artifact; when it is left, the cursor stands where it went."""
        from spillview.tui.artifact.artifact import ArtifactScreen

        every = self.material.every()
        shown = self.queue.rows.artifacts()
        index = shown.index_of(artifact_id)
        if index is None:
            shown, index = every, every.index_of(artifact_id)
        if index is not None:
            self.queue.aim(("artifact", artifact_id))
            screen = ArtifactScreen(self.catalogue, shown, index)
            screen.among = every
            self.app.push_screen(screen, self._come_back)

    def _come_back(self, last: Artifact | None) -> None:
        """The artifact screen may have gone on to others and marked them."""
        aim = ("artifact", last.id) if last is not None else None
        self.marks.reload(self.material.every())
        self.notes.reload()
        self.detail.remake()
        self._marked(aim if aim is not None and self.queue.has(aim) else None)

    def action_report(self) -> None:
        """The morning's report of what this screen looks at."""
        from spillview.tui.report.report import ReportScreen

        self.app.push_screen(ReportScreen(self.catalogue, self.scope))

    def acted_on(self) -> Artifact | Missing | None:
        """The row; of a session its worst artifact."""
        row = self.queue.row
        if isinstance(row, Run):
            return row.artifacts[0] if row.artifacts else None
        return row

    def copyables(self) -> Sequence[Copyable]:
        """What can be copied of the row."""
        from spillview.tui.review.copies import copies_of

        row, show = self.queue.row, ""
        if isinstance(row, Artifact) and (line := ending_line(row)) is not None:
            show = f"--offset {line.number}"
        return list(copies_of(self.catalogue, row, show=show))

    def action_flatten(self) -> None:
        """One list of artifacts, or by session."""
        self.rearrange(flat=not self.view.flat)

    def action_toggle_all(self) -> None:
        """Close every session; when all are closed, open them."""
        keys = frozenset(map(session_key, self.material.sessions))
        closed = keys <= self.view.collapsed
        row = self.queue.session
        aim = row_key(row) if row is not None and not closed else None
        self.rearrange(aim, collapsed=frozenset() if closed else keys)

    @on(Queue.Toggled)
    def _toggle(self, event: Queue.Toggled) -> None:
        key = session_key(event.session)
        self.rearrange(key, collapsed=self.view.collapsed ^ {key})

    def action_sort(self, step: int) -> None:
        """Sort by the next column; after the last one, worst first again."""
        shown = [column.key for column in self.queue.columns]
        others = [column.key for column in ALL if column.key not in shown]
        keys = [WORST, *shown, *others]
        at = keys.index(self.view.sort) if self.view.sort in keys else 0
        self.rearrange(sort=keys[(at + step) % len(keys)], reverse=False)

    def action_reverse(self) -> None:
        """The same order the other way round."""
        self.rearrange(reverse=not self.view.reverse)

    @on(Titles.Clicked)
    def _sort_by(self, event: Titles.Clicked) -> None:
        if event.key == self.view.sort:
            self.action_reverse()
        else:
            self.rearrange(sort=event.key, reverse=False)

    def action_all_time(self) -> None:
        """All time, or only the window."""
        self.rearrange(all_time=not self.view.all_time)

    def action_missing(self) -> None:
        """Show or hide the missing calls, whose full result is not on disk."""
        if not self.arrangement.missing and not self.view.missing:
            self.notify(
                "No call is missing: every full result is on disk.", markup=False
            )
            return
        show = self._aim_missing = not self.view.missing
        self.rearrange(missing=show, only=None, collapsed=frozenset())

    def action_errors(self) -> None:
        """Show what tells of trouble only where the model did not look, or all."""
        self.action_only("errors")

    def action_which(self) -> None:
        """Show the next kind alone that there is; after the last one everything."""
        if not self.lists_all():
            return
        names = list(PICKS)
        at = names.index(self.view.only) + 1 if self.view.only else 0
        present = (name for name in names[at:] if self._is_there(name))
        name = next(present, None)
        if name is None and self.view.only is None:
            self.notify("There is nothing of any kind to show alone.", markup=False)
        self.select_only(name)

    def _is_there(self, name: str) -> bool:
        """Whether the window holds anything of a kind."""
        gists = self.material.ledger.gists
        is_inside = in_window(self.view, gists)
        return any(
            gists.admits(name, place) and is_inside(place)
            for place in places_of(self.material.sessions)
        ) or any(map(PICKS[name].admits_call, self.material.missing))

    @on(Bar.Clicked)
    async def _do(self, event: Bar.Clicked) -> None:
        await self.run_action(event.action)

    def action_only(self, name: str) -> None:
        """Show one selection alone; when it is shown, everything."""
        self.select_only(None if self.view.only == name else name)

    def select_only(self, name: str | None) -> None:
        """Show one selection alone, or everything."""
        self.queue.touched = False
        self.rearrange(only=name)

    def action_statistics(self) -> None:
        """What became of the spilled outputs of every session shown."""
        if not self.lists_all():
            return
        from spillview.tui.charts.statistics import StatisticsScreen

        every = self.material.every()
        shown = every.where(in_window(self.view, every.gists))
        self.app.push_screen(StatisticsScreen(self.catalogue, shown, self.window))

    def action_forecast(self) -> None:
        """When commands cross their boundary, by all of their runs."""
        if not self.lists_all():
            return
        from spillview.tui.charts.forecast import ForecastScreen

        known = self.material.every()
        self.app.push_screen(ForecastScreen(self.catalogue, known, self.scope))

    def action_filter(self) -> None:
        """Open the filter's line."""
        self.filter_bar.display = True
        self.filter_input.focus()
        self.filter_input.action_select_all()
        self.show_totals()
        self._prepare_filter(self.material, self.view)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="prepare",
        description="Make the filter ready",
    )
    def _prepare_filter(self, material: Material, view: View) -> None:
        prepare(material, view, self._labels)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="prepare",
        description="Forget what the filter made ready",
    )
    def _forget_labels(self) -> None:
        self._labels.forget()

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        if event.value == self.view.filter:
            return
        # The best match is what was meant: the cursor goes there.
        self.queue.touched = False
        self.rearrange(filter=event.value)

    @on(Input.Submitted, "#filter")
    def _keep_filter(self) -> None:
        if not self.view.filter.strip():
            self.action_clear()
        else:
            self.filter_bar.display = False
            self.queue.touched = True
            self.set_focus(self.queue if self.arrangement.rows else None)
            self.show_totals()
            self.offer_keys()

    def action_move(self, rows: int) -> None:
        """Move the queue's cursor while the filter is being typed."""
        self.queue.action_move(rows)

    def action_clear(self) -> None:
        """Stop what is at work; else close the filter's line and show every row."""
        if self.is_at_work:
            self.stop_work()
            return
        self.filter_bar.display = False
        self.queue.touched = True
        self.filter_input.value = ""
        self.rearrange(filter="", only=None, missing=False)
        self.queue.focus()
        if len(self.arrangement.artifacts) > FEW:
            self._forget_labels()

    def action_search(self) -> None:
        """Search inside every artifact shown."""
        if not self.lists_all():
            return
        from spillview.tui.search.search import SearchScreen

        screen = SearchScreen(
            self.catalogue,
            self.arrangement.artifacts,
            every=self.material.every(),
            titles=self.material.titles,
        )
        self.app.push_screen(screen)

    def action_reload(self) -> None:
        """Look again now."""
        self.top.looking = True
        self.gather_all()

    def action_problems(self) -> None:
        """List what could not be read."""
        from spillview.tui.problems import ProblemsScreen

        problems = [
            *self.catalogue.problems,
            *self.catalogue.broken_records(),
            *self.catalogue.mended,
        ]
        if problems:
            self.app.push_screen(ProblemsScreen(problems))
        else:
            self.notify("Everything could be read.", markup=False)

    def go_to(self, key: Key) -> None:
        """Put the cursor on a row, whatever hides it now."""
        if not self.queue.aim(key):
            self.filter_input.value = ""
            self.rearrange(key, filter="", flat=False, all_time=True, only=None)

    def commands(self) -> Iterator[SystemCommand]:
        """Palette entries of each kind; what the keys do is there anyway."""
        for pick in PICKS.values():
            show = partial(self.select_only, pick.name)
            yield SystemCommand(f"Only {pick.name}", pick.words, show)
        yield from super().commands()

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="demo",
        description="Make a demo night",
    )
    def action_demo(self) -> None:
        """Make a demo night and browse it; leaving it comes back here."""
        from spillview.tui.demo_night import make_demo

        self.app.call_from_thread(self.notify, "Making a night …", timeout=2)
        try:
            catalogue = make_demo(self.catalogue.now())
        except (SpillError, OSError) as error:
            self.post_message(GatheringFailed(f"No demo could be made: {error}"))
        else:
            self.post_message(DemoMade(catalogue))

    @on(DemoMade)
    async def _browse_demo(self, message: DemoMade) -> None:
        screen = HomeScreen(message.catalogue, Query())
        await self.app.push_screen(screen)
        screen.greet("a made night: q leads back")

    def action_back(self) -> None:
        """Go back to the screen below."""
        self.app.pop_screen()

    def action_leave(self) -> None:
        """End."""
        self.app.exit()
