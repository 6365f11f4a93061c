"""The pin key: in the queue, on an artifact and in the clean-up, marked and undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.pins import Pins
from spillview.model import Artifact, Missing, Session
from spillview.places import Places
from spillview.review.reviewed import session_mark
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.cleanup.cleanup import CleanupScreen
from spillview.tui.cleanup.plan_list import ChoiceRow
from spillview.tui.home import HomeScreen
from spillview.tui.palette import acts_of

from ..aging import DAY, session
from ..stores import OTHER
from .fakes import settle
from .reading import until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two sessions of three artifacts."""
    session(tmp_path)
    session(tmp_path, OTHER, age=20 * DAY)
    return tmp_path


def pins(home: Path) -> set[str]:
    """The ids of what is pinned on the disk."""
    return set(Pins(Places.of_home(str(home))).all())


@asynccontextmanager
async def browsing(home: Path) -> AsyncIterator[tuple[HomeScreen, Pilot[None]]]:
    """The queue of a home with everything in it, the cursor on its first session."""
    catalogue = Catalogue.here(Places.of_home(str(home)))
    app = SpillviewApp(catalogue, Query())
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await until(pilot, lambda: queue.arrangement.figures.artifacts == 6)
        await settle(pilot)
        await pilot.press("g")
        yield queue, pilot
    catalogue.close()


def toasts(app: App[None]) -> str:
    return "\n".join(each.message for each in app._notifications)


def is_marked(queue: HomeScreen, ident: str) -> bool:
    """Whether a row of the queue is drawn as pinned."""
    for at, row in enumerate(queue.queue.rows):
        if not isinstance(row, Missing) and row.id == ident:
            line = queue.queue.render_line(at).text
            assert "*" not in line[3:]
            assert "pinned" not in line
            return "*" in line[:3]
    raise AssertionError(ident)


async def to_an_artifact(queue: HomeScreen, pilot: Pilot[None]) -> Artifact:
    while not isinstance(queue.queue.row, Artifact):
        await pilot.press("j")
    return queue.queue.row


async def test_an_artifact_is_pinned_marked_and_unpinned(home: Path) -> None:
    async with browsing(home) as (queue, pilot):
        artifact = await to_an_artifact(queue, pilot)
        assert not is_marked(queue, artifact.id)
        await pilot.press("*")
        await settle(pilot)
        assert pins(home) == {artifact.id}
        assert is_marked(queue, artifact.id)
        assert "no clean-up takes it" in toasts(pilot.app)
        await pilot.press("*")
        await settle(pilot)
        assert pins(home) == set()
        assert not is_marked(queue, artifact.id)


async def test_an_undo_takes_back_the_last_pin_and_then_the_mark_before(
    home: Path,
) -> None:
    async with browsing(home) as (queue, pilot):
        artifact = await to_an_artifact(queue, pilot)
        await pilot.press("space")
        await settle(pilot)
        other = await to_an_artifact(queue, pilot)
        await pilot.press("*")
        await settle(pilot)
        assert pins(home) == {other.id}
        await pilot.press("u")
        await settle(pilot)
        assert pins(home) == set()
        assert artifact.id in queue.catalogue.reviewed()
        await pilot.press("u")
        await settle(pilot)
        assert artifact.id not in queue.catalogue.reviewed()


async def test_a_session_is_pinned_with_all_that_it_has(home: Path) -> None:
    async with browsing(home) as (queue, pilot):
        row = queue.queue.row
        assert isinstance(row, Session)
        await pilot.press("*")
        await settle(pilot)
        assert pins(home) == {session_mark(row.harness, row.id)}
        for ident in (row.id, *(a.id for a in row.artifacts)):
            assert is_marked(queue, ident)
        artifact = await to_an_artifact(queue, pilot)
        assert "pinned" in artifact.flags
        await pilot.press("*")
        await settle(pilot)
        assert "Its session is pinned" in toasts(pilot.app)
        assert len(pins(home)) == 1
        detail = queue.detail
        drawn = [detail.render_line(y).text for y in range(detail.size.height)]
        assert any("pinned" in line for line in drawn)


async def test_on_an_artifact_it_is_flagged_taken_back_and_known_to_the_queue(
    home: Path,
) -> None:
    async with browsing(home) as (queue, pilot):
        artifact = await to_an_artifact(queue, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        screen = pilot.app.screen
        assert isinstance(screen, ArtifactScreen)
        await settle(pilot)
        await pilot.press("*")
        assert pins(home) == {artifact.id}
        assert "pinned" in screen.artifact.flags
        await pilot.press("U")
        assert pins(home) == set()
        assert "pinned" not in screen.artifact.flags
        await pilot.press("*", "q")
        await until(pilot, lambda: pilot.app.screen is queue)
        await settle(pilot)
        assert is_marked(queue, artifact.id)


async def test_a_pin_of_the_clean_up_shows_in_its_rows_and_in_the_queue(
    home: Path,
) -> None:
    async with browsing(home) as (queue, pilot):
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, CleanupScreen))
        screen = pilot.app.screen
        assert isinstance(screen, CleanupScreen)
        await until(pilot, lambda: screen.seen is not None)
        await settle(pilot)
        row = screen.plan_list.row
        assert isinstance(row, ChoiceRow)
        await pilot.press("*")
        await settle(pilot)
        await until(pilot, lambda: screen.doing is None)
        assert pins(home) == {row.key}
        drawn = [screen.plan_list.render_line(y).text for y in range(20)]
        assert sum("*" in line[:3] for line in drawn) == 1
        await pilot.press("q")
        await until(pilot, lambda: pilot.app.screen is queue)
        await settle(pilot)
        assert is_marked(queue, row.key)


async def test_pins_that_cannot_be_read_are_told_and_nothing_is_pinned(
    home: Path,
) -> None:
    async with browsing(home) as (queue, pilot):
        await to_an_artifact(queue, pilot)
        folder = home / ".local/state/spillview"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("pins", "pins.copy"):
            (folder / name).write_text("damaged")
        await pilot.press("*")
        await settle(pilot)
        assert "damaged" in toasts(pilot.app)
        assert (folder / "pins").read_text() == "damaged"


async def test_the_palette_offers_it(home: Path) -> None:
    async with browsing(home) as (queue, pilot):
        await to_an_artifact(queue, pilot)
        assert "Pin" in {act.name for act in acts_of(queue)}
