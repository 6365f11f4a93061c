"""The JSON rows of forecasts and costs, and words for people."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from spillview.forecast.cost_rows import Cost
from spillview.forecast.crossing import Forecast
from spillview.forecast.kept import Outcome
from spillview.forecast.per import PerUnit
from spillview.forecast.rates import Rate
from spillview.text import iso, path_text

TEXT = 2_000
"""Chars of a command in a row."""


def row(
    found: Forecast, outcome: Outcome | None = None, per: PerUnit | None = None
) -> dict[str, Any]:
    """One command's forecast."""
    group, trend, boundary = found.group, found.trend, found.boundary
    between = found.crosses_between
    command = group.key.command
    row: dict[str, Any] = {
        "command": command[:TEXT],
        "runs": group.runs,
        "boundary": boundary.size if boundary is not None else None,
        "boundary_unit": boundary.unit if boundary is not None else None,
        "latest": found.latest,
        "ratio": found.ratio,
        "average_per_day": _value(trend.average),
        "recent_per_day": _value(trend.recent),
        "per_unit": per.per_unit if per is not None else None,
        "units_left": per.units_left if per is not None else None,
        "crosses_on": _day(found.crosses_on),
        "crosses_between": [day.isoformat() for day in between] if between else None,
        "project": group.key.project or None,
        "example": group.example[:TEXT] or None,
        "tool": group.tool,
        "state": found.state,
        "why": found.why or None,
        "close": found.close,
        "crossed_on": _day(found.crossed_on),
        "first_run": iso(found.sample[0].time) if found.sample else None,
        "last_run": iso(found.sample[-1].time) if found.sample else None,
        "runs_used": len(found.sample),
        "runs_unsized": group.unsized,
        "sources": sorted(group.sources),
        "steps": [{"on": _on(step.day), "size": step.size} for step in trend.steps],
    }
    if per is not None:
        row["number"] = per.number
        row["average_per_unit"] = per.average
        row["marginal_per_unit"] = _value(per.marginal)
        row["pairs"] = per.pairs
    if outcome is not None:
        row["earlier"] = earlier_row(outcome)
    if len(command) > TEXT or len(group.example) > TEXT:
        row["truncated"] = True
    return row


def earlier_row(outcome: Outcome) -> dict[str, Any]:
    """What an earlier forecast said, and what became of it."""
    kept = outcome.kept
    return {
        "made": iso(kept.made),
        "crosses_on": kept.crosses_on.isoformat(),
        "crosses_between": [day.isoformat() for day in kept.crosses_between],
        "runs": kept.runs,
        "per_day": kept.per_day,
        "later_runs": outcome.later_runs,
        "expected": outcome.expected,
        "actual": outcome.actual,
        "error": outcome.error,
        "error_share": outcome.error_share,
        "passed": outcome.passed,
        "crossed_on": _day(outcome.crossed_on),
        "days_late": outcome.days_late,
    }


def cost_row(cost: Cost) -> dict[str, Any]:
    """What one result cost."""
    return {
        "session": path_text(cost.session),
        "harness": cost.harness,
        "project": path_text(cost.project) if cost.project is not None else None,
        "tool": path_text(cost.tool) if cost.tool is not None else None,
        "command": cost.command[:TEXT] if cost.command is not None else None,
        "time": iso(cost.time),
        "tokens": cost.tokens,
        "turns_later": cost.turns,
        "carried_tokens": cost.carried,
        "spilled": cost.spilled,
        "artifact": cost.artifact,
        "transcript": path_text(cost.transcript),
        "record": cost.record,
    }


def crossing_text(found: Forecast) -> str:
    """When it crosses, in a few words."""
    if found.state == "over":
        return f"over since {_day(found.crossed_on)}"
    if found.crosses_on is not None:
        return f"{found.crosses_on}"
    words = {"far": "not in sight", "step": "no: a step", "resets": "no: starts over"}
    return words.get(
        found.state, f"no: {found.state}" if found.state != "unknown" else "unknown"
    )


