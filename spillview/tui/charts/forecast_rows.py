"""Rows of the forecast: commands by when they cross, results by what they cost."""

from __future__ import annotations

import os
from dataclasses import dataclass

from spillview.forecast.cost_rows import Cost
from spillview.forecast.crossing import Forecast
from spillview.forecast.kept import Outcome
from spillview.forecast.rows import (
    crossing_text,
    outcome_text,
    range_text,
    rate_text,
    sparkline,
)
from spillview.text import human_ratio, iso, share_text
from spillview.tui.queue.bars import plural
from spillview.tui.runs import Lines, Runs, clean, fit, short_count, wrap

CROSSES, SPARK, RATIO, LATEST, RATE, RUNS, PROJECT = 18, 14, 8, 15, 12, 6, 14

TALLEST = 12
"""Lines of facts that are made at most."""


def _shown(width: int) -> tuple[bool, bool, bool]:
    """Whether there is room for the latest size and rate, the runs, the project."""
    return width >= 90, width >= 120, width >= 110


def titles(width: int, *, costs: bool) -> Runs:
    """The names of the columns."""
    if costs:
        names = [("carried", 14), ("tokens", 11), ("turns", 7)]
        text = "".join(fit(name, cells, right=True) for name, cells in names)
        return [(text + "  " + fit("", 9) + "tool      command", "dim")]
    latest, runs, project = _shown(width)
    text = " " + fit("crosses", CROSSES) + fit("sizes", SPARK + 1)
    text += fit("ratio", RATIO, right=True)
    if latest:
        text += fit("latest", LATEST, right=True) + fit("per day", RATE, right=True)
    if runs:
        text += fit("runs", RUNS, right=True)
    if project:
        text += "  " + fit("project", PROJECT)
    return [(text + "  command", "dim")]


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """One command."""

    found: Forecast

    @property
    def key(self) -> str:
        """What it is known by."""
        return "\0".join(self.found.group.key)

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    @property
    def tone(self) -> str:
        """Over its boundary, close to it or on its way, or neither."""
        if self.found.state == "over":
            return "over"
        dated = self.found.crosses_on is not None
        return "close" if dated or self.found.close else "dim"

    def runs(self, width: int) -> Runs:
        """When it crosses, how it grew, how near it is, and what it is."""
        found, key = self.found, self.found.group.key
        unit = found.boundary.unit if found.boundary is not None else "chars"
        sizes = [float(run.size_in(unit)) for run in found.sample]
        latest, many, project = _shown(width)
        mark = "▲" if found.state == "over" else "△" if found.close else " "
        ratio = human_ratio(found.ratio) if found.ratio is not None else "–"
        band = "over" if mark == "▲" else "close" if mark == "△" else "below"
        runs: Runs = [
            (mark, band),
            (fit(_crossing(found), CROSSES), self.tone),
            (fit(sparkline(sizes, SPARK), SPARK + 1), "head"),
            (fit(ratio, RATIO, right=True), band),
        ]
        if latest:
            size = f"{found.latest:,} {unit}" if found.latest is not None else "–"
            rate = found.trend.careful or found.trend.average
            runs.append((fit(size, LATEST, right=True), ""))
            runs.append((fit(rate_text(rate), RATE, right=True), ""))
        if many:
            runs.append((fit(f"{found.group.runs:,}", RUNS, right=True), "dim"))
        if project:
            name = clean(os.path.basename(key.project), PROJECT)
            runs += [("  ", ""), (fit(name, PROJECT), "project")]
        return [*runs, ("  ", ""), (clean(key.command, width), "")]


@dataclass(frozen=True, slots=True)
class CostRow:
    """One result and what the context paid for it."""

    cost: Cost
    number: int

    @property
    def key(self) -> str:
        """What it is known by."""
        return f"{self.cost.transcript}\0{self.cost.record}\0{self.number}"

    @property
    def heading(self) -> bool:
        """It is none."""
        return False

    def runs(self, width: int) -> Runs:
        """Tokens x turns, then both, and which result it was."""
        cost = self.cost
        command = " ".join((cost.command or "").split())
        return [
            (fit("~" + short_count(cost.carried, 12), 14, right=True), "head"),
            (fit(f"~{cost.tokens:,}", 11, right=True), ""),
            (fit(f"{cost.turns:,}", 7, right=True), ""),
            (fit("  spilled" if cost.spilled else "  whole", 11), "dim"),
            (fit(clean(cost.tool or "–", 9), 9) + " ", "project"),
            (clean(command, width), ""),
        ]


