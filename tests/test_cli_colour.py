"""Colour on a terminal: every table of every made store finds its colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import run
from tests.harness_stores import NAMES, make

COMMANDS = (
    ("ls", "--all"),
    ("ls", "--all", "--missing"),
    ("ls", "--no-count"),
    ("sessions",),
    ("doctor",),
    ("review", "--stats"),
    ("prune", "--older-than", "1d", "--all"),
    ("grep", "-m", "1", "case"),
)
_COLOUR = re.compile(r"\x1b\[[0-9;]+m")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All the made stores in one home."""
    folder = tmp_path_factory.mktemp("home")
    for name in NAMES:
        make(name, folder)
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_row_is_printed_in_colour(
    machine: Path, home: Path, command: tuple[str, ...]
) -> None:
    coloured = run(*command, home, terminal=True)
    assert "went wrong inside" not in coloured.err
    assert _COLOUR.search(coloured.out)
    assert not _COLOUR.search(run(*command, "--no-color", home, terminal=True).out)
