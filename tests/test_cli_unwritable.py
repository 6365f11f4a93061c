"""A state folder that takes nothing: each command names it, and nothing is lost."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from . import faults
from .command import COMMAND, Ran, run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="takes a right from root, as Linux can"
)

_DROP, _OVERRIDE, _SEARCH = 24, 1, 2
"""`prctl` to drop a capability; those by which root reads and writes everything."""


def like_anybody() -> None:
    """Take from the process to come what root may do that others may not."""
    library = ctypes.CDLL(None)
    for right in (_OVERRIDE, _SEARCH):
        library.prctl(_DROP, right, 0, 0, 0)


def ran(home: Path, *words: str, before: Callable[[], None] = like_anybody) -> Ran:
    """Run a command as a process that obeys the modes of files."""
    environment = {
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        [*COMMAND, *words],
        env=environment,
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        preexec_fn=before,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two sessions."""
    (tmp_path / "home" / "tmp").mkdir(parents=True)
    faults.make(tmp_path / "home", tmp_path / "home" / "tmp")
    return tmp_path / "home"


def closed(home: Path) -> Path:
    """A state folder that cannot be made."""
    above = home / ".local/state"
    above.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(above / "spillview", ignore_errors=True)
    above.chmod(0o500)
    return above


def taken(home: Path) -> Path:
    """A file where the state folder should be."""
    place = home / ".local/state/spillview"
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("mine")
    return place


def lasting(home: Path) -> dict[str, tuple[bytes, int]]:
    """What the store holds: bytes and times of change, not of reading."""
    return {p: (f[0], f[3]) for p, f in faults.snapshot(home / "tmp").items()}


WRITING = (
    ("pin", "ID"),
    ("pin", "--session", "session-000000000001"),
    ("prune", "--session", "session-000000000001", "--apply"),
    ("review", "--done"),
    ("review", "--reviewed", "ID"),
    ("review", "--note", "ID", "mine"),
    ("measure", "--save", "FILE"),
    ("hook", "install", "claude-code", "--yes"),
)
"""What a person asks to be kept."""
READING = (
    ("ls",), ("sessions",), ("show", "ID"), ("envelope", "ID"), ("grep", "output"),
    ("shape", "ID"), ("pin",), ("prune", "--older-than", "1h"), ("review",),
    ("forecast",), ("index",), ("config",), ("doctor",),
)  # fmt: skip


@pytest.mark.parametrize("broken", [closed, taken])
@pytest.mark.parametrize("words", WRITING, ids=lambda words: " ".join(words[:2]))
def test_what_cannot_be_kept_is_said_with_the_folder_and_nothing_is_lost(
    home: Path, broken: Callable[[Path], Path], words: tuple[str, ...]
) -> None:
    row = ran(home, "ls", "--json").rows[0]
    settings = home / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("{}")
    before = lasting(home)
    folder = broken(home)
    put = {"ID": row["id"], "FILE": row["path"]}
    got = ran(home, *(put.get(word, word) for word in words))
    assert got.code == 2, got
    last = got.err.replace("\n", " ")
    assert str(folder) in last
    wrong = "cannot be written to" if broken is closed else "has to be: move it away"
    assert wrong in last
    assert "it is gone" not in last
    assert "nothing is planned" not in last
    assert "Traceback" not in last
    assert lasting(home) == before
    assert settings.read_text() == "{}"
    if broken is taken:
        assert folder.read_text() == "mine"


@pytest.mark.parametrize("broken", [closed, taken])
def test_what_only_reads_goes_on(home: Path, broken: Callable[[Path], Path]) -> None:
    row = next(row for row in ran(home, "ls", "--json").rows if row["bytes"])
    whole = {}
    for state in ("good", "bad"):
        if state == "bad":
            broken(home)
        for words in READING:
            said = tuple(row["id"] if word == "ID" else word for word in words)
            got = ran(home, *said, "--json")
            assert "Traceback" not in got.err
            if state == "good":
                whole[words] = got.code
            elif not (broken is taken and words[0] in ("review", "forecast")):
                assert got.code == whole[words], got.err


def test_a_list_of_pins_that_nobody_may_look_at_is_not_taken_for_an_empty_one(
    home: Path,
) -> None:
    rows = ran(home, "ls", "--json").rows
    assert ran(home, "pin", rows[0]["id"]).code == 0
    (home / ".local/state/spillview").chmod(0)
    (home / ".local/state").chmod(0o500)
    got = ran(home, "prune", "--older-than", "1h")
    assert got.code == 2
    assert "without them nothing is planned" in got.err
    assert "would go" not in got.err


def test_the_doctor_says_that_nothing_can_be_kept_and_where(home: Path) -> None:
    ran(home, "ls")
    folder = closed(home)
    [row] = [r for r in ran(home, "doctor", "--json").rows if r.get("check") == "state"]
    assert f"the folder {folder} cannot be written to" in row["problem"]
    folder.chmod(0o700)
    [row] = [r for r in ran(home, "doctor", "--json").rows if r.get("check") == "state"]
    assert row["problem"] is None


def test_what_cannot_be_deleted_names_the_trash_and_not_the_store(home: Path) -> None:
    assert ran(home, "prune", "--session", "session-000000000001", "--apply").code == 0
    [folder] = (home / ".local/state/spillview/trash").glob("*/files")
    folder.chmod(0o500)
    got = ran(home, "trash", "--empty", "--yes")
    assert got.code == 2
    assert f"the folder {folder} cannot be written to" in got.err
    folder.chmod(0o700)
    assert ran(home, "undo").code == 0


def test_a_file_that_may_grow_no_further_is_said(home: Path) -> None:
    ident = ran(home, "ls", "--json").rows[0]["id"]

    def small() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))

    got = ran(home, "pin", ident, before=small)
    assert got.code == 2
    assert "may grow so far (see ulimit -f)" in got.err
    assert run("pin").code == 0


def test_an_index_that_cannot_be_kept_is_said_and_searches_go_on(home: Path) -> None:
    cache = home / ".cache"
    cache.mkdir()
    cache.chmod(0o500)
    got = ran(home, "index")
    assert got.code == 2
    assert f"the folder {cache} cannot be written to" in got.err
    assert ran(home, "grep", "output").code == 0


def test_ids_that_cannot_be_kept_are_said_to_need_their_path(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "one.txt").write_text("mine")
    assert "only beside PATH" not in ran(home, "ls", str(folder)).err
    closed(home)
    got = ran(home, "ls", "--json", str(folder))
    assert (got.code, len(got.rows)) == (0, 1)
    assert "the ids printed here mean something only beside PATH" in got.err
