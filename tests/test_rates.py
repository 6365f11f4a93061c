"""Rates and days of crossing, held against series whose maker knows them."""

from __future__ import annotations

import math
from statistics import median

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spillview.forecast.crossing import day_of, forecast
from spillview.forecast.rates import theil_sen, trend
from spillview.forecast.runs import Group, Key, Run, boundary_of
from spillview.model import Boundary
from tests.bench.bench_forecast import forecast_of, measured
from tests.made_series import DAY, KINDS, START, linear, step_alone

COUNT = 60

WITHIN = {
    "linear": (0, 1),
    "noise of 2 %": (2, 4),
    "noise of 10 %": (6, 20),
    "outliers, one in ten": (2, 6),
    "step in growth": (1, 4),
    "weekends": (2, 6),
    "one reset": (1, 3),
    "faster lately": (1, 4),
}
"""Days: the median error at most, and what nine of ten are within."""


@pytest.mark.parametrize("kind", WITHIN)
def test_crossing_is_told_within_days_of_the_true_one(kind: str) -> None:
    found = measured(kind, COUNT)
    middle, far = WITHIN[kind]
    assert found.dated >= 0.9 * COUNT
    assert median(map(abs, found.days)) <= middle
    assert found.far <= far
    assert found.held >= 0.9 * len(found.days)


NEVER = [kind for kind in KINDS if kind not in (*WITHIN, "speeding up")]


def test_what_speeds_up_crosses_within_the_range_but_before_the_day() -> None:
    found = measured("speeding up", COUNT)
    assert found.held >= 0.95 * COUNT
    assert median(found.days) > 0  # two straight rates cannot follow it


@pytest.mark.parametrize("kind", NEVER)
def test_no_day_is_told_of_what_never_crosses(kind: str) -> None:
    assert measured(kind, COUNT).dated <= 0.05 * COUNT


def test_a_step_is_told_as_one() -> None:
    found = [forecast_of(step_alone(seed)) for seed in range(COUNT)]
    steps = [each for each in found if each.state == "step"]
    assert len(steps) > 0.8 * COUNT
    assert all(each.trend.steps and "step" in each.why for each in steps)


def test_the_more_careful_rate_gives_the_day() -> None:
    found = forecast_of(KINDS["faster lately"](3))
    average, recent = found.trend.average, found.trend.recent
    assert average is not None
    assert recent is not None
    assert recent.value > average.value
    assert found.expected_per_day == recent.value


Sizes = st.lists(st.integers(0, 10**6), min_size=5, max_size=40)


def daily(sizes: list[int]) -> list[tuple[float, float]]:
    return [(START + n + 0.5, float(size)) for n, size in enumerate(sizes)]


@given(Sizes, st.integers(1, 50), st.integers(-1000, 1000))
def test_rates_scale_with_sizes_and_do_not_move_with_them(
    sizes: list[int], scale: int, shift: int
) -> None:
    one = theil_sen(daily(sizes))
    other = theil_sen([(x, y * scale + shift) for x, y in daily(sizes)])
    assert one is not None
    assert other is not None
    assert other.value == pytest.approx(one.value * scale, abs=1e-6)
    assert other.sure == one.sure
    assert one.low <= one.value <= one.high


@given(Sizes)
def test_a_series_told_backwards_shrinks_as_fast_as_it_grew(sizes: list[int]) -> None:
    there, back = theil_sen(daily(sizes)), theil_sen(daily(sizes[::-1]))
    assert there is not None
    assert back is not None
    assert back.value == pytest.approx(-there.value, abs=1e-6)
    assert back.sure == -there.sure


@given(
    st.integers(10, 60),
    st.integers(0, 10_000),
    st.integers(10, 2_000),
    st.integers(1, 300),
)
def test_a_straight_line_crosses_on_its_very_day(
    days: int, begin: int, rate: int, left: int
) -> None:
    boundary = begin + rate * (days + left)
    assume(left <= max(730, 10 * days))
    group = Group(Key("", "x"))
    for n in range(days):
        size = begin + rate * n
        gate = (Boundary(boundary, "bytes"),)
        group.add(Run((START + n) * DAY, size, size, size, 1, gate, "dsh"), "x", None)
    found = forecast(group, (START + days) * DAY)
    assert found.state == "growing"
    assert found.crosses_on is not None
    true = day_of(START + days + left)
    assert abs((found.crosses_on - true).days) <= 1


@given(Sizes, st.integers(1, 10**6))
def test_forecasts_of_anything_hold_together(sizes: list[int], boundary: int) -> None:
    group = Group(Key("", "x"))
    for x, y in daily(sizes):
        size = int(y)
        gate = (Boundary(boundary, "chars"),)
        group.add(Run(x * DAY, size, size, size, 1, gate, "dsh"), "x", None)
    now = (START + len(sizes)) * DAY
    found = forecast(group, now)
    assert found.latest == sizes[-1]
    assert found.ratio == sizes[-1] / boundary
    assert (found.state == "over") is (sizes[-1] > boundary)
    assert (found.crosses_on is not None) is (found.state == "growing")
    if found.crosses_on is not None:
        assert found.crosses_between is not None
        first, last = found.crosses_between
        assert day_of(now / DAY) <= first <= found.crosses_on <= last
        assert found.expected_per_day > 0


@pytest.mark.parametrize(
    "days",
    [
        [0, 1, 2, 3],
        [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06],
        [0, 0.1, 0.2, 30, 30.1, 30.2],
    ],
)
def test_too_few_runs_lead_to_no_day(days: list[float]) -> None:
    found = trend([(START + day, 1000 * day) for day in days])
    assert found.state == "unknown"
    assert "too" in found.why
    assert found.average is None


def test_one_outlier_at_the_end_moves_no_day() -> None:
    series = linear(5)
    before = forecast_of(series).crosses_on
    last_day, last = series.runs[-1]
    series.runs.append((last_day + 0.01, last / 20))
    after = forecast_of(series).crosses_on
    assert before is not None
    assert after is not None
    assert abs((before - after).days) <= 1


def test_each_source_is_held_against_its_newest_boundary() -> None:
    def run(day: int, size: int, source: str, gate: int) -> Run:
        boundary = (Boundary(gate, "chars"),)
        return Run(day * DAY, size, size, size, 1, boundary, source)

    early = run(1, 10, "claude-code", 20_000)
    sample = [early, run(2, 10, "wrap", 100_000), run(3, 10, "claude-code", 50_000)]
    assert boundary_of(sample) == Boundary(50_000, "chars")


def test_dates_stay_within_what_dates_can_tell() -> None:
    for day in (math.inf, -1e18, 1e18, 0.0):
        assert day_of(day).year >= 1
