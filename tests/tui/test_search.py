"""Search across artifacts: grouped, tagged, honest about caps, stopped at once."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue
from spillview.index import background, building
from spillview.index.wanted import wanted
from spillview.model import Artifact
from spillview.places import Places
from spillview.search import grep, ripgrep
from spillview.search.selection import Options
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.search import rows as search_rows
from spillview.tui.search.hit_list import HitList
from spillview.tui.search.rows import ArtifactRow, LineRow, SessionRow
from spillview.tui.search.search import SearchScreen
from spillview.tui.search.search_bar import Progress
from tests.stores import OTHER, Claude
from tests.tui.reading import ATTACK, Bare, is_safe, until

BUILD = (
    b"error: seen early\n"
    + b"".join(b"compiling part %04d\n" % n for n in range(3000))
    + b"error: never seen\n"
)


class Stores:
    """Two sessions with builds, and an orphan."""

    def __init__(self, home: Path) -> None:
        self.home = home
        first, second = Claude(home), Claude(home, session=OTHER, cwd="/srv/other")
        first.spills(BUILD, command="make all")
        first.spills(b"calm\n" * 9000, command="make calm")
        second.spills(b"no match\n" * 6000 + b"an error here\n", command="make other")
        first.write()
        second.write()
        self.lost = first.place("toolu_lost.txt")
        self.lost.write_bytes(b"an error that nobody linked\n")

    def open(self) -> tuple[Catalogue, list[Artifact]]:
        """The catalogue and its artifacts."""
        catalogue = Catalogue.here(Places.of_home(str(self.home)))
        return catalogue, list(catalogue.complete(catalogue.scan()))


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    return Stores(tmp_path / "home")


@asynccontextmanager
async def searching(
    stores: Stores, pattern: str = "", size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[SearchScreen, Pilot[None]]]:
    """The screen over all artifacts, its first search ended."""
    catalogue, artifacts = stores.open()
    app = Bare(catalogue)
    async with app.run_test(size=size) as pilot:
        screen = SearchScreen(catalogue, artifacts, pattern)
        await app.push_screen(screen)
        await ended(screen, pilot)
        yield screen, pilot
    catalogue.close()


async def ended(screen: SearchScreen, pilot: Pilot[None]) -> None:
    await pilot.pause()
    await until(pilot, lambda: not screen.progress.running)
    await pilot.pause()


def found(screen: SearchScreen) -> list[LineRow]:
    return [row for row in screen.hits.rows if isinstance(row, LineRow)]


def shown(screen: SearchScreen) -> list[str]:
    strips = screen._compositor.render_strips()
    return [strip.text for strip in strips]


async def test_a_typed_pattern_finds_lines_by_session_and_artifact(
    stores: Stores,
) -> None:
    async with searching(stores) as (screen, pilot):
        await pilot.press(*"error", "enter")
        await ended(screen, pilot)
        kinds = [type(row) for row in screen.hits.rows]
        assert kinds.count(SessionRow) == 2
        assert kinds.count(ArtifactRow) == 3
        texts = sorted(row.text for row in found(screen))
        assert texts == [
            "an error here",
            "an error that nobody linked",
            "error: never seen",
            "error: seen early",
        ]
        assert "4 lines in 3 of 4 artifacts" in shown(screen)[0]
        assert any("make other" in line for line in shown(screen))


async def test_each_hit_is_tagged_with_what_the_model_saw_of_it(
    stores: Stores,
) -> None:
    async with searching(stores, "error") as (screen, _):
        tags = {row.text: row.seen for row in found(screen)}
        assert tags == {
            "error: seen early": True,
            "error: never seen": False,
            "an error here": False,
            "an error that nobody linked": None,
        }
        lines = {row.text: row.number for row in found(screen)}
        assert lines["error: never seen"] == 3002
        drawn = "\n".join(shown(screen))
        assert "▌       1 seen       error: seen early" in drawn
        assert "    3,002 never seen error: never seen" in drawn
        assert "┊       1 unknown    an error that" in drawn


async def test_u_keeps_only_what_was_never_seen(stores: Stores) -> None:
    async with searching(stores, "error") as (screen, pilot):
        await pilot.press("u")
        await ended(screen, pilot)
        assert sorted(row.text for row in found(screen)) == [
            "an error here",
            "error: never seen",
        ]
        assert "1 unknown left out" in shown(screen)[0]
        await pilot.press("u")
        await ended(screen, pilot)
        assert len(found(screen)) == 4


async def test_enter_opens_the_artifact_at_the_hit_and_n_goes_on(
    stores: Stores,
) -> None:
    async with searching(stores, "error: never") as (screen, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        artifact = pilot.app.screen
        assert isinstance(artifact, ArtifactScreen)
        await until(pilot, lambda: artifact.full.hit is not None)
        assert artifact.full.cursor_row is not None
        assert artifact.full.cursor_row.text == "error: never seen"
        assert artifact.full.finder.active
        await pilot.press("q")
        assert pilot.app.screen is screen
        assert len(found(screen)) == 1


async def test_the_hit_under_the_cursor_is_shown_in_its_place(stores: Stores) -> None:
    async with searching(stores, "part 1500") as (screen, pilot):
        await pilot.pause()
        preview = "\n".join(shown(screen)[-18:])
        assert "compiling part 1499" in preview
        assert "compiling part 1501" in preview
        title = next(line for line in shown(screen) if "IN PLACE" in line)
        assert "b00000001.txt" in title
        assert "line 1,502 of 3,002" in title
        assert screen.preview.pager.selection is not None
        start, end = screen.preview.pager.selection
        assert BUILD[start:end] == b"part 1500"


async def test_a_pattern_that_cannot_be_read_is_a_sentence_and_can_be_mended(
    stores: Stores,
) -> None:
    async with searching(stores) as (screen, pilot):
        await pilot.press(*"(er", "enter")
        await ended(screen, pilot)
        assert "unclosed group" in shown(screen)[0]
        assert screen.focused is screen.line
        await pilot.press(*"ror)", "enter")
        await ended(screen, pilot)
        assert len(found(screen)) == 4


async def test_a_pattern_can_be_taken_as_it_is(tmp_path: Path) -> None:
    stores = Stores(tmp_path / "home")
    stores.lost.write_bytes(b"a [/ b\n")
    async with searching(stores, "[/") as (screen, pilot):
        assert screen.progress.error is not None
        await pilot.press("escape" if not screen.line.has_focus else "down")
        screen.action_regex()
        await ended(screen, pilot)
        assert [row.text for row in found(screen)] == ["a [/ b"]


async def test_no_hit_says_so_and_leaves_the_pattern_to_be_changed(
    stores: Stores,
) -> None:
    async with searching(stores, "nowhere") as (screen, pilot):
        assert "0 lines in 0 of 4 artifacts" in shown(screen)[0]
        await pilot.press("slash", "x")
        assert screen.focused is screen.line
        assert "x" in screen.line.value


async def test_more_lines_than_are_shown_are_counted(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_rows.Gatherer.__init__, "__defaults__", (100,))
    async with searching(stores, "compiling|calm") as (screen, _):
        assert len(found(screen)) == 100
        assert "100 shown of 12,000 lines in 2 of 4 artifacts" in shown(screen)[0]


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(), "9 artifacts to search"),
        (Progress("x", lines=1, shown=1, artifacts=1), "1 line in 1 of 9 artifacts"),
        (
            Progress("x", running=True, done=3, lines=12, shown=12, artifacts=2),
            "at least 12 lines in 2 of 9 artifacts · 3 searched",
        ),
        (
            Progress("x", stopped=True, done=3, lines=9000, shown=5000, artifacts=2),
            "5,000 shown of at least 9,000 lines in 2 of 9 artifacts"
            " · stopped, 3 searched",
        ),
        (
            Progress("x", lines=2, shown=2, artifacts=2, problems=1, skipped=3),
            "2 lines in 2 of 9 artifacts · 1 not read"
            " · 3 links or special files skipped",
        ),
    ],
)
def test_counts_are_honest_about_what_was_left_out(
    progress: Progress, words: str
) -> None:
    assert progress.words(9) == words


async def test_escape_stops_a_search_kills_ripgrep_and_keeps_what_was_found(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[ripgrep.Run] = []
    gate = threading.Event()
    real = grep.search

    class Watched(ripgrep.Run):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            runs.append(self)

    def slow(*given: Any, **more: Any) -> Iterator[dict[str, Any]]:
        cancelled: Callable[[], bool] = more["cancelled"]
        for message in real(*given, **more):
            yield message
            if message["type"] == "match":
                while not cancelled() and not gate.wait(0.01):
                    pass

    monkeypatch.setattr(grep, "Run", Watched)
    monkeypatch.setattr(grep, "search", slow)
    async with searching(stores) as (screen, pilot):
        await pilot.press(*"error", "enter")
        await pilot.pause()
        assert screen.progress.running
        await until(pilot, lambda: bool(runs))
        await pilot.press("escape")
        assert screen.progress.stopped
        assert "stopped" in shown(screen)[0]
        await until(pilot, lambda: all(run._process.poll() is not None for run in runs))
        assert pilot.app.screen is screen
        await pilot.press("escape", "escape")
        assert pilot.app.screen is not screen
    gate.set()


async def test_nested_repeats_leave_the_screen_alive(tmp_path: Path) -> None:
    stores = Stores(tmp_path / "home")
    stores.lost.write_bytes(b"a" * 100_000 + b"!\n")
    async with searching(stores) as (screen, pilot):
        await pilot.press(*"(a+)+$", "enter")
        await ended(screen, pilot)
        assert screen.progress.error is None
        await pilot.press("q")
        assert pilot.app.is_running


async def test_utf16_and_nul_bytes_do_not_hide_a_hit(tmp_path: Path) -> None:
    stores = Stores(tmp_path / "home")
    stores.lost.write_bytes("первая\nneedle ключ\n".encode("utf-16"))
    stores.lost.with_name("toolu_nul.txt").write_bytes(b"a\0b\nneedle\n")
    async with searching(stores, "needle") as (screen, pilot):
        assert sorted(row.text for row in found(screen)) == ["needle", "needle ключ"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        artifact = pilot.app.screen
        assert isinstance(artifact, ArtifactScreen)
        await until(pilot, lambda: artifact.full.hit is not None)
        assert artifact.full.cursor_row is not None
        assert artifact.full.cursor_row.text.startswith("needle")


async def test_what_is_in_another_encoding_is_counted_beside_what_was_found(
    tmp_path: Path,
) -> None:
    stores = Stores(tmp_path / "home")
    stores.lost.write_bytes("für dich\n".encode("latin-1"))
    stores.lost.with_name("toolu_own.txt").write_text("für dich\n", "utf-8")
    async with searching(stores, "für") as (screen, pilot):
        await ended(screen, pilot)
        assert [row.text for row in found(screen)] == ["für dich"]
        assert screen.progress.foreign == 1
        assert "1 not all in UTF-8" in screen.progress.words(9)
    async with searching(stores, "dich") as (screen, pilot):
        await ended(screen, pilot)
        assert screen.progress.foreign == 0


async def test_a_hit_deep_in_a_long_line_is_shown_around_itself(
    tmp_path: Path,
) -> None:
    stores = Stores(tmp_path / "home")
    stores.lost.write_bytes(b"x" * 300_000 + b" needle " + b"y" * 300_000)
    async with searching(stores, "needle", (80, 24)) as (screen, pilot):
        (row,) = found(screen)
        assert row.at == (300_001, 300_007)
        line = next(text for text in shown(screen) if "unknown" in text)
        assert "needle" in line
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        artifact = pilot.app.screen
        assert isinstance(artifact, ArtifactScreen)
        await until(pilot, lambda: artifact.full.hit == (300_001, 300_007))


async def test_nothing_hostile_reaches_the_screen(tmp_path: Path) -> None:
    home = tmp_path / "home"
    session = Claude(home, cwd="/srv/[/x]")
    session.spills(
        (ATTACK + b" needle\n") * 50,
        command=ATTACK.decode("utf-8", "replace"),
        name="na\nme\x1b[2J[@click=app.quit].txt",
    )
    session.write()
    stores = Stores(tmp_path / "other")
    stores.home = home
    async with searching(stores, "needle") as (screen, pilot):
        for key in ("j", "u", "u", "slash", "escape"):
            assert all(is_safe(line) for line in shown(screen))
            await pilot.press(key)
            await ended(screen, pilot)
        assert any("[@click=app.quit]" in line for line in shown(screen))
        assert pilot.app.screen is screen


async def test_keys_move_between_lines_and_artifacts(stores: Stores) -> None:
    async with searching(stores, "error|compiling") as (screen, pilot):
        hits = screen.query_one(HitList)
        assert isinstance(hits.row, LineRow)
        first = hits.cursor
        await pilot.press("j")
        assert hits.cursor > first
        assert isinstance(hits.row, LineRow)
        await pilot.press("G")
        assert hits.cursor == len(hits.rows) - 1
        await pilot.press("left_curly_bracket", "g")
        assert hits.cursor == first
        await pilot.press("right_curly_bracket")
        assert isinstance(hits.row, LineRow)
        assert isinstance(hits.rows[hits.cursor - 1], ArtifactRow)
        await pilot.press("f", "b", "d")
        assert isinstance(hits.row, LineRow)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_everything_that_matters_is_readable(
    stores: Stores, size: tuple[int, int]
) -> None:
    async with searching(stores, "error", size) as (screen, _):
        drawn = "\n".join(shown(screen))
        for words in (
            "SEARCH",
            "4 lines in 3 of 4 artifacts",
            "/ error",
            "make all",
            "never seen",
            "IN PLACE",
            "Open",
            "Never seen only",
            "Help",
        ):
            assert words in drawn


async def test_options_start_with_smart_case(stores: Stores) -> None:
    async with searching(stores, "ERROR") as (screen, pilot):
        assert screen.options == Options(case="-S")
        assert found(screen) == []
        await pilot.press("slash")
        screen.line.value = "eRrOr|error"
        await pilot.press("enter")
        await ended(screen, pilot)
        assert len(found(screen)) == 4


async def test_a_line_that_is_too_long_ends_with_an_ellipsis(tmp_path: Path) -> None:
    stores = Stores(tmp_path / "home")
    stores.lost.write_bytes(b"an error " + b"and so on " * 40 + b"\n" + b"error\n" * 40)
    async with searching(stores, "error", (80, 24)) as (screen, _):
        hits = screen.query_one(HitList)
        hits.action_edge(-1)
        hits.scroll_to(y=0, animate=False, force=True)
        drawn = {
            row.number: hits.render_line(y - hits.scroll_offset.y)
            for y, row in enumerate(hits.rows)
            if isinstance(row, LineRow) and "so on" in row.text
        }
        [line] = drawn.values()
        assert hits.scrollable_content_region.width < hits.size.width
        assert line.cell_length == hits.scrollable_content_region.width
        assert line.text.endswith("…")


# -- the index ------------------------------------------------------------------------


async def test_the_first_look_has_the_index_made_and_searches_use_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spillview.tui.app import SpillviewApp
    from spillview.tui.home import HomeScreen

    monkeypatch.setattr(background, "LEAST", 1)
    stores = Stores(tmp_path / "home")
    catalogue, artifacts = stores.open()
    index = Path(catalogue.places.index_dir)
    async with SpillviewApp(catalogue).run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen))
        await until(pilot, lambda: any(index.glob("*.segment")))
        await pilot.press("down")
    catalogue.close()
    async with searching(stores, "error here") as (screen, _):
        assert [row.text for row in found(screen)] == ["an error here"]
        assert "1 line in 1 of 4 artifacts" in shown(screen)[0]
    reports = [said(artifacts, where) for where in (None, str(index))]
    assert reports[0] == reports[1]


def said(artifacts: list[Artifact], index: str | None) -> list[Any]:
    told = list(grep.search(artifacts, "error here", index=index))
    return [message["data"].get("lines") for message in told]


async def test_a_small_store_needs_no_index(stores: Stores) -> None:
    from spillview.tui.app import SpillviewApp
    from spillview.tui.queue.screen import QueueScreen

    catalogue, _ = stores.open()
    async with SpillviewApp(catalogue).run_test(size=(120, 40)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, QueueScreen)
        await until(pilot, lambda: screen.queue.settled)
        await pilot.app.workers.wait_for_complete(
            [w for w in screen.workers if w.group == "index"]
        )
    catalogue.close()
    assert not Path(catalogue.places.index_dir).exists()


async def test_a_damaged_part_of_the_index_is_told_and_costs_no_result(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files of a moment ago stay outside, which has a test of its own.
    monkeypatch.setattr(building, "SETTLED", -60.0)
    monkeypatch.setattr(building, "COARSE", -60.0)
    catalogue, artifacts = stores.open()
    index = catalogue.places.index_dir
    building.update(index, wanted(artifacts))
    catalogue.close()
    segments = list(Path(index).glob("*.segment"))
    assert segments
    for segment in segments:
        segment.write_bytes(segment.read_bytes()[:200])
    async with searching(stores, "error here") as (screen, pilot):
        assert [row.text for row in found(screen)] == ["an error here"]
        await until(pilot, lambda: len(pilot.app._notifications) == 1)
        [told] = pilot.app._notifications
        assert "search index was damaged" in told.message


# What is not searched, and what to do when nothing is found


async def test_what_the_queue_leaves_out_is_told_and_searched_with_a(
    stores: Stores,
) -> None:
    catalogue, artifacts = stores.open()
    shown_only = [a for a in artifacts if a.command == "make calm"]
    app = Bare(catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = SearchScreen(catalogue, shown_only, "error here", every=artifacts)
        await app.push_screen(screen)
        await ended(screen, pilot)
        assert "0 lines in 0 of 1 artifact · a: 3 more" in shown(screen)[0]
        text = "\n".join(shown(screen))
        assert "No line matches in 1 artifact." in text
        assert "a: search the 3 other artifacts here as well." in text
        await pilot.press("a")
        await ended(screen, pilot)
        assert [row.text for row in found(screen)] == ["an error here"]
        assert "1 line in 1 of 4 artifacts" in shown(screen)[0]
        assert "more" not in shown(screen)[0]
        await pilot.press("a")
        await ended(screen, pilot)
        assert found(screen) == []
    catalogue.close()


@pytest.mark.parametrize(
    ("pattern", "keys", "words"),
    [
        ("nowhere", (), ["No line matches in 4 artifacts.", "/: type another"]),
        ("[a", (), ["cannot be searched for", "Esc, then r: take it as it is"]),
        (
            "seen early",
            ("down", "u"),
            ["never saw matches in 4 artifacts.", "u: show what it saw"],
        ),
    ],
)
async def test_where_there_is_no_hit_the_screen_says_what_to_do(
    stores: Stores, pattern: str, keys: tuple[str, ...], words: list[str]
) -> None:
    async with searching(stores, pattern, (80, 24)) as (screen, pilot):
        await pilot.press(*keys)
        await ended(screen, pilot)
        assert found(screen) == []
        text = "\n".join(shown(screen))
        for each in words:
            assert each in text


async def test_a_bad_pattern_is_taken_as_it_is_after_escape_and_r(
    stores: Stores,
) -> None:
    async with searching(stores, "[a", (80, 24)) as (screen, pilot):
        assert screen.progress.error is not None
        await pilot.press("escape", "r")
        await ended(screen, pilot)
        assert screen.options.fixed
        assert screen.progress.error is None
        await pilot.press("escape")
        await pilot.pause()
        assert not screen.is_attached


async def test_sessions_have_their_titles_and_artifacts_their_ages(
    stores: Stores,
) -> None:
    catalogue, artifacts = stores.open()
    told = next(a for a in artifacts if a.command == "make other")
    titles = {f"{told.found.harness}/{told.session}": "Mend the other thing"}
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = SearchScreen(catalogue, artifacts, "error", titles=titles)
        await app.push_screen(screen)
        await ended(screen, pilot)
        lines = shown(screen)
        assert any(line.strip().startswith("Mend the other thing") for line in lines)
        head = next(line for line in lines if "make other" in line)
        assert re.search(r"1 line  \S+ ago", head)
    catalogue.close()
