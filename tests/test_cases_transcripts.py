"""Damaged transcripts: what can be read is read, and what was skipped is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run
from tests.stores import SESSION, Claude, Dsh, compress, log_of

BROKEN = (
    b'{"type":"user","message":{"role":"us',  # cut midway
    b"not json at all",
    b"[1, 2, 3]",
    b"null",
    b'"text"',
    b"\xff\xfe\x00garbage",
)
"""Lines without a readable record."""

ODD = (
    b"{}",
    b"",
    b'{"type":"future-kind","payload":{"a":[1]}}',
    b'{"type":"user","message":"text"}',
    b'{"type":"user","message":{"content":42}}',
    b'{"type":123}',
    b'{"type":"assistant","message":{"content":[null,1,{"type":"tool_use"}]}}',
    b'{"type":"assistant","message":{"content":[{"type":"tool_use","id":5}]}}',
)
"""Lines that say nothing known, and are no damage."""

TAILS = {
    "half a line": b'\n{"type":"assistant","mess',
    "NUL padding": b"\n" + b"\0" * 70_000,
    "NUL padding on the line": b"\0" * 70_000,
    "nothing": b"",
}


@pytest.mark.parametrize("tail", TAILS)
def test_everything_around_the_damage_is_read_and_the_damage_is_counted(
    machine: Path, tail: str
) -> None:
    session = Claude(machine)
    session.spills(log_of(2000), command="before")
    for line in (*BROKEN, *ODD):
        session.raw(line)
    session.spills(log_of(2000), command="after")
    session.says("Going on.")
    session.write(end=TAILS[tail])
    got = run("ls", "--json")
    rows = {row["command"]: row for row in got.rows}
    assert set(rows) == {"before", "after"}
    for row in rows.values():
        assert row["link"] == "linked"
        assert row["seen_bytes"] == 2000
    said = f"{len(BROKEN)} broken transcript lines were skipped"
    assert said in got.err
    assert got.code == 0
    sessions = run("sessions", "--json")
    assert sessions.row["skipped"] == len(BROKEN)
    assert said in sessions.err
    doctor = run("doctor")
    assert f"{len(BROKEN)} of " in doctor.out + doctor.err
    assert "Going on." in run("envelope", rows["after"]["id"]).out
    assert run("ls", "-q").err == ""


def test_nothing_is_said_to_be_skipped_where_nothing_was(machine: Path) -> None:
    session = Claude(machine)
    session.spills(log_of(2000))
    session.write()
    assert run("ls").err == ""
    assert "skipped" not in run("sessions", "--json").row


@pytest.mark.parametrize("zstd", [True, False])
def test_a_torn_dsh_log_keeps_what_is_before_the_tear(
    machine: Path, zstd: bool
) -> None:
    session = Dsh(machine, machine / "tmp" / "dsh-spill-AbC123", zstd=zstd)
    session.spills(log_of(6000), command="make")
    session.says("Fine.")
    torn = compress(b'{"type":"user/message"}\n' * 50)[:20]
    session.write(torn=torn if zstd else b"\0" * 900 + b'{"type":"tool/res')
    got = run("ls", "--json")
    assert got.code == 0
    assert got.row["link"] == "linked"
    assert got.row["verdict_seen"] is True
    assert "Fine." in run("envelope", got.row["id"]).out


def test_values_of_any_kind_in_any_place_stop_nothing(machine: Path) -> None:
    session = Claude(machine)
    made = session.spills(log_of(2000), command="make")
    lines = [json.loads(line) for line in session.lines]
    strange: list[object] = [None, True, -1, 1e308, 10**30, "", "\0", [], {}, [[]]]
    strange += ["\ud800", "/\0/x", "a\x1b[2J", "undefined", {"type": None}]
    for value in strange:
        for line in lines:
            for key in line:
                session.raw(json.dumps({**line, key: value}))
            for key in line.get("message", {}):
                message = {**line["message"], key: value}
                session.raw(json.dumps({**line, "message": message}))
    session.write()
    got = run("ls", "--json")
    assert got.code == 0
    [row] = [row for row in got.rows if row["path"] == str(made.path)]
    assert row["link"] == "linked"
    assert row["verdict_seen"] is False
    for words in (("ls", "--missing", "--json"), ("sessions", "--json"), ("doctor",)):
        assert "something went wrong" not in run(*words).err
    assert run("envelope", "--json", row["id"]).code == 0


def test_records_of_megabytes_between_small_ones_are_passed_over(
    machine: Path,
) -> None:
    session = Claude(machine)
    session.spills(log_of(2000), command="first")
    for _ in range(3):
        image = {"type": "image", "source": {"data": "A" * 3_000_000}}
        block = {"type": "tool_result", "tool_use_id": "x", "content": [image]}
        session.record("user", message={"role": "user", "content": [block]})
    session.spills(log_of(2000), command="last")
    session.says("Done.")
    session.write()
    rows = run("ls", "--json").rows
    assert {row["command"]: row["link"] for row in rows} == {
        "first": "linked",
        "last": "linked",
    }
    assert {row["session"] for row in rows} == {SESSION}
