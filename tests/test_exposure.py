"""Who else can read or plant: told with a path and what to do; rights taken away."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.exposure import exposure, files, folders, modes, people
from spillview.model import Artifact
from spillview.places import Places
from tests.command import Row, run
from tests.stores import Claude

UID = os.getuid()
posix = pytest.mark.skipif(os.name != "posix", reason="needs owners and rights")
pytestmark = posix


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def spilled(machine: Path) -> Path:
    """One artifact in a store whose folders are the owner's alone."""
    exposure.forget()
    store = Claude(machine)
    made = store.spills(b"x\n" * 40_000)
    store.write()
    folder = made.path.parent
    while folder != machine:
        folder.chmod(0o700)
        folder = folder.parent
    made.path.chmod(0o600)
    return made.path


def told(kind: str) -> list[Row]:
    return [r for r in run("doctor", "--json").rows if r.get("exposure") == kind]


def everything() -> list[Row]:
    return [row for row in run("doctor", "--json").rows if row.get("exposure")]


def test_a_store_of_the_owner_alone_is_exposed_to_nobody(spilled: Path) -> None:
    assert everything() == []


def test_a_group_with_other_members_can_read(
    spilled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "others_in", lambda gid, uid: True)
    spilled.chmod(0o640)
    assert told("group-readable") == []  # the folders above let nobody through
    monkeypatch.setattr(files, "passed", lambda folder, gid: True)
    [row] = told("group-readable")
    assert row["number"] == 1
    assert row["root"] == str(spilled)
    assert "other members" in row["problem"]
    assert "chmod g-r" in row["advice"]


def test_a_private_group_is_no_exposure() -> None:
    assert not people.others_in(2**31 - 5, UID)


def acl(*entries: tuple[int, int]) -> bytes:
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", tag, rights, 0) for tag, rights in entries
    )


def test_an_access_list_is_read_with_its_mask() -> None:
    owner, user, group, mask, other = 1, 2, 4, 0x10, 0x20
    plain = (owner, 6), (group, 4), (other, 0)
    assert not files.named_readers(acl(*plain))
    assert files.named_readers(acl(*plain, (user, 4), (mask, 4)))
    assert not files.named_readers(acl(*plain, (user, 4), (mask, 0)))
    assert not files.named_readers(acl(*plain, (user, 2), (mask, 6)))
    assert not files.named_readers(b"")
    assert not files.named_readers(b"\2\0\0\0\2")


def test_folders_that_others_can_write_are_told(spilled: Path) -> None:
    spilled.parent.chmod(0o777)
    exposure.forget()
    [row] = told("open-folder")
    assert row["root"] == str(spilled.parent)
    assert "plant" in row["problem"]
    spilled.parent.chmod(0o1777)
    exposure.forget()
    assert told("open-folder") == []