def facts(found: Forecast, outcome: Outcome | None, width: int) -> list[Runs]:
    """What there is to say of a command, the most telling first."""
    group, trend = found.group, found.trend
    boundary = found.boundary
    unit = boundary.unit if boundary is not None else "chars"
    head: Runs = [(" ", ""), (clean(group.example or group.key.command, width), "")]
    when: Runs = [(" ", ""), (f"crosses {crossing_text(found)}", _tone(found))]
    if found.state == "over":
        when = [(" ", ""), (crossing_text(found), "over")]
    elif found.crosses_on is None:
        when = [(" ", ""), (f"no day: {found.why or found.state}", "dim")]
    elif "…" in range_text(found):
        when.append((f"  between {range_text(found)}", "dim"))
    if boundary is not None:
        when.append((f"   {found.latest:,} of {boundary}", ""))
        if found.ratio is not None:
            near = "close" if found.close and found.ratio <= 1 else "below"
            tone = "over" if found.ratio > 1 else near
            when.append((f"  {human_ratio(found.ratio)}", tone))
    rates: Runs = [
        (f" {unit} a day: ", "label"),
        (rate_text(trend.average), ""),
        (" on average, ", "label"),
        (rate_text(trend.recent), ""),
        (" recently", "label"),
    ]
    if trend.steps and found.state != "step":
        rates.append((f"; {plural(len(trend.steps), 'step')} left out", "dim"))
    rest = plural(group.runs, "run")
    if len(found.sample) < group.runs:
        rest += f", the newest {len(found.sample):,} are used"
    if group.unsized:
        rest += f"; of {group.unsized:,} more the size is not known"
    if found.sample:
        rest += f"; {_day(found.sample[0].time)} to {_day(found.sample[-1].time)}"
    place = clean(group.key.project, width)
    told: Runs = [(f" {rest}, {', '.join(sorted(group.sources))}", "dim")]
    lines = [head, when, rates, told, [(" ", ""), (place, "project")]]
    if outcome is not None:
        text = outcome_text(outcome, outcome.kept.boundary.unit)
        wrapped = wrap(text, max(10, width - 2), 2)
        lines[3:3] = [[(" ", ""), (line, "notice")] for line in wrapped]
    return lines


def cost_facts(cost: Cost, total: int, width: int) -> list[Runs]:
    """What there is to say of a result."""
    share = cost.carried / total if total else 0.0
    sentence = (
        f" ~{cost.tokens:,} tokens x {plural(cost.turns, 'later turn')} ="
        f" ~{cost.carried:,}, {share_text(share)} of all"
    )
    where = f" {cost.harness}  {cost.session}  record {cost.record:,}"
    return [
        [(" ", ""), (clean(" ".join((cost.command or "–").split()), width), "")],
        [(sentence, "head")],
        [(clean(f"{where}  {iso(cost.time) or ''}", width), "dim")],
        [(" ", ""), (clean(cost.project or "", width), "project")],
    ]


class Facts(Lines):
    """What is known of the row under the cursor."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.forecast: tuple[Forecast, Outcome | None] | None = None
        self.cost: tuple[Cost, int] | None = None

    def show_forecast(self, found: Forecast, outcome: Outcome | None) -> None:
        """A command."""
        self.forecast, self.cost = (found, outcome), None
        self.remake()

    def show_cost(self, cost: Cost, total: int) -> None:
        """A result."""
        self.forecast, self.cost = None, (cost, total)
        self.remake()

    def clear(self) -> None:
        """Nothing."""
        self.forecast = self.cost = None
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """As many lines as there is room for."""
        if self.forecast is not None:
            return facts(*self.forecast, width)[:height]
        if self.cost is not None:
            return cost_facts(*self.cost, width)[:height]
        return []


def _crossing(found: Forecast) -> str:
    return crossing_text(found).replace("over since", "over,")


def _tone(found: Forecast) -> str:
    return "close" if found.crosses_on is not None else "dim"


def _day(seconds: float) -> str:
    return (iso(seconds) or "?")[:10]
