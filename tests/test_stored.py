"""Artifacts that are rows of a database or a member of a JSON file."""

import gzip
import io
import json
import os
import sqlite3
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.content.content import FileContent
from spillview.content.unpacking import inflated
from spillview.discovery.entries import artifact_id
from spillview.errors import ArtifactGone, NotRegular, Unreadable
from spillview.model import Artifact, Found
from spillview.places import Places
from spillview.stored import stored
from spillview.stored.stored import Stored, StoredContent, open_artifact
from tests.command import run
from tests.harness_stores import make
from tests.harness_stores.rtk import Recall
from tests.printed import FAILED, output

ROW = Stored("table", "recall", "blob", "hash", "codec")
MEMBER = Stored("json", "", "response")


def row(path: Path, key: str, **more: object) -> Found:
    return Found(
        artifact_id(f"{path}\0{key}"),
        "rtk",
        str(path),
        key,
        "s",
        str(path.parent),
        row=key,
        stored=ROW,
        **more,  # type: ignore[arg-type]  # facts of the entry
    )


def member(path: Path) -> Found:
    ident = artifact_id(str(path))
    root = str(path.parent)
    return Found(
        ident, "token-optimizer", str(path), path.name, "s", root, stored=MEMBER
    )


def text_of(found: Found) -> bytes:
    with open_artifact(found) as content:
        assert isinstance(content, StoredContent)
        return content.pread(0, content.size)


def listed(home: Path) -> list[Artifact]:
    catalogue = Catalogue(Places.of_home(str(home)))
    return list(catalogue.complete(catalogue.scan()))


# Rows


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_rows_are_listed_while_their_owner_writes(tmp_path: Path, mode: str) -> None:
    recall = Recall(tmp_path / ".local/share/rtk/recall.db", mode)
    kept = {}
    for number in range(5):
        data = output(f"n{number}", 5_000, verdict=FAILED)
        kept[recall.keep(data, f"make {number}")] = data
        found = {a.found.row: a for a in listed(tmp_path)}
        assert set(found) == set(kept)
        for key, data in kept.items():
            assert key is not None
            counts = found[key].counts
            assert counts is not None
            assert counts.bytes == len(data) == found[key].found.size
            assert text_of(found[key].found) == data
    names = os.listdir(tmp_path / ".local/share/rtk")
    assert set(names) <= {"recall.db", "recall.db-wal", "recall.db-shm"}
    recall.db.close()


def test_ids_depend_on_path_and_row_alone(tmp_path: Path) -> None:
    path = tmp_path / "recall.db"
    recall = Recall(path)
    keys = [recall.keep(output("a"), "a"), recall.keep(output("b"), "b")]
    recall.db.close()
    ids = {artifact_id(f"{path}\0{key}") for key in keys}
    assert len(ids | {artifact_id(str(path))}) == 3
    shown = run("ls", "--json", str(path))
    assert {each["id"] for each in shown.rows} == ids
    assert {each["row"] for each in shown.rows} == set(keys)


def test_a_locked_or_foreign_database_is_a_problem_and_hides_nothing(
    tmp_path: Path,
) -> None:
    make("rtk", tmp_path)
    path = tmp_path / ".local/share/rtk/recall.db"
    path.write_bytes(os.urandom(9000))
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    found = catalogue.scan()
    assert {a.found.content for a in found} == {"tee"}
    assert [p.path for p in catalogue.problems] == [str(path)]
    assert "encrypted" in catalogue.problems[0].sentence
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE recall (other)").connection.close()
    assert len(catalogue.scan()) == len(found)
    assert "no table recall with blob" in catalogue.problems[0].sentence
    path.unlink()
    os.mkfifo(path)
    assert len(catalogue.scan()) == len(found)
    assert "no regular file" in catalogue.problems[0].sentence


def test_rows_with_odd_values_are_skipped_or_shown_without_them(
    tmp_path: Path,
) -> None:
    recall = Recall(tmp_path / "recall.db")
    good = recall.keep(b"good\n", "good")
    insert = "INSERT INTO recall VALUES (?,?,?,?,?,?,?,?,?,?,?,0)"
    for key, odd in ((b"\xff\0", "x"), ("odd", -5), ("huge", 2**63 - 1)):
        recall.db.execute(insert, (key, b"\0", 5, odd, odd, 1, 1, odd, 0, "raw", "t"))
    recall.db.commit()
    recall.db.close()
    rows = {each["row"]: each for each in run("ls", "--json", str(recall.path)).rows}
    assert set(rows) == {good, "odd", "huge"}
    assert rows["odd"]["bytes"] == 1  # the text itself, as counted
    assert rows["odd"]["command"] is None


