"""Keys for acting: prompt, resume command, tmux pane; in the queue, on an artifact."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from spillview.review.tmux_panes import Pane, Search, Sought
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from tests.stores import SESSION, Claude, log_of
from tests.tui.reading import until


def app_on(home: Path) -> SpillviewApp:
    run = Claude(home)
    run.spills(log_of(400) + b"error: 3 tests FAILED\n", command="make test")
    run.says("All good.")
    run.spills(b"lost " * 9000, command="make lost", write=False)
    run.write()
    catalogue = Catalogue(Places.of_home(str(home)), now=lambda: 1_795_000_300.0)
    return SpillviewApp(catalogue, Query(paths=(str(home),)))


def ready(app: SpillviewApp) -> bool:
    screen = app.screen
    return isinstance(screen, HomeScreen) and bool(screen.material.sessions)


async def test_p_and_capital_y_copy_from_the_queue_and_from_the_artifact(
    tmp_path: Path,
) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(110, 34)) as pilot:
        await until(pilot, lambda: ready(app))
        await pilot.press("a", "s", "p")
        await until(pilot, lambda: "make test" in app.clipboard)
        assert "error: 3 tests FAILED" in app.clipboard
        assert "| All good." in app.clipboard
        await pilot.press("Y")
        await until(pilot, lambda: "claude --resume" in app.clipboard)
        assert app.clipboard == f"cd /srv/app && claude --resume {SESSION}"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ArtifactScreen))
        await pilot.press("p")
        await until(pilot, lambda: app.clipboard.startswith("Correction"))
        await pilot.press("Y")
        await until(pilot, lambda: app.clipboard.startswith("cd /srv/app"))


async def test_a_lost_result_has_its_prompt_too(tmp_path: Path) -> None:
    app = app_on(tmp_path)
    async with app.run_test(size=(110, 34)) as pilot:
        await until(pilot, lambda: ready(app))
        await pilot.press("a", "m", "G", "p")
        await until(pilot, lambda: "make lost" in app.clipboard)
        assert "its full output is gone" in app.clipboard


async def test_t_shows_the_pane_only_when_it_is_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = Pane("%7", 1, "$0", "0", "/srv/app")
    asked: list[Sought] = []
    shown: list[str] = []

    def look(sought: Sought) -> Search:
        asked.append(sought)
        return Search(
            (pane,), "open", "A process in pane %7 holds its transcript open."
        )

    def show(found: Pane, env: object) -> str:
        shown.append(found.id)
        return "Pane %7 is shown; nothing was typed into it."

    monkeypatch.setattr("spillview.review.acting.find_pane", look)
    monkeypatch.setattr("spillview.review.tmux_panes.open_pane", show)
    monkeypatch.setenv("TMUX", "/tmp/s,1,0")
    app = app_on(tmp_path)
    async with app.run_test(size=(110, 34)) as pilot:
        await until(pilot, lambda: ready(app))
        await pilot.press("a", "j", "enter")
        assert not asked
        await pilot.press("t")
        await until(pilot, lambda: shown == ["%7"])
        assert asked[0].program == "claude"
        assert asked[0].folder == "/srv/app"
        facts = (tmp_path / ".claude/projects/-srv-app" / f"{SESSION}.jsonl").stat()
        assert (facts.st_dev, facts.st_ino) in asked[0].files


async def test_outside_tmux_the_command_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = Pane("%7", 1, "$0", "0", "/srv/app")
    monkeypatch.setattr(
        "spillview.review.acting.find_pane",
        lambda sought: Search((pane,), "runs", "It runs."),
    )
    monkeypatch.delenv("TMUX", raising=False)
    app = app_on(tmp_path)
    async with app.run_test(size=(110, 34)) as pilot:
        await until(pilot, lambda: ready(app))
        await pilot.press("a", "s", "t")
        await until(pilot, lambda: app.clipboard.startswith("tmux select-window"))
