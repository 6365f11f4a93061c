"""Keys, clicks, sizes and pastes in any order: no fault, no control byte, no hang."""

from __future__ import annotations

import os
import random
import string
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Input

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from spillview.tui.app import SpillviewApp
from spillview.tui.terminal_input import Forgiving
from tests.attacks import ATTACKS, make_hostile

LETTERS = [char for char in string.printable if char.isprintable()]
KEYS = [
    *(_character_to_key(char) for char in LETTERS if char not in "qd"),
    *(f"ctrl+{char}" for char in "abefghiklnorstuvwxyz"),
    *(f"f{number}" for number in range(1, 13)),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("enter", "escape", "tab", "shift+tab", "backspace", "delete", "insert"),
    *("shift+up", "shift+down", "ctrl+home", "ctrl+end", "あ", "é"),
]
LIKELY = [
    *("enter", "enter", "tab", "j", "k", "G", "g", "n", "N", "S", "f", "w", "space"),
    *("right_square_bracket", "left_square_bracket", "slash", "ampersand", "colon"),
    *("question_mark", "escape", "m", "v", "x", "r", "F", "s", "c", "a", "down"),
]
WORDS = ["error", "(", "a{9999}", "\\", "9" * 20, "-5", "50%", "(a+)+$", "[/", "日本"]
SIZES = [(20, 5), (300, 90), (80, 24), (120, 40), (1, 1), (40, 10)]


def hidden(char: str) -> bool:
    """Whether the character acts on a terminal or cannot be seen on it."""
    code = ord(char)
    return (
        code < 32
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or code in (0x200B, 0x2028, 0x2029, 0x202E)
    )


def drawn(app: App[Any]) -> Iterator[str]:
    """Every text on the screen as it goes to the terminal."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            if not segment.control:
                yield segment.text


def nothing_hidden(app: App[Any]) -> None:
    for text in drawn(app):
        assert not any(map(hidden, text)), (text, type(app.screen).__name__)


class Monkey:
    """Does at random what a person could, the same for the same seed."""

    def __init__(self, pilot: Pilot[Any], seed: int) -> None:
        self.pilot = pilot
        self.app = pilot.app
        self.dice = random.Random(seed)

    async def act(self) -> None:
        """One thing."""
        dice = self.dice
        chance = dice.random()
        if chance < 0.06:
            await self.go_home()
        elif chance < 0.75:
            keys = [dice.choice(dice.choice([KEYS, LIKELY])) for _ in range(4)]
            if dice.random() < 0.1:
                keys += [*map(_character_to_key, dice.choice(WORDS)), "enter"]
            await self.pilot.press(*keys)
        elif chance < 0.9:
            await self.point()
        elif chance < 0.95:
            await self.pilot.resize_terminal(*dice.choice(SIZES))
        else:
            self.app.post_message(events.Paste(dice.choice(ATTACKS) * 3 + "\nsecond"))
            await self.pilot.pause()

    async def point(self) -> None:
        """A click, a turn of the wheel or a drag somewhere."""
        width, height = self.app.size
        here = self.dice.randrange(width), self.dice.randrange(height)
        kinds: list[type[events.MouseEvent]] = self.dice.choice(
            [
                [events.MouseDown, events.MouseUp, events.Click],
                [events.MouseScrollDown, events.MouseScrollDown],
                [events.MouseScrollUp],
                [events.MouseDown, events.MouseMove, events.MouseUp],
            ]
        )
        await self.pilot._post_mouse_events(kinds, offset=here, button=1)

    async def go_home(self) -> None:
        """Leave what is open, but never the program."""
        for _ in range(6):
            await self.pilot.press("escape")
            if len(self.app.screen_stack) <= 1:
                return


@pytest.mark.parametrize("seed", range(2))
async def test_nothing_a_person_does_at_random_breaks_the_screens(
    machine: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.setenv("EDITOR", "cat")
    make_hostile(machine, time.time())
    catalogue = Catalogue.here(Places.of_home(str(machine)))
    app = SpillviewApp(catalogue, Query())
    async with app.run_test(size=(120, 40)) as pilot:
        monkey = Monkey(pilot, seed)
        for _ in range(20):
            await monkey.act()
            assert app.is_running
            nothing_hidden(app)
    catalogue.close()


@pytest.fixture
def app(machine: Path) -> Iterator[SpillviewApp]:
    """The application over an empty machine."""
    catalogue = Catalogue.here(Places.of_home(str(machine)))
    yield SpillviewApp(catalogue, Query())
    catalogue.close()


@pytest.mark.parametrize("attack", [a for a in ATTACKS if not a.startswith("[")])
async def test_pasted_text_never_reaches_the_terminal_as_it_is(
    app: SpillviewApp, attack: str
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("S")
        line = app.screen.query_one(Input)
        line.focus()
        app.post_message(events.Paste(f"a{attack}b\nsecond line"))
        await pilot.pause()
        assert line.value.startswith("a")
        assert line.value.endswith("b")
        nothing_hidden(app)


async def test_what_was_copied_is_pasted_as_one_safe_line(app: SpillviewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        app.copy_to_clipboard("one\x1b[2J\x9b2J\udcff\tend\nsecond\n")
        assert app.clipboard == "one␛[2J\ufffd2J\\xff\tend\nsecond\n"
        await pilot.press("ctrl+v")  # nothing takes it: nothing happens
        await pilot.press("S")
        line = app.screen.query_one(Input)
        line.focus()
        await pilot.press("ctrl+v")
        await pilot.pause()
        assert line.value == "one␛[2J\ufffd2J\\xff\tend"
        nothing_hidden(app)


async def test_whatever_is_copied_reaches_the_terminal_as_text(
    app: SpillviewApp,
) -> None:
    async with app.run_test():
        app.copy_to_clipboard("half a pair: \ud83d")
        assert app.clipboard == "half a pair: \ufffd"


class Reading:
    """A driver whose thread meets what each of these is, one after the other."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.ends = 0

    def run_input_thread(self) -> None:
        if self.faults:
            raise self.faults.pop(0)
        self.ends += 1


class ForgivingReading(Forgiving, Reading):
    """The same, forgiving."""


def test_terminal_is_read_on_after_what_is_no_text_and_no_key() -> None:
    bad = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    reading = ForgivingReading(bad, OverflowError(), ValueError(), bad)
    reading.run_input_thread()
    assert reading.ends == 1
    gone = ForgivingReading(OSError(5, "gone"))
    with pytest.raises(OSError, match="gone"):
        gone.run_input_thread()


def test_terminal_of_another_encoding_can_be_typed_on(machine: Path) -> None:
    pytest.importorskip("fcntl", reason="a pty needs a POSIX system")
    from tests.terminal import Terminal

    with Terminal([sys.executable, "-m", "spillview"], env=os.environ) as terminal:
        terminal.until("Help")
        for sent in (b"\xe9", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[999999999999u"):
            terminal.send(sent)
            terminal.settle(0.1)
        terminal.press("?")
        terminal.until("spillview|Keys|help")
        terminal.press("\x11")
        assert terminal.ends() == 0
    assert "Traceback" not in terminal.text
