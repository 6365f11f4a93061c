"""The history of runs: many writers, torn lines, bounds, and what is read back."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.model import Boundary, Counts
from spillview.places import Places
from spillview.wrap import history
from spillview.wrap.history import Run

RUN = Run(
    command="make -j8",
    cwd="/srv/app",
    label="build",
    started=1_796_000_000.25,
    seconds=12.5,
    exit_code=2,
    bytes=200_001,
    chars=200_000,
    utf16=200_000,
    lines=500,
    boundary=100_000,
    boundary_unit="chars",
    ratio=2.0,
    spilled="9f2c51ab03d4e617",
)


@pytest.fixture
def places(machine: Path) -> Places:
    """The places of the machine."""
    return Places.here()


def file_of(places: Places) -> Path:
    """The history's file."""
    return Path(places.state_dir) / "history.jsonl"


def test_what_is_noted_is_read_back_oldest_first(places: Places) -> None:
    second = replace(RUN, command=None, exit_code=None, spilled=None, chars=None)
    history.append(RUN, places)
    history.append(second, places)
    assert list(history.runs(places)) == [RUN, second]
    assert list(history.runs(places, since=RUN.started + 1)) == []


def test_a_line_is_json_with_every_fact(places: Places) -> None:
    history.append(RUN)
    row = json.loads(file_of(places).read_text())
    assert row == {
        "v": 1,
        "command": "make -j8",
        "cwd": "/srv/app",
        "label": "build",
        "started": 1_796_000_000.25,
        "seconds": 12.5,
        "exit_code": 2,
        "bytes": 200_001,
        "chars": 200_000,
        "utf16": 200_000,
        "lines": 500,
        "tokens": 50_001,
        "boundary": 100_000,
        "boundary_unit": "chars",
        "ratio": 2.0,
        "spilled": "9f2c51ab03d4e617",
        "source": "wrap",
        "truncated": False,
    }


def test_it_is_its_owners_alone(places: Places) -> None:
    old = os.umask(0)
    try:
        history.append(RUN, places)
    finally:
        os.umask(old)
    path = file_of(places)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_without_a_history_there_are_no_runs(places: Places) -> None:
    assert list(history.runs(places)) == []
    assert not Path(places.state_dir).exists()


@given(st.text(max_size=3000), st.text(max_size=50))
def test_any_command_takes_one_line(command: str, label: str) -> None:
    line = history._line(replace(RUN, command=command, label=label))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    back = history._run(line)
    assert back is not None
    assert back.truncated == (len(command) > 2000)
    if command.isascii():
        assert back.command == command[:2000]


def test_an_undecodable_name_is_kept_as_text(places: Places) -> None:
    history.append(replace(RUN, cwd="/a\udcff", command="x\ud800"), places)
    [run] = history.runs(places)
    assert (run.cwd, run.command) == ("/a\\xff", "x\ufffd")


@pytest.mark.parametrize("keep", [1, 20, 100])
def test_a_torn_last_line_costs_itself_alone(keep: int, places: Places) -> None:
    history.append(RUN, places)
    path = file_of(places)
    path.write_bytes(path.read_bytes() * 2)
    path.write_bytes(path.read_bytes()[:-keep])
    history.append(RUN, places)
    assert list(history.runs(places)) == [RUN] * (3 if keep == 1 else 2)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\0\0\0",
        b"[]",
        b"null",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b"x" * 200_000,
        b'{"cwd":1,"started":"x","seconds":0,"bytes":1,"boundary":1,"boundary_unit":"chars"}',
        b'{"cwd":"/","started":1,"seconds":0,"bytes":true,"boundary":1,"boundary_unit":"chars"}',
        b'{"cwd":"/","started":1,"seconds":0,"bytes":1,"boundary":1,"boundary_unit":"miles"}',
    ],
)
def test_a_line_that_tells_of_no_run_is_passed_over(
    line: bytes, places: Places
) -> None:
    history.append(RUN, places)
    with file_of(places).open("ab") as file:
        file.write(line + b"\n")
    history.append(RUN, places)
    assert list(history.runs(places)) == [RUN, RUN]


def test_a_full_file_is_put_aside_and_the_newest_runs_stay(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(history._line(RUN))
    monkeypatch.setattr(history, "LARGEST", 10 * size)
    for n in range(50):
        history.append(replace(RUN, exit_code=n % 10 + 10), places)
    folder = Path(places.state_dir)
    names = {path.name for path in folder.iterdir()}
    assert names == {"history.jsonl", "history.1.jsonl"}
    for path in folder.iterdir():
        assert path.stat().st_size <= 11 * size
    kept = [run.exit_code for run in history.runs(places)]
    assert 10 <= len(kept) <= 20
    assert kept == [n % 10 + 10 for n in range(50)][-len(kept) :]


WRITER = """
import sys
from dataclasses import replace
from spillview.wrap import history
from tests.test_history import RUN
for n in range(100):
    history.append(replace(RUN, command=f"{sys.argv[1]} {n} " + "x" * 1500))
"""


def test_many_processes_append_at_once_and_no_line_is_torn(places: Places) -> None:
    root = Path(__file__).parents[1]
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(n)], cwd=root)
        for n in range(6)
    ]
    assert [each.wait() for each in running] == [0] * 6
    # Who looks while another's write is under way sees no newline yet, and adds one.
    lines = [line for line in file_of(places).read_bytes().splitlines() if line]
    assert len(lines) == 600
    assert all(json.loads(line) for line in lines)
    got = sorted(run.command or "" for run in history.runs(places))
    want = sorted(f"{n} {m} " + "x" * 1500 for n in range(6) for m in range(100))
    assert got == want


def test_it_is_never_written_through_a_link(places: Places, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    Path(places.state_dir).mkdir(parents=True)
    file_of(places).symlink_to(target)
    history.append(RUN, places)
    assert target.read_text() == "mine"
    assert Path(f"{file_of(places)}.broken-1").is_symlink()
    assert len(list(history.runs(places))) == 1


def test_a_run_has_the_sizes_of_its_output() -> None:
    counts = Counts(
        bytes=41, chars=30, utf16=35, lines=3, encoding="utf-8", kind="text"
    )
    run = history.run_of(
        counts,
        Boundary(7, "utf16"),
        command="c",
        cwd="/",
        label=None,
        started=1.0,
        seconds=2.0,
        exit_code=0,
    )
    assert (run.bytes, run.chars, run.utf16, run.lines) == (41, 30, 35, 3)
    assert (run.tokens, run.ratio) == (11, 5.0)
