"""A review that is done: marked by a worker, stopped with nothing marked, undone."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from spillview.catalogue.catalogue import Query
from spillview.errors import Cancelled
from spillview.places import Places
from spillview.report import finishing
from spillview.report.findings import Report
from spillview.review.state import State
from spillview.tui.app import SpillviewApp
from spillview.tui.review import taking_back
from tests.test_report import one_of_each
from tests.tui.fakes import settle
from tests.tui.reading import until
from tests.tui.test_report import SIZE, catalogue_of, marks_of, report_of


class Held(State):
    """A state whose marks are written only when they are let go."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.hold = False
        self.reached, self.go = threading.Event(), threading.Event()

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        """Wait, once it is held."""
        super().mark_reviewed(ids, when)
        if self.hold:
            self.reached.set()
            assert self.go.wait(20)


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "STEP", 1)
    monkeypatch.setattr(taking_back, "AT_ONCE", 1)


def said(app: SpillviewApp) -> list[str]:
    return [each.message for each in app._notifications]


@pytest.mark.usefixtures("one_by_one")
async def test_keys_work_while_it_is_marked_and_escape_leaves_it_undone(
    tmp_path: Path,
) -> None:
    one_of_each(tmp_path)
    catalogue = catalogue_of(tmp_path)
    state = catalogue.state = Held(catalogue.places)
    app = SpillviewApp(catalogue, Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await report_of(pilot)
        before = marks_of(tmp_path), state.last_review((str(tmp_path),))
        title = str(screen.title_line.render())
        state.hold = True
        await pilot.press("d")
        await until(pilot, state.reached.is_set)
        row = screen.findings.cursor
        await pilot.press("j")
        assert screen.findings.cursor != row  # the marking waits, and keys do not
        await pilot.press("escape")
        assert app.screen is screen
        assert str(screen.title_line.render()) == "stopping …"
        state.hold = False
        state.go.set()
        await settle(pilot)
        assert said(app) == ["Stopped: nothing is marked, the review is not done."]
        assert str(screen.title_line.render()) == title
        after = marks_of(tmp_path), state.last_review((str(tmp_path),))
        assert after == before
        await pilot.press("d")
        await settle(pilot)
        assert len(marks_of(tmp_path)) > len(before[0])
        assert screen.done is not None
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not screen)
    catalogue.close()


@pytest.mark.usefixtures("one_by_one")
async def test_a_review_is_open_again_after_an_undo_in_the_background(
    tmp_path: Path,
) -> None:
    one_of_each(tmp_path)
    catalogue = catalogue_of(tmp_path)
    state = catalogue.state = Held(catalogue.places)
    app = SpillviewApp(catalogue, Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await report_of(pilot)
        before = marks_of(tmp_path)
        await pilot.press("d")
        await settle(pilot)
        number = len(marks_of(tmp_path)) - len(before)
        assert number > 1
        state.hold = True
        await pilot.press("u")
        await until(pilot, state.reached.is_set)
        assert screen.taking_back
        await pilot.press("u", "q")  # there is nothing more; it is waited for
        assert app.screen is screen
        state.hold = False
        state.go.set()
        await settle(pilot)
        assert said(app) == [
            f"The review is open again: its {number} marks are taken back."
        ]
        assert marks_of(tmp_path) == before
        assert screen.done is None
        assert not screen.taking_back
    catalogue.close()


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_review_stopped_between_two_marks_is_as_if_never_begun(
    tmp_path: Path, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finishing, "STEP", 2)
    state = State(Places.of_home(str(tmp_path)))
    state.mark_reviewed(["b", "other"], 5.0)
    covered = [(mark, 50.0) for mark in "abcdefghij"]
    report = cast(Report, SimpleNamespace(made=100.0, covered=covered))
    told: list[tuple[int, int]] = []

    def stop() -> bool:
        return len(told) >= steps

    with pytest.raises(Cancelled):
        finishing.finish(
            state,
            Query(),
            report,
            progress=lambda done, total: told.append((done, total)),
            cancelled=stop,
        )
    assert told == [(2, 10), (4, 10), (6, 10)][:steps]
    assert state.reviewed() == {"b": 5.0, "other": 5.0}
    assert state.last_review() is None
    assert state.last_done() is None
    done = finishing.finish(state, Query(), report)
    assert state.reviewed() == {"other": 5.0, **dict.fromkeys("abcdefghij", 100.0)}
    assert (done.marked, done.left) == (10, 0)
    state.close()
