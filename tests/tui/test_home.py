"""The home screen: what stands there at once, and what each key does."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import HelpPanel

from spillview.catalogue.catalogue import Query
from spillview.model import Artifact, Missing, Problem, Session
from spillview.tui.app import SpillviewApp
from spillview.tui.footer import Footer
from spillview.tui.help import LiveHelp
from spillview.tui.home import HomeScreen
from spillview.tui.problems import ProblemsScreen
from spillview.tui.queue import columns
from spillview.tui.runs import Lines
from tests.tui.fakes import (
    HOUR,
    NIGHT_TITLES,
    NOW,
    Facts,
    FakeCatalogue,
    a_night,
    lost_call,
    settle,
    taken_back,
    whole,
)
from tests.tui.reading import until

SIZE = (120, 40)


class Opened(Screen[Artifact | None]):
    """Stands for a screen that is opened from here; remembers how."""

    last: Opened | None = None

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__()
        self.given = given
        Opened.last = self


@pytest.fixture(autouse=True)
def other_screens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The artifact and search screens have tests of their own."""
    for room, cls in (("artifact", "ArtifactScreen"), ("search", "SearchScreen")):
        name = f"spillview.tui.{room}.{room}"
        module = ModuleType(name)
        setattr(module, cls, Opened)
        monkeypatch.setitem(sys.modules, name, module)
    Opened.last = None


def night(**more: Any) -> FakeCatalogue:
    more.setdefault("titles", NIGHT_TITLES)
    return FakeCatalogue(a_night(), **more)


def home_of(app: SpillviewApp) -> HomeScreen:
    screen = app.screen_stack[0]
    assert isinstance(screen, HomeScreen)
    return screen


def text_of(widget: Lines) -> str:
    return "\n".join(
        widget.render_line(y).text.rstrip() for y in range(widget.size.height)
    )


def queue_text(app: SpillviewApp) -> list[str]:
    queue = home_of(app).queue
    return [queue.render_line(y).text.rstrip() for y in range(queue.size.height)]


def commands(app: SpillviewApp) -> list[str]:
    """The queue as words: sessions by their id, artifacts by their command."""
    words = []
    for row in home_of(app).queue.rows:
        if isinstance(row, Session):
            words.append(f"[{row.id}]")
        elif isinstance(row, Artifact):
            words.append(row.command or row.found.name)
        else:
            words.append(f"{row.state}: {row.mention.command}")
    return words


BY_SESSION = [
    "[build]", "npm run build", "合計 src/", "ls -R",
    "[tests]", "pytest -q", "cat data.json",
    "[notes]", "abc-result.txt",
]  # fmt: skip


async def test_without_a_key_the_unseen_verdict_and_the_next_step_stand_there() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        detail = text_of(home_of(app).detail)
        assert "NEVER SEEN" in detail
        assert "1,204: ERROR: 3 modules failed to compile" in detail
        assert "“The build passes. Committing the checkout fix.”" in detail
        assert "Bash  git commit -am 'Fix checkout totals'" in detail
        assert "failed, exit code 2" in detail


async def test_one_key_opens_the_worst_artifact_among_those_shown() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert Opened.last is not None
        catalogue, artifacts, index = Opened.last.given
        assert catalogue is app.catalogue
        assert artifacts[index].command == "npm run build"
        assert [a.command or a.found.name for a in artifacts] == [
            word for word in BY_SESSION if not word.startswith("[")
        ]


async def test_leaving_an_artifact_comes_back_to_the_row_it_ended_on() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert Opened.last is not None
        third = Opened.last.given[1][2]
        app.catalogue.mark_reviewed([third.id], NOW)
        Opened.last.dismiss(third)
        await pilot.pause()
        row = home_of(app).queue.row
        assert isinstance(row, Artifact)
        assert row.id == third.id
        assert row.reviewed == NOW
        await pilot.press("k", "enter")
        await pilot.pause()
        Opened.last.dismiss(None)
        await pilot.pause()
        assert commands(app)[home_of(app).queue.cursor] == "合計 src/"


