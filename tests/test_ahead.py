"""A look by another process finds what a look by this one does, or nothing at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.demo import make_night
from spillview.discovery import ahead
from spillview.discovery.discovery import discover
from spillview.discovery.entries import Discovery
from spillview.places import Places


@pytest.fixture(autouse=True)
def processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has another processor."""
    monkeypatch.setattr(ahead, "_processors", lambda: 2)


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """Of a night of several harnesses."""
    make_night(str(tmp_path), time.time())
    return Catalogue.here(Places.of_home(str(tmp_path)))


def facts(seen: Discovery) -> list[object]:
    names = (name.removeprefix("_") for name in vars(Discovery()))
    return [getattr(seen, name) for name in names if name != "began"]


def test_it_finds_the_same(catalogue: Catalogue) -> None:
    def look() -> Discovery:
        return discover(catalogue.places, catalogue.profiles, catalogue.settings)

    under_way = ahead.look_ahead(look)
    assert under_way is not None
    found = under_way.result()
    assert found is not None
    assert len(found.found) > 50
    assert facts(found) == facts(look())


def test_a_scan_takes_it_once_and_for_its_own_query_alone(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    expected = list(catalogue.scan(Query()))
    for query in (Query(), Query(harness="dsh")):
        catalogue.look_ahead(Query())
        assert list(catalogue.scan(query)) == [
            each for each in expected if query.harness in (None, each.found.harness)
        ]
    lost = next(each.found.path for each in expected if each.found.row is None)
    os.unlink(lost)
    assert lost not in {each.found.path for each in catalogue.scan(Query())}


def test_a_look_that_fails_or_dies_comes_to_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def fail() -> Discovery:
        raise OSError("no such luck")

    def die() -> Discovery:
        os.kill(os.getpid(), 9)
        raise AssertionError

    for look in (fail, die):
        under_way = ahead.look_ahead(look)
        assert under_way is not None
        assert under_way.result() is None
    assert capfd.readouterr() == ("", "")


def test_a_child_ends_when_nobody_takes_its_answer() -> None:
    program = (
        "import os, time\n"
        "from spillview.discovery import ahead\n"
        "from spillview.discovery.entries import Discovery\n"
        "ahead._processors = lambda: 2\n"
        "def look():\n"
        "    time.sleep(0.3)\n"
        "    found = Discovery()\n"
        "    found.plain = ['x' * 1000] * 5000 + [str(n) * 300 for n in range(9999)]\n"
        "    return found\n"
        "print(ahead.look_ahead(look)._child, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    child = int(done.stdout)  # its end of the pipe was closed by then
    for _ in range(100):
        try:
            with open(f"/proc/{child}/stat") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.05)
    pytest.fail("it is still there")
