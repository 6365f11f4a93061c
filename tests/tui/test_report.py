"""The report's screen, notes and marks of the queue: what is kept, and what is said."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cli import main
from spillview.model import Artifact, Problem
from spillview.places import Places
from spillview.report import gathering
from spillview.report.findings import Finding, Report
from spillview.review.reviewed import call_mark, session_mark
from spillview.review.state import State
from spillview.text import printable
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.cleanup.cleanup import CleanupScreen
from spillview.tui.cleanup.trash import TrashScreen
from spillview.tui.home import HomeScreen
from spillview.tui.palette import acts_of
from spillview.tui.report.report import ReportScreen
from spillview.tui.report.report_list import FindingRow
from spillview.tui.review.note import NoteScreen
from tests.attacks import make_hostile
from tests.test_report import one_of_each
from tests.tui.fakes import NIGHT_TITLES, FakeCatalogue, a_night, lost_call, settle
from tests.tui.reading import until

SIZE = (120, 40)


def catalogue_of(home: Path) -> Catalogue:
    places = Places.of_home(str(home))
    return Catalogue(places, state=State(places))


def age(home: Path, seconds: float, now: float | None = None) -> None:
    """Let every file below be as old as that."""
    at = (time.time() if now is None else now) - seconds
    for folder, _, names in os.walk(home):
        for name in names:
            os.utime(os.path.join(folder, name), (at, at))


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


async def report_of(pilot: Pilot[None]) -> ReportScreen:
    """The report's screen over the queue, once it is made."""
    await settle(pilot)
    await pilot.press("R")
    screen = pilot.app.screen
    assert isinstance(screen, ReportScreen)
    await until(pilot, lambda: screen.report is not None)
    await settle(pilot)
    return screen


def found(screen: ReportScreen) -> Finding:
    """The finding under the cursor."""
    row = screen.findings.row
    assert isinstance(row, FindingRow)
    return row.finding


def offered(screen: Screen[Any]) -> dict[str, str]:
    """What the footer and the help offer: names of keys by key."""
    active = screen.active_bindings.values()
    return {each.binding.key: each.binding.description for each in active}


def marks_of(home: Path) -> dict[str, float]:
    return State(Places.of_home(str(home))).reviewed()


async def go_to(pilot: Pilot[None], screen: ReportScreen, section: str) -> None:
    """Put the cursor on the first finding of a section, of any time if need be."""
    assert screen.report is not None
    if not any(each.section == section for each in screen.report.findings):
        await pilot.press("a")
        await until(pilot, lambda: screen.report is not None)
        await settle(pilot)
    await pilot.press("g")
    for _ in screen.findings.rows:
        if found(screen).section == section:
            break
        await pilot.press("j")
    await settle(pilot)
    assert found(screen).section == section


