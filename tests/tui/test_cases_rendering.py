"""What a screen shows when the file behind it is no longer what it was."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.home import HomeScreen
from tests.tui.reading import until
from tests.tui.test_artifact_screen import (
    BUILD,
    Night,
    drawn,
    header,
    looking,
    settled,
)


def truncated(path: Path) -> bytes:
    os.truncate(path, 1000)
    return path.read_bytes()


def rewritten(path: Path) -> bytes:
    path.write_bytes(b"something else entirely\n" * 20)
    return path.read_bytes()


def rewritten_alike(path: Path) -> bytes:
    size = path.stat().st_size
    path.write_bytes(b"x" * (size - 6) + b"\nlast\n")
    os.utime(path, ns=(1, 1))
    return path.read_bytes()


def replaced(path: Path) -> bytes:
    other = path.with_suffix(".new")
    other.write_bytes(b"another file\n")
    other.replace(path)
    return path.read_bytes()


@pytest.mark.parametrize("change", [truncated, rewritten, rewritten_alike, replaced])
async def test_counts_and_what_was_seen_are_those_of_the_content_that_is_shown(
    tmp_path: Path, change: Callable[[Path], bytes]
) -> None:
    night = Night(tmp_path / "home")
    path = night.build()
    async with looking(night, size=(160, 40)) as (screen, pilot, _):
        assert f"{len(BUILD):,} bytes" in header(screen)
        before = screen.full.document
        assert before is not None
        assert before.seen is not None
        assert before.seen.ranges
        data = change(path)
        screen.full.poll()
        await settled(screen, pilot)
        shown = header(screen)
        assert f"{len(data):,} bytes" in shown
        assert f"{len(BUILD):,} bytes" not in shown or len(data) == len(BUILD)
        assert screen.artifact.counts is not None
        assert screen.artifact.counts.chars == len(data.decode())
        document = screen.full.document
        assert document is not None
        seen = document.seen.ranges if document.seen is not None else ()
        head = BUILD[:2000]
        assert all(data[a:b] in head for a, b in seen)
        assert bool(seen) == (change is truncated)
        assert screen.artifact.verdict_seen is not True or change is truncated


@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "socket"])
async def test_a_file_that_becomes_something_else_while_open_is_never_opened(
    tmp_path: Path, kind: str
) -> None:
    night = Night(tmp_path / "home")
    path = night.build()
    async with looking(night) as (screen, pilot, _):
        path.unlink()
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind == "link":
            path.symlink_to("/etc/passwd")
        else:
            cwd = Path.cwd()
            os.chdir(path.parent)  # the name of a socket is short
            try:
                with socket.socket(socket.AF_UNIX) as bound:
                    bound.bind(path.name)
            finally:
                os.chdir(cwd)
        screen.full.poll()
        await settled(screen, pilot)
        text = drawn(screen)
        words = {"fifo": "FIFO", "folder": "folder", "link": "link", "socket": "socket"}
        assert words[kind] in text
        assert "root:" not in text
        assert f"{len(BUILD):,} bytes" not in header(screen)
        await pilot.press("G", "g", "n", "right_square_bracket", "q")


async def test_an_output_is_full_as_captured_at_most(tmp_path: Path) -> None:
    night = Night(tmp_path / "home")
    night.build()
    capped = night.build()
    capped.write_bytes(BUILD[:1003])
    async with looking(night, size=(200, 40)) as (screen, pilot, _):
        assert "FULL OUTPUT AS CAPTURED" in drawn(screen)
        await pilot.press("J")
        await settled(screen, pilot)
        assert "PARTIAL OUTPUT" in drawn(screen)
        assert "FULL" not in drawn(screen)
        assert "the spill is partial" in header(screen)


# What is no file


async def test_links_and_special_files_are_told_in_the_queue_and_opened_never(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    log = tmp_path / "live.log"
    log.write_bytes(b"x\n" * 20_000)
    (folder / "live.output").symlink_to(log)
    (folder / "broken.output").symlink_to("/nowhere/\x1b[2J[/]")
    (folder / "folder.output").symlink_to("/etc")
    os.mkfifo(folder / "fifo.output")
    app = SpillviewApp(
        Catalogue(Places.of_home(str(tmp_path / "home"))), Query(paths=(str(folder),))
    )
    async with app.run_test(size=(170, 24)) as pilot:
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: len(home.arrangement.artifacts) == 4)
        await pilot.pause()
        text = all_of(app)
        assert re.search(r"40\.0 kB, changed \d+s ago → /", text)
        assert "nothing is there" in text
        assert "→ /etc · no file" in text
        assert "never open" in text
        assert "\x1b" not in text
        assert "not counted yet" not in text
        for name, words in (
            ("live.output", "40.0 kB, changed"),
            ("broken.output", "␛[2J[/] · nothing is there"),
            ("fifo.output", "it is never opened"),
        ):
            place = next(
                place
                for place, row in enumerate(home.queue.rows)
                if isinstance(row, Artifact) and row.found.name == name
            )
            home.queue.action_move(place - home.queue.cursor)
            await pilot.pause()
            assert words in all_of(app)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ArtifactScreen))
            await pilot.pause()
            assert ("none is followed" in all_of(app)) == ("fifo" not in name)
            await pilot.press("q")
            await until(pilot, lambda: app.screen is home)


def all_of(app: SpillviewApp) -> str:
    """Everything on the screen as text."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())
