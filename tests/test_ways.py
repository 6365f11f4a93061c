"""Folders that are held open: what is opened in them is what a walk would find."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from spillview.content.content import open_content
from spillview.discovery.ways import OPEN, Ways
from spillview.errors import NotRegular, Unreadable


@pytest.fixture
def ways() -> Iterator[Ways]:
    held = Ways()
    yield held
    held.close()


def _read(path: Path, root: Path, ways: Ways) -> bytes:
    with open_content(str(path), root=str(root), ways=ways) as content:
        return content.pread(0, 99)


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_another_folder_at_the_same_path_is_walked_to_anew(
    tmp_path: Path, ways: Ways
) -> None:
    folder = tmp_path / "store" / "session"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"first")
    assert _read(folder / "a.txt", tmp_path / "store", ways) == b"first"
    folder.rename(tmp_path / "aside")
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"second")
    assert _read(folder / "a.txt", tmp_path / "store", ways) == b"second"


def test_a_folder_swapped_for_a_way_out_is_refused(tmp_path: Path, ways: Ways) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside"
    (store / "session").mkdir(parents=True)
    outside.mkdir()
    for folder in (store / "session", outside):
        (folder / "a.txt").write_bytes(folder.name.encode())
    assert _read(store / "session" / "a.txt", store, ways) == b"session"
    (store / "session").rename(tmp_path / "aside")
    (store / "session").symlink_to(outside)
    with pytest.raises(NotRegular, match="leads out"):
        _read(store / "session" / "a.txt", store, ways)


def test_a_held_folder_that_is_gone_is_gone(tmp_path: Path, ways: Ways) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"first")
    _read(folder / "a.txt", tmp_path, ways)
    folder.rename(tmp_path / "aside")
    with pytest.raises(Unreadable, match="no longer there"):
        _read(folder / "a.txt", tmp_path, ways)


def test_a_link_in_a_held_folder_is_not_followed(tmp_path: Path, ways: Ways) -> None:
    (tmp_path / "a.txt").write_bytes(b"first")
    _read(tmp_path / "a.txt", tmp_path, ways)
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(NotRegular):
        _read(tmp_path / "link", tmp_path, ways)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Linux tells of them")
def test_only_a_few_folders_are_held_and_none_when_closed(tmp_path: Path) -> None:
    before = _descriptors()
    held = Ways()
    for number in range(3 * OPEN):
        folder = tmp_path / f"session-{number}"
        folder.mkdir()
        (folder / "a.txt").write_bytes(b"%d" % number)
        assert _read(folder / "a.txt", tmp_path, held) == b"%d" % number
    assert _descriptors() <= before + OPEN
    held.close()
    assert _descriptors() == before
