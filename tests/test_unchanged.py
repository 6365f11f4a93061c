"""Small files are read in one piece only while they are what a listing found."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.content import unchanged
from spillview.content.content import BytesContent
from spillview.content.counts import count, text_counts
from spillview.content.unchanged import counted_unchanged, read_unchanged
from spillview.discovery.ways import Ways
from tests.hostile import hostile

Key = tuple[int, int, int, int]


def key_of(path: Path) -> Key:
    facts = path.stat(follow_symlinks=False)
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def read(path: Path, root: Path, key: Key, ways: Ways | None = None) -> bytes | None:
    return read_unchanged(str(path), str(root), key, ways or Ways())


def test_a_file_that_is_what_was_found_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    ways = Ways()
    for _ in range(2):
        assert read(path, tmp_path, key_of(path), ways) == b"one\ntwo\n"
    counted = counted_unchanged(str(path), str(tmp_path), key_of(path), ways, None)
    assert counted is not None
    assert counted[0].pread(0, 99) == b"one\ntwo\n"
    assert counted[1] == count(BytesContent(b"one\ntwo\n"))


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(path.stat().st_mtime_ns,) * 2)
    other.replace(path)


def linked(path: Path) -> None:
    moved = path.rename(path.with_name("moved"))
    path.symlink_to(moved)


def piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def touched(path: Path) -> None:
    os.utime(path, ns=(5, 5))


@pytest.mark.parametrize(
    "change", [grown, replaced, linked, piped, touched, Path.unlink]
)
def test_a_file_that_is_another_by_now_is_left_alone(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    key = key_of(path)
    ways = Ways()
    assert read(path, tmp_path, key, ways) is not None  # its folder is held from now
    change(path)
    assert read(path, tmp_path, key, ways) is None
    assert read(path, tmp_path, key) is None


def test_nothing_but_a_regular_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    opened: list[object] = []
    ways = Ways()
    ways.to(str(pipe), str(tmp_path))
    real = os.open

    def watched(name: str, flags: int, **named: int) -> int:
        opened.append(name)
        return real(name, flags, **named)

    monkeypatch.setattr(os, "open", watched)
    assert read(pipe, tmp_path, key_of(pipe), ways) is None
    assert read(folder, tmp_path, key_of(folder), ways) is None
    assert not opened


def test_a_folder_that_became_a_link_out_of_the_root_is_not_followed(
    tmp_path: Path,
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "in").mkdir(parents=True)
    outside.mkdir()
    path = root / "in" / "a.txt"
    path.write_bytes(b"inside")
    (outside / "a.txt").write_bytes(b"outside")
    ways = Ways()
    key = key_of(path)
    assert read(path, root, key, ways) == b"inside"
    (root / "in").rename(root / "away")
    (root / "in").symlink_to(outside)
    for some in (ways, Ways()):
        assert read(path, root, key_of(outside / "a.txt"), some) is None


def test_a_file_that_changes_while_it_is_read_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    key = key_of(path)

    def reading(descriptor: int, length: int, offset: int) -> bytes:
        data = os.pread(descriptor, length, offset)
        path.write_bytes(b"two\none\n")
        return data

    monkeypatch.setattr(unchanged, "read_at", reading)
    assert read(path, tmp_path, key) is None


def test_a_large_file_and_a_bad_name_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * (unchanged.LARGEST + 1))
    assert read(path, tmp_path, key_of(path)) is None
    assert read(Path(f"{tmp_path}/a\0b"), tmp_path, (1, 2, 3, 4)) is None
    assert read(Path(f"{tmp_path}/none/b"), tmp_path, (1, 2, 3, 4)) is None


endings = st.sampled_from(["", "\n", "\r\n", "\n\n \n", "\n\x1b[0m\n", "é" * 900])


@given(hostile, endings, st.sampled_from(["", "[", "[INFO] ", '{"a": 1}\n', " "]))
@example(b"x" * 2001, "", "")
@example(b"1]", "", "[ 0,")
def test_a_text_in_one_piece_counts_as_it_does_in_parts(
    data: bytes, ending: str, beginning: str
) -> None:
    data = beginning.encode() + data + ending.encode()
    known = text_counts(data)
    parts = count(BytesContent(data), block=64)
    if known is None:
        assert not data or 0 in data or data[:2] in (b"\xff\xfe", b"\xfe\xff")
    elif len(data) > 64:
        assert (known, known.form) == (parts, parts.form)
