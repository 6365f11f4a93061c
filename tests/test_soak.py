"""A short soak: commands in random order while other processes change the files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .soak import soak

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads /proc, and kills what it starts"
)


@pytest.mark.parametrize("seed", [3])
def test_nothing_raises_is_lost_or_wrongly_claimed_while_files_change(
    tmp_path: Path, seed: int
) -> None:
    told = soak(tmp_path, seed, seconds=40, most=10)
    assert told.wrong == []
    assert told.done.total() > 3
