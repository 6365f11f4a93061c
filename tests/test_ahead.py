"""A look by another process finds what a look by this one does, or nothing at all."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spillview.catalogue import ahead, first_look
from spillview.catalogue.ahead import Ahead, begin, look_ahead
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.first_look import FirstLook, Window
from spillview.demo import make_night
from spillview.discovery.discovery import discover
from spillview.discovery.entries import Discovery
from spillview.places import Places
from spillview.review.notes import Note


@pytest.fixture(autouse=True)
def processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has another processor."""
    monkeypatch.setattr(ahead, "_processors", lambda: 2)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Of a night of several harnesses."""
    make_night(str(tmp_path), time.time())
    return Places.of_home(str(tmp_path))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A night is very much already."""
    monkeypatch.setattr(first_look, "MANY", 20)
    monkeypatch.setattr(first_look, "GLIMPSE", 10)


def begun(places: Places, query: Query) -> Ahead:
    under_way = look_ahead(places, query, time.time())
    assert under_way is not None
    return under_way


def facts(seen: Discovery) -> list[object]:
    names = (name.removeprefix("_") for name in vars(Discovery()))
    return [getattr(seen, name) for name in names if name != "began"]


def test_it_finds_the_same(places: Places) -> None:
    found = begun(places, Query()).discovery()
    assert found is not None
    assert len(found.found) > 50
    catalogue = Catalogue(places)
    own = discover(places, catalogue.profiles, catalogue.settings)
    assert facts(found) == facts(own)


def test_a_scan_takes_it_once_and_for_its_own_query_alone(places: Places) -> None:
    catalogue = Catalogue.here(places)
    expected = list(catalogue.scan(Query()))
    for query in (Query(), Query(harness="dsh")):
        catalogue.take_ahead(begun(places, Query()))
        assert list(catalogue.scan(query)) == [
            each for each in expected if query.harness in (None, each.found.harness)
        ]
    lost = next(each.found.path for each in expected if each.found.row is None)
    os.unlink(lost)
    assert lost not in {each.found.path for each in catalogue.scan(Query())}


def test_paths_are_not_looked_at_ahead(places: Places) -> None:
    query = Query(paths=(places.home,))
    assert look_ahead(places, query, time.time()) is None


@pytest.mark.usefixtures("few")
def test_the_first_look_is_what_this_process_would_make_of_the_same(
    places: Places,
) -> None:
    catalogue = Catalogue.here(places)
    marked, noted, *_ = catalogue.scan(Query())
    now = time.time()
    catalogue.mark_reviewed([marked.id], now - 5)
    catalogue.set_note(Note(noted.id, "artifact", "", "flaky", now))
    catalogue.set_last_review(now - 86_400 * 2)
    under_way = look_ahead(places, Query(), now)
    assert under_way is not None
    catalogue.take_ahead(under_way)
    assert catalogue.opened(Query()) == now
    assert catalogue.first_look(Query(harness="dsh"), wait=True) is None
    first = catalogue.first_look(Query(), wait=True)
    assert first is not None
    assert first.window == Window.of(catalogue, Query(), now)
    assert first.window.last_review == now - 86_400 * 2
    assert {key: note.text for key, note in first.notes.items()} == {noted.id: "flaky"}
    found = catalogue.scan(Query(), bare=True)  # takes the rest of what it found
    own = FirstLook.of(catalogue, found, first.window)
    assert first.rest == own.rest
    assert first.sessions == own.sessions
    assert any(a.reviewed for s in first.sessions for a in s.artifacts)
    assert catalogue.first_look(Query(), wait=True) is None


def test_few_artifacts_are_not_worth_a_first_look(places: Places) -> None:
    under_way = begun(places, Query())
    assert under_way.first(wait=True) is None
    under_way.close()
    assert under_way.first(wait=True) is None


def test_nothing_is_waited_for_that_is_not_asked_to_be() -> None:
    def slow() -> Iterator[object]:
        time.sleep(0.3)
        yield None
        yield Discovery()

    under_way = begin(Query(), 0.0, slow)
    assert under_way is not None
    assert under_way.first(wait=False) is None
    assert under_way.discovery() is not None
    assert under_way.first(wait=True) is None


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("broken", ["state", "cache"])
def test_what_is_broken_is_left_for_this_process_to_mend_and_tell(
    places: Places, broken: str
) -> None:
    catalogue = Catalogue.here(places)
    [first, *_] = catalogue.complete(catalogue.scan(Query()))
    catalogue.mark_reviewed([first.id], time.time())
    catalogue.close()
    path = Path(places.state_dir, "state.sqlite3")
    if broken == "cache":
        path = Path(places.cache_dir, "catalogue.sqlite3")
    path.write_bytes(b"no database" * 99)
    before = sorted(os.listdir(path.parent))
    under_way = begun(places, Query())
    assert under_way.first(wait=True) is None
    assert under_way.discovery() is not None
    assert sorted(os.listdir(path.parent)) == before
    assert path.read_bytes() == b"no database" * 99
    again = Catalogue.here(places)
    assert again.reviewed().keys() <= {first.id}
    assert str(path) in {each.path for each in again.mended}


@pytest.mark.usefixtures("few")
def test_it_makes_no_file_of_ours_but_the_profiles(places: Places) -> None:
    def there() -> set[Path]:
        return set(Path(places.home).rglob("*"))

    before = there()
    assert begun(places, Query()).discovery() is not None
    made = {path.name for path in there() - before if path.is_file()}
    assert made <= {"profiles.bin"}


def test_a_newer_database_is_not_sound(tmp_path: Path) -> None:
    from spillview.own_files import is_sound

    path = str(tmp_path / "it")
    assert not is_sound(path, 3, "a, b")
    db = sqlite3.connect(path)
    db.execute("create table a (x)")
    db.execute("create table b (x)")
    db.execute("pragma user_version = 3")
    db.commit()
    assert is_sound(path, 3, "a, b")
    assert not is_sound(path, 2, "a, b")
    assert not is_sound(path, 3, "a, c")
    db.close()


def test_a_look_that_fails_or_dies_comes_to_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def fail() -> Iterator[object]:
        raise OSError("no such luck")
        yield

    def die() -> Iterator[object]:
        yield None
        os.kill(os.getpid(), 9)

    for look in (fail, die):
        for first in (True, False):
            under_way = begin(Query(), 0.0, look)
            assert under_way is not None
            if first:
                assert under_way.first(wait=True) is None
            assert under_way.discovery() is None
    assert capfd.readouterr() == ("", "")


def test_a_child_ends_when_nobody_takes_its_answer() -> None:
    program = (
        "import os, time\n"
        "from spillview.catalogue import ahead\n"
        "from spillview.catalogue.query import Query\n"
        "ahead._processors = lambda: 2\n"
        "def look():\n"
        "    time.sleep(0.3)\n"
        "    yield ['x' * 1000] * 5000 + [str(n) * 300 for n in range(9999)]\n"
        "print(ahead.begin(Query(), 0.0, look)._child, flush=True)\n"
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
