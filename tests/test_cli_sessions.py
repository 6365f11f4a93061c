"""`sessions`: one row a session, worst first, with its artifacts added up."""

from __future__ import annotations

from pathlib import Path

from tests.command import run
from tests.stores import OTHER, SESSION, Claude

KEYS = {
    "harness",
    "session",
    "project",
    "title",
    "started",
    "last_active",
    "artifacts",
    "bytes",
    "chars",
    "over_boundary",
    "verdict_unseen",
    "failed_unseen",
    "live",
}


def two_sessions(home: Path) -> tuple[int, int]:
    """One session whose failure was never seen, and one whose verdict was."""
    quiet = Claude(home, session=OTHER)
    small = "短い\n".encode() * 100
    quiet.spills(small)
    quiet.write()
    bad = Claude(home)
    bad.prompt("Make the build pass")
    big = "行\n".encode() * 40_000 + b"BUILD FAILED\n"
    bad.spills(big, failed=True)
    bad.spills(b"ok\n" * 20_000)
    bad.write()
    return len(big) + 60_000, len(small)


def test_sessions_are_worst_first_with_exact_sums(machine: Path) -> None:
    big, small = two_sessions(machine)
    first, second = run("sessions", "--json").rows
    assert set(first) == KEYS
    assert (first["session"], second["session"]) == (SESSION, OTHER)
    assert (first["bytes"], second["bytes"]) == (big, small)
    assert first["chars"] == 80_000 + len("BUILD FAILED\n") + 60_000
    assert (first["artifacts"], first["over_boundary"]) == (2, 2)
    assert (first["verdict_unseen"], first["failed_unseen"]) == (2, 1)
    assert (second["over_boundary"], second["verdict_unseen"]) == (0, 0)
    assert second["failed_unseen"] == 0
    assert first["title"] == "Make the build pass"
    assert first["project"] == "/srv/app"
    assert first["started"] < first["last_active"]
    assert first["live"] is False


def test_a_plain_folder_is_a_session_for_each_folder_with_files(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(b"x\n")
    rows = run("sessions", "--json", tmp_path).rows
    assert len(rows) == 2
    assert {row["harness"] for row in rows} == {"folder"}
    assert all(row["artifacts"] == 1 for row in rows)


def test_what_is_not_counted_is_null_rather_than_zero(machine: Path) -> None:
    two_sessions(machine)
    for row in run("sessions", "--json", "--no-count").rows:
        for name in ("chars", "over_boundary", "verdict_unseen", "failed_unseen"):
            assert row[name] is None
        assert row["uncounted"] == row["artifacts"]


def test_sessions_fit_a_terminal_and_show_their_title(machine: Path) -> None:
    two_sessions(machine)
    got = run("sessions", "--no-color", terminal=True, width=80)
    assert max(len(line) for line in got.lines) <= 80
    assert "Make the build" in got.out
    assert SESSION[:8] in got.out


def test_an_unknown_session_is_exit_code_one(machine: Path) -> None:
    two_sessions(machine)
    got = run("sessions", "--session", "nobody")
    assert (got.code, got.out) == (1, "")
    assert run("sessions", "--session", OTHER[:8], "--json").row["session"] == OTHER


def test_no_store_at_all_is_an_empty_list(machine: Path) -> None:
    got = run("sessions", "--json")
    assert (got.code, got.out) == (0, "")
    assert "no sessions were found on this machine" in got.err
    assert "`spillview demo`" in got.err
    assert got.err.count("\n") == 1
    assert run("sessions", "--json", "-q").err == ""


def test_a_terminal_of_80_columns_tells_the_project_and_what_it_has_no_room_for(
    machine: Path,
) -> None:
    one = Claude(machine)
    one.spills(b"FAILED\n" * 9000)
    one.write()
    for width in (80, 60):
        got = run("sessions", "--no-color", terminal=True, width=width)
        heading = got.lines[0]
        assert "PROJECT" in heading or "PROJE…" in heading
        assert max(map(len, got.lines)) <= width
        shown = set(heading.split())
        [told] = [line for line in got.err.splitlines() if "no room" in line]
        left = told.partition(" for ")[2].partition(":")[0].split(", ")
        assert f"no room in {width} columns" in told
        assert "CHARS" in left
        assert not shown & set(left)
    assert "no room" not in run("sessions", terminal=True, width=200).err
    assert "no room" not in run("sessions").err
