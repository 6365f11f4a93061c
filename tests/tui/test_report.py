"""The report's screen, notes and marks of the queue: what is kept, and what is said."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from textual.widgets import Static

from spillview.catalogue import Catalogue, Query
from spillview.model import Problem
from spillview.places import Places
from spillview.reviewed import call_mark, session_mark
from spillview.state import State
from spillview.text import printable
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from spillview.tui.note import NoteScreen
from spillview.tui.report import ReportScreen
from spillview.tui.report_list import FindingRow
from tests.attacks import make_hostile
from tests.test_report import one_of_each
from tests.tui.fakes import NIGHT_TITLES, FakeCatalogue, a_night, lost_call, settle
from tests.tui.reading import until

SIZE = (120, 40)


def catalogue_of(home: Path) -> Catalogue:
    places = Places.of_home(str(home))
    return Catalogue(places, state=State(places))


def detail(app: SpillviewApp) -> str:
    """The strip under the queue as text."""
    home = app.screen_stack[0]
    assert isinstance(home, HomeScreen)
    strip = home.detail
    rows = strip.make(strip.size.width, strip.size.height)
    return "\n".join("".join(text for text, _ in row) for row in rows)


async def test_a_fault_in_the_report_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no [such] thing")

    one_of_each(tmp_path)
    monkeypatch.setattr("spillview.report.gathering.gather", broken)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("R")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        title = screen.query_one("#report-title", Static)
        await until(pilot, lambda: "no [such] thing" in str(title.render()))
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not screen)


async def test_the_report_leads_with_what_went_on_and_opens_it(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("R")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        await until(pilot, lambda: screen.report is not None)
        await settle(pilot)
        title = str(screen.query_one("#report-title", Static).render())
        assert title == "1 session went on after a failure it never saw"
        first = screen.findings.row
        assert isinstance(first, FindingRow)
        assert first.finding.artifact is not None
        assert first.finding.artifact.found.path == str(made["went_on"].path)
        await pilot.press("c")
        copied = [json.loads(line) for line in app.clipboard.splitlines()]
        assert copied[0]["section"] == "failed_unseen"
        assert copied[-1]["summary"] is True
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, ArtifactScreen)
        assert app.screen.artifact.found.path == str(made["went_on"].path)


async def test_a_finding_without_a_file_opens_nothing(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("R")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        await until(pilot, lambda: screen.report is not None)
        await pilot.press("G", "enter")
        await pilot.pause()
        assert app.screen is screen
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not screen)


async def test_a_note_is_written_shown_and_kept(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("j", "i")
        assert isinstance(app.screen, NoteScreen)
        await pilot.press(*"flaky", "enter")
        await settle(pilot)
        assert "flaky" in detail(app)
        await pilot.press("k", "i", *"ask", "enter")
        await settle(pilot)
        assert "ask" in detail(app)
        await pilot.press("j", "enter")
        await settle(pilot)
        await pilot.press("i", "end", *"!!", "enter")
        await settle(pilot)
        await pilot.press("q")
        await settle(pilot)
        assert "flaky!!" in detail(app)
        await pilot.press("i", *"x", "escape")
        await settle(pilot)
    notes = State(Places.of_home(str(tmp_path))).notes()
    assert sorted(note.text for note in notes.values()) == ["ask", "flaky!!"]
    again = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with again.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "ask" in detail(again)


async def test_an_empty_note_takes_it_back(tmp_path: Path) -> None:
    catalogue = FakeCatalogue(a_night(), titles=NIGHT_TITLES)
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("j", "i", *"[/] x", "enter")
        await settle(pilot)
        assert "[/] x" in detail(app)
        await pilot.press("i", "ctrl+u", "enter")
        await settle(pilot)
        assert "[/] x" not in detail(app)
        assert catalogue.memory.notes() == {}


async def test_a_session_and_a_lost_call_can_be_marked_and_taken_back() -> None:
    call = lost_call(session="build")
    catalogue = FakeCatalogue(a_night(), titles=NIGHT_TITLES, missing=[call])
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("g", "space")
        await settle(pilot)
        mark = session_mark("claude-code", "build")
        assert mark in catalogue.memory.marks
        await pilot.press("u")
        await settle(pilot)
        assert mark not in catalogue.memory.marks
        await pilot.press("m")
        await settle(pilot)
        home = app.screen
        assert isinstance(home, HomeScreen)
        at = home.queue.rows.index(call)
        home.queue.cursor = at
        await pilot.press("space")
        await settle(pilot)
        assert call_mark(call) in catalogue.memory.marks


@pytest.mark.parametrize("keys", [("space",), ("i", "x", "enter")])
async def test_marks_that_do_not_last_are_said_to(keys: tuple[str, ...]) -> None:
    catalogue = FakeCatalogue(a_night(), titles=NIGHT_TITLES)
    catalogue.memory.lasts = False
    catalogue.memory.problems.append(Problem("/state", "cannot be used (\x1b[2J)"))
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("j", *keys)
        await settle(pilot)
        told = [note.message for note in app._notifications]
        assert any("/state: cannot be used (␛[2J)" in each for each in told)


async def test_hostile_texts_are_inert_in_the_report(tmp_path: Path) -> None:
    make_hostile(tmp_path, time.time())
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("R")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        await until(pilot, lambda: screen.report is not None)
        for keys in ("j", "G", "g"):
            await pilot.press(keys)
            await settle(pilot)
            shown = "".join(
                segment.text
                for y in range(24)
                for segment in app.screen._compositor.render_strips()[y]
            )
            assert printable(shown) == shown
        assert app.screen is screen
