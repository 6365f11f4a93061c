"""The room that changes the disk: nothing followed, nothing overwritten, nothing lost
whatever fails and whenever it is killed."""

from __future__ import annotations

import ast
import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spillview
from spillview.disk import Busy, Disk, Unsafe, gain, guarded, private_folder

PACKAGE = Path(spillview.__file__).parent
ROOT = PACKAGE.parent
OTHER = Path("/dev/shm")
"""A folder that is on another filesystem, on most Linux machines."""


def elsewhere(path: Path) -> bool:
    """Whether there is a second filesystem that can be written to."""
    return (
        OTHER.is_dir()
        and os.access(OTHER, os.W_OK)
        and OTHER.stat().st_dev != path.stat().st_dev
    )


# Every system call fails, or ends the process


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where a disk's own slowness costs nothing; or just one."""
    if not elsewhere(tmp_path):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=OTHER) as folder:
        yield Path(folder)


@pytest.mark.parametrize("way", ["fail", "kill"])
@pytest.mark.parametrize("work", ["apply", "undo", "empty", "delete"])
def test_whatever_fails_or_kills_each_file_is_in_place_or_can_be_put_back(
    memory: Path, work: str, way: str
) -> None:
    said = faults(memory / "home", memory / "home/tmp", work, way)
    assert said["wrong"] == []
    assert said["runs"] > (60 if way == "kill" else 600)


@pytest.mark.parametrize("way", ["thin", "kill"])
@pytest.mark.parametrize("work", ["apply", "undo", "empty", "delete"])
def test_the_same_holds_for_a_trash_near_a_store_on_another_filesystem(
    memory: Path, tmp_path: Path, work: str, way: str
) -> None:
    if not elsewhere(tmp_path):
        pytest.skip("needs a second filesystem")
    said = faults(memory / "home", tmp_path / "tmp", work, way)
    assert said["wrong"] == []
    assert said["runs"] > 60


def faults(home: Path, tmp: Path, work: str, way: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", str(home), str(tmp), work, way],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


# Nothing is followed


def test_a_link_is_no_folder_at_the_start_of_a_way_or_on_it(tmp_path: Path) -> None:
    (tmp_path / "real/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/away").symlink_to("inner")
    disk = Disk()
    with (
        pytest.raises(OSError, match="link") as caught,
        disk.folder(str(tmp_path / "link")),
    ):
        pass
    assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)
    with (
        disk.folder(str(tmp_path)) as top,
        pytest.raises(OSError, match="away") as caught,
        disk.inside(top, ["real", "away"]),
    ):
        pass
    assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)


def test_a_folder_swapped_for_a_link_leads_nowhere_once_it_is_open(
    tmp_path: Path,
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store/a").write_text("ours")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_text("theirs")
    (tmp_path / "trash").mkdir()
    disk = Disk()
    with (
        disk.folder(str(tmp_path / "store")) as store,
        disk.folder(str(tmp_path / "trash")) as trash,
    ):
        (tmp_path / "store").rename(tmp_path / "moved")
        (tmp_path / "store").symlink_to("outside")
        disk.move(store, "a", trash, "0")
    assert (tmp_path / "trash/0").read_text() == "ours"
    assert (tmp_path / "outside/a").read_text() == "theirs"


def test_moving_and_removing_a_link_leaves_what_it_points_at(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a").write_text("theirs")
    (tmp_path / "link").symlink_to("outside")
    disk = Disk()
    with disk.folder(str(tmp_path)) as top:
        disk.move(top, "link", top, "moved")
        disk.place(top, "moved", top, "back")
        assert disk.target(top, "back") == "outside"
        assert not disk.remove_folder(top, "back")
        disk.remove(top, "back")
    assert (tmp_path / "outside/a").read_text() == "theirs"


# Nothing is overwritten


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_taken_place_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "new").write_text("new")
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    with Disk().folder(str(tmp_path)) as top, pytest.raises(FileExistsError):
        Disk().place(top, "old", top, "new")
    assert (tmp_path / "old").read_text() == "old"
    assert (tmp_path / "new").read_text() == "new"


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_filesystem_without_second_names_gets_its_files_back_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exclusive: bool
) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "taken").write_text("taken")
    monkeypatch.setattr(os, "link", refuse)
    if not exclusive:
        monkeypatch.setattr("spillview.disk._rename_exclusively", lambda *_: None)
    with Disk().folder(str(tmp_path)) as top:
        with pytest.raises(FileExistsError):
            Disk().place(top, "old", top, "taken")
        Disk().place(top, "old", top, "new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "taken"]


def refuse(*_: object, **__: object) -> None:
    raise PermissionError(errno.EPERM, "no links here")


def test_a_new_file_never_replaces_one_and_leaves_nothing_half_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "taken").write_text("mine")

    def full(name: str) -> None:
        if name == "write":
            raise OSError(errno.ENOSPC, "full")

    with Disk().folder(str(tmp_path)) as top:
        with pytest.raises(FileExistsError):
            Disk().write(top, "taken", b"yours")
        with pytest.raises(OSError, match="full"):
            Disk(full).write(top, "fresh", b"x")
        Disk().write(top, "whole", b"x" * 3_000_000)
    assert (tmp_path / "taken").read_text() == "mine"
    assert not (tmp_path / "fresh").exists()
    assert stat.S_IMODE((tmp_path / "whole").stat().st_mode) == 0o600
    assert (tmp_path / "whole").stat().st_size == 3_000_000


