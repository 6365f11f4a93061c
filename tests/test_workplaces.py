"""What names sessions of any harness: the folder they ran in, their id, its start."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact
from spillview.places import Places
from spillview.seen.tools import is_shell
from tests.harness_stores import NAMES, make


def in_texts(pattern: str) -> Callable[[Path, Path], None]:
    """Moves the sessions of text transcripts into another working folder."""

    def move(home: Path, folder: Path) -> None:
        for path in home.rglob(pattern):
            data = path.read_bytes()
            for old in (b'"/srv/app"', b'"/srv/shop"'):
                data = data.replace(old, f'"{folder}"'.encode())
            path.write_bytes(data)

    return move


def in_named_folders(home: Path, folder: Path) -> None:
    """The same where the transcripts' folder is named after the working folder."""
    in_texts("*.jsonl")(home, folder)
    slug = str(folder).strip("/").replace("/", "-")
    for path in home.rglob("--srv-app--"):
        path.rename(path.with_name(f"--{slug}--"))


def in_column(pattern: str, table: str, column: str) -> Callable[[Path, Path], None]:
    """The same in a database."""

    def move(home: Path, folder: Path) -> None:
        for path in home.rglob(pattern):
            database = sqlite3.connect(path)
            with database:
                database.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {column} = '/srv/app'",
                    (str(folder),),
                )
            database.close()

    return move


MOVES = {
    "codex": in_texts("rollout-*.jsonl"),
    "copilot_cli": in_texts("*.jsonl"),
    "droid": in_texts("*.jsonl"),
    "goose": in_column("sessions.db", "sessions", "working_dir"),
    "hermes_agent": in_column("state.db", "sessions", "cwd"),
    "opencode": in_column("opencode.db", "session", "directory"),
    "openhands": in_texts("event-*.json"),
    "pi": in_named_folders,
    "workbuddy": in_texts("*.jsonl"),
}


@pytest.fixture(params=sorted(MOVES))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.mark.parametrize("store_name", NAMES)
def test_a_session_s_id_or_its_start_names_its_artifacts(
    store_name: str, tmp_path: Path
) -> None:
    store = make(store_name, tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    query = Query(paths=tuple(map(str, store.roots)))
    for session in {spill.session for spill in store.spills if spill.session}:
        own = {(str(s.path), s.row) for s in store.spills if s.session == session}
        for reference in (session, session[:12]):
            admitted = catalogue.scan(replace(query, session=reference))
            assert own <= {(a.found.path, a.found.row) for a in admitted}
        meant = catalogue.where([session], query)
        assert own <= {(a.found.path, a.found.row) for a in meant}


@pytest.mark.parametrize(
    ("tool", "runs"),
    [
        *((name, True) for name in ("Bash", "Shell", "run_terminal_cmd", "execute")),
        *((name, True) for name in ("developer__shell", "container.exec")),
        *((name, False) for name in ("shell_history", "Read", "a__b", "", None)),
    ],
)
def test_shells_are_known_by_the_names_of_all_harnesses(
    tool: str | None, runs: bool
) -> None:
    assert is_shell(tool) is runs


def listed(home: Path, *paths: Path, harness: str | None = None) -> list[Artifact]:
    catalogue = Catalogue(Places.of_home(str(home)))
    query = Query(paths=tuple(map(str, paths)), harness=harness)
    found = {a.id: a for a in catalogue.complete(catalogue.scan(query))}
    return list(found.values())


def test_a_folder_in_which_sessions_ran_means_these(name: str, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work" / "app"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("no artifact of any session")
    home.mkdir()
    make(name, home)
    MOVES[name](home, folder)
    everything = listed(home)
    ran_here = {a.id for a in everything if a.project == str(folder)}
    assert ran_here
    assert {a.id for a in listed(home, folder)} == ran_here
    # By its real name and by another one.
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert {a.id for a in listed(home, link)} == ran_here
    # The folder's own files are listed when it is said that they are meant.
    (only,) = listed(home, folder, harness="folder")
    assert only.found.name == "notes.txt"


def test_a_folder_in_which_none_ran_is_one_of_files(name: str, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work" / "app"
    (folder / "below").mkdir(parents=True)
    (folder / "notes.txt").write_text("some output")
    home.mkdir()
    make(name, home)
    MOVES[name](home, folder / "below")
    (only,) = listed(home, folder)
    assert (only.found.harness, only.found.name) == ("folder", "notes.txt")


def test_files_of_another_folder_that_is_named_stay_beside_sessions(
    tmp_path: Path,
) -> None:
    home, folder = tmp_path / "home", tmp_path / "work" / "app"
    outbox = tmp_path / "outputs"
    for path in (home, folder, outbox):
        path.mkdir(parents=True)
    (outbox / "one.txt").write_text("some output")
    (folder / "notes.txt").write_text("no artifact")
    make("goose", home)
    MOVES["goose"](home, folder)
    found = listed(home, folder, outbox)
    names = {a.found.harness for a in found}
    assert names == {"folder", "goose"}
    assert {os.path.dirname(a.found.path) for a in found if not a.project} >= {
        str(outbox)
    }
    assert "notes.txt" not in {a.found.name for a in found}


def test_a_catalogue_sees_what_changes_in_such_a_folder(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work" / "app"
    folder.mkdir(parents=True)
    home.mkdir()
    make("copilot_cli", home)
    MOVES["copilot_cli"](home, folder)
    catalogue = Catalogue(Places.of_home(str(home)))
    found = catalogue.scan(Query(paths=(str(folder),)))
    assert not catalogue.refresh()
    os.unlink(found[0].found.path)
    assert catalogue.refresh()
