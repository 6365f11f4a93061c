"""An artifact's boundary is the one it was spilled at, not its store's usual one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview import LocalSpillStore, SpillPolicy
from spillview.catalogue.catalogue import Catalogue
from spillview.model import Boundary, Mention
from spillview.places import Places
from spillview.transcripts.facts import _mention, _row
from tests.command import Row, run
from tests.wrapping import anywhere, wrapped

__all__ = ["anywhere"]

LINES = "line\n" * 20_000

pytestmark = pytest.mark.usefixtures("machine")


def spilled(policy: SpillPolicy, text: str = LINES) -> None:
    shown = policy.apply(
        text, store=LocalSpillStore(), tool="bash", call_id="c", session_id="s"
    )
    assert shown != text


def only() -> Row:
    return run("ls", "--json").row


@pytest.mark.parametrize(
    ("cap", "unit", "text", "ratio"),
    [
        (50_000, "bytes", LINES, 2.0),
        (50_000, "bytes", "é" * 50_000, 2.0),
        (40_000, "chars", LINES, 2.5),
        (1_000, "lines", LINES, 20.0),
        (5_000, "tokens", LINES, 5.0),
        (50_000, "utf16", "𝄞" * 50_000, 2.0),
    ],
)
def test_a_spill_of_the_library_is_compared_with_its_policys_cap(
    cap: int, unit: Any, text: str, ratio: float
) -> None:
    spilled(SpillPolicy(cap, unit), text)
    row = only()
    assert (row["boundary"], row["boundary_unit"]) == (cap, unit)
    assert row["boundaries"] == [[cap, unit]]
    assert row["ratio"] == ratio
    again = only()  # from the cache
    assert again["boundaries"] == [[cap, unit]]
    assert again["ratio"] == ratio
    row = run("envelope", row["id"], "--json").row
    assert (row["survival"]["boundary"], row["survival"]["unit"]) == (cap, unit)


def test_a_wrapped_output_is_compared_with_wraps_boundary() -> None:
    wrapped("--boundary", "300lines", data=b"x\n" * 1_200)
    row = only()
    assert (row["boundaries"], row["ratio"]) == ([[300, "lines"]], 4.0)
    told = run("envelope", row["id"]).out
    assert "a plain cut at 300 lines would keep 300 of 1,200 lines, 4.00×" in told


def test_a_wrap_that_was_killed_has_left_its_boundary(machine: Path) -> None:
    from spillview.store import SpillOwner, SpillRequest, SpillSource

    request = SpillRequest(
        SpillOwner("s"),
        SpillSource("wrap"),
        "a.txt",
        boundaries=(Boundary(700, "bytes"),),
    )
    with LocalSpillStore().writer(request) as writer:
        writer.write(b"x" * 1_400)
    row = only()
    assert "partial" in row["flags"]
    assert (row["boundaries"], row["ratio"]) == ([[700, "bytes"]], 2.0)


def test_a_boundary_that_is_asked_for_still_comes_first() -> None:
    spilled(SpillPolicy(50_000))
    row = run("ls", "--json", "--boundary", "10000lines").row
    assert (row["boundaries"], row["ratio"]) == ([[10_000, "lines"]], 2.0)


def test_a_cap_of_nothing_leaves_the_usual_boundary() -> None:
    policy = SpillPolicy(0)
    assert policy._gates() == ()
    spilled(SpillPolicy(50_000))
    rewritten(boundaries=[[0, "bytes"]])
    assert only()["boundaries"] == [[100_000, "chars"]]


def rewritten(**changes: Any) -> None:
    """Change the one sidecar there is."""
    [path] = Path(LocalSpillStore().root).glob("session-*/.*.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_of_several_gates_that_with_the_highest_ratio_is_the_main_one() -> None:
    spilled(SpillPolicy(50_000))
    rewritten(boundaries=[[50_000, "bytes"], [2_000, "lines"]])
    row = only()
    assert row["boundaries"] == [[50_000, "bytes"], [2_000, "lines"]]
    assert (row["boundary"], row["boundary_unit"], row["ratio"]) == (2_000, "lines", 10)


def test_a_sidecar_without_boundaries_has_them_in_its_envelope() -> None:
    spilled(SpillPolicy(50_000))
    rewritten(boundaries=None)
    assert only()["boundaries"] == [[50_000, "bytes"]]


@pytest.mark.parametrize(
    "noted",
    [
        *(7, "50000", {}, [7], [[]], [[1]], [[1, 2]], [["1", "bytes"]]),
        *([[True, "bytes"]], [[-5, "bytes"]], [[1 << 80, "bytes"]]),
        *([[5, "furlongs"]], [[5, ["bytes"]]]),
    ],
)
def test_boundaries_that_mean_nothing_are_passed_over(noted: Any) -> None:
    spilled(SpillPolicy(50_000))
    rewritten(boundaries=noted, envelope={"text": "x"})
    assert only()["boundaries"] == [[100_000, "chars"]]
    assert run("doctor").code == 0


@given(
    st.lists(
        st.builds(
            Boundary,
            st.integers(1, 1 << 53),
            st.sampled_from(["chars", "utf16", "bytes", "lines", "tokens"]),
        ),
        max_size=4,
    )
)
def test_boundaries_pass_through_the_cache(gates: list[Boundary]) -> None:
    mention = Mention("t", "s", 1, 0, 9, "result", "n", "/p", boundaries=tuple(gates))
    row = json.loads(json.dumps(_row(mention)))
    assert _mention(("t", "s"), row) == mention


def test_two_records_of_one_call_keep_the_boundary_of_either(machine: Path) -> None:
    from spillview.links.mentions import distinct

    one = Mention("a", "s", 1, 0, 9, "result", "n", "/p", call_id="c")
    gates = (Boundary(50_000, "bytes"),)
    two = Mention("b", "s", 1, 0, 9, "result", "n", "/p", call_id="c", boundaries=gates)
    for pair in ([one, two], [two, one]):
        [kept] = distinct(pair)
        assert kept.boundaries == gates
    three = Mention("c", "s", 1, 0, 9, "result", "n", "/p", call_id="c")
    [kept] = distinct([two, three])
    assert (kept.transcript, kept.boundaries) == ("c", gates)


def test_the_terminal_has_the_same_ratio() -> None:
    spilled(SpillPolicy(50_000))
    assert "2.00× bytes" in run("ls").out
    catalogue = Catalogue(Places.here())
    [artifact] = catalogue.complete(catalogue.scan())
    assert artifact.gate == (Boundary(50_000, "bytes"), 2.0)
