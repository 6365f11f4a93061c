"""What records of Factory Droid and of OpenHands tell, and how their notices stand."""

from __future__ import annotations

import hashlib
import json
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
from spillview.profiles.profile import Notice, Profile
from spillview.transcripts import droid, openhands
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores import make
from tests.test_harness_copilots import spoiled


@cache
def profile(harness: str) -> Profile:
    return next(each for each in built_in() if each.harness == harness)


def notice(harness: str, ident: str) -> Notice:
    return next(each for each in profile(harness).notices if each.id == ident)


def told(module: Any, record: dict[str, Any]) -> list[Event]:
    return list(module.events(record, {}))


def returned(events: list[Event]) -> Returned:
    (found,) = [event for event in events if isinstance(event, Returned)]
    return found


# Factory Droid


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "message",
        "id": "m",
        "message": {"role": "user", "content": [*blocks]},
    }


@pytest.mark.parametrize(
    ("text", "error", "code", "failed"),
    [
        ("out\n\n[Process exited with code 0]", None, 0, False),
        ("out\n\n[Process exited with code 2]", True, 2, True),
        ("[Process exited with code 2]\nit said", None, None, False),
        ("out", True, None, True),
        ("out", None, None, False),
    ],
)
def test_a_droid_result_tells_how_it_ended(
    text: str, error: bool | None, code: int | None, failed: bool
) -> None:
    block = {"type": "tool_result", "tool_use_id": "c", "content": text}
    found = returned(
        told(droid, user(block | ({} if error is None else {"is_error": error})))
    )
    assert (found.exit_code, found.failed, found.texts) == (code, failed, (text,))


def test_what_a_person_ran_and_what_is_added_is_no_prompt() -> None:
    ran = {"type": "bash_result", "command": "ls", "stdout": "x"}
    texts = [
        "Do it",
        json.dumps(ran, separators=(",", ":")),
        "<system-reminder>\nx\n</system-reminder>",
        '{"type":"bash_result", broken',
    ]
    blocks = [{"type": "text", "text": text} for text in texts]
    found = [e.place for e in told(droid, user(*blocks)) if isinstance(e, Prompted)]
    assert found == ["prompt", "attachment", "attachment", "prompt"]


def test_a_droid_session_begins_with_its_id_folder_and_title() -> None:
    record = {"type": "session_start", "id": "s", "cwd": "/srv", "sessionTitle": "T"}
    (about,) = told(droid, record)
    assert isinstance(about, About)
    assert (about.session, about.project, about.title) == ("s", "/srv", "T")


@pytest.mark.parametrize(
    ("name", "tool", "call"),
    [
        ("grep_tool_cli-toolu_01AB-71166236.log", "grep_tool_cli", "toolu_01AB"),
        ("mcp_a.b-call_x-y-71166236.log", "mcp_a.b", "call_x-y"),
        ("mcp_x-unknown-71166236.log", None, None),
        ("58abd506-6e96-404c-88b7-25152c70b972.log", "Execute", None),
        ("droid-bg-1790888580523.out", "Execute", None),
    ],
)
def test_a_droid_name_tells_tool_and_call(
    name: str, tool: str | None, call: str | None
) -> None:
    read = profile("droid").read_name(name)
    assert read is not None
    rule, groups = read
    assert (groups.get("tool") or rule.tool, groups.get("call_id")) == (tool, call)


@pytest.mark.parametrize(
    "name", ["notes.log", "grep-call_1-123.log", "droid-bg-1.out", "x.txt", ".log"]
)
def test_other_names_are_none_of_droids(name: str) -> None:
    assert profile("droid").read_name(name) is None


def test_a_droid_notice_ends_the_text() -> None:
    said = "The full result is saved to /h/tool-outputs/a-call_1-71166236.log."
    saved = notice("droid", "droid.saved")
    assert list(saved.find(f"head\n{said}"))
    assert list(
        saved.find(f"head\n\n<system-reminder>\n{said} Read it.\n</system-reminder>")
    )
    assert not list(saved.find(f"{said}\nMore."))
    assert not list(saved.find(f"<system-reminder>\n{said}\n</system-reminder>\nMore."))
    ran = notice("droid", "droid.exec")
    line = "Full command output saved to: /tmp/droid-terminal-AbC123/x.log (35KB)"
    assert list(ran.find(f"out\n\n{line}\n\n[Process exited with code 1]"))
    assert not list(ran.find(f"out\n{line}\nmore"))
    started = notice("droid", "droid.bg")
    output = "Output: /tmp/droid-bg-1790888580523.out"
    assert list(
        started.find(f"Background process started (PID: 1)\nCommand: x\n{output}")
    )
    assert not list(started.find(f"Some words\n{output}"))


def test_droids_gates_depend_on_the_tool() -> None:
    gates = profile("droid").boundaries_for
    assert gates("Grep") == gates(None) == (Boundary(40_000, "utf16"),)
    assert gates("TaskOutput") == (Boundary(100_000, "utf16"),)
    assert gates("Execute", content="terminal") == (Boundary(16_384, "bytes"),)
    assert gates("Execute", content="background") == ()


