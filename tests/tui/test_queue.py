"""The windowed list: what it draws, where the cursor stays, keys and mouse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from textual.app import ComposeResult

from spillview.model import Artifact, Session
from spillview.tui.app import SpillviewApp
from spillview.tui.labels import Labels
from spillview.tui.queue import columns
from spillview.tui.queue.arrangement import Material, Row, View, arrange
from spillview.tui.queue.detail import detail_lines, outcome
from spillview.tui.queue.members import Ledger, Members, Shelf
from spillview.tui.queue.queue import Queue
from spillview.tui.queue.queue_rows import Rows
from spillview.tui.queue.rows import session_runs
from spillview.tui.queue.sessions import runs_of
from spillview.tui.theme import Themed
from tests.tui.fakes import (
    NIGHT_TITLES,
    NOW,
    Facts,
    FakeCatalogue,
    a_night,
    lost_call,
    mention_of,
    whole,
)


class QueueApp(Themed):
    """A queue and nothing else."""

    CSS_PATH = SpillviewApp.CSS_PATH

    def __init__(self, rows: Rows, *, flat: bool = False) -> None:
        super().__init__()
        self.rows, self.flat = rows, flat
        self.queue = Queue(clock=lambda: NOW)
        self.opened: list[Row] = []
        self.wanted: list[Members] = []

    def compose(self) -> ComposeResult:
        yield self.queue

    def on_mount(self) -> None:
        self.show(self.rows)
        self.queue.focus()

    def show(self, rows: Rows) -> None:
        self.queue.set_rows(rows, flat=self.flat, collapsed=frozenset(), titles={})

    def on_queue_opened(self, event: Queue.Opened) -> None:
        self.opened.append(event.row)

    def on_queue_wanted(self, event: Queue.Wanted) -> None:
        self.wanted.append(event.artifacts)

    @property
    def lines(self) -> list[str]:
        height = self.queue.size.height
        return [self.queue.render_line(y).text for y in range(height)]


def night_rows(view: View | None = None) -> Rows:
    catalogue = FakeCatalogue(a_night(), titles=NIGHT_TITLES)
    sessions = catalogue.sessions(catalogue.scan())
    material = Material.of(sessions, [lost_call(session="build")])
    return arrange(material, view or View(), Labels()).rows


def many_rows(count: int, per_session: int = 50) -> Rows:
    made = [
        whole(Facts(f"t{n}.txt", f"s{n // per_session:04d}", command=f"run {n}"), n)
        for n in range(count)
    ]
    sessions = FakeCatalogue().sessions(made)
    return arrange(Material.of(sessions, []), View(), Labels()).rows


def again(rows: Rows, chosen: Iterable[int]) -> Rows:
    """The rows at these indices, in this order."""
    made = Rows(rows.members.table)
    for index in chosen:
        other, place = rows.other(index), rows.place(index)
        if other is not None:
            made.add(other)
        elif place is not None:
            made.extend([place])
    return made


async def test_first_artifact_row_is_highlighted_not_the_session_header() -> None:
    app = QueueApp(night_rows())
    async with app.run_test(size=(80, 24)):
        row = app.queue.row
        assert isinstance(row, Artifact)
        assert row.command == "npm run build"
        assert app.lines[1].startswith("▌ ✗")


async def test_a_row_shows_mark_age_tool_command_chars_ratio_unit_and_link() -> None:
    app = QueueApp(night_rows())
    async with app.run_test(size=(80, 24)):
        words = app.lines[1].split()
        assert words == [
            "▌", "✗", "1h", "Bash", "npm", "run", "build",
            "64,120", "▲", "2.13×", "chars", "linked",
        ]  # fmt: skip


async def test_bands_differ_by_a_character() -> None:
    app = QueueApp(night_rows())
    async with app.run_test(size=(80, 24)):
        text = "\n".join(app.lines)
        assert "▲ 1.10× chars" in " ".join(text.split())
        assert "△ 0.95× chars" in " ".join(text.split())
        assert "· 0.24× bytes" in " ".join(text.split())


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 120, 160, 200, 320])
@pytest.mark.parametrize("flat", [False, True])
async def test_every_line_fills_its_width_exactly(width: int, flat: bool) -> None:
    app = QueueApp(night_rows(View(flat=flat, missing=True)), flat=flat)
    async with app.run_test(size=(width, 20)):
        for y in range(20):
            assert app.queue.render_line(y).cell_length == app.queue.size.width


@pytest.mark.parametrize("width", range(20, 330, 7))
@pytest.mark.parametrize("flat", [False, True])
def test_columns_never_overlap_or_leave_the_width(width: int, flat: bool) -> None:
    chosen = columns.choose(width, flat)
    edge = columns.GUTTER
    for column in chosen:
        assert column.x >= edge
        assert column.width >= 1
        edge = column.x + column.width + 1
    assert edge <= width + 1
    keys = [column.key for column in chosen]
    assert keys == list(dict.fromkeys(keys))


def test_wide_terminals_show_verdict_and_flat_ones_project_and_session() -> None:
    grouped = {column.key for column in columns.choose(200, False)}
    assert {"verdict", "bytes", "lines", "flags"} <= grouped
    assert not {"project", "session"} & grouped
    assert {"project", "session"} <= {c.key for c in columns.choose(200, True)}
    assert "project" in {c.key for c in columns.choose(80, True)}


async def test_session_header_has_title_project_harness_counts_and_live() -> None:
    app = QueueApp(night_rows())
    async with app.run_test(size=(200, 24)):
        build, tests = app.lines[0], app.lines[4]
        for words in (
            "Fix the checkout build",
            "/srv/shop",
            "claude-code",
            "1 never seen",
            "3 artifacts",
            "136,120",
            "136.1 kB",
            "3 over",
        ):
            assert words in build
        assert "● live" in tests
        assert "● live" not in build


async def test_only_visible_rows_are_drawn() -> None:
    app = QueueApp(many_rows(20_000))
    async with app.run_test(size=(100, 30)) as pilot:
        drawn: list[int] = []
        original = app.queue._draw

        def counting(index: int, width: int):  # type: ignore[no-untyped-def] # a probe
            drawn.append(index)
            return original(index, width)

        app.queue._draw = counting  # type: ignore[method-assign] # a probe
        await pilot.press("G")
        await pilot.pause()
        assert app.queue.cursor == len(app.queue.rows) - 1
        assert 0 < len(set(drawn)) <= 40


async def test_keys_move_like_a_pager_without_leaving_the_list() -> None:
    app = QueueApp(many_rows(500))
    async with app.run_test(size=(80, 20)) as pilot:
        queue = app.queue
        assert queue.cursor == 1
        await pilot.press("j", "j", "k")
        assert queue.cursor == 2
        await pilot.press("G")
        assert queue.cursor == len(queue.rows) - 1
        await pilot.press("j")
        assert queue.cursor == len(queue.rows) - 1
        await pilot.press("g")
        assert queue.cursor == 0
        await pilot.press("ctrl+d")
        assert queue.cursor == 9
        await pilot.press("ctrl+u", "k")
        assert queue.cursor == 0
        await pilot.press("pagedown", "f", "b")
        assert queue.cursor == 19
        await pilot.press("}")
        assert isinstance(queue.rows[queue.cursor - 1], Session)


async def test_the_header_of_a_long_session_stays_on_the_first_line() -> None:
    app = QueueApp(many_rows(200, per_session=100))
    async with app.run_test(size=(80, 20)) as pilot:
        for _ in range(60):
            await pilot.press("j")
        assert app.queue.scroll_offset.y > 20
        header = app.queue.rows[0]
        assert isinstance(header, Session)
        assert header.id in app.lines[0]
        top = app.queue.scroll_offset.y
        shown = app.queue.cursor - top
        assert shown > 0
        for _ in range(shown + 3):
            await pilot.press("k")
        assert app.queue.cursor - app.queue.scroll_offset.y >= 1
        assert header.id in app.lines[0]
        assert app.lines[app.queue.cursor - app.queue.scroll_offset.y][0] == "▌"


async def test_new_order_keeps_the_cursor_on_its_artifact_and_in_its_place() -> None:
    rows = many_rows(300)
    app = QueueApp(rows)
    async with app.run_test(size=(80, 20)) as pilot:
        for _ in range(100):
            await pilot.press("j")
        queue = app.queue
        before = queue.row
        assert isinstance(before, Artifact)
        place = queue.cursor - queue.scroll_offset.y
        app.show(again(rows, [0, *reversed(range(1, len(rows)))]))
        await pilot.pause()
        assert queue.row == before
        assert queue.cursor - queue.scroll_offset.y == place
        app.show(again(rows, (i for i, row in enumerate(rows) if row != before)))
        await pilot.pause()
        assert queue.row is not None


async def test_until_a_key_is_pressed_the_cursor_stays_on_the_worst() -> None:
    rows = night_rows()
    app = QueueApp(again(rows, [0, 3, 2, 1, *range(4, len(rows))]))
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.queue.row == rows[3]
        app.show(rows)
        await pilot.pause()
        assert app.queue.row == rows[1]


async def test_newer_facts_replace_a_row_without_moving_anything() -> None:
    rows = night_rows()
    app = QueueApp(rows)
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.press("j")
        artifact = app.queue.row
        assert isinstance(artifact, Artifact)
        assert artifact.counts is not None
        newer = replace(artifact, counts=replace(artifact.counts, chars=77_777))
        app.queue.rows.members.table.shelf.put(newer)
        app.queue.update_rows([newer.id])
        await pilot.pause()
        assert app.queue.row == newer
        assert "77,777" in app.lines[app.queue.cursor]


async def test_a_row_that_is_still_to_be_made_shows_its_gist_and_is_asked_for() -> None:
    made = night_rows()
    whole_ledger = made.members.table
    shelf = Shelf()
    bare = Ledger.over(whole_ledger, whole_ledger.gists, shelf, set(), lambda _: None)
    rows = Rows(bare)
    rows.extend(made.artifacts().order)
    app = QueueApp(rows, flat=True)
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        assert "✗" in app.lines[0]
        assert "toolu_build.txt" in app.lines[0]
        assert "npm run build" not in app.lines[0]
        assert app.queue.shown_row is None
        ids = [ident for wanted in app.wanted for ident in wanted.idents()]
        assert sorted(ids) == sorted(a.id for a in made if isinstance(a, Artifact))
        for wanted in list(app.wanted):
            shelf.add(wanted)
            app.queue.show_made(wanted)
        await pilot.pause()
        assert "npm run build" in app.lines[0]
        assert isinstance(app.queue.shown_row, Artifact)
        assert sum(map(len, app.wanted)) == len(ids)


async def test_what_a_scan_before_knew_stands_until_a_row_is_made_anew() -> None:
    made = night_rows()
    old = made.members.table
    ledger = Ledger.over(old, old.gists, Shelf(), set(), lambda _: None)
    ledger.shelf.before = old.shelf
    rows = Rows(ledger)
    rows.extend(made.artifacts().order)
    app = QueueApp(rows, flat=True)
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        assert "npm run build" in app.lines[0]
        assert app.wanted


async def test_x_selects_a_row_and_on_a_header_the_whole_session() -> None:
    app = QueueApp(night_rows())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("x")
        assert len(app.queue.selected) == 1
        assert app.queue.cursor == 2
        assert app.lines[1][1] == "+"
        await pilot.press("g", "x")
        assert len(app.queue.selected) == 3
        await pilot.press("x")
        assert not app.queue.selected
        await pilot.press("X")
        assert len(app.queue.selected) == 6


async def test_x_for_all_means_closed_sessions_too() -> None:
    rows = night_rows()
    first = rows[0]
    assert isinstance(first, Session)
    below = list(first.artifacts)
    app = QueueApp(again(rows, (i for i, r in enumerate(rows) if r not in below)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("X")
        assert len(app.queue.selected) == 6
        await pilot.press("X")
        assert not app.queue.selected


async def test_mouse_highlights_selects_in_the_gutter_opens_and_scrolls() -> None:
    app = QueueApp(many_rows(300))
    async with app.run_test(size=(80, 20)) as pilot:
        queue = app.queue
        await pilot.click(queue, offset=(30, 5))
        assert queue.cursor == 5
        assert not app.opened
        await pilot.click(queue, offset=(2, 6))
        row = queue.rows[6]
        assert isinstance(row, Artifact)
        assert queue.selected == {row.id}
        await pilot.click(queue, offset=(30, 7), times=2)
        assert app.opened == [queue.rows[7]]
        before = queue.scroll_offset.y
        queue.scroll_down(animate=False)
        await pilot.pause()
        assert queue.scroll_offset.y > before


async def test_enter_opens_the_row_under_the_cursor() -> None:
    app = QueueApp(night_rows(View(missing=True)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert app.opened == [app.queue.rows[1]]


async def test_an_empty_queue_takes_every_key() -> None:
    app = QueueApp(Rows(Ledger.of(())))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"jkgGfb{}oOhlxX", "enter", "ctrl+d", "ctrl+u", "left")
        assert app.queue.row is None


def test_missing_calls_are_rows_of_their_session() -> None:
    rows = night_rows(View(missing=True))
    assert [type(row).__name__ for row in rows[:6]] == [
        "Run", "Artifact", "Artifact", "Artifact", "Missing", "Run",
    ]  # fmt: skip


def test_a_flat_list_names_the_harness_where_there_is_room_and_the_detail_always() -> (
    None
):
    names = [column.key for column in columns.choose(160, True)]
    assert "harness" in names
    assert "harness" not in [c.key for c in columns.choose(160, False)]
    artifact = whole(Facts("a.txt", harness="dsh", tool=None))
    lines = detail_lines(artifact, 100, 8, NOW)
    texts = ["".join(text for text, _ in runs) for runs in lines]
    assert any("dsh · model saw" in text for text in texts)
    labels = [text.split()[0] for text in texts]
    assert labels.count("file") == 1


def test_the_harness_does_not_stand_under_the_ratio() -> None:
    chosen = columns.choose(120, False)
    session = FakeCatalogue().sessions([whole(Facts("a.txt", harness="dsh"))])[0]
    [run] = runs_of([session])
    text = "".join(text for text, _ in session_runs(run, chosen, closed=False))
    ratio = next(column for column in chosen if column.key == "ratio")
    assert "dsh" in text[: ratio.x]
    assert not text[ratio.x : ratio.x + ratio.width].strip()


def test_a_recorded_exit_is_said_and_no_more() -> None:
    ended = [
        outcome(mention_of(Facts("a", failed=failed, exit_code=code)))
        for failed, code in ((False, 0), (True, 2), (False, None), (None, None))
    ]
    assert ended == [
        "exit 0 recorded",
        "failed, exit code 2",
        "no exit code recorded",
        "",
    ]


def test_a_failure_that_was_seen_has_a_quiet_mark() -> None:
    seen = whole(Facts("a.txt", failed=True, verdict_seen=True))
    unseen = whole(Facts("b.txt", failed=True, verdict_seen=False))
    assert columns.state_mark(seen) == ("×", "dim")
    assert columns.state_mark(unseen) == ("✗", "never")
