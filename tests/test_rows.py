"""Rows: the facts under their fixed names, null where nothing is known."""

from __future__ import annotations

import base64
import os
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.catalogue.rows import (
    artifact_row,
    missing_row,
    problem_row,
    session_row,
)
from spillview.model import (
    Artifact,
    Boundary,
    Claim,
    Counts,
    Found,
    Line,
    Link,
    Mention,
    Missing,
    Next,
    Problem,
    Read,
    Seen,
    Session,
)

FOUND = Found(
    id="9f2c51ab03d4e617",
    harness="claude-code",
    path="/s/toolu_01.txt",
    name="toolu_01.txt",
    session="s-1",
    root="/s",
    size=978_702,
    mtime_ns=1_795_000_000 * 10**9,
)
COUNTS = Counts(978_702, 822_582, 822_582, 16_544, "utf-8", "text")
MENTION = Mention(
    transcript="/s.jsonl",
    session="s-1",
    record=7,
    offset=0,
    length=1,
    place="result",
    notice="n",
    path="/s/toolu_01.txt",
    claims=(Claim("bytes", 978_700, 50),),
    call_id="toolu_01",
    tool="Bash",
    command="grep -rn TODO .",
    failed=False,
    time=1_794_999_000.5,
    next=Next("Fine.", "Bash", "ls"),
)
LINKED = Artifact(
    FOUND,
    COUNTS,
    Link("linked", (MENTION,), (), Seen(((0, 2000),)), False, "fail"),
    (Boundary(30_000, "chars"),),
    project="/srv/app",
    session="s-1",
)


def test_a_row_carries_raw_integers_and_utc_times() -> None:
    row = artifact_row(LINKED)
    assert (row["bytes"], row["chars"], row["lines"]) == (978_702, 822_582, 16_544)
    assert row["tokens"] == 244_676
    assert row["ratio"] == 822_582 / 30_000
    assert row["boundaries"] == [[30_000, "chars"]]
    assert row["created"] == "2026-11-18T10:50:00Z"
    assert row["modified"] == "2026-11-18T11:06:40Z"
    assert row["seen_bytes"] == 2000
    assert (row["verdict"], row["verdict_seen"]) == ("fail", False)
    assert row["read_back"] is False
    for absent in ("truncated", "path_b64", "target", "error", "note"):
        assert absent not in row


def test_the_boundary_with_the_highest_ratio_is_the_main_one() -> None:
    gates = (Boundary(2000, "lines"), Boundary(51_200, "bytes"))
    row = artifact_row(replace(LINKED, boundaries=gates))
    assert (row["boundary"], row["boundary_unit"]) == (51_200, "bytes")
    assert row["boundaries"] == [[2000, "lines"], [51_200, "bytes"]]


def test_an_orphan_knows_nothing_of_what_was_seen() -> None:
    row = artifact_row(Artifact(FOUND, COUNTS, Link("orphan")))
    assert row["link"] == "orphan"
    for name in ("seen_bytes", "verdict_seen", "read_back", "created", "failed"):
        assert row[name] is None
    assert row["verdict"] == "unknown"


def test_what_was_seen_in_part_says_so() -> None:
    link = Link("linked", (MENTION,), (), Seen(((0, 10),), certain=False), None)
    assert artifact_row(replace(LINKED, link=link))["seen_certain"] is False


@pytest.mark.parametrize(
    ("ranges", "own", "expected"),
    [((), True, False), (((0, 5),), True, True), (((0, 5),), False, False)],
)
def test_only_the_artifacts_own_session_reads_it_back(
    ranges: tuple[tuple[int, int], ...], own: bool, expected: bool
) -> None:
    read = Read("Read", "c", "/t", 9, "s-1", own, ranges)
    link = Link("linked", (MENTION,), (read,), Seen(((0, 10),)), False)
    assert artifact_row(replace(LINKED, link=link))["read_back"] is expected


def test_an_uncounted_file_has_its_size_and_null_counts() -> None:
    row = artifact_row(replace(LINKED, counts=None, link=None, flags=("uncounted",)))
    assert row["bytes"] == 978_702
    for name in ("chars", "utf16", "lines", "tokens", "ratio", "kind", "encoding"):
        assert row[name] is None
    assert row["boundary"] == 30_000
    assert row["link"] is None


