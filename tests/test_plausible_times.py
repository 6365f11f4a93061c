"""Times at which no agent can have run are unknown, whoever wrote them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.transcripts.calls import AHEAD, EARLIEST, parse_time
from tests.command import run
from tests.stores import Claude

NOW = int(time.time())


@pytest.mark.parametrize("unit", [1, 10**3, 10**6, 10**9])
@pytest.mark.parametrize(
    "when",
    [int(EARLIEST) + 1, 1_700_000_000, NOW],
    ids=["earliest", "earlier", "now"],  # the same whenever it is collected
)
def test_a_number_is_read_in_seconds_and_parts_of_a_second(
    when: int, unit: int
) -> None:
    assert parse_time(when * unit) == pytest.approx(when)


@pytest.mark.parametrize(
    "told",
    [
        7, 0, -1, 0.5, 1e9, int(EARLIEST) - 1, (int(EARLIEST) - 1) * 1000,
        NOW + AHEAD + 3600, (NOW + AHEAD + 3600) * 1000, 10**15 - 1, 10**30,
        float("nan"), float("inf"), True, None, [], "", "7", "1970-01-01T00:00:07Z",
        "0007-01-01", "2014-12-31T23:59:59Z", "2199-01-01T00:00:00Z",
        "9999-12-31T23:59:59+00:00",
    ],
    ids=lambda told: type(told).__name__,  # the same whenever it is collected
)  # fmt: skip
def test_what_cannot_be_a_time_of_an_agent_is_unknown(told: Any) -> None:
    assert parse_time(told) is None


@settings(max_examples=100)
@given(st.one_of(st.integers(), st.floats()))
def test_whatever_number_it_is_the_time_is_plausible_or_unknown(told: float) -> None:
    when = parse_time(told)
    assert when is None or EARLIEST <= when <= time.time() + AHEAD


def test_a_record_of_seven_seconds_after_the_epoch_dates_no_session(
    machine: Path,
) -> None:
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.write()
    lines = [json.loads(line) for line in session.lines]
    for line in lines:
        line["timestamp"] = 7
    session.transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    [row] = run("sessions", "--json").rows
    assert row["started"] is None or row["started"] > "2015"
    assert row["last_active"] is None or row["last_active"] > "2015"
    assert "56y" not in run("sessions", terminal=True).out