# What it says of the disk


def test_the_probe_moves_nothing_and_tells_filesystems_apart(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with (
        Disk().folder(str(tmp_path)) as top,
        Disk().folder(str(tmp_path / "a")) as inner,
    ):
        assert Disk().reaches(top, inner)
        if elsewhere(tmp_path):
            with Disk().folder(str(OTHER)) as other:
                assert not Disk().reaches(top, other)
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_what_is_gained_counts_only_a_last_name_and_only_what_is_on_the_disk(
    tmp_path: Path,
) -> None:
    (tmp_path / "one").write_bytes(b"x" * 10_000)
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    assert gain((tmp_path / "one").stat()) == 0
    (tmp_path / "two").unlink()
    assert gain((tmp_path / "one").stat()) == 10_000
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(50_000_000)
    assert gain((tmp_path / "sparse").stat()) < 1_000_000


@pytest.mark.parametrize(
    ("mode", "safe"), [(0o700, True), (0o755, True), (0o777, False), (0o1777, True)]
)
def test_a_folder_is_guarded_when_nobody_else_can_swap_its_entries(
    tmp_path: Path, mode: int, safe: bool
) -> None:
    tmp_path.chmod(mode)
    assert guarded(tmp_path.stat()) is safe
    tmp_path.chmod(0o700)


def test_a_private_folder_is_refused_when_something_else_has_its_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "link").symlink_to("outside")
    (tmp_path / "file").write_text("x")
    (tmp_path / "open").mkdir(mode=0o755)
    with Disk().folder(str(tmp_path)) as top:
        for name in ("link", "file", "open"):
            with pytest.raises(Unsafe):
                private_folder(Disk(), top, name)
        private_folder(Disk(), top, "mine")
        private_folder(Disk(), top, "mine")
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o700
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_folder_gets_exactly_the_mode_that_is_asked_for(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with Disk().folder(str(tmp_path)) as top:
            assert Disk().make_folder(top, "a", 0o2755)
            assert not Disk().make_folder(top, "a", 0o700)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) & 0o777 == 0o755


def test_a_second_process_waits_for_the_lock_and_is_told(tmp_path: Path) -> None:
    held = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert held.stdout is not None
    assert held.stdout.readline() == "held\n"
    with Disk().folder(str(tmp_path)) as top:
        with pytest.raises(Busy), Disk().locked(top, "lock", 0):
            pass
        held.kill()
        held.communicate()
        with Disk().locked(top, "lock", 5):  # a killed process holds nothing
            pass


HOLD = """
import sys
from spillview.disk import Disk
with Disk().folder(sys.argv[1]) as top, Disk().locked(top, "lock", 0):
    print("held", flush=True)
    input()
"""


# The only room

CHANGES = {
    "chmod", "chown", "copyfile", "copytree", "hardlink_to", "link", "makedirs",
    "mkdir", "move", "remove", "removedirs", "rename", "renames", "replace", "rmdir",
    "rmtree", "symlink", "symlink_to", "truncate", "unlink", "utime",
}  # fmt: skip
OWN = {
    "disk.py": "the room itself",
    "places.py": "makes our own private folders",
    "own_files.py": "sets our own broken files aside",
    "review/state_copy.py": "replaces the copy of our own database",
    "review/screens.py": "replaces our own file of how screens were left",
    "profiles/cache.py": "replaces our own file of parsed profiles",
    "stored/databases.py": "removes our own copy of a database",
    "stored/snapshots.py": "removes our own copy of a database",
    "stored/stored.py": "removes our own copy of a row",
    "store": "writes our own store, each call failed in its own tests",
    "wrap": "rotates our own history of runs",
    "forecast": "keeps our own forecasts, and what commands counted",
    "cli/reviewing.py": "writes the page of a report where it was told to",
    "hook": "edits the settings it was asked to, each call failed in its own tests",
    "exposure/modes.py": "takes rights from others where it was asked to",
    "growth": "keeps the sizes that the last check found",
    "index": "writes our own search index, and removes what of it is old",
    "demo": "makes a night where it was told to",
}
"""Where else a name of `CHANGES` may be called, and why."""


def test_nothing_outside_this_room_changes_files() -> None:
    offenders = []
    for path in sorted(PACKAGE.rglob("*.py")):
        inner = path.relative_to(PACKAGE)
        if inner.parts[0] in OWN or inner.as_posix() in OWN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(
                node.func, ast.Attribute
            ):
                continue
            module = node.func.value
            if (
                isinstance(module, ast.Name)
                and module.id in ("os", "shutil")
                and node.func.attr in CHANGES
            ):
                offenders.append(f"{path.name}:{node.lineno} {node.func.attr}")
    assert offenders == []
