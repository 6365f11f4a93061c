"""A spill written as it comes: there at once, marked partial until it is complete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue
from spillview.content.content import open_content
from spillview.content.counts import count
from spillview.model import Artifact
from spillview.places import Places
from spillview.store import (
    LocalSpillStore,
    Part,
    SpillEnvelope,
    SpillFacts,
    SpillFailed,
    SpillFull,
    hints,
)
from spillview.store.files import StoreDisk
from spillview.store.sidecars import WRITING
from spillview.store.tally import Tally

from .spills import below, files, sidecar, stream
from .test_store import Thin

CHUNKS = st.lists(
    st.one_of(
        st.binary(max_size=9),
        st.text(max_size=9).map(lambda text: text.encode()),
        st.sampled_from([b"\n", b"\xf0\x9f", b"\x98\x80", b"\xff", b"\0a\0b", b"\r\n"]),
    ),
    max_size=20,
)


def read_back(home: Path) -> Artifact:
    catalogue = Catalogue(Places.of_home(str(home)))
    (artifact,) = {a.id: a for a in catalogue.complete(catalogue.scan())}.values()
    assert catalogue.problems == []
    return artifact


def store_of(home: Path, **more: Any) -> LocalSpillStore:
    return LocalSpillStore(Path(Places.of_home(str(home)).state_dir) / "spills", **more)


def test_what_is_written_is_in_the_file_at_once_and_marked_partial(
    tmp_path: Path,
) -> None:
    writer = LocalSpillStore(tmp_path).writer(stream())
    path = Path(writer.locator)
    assert path.read_bytes() == b""
    pieces: list[Any] = [b"one\n", b"", bytearray(b"tw"), memoryview(b"o")]
    for number, piece in enumerate(pieces):
        writer.write(piece)
        assert path.read_bytes() == b"one\ntwo"[: (4, 4, 6, 7)[number]]
        assert sidecar(path)["partial"] == WRITING
    assert (writer.bytes, writer.came, writer.closed) == (7, 7, False)
    ref = writer.commit()
    assert writer.closed
    assert (ref.locator, ref.bytes, ref.partial) == (str(path), 7, False)
    assert "partial" not in sidecar(path)


def test_commit_notes_how_it_ended_and_what_the_model_reads(tmp_path: Path) -> None:
    writer = store_of(tmp_path).writer(stream())
    writer.write(b"all\nFAILED\n")
    envelope = SpillEnvelope(
        "[folded] FAILED\n", (Part(9, 16, 4, 11),), {"kind": "text", "budget": 14_000}
    )
    writer.commit(SpillFacts(exit_code=2, failed=True, envelope=envelope))
    note = sidecar(writer.locator)
    assert (note["exit_code"], note["failed"], note["lines"]) == (2, True, 2)
    assert note["envelope"] == {
        "text": "[folded] FAILED\n",
        "parts": [[9, 16, 4, 11]],
        "kind": "text",
        "budget": 14_000,
    }
    artifact = read_back(tmp_path)
    assert artifact.failed is True
    assert artifact.link is not None
    assert artifact.link.seen is not None
    assert (artifact.link.seen.ranges, artifact.link.seen.certain) == (((4, 11),), True)
    assert artifact.verdict_seen is True


def test_an_output_that_was_ended_early_is_committed_as_partial(tmp_path: Path) -> None:
    writer = store_of(tmp_path).writer(stream())
    writer.write(b"half")
    ref = writer.commit(SpillFacts(exit_code=130, partial="It was interrupted."))
    assert (ref.partial, ref.whole_bytes, ref.bytes) == (True, None, 4)
    artifact = read_back(tmp_path)
    assert artifact.link is not None
    assert (artifact.link.partial, artifact.link.note) == (True, "It was interrupted.")


def test_abort_leaves_nothing_and_may_be_called_again(tmp_path: Path) -> None:
    writer = LocalSpillStore(tmp_path).writer(stream())
    writer.write(b"gone")
    writer.abort()
    writer.abort()
    assert below(tmp_path) == []
    for call in (lambda: writer.write(b"x"), writer.commit):
        with pytest.raises(SpillFailed, match="is closed"):
            call()


def test_a_block_that_an_exception_ends_keeps_what_had_arrived(tmp_path: Path) -> None:
    writer = LocalSpillStore(tmp_path, max_file=100).writer(stream())
    with contextlib.suppress(RuntimeError), writer:
        writer.write("half a é".encode()[:-1])
        raise RuntimeError
    assert Path(writer.locator).read_bytes() == "half a é".encode()[:-1]
    assert sidecar(writer.locator)["partial"] == WRITING
    assert writer.closed


@given(CHUNKS, st.sampled_from([None, 1, 7, 20, 10_000]))
def test_the_figures_are_those_of_the_file_however_it_came(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes], cap: int | None
) -> None:
    store = LocalSpillStore(
        tmp_path_factory.getbasetemp() / "figures",
        max_file=cap,
        max_session=cap and 10**9,
    )
    whole = b"".join(chunks)
    with store.writer(stream()) as writer:
        for chunk in chunks:
            writer.write(chunk)
        assert writer.came == len(whole)
        try:
            ref = writer.commit()
        except SpillFull:
            writer.abort()
            assert cap is not None
            assert len(whole) > cap
            return
    data = Path(ref.locator).read_bytes()
    assert whole.startswith(data)
    assert ref.bytes == len(data)
    assert ref.partial == (len(data) < len(whole))
    if cap is None or len(whole) <= cap:
        assert data == whole
    else:
        assert cap - 3 <= len(data) <= cap
        assert ref.whole_bytes == sidecar(ref.locator)["whole_bytes"] == len(whole)
    note = sidecar(ref.locator)
    content = open_content(ref.locator)
    try:
        counts = count(content)
    finally:
        content.close()
    assert (note["bytes"], note["chars"], note["lines"]) == (
        counts.bytes,
        counts.chars,
        counts.lines,
    )
    if not counts.encoding.startswith("utf-16"):
        assert note["chars"] == len(data.decode("utf-8", "replace"))
    assert note["sha256"] == hashlib.sha256(data).hexdigest()


def test_utf16_is_counted_as_readers_count_it(tmp_path: Path) -> None:
    text = "zeile\r\n日本😀\n" * 30_000
    data = b"\xff\xfe" + text.encode("utf-16-le")
    writer = store_of(tmp_path).writer(stream())
    for at in range(0, len(data), 4097):
        writer.write(data[at : at + 4097])
    writer.commit()
    note = sidecar(writer.locator)
    assert (note["chars"], note["lines"]) == (len(text), text.count("\n"))
    artifact = read_back(tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    assert catalogue.envelope(artifact).agrees is True


@given(st.lists(st.sampled_from([b"x" * 30_000, b"\n", b"x" * 65_536]), max_size=12))
def test_a_line_too_long_to_page_is_found_however_it_came(parts: list[bytes]) -> None:
    data = b"".join(parts)
    tally = Tally()
    for part in parts:
        tally.add(memoryview(part))
    lines = data.split(b"\n")
    longest = max(len(line) + (n + 1 < len(lines)) for n, line in enumerate(lines))
    lines_in_all = data.count(b"\n") + (data != b"" and data[-1:] != b"\n")
    assert tally.pages_by_line == (lines_in_all > 1 and longest <= 65_536)


def test_a_stream_of_one_line_gets_the_hint_for_chars(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path)
    for data, hint in ((b"x" * 99, hints.BY_CHAR), (b"x\ny\n", hints.BY_LINE)):
        with store.writer(stream()) as writer:
            writer.write(data)
            assert writer.commit().retrieval_hint == hint


# Failures


def test_a_disk_that_fills_keeps_what_it_took_until_it_is_aborted(
    tmp_path: Path,
) -> None:
    writer = LocalSpillStore(tmp_path, disk=Thin(5)).writer(stream())
    writer.write(b"abc")
    with pytest.raises(SpillFailed, match="is full: make room"):
        writer.write(b"defgh")
    assert Path(writer.locator).read_bytes() == b"abcdefgh"[: writer.bytes]
    assert sidecar(writer.locator)["partial"] == WRITING
    for call in (lambda: writer.write(b"x"), writer.commit):
        with pytest.raises(SpillFailed, match="is full: make room"):
            call()
    writer.abort()
    assert below(tmp_path) == []


@pytest.mark.parametrize("way", ["file", "folder", "root", "replaced", "moved"])
def test_a_file_that_went_away_meanwhile_is_never_said_to_be_saved(
    tmp_path: Path, way: str
) -> None:
    root = tmp_path / "root"
    writer = LocalSpillStore(root).writer(stream())
    writer.write(b"text")
    path = Path(writer.locator)
    match way:
        case "file":
            path.unlink()
        case "folder":
            shutil.rmtree(path.parent)
        case "root":
            shutil.rmtree(root)
        case "moved":
            path.parent.rename(tmp_path / "moved")
        case _:
            path.unlink()
            path.write_bytes(b"text")
    writer.write(b" and more")
    with pytest.raises(SpillFailed, match="was removed"):
        writer.commit()
    writer.abort()


def test_a_file_that_somebody_else_wrote_to_is_never_said_to_be_whole(
    tmp_path: Path,
) -> None:
    writer = LocalSpillStore(tmp_path).writer(stream())
    writer.write(b"mine")
    with open(writer.locator, "ab") as other:
        other.write(b"theirs")
    with pytest.raises(SpillFailed, match="10 bytes, 4 were written"):
        writer.commit()
    assert sidecar(writer.locator)["partial"] == WRITING
    writer.abort()
    assert files(tmp_path) == []


def test_a_sidecar_that_cannot_be_finished_leaves_the_file_marked_partial(
    tmp_path: Path,
) -> None:
    class NoRename(StoreDisk):
        def replace(self, folder: int, name: str, new: str) -> None:
            raise OSError(5, "Input/output error")

    writer = LocalSpillStore(tmp_path, disk=NoRename()).writer(stream())
    writer.write(b"text")
    with pytest.raises(SpillFailed, match="input/output error"):
        writer.commit()
    writer.close()
    assert sidecar(writer.locator)["partial"] == WRITING
    assert len(below(tmp_path)) == 2


def test_what_a_process_killed_while_finishing_left_is_no_obstacle(
    tmp_path: Path,
) -> None:
    writer = LocalSpillStore(tmp_path).writer(stream())
    path = Path(writer.locator)
    left = path.parent / f".{path.name[:12]}.new"
    left.write_text("half a side")
    writer.commit()
    assert not left.exists()
    assert sidecar(path)["bytes"] == 0


# Caps


def test_a_streams_cap_keeps_the_head_and_counts_all_that_came(tmp_path: Path) -> None:
    writer = store_of(tmp_path, max_file=1000).writer(stream())
    for _ in range(50):
        writer.write("é".encode() * 50)
    ref = writer.commit()
    assert (ref.bytes, ref.partial, ref.whole_bytes) == (1000, True, 5000)
    artifact = read_back(tmp_path)
    assert artifact.link is not None
    assert artifact.link.partial


def test_two_streams_share_a_sessions_cap(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path, max_session=1000)
    one, other = store.writer(stream()), store.writer(stream())
    for _ in range(20):
        one.write(b"1" * 37)
        other.write(b"2" * 37)
    refs = one.commit(), other.commit()
    assert sum(ref.bytes for ref in refs) == 1000
    assert all(ref.partial for ref in refs)


# Killed

KILLED = """
import sys
sys.path.insert(0, sys.argv[1])
from spillview.store import LocalSpillStore
from tests.spills import stream
writer = LocalSpillStore(sys.argv[2]).writer(stream(session="night-1"))
n = 0
while True:
    writer.write(b"line %d\\n" % n)
    n += 1
    if n == 100:
        print(writer.locator, flush=True)
