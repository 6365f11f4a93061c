"""Letta Code beyond its made store: rows, gates per tool, names, notices."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.profiles.file import built_in, check_profile
from spillview.profiles.profile import Profile
from spillview.transcripts import letta
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from spillview.transcripts.notices import notices_in

ODD = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.lists(st.text(max_size=3), max_size=2)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
)
PATH = (
    "/h/.letta/projects/srv/agent-tools/bash-11111111-2222-4333-8444-555555555555.txt"
)


@pytest.fixture(scope="module")
def profile() -> Profile:
    return next(p for p in built_in() if p.harness == "letta-code")


def told(**record: Any) -> list[Event]:
    return [e for e in letta.events(record, {}) if not isinstance(e, About)]


def test_the_profile_is_sound(profile: Profile) -> None:
    check_profile(profile)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["user", "assistant", "tool_call", "error"]), ODD, ODD, ODD)
def test_no_row_is_too_odd(kind: str, a: Any, b: Any, c: Any) -> None:
    told(kind=kind, text=a, name=b, argsText=c, resultText=a, resultOk=b)
    told(kind=a, source_line_id=b, captured_at=c)


def test_rows_are_told_as_they_stand() -> None:
    assert [type(e) for e in told(kind="user", text="Hi.")] == [Prompted]
    assert [type(e) for e in told(kind="assistant", text="Hi.")] == [Said]
    row = {"kind": "tool_call", "name": "Bash", "source_line_id": "c1"}
    called, returned = told(**row, argsText="{}", resultText="x", resultOk=False)
    assert isinstance(called, Called)
    assert isinstance(returned, Returned)
    assert (returned.call_id, returned.failed) == (called.id, True)
    assert [type(e) for e in told(**row)] == [Called]


@pytest.mark.parametrize(
    ("tool", "gates"),
    [
        ("bash", [(30_000, "chars")]),
        ("Task", [(30_000, "chars")]),
        ("Grep", [(10_000, "chars")]),
        ("glob", [(2000, "lines")]),
        ("ls", [(1000, "lines")]),
        ("read", [(30_000, "chars"), (2000, "lines")]),
    ],
)
def test_each_tool_has_its_own_gate(
    profile: Profile, tool: str, gates: list[tuple[int, str]]
) -> None:
    assert [(g.size, g.unit) for g in profile.boundaries_for(tool)] == gates


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/my  shop", "srv_my_shop"),
        ("/home/u/app", "home_u_app"),
        ("C:\\work\\app", "C__work_app"),
    ],
)
def test_a_project_folder_is_named_after_its_path(
    profile: Profile, path: str, name: str
) -> None:
    assert any(rule.fits(name, path) for rule in profile.projects)


@pytest.mark.parametrize(
    ("words", "notice"),
    [
        (
            "[Output truncated: showing 30,000 of 45,678 characters.]\n"
            f"[Full output written to: {PATH}]",
            "letta.chars",
        ),
        (
            "[Output truncated: showing 2,000 of 5,000 lines.] "
            f"[Full output written to: {PATH}]",
            "letta.lines",
        ),
        (
            "[Output truncated: showing 1,000 of 5,000 entries.]\n"
            f"[Full output written to: {PATH}]",
            "letta.items",
        ),
        (f"[Full output written to: {PATH}]", "letta.written"),
    ],
)
def test_each_wording_is_one_notice(profile: Profile, words: str, notice: str) -> None:
    hits = notices_in(f"text\n\n{words}", "result", profile.notices)
    assert [(hit.notice.id, hit.path) for hit in hits] == [(notice, PATH)]
