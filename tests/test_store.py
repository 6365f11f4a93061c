"""Our own store: what is saved is exact, closed to others, and never half there."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spillview
from spillview.disk import Unsafe
from spillview.errors import BadInput, SpillError
from spillview.places import Places
from spillview.store import (
    LocalSpillStore,
    SaveTextSpill,
    SpillEnvelope,
    SpillFailed,
    SpillFull,
    SpillOwner,
    SpillRef,
    SpillSource,
    SpillStore,
    hints,
)
from spillview.store.encoding import pieces, well_formed
from spillview.store.files import StoreDisk

from .spills import below, files, request, sidecar, stream

SESSION = "session-abe633f3a47a"
OPEN = 0o777


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


# Layout


def test_a_text_is_saved_in_dshs_layout_with_its_sidecar(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "spills"
    text = "zwölf\n日本語 😀\r\nlast"
    ref = LocalSpillStore(root).save_text(
        request(text, command="make all", cwd="/srv/app")
    )
    path = Path(ref.locator)
    assert path.parent == root / SESSION
    assert path.name[12:] == "-bash.txt"
    assert set(path.name[:12]) <= set("0123456789abcdef")
    data = path.read_bytes()
    assert data == text.encode()
    assert ref == SpillRef(str(path), len(data), hints.BY_LINE)
    note = sidecar(path)
    assert note.pop("created")[-1] == "Z"
    assert note == {
        "name": path.name,
        "session": "sess-1",
        "tool": "bash",
        "call_id": "c-1",
        "label": "build",
        "command": "make all",
        "cwd": "/srv/app",
        "bytes": len(data),
        "chars": len(text),
        "lines": 3,
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def test_the_library_names_are_the_contracts(tmp_path: Path) -> None:
    store = spillview.LocalSpillStore(tmp_path)
    assert isinstance(store, spillview.SpillStore)
    ref = store.save_text(
        spillview.SaveTextSpill(
            owner=spillview.SpillOwner(session_id="s-1"),
            source=spillview.SpillSource(
                tool_name="bash", call_id="c-1", label="result"
            ),
            suggested_name="bash.txt",
            content="text",
        )
    )
    assert isinstance(ref, spillview.SpillRef)
    assert (ref.bytes, Path(ref.locator).read_text()) == (4, "text")


def test_anything_with_the_one_method_is_a_store() -> None:
    class Mine:
        def save_text(self, request: SaveTextSpill) -> SpillRef:
            return SpillRef("mine:1", len(request.content), "Ask me.")

    assert isinstance(Mine(), SpillStore)


def test_folders_and_files_are_closed_to_others_whatever_the_umask(
    tmp_path: Path,
) -> None:
    root = tmp_path / "a" / "b"
    before = os.umask(0)
    try:
        ref = LocalSpillStore(root).save_text(request())
        os.umask(0o777)
        other = LocalSpillStore(tmp_path / "c").save_text(request())
    finally:
        os.umask(before)
    for each in (tmp_path / "a", root, root / SESSION):
        assert mode(each) == 0o700
    assert mode(ref.locator) == mode(other.locator) == 0o600
    assert {mode(each) for each in below(root)} == {0o600}


def test_two_saves_of_one_name_and_of_one_request_are_two_files(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path)
    one = request("first")
    paths = [
        store.save_text(each).locator
        for each in (one, request("second"), one, one, request("second"))
    ]
    assert len(set(paths)) == 5
    assert [Path(p).read_text() for p in paths] == [
        "first",
        "second",
        "first",
        "first",
        "second",
    ]


def test_sessions_have_folders_of_their_own(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path)
    one = store.save_text(request(session="a"))
    other = store.save_text(request(session="b"))
    assert Path(one.locator).parent != Path(other.locator).parent


def test_a_name_that_climbs_stays_one_file_in_the_session(tmp_path: Path) -> None:
    ref = LocalSpillStore(tmp_path / "root").save_text(request(name="../../evil/../x"))
    assert files(tmp_path) == [Path(ref.locator)]
    assert Path(ref.locator).parent == tmp_path / "root" / SESSION


# Roots


def test_the_default_root_is_in_the_state_folder_and_not_made_before_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = LocalSpillStore()
    assert store.root == os.path.join(Places.here().state_dir, "spills")
    store.locate(request())
    assert not (tmp_path / "state").exists()
    assert LocalSpillStore().root == store.root
    ref = store.save_text(request())
    assert ref.locator.startswith(store.root + "/session-")
    assert mode(store.root) == mode(os.path.dirname(store.root)) == 0o700


def test_a_relative_root_is_that_of_the_moment_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = LocalSpillStore("here")
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    ref = store.save_text(request())
    assert ref.locator.startswith(f"{tmp_path}/here/")


def test_a_configured_root_may_be_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    ref = LocalSpillStore(tmp_path / "link").save_text(request("x"))
    assert ref.locator.startswith(f"{tmp_path}/link/")
    assert [p.read_text() for p in files(tmp_path / "real")] == ["x"]


@pytest.mark.parametrize("way", ["file", "link to a file", "below a file", "fifo"])
def test_a_root_that_is_no_folder_is_refused(tmp_path: Path, way: str) -> None:
    root = tmp_path / "root"
    (tmp_path / "file").write_text("mine")
    match way:
        case "file":
            root.write_text("mine")
        case "link to a file":
            root.symlink_to("file")
        case "below a file":
            root = tmp_path / "file" / "root"
        case _:
            os.mkfifo(root)
    with pytest.raises(SpillError) as caught:
        LocalSpillStore(root).save_text(request())
    assert str(tmp_path) in str(caught.value)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("opened", [0o720, 0o702, 0o777, 0o1777])
def test_a_root_that_others_may_change_is_refused_and_left_alone(
    tmp_path: Path, opened: int
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    root.chmod(opened)
    with pytest.raises(Unsafe, match="may be changed by other users"):
        LocalSpillStore(root).save_text(request())
    assert list(root.iterdir()) == []
    root.chmod(0o755)
    LocalSpillStore(root).save_text(request())


@pytest.mark.parametrize("opened", [0o750, 0o740, 0o705, 0o701])
def test_a_session_folder_open_to_others_is_refused(
    tmp_path: Path, opened: int
) -> None:
    folder = tmp_path / SESSION
    folder.mkdir()
    folder.chmod(opened)
    with pytest.raises(Unsafe, match="open to other users"):
        LocalSpillStore(tmp_path).save_text(request())
    assert list(folder.iterdir()) == []
    assert mode(folder) == opened


def test_a_link_in_a_session_folders_place_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    root = tmp_path / "root"
    root.mkdir(mode=0o700)
    (root / SESSION).symlink_to(elsewhere)
    with pytest.raises(SpillError):
        LocalSpillStore(root).save_text(request())
    assert list(elsewhere.iterdir()) == []


def test_another_users_root_and_session_folder_are_refused(
    tmp_path: Path, nobody: int
) -> None:
    for name in ("root", "other"):
        (tmp_path / name / SESSION).mkdir(parents=True, mode=0o700)
        (tmp_path / name).chmod(0o700)
    os.chown(tmp_path / "root", nobody, nobody)
    os.chown(tmp_path / "other" / SESSION, nobody, nobody)
    for name in ("root", "other"):
        with pytest.raises(Unsafe, match="belongs to another user"):
            LocalSpillStore(tmp_path / name).save_text(request())
    assert below(tmp_path) == []


@pytest.mark.parametrize("what", ["file", "dead link", "link", "folder"])
def test_nothing_that_has_the_name_already_is_written_over_or_followed(
    tmp_path: Path, what: str
) -> None:
    store = LocalSpillStore(tmp_path / "root")
    one = request("new")
    path = Path(store.locate(one))
    path.parent.mkdir(parents=True, mode=0o700)
    (tmp_path / "root").chmod(0o700)
    victim = tmp_path / "victim"
    victim.write_text("old")
    match what:
        case "file":
            path.write_text("old")
        case "dead link":
            path.symlink_to(tmp_path / "nowhere")
        case "link":
            path.symlink_to(victim)
        case _:
            path.mkdir()
    located = store.locate(one)
    ref = store.save_text(one)
    assert ref.locator == located != str(path)
    assert Path(ref.locator).read_text() == "new"
    assert victim.read_text() == "old"
    assert not (tmp_path / "nowhere").exists()
    assert not (path.parent / f".{path.name}.json").exists()


def test_a_name_taken_between_looking_and_saving_is_not_written_over(
    tmp_path: Path,
) -> None:
    store = LocalSpillStore(tmp_path)
    one = request("new")
    located = store.locate(one)
    store.save_text(one)
    Path(located).write_text("theirs")
    again = store.save_text(one)
    assert again.locator != located
    assert Path(located).read_text() == "theirs"


def test_what_locate_says_is_where_it_is_saved(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path / "root")
    for content in ("a", "b"):
        one = request(content)
        located = store.locate(one)
        assert store.locate(one) == located
        assert store.save_text(one).locator == located
    assert len(files(tmp_path)) == 2


# Content


@given(st.text(st.characters()) | st.text("\r\n\0\ufeff\ud83d\ude00\udc80a"))
def test_a_text_is_stored_as_utf8_whatever_surrogates_it_holds(text: str) -> None:
    stored = b"".join(pieces(text)).decode()
    # The oracle goes unit by unit, as JavaScript's toWellFormed.
    data = text.encode("utf-16-le", "surrogatepass")
    assert stored == data.decode("utf-16-le", "replace") or stored == "".join(
        char if not "\ud800" <= char <= "\udfff" else "\ufffd"
        for char in data.decode("utf-16-le", "surrogatepass")
    )
    assert stored == well_formed(text)
    assert well_formed(stored) == stored


@pytest.mark.parametrize(
    "text",
    ["", "\0", "a\0b\n", "\ufeffbom\r\n", "\ud800", "x\udfff", "\ud83d\ude00", "\r"],
)
def test_odd_texts_are_saved_and_counted_as_they_are_on_disk(
    tmp_path: Path, text: str
) -> None:
    ref = LocalSpillStore(tmp_path).save_text(request(text))
    data = Path(ref.locator).read_bytes()
    assert ref.bytes == len(data)
    assert data.decode() == well_formed(text)
    note = sidecar(ref.locator)
    assert note["chars"] == len(data.decode())
    unfinished = data != b"" and not data.endswith(b"\n")
    assert note["lines"] == data.count(b"\n") + unfinished
    assert note["sha256"] == hashlib.sha256(data).hexdigest()


def test_a_pair_of_surrogates_that_a_piece_would_cut_stays_one_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spillview.store.encoding.PIECE", 2)
    assert b"".join(pieces("a\ud83d\ude00b\ud83d")).decode() == "a😀b\ufffd"


def test_bytes_are_no_text(tmp_path: Path) -> None:
    raw: Any = b"bytes"
    with pytest.raises(BadInput, match="writer"):
        request(raw)
    for wrong in ("", None, 7):
        value: Any = wrong
        with pytest.raises(BadInput, match="session id"):
            SpillOwner(value)
        with pytest.raises(BadInput, match="tool's name"):
            SpillSource(value)


# Hints


@pytest.mark.parametrize(
    ("text", "by_line"),
    [
        ("", False),
        ("one line", False),
        ("one line\n", False),
        ("a\nb", True),
        ("a\n" * 9, True),
        ("x" * 65_535 + "\nb\n", True),
        ("x" * 65_536 + "\nb\n", False),
        ("b\n" + "x" * 65_536, True),
        ("b\n" + "x" * 65_537, False),
        ("b\n" + "é" * 32_768, True),
        ("b\n" + "é" * 32_769 + "\nb", False),
        ("b\n" * 40_000 + "x" * 70_000 + "\nb" * 9, False),
    ],
)
def test_the_hint_fits_the_reader_and_is_known_before_saving(
    tmp_path: Path, text: str, by_line: bool
) -> None:
    store = LocalSpillStore(tmp_path)
    one = request(text)
    assert store.hint(one) == (hints.BY_LINE if by_line else hints.BY_CHAR)
    assert store.save_text(one).retrieval_hint == store.hint(one)


def test_both_hints_name_the_search_and_are_short() -> None:
    assert "offset/limit" in hints.BY_LINE
    assert "--unit char" in hints.BY_CHAR
    for each in (hints.BY_LINE, hints.BY_CHAR):
        assert "spillview grep" in each
        assert len(each) < 200


# Caps


def test_a_file_over_its_cap_keeps_its_head_and_says_so(tmp_path: Path) -> None:
    text = "é" * 100
    ref = LocalSpillStore(tmp_path, max_file=101).save_text(request(text))
    assert Path(ref.locator).read_text() == "é" * 50
    assert (ref.bytes, ref.partial, ref.whole_bytes) == (100, True, 200)
    note = sidecar(ref.locator)
    assert note["partial"] == "The store's cap of 101 bytes a file cut it."
    assert (note["bytes"], note["chars"], note["whole_bytes"]) == (100, 50, 200)
    whole = LocalSpillStore(tmp_path, max_file=200).save_text(request(text))
    assert (whole.partial, whole.whole_bytes) == (False, None)
    assert "partial" not in sidecar(whole.locator)


def test_a_sessions_cap_holds_over_all_its_files_and_other_sessions_have_theirs(
    tmp_path: Path,
) -> None:
    store = LocalSpillStore(tmp_path, max_session=100)
    store.save_text(request("x" * 60))
    cut = store.save_text(request("y" * 60))
    assert (cut.bytes, cut.partial, cut.whole_bytes) == (40, True, 60)
    assert "session" in sidecar(cut.locator)["partial"]
    with pytest.raises(SpillFull, match="100 bytes a session"):
        store.save_text(request("z"))
    assert len(files(tmp_path)) == 2
    assert len(below(tmp_path)) == 4
    assert not store.save_text(request("z", session="other")).partial
    assert not store.save_text(request("")).partial


@pytest.mark.parametrize("cap", [0, -1, 1.5, True, "7"])
def test_a_cap_that_is_none_is_refused_at_once(tmp_path: Path, cap: Any) -> None:
    with pytest.raises(BadInput, match="a number of bytes"):
        LocalSpillStore(tmp_path, max_file=cap)
    with pytest.raises(BadInput, match="a number of bytes"):
        LocalSpillStore(tmp_path, max_session=cap)


# Failures


class Sweeping(StoreDisk):
    """A disk on which a sweep takes each empty session folder away, some times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def create(self, folder: int, name: str) -> int:
        if self.times and not os.listdir(folder):
            self.times -= 1
            os.rmdir(os.readlink(f"/proc/self/fd/{folder}"))
        return super().create(folder, name)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_a_folder_swept_away_before_the_file_is_made_is_made_again(
    tmp_path: Path,
) -> None:
    ref = LocalSpillStore(tmp_path, disk=Sweeping(3)).save_text(request("kept"))
    assert Path(ref.locator).read_text() == "kept"
    with pytest.raises(SpillFailed, match="no such file"):
        LocalSpillStore(tmp_path / "b", disk=Sweeping(1000)).save_text(request())


