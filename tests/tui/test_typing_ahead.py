"""Keys that arrive at once do what they do when they are typed one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.app import ComposeResult
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Input

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from spillview.tui.pager.pager import Pager
from spillview.tui.typing_ahead import TypingAhead
from tests.tui.reading import until

NAMES = ("alpha.txt", "build.txt", "ccc.txt")


@pytest.fixture
def app(tmp_path: Path) -> SpillviewApp:
    folder = tmp_path / "out"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_bytes(b"one\nerror two\nthree\n")
    places = Places.of_home(str(tmp_path / "home"))
    return SpillviewApp(Catalogue(places), Query(paths=(str(folder),)))


def burst(app: TypingAhead, text: str) -> None:
    """Let all the keys arrive before anything is done about the first."""
    assert app._driver is not None
    for character in text:
        key = {"\r": "enter", "\x1b": "escape"}.get(
            character, _character_to_key(character)
        )
        app._driver.send_message(events.Key(key, character))


def home_of(app: SpillviewApp) -> HomeScreen:
    screen = app.screen_stack[0]
    assert isinstance(screen, HomeScreen)
    return screen


async def listed(app: SpillviewApp, pilot: Pilot[None]) -> HomeScreen:
    home = home_of(app)
    await until(pilot, lambda: len(home.arrangement.artifacts) == len(NAMES))
    await pilot.pause()
    return home


async def test_a_filter_typed_at_once_is_no_row_of_commands(app: SpillviewApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        home = await listed(app, pilot)
        before = home.view
        burst(app, "/ build \r")
        await until(pilot, lambda: len(home.arrangement.artifacts) == 1)
        assert [a.found.name for a in home.arrangement.artifacts] == ["build.txt"]
        assert all(a.reviewed is None for a in home.arrangement.artifacts)
        assert home.view.sort == before.sort
        assert home.view.all_time == before.all_time


async def test_a_search_typed_at_once_into_an_artifact_finds_its_hit(
    app: SpillviewApp,
) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await listed(app, pilot)
        burst(app, "\r")
        await until(pilot, lambda: isinstance(app.screen, ArtifactScreen))
        screen = app.screen
        assert isinstance(screen, ArtifactScreen)
        await until(pilot, lambda: screen.is_mounted and bool(screen.query(Pager)))
        await until(pilot, lambda: screen.full.document is not None)
        burst(app, "/two\r")
        await until(pilot, lambda: screen.full.cursor == 4)
        burst(app, ":3\rq")
        await until(pilot, lambda: app.screen is home_of(app))


class Slow(TypingAhead):
    """Its input takes the focus a moment after it was asked for."""

    def compose(self) -> ComposeResult:
        yield Input(id="first")
        yield Input(id="second")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        self.query_one("#second", Input).focus()


async def test_keys_keep_their_order_and_none_is_lost() -> None:
    app = Slow()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        burst(app, "abc def\rghi jkl")
        second = app.query_one("#second", Input)
        await until(pilot, lambda: second.value == "ghi jkl")
        assert app.query_one("#first", Input).value == "abc def"


class Stuck(Slow):
    """What one key starts does not end for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        await self.gate.wait()


async def test_a_key_whose_work_does_not_end_holds_up_nothing_for_long() -> None:
    app = Stuck()
    async with app.run_test() as pilot:
        first = app.query_one("#first", Input)
        first.focus()
        await pilot.pause()
        asyncio.get_running_loop().call_later(1.0, app.gate.set)
        burst(app, "a\rb")
        await until(pilot, lambda: first.value == "ab")


@pytest.mark.parametrize("widget", ["#first", "#second"])
async def test_a_widget_removed_by_a_key_stops_no_key_after_it(widget: str) -> None:
    app = Slow()
    async with app.run_test() as pilot:
        target = app.query_one(widget, Input)
        target.focus()
        await pilot.pause()
        remove: Callable[[], object] = target.remove
        burst(app, "x")
        remove()
        burst(app, "yz")
        other = app.query_one("#second" if widget == "#first" else "#first", Input)
        other.focus()
        burst(app, "k")
        await until(pilot, lambda: other.value.endswith("k"))
