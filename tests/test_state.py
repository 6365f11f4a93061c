"""What must last, and what happens when it cannot."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from spillview.places import Places
from spillview.review.notes import Note
from spillview.review.state import State


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of_home(str(tmp_path))


@pytest.fixture
def file(places: Places) -> Path:
    return Path(places.state_dir) / "state.sqlite3"


def test_looking_creates_nothing(places: Places, file: Path) -> None:
    state = State(places)
    assert state.path_of("abcd") == []
    assert state.reviewed() == {}
    assert state.last_review() is None
    assert not file.parent.exists()
    assert state.problems == []


def test_what_was_written_is_there_at_the_next_start(places: Places) -> None:
    state = State(places)
    state.remember_ids([("9f2c51ab03d4e617", "/a b"), ("9f2cffffffffffff", "/c")])
    state.mark_reviewed(["9f2c51ab03d4e617"], 12.5)
    state.set_last_review(99.0)
    state.close()
    again = State(places)
    assert again.path_of("9f2c") == ["/a b", "/c"]
    assert again.path_of("9f2c5") == ["/a b"]
    assert again.path_of("9f2c51ab03d4e617") == ["/a b"]
    assert again.path_of("0000") == []
    assert again.reviewed() == {"9f2c51ab03d4e617": 12.5}
    assert again.last_review() == 99.0
    again.close()


def test_it_is_private(places: Places, file: Path) -> None:
    state = State(places)
    state.set_last_review(1.0)
    state.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_paths_keep_their_exact_bytes(places: Places) -> None:
    path = os.fsdecode(b"/x/\xff\n\x1b[?5h-\xf0\x9f\x98\x80")
    state = State(places)
    state.remember_ids([("0" * 16, path)])
    assert state.path_of("0000") == [path]
    state.close()


def test_a_later_path_replaces_an_earlier_one(places: Places) -> None:
    state = State(places)
    state.remember_ids([("0" * 16, "/old")])
    state.remember_ids([("0" * 16, "/new")])
    assert state.path_of("0000") == ["/new"]
    state.close()


@pytest.mark.parametrize("prefix", ["", "ABCD", "%", "' OR 1 --", "9f2_", "g"])
def test_what_is_no_id_finds_nothing(places: Places, prefix: str) -> None:
    state = State(places)
    state.remember_ids([("9f2c51ab03d4e617", "/a")])
    assert state.path_of(prefix) == []
    state.close()


def test_a_mark_can_be_taken_back(places: Places) -> None:
    state = State(places)
    state.mark_reviewed(["a" * 16, "b" * 16], 1.0)
    state.mark_reviewed(["a" * 16], None)
    assert state.reviewed() == {"b" * 16: 1.0}
    state.close()


@pytest.mark.parametrize(
    "broken", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_broken_file_is_set_aside_and_said(
    places: Places, file: Path, broken: bytes
) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(broken)
    state = State(places)
    state.mark_reviewed(["a" * 16], 1.0)
    assert state.reviewed() == {"a" * 16: 1.0}
    assert [path.read_bytes() for path in file.parent.glob("*.broken-*")] == [broken]
    assert len(state.problems) == 1
    assert "set aside" in state.problems[0].sentence
    state.close()
    assert State(places).reviewed() == {"a" * 16: 1.0}


def test_a_file_with_other_tables_is_set_aside(places: Places, file: Path) -> None:
    file.parent.mkdir(parents=True)
    db = sqlite3.connect(file)
    with db:
        db.execute("CREATE TABLE reviewed (x)")
        db.execute("PRAGMA user_version = 1")
    db.close()
    state = State(places)
    assert state.reviewed() == {}
    state.mark_reviewed(["a" * 16], 2.0)
    assert state.reviewed() == {"a" * 16: 2.0}
    assert "set aside" in state.problems[0].sentence
    state.close()


def test_a_newer_programs_file_is_left_alone(places: Places, file: Path) -> None:
    file.parent.mkdir(parents=True)
    db = sqlite3.connect(file)
    with db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = file.read_bytes()
    state = State(places)
    state.mark_reviewed(["a" * 16], 2.0)
    assert state.reviewed() == {"a" * 16: 2.0}
    assert "newer" in state.problems[0].sentence
    state.close()
    assert file.read_bytes() == before


def test_a_locked_file_is_gone_around(
    places: Places, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.review.state_file._WAIT", 0.01)
    state = State(places)
    state.mark_reviewed(["a" * 16], 1.0)
    other = sqlite3.connect(file)
    other.execute("BEGIN EXCLUSIVE")
    state.close()
    state.mark_reviewed(["b" * 16], 2.0)
    assert state.reviewed() == {"b" * 16: 2.0}
    assert "another process" in state.problems[0].sentence
    other.rollback()
    other.close()
    assert state.reviewed() == {"a" * 16: 1.0, "b" * 16: 2.0}
    state.close()


def test_a_place_that_cannot_be_made_is_gone_around(tmp_path: Path) -> None:
    (tmp_path / ".local").write_text("a file where a folder should be")
    state = State(Places.of_home(str(tmp_path)))
    state.remember_ids([("a" * 16, "/x")])
    state.set_last_review(3.0)
    assert state.path_of("aaaa") == ["/x"]
    assert state.last_review() == 3.0
    assert len(state.problems) == 1
    state.close()


def test_a_fifo_in_its_place_is_never_opened(places: Places, file: Path) -> None:
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    state = State(places)
    state.mark_reviewed(["a" * 16], 1.0)
    assert state.reviewed() == {"a" * 16: 1.0}
    assert "set aside" in state.problems[0].sentence
    state.close()


@pytest.mark.parametrize("value", ["'abc'", "1e300", "-1e300", "1e999", "x'ff'"])
def test_a_moment_that_no_clock_shows_is_none(
    places: Places, file: Path, value: str
) -> None:
    state = State(places)
    state.set_last_review(1.0)
    state.set_last_report(1.0)
    state.mark_reviewed(["aa11", "bb22"], 5.0)
    state.set_note(Note("aa11", "artifact", "/a", "mine", 5.0))
    state.close()
    with sqlite3.connect(file) as db:
        db.execute(f"UPDATE facts SET value = {value}")
        db.execute(f"UPDATE reviewed SET at = {value} WHERE id = 'aa11'")
        db.execute(f"UPDATE notes SET at = {value}")
    db.close()
    state = State(places)
    assert (state.last_review(), state.last_report()) == (None, None)
    assert state.reviewed() == {"bb22": 5.0}
    [note] = state.notes().values()
    assert (note.text, note.when) == ("mine", 0.0)
    assert not state.problems


def test_it_may_be_used_from_several_threads(places: Places) -> None:
    state = State(places)

    def work(number: int) -> None:
        state.remember_ids([(f"{number:016x}", f"/{number}")])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.path_of("0000") == [f"/{n}" for n in range(8)]
    state.close()
