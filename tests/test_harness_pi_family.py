"""pi, mom, oh-my-pi and OpenClaw: what single records tell, names, gates, handles."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.transcripts import pi
from spillview.transcripts.calls import handle_of
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores.pi import Talk, spilled
from tests.printed import output

KEYS = (
    *("type", "id", "timestamp", "message", "role", "content", "text", "name", "cwd"),
    *("toolCallId", "toolName", "details", "isError", "meta", "truncation", "spill"),
    *("artifactId", "path", "fullOutputPath", "command", "output", "exitCode"),
    *("excludeFromContext", "truncated", "parentSession", "title", "arguments"),
)
WORDS = (
    *("message", "session", "session_info", "title", "custom_message", "user"),
    *("assistant", "toolResult", "bashExecution", "custom", "text", "toolCall"),
    *("\ud800", "\0", "x_0199aaaa.jsonl"),
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


def profile(harness: str) -> Profile:
    return load_profiles(Places.of_home("/nowhere"))[0][harness]


def of(record: dict[str, Any]) -> list[Event]:
    return list(pi.events(record, {}))


def returned(**message: Any) -> Returned:
    events = of({"type": "message", "message": message})
    (event,) = (event for event in events if isinstance(event, Returned))
    return event


@settings(max_examples=100, deadline=None)
@given(RECORDS)
def test_records_of_any_kind_are_borne(record: dict[str, Any]) -> None:
    for event in of(record):
        if isinstance(event, Returned):
            assert all(isinstance(text, str) for text in event.texts)
            assert event.failed in (True, False, None)
            assert event.path is None or isinstance(event.path, str)
        elif isinstance(event, Called):
            assert event.id
            assert event.tool
        else:
            assert isinstance(event, About | Said | Prompted)


def test_the_header_tells_session_folder_and_origin() -> None:
    header = {
        "type": "session",
        "id": "s2",
        "cwd": "/srv/a",
        "timestamp": "2026-11-18T12:26:40Z",
        "parentSession": "/h/.pi/agent/sessions/--a--/2026-11-18T12_0199aaaa-1.jsonl",
    }
    (about,) = of(header)
    assert isinstance(about, About)
    assert (about.session, about.project) == ("s2", "/srv/a")
    assert about.parents == ("0199aaaa-1",)
    assert about.time == 1_795_004_800


def test_where_a_whole_output_lies_is_told_in_every_form_of_the_details() -> None:
    new = {"spill": {"path": "/t/a.log", "chars": 9, "truncated": True}}
    old = {"fullOutputPath": "/t/a.log", "spilledChars": 9, "spillTruncated": True}
    for details in (new, old):
        event = returned(role="toolResult", toolCallId="c", details=details)
        assert (event.path, event.partial) == ("/t/a.log", True)
    for ident in (3, "3"):
        meta = {"meta": {"truncation": {"artifactId": ident}}}
        event = returned(role="toolResult", toolCallId="c", details=meta)
        assert event.ident == "3"
    assert returned(role="toolResult", toolCallId="c", details=None).path is None


def test_a_persons_command_is_told_as_the_model_had_it() -> None:
    ran: dict[str, Any] = {"role": "bashExecution", "command": "make", "output": "x"}
    event = returned(**ran, exitCode=0)
    assert event.texts == ("Ran `make`\n```\nx\n```",)
    assert event.failed is False
    event = returned(**ran, exitCode=2, truncated=True, fullOutputPath="/t/a.log")
    assert event.texts == (
        "Ran `make`\n```\nx\n```\n\nCommand exited with code 2\n\n"
        "[Output truncated. Full output: /t/a.log]",
    )
    assert (event.failed, event.exit_code, event.path) == (True, 2, "/t/a.log")
    event = returned(role="bashExecution", command="x", output="", cancelled=True)
    assert event.texts == ("Ran `x`\n(no output)\n\n(command cancelled)",)
    assert event.failed is True


def test_a_command_kept_from_the_model_shows_it_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tmp/pi-bash-0123456789abcdef.log"
    path.parent.mkdir()
    path.write_bytes(output("hidden", 60_000))
    folder = tmp_path / ".pi/agent/sessions/--srv-app--"
    talk = Talk(folder / "2026-11-18T12-26-40-000Z_0199aaaa-1.jsonl", "0199aaaa-1")
    talk.message(
        role="bashExecution",
        command="make",
        output="tail",
        exitCode=0,
        truncated=True,
        fullOutputPath=str(path),
        excludeFromContext=True,
    )
    talk.write()
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    (artifact,) = catalogue.complete(catalogue.scan())
    assert artifact.link is not None
    assert artifact.link.state == "linked"
    assert artifact.link.seen is not None
    assert artifact.link.seen.ranges == ()


@pytest.mark.parametrize(
    ("harness", "name", "listed"),
    [
        ("pi", "pi-bash-0123456789abcdef.log", True),
        ("pi", "mom-bash-0123456789abcdef.log", True),
        ("pi", "pi-bash-0123456789ABCDEF.log", False),
        ("pi", "pi-bash-0123456789abcdef0.log", False),
        ("pi", "xpi-bash-0123456789abcdef.log", False),
        ("pi", "pi-bash-0123456789abcdef.log\n", False),
        ("openclaw", "openclaw-bash-0123456789abcdef.log", True),
        ("openclaw", "openclaw-web-fetch-0123456789abcdef.log", True),
        ("openclaw", "openclaw-bash-workdir-0123456789abcdef.log", False),
    ],
)
def test_only_exact_names_count_in_a_shared_folder(
    harness: str, name: str, listed: bool, tmp_path: Path
) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / name).write_text("x\n")
    found = Catalogue(Places.of_home(str(tmp_path))).scan()
    assert [item.found.harness for item in found] == [harness] * listed


def test_a_number_is_the_sessions_own(tmp_path: Path) -> None:
    assert handle_of(profile("oh-my-pi"), "artifact://12:3-4") is not None
    assert handle_of(profile("pi"), "artifact://12") is None
    for name in ("3.bash.log", "12.mcp_srv_logs.log"):
        read = profile("oh-my-pi").read_name(name)
        assert read is not None
        assert read[1]["id"] == name.partition(".")[0]
    for name in (".artifact-3.json", "3.bash.log.tmp-0f1a2b3c-22"):
        read = profile("oh-my-pi").read_name(name)
        assert read is not None
        assert read[0].skip
    assert profile("oh-my-pi").read_name("notes.txt") is None


def test_pages_have_no_gate_and_commands_have_two() -> None:
    gates = profile("openclaw").boundaries_for("exec")
    assert {(g.size, g.unit) for g in gates} == {(2000, "lines"), (51_200, "bytes")}
    assert profile("openclaw").boundaries_for("web_fetch", content="page") == ()


@pytest.mark.parametrize("harness", ["pi", "openclaw", "oh-my-pi", "roo-code", "cline"])
def test_notices_are_quick_on_hostile_text(harness: str) -> None:
    hostile = [
        "[Showing lines 1-2 of 3" * 5000,
        "[Showing lines 1-2 of 3 (" + "x" * 100_000 + ". Full output: ",
        "artifact://" * 20_000,
        "\n\n" * 50_000 + "artifact://1",
        ". Full output: " * 10_000 + "]",
        "... (1 lines written to " * 10_000,
        "persisted. Artifact ID: cmd-1" * 5_000,
        "tool result elided: full output preserved at " + "; " * 50_000,
    ]
    for notice in profile(harness).notices:
        for text in hostile:
            assert len(list(notice.find(text + notice.needle))) < 50_000


def test_mom_is_read_where_the_user_says_so(tmp_path: Path) -> None:
    data = output("mom", 70_000)
    path = tmp_path / "mom-bash-0123456789abcdef.log"
    talk = Talk(tmp_path / "mom/C0123456789/context.jsonl", "C0123456789")
    made = spilled(talk, "of mom", path, data)
    talk.write()
    catalogue = Catalogue(Places.of_home(str(tmp_path / "home")))
    first = catalogue.scan(Query(paths=(str(tmp_path / "mom"),)))
    missing = catalogue.missing()
    assert not first
    # The file is there, though no folder given holds it: nothing is said to be gone.
    assert [row.mention.path for row in missing] == []
    assert re.search("Full output: ", made.envelope or "")
    assert json.loads(talk.lines[0])["id"] == "C0123456789"