def test_a_group_that_can_write_a_folder_is_told(
    spilled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spilled.parent.chmod(0o770)
    exposure.forget()
    assert told("group-folder") == []
    exposure.forget()
    monkeypatch.setattr(folders, "others_in", lambda gid, uid: True)
    [row] = told("group-folder")
    assert row["root"] == str(spilled.parent)


@pytest.mark.skipif(UID != 0, reason="needs to give files away")
def test_a_folder_of_another_user_is_told(spilled: Path, nobody: int) -> None:
    os.chown(spilled.parent, nobody, -1)
    exposure.forget()
    [row] = told("foreign-folder")
    assert row["root"] == str(spilled.parent)
    assert "swap" in row["problem"]


def test_a_name_that_all_know_in_a_shared_folder_is_told(machine: Path) -> None:
    store = Claude(machine, uid=UID)
    store.tasks.mkdir(parents=True)
    (store.tasks / "b12345678.output").write_bytes(b"x")
    store.write()
    assert told("fixed-name") == []
    (machine / "tmp").chmod(0o1777)
    exposure.forget()
    [row] = told("fixed-name")
    assert row["root"] == str(machine / "tmp" / f"claude-{UID}")
    assert "TMPDIR" in row["advice"]


def test_links_out_and_second_names_are_told(spilled: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"y")
    (spilled.parent / "link.txt").symlink_to(outside)
    os.link(spilled, tmp_path / "other-name.txt")
    [row] = told("leads-out")
    assert row["root"] == str(spilled.parent / "link.txt")
    [row] = told("hard-link")
    assert row["root"] == str(spilled)
    assert "find -samefile" in row["advice"]
    assert row["problem"].startswith("1 artifact has another name")


def test_second_names_within_the_store_are_none(spilled: Path) -> None:
    os.link(spilled, spilled.with_name("b00000099.txt"))
    assert told("hard-link") == []


def test_the_names_of_a_harness_in_the_temp_folder() -> None:
    catalogue = Catalogue(Places.of_home("/nowhere"))
    names = {
        name: folders.fixed_names(profile, 7)
        for name, profile in catalogue.profiles.items()
    }
    assert names["claude-code"] == {"claude-7", "claude"}
    assert names["goose"] == {"goose_mcp_responses"}
    assert names["kaish"] == {"kaish"}
    assert names["dsh"] == set()
    assert names["pi"] == set()


# -- taking rights away --------------------------------------------------------------


def open_up(path: Path, machine: Path) -> None:
    path.chmod(0o644)
    while path.parent != machine:
        path = path.parent
        path.chmod(0o755)


def test_rights_are_taken_after_all_is_shown(spilled: Path, machine: Path) -> None:
    open_up(spilled, machine)
    ran = run("doctor", "--fix-modes")
    assert ran.code == 1  # nobody can be asked here
    assert f"0644 → 0600  {spilled}" in ran.out
    assert f"0755 → 0700  {spilled.parent}" in ran.out
    assert mode(spilled) == 0o644
    ran = run("doctor", "--fix-modes", "--yes")
    assert ran.code == 0
    assert mode(spilled) == 0o600
    assert mode(spilled.parent) == mode(machine / ".claude") == 0o700
    undo = ran.out.split("# to give the rights back:\n")[1]
    assert os.system(undo) == 0
    assert mode(spilled) == 0o644
    assert mode(machine / ".claude") == 0o755


def test_nothing_to_take_is_said(spilled: Path) -> None:
    ran = run("doctor", "--fix-modes")
    assert ran.code == 0
    assert "Nothing to change" in ran.out


def test_each_change_is_a_row(spilled: Path, machine: Path) -> None:
    open_up(spilled, machine)
    rows = run("doctor", "--fix-modes", "--yes", "--json").rows
    row = next(row for row in rows if row["path"] == str(spilled))
    assert (row["before"], row["after"], row["applied"]) == ("0644", "0600", True)
    assert row["undo"].startswith("chmod 0644 -- ")


def planned(machine: Path) -> list[modes.Change]:
    catalogue = Catalogue.here(Places.of_home(str(machine)))
    try:
        artifacts: list[Artifact] = list(catalogue.scan())
        changes, _ = modes.plan(artifacts, catalogue.places)
    finally:
        catalogue.close()
    return changes


def test_a_planted_link_is_never_followed(
    spilled: Path, machine: Path, tmp_path: Path
) -> None:
    open_up(spilled, machine)
    victim = tmp_path / "victim.txt"
    victim.write_bytes(b"v")
    victim.chmod(0o644)
    changes = planned(machine)
    spilled.unlink()
    spilled.symlink_to(victim)
    said = {c.path: problem for c, problem in modes.apply(changes)}
    assert said[str(spilled)]
    assert mode(victim) == 0o644


def test_a_planted_folder_link_is_never_followed(
    spilled: Path, machine: Path, tmp_path: Path
) -> None:
    open_up(spilled, machine)
    changes = planned(machine)
    away = tmp_path / "away"
    spilled.parent.rename(away)
    spilled.parent.symlink_to(away)
    said = {c.path: problem for c, problem in modes.apply(changes)}
    assert said[str(spilled)]
    assert mode(away / spilled.name) == 0o644
    assert mode(away) == 0o755


def test_another_file_under_its_name_is_left(spilled: Path, machine: Path) -> None:
    open_up(spilled, machine)
    changes = planned(machine)
    spilled.rename(spilled.with_name("old"))
    spilled.write_bytes(b"new")
    spilled.chmod(0o644)
    said = {c.path: problem for c, problem in modes.apply(changes)}
    assert said[str(spilled)] == "another file has its name now"
    assert mode(spilled) == 0o644


def test_a_file_with_another_name_and_links_are_left(
    spilled: Path, machine: Path, tmp_path: Path
) -> None:
    open_up(spilled, machine)
    os.link(spilled, tmp_path / "other")
    outside = tmp_path / "outside"
    outside.write_bytes(b"o")
    outside.chmod(0o644)
    (spilled.parent / "link.txt").symlink_to(outside)
    ran = run("doctor", "--fix-modes", "--yes")
    assert "it has another name too" in ran.out
    assert mode(spilled) == 0o644
    assert mode(outside) == 0o644


@pytest.mark.skipif(UID != 0, reason="needs to give files away")
def test_what_belongs_to_others_is_left(
    spilled: Path, machine: Path, nobody: int
) -> None:
    open_up(spilled, machine)
    os.chown(spilled, nobody, -1)
    ran = run("doctor", "--fix-modes", "--yes")
    assert "it belongs to another user" in ran.out
    assert mode(spilled) == 0o644


def test_the_home_folder_stays_as_it_is(machine: Path) -> None:
    machine.chmod(0o755)
    (machine / "notes.txt").write_text("one\n")
    (machine / "notes.txt").chmod(0o644)
    ran = run("doctor", "--fix-modes", "--yes", machine / "notes.txt")
    assert ran.code == 0
    assert mode(machine) == 0o755
