"""Claude Code's transcripts: which records carry envelopes, and what came of them."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spillview.discovery.discovery import TranscriptFound
from spillview.errors import ArtifactGone, Unreadable
from spillview.model import Mention
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.transcripts import jsonl, read_transcript, record_text
from spillview.transcripts.facts import TranscriptFacts
from tests.stores import (
    OTHER,
    SESSION,
    Claude,
    background,
    envelope_of,
    log_of,
    make_claude,
    numbered,
)


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """Claude Code's own profile."""
    return load_profiles(Places.of_home(str(tmp_path)))[0]["claude-code"]


def found(path: Path, **more: Any) -> TranscriptFound:
    """What discovery says of a transcript."""
    facts = os.stat(path)
    agent = path.stem.removeprefix("agent-") if path.stem.startswith("agent-") else None
    parents = path.parents
    session = parents[1].name if agent else path.stem
    slug = parents[2].name if agent else parents[0].name
    values: dict[str, Any] = {
        "harness": "claude-code",
        "reader": "claude",
        "path": str(path),
        "session": session,
        "parent_session": session if agent else None,
        "agent": agent,
        "project_slug": slug,
        "size": facts.st_size,
        "mtime_ns": facts.st_mtime_ns,
        "dev": facts.st_dev,
        "ino": facts.st_ino,
        "root": str(path.parents[1]),
        "spill_session": session,
    }
    return TranscriptFound(**(values | more))


def read(
    path: Path, profile: Profile, previous: TranscriptFacts | None = None
) -> TranscriptFacts:
    return read_transcript(found(path), profile, previous)


def only(facts: TranscriptFacts) -> Mention:
    assert len(facts.mentions) == 1
    return facts.mentions[0]