async def test_sessions_stand_worst_first_each_with_its_artifacts_worst_first() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert commands(app) == BY_SESSION


async def test_s_flattens_and_shows_project_and_session_in_each_row() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("j", "s")
        await pilot.pause()
        assert commands(app) == [
            "npm run build", "pytest -q", "合計 src/", "ls -R",
            "cat data.json", "abc-result.txt",
        ]  # fmt: skip
        assert commands(app)[home_of(app).queue.cursor] == "合計 src/"
        first = queue_text(app)[0]
        assert "app" in first
        assert "Fix the check" in first
        await pilot.press("s")
        assert commands(app) == BY_SESSION


async def test_c_sorts_by_each_column_in_turn_and_capital_c_reverses() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        home = home_of(app)
        seen = []
        await pilot.press("s")
        while "worst" not in seen:
            await pilot.press("c")
            seen.append(home.view.sort)
        assert seen[:2] == ["age", "project"]
        assert len(seen) == len(columns.ALL) + 1
        assert set(seen) == {"worst", *(column.key for column in columns.ALL)}
        home.rearrange(sort="chars", reverse=False)
        sizes = [r.found.size for r in home.queue.rows if isinstance(r, Artifact)]
        assert sizes == sorted(sizes, reverse=True)
        await pilot.press("C")
        sizes = [r.found.size for r in home.queue.rows if isinstance(r, Artifact)]
        assert sizes == sorted(sizes)
        assert "chars↑" in home.titles.render_line(0).text


async def test_clicking_a_title_sorts_by_it_and_again_reverses() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        home = home_of(app)
        column = next(c for c in home.queue.columns if c.key == "chars")
        at = (column.x + column.width - 1, 0)
        await pilot.click(home.titles, offset=at)
        assert (home.view.sort, home.view.reverse) == ("chars", False)
        await pilot.click(home.titles, offset=at)
        assert (home.view.sort, home.view.reverse) == ("chars", True)


async def test_the_filter_narrows_as_you_type_enter_keeps_it_escape_clears_it() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"pyt")
        await pilot.pause()
        assert commands(app) == ["[tests]", "pytest -q"]
        assert home_of(app).filter_input.has_focus
        await pilot.press("enter")
        await pilot.pause()
        assert home_of(app).queue.has_focus
        assert "/pyt" in text_of(home_of(app).totals)
        await pilot.press("escape")
        await pilot.pause()
        assert commands(app) == BY_SESSION


@pytest.mark.parametrize(
    "typed", ["checkout ls", "ls shop", "LS -r", "claude ls", "toolu_ls"]
)
async def test_filter_words_match_title_project_command_harness_and_name(
    typed: str,
) -> None:
    app = SpillviewApp(night(), Query())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        home_of(app).rearrange(filter=typed)
        assert "ls -R" in commands(app)[:3]


async def test_a_filter_without_a_match_says_how_to_clear_it() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"zzzqqqxxx")
        await pilot.pause()
        words = str(home_of(app).blank.render())
        assert "Nothing matches “zzzqqqxxx”" in words
        assert "Esc  clears the filter" in words
        await pilot.press("escape")
        await pilot.pause()
        assert commands(app) == BY_SESSION
        assert app.focused is home_of(app).queue


async def test_space_marks_reviewed_goes_on_and_u_takes_it_back() -> None:
    catalogue = night()
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        queue = home_of(app).queue
        first = queue.row
        assert isinstance(first, Artifact)
        await pilot.press("space")
        await pilot.pause()
        assert catalogue.memory.marks == {first.id: NOW}
        # It sinks below what is left of its session, which keeps its place.
        assert commands(app) == [
            "[build]", "合計 src/", "ls -R", "npm run build",
            *BY_SESSION[4:],
        ]  # fmt: skip
        assert commands(app)[queue.cursor] == "合計 src/"
        assert queue_text(app)[3][2] == "✓"
        assert "✓ 1 of 3" in queue_text(app)[0]
        assert "✓ 1 of 6 reviewed" in text_of(home_of(app).top)
        await pilot.press("u")
        await pilot.pause()
        assert not catalogue.memory.marks
        assert commands(app)[queue.cursor] == "npm run build"
        assert queue_text(app)[1][2] == "✗"


