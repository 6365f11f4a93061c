"""One key offers what can be copied; what is copied does what it says."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from spillview.search.ripgrep import find_ripgrep
from spillview.search.shell_command import LONGEST, shell_command
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.copying import CopyScreen
from spillview.tui.home import HomeScreen
from spillview.tui.search.rows import LineRow
from spillview.tui.search.search import SearchScreen
from tests.command import run
from tests.credentials import Maker
from tests.stores import Claude, Made, log_of
from tests.tui.fakes import settle
from tests.tui.reading import until

KEY = Maker(7).tokens()["github-classic"]


class Night:
    """A home, what its session spilled, and the program on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.session = Claude(home)
        first = f"token is {KEY}\n".encode() + log_of(1500)
        odd = "it's $(here) `now`.txt"
        self.made: list[Made] = [
            self.session.spills(first, name="b00000001.txt", command="make first"),
            self.session.spills(log_of(1700), name=odd, command="make second"),
        ]
        self.session.write()


@asynccontextmanager
async def browsing(home: Path) -> AsyncIterator[tuple[Night, Pilot[None]]]:
    night = Night(home)
    catalogue = Catalogue.here(Places.of_home(str(home)))
    app = SpillviewApp(catalogue, Query(paths=(str(home),)))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        queue = app.screen
        assert isinstance(queue, HomeScreen)
        await until(pilot, lambda: queue.arrangement.figures.artifacts == 2)
        await settle(pilot)
        yield night, pilot
    catalogue.close()


async def to_first(pilot: Pilot[None]) -> None:
    """The cursor on the artifact with the credential."""
    await pilot.press("g", "j")
    queue = pilot.app.screen
    assert isinstance(queue, HomeScreen)
    while queue.queue.row.command != "make first":  # type: ignore[union-attr] # there is
        await pilot.press("j")


async def copied(pilot: Pilot[None], *keys: str) -> str:
    """What is on the clipboard after these keys, and nothing if it did not change."""
    pilot.app._clipboard = ""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return pilot.app.clipboard


def told(pilot: Pilot[None]) -> str:
    return "\n".join(each.message for each in pilot.app._notifications)


async def inside(pilot: Pilot[None]) -> ArtifactScreen:
    await to_first(pilot)
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, ArtifactScreen))
    screen = pilot.app.screen
    assert isinstance(screen, ArtifactScreen)
    await until(pilot, lambda: screen.facts is not None and screen.whole is not None)
    await settle(pilot)
    return screen


async def test_the_queue_offers_id_path_command_and_envelope(machine: Path) -> None:
    async with browsing(machine) as (night, pilot):
        await to_first(pilot)
        path = str(night.made[0].path)
        assert await copied(pilot, "y", "p") == path
        assert told(pilot) == f"Copied the path: {len(path)} chars."
        ident = await copied(pilot, "y", "i")
        assert run("show", ident, "--raw").data == night.made[0].path.read_bytes()
        assert told(pilot) == "Copied the id: 16 chars."
        command = await copied(pilot, "y", "s")
        words = shlex.split(command)
        assert words[:3] == ["spillview", "show", ident]
        assert run(*words[1:]).out.endswith("FAILED (errors=3)\n")


async def test_the_envelope_is_masked_unless_it_is_asked_for_as_it_is(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path) as (night, pilot):
        await to_first(pilot)
        received = night.made[0].envelope
        assert KEY in received
        masked = await copied(pilot, "y", "e")
        assert masked == received.replace(KEY, "*" * len(KEY))
        assert "credentials as stars" in told(pilot)
        assert await copied(pilot, "y", "E") == received
        assert "stars" not in told(pilot)


async def test_in_an_artifact_shown_as_it_is_the_envelope_is_copied_so(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path) as (night, pilot):
        await inside(pilot)
        assert KEY not in await copied(pilot, "y", "e")
        await pilot.press("X")
        assert await copied(pilot, "y", "e") == night.made[0].envelope


async def test_y_twice_copies_the_line_and_once_what_is_selected(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path) as (_, pilot):
        await inside(pilot)
        await pilot.press("g")
        line = await copied(pilot, "y", "y")
        assert line == f"token is {'*' * len(KEY)}"
        assert told(pilot).startswith(f"Copied the line: {len(line)} chars, credent")
        await pilot.press("j", "shift+down", "shift+down")
        both = await copied(pilot, "y")
        assert both.count("\n") == 2
        assert told(pilot).startswith("Copied the selection: ")


