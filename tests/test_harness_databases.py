"""What records, names and notices of opencode, goose and hermes say, case by case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.places import Places
from spillview.profiles.profile import load_profiles
from spillview.transcripts import goose, hermes, opencode
from spillview.transcripts.events import About, Called, Prompted, Returned, Said
from spillview.transcripts.notices import notices_in

PROFILES, _ = load_profiles(Places.of_home("/nowhere"))
READERS = (opencode, goose, hermes)

WORDS = [
    "part",
    "message",
    "role",
    "type",
    "text",
    "tool",
    "callID",
    "state",
    "status",
    "input",
    "output",
    "metadata",
    "exit",
    "truncated",
    "outputPath",
    "outputPaths",
    "time",
    "created",
    "completed",
    "content",
    "id",
    "name",
    "session",
    "assistant",
    "user",
    "toolRequest",
    "toolResponse",
    "toolCall",
    "toolResult",
    "value",
    "success",
    "error",
    "arguments",
    "tool_calls",
    "tool_call_id",
    "function",
    "timestamp",
    "annotations",
    "audience",
    "running",
    "synthetic",
    "shell",
    "parent_id",
    "title",
    "directory",
    "working_dir",
    "isError",
]
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True)
    | st.sampled_from(WORDS)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6)
    ),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(record=st.dictionaries(st.sampled_from(WORDS), ODD, max_size=8))
def test_no_record_is_too_odd(record: dict[str, Any]) -> None:
    for reader in READERS:
        state: dict[str, Any] = {}
        for event in reader.events(record, state):
            assert isinstance(event, About | Called | Said | Prompted | Returned)
            if isinstance(event, Called):
                assert event.id
                assert event.tool
            if isinstance(event, Returned):
                assert all(isinstance(text, str) for text in event.texts)
        json.dumps(state)
    opencode.final(record)


def part(role: str = "assistant", **data: Any) -> dict[str, Any]:
    times = {"created": 1_795_000_000_000}
    return {
        "id": "prt_1",
        "message_id": "msg_1",
        "message": {"role": role, "time": times},
        "part": data,
    }


def result(**state: Any) -> Returned:
    record = part(type="tool", tool="bash", callID="c", state=state)
    (found,) = (e for e in opencode.events(record, {}) if isinstance(e, Returned))
    return found


def test_opencode_a_call_under_way_has_no_result_yet() -> None:
    state = {"status": "running", "input": {"command": "make"}, "time": {"start": 5e12}}
    record = part(type="tool", tool="bash", callID="c", state=state)
    _, called = opencode.events(record, {})
    assert isinstance(called, Called)
    assert (called.id, called.tool, called.message) == ("c", "bash", "msg_1")
    assert not opencode.final(record)


@pytest.mark.parametrize(
    ("metadata", "path", "whole"),
    [
        ({"truncated": True, "outputPath": "/h/tool_1"}, "/h/tool_1", False),
        ({"outputPath": "/h/tool_1"}, "/h/tool_1", False),
        ({"truncated": False, "outputPath": "/h/tool_1"}, None, True),
        ({"truncated": False, "status": "running"}, None, False),
        ({"outputPath": 7}, None, False),
        ([], None, False),
    ],
)
def test_opencode_the_record_says_what_was_cut(
    metadata: Any, path: str | None, whole: bool
) -> None:
    found = result(status="completed", output="x", metadata=metadata)
    assert (found.path, found.whole) == (path, whole)


@pytest.mark.parametrize(
    ("state", "failed", "code"),
    [
        ({"status": "completed", "output": "x", "metadata": {"exit": 0}}, False, 0),
        ({"status": "completed", "output": "x", "metadata": {"exit": 2}}, True, 2),
        (
            {"status": "completed", "output": "x", "metadata": {"exit": True}},
            False,
            None,
        ),
        ({"status": "error", "error": "no such file"}, True, None),
    ],
)
def test_opencode_failure_is_the_call_state_or_exit_code(
    state: dict[str, Any], failed: bool, code: int | None
) -> None:
    found = result(**state)
    assert (found.failed, found.exit_code) == (failed, code)
    assert found.texts == ("x" if "output" in state else "no such file",)


def test_opencode_texts_that_the_harness_adds_are_no_prompt() -> None:
    kinds = {"synthetic": "attachment", "other": "prompt"}
    for key, place in kinds.items():
        record = part("user", type="text", text="hello", **{key: True})
        (said,) = (e for e in opencode.events(record, {}) if isinstance(e, Prompted))
        assert said.place == place
    record = part("user", type="text", text="hello", ignored=True)
    assert not [e for e in opencode.events(record, {}) if isinstance(e, Prompted)]


def test_opencode_a_title_that_was_not_given_yet_is_none() -> None:
    for title, told in (("New session - 2026", None), ("Fix it", "Fix it")):
        (about,) = opencode.events({"session": {"title": title}}, {})
        assert isinstance(about, About)
        assert about.title == told


def test_goose_a_notice_in_a_block_of_its_own_stands_with_its_preview() -> None:
    notice = "[Output exceeded 2000 line limit (2345 lines total). Full output saved …]"
    user_only = {"type": "text", "text": "mine", "annotations": {"audience": ["user"]}}
    content = [
        {"type": "text", "text": "tail"},
        user_only,
        {"type": "text", "text": notice},
    ]
    value = {"status": "success", "value": {"content": content}}
    block = {"type": "toolResponse", "id": "t", "toolResult": value}
    found = list(goose.events({"role": "user", "content": [block]}, {}))[-1]
    assert isinstance(found, Returned)
    assert found.texts == (f"tail\n{notice}",)


@pytest.mark.parametrize(
    ("text", "error", "failed", "code"),
    [
        ("ok", False, False, None),
        ("x\n\nCommand exited with code 7", True, True, 7),
        ("x\n\nCommand timed out after 5 seconds", True, True, None),
        ("Command exited with code 7\n\nand more", False, False, None),
    ],
)
def test_goose_failure_is_in_the_result(
    text: str, error: bool, failed: bool, code: int | None
) -> None:
    value = {"content": [{"type": "text", "text": text}], "isError": error}
    result = {"status": "success", "value": value}
    block = {"type": "toolResponse", "id": "t", "toolResult": result}
    found = list(goose.events({"role": "user", "content": [block]}, {}))[-1]
    assert isinstance(found, Returned)
    assert (found.failed, found.exit_code) == (failed, code)


def test_hermes_content_may_be_parts_behind_a_mark() -> None:
    parts = json.dumps([{"type": "text", "text": "look"}, {"type": "image_url"}])
    for mark in ("\x00json:", "\x01json:"):
        row = {"role": "user", "content": mark + parts}
        (prompt,) = hermes.events(row, {})
        assert isinstance(prompt, Prompted)
        assert prompt.text == "look"


@pytest.mark.parametrize(
    ("text", "failed", "code"),
    [
        ('{"output": "x", "exit_code": 3, "error": null}', True, 3),
        ('{"output": "x", "exit_code": 0}', False, 0),
        ('{"error": "no", "status": "error"}', True, None),
        ('{"success": true}', False, None),
        ("<persisted-output>", None, None),
        ('{"matches": []}', None, None),
        ("{broken", None, None),
    ],
)
def test_hermes_failure_is_what_the_tool_returned(
    text: str, failed: bool | None, code: int | None
) -> None:
    (found,) = hermes.events({"role": "tool", "content": text, "tool_call_id": "c"}, {})
    assert isinstance(found, Returned)
    assert (found.failed, found.exit_code) == (failed, code)


@pytest.mark.parametrize(
    ("harness", "content", "tool", "gates"),
    [
        ("opencode", "spill", "bash", [(2000, "lines"), (51200, "bytes")]),
        ("opencode", "spill", None, [(2000, "lines"), (51200, "bytes")]),
        ("opencode", "background", "shell", []),
        ("goose", "slot", "shell", [(2000, "lines"), (50000, "bytes")]),
        ("goose", "page", "x__y", [(200_000, "chars")]),
        ("hermes-agent", "spill", "mcp_x", [(50_000, "chars")]),
        ("hermes-agent", "spill", "terminal", [(100_000, "chars")]),
        ("hermes-agent", "exec", "execute_code", [(50_000, "chars")]),
        ("hermes-agent", "hook", None, [(10_000, "chars")]),
        ("hermes-agent", "web", "web_extract", []),
    ],
)
def test_gates_go_by_tool_and_content(
    harness: str, content: str, tool: str | None, gates: list[tuple[int, str]]
) -> None:
    found = PROFILES[harness].boundaries_for(tool, content=content)
    assert [(gate.size, gate.unit) for gate in found] == gates


def test_goose_the_gate_of_responses_is_that_of_the_environment() -> None:
    env = {"GOOSE_MAX_TOOL_RESPONSE_SIZE": "5000"}
    (gate,) = PROFILES["goose"].boundaries_for("x", env=env, content="page")
    assert (gate.size, gate.unit) == (5000, "chars")


@pytest.mark.parametrize(
    ("harness", "name", "fits"),
    [
        ("goose", "output-3", True),
        ("goose", "output-8", False),
        ("goose", "goose_mcp_response_T1YuDw.txt", True),
        ("goose", "goose_mcp_response_.txt", False),
        ("hermes-agent", "call_1.txt", True),
        ("hermes-agent", "call 1.txt", False),
        ("opencode", "tool_0123456789abABCDEFGHIJKLMN", True),
        ("opencode", "tool_short", False),
    ],
)
def test_names_are_those_that_the_harness_gives(
    harness: str, name: str, fits: bool
) -> None:
    assert (PROFILES[harness].read_name(name) is not None) == fits


def test_hermes_the_size_in_kb_claims_nothing_for_it_counts_characters() -> None:
    text = (
        "<persisted-output>\nThis tool result was too large (102,400 characters, "
        "100.0 KB).\nFull output saved to: /h/.hermes/cache/spillover/c.txt\nUse it\n\n"
        "Preview (first 5 chars):\n日本語行x\n...\n</persisted-output>"
    )
    (hit,) = notices_in(text, "result", PROFILES["hermes-agent"].notices)
    assert [(claim.unit, claim.value) for claim in hit.claims] == [("chars", 102_400)]


@pytest.mark.parametrize("harness", ["opencode", "goose", "hermes-agent"])
def test_no_text_takes_a_notice_long(harness: str) -> None:
    import time

    notices = PROFILES[harness].notices
    pieces = [n.needle for n in notices]
    began = time.process_time()
    for piece in pieces:
        for text in (
            piece * 3000,
            (piece + "x" * 3000 + "\n") * 200,
            piece + "[" * 90_000,
        ):
            notices_in(text, "result", notices)
    assert time.process_time() - began < 5


def test_goose_temporary_folders_of_other_programs_are_no_stores(
    tmp_path: Path,
) -> None:
    from spillview.discovery.discovery import discover

    for name in (".tmpAbC123", ".tmpZZZZZZ"):
        (tmp_path / "tmp" / name).mkdir(parents=True)
    (tmp_path / "tmp" / ".tmpAbC123" / "output-3").write_text("x")
    (tmp_path / "tmp" / ".tmpZZZZZZ" / "lib.rs").write_text("x")
    found = discover(Places.of_home(str(tmp_path)), {"goose": PROFILES["goose"]})
    roots = [store.root for store in found.stores]
    assert roots == [str(tmp_path / "tmp" / ".tmpAbC123")]
