"""The themes: what is written can be read in each, and colour alone says nothing."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.color import Color
from textual.screen import ModalScreen

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Problem
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.charts.statistics import StatisticsScreen
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.problems import ProblemsScreen
from spillview.tui.queue.queue import Queue
from spillview.tui.review.note import NoteScreen
from spillview.tui.theme import ANSI, CONTRAST, DAY, NIGHT, THEMES
from tests.stores import Claude, log_of

TONES = sorted(
    set(
        re.findall(
            r"\.(tone--[a-z]+) {",
            (Path(__file__).parents[2] / "styles" / "app.tcss").read_text(),
        )
    )
)


def app_over(home: Path) -> SpillviewApp:
    session = Claude(home)
    session.spills(log_of(1500))
    session.write()
    return SpillviewApp(Catalogue(Places.of_home(str(home))))


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in color.rgb]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of two colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("name", "least"), [(NIGHT.name, 4.5), (DAY.name, 4.5), (CONTRAST.name, 7.0)]
)
async def test_every_tone_stands_out_from_what_is_behind_it(
    name: str, least: float, tmp_path: Path
) -> None:
    app = app_over(tmp_path)
    async with app.run_test() as pilot:
        app.theme = name
        await pilot.pause()
        queue = app.screen.query_one(Queue)
        cursor = queue.get_component_styles("queue--cursor")
        behind = {queue.background_colors[1], Color.parse(app.theme_variables["panel"])}
        behind.add(queue.background_colors[1] + cursor.background)
        for tone in TONES:
            styles = queue.get_component_styles(tone)
            for background in behind:
                ratio = contrast(background + styles.color, background)
                assert ratio >= least, (tone, background.hex, ratio)


async def test_sixteen_colours_use_the_terminals_own(tmp_path: Path) -> None:
    app = app_over(tmp_path)
    async with app.run_test() as pilot:
        app.theme = ANSI.name
        await pilot.pause()
        assert app.native_ansi_color
        style = app.screen.query_one(Queue).get_component_rich_style("queue--cursor")
        assert style.reverse


async def test_the_palette_offers_every_theme_but_the_one_that_is_on(
    tmp_path: Path,
) -> None:
    app = app_over(tmp_path)
    async with app.run_test() as pilot:
        for name in (DAY.name, NIGHT.name, *THEMES):
            commands = app.get_system_commands(app.screen)
            named = {c.title: c for c in commands if c.title.startswith("Theme ")}
            others = [other for other in THEMES if other != app.theme]
            assert sorted(named) == sorted(f"Theme {other}" for other in others)
            if name in others:
                named[f"Theme {name}"].callback()
                await pilot.pause()
            assert app.theme == name


@pytest.mark.parametrize("colours", ["truecolor", "256"])
def test_the_terminal_gets_none_but_its_sixteen_colours(
    tmp_path: Path, colours: str
) -> None:
    pytest.importorskip("fcntl", reason="a pty needs a POSIX system")
    from tests.terminal import Terminal, sequences

    app_over(tmp_path)
    config = tmp_path / ".config" / "spillview" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('theme = "ansi"\n')
    term = "xterm-256color"
    env = {**os.environ, "HOME": str(tmp_path), "TERM": term, "COLORTERM": colours}
    env.pop("NO_COLOR", None)
    env.pop("XDG_CONFIG_HOME", None)
    with Terminal([sys.executable, "-m", "spillview"], env=env) as terminal:
        terminal.until("artifact")
        terminal.press("a")
        terminal.until("NEVER SEEN")
        terminal.press("\r")
        terminal.until("FULL OUTPUT")
        found = {each for each in sequences(terminal.text) if each.endswith("m")}
    assert any(re.search(r"[\[;]3[0-7][;m]", each) for each in found)
    assert not [each for each in found if re.search(r"[34]8;[25];", each)]


@pytest.mark.parametrize("name", sorted(THEMES))
async def test_a_box_leaves_the_screen_behind_it_in_sight(
    name: str, tmp_path: Path
) -> None:
    app = app_over(tmp_path)
    boxes: tuple[ModalScreen[Any], ...] = (
        NoteScreen("Note on it", ""),
        ConfirmScreen("Move it?", "It goes.", "Move"),
        ProblemsScreen([Problem("/somewhere", "It is gone.")]),
        StatisticsScreen(app.catalogue, (), "all time"),
    )
    async with app.run_test() as pilot:
        app.theme = name
        for box in boxes:
            app.push_screen(box)
            await pilot.pause()
            drawn = app.export_screenshot(title="-")
            assert "spillview" in drawn, box
            framed = "╭" in drawn
            assert framed is (name == ANSI.name), box
            app.pop_screen()
            await pilot.pause()
