"""A clean-up that is stopped between two artifacts: what was done, what was not."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup import emptying, moving, restoring, trash
from spillview.cleanup.rules import Rules
from spillview.places import Places
from spillview.tui import pacing
from spillview.tui.app import SpillviewApp
from spillview.tui.cleanup.cleanup import CleanupScreen
from spillview.tui.cleanup.trash import TrashScreen
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.home import HomeScreen
from spillview.tui.report.report import ReportScreen

from ..aging import DAY, session
from ..stores import OTHER
from .fakes import settle
from .reading import until
from .test_cleanup import answer, lines, old, planning, toasts


class Gate:
    """Holds a work after its first artifact, until it is let go."""

    def __init__(self) -> None:
        self.reached, self.go = threading.Event(), threading.Event()

    def after(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work`, which then waits."""

        def held(*args: Any) -> Any:
            done = work(*args)
            self.reached.set()
            assert self.go.wait(20)
            return done

        return held


@pytest.fixture
def home(tmp_path: Path) -> Path:
    session(tmp_path)
    session(tmp_path, OTHER, age=DAY)
    return tmp_path


@pytest.fixture
def held(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[ModuleType, str], Gate]:
    """Has a function of a module wait after each artifact."""
    monkeypatch.setattr(pacing, "EVERY", 0.0)

    def hold(module: ModuleType, name: str) -> Gate:
        gate = Gate()
        monkeypatch.setattr(module, name, gate.after(getattr(module, name)))
        return gate

    return hold


def bytes_of(paths: list[Path]) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in paths}


async def test_what_was_moved_when_it_was_stopped_can_be_undone(
    home: Path, held: Callable[[ModuleType, str], Gate]
) -> None:
    before = bytes_of(old(home))
    async with planning(home) as (screen, pilot):
        gate = held(moving, "_one")
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, gate.reached.is_set)
        await until(pilot, lambda: "Esc stops" in lines(screen)[0])
        at = screen.plan_list.cursor
        await pilot.press("j")
        assert screen.plan_list.cursor != at  # keys are answered meanwhile
        await pilot.press("escape")
        assert pilot.app.screen is screen
        assert "stopping …" in lines(screen)[0]
        gate.go.set()
        await settle(pilot)
        assert len(old(home)) == 2
        assert "1 artifact (" in toasts(pilot.app)
        assert "Stopped: 2 more stay where they are." in toasts(pilot.app)
        assert "could not be removed" not in toasts(pilot.app)
        await until(pilot, lambda: screen.plan is not None)
        assert screen.failures == {}
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)
        assert bytes_of(old(home)) == before
        await settle(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is not screen)


async def test_one_that_is_stopped_before_the_first_moves_nothing(
    home: Path, held: Callable[[ModuleType, str], Gate]
) -> None:
    before = bytes_of(old(home))
    async with planning(home) as (screen, pilot):
        gate = Gate()
        looking = screen.own_catalogue

        def held_look() -> Catalogue:
            gate.reached.set()
            assert gate.go.wait(20)
            return looking()

        screen.own_catalogue = held_look  # type: ignore[method-assign] # held for once
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, gate.reached.is_set)
        await pilot.press("escape")
        gate.go.set()
        await until(pilot, lambda: "Stopped: nothing was moved" in toasts(pilot.app))
        await settle(pilot)
        assert bytes_of(old(home)) == before
        assert screen.last_batch is None


async def test_an_undo_that_was_stopped_goes_on_with_the_next(
    home: Path, held: Callable[[ModuleType, str], Gate]
) -> None:
    before = bytes_of(old(home))
    async with planning(home) as (screen, pilot):
        await pilot.press("D")
        await answer(pilot, "y", screen)
        assert old(home) == []
        gate = held(restoring, "_one")
        await pilot.press("u")
        await until(pilot, gate.reached.is_set)
        await pilot.press("escape")
        assert pilot.app.screen is screen
        gate.go.set()
        await settle(pilot)
        assert len(old(home)) == 1
        assert toasts(pilot.app) == (
            "Stopped. 1 artifact back in place. 2 stayed in the trash, and another"
            " undo goes on with them."
        )
        await until(pilot, lambda: screen.doing is None)
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)
        await settle(pilot)
        assert bytes_of(old(home)) == before
        assert screen.last_batch is None