def test_every_codec_gives_the_text(tmp_path: Path) -> None:
    recall = Recall(tmp_path / "recall.db")
    data = output("codec", 300_000, kind="cjk")
    packed = {
        "gzip": gzip.compress(data),
        "zlib": zlib.compress(data),
        "raw": data,
        "none": data,
        "": data,
    }
    insert = "INSERT INTO recall VALUES (?,'c','/',1,1,1,1,1,0,?,?,0)"
    for codec, blob in packed.items():
        recall.db.execute(insert, (f"k{codec}", codec, blob))
    recall.db.execute(insert, ("kzstd", "zstd", b"x"))
    recall.db.execute(insert, ("kdamaged", "gzip", gzip.compress(data)[:-2000]))
    recall.db.execute(insert, ("kother", "gzip", b"plain text"))
    recall.db.commit()
    for codec in packed:
        assert text_of(row(recall.path, f"k{codec}")) == data
    for key, words in (
        ("kzstd", "packed as zstd, which is unknown"),
        ("kdamaged", "ends too soon"),
        ("kother", "damaged"),
    ):
        with pytest.raises(Unreadable, match=words):
            open_artifact(row(recall.path, key))
    with pytest.raises(ArtifactGone):
        open_artifact(row(recall.path, "evicted"))
    recall.db.close()


def test_a_bomb_is_refused_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "LARGEST", 8 << 20)
    recall = Recall(tmp_path / "recall.db")
    bomb = gzip.compress(bytes(200 << 20))
    recall.db.execute(
        "INSERT INTO recall VALUES ('b','c','/',1,1,1,1,1,0,'gzip',?,0)", (bomb,)
    )
    recall.db.commit()
    recall.db.close()
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="more than 8,388,608 bytes"):
            open_artifact(row(recall.path, "b"))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=5000), st.integers(1, 700), st.integers(0, 3))
def test_what_was_packed_comes_out_whatever_the_parts(
    data: bytes, step: int, members: int
) -> None:
    whole = data * 50
    packed = gzip.compress(whole) + gzip.compress(data) * members + b"\0" * members
    source = io.BytesIO(packed)
    parts = iter(lambda: source.read(step), b"")
    assert b"".join(inflated(parts)) == whole + data * members
    assert b"".join(inflated(iter([zlib.compress(whole)]))) == whole


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    recall = Recall(tmp_path / "real.db")
    key = recall.keep(b"x\n", "x")
    recall.db.close()
    link = tmp_path / "recall.db"
    link.symlink_to(recall.path)
    with pytest.raises(NotRegular):
        open_artifact(row(link, key))
    with pytest.raises(ArtifactGone):
        open_artifact(row(tmp_path / "none.db", key))


# Members of JSON files


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.characters(exclude_categories=())),
    st.dictionaries(
        st.text(max_size=8).filter(lambda name: name != "response"),
        st.recursive(
            st.none() | st.integers() | st.text() | st.just('"response": "no"'),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=8,
        ),
        max_size=6,
    ),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_the_member_is_found_whatever_stands_around(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    around: dict[str, object],
    ascii_only: bool,
    indent: int | None,
) -> None:
    path = tmp_path_factory.mktemp("json") / "toolu_1.json"
    whole = {**around, "inner": {"response": "not this"}, "response": text}
    written = json.dumps(whole, ensure_ascii=ascii_only, indent=indent)
    path.write_bytes(written.encode("utf-8", "replace"))
    expected = json.loads(path.read_bytes().decode())["response"]
    again = expected.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert text_of(member(path)).decode("utf-8") == again


def test_a_file_without_the_text_says_so(tmp_path: Path) -> None:
    path = tmp_path / "toolu_1.json"
    for written, words in (
        ('{"response": {"a": 1}}', "no text at .response"),
        ('["response", "x"]', "no text at .response"),
        ("", "no text at .response"),
        ('{"response": "cut off', "cut off within .response"),
    ):
        path.write_text(written)
        with pytest.raises(Unreadable, match=words):
            open_artifact(member(path))