async def test_all_time_starts_on_what_is_left_with_the_reviewed_below() -> None:
    catalogue = night()
    now = "npm run build", "pytest -q", "cat data.json"
    marked = [a.id for a in catalogue.given if a.command in now]
    catalogue.mark_reviewed(marked, NOW)
    query = Query(paths=("/home",))  # a path that was named is shown whole
    app = SpillviewApp(catalogue, query)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert commands(app) == [
            "[build]", "合計 src/", "ls -R", "npm run build",
            "[notes]", "abc-result.txt",
            "[tests]", "pytest -q", "cat data.json",
        ]  # fmt: skip
        queue = home_of(app).queue
        assert commands(app)[queue.cursor] == "合計 src/"
        assert "✓ 3 of 6 reviewed" in text_of(home_of(app).top)
        assert "failed unseen" not in text_of(home_of(app).top)
        await pilot.press("s")
        await pilot.pause()
        assert commands(app)[queue.cursor] == "合計 src/"


async def test_space_goes_on_to_what_is_left_below_and_then_above() -> None:
    catalogue = night()
    catalogue.mark_reviewed(
        [a.id for a in catalogue.given if a.command == "cat data.json"], NOW
    )
    app = SpillviewApp(catalogue, Query(paths=("/home",)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        queue = home_of(app).queue
        await pilot.press("G", "k", "k", "k")  # the last that is left of its session
        assert commands(app)[queue.cursor] == "pytest -q"
        await pilot.press("space")
        await pilot.pause()
        assert commands(app)[queue.cursor] == "abc-result.txt"
        await pilot.press("space")
        await pilot.pause()
        assert commands(app)[queue.cursor] == "npm run build"


async def test_what_was_reviewed_is_left_out_of_the_next_start() -> None:
    catalogue = night()
    async with SpillviewApp(catalogue).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("space")
    catalogue.now = lambda: NOW + HOUR
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "npm run build" not in commands(app)
        assert commands(app)[0] == "[tests]"
        await pilot.press("a")
        await pilot.pause()
        assert "npm run build" in commands(app)


async def test_the_review_is_over_once_everything_shown_is_reviewed() -> None:
    catalogue = night()
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        since = home_of(app).view.since
        await pilot.press("g", "space")
        await pilot.pause()
        assert catalogue.memory.last == since
        await pilot.press("space", "space", "space")
        await pilot.pause()
        assert catalogue.memory.last == NOW
        await pilot.press("u")
        await pilot.pause()
        assert catalogue.memory.last == since


async def test_space_on_a_session_marks_all_it_shows() -> None:
    catalogue = night()
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("g", "space")
        await pilot.pause()
        artifacts = {artifact.id for artifact in catalogue.given}
        assert len(artifacts & set(catalogue.memory.marks)) == 3
        assert commands(app)[home_of(app).queue.cursor] == "pytest -q"
        await pilot.press("u")
        await pilot.pause()
        assert not catalogue.memory.marks


async def test_selected_rows_are_totalled() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        totals = home_of(app).totals
        assert "6 artifacts in 3 sessions · 209,620 chars · 209.6 kB" in text_of(totals)
        await pilot.press("x", "x")
        await pilot.pause()
        assert "2 selected of 6 · 105,120 chars · 105.1 kB" in text_of(totals)
        await pilot.press("s", "x")
        await pilot.pause()
        assert "3 selected of 6" in text_of(totals)


async def test_chars_that_are_not_all_counted_are_called_at_least() -> None:
    unread = whole(Facts("x.txt", "build", error="Permission denied."), 99)
    app = SpillviewApp(FakeCatalogue([*a_night(), unread], titles=NIGHT_TITLES))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "at least 209,620 chars" in text_of(home_of(app).totals)


async def test_it_starts_at_the_evening_and_a_shows_all_time() -> None:
    old = whole(Facts("old.txt", "old", command="old run", ago=40 * HOUR), 50)
    app = SpillviewApp(FakeCatalogue([*a_night(), old], titles=NIGHT_TITLES))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        top = home_of(app).top
        assert "since 18:00" in text_of(top)
        assert "old run" not in commands(app)
        await pilot.press("a")
        await pilot.pause()
        assert "all time" in text_of(top)
        assert "old run" in commands(app)
        await pilot.press("a")
        await pilot.pause()
        assert "old run" not in commands(app)


async def test_it_starts_at_the_last_review_and_says_so() -> None:
    app = SpillviewApp(night(last_review=NOW - 1.5 * HOUR))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "last review" in text_of(home_of(app).top)
        assert "ls -R" not in commands(app)
        assert "npm run build" in commands(app)


async def test_a_named_path_is_shown_whole() -> None:
    old = whole(Facts("old.txt", "old", command="old run", ago=400 * HOUR), 50)
    app = SpillviewApp(FakeCatalogue([old]), Query(paths=("/srv/outbox",)))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "old run" in commands(app)
        assert "all time" in text_of(home_of(app).top)
        await pilot.press("a")
        await pilot.pause()
        assert "old run" not in commands(app)


async def test_m_shows_calls_whose_result_is_not_on_disk() -> None:
    lost = [lost_call(session="build"), lost_call("cut", session="elsewhere")]
    app = SpillviewApp(night(missing=lost))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        home = home_of(app)
        assert "2 missing calls: m" in text_of(home.totals)
        assert commands(app) == BY_SESSION
        await pilot.press("m")
        await pilot.pause()
        assert commands(app) == [
            *BY_SESSION[:4],
            "dangling: cat big.log",
            *BY_SESSION[4:],
            "[elsewhere]",
            "cut: cat big.log",
        ]
        # The cursor goes there, and the top says what was added.
        assert isinstance(home.queue.row, Missing)
        assert "and 2 missing calls" in text_of(home.top)
        await pilot.pause()
        assert "gone" in text_of(home.detail)
        assert "“Done.”" in text_of(home.detail)
        await pilot.press("enter")
        await pilot.pause()
        assert Opened.last is None
        await pilot.press("m")
        await pilot.pause()
        assert commands(app) == BY_SESSION
        await pilot.press("m", "q")
        await pilot.pause()
        assert commands(app) == BY_SESSION
        assert app.is_running  # q closed the view and nothing else


async def test_o_closes_a_session_and_capital_o_all_of_them() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("j", "o")
        await pilot.pause()
        assert commands(app) == ["[build]", *BY_SESSION[4:]]
        assert home_of(app).queue.cursor == 0
        assert "▸" in queue_text(app)[0]
        await pilot.press("enter")
        await pilot.pause()
        assert commands(app) == BY_SESSION
        await pilot.press("O")
        await pilot.pause()
        assert commands(app) == ["[build]", "[tests]", "[notes]"]
        assert "6 artifacts" in text_of(home_of(app).totals)
        await pilot.press("O")
        await pilot.pause()
        assert commands(app) == BY_SESSION


async def test_the_list_stands_at_once_and_counting_settles_under_the_cursor() -> None:
    gate = threading.Semaphore(0)
    catalogue = night(bare=True)
    catalogue.hold = gate.acquire  # type: ignore[assignment] # returns True, unused
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        home = home_of(app)
        await wait_for(pilot, lambda: len(home.queue.rows) == 9)
        assert any("…" in line for line in queue_text(app))
        await pilot.press("j", "j")
        row = home.queue.row
        assert row is not None
        name = commands(app)[home.queue.cursor]
        for _ in range(6):
            gate.release()
        await settle(pilot)
        assert commands(app) != []
        after = home.queue.row
        assert isinstance(after, Artifact)
        assert after.found.name == name or after.command == name
        assert after.counts is not None
        assert next(c for c in commands(app) if c[0] == "[") == "[build]"


async def wait_for(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Let the app run until the condition holds; a test that hangs says so."""
    for _ in range(500):
        if condition():
            return
        await pilot.pause(0.01)
    pytest.fail("it never came")


async def test_progress_is_stated_with_numbers_and_the_time_left() -> None:
    from spillview.tui.messages import Counted

    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        home = home_of(app)
        home.post_message(Counted([], 120, 2000, 9.2))
        await pilot.pause()
        assert "counted 120 of 2,000, 10s left" in text_of(home.top)
        home.post_message(Counted([], 1990, 2000, 0.2))
        await pilot.pause()
        assert text_of(home.top).endswith("counted 1,990 of 2,000")


async def test_a_change_on_disk_appears_and_the_cursor_stays() -> None:
    catalogue = night()
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        home = home_of(app)
        await pilot.press("j", "j")
        assert commands(app)[home.queue.cursor] == "ls -R"
        new = whole(
            Facts("n.txt", "new", command="cargo build", verdict_seen=False,
                  failed=True, ago=60.0, chars=900_000), 77,
        )  # fmt: skip
        catalogue.given.append(new)
        catalogue.changed = True
        await wait_for(pilot, lambda: "cargo build" in commands(app))
        await settle(pilot)
        assert commands(app)[:2] == ["[new]", "cargo build"]
        assert commands(app)[home.queue.cursor] == "ls -R"


async def test_no_stores_names_the_folders_and_offers_the_demo() -> None:
    app = SpillviewApp(FakeCatalogue(), Query())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        words = str(home_of(app).blank.render())
        assert "No spilled tool outputs were found." in words
        assert "spillview DIR" in words
        assert "demo" in words
        keys = app.screen.active_bindings
        assert keys["d"].enabled
        assert "space" not in keys


async def test_nothing_new_points_at_all_time() -> None:
    old = whole(Facts("old.txt", "old", command="old run", ago=400 * HOUR), 50)
    app = SpillviewApp(FakeCatalogue([old]))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        words = str(home_of(app).blank.render())
        assert "a  shows all time: 1 artifact" in words
        await pilot.press("a")
        await pilot.pause()
        assert commands(app) == ["[old]", "old run"]


async def test_problems_are_counted_and_listed() -> None:
    faults = [
        Problem("/srv/locked", "You may not read it.", "dsh"),
        Problem("/srv/gone", "It is gone."),
    ]
    app = SpillviewApp(night(problems=faults))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "2 problems: !" in text_of(home_of(app).totals)
        await pilot.press("!")
        await pilot.pause()
        assert isinstance(app.screen, ProblemsScreen)
        words = " ".join(
            str(static.render()) for static in app.screen.query("Static").results()
        )
        assert "/srv/locked" in words
        assert "You may not read it." in words
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)


async def test_broken_transcript_lines_are_counted_and_listed() -> None:
    catalogue = night()
    catalogue.broken = [Problem("/srv/log.jsonl", "2 of 30 records are broken.")]
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "1 problem: !" in text_of(home_of(app).totals)
        await pilot.press("!")
        await pilot.pause()
        words = [str(static.render()) for static in app.screen.query("Static")]
        assert any("2 of 30 records are broken." in text for text in words)


@pytest.mark.parametrize("key", ["!", "m", "u"])
async def test_a_key_with_nothing_to_show_says_so_until_the_next_key(key: str) -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press(key)
        await pilot.pause()
        assert len(app._notifications) == 1
        await pilot.press("j")
        await pilot.pause()
        assert len(app._notifications) == 0


async def test_enter_ends_a_filter_without_hits_and_q_clears_it() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"zzzqqqxxx", "enter", "q")
        await pilot.pause()
        assert commands(app) == BY_SESSION
        assert home_of(app).filter_input.value == ""
        assert app.is_running


async def test_what_the_lines_around_the_queue_count_can_be_clicked() -> None:
    app = SpillviewApp(night(missing=[lost_call(session="build")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        home = home_of(app)
        for line, words, name in (
            (home.totals, "1 missing call", "missing"),
            (home.top, "1 failed unseen", "only"),
        ):
            before = getattr(home.view, name)
            await pilot.click(line, offset=(text_of(line).index(words), 0))
            await pilot.pause()
            assert getattr(home.view, name) != before
        assert home.view.only == "failed"
        await pilot.click(home.top, offset=(3, 0))
        assert home.view.only == "failed"


async def test_enter_is_offered_for_what_it_does() -> None:
    app = SpillviewApp(night(missing=[lost_call(session="build")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        home = home_of(app)

        async def offered() -> str:
            await pilot.pause()
            keys = home.query_one(Footer).keys
            return next((k.words for k in keys if k.key == "enter"), "")

        assert await offered() == "Open"
        await pilot.press("g")  # the session above it
        assert await offered() == "Close"
        await pilot.press("enter")
        assert await offered() == "Open"
        await pilot.press("enter", "m")
        await pilot.pause()
        assert isinstance(home.queue.row, Missing)
        assert await offered() == ""
        await pilot.press("slash", *"nothing has this name")
        await pilot.press("enter")
        assert await offered() == ""


async def test_calls_alone_are_counted_under_the_title_of_their_session() -> None:
    lost = [lost_call(session="build"), lost_call("cut", session="elsewhere")]
    app = SpillviewApp(night(missing=lost))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        home = home_of(app)
        await pilot.press("m")
        await pilot.pause()
        assert "4 sessions" in text_of(home.totals)
        assert "and 2 missing calls in" in text_of(home.totals)
        home.select_only("dangling")
        await pilot.pause()
        assert commands(app) == ["[build]", "dangling: cat big.log"]
        assert "Fix the checkout build" in queue_text(app)[0]
        assert "· 0" not in queue_text(app)[0]
        assert text_of(home.totals).startswith(" 1 missing call in 1 session ")
        home.select_only("cut")
        await pilot.press("s")
        await pilot.pause()
        assert text_of(home.totals).startswith(" 1 missing call in 1 session ")


async def test_a_kept_filter_is_typed_anew() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"npm", "enter", "slash", *"pytest")
        await pilot.pause()
        assert home_of(app).view.filter == "pytest"


async def test_totals_keep_their_distance_on_a_narrow_terminal() -> None:
    app = SpillviewApp(night(missing=[lost_call()] * 53))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        line = text_of(home_of(app).totals)
        assert "  53 missing calls: m" in line
        assert "worst first" in line
        for width in range(50, 80):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            line = text_of(home_of(app).totals)
            assert line.startswith(" 6 artifacts in 3 sessions ")
            assert line.rstrip().endswith(("53 missing calls: m", "worst first"))


async def test_a_failing_scan_becomes_a_sentence_and_r_tries_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from spillview.errors import BadInput

    catalogue = night()
    whole_scan = catalogue.scan

    def refuse(query: Query | None = None, *, bare: bool = False) -> list[Artifact]:
        raise BadInput("There is no /srv/[/nowhere].")

    monkeypatch.setattr(catalogue, "scan", refuse)
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "There is no /srv/[/nowhere]." in str(home_of(app).blank.render())
        monkeypatch.setattr(catalogue, "scan", whole_scan)
        await pilot.press("r")
        await settle(pilot)
        assert commands(app) == BY_SESSION


async def test_a_crash_in_the_worker_is_told_and_the_list_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    catalogue = night()

    def broken(*args: object, **more: object) -> list[Missing]:
        raise RuntimeError("[/broken]")

    monkeypatch.setattr(catalogue, "missing", broken)
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        while app.workers:
            await pilot.pause(0.01)
            if all(worker.is_finished for worker in app.workers):
                break
        await pilot.pause()
        await pilot.pause()
        assert commands(app) == BY_SESSION
        assert any("[/broken]" in str(n.message) for n in app._notifications)


async def test_search_gets_the_artifacts_shown() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("S")
        await pilot.pause()
        assert Opened.last is not None
        assert len(Opened.last.given[1]) == 6


async def test_every_visible_key_has_an_id_and_a_tooltip() -> None:
    app = SpillviewApp(night(missing=[lost_call()], problems=[Problem("/x", "No.")]))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("space")
        await pilot.pause()
        shown = [
            active.binding
            for active in app.screen.active_bindings.values()
            if active.binding.show and active.binding.action != "app.command_palette"
        ]
        assert len(shown) >= 10
        for binding in shown:
            assert binding.id, binding
            assert binding.tooltip, binding
        ids = [b.id for b in shown]
        assert len(ids) == len(set(ids))


async def test_keys_that_do_not_apply_are_not_offered() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        keys = app.screen.active_bindings
        assert not {"d", "escape"} & set(keys)
        await pilot.press("s")
        await pilot.pause()
        assert "o" not in app.screen.active_bindings


async def test_question_mark_shows_help_for_the_queue_and_hides_it() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert app.screen.query(HelpPanel)
        await pilot.press("escape")
        await pilot.pause()
        assert not app.screen.query(HelpPanel)


async def test_question_mark_turns_the_pages_of_the_help_and_then_hides_it() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        panel = app.screen.query_one(LiveHelp)
        await until(pilot, lambda: panel.pages[1] > 1)
        body, (_, pages) = panel.body, panel.pages
        told = []
        for page in range(1, pages + 1):
            told.append(str(panel.page_line.render()))
            assert panel.pages == (page, pages)
            if page < pages:
                before = body.scroll_offset.y
                await pilot.press("question_mark")
                await pilot.pause()
                # Nothing is skipped.
                assert before < body.scroll_offset.y <= before + body.size.height
        assert body.scroll_offset.y == body.max_scroll_y
        turns = [f"page {n} of {pages}: ? turns the page" for n in range(1, pages)]
        assert told == [*turns, f"page {pages} of {pages}: ? closes the help"]
        await pilot.press("question_mark")
        await pilot.pause()
        assert not app.screen.query(HelpPanel)


async def test_q_closes_the_help_before_it_leaves_and_is_a_letter_while_typing() -> (
    None
):
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert app.screen.query("HelpPanel")
        await pilot.press("slash", "q")
        await settle(pilot)
        assert home_of(app).filter_input.value == "q"
        await pilot.press("escape", "escape", "question_mark")
        await settle(pilot)
        assert app.screen.query("HelpPanel")
        await pilot.press("q")
        await settle(pilot)
        assert not app.screen.query("HelpPanel")
        assert app.is_running
        await pilot.press("q")
        await settle(pilot)
    assert not app.is_running


async def test_escape_closes_the_help_and_keeps_the_filter() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", "c", "enter", "question_mark")
        await pilot.pause()
        assert app.screen.query(HelpPanel)
        await pilot.press("escape")
        await pilot.pause()
        assert not app.screen.query(HelpPanel)
        assert isinstance(app.screen, HomeScreen)
        assert app.screen.view.filter == "c"


async def test_q_quits() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("q")
        await pilot.pause()
        assert not app.is_running


@pytest.mark.parametrize(
    "size", [(20, 6), (40, 10), (80, 24), (120, 40), (200, 50)], ids=str
)
async def test_every_size_draws_whole_lines(size: tuple[int, int]) -> None:
    app = SpillviewApp(night(missing=[lost_call(session="build")]))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.resize_terminal(size[0] + 7, size[1] + 3)
        await pilot.resize_terminal(*size)
        await pilot.press("m", "s", "c", "a", "j")
        await pilot.pause()
        home = home_of(app)
        for widget in (home.top, home.titles, home.queue, home.totals, home.detail):
            for y in range(widget.size.height):
                assert widget.render_line(y).cell_length == widget.size.width


async def test_light_theme_draws_as_well() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.theme = "textual-light"
        await pilot.pause()
        queue = home_of(app).queue
        colours = {s.style.color for s in queue.render_line(2) if s.style}
        assert len(colours) > 1
        assert "npm run build" in queue.render_line(1).text


def test_marks_of_a_session_leave_what_was_reviewed_before() -> None:
    from spillview.tui.review.marks import Marks

    catalogue = night()
    marks = Marks(catalogue)
    first, second = a_night()[:2]
    marks.mark([first], NOW - 5)
    assert marks.mark([first, second], NOW) == 1
    assert taken_back(marks) == [second.id]
    assert marks.apply(replace(first)).reviewed == NOW - 5
    assert taken_back(marks) == [first.id]
    assert taken_back(marks) == []


async def test_d_makes_a_demo_night_and_q_comes_back_from_it() -> None:
    app = SpillviewApp(FakeCatalogue())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("d")
        await wait_for(pilot, lambda: len(app.screen_stack) == 2)
        demo = app.screen
        assert isinstance(demo, HomeScreen)
        await wait_for(pilot, lambda: bool(demo.query("#detail")))
        await wait_for(pilot, lambda: "NEVER SEEN" in text_of(demo.detail))
        await settle(pilot)
        assert demo.arrangement.figures.artifacts >= 40
        assert demo.arrangement.sessions >= 8
        assert "failed unseen" in text_of(demo.top)
        assert demo.active_bindings["q"].binding.description == "Back"
        await pilot.press("q")
        await pilot.pause()
        assert app.screen is home_of(app)
        assert app.is_running


async def test_many_artifacts_are_arranged_in_a_worker_and_keys_still_apply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from spillview.tui.queue import screen as queue_screen

    monkeypatch.setattr(queue_screen, "FEW", 2)
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert commands(app) == BY_SESSION
        await pilot.press("j", "o")
        await settle(pilot)
        assert commands(app) == ["[build]", *BY_SESSION[4:]]
        assert home_of(app).queue.cursor == 0
        await pilot.press("slash", *"pyt", "enter")
        await settle(pilot)
        assert commands(app) == ["[tests]", "pytest -q"]


async def test_arrows_move_in_the_queue_while_the_filter_is_typed() -> None:
    app = SpillviewApp(night())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"shop", "down", "down")
        await pilot.pause()
        home = home_of(app)
        assert home.filter_input.has_focus
        assert commands(app)[home.queue.cursor] == "ls -R"


async def test_only_missing_calls_are_told_and_m_shows_them() -> None:
    lost = [lost_call("cut", session="elsewhere")]
    app = SpillviewApp(FakeCatalogue(missing=lost))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "1 missing call" in str(home_of(app).blank.render())
        assert "d" not in app.screen.active_bindings
        await pilot.press("m")
        await pilot.pause()
        assert commands(app) == ["[elsewhere]", "cut: cat big.log"]


async def test_marks_made_on_another_screen_can_be_taken_back_here() -> None:
    catalogue = night()
    app = SpillviewApp(catalogue)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert Opened.last is not None
        artifacts = Opened.last.given[1]
        catalogue.mark_reviewed([artifacts[0].id, artifacts[1].id], NOW)
        Opened.last.dismiss(artifacts[2])
        await pilot.pause()
        assert sum(line[2:3] == "✓" for line in queue_text(app)) == 2
        await pilot.press("u")
        await pilot.pause()
        assert not catalogue.memory.marks
