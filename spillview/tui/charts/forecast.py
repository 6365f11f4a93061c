"""Which commands are about to cross their boundary, and what results cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, ClassVar, Literal

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker, get_current_worker

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.listing import Listing
from spillview.forecast.board import Board, board
from spillview.forecast.cost import Costs, rank
from spillview.forecast.crossing import Forecast
from spillview.forecast.kept import Outcome
from spillview.forecast.rows import cost_row, row
from spillview.model import Artifact
from spillview.text import path_text, printable
from spillview.tui import stylesheet
from spillview.tui.charts.chart_screen import ChartScreen
from spillview.tui.charts.forecast_bar import (
    SHOWN,
    ForecastBar,
    Titles,
    board_ends,
    cost_ends,
)
from spillview.tui.charts.forecast_rows import CostRow, Facts, ForecastRow
from spillview.tui.charts.keys import FORECAST_BINDINGS, FORECAST_HELP
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.live_keys import key_of
from spillview.tui.pacing import Pacing
from spillview.tui.queue.bars import plural
from spillview.tui.row_list import RowList
from spillview.tui.runs import Runs

Kind = Literal["board", "costs"]
"""The commands, or the results."""

READING = "reading the transcripts …"

NONE = """\
Nothing to forecast yet.

A command needs five runs in two days or more, in transcripts or through
`spillview wrap`. {all} lists the commands that have fewer.
"""


class ForecastScreen(Pacing, Failing):
    """Commands, those that cross next first; or results, those that cost most."""

    CSS_PATH = stylesheet("forecast.tcss")
    BINDING_GROUP_TITLE = "Forecast"
    HELP = FORECAST_HELP
    AUTO_FOCUS = "#forecast"
    BINDINGS: ClassVar[list[BindingType]] = FORECAST_BINDINGS

    bar = getters.query_one("#forecast-bar", ForecastBar)
    heads = getters.query_one("#forecast-titles", Titles)
    listing = getters.query_one("#forecast", RowList)
    blank = getters.query_one("#no-forecast", Static)
    detail = getters.query_one("#forecast-detail", Facts)

    @dataclass
    class Made(Message):
        """The forecasts are there, or the costs."""

        made: Board | Costs

    def __init__(
        self, catalogue: Catalogue, artifacts: Sequence[Artifact], query: Query
    ) -> None:
        super().__init__()
        self.catalogue, self.artifacts, self.scope = catalogue, artifacts, query
        self.board: Board | None = None
        self.costs: Costs | None = None
        self.by_cost = False
        self.everything = False
        self._busy: Kind | None = None
        """What is being made."""
        self._pace = READING
        """How far it is, in words."""
        self._read = (0, 0)
        """How many sessions' results are read, of how many."""
        self._partial: dict[Kind, str] = {}
        """What was stopped, and of how much there is."""
        self._failed: set[Kind] = set()
        """Work that failed, which is not begun again."""

    def compose(self) -> ComposeResult:
        """Sums, titles, rows, facts of one of them, footer."""
        yield ForecastBar()
        yield Titles()
        yield RowList(id="forecast")
        none = NONE.format(all=key_of(self, "forecast.all"))
        yield Static(none, id="no-forecast", markup=False)
        yield Facts(id="forecast-detail")
        yield Footer()

    def on_mount(self) -> None:
        """Begin at once."""
        self.blank.display = False
        self.bar.show([("forecast", "brand")], READING)
        self._begin()

    def _begin(self) -> None:
        """Do what is missing, one after the other: what is shown now comes first."""
        if self._busy is not None:
            return
        kinds: tuple[Kind, ...] = ("costs", "board") if self.by_cost else ("board",)
        for kind in kinds:
            if getattr(self, kind) is None and kind not in self._failed:
                self._busy = kind
                self._make(kind, self.begin_work())
                return

    def say_pace(self, words: str) -> None:
        """At the right end of the bar."""
        self._pace = words
        self._say()

    def _paced(self, work: Event) -> Callable[[int, int], None]:
        """Tells how many sessions' results are read, and keeps that."""
        told = self.paced("results read of sessions", work)

        def tell(done: int, total: int) -> None:
            self._read = (done, total)
            told(done, total)

        return tell

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="forecast",
        description="Read what every command put out",
    )
    def _make(self, kind: Kind, work: Event) -> None:
        worker = get_current_worker()
        make = board if kind == "board" else rank
        made = make(
            self.catalogue,
            self.artifacts,
            self.scope,
            progress=self._paced(work),
            cancelled=lambda: worker.is_cancelled or work.is_set(),
        )
        if not worker.is_cancelled:
            self.post_message(self.Made(made))

    @on(Made)
    def _take(self, message: Made) -> None:
        made = message.made
        if isinstance(made, Board):
            self.board = made
            for problem in made.problems[:3]:
                words = f"{path_text(problem.path)}: {problem.sentence}"
                self.notify(printable(words), severity="warning", markup=False)
        else:
            self.costs = made
        anew = self._busy == self._kind
        self._done()
        self._begin()
        self._show(anew=anew)

    def _done(self) -> None:
        """Note of how much it is, where it was stopped."""
        kind, self._busy = self._busy, None
        if kind is not None and self._stopping is not None and self._stopping.is_set():
            done, total = self._read
            words = f"{done:,} of {total:,} sessions" if total else "nothing was read"
            self._partial[kind] = f"partial: {words}"
        self.end_work()
        self._pace = READING

    # -- what is shown -------------------------------------------------------------

    @property
    def _kind(self) -> Kind:
        """What is shown."""
        return "costs" if self.by_cost else "board"

    @property
    def forecasts(self) -> list[Forecast]:
        """Those that are shown."""
        found = self.board.forecasts if self.board is not None else []
        if self.everything:
            return found
        return [each for each in found if each.state != "unknown" or each.close]

    def _show(self, *, anew: bool) -> None:
        rows: list[ForecastRow] | list[CostRow]
        if self.by_cost:
            costs = self.costs.rows if self.costs is not None else []
            rows = [CostRow(cost, n) for n, cost in enumerate(costs[:SHOWN])]
        else:
            rows = [ForecastRow(found) for found in self.forecasts]
        self.heads.show(self.by_cost)
        ready = (self.costs if self.by_cost else self.board) is not None
        self.listing.display = bool(rows) or not ready
        self.heads.display = self.detail.display = self.listing.display
        self.blank.display = not self.listing.display
        if not rows:
            self.detail.clear()
        self.listing.show(rows, anew=anew)
        self._say()
        self.refresh_bindings()

    def _say(self) -> None:
        left: Runs = [("costs" if self.by_cost else "forecast", "brand"), ("  ", "")]
        right: tuple[str, ...]
        if self.by_cost and self.costs is not None:
            told, right = cost_ends(self.costs)
        elif not self.by_cost and self.board is not None:
            told, right = board_ends(self.board, len(self.forecasts))
        else:
            failed = self._kind in self._failed
            told = []
            right = ("it could not be made", "failed") if failed else (self._pace, "…")
        partial = self._partial.get(self._kind)
        self.bar.show(
            left + told, *(right if partial is None else (partial, "partial"))
        )

    @on(RowList.Highlighted)
    def _highlight(self) -> None:
        self.refresh_bindings()
        chosen = self.listing.row
        if isinstance(chosen, ForecastRow):
            found = chosen.found
            self.detail.show_forecast(found, self._outcome(found))
        elif isinstance(chosen, CostRow):
            carried = self.costs.carried if self.costs is not None else 0
            self.detail.show_cost(chosen.cost, carried)
        else:
            self.detail.clear()

    def _outcome(self, found: Forecast) -> Outcome | None:
        outcomes = self.board.outcomes if self.board is not None else {}
        return outcomes.get(found.group.key)

    # -- keys ----------------------------------------------------------------------

    @on(RowList.Opened)
    def action_open(self) -> None:
        """The chart of a command, or the artifact of a result."""
        chosen = self.listing.row
        if isinstance(chosen, ForecastRow):
            found = chosen.found
            self.app.push_screen(ChartScreen(found, self._outcome(found)))
        elif isinstance(chosen, CostRow):
            self._open_artifact(chosen.cost.artifact)

    def _open_artifact(self, artifact_id: str | None) -> None:
        from spillview.tui.artifact.artifact import ArtifactScreen

        shown = self._artifact(artifact_id) if artifact_id is not None else None
        if shown is None:
            words = "It went in whole, or its artifact is gone: the transcript has it."
            self.notify(words, title="Nothing to open", markup=False)
            return
        self.app.push_screen(ArtifactScreen(self.catalogue, [shown], 0))

    def _artifact(self, ident: str) -> Artifact | None:
        """The artifact of that id; of a listing no other is made."""
        if isinstance(self.artifacts, Listing):
            index = self.artifacts.index_of(ident)
            return None if index is None else self.artifacts[index]
        return next((a for a in self.artifacts if a.id == ident), None)

    def action_costs(self) -> None:
        """Results by what they cost, or commands again."""
        self.by_cost = not self.by_cost
        self._begin()
        self._show(anew=True)

    def action_all(self) -> None:
        """Commands with too few runs, too, or only the others."""
        self.everything = not self.everything
        self._show(anew=False)

    def action_copy(self) -> None:
        """Copy the rows."""
        import orjson

        rows: list[dict[str, object]]
        if self.by_cost:
            rows = [cost_row(cost) for cost in self.costs.rows] if self.costs else []
        else:
            rows = [row(found, self._outcome(found)) for found in self.forecasts]
        lines = [orjson.dumps(each).decode() for each in rows]
        self.app.copy_to_clipboard("\n".join(lines) + "\n")
        words = f"{plural(len(lines), 'row')} copied as JSON Lines"
        self.notify(words, markup=False)

    def action_leave(self) -> None:
        """Stop what is at work, and keep what there is by then; else back."""
        if not self.stop_work():
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if action == "open":
            row = self.listing.row if self.is_mounted else None
            whole = isinstance(row, CostRow) and row.cost.artifact is None
            return row is not None and not whole
        if action == "all":
            return not self.by_cost
        return True

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so, and be ready for what comes next."""
        super().failed(worker, reason)
        if self._busy is not None:
            self._failed.add(self._busy)
        self._busy = None
        self.end_work()
        self._begin()
        self._say()
