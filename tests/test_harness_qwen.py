"""Qwen Code beyond its made store: records, gates per tool, sums, escaped tags."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue
from spillview.content.content import open_content
from spillview.content.counts import count
from spillview.discovery.discovery import discover
from spillview.model import Mention
from spillview.places import Places
from spillview.profiles.file import built_in, check_profile
from spillview.profiles.profile import Profile
from spillview.seen.seen import shown_by
from spillview.transcripts import qwen
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores.qwen_code import make, stub

PIECES = ["<persisted-output>", "</system-reminder>", "&lt;b&gt;", "&amp;", "漢"]
PIECES += ["&lt;persisted-output&gt;", "a" * 40, "<b>", "\n"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["parts", "text", "functionResponse", "response", "output", "id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def profile() -> Profile:
    return next(p for p in built_in() if p.harness == "qwen-code")


def told(**record: Any) -> list[Event]:
    return [e for e in qwen.events(record, {}) if not isinstance(e, About)]


def test_the_profile_is_sound(profile: Profile) -> None:
    check_profile(profile)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["user", "assistant", "tool_result", "system"]), JSON, JSON)
def test_no_record_is_too_odd(kind: str, a: Any, b: Any) -> None:
    told(type=kind, message=a, systemPayload=b, subtype=a, timestamp=b, cwd=a)
    told(type=kind, message={"role": "user", "parts": a}, toolCallResult=b)


def test_a_message_is_told_part_by_part() -> None:
    parts = [
        {"text": "thinking", "thought": True},
        {"text": "Let me look."},
        {"functionCall": {"id": "c1", "name": "glob", "args": {"pattern": "*"}}},
    ]
    said, called = told(type="assistant", message={"role": "model", "parts": parts})
    assert isinstance(said, Said)
    assert said.text == "Let me look."
    assert isinstance(called, Called)
    assert (called.id, called.tool) == ("c1", "glob")


@pytest.mark.parametrize(
    ("response", "status", "failed"),
    [
        ({"output": "x"}, "success", False),
        ({"output": "x"}, "error", True),
        ({"error": "no such file"}, None, True),
        ({"output": "x"}, "cancelled", None),
        ({"output": "Output: x\nExit Code: 1\nProcess Group PGID: 4"}, "success", True),
    ],
)
def test_a_result_says_whether_its_call_failed(
    response: dict[str, str], status: str | None, failed: bool | None
) -> None:
    parts = [{"functionResponse": {"id": "c1", "name": "x", "response": response}}]
    (result,) = told(
        type="tool_result",
        message={"role": "user", "parts": parts},
        toolCallResult={"status": status},
    )
    assert isinstance(result, Returned)
    assert result.failed is failed
    assert result.texts == tuple(response.values())


def test_notes_of_the_harness_are_no_prompts() -> None:
    parts = {"role": "user", "parts": [{"text": "x"}]}
    (prompt,) = told(type="user", message=parts)
    (note,) = told(type="user", subtype="notification", message=parts)
    assert isinstance(prompt, Prompted)
    assert isinstance(note, Prompted)
    assert (prompt.place, note.place) == ("prompt", "attachment")


@pytest.mark.parametrize(
    ("tool", "gates"),
    [
        ("run_shell_command", [(30_000, "chars")]),
        ("grep_search", [(20_000, "chars")]),
        ("mcp__db__query", [(500_000, "chars")]),
        ("agent", [(32_000, "chars")]),
        ("web_fetch", [(28_000, "chars"), (1000, "lines")]),
        (None, [(28_000, "chars"), (1000, "lines")]),
    ],
)
def test_each_tool_has_its_own_gate(
    profile: Profile, tool: str | None, gates: list[tuple[int, str]]
) -> None:
    assert [(g.size, g.unit) for g in profile.boundaries_for(tool)] == gates


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(PIECES),
        min_size=1,
        max_size=40,
    )
)
def test_what_a_preview_shows_is_never_more_than_was_shown(
    pieces: list[str],
) -> None:
    import tempfile

    profile = next(p for p in built_in() if p.harness == "qwen-code")
    text = "".join(pieces) + "\n" + "row of text\n" * 400
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call_1.txt"
        path.write_bytes(text.encode())
        whole, ((_, end),) = stub(text, path)
        mention = Mention(
            "t", "s", 1, 0, 0, "result", "qwen.persisted", str(path), end=len(whole)
        )
        content = open_content(str(path))
        try:
            seen = shown_by(whole, mention, content, count(content), profile)
        finally:
            content.close()
    assert all(0 <= a < b <= end for a, b in seen.ranges)
    if "&lt;persisted-output&gt;" not in pieces:
        assert seen.ranges == ((0, end),)


def test_the_sum_in_a_notice_is_held_against_the_file(tmp_path: Path) -> None:
    make(tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    rows = {a.found.name: a for a in catalogue.complete(catalogue.scan())}
    good = catalogue.envelope(rows["call_1.txt"])
    bad = catalogue.envelope(rows["call_4.txt"])
    assert good.claimed["sha256"] == good.measured["sha256"]
    assert bad.claimed["sha256"] != bad.measured["sha256"]
    assert (good.agrees, bad.agrees) == (True, False)


def test_a_runtime_folder_comes_before_the_home(
    profile: Profile, tmp_path: Path
) -> None:
    for name in ("run", "conf", ".qwen"):
        path = tmp_path / name / "tmp" / "ab" / "tool-results" / f"{name}.txt"
        path.parent.mkdir(parents=True)
        path.write_text("x")
    home = Places.of_home(str(tmp_path))
    env = {"QWEN_HOME": str(tmp_path / "conf")}
    found = discover(replace(home, env=env), {"qwen-code": profile}).found
    assert [os.path.basename(f.path) for f in found] == ["conf.txt"]
    env["QWEN_RUNTIME_DIR"] = str(tmp_path / "run")
    found = discover(replace(home, env=env), {"qwen-code": profile}).found
    assert [os.path.basename(f.path) for f in found] == ["run.txt"]