async def test_leaving_an_artifact_comes_back_to_its_row(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        for key in ("q", "escape"):
            await go_to(pilot, screen, "signals_unseen")
            await pilot.press("enter")
            await settle(pilot)
            assert type(app.screen) is ArtifactScreen
            await pilot.press(key)
            await until(pilot, lambda: app.screen is screen)
            await settle(pilot)
            assert found(screen).section == "signals_unseen"
        await go_to(pilot, screen, "failed_unseen")
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("J", "J")
        await settle(pilot)
        opened: Screen[Any] = app.screen
        assert isinstance(opened, ArtifactScreen)
        third = opened.artifact.id
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        artifact = found(screen).artifact
        assert artifact is not None
        assert artifact.id == third


async def test_a_mark_made_on_the_artifact_shows_on_its_row(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        first = found(screen).artifact
        assert first is not None
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("space", "q")
        await settle(pilot)
        rows = [r for r in screen.findings.rows if isinstance(r, FindingRow)]
        assert [r.reviewed for r in rows[:2]] == [True, False]
        assert first.id in marks_of(tmp_path)


async def test_space_marks_a_row_and_u_takes_it_back(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        first = found(screen).artifact
        assert first is not None
        assert "u" not in offered(screen)
        await pilot.press("space")
        await settle(pilot)
        assert list(marks_of(tmp_path)) == [first.id]
        row = screen.findings.rows[1]
        assert "".join(text for text, _ in row.runs(60)).startswith(" ✓ ")
        assert found(screen).artifact is not first
        await pilot.press("u")
        await settle(pilot)
        assert marks_of(tmp_path) == {}
        assert found(screen).artifact is not None
        assert screen.findings.row == screen.findings.rows[1]
        await go_to(pilot, screen, "dangling")
        call = found(screen).call
        assert call is not None
        await pilot.press("space")
        await settle(pilot)
        assert list(marks_of(tmp_path)) == [call_mark(call)]


async def test_the_queue_shows_and_takes_back_what_the_report_marked(
    tmp_path: Path,
) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        first = found(screen).artifact
        assert first is not None
        await pilot.press("space", "q")
        await settle(pilot)
        home = app.screen
        assert isinstance(home, HomeScreen)
        shown = {a.id: a for s in home.material.sessions for a in s.artifacts}
        assert shown[first.id].reviewed is not None
        await pilot.press("u")
        await settle(pilot)
        assert marks_of(tmp_path) == {}


async def test_done_finishes_the_review_and_undo_takes_all_of_it_back(
    tmp_path: Path,
) -> None:
    one_of_each(tmp_path)
    catalogue = catalogue_of(tmp_path)
    paths = (str(tmp_path),)
    app = SpillviewApp(catalogue, Query(paths=paths))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await report_of(pilot)
        made = screen.report
        assert made is not None
        assert offered(screen)["d"] == "Done"
        await pilot.press("space")  # held from here on
        held = catalogue.last_review(paths)
        await pilot.press("d")
        await settle(pilot)
        assert catalogue.last_review(paths) == made.made
        assert {mark for mark, _ in made.covered} <= set(marks_of(tmp_path))
        [toast] = [note.message for note in app._notifications]
        assert toast.startswith(f"{len(made.covered):,} artifacts and missing calls")
        assert "screen.undo" in toast
        assert "d" not in offered(screen)
        await pilot.press("u")
        await settle(pilot)
        assert catalogue.last_review(paths) == held
        assert len(marks_of(tmp_path)) == 1  # the one before it
        assert offered(screen)["d"] == "Done"


async def test_a_finished_review_stands_when_the_queue_is_marked(
    tmp_path: Path,
) -> None:
    one_of_each(tmp_path)
    catalogue = catalogue_of(tmp_path)
    paths = (str(tmp_path),)
    app = SpillviewApp(catalogue, Query(paths=paths))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        await pilot.press("d", "q")
        await settle(pilot)
        assert screen.report is not None
        await pilot.press("j", "space")
        await settle(pilot)
        assert catalogue.last_review(paths) == screen.report.made
        await pilot.press("u", "u")
        await settle(pilot)
        last = catalogue.last_review(paths)
        assert last is None or last < screen.report.made
        assert marks_of(tmp_path) == {}


async def test_after_a_finished_review_the_queue_stands_on_what_is_left(
    tmp_path: Path,
) -> None:
    app = SpillviewApp(FakeCatalogue(a_night(), titles=NIGHT_TITLES))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        home = app.screen
        assert isinstance(home, HomeScreen)
        await pilot.press("j")
        await settle(pilot)
        here = home.queue.row
        assert isinstance(here, Artifact)
        others = [a for a in home.material.every() if a.id != here.id]
        left = others.pop()
        app.push_screen(Screen())
        await pilot.pause()
        home.marks.mark([here, *others], home.catalogue.now())
        app.pop_screen()
        await settle(pilot)
        now = home.queue.row
        assert isinstance(now, Artifact)
        assert now.id == left.id


async def test_done_before_the_report_stands_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    made = gathering.gather

    def slow(*args: Any, **more: Any) -> Report:
        go_on.wait(10)
        return made(*args, **more)

    monkeypatch.setattr(gathering, "gather", slow)
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("R")
        await until(pilot, lambda: isinstance(app.screen, ReportScreen))
        await pilot.press("d")
        await pilot.pause()
        toasts = [each.message for each in app._notifications]
        go_on.set()
        assert any("still being made" in toast for toast in toasts)
        await settle(pilot)


async def test_a_header_that_does_not_fit_ends_in_an_ellipsis(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await report_of(pilot)
        assert "…" not in str(screen.period_line.render())
        screen._said = "word " * 100 + "end"
        await pilot.resize_terminal(60, 24)
        await pilot.pause()
        lines = str(screen.period_line.render()).splitlines()
        assert len(lines) == 3
        assert lines[-1].endswith("…")
        await pilot.resize_terminal(300, 24)
        await pilot.pause()
        assert str(screen.period_line.render()).endswith("end")


async def test_a_note_and_a_prompt_belong_to_the_row(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        await pilot.press("i", *"ask [him]", "enter")
        await settle(pilot)
        strip = screen.detail.make(80, 5)
        assert "ask [him]" in "".join(text for row in strip for text, _ in row)
        await pilot.press("p")
        await until(pilot, lambda: "make test" in app.clipboard)
        await pilot.press("Y")
        await settle(pilot)
        assert "claude --resume" in app.clipboard
        await go_to(pilot, screen, "dangling")
        await pilot.press("p")
        await until(pilot, lambda: "make gone" in app.clipboard)


async def test_rows_of_the_disk_offer_the_clean_up_and_the_trash(
    tmp_path: Path,
) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await report_of(pilot)
        assert offered(screen)["enter"] == "Open"
        await pilot.press("G")
        await settle(pilot)
        assert found(screen).more["what"] == "plan"
        keys = offered(screen)
        assert keys["enter"] == "Clean"
        assert not {"space", "i", "p", "Y", "t"} & set(keys)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, CleanupScreen)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        assert found(screen).more["what"] == "plan"
        await pilot.press("k")
        await settle(pilot)
        assert found(screen).more["what"] == "trash"
        assert "enter" not in offered(screen)  # it is empty


async def test_a_clean_up_from_the_report_is_taken_back_there(tmp_path: Path) -> None:
    made = one_of_each(tmp_path)
    age(tmp_path, 30 * 86_400)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        await pilot.press("G", "enter")
        await settle(pilot)
        clean = app.screen
        assert isinstance(clean, CleanupScreen)
        await until(pilot, lambda: clean.plan is not None)
        await pilot.press("D")
        await settle(pilot)
        await pilot.press("y")
        await until(pilot, lambda: clean.last_batch is not None)
        await settle(pilot)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await settle(pilot)
        assert not made["went_on"].path.exists()
        await pilot.press("G", "k")
        await until(pilot, lambda: offered(screen).get("enter") == "Trash")
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, TrashScreen)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("u")
        await until(pilot, made["went_on"].path.exists)


async def test_a_lost_call_has_nothing_to_open(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await report_of(pilot)
        await go_to(pilot, screen, "dangling")
        assert "enter" not in offered(screen)
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is screen
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not screen)


async def test_the_period_is_that_of_review_in_the_same_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one_of_each(tmp_path)
    monkeypatch.setattr("time.time", lambda: 1_795_936_500.0)
    age(tmp_path, 0, now=1_795_936_500.0)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await report_of(pilot)
        told = str(screen.period_line.render())
        await pilot.press("a")
        await until(pilot, lambda: screen.report is not None)
        await settle(pilot)
        whole = str(screen.period_line.render())
    assert main(["review", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    period = told.split(" · ")[0]
    assert printed.startswith(f"Review {period}: ")
    assert period.startswith("from 18:00 yesterday to ")
    assert whole.startswith("everything up to ")
    for line in (told, whole):
        assert ". ·" not in line


async def test_the_palette_offers_what_the_keys_do(tmp_path: Path) -> None:
    one_of_each(tmp_path)
    app = SpillviewApp(catalogue_of(tmp_path), Query(paths=(str(tmp_path),)))
    async with app.run_test(size=SIZE) as pilot:
        screen = await report_of(pilot)
        offers = [act.name for act in acts_of(screen)]
        assert {"Open", "Reviewed", "Done", "Note", "Prompt", "Resume"} <= set(offers)
        assert "Clean" not in offers


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
