"""The clean-up's screens: plan, rules, one yes, undo, and the trash."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.geometry import Offset
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.batches import Batch
from spillview.cleanup.pins import Pins
from spillview.cleanup.rules import Rules
from spillview.cleanup.trash import Trash
from spillview.disk import Disk
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.cleanup.batch_list import BatchDetail, BatchRow, Files
from spillview.tui.cleanup.cleanup import CleanupScreen
from spillview.tui.cleanup.plan_list import ChoiceRow
from spillview.tui.cleanup.trash import TrashScreen
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.footer import Footer
from spillview.tui.home import HomeScreen
from spillview.tui.row_list import RowList

from ..aging import DAY, HOUR, aged, session
from ..stores import OTHER, Made
from ..test_disk import OTHER as ELSEWHERE
from ..test_disk import elsewhere
from .fakes import NOW, settle
from .reading import Bare, is_safe, until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with an old session of three artifacts and one of yesterday."""
    session(tmp_path)
    session(tmp_path, OTHER, age=DAY)
    return tmp_path


def old(home: Path) -> list[Path]:
    """The artifacts that are old enough to go."""
    return sorted(home.rglob("b1000000*.txt"))


@asynccontextmanager
async def planning(
    home: Path, *, size: tuple[int, int] = (100, 30), rules: Rules | None = None
) -> AsyncIterator[tuple[CleanupScreen, Pilot[None]]]:
    """The clean-up of a home, once its plan is there."""
    catalogue = Catalogue(Places.of_home(str(home)))
    screen = CleanupScreen(catalogue, Query(), rules)
    app = Bare(catalogue)
    async with app.run_test(size=size, notifications=True) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.seen is not None)
        await settle(pilot)
        yield screen, pilot


def lines(screen: CleanupScreen | TrashScreen) -> list[str]:
    """Everything that is drawn by the screen's own lines and lists."""
    drawn = []
    for widget in screen.query(
        "CleanupBar, RulesLine, PlanTitles, RowList, ChoiceDetail, TrashBar,"
        " BatchDetail"
    ):
        if widget.display:
            drawn += [widget.render_line(y).text for y in range(widget.size.height)]
    return drawn


def shown(screen: CleanupScreen | TrashScreen) -> str:
    return "\n".join(lines(screen))


def toasts(app: App[Any]) -> str:
    return "\n".join(each.message for each in app._notifications)


