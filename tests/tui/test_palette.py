"""The command palette: go to any artifact or session, run what applies now."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
from textual.command import CommandList, CommandPalette, Hit
from textual.pilot import Pilot
from textual.screen import Screen

from spillview.model import Session
from spillview.tui.app import SpillviewApp
from spillview.tui.home import HomeScreen
from spillview.tui.keymap import bindings
from spillview.tui.palette import AT_FIRST, QueueCommands, acts_of
from tests.tui.fakes import NIGHT_TITLES, FakeCatalogue, a_night, settle


class Opened(Screen[None]):
    """Stands for the artifact screen."""

    given: tuple[Any, ...] = ()

    def __init__(self, *given: Any) -> None:
        super().__init__()
        Opened.given = given


@pytest.fixture(autouse=True)
def artifact_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("spillview.tui.artifact.artifact")
    module.ArtifactScreen = Opened  # type: ignore[attr-defined] # a stand-in
    monkeypatch.setitem(sys.modules, "spillview.tui.artifact.artifact", module)
    Opened.given = ()


def app_of_a_night() -> SpillviewApp:
    return SpillviewApp(FakeCatalogue(a_night(), titles=NIGHT_TITLES))


async def provider_of(pilot: Pilot[None]) -> QueueCommands:
    provider = QueueCommands(pilot.app.screen)
    await provider.startup()
    return provider


async def hits(provider: QueueCommands, query: str) -> list[Hit]:
    found = [hit async for hit in provider.search(query)]
    assert all(isinstance(hit, Hit) for hit in found)
    return [hit for hit in found if isinstance(hit, Hit)]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("npm build", "npm run build"),
        ("build npm", "npm run build"),
        ("shop npm", "npm run build"),
        ("pytset", "pytest -q"),
        ("toolu_cat", "cat data.json"),
    ],
)
async def test_words_in_any_order_and_with_a_typo_find_an_artifact(
    typed: str, wanted: str
) -> None:
    app = app_of_a_night()
    async with app.run_test() as pilot:
        await settle(pilot)
        found = await hits(await provider_of(pilot), typed)
        assert any(wanted in str(hit.match_display) for hit in found[:3])


async def test_what_matches_nothing_gives_nothing() -> None:
    app = app_of_a_night()
    async with app.run_test() as pilot:
        await settle(pilot)
        assert await hits(await provider_of(pilot), "zzzqqq") == []


async def test_before_anything_is_typed_the_worst_are_offered() -> None:
    app = app_of_a_night()
    async with app.run_test() as pilot:
        await settle(pilot)
        provider = await provider_of(pilot)
        offered = [str(hit.display) async for hit in provider.discover()]  # type: ignore[union-attr] # discovery hits
        assert offered[0].startswith("✗ Bash  npm run build")
        assert len(offered) <= AT_FIRST


async def test_choosing_an_artifact_opens_it() -> None:
    app = app_of_a_night()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        found = await hits(await provider_of(pilot), "pytest")
        found[0].command()
        await pilot.pause()
        _, artifacts, index = Opened.given
        assert artifacts[index].command == "pytest -q"


async def test_choosing_a_session_goes_to_its_header() -> None:
    app = app_of_a_night()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        home = app.screen
        assert isinstance(home, HomeScreen)
        await pilot.press("s")
        found = await hits(await provider_of(pilot), "session tests")
        wanted = [hit for hit in found if "Speed up" in str(hit.match_display)]
        wanted[0].command()
        await pilot.pause()
        row = home.queue.row
        assert isinstance(row, Session)
        assert row.id == "tests"


async def test_the_palette_opens_shows_and_runs() -> None:
    app = app_of_a_night()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)
        await pilot.press(*"npm")
        for _ in range(100):
            await pilot.pause(0.02)
            options = app.screen.query_one(CommandList)
            if options.option_count and options.highlighted is not None:
                break
        await pilot.press("enter", "enter")
        for _ in range(100):
            await pilot.pause(0.02)
            if Opened.given:
                break
        _, artifacts, index = Opened.given
        assert artifacts[index].command == "npm run build"


async def test_no_command_is_a_second_way_of_a_key() -> None:
    app = app_of_a_night()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("", "question_mark", "enter"):
            if key:
                await pilot.press(key)
                await settle(pilot)
            commands = list(app.get_system_commands(app.screen))
            titles = [command.title for command in commands]
            assert len(set(titles)) == len(titles)
            assert not {"Keys", "Maximize", "Minimize", "Screenshot"} & set(titles)
            names = {act.name for act in acts_of(app.screen)}
            assert not names & set(titles)
            assert [c.title for c in commands if not c.help] == []


def test_every_key_says_in_the_palette_what_it_does() -> None:
    silent = [name for name, binding in bindings().items() if not binding.tooltip]
    assert silent == []


async def test_keys_that_apply_are_commands_too() -> None:
    app = app_of_a_night()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        acts = {act.name: act for act in acts_of(app.screen)}
        assert {"Flat", "Filter", "Quit", "Down", "Half a page down"} <= acts.keys()
        assert acts["Flat"].display.plain.startswith("Flat  s\n")
        assert acts["Down"].keys == "j ↓"
        home = app.screen
        assert isinstance(home, HomeScreen)
        await acts["Flat"].run()
        await pilot.pause()
        assert home.view.flat
