"""The forecast's screens: the list, the chart, the costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.forecast.crossing import forecast
from spillview.forecast.runs import Group, Key, Run
from spillview.model import Boundary
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.charts.chart import AXIS, Canvas, chart
from spillview.tui.charts.chart_screen import ChartScreen
from spillview.tui.charts.forecast import ForecastScreen
from spillview.tui.charts.forecast_bar import ForecastBar
from spillview.tui.charts.forecast_rows import Facts, ForecastRow
from spillview.tui.palette import acts_of
from spillview.tui.runs import Lines, Runs
from tests.made_series import DAY, START
from tests.stores import NIGHT, Claude, log_of
from tests.test_forecast import grows
from tests.tui.reading import ATTACK, Bare, until

HOSTILE = f"echo {ATTACK.decode('utf-8', 'replace')}"


def made_screen(home: Path, days: float = 20) -> ForecastScreen:
    catalogue = Catalogue(Places.of_home(str(home)), now=lambda: NIGHT + days * DAY)
    artifacts = list(catalogue.complete(catalogue.scan()))
    return ForecastScreen(catalogue, artifacts, Query())


def text_of(lines: list[Runs]) -> str:
    return "\n".join("".join(text for text, _ in runs) for runs in lines)


async def test_list_opens_the_chart_and_tab_shows_costs(tmp_path: Path) -> None:
    grows(tmp_path, [10_000 + n * 700 for n in range(20)])
    one = Claude(tmp_path, session="aaaaaaaa-1111-4222-8333-444444444444")
    one.clock = NIGHT + 19.5 * DAY
    one.spills(log_of(3_000), command="make test")
    one.says("fine")
    one.write()
    screen = made_screen(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.board is not None)
        await pilot.pause()
        rows = screen.listing.rows
        assert [r.found.state for r in rows if isinstance(r, ForecastRow)] == [
            "growing",
            "over",
        ]
        shown = text_of(screen.detail.make(100, 6))
        assert "make lint" in shown
        assert "crosses 20" in shown
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ChartScreen))
        drawn = text_of(chart(app.screen.found, 98, 20))  # type: ignore[attr-defined] # just asked
        assert "30,000│" in drawn
        assert "─" in drawn
        await pilot.press("c")
        assert json.loads(app.clipboard)["command"] == "make lint"
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("c")
        lines = [json.loads(line) for line in app.clipboard.splitlines()]
        assert [row["state"] for row in lines] == ["growing", "over"]
        await pilot.press("tab")
        await until(pilot, lambda: screen.costs is not None)
        await pilot.pause()
        costs = screen.costs
        assert costs is not None
        assert len(screen.listing.rows) == len(costs.rows) == 21
        await pilot.press("g", "enter")
        await pilot.pause()
        first = costs.rows[0]
        assert isinstance(app.screen, ArtifactScreen) is (first.artifact is not None)


async def test_tab_while_it_reads_leaves_neither_list_unmade(tmp_path: Path) -> None:
    grows(tmp_path, [10_000 + n * 700 for n in range(20)])
    screen = made_screen(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(screen)
        await pilot.press("tab", "tab", "tab")
        await until(pilot, lambda: None not in (screen.board, screen.costs))
        await pilot.pause()
        assert screen.by_cost
        assert len(screen.listing.rows) == 20
        await pilot.press("tab")
        await pilot.pause()
        assert [type(row) for row in screen.listing.rows] == [ForecastRow]
        assert "reading" not in text_of(screen.bar.make(80, 1))


async def test_a_fault_while_it_reads_is_said_and_tried_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no [such] thing")

    monkeypatch.setattr("spillview.tui.charts.forecast.board", broken)
    screen = made_screen(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(screen)
        bar = screen.bar
        await until(pilot, lambda: "not be made" in text_of(bar.make(80, 1)))
        await pilot.press("tab")
        await until(pilot, lambda: screen.costs is not None)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not screen)


async def test_too_few_runs_are_hidden_until_asked_for(tmp_path: Path) -> None:
    grows(tmp_path, [10_000, 11_000])
    screen = made_screen(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.board is not None)
        await pilot.pause()
        assert not screen.listing.display
        assert screen.blank.display
        await pilot.press("a")
        await pilot.pause()
        assert screen.listing.display
        assert len(screen.listing.rows) == 1
        assert "too few runs: 2 of 5" in text_of(screen.detail.make(80, 6))


async def test_few_runs_close_to_the_boundary_are_not_hidden(tmp_path: Path) -> None:
    grows(tmp_path, [26_000, 29_000])
    screen = made_screen(tmp_path)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.board is not None)
        await pilot.pause()
        (row,) = screen.listing.rows
        assert text_of([row.runs(78)]).startswith("△unknown")


async def test_home_opens_it_by_key_and_by_palette(tmp_path: Path) -> None:
    grows(tmp_path, [40_000])
    catalogue = Catalogue(Places.of_home(str(tmp_path)), now=lambda: NIGHT + DAY)
    app = SpillviewApp(catalogue, Query())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: not app.screen.top.looking)  # type: ignore[attr-defined] # the home screen
        names = [act.name for act in acts_of(app.screen)]
        assert "Forecast" in names
        await pilot.press("F")
        await until(pilot, lambda: isinstance(app.screen, ForecastScreen))
        await pilot.press("F")
        await until(pilot, lambda: not isinstance(app.screen, ForecastScreen))


async def test_hostile_commands_are_drawn_harmless(tmp_path: Path) -> None:
    grows(tmp_path, [10_000 + n * 700 for n in range(12)], command=HOSTILE)
    screen = made_screen(tmp_path, 12)
    app = Bare(screen.catalogue)
    async with app.run_test(size=(120, 30)) as pilot:
        app.push_screen(screen)
        await until(pilot, lambda: screen.board is not None)
        await pilot.pause()
        (row,) = screen.listing.rows
        drawn = text_of([row.runs(118), *screen.detail.make(118, 6)])
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ChartScreen)
        facts = app.screen.query_one("#chart-facts", Facts)
        drawn += text_of(facts.make(118, 6))
        assert "app.quit" in drawn
        allowed = "\n"
        assert all(char.isprintable() or char in allowed for char in drawn)


def run_on(day: float, size: int, boundary: int = 30_000) -> Run:
    gate = (Boundary(boundary, "chars"),)
    return Run((START + day) * DAY, size, size, size, 1, gate, "wrap")


@pytest.mark.parametrize("size", [(80, 20), (40, 8), (200, 50), (12, 3), (5, 2)])
@pytest.mark.parametrize("count", [1, 2, 30])
def test_chart_fits_whatever_the_room(size: tuple[int, int], count: int) -> None:
    group = Group(Key("", "x"))
    for n in range(count):
        group.add(run_on(n, 9_000 + n * 500), "x", None)
    lines = chart(forecast(group, (START + count) * DAY), *size)
    assert len(lines) in (0, size[1])
    assert all(len(text) <= size[0] for text in text_of(lines).split("\n"))


def test_dots_stand_where_the_sizes_are() -> None:
    group = Group(Key("", "x"))
    group.add(run_on(0, 0), "x", None)
    group.add(run_on(10, 40_000), "x", None)
    lines = text_of(chart(forecast(group, (START + 11) * DAY), 60, 21)).split("\n")
    plot = [line[AXIS + 1 :] for line in lines[:-1]]
    boundary = next(n for n, line in enumerate(plot) if "─" in line)
    assert lines[boundary].startswith("   30,000│")
    first = next(n for n, line in enumerate(plot) if line[0] not in " ─")
    last = next(n for n, line in enumerate(plot) if line[-1] not in " ─")
    assert (first, last < boundary) == (19, True)
    # 40,000 of 42,400 and 30,000 of 42,400 in 20 lines.
    assert last == pytest.approx((1 - 40 / 42.4) * 20, abs=1)
    assert boundary == pytest.approx((1 - 30 / 42.4) * 20, abs=1)


def test_canvas_sets_the_dot_that_it_is_asked_for() -> None:
    canvas = Canvas(2, 1)
    canvas.dot(0, 0, "head")
    canvas.dot(3, 3, "over")
    canvas.dot(9, 9, "over")
    assert canvas.runs(0) == [("⡀", "head"), ("⠈", "over")]


def test_the_bar_leaves_parts_out_whole() -> None:
    bar = ForecastBar()
    left: Runs = [("forecast", "brand"), ("  63 commands", ""), ("  44 over", "over")]
    bar.left, bar.right = left, ("13 with too few runs", "13 hidden")

    def drawn(width: int) -> str:
        [line] = bar.make(width, 1)
        return "".join(text for text, _ in line).strip()

    assert drawn(80).startswith("forecast  63 commands  44 over  ")
    assert drawn(80).endswith("13 with too few runs")
    assert drawn(50).endswith("13 hidden")
    assert drawn(34) == "forecast  63 commands  44 over"
    assert drawn(28) == "forecast  63 commands"


class Long(Lines):
    """A line of sixty cells."""

    def make(self, width: int, height: int) -> list[Runs]:
        return [[("a" * 30, ""), ("b" * 30, "")]]


class Small(App[None]):
    def compose(self) -> ComposeResult:
        yield Long()


async def test_a_line_that_is_too_long_ends_with_an_ellipsis() -> None:
    async with Small().run_test(size=(40, 5)) as pilot:
        strip = pilot.app.query_one(Long).render_line(0)
        assert strip.text == "a" * 30 + "b" * 9 + "…"