"""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    root = Path(Places.of_home(str(tmp_path)).state_dir) / "spills"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(Path(__file__).parent.parent), str(root)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    path = process.stdout.readline().strip()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return Path(path)


def test_a_killed_writer_leaves_what_had_arrived_marked_partial(
    tmp_path: Path, killed: Path
) -> None:
    data = killed.read_bytes()
    assert len(data) > 100
    assert data == b"".join(b"line %d\n" % n for n in range(data.count(b"\n")))
    artifact = read_back(tmp_path)
    assert artifact.found.path == str(killed)
    assert artifact.counts is not None
    assert artifact.counts.bytes == len(data)
    assert artifact.link is not None
    assert (artifact.link.state, artifact.link.partial) == ("linked", True)
    assert artifact.link.note == WRITING
    assert artifact.session == "night-1"
    assert json.dumps(sidecar(killed)).count(WRITING) == 1
    assert os.stat(killed).st_mode & 0o777 == 0o600


def test_a_writer_takes_any_number_of_bytes_in_bounded_memory(tmp_path: Path) -> None:
    program = (
        "import resource, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from spillview.store import LocalSpillStore\n"
        "from tests.spills import stream\n"
        "most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "writer = LocalSpillStore(sys.argv[2]).writer(stream())\n"
        "piece = b'x' * (1 << 20)\n"
        "writer.write(piece)\n"
        "before = most()\n"
        "for _ in range(200): writer.write(piece)\n"
        "print(writer.commit().bytes, most() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(Path(__file__).parent.parent), tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    size, grown = map(int, done.stdout.split())
    assert size == 201 << 20
    assert grown < (16 << 10) * (1024 if sys.platform == "darwin" else 1)
