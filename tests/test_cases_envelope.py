"""Envelopes as they really go wrong: cut characters, copies, lost files, chains."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.command import run
from tests.stores import OTHER, SESSION, Claude, Dsh, envelope_of, log_of

CUT = "\n\n... [4123 characters truncated] ...\n\n"
"""What stands in a failed command's text in the place of its middle."""


def envelope(reference: str | Path) -> dict[str, Any]:
    """The one row of `envelope --json`."""
    return run("envelope", "--json", reference).row


# What was seen


@pytest.mark.parametrize("cut", range(1996, 2006))
def test_a_preview_cut_inside_a_character_ends_before_it(
    machine: Path, cut: int
) -> None:
    data = ("x" + "日本語の行 😀\n" * 300).encode()
    session = Claude(machine)
    made = session.spills(data, shown=data[:cut].decode("utf-8", "replace"))
    session.write()
    whole = len(data[:cut].decode("utf-8", "ignore").encode())
    row = envelope(made.path)
    assert row["seen"] == [[0, whole]]
    assert row["seen_bytes"] + (len(data) - whole) == len(data)
    assert "�" not in data[:whole].decode()
    assert row["verdict"]["seen"] is False


@pytest.mark.parametrize("cap", [50_000, 50_001, 50_002, 50_003])
def test_head_and_tail_of_wide_characters_add_up_with_the_gap(
    machine: Path, cap: int
) -> None:
    session = Dsh(machine, machine / "tmp" / "dsh-spill-AbC123")
    data = ("日本語😀é\n" * 9000).encode() + "失敗: 終わり\n".encode()
    made = session.spills(data, cap=cap)
    session.write()
    row = envelope(made.path)
    assert [tuple(each) for each in row["seen"]] == list(made.seen)
    (_, head), (tail, end) = row["seen"]
    assert row["claimed"]["omitted_bytes"] == tail - head
    assert row["measured"]["omitted_bytes"] == tail - head
    assert row["agrees"] is True
    assert end == len(data)
    assert row["verdict"]["seen"] is True


