"""How far off forecasts are, over made series whose day of crossing is known.

Run by hand: `python -m tests.bench.bench_forecast [SERIES OF EACH]`. Days are those
from the forecast to the true crossing; late is positive. The share is of the days that
were to go.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from datetime import date
from statistics import median

from spillview.forecast.crossing import Forecast, day_of, forecast
from spillview.forecast.runs import Group, Key, Run
from spillview.model import Boundary
from tests.made_series import DAY, KINDS, Made


def forecast_of(series: Made) -> Forecast:
    """The forecast on the day after the last run."""
    group = Group(Key("/srv/app", series.kind))
    gate = (Boundary(series.boundary, "chars"),)
    for day, size in series.runs:
        whole = int(size)
        run = Run(day * DAY, whole, whole, whole, whole // 40, gate, "claude-code")
        group.add(run, series.kind, "Bash")
    return forecast(group, series.today * DAY)


@dataclass(frozen=True)
class Errors:
    """What became of the forecasts for one kind of series."""

    kind: str
    days: list[float]
    shares: list[float]
    held: int
    """So many true days lay between the two that were told."""
    dated: int
    states: Counter[str]
    count: int

    @property
    def far(self) -> float:
        """The error that nine of ten are within, days."""
        ordered = sorted(map(abs, self.days))
        return ordered[int(0.9 * (len(ordered) - 1))] if ordered else 0.0


def measured(kind: str, count: int) -> Errors:
    """Forecast `count` series of a kind."""
    days, shares, held, states = [], [], 0, Counter[str]()
    dated = 0
    for seed in range(count):
        series = KINDS[kind](seed)
        found = forecast_of(series)
        states[found.state] += 1
        if found.crosses_on is None:
            continue
        dated += 1
        if series.crosses is None or found.crosses_between is None:
            continue
        true = day_of(series.crosses)
        error = (found.crosses_on - true).days
        days.append(float(error))
        shares.append(error / max(1.0, series.crosses - series.today))
        held += between(found.crosses_between, true)
    return Errors(kind, days, shares, held, dated, states, count)


def between(ends: tuple[date, date], day: date) -> bool:
    """Whether a day lies in a range, or one day beside it."""
    return (ends[0] - day).days <= 1 and (day - ends[1]).days <= 1


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(
        f"{'':22}{'dated':>7}{'median':>9}{'|median|':>9}{'9 of 10':>9}{'share':>8}"
        f"{'in range':>10}  states"
    )
    for kind in KINDS:
        found = measured(kind, count)
        line = f"{kind:22}{found.dated / count:7.1%}"
        if found.days:
            line += f"{median(found.days):+7.1f} d{median(map(abs, found.days)):7.1f} d"
            line += f"{found.far:7.1f} d{median(map(abs, found.shares)):8.1%}"
            line += f"{found.held / len(found.days):10.1%}"
        else:
            line += " " * 43
        print(
            line + "  " + ", ".join(f"{n} {s}" for s, n in found.states.most_common())
        )


if __name__ == "__main__":
    main()
