"""What grows is marked with its rate while one looks; a short disk has a word."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.config import Settings
from spillview.frozen import replace
from spillview.growth.pace import WINDOW, Pace, Short
from spillview.growth.readings import Reading
from spillview.model import Artifact, Found
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.home import HomeScreen
from spillview.tui.queue.detail import detail_lines

from ..test_watch import LINUX, writing
from .fakes import settle
from .reading import until


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "still.log").write_bytes(b"all good\n")
    return folder


@asynccontextmanager
async def browsing(
    logs: Path, size: tuple[int, int] = (120, 30)
) -> AsyncIterator[tuple[HomeScreen, Pilot[None]]]:
    places = Places.of_home(str(logs.parent))
    catalogue = Catalogue.here(places)
    app = SpillviewApp(catalogue, Query((str(logs),)))
    async with app.run_test(size=size) as pilot:
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await until(pilot, lambda: bool(queue.arrangement.figures.artifacts))
        await settle(pilot)
        yield queue, pilot
    catalogue.close()


def drawn(screen: HomeScreen) -> str:
    lines = [screen.queue.render_line(y).text for y in range(screen.queue.size.height)]
    lines += [screen.top.render_line(0).text]
    lines += [screen.detail.render_line(y).text for y in range(7)]
    return "\n".join(lines)


# On the screen


@LINUX
async def test_what_grows_is_marked_with_its_rate_its_writer_and_shown_alone(
    logs: Path,
) -> None:
    path = logs / "grows.log"
    with writing(path, 20_000) as pid:
        async with browsing(logs) as (queue, pilot):
            await until(pilot, lambda: bool(queue.growing()))
            for _ in range(2):
                queue.look_at_growth()
                await pilot.pause(0.2)
            await until(pilot, lambda: "↑ " in drawn(queue))
            queue.select_only("growing")
            await pilot.pause()
            await until(pilot, lambda: "grows.log" in drawn(queue))
            assert "still.log" not in drawn(queue)
            await pilot.press("g", "j")
            await pilot.pause()
            await until(pilot, lambda: f"open in {pid} python" in drawn(queue))
            text = drawn(queue)
            assert "growing" in text
            assert "the disk is full in" in text
            [reading] = queue.queue.growth.values()
            assert (reading.per_second or 0) > 0


async def test_nothing_is_marked_where_nothing_grows(logs: Path) -> None:
    async with browsing(logs) as (queue, pilot):
        assert queue.growing() == []
        queue.look_at_growth()
        await settle(pilot)
        assert queue.queue.growth == {}
        assert list(queue.top.short) == []
        assert "↑" not in drawn(queue)


async def test_a_disk_with_too_little_free_has_a_word_at_the_top(
    logs: Path, tmp_path: Path
) -> None:
    config = Path(Places.of_home(str(tmp_path)).config_dir)
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[watch]\nmin_free = "99.9%"\n')
    for size in ((120, 30), (80, 24)):
        async with browsing(logs, size) as (queue, pilot):
            queue.look_at_growth()
            await until(pilot, lambda: bool(queue.top.short))
            await pilot.pause()
            top = queue.top.render_line(0).text
            assert len(top) == size[0]
            assert "B free" in top


# Look after look


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def artifact(path: Path, **more: object) -> Artifact:
    root = str(path.parent)
    found = Found(path.name, "folder", str(path), path.name, "s", root)
    return Artifact(found, flags=("growing",))


def paced(pace: Pace, path: Path) -> Reading:
    return pace.look([artifact(path)])[path.name]


def test_a_rate_is_told_over_the_last_seconds_alone(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "log"
    path.write_bytes(b"x" * 1000)
    pace = Pace(Settings(), clock=clock)
    assert paced(pace, path).per_second is None
    for _ in range(5):
        clock.now += 2
        with path.open("ab") as file:
            file.write(b"x" * 2000)
        assert paced(pace, path).per_second == pytest.approx(1000)
    for _ in range(int(WINDOW) // 2):
        clock.now += 2
        last = paced(pace, path).per_second
    assert last == 0  # it has stopped


def test_a_file_that_was_shortened_or_replaced_begins_anew(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "log"
    path.write_bytes(b"x" * 1000)
    pace = Pace(Settings(), clock=clock)
    paced(pace, path)
    clock.now += 2
    os.truncate(path, 10)
    assert paced(pace, path).per_second is None
    clock.now += 2
    with path.open("ab") as file:
        file.write(b"x" * 600)
    assert paced(pace, path).per_second == 300
    (tmp_path / "new").write_bytes(b"y" * 9000)
    os.replace(tmp_path / "new", path)
    clock.now += 2
    assert paced(pace, path).per_second is None


def test_what_is_gone_or_no_file_of_its_own_has_no_rate(tmp_path: Path) -> None:
    path = tmp_path / "log"
    pace = Pace(Settings(), clock=Clock())
    assert pace.look([artifact(path)]) == {}
    path.write_bytes(b"x")
    (tmp_path / "link").symlink_to(path)
    assert pace.look([artifact(tmp_path / "link")]) == {}
    assert set(pace.look([artifact(path)])) == {"log"}


def test_a_disk_is_short_by_the_limits_alone(tmp_path: Path) -> None:
    roots = [str(tmp_path)]
    assert Pace(Settings(watch={"min-free": "1B"})).on_disks({}, roots) == ({}, [])
    assert Pace(Settings(watch={"max-file": "1B"})).on_disks({}, roots) == ({}, [])
    pace = Pace(Settings(watch={"min-free": "99.9%"}))
    [short] = pace.on_disks({}, roots)[1]
    assert short.words().endswith(f"free on the disk of {tmp_path}")
    assert short.words(brief=True).endswith(" free")
    assert pace.on_disks({}, ["/no/such"]) == ({}, [])
    soon = Short(2_000_000, 120.0, "/d")
    assert soon.words() == "2.0 MB free, full in 2m on the disk of /d"


def test_the_strip_tells_what_a_file_takes_where_it_is_less_than_its_length() -> None:
    found = Found(
        "a", "folder", "/s/a", "a", "s", "/s", None, "file", 1 << 30, blocks=16
    )
    told = detail_lines(Artifact(found), 120, 8, 1e9)
    text = "\n".join("".join(part for part, _ in line) for line in told)
    assert "1.1 GB (8.2 kB on disk)" in text
    plain = detail_lines(Artifact(replace(found, blocks=None)), 120, 8, 1e9)
    assert "on disk" not in "".join(part for line in plain for part, _ in line)
