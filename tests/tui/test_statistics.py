"""The statistics' screen: its tables, and the rows it copies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Static

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.charts.statistics import (
    StatisticsScreen,
    drawn,
    sweep_table,
    tool_table,
)
from spillview.tui.footer import Footer
from tests.test_statistics import make_night
from tests.tui.reading import Bare, until


async def test_tables_and_copied_rows_agree(tmp_path: Path) -> None:
    make_night(tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    screen = StatisticsScreen(catalogue, artifacts, "all time")
    app = Bare(screen.catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.statistics is not None)
        statistics = screen.statistics
        assert statistics is not None
        await pilot.pause()
        shown = str(screen.query_one("#by-tool", Static).render())
        assert "Bash" in shown
        assert len(tool_table(statistics)) == 1 + len(statistics.tools)
        assert len(sweep_table(statistics)) == 1 + len(statistics.sweep)
        await pilot.press("c")
        rows = [json.loads(line) for line in app.clipboard.splitlines()]
        assert len(rows) == len(statistics.tools) + len(statistics.sweep)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not screen)


def test_columns_are_aligned() -> None:
    lines = drawn([["tool", "n"], ["日本", "10"], ["a", "7"]], 1).plain.split("\n")
    assert lines == ["tool   n ", "日本  10 ", "a      7 "]


async def test_nothing_spilled_is_said(tmp_path: Path) -> None:
    screen = StatisticsScreen(Catalogue(Places.of_home(str(tmp_path))), [], "all time")
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.statistics is not None)
        await pilot.pause()
        assert "Nothing" in str(screen.query_one("#by-tool", Static).render())


async def test_a_fault_while_it_measures_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no [such] thing")

    monkeypatch.setattr("spillview.tui.charts.statistics.measure", broken)
    screen = StatisticsScreen(Catalogue(Places.of_home(str(tmp_path))), [], "all time")
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(screen)
        shown = screen.query_one("#by-tool", Static)
        await until(pilot, lambda: "no [such] thing" in str(shown.render()))


async def test_scrolling_and_help_are_offered_where_there_is_more(
    tmp_path: Path,
) -> None:
    make_night(tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    app = SpillviewApp(catalogue)
    async with app.run_test(size=(60, 12)) as pilot:
        screen = StatisticsScreen(catalogue, artifacts, "all time")
        app.push_screen(screen)
        await until(pilot, lambda: screen.statistics is not None)
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()
        assert screen.tables.scroll_y == screen.tables.max_scroll_y > 1
        await pilot.press("g")
        await pilot.pause()
        assert screen.tables.scroll_y == 0
        footer = {key.display for key in screen.query_one(Footer).keys}
        assert {"j k", "h l", "?", "c"} <= footer
        await pilot.press("l", "j")
        await pilot.pause()
        assert (screen.tables.scroll_x, screen.tables.scroll_y) == (8, 1)
        await pilot.press("h", "k", "question_mark")
        await pilot.pause()
        assert (screen.tables.scroll_x, screen.tables.scroll_y) == (0, 0)
        assert screen.query("HelpPanel")
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is screen
        assert not screen.query("HelpPanel")
        await pilot.resize_terminal(200, 100)
        await pilot.pause()
        await pilot.pause()
        shown = {key.display for key in screen.query_one(Footer).keys}
        assert not {"j k", "h l"} & shown


async def test_on_80_columns_every_column_is_in_sight(tmp_path: Path) -> None:
    make_night(tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    app = SpillviewApp(catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = StatisticsScreen(catalogue, artifacts, "all time")
        app.push_screen(screen)
        await until(pilot, lambda: screen.statistics is not None)
        await pilot.pause()
        assert screen.tables.max_scroll_x == 0
        assert screen.tables.size.height >= 20
        shown = str(screen.query_one("#by-tool", Static).render())
        titles, *rows = shown.splitlines()
        assert titles.split()[-4:] == ["later", "seen", "carried", "bytes"]
        assert {len(row) for row in rows} == {len(titles)}
