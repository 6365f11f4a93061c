"""What commands print on a narrow terminal: no word broken, nothing too wide."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="a pty needs a POSIX system")

from spillview.layout.cells import text_width
from tests.terminal import Terminal
from tests.test_forecast import grows
from tests.test_report import one_of_each

PROGRAM = "from spillview.cli import main; raise SystemExit(main())"


def printed(home: Path, columns: int, *words: str) -> list[str]:
    """The lines that a command writes on a terminal so wide, without colour."""
    env = {
        **{k: v for k, v in os.environ.items() if not k.startswith("XDG_")},
        "HOME": str(home / "user"),
        "TMPDIR": str(home / "tmp"),
        "NO_COLOR": "1",
    }
    env.pop("COLUMNS", None)
    command = [sys.executable, "-c", PROGRAM, *words]
    with Terminal(command, env=env, columns=columns) as terminal:
        terminal.ends()
        return terminal.text.replace("\r\x1b[K", "").splitlines()


@pytest.mark.parametrize("columns", [30, 50, 80])
def test_the_hint_below_the_report_breaks_between_words(
    tmp_path: Path, columns: int
) -> None:
    one_of_each(tmp_path)
    lines = printed(tmp_path, columns, "review", str(tmp_path))
    at = next(n for n, line in enumerate(lines) if line.startswith("when you are"))
    hint = lines[at:]
    assert len(hint) > 1
    assert all(text_width(line) <= columns for line in hint)
    words = {word for line in hint for word in line.split()}
    assert {"through:", "`spillview", "--done", "begins", "rest"} <= words


@pytest.mark.parametrize("columns", [30, 60, 80, 120])
def test_a_size_against_a_number_is_told_whole_at_any_width(
    tmp_path: Path, columns: int
) -> None:
    home = tmp_path / "night"
    grows(home, [6_000])
    words = ("--per", "echo 3", "--noun", "article")
    lines = printed(tmp_path, columns, "forecast", str(home), *words)
    assert all(text_width(line) <= columns for line in lines)
    joined = " ".join(" ".join(lines).split())
    assert "2,000 chars an article, 12 articles left" in joined


def test_what_is_no_time_is_a_sentence_that_names_the_forms(tmp_path: Path) -> None:
    lines = printed(tmp_path, 60, "ls", "--since", "lastweek")
    said = " ".join(lines)
    assert "`lastweek` is no time" in said
    assert "yesterday" in said
