"""Codex beyond its made store: records of every shape, cuts, names, roots."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.discovery.discovery import discover
from spillview.places import Places
from spillview.profiles.file import built_in, check_profile
from spillview.profiles.profile import Profile
from spillview.transcripts import codex
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from spillview.transcripts.notices import notices_in

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "output", "id", "command"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KINDS = ["message", "function_call", "function_call_output", "local_shell_call"]
THREAD = "019a9000-1111-7222-8333-444455556666"


@pytest.fixture(scope="module")
def profile() -> Profile:
    return next(p for p in built_in() if p.harness == "codex")


def told(kind: str, payload: Any, state: dict[str, Any] | None = None) -> list[Event]:
    record = {"timestamp": "2026-11-18T10:00:00Z", "type": kind, "payload": payload}
    return list(codex.events(record, {} if state is None else state))


def item(**payload: Any) -> list[Event]:
    return [e for e in told("response_item", payload) if not isinstance(e, About)]


def test_the_profile_is_sound(profile: Profile) -> None:
    check_profile(profile)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(KINDS), JSON, JSON, JSON)
def test_no_record_is_too_odd(kind: str, a: Any, b: Any, c: Any) -> None:
    odd = {"type": kind, "role": "user", "content": a, "output": b, "arguments": c}
    told("response_item", {**odd, "call_id": "c", "action": c, "name": a})
    told("session_meta", {"id": a, "source": b, "cwd": c, "timestamp": a})
    list(codex.events({"type": a, "payload": b, "id": c, "instructions": None}, {}))


@pytest.mark.parametrize(
    ("output", "code", "failed"),
    [
        ("Exit code: 2\nWall time: 1 seconds\nOutput:\nx", 2, True),
        (
            "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\n"
            "Original token count: 3\nOutput:\nx",
            0,
            False,
        ),
        (
            "Chunk ID: a\nWall time: 1 s\nProcess running with session ID 7\n",
            None,
            None,
        ),
        ('{"output":"x","metadata":{"exit_code":3,"duration_seconds":1}}', 3, True),
        ('{"output":"x","metadata":{"exit_code":true}}', None, None),
        ({"content": "x", "success": False}, None, True),
        (
            {"content": [{"type": "input_text", "text": "x"}], "success": True},
            None,
            False,
        ),
        ("it said Exit code: 2\n", None, None),
    ],
)
def test_a_result_says_how_its_command_ended(
    output: Any, code: int | None, failed: bool | None
) -> None:
    (result,) = item(type="function_call_output", call_id="c", output=output)
    assert isinstance(result, Returned)
    assert (result.exit_code, result.failed) == (code, failed)


def test_a_shells_command_is_the_command_alone() -> None:
    words = {"command": ["bash", "-lc", "make all"], "workdir": "/srv"}
    for call in (
        {"type": "function_call", "name": "shell", "arguments": json.dumps(words)},
        {"type": "local_shell_call", "action": words},
    ):
        (made,) = item(call_id="c", **call)
        assert isinstance(made, Called)
        assert made.arguments["command"] == "make all"
    (made,) = item(
        type="custom_tool_call", call_id="c", name="apply_patch", input="*** Begin"
    )
    assert isinstance(made, Called)
    assert made.arguments == "*** Begin"


@pytest.mark.parametrize(
    ("role", "text", "place"),
    [
        ("user", "Do it.", "prompt"),
        ("user", "<environment_context>x</environment_context>", "attachment"),
        ("user", "# AGENTS.md instructions for /srv", "attachment"),
        ("developer", "Hook text", "attachment"),
    ],
)
def test_only_a_persons_words_are_a_prompt(role: str, text: str, place: str) -> None:
    content = [{"type": "input_text", "text": text}]
    (prompt,) = item(type="message", role=role, content=content)
    assert isinstance(prompt, Prompted)
    assert prompt.place == place


def test_a_fork_is_itself_and_names_its_parents() -> None:
    state: dict[str, Any] = {}
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "p2", "depth": 1}}}
    meta = {"id": "me", "forked_from_id": "p1", "source": source, "cwd": "/srv"}
    (about,) = told("session_meta", meta, state)
    assert isinstance(about, About)
    assert (about.session, about.parents) == ("me", ("p1", "p2"))
    assert told("session_meta", {"id": "p1", "cwd": "/other"}, state) == []


def test_the_first_rollouts_held_bare_items() -> None:
    state: dict[str, Any] = {}
    first = {"id": "t1", "timestamp": "2025-05-01T00:00:00Z", "instructions": None}
    (about,) = codex.events(first, state)
    assert isinstance(about, About)
    assert about.session == "t1"
    said = {"type": "message", "role": "assistant"}
    said |= {"content": [{"type": "output_text", "text": "Hello."}]}  # type: ignore[dict-item]  # a list among texts
    assert any(isinstance(e, Said) for e in codex.events(said, state))


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (
            "Warning: truncated output (original token count: 9)\n"
            "Total output lines: 3\n\n",
            True,
        ),
        ("Original token count: 9\nOutput:\nall of it", False),
        ("Total output lines: 3 are too many", False),
        ("a…12 tokens truncated…b", True),
        ("a…12 chars truncated…b", True),
        ("a\n[... omitted 4 of 9 lines ...]\n\nb", True),
        ("a\n[... output truncated to fit 10240 bytes ...]\n\nb", True),
        ("a\n[... removed 5 bytes to fit 10240 byte limit ...]\n\nb", True),
    ],
)
def test_each_mark_of_a_cut_is_known(profile: Profile, text: str, cut: bool) -> None:
    hits = notices_in(text, "result", profile.notices)
    assert any(hit.notice.cut for hit in hits) is cut
    assert all(hit.path is None for hit in hits)


def test_a_hooks_text_is_measured_in_tokens_alone(profile: Profile) -> None:
    gates = profile.boundaries_for(None, content="hook")
    assert [(g.size, g.unit) for g in gates] == [(2500, "tokens")]


@pytest.mark.parametrize(
    "name", ["notes.txt", f"{THREAD}.md", f"{THREAD}.txt.tmp", "x/y.txt"]
)
def test_nothing_foreign_in_the_temp_folder_is_listed(
    profile: Profile, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "tmp" / "hook_outputs" / THREAD / name
    path.parent.mkdir(parents=True)
    path.write_text("x")
    found = discover(Places.of_home(str(tmp_path)), {"codex": profile})
    assert found.found == []


def test_a_moved_home_is_where_the_variable_says(
    profile: Profile, tmp_path: Path
) -> None:
    path = tmp_path / "elsewhere" / "hook_outputs" / THREAD / f"{THREAD}.txt"
    path.parent.mkdir(parents=True)
    path.write_text("x")
    env = {"CODEX_HOME": str(tmp_path / "elsewhere")}
    places = replace(Places.of_home(str(tmp_path)), env=env)
    assert [f.session for f in discover(places, {"codex": profile}).found] == [THREAD]
