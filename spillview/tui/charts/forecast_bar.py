"""The lines above the forecast: what it comes to, and the names of the columns."""

from __future__ import annotations

from rich.cells import cell_len

from spillview.forecast.board import Board
from spillview.forecast.cost import Costs
from spillview.tui.charts.forecast_rows import titles
from spillview.tui.queue.bars import plural, two_ends
from spillview.tui.runs import Lines, Runs

SHOWN = 2_000
"""So many results are listed at most; `forecast --cost` prints all."""

Ends = tuple[Runs, tuple[str, ...]]
"""What stands at the left, and at the right the first for which there is room."""


def board_ends(board: Board, listed: int) -> Ends:
    """What the commands come to, of which so many are listed."""
    found = board.forecasts
    left: Runs = [(plural(len(found), "command"), "head")]
    for number, words, tone in (
        (sum(each.crosses_on is not None for each in found), "to cross", "close"),
        (
            sum(each.close and each.state != "over" for each in found),
            "at 0.9 and more",
            "close",
        ),
        (sum(each.state == "over" for each in found), "over", "over"),
    ):
        if number:
            left.append((f"  {number:,} {words}", tone))
    hidden = len(found) - listed
    if (off := board.size_error) is not None:
        return left, (f"earlier ones {off[0]:.1%} off", f"earlier {off[0]:.1%} off")
    if hidden:
        return left, (f"{hidden:,} with too few runs", f"{hidden:,} hidden")
    return left, ()


def cost_ends(costs: Costs) -> Ends:
    """What the results come to."""
    count = len(costs.rows)
    left: Runs = [
        (plural(count, "result"), "head"),
        (f"  ~{costs.carried:,} tokens carried", ""),
    ]
    if costs.unknown:
        unknown = f"{costs.unknown:,}"
        return left, (f"of {unknown} more it is not known", f"{unknown} unknown")
    if count > SHOWN:
        return left, (f"{SHOWN:,} of {count:,} listed",)
    return left, ()


class ForecastBar(Lines):
    """How many commands there are, and how near they are."""

    def __init__(self) -> None:
        super().__init__(id="forecast-bar")
        self.left: Runs = []
        self.right: tuple[str, ...] = ()

    def show(self, left: Runs, *right: str) -> None:
        """What to say at either end; of `right` the first for which there is room."""
        self.left, self.right = left, right
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line; where it is too narrow, the last parts are left out whole."""
        left: Runs = [(" ", ""), *self.left]
        while len(left) > 2 and _cells(left) >= width:
            left.pop()
        room = width - _cells(left) - 3
        right = next((text for text in self.right if cell_len(text) <= room), "")
        return [two_ends(left, [(right, "dim")] if right else [], width)]


def _cells(runs: Runs) -> int:
    return sum(cell_len(text) for text, _ in runs)


class Titles(Lines):
    """The names of the columns."""

    def __init__(self) -> None:
        super().__init__(id="forecast-titles")
        self.costs = False

    def show(self, costs: bool) -> None:
        """Those of commands, or of results."""
        self.costs = costs
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line."""
        return [titles(width - 1, costs=self.costs)]  # the list has a scrollbar
