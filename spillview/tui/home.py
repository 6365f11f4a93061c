"""The home screen: a queue per session of the decisions that rest on a cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.widgets import Footer, Input, Static
from textual.worker import get_current_worker

from spillview import triage
from spillview.catalogue import Catalogue, Query
from spillview.model import Artifact, Missing, Session
from spillview.text import printable
from spillview.tui import empty
from spillview.tui.arrangement import (
    WORST,
    Arrangement,
    Figures,
    Key,
    Labels,
    Material,
    View,
    arrange,
    in_window,
    row_key,
    session_key,
    window_words,
)
from spillview.tui.bars import Counting, TopBar, TotalsBar, plural
from spillview.tui.columns import ALL, missing_sentence
from spillview.tui.detail import Detail
from spillview.tui.filter_bar import FilterBar
from spillview.tui.keys import HOME_BINDINGS
from spillview.tui.live import LiveScreen
from spillview.tui.marks import Marks
from spillview.tui.messages import (
    Arranged,
    Counted,
    Gathered,
    GatheringFailed,
    Ordered,
    Scanned,
)
from spillview.tui.queue import Queue
from spillview.tui.titles import Titles

FEW = 3000
"""Up to so many artifacts are arranged at once, more of them in a worker."""

AGE_SECONDS = 20.0
"""Ages are drawn anew this often."""


class HomeScreen(LiveScreen):
    """Sessions worst first, each with its artifacts worst first."""

    BINDING_GROUP_TITLE = "Home"
    BINDINGS: ClassVar[list[BindingType]] = HOME_BINDINGS

    queue = getters.query_one("#queue", Queue)
    titles = getters.query_one("#titles", Titles)
    top = getters.query_one("#top", TopBar)
    totals = getters.query_one("#totals", TotalsBar)
    detail = getters.query_one("#detail", Detail)
    filter_bar = getters.query_one("#filter-bar", FilterBar)
    filter_input = getters.query_one("#filter", Input)
    blank = getters.query_one("#empty", Static)

    def __init__(self, catalogue: Catalogue, query: Query) -> None:
        super().__init__(catalogue, query)
        self.last_review = catalogue.last_review()
        opened = catalogue.now()
        since: float | None = None
        if query.since is None:
            since = triage.night_start(self.last_review, opened)
        # A path or a home that was named is shown whole at first.
        named = bool(query.paths) or catalogue.places.confined
        self.view = View(since=since, opened=opened, all_time=named)
        self.material = Material()
        self.arrangement = Arrangement([], [], 0, 0, 0)
        self.marks = Marks(catalogue)
        self.failure: str | None = None
        self._scanned = False
        self._problems = 0
        self._labels = Labels()
        self._generation = 0
        self._applied: tuple[bool, ...] = ()

    def compose(self) -> ComposeResult:
        """Top line, column titles, queue, totals, detail strip, footer."""
        queue = Queue(clock=self.catalogue.now)
        yield TopBar()
        yield Titles(queue)
        yield queue
        yield Static(id="empty", markup=False)
        yield TotalsBar()
        yield FilterBar()
        yield Detail(clock=self.catalogue.now)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the shell at once and start looking."""
        self.blank.display = False
        self.filter_bar.display = False
        self.top.show(self._window_words(), Figures())
        self.queue.focus()
        self.watch_stores()
        self.set_interval(AGE_SECONDS, self.queue.tick)

    def _window_words(self) -> str:
        view = self.view
        if self.scope.since is not None:
            view = replace(view, since=self.scope.since)
        return window_words(view, self.last_review, self.catalogue.now())

    def near(self, artifact: Artifact) -> bool:
        """What the window shows is completed first."""
        return in_window(artifact, self.view)

    # -- what the workers found out ------------------------------------------------

    @on(Scanned)
    def _take_scan(self, message: Scanned) -> None:
        self._scanned = True
        self.failure = None
        self.top.looking = False
        self._take(message.sessions, self.material.missing)

    @on(Counted)
    def _take_counts(self, message: Counted) -> None:
        self.queue.update_rows(map(self.marks.apply, message.artifacts))
        self.top.counting = Counting(message.done, message.total, message.left)
        self.top.remake()

    @on(Ordered)
    def _take_order(self, message: Ordered) -> None:
        missing = self.material.missing
        self._take(
            message.sessions,
            missing if message.missing is None else tuple(message.missing),
        )

    @on(Gathered)
    def _finish(self, message: Gathered) -> None:
        if message.problems > self._problems:
            noun = "place" if message.problems == 1 else "places"
            words = f"{message.problems:,} {noun} could not be read. ! lists them."
            self.notify(words, severity="warning", markup=False)
        self._problems = self.totals.problems = message.problems
        self.top.counting = None
        self.queue.settled = True
        self.queue.tick()
        self.top.remake()
        self.totals.remake()
        self._offer_keys()

    @on(GatheringFailed)
    def _take_failure(self, message: GatheringFailed) -> None:
        self._scanned = True
        self.failure = message.sentence
        self.top.counting, self.top.looking = None, False
        if self.arrangement.rows:
            self.notify(printable(message.sentence), severity="error", markup=False)
        self.rearrange()

    def _take(self, sessions: list[Session], missing: tuple[Missing, ...]) -> None:
        self.material = Material.of(self.marks.apply_all(sessions), missing)
        self.rearrange()

    # -- arranging ---------------------------------------------------------------

    def rearrange(self, aim: Key | None = None, **changes: object) -> None:
        """Show the queue anew, after `changes` to the view; `aim` moves the cursor."""
        self.view = replace(self.view, **changes)  # type: ignore[arg-type] # checked by name
        self._generation += 1
        if sum(len(s.artifacts) for s in self.material.sessions) <= FEW:
            self._show(arrange(self.material, self.view, self._labels), aim)
        else:
            self._arrange(self.material, self.view, self._generation, aim)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="arrange",
        description="Filter and order the queue",
    )
    def _arrange(
        self, material: Material, view: View, generation: int, aim: Key | None
    ) -> None:
        worker = get_current_worker()
        arrangement = arrange(material, view, self._labels, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.post_message(Arranged(arrangement, generation, aim))

    @on(Arranged)
    def _take_arrangement(self, message: Arranged) -> None:
        if message.generation == self._generation:
            self._show(message.arrangement, message.aim)

    def _show(self, arrangement: Arrangement, aim: Key | None) -> None:
        self.arrangement = arrangement
        view = self.view
        self.queue.set_rows(
            arrangement.rows,
            flat=view.flat,
            collapsed=view.collapsed,
            titles=self.material.titles,
            aim=aim,
        )
        self.titles.show(view.sort, view.reverse)
        self.top.show(self._window_words(), arrangement.figures)
        self._show_totals()
        self._show_empty()
        self._offer_keys()

    def _offer_keys(self) -> None:
        """Tell the footer when other keys apply; it is slow to make anew."""
        applies = tuple(self._applies().values())
        if applies != self._applied:
            self._applied = applies
            self.refresh_bindings()

    @on(Queue.Selected)
    def _show_totals(self) -> None:
        chosen = self.queue.selected
        artifacts = self.arrangement.artifacts if chosen else []
        selected = [a for a in artifacts if a.id in chosen]
        view = replace(self.view, filter="") if self.is_filtering else self.view
        self.totals.show(self.arrangement, selected, view)

    def _show_empty(self) -> None:
        nothing = not self.arrangement.rows and self._scanned
        self.blank.display = nothing
        self.queue.display = self.titles.display = not nothing
        self.detail.display = not nothing
        if not nothing:
            if self.focused is None:
                self.queue.focus()
            return
        if self.failure is not None:
            content = empty.failed(self.failure)
        elif self.view.filter.strip():
            content = empty.no_match(self.view.filter)
        elif self.arrangement.beyond:
            content = empty.nothing_new(self._window_words(), self.arrangement.beyond)
        else:
            folders = empty.looked_at(self.catalogue, self.scope)
            content = empty.no_stores(folders, self.catalogue.places.home)
        self.blank.update(content)

    @on(Queue.Highlighted)
    def _show_detail(self, event: Queue.Highlighted) -> None:
        self.detail.row = event.row

    # -- what the keys do ----------------------------------------------------------

    def _applies(self) -> dict[str, bool]:
        """Which of the keys that do not always apply do so now."""
        rows, view = bool(self.arrangement.rows), self.view
        return {
            "demo": self._scanned and not rows and not self.arrangement.beyond,
            "problems": self._problems > 0,
            "undo": self.marks.undoable > 0,
            "missing": self.arrangement.missing > 0 or view.missing,
            "clear": bool(view.filter) or self.is_filtering,
            "all_time": view.since is not None,
            "toggle_all": rows and not view.flat,
            "review": rows,
            "filter": rows or bool(view.filter),
            "flatten": rows,
            "sort": rows,
            "reverse": rows,
            "search": rows,
        }

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        typing = self.is_filtering and self.filter_input.has_focus
        if typing and action not in {"clear", "move"}:
            return False
        return self._applies().get(action, True)

    @property
    def is_filtering(self) -> bool:
        """Whether the filter's line is open."""
        return self.is_mounted and bool(self.filter_bar.display)

    @on(Queue.Opened)
    def _open(self, event: Queue.Opened) -> None:
        row = event.row
        if isinstance(row, Missing):
            text = printable(missing_sentence(row))
            self.notify(text, title="Nothing to open", markup=False)
        elif isinstance(row, Artifact):
            self.open_artifact(row.id)

    def open_artifact(self, artifact_id: str) -> None:
        """Open an artifact; when it is left, the cursor stands where it went."""
        from spillview.tui.artifact import ArtifactScreen

        shown = [r for r in self.queue.rows if isinstance(r, Artifact)]
        places = {artifact.id: index for index, artifact in enumerate(shown)}
        if artifact_id not in places:
            shown = [a for s in self.material.sessions for a in s.artifacts]
            places = {artifact.id: index for index, artifact in enumerate(shown)}
        if artifact_id in places:
            self.queue.aim(("artifact", artifact_id))
            screen = ArtifactScreen(self.catalogue, shown, places[artifact_id])
            self.app.push_screen(screen, self._come_back)

    def _come_back(self, result: object) -> None:
        self.marks.reload()
        last = result.id if isinstance(result, Artifact) else result
        aim = ("artifact", last) if isinstance(last, str) else None
        sessions = self.marks.apply_all(self.material.sessions)
        self.material = replace(self.material, sessions=tuple(sessions))
        self.rearrange(aim if aim is None or self.queue.has(aim) else None)

    def action_review(self) -> None:
        """Mark the row reviewed, a session with all it shows, and go on."""
        row = self.queue.row
        if row is None or isinstance(row, Missing):
            self.queue.action_move(1)
            return
        artifacts = row.artifacts if isinstance(row, Session) else (row,)
        marked = self.marks.mark(artifacts, self.catalogue.now())
        if isinstance(row, Session):
            words = f"{plural(marked, 'artifact')} marked reviewed; u takes it back."
            self.notify(words, markup=False)
            self._marked()
            self.queue.action_session(1)
        else:
            self._marked()
            self.queue.action_move(1)

    def _marked(self) -> None:
        sessions = self.marks.apply_all(self.material.sessions)
        self.material = replace(self.material, sessions=tuple(sessions))
        self._remember_review()
        self.queue.touched = True
        self.rearrange()

    def _remember_review(self) -> None:
        """The night is over once everything that it showed is reviewed."""
        view = self.view
        if view.since is None or view.opened is None:
            return
        window = replace(view, all_time=False)
        shown = (a for s in self.material.sessions for a in s.artifacts)
        left = any(a.reviewed is None and in_window(a, window) for a in shown)
        self.catalogue.set_last_review(view.since if left else view.opened)

    def action_undo(self) -> None:
        """Take the last mark back and go to it."""
        ids = self.marks.undo()
        if ids:
            self._marked()
            self.queue.aim(("artifact", ids[0]))

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
        """Show or hide the calls whose full result is not on disk."""
        self.rearrange(missing=not self.view.missing)

    def action_filter(self) -> None:
        """Open the filter's line."""
        self.filter_bar.display = True
        self.filter_input.focus()
        self._show_totals()

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
        elif self.arrangement.rows:
            self.filter_bar.display = False
            self.queue.touched = True
            self.queue.focus()
            self._show_totals()

    def action_move(self, rows: int) -> None:
        """Move the queue's cursor while the filter is being typed."""
        self.queue.action_move(rows)

    def action_clear(self) -> None:
        """Close the filter's line and show every row again."""
        self.filter_bar.display = False
        self.queue.touched = True
        self.filter_input.value = ""
        self.rearrange(filter="")
        self.queue.focus()

    def action_search(self) -> None:
        """Search inside every artifact shown."""
        from spillview.tui.search import SearchScreen

        self.app.push_screen(SearchScreen(self.catalogue, self.arrangement.artifacts))

    def action_reload(self) -> None:
        """Look again now."""
        self.top.looking = True
        self.gather_all()

    def action_problems(self) -> None:
        """List what could not be read."""
        from spillview.tui.problems import ProblemsScreen

        self.app.push_screen(ProblemsScreen(self.catalogue.problems))

    def go_to(self, key: Key) -> None:
        """Put the cursor on a row, whatever hides it now."""
        if not self.queue.aim(key):
            self.filter_input.value = ""
            self.rearrange(key, filter="", flat=False, all_time=True)

    def commands(self) -> Iterator[SystemCommand]:
        """Palette entries for what the keys do and applies now."""
        for _, binding, enabled, tooltip in self.active_bindings.values():
            known = binding.action in {"leave", "app.toggle_help"}
            if enabled and binding in self.BINDINGS and not known:
                run = partial(self.run_action, binding.action)
                yield SystemCommand(binding.description, tooltip, run)

    def action_demo(self) -> None:
        """Make a demo night and browse it; leaving it comes back here."""
        from spillview.tui.demo_night import make_demo

        self.app.push_screen(HomeScreen(make_demo(self.catalogue.now()), Query()))

    def action_leave(self) -> None:
        """Go back to the screen below, or end."""
        if len(self.app.screen_stack) > 2:
            self.app.pop_screen()
        else:
            self.app.exit()