def test_a_symlink_has_no_bytes_and_its_targets_time() -> None:
    found = replace(
        FOUND,
        type="symlink",
        size=0,
        target="/live.log",
        target_size=77,
        target_mtime_ns=1_795_000_100 * 10**9,
    )
    row = artifact_row(Artifact(found))
    assert (row["bytes"], row["target"], row["target_bytes"]) == (0, "/live.log", 77)
    assert row["target_modified"] == "2026-11-18T11:08:20Z"


def test_an_unreadable_artifact_is_a_row_with_its_reason() -> None:
    found = replace(FOUND, type="unreadable", size=0, mtime_ns=0)
    row = artifact_row(Artifact(found, error="no access"))
    assert row["error"] == "no access"
    assert row["bytes"] is None
    assert row["modified"] is None


@given(st.binary(min_size=1, max_size=20).filter(lambda b: b"\0" not in b))
def test_every_path_round_trips(name: bytes) -> None:
    path = os.fsdecode(b"/s/" + name)
    row = artifact_row(replace(LINKED, found=replace(FOUND, path=path, name=path[3:])))
    again = orjson.loads(orjson.dumps(row))
    exact = (
        base64.b64decode(again["path_b64"])
        if "path_b64" in again
        else again["path"].encode()
    )
    assert exact == b"/s/" + name


@given(st.text(st.characters(categories=None), max_size=50))
def test_any_text_makes_a_row(text: str) -> None:
    mention = replace(MENTION, command=text, tool=text)
    link = Link("linked", (mention,), (), Seen(()), None, note=text or None)
    orjson.dumps(artifact_row(replace(LINKED, link=link, project=text)))


def test_long_texts_are_cut_at_two_thousand_chars() -> None:
    mention = replace(MENTION, command="é" * 2001)
    row = artifact_row(replace(LINKED, link=Link("linked", (mention,))))
    assert len(row["command"]) == 2000
    assert row["truncated"] is True


def test_a_missing_result_is_told_as_its_notice_told_it() -> None:
    row = missing_row(Missing("claude-code", "s-1", None, "dangling", MENTION))
    assert row["link"] == "dangling"
    assert (row["path"], row["name"]) == ("/s/toolu_01.txt", "toolu_01.txt")
    assert row["claimed"] == {"bytes": 978_700}
    cut = missing_row(
        Missing("claude-code", "s-1", None, "cut", replace(MENTION, path=None))
    )
    assert (cut["link"], cut["path"], cut["name"]) == ("cut", None, None)


def test_a_session_adds_up_what_is_counted() -> None:
    link = replace(FOUND, id="f" * 16, type="symlink", size=0)
    session = Session(
        "claude-code", "s-1", None, None, 1.0, 2.0, True, (LINKED, Artifact(link))
    )
    row = session_row(session)
    assert (row["artifacts"], row["bytes"], row["chars"]) == (2, 978_702, 822_582)
    assert (row["over_boundary"], row["verdict_unseen"]) == (1, 1)
    assert (row["started"], row["live"]) == ("1970-01-01T00:00:01Z", True)
    assert "uncounted" not in row


def test_one_uncounted_artifact_leaves_the_sum_unknown() -> None:
    other = replace(LINKED, found=replace(FOUND, id="e" * 16), counts=None)
    session = Session("h", "s", None, None, None, None, False, (LINKED, other))
    row = session_row(session)
    assert row["chars"] is None
    assert row["uncounted"] == 1
    assert row["over_boundary"] == 1


def test_a_problem_row_has_the_keys_of_a_store() -> None:
    row = problem_row(Problem("/p", "no access", "dsh"))
    assert (row["root"], row["problem"], row["harness"]) == ("/p", "no access", "dsh")
    assert row["artifacts"] is None


def test_a_verdict_line_is_not_part_of_the_row() -> None:
    line = Line(3, 0, 4, "done")
    row = artifact_row(replace(LINKED, counts=replace(COUNTS, verdict=line)))
    assert row["verdict"] == "fail"
