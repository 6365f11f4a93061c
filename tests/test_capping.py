"""Artifacts that say themselves that they were cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.profiles.profile import load_profiles
from spillview.seen.capping import FARTHEST, WINDOW, is_capped
from tests.harness_stores import make

PROFILES = load_profiles(Places.of_home("/nowhere"))[0]
MARK = b"\n[ARTIFACT TRUNCATED: kept first 1.0MB + last 1.0MB of 9.0MB; 7.0MB elided]\n"


class Sparse:
    """A content of so many bytes with one text somewhere in it."""

    path = None

    def __init__(self, size: int, at: int, text: bytes) -> None:
        self.size, self.at, self.text = size, at, text

    def pread(self, offset: int, length: int) -> bytes:
        length = max(0, min(length, self.size - offset))
        data = bytearray(b"x" * length)
        start = self.at - offset
        for index, byte in enumerate(self.text):
            if 0 <= start + index < length:
                data[start + index] = byte
        return bytes(data)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("at", [0, WINDOW - 40, WINDOW, 3 * WINDOW + 17])
def test_a_mark_is_found_wherever_it_stands(at: int) -> None:
    content = Sparse(4 * WINDOW, at, MARK)
    assert is_capped(content, PROFILES["oh-my-pi"])
    assert not is_capped(content, PROFILES["cline"])
    assert not is_capped(content, PROFILES["pi"])


def test_a_mark_inside_a_line_is_none() -> None:
    content = Sparse(WINDOW, 100, MARK.strip())
    assert not is_capped(content, PROFILES["oh-my-pi"])


def test_a_huge_content_is_looked_at_at_its_ends() -> None:
    class Counted(Sparse):
        read = 0

        def pread(self, offset: int, length: int) -> bytes:
            self.read += length
            return b"x"

    content = Counted(4 * FARTHEST, 0, b"")
    assert not is_capped(content, PROFILES["oh-my-pi"])
    assert content.read < FARTHEST * 1.01


@pytest.mark.parametrize("store", ["oh_my_pi", "cline"])
def test_such_an_artifact_is_partial(store: str, tmp_path: Path) -> None:
    made = make(store, tmp_path)
    capped = {str(spill.path) for spill in made.spills if "itself" in spill.what}
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    artifacts = list(catalogue.complete(catalogue.scan(), huge=True))
    partial = {a.found.path for a in artifacts if a.link and a.link.partial}
    assert partial == capped
