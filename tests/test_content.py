"""Opening and reading files of somebody else, who may do anything to them meanwhile."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.content import (
    BytesContent,
    FileContent,
    open_content,
    text_content,
)
from spillview.errors import ArtifactGone, NotRegular, Unreadable


def _file(folder: Path, data: bytes = b"hello\n", name: str = "a.txt") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def test_a_regular_file_gives_its_bytes_and_facts(tmp_path: Path) -> None:
    path = _file(tmp_path, b"0123456789")
    facts = os.stat(path)
    with open_content(path) as content:
        assert content.path == path
        assert content.pread(0, 100) == b"0123456789"
        assert content.pread(3, 4) == b"3456"
        assert content.pread(10, 1) == b""
        assert content.pread(99, 1) == b""
        assert content.key == (facts.st_dev, facts.st_ino, 10, facts.st_mtime_ns)
        assert (content.mode, content.uid) == (facts.st_mode, facts.st_uid)
        assert not os.get_inheritable(content.fileno())


def test_a_closed_content_says_so_instead_of_reading_another_file(
    tmp_path: Path,
) -> None:
    content = open_content(_file(tmp_path))
    content.close()
    content.close()
    with pytest.raises(Unreadable):
        content.pread(0, 1)


def test_a_fifo_is_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def opened(*_: object, **__: object) -> int:
        raise AssertionError("it was opened")

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(NotRegular, match="a FIFO"):
        open_content(str(path))


def test_sockets_folders_devices_and_links_are_refused(tmp_path: Path) -> None:
    os.symlink(_file(tmp_path), tmp_path / "link")
    with pytest.raises(NotRegular, match="a symbolic link"):
        open_content(str(tmp_path / "link"))
    with pytest.raises(NotRegular, match="a folder"):
        open_content(str(tmp_path))
    with pytest.raises(NotRegular, match="a device"):
        open_content(os.devnull)
    here = os.getcwd()
    os.chdir(tmp_path)  # a socket's whole path may be too long to bind
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s")
            with pytest.raises(NotRegular, match="a socket"):
                open_content("s")
    finally:
        os.chdir(here)


def _swapped(
    monkeypatch: pytest.MonkeyPatch, path: str, swap: Callable[[], None]
) -> None:
    """`swap` happens between the look at `path` and its opening."""
    really = os.open

    def opened(name: str, flags: int, **rest: int) -> int:
        if os.path.basename(name) == os.path.basename(path):
            os.unlink(path)
            swap()
        return really(name, flags, **rest)

    monkeypatch.setattr(os, "open", opened)


def test_a_file_swapped_for_a_link_before_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, secret = _file(tmp_path), _file(tmp_path, b"secret", "secret")
    _swapped(monkeypatch, path, lambda: os.symlink(secret, path))
    with pytest.raises(NotRegular):
        open_content(path)


def test_a_file_swapped_for_a_fifo_before_it_is_opened_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _file(tmp_path)
    _swapped(monkeypatch, path, lambda: os.mkfifo(path))
    with pytest.raises(NotRegular, match="became a FIFO"):
        open_content(path)


def test_what_is_not_there_or_not_allowed_says_so_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ArtifactGone, match="no longer there"):
        open_content(str(tmp_path / "gone\x1b.txt"))
    with pytest.raises(ArtifactGone):
        open_content(_file(tmp_path) + "/below")
    path = _file(tmp_path)

    def refused(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(Unreadable, match="permission denied"):
        open_content(path)


@pytest.mark.parametrize("path", ["a\0b", "/x/\ud800.txt", "/" + "n" * 5000])
def test_a_path_that_no_file_can_have_is_unreadable(path: str) -> None:
    with pytest.raises(Unreadable) as caught:
        open_content(path)
    assert str(caught.value).isprintable()


def test_the_sentence_for_a_hostile_name_carries_no_control_byte(
    tmp_path: Path,
) -> None:
    name = os.fsdecode(b"\xff\x1b[2J\n")
    with pytest.raises(ArtifactGone) as caught:
        open_content(str(tmp_path / name))
    assert "\\xff␛[2J␊" in str(caught.value)


def test_names_that_are_not_utf8_are_opened(tmp_path: Path) -> None:
    path = _file(tmp_path, b"x", os.fsdecode(b"\xff\n-"))
    with open_content(path, root=str(tmp_path)) as content:
        assert content.pread(0, 9) == b"x"


def test_under_a_root_no_folder_may_lead_out_of_it(tmp_path: Path) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside"
    (store / "session").mkdir(parents=True)
    outside.mkdir()
    inside = _file(store / "session")
    _file(outside)
    os.symlink(outside, store / "way-out")
    os.symlink("session", store / "same")
    with open_content(inside, root=str(store)) as content:
        assert content.size == 6
    with open_content(str(store / "same" / "a.txt"), root=str(store)) as content:
        assert content.size == 6
    with pytest.raises(NotRegular, match="leads out"):
        open_content(str(store / "way-out" / "a.txt"), root=str(store))
    with pytest.raises(NotRegular, match="leads out"):
        open_content(str(outside / "a.txt"), root=str(store))
    os.symlink(store, tmp_path / "root-link")
    with open_content(inside, root=str(tmp_path / "root-link")) as content:
        assert content.size == 6


def test_a_folder_swapped_for_a_link_after_the_look_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside"
    (store / "session").mkdir(parents=True)
    outside.mkdir()
    path = _file(store / "session")
    _file(outside, b"secret")
    really = os.path.realpath

    def resolved(name: str) -> str:
        result = really(name)
        if name.endswith("session"):
            os.rename(name, name + "-old")
            os.symlink(outside, name)
        return result

    monkeypatch.setattr(os.path, "realpath", resolved)
    with pytest.raises(Unreadable):
        open_content(path, root=str(store))


def test_a_file_truncated_while_it_is_read_is_reported_and_ends(tmp_path: Path) -> None:
    path = _file(tmp_path, b"x" * 1000)
    with open_content(path) as content:
        os.truncate(path, 10)
        with pytest.raises(ArtifactGone, match="10 of 1,000 bytes"):
            content.pread(0, 1000)
        with pytest.raises(ArtifactGone):
            content.pread(500, 1)
        assert content.pread(0, 10) == b"x" * 10


def test_a_short_read_of_the_system_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, n, at: really(fd, min(n, 3), at))
    with open_content(_file(tmp_path, b"0123456789")) as content:
        assert content.pread(1, 8) == b"12345678"


def test_an_error_of_the_disk_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(*_: int) -> bytes:
        raise OSError(5, "Input/output error")

    with open_content(_file(tmp_path)) as content:
        monkeypatch.setattr(os, "pread", failed)
        with pytest.raises(Unreadable, match="Input/output error"):
            content.pread(0, 1)


def test_reading_works_where_the_platform_has_no_pread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pread")
    with open_content(_file(tmp_path, b"0123456789")) as content:
        assert content.pread(4, 3) == b"456"
        assert content.pread(0, 3) == b"012"


def test_every_change_of_the_file_is_told_apart(tmp_path: Path) -> None:
    path = _file(tmp_path, b"12345")
    with open_content(path) as content:
        assert content.changed() is None
        os.utime(path, ns=(1, 1))
        assert content.changed() == "touched"
        with open(path, "ab") as file:
            file.write(b"6")
        assert content.changed() == "grown"
        os.truncate(path, 2)
        assert content.changed() == "truncated"
        os.unlink(path)
        assert content.changed() == "deleted"
        os.mkfifo(path)
        assert content.changed() == "replaced"


def test_refresh_takes_the_new_size_of_a_growing_file(tmp_path: Path) -> None:
    path = _file(tmp_path, b"12345")
    with open_content(path) as content:
        with open(path, "ab") as file:
            file.write(b"678")
        assert content.pread(0, 99) == b"12345"
        assert content.refresh() == "grown"
        assert content.pread(0, 99) == b"12345678"
        assert content.refresh() is None
        os.truncate(path, 1)
        assert content.refresh() == "truncated"
        assert content.size == 1


def test_a_deleted_file_stays_readable_while_it_is_open(tmp_path: Path) -> None:
    path = _file(tmp_path)
    with open_content(path) as content:
        os.unlink(path)
        assert content.pread(0, 99) == b"hello\n"


def test_bytes_are_a_content_too() -> None:
    content = BytesContent(b"abcdef")
    assert (content.size, content.path) == (6, None)
    assert content.pread(2, 3) == b"cde"
    assert content.pread(-1, 3) == b""
    assert content.pread(9, 3) == b""
    content.close()


def _all(content: FileContent | BytesContent) -> bytes:
    return content.pread(0, content.size)


def test_text_that_is_not_utf16_is_the_content_itself() -> None:
    content = BytesContent(b"abc")
    for encoding in ("utf-8", "utf-8-invalid", "binary"):
        assert text_content(content, encoding) is content


@given(st.binary(max_size=60), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_is_transcribed_as_python_decodes_it(data: bytes, encoding: str) -> None:
    mark = "\ufeff".encode(encoding)
    text = text_content(BytesContent(mark + data), encoding)
    expected = data.decode(encoding, "replace").encode()
    assert text.pread(0, text.size) == expected
    assert text.path is None
    text.close()


def test_a_pair_that_straddles_blocks_is_transcribed_whole() -> None:
    words = "x" * ((1 << 17) - 1) + "😀" + "y"
    text = text_content(BytesContent(words.encode("utf-16-le")), "utf-16-le")
    assert text.pread(0, text.size).decode() == words
    text.close()


def test_no_room_for_a_transcription_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(Unreadable, match="No space left"):
        text_content(BytesContent(b"a\0"), "utf-16-le")