def test_two_hundred_emoji_are_below_three_hundred_chars(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("😀".encode() * 200)
    row = run("ls", "--json", "--boundary", "300chars", tmp_path).row
    assert (row["bytes"], row["chars"], row["utf16"]) == (800, 200, 400)
    assert row["ratio"] == 200 / 300
    assert run("sessions", "--json", "--boundary", "300chars", tmp_path).row[
        "over_boundary"
    ] == (0)
    for unit, ratio in (("utf16", 400 / 300), ("bytes", 800 / 300), ("tokens", 2 / 3)):
        given = run("ls", "--json", "--boundary", f"300{unit}", tmp_path).row
        assert given["ratio"] == ratio


def test_a_copy_beside_the_preview_is_told_with_its_size_and_not_as_seen(
    machine: Path,
) -> None:
    data = log_of(20_000)
    session = Claude(machine)
    made = session.spills(
        data,
        result={
            "stdout": data.decode(),
            "stderr": "",
            "interrupted": False,
            "persistedOutputPath": str(session.place("b00000001.txt")),
            "persistedOutputSize": len(data),
        },
        name="b00000001.txt",
    )
    session.write()
    row = envelope(made.path)
    assert row["copy_chars"] == len(data.decode())
    assert row["text"] == made.envelope
    assert row["seen_bytes"] == 2000
    assert f"{len(data):,} chars" in run("envelope", made.path).out


# What is not there


def test_a_path_that_is_none_is_kept_with_its_call(machine: Path) -> None:
    session = Claude(machine)
    folder = session.side / "tool-results"
    paths = {
        "undefined": "undefined",
        "null": "null",
        "NUL": f"{folder}/b\0\x1b[2J.txt",
        "half": f"{folder}/a\ud800 b.txt",
        "long": f"{folder}/{'x' * 300}.txt",
        "gone": f"{folder}/gone.txt",
    }
    for command, path in paths.items():
        shown = envelope_of(Path("PATH"), b"line\n" * 9000, "line").replace(
            "PATH", path
        )
        session.gets(session.calls("Bash", command=command), shown)
    session.write()
    got = run("ls", "--missing", "--json")
    assert got.code == 0
    rows = {row["command"]: row for row in got.rows}
    assert set(rows) == set(paths)
    for command, path in paths.items():
        assert rows[command]["link"] == "dangling"
        assert rows[command]["tool"] == "Bash"
        if command != "half":
            assert rows[command]["path"] == path
    assert run("ls", "--json").rows == []
    for terminal in (False, True):
        got = run("ls", "--missing", "--no-color", terminal=terminal, width=200)
        assert got.code == 0
        assert not set(got.out) & {"\x1b", "\0", "\x9b"}


def test_sessions_that_count_their_calls_alike_lose_no_row(machine: Path) -> None:
    for name in (SESSION, OTHER):
        session = Claude(machine, session=name, cwd="/srv/" + name[:4])
        text = envelope_of(Path("undefined"), log_of(900), "line")
        session.gets(session.calls("Bash", "functions.bash:0", command="make"), text)
        text = "Exit code 1\n" + "line\n" * 3000 + CUT + "tail"
        call = session.calls("Bash", "functions.bash:1", command="make")
        session.gets(call, text, failed=True)
        session.write()
    rows = run("ls", "--missing", "--json").rows
    assert sorted((row["session"], row["link"]) for row in rows) == sorted(
        (name, state) for name in (SESSION, OTHER) for state in ("cut", "dangling")
    )


def test_a_fork_repeats_no_row_of_a_cut_call(machine: Path) -> None:
    origin = Claude(machine)
    text = "Exit code 1\n" + "line\n" * 3000 + CUT + "tail"
    origin.gets(origin.calls("Bash", command="make"), text, failed=True)
    origin.write()
    fork = Claude(machine, session=OTHER)
    fork.lines = list(origin.lines)
    fork.write()
    assert run("ls", "--missing", "--json").row["link"] == "cut"


def test_twelve_cut_calls_of_a_session_without_files_are_listed(machine: Path) -> None:
    session = Claude(machine)
    for number in range(12):
        text = f"Exit code 1\n{'line' * 3000}{CUT}tail {number}"
        call = session.calls("Bash", command=f"make {number}")
        session.gets(call, text, failed=True)
    session.write()
    rows = run("ls", "--missing", "--json").rows
    assert {row["command"] for row in rows} == {f"make {n}" for n in range(12)}
    assert {row["link"] for row in rows} == {"cut"}
    assert all(row["failed"] and row["path"] is None for row in rows)
    assert {row["session"] for row in rows} == {SESSION}
    assert run("ls", "--missing", "--session", SESSION[:8], "--json").code == 0
    assert run("ls", "--missing", "--session", "nobody", "--json").code == 1


# What is less than it should be


@pytest.mark.parametrize("kept", [0, 1, 100_003])
def test_a_spill_that_was_capped_is_flagged_partial(machine: Path, kept: int) -> None:
    data = log_of(9000)
    session = Claude(machine)
    first = session.spills(data, command="claude")
    session.write()
    dsh = Dsh(machine, machine / "tmp" / "dsh-spill-AbC123")
    second = dsh.spills(data, command="dsh")
    whole = dsh.spills(data, command="whole")
    dsh.write()
    for made in (first, second):
        made.path.write_bytes(data[:kept])
    rows = {row["command"]: row for row in run("ls", "--json").rows}
    for command in ("claude", "dsh"):
        assert "partial" in rows[command]["flags"]
        assert f"{kept:,}: the spill is partial" in rows[command]["note"]
        assert rows[command]["verdict_seen"] is not True
    assert rows["whole"]["flags"] == [
        flag for flag in rows["whole"]["flags"] if flag != "partial"
    ]
    assert f"{len(data):,}" in rows["dsh"]["note"]
    again = {row["command"]: row for row in run("ls", "--json").rows}
    assert again == rows  # from the cache, too
    assert "partial" in run("ls", "--all", terminal=True, width=250).out
    assert whole.path.exists()


def test_a_spill_larger_than_its_notice_is_not_called_partial(machine: Path) -> None:
    data = log_of(3000)
    session = Claude(machine)
    made = session.spills(data)
    session.write()
    made.path.write_bytes(data + b"more\n" * 4000)
    row = run("ls", "--json").row
    assert "partial" not in row["flags"]
    assert envelope(made.path)["agrees"] is False


def test_an_artifact_that_cannot_be_read_still_has_its_envelope(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Claude(machine)
    made = session.spills(log_of(3000))
    session.says("All is well.")
    session.write()
    real = os.open

    def refusing(path: str, *rest: int, **more: int) -> int:
        if str(path).endswith(made.name):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refusing)
    got = run("envelope", "--json", made.path)
    assert got.code == 2
    assert got.row["text"] == made.envelope
    assert got.row["next"]["text"] == "All is well."
    assert got.row["measured"] == {}
    assert got.row["seen"] is None
    assert got.row["coverage"] is None
    assert "permission denied" in got.row["error"]
    told = run("envelope", made.path)
    assert told.code == 2
    assert "Preview (first 2KB)" in told.out
    assert "All is well." in told.out
    assert told.err.count("permission denied") == 1


# One read after the other


def test_a_read_that_spilled_again_and_again_is_one_chain(machine: Path) -> None:
    data = log_of(5000)
    session = Claude(machine)
    first = session.spills(data, command="make", name="bfirst001.txt")
    second = session.spills(data, command=f"cat {first.path}", name="bsecond01.txt")
    third = session.spills(data, command=f"cat {second.path}", name="bthird001.txt")
    alone = session.spills(data, command="other", name="balone001.txt")
    session.write()
    rows = {row["path"]: row for row in run("ls", "--json").rows}
    chain = [rows[str(made.path)]["id"] for made in (first, second, third)]
    for made in (first, second, third):
        row = rows[str(made.path)]
        assert row["chain"] == chain
        assert envelope(made.path)["chain"] == chain
        assert row["seen_bytes"] == 2000  # each shows its own head, and no more
        assert row["verdict_seen"] is False
    assert second.name in rows[str(first.path)]["note"]
    assert first.name in rows[str(second.path)]["note"]
    assert third.name in rows[str(second.path)]["note"]
    assert "chain" not in rows[str(alone.path)]


def test_a_chain_of_hostile_names_writes_no_control_byte(machine: Path) -> None:
    data = log_of(2000)
    session = Claude(machine)
    first = session.spills(data, name="b\x1b[2J\x9b.txt")
    session.spills(data, command=f"cat {json.dumps(str(first.path))}")
    session.spills(data, command="cat 'b\x1b[2J\x9b.txt'")
    session.write()
    for row in run("ls", "--json").rows:
        assert "\x1b" not in row.get("note", "")
        for terminal in (False, True):
            got = run("envelope", "--no-color", row["id"], terminal=terminal)
            assert not set(got.out + got.err) & {"\x1b", "\x9b"}


@pytest.mark.parametrize("name", ["a\nb.txt", "a. ", "tab\there.txt", "é\u2028.txt"])
def test_a_name_with_a_line_end_is_linked_by_the_records_own_field(
    machine: Path, name: str
) -> None:
    session = Claude(machine)
    made = session.spills(log_of(2000), name=name)
    session.write()
    row = run("ls", "--json").row
    assert row["path"] == str(made.path)
    assert row["link"] == "linked"
    assert row["seen_bytes"] == 2000
    assert run("ls", "--missing", "--json").rows == []