async def test_an_undo_on_the_queue_can_be_stopped_and_gone_on_with(
    home: Path, held: Callable[[ModuleType, str], Gate]
) -> None:
    app = SpillviewApp(Catalogue.here(Places.of_home(str(home))), Query())
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await pilot.press("D")
        screen = app.screen
        assert isinstance(screen, CleanupScreen)
        await until(pilot, lambda: screen.seen is not None)
        await settle(pilot)
        await pilot.press("D")
        await answer(pilot, "y", screen)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is queue)
        gate = held(restoring, "_one")
        await pilot.press("u")
        await until(pilot, gate.reached.is_set)
        await until(pilot, lambda: "Esc stops" in queue.top.render_line(0).text)
        await pilot.press("escape")
        gate.go.set()
        await until(pilot, lambda: "Stopped. 1 artifact back" in toasts(app))
        await settle(pilot)
        assert len(old(home)) == 1
        assert "stopping" not in queue.top.render_line(0).text
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)
        await settle(pilot)
        assert queue.last_batch is None


async def test_an_undo_of_the_report_makes_it_anew(home: Path) -> None:
    app = SpillviewApp(Catalogue.here(Places.of_home(str(home))), Query())
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await pilot.press("D")
        screen = app.screen
        assert isinstance(screen, CleanupScreen)
        await until(pilot, lambda: screen.seen is not None)
        await settle(pilot)
        await pilot.press("D")
        await answer(pilot, "y", screen)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is queue)
        await pilot.press("R")
        report = app.screen
        assert isinstance(report, ReportScreen)
        await until(pilot, lambda: report.report is not None)
        await settle(pilot)
        made = report.report
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)
        await until(pilot, lambda: report.report is not made)
        await settle(pilot)
        assert queue.last_batch is None
        assert toasts(app) == "3 artifacts back in place."


async def test_emptying_that_is_stopped_leaves_the_rest_to_put_back(
    home: Path, held: Callable[[ModuleType, str], Gate]
) -> None:
    before = bytes_of(old(home))
    async with planning(home) as (planned, pilot):
        await pilot.press("D")
        await answer(pilot, "y", planned)
        await pilot.press("T")
        screen = pilot.app.screen
        assert isinstance(screen, TrashScreen)
        await settle(pilot)
        gate = held(emptying, "_delete")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, gate.reached.is_set)
        await pilot.press("escape")
        assert pilot.app.screen is screen
        gate.go.set()
        await until(pilot, lambda: "Stopped. 1 artifact deleted" in toasts(pilot.app))
        assert "is still in the trash" in toasts(pilot.app)
        await settle(pilot)
        assert [batch.items for batch in screen.batches] == [2]
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 2)
        kept = bytes_of(old(home))
        assert kept.items() <= before.items()


@pytest.mark.parametrize("done", [0, 1, 2])
def test_what_deleting_for_good_did_not_come_to_can_be_put_back(
    home: Path, done: int
) -> None:
    catalogue = Catalogue(Places.of_home(str(home)))
    from spillview.cleanup.cleanup import prospect

    plan = prospect(catalogue, Query(), Rules(older_than=7 * DAY)).plan
    found = [choice.artifact.found for choice in plan.remove]
    told: list[tuple[int, int]] = []
    applied = trash.Trash(catalogue.places).delete(
        found,
        progress=lambda *pace: told.append(pace),
        cancelled=lambda: len(told) >= done,
    )
    assert applied.moved == ()
    reasons = Counter(each.reason for each in applied.failed)
    kept = f"it is in the trash: {moving.STOPPED}"
    assert reasons == Counter({moving.STOPPED: 3 - done, kept: done})
    assert len(old(home)) == 3 - done
    undone = trash.Trash(catalogue.places).undo()
    assert len(undone.restored) == done
    assert len(old(home)) == 3
