"""A first look at very many artifacts: some rows, and totals of all of them."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.message import Message

from spillview.catalogue import first_look
from spillview.catalogue.catalogue import Query
from spillview.catalogue.first_look import Unlisted, Window, glimpse
from spillview.model import Artifact, Session
from spillview.review.reviewed import is_reviewed
from spillview.tui.app import SpillviewApp
from spillview.tui.home import HomeScreen
from spillview.tui.labels import Labels
from spillview.tui.messages import Scanned
from spillview.tui.queue import gathering
from spillview.tui.queue.arrangement import Material, View, arrange
from spillview.tui.queue.gathering import gather
from tests.tui.by_objects import in_window
from tests.tui.fakes import HOUR, NOW, Facts, FakeCatalogue, listing_of, whole

SIZE = (120, 40)


def many(number: int = 60, sessions: int = 12) -> list[Artifact]:
    """Newest first."""
    return [
        whole(Facts(f"{n}.txt", f"s{n % sessions}", ago=n * 60.0), n)
        for n in range(number)
    ]


ALL = Window(None, None, NOW)


def first_of(
    artifacts: list[Artifact], marks: dict[str, float], window: Window = ALL
) -> Material:
    taken, rest = glimpse(listing_of(artifacts))
    sessions = FakeCatalogue().sessions(taken)
    return Material.of(sessions, (), Unlisted.of(rest, marks, NOW, window))


@pytest.fixture
def small_glimpse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "GLIMPSE", 7)
    monkeypatch.setattr(gathering, "MANY", 20)


made_facts = st.builds(
    Facts,
    name=st.sampled_from(["a.txt", "b.txt"]),
    session=st.sampled_from([f"s{n}" for n in range(8)]),
    chars=st.integers(1, 90_000),
    ago=st.floats(0, 30 * HOUR),
)


@given(
    st.lists(st.tuples(made_facts, st.none() | st.floats(0, 30 * HOUR)), max_size=25),
    st.booleans(),
    st.sampled_from([None, NOW - 10 * HOUR]),
    st.sampled_from([NOW, NOW - 5 * HOUR]),
)
@settings(max_examples=100)
def test_the_totals_are_those_that_the_whole_list_has_later(
    facts: list[tuple[Facts, float | None]],
    all_time: bool,
    since: float | None,
    opened: float,
) -> None:
    marks: dict[str, float] = {}
    artifacts: list[Artifact] = []
    for number, (fact, ago) in enumerate(facts):
        fact.reviewed = None if ago is None else NOW - ago
        artifact = whole(fact, number)
        if artifact.reviewed is not None:
            marks[artifact.id] = artifact.reviewed
            if not is_reviewed(artifact, NOW):
                fact.reviewed = None
                artifact = whole(fact, number)
        artifacts.append(artifact)
    artifacts.sort(key=lambda artifact: -artifact.created)
    view = View(all_time=all_time, since=since, opened=opened)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_look, "GLIMPSE", 4)
        material = first_of(artifacts, marks, Window(None, since, opened))
    first = arrange(material, view, Labels())
    later = Material.of(FakeCatalogue().sessions(artifacts), ())
    all_of_it = arrange(later, view, Labels())
    assert first.figures.artifacts == all_of_it.figures.artifacts
    assert first.figures.bytes == all_of_it.figures.bytes
    assert first.figures.chars <= all_of_it.figures.chars
    assert first.sessions == all_of_it.sessions
    assert first.beyond == all_of_it.beyond
    assert first.put_away == all_of_it.put_away
    rows = [row for row in first.rows if isinstance(row, Artifact)]
    inside = sum(in_window(artifact, view) for artifact in artifacts)
    if first.listed is None:
        assert len(rows) == inside
    else:
        assert (first.listed.done, first.listed.total) == (len(rows), inside)
        assert len(rows) < inside


@pytest.mark.usefixtures("small_glimpse")
def test_the_sessions_with_the_newest_are_there_whole() -> None:
    rows = arrange(first_of(many(), {}), View(flat=False), Labels()).rows
    heads = [row for row in rows if isinstance(row, Session)]
    assert {head.id for head in heads} == {"s0", "s1"}
    assert [len(head.artifacts) for head in heads] == [5, 5]


def test_a_session_too_large_for_a_first_look_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_look, "LARGEST", 4)
    taken, rest = glimpse(listing_of(many()))
    assert taken == []
    others = [artifact.id for session in rest for artifact in session]
    assert sorted(others) == sorted(artifact.id for artifact in many())


@pytest.mark.usefixtures("small_glimpse")
def test_the_first_rows_are_told_before_the_others_are_made() -> None:
    told: list[Message] = []
    ticks = count()
    gather(
        FakeCatalogue(many()),
        Query(),
        lambda gists: lambda place: True,
        told.append,
        lambda: False,
        window=ALL,
        quick=True,
        clock=lambda: next(ticks) * 0.15,
    )
    bare, known, everything = told[:3]
    assert isinstance(bare, Scanned)
    assert isinstance(known, Scanned)
    assert isinstance(everything, Scanned)
    assert bare.rest is not None
    assert known.rest is not None
    assert everything.rest is None
    assert len(known.rest) == 50
    assert all(a.link is None for s in bare.sessions for a in s.artifacts)
    assert all(a.link for s in known.sessions for a in s.artifacts)
    assert sum(len(s.artifacts) for s in everything.sessions) == 60


@pytest.mark.usefixtures("small_glimpse")
async def test_what_asks_of_all_waits_and_the_night_is_not_over_by_a_part() -> None:
    catalogue = FakeCatalogue(many(), last_review=NOW - 20 * HOUR)
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        home = app.screen_stack[0]
        assert isinstance(home, HomeScreen)
        while not home.queue.settled:
            await pilot.pause(0.01)
        material = first_of(many(), {})
        home.post_message(Scanned(list(material.sessions), material.rest))
        await pilot.pause()
        await pilot.pause()
        assert "listed 10 of 60" in home.top.render_line(0).text
        assert "60 artifacts in 12 sessions" in home.totals.render_line(0).text
        await pilot.press("slash", "s", "0", "enter")
        await pilot.pause()
        assert "listed 10 of 60" in home.top.render_line(0).text
        await pilot.press("escape")
        for action in ("search", "statistics", "forecast", "which"):
            await home.run_action(action)
        await pilot.pause()
        assert len(app.screen_stack) == 1
        assert home.view.only is None
        for session in list(home.material.sessions):
            home.marks.mark(session.artifacts, NOW)
        home._marked()
        await pilot.pause()
        assert catalogue.last_review() == NOW - 20 * HOUR
