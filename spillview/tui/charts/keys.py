"""The keys of the forecast, and its help."""

from __future__ import annotations

from textual.binding import Binding, BindingType

FORECAST_HELP = """
## Forecast

How the output of every command grows, spilled or not, and the day on which it crosses
its boundary. `▲` over it, `△` at 0.9 of it and up. *Per day* is the faster of the
average and the recent rate, as far as it is more than noise. Commands with too few runs
are hidden; `{forecast.all}` shows them. `{forecast.open}` draws the chart.

`{forecast.costs}` shows what the context paid for: each result, spilled or not, by its
tokens times the model's later turns, up to a compaction. Tokens are estimated, one for
four bytes.
"""

FORECAST_BINDINGS: list[BindingType] = [
    Binding(
        "enter",
        "open",
        "Open",
        id="forecast.open",
        tooltip="Draw the chart of the command; open the result's artifact",
    ),
    Binding(
        "tab",
        "costs",
        "Costs",
        id="forecast.costs",
        tooltip="Commands by when they cross, or results by what they cost",
    ),
    Binding(
        "a",
        "all",
        "All",
        id="forecast.all",
        tooltip="Commands with too few runs, too",
    ),
    Binding(
        "c",
        "copy",
        "Copy as JSON Lines",
        show=False,
        id="forecast.copy",
        tooltip="The rows of `spillview forecast --json`",
    ),
    Binding(
        "q,escape,F",
        "leave",
        "Back",
        id="forecast.back",
        tooltip="Go back to the queue",
    ),
]
