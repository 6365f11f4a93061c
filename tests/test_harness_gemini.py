"""Gemini CLI beyond its made store: records of every shape, names, folders, moves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.discovery.working_folders import Folders, digest_of
from spillview.model import Artifact
from spillview.places import Places
from spillview.profiles.file import built_in, check_profile
from spillview.profiles.profile import Profile
from spillview.transcripts import gemini
from spillview.transcripts.events import About, Called, Event, Prompted, Returned, Said
from tests.harness_stores import make

KEYS = ["id", "type", "content", "toolCalls", "result", "functionResponse", "$set"]
KEYS += ["response", "output", "text", "messages", "sessionId", ""]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def profile() -> Profile:
    return next(p for p in built_in() if p.harness == "gemini-cli")


def told(record: dict[str, Any], state: dict[str, Any] | None = None) -> list[Event]:
    return list(gemini.events(record, {} if state is None else state))


def message(kind: str, **more: Any) -> dict[str, Any]:
    return {"id": "m1", "timestamp": "2026-11-18T10:00:00Z", "type": kind, **more}


def answered(text: str, **more: Any) -> dict[str, Any]:
    answer = {"id": "c1", "name": "run_shell_command", "response": {"output": text}}
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}}
    result = [{"functionResponse": answer}]
    return message("gemini", content="", toolCalls=[{**call, "result": result, **more}])


def listed(home: Path, *paths: Path) -> list[Artifact]:
    catalogue = Catalogue(Places.of_home(str(home)))
    query = Query(paths=tuple(map(str, paths))) if paths else None
    return list(catalogue.complete(catalogue.scan(query)))


def test_the_profile_is_sound(profile: Profile) -> None:
    check_profile(profile)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["id", "type", "$set", "", "content"]), JSON))
def test_no_record_is_too_odd(record: dict[str, Any]) -> None:
    told(record)
    told({"id": "m", "type": "gemini", "toolCalls": [record], "content": [record]})
    told({"$set": {"messages": [record], "directories": record}})


def test_a_record_tells_the_same_texts_whatever_was_read_before() -> None:
    state: dict[str, Any] = {}
    record = message("user", content=[{"text": "one"}, {"text": "two"}])
    first, again = told(record, state), told(record, state)
    texts = [[e.text for e in es if isinstance(e, Prompted)] for es in (first, again)]
    assert texts == [["one", "two"], ["one", "two"]]
    places = [{e.place for e in es if isinstance(e, Prompted)} for es in (first, again)]
    assert places == [{"prompt"}, {"attachment"}]


def test_words_and_calls_are_told_once_however_often_they_are_written() -> None:
    state: dict[str, Any] = {}
    record = message(
        "gemini", content="Done.", toolCalls=[{"id": "c1", "name": "glob", "args": {}}]
    )
    kinds = [type(e) for e in told(record, state)]
    assert kinds.count(Said) == kinds.count(Called) == 1
    kinds = [type(e) for e in told(record, state)]
    assert Said not in kinds
    assert Called not in kinds


def test_what_is_remembered_stays_small() -> None:
    state: dict[str, Any] = {}
    for n in range(gemini.REMEMBERED + 500):
        told({"id": f"m{n}", "type": "user", "content": "x"}, state)
    assert len(state["m"]) == gemini.REMEMBERED
    json.dumps(state)


@pytest.mark.parametrize(
    ("text", "status", "code", "failed"),
    [
        ("Output: x\nExit Code: 2\nProcess Group PGID: 7", "success", 2, True),
        ("Output: x\nExit Code: 0\nProcess Group PGID: 7", "success", 0, False),
        ("x", "error", None, True),
        ("x", "success", None, False),
        ("x", "cancelled", None, None),
        ("Exit Code: 2 is what it says\nx", "success", None, False),
    ],
)
def test_a_shell_fails_by_its_exit_code(
    text: str, status: str, code: int | None, failed: bool | None
) -> None:
    (result,) = (
        e for e in told(answered(text, status=status)) if isinstance(e, Returned)
    )
    assert (result.exit_code, result.failed) == (code, failed)
    assert result.texts == (text,)


def test_a_call_takes_its_own_response_of_a_turns_many() -> None:
    def response(ident: str) -> dict[str, Any]:
        return {"functionResponse": {"id": ident, "response": {"output": ident}}}

    both = [response("a"), response("b")]
    calls = [{"id": i, "name": "glob", "args": {}, "result": both} for i in "ab"]
    record = message("gemini", content="", toolCalls=calls)
    results = [e for e in told(record) if isinstance(e, Returned)]
    assert [(r.call_id, r.texts) for r in results] == [("a", ("a",)), ("b", ("b",))]


def test_a_subagents_own_id_is_not_the_conversations() -> None:
    facts = {"sessionId": "agent-1", "projectHash": "x", "kind": "subagent"}
    assert all(e.session is None for e in told(facts) if isinstance(e, About))
    facts["kind"] = "main"
    assert any(e.session == "agent-1" for e in told(facts) if isinstance(e, About))


@pytest.mark.parametrize(
    ("name", "tool", "call_id"),
    [
        ("run_shell_command__1.txt", "run_shell_command", "run_shell_command__1"),
        ("run_shell_command_3.txt", "run_shell_command", None),
        ("run_shell_command_call_1.txt", "run_shell_command", None),
        ("srv_query_call_1.txt", None, None),
        ("call_1.output", None, "call_1"),
        (
            "glob-1794900000000-a1b2.output",
            "glob",
            "glob-1794900000000-a1b2",
        ),
        ("read_file_c1_intent_7.txt", "read_file", None),
    ],
)
def test_names_of_every_version_are_read(
    profile: Profile, name: str, tool: str | None, call_id: str | None
) -> None:
    read = profile.read_name(name)
    assert read is not None
    assert (read[1].get("tool"), read[1].get("call_id")) == (tool, call_id)


def test_copies_of_a_migration_are_told_and_not_listed(tmp_path: Path) -> None:
    make("gemini_cli", tmp_path)
    artifacts = {Path(a.found.path).name: a for a in listed(tmp_path)}
    artifact = artifacts["call_w1.output"]
    assert artifact.link is not None
    assert artifact.link.note == (
        f"A copy lies at {tmp_path}/.gemini/tmp/shop/call_w1.output."
    )
    assert len(artifact.link.mentions) == 1
    for other in artifacts.values():
        assert other.link is None or len(other.link.mentions) <= 1, other.found.name


def test_records_find_the_copy_once_the_older_folder_is_gone(tmp_path: Path) -> None:
    make("gemini_cli", tmp_path)
    tmp = tmp_path / ".gemini" / "tmp"
    shutil.rmtree(tmp / digest_of("/srv/shop"))
    artifacts = listed(tmp_path)
    states = {
        a.found.name: a.link.state
        for a in artifacts
        if a.link and a.found.project_slug == "shop"
    }
    assert len(states) == 7
    assert sorted(states) == sorted(n for n in states if n)
    assert {n for n, s in states.items() if s != "linked"} == {
        "run_shell_command__41.txt"
    }
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    catalogue.scan()
    assert len(catalogue.missing()) == 1


def test_a_working_folder_names_both_of_its_project_folders(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    tmp = home / ".gemini" / "tmp"
    for slug in ("work", digest_of(str(work)), "other"):
        (tmp / slug).mkdir(parents=True)
        (tmp / slug / f"call_{slug[:4]}.output").write_text("x" * 50)
    (tmp / "work" / ".project_root").write_text(str(work))
    (tmp / "other" / ".project_root").write_text("/srv/elsewhere")
    catalogue = Catalogue(Places.of_home(str(home)))
    found = catalogue.scan(Query(paths=(str(work),)))
    assert sorted(a.found.project_slug or "" for a in found) == sorted(
        ["work", digest_of(str(work))]
    )
    assert {a.project for a in found} == {str(work)}


@pytest.mark.parametrize(
    "content",
    [b"", b"relative/path", b"/a\0b", b"/a\nb", b"/" + b"x" * 5000, b"\xff\xfe"],
)
def test_a_marker_that_holds_no_path_says_nothing(
    profile: Profile, tmp_path: Path, content: bytes
) -> None:
    folder = tmp_path / "tmp" / "slug"
    folder.mkdir(parents=True)
    (folder / ".project_root").write_bytes(content)
    (tmp_path / "projects.json").write_bytes(b'{"projects": [1, {"a": 2}]}')
    assert Folders(profile, str(tmp_path), ["slug"]).paths == {}


def test_a_marker_that_is_no_file_is_not_opened(
    profile: Profile, tmp_path: Path
) -> None:
    import os

    folder = tmp_path / "tmp" / "slug"
    folder.mkdir(parents=True)
    os.mkfifo(folder / ".project_root")
    assert Folders(profile, str(tmp_path), ["slug"]).paths == {}