async def answer(
    pilot: Pilot[None], key: str, screen: CleanupScreen | TrashScreen
) -> None:
    """Answer the question that is on the screen, and wait for what follows."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
    await pilot.press(key)
    await until(pilot, lambda: pilot.app.screen is screen)
    await settle(pilot)


# The plan


async def test_a_row_has_the_age_of_the_file_under_its_title(home: Path) -> None:
    session(home, "77777777-8888-4777-8666-555555555555", age=0)
    async with planning(home, size=(80, 24)) as (screen, _):
        drawn = lines(screen)
        at = next(n for n, line in enumerate(drawn) if "changed" in line)
        row = next(line for line in drawn if " 4w " in line)
        assert drawn[at].index("changed") + len("changed") == row.index("4w") + 2
        assert drawn[at].index("why") == row.index("session 4w ago, file 4w ago")
        assert "stays: needed by live sessions" in shown(screen)
        assert any(" it was active " in line for line in drawn)
        assert sum("its session is live" in line for line in drawn) <= 1


async def test_a_plan_that_takes_nothing_names_the_keys_that_change_it(
    home: Path,
) -> None:
    async with planning(home, size=(80, 24)) as (screen, pilot):
        assert "[ younger  o age  r orphans" not in shown(screen)
        for _ in range(3):
            await pilot.press("right_square_bracket")
        await until(pilot, lambda: "nothing goes" in shown(screen))
        assert lines(screen)[0].rstrip().endswith("[ younger  o age  r orphans")


async def test_an_empty_trash_says_what_fills_it(tmp_path: Path) -> None:
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    async with Bare(catalogue).run_test(size=(80, 24)) as pilot:
        screen = TrashScreen(catalogue)
        pilot.app.push_screen(screen)
        await until(pilot, lambda: bool(screen.is_mounted and screen.blank.display))
        assert "q goes back; from the queue D plans one" in str(screen.blank.render())


async def test_a_second_click_on_a_row_opens_its_artifact(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.click(screen.plan_list, offset=(20, 2))
        assert pilot.app.screen is screen
        await pilot.click(screen.plan_list, offset=(20, 3), times=2)
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))


async def test_every_artifact_is_listed_with_its_reason(home: Path) -> None:
    async with planning(home) as (screen, _):
        text = shown(screen)
        assert "3 artifacts go" in text
        assert "3 stay" in text
        assert "goes  3 artifacts" in text
        assert "stays: not selected (newer than the rule)  3 artifacts" in text
        assert "its session was last active 4w ago" in text
        assert "goes: its session was last active 4w ago" in text  # the whole reason
        assert all(path.exists() for path in old(home))


async def test_the_rules_can_be_turned_and_cleared(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.press("o")
        assert screen.prompt.line.value == "7d"
        screen.prompt.line.value = "12h"
        await pilot.press("enter")
        await settle(pilot)
        assert screen.rules == Rules(older_than=12 * HOUR)
        assert "6 artifacts go" in shown(screen)
        await pilot.press("n", "2", "enter")
        await settle(pilot)
        assert screen.rules.keep_last == 2
        assert "2 artifacts go" in shown(screen)
        await pilot.press("o")
        screen.prompt.line.value = ""
        await pilot.press("enter")
        await settle(pilot)
        assert screen.rules == Rules(keep_last=2)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert screen.rules.older_than == 7 * DAY
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert screen.rules.older_than == 14 * DAY
        await pilot.press("left_square_bracket", "r")
        await settle(pilot)
        assert screen.rules.older_than == 7 * DAY
        assert screen.rules.orphans


@pytest.mark.parametrize(
    ("key", "typed"),
    [("o", "0d"), ("o", "soon"), ("t", "-5GB"), ("n", "0"), ("z", "x")],
)
async def test_a_value_that_cannot_be_is_refused_and_may_be_typed_again(
    home: Path, key: str, typed: str
) -> None:
    async with planning(home) as (screen, pilot):
        before = screen.rules
        await pilot.press(key)
        screen.prompt.line.value = typed
        await pilot.press("enter")
        await settle(pilot)
        assert screen.rules == before
        assert screen.prompt.display
        assert toasts(screen.app)
        await pilot.press("escape")
        assert not screen.prompt.display
        assert screen.focused is screen.plan_list


async def test_a_click_on_a_rule_asks_for_it(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.click("#rules", offset=(4, 0))
        await until(pilot, lambda: bool(screen.prompt.display))
        assert screen.prompt.rule == "older_than"
        keys = screen.query_one(Footer).keys
        assert [key.words for key in keys] == ["Go", "Cancel"]
        assert "(empty: not used)" in str(screen.prompt.label.render())


async def test_one_file_is_kept_this_time_and_another_for_good(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        first = screen.plan_list.row
        assert isinstance(first, ChoiceRow)
        await pilot.press("x")
        await settle(pilot)
        assert "kept by you this time  1 artifact" in shown(screen)
        assert "2 artifacts go" in shown(screen)
        await pilot.press("p")
        await settle(pilot)
        assert "stays: pinned  1 artifact" in shown(screen)
        assert len(Pins(screen.catalogue.places).all()) == 1
        await pilot.press("D")
        await answer(pilot, "y", screen)
        assert len(old(home)) == 2
        await pilot.press("G")
        while not (
            isinstance(row := screen.plan_list.row, ChoiceRow)
            and row.choice.group == "pinned"
        ):
            await pilot.press("k")
        await pilot.press("p")
        await settle(pilot)
        assert Pins(screen.catalogue.places).all() == {}


async def test_what_goes_and_what_stays_can_be_seen_alone(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.press("v")
        assert "stays:" not in "\n".join(
            line for line in lines(screen) if line.startswith(" stays: k")
        )
        assert len(screen.plan_list.rows) == 4
        await pilot.press("v")
        assert len(screen.plan_list.rows) == 4
        assert "goes  " not in shown(screen)
        await pilot.press("v", "s")
        assert len(screen.plan_list.rows) == 8


async def test_a_home_without_artifacts_says_so(tmp_path: Path) -> None:
    async with planning(tmp_path) as (screen, pilot):
        assert "There are no artifacts here" in str(screen.blank.render())
        await pilot.press("D", "x", "p", "enter", "v")
        assert pilot.app.screen is screen


async def test_pins_that_cannot_be_read_leave_no_plan(home: Path) -> None:
    state = home / ".local/state/spillview"
    state.mkdir(parents=True)
    (state / "pins").write_text("damaged")
    catalogue = Catalogue(Places.of_home(str(home)))
    screen = CleanupScreen(catalogue, Query())
    async with Bare(catalogue).run_test(size=(100, 30)) as pilot:
        pilot.app.push_screen(screen)
        await settle(pilot)
        assert "damaged" in str(screen.blank.render())
        await pilot.press("D")
        assert pilot.app.screen is screen


# Carrying it out


async def test_nothing_is_moved_without_a_yes(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        for key in ("n", "escape"):
            await pilot.press("D")
            await answer(pilot, key, screen)
        assert len(old(home)) == 3
        assert not screen.changed


async def test_a_yes_moves_the_files_and_u_puts_them_back(home: Path) -> None:
    data = {path: path.read_bytes() for path in old(home)}
    async with planning(home) as (screen, pilot):
        await pilot.press("D")
        await answer(pilot, "y", screen)
        assert old(home) == []
        assert "nothing goes" in shown(screen)
        words = toasts(screen.app)
        assert "3 artifacts" in words
        assert "0 B freed" in words
        assert f"undo_cleanup('{screen.last_batch}')" in words
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)
        await settle(pilot)
        assert {path: path.read_bytes() for path in old(home)} == data
        assert "3 artifacts back" in toasts(screen.app)
        assert "3 artifacts go" in shown(screen)


async def test_the_word_in_the_toast_undoes(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.press("D")
        await answer(pilot, "enter", screen)  # No has the focus
        assert len(old(home)) == 3
        await pilot.press("D")
        await answer(pilot, "y", screen)
        assert old(home) == []
        toast = screen.query_one("Toast")
        corner = toast.content_region.offset - toast.region.offset
        spots = [
            corner + Offset(text.index("Undo") + 1, y)
            for y in range(toast.content_region.height)
            if "Undo" in (text := toast.render_line(y).text)
        ]
        await pilot.click("Toast", offset=spots[0])
        await until(pilot, lambda: len(old(home)) == 3)


async def test_what_became_live_since_the_plan_was_shown_stays(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        with open(old(home)[1], "ab") as file:
            file.write(b"more")
        await answer(pilot, "y", screen)
        assert [path.name for path in old(home)] == ["b10000001.txt"]
        assert "could not be removed  1 artifact" in shown(screen)


async def test_a_failure_is_listed_with_its_reason(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = Disk.move

    def failing(self: Disk, folder: int, name: str, into: int, new: str) -> None:
        if name == "b10000001.txt":
            raise OSError(errno.EIO, "broken")
        move(self, folder, name, into, new)

    monkeypatch.setattr(Disk, "move", failing)
    async with planning(home) as (screen, pilot):
        await pilot.press("D")
        await answer(pilot, "y", screen)
        assert [path.name for path in old(home)] == ["b10000001.txt"]
        text = shown(screen)
        assert "could not be removed  1 artifact" in text
        assert "the disk reports an error" in text
        assert "1 artifact could not be removed" in toasts(screen.app)


async def test_a_full_disk_asks_before_anything_is_deleted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Disk, folder: int, name: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Disk, "write", full)
    async with planning(home) as (screen, pilot):
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("y")

        def asked() -> ConfirmScreen | None:
            top = pilot.app.screen
            final = isinstance(top, ConfirmScreen) and top.final
            return top if final and isinstance(top, ConfirmScreen) else None

        await until(pilot, lambda: asked() is not None)
        question = asked()
        assert question is not None
        assert "for good" in question.question
        assert "full" in question.consequence
        await until(pilot, lambda: any(b.has_focus for b in question.query("#no")))
        await answer(pilot, "enter", screen)
        assert len(old(home)) == 3
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, lambda: asked() is not None)
        await answer(pilot, "y", screen)
        await until(pilot, lambda: old(home) == [])


async def test_another_filesystem_without_a_trash_asks_as_well(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not elsewhere(home):
        pytest.skip("needs a second filesystem")
    for folder in (home, *(p for p in home.rglob("*") if p.is_dir())):
        folder.chmod(0o777)
    state = ELSEWHERE / f"spillview-tui-{os.getpid()}"
    places = Places.of_home(str(home))
    monkeypatch.setattr(Places, "state_dir", property(lambda _: str(state)))
    screen = CleanupScreen(Catalogue(places), Query())
    try:
        async with Bare(screen.catalogue).run_test(size=(100, 30)) as pilot:
            pilot.app.push_screen(screen)
            await until(pilot, lambda: screen.seen is not None)
            await pilot.press("D")
            await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
            await pilot.press("y")
            await until(
                pilot,
                lambda: (
                    isinstance(pilot.app.screen, ConfirmScreen)
                    and pilot.app.screen.final
                ),
            )
            await answer(pilot, "n", screen)
            assert len(old(home)) == 3
    finally:
        home.chmod(0o700)
        for path in (*state.rglob("*"), state):
            if path.is_file():
                path.unlink()
        for path in sorted(state.rglob("*"), reverse=True):
            path.rmdir()
        state.rmdir()


# The trash


@asynccontextmanager
async def emptying(home: Path) -> AsyncIterator[tuple[TrashScreen, Pilot[None]]]:
    """The trash of a home after two clean-ups."""
    catalogue = Catalogue(Places.of_home(str(home)))
    clock = iter((time.time() - 3600, time.time() - 3600, time.time(), time.time()))
    trash = Trash(catalogue.places, now=lambda: next(clock))
    found = [a.found for a in catalogue.scan()]
    trash.apply([item for item in found if item.name.startswith("b1")])
    trash.apply([item for item in found if item.name.startswith("b9")])
    screen = TrashScreen(catalogue)
    async with Bare(catalogue).run_test(size=(100, 30), notifications=True) as pilot:
        pilot.app.push_screen(screen)
        await until(pilot, lambda: len(screen.batches) == 2)
        await settle(pilot)
        yield screen, pilot


async def test_the_trash_lists_clean_ups_and_where_their_files_came_from(
    home: Path,
) -> None:
    names = [path.name for path in old(home)]
    async with emptying(home) as (screen, pilot):
        text = shown(screen)
        assert "6 artifacts" in text
        assert "freed once it is emptied" in text
        assert "b90000000.txt" in text
        await pilot.press("j")
        await settle(pilot)
        assert all(name in shown(screen) for name in names)


async def test_what_does_not_fit_is_listed_by_a_command_that_works(home: Path) -> None:
    detail = BatchDetail()
    files = Files.of([(f"/home/b{n}.txt", n) for n in range(9)])
    detail.show("20261130-1", files)
    last = "".join(text for text, _ in detail.make(80, 8)[-1])
    assert last.strip() == "and 2 more of 9; `spillview trash 20261130-1` lists all"


async def test_one_clean_up_is_put_back_and_the_other_emptied(home: Path) -> None:
    async with emptying(home) as (screen, pilot):
        await pilot.press("j", "u")
        await until(pilot, lambda: len(screen.batches) == 1)
        assert len(old(home)) == 3
        await pilot.press("e")
        await answer(pilot, "enter", screen)  # No has the focus
        assert len(screen.batches) == 1
        await pilot.press("e")
        await answer(pilot, "y", screen)
        await until(pilot, lambda: screen.batches == [])
        await settle(pilot)
        assert "freed" in toasts(screen.app)
        assert list(home.rglob("b9000000*.txt")) == []
        assert "The trash is empty" in str(screen.blank.render())
        await pilot.press("u", "e", "E")
        assert pilot.app.screen is screen


async def test_everything_is_emptied_at_once(home: Path) -> None:
    async with emptying(home) as (screen, pilot):
        await pilot.press("E")
        await answer(pilot, "y", screen)
        await until(pilot, lambda: screen.batches == [])
        assert "6 artifacts deleted" in toasts(screen.app)


async def test_a_taken_place_is_said_and_the_rest_is_back(home: Path) -> None:
    taken = old(home)[0]
    async with emptying(home) as (screen, pilot):
        taken.parent.mkdir(parents=True)
        taken.write_text("newer")
        await pilot.press("j", "u")
        await until(pilot, lambda: len(old(home)) == 3)
        await settle(pilot)
        words = toasts(screen.app)
        assert "2 artifacts back" in words
        assert "something else has its place" in words
        assert taken.read_text() == "newer"
        assert len(screen.batches) == 2


# From the queue and back


async def test_the_queue_opens_both_and_u_undoes_the_clean_up(home: Path) -> None:
    catalogue = Catalogue(Places.of_home(str(home)))
    app = SpillviewApp(catalogue, Query())
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("D")
        await until(pilot, lambda: isinstance(app.screen, CleanupScreen))
        screen = app.screen
        assert isinstance(screen, CleanupScreen)
        await until(pilot, lambda: screen.seen is not None)
        await settle(pilot)
        await pilot.press("D")
        await answer(pilot, "y", screen)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(app.screen, TrashScreen))
        await settle(pilot)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await until(pilot, lambda: queue.arrangement.figures.artifacts == 3)
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)
        await until(pilot, lambda: queue.arrangement.figures.artifacts == 6)
        assert queue.last_batch is None


async def test_a_mark_after_the_clean_up_is_what_u_takes_back(home: Path) -> None:
    catalogue = Catalogue.here(Places.of_home(str(home)))
    app = SpillviewApp(catalogue, Query())
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        queue.last_batch = "20260101-000000-0000"
        await pilot.press("j", "space")
        await settle(pilot)
        assert queue.last_batch is None
        assert queue.marks.undoable
        await pilot.press("u")
        await settle(pilot)
        assert not queue.marks.undoable


# What is drawn


async def test_no_name_or_command_reaches_the_terminal_raw(tmp_path: Path) -> None:
    told, _ = session(tmp_path)
    told.clock = time.time() - 30 * DAY
    evil = "\x1b[2J\x1b]52;c;aGk=\x07[/] [@click=app.quit]x[/] \x9b31m \u202e"
    made: Made = told.spills(
        b"x" * 900, command=evil, name=f"b{evil.replace('/', '|')}.txt"
    )
    told.write()
    aged(made.path, 30 * DAY)
    aged(told.transcript, 30 * DAY)
    raw = os.fsencode(made.path.parent) + b"/mcp-\xff\n-1700000000000.txt"
    with open(raw, "wb") as file:
        file.write(b"raw")
    os.utime(raw, (time.time() - 30 * DAY,) * 2)
    async with planning(tmp_path) as (screen, pilot):
        for _ in range(8):
            assert all(is_safe(line) for line in lines(screen))
            await pilot.press("j")
        await pilot.press("D")
        await answer(pilot, "y", screen)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(pilot.app.screen, TrashScreen))
        trash = pilot.app.screen
        assert isinstance(trash, TrashScreen)
        await until(pilot, lambda: bool(trash.batches))
        await settle(pilot)
        assert all(is_safe(line) for line in lines(trash))


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 50)])
async def test_any_size_holds_the_screens(home: Path, size: tuple[int, int]) -> None:
    async with planning(home, size=size) as (screen, pilot):
        assert all(len(line) <= size[0] for line in lines(screen))
        await pilot.press("o", "escape", "D")
        await answer(pilot, "n", screen)
        assert screen.query_one(RowList).size.height > 0


async def test_many_rows_are_moved_through_by_page_group_and_edge(
    tmp_path: Path,
) -> None:
    session(tmp_path, files=60)
    session(tmp_path, OTHER, age=DAY, files=60)
    async with planning(tmp_path) as (screen, pilot):
        rows = screen.plan_list
        assert len(rows.rows) == 122
        await pilot.press("G")
        assert rows.cursor == 121
        await pilot.press("g")
        assert rows.cursor == 1
        await pilot.press("right_curly_bracket")
        assert rows.cursor == 62
        await pilot.press("left_curly_bracket")
        assert rows.cursor == 1
        await pilot.press("f", "f", "f", "f", "f", "f")
        assert rows.cursor > 62
        assert not rows.rows[rows.cursor].heading


def test_a_clean_up_of_a_clock_ahead_is_not_said_to_be_ago() -> None:
    row = BatchRow(Batch("20261130-1", NOW + DAY, 3, 10, "/trash"), NOW)
    text = "".join(part for part, _ in row.runs(80))
    assert " in 1d " in text
    assert "ago" not in text


async def test_the_row_under_the_cursor_is_marked_without_a_colour(home: Path) -> None:
    async with emptying(home) as (screen, pilot):
        rows = screen.batch_list
        for at in range(2):
            marked = [rows.render_line(y).text[:1] for y in range(2)]
            assert marked == ["▌" if y == at else " " for y in range(2)]
            await pilot.press("j")
            await settle(pilot)