def range_text(found: Forecast) -> str:
    """The days between which it crosses: `2026-12-03 … 12-19`."""
    if found.crosses_between is None:
        return ""
    first, last = found.crosses_between
    if first == last:
        return f"{first}"
    end = f"{last:%m-%d}" if first.year == last.year else f"{last}"
    return f"{first} … {end}"


def rate_text(rate: Rate | None) -> str:
    """A rate with its sign: `+120`, `-3.5`; `–` where none is known."""
    if rate is None:
        return "–"
    return f"{rate.value:+,.1f}" if abs(rate.value) < 10 else f"{rate.value:+,.0f}"


def outcome_text(outcome: Outcome, unit: str) -> str:
    """What became of an earlier forecast, as a sentence."""
    kept = outcome.kept
    parts = [f"On {(iso(kept.made) or '?')[:10]} it was to cross on {kept.crosses_on}"]
    late = outcome.days_late
    if late is not None:
        when = "that day" if not late else f"{abs(late)} days {_side(late)}"
        parts.append(f"it crossed on {outcome.crossed_on}, {when}")
    elif outcome.passed:
        parts.append("that day is over, and it has not crossed")
    if outcome.expected is not None and outcome.actual is not None:
        share = outcome.error_share
        off = f", {share:+.1%} off" if share is not None else ""
        parts.append(
            f"{outcome.expected:,.0f} {unit} were expected by now,"
            f" {outcome.actual:,.0f} came{off}"
        )
    return "; ".join(parts) + "."


def per_text(per: PerUnit, unit: str, noun: str) -> str:
    """`110.2 chars an article, 117 articles left`."""
    if per.per_unit is None or per.units_left is None:
        return "not known"
    first = noun[:1].lower()
    vowel = bool(first) and first in "aeiou" and _YOU.match(noun) is None
    article = "an" if vowel else "a"
    each = f"{amount(per.per_unit)} {unit} {article} {noun}"
    return f"{each}, {per.units_left:,} {plural_of(noun, per.units_left)} left"


_YOU = re.compile(r"uni(?!n|m)|us[ea]|ut[ei]|eu|one\b", re.IGNORECASE)
"""Words that begin with a vowel's letter and not with its sound: `unit`, `user`."""


def amount(value: float) -> str:
    """A number of anything: whole where it is, and with the digits that tell.

    `1,234,567`, `110.2`, `0.0785`.
    """
    if not math.isfinite(value):
        return "–"
    if value == math.floor(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    if abs(value) >= 1e15:
        return f"{value:.4g}"
    return f"{value:,.1f}" if abs(value) >= 1 else f"{value:,.3g}"


def plural_of(noun: str, count: int) -> str:
    """The noun for so many: `articles`, `boxes`, `entries`."""
    if count == 1:
        return noun
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def sparkline(sizes: Sequence[float], width: int) -> str:
    """The sizes as `width` bars at most, medians where there are more of them."""
    from statistics import median

    if not sizes or width < 1:
        return ""
    count = min(width, len(sizes))
    edges = [round(n * len(sizes) / count) for n in range(count + 1)]
    values = [median(sizes[a:b]) for a, b in pairwise(edges)]
    least, most = min(values), max(values)
    if most == least:
        return _BARS[3] * count
    top = len(_BARS) - 1
    return "".join(_BARS[round((v - least) / (most - least) * top)] for v in values)


_BARS = "▁▂▃▄▅▆▇█"


def _side(days: int) -> str:
    return "later" if days > 0 else "earlier"


def _value(rate: Rate | None) -> float | None:
    return rate.value if rate is not None else None


def _day(day: Any) -> str | None:
    return day.isoformat() if day is not None else None


def _on(day: float) -> str:
    from spillview.forecast.crossing import day_of

    return day_of(day).isoformat()
