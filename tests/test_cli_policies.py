"""`prune --policy`, its forecasts, and `--max-session`."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from .aging import DAY, HOUR, session
from .command import Row, run
from .stores import OTHER, SESSION

ONE = 300 * 39
"""Bytes of each artifact that `session` makes."""
POLICIES = """\
[[policy]]
older_than = "60d"

[[policy]]
project = "/srv/app"
older_than = "7d"

[[policy]]
project = "/srv/kept/**"
keep = true
"""


def write(home: Path, text: str) -> None:
    folder = home / ".config/spillview"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def planned(*words: str | Path) -> tuple[dict[str, Row], Row]:
    """The rows of a plan by the file's name, and the last one."""
    ran = run("prune", "--json", *words)
    assert ran.rows[-1]["summary"] is True, ran.err
    return {Path(row["path"]).name: row for row in ran.rows[:-1]}, ran.rows[-1]


def test_without_a_policy_that_is_said_with_an_example(machine: Path) -> None:
    session(machine)
    ran = run("prune", "--policy")
    assert ran.code == 2
    assert ran.data == b""
    assert "no standing policy is set" in ran.err
    assert "config.toml" in ran.err
    example = "".join(
        line.removeprefix("  ") for line in ran.err.splitlines(True) if line[0] == " "
    )
    write(machine, example)
    assert run("prune", "--policy").code == 0


def test_the_most_specific_policy_decides_and_is_named(machine: Path) -> None:
    write(machine, POLICIES)
    session(machine, age=30 * DAY)
    session(machine, OTHER, age=90 * DAY, cwd="/srv/kept/web")
    rows, last = planned("--policy")
    app, kept = rows["b10000000.txt"], rows["b90000000.txt"]
    assert (app["action"], app["policy"]) == ("remove", "/srv/app")
    assert app["reason"].endswith("older than 7d (policy /srv/app)")
    assert (kept["action"], kept["policy"]) == ("keep", "/srv/kept/**")
    assert "everything there is kept" in kept["reason"]
    assert (last["remove"], last["keep"], last["applied"]) == (3, 3, False)
    ran = run("prune", "--policy", "--apply", "--json")
    assert (ran.code, ran.rows[-1]["remove"]) == (0, 3)
    assert run("undo").code == 0


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--session", SESSION], {"b1"}),
        (["--harness", "claude-code"], {"b1", "b9"}),
        (["--harness", "dsh"], set()),
        ([".claude/projects/-srv-lib"], {"b9"}),
    ],
)
def test_narrowing_chooses_the_ground_of_a_policy_too(
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    names: set[str],
) -> None:
    write(machine, "[[policy]]\nolder_than = '7d'")
    session(machine)
    session(machine, OTHER, cwd="/srv/lib")
    monkeypatch.chdir(machine)
    rows, _ = planned("--policy", *words)
    assert {name[:2] for name in rows} == names
    assert {row["action"] for row in rows.values()} <= {"remove"}


def test_a_session_that_no_policy_takes_is_told_by_the_exit_code(machine: Path) -> None:
    write(machine, POLICIES)
    session(machine, cwd="/srv/lib")
    assert run("prune", "--policy", "--session", SESSION).code == 1
    assert run("prune", "--policy").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--policy", "--older-than", "7d"], "leave out --older-than"),
        (["--policy", "--orphans"], "leave out --orphans"),
        (["--policy", "--max-session", "5GB"], "leave out --max-session"),
        (["--policy", "--at", "tomorrow", "--apply"], "--at is a forecast"),
        (["--policy", "--at", "2020-01-01"], "has passed"),
        (["--policy", "--at", "someday"], "no time to come"),
        (["--older-than", "7d", "--max-session", "0"], "more than zero"),
    ],
)
def test_what_contradicts_itself_is_refused(
    machine: Path, words: list[str], said: str
) -> None:
    write(machine, POLICIES)
    _, made = session(machine)
    ran = run("prune", *words)
    assert ran.code == 2
    assert said in ran.err
    assert all(each.path.exists() for each in made)


