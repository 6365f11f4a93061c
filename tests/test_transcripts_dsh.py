"""dsh's session logs: raw and zstd, notices, forks, sub-calls, replaced results."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.content import open_content
from spillview.discovery.discovery import TranscriptFound
from spillview.model import Mention
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.transcripts import frames, jsonl, read_transcript, record_text
from spillview.transcripts.facts import TranscriptFacts
from spillview.transcripts.notices import notices_in
from tests.stores import (
    HINT,
    Dsh,
    bounded,
    compress,
    log_of,
    make_dsh,
    numbered,
    policy_notice,
)

LOCATOR = "/tmp/dsh-spill-AbC123/session-abe633f3a47a/0123456789ab-bash.txt"


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """dsh's own profile."""
    return load_profiles(Places.of_home(str(tmp_path)))[0]["dsh"]


@pytest.fixture
def log(tmp_path: Path) -> Dsh:
    """An empty session."""
    return Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")


def found(path: Path) -> TranscriptFound:
    facts = os.stat(path)
    return TranscriptFound(
        harness="dsh",
        reader="dsh",
        path=str(path),
        session=path.parent.name,
        parent_session=None,
        agent=None,
        project_slug=path.parents[1].name,
        size=facts.st_size,
        mtime_ns=facts.st_mtime_ns,
        dev=facts.st_dev,
        ino=facts.st_ino,
        root=str(path.parents[3]),
        spill_session="",
    )


def read(
    path: Path, profile: Profile, previous: TranscriptFacts | None = None
) -> TranscriptFacts:
    return read_transcript(found(path), profile, previous)


def only(facts: TranscriptFacts) -> Mention:
    assert len(facts.mentions) == 1
    return facts.mentions[0]


@pytest.mark.parametrize("zstd", [True, False])
def test_envelope_comes_with_its_call_and_what_the_agent_did_next(
    tmp_path: Path, profile: Profile, zstd: bool
) -> None:
    log = Dsh(tmp_path, tmp_path / "dsh-spill-AbC123", zstd=zstd)
    log.prompt("Run the  build")
    made = log.spills(log_of(6000), command="make all")
    log.calls("read", saying="Three errors.", file_path="/srv/app/a.c")
    log.prompt("Go on")
    log.says("Later.")
    facts = read(log.write(), profile)
    mention = only(facts)
    assert record_text(mention, profile) == made.envelope
    assert (mention.tool, mention.command) == ("bash", "make all")
    assert (mention.call_id, mention.path) == (made.call_id, str(made.path))
    assert (mention.record, mention.failed, mention.exit_code) == (
        made.record,
        False,
        None,
    )
    omitted = len(made.data) - sum(end - start for start, end in made.seen)
    assert [(c.unit, c.value) for c in mention.claims] == [("omitted_bytes", omitted)]
    assert mention.next is not None
    assert (mention.next.text, mention.next.tool) == ("Three errors.", "read")
    assert (facts.session, facts.project, facts.title) == (
        "sess-1",
        "/srv/app",
        "Run the build",
    )
    assert facts.records == len(log.rows)
    assert (facts.skipped, facts.unfinished) == (0, False)


