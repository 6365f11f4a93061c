"""The mouse: rows, titles, panes, keys of the footer, and the wheel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.footer import Footer
from spillview.tui.home import HomeScreen
from spillview.tui.report.report import ReportScreen
from spillview.tui.search.search import SearchScreen
from tests.stores import Claude, log_of
from tests.tui.fakes import settle
from tests.tui.reading import until

FILES = 20


@asynccontextmanager
async def browsing(
    home: Path, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[HomeScreen, Pilot[None]]]:
    session = Claude(home)
    for number in range(FILES):
        name = f"b{number:08d}.txt"
        session.spills(log_of(1300 + number), name=name, command=f"make {number}")
    session.write()
    catalogue = Catalogue(Places.of_home(str(home)))
    app = SpillviewApp(catalogue, Query(paths=(str(home),)))
    async with app.run_test(size=size) as pilot:
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await until(pilot, lambda: queue.arrangement.figures.artifacts == FILES)
        await settle(pilot)
        yield queue, pilot


def place_of(widget: Widget, words: str) -> Offset:
    """Where the words stand in a widget that draws its own lines."""
    for y in range(widget.size.height):
        text = widget.render_line(y).text
        if words in text:
            return Offset(text.index(words) + len(words) // 2, y)
    raise AssertionError(words)


async def wheel(pilot: Pilot[None], widget: Widget, turns: int) -> None:
    """Turn the wheel over a widget; downwards for positive numbers."""
    for _ in range(abs(turns)):
        kind = events.MouseScrollDown if turns > 0 else events.MouseScrollUp
        await pilot._post_mouse_events([kind], widget, offset=(5, 3))
    await settle(pilot)


async def test_a_row_is_gone_to_and_a_double_click_opens_it(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (home, pilot):
        at = place_of(home.queue, "make 3 ")
        await pilot.click(home.queue, offset=at)
        row = home.queue.row
        assert isinstance(row, Artifact)
        assert row.command == "make 3"
        await pilot.click(home.queue, offset=at, times=2)
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        screen = pilot.app.screen
        assert isinstance(screen, ArtifactScreen)
        assert screen.artifact.command == "make 3"


async def test_the_left_edge_selects_and_a_session_s_mark_closes_it(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path) as (home, pilot):
        y = place_of(home.queue, "make 3 ").y
        await pilot.click(home.queue, offset=(1, y))
        assert len(home.queue.selected) == 1
        await pilot.click(home.queue, offset=(1, 0))
        await settle(pilot)
        assert len(home.queue.rows) == 1


async def test_titles_sort_and_reverse(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (home, pilot):
        at = place_of(home.titles, "chars")
        await pilot.click(home.titles, offset=at)
        await settle(pilot)
        assert (home.view.sort, home.view.reverse) == ("chars", False)
        await pilot.click(home.titles, offset=place_of(home.titles, "chars"))
        await settle(pilot)
        assert (home.view.sort, home.view.reverse) == ("chars", True)


async def test_the_footer_s_keys_are_pressed(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (home, pilot):
        footer = home.query_one(Footer)
        await pilot.click(footer, offset=place_of(footer, "Flat"))
        await settle(pilot)
        assert home.view.flat
        await pilot.click(footer, offset=place_of(footer, "Search"))
        await until(pilot, lambda: isinstance(pilot.app.screen, SearchScreen))


async def test_the_wheel_scrolls_queue_and_text(tmp_path: Path) -> None:
    async with browsing(tmp_path, (80, 24)) as (home, pilot):
        await wheel(pilot, home.queue, 3)
        assert home.queue.scroll_offset.y > 0
        await wheel(pilot, home.queue, -6)
        assert home.queue.scroll_offset.y == 0
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        screen = pilot.app.screen
        assert isinstance(screen, ArtifactScreen)
        await settle(pilot)
        top = screen.full.top
        await wheel(pilot, screen.full, -2)
        assert screen.full.top < top


async def test_a_pane_and_its_title_take_the_keys(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (_, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
        screen = pilot.app.screen
        assert isinstance(screen, ArtifactScreen)
        await until(pilot, lambda: screen.envelope.document is not None)
        await settle(pilot)
        assert screen.pager is screen.full
        await pilot.click(screen.envelope_title)
        await settle(pilot)
        assert screen.pager is screen.envelope
        await pilot.click(screen.full_title)
        await settle(pilot)
        assert screen.pager is screen.full
        await pilot.click(screen.envelope, offset=(10, 2))
        await settle(pilot)
        assert screen.pager is screen.envelope


async def test_a_row_of_the_report_is_gone_to_and_opened(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (_, pilot):
        await pilot.press("R")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReportScreen))
        screen = pilot.app.screen
        assert isinstance(screen, ReportScreen)
        await until(pilot, lambda: screen.row is not None)
        await settle(pilot)
        findings = screen.findings
        y = next(n for n in range(3, 12) if not findings.rows[n].heading)
        await pilot.click(findings, offset=(20, y))
        assert findings.cursor == y
        await pilot.click(findings, offset=(20, y), times=2)
        await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
