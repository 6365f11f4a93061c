"""Opened again on the same ground, the screens are as they were left."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.config import Settings
from spillview.model import Artifact
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from tests.stores import Claude, log_of
from tests.tui.fakes import settle
from tests.tui.reading import until

WORDS = ("alpha", "beta", "gamma")
NAMES = ("b00000001.txt", "b00000002.txt", "b00000003.txt")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    session = Claude(tmp_path)
    for number, (name, word) in enumerate(zip(NAMES, WORDS, strict=True)):
        session.spills(log_of(1500 + 100 * number), name=name, command=f"make {word}")
    session.write()
    return tmp_path


@asynccontextmanager
async def opened(
    home: Path, query: Query | None = None, **settings: bool
) -> AsyncIterator[Pilot[None]]:
    """The program on a home, until it is left with `q` or at once."""
    catalogue = Catalogue.here(Places.of_home(str(home)))
    catalogue.settings = Settings(**settings)  # type: ignore[arg-type] # by name
    app = SpillviewApp(catalogue, query or Query(paths=(str(home),)))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: queue_of(pilot).queue.settled)
        await settle(pilot)
        yield pilot
        app.exit()
    catalogue.close()


def queue_of(pilot: Pilot[None]) -> HomeScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, HomeScreen)
    return screen


async def into_an_artifact(pilot: Pilot[None]) -> ArtifactScreen:
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
    screen = pilot.app.screen
    assert isinstance(screen, ArtifactScreen)
    await until(pilot, lambda: screen.whole is not None and screen.facts is not None)
    await settle(pilot)
    return screen


def told(pilot: Pilot[None]) -> str:
    return "\n".join(each.message for each in pilot.app._notifications)


async def test_the_order_and_the_list_are_as_they_were_left(home: Path) -> None:
    async with opened(home) as pilot:
        await pilot.press("s", "c", "c", "C")
        await settle(pilot)
        view = queue_of(pilot).view
        assert view.flat
        assert view.reverse
        assert view.sort != "worst"
    async with opened(home) as pilot:
        again = queue_of(pilot).view
        assert (again.flat, again.sort, again.reverse) == (True, view.sort, True)
        assert told(pilot) == ""  # every row is shown
        title = queue_of(pilot).titles.render_line(0).text
        assert "↑" in title


async def test_the_cursor_stands_on_the_artifact_it_was_left_on(home: Path) -> None:
    async with opened(home) as pilot:
        await pilot.press("G")
        row = queue_of(pilot).queue.row
        assert isinstance(row, Artifact)
    async with opened(home) as pilot:
        again = queue_of(pilot).queue.row
        assert isinstance(again, Artifact)
        assert again.id == row.id


async def test_a_cursor_that_was_never_moved_begins_at_the_worst(home: Path) -> None:
    async with opened(home) as pilot:
        await pilot.press("s")
        await settle(pilot)
        first = queue_of(pilot).queue.cursor
    async with opened(home) as pilot:
        assert queue_of(pilot).queue.cursor == first
        assert not queue_of(pilot).queue.touched


async def test_an_artifact_that_is_gone_leaves_the_cursor_at_the_worst(
    home: Path,
) -> None:
    async with opened(home) as pilot:
        await pilot.press("G")
        row = queue_of(pilot).queue.row
        assert isinstance(row, Artifact)
    os.unlink(row.found.path)
    async with opened(home) as pilot:
        assert isinstance(queue_of(pilot).queue.row, Artifact)


async def test_a_filter_stands_in_its_open_line_is_told_and_escape_clears_it(
    home: Path,
) -> None:
    async with opened(home) as pilot:
        await pilot.press("slash", *"make beta", "enter")
        await settle(pilot)
    async with opened(home) as pilot:
        screen = queue_of(pilot)
        assert screen.filter_bar.display
        assert screen.filter_input.value == "make beta"
        assert screen.focused is screen.queue
        assert len(screen.arrangement.artifacts) == 1
        assert told(pilot) == (
            "As you left it: the filter make beta. Esc shows every row."
        )
        await pilot.press("escape")
        await settle(pilot)
        assert not screen.filter_bar.display
        assert len(screen.arrangement.artifacts) == 3
    async with opened(home) as pilot:
        assert not queue_of(pilot).filter_bar.display
        assert len(queue_of(pilot).arrangement.artifacts) == 3


async def test_a_kind_alone_is_told_and_escape_shows_everything(home: Path) -> None:
    async with opened(home) as pilot:
        await pilot.press("w")
        await settle(pilot)
        only = queue_of(pilot).view.only
        assert only is not None
    async with opened(home) as pilot:
        assert queue_of(pilot).view.only == only
        assert told(pilot).startswith("As you left it: only ")
        await pilot.press("escape")
        await settle(pilot)
        assert queue_of(pilot).view.only is None


async def test_another_ground_or_option_knows_nothing_of_it(home: Path) -> None:
    async with opened(home) as pilot:
        await pilot.press("s", "slash", *"make beta", "enter")
        await settle(pilot)
    for query in (Query(), Query(paths=(str(home),), harness="claude-code")):
        async with opened(home, query) as pilot:
            view = queue_of(pilot).view
            assert (view.flat, view.filter) == (False, "")


async def test_the_setting_turns_it_off(home: Path) -> None:
    async with opened(home) as pilot:
        await pilot.press("s")
        await settle(pilot)
    async with opened(home, remember=False) as pilot:
        assert not queue_of(pilot).view.flat
        await pilot.press("c")
        await settle(pilot)
    async with opened(home) as pilot:
        view = queue_of(pilot).view
        assert view.flat
        assert view.sort == "worst"


async def test_a_place_in_an_artifact_is_gone_to_again(home: Path) -> None:
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        verdict = screen.full.cursor
        await pilot.press(*"700g", "w", "q")
        await settle(pilot)
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        document = screen.whole
        assert document is not None
        assert document.index.line_at(screen.full.cursor) == 700
        assert screen.full.cursor != verdict
        assert not screen.full.wrap
        # Where it stands at first is nothing to keep.
        await pilot.press("w", "V", "q")
        await settle(pilot)
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        assert screen.full.cursor == verdict
        assert screen.full.wrap


async def test_a_place_is_kept_by_a_step_to_the_next_and_by_quitting_inside(
    home: Path,
) -> None:
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        first = screen.artifact.id
        await pilot.press(*"300g", "J")
        await settle(pilot)
        await pilot.press(*"400g")
        await settle(pilot)
        second = screen.artifact.id
        assert second != first
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        lines = {}
        for key in ("K", "J", "J"):
            document = screen.whole
            assert document is not None
            lines[screen.artifact.id] = document.index.line_at(screen.full.cursor)
            await pilot.press(key)
            await settle(pilot)
            document = screen.whole
            assert document is not None
            lines[screen.artifact.id] = document.index.line_at(screen.full.cursor)
        assert lines[first] == 300
        assert lines[second] == 400


async def test_the_envelope_is_looked_at_again(home: Path) -> None:
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        await pilot.press("tab")
        await settle(pilot)
        assert screen.pager is screen.envelope
        await pilot.press("q")
        await settle(pilot)
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        await settle(pilot)
        assert screen.pager is screen.envelope
        assert screen.focused is screen.envelope


async def test_the_shape_is_looked_at_again(tmp_path: Path) -> None:
    session = Claude(tmp_path)
    rows = ",".join(f'{{"id": {n}, "name": "row {n}"}}' for n in range(3000))
    session.spills(f'{{"rows": [{rows}]}}'.encode(), name="b00000001.json")
    session.write()
    async with opened(tmp_path) as pilot:
        screen = await into_an_artifact(pilot)
        await pilot.press("o")
        await settle(pilot)
        assert screen.has_class("-shape")
    async with opened(tmp_path) as pilot:
        screen = await into_an_artifact(pilot)
        await until(pilot, lambda: screen.has_class("-shape"))
        assert screen.shape is not None


async def test_a_file_that_changed_opens_as_at_first_and_that_is_said(
    home: Path,
) -> None:
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        path = screen.artifact.found.path
        await pilot.press(*"300g", "q")
        await settle(pilot)
    Path(path).write_bytes(log_of(1700))
    async with opened(home) as pilot:
        screen = await into_an_artifact(pilot)
        assert screen.artifact.found.path == path
        assert "It changed since you left it" in told(pilot)
        document = screen.whole
        assert document is not None
        assert document.index.line_at(screen.full.cursor) != 300


async def test_a_hit_that_is_asked_for_wins_over_the_place(home: Path) -> None:
    async with opened(home) as pilot:
        await into_an_artifact(pilot)
        await pilot.press(*"300g", "q")
        await settle(pilot)
        await pilot.press("S", *"00555", "enter")
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        shown = pilot.app.screen
        assert isinstance(shown, ArtifactScreen)
        await settle(pilot)
        document = shown.whole
        assert document is not None
        assert document.index.line_at(shown.full.cursor) == 555
