"""A store whose every system call fails, or at which its process is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from spillview.disk import CAN_WORK

from .store_faults import WORK

pytestmark = pytest.mark.skipif(not CAN_WORK, reason="no way to name files in folders")


@pytest.mark.parametrize("way", ["fail", "kill"])
@pytest.mark.parametrize("work", sorted(WORK))
def test_whatever_fails_a_spill_is_absent_whole_or_marked_partial(
    tmp_path: Path, work: str, way: str
) -> None:
    # A disk in memory, where there is one: many hundred stores are made.
    shared = Path("/dev/shm")
    fast = shared if os.access(shared, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=fast) as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.store_faults", f"{folder}/root", work, way],
            cwd=Path(__file__).parent.parent,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["wrong"] == []
    assert said["runs"] >= 15
