"""Files other processes hold open, with real processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spillview.writers import being_written

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