def test_a_root_removed_between_two_saves_is_made_again(tmp_path: Path) -> None:
    import shutil

    store = LocalSpillStore(tmp_path / "root")
    store.save_text(request())
    shutil.rmtree(tmp_path / "root")
    assert Path(store.save_text(request("again")).locator).read_text() == "again"


class Thin(StoreDisk):
    """A disk that is full after so many bytes of a spill."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def append(self, handle: int, data: memoryview) -> Any:
        if bytes(data[:1]) == b"{":  # a sidecar
            yield from super().append(handle, data)
            return
        if len(data) > self.room:
            yield os.write(handle, data[: self.room])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(data)
        yield from super().append(handle, data)


def test_a_full_disk_leaves_no_partial_file(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path, disk=Thin(5))
    with pytest.raises(SpillFailed, match="is full: make room"):
        store.save_text(request("more than five"))
    assert below(tmp_path) == []


class Lossy(StoreDisk):
    """A disk that says it wrote what it did not."""

    def append(self, handle: int, data: memoryview) -> Any:
        if bytes(data[:1]) == b"{":
            yield from super().append(handle, data)
        else:
            os.write(handle, data[:-1])
            yield len(data)


def test_a_file_of_another_size_than_was_written_is_removed(tmp_path: Path) -> None:
    with pytest.raises(SpillFailed, match="13 bytes, 14 were written"):
        LocalSpillStore(tmp_path, disk=Lossy()).save_text(request("fourteen bytes"))
    assert below(tmp_path) == []


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    class Interrupted(StoreDisk):
        def size(self, handle: int) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LocalSpillStore(tmp_path, disk=Interrupted()).save_text(request())
    assert below(tmp_path) == []


def test_a_durable_store_has_file_sidecar_and_folder_on_the_disk(
    tmp_path: Path,
) -> None:
    calls: list[str] = []
    LocalSpillStore(tmp_path, disk=StoreDisk(calls.append)).save_text(request())
    assert "fsync" not in calls
    store = LocalSpillStore(tmp_path, durable=True, disk=StoreDisk(calls.append))
    store.save_text(request())
    assert calls.count("fsync") == 5  # the names of the folders, too
    at = calls.index("rename", calls.index("fsync"))
    assert calls[:at].count("fsync") == 4  # and the bytes, before the claim


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    fds = Path("/proc/self/fd")
    if not fds.exists():
        pytest.skip("needs Linux's /proc")
    before = len(list(fds.iterdir()))
    store = LocalSpillStore(tmp_path, max_session=8)
    store.save_text(request("1234"))
    for content in ("1234567", "more"):
        with contextlib.suppress(SpillFull):
            store.save_text(request(content))
    (tmp_path / SESSION).chmod(OPEN)
    with pytest.raises(Unsafe):
        store.save_text(request())
    assert len(list(fds.iterdir())) == before


# Many at once

MANY = """
import sys
sys.path.insert(0, sys.argv[1])
from spillview.store import LocalSpillStore
from tests.spills import request
cap = int(sys.argv[4]) or None
store = LocalSpillStore(sys.argv[2], max_session=cap)
for n in range(20):
    try:
        print(store.save_text(request(f"{sys.argv[3]} {n}\\n" * 50)).locator)
    except Exception as error:
        print("!", type(error).__name__)
