"""`envelope --prompt`, `--resume`, `--pane` and `compare` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run
from tests.stores import OTHER, SESSION, Claude, log_of
from tests.tui.reading import ATTACK

BEFORE = log_of(300) + b"test result: ok. 3 passed; 0 failed\n"
AFTER = log_of(302) + b"test result: FAILED. 2 passed; 1 failed\n"


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Path:
    """This user's home, with two runs of one command and a lost result."""
    here = Path.home()
    first = Claude(here, session=OTHER)
    first.spills(BEFORE, command="cargo test --since 2026-11-28", name="before.txt")
    first.write()
    second = Claude(here)
    second.clock += 5000
    second.spills(AFTER, command="cargo test --since 2026-11-29", name="after.txt")
    second.says("All pass.")
    second.spills(b"gone " * 9000, command="make", write=False, call_id="toolu_gone")
    second.write()
    return here


@pytest.mark.usefixtures("home")
def test_the_prompt_goes_to_stdout_alone() -> None:
    ran = run("envelope", "after.txt", "--prompt")
    assert (ran.code, ran.err) == (0, "")
    assert "test result: FAILED. 2 passed; 1 failed" in ran.out
    assert "| All pass." in ran.out
    row = run("envelope", "after.txt", "--prompt", "--json").row
    assert row["prompt"] == ran.out
    assert (row["kind"], row["session"]) == ("verdict", SESSION)
    assert run("show", row["id"], "--limit", "1").code == 0  # it can be used afterwards


@pytest.mark.usefixtures("home")
def test_a_call_without_its_file_is_named_by_its_id() -> None:
    ran = run("envelope", "toolu_gone", "--prompt", "--json")
    assert (ran.code, ran.row["kind"], ran.row["id"]) == (0, "dangling", None)
    assert run("envelope", "toolu_gone", "--resume").out.count(SESSION) == 1
    assert run("envelope", "toolu_none", "--prompt").code == 2


@pytest.mark.usefixtures("home")
def test_the_resume_command_is_the_harnesss_own() -> None:
    ran = run("envelope", "after.txt", "--resume")
    assert ran.lines == [f"cd /srv/app && claude --resume {SESSION}"]
    assert "several reports" in ran.err
    row = run("envelope", "after.txt", "--resume", "--json", "-q").row
    assert row["resume"] == ran.lines[0]


def test_a_harness_without_a_known_command_exits_1(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("one\n")
    ran = run("envelope", path, "--resume")
    assert (ran.code, ran.out) == (1, "")
    assert "No command of" in ran.err


@pytest.mark.usefixtures("home")
def test_without_a_pane_it_says_why_and_exits_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = run("envelope", "after.txt", "--pane")
    assert (ran.code, ran.out) == (1, "")
    assert "tmux is not installed" in ran.err


@pytest.mark.usefixtures("home")
def test_one_way_at_a_time() -> None:
    assert run("envelope", "after.txt", "--prompt", "--resume").code == 2


# -- compare -------------------------------------------------------------------------


@pytest.mark.usefixtures("home")
def test_the_run_before_is_taken_by_itself() -> None:
    ran = run("compare", "after.txt", "--json")
    row = ran.row
    assert (ran.code, ran.err) == (0, "")
    assert row["before"]["path"].endswith("before.txt")
    assert row["after"]["path"].endswith("after.txt")
    assert row["difference"]["bytes"] == len(AFTER) - len(BEFORE)
    old, new = BEFORE.split(b"\n")[:-1], AFTER.split(b"\n")[:-1]
    lines = row["lines"]
    assert lines["new"] == len([x for x in new if x not in old])
    assert lines["gone"] == len([x for x in old if x not in new])
    assert lines["first_new"][-1]["text"] == new[-1].decode()
    assert lines["first_new"][-1]["seen"] is False
    assert (row["before"]["verdict"], row["after"]["verdict"]) == ("pass", "fail")
    assert run("compare", "before.txt", "after.txt", "--json").row == row


@pytest.mark.usefixtures("home")
def test_a_person_reads_both_endings_and_the_lines() -> None:
    ran = run("compare", "after.txt", "--limit", "1", terminal=True)
    assert "fail, never seen" in ran.out
    assert "DIFFERENCE" in ran.out
    assert "1 of " in ran.err


@pytest.mark.usefixtures("home")
def test_the_first_run_has_none_before_it() -> None:
    ran = run("compare", "before.txt")
    assert (ran.code, ran.out) == (1, "")
    assert "name the artifact to compare with" in ran.err
    runs = run("compare", "before.txt", "--runs", "--json")
    assert [row["path"].rpartition("/")[2] for row in runs.rows] == ["after.txt"]


def test_json_items_stand_beside_the_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps([{"id": n, "x": 1} for n in range(9)], indent=1))
    two.write_text(json.dumps([{"id": n, "x": n // 8} for n in range(3, 10)], indent=1))
    row = run("compare", one, two, "--json").row["items"]
    assert (row["key"], row["added"], row["removed"]) == ("id", 1, 3)
    assert (row["changed"], row["fields"]) == (5, [["x", 5]])
    assert "1 added, 3 removed, 5 changed" in run("compare", one, two).out


def test_words_that_make_no_comparison_are_refused(tmp_path: Path) -> None:
    for words in ([], ["a", "b", "c"], ["a", "b", "--runs"]):
        ran = run("compare", *words)
        assert ran.code == 2
        assert "compare takes one artifact or two" in ran.err


def test_hostile_lines_act_on_no_terminal(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a\n" + ATTACK + b"\n")
    two.write_bytes(b"a\nb" + ATTACK + b"\n")
    ran = run("compare", one, two, terminal=True)
    assert ran.code == 0
    assert b"\x1b[2J" not in ran.data
    assert b"\x9b" not in ran.out.encode("latin-1", "ignore")
    assert b"\x07" not in ran.data


def test_times_are_left_out_when_asked(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("done in 3.1s\nx\n")
    two.write_text("done in 4.2s\nx\n")
    assert run("compare", one, two, "--json").row["lines"]["new"] == 1
    plain = run("compare", one, two, "--json", "--ignore-times").row["lines"]
    assert plain["new"] == 0
    assert "durations" in plain["ignored"]


def test_utf_16_is_compared_as_text(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes("\ufeffäpfel\nbirnen\n".encode("utf-16-le"))
    two.write_bytes("\ufeffäpfel\nquitten\n".encode("utf-16-le"))
    lines = run("compare", one, two, "--json").row["lines"]
    assert [told["text"] for told in lines["first_new"]] == ["quitten"]