def test_envelope_comes_with_its_call_its_claim_and_its_exact_text(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.prompt("Fix the build")
    made = main.spills(log_of(3000), command="make test")
    main.says("All tests pass.")
    main.calls("Bash", command="git commit -am done")
    facts = read(main.write(), profile)
    mention = only(facts)
    assert record_text(mention, profile) == made.envelope
    assert (mention.tool, mention.command) == ("Bash", "make test")
    assert (mention.call_id, mention.path) == (made.call_id, str(made.path))
    assert (mention.failed, mention.exit_code) == (False, None)
    assert (mention.record, mention.place) == (made.record, "result")
    assert mention.version == "2.1.231"
    (claim,) = mention.claims
    assert claim.unit == "bytes"
    assert isinstance(claim.value, int)
    assert abs(claim.value - len(made.data)) <= claim.slack
    assert mention.next is not None
    assert mention.next.text == "All tests pass."
    assert (mention.next.tool, mention.next.command) == ("Bash", "git commit -am done")


def test_session_facts_come_from_its_records(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path, cwd="/srv/app")
    main.record("system", subtype="init", content="started")
    main.prompt("<local-command-stdout>noise</local-command-stdout>")
    main.prompt("Caveat: The messages below were generated", isMeta=True)
    main.prompt("  Fix\nthe   build ")
    main.says("On it.")
    facts = read(main.write(), profile)
    assert (facts.session, facts.project) == (SESSION, "/srv/app")
    assert facts.title == "Fix the build"
    assert (facts.records, facts.skipped) == (5, 0)
    assert facts.started is not None
    assert facts.last_active is not None
    assert facts.last_active - facts.started == 4
    assert facts.key[3] == os.stat(main.transcript).st_mtime_ns


def test_titles_given_later_win_over_the_first_prompt(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.prompt(
        "<command-message>review</command-message>\n"
        "<command-name>/review</command-name>\n<command-args>PR 7</command-args>"
    )
    assert read(main.write(), profile).title == "/review PR 7"
    main.raw(json.dumps({"type": "summary", "summary": "Review of 7", "leafUuid": "x"}))
    assert read(main.write(), profile).title == "Review of 7"
    main.raw(json.dumps({"type": "custom-title", "customTitle": "The review"}))
    main.raw(json.dumps({"type": "summary", "summary": "Later", "leafUuid": "y"}))
    assert read(main.write(), profile).title == "The review"


def test_content_may_be_a_string_or_text_blocks(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    path = main.place("toolu_9.txt")
    call = main.calls("Grep", "toolu_9", pattern="TODO", path="src")
    text = envelope_of(path, b"x" * 60_000, "x" * 2000)
    main.gets(call, [{"type": "text", "text": "first"}, {"type": "text", "text": text}])
    mention = only(read(main.write(), profile))
    assert mention.block == 1
    assert record_text(mention, profile) == text
    assert json.loads(mention.command or "") == {"pattern": "TODO", "path": "src"}


def test_notice_whose_path_ends_in_a_full_stop(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    path = main.place("mcp-srv-get_logs-1770000000000.txt")
    call = main.calls("mcp__srv__get_logs", limit=5)
    text = (
        "Error: result (307,533 characters across 1 line) exceeds maximum allowed "
        f"tokens. Output has been saved to {path}.\nFormat: Plain text\n"
    )
    main.gets(call, text, failed=True)
    mention = only(read(main.write(), profile))
    assert (mention.path, mention.failed) == (str(path), True)
    assert {c.unit: c.value for c in mention.claims} == {"chars": 307_533, "lines": 1}
    assert record_text(mention, profile) == text


def test_missing_closing_tag_ends_with_the_text(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    made = main.spills(log_of(3000), closed=False)
    assert record_text(only(read(main.write(), profile)), profile) == made.envelope


def test_error_state_and_exit_code_are_kept(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path)
    made = main.spills(log_of(3000), failed=True, before="Exit code 2\n")
    mention = only(read(main.write(), profile))
    assert (mention.failed, mention.exit_code) == (True, 2)
    assert record_text(mention, profile) == made.envelope


def test_whole_output_embedded_beside_the_preview_is_noted(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    data = log_of(140_000)
    assert len(data) > 3_000_000
    main.spills(
        data, result={"stdout": data.decode(), "persistedOutputSize": len(data)}
    )
    part = log_of(3000)
    main.spills(part, result={"stdout": part.decode()[:30_000]})
    whole, prefix = read(main.write(), profile).mentions
    assert whole.copy_chars == len(data)
    assert prefix.copy_chars == 0


def test_several_envelopes_in_one_prompt_without_a_call(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    paths = [main.place(f"{n}1111111-2222-4333-8444-555555555555.txt") for n in "123"]
    texts = [envelope_of(path, b"z" * 40_000, "z" * 2000) for path in paths]
    line = main.prompt(
        f"Review this.\n- Current diff: {texts[0]}\n- Log: {texts[1]}\n\n- {texts[2]}"
    )
    main.says("Looks fine.")
    facts = read(main.write(), profile)
    assert [m.path for m in facts.mentions] == [str(path) for path in paths]
    assert [record_text(m, profile) for m in facts.mentions] == texts
    assert {(m.place, m.call_id, m.record) for m in facts.mentions} == {
        ("prompt", None, line)
    }
    assert all(m.next and m.next.text == "Looks fine." for m in facts.mentions)


def test_output_of_a_command_that_a_person_typed(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.prompt("<bash-input>make all</bash-input>")
    text = envelope_of(main.place("b00000001.txt"), b"o" * 40_000, "o" * 2000)
    main.prompt(f"<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>")
    main.says("I see.")
    facts = read(main.write(), profile)
    mention = only(facts)
    assert (mention.tool, mention.command) == ("Bash", "make all")
    assert record_text(mention, profile) == text
    assert facts.title == "! make all"
    assert mention.next is not None


def test_hook_output_in_an_attachment_record(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path)
    path = main.place("hook-toolu_1-2-additionalContext.txt")
    text = envelope_of(path, b"h" * 60_000, "h" * 2000)
    main.record(
        "attachment",
        attachment={
            "type": "hook_additional_context",
            "hookName": "SessionStart",
            "content": [f"SessionStart hook additional context: {text}"],
        },
    )
    mention = only(read(main.write(), profile))
    assert (mention.place, mention.path) == ("attachment", str(path))
    assert record_text(mention, profile) == text


def test_quoted_notices_are_only_text(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path)
    own = envelope_of(main.place("b00000001.txt"), b"q" * 40_000, "q" * 50)
    foreign = envelope_of(
        Path(f"/home/x/.claude/projects/-p/{OTHER}/tool-results/b00000002.txt"),
        b"q" * 40_000,
        "q" * 50,
    )
    read_call = main.calls("Read", file_path="/srv/app/notes.md")
    main.gets(read_call, numbered(own.encode(), 1, 9))
    shell = main.calls("Bash", command="cat notes.md")
    main.gets(shell, f"# Notes\n\nIt printed this:\n{own}\nand no more.")
    shell = main.calls("Bash", command="cat other.md")
    main.gets(shell, foreign)
    search = main.calls("Grep", pattern="persisted")
    main.gets(search, f"notes.md:4:{own}")
    main.says(f"The notice reads {own}")
    main.prompt(f"Somebody else's: {foreign}")
    facts = read(main.write(), profile)
    assert facts.mentions == ()


def test_background_start_and_end_belong_together(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.prompt("Soak it")
    made = background(main, log_of(20), code=2)
    main.says("It failed.")
    start, end = read(main.write(), profile).mentions
    assert record_text(start, profile) == made.envelope
    assert start.path == end.path == str(made.path)
    assert (start.call_id, end.call_id) == (made.call_id, made.call_id)
    assert (start.failed, start.exit_code) == (False, None)
    assert (end.failed, end.exit_code) == (True, 2)
    assert end.tool == "Bash"
    assert end.command == "make soak"
    # A notification is no person's prompt: the decision still counts for both.
    assert start.next is not None
    assert start.next.text == "It failed."


def test_subagent_records_name_their_agent_and_parent_session(
    tmp_path: Path, profile: Profile
) -> None:
    store = make_claude(tmp_path)
    facts = read(store.transcripts[1], profile)
    made = store.made["helper"]
    mention = only(facts)
    assert (facts.session, facts.agent) == (SESSION, "a1b2c3d4e5f6a7b8c")
    assert mention.agent == "a1b2c3d4e5f6a7b8c"
    assert mention.session == SESSION
    assert mention.path == str(made.path)
    assert mention.next is not None
    assert mention.next.text == "No leaks."


def test_next_is_the_first_word_and_call_of_the_same_agent_before_the_next_prompt(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.spills(log_of(3000))
    # Words of a subagent whose records stand in the same file.
    message = {"id": "m", "role": "assistant"}
    main.record(
        "assistant",
        isSidechain=True,
        agentId="a1",
        message=message | {"content": [{"type": "text", "text": "from the helper"}]},
    )
    thought = {"type": "thinking", "thinking": "hidden"}
    main.record("assistant", message=message | {"id": "n", "content": [thought]})
    call = main.calls("Read", file_path="/srv/app/a.py")
    main.gets(call, "     1→x")
    main.says("Then this.")
    main.says("And that.")
    main.spills(log_of(2500), command="make lint")
    main.prompt("Stop")
    main.says("Stopped.")
    first, second = read(main.write(), profile).mentions
    assert first.next is not None
    assert (first.next.tool, first.next.text) == ("Read", "Then this.")
    assert second.next is None


def test_calls_of_the_same_message_are_no_decision_on_the_result(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    one = main.calls("Bash", command="make a")
    path = main.place("b00000001.txt")
    message = main._message
    main.gets(one, envelope_of(path, b"a" * 40_000, "a" * 2000))
    main._message = message
    two = main.calls("Bash", command="make b")
    main.gets(two, "ok")
    main.says("Both are done.")
    mention = only(read(main.write(), profile))
    assert mention.next is not None
    assert (mention.next.text, mention.next.tool) == ("Both are done.", None)


@pytest.mark.parametrize("path", ["undefined", "null"])
def test_notice_without_a_real_path_is_kept_with_the_calls_name(
    tmp_path: Path, profile: Profile, path: str
) -> None:
    main = Claude(tmp_path)
    call = main.calls("Bash", command="make docs")
    text = envelope_of(Path(path), b"d" * 40_000, "d" * 2000)
    main.gets(call, text)
    mention = only(read(main.write(), profile))
    assert (mention.path, mention.tool, mention.command) == (path, "Bash", "make docs")


def test_results_cut_with_nothing_saved_are_told_one_by_one(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    for number in range(12):
        call = main.calls("Bash", command=f"make step{number}")
        half = f"line of step {number}\n" * 300
        if number % 2:
            text = (
                f"Exit code 1\n{half}\n\n... [4000 characters truncated] ...\n\n{half}"
            )
        else:
            text = f"{half * 5}\n\n... [638 lines truncated] ..."
        main.gets(call, text, failed=bool(number % 2))
    call = main.calls("mcp__srv__dump")
    main.gets(
        call,
        'MCP tool "dump" response (40000 tokens) exceeds maximum allowed tokens',
        failed=True,
    )
    facts = read(main.write(), profile)
    assert [m.path for m in facts.mentions] == [None] * 13
    assert [m.command for m in facts.mentions[:12]] == [
        f"make step{n}" for n in range(12)
    ]
    assert [m.exit_code for m in facts.mentions[:4]] == [None, 1, None, 1]


def test_text_about_a_cut_is_no_cut(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path)
    call = main.calls("Bash", command="cat README")
    main.gets(call, "It prints\n\n... [12 characters truncated] ...\n\nthere.")
    call = main.calls("Read", file_path="/srv/app/big.log")
    main.gets(
        call, "File content (31,204 tokens) exceeds maximum allowed tokens (25000)."
    )
    assert read(main.write(), profile).mentions == ()


def test_field_that_names_the_artifact_where_the_text_does_not(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    path = main.place("b00000007.txt")
    call = main.calls("Bash", command="make")
    main.gets(call, "first lines", result={"persistedOutputPath": str(path)})
    mention = only(read(main.write(), profile))
    assert (mention.path, mention.notice) == (str(path), "claude.pointer")
    assert record_text(mention, profile) == "first lines"


def test_results_replaced_later_are_found(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path)
    one = main.calls("Bash", command="make one")
    main.gets(one, "long text")
    path = main.place(f"{one}.txt")
    text = envelope_of(path, b"r" * 40_000, "r" * 2000)
    main.record(
        "content-replacement",
        replacements=[{"kind": "tool-result", "toolUseId": one, "replacement": text}],
    )
    mention = only(read(main.write(), profile))
    assert (mention.call_id, mention.tool, mention.path) == (one, "Bash", str(path))
    assert record_text(mention, profile) == text


def test_later_calls_that_name_an_artifact_are_touches(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    made = main.spills(log_of(3000))
    main.gets(main.calls("Read", file_path=str(made.path), offset=10, limit=3), "x")
    main.gets(main.calls("Bash", command=f'tail -5 "{made.path}" | cat'), "y")
    main.gets(
        main.calls("Bash", command=f"cd {made.path.parent} && tail -5 {made.name}"), "z"
    )
    main.gets(main.calls("TaskOutput", task_id="b1ntnzdfb"), "<output>t</output>")
    main.gets(main.calls("Grep", pattern="x"), f"{made.path}:7:hit\nb.py:1:x")
    main.gets(main.calls("Edit", file_path=str(made.path), new_string=""), "edited")
    main.gets(main.calls("Bash", command="ls"), "README.md")
    main.calls("Read", file_path=str(made.path))
    facts = read(main.write(), profile)
    assert [(t.tool, t.names != (), t.shown) for t in facts.touches] == [
        ("Read", True, ()),
        ("Bash", True, ()),
        ("Bash", True, ()),
        ("TaskOutput", True, ()),
        ("Grep", False, (str(made.path),)),
    ]
    assert facts.touches[0].names == (str(made.path),)
    assert made.name in facts.touches[2].names
    assert facts.touches[3].names == ("b1ntnzdfb.output",)
    assert [record_text(t, profile) for t in facts.touches[:2]] == ["x", "y"]
    assert len(facts.pending) == 1


def test_call_that_was_never_answered_is_given_up_at_the_next_prompt(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    made = main.spills(log_of(3000))
    main.calls("Read", file_path=str(made.path))
    assert len(read(main.write(), profile).pending) == 1
    main.prompt("Never mind")
    facts = read(main.write(), profile)
    assert (facts.pending, facts.touches) == ((), ())


@pytest.mark.parametrize("exact", [True, False])
def test_bare_name_counts_once_a_call_went_into_the_folder(
    tmp_path: Path, profile: Profile, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exact:
        monkeypatch.setattr(jsonl, "EXACT", 0)
    main = Claude(tmp_path)
    main.prompt("Look")
    made = main.spills(log_of(3000))
    for number in range(20):
        main.says(f"word {number}")
    main.gets(main.calls("Bash", command=f"cd {made.path.parent}"), "")
    main.gets(main.calls("Bash", command=f"tail -1 {made.name}"), "FAILED (errors=3)")
    first = read(main.write(), profile)
    assert first.touches[-1].names == (made.name,)
    main.gets(main.calls("Bash", command=f"head -1 {made.name}"), "x")
    second = read(main.write(), profile, first)
    assert second.touches[-1].command == f"head -1 {made.name}"


def test_broken_records_leave_the_rest_and_are_counted(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.prompt("Build")
    main.raw('{"type":"assistant","message":{"content":[{"type":"te')
    main.raw(b"\0" * 512)
    main.raw('{"type":"no-such-type","payload":[1,{"deep":null}]}')
    main.raw('{"type":"user","message":{"content":[7,null,{"type":"tool_result"}]}}')
    main.raw('{"type":"assistant","message":"text"}')
    main.raw('{"type":"attachment","attachment":null}')
    made = main.spills(log_of(3000))
    facts = read(main.write(end=b'\n{"type":"user","mess'), profile)
    assert only(facts).record == made.record
    assert (facts.skipped, facts.unfinished) == (2, True)
    assert facts.records == len(main.lines) - 2


def test_growing_transcript_is_gone_on_from(tmp_path: Path, profile: Profile) -> None:
    main = Claude(tmp_path)
    main.prompt("Build")
    made = main.spills(log_of(3000))
    call = main.calls("Read", file_path=str(made.path), offset=1, limit=2)
    first = read(main.write(end=b'\n{"type":"assis'), profile)
    assert only(first).next is not None
    assert first.unfinished
    kept = TranscriptFacts.from_json(first.to_json())
    assert kept == first
    main.gets(call, numbered(made.data, 1, 2))
    main.says("Only steps.")
    main.spills(log_of(2000), command="make more")
    path = main.write()
    second = read(path, profile, kept)
    assert second == read(path, profile)
    assert not second.unfinished
    assert second.mentions[0].next is not None
    assert second.mentions[0].next.text == "Only steps."
    assert len(second.touches) == 1


def test_only_what_is_new_is_read(
    tmp_path: Path, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = Claude(tmp_path)
    for number in range(40):
        main.says(f"word {number}")
    first = read(main.write(), profile)
    main.says("one more")
    path = main.write()
    passed: list[int] = []
    whole = jsonl.pieces

    def pieces(pread: Any, start: int, end: int, cancelled: Any) -> Any:
        passed.append(end - start)
        return whole(pread, start, end, cancelled)

    monkeypatch.setattr(jsonl, "pieces", pieces)
    second = read(path, profile, first)
    assert passed == [path.stat().st_size - first.size_read]
    assert second.records == first.records + 1


@pytest.mark.parametrize("change", ["truncated", "rewritten", "replaced"])
def test_transcript_that_did_not_just_grow_is_read_anew(
    tmp_path: Path, profile: Profile, change: str
) -> None:
    main = Claude(tmp_path)
    main.prompt("Build")
    main.spills(log_of(3000))
    first = read(main.write(), profile)
    other = Claude(tmp_path)
    other.prompt("Another beginning")
    other.says("Short" if change == "truncated" else "Long " * 5000)
    if change == "replaced":
        main.transcript.rename(tmp_path / "old")
    path = other.write()
    assert read(path, profile, first) == read(path, profile)
    assert read(path, profile, first).mentions == ()


def test_stopped_reading_can_be_gone_on_from(
    tmp_path: Path, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 4096)
    main = Claude(tmp_path)
    for number in range(8):
        main.spills(log_of(3000), command=f"make {number}")
    path = main.write()
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 4

    part = read_transcript(found(path), profile, None, cancelled)
    assert 0 < part.size_read < path.stat().st_size
    rest = read(path, profile, part)
    assert rest.mentions == read(path, profile).mentions


def test_large_transcript_gives_the_same_facts_as_a_small_one(
    tmp_path: Path, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_claude(tmp_path)
    path = store.transcripts[0]
    whole = read(path, profile)
    monkeypatch.setattr(jsonl, "EXACT", 0)
    assert read(path, profile) == whole
    assert len(whole.mentions) == 5


def test_record_that_changed_since_is_not_passed_off_as_the_envelope(
    tmp_path: Path, profile: Profile
) -> None:
    main = Claude(tmp_path)
    main.spills(log_of(3000))
    mention = only(read(main.write(), profile))
    data = main.transcript.read_bytes()
    main.transcript.write_bytes(data.replace(b"persisted-output", b"persisted-0utput"))
    with pytest.raises(ArtifactGone, match="no longer what it was"):
        record_text(replace(mention, offset=mention.offset + 3), profile)
    main.transcript.unlink()
    with pytest.raises(ArtifactGone):
        record_text(mention, profile)


def test_transcript_that_is_no_file_is_refused(
    tmp_path: Path, profile: Profile
) -> None:
    path = tmp_path / "s.jsonl"
    os.mkfifo(path)
    with pytest.raises(Unreadable, match="FIFO"):
        read(path, profile)
    with pytest.raises(Unreadable, match="No reader"):
        read_transcript(found(path, reader="no-such"), profile)
