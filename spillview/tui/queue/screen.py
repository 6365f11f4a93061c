"""What the home screen shows: the catalogue's facts, arranged on its widgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import getters, on, work
from textual.app import ComposeResult
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from spillview.catalogue.first_look import Unlisted
from spillview.catalogue.gists import GROWING, Gists
from spillview.catalogue.query import Query
from spillview.model import Missing, Session
from spillview.text import printable
from spillview.tui import empty
from spillview.tui.breakpoints import take_shape
from spillview.tui.footer import Footer
from spillview.tui.labels import Labels
from spillview.tui.live import LiveScreen
from spillview.tui.live_keys import key_of
from spillview.tui.messages import (
    Arranged,
    Counted,
    Gathered,
    GatheringFailed,
    Ordered,
    Paced,
    RowsMade,
    Scanned,
)
from spillview.tui.queue.arrangement import (
    Arrangement,
    Key,
    Material,
    View,
    arrange,
    in_window,
    row_key,
    window_words,
)
from spillview.tui.queue.bars import Counting, TopBar, TotalsBar
from spillview.tui.queue.detail import Detail
from spillview.tui.queue.filter_bar import FilterBar
from spillview.tui.queue.members import Members
from spillview.tui.queue.queue import Queue
from spillview.tui.queue.sessions import Figures
from spillview.tui.review.marks import Marks
from spillview.tui.review.note import Notes
from spillview.tui.titles import Titles

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

FEW = 3000
"""Up to so many artifacts are arranged at once, more of them in a worker."""

FRAME_SECONDS = 0.1
"""New rows are drawn by then; what is next in Textual's queues may come before."""

AGE_SECONDS = 20.0
"""Ages are drawn anew this often."""


