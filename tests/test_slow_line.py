"""On a real terminal: bytes of a key, mouse bytes, and a screen without colours."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="a pty needs a POSIX system")

from tests.stores import Claude, log_of
from tests.terminal import Terminal

MOST = {(80, 24): 2048, (120, 40): 3072}
"""Bytes that a step of the cursor in the queue may write, by the terminal's size."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    session = Claude(tmp_path)
    for number in range(60):
        name = f"b{number:08d}.txt"
        session.spills(log_of(1300 + number), name=name, command=f"make part-{number}")
    session.write()
    return tmp_path


def started(home: Path, columns: int, rows: int, **more: str) -> Terminal:
    env = {
        **os.environ,
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        **more,
    }
    program = "from spillview.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", program, str(home)]
    return Terminal(command, env=env, columns=columns, rows=rows)


def at_rest(terminal: Terminal) -> str:
    """The screen, once it has listed all and writes no more."""
    terminal.until("60 artifacts.*part-")
    return terminal.settle(quiet=1.5)


def written(terminal: Terminal, key: str) -> int:
    """Bytes that a key has it write."""
    before = len(terminal.output)
    terminal.press(key)
    terminal.settle(quiet=0.3)
    return len(terminal.output) - before


@pytest.mark.parametrize(("columns", "rows"), MOST)
def test_a_step_of_the_cursor_writes_little(
    home: Path, columns: int, rows: int
) -> None:
    with started(home, columns, rows) as terminal:
        at_rest(terminal)
        terminal.press("j")
        terminal.settle(quiet=1.0)
        sizes = [written(terminal, "j") for _ in range(5)]
        print(f"{columns}x{rows}: {sizes} bytes a step")  # noqa: T201 - figures for -s
        assert 0 < max(sizes) < MOST[columns, rows], sizes


def click(terminal: Terminal, column: int, row: int) -> None:
    """Press and release the left button, as terminals tell it (SGR)."""
    place = f"{column + 1};{row + 1}"
    terminal.press(f"\x1b[<0;{place}M\x1b[<0;{place}m")


def spot(screen: str, words: str) -> tuple[int, int]:
    """Column and row at which the words stand."""
    for row, line in enumerate(screen.splitlines()):
        if words in line:
            return line.index(words) + 1, row
    raise AssertionError(f"{words!r} is not in\n{screen}")


def test_mouse_bytes_sort_press_keys_scroll_and_open(home: Path) -> None:
    with started(home, 120, 40) as terminal:
        click(terminal, *spot(at_rest(terminal), "chars"))
        shown = terminal.until("by chars ↓")
        click(terminal, *spot(shown, "Flat"))
        shown = terminal.until("flat, by chars")
        first = re.findall(r"part-\d+", shown)[0]
        for _ in range(8):
            terminal.press("\x1b[<65;20;10M")  # the wheel, away from oneself
        shown = terminal.settle()
        assert re.findall(r"part-\d+", shown)[0] != first
        column, row = spot(shown, "part-3")
        click(terminal, column, row)
        click(terminal, column, row)
        terminal.until("FULL OUTPUT")


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def colours(text: str) -> Iterator[tuple[int, int, int]]:
    """Every 24-bit colour that was asked for."""
    for codes in COLOUR.findall(text):
        for r, g, b in re.findall(r"[34]8;2;(\d+);(\d+);(\d+)", codes):
            yield int(r), int(g), int(b)


def test_without_colours_every_mark_is_still_there(home: Path) -> None:
    with started(home, 80, 24, NO_COLOR="1") as terminal:
        shown = at_rest(terminal)
        cursor = [line for line in shown.splitlines() if line.startswith("▌")]
        assert len(cursor) == 1  # the row under the cursor
        assert "✗" in shown  # failed and never seen
        assert "NEVER SEEN" in shown
        assert "▾" in shown  # an open session
        terminal.press("x")
        assert "+" in terminal.until("1 selected")
        terminal.press(" ")
        terminal.until("✓ 1 of 60")
        terminal.press("*")
        terminal.until(r"\*")
        greys = set(colours(terminal.text))
        assert all(r == g == b for r, g, b in greys), greys