# OpenHands


def observation(output: str, **more: Any) -> dict[str, Any]:
    metadata = {"exit_code": 0, "prefix": "[before]", "suffix": "[after]"}
    seen = {
        "kind": "TerminalObservation",
        "content": [{"type": "text", "text": output}],
        "metadata": metadata | {"working_dir": "/srv", "py_interpreter_path": ""},
        "full_output_save_dir": "/h/c/observations",
    }
    return {
        "kind": "ObservationEvent",
        "tool_name": "terminal",
        "tool_call_id": "c",
        "observation": seen | more,
    }


END = "[after]\n[Current working directory: /srv]\n[Command finished with exit code 0]"


def test_a_short_output_is_given_with_the_lines_about_it() -> None:
    found = returned(told(openhands, observation("out")))
    assert found.texts == (f"[before]out{END}",)
    assert (found.exit_code, found.failed) == (0, False)


@pytest.mark.parametrize("size", [29_900, 30_000, 30_001, 90_000])
def test_a_long_output_is_given_within_the_limit(size: int) -> None:
    full = "[before]" + "日" * (size - 8 - len(END)) + END
    output = full.removeprefix("[before]").removesuffix(END)
    (text,) = returned(told(openhands, observation(output))).texts
    assert len(text) == min(size, 30_000)
    if size > 30_000:
        digest = hashlib.sha256(full.encode()).hexdigest()[:8]
        assert f"/h/c/observations/bash_output_{digest}.txt" in text
        head, _, rest = text.partition("<response clipped>")
        assert full.startswith(head)
        assert full.endswith(rest.partition("</NOTE>")[2])
    else:
        assert text == full


def test_what_was_saved_nowhere_says_so() -> None:
    record = observation("x" * 40_000, full_output_save_dir=None)
    (text,) = returned(told(openhands, record)).texts
    assert len(text) == 30_000
    assert not list(notice("openhands", "openhands.clipped").find(text))
    assert list(notice("openhands", "openhands.lost").find(text))


def test_an_error_is_a_block_of_its_own() -> None:
    found = returned(told(openhands, observation("out", is_error=True)))
    assert found.texts[0].startswith("[An error occurred")
    assert len(found.texts) == 2
    assert found.failed is True


def test_an_output_that_was_kept_cut_is_given_as_it_is() -> None:
    sample = notice("openhands", "openhands.clipped").samples[0].text
    found = returned(told(openhands, observation(f"head{sample}tail")))
    assert found.texts == (f"head{sample}tail",)


def test_other_observations_are_given_as_they_are() -> None:
    record = observation("x" * 40_000, kind="BrowserObservation")
    assert returned(told(openhands, record)).texts == ("x" * 40_000,)


def test_an_editors_word_is_no_command_line() -> None:
    call = {"id": "c", "name": "file_editor"}
    call["arguments"] = json.dumps({"command": "view", "path": "/x"})
    record = {"kind": "ActionEvent", "tool_call": call, "thought": []}
    (made,) = [e for e in told(openhands, record) if isinstance(e, Called)]
    assert made.arguments == {"action": "view", "path": "/x"}


def test_thoughts_and_messages_are_said() -> None:
    thought = [{"type": "text", "text": " Look. "}]
    record = {"kind": "ActionEvent", "thought": thought}
    (said,) = [e for e in told(openhands, record) if isinstance(e, Said)]
    assert said.text == "Look."
    message = {"role": "user", "content": [{"type": "text", "text": "Do it"}]}
    events = told(openhands, {"kind": "MessageEvent", "llm_message": message})
    assert [e.text for e in events if isinstance(e, Prompted)] == ["Do it"]


def test_openhands_gates_depend_on_the_tool() -> None:
    gates = profile("openhands").boundaries_for
    assert gates("terminal") == (Boundary(30_000, "chars"),)
    assert gates("browser") == gates(None) == (Boundary(50_000, "chars"),)


def test_one_file_of_two_calls_has_the_envelopes_of_both(tmp_path: Path) -> None:
    store = make("openhands", tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    links = {a.found.path: a.link for a in catalogue.complete(catalogue.scan())}
    link = links[str(store.spills[0].path)]
    assert link is not None
    assert len({mention.call_id for mention in link.mentions}) == 2
    assert link.intact is not False
    changed = next(spill for spill in store.spills if spill.what == "changed since")
    other = links[str(changed.path)]
    assert other is not None
    assert other.intact is False


SHAPES: list[tuple[Any, dict[str, Any]]] = [
    (
        droid,
        user({"type": "tool_result", "tool_use_id": "c", "content": [{"text": "x"}]}),
    ),
    (droid, {"type": "session_start", "id": "s", "cwd": "/srv", "title": "T"}),
    (openhands, observation("out")),
    (openhands, {"kind": "ActionEvent", "tool_call": {"id": "c", "arguments": "{}"}}),
    (openhands, {"kind": "AgentErrorEvent", "error": "x", "tool_call_id": "c"}),
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
            assert event.call_id is None or isinstance(event.call_id, str)
