"""Pins of sessions on the command line, and where pins are shown."""

from __future__ import annotations

import shutil
from pathlib import Path

from .aging import session
from .command import Row, run
from .stores import OTHER, SESSION


def flags(*words: str | Path) -> dict[str, list[str]]:
    return {row["name"]: row["flags"] for row in run("ls", "--json", *words).rows}


def planned(*words: str) -> dict[str, Row]:
    return {Path(r["path"]).name: r for r in run("prune", "--json", *words).rows[:-1]}


def test_ls_and_envelope_show_what_is_pinned_whatever_was_known_before(
    machine: Path,
) -> None:
    _, made = session(machine)
    assert set(map(tuple, flags().values())) == {()}
    assert flags() == flags()  # kept from now on
    run("pin", made[0].name)
    for _ in range(2):
        assert flags()[made[0].name] == ["pinned"]
        assert flags()[made[1].name] == []
    assert "pinned" in flags("--no-count")[made[0].name]
    assert "pinned" in run("ls").out
    assert run("envelope", made[0].name, "--json").row["flags"] == ["pinned"]
    assert "pinned: no clean-up" in run("envelope", made[0].name).out
    assert "pinned" not in run("envelope", made[1].name).out
    run("unpin", made[0].name)
    assert set(map(tuple, flags().values())) == {()}


def test_a_session_is_pinned_with_all_that_it_has_and_will_have(machine: Path) -> None:
    told, made = session(machine)
    session(machine, OTHER)
    row = run("pin", "--session", SESSION[:8], "--json").row
    assert (row["session"], row["harness"], row["path"]) == (
        SESSION,
        "claude-code",
        None,
    )
    assert row["pinned"]
    assert f"all of session {SESSION} of claude-code" in run("pin").out
    told.spills(b"later\n" * 400, name="b1later000.txt")
    told.write()
    rows = planned("--max-file", "1B")
    assert {name[:2]: row["action"] for name, row in rows.items()} == {
        "b1": "keep",
        "b9": "remove",
    }
    assert rows["b1later000.txt"]["reason"] == "its session is pinned"
    assert all(each == ["pinned"] for n, each in flags().items() if n[:2] == "b1")
    sessions = {r["session"]: r.get("pinned") for r in run("sessions", "--json").rows}
    assert sessions == {SESSION: True, OTHER: None}
    assert run("prune", "--session", SESSION, "--apply").code == 1
    assert made[0].path.exists()


def test_a_sessions_pin_holds_where_its_files_are_moved(machine: Path) -> None:
    session(machine)
    run("pin", "--session", SESSION)
    old = machine / "old"
    shutil.move(machine / ".claude", old)
    rows = run("prune", old, "--max-file", "1B", "--json").rows[:-1]
    assert len(rows) == 3
    assert {row["reason"] for row in rows} == {"its session is pinned"}


def test_a_sessions_pin_is_taken_back_by_its_session_or_its_id(machine: Path) -> None:
    _, made = session(machine)
    ident = run("pin", "--session", SESSION, "--json").row["id"]
    ran = run("unpin", made[0].name)
    assert ran.code == 1
    assert "stays pinned with its session" in ran.err
    assert f"unpin --session {SESSION}" in ran.err
    shutil.rmtree(machine / ".claude")  # a pin outlives its session
    assert run("unpin", "--session", SESSION[:6], "--json").row["pinned"] is False
    assert run("unpin", "--session", SESSION).code == 1
    session(machine)
    run("pin", "--session", SESSION)
    assert run("unpin", ident).code == 0
    assert run("pin").data == b""


def test_a_session_that_is_none_or_two_is_not_pinned(machine: Path) -> None:
    session(machine)
    session(machine, SESSION[:-1] + "6")
    ran = run("pin", "--session", SESSION[:8])
    assert ran.code == 2
    assert "means 2 sessions" in ran.err
    assert run("pin", "--session", "nobody").code == 1
    assert run("pin", "--session", SESSION).code == 0
    again = run("pin", "--session", SESSION)
    assert again.code == 0
    assert "pinned already" in again.err


def test_pins_that_cannot_be_read_are_a_problem_of_ls(machine: Path) -> None:
    _, made = session(machine)
    run("pin", made[0].name)
    for name in ("pins", "pins.copy"):
        (machine / ".local/state/spillview" / name).write_text("damaged")
    ran = run("ls", "--json")
    assert ran.code == 2
    assert len(ran.rows) == 3
    assert "the pins in" in ran.err
