"""Ctrl+C in long work: it ends between two artifacts, says so, and goes on later."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spillview.cleanup import emptying, moving, restoring
from spillview.cleanup.moving import STOPPED
from spillview.cli import streams, watching
from tests.command import Ran, run

MANY = 40
OLD = 10 * 86_400


@pytest.fixture
def folder(machine: Path, tmp_path: Path) -> Path:
    """A plain folder with many old files in two sessions."""
    for number in range(MANY):
        path = tmp_path / "work" / f"s{number % 2}" / f"a{number:02}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"line {number}\n" * 9)
        os.utime(path, (time.time() - OLD, time.time() - OLD))
    return tmp_path / "work"


def held(folder: Path) -> dict[str, bytes]:
    """What the folder holds."""
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def stopping(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, after: int
) -> None:
    """Have Ctrl+C come while `name` is done for the `after`th time."""
    real: Callable[..., object] = getattr(module, name)
    calls = 0

    def once(*args: object, **more: object) -> object:
        nonlocal calls
        calls += 1
        done = real(*args, **more)
        if calls == after:
            os.kill(os.getpid(), signal.SIGINT)
        return done

    monkeypatch.setattr(module, name, once)


def prune(folder: Path, *words: str) -> Ran:
    """Remove all of it."""
    return run("prune", folder, "--older-than", "1d", "--apply", "--yes", *words)


def test_a_clean_up_stops_between_two_artifacts_and_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(folder)
    with monkeypatch.context() as patch:
        stopping(patch, moving, "_one", 7)
        got = prune(folder)
    assert got.code == 130
    assert "7 artifacts" in got.err
    assert f"{MANY - 7} artifacts stay: {STOPPED}" in got.err
    assert got.err.rstrip().endswith("stopped; the same command goes on with the rest")
    assert len(held(folder)) == MANY - 7
    assert prune(folder).code == 0
    assert held(folder) == {}
    assert run("undo").code == 0
    assert run("undo").code == 0
    assert held(folder) == before


def test_an_undo_stops_between_two_artifacts_and_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(folder)
    assert prune(folder).code == 0
    with monkeypatch.context() as patch:
        stopping(patch, restoring, "_one", 9)
        got = run("undo")
    assert got.code == 130
    assert "9 artifacts are back" in got.err
    assert f"{MANY - 9} artifacts are not back: {STOPPED}" in got.err
    [again] = re.findall(r"stopped; `spillview (undo \S+)` goes on", got.err)
    assert len(held(folder)) == 9
    assert run(*again.split()).code == 0
    assert held(folder) == before


def test_an_emptying_stops_between_two_artifacts_and_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(folder)
    assert prune(folder).code == 0
    with monkeypatch.context() as patch:
        stopping(patch, emptying, "_delete", 11)
        got = run("trash", "--empty", "--yes")
    assert got.code == 130
    assert "11 artifacts deleted for good" in got.err
    assert f"{MANY - 11} artifacts stay in the trash: {STOPPED}" in got.err
    assert run("undo").code == 0
    rest = held(folder)
    assert len(rest) == MANY - 11
    assert rest.items() <= before.items()
    assert run("trash", "--empty", "--yes").code == 0


def test_what_goes_for_good_stops_too_and_the_rest_can_be_undone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(folder)
    with monkeypatch.context() as patch:
        stopping(patch, emptying, "_delete", 5)
        got = prune(folder, "--permanent")
    assert got.code == 130
    assert run("undo").code == 0
    assert len(held(folder)) == MANY - 5
    assert held(folder).items() <= before.items()


def test_pins_that_are_stopped_pin_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sorted(held(folder))[:6]
    with monkeypatch.context() as patch:
        stopping(patch, streams.Streams, "progress", 3)
        got = run("pin", *paths)
    assert got.code == 130
    assert "3 of 6 artifacts were looked up, and none was pinned" in got.err
    assert run("pin").out == ""
    assert len(run("pin", *paths).lines) == 6


def test_a_check_that_is_stopped_says_that_it_tells_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "STEP", 0.01)
    stopping(monkeypatch, streams.Streams, "progress", 2)
    got = run("watch", folder, "--interval", "60s")
    assert got.code == 130
    assert "stopped before the check ended" in got.err
    assert got.out == ""


def test_a_second_one_ends_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = moving._one

    def twice(*args: object, **more: object) -> object:
        done = real(*args, **more)  # type: ignore[arg-type]  # as they came
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(moving, "_one", twice)
        assert prune(folder).code == 130
    total = len(held(folder))
    assert run("undo").code == 0
    assert len(held(folder)) == MANY > total
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_progress_is_for_a_terminal_and_for_what_takes_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "moved" in prune(folder).err
    quick = run("undo", terminal=True)
    assert "restored" not in quick.err
    monkeypatch.setattr("spillview.cli.streams.PATIENCE", 0.0)
    monkeypatch.setattr("spillview.cli.streams.EVERY", 0.0)
    slow = run("prune", folder, "--older-than", "1d", "--apply", "--yes", terminal=True)
    assert f"removed {MANY // 2} of {MANY}" in slow.err
    assert f"restored {MANY // 2} of {MANY}" in run("undo", terminal=True).err
