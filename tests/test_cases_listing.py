"""Listing what is hostile, linked, closed to us or still being written."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from tests.command import run
from tests.stores import OTHER, SESSION, Claude, Dsh, log_of

needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="tells writers through /proc"
)


@contextmanager
def closed(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> Iterator[None]:
    """Within it nobody may open these files or look into these folders."""
    names = {str(path) for path in paths}
    real = {name: getattr(os, name) for name in ("lstat", "stat", "open", "listdir")}
    scan = os.scandir

    def shut(path: object, looking: bool) -> bool:
        if not isinstance(path, str):
            return False
        inside = any(path.startswith(os.path.join(name, "")) for name in names)
        return inside or (path in names and not looking)

    def refusing(name: str):  # type: ignore[no-untyped-def]  # as many kinds as calls
        def call(path, *rest, **more):  # type: ignore[no-untyped-def]  # see above
            if shut(path, name in ("lstat", "stat")):
                raise PermissionError(13, "Permission denied", path)
            return real[name](path, *rest, **more)

        return call

    def scandir(path=None):  # type: ignore[no-untyped-def]  # a path or a handle
        name = os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else path
        if shut(name, False):
            raise PermissionError(13, "Permission denied", name)
        return scan(path)

    with monkeypatch.context() as patch:
        for name in real:
            patch.setattr(os, name, refusing(name))
        patch.setattr(os, "scandir", scandir)
        yield


# A link to a live log


def test_a_link_is_as_fresh_as_the_log_behind_it(machine: Path) -> None:
    session = Claude(machine, uid=os.getuid())
    session.prompt("go")
    session.write()
    live = machine / "live.jsonl"
    live.write_bytes(b"{}\n" * 300)
    session.tasks.mkdir(parents=True)
    link = session.tasks / "x.output"
    link.symlink_to(live)
    os.utime(link, (1e9, 1e9), follow_symlinks=False)
    os.utime(live, (1.6e9, 1.6e9))
    row = run("ls", "--json").row
    assert (row["target"], row["target_bytes"]) == (str(live), 900)
    assert row["bytes"] == 0
    assert row["target_modified"] == "2020-09-13T12:26:40Z"
    assert row["modified"] == "2001-09-09T01:46:40Z"
    # narrowed by time it counts as what grows, not as the old link
    assert run("ls", "--json", "--since", "2015-01-01").row["id"] == row["id"]
    assert run("ls", "--json", "--until", "2015-01-01").rows == []


def test_bytes_behind_links_are_counted_once(machine: Path) -> None:
    session = Claude(machine, uid=os.getuid())
    made = session.spills(log_of(3000))
    session.write()
    session.tasks.mkdir(parents=True)
    (session.tasks / "twice.output").symlink_to(made.path)
    (session.tasks / "broken.output").symlink_to("/nowhere/at/all")
    (session.tasks / "loop.output").symlink_to("loop.output")
    (session.tasks / "folder.output").symlink_to("/etc")
    rows = {row["name"]: row for row in run("ls", "--json").rows}
    assert sum(row["bytes"] for row in rows.values()) == len(made.data)
    assert run("sessions", "--json").row["bytes"] == len(made.data)
    assert rows["twice.output"]["target_bytes"] == len(made.data)
    for name in ("broken", "loop", "folder"):
        assert rows[f"{name}.output"]["target_bytes"] is None
        assert "symlink" in rows[f"{name}.output"]["flags"]
        refused = run("show", rows[f"{name}.output"]["id"])
        assert (refused.code, refused.out) == (2, "")
        assert "link" in refused.err


@needs_proc
@pytest.mark.parametrize("through", ["file", "linked folder", "link"])
def test_what_another_process_writes_is_growing(tmp_path: Path, through: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    log = folder / "live.log"
    if through == "link":
        log = tmp_path / "elsewhere.log"
        (folder / "live.log").symlink_to(log)
    log.write_bytes(b"x\n")
    named = folder
    if through == "linked folder":
        named = tmp_path / "alias"
        named.symlink_to(folder)
    script = "import sys; f = open(sys.argv[1], 'ab'); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        flags = run("ls", "--json", named).row["flags"]
        writer.communicate(b"\n")
    assert "growing" in flags
    assert "growing" not in run("ls", "--json", named).row["flags"]


# No access


@needs_proc
def test_one_closed_project_is_told_and_the_others_are_listed(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_one = Claude(machine)
    made = open_one.spills(log_of(2000))
    open_one.write()
    other = Claude(machine, session=OTHER, cwd="/srv/closed")
    other.spills(log_of(2000))
    other.write()
    with closed(monkeypatch, other.project):
        got = run("ls", "--json")
        told = run("sessions")
    assert (got.code, told.code) == (2, 2)
    assert got.row["path"] == str(made.path)
    assert f"{other.project}: no access: permission denied" in got.err
    assert SESSION in told.out


@needs_proc
def test_an_artifact_behind_a_closed_folder_is_not_called_gone(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = machine / "tmp" / "dsh-spill-AbC123"
    session = Dsh(machine, root)
    session.spills(log_of(6000))
    session.write()
    with closed(monkeypatch, root):
        got = run("ls", "--missing", "--json")
    assert got.rows == []
    assert got.code == 2
    assert f"{root}: no access" in got.err
    [_] = run("ls", "--json").rows
    for path in session.spill_dir.iterdir():
        path.unlink()
    assert run("ls", "--missing", "--json").row["link"] == "dangling"


def test_a_transcript_that_cannot_be_read_makes_no_orphans(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Claude(machine)
    session.spills(log_of(2000))
    session.write()
    other = Claude(machine, session=OTHER)
    other.spills(log_of(2000))
    other.write()
    dsh = Dsh(machine, machine / "tmp" / "dsh-spill-AbC123")
    dsh.spills(log_of(6000))
    dsh.write()
    with closed(monkeypatch, session.transcript, dsh.log):
        got = run("ls", "--json")
        assert "unknown" in run("ls").out
    rows = {row["session"]: row for row in got.rows}
    assert got.code == 2
    for path in (session.transcript, dsh.log):
        assert str(path) in got.err
    for name in (SESSION, dsh.spill_dir.name):
        assert rows[name]["link"] is None
        assert rows[name]["verdict_seen"] is None
        assert rows[name]["seen_bytes"] is None
        assert "could not be read" in rows[name]["note"]
        assert rows[name]["verdict"] == "fail"  # which its content tells
    assert rows[OTHER]["link"] == "linked"
    assert rows[OTHER]["verdict_seen"] is False


def test_what_an_unreadable_subagent_may_have_read_is_not_called_unseen(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Claude(machine)
    session.spills(log_of(2000))
    session.write()
    helper = Claude(machine, agent="a1b2c3d4e5f6a7b8c")
    helper.prompt("look")
    helper.write()
    assert run("ls", "--json").row["verdict_seen"] is False
    os.utime(helper.transcript, (1e9, 1e9))  # so that it is read again
    with closed(monkeypatch, helper.transcript):
        row = run("ls", "--json").row
    assert row["link"] == "linked"
    assert row["seen_bytes"] == 2000
    assert row["seen_certain"] is False
    assert row["verdict_seen"] is None


@needs_proc
def test_a_file_that_may_not_be_looked_at_is_not_said_to_be_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"x\n")
    with closed(monkeypatch, folder):
        got = run("show", folder / "a.txt")
    assert got.code == 2
    assert "no access" in got.err
    assert "no such file" in run("show", folder / "b.txt").err


@needs_proc
def test_nothing_is_dated_of_which_no_time_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "old").write_bytes(b"x\n")
    os.utime(folder / "old", (0, 0))
    (folder / "shut").write_bytes(b"x\n")
    real = os.DirEntry.stat  # cannot be replaced, so the call that uses it is

    def refusing(entry: os.DirEntry[str], **more: bool) -> os.stat_result:
        if entry.name == "shut":
            raise PermissionError(13, "Permission denied", entry.name)
        return real(entry, **more)

    class Entry:
        """A directory entry that may not be looked at, if it is `shut`."""

        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.entry = entry
            self.name = entry.name

        def __getattr__(self, name: str) -> object:
            return getattr(self.entry, name)

        def stat(self, **more: bool) -> os.stat_result:
            return refusing(self.entry, **more)

    class Entries:
        """What `os.scandir` gives, with such entries."""

        def __init__(self, found: object) -> None:
            self.found = found

        def __enter__(self) -> Iterator[Entry]:
            return map(Entry, self.found.__enter__())  # type: ignore[attr-defined]  # scandir's

        def __exit__(self, *what: object) -> None:
            self.found.__exit__(*what)  # type: ignore[attr-defined]  # as above

    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: Entries(scan(path)))
    got = run("ls", "--json", folder)
    rows = {row["name"]: row for row in got.rows}
    assert rows["old"]["modified"] == "1970-01-01T00:00:00Z"
    assert rows["shut"]["modified"] is None
    assert rows["shut"]["bytes"] is None
    assert rows["shut"]["error"] == "no access: permission denied"
    assert got.code == 2
    shut = next(line for line in run("ls", folder).lines if "shut" in line)
    assert not re.search(r"\d+y", shut)


# Names and words


def test_an_empty_path_is_refused_rather_than_read_as_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\n")
    monkeypatch.chdir(tmp_path)
    for words in (("ls", ""), ("sessions", ""), ("ls", ".", "")):
        got = run(*words)
        assert (got.code, got.out) == (2, "")
        assert "empty" in got.err
    for words in (("show", ""), ("envelope", ""), ("grep", "x", "")):
        got = run(*words)
        assert (got.code, got.out) == (2, "")
        assert got.err.count("\n") == 1


def test_a_link_to_a_folder_is_no_artifact_and_what_lies_behind_it_is_not_meant(
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for number in range(3):
        (elsewhere / f"{number}.txt").write_bytes(b"x\n")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "link").symlink_to(elsewhere)
    (folder / "self").symlink_to(".")
    for name in ("link", "self"):
        got = run("show", folder / name)
        assert got.code == 2
        assert "link to a folder" in got.err


LOOPS = ("self", "up", "a", "b")


def test_links_in_circles_and_out_of_the_folder_end(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "self").symlink_to(".")
    (inner / "up").symlink_to("..")
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "out").symlink_to("/")
    (inner / "f.txt").write_bytes(b"x\n")
    rows = run("ls", "--json", tmp_path).rows
    assert sorted(row["name"] for row in rows) == sorted([*LOOPS, "f.txt", "out"])
    assert all(row["bytes"] == 0 for row in rows if row["name"] != "f.txt")
    assert run("grep", "x", tmp_path, "--json").code == 0


def _tree(home: Path, number: int) -> None:
    session = f"{number:08d}-2222-4333-8444-555555555555"
    made = Claude(home, session=session, cwd=f"/srv/project{number}")
    made.spills(log_of(700), command=f"make {number}")
    made.write()


def test_artifacts_of_all_projects_are_found_from_any_folder(
    machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(76):
        _tree(machine, number)
    monkeypatch.chdir(tmp_path)
    here = run("ls", "--json").rows
    assert {row["project"] for row in here} == {f"/srv/project{n}" for n in range(76)}
    monkeypatch.chdir(machine / ".claude" / "projects" / "-srv-project7")
    assert {row["id"] for row in run("ls", "--json").rows} == {r["id"] for r in here}


def test_a_folder_of_nothing_but_special_files_opens_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no FIFOs here")
    for name in ("a", "b\x1b[2J", "-c"):
        os.mkfifo(tmp_path / name)
    real = os.open

    def watching(path: str, *rest: int, **more: int) -> int:
        if isinstance(path, str) and os.path.lexists(path):
            assert not stat.S_ISFIFO(os.lstat(path).st_mode), path
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", watching)
    for words in (("ls",), ("ls", "--json"), ("sessions",), ("grep", "x")):
        got = run(*words, tmp_path)
        assert got.code == (1 if words == ("grep", "x") else 0)
        assert "\x1b" not in got.out + got.err
    for name in ("a", "-c"):
        got = run("show", tmp_path / name)
        assert got.code == 2
        assert "FIFO" in got.err


def test_the_catalogue_gives_the_same_rows_however_a_store_is_named(
    machine: Path,
) -> None:
    session = Claude(machine)
    made = session.spills(log_of(2000))
    session.write()
    alias = machine / "alias"
    alias.symlink_to(machine)
    names = [
        machine,
        machine / ".claude",
        session.project,
        session.side,
        session.side / "tool-results",
        session.transcript,
        made.path,
        alias,
        alias / ".claude" / "projects",
        alias / made.path.relative_to(machine),
    ]
    catalogue = Catalogue(Places.here())
    ids = set()
    for name in names:
        [artifact] = catalogue.complete(catalogue.scan(Query(paths=(str(name),))))
        ids.add(artifact.id)
        assert artifact.link is not None
        assert artifact.link.state == "linked", name
    assert len(ids) == 1
    assert json.loads(json.dumps(sorted(ids)))
