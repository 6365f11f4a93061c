"""The power goes at every moment: nothing is lost, nothing half is said to be whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from spillview.disk import CAN_WORK

from .crash_model import Tape, states
from .crashes import CASES, WORK

pytestmark = pytest.mark.skipif(not CAN_WORK, reason="no way to name files in folders")


@pytest.fixture
def fast(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: hundreds of trees are made."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        dir=shared if os.access(shared, os.W_OK) else tmp_path
    ) as folder:
        yield Path(folder)


@pytest.mark.parametrize("work", sorted(WORK))
def test_whatever_a_power_cut_leaves_nothing_is_lost_or_half_called_whole(
    fast: Path, work: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crashes", str(fast / "x"), work],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["first"] == []
    assert said["states"] >= 8


@pytest.mark.parametrize("way", ["fail", "kill"])
@pytest.mark.parametrize("work", sorted(CASES))
def test_whatever_fails_pins_and_settings_are_those_of_before_or_after(
    fast: Path, work: str, way: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.own_faults", str(fast / "x"), work, way],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["wrong"] == []
    assert said["runs"] > 20


# The model itself


def trees(top: Path, tape: Tape) -> list[set[tuple[str, bytes]]]:
    """The files of every state after the last event."""
    last = len(tape.events)
    return [
        {
            (path, data or b"")
            for path, (kind, _, _, data) in tree.items()
            if kind == "file"
        }
        for moment, tree in states(tape)
        if moment == last
    ]


def test_a_rename_may_be_there_before_the_bytes_that_were_not_synced(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with Tape(tmp_path) as tape:
        handle = os.open(tmp_path / "new", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(handle, b"fresh!")
        os.close(handle)
        os.replace(tmp_path / "new", tmp_path / "a")
    found = trees(tmp_path, tape)
    assert {("a", b"old")} in found
    for data in (b"", b"fre", b"fresh!", bytes(6), b"fre\0\0\0"):
        assert {("a", data)} in found


def test_what_was_synced_stays_and_a_name_needs_its_folder_synced(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with Tape(tmp_path) as tape:
        handle = os.open(tmp_path / "new", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(handle, b"fresh!")
        os.fsync(handle)
        os.close(handle)
        os.replace(tmp_path / "new", tmp_path / "a")
    assert sorted(map(sorted, trees(tmp_path, tape))) == [
        [("a", b"fresh!")],
        [("a", b"old")],
        [("a", b"old"), ("new", b"fresh!")],
    ]
    (tmp_path / "a").write_bytes(b"old")
    with Tape(tmp_path) as tape:
        os.rename(tmp_path / "a", tmp_path / "b")
        folder = os.open(tmp_path, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    assert trees(tmp_path, tape) == [{("b", b"old")}]


def test_what_lies_in_a_folder_is_lost_with_the_folders_own_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with Tape(tmp_path) as tape:
        os.mkdir(tmp_path / "in")
        os.rename(tmp_path / "a", tmp_path / "in/a")
        inner = os.open(tmp_path / "in", os.O_RDONLY)
        os.fsync(inner)
        os.close(inner)
    # A move is one change of both folders: where it is there, so is what came before.
    assert trees(tmp_path, tape) == [{("in/a", b"old")}]
    with Tape(tmp_path) as tape:
        os.mkdir(tmp_path / "two")
        os.link(tmp_path / "in/a", tmp_path / "two/a")
        os.unlink(tmp_path / "in/a")
    found = trees(tmp_path, tape)
    assert set() in found
    assert {("two/a", b"old")} in found
