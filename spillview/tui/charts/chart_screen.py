"""One command's runs as a chart, with what is known of it below."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from spillview.forecast.crossing import Forecast
from spillview.forecast.kept import Outcome
from spillview.forecast.rows import row
from spillview.tui import stylesheet
from spillview.tui.charts.chart import chart
from spillview.tui.charts.forecast_rows import Facts
from spillview.tui.footer import Footer
from spillview.tui.queue.bars import two_ends
from spillview.tui.runs import Lines, Runs, clean


class ChartBar(Lines):
    """Which command it is."""

    def __init__(self, found: Forecast) -> None:
        super().__init__(id="chart-bar")
        self.found = found

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        key = self.found.group.key
        left: Runs = [(" ", ""), ("forecast", "brand"), ("  ", "")]
        left.append((clean(key.command, width), "title"))
        unit = self.found.boundary.unit if self.found.boundary is not None else "chars"
        return [two_ends(left, [(f"{unit} by day", "dim")], width)]


class Chart(Lines):
    """Sizes over time, the boundary, and what is to come."""

    def __init__(self, found: Forecast) -> None:
        super().__init__(id="chart")
        self.found = found

    def make(self, width: int, height: int) -> list[Runs]:
        """As large as there is room."""
        return chart(self.found, width, height)


class ChartScreen(Screen[None]):
    """One command's sizes over time, with its boundary."""

    CSS_PATH = stylesheet("forecast.tcss")
    BINDING_GROUP_TITLE = "Chart"
    HELP = """
## Chart

Each dot is a run of the command. The line is the boundary; dots above it are in its
colour. The dotted line goes on at the more careful rate up to the day of crossing.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "q,escape,enter",
            "dismiss",
            "Back",
            id="chart.back",
            tooltip="Go back to the forecast",
        ),
        Binding(
            "c",
            "copy",
            "Copy as JSON",
            id="chart.copy",
            tooltip="The command's row of `spillview forecast --json`",
        ),
    ]

    def __init__(self, found: Forecast, outcome: Outcome | None) -> None:
        super().__init__()
        self.found, self.outcome = found, outcome

    def compose(self) -> ComposeResult:
        """Name, chart, facts, footer."""
        yield ChartBar(self.found)
        yield Chart(self.found)
        yield Facts(id="chart-facts")
        yield Footer()

    def on_mount(self) -> None:
        """Fill in the facts."""
        for lines in self.query(Lines):
            lines.remake()
        facts = self.query_one("#chart-facts", Facts)
        facts.show_forecast(self.found, self.outcome)

    def action_copy(self) -> None:
        """Copy the row."""
        import orjson

        text = orjson.dumps(row(self.found, self.outcome)).decode()
        self.app.copy_to_clipboard(text + "\n")
        self.notify("The row is copied as JSON.", markup=False)