"""


def saved_by_many(root: Path, cap: int = 0) -> list[str]:
    here = str(Path(__file__).parent.parent)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, here, str(root), str(worker), str(cap)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for worker in range(4)
    ]
    return [line for each in workers for line in each.communicate()[0].splitlines()]


def test_many_processes_write_to_one_session_of_a_new_root(tmp_path: Path) -> None:
    paths = saved_by_many(tmp_path / "root")
    assert len(set(paths)) == 80
    lines = Counter(Path(path).read_text().splitlines()[0] for path in paths)
    assert lines == Counter(f"{w} {n}" for w in range(4) for n in range(20))
    for path in paths:
        data = Path(path).read_bytes()
        assert sidecar(path)["sha256"] == hashlib.sha256(data).hexdigest()
    assert len(below(tmp_path)) == 160


def test_many_processes_together_stay_within_a_sessions_cap(tmp_path: Path) -> None:
    answers = saved_by_many(tmp_path / "root", cap=5000)
    kept = sum(path.stat().st_size for path in files(tmp_path))
    assert kept == 5000
    assert {a for a in answers if a.startswith("!")} == {"! SpillFull"}
    partial = [p for p in files(tmp_path) if "partial" in sidecar(p)]
    assert len(partial) <= 1
    assert len(files(tmp_path)) == sum(not a.startswith("!") for a in answers)


# Sidecars


def test_an_envelope_too_large_for_a_sidecar_is_left_out_and_that_said(
    tmp_path: Path,
) -> None:
    envelope = SpillEnvelope("x" * (1 << 20), (), {"kind": "test"})
    one = replace(request("text"), envelope=envelope)
    ref = LocalSpillStore(tmp_path).save_text(one)
    note = sidecar(ref.locator)
    assert note["envelope"] == {"left_out_chars": 1 << 20}


def test_what_the_model_received_can_be_noted_afterwards(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path)
    ref = store.save_text(request("text"))
    before = sidecar(ref.locator)
    store.amend(ref, SpillEnvelope("shown", facts={"budget": 7}))
    note = sidecar(ref.locator)
    assert note.pop("envelope") == {"text": "shown", "budget": 7}
    assert note == before
    store.amend(ref, None)
    assert sidecar(ref.locator) == before
    for none in ("/etc/passwd", ref.locator + "x", f"{tmp_path}/nowhere/leaf"):
        with pytest.raises(SpillFailed, match="is no spill of"):
            store.amend(SpillRef(none, 1, ""), None)
    assert os.listdir(tmp_path) == [SESSION]
    note_path = Path(ref.locator).parent / f".{Path(ref.locator).name}.json"
    note_path.write_text("[]")
    with pytest.raises(SpillFailed, match="could not be changed"):
        store.amend(ref, None)
    os.unlink(Path(ref.locator).parent / f".{Path(ref.locator).name}.json")
    with pytest.raises(SpillFailed, match="could not be changed"):
        store.amend(ref, None)
    assert [p.name for p in below(tmp_path)] == [Path(ref.locator).name]


def test_a_sidecar_carries_odd_texts_as_json(tmp_path: Path) -> None:
    one = SaveTextSpill(
        SpillOwner("s\ud800\0"), SpillSource('t"\n', "c\udfff"), "n", "text"
    )
    ref = LocalSpillStore(tmp_path).save_text(one)
    name = Path(ref.locator).name
    data = (Path(ref.locator).parent / f".{name}.json").read_bytes()
    assert data.isascii()
    assert json.loads(data)["session"] == "s\ud800\0"


def test_a_command_too_long_for_a_sidecar_is_cut_and_that_said(tmp_path: Path) -> None:
    command = "echo " + "x" * 100_000
    ref = LocalSpillStore(tmp_path).save_text(request(command=command))
    note = sidecar(ref.locator)
    assert note["command"] == command[: 1 << 16]
    assert note["cut"] == {"command": len(command)}


@pytest.mark.parametrize("field", ["call_id", "command", "cwd"])
def test_what_is_no_text_is_refused_when_it_is_given(field: str) -> None:
    wrong: dict[str, Any] = {field: 7}
    with pytest.raises(BadInput, match=field):
        SpillSource("bash", **wrong)


# Streams


def test_a_stream_of_chunks_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path)
    ref = store.save_stream(stream(), iter([b"one\n", b"", b"t\xff"]))
    assert Path(ref.locator).read_bytes() == b"one\nt\xff"

    def breaking() -> Iterator[bytes]:
        yield b"some"
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        store.save_stream(stream(), breaking())
    assert files(tmp_path) == [Path(ref.locator)]


def test_an_envelope_of_the_whole_is_not_noted_of_a_spill_that_was_cut(
    tmp_path: Path,
) -> None:
    one = replace(request("x" * 100), envelope=SpillEnvelope("all is there"))
    cut = LocalSpillStore(tmp_path, max_file=50).save_text(one)
    assert "envelope" not in sidecar(cut.locator)
    whole = LocalSpillStore(tmp_path, max_file=100).save_text(one)
    assert sidecar(whole.locator)["envelope"] == {"text": "all is there"}


def test_an_empty_path_is_no_root() -> None:
    with pytest.raises(BadInput, match="empty path"):
        LocalSpillStore("")
    assert LocalSpillStore(Path("/x/y")).root == "/x/y"


def test_a_path_with_a_nul_is_no_root() -> None:
    with pytest.raises(BadInput, match="no NUL"):
        LocalSpillStore("/x\0y")


def test_threads_may_share_a_store(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    store = LocalSpillStore(tmp_path, max_session=10_000)
    with ThreadPoolExecutor(8) as pool:
        refs = list(pool.map(lambda n: store.save_text(request(f"{n}")), range(40)))
    assert [Path(ref.locator).read_text() for ref in refs] == [
        f"{n}" for n in range(40)
    ]


def test_a_session_in_which_listing_takes_long_fails_nobody(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def slow(step: str) -> None:
        if step == "list":
            time.sleep(0.4)

    store = LocalSpillStore(tmp_path, max_session=10_000, disk=StoreDisk(slow))
    with ThreadPoolExecutor(16) as pool:
        refs = list(pool.map(lambda n: store.save_text(request(f"{n}")), range(16)))
    assert len({ref.locator for ref in refs}) == 16