def test_a_dispute_keeps_the_file_and_is_told(machine: Path) -> None:
    write(
        machine,
        "[[policy]]\nproject='/srv/*/web'\nolder_than='1d'\n"
        "[[policy]]\nproject='/srv/app'\nolder_than='1d'\n",
    )
    _, made = session(machine, cwd="/srv/app/web")
    ran = run("prune", "--policy", "--apply")
    assert ran.code == 2
    assert "config.toml: 3 artifacts stay: policies" in ran.err
    assert "narrower project" in ran.err
    assert all(each.path.exists() for each in made)


def test_pins_and_live_sessions_stay_whatever_a_policy_says(machine: Path) -> None:
    write(machine, "[[policy]]\nmax_file = '1k'\nolder_than = '1h'")
    _, made = session(machine)
    session(machine, OTHER, age=20 * 60)
    run("pin", made[0].name)
    rows, last = planned("--policy")
    assert rows[made[0].name]["reason"] == "it is pinned"
    assert rows[made[0].name]["policy"] == "for all"
    assert last["remove"] == 2
    live = [row for name, row in rows.items() if name.startswith("b9")]
    assert all("live" in row["reason"] for row in live)


def test_a_sessions_cap_takes_its_oldest(machine: Path) -> None:
    session(machine, files=4)
    session(machine, OTHER, files=1)
    rows, last = planned("--max-session", f"{2 * ONE}B")
    gone = {name for name, row in rows.items() if row["action"] == "remove"}
    assert gone == {"b10000000.txt", "b10000001.txt"}
    assert "oldest of its session" in rows["b10000000.txt"]["reason"]
    run("pin", "b10000002.txt", "b10000003.txt")
    _, last = planned("--max-session", f"{ONE}B")
    assert last["over_session"] == ONE
    assert "more than --max-session stay" in run("prune", "--max-session", "1k").err


# Forecasts


def test_tomorrows_run_is_told_beside_the_plan(machine: Path) -> None:
    write(machine, "[[policy]]\nolder_than = '7d'")
    session(machine)
    session(machine, OTHER, age=7 * DAY - HOUR, files=2)
    _, last = planned("--policy")
    assert last["remove"] == 3
    assert last["tomorrow"] == {"remove": 2, "remove_bytes": 2 * ONE}
    ran = run("prune", "--policy")
    assert (
        "tomorrow 2 artifacts (23.4 kB) more, if nothing is written or read" in ran.err
    )
    assert "tomorrow" not in run("prune", "--older-than", "7d").err


def test_a_forecast_is_the_plan_of_a_later_moment_and_changes_nothing(
    machine: Path,
) -> None:
    write(machine, "[[policy]]\nolder_than = '7d'")
    session(machine, age=6 * DAY)
    session(machine, OTHER, age=20 * 60)
    assert planned("--policy")[1]["remove"] == 0
    rows, last = planned("--policy", "--at", "2d")
    assert (last["forecast"], last["remove"], last["live_now"]) == (True, 3, 3)
    assert last["more"] == {"remove": 3, "remove_bytes": 3 * ONE}
    at = time.strptime(last["at"], "%Y-%m-%dT%H:%M:%SZ")
    assert abs(time.mktime(at) - time.timezone - time.time() - 2 * DAY) < 60
    # Nobody knows when a live session ends.
    assert rows["b90000000.txt"]["action"] == "keep"
    ran = run("prune", "--policy", "--at", "2d")
    assert "forecast for " in ran.err
    assert "3 artifacts (35.1 kB) of them not yet today" in ran.err
    assert "if nothing is written or read until then" in ran.err
    assert "live sessions" in ran.err
    plain = run("prune", "--older-than", "7d", "--at", "12h", "--json")
    assert plain.rows[-1]["remove"] == 0
    assert not (machine / ".local/state/spillview/trash").exists()


def test_a_policy_that_fits_nothing_is_told_once(machine: Path) -> None:
    write(machine, POLICIES.replace("/srv/kept/**", "~/code/legder"))
    session(machine)
    said = "policy ~/code/legder fits nothing here"
    ran = run("prune", "--policy")
    assert ran.err.count(said) == 1
    assert "policy /srv/app" not in ran.err
    assert said not in run("prune", "--policy", "-q").err
    assert f"policies: 3 set; {said}" in run("doctor").out
    write(machine, POLICIES.split('\n\n[[policy]]\nproject = "/srv/kept')[0])
    assert "fits nothing" not in run("prune", "--policy").err
    assert "policies: 2 set\n" in run("doctor").out
