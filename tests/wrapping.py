"""Runs `wrap` as a process of its own, and knows where it keeps what."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import COMMAND, Ran


@pytest.fixture(autouse=True)
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spillview can be run in any folder, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


def wrapped(*words: str | Path, data: bytes = b"", **more: Any) -> Ran:
    """Run `wrap` with these words and this on its stdin."""
    done = subprocess.run(
        [*COMMAND, "wrap", *words],
        input=data,
        capture_output=True,
        check=False,
        **more,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def python(code: str) -> tuple[str, ...]:
    """A command that runs this."""
    return ("--", sys.executable, "-c", code)


@pytest.fixture
def state(machine: Path) -> Path:
    """The state folder."""
    return machine / ".local" / "state" / "spillview"


@pytest.fixture
def store(state: Path) -> Path:
    """The root of the store."""
    return state / "spills"
