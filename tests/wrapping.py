"""Runs `wrap` as a process of its own, and knows where it keeps what."""

from __future__ import annotations

import json
import subprocess
import sys
import time
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


def started(words: list[str], ready: Path) -> subprocess.Popen[bytes]:
    """A wrap whose command has said that it is ready; a group of its own."""
    child = subprocess.Popen(
        [*COMMAND, "wrap", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    deadline = time.monotonic() + 30
    while not ready.exists():
        assert time.monotonic() < deadline, "it never began"
        time.sleep(0.02)
    return child


def noted(state: Path) -> list[dict[str, object]]:
    """The rows of the history."""
    text = (state / "history.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]
