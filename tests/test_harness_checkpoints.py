"""What dcode's checkpoints and Cursor's transcripts tell; plain MessagePack."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Boundary
from spillview.places import Places
from spillview.profiles.file import built_in
from spillview.profiles.profile import Profile
from spillview.stored.msgpack import Broken, unpack
from spillview.transcripts import cursor, deepagents
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores import make
from tests.harness_stores.deepagents import Object, packed
from tests.test_harness_copilots import json_values, spoiled


@cache
def profile(harness: str) -> Profile:
    return next(each for each in built_in() if each.harness == harness)


def told(module: Any, record: dict[str, Any]) -> list[Event]:
    return list(module.events(record, {}))


# MessagePack

VECTORS: list[tuple[bytes, Any]] = [
    (b"\xc0", None),
    (b"\xc2", False),
    (b"\xc3", True),
    (b"\x07", 7),
    (b"\xff", -1),
    (b"\xcc\xff", 255),
    (b"\xd1\xff\x00", -256),
    (b"\xcb" + struct.pack(">d", 1.5), 1.5),
    (b"\xa3abc", "abc"),
    (b"\xd9\x03abc", "abc"),
    (b"\x92\x01\x02", [1, 2]),
    (b"\xdc\x00\x01\x05", [5]),
    (b"\x81\xa1a\x01", {"a": 1}),
    (b"\x82\x01\x02\xa1a\x01", {"a": 1}),  # a key that is no text
    (b"\xc4\x02xy", None),  # bytes
    (b"\xd6\xff\x00\x00\x00\x00", None),  # a time of its own
    (b"\xa2\xff\xfe", "\ufffd\ufffd"),
]


@pytest.mark.parametrize(("data", "value"), VECTORS)
def test_values_come_out_plain(data: bytes, value: Any) -> None:
    assert unpack(data) == value


def test_an_object_is_what_it_was_made_from() -> None:
    made = {"content": "x", "id": None}
    assert unpack(packed([Object("ToolMessage", made)])) == [made]
    # Of what is named, nothing is looked up.
    inner = packed(["os", "system", "touch /tmp/never", None])
    data = struct.pack(">BIB", 0xC9, len(inner), 3) + inner
    assert unpack(data) == "touch /tmp/never"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\xa5ab",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff\x01",
        b"\xdb\xff\xff\xff\xffx",
        b"\x91" * 5000 + b"\x01",
        b"\x01\x02",
        b"\xcb\x00",
    ],
)
def test_broken_data_is_said_to_be_broken(data: bytes) -> None:
    with pytest.raises(Broken):
        unpack(data)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_broken(data: bytes) -> None:
    with contextlib.suppress(Broken):
        unpack(data)


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=20)
        | st.dictionaries(st.text(max_size=40), inner, max_size=4)
    ),
    max_leaves=30,
)


@settings(max_examples=100, deadline=None)
@given(plain_values)
def test_what_was_packed_comes_out(value: Any) -> None:
    assert unpack(packed(value)) == value


# deepagents


def test_messages_tell_prompts_words_calls_and_results() -> None:
    call = {"name": "execute", "args": {"command": "ls"}, "id": "c"}
    record: dict[str, Any] = {
        "messages": [
            {"type": "human", "content": "Do it"},
            {"type": "ai", "content": [{"type": "text", "text": "Yes."}, 7], "id": "m"},
            {"type": "ai", "content": "", "tool_calls": [call, {"name": 7}, 8]},
            {"type": "tool", "content": "out", "tool_call_id": "c", "name": "execute"},
            {"role": "user", "content": "And now?"},
            {"type": "system", "content": "x"},
            9,
        ],
        "ns": "tools:1",
    }
    events = [e for e in told(deepagents, record) if not isinstance(e, About)]
    kinds = [type(event) for event in events]
    assert kinds == [Prompted, Said, Called, Returned, Prompted]
    assert {getattr(event, "agent", None) for event in events} == {"tools:1"}


@pytest.mark.parametrize(
    ("text", "status", "code", "failed"),
    [
        ("out\n[Command succeeded with exit code 0]", "success", 0, False),
        ("out\n[Command failed with exit code 2]", "success", 2, True),
        ("  3001\t[Command failed with exit code 2]\n", "success", 2, True),
        ("[Command failed with exit code 2]\nit said", "success", None, False),
        ("no", "error", None, True),
    ],
)
def test_a_deepagents_result_tells_how_it_ended(
    text: str, status: str, code: int | None, failed: bool
) -> None:
    message = {"type": "tool", "content": text, "tool_call_id": "c"}
    message["status"] = status
    found = [
        event
        for event in told(deepagents, {"messages": [message]})
        if isinstance(event, Returned)
    ]
    assert [(each.exit_code, each.failed) for each in found] == [(code, failed)]


def test_a_time_is_read_from_a_checkpoints_id() -> None:
    message = {"type": "human", "content": "x"}
    # Made by the definition of version 6 for 2026-01-01T00:00:00Z.
    ticks = 1_767_225_600 * 10_000_000 + 0x01B21DD213814000
    digits = f"{ticks:015x}"
    ident = f"{digits[:8]}-{digits[8:12]}-6{digits[12:]}-8000-000000000000"
    record: dict[str, Any] = {"messages": [message], "checkpoint": ident}
    times = [e.time for e in told(deepagents, record) if isinstance(e, Prompted)]
    assert times == [1_767_225_600.0]
    for other in ("x", ident.replace("-6", "-4"), 7, "g" * 32, ""):
        record |= {"checkpoint": other}
        times = [e.time for e in told(deepagents, record) if isinstance(e, Prompted)]
        assert times == [None]


def rows_of(home: Path) -> dict[str, tuple[str, tuple[tuple[int, int], ...]]]:
    catalogue = Catalogue(Places.of_home(str(home)))
    first = catalogue.scan()
    latest = {artifact.id: artifact for artifact in first}
    for artifact in catalogue.complete(first, huge=True):
        latest[artifact.id] = artifact
    return {
        artifact.found.name: (
            artifact.link.state,
            artifact.link.seen.ranges if artifact.link.seen else (),
        )
        for artifact in latest.values()
        if artifact.link is not None
    }


def test_a_thread_that_goes_on_is_read_on(tmp_path: Path) -> None:
    make("deepagents", tmp_path)
    before = rows_of(tmp_path)
    assert before["call_nobody"] == ("orphan", ())
    given = (
        "Tool result too large, the result of this tool call call_nobody was saved in "
        "the filesystem at this path: /large_tool_results/call_nobody\n\nYou can.\n"
    )
    message = {"type": "tool", "content": given, "tool_call_id": "call_nobody"}
    database = sqlite3.connect(tmp_path / ".deepagents" / ".state" / "sessions.db")
    database.execute(
        "INSERT INTO writes VALUES ('0199c3d4', '', 'z', 't', 0, 'messages', ?, ?)",
        ("msgpack", packed([Object("ToolMessage", message)])),
    )
    database.commit()
    database.close()
    assert rows_of(tmp_path) == before | {"call_nobody": ("linked", ())}


@pytest.mark.parametrize(
    "script",
    [
        "",
        "CREATE TABLE writes (thread_id, channel)",
        "CREATE TABLE writes (thread_id TEXT PRIMARY KEY, checkpoint_id, channel,"
        " type, value) WITHOUT ROWID",
        "CREATE TABLE writes (thread_id, checkpoint_id, channel, type, value);"
        "INSERT INTO writes VALUES (7, 8, 'messages', 9, 10);"
        "INSERT INTO writes VALUES ('t', NULL, 'messages', 'msgpack', NULL);"
        "INSERT INTO writes VALUES ('t', NULL, 'messages', 'json', '[1,{\"lc\":1}]')",
    ],
)
def test_another_schema_hides_no_artifact(tmp_path: Path, script: str) -> None:
    make("deepagents", tmp_path)
    path = tmp_path / ".deepagents" / ".state" / "sessions.db"
    path.unlink()
    database = sqlite3.connect(path)
    database.executescript(script)
    database.close()
    assert len(rows_of(tmp_path)) == 6


def test_the_limit_of_deepagents_is_one_of_chars() -> None:
    gates = profile("deepagents").boundaries_for("execute")
    assert gates == (Boundary(80_000, "chars"),)


# Cursor


def message(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": [*blocks]}}


def test_a_cursor_call_returns_nothing_we_know() -> None:
    block = {"type": "tool_use", "name": "Read", "input": {"path": "/x"}}
    call, result = told(cursor, message("assistant", block))
    assert isinstance(call, Called)
    assert isinstance(result, Returned)
    assert call.id == result.call_id
    assert (result.texts, result.failed) == ((), None)


def test_calls_without_ids_are_told_apart() -> None:
    state: dict[str, Any] = {}
    block = {"type": "tool_use", "name": "Read", "input": {}}
    found = [
        event.id
        for _ in range(3)
        for event in cursor.events(message("assistant", block), state)
        if isinstance(event, Called)
    ]
    assert len(set(found)) == 3
    json.dumps(state)


def test_the_query_of_a_prompt_is_what_was_asked() -> None:
    text = "<context>x</context>\n<user_query>\nRun it\n</user_query>"
    (prompt,) = told(cursor, message("user", {"type": "text", "text": text}))
    assert isinstance(prompt, Prompted)
    assert prompt.text == "Run it"


def test_later_reads_of_cursors_are_known_and_what_they_showed_is_not(
    tmp_path: Path,
) -> None:
    make("cursor", tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    reads = {
        (read.tool, read.ranges)
        for artifact in catalogue.complete(catalogue.scan())
        if artifact.link is not None
        for read in artifact.link.reads
    }
    assert reads == {("Read", None), ("Grep", None)}


def test_a_cursor_notice_is_found_in_json_as_well() -> None:
    (notice,) = profile("cursor").notices
    path = "/h/.cursor/projects/p/agent-tools/1.txt"
    note = f"Large output has been written to: {path} (1.5 KB, 12 lines)"
    for text in (note, json.dumps({"note": note, "filePath": path}), f"{note}\n"):
        (match,) = notice.find(text)
        assert match["path"] == path
        units = {claim.unit: claim.value for claim in notice.claims_in(match)}
        assert units == {"bytes": 1536, "lines": 12}


def test_cursors_gates_are_those_of_the_tool_or_both() -> None:
    gates = profile("cursor").boundaries_for
    assert gates("Shell") == (Boundary(40_000, "bytes"),)
    assert gates("mcp_github") == (Boundary(12_000, "bytes"),)
    assert gates(None) == (Boundary(40_000, "bytes"), Boundary(12_000, "bytes"))


SHAPES: list[tuple[Any, dict[str, Any]]] = [
    (
        deepagents,
        {
            "checkpoint": "x",
            "ns": "",
            "messages": [
                {"type": "tool", "content": [{"text": "x"}], "tool_call_id": "c"},
                {"type": "ai", "tool_calls": [{"id": "c", "name": "n", "args": {}}]},
            ],
        },
    ),
    (deepagents, {"metadata": {"cwd": "/srv", "updated_at": "x"}}),
    (cursor, message("assistant", {"type": "tool_use", "name": "n", "input": {}})),
    (cursor, message("user", {"type": "text", "text": "x"})),
]


@pytest.mark.parametrize(("module", "record"), SHAPES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_record_is_too_odd(module: Any, record: dict[str, Any], data: Any) -> None:
    draw: Callable[[Any], Any] = data.draw
    broken = {key: spoiled(item, draw) for key, item in record.items()}
    for event in told(module, broken):
        if isinstance(event, Returned):
            assert all(isinstance(text, str) for text in event.texts)


@settings(max_examples=60, deadline=None)
@given(value=json_values)
def test_no_json_row_is_too_odd(value: Any) -> None:
    for kind in ("json", "msgpack", "pickle", 7):
        deepagents._unpacked(kind, json.dumps(value))
    deepagents._unpacked(
        "json", json.dumps({"lc": value, "kwargs": value, "id": value})
    )