async def test_the_command_of_a_place_shows_the_same_lines(machine: Path) -> None:
    async with browsing(machine) as (_, pilot):
        screen = await inside(pilot)
        await pilot.press(*"700g")
        await settle(pilot)
        words = shlex.split(await copied(pilot, "y", "s"))
        shown = [row.text for row in screen.full.rows()]
        printed = run(*words[1:]).out.splitlines()
        assert [line.split(None, 1)[1] for line in printed] == shown
        assert int(printed[0].split()[0]) <= 700 <= int(printed[-1].split()[0])


def rg_hits(command: str) -> set[tuple[str, int]]:
    """Files and lines that a copied command finds, run by a real shell."""
    assert command.startswith("rg ")
    told = command.replace("rg ", f"{shlex.quote(find_ripgrep().path)} --json ", 1)
    done = subprocess.run(["sh", "-c", told], capture_output=True, check=True, cwd="/")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        (row["data"]["path"]["text"], row["data"]["line_number"])
        for row in rows
        if row["type"] == "match"
    }


@pytest.mark.parametrize(
    "pattern", ["0007", "step .*13 ok", "FAILED", r"it's|\] step 05"]
)
async def test_the_rg_command_of_a_search_finds_the_same_lines(
    tmp_path: Path, pattern: str
) -> None:
    async with browsing(tmp_path) as (_, pilot):
        await pilot.press("S")
        await settle(pilot)
        await pilot.press(*pattern, "enter")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, SearchScreen)
        found = {
            (screen.artifacts[row.index].found.path, row.number)
            for row in screen.hits.rows
            if isinstance(row, LineRow)
        }
        assert found
        assert len(found) == screen.progress.lines
        assert rg_hits(await copied(pilot, "y", "r")) == found
        assert told(pilot).startswith("Copied the rg command of the search: ")


async def test_the_rg_command_in_an_artifact_finds_the_same_hits(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path) as (night, pilot):
        screen = await inside(pilot)
        await pilot.press("slash", *"0005", "enter")
        await settle(pilot)
        await until(pilot, lambda: not screen.full.finder.searching)
        document, hits = screen.whole, screen.full.finder.hits
        assert document is not None
        lines = {document.index.line_at(at) for at in hits.starts}
        command = await copied(pilot, "y", "r")
        assert rg_hits(command) == {(str(night.made[0].path), n) for n in lines}


async def test_without_a_search_no_rg_command_is_offered(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (_, pilot):
        await inside(pilot)
        await pilot.press("y")
        screen = pilot.app.screen
        assert isinstance(screen, CopyScreen)
        assert [each.key for each in screen.offered] == ["y", "i", "p", "s", "e", "E"]
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, ArtifactScreen)


async def test_enter_and_the_palette_copy_too(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (night, pilot):
        await to_first(pilot)
        path = str(night.made[0].path)
        assert await copied(pilot, "y", "j", "enter") == path
        screen = pilot.app.screen
        entries = {c.title: c for c in pilot.app.get_system_commands(screen)}
        assert {"Copy the id", "Copy the path", "Copy the envelope"} <= entries.keys()
        entries["Copy the path"].callback()
        await settle(pilot)
        assert pilot.app.clipboard == path


async def test_a_session_has_an_id_and_a_project(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (night, pilot):
        await pilot.press("g")
        assert await copied(pilot, "y", "i") == night.session.session
        assert await copied(pilot, "y", "p") == "/srv/app"


async def test_the_report_copies_what_its_row_is_about(tmp_path: Path) -> None:
    async with browsing(tmp_path) as (night, pilot):
        await pilot.press("R")
        await settle(pilot)
        path = await copied(pilot, "y", "p")
        assert path in {str(made.path) for made in night.made}


def test_a_command_that_would_be_too_long_says_what_it_leaves_out(
    tmp_path: Path,
) -> None:
    session = Claude(tmp_path)
    session.spills(log_of(1500), name="b00000001.txt")
    session.write()
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    (one,) = catalogue.scan()
    made = shell_command(["-e", "x"], [one] * 5000)
    assert made.text is not None
    assert len(made.text) <= LONGEST
    assert made.left_out + made.text.count(one.found.path) == 5000
    assert made.left_out > 0
