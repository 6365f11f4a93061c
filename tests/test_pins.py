"""Pins: kept, taken back, and never taken for none when they cannot be read."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from spillview.cleanup.pins import Pin, Pins
from spillview.errors import Unreadable
from spillview.places import Places

from .test_disk import ROOT


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    return Pins(Places.of_home(str(tmp_path)))


def test_pins_last_and_are_taken_back(pins: Pins) -> None:
    one = Pin("a" * 16, "/x/\udcff\n.txt", 1.5)
    two = Pin("b" * 16, "/y", 2.0)
    assert pins.all() == {}
    assert pins.add([one, two]) == [one, two]
    assert pins.add([one]) == []
    assert pins.all() == {one.id: one, two.id: two}
    assert pins.remove([one.id, one.id, "c" * 16]) == [one]
    assert pins.all() == {two.id: two}
    assert stat.S_IMODE(Path(pins.path).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["no json", "{}", '{"id": 1}', "[1]"])
def test_a_damaged_list_is_no_empty_list(pins: Pins, text: str) -> None:
    pins.add([Pin("a" * 16, "/x", 1.0)])
    Path(pins.path).write_text(text + "\n")
    Path(pins.path + ".copy").write_text(text + "\n")
    with pytest.raises(Unreadable, match="damaged"):
        pins.all()
    with pytest.raises(Unreadable, match="damaged"):
        pins.add([Pin("b" * 16, "/y", 1.0)])


@pytest.mark.parametrize("size", [None, 0, 30, 60, 100, 101])
def test_a_list_that_lost_its_end_is_had_from_its_copy(
    pins: Pins, size: int | None
) -> None:
    """`size` is what is left of it; None is no file at all."""
    many = {p.id: p for p in (Pin(f"{n:016x}", "/x", 1.0) for n in range(9))}
    pins.add(many.values())
    data = Path(pins.path).read_bytes()
    if size is None:
        Path(pins.path).unlink()
    else:
        Path(pins.path).write_bytes(data[:size])
    assert pins.all() == many
    assert Path(pins.path).read_bytes() == data
    assert pins.remove([f"{3:016x}"]) == [many[f"{3:016x}"]]
    assert len(pins.all()) == 8


def test_a_list_of_an_earlier_version_is_read(pins: Pins) -> None:
    pins.add([Pin("a" * 16, "/x", 1.0)])
    _, _, text = Path(pins.path).read_bytes().partition(b"\n")
    Path(pins.path).write_bytes(text)
    assert list(pins.all()) == ["a" * 16]


def test_a_list_that_is_a_link_is_refused(pins: Pins, tmp_path: Path) -> None:
    Path(pins.path).parent.mkdir(parents=True)
    Path(pins.path).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreadable):
        pins.all()


def test_two_processes_at_once_lose_no_pin(pins: Pins, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from spillview.cleanup.pins import Pin, Pins\n"
        "from spillview.places import Places\n"
        "pins = Pins(Places.of_home(sys.argv[1]))\n"
        "for n in range(20):\n"
        "    pins.add([Pin(f'{sys.argv[2]}{n:015}', '/x', 1.0)])\n"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), letter], cwd=ROOT
        )
        for letter in "abc"
    ]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert len(pins.all()) == 60
