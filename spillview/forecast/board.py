"""Every command's forecast, the most pressing one first, and what earlier ones said."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from spillview.catalogue.query import Query
from spillview.forecast import kept
from spillview.forecast.crossing import Forecast, forecast
from spillview.forecast.kept import Outcome
from spillview.forecast.runs import Key
from spillview.forecast.series import Completing, Series, gather
from spillview.model import Artifact, Problem
from spillview.own_files import unwritable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

Cancelled = Callable[[], bool]
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Board:
    """Forecasts, and the outcomes of those that were made before."""

    forecasts: list[Forecast]
    series: Series
    outcomes: dict[Key, Outcome] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def size_error(self) -> tuple[float, int] | None:
        """The median error of earlier forecasts' sizes, as a share; of how many."""
        shares = [
            abs(each.error_share)
            for each in self.outcomes.values()
            if each.error_share is not None
        ]
        return (median(shares), len(shares)) if shares else None


def board(
    catalogue: Catalogue,
    artifacts: Iterable[Artifact],
    query: Query,
    *,
    completing: Completing = iter,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Board:
    """Forecasts for the commands of the last scan; notes them where there is a state.

    `artifacts` are completed, those of a listing by `completing`; `query.boundary`
    takes the place of every own one.
    """
    now = catalogue.now()
    series = gather(
        catalogue,
        artifacts,
        query,
        completing=completing,
        progress=progress,
        cancelled=cancelled,
    )
    found = [
        forecast(group, now, query.boundary)
        for group in series.groups.values()
        if group.runs or group.unsized
    ]
    found.sort(key=pressing)
    made = Board(found, series, problems=list(series.problems))
    stopped = cancelled is not None and cancelled()
    if catalogue.state is not None and not stopped:
        places = catalogue.places
        try:
            made.outcomes = kept.outcomes(places, found, now)
            told = (kept.of(each, now) for each in found)
            kept.note((each for each in told if each is not None), places)
        except OSError as error:
            reason = unwritable(os.path.join(places.state_dir, kept.NAME), error)
            sentence = f"this forecast is not kept for later: {reason}"
            made.problems.append(Problem(places.state_dir, sentence))
    return made


_ORDER = {"growing": 0, "over": 2, "far": 3, "unknown": 6, "shrinking": 5}


def pressing(found: Forecast) -> tuple[object, ...]:
    """The order of the board: what crosses next, what is close, what is over, the rest.

    Within each by the day and then by the ratio.
    """
    rank = _ORDER.get(found.state, 4)
    if found.close and rank > 2:
        rank = 1
    day = found.crosses_on.toordinal() if found.crosses_on is not None else 0
    return (rank, day, -(found.ratio or 0.0), -found.group.runs, found.group.key)


def due(forecasts: Iterable[Forecast], now: float, within: float) -> list[Forecast]:
    """Those over their boundary, or that cross it within so many seconds.

    One that was not run for as long is nobody's concern.
    """
    last = (now + within) / 86_400
    found = []
    for each in forecasts:
        if not each.sample:
            continue
        if each.state == "over" and each.sample[-1].time >= now - within:
            found.append(each)
        elif each.crosses_on is not None:
            with suppress(OverflowError):
                if each.crosses_on.toordinal() - _EPOCH <= last:
                    found.append(each)
    return found


_EPOCH = 719_163
"""The ordinal of 1970-01-01."""
