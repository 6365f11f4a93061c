"""What records of GitHub Copilot CLI and of VS Code's chat sessions tell."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact, Boundary
from spillview.places import Places
from spillview.profiles.file import built_in
from spillview.profiles.profile import Profile
from spillview.transcripts import copilot_cli, vscode_copilot
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores import make


@cache
def profile(harness: str) -> Profile:
    return next(each for each in built_in() if each.harness == harness)


def told(module: Any, record: dict[str, Any]) -> list[Event]:
    return list(module.events(record, {}))


def returned(events: list[Event]) -> Returned:
    (found,) = [event for event in events if isinstance(event, Returned)]
    return found


def complete(**data: Any) -> Returned:
    record = {"type": "tool.execution_complete", "data": {"toolCallId": "c", **data}}
    return returned(told(copilot_cli, record))


# GitHub Copilot CLI


@pytest.mark.parametrize(
    ("text", "success", "code", "failed"),
    [
        ("out\n<exited with exit code 0>", True, 0, False),
        ("out\n<exited with exit code 2>", True, 2, True),
        ("out\n<shellId: 7 completed with exit code 1>\n", True, 1, True),
        ("<exited with exit code 3> it said", True, None, False),
        ("out", False, None, True),
        ("out", None, None, None),
        ("out", "yes", None, None),
    ],
)
def test_a_result_failed_by_its_state_or_by_the_code_at_its_end(
    text: str, success: Any, code: int | None, failed: bool | None
) -> None:
    found = complete(success=success, result={"content": text})
    assert (found.exit_code, found.failed) == (code, failed)
    assert found.texts == (text,)


def test_a_result_may_be_a_bare_text_or_an_error_alone() -> None:
    assert complete(result="bare").texts == ("bare",)
    error = {"message": "denied", "code": "x"}
    assert complete(success=False, error=error).texts == ("denied",)
    assert complete(success=True).texts == ()


def test_a_field_names_the_file_and_the_copy_beside_it_is_counted() -> None:
    told = {"properties": {"large_output_file": "/tmp/x.txt"}}
    result = {"content": "short", "detailedContent": "y" * 900}
    found = complete(result=result, toolTelemetry=told)
    assert (found.path, found.copy_chars) == ("/tmp/x.txt", 900)
    assert complete(result=result).copy_chars == 0  # it is no copy of a spill
    assert (
        complete(result="x", toolTelemetry={"properties": {"file": "/a"}}).path is None
    )


def test_a_session_tells_its_id_folder_and_version() -> None:
    data = {"sessionId": "s", "copilotVersion": "1.2", "context": {"cwd": "/srv"}}
    events = told(copilot_cli, {"type": "session.start", "data": data})
    about = events[-1]
    assert isinstance(about, About)
    assert (about.session, about.project, about.version) == ("s", "/srv", "1.2")


def test_calls_of_a_subagent_carry_the_call_that_began_it() -> None:
    data = {"toolCallId": "c", "toolName": "bash", "parentToolCallId": "p"}
    (_, call) = told(copilot_cli, {"type": "tool.execution_start", "data": data})
    assert isinstance(call, Called)
    assert (call.id, call.tool, call.agent) == ("c", "bash", "p")


@pytest.mark.parametrize(
    "name",
    [
        "copilot-tool-output-1770000000000-ab12cd.txt",
        "1770000000000-copilot-tool-output-ab12cd.txt",
        "1770000000000-copilot-tool-output-0123456789abcdef0123456789abcdef.txt",
        "1770000000000-copilot-tool-output-42-0950daee-2f07-4ff0-aff9-bf1d1185e407.txt",
    ],
)
def test_every_generation_of_names_is_known(name: str) -> None:
    assert profile("copilot-cli").read_name(name) is not None
    for other in (f"x{name}", f"{name}.bak", name.replace("17700", "x7700")):
        assert profile("copilot-cli").read_name(other) is None


def test_a_copilot_notice_stands_at_the_beginning_alone() -> None:
    (notice,) = profile("copilot-cli").notices
    sample = notice.samples[0].text
    assert list(notice.find(sample))
    assert not list(notice.find(f"Notes:\n{sample}"))
    assert not list(notice.find(f"1. {sample}"))


# VS Code


def request(results: dict[str, Any], *calls: dict[str, Any]) -> dict[str, Any]:
    rounds = [{"response": "Looking.", "toolCalls": list(calls)}]
    metadata = {"toolCallRounds": rounds, "toolCallResults": results}
    message = {"text": "Do it"}
    return {"requestId": "r", "message": message, "result": {"metadata": metadata}}


def parts(*values: Any) -> dict[str, Any]:
    return {"content": [{"value": value} for value in values]}


def call(call_id: str, tool: str) -> dict[str, Any]:
    return {"id": call_id, "name": tool, "arguments": '{"command": "ls"}'}


def test_a_request_tells_its_prompt_the_words_the_calls_and_the_results() -> None:
    events = told(
        vscode_copilot, request({"a": parts("out")}, call("a", "run_in_terminal"))
    )
    kinds = [type(event) for event in events]
    assert kinds == [About, Prompted, Said, Called, Returned]
    assert returned(events).texts == ("out",)
    assert returned(events).tool == "run_in_terminal"


def test_of_a_large_result_the_model_received_none_of_the_text() -> None:
    found = returned(told(vscode_copilot, request({"a/b:c": parts("x" * 8193)})))
    assert found.texts == ()
    assert (found.ident, found.copy_chars) == ("a_b_c", 8193)


@pytest.mark.parametrize(
    ("text", "large"),
    [
        ("x" * 8192, False),
        ("🙂" * 4096, False),
        ("🙂" * 4096 + "x", True),
        ("Large tool result (9KB) written" + "x" * 9000, False),
    ],
)
def test_large_is_counted_in_utf16_units(text: str, large: bool) -> None:
    found = returned(told(vscode_copilot, request({"a": parts(text)})))
    assert (found.texts == ()) is large


@pytest.mark.parametrize("tool", ["memory", "search_subagent", "execution_subagent"])
def test_some_tools_results_are_never_put_on_disk(tool: str) -> None:
    record = request({"a": parts("x" * 9000)}, call("a", tool))
    found = returned(told(vscode_copilot, record))
    assert (len(found.texts[0]), found.ident) == (9000, None)


def test_a_rendered_result_is_the_texts_of_its_tree() -> None:
    leaf = {"type": 2, "text": "two", "lineBreakBefore": True}
    tree = {"node": {"children": [{"text": "one"}, {"children": [leaf]}, 7]}}
    found = returned(told(vscode_copilot, request({"a": parts(tree)})))
    assert found.texts == ("one\ntwo",)


def test_a_tree_that_never_ends_is_cut() -> None:
    node: dict[str, Any] = {"text": "deep"}
    for _ in range(5000):
        node = {"children": [node]}
    found = returned(told(vscode_copilot, request({"a": parts({"node": node})})))
    assert found.texts == ()


CHANGES: list[tuple[dict[str, Any], Callable[[list[Event]], bool]]] = [
    ({"kind": 0, "v": {"sessionId": "s", "requests": []}}, lambda e: len(e) == 1),
    ({"kind": 1, "k": ["customTitle"], "v": "T"}, lambda e: len(e) == 1),
    ({"kind": 1, "k": ["inputState", "x"], "v": "T"}, lambda e: e == []),
    ({"kind": 1, "k": ["requests", 0, "response"], "v": []}, lambda e: e == []),
    ({"kind": 3, "k": ["requests", 0]}, lambda e: e == []),
    ({"kind": 2, "k": ["requests"], "v": [request({})]}, lambda e: len(e) == 3),
    (
        {"kind": 1, "k": ["requests", 0, "result"], "v": request({})["result"]},
        lambda e: len(e) == 1,
    ),
]


@pytest.mark.parametrize(("record", "fits"), CHANGES)
def test_a_line_of_the_log_tells_what_it_changed(
    record: dict[str, Any], fits: Callable[[list[Event]], bool]
) -> None:
    assert fits(told(vscode_copilot, record))


# Stores


def completed(places: Places, *paths: Path) -> list[Artifact]:
    catalogue = Catalogue(places)
    query = Query(paths=tuple(map(str, paths))) if paths else None
    first = catalogue.scan(query)
    latest = {artifact.id: artifact for artifact in first}
    for artifact in catalogue.complete(first, huge=True):
        latest[artifact.id] = artifact
    return list(latest.values())


def test_a_session_that_is_kept_twice_points_once(tmp_path: Path) -> None:
    make("vscode_copilot", tmp_path)
    second = "c0c0c0c0-1111-4222-8333-444444444402"
    for artifact in completed(Places.of_home(str(tmp_path))):
        if artifact.session == second and artifact.link is not None:
            assert len(artifact.link.mentions) == 1
            assert artifact.link.mentions[0].transcript.endswith(".jsonl")


def test_files_in_a_folder_of_ones_own_are_known_by_their_names(tmp_path: Path) -> None:
    store = make("copilot_cli", tmp_path)
    elsewhere = tmp_path / "elsewhere"
    shutil.move(tmp_path / "tmp", elsewhere)
    for path in store.others:
        if path.parent.name == "tmp":
            (elsewhere / path.name).unlink()
    places = replace(Places.of_home(str(tmp_path)), confined=False)
    found = completed(places, elsewhere)
    assert len(found) == len(store.spills)
    assert {artifact.found.harness for artifact in found} == {"copilot-cli"}
    states = Counter(a.link.state for a in found if a.link is not None)
    assert states == Counter(spill.link for spill in store.spills)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_files_of_others_in_the_shared_temp_folder_are_not_listed(
    tmp_path: Path,
) -> None:
    store = make("copilot_cli", tmp_path)
    os.chown(store.spills[0].path, 12345, 12345)
    places = replace(Places.of_home(str(tmp_path)), confined=False)
    names = {artifact.found.name for artifact in completed(places)}
    assert store.spills[0].path.name not in names
    assert {spill.path.name for spill in store.spills[1:]} <= names


# Whatever stands in a record

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=12,
)
SHAPES: list[tuple[Any, dict[str, Any]]] = [
    (
        copilot_cli,
        {
            "type": "tool.execution_complete",
            "timestamp": "t",
            "data": {
                "toolCallId": "c",
                "success": True,
                "result": {"content": "x", "detailedContent": "y"},
                "error": {"message": "m"},
                "toolTelemetry": {"properties": {"large_output_file": "/x"}},
            },
        },
    ),
    (
        copilot_cli,
        {
            "type": "assistant.message",
            "data": {
                "content": "x",
                "toolRequests": [{"toolCallId": "c", "name": "n"}],
            },
        },
    ),
    (
        vscode_copilot,
        request({"a": parts("x", {"node": {"children": []}})}, call("a", "t")),
    ),
    (vscode_copilot, {"kind": 1, "k": ["requests", 0, "result"], "v": request({})}),
]


def spoiled(value: Any, draw: Callable[[Any], Any]) -> Any:
    """`value` with some parts replaced by anything."""
    if draw(st.integers(0, 7)) == 0:
        return draw(json_values)
    if isinstance(value, dict):
        return {key: spoiled(item, draw) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item, draw) for item in value]
    return value


@pytest.mark.parametrize(("module", "record"), SHAPES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_record_is_too_odd(module: Any, record: dict[str, Any], data: Any) -> None:
    broken = {key: spoiled(item, data.draw) for key, item in record.items()}
    for event in told(module, broken):
        if isinstance(event, Returned):
            assert all(isinstance(text, str) for text in event.texts)
            assert event.call_id is None or isinstance(event.call_id, str)
        if isinstance(event, Called):
            assert isinstance(event.id, str)
            assert isinstance(event.tool, str)
    json.dumps(broken)


# Gates


def test_copilots_gates_are_in_their_own_units() -> None:
    assert profile("copilot-cli").boundaries_for("bash") == (Boundary(20480, "bytes"),)
    assert profile("vscode-copilot").boundaries_for(None) == (Boundary(8192, "utf16"),)
    assert str(profile("vscode-copilot").retention) == "8 hours by mtime"