class QueueScreen(LiveScreen):
    """Shows what the catalogue gathers; `HomeScreen` adds what the keys do."""

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
        opening = self.opening
        self.last_review = opening.last_review
        # A path or a home that was named is shown whole at first.
        named = bool(query.paths) or catalogue.places.confined
        self.view = View(since=opening.since, opened=opening.opened, all_time=named)
        self.material = Material.of((), ())
        self.arrangement = arrange(self.material, self.view, Labels())
        self.marks = Marks(catalogue)
        self.notes = Notes(catalogue, self.first.notes if self.first else None)
        self.last_batch: str | None = None
        """The clean-up that was done since the last mark, for `u`."""
        self.failure: str | None = None
        self.scanned = False
        self.problem_count = 0
        self._labels = Labels()
        self._generation = 0
        self._aim: Key | None = None
        self._aim_missing = False
        """Whether the cursor goes to the first call without a file."""
        self._applied: tuple[str, tuple[bool, ...]] = ("", ())

    def compose(self) -> ComposeResult:
        """Top line, column titles, queue, totals, detail strip, footer."""
        take_shape(self)
        queue = Queue(clock=self.catalogue.now)
        yield TopBar()
        yield Titles(queue)
        yield queue
        yield Static(id="empty", markup=False)
        yield TotalsBar()
        yield FilterBar()
        yield Detail(clock=self.catalogue.now, note_of=self.notes.of)
        yield Footer()

    def on_mount(self) -> None:
        """Show the shell at once and start looking."""
        self.blank.display = False
        self.filter_bar.display = False
        # Textual would hide it after the first frame, and paint that once more.
        self.query("ToastRack").set(display=False)
        self.top.show(self.window, Figures())
        if self.view.filter:
            # Open, so that nobody thinks that artifacts are missing.
            self.filter_bar.display = True
            self.filter_input.value = self.view.filter
        self.queue.focus()
        if self.first is not None:
            self._take_scan(Scanned(self.first.sessions, self.first.rest))
        self.watch_stores()
        self.set_interval(AGE_SECONDS, self.queue.tick)

    @property
    def window(self) -> str:
        """The window in words."""
        view = self.view
        if self.scope.since is not None:
            view = replace(view, since=self.scope.since)
        return window_words(view, self.last_review, self.catalogue.now())

    def near(self, gists: Gists) -> Callable[[int], bool]:
        """What the window shows is completed first."""
        return in_window(self.view, gists)

    # -- what the workers found out ------------------------------------------------

    def growing(self) -> Members:
        """The artifacts of live sessions that are known to grow."""
        live = (session for session in self.material.sessions if session.live)
        gists = self.material.ledger.gists
        return Members(
            self.material.ledger,
            (p for s in live for p in s.artifacts.order if gists.bits[p] & GROWING),
        )

    @on(Paced)
    def _take_pace(self, message: Paced) -> None:
        known = self.queue.growth
        self.queue.growth = self.detail.growth = message.growth
        if known or message.growth:
            self.queue.tick()
            self.detail.remake()
        if self.top.short != message.short:
            self.top.short = message.short
            self.top.remake()

    @on(Scanned)
    def _take_scan(self, message: Scanned) -> None:
        self.scanned = True
        self.failure = None
        self.top.looking = False
        self.queue.settled = False
        self._take(message.sessions, self.material.missing, message.rest)

    @on(Counted)
    def _take_counts(self, message: Counted) -> None:
        self.queue.update_rows(message.ids)
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
        if message.problems > self.problem_count:
            noun = "place" if message.problems == 1 else "places"
            words = f"{message.problems:,} {noun} could not be read. ! lists them."
            self.notify(words, severity="warning", markup=False)
        self.problem_count = message.problems
        self.totals.problems = message.problems + message.broken
        self.top.counting = None
        self.queue.settled = True
        self.queue.tick()
        self.top.remake()
        self.totals.remake()
        self.offer_keys()

    @on(GatheringFailed)
    def _take_failure(self, message: GatheringFailed) -> None:
        self.scanned = True
        self.failure = message.sentence
        self.top.counting, self.top.looking = None, False
        if self.arrangement.rows:
            self.notify(printable(message.sentence), severity="error", markup=False)
        self.rearrange()

    def _take(
        self,
        sessions: Sequence[Session],
        missing: tuple[Missing, ...],
        rest: Unlisted | None = None,
    ) -> None:
        material = Material.of(sessions, missing, rest)
        changed = self.marks.apply_to(material.ledger)
        first_look = self.material.rest is not None  # which knew less of each
        if material.ledger is not self.material.ledger and not first_look:
            before = self.material.ledger.shelf
            material.ledger.shelf.before, before.before = before, None
        self.material = material.reordered(changed) if changed else material
        self.rearrange()

    @on(Queue.Wanted)
    def _make_rows(self, message: Queue.Wanted) -> None:
        self._make(message.artifacts)

    @work(
        thread=True,
        exit_on_error=False,
        group="rows",
        description="Make the rows that are shown",
    )
    def _make(self, members: Members) -> None:
        members.table.shelf.add(members)
        self.post_message(RowsMade(members))

    @on(RowsMade)
    def _show_made(self, message: RowsMade) -> None:
        self.queue.show_made(message.artifacts)

    # -- arranging ---------------------------------------------------------------

    def rearrange(self, aim: Key | None = None, **changes: object) -> None:
        """Show the queue anew, after `changes` to the view; `aim` moves the cursor."""
        self.view = replace(self.view, **changes)  # type: ignore[arg-type] # by name
        self._aim = aim or self._aim
        self._generation += 1
        if sum(len(s.artifacts) for s in self.material.sessions) <= FEW:
            self._show(arrange(self.material, self.view, self._labels))
        else:
            self._arrange(self.material, self.view, self._generation)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="arrange",
        description="Filter and order the queue",
    )
    def _arrange(self, material: Material, view: View, generation: int) -> None:
        worker = get_current_worker()
        arrangement = arrange(material, view, self._labels, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.post_message(Arranged(arrangement, generation))

    @on(Arranged)
    def _take_arrangement(self, message: Arranged) -> None:
        if message.generation == self._generation:
            self._show(message.arrangement)

    def _show(self, arrangement: Arrangement) -> None:
        self.arrangement = arrangement
        aim, self._aim = self._aim, None
        if self._aim_missing:
            lost = (r for r in arrangement.rows.others() if isinstance(r, Missing))
            aim = next(map(row_key, lost), aim)
            self._aim_missing = False
        view = self.view
        self.queue.set_rows(
            arrangement.rows,
            flat=view.flat,
            collapsed=view.collapsed,
            titles=self.material.titles,
            aim=aim,
            best_first=bool(view.filter.strip()),
        )
        if not self.list_shown.is_set():
            self.set_timer(FRAME_SECONDS, self.stand)
        self.titles.show(view.sort, view.reverse)
        shown = arrangement.missing if view.missing and view.only is None else 0
        figures, away = arrangement.figures, arrangement.put_away
        self.top.show(self.window, figures, shown, away, arrangement.listed)
        self.show_totals()
        self._show_empty()
        self.offer_keys()

    def offer_keys(self) -> None:
        """Tell the footer when other keys apply."""
        applies = (self.queue.entering, tuple(self.applies().values()))
        if applies != self._applied:
            self._applied = applies
            self.refresh_bindings()

    @on(Queue.Selected)
    def show_totals(self) -> None:
        """Count what is shown, or what is selected of it."""
        chosen = {int(ident, 16) for ident in self.queue.selected}
        selected: Members | None = None
        if chosen:
            idents = self.material.ledger.gists.idents
            shown = self.arrangement.artifacts
            selected = shown.where(lambda place: idents[place] in chosen)
        view = replace(self.view, filter="") if self.is_filtering else self.view
        self.totals.show(self.arrangement, selected, view)

    def _show_empty(self) -> None:
        known = self.scanned and self.arrangement.listed is None
        nothing = not self.arrangement.rows and known
        self.blank.display = nothing
        self.queue.display = self.titles.display = not nothing
        self.detail.display = not nothing
        if not nothing:
            if self.focused is None:
                self.queue.focus()
            return
        keys, catalogue = partial(key_of, self), self.catalogue
        shown = (self.view, self.arrangement, self.window, self.failure)
        self.blank.update(empty.words(keys, catalogue, self.scope, *shown))

    @on(Queue.Highlighted)
    def _show_detail(self, event: Queue.Highlighted) -> None:
        self.detail.row = event.row
        self.offer_keys()

    def applies(self) -> dict[str, bool]:
        """Which of the actions that do not always apply do so now."""
        rows, view = bool(self.arrangement.rows), self.view
        undoable = self.marks.undoable > 0 or self.last_batch is not None
        shown = self.arrangement
        nothing = not (rows or shown.listed or shown.beyond or shown.missing)
        return {
            "demo": self.scanned and nothing,
            "undo": undoable,
            "no_undo": not undoable,
            "clear": self.is_narrowed or self.is_filtering,
            "leave": not self.is_narrowed and not self.is_above,
            "back": not self.is_narrowed and self.is_above,
            "statistics": not nothing,
            "all_time": view.since is not None and not nothing,
            "toggle_all": rows and not view.flat,
            "review": rows,
            "note": rows,
            "report": not nothing,
            "filter": rows or bool(view.filter),
            "flatten": rows,
            "sort": rows,
            "reverse": rows,
            "search": rows,
            "cleanup": not nothing,
        }

    def lists_all(self) -> bool:
        """Whether every artifact is listed; tells where that is still to come."""
        if self.material.rest is None:
            return True
        self.notify(
            "Not every artifact is listed yet. Try again in a moment.",
            severity="warning",
            markup=False,
        )
        return False

    @property
    def is_narrowed(self) -> bool:
        """Whether the queue shows other rows than at first, which `q` takes back."""
        view = self.view
        return bool(view.filter or view.only or view.missing)

    @property
    def is_above(self) -> bool:
        """Whether another screen lies below, to go back to."""
        return self.is_attached and self.app.screen_stack[0] is not self

    @property
    def is_filtering(self) -> bool:
        """Whether the filter's line is open."""
        return self.is_mounted and bool(self.filter_bar.display)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        typing = self.is_filtering and self.filter_input.has_focus
        if typing and action not in {"clear", "move"}:
            return False
        return self.applies().get(action, True)
