"""Files of our own: private, never written through a link, and damage costs nothing."""

from __future__ import annotations

import os
import sqlite3
from itertools import cycle, islice
from pathlib import Path

import pytest

from spillview.own_files import KEPT, is_stranger, open_own, set_aside
from spillview.places import Places, private_dir
from spillview.review.state import State

from .own_world import COMMANDS, DAMAGES, World, check, kind_of

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX files")

KINDS = (
    ".json", ".segment", "catalogue.sqlite3", "history.jsonl", "index/lock",
    "installed.json", "journal", "pins", "pins.copy", "pins.lock", "profiles.bin",
    "reserve", "screens", "state.copy", "state.sqlite3", "trash/lock",
)  # fmt: skip
"""Our files of the state and the cache folder, spills left out."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One home, used and damaged again and again, as in a long life."""
    return World(tmp_path_factory.mktemp("own"))


def test_every_file_of_ours_is_in_the_table_and_private(world: World) -> None:
    kinds = {kind_of(p) for p in world.own() if ".broken-" not in p.name}
    assert kinds == set(KINDS)
    assert world.open_modes() == []


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_done_to_a_file_every_command_goes_on(
    world: World, kind: str
) -> None:
    wrong = []
    turn = cycle(COMMANDS)
    next(islice(turn, KINDS.index(kind), None))  # another beginning for each
    for damage in DAMAGES:
        path = world.of_kind(kind)
        if path is None:  # such as a reserve: made again with the next need of it
            continue
        wrong += check(world, path, damage, list(islice(turn, 1)))
    assert wrong == []


# The room itself


def test_what_is_set_aside_keeps_its_bytes_and_only_so_many_are_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    for number in range(KEPT + 2):
        path.write_bytes(b"%d" % number)
        (tmp_path / "file-journal").write_bytes(b"hot")
        aside = set_aside(str(path))
        assert Path(aside).read_bytes() == b"%d" % number
        assert not (tmp_path / "file-journal").exists()
        os.utime(aside, (number, number))
    kept = {p.read_bytes() for p in tmp_path.glob("file.broken-?")}
    assert kept == {b"%d" % n for n in range(2, KEPT + 2)}


def test_a_link_is_set_aside_itself(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("keep")
    (tmp_path / "file").symlink_to("victim")
    assert is_stranger(str(tmp_path / "file"))
    assert os.path.islink(set_aside(str(tmp_path / "file")))
    assert (tmp_path / "victim").read_text() == "keep"


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "nothing"])
def test_only_regular_files_are_opened_and_nothing_is_waited_for(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "file"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(__file__)
    with pytest.raises(OSError, match="file"):
        open_own(str(path))


def test_a_folder_of_another_user_is_never_written_into(
    tmp_path: Path, nobody: int
) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", nobody, nobody)
    with pytest.raises(PermissionError, match="another user"):
        private_dir(str(tmp_path / "theirs"))


# Marks


@pytest.fixture
def marked(tmp_path: Path) -> Places:
    """Marks that were made on two days, so that there is a copy."""
    places = Places.of_home(str(tmp_path))
    for _ in range(2):
        state = State(places)
        state.mark_reviewed([f"{n:016x}" for n in range(3_000)], 1.0)
        state.close()
        os.unlink(state.copy) if _ == 0 else None
    return places


@pytest.mark.parametrize("size", [0, 100, 4096, 40_000])
def test_marks_outlive_a_state_that_lost_its_end(marked: Places, size: int) -> None:
    path = os.path.join(marked.state_dir, "state.sqlite3")
    assert os.path.getsize(path) > size
    os.truncate(path, size)
    state = State(marked)
    assert len(state.reviewed()) == 3_000
    assert len(state.mended) == 1
    state.close()
    again = State(marked)
    assert len(again.reviewed()) == 3_000
    assert again.mended == []
    again.close()


def test_what_a_broken_state_still_tells_goes_before_its_copy(marked: Places) -> None:
    path = os.path.join(marked.state_dir, "state.sqlite3")
    state = State(marked)
    state.mark_reviewed(["0" * 16], 7.0)  # the copy has 1.0
    state.close()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE facts")  # a part of it is missing
    db.close()
    state = State(marked)
    assert state.reviewed()["0" * 16] == 7.0
    assert state.mended
    state.close()