def test_torn_last_frame_is_read_as_far_as_it_goes_and_gone_on_from(
    tmp_path: Path, profile: Profile, log: Dsh
) -> None:
    log.prompt("Build")
    log.spills(log_of(6000))
    log.says("Errors.")
    whole = compress(
        b'{"type":"turn/end","seq":99,"time":1795000100000,"data":{}}\n' * 40
    )
    path = log.write(torn=whole[: len(whole) // 2])
    first = read(path, profile)
    assert first.unfinished
    assert (first.skipped, len(first.mentions)) == (0, 1)
    kept = TranscriptFacts.from_json(first.to_json())
    assert kept == first
    log.spills(log_of(4000, last="ok"), command="make again")
    log.says("Fine.")
    path = log.write()
    second = read(path, profile, kept)
    assert second == read(path, profile)
    assert not second.unfinished
    assert [m.command for m in second.mentions] == ["make", "make again"]


def test_growing_zstd_log_is_read_on_from_its_last_frame(
    profile: Profile, log: Dsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.prompt("Build")
    for number in range(20):
        log.gets(log.calls("bash", command=f"echo {number}"), str(number))
    first = read(log.write(), profile)
    log.gets(log.calls("bash", command="echo more"), "more")
    path = log.write()
    starts: list[int] = []
    pread = frames.Frames.__iter__

    def spy(self: frames.Frames) -> Any:
        starts.append(self.start.file)
        return pread(self)

    monkeypatch.setattr(frames.Frames, "__iter__", spy)
    second = read(path, profile, first)
    assert starts == [first.size_read]
    assert first.size_read > 0
    assert second.records == len(log.rows)
    assert second == read(path, profile)


def test_broken_frame_in_the_middle_loses_only_its_own_events(
    tmp_path: Path, profile: Profile, log: Dsh
) -> None:
    log.prompt("Build")
    log.spills(log_of(6000))
    good = log.write().read_bytes()
    bad = bytearray(compress(b'{"type":"lost","seq":1,"data":{}}\n' * 30))
    bad[10:] = b"\x00" * (len(bad) - 10)
    late = Dsh(tmp_path, tmp_path / "x", session="late")
    late.rows, late.batches = [], []
    made = late.spills(log_of(5500), command="make late")
    log.log.write_bytes(good + bytes(bad) + late.write().read_bytes())
    facts = read(log.log, profile)
    assert [m.command for m in facts.mentions] == ["make", "make late"]
    assert facts.skipped == 1
    assert record_text(facts.mentions[1], profile) == made.envelope


@pytest.mark.parametrize("exact", [True, False])
def test_packed_rows_of_streamed_text_are_no_events(
    profile: Profile, log: Dsh, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exact:
        monkeypatch.setattr(jsonl, "EXACT", 0)
    log.prompt("Build")
    log.rows.append({"type": "text-chunks", "chunks": ["a", "b"], "times": [1, 2]})
    log.rows.append({"type": "reasoning-chunks", "chunks": ["(Omitted"]})
    log.rows.append({"type": "tool-call-chunks", "chunks": ["{"]})
    made = log.spills(log_of(6000))
    facts = read(log.write(), profile)
    assert only(facts).record == made.record
    assert facts.records == len(log.rows)


def test_failure_is_told_by_error_state_or_by_the_shells_last_mark(
    profile: Profile, log: Dsh
) -> None:
    data = log_of(6000).rstrip(b"\n")
    log.spills(data + b"\n[exit code: 2]", command="make a")
    log.spills(data + b"\n[killed by signal: SIGKILL]", command="make b")
    log.spills(data + b"\n[timed out after 5000ms]", command="make c")
    log.spills(data, command="make d", error=True)
    log.spills(data, command="make e")
    facts = read(log.write(), profile)
    assert [(m.failed, m.exit_code) for m in facts.mentions] == [
        (True, 2),
        (True, None),
        (True, None),
        (True, None),
        (False, None),
    ]


def test_program_gets_the_whole_of_a_sub_call_and_the_log_a_bounded_copy(
    profile: Profile, log: Dsh
) -> None:
    call = log.calls("run_code", code="return await bash('make')")
    path = log.place("bash.txt")
    data = log_of(6000)
    text, _ = bounded(data, path)
    log.event(
        "tool/code-dispatch",
        {
            "rootCallId": call,
            "parentCallId": call,
            "subCallId": f"{call}:code:1",
            "name": "bash",
            "arguments": {"command": "make"},
            "isError": False,
            "content": [{"type": "text", "text": text}],
        },
    )
    log.gets(call, "done")
    mention = only(read(log.write(), profile))
    assert (mention.tool, mention.command) == ("bash", "make")
    assert mention.call_id == f"{call}:code:1"
    assert not mention.given
    assert record_text(mention, profile) == text


def test_replaced_result_is_a_further_record_and_no_new_decision(
    profile: Profile, log: Dsh
) -> None:
    made = log.spills(log_of(6000))
    log.says("Errors.")
    text = made.envelope
    pruned = text[:4096] + "\n\n[... tool result middle pruned ...]\n\n" + text[-1024:]
    assert made.call_id is not None
    log.gets(made.call_id, pruned, surfaceOp={"op": "replace", "start": 1, "end": 2})
    log.says("Much later.")
    first, second = read(log.write(), profile).mentions
    assert (first.call_id, second.call_id) == (made.call_id, made.call_id)
    assert record_text(second, profile) == pruned
    assert first.next is not None
    assert first.next.text == "Errors."
    assert second.next is None


def test_fork_names_its_parent_and_repeats_its_records(
    tmp_path: Path, profile: Profile
) -> None:
    store = make_dsh(tmp_path, tmp_path / "tmp")
    first, fork = (read(path, profile) for path in store.transcripts)
    assert (first.session, first.parents) == ("sess-1", ())
    assert (fork.session, fork.parents) == ("sess-2", ("sess-1",))
    assert [m.path for m in fork.mentions] == [
        str(store.made["build"].path),
        str(store.made["fork"].path),
    ]


def test_search_and_list_notices(profile: Profile, log: Dsh) -> None:
    where = log.place("grep-results.txt")
    call = log.calls("grep", pattern="TODO", path=".")
    log.gets(
        call,
        "Found 2 of 900 matches\n\na.py\nLine 1: x\nLine 9: y\n\n"
        f"(Full grep result stored at: {where}. {HINT})",
    )
    listed = log.place("glob-results.txt")
    call = log.calls("glob", pattern="**/*.py")
    log.gets(
        call,
        "a\nb\n\n(Showing 2 of 9000 paths, newest first. "
        f"Full sorted result stored at: {listed}. {HINT})",
    )
    facts = read(log.write(), profile)
    assert [(m.tool, m.path) for m in facts.mentions] == [
        ("grep", str(where)),
        ("glob", str(listed)),
    ]
    assert json.loads(facts.mentions[0].command or "") == {
        "pattern": "TODO",
        "path": ".",
    }


def test_each_stream_of_a_command_points_at_its_own_log(
    profile: Profile, log: Dsh
) -> None:
    out = "/tmp/dsh-subprocess-AbC123/dsh-subprocess-42-1-0123456789ab-stdout.log"
    err = "/tmp/dsh-subprocess-AbC123/dsh-subprocess-42-1-0123456789ab-stderr.log"
    call = log.calls("bash", command="make")
    text = (
        f"tail of out\n[output truncated; full output: {out}]\n[stderr]\ntail of err\n"
        f"[output truncated; full output: {err}]\n[exit code: 1]"
    )
    log.gets(call, text)
    call = log.calls("bash", command="make more")
    log.gets(call, "tail\n[output truncated; full output: (unavailable)]")
    call = log.calls("job_read", id="j1")
    log.gets(
        call,
        f"x\n[some output was dropped from memory; full output: {out}, {err}]",
    )
    first, second, lost, *dropped = read(log.write(), profile).mentions
    assert (first.path, second.path, lost.path) == (out, err, None)
    assert "tail of out" in record_text(first, profile)
    assert "tail of err" in record_text(second, profile)
    assert "tail of out" not in record_text(second, profile)
    assert (first.failed, first.exit_code) == (True, 1)
    assert [m.path for m in dropped] == [out, err]


def test_reads_of_an_artifact_are_touches(profile: Profile, log: Dsh) -> None:
    made = log.spills(log_of(6000))
    call = log.calls("read", file_path=str(made.path), offset=10, limit=2)
    log.gets(call, numbered(made.data, 10, 11, "{n}: {line}"))
    log.gets(log.calls("bash", command=f"tail -3 {made.path}"), "x")
    log.gets(log.calls("grep", pattern="x", path="."), f"{made.path}:7: hit\n")
    log.calls("read", file_path=str(made.path))
    facts = read(log.write(), profile)
    assert [(t.tool, t.names, t.shown) for t in facts.touches] == [
        ("read", (str(made.path),), ()),
        ("bash", (str(made.path),), ()),
        ("grep", (), (str(made.path),)),
    ]
    assert len(facts.pending) == 1


def test_every_form_of_the_policys_notice(profile: Profile) -> None:
    for words in (
        "Omitted 1417 bytes. ",
        "",
        "More bytes were omitted. ",
        "Omitted 12 bytes. Omitted 2 images. ",
    ):
        notice = f"({words}Full formatted result stored at: {LOCATOR}. {HINT})"
        for text in (notice, f"head of it\n\n{notice}", f"{notice}\n"):
            (hit,) = notices_in(text, "result", profile.notices)
            assert hit.path == LOCATOR
    odd = "/srv/a b (c) 日本/session-abe633f3a47a/0123456789ab-a.txt"
    notice = f"(Omitted 1 bytes. Full formatted result stored at: {odd}. a (b)\nc)"
    (hit,) = notices_in(f"x\n\n{notice}", "result", profile.notices)
    assert hit.path == odd


@pytest.mark.parametrize(
    "text",
    [
        f"x\n(Omitted 5 bytes. Full formatted result stored at: {LOCATOR}. {HINT})",
        f"x (Omitted 5 bytes. Full formatted result stored at: {LOCATOR}. {HINT})",
        f"x\n\n(Omitted 5 bytes. Full formatted result stored at: {LOCATOR}. {HINT}",
        f"x\n\n(Omitted 5 bytes. Full formatted result stored at: {LOCATOR}. {HINT}) y",
        f"x\n\n(Omitted -1 bytes. Full formatted result stored at: {LOCATOR}. {HINT})",
        f"x\n\n(Omitted 1.5 bytes. Full formatted result stored at: {LOCATOR}. {HINT})",
        f"x\n\n(Omitted 042 bytes. Full formatted result stored at: {LOCATOR}. {HINT})",
        f"x\n\n(Dropped 42 bytes. Full formatted result stored at: {LOCATOR}. {HINT})",
        f"x\n\n(Omitted 42 bytes. Full formatted result stored at: {LOCATOR})",
    ],
)
def test_what_only_looks_like_the_policys_notice_is_text(
    profile: Profile, text: str
) -> None:
    assert notices_in(text, "result", profile.notices) == []


def test_false_starts_without_number_end_quickly(profile: Profile) -> None:
    start = f"\n\n(Omitted 5 bytes. Full formatted result stored at: {LOCATOR}. x"
    assert notices_in(start * 200_000, "result", profile.notices) == []
    assert notices_in("\n\n(Omitted " * 200_000, "result", profile.notices) == []


@given(
    st.lists(st.binary(min_size=0, max_size=60), max_size=6),
    st.integers(0, 40),
    st.integers(0, 30),
)
def test_text_of_any_frames_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[bytes],
    offset: int,
    length: int,
) -> None:
    path = tmp_path_factory.mktemp("zstd") / "log.zstd"
    path.write_bytes(b"".join(compress(part) for part in parts))
    whole = b"".join(parts)
    content = open_content(str(path))
    try:
        stream = frames.Frames(content, frames.Mark(0, 0))
        assert b"".join(stream) == whole
        assert (stream.broken, stream.torn) == (0, False)
        for mark in stream.marks[1:]:
            again = frames.Frames(content, mark)
            assert b"".join(again) == whole[mark.text :]
        assert (
            frames.text_at(content, offset, length) == whole[offset : offset + length]
        )
    finally:
        content.close()


def test_notice_priced_with_the_whole_size_may_stand_alone(
    profile: Profile, log: Dsh
) -> None:
    path = log.place("bash.txt")
    call = log.calls("bash", command="make")
    log.gets(call, policy_notice(2022, path))
    mention = only(read(log.write(), profile))
    assert mention.path == str(path)
