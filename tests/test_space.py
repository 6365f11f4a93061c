"""What files hold and take: each once, whatever its names and holes."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.finds import Finds
from spillview.cleanup.retention import Standing, plan
from spillview.cleanup.rules import Rules
from spillview.disk import gain
from spillview.model import Artifact, Found
from spillview.places import Places
from spillview.space import ROUNDING, Space, space_of, taken
from tests.command import run


def found(name: str, *, ino: int, size: int = 10, dev: int = 1, **more: Any) -> Found:
    path = f"/s/{name}"
    return Found(name, "dsh", path, name, "one", "/s", None, "file", size, 0, dev, ino,
                 **more)  # fmt: skip


# One file


@given(st.integers(0, 1 << 50), st.integers(0, 1 << 42))
@settings(max_examples=100)
def test_a_file_takes_its_blocks_unless_they_only_round_its_size(
    size: int, blocks: int
) -> None:
    got = taken(size, blocks)
    beyond = blocks * 512 - size
    assert got == (size if 0 <= beyond < ROUNDING else blocks * 512)


def test_where_no_blocks_are_told_a_file_takes_its_size() -> None:
    assert taken(1234, None) == 1234


def test_a_real_file_with_holes_takes_less_than_its_size(tmp_path: Path) -> None:
    path = tmp_path / "holes"
    with path.open("wb") as file:
        file.truncate(1 << 30)
        file.seek(512 << 20)
        file.write(b"x" * 8192)
    facts = path.stat()
    if facts.st_blocks * 512 >= 1 << 30:
        pytest.skip("this disk has no holes")
    assert taken(facts.st_size, facts.st_blocks) == facts.st_blocks * 512 < 1 << 20


# Several


def test_hard_links_and_files_met_on_two_ways_count_once() -> None:
    twice = [found("a", ino=7, nlink=2), found("b", ino=7, nlink=2)]
    again = [found("c", ino=8), found("d", ino=8)]  # a bind mount: one name, two ways
    other = [found("e", ino=7, dev=2)]
    assert space_of([*twice, *again, *other]) == Space(3, 30, 30)


def test_rows_of_one_database_are_not_one_file() -> None:
    rows = [found(str(n), ino=9, row=str(n), size=5) for n in range(3)]
    assert space_of([*rows, rows[0]]) == Space(3, 15, 15)


def test_what_has_no_inode_is_never_taken_for_another() -> None:
    assert space_of([found("a", ino=0), found("b", ino=0)]) == Space(2, 20, 20)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 2)), max_size=20))
@settings(max_examples=60)
def test_columns_and_single_artifacts_agree(keys: list[tuple[int, int]]) -> None:
    size = {key: random.Random(str(key)).randrange(1 << 20) for key in keys}
    ones = [
        found(str(n), ino=ino, dev=dev, size=size[ino, dev])
        for n, (ino, dev) in enumerate(keys)
    ]
    kept = {(one.dev, one.ino) if one.ino else one.id: one.size for one in ones}
    expected = Space(len(kept), sum(kept.values()), sum(kept.values()))
    assert space_of(ones) == expected
    assert Finds(ones).space(range(len(ones))) == expected


# Through the catalogue


def test_a_store_counts_a_file_with_two_names_once_and_links_not(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "one.log").write_text("x" * 50_000)
    os.link(folder / "one.log", folder / "two.log")
    outside = tmp_path / "outside.log"
    outside.write_text("y" * 90_000)
    (folder / "link.log").symlink_to(outside)
    catalogue = Catalogue(Places.of_home(str(tmp_path / "home")))
    listing = catalogue.scan(Query((str(folder),)))
    assert len(listing) == 3
    assert listing.bytes == 50_000
    [store] = catalogue.stores
    assert (store.artifacts, store.bytes, store.disk) == (3, 50_000, 50_000)
    [session] = catalogue.sessions(listing)
    assert session.bytes == 50_000


def test_a_file_with_holes_is_told_by_both_its_sizes(tmp_path: Path) -> None:
    with (tmp_path / "sparse.log").open("wb") as file:
        file.truncate(1 << 28)
    catalogue = Catalogue(Places.of_home(str(tmp_path / "home")))
    [artifact] = catalogue.scan(Query((str(tmp_path),)))
    blocks = os.stat(tmp_path / "sparse.log").st_blocks
    assert artifact.found.size == 1 << 28
    assert artifact.found.disk == blocks * 512
    assert catalogue.stores[0].disk == blocks * 512


def test_lists_and_doctor_say_what_is_held_and_what_it_takes(machine: Path) -> None:
    folder = machine / "logs"
    folder.mkdir()
    (folder / "a.log").write_bytes(b"x" * 3000)
    os.link(folder / "a.log", folder / "b.log")
    with (folder / "holes.log").open("wb") as file:
        file.truncate(1 << 30)
    if (folder / "holes.log").stat().st_blocks:
        pytest.skip("this disk has no holes")
    words = "1.1 GB (3.0 kB on disk)"
    assert words in run("doctor", folder).out
    [store] = [r for r in run("doctor", folder, "--json").rows if r["artifacts"]]
    assert (store["bytes"], store["disk_bytes"]) == (3000 + (1 << 30), 3000)
    told = run("ls", folder, "--no-count", "--limit", "1", terminal=True)
    assert f"1 of 3 artifacts ({words}); --all prints all of them" in told.err
    [session] = run("sessions", folder, "--no-count", "--json").rows
    assert session["bytes"] == 3000 + (1 << 30)


# What a removal gives back


def test_a_plan_frees_what_files_take_and_says_when_that_is_less() -> None:
    holes = found("a", ino=1, size=1 << 30, blocks=16)
    plain = found("b", ino=2, size=5000)
    ahead = found("c", ino=3, size=10, blocks=(1 << 20) // 512)  # room set aside
    ones = [Standing(Artifact(each)) for each in (holes, plain, ahead)]
    made = plan(ones, Rules(whole=True), 1e9)
    assert made.frees == 8192 + 5000 + (1 << 20)
    assert "it takes only 8.2 kB of the disk" in made.choices[0].reason
    assert "of the disk" not in made.choices[1].reason
    large = plan(ones, Rules(max_file=100_000), 1e9)
    assert [choice.artifact.id for choice in large.remove] == ["c"]
    assert not plan(ones, Rules(max_total=2 << 20), 1e9).remove


def test_what_emptying_the_trash_gives_back_is_what_the_plan_said(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 28)
        file.write(b"x" * 70_000)
    facts = path.stat()
    item = found("a", ino=facts.st_ino, size=facts.st_size, blocks=facts.st_blocks)
    assert gain(facts) == item.disk == facts.st_blocks * 512


def test_the_trash_holds_a_file_with_two_names_once(machine: Path) -> None:
    folder = machine / "logs"
    folder.mkdir()
    (folder / "a.log").write_bytes(b"x" * 3000)
    os.link(folder / "a.log", folder / "b.log")
    os.utime(folder / "a.log", (1e9, 1e9))
    words = ["prune", str(folder), "--older-than", "30d", "--harness", "folder"]
    got = run(*words, "--apply", "--yes", "--json")
    assert got.rows[-1]["frees"] == 3000
    [batch] = run("trash", "--json").rows
    assert (batch["items"], batch["bytes"]) == (2, 3000)
    emptied = run("trash", "--empty", "--yes", "--json").rows
    assert sum(row.get("freed_now", 0) for row in emptied) == 3000
