"""Real bytes on a real terminal: nothing of an artifact's control bytes gets there."""

from __future__ import annotations

import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="a pty needs a POSIX system")

from tests.attacks import ATTACKS, make_hostile
from tests.terminal import Terminal, sequences

MARK = re.compile(r"Mk\d{3}")

BACK = "back"
"""Escape, unless the key before it opened nothing."""

WALK: tuple[tuple[str, str], ...] = (
    ("j", "Mk"),
    ("?", "Tool outputs"),  # help, with the keys
    ("?", "Mk"),
    ("m", "dangling"),  # what is missing
    ("j", "Mk"),
    ("m", "Mk"),
    ("!", "broken.toml"),  # what could not be read
    ("\x1b", "Mk"),
    ("s", "Mk"),  # flat, and by session again
    ("s", "Mk"),
    ("g", "Mk"),
    ("j", "NEVER SEEN"),  # an artifact, and no header
    ("x", "1 selected"),
    ("x", "Mk"),
    ("/", "words in any order"),  # filter
    ("Mk", "Mk"),
    ("\r", "Open"),
    ("\x1b", "Mk"),
    ("\x10", "Search for commands"),  # the palette, with the hostile names in it
    ("Mk", "Session"),
    ("\x1b", "Open"),
    ("R", "went on after a failure"),  # the morning report
    ("j", "Mk"),
    ("a", "Mk"),
    ("\x1b", "Open"),
    ("%", "Copy"),  # statistics
    ("\x1b", "Open"),
    ("F", "."),  # forecasts
    ("\x1b", "Open"),
    ("D", "clean up"),
    ("v", "."),  # what stays, and why
    ("v", "."),
    ("G", "."),
    ("T", "trash"),
    ("q", "clean up"),
    ("q", "Open"),
    ("i", "a note"),
    ("Mk of mine", "Mk of mine"),
    ("\r", "Open"),
    ("g", "Mk"),
    ("j", "NEVER SEEN"),
    ("\r", "FULL OUTPUT"),  # the artifact, at its verdict
    ("\t", "ENVELOPE"),
    ("G", "Mk"),
    ("\t", "FULL OUTPUT"),
    ("[", "Mk"),
    ("]", "Mk"),
    ("g", "line 0 of"),
    ("e", "Mk"),  # escapes hidden, in colour, shown again
    ("e", "Mk"),
    ("e", "Mk"),
    ("r", "Mk"),  # every frame of a progress bar
    ("/", "/"),  # search in it
    ("Mk", "Mk"),
    ("\r", "Mk"),
    ("n", "Mk"),
    ("\x1b", "FULL OUTPUT"),
    ("o", "."),  # the outline, if it has one
    (BACK, "FULL OUTPUT"),
    ("V", "."),
    ("R", "."),  # who read it
    (BACK, "FULL OUTPUT"),
    ("=", "."),  # another output beside it
    (BACK, "FULL OUTPUT"),
    ("J", "Mk"),  # the next artifact, and back
    ("K", "Mk"),
    ("q", "NEVER SEEN"),
    ("S", "[Ss]earch"),  # search across everything
    ("Mk", "Mk"),
    ("\r", "Mk"),
)
"""Keys through every screen, and what each screen must show before the next."""


def started(home: Path, *words: str) -> Terminal:
    """spillview on a terminal, run by whoever lives in `home`."""
    env = {
        **os.environ,
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".local/state"),
    }
    program = "from spillview.cli import main; raise SystemExit(main())"
    return Terminal([sys.executable, "-c", program, *words], env=env)


