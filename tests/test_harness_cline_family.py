"""Cline, Roo Code and the older Kilo Code: what single records tell, and name rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.discovery.discovery import discover
from spillview.places import Places
from spillview.profiles.profile import load_profiles
from spillview.transcripts import cline, workbuddy
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores import make

KEYS = (
    *("", "role", "content", "type", "text", "id", "ts", "name", "input", "is_error"),
    *("tool_use_id", "result", "success", "commands", "sessionId", "origin", "version"),
    *("callId", "arguments", "output", "status", "timestamp", "cwd"),
)
WORDS = (
    *("assistant", "user", "text", "tool_use", "tool_result", "message"),
    *("function_call", "function_call_result", "<task>x", "\ud800", "\0", "{"),
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=24,
)
RECORDS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)


def of(record: dict[str, Any], state: dict[str, Any] | None = None) -> list[Event]:
    return list(cline.events(record, {} if state is None else state))


def returned(record: dict[str, Any]) -> Returned:
    (event,) = (event for event in of(record) if isinstance(event, Returned))
    return event


def result(content: Any, **block: Any) -> dict[str, Any]:
    inner = {"type": "tool_result", "tool_use_id": "c1", "content": content, **block}
    return {"role": "user", "content": [inner], "ts": 1_795_000_000_000}


def sound(events: list[Event]) -> bool:
    """Whether every event holds what its class says."""
    for event in events:
        if isinstance(event, Returned):
            assert all(isinstance(text, str) for text in event.texts)
            assert event.failed in (True, False, None)
        elif isinstance(event, Called):
            assert event.id
            assert event.tool
        else:
            assert isinstance(event, About | Said | Prompted)
    return True


@settings(max_examples=100, deadline=None)
@given(RECORDS)
def test_records_of_any_kind_are_borne(record: dict[str, Any]) -> None:
    state: dict[str, Any] = {}
    assert sound(of(record, state))
    json.dumps(state)
    assert sound(list(workbuddy.events(record, state)))


@pytest.mark.parametrize(
    ("text", "failed", "code"),
    [
        ("Command executed in '/p'. Exit code: 0\n\nOutput (9KB) persisted", False, 0),
        (
            "Command executed in '/p'. Command execution was not successful, inspect "
            "the cause and adjust as needed.\nExit code: 3\n\nOutput",
            True,
            3,
        ),
        (
            "Command executed in '/p'. Process terminated by signal SIGKILL\n\nOutput",
            True,
            None,
        ),
        (
            "Command executed in terminal within working directory '/p'. "
            "Exit code: <undefined, notify user>\nOutput:\nExit code",
            None,
            None,
        ),
        ("[Command exited with code 2]\nno such file", True, 2),
        ("It said: Exit code: 4", None, None),
        ("", None, None),
    ],
)
def test_a_result_says_how_its_command_ended(
    text: str, failed: bool | None, code: int | None
) -> None:
    event = returned(result(text))
    assert (event.failed, event.exit_code) == (failed, code)


def test_a_code_that_the_output_prints_is_not_the_commands() -> None:
    text = "Command executed in '/p'. Process terminated\n\nOutput\n\nExit code: 9"
    assert returned(result(text)).exit_code is None


def test_the_rows_of_the_sdk_are_texts_of_their_own() -> None:
    rows = [
        {"query": "a", "result": "one", "success": True},
        {"query": "b", "result": "two", "success": False},
        {"query": "c", "error": "none"},
    ]
    event = returned(result(rows))
    assert event.texts == ("one", "two")
    assert event.failed is True


def test_commands_of_a_call_are_its_command() -> None:
    block = {"type": "tool_use", "id": "c1", "name": "run_commands"}
    for commands, command in (("a", "a"), (["a", "b"], "a\nb")):
        message = {"role": "assistant", "content": [{**block}]}
        message["content"][0]["input"] = {"commands": commands}  # type: ignore[index]  # a list of one
        (event,) = of(message)
        assert isinstance(event, Called)
        assert event.arguments == command


def test_a_heading_makes_the_next_text_a_result_of_its_tool() -> None:
    state: dict[str, Any] = {}
    call = "<execute_command>\n<command>make\nall</command></execute_command>"
    of({"role": "assistant", "content": call}, state)
    texts = ["[execute_command for 'make'] Result:", "Command executed.\nOutput:\nx"]
    content = [{"type": "text", "text": text} for text in texts]
    events = of({"role": "user", "content": content}, state)
    assert events == [
        Returned(
            call_id=None,
            texts=(texts[1],),
            tool="execute_command",
            arguments="make\nall",
        )
    ]


def test_the_folder_and_the_title_stand_in_the_first_prompt() -> None:
    texts = [
        "<task>\nMake it\ngreen\n</task>",
        "<environment_details>\n# Current Workspace Directory (/srv/a b) Files\nx\n",
    ]
    content = [{"type": "text", "text": text} for text in texts]
    abouts = [
        e for e in of({"role": "user", "content": content}) if isinstance(e, About)
    ]
    assert [e.title for e in abouts if e.title] == ["Make it green"]
    assert [e.project for e in abouts if e.project] == ["/srv/a b"]


def test_what_stands_beside_the_messages_names_the_session() -> None:
    beside = {"sessionId": "s1", "origin": {"version": "3.2"}}
    assert of({"": beside}) == [About(session="s1", version="3.2")]


def test_tasks_copied_elsewhere_are_told_apart(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    make("roo_code", made)
    make("cline", made)
    places = Places.of_home(str(tmp_path / "home"))
    profiles = load_profiles(places)[0]
    for extension, harness in (
        ("rooveterinaryinc.roo-cline", "roo-code"),
        ("saoudrizwan.claude-dev", "cline"),
    ):
        kept = made / ".config/Code/User/globalStorage" / extension
        copied = tmp_path / harness / "tasks"
        copied.parent.mkdir()
        (kept / "tasks").rename(copied)
        found = discover(places, profiles, paths=[str(copied.parent)])
        assert {log.harness for log in found.transcripts} == {harness}
        assert {item.harness for item in found.found} <= {harness}


def test_gates_are_those_of_long_outputs_and_logs_have_none() -> None:
    profiles = load_profiles(Places.of_home("/nowhere"))[0]
    cline_gates = profiles["cline"].boundaries_for(None)
    assert [(g.size, g.unit) for g in cline_gates] == [
        (1000, "lines"),
        (524_288, "bytes"),
    ]
    assert profiles["cline"].boundaries_for(None, content="background") == ()
    (gate,) = profiles["roo-code"].boundaries_for("execute_command")
    assert (gate.size, gate.unit) == (10_240, "bytes")


def test_records_of_workbuddy_tell_calls_results_and_folders() -> None:
    call = {"type": "function_call", "callId": "c1", "name": "Bash", "cwd": "/srv/a"}
    events = list(workbuddy.events({**call, "arguments": '{"command": "ls"}'}, {}))
    assert events == [
        About(project="/srv/a"),
        Called(id="c1", tool="Bash", arguments={"command": "ls"}),
    ]
    answer = {"type": "function_call_result", "callId": "c1", "status": "failed"}
    for output in ("x", {"type": "text", "text": "x"}, [{"text": "x"}]):
        (event,) = workbuddy.events({**answer, "output": output}, {})
        assert event == Returned(call_id="c1", texts=("x",), failed=True)