def test_a_file_is_opened_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"plain")
    found = Found("0" * 16, "folder", str(path), "a.txt", "s", str(tmp_path))
    with open_artifact(found) as content:
        assert isinstance(content, FileContent)
        assert content.pread(0, 9) == b"plain"


# Every consumer


def test_the_commands_take_rows_like_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make("rtk", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "RTK_TEE_DIR"):
        monkeypatch.delenv(name, raising=False)
    (spill,) = [s for s in store.spills if s.what == "a failed command"]
    rows = {
        each["row"]: each
        for each in run("ls", "--json", str(tmp_path)).rows
        if "row" in each
    }
    ident = rows[spill.row]["id"]
    shown = run("show", "--raw", ident)
    assert shown.out.encode() == spill.data
    found = run("grep", "--json", "FAILED tests", ident)
    matches = [r["data"] for r in found.rows if r["type"] == "match"]
    assert [m["seen"] for m in matches] == [True]
    assert all(m["path"]["text"].endswith(f"recall.db#{spill.row}") for m in matches)
    assert all(m["artifact"] == ident for m in matches)
    start, end = matches[0]["byte_range"]
    assert spill.data[start:end].startswith(b"FAILED tests")
    envelope = run("envelope", "--json", ident).rows[0]
    assert envelope["text"] == spill.envelope
    assert run("shape", ident).code == 1  # no JSON
    assert run("show", "--raw", str(spill.row)).out.encode() == spill.data


def test_rows_are_never_removed(tmp_path: Path) -> None:
    make("rtk", tmp_path)
    database = tmp_path / ".local/share/rtk/recall.db"
    before = database.read_bytes()
    planned = run("prune", "--json", "--older-than", "1d", str(tmp_path)).rows
    rows = [p for p in planned if p.get("path") == str(database)]
    assert len(rows) == 4
    assert {p["action"] for p in rows} == {"keep"}
    assert all("row of a database" in p["reason"] for p in rows)
    done = run("prune", "--yes", "--apply", "--older-than", "1d", str(tmp_path))
    assert done.code in (0, 2)
    assert database.read_bytes() == before


def test_the_trash_refuses_a_row_whoever_asks(tmp_path: Path) -> None:
    from spillview.cleanup.moving import by_folder

    path = tmp_path / "recall.db"
    groups, failed = by_folder([row(path, "k")])
    assert not groups
    assert len(failed) == 1


def test_a_search_without_descriptors_reads_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spillview.search import handles

    monkeypatch.setattr(handles, "room", lambda processes: 0)
    store = make("rtk", tmp_path)
    found = run("grep", "-c", "FAILED tests", str(tmp_path))
    wanted = {
        f"{s.path}#{s.row}" if s.row else str(s.path)
        for s in store.spills
        if b"FAILED tests" in s.data
    }
    assert {line.rpartition(":")[0] for line in found.out.splitlines()} == wanted


def test_counts_and_looks_of_rows_are_cached_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("rtk", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "our-cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "our-state"))
    first = run("ls", "--json", str(tmp_path)).rows
    monkeypatch.setattr(
        "spillview.stored.stored.open_artifact",
        lambda *_, **__: pytest.fail("opened again"),
    )
    assert run("ls", "--json", str(tmp_path)).rows == first


def test_a_query_of_a_guest_alone_knows_its_envelopes(tmp_path: Path) -> None:
    make("rtk", tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    for query in (
        Query(harness="rtk"),
        Query(harness="rtk", paths=(str(tmp_path),)),
        Query(paths=(str(tmp_path / ".local/share/rtk"),)),
        Query(paths=(str(tmp_path / ".local/share/rtk/recall.db"),)),
    ):
        found = list(catalogue.complete(catalogue.scan(query)))
        states = {a.found.row: a.link.state for a in found if a.link and a.found.row}
        assert sorted(states.values()) == ["linked"] * 3 + ["orphan"], query


def test_the_artifact_screen_opens_a_row(tmp_path: Path) -> None:
    from spillview.tui.pager.opening import opened

    store = make("rtk", tmp_path)
    found = {a.found.row: a for a in listed(tmp_path) if a.found.row}
    for spill in store.spills:
        if spill.row is None:
            continue
        document, _ = opened(found[spill.row])
        assert document is not None
        assert document.text.pread(0, document.size) == spill.data
        assert document.change() is None
        document.close()