def walk(home: Path, folder: Path) -> tuple[str, str]:
    """Everything written on the way, and all screens that were seen."""
    with started(home, str(home), str(folder)) as terminal:
        seen = [terminal.until("Mk.*NEVER SEEN")]
        for keys, wanted in WALK:
            if keys == BACK:
                if re.search(wanted, terminal.settle(1.0)):
                    continue
                keys = "\x1b"
            terminal.press(keys)
            seen.append(terminal.until(wanted, 20))
        for _ in range(4):
            terminal.press("\x1b")
            terminal.settle()
        terminal.press("qq")
        assert terminal.ends() == 0
        return terminal.text, "\n".join(seen)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """The same walk over the hostile store and over its harmless twin."""
    homes = {name: tmp_path_factory.mktemp(name) for name in ("hostile", "harmless")}
    with ThreadPoolExecutor() as both:
        walks = {
            name: both.submit(
                walk, home, make_hostile(home, time.time(), harmless=name == "harmless")
            )
            for name, home in homes.items()
        }
        return {name: future.result() for name, future in walks.items()}


def shapes(text: str) -> set[str]:
    """Control sequences and characters, but for colours and cursor addresses."""
    plain = re.compile(r"\x1b\[[0-9;]*[mH]")
    return {s for s in sequences(text) if not plain.fullmatch(s)}


def test_hostile_texts_write_no_sequence_that_harmless_ones_do_not(
    walked: dict[str, tuple[str, str]],
) -> None:
    assert shapes(walked["hostile"][0]) - shapes(walked["harmless"][0]) == set()


def test_no_control_byte_stands_before_a_mark(
    walked: dict[str, tuple[str, str]],
) -> None:
    text, _ = walked["hostile"]
    for attack in ATTACKS:
        if not attack.isprintable():
            assert not re.search(re.escape(attack) + MARK.pattern, text)
    assert not [s for s in sequences(text) if MARK.search(s)]
    assert "bWFyaw==\x07" not in text
    assert "31337;7m" not in re.sub(r"[^\x1b]\[31337;7m", "", text)


def test_only_line_ends_and_escapes_are_control_characters(
    walked: dict[str, tuple[str, str]],
) -> None:
    text, _ = walked["hostile"]
    single = {s for s in sequences(text) if len(s) == 1}
    assert single <= {"\r", "\n"}
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)


def test_the_attacks_were_on_the_screens_as_text(
    walked: dict[str, tuple[str, str]],
) -> None:
    _, screens = walked["hostile"]
    assert len(set(MARK.findall(screens))) > 60
    assert re.search("␛\\[2JMk", screens)
    assert re.search("\\[/\\]Mk", screens)
    assert re.search("\\[@click=app.quit\\]quit\\[/\\]Mk", screens)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The hostile home and its plain folder."""
    home = tmp_path_factory.mktemp("commands")
    return home, make_hostile(home, time.time())


@pytest.mark.parametrize(
    "words",
    [
        ("ls", "--all", "HOME", "FOLDER"),
        ("ls", "--missing", "HOME"),
        ("sessions", "HOME", "FOLDER"),
        ("show", "ARTIFACT"),
        ("show", "-n", "--unit", "char", "--limit", "9000", "ARTIFACT"),
        ("envelope", "ARTIFACT"),
        ("grep", "Mk", "HOME", "FOLDER"),
        ("grep", "-C", "2", "--unseen", "error", "ARTIFACT"),
        ("doctor",),
        ("ls", "HOME/no\x1b[2Jsuch"),
    ],
    ids=lambda words: " ".join(words).encode("unicode_escape").decode(),
)
def test_commands_print_no_control_byte_of_what_they_read(
    words: tuple[str, ...], stores: tuple[Path, Path]
) -> None:
    home, folder = stores
    artifact = next(home.glob(".claude/projects/*/*/tool-results/b*.txt"))
    named = {"HOME": str(home), "FOLDER": str(folder), "ARTIFACT": str(artifact)}
    given = [named.get(word, word.replace("HOME", str(home))) for word in words]
    with started(home, *given) as terminal:
        terminal.ends()
        text = terminal.text
    found = set(sequences(text))
    assert {s for s in found if not re.fullmatch(r"\x1b\[[0-9;]*[mK]", s)} <= {
        "\r",
        "\n",
    }
    assert not [a for a in ATTACKS if not a.isprintable() and f"{a}Mk" in text]
    assert re.search("Mk|such|broken", text)
