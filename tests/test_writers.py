"""Files other processes hold open, with real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spillview.discovery.writers import being_written, open_files

HOLD = (
    "import sys; f = open(sys.argv[1], sys.argv[2]); print('open', flush=True); input()"
)


def hold(path: Path, mode: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_a_file_open_for_writing_elsewhere_is_told_from_one_being_read(
    tmp_path: Path,
) -> None:
    written, read, closed = (tmp_path / name for name in ("w", "r", "c"))
    for path in (written, read, closed):
        path.write_text("x")
    processes = [hold(written, "a"), hold(read, "r")]
    try:
        assert being_written({str(written), str(read), str(closed)}) == {str(written)}
    finally:
        for process in processes:
            process.communicate("\n")
    assert being_written({str(written)}) == set()


def test_a_machine_without_proc_answers_nothing(tmp_path: Path) -> None:
    assert being_written({"/x"}, str(tmp_path / "none")) == set()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_who_holds_a_file_is_told_with_how_and_by_which_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, deleted = tmp_path / "w", tmp_path / "d"
    for path in (written, deleted):
        path.write_text("x" * 70_000)
    processes = [hold(written, "a"), hold(written, "r"), hold(deleted, "r+")]
    writer, reader, last = (process.pid for process in processes)
    try:
        deleted.unlink()
        got = open_files(lambda path: path.startswith(str(tmp_path)))
        files = {file.path: file for file in got.files.values()}
        assert set(files) == {str(written), str(deleted)}
        held = files[str(written)]
        assert {h.pid: (h.writes, h.reads) for h in held.holders} == {
            writer: (True, False),
            reader: (False, True),
        }
        assert all("import sys" in holder.command for holder in held.holders)
        assert not held.nameless
        gone = files[str(deleted)]
        assert gone.nameless
        assert gone.size == 70_000
        assert [(h.pid, h.writes, h.reads) for h in gone.holders] == [
            (last, True, False)
        ]
        real = os.listdir

        def closed(path: str = ".") -> list[str]:
            if path == f"/proc/{writer}/fd":
                raise PermissionError(path)
            return real(path)

        monkeypatch.setattr(os, "listdir", closed)
        assert open_files(lambda path: False).closed == 1
    finally:
        for process in processes:
            process.communicate("\n")


def test_where_processes_are_not_told_that_is_said(tmp_path: Path) -> None:
    got = open_files(lambda path: True, str(tmp_path / "none"))
    assert (got.files, got.closed, got.told) == ({}, 0, False)
