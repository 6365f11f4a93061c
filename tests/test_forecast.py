"""Forecasts over made stores: which runs are taken, once each, and what is printed."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.query import Query
from spillview.cli import main
from spillview.forecast import kept
from spillview.forecast.board import board
from spillview.forecast.runs import Group, Key
from spillview.forecast.series import gather
from spillview.hook.parsing import parse
from spillview.hook.rewriting import through_wrap
from spillview.model import Boundary, Counts
from spillview.places import Places
from spillview.review.state import State
from spillview.wrap import history
from tests.stores import NIGHT, OTHER, Claude, Dsh

DAY = 86_400.0

CONTRACT = [
    *("command", "runs", "boundary", "boundary_unit", "latest", "ratio"),
    *("average_per_day", "recent_per_day", "per_unit", "units_left"),
    *("crosses_on", "crosses_between"),
]


def output(size: int) -> bytes:
    """So many bytes in lines, the last of them ended."""
    line = b"a line of what the command prints, and more\n"
    return (line * (size // len(line) + 1))[: size - 1] + b"\n"


def grows(
    home: Path, sizes: list[int], *, command: str = "make lint", first: float = NIGHT
) -> None:
    """A session a day, each with one run; what is over 30,000 chars is spilled."""
    for n, size in enumerate(sizes):
        run = Claude(home, session=f"{n:08d}-1111-4222-8333-444444444444")
        run.clock = first + n * DAY
        run.prompt("Go on")
        if size > 30_000:
            run.spills(output(size), command=command, call_id=f"toolu_{n}")
        else:
            call = run.calls("Bash", f"toolu_{n}", command=command)
            run.gets(call, output(size).decode())
        run.says("Done.")
        run.write()


def catalogue_of(home: Path, *, state: bool = False, now: float = NIGHT) -> Catalogue:
    places = Places.of_home(str(home))
    kept_state = State(places) if state else None
    return Catalogue(places, state=kept_state, now=lambda: now)


def groups_of(home: Path, query: Query | None = None) -> dict[str, Group]:
    catalogue = catalogue_of(home)
    query = query if query is not None else Query()
    found = list(catalogue.complete(catalogue.scan(query)))
    series = gather(catalogue, found, query)
    assert not series.problems
    return {key.command: group for key, group in series.groups.items()}


def sizes_of(group: Group) -> list[int]:
    return [run.chars for run in group.sample]


def own_run(
    home: Path, command: str | None, size: int, started: float, **fields: Any
) -> None:
    """A line of the history, as `wrap` writes it."""
    counts = Counts(size, size, size, size // 44, "utf-8", "text")
    fields = {"cwd": "/srv/app", "label": None} | fields
    run = history.run_of(
        counts,
        Boundary(100_000, "chars"),
        command=command,
        started=started,
        seconds=1.0,
        exit_code=0,
        **fields,
    )
    history.append(run, Places.of_home(str(home)))


def hooked(command: str) -> str:
    """What the hook makes of a command."""
    return through_wrap(
        command,
        parse(command),
        program="spillview",
        session=None,
        label="build",
        tail=20,
    )


# Which runs there are


def test_spilled_and_whole_runs_are_one_series(tmp_path: Path) -> None:
    sizes = [10_000, 20_000, 29_000, 31_000, 45_000]
    grows(tmp_path, sizes)
    (group,) = groups_of(tmp_path).values()
    assert group.key == ("/srv/app", "make lint")
    assert sizes_of(group) == sizes
    assert [run.spilled for run in group.sample] == [False] * 3 + [True] * 2
    assert {run.boundaries for run in group.sample} == {(Boundary(30_000, "chars"),)}


def test_projects_part_runs_of_one_command(tmp_path: Path) -> None:
    for n, cwd in enumerate(("/srv/app", "/srv/other")):
        run = Claude(tmp_path, session=f"{n:08d}-1111-4222-8333-444444444444", cwd=cwd)
        run.gets(run.calls("Bash", f"c{n}", command="make"), "x\n")
        run.write()
    catalogue = catalogue_of(tmp_path)
    catalogue.scan()
    found = gather(catalogue, [], Query()).groups
    assert {key.project for key in found} == {"/srv/app", "/srv/other"}


def test_copies_of_a_fork_are_the_run_itself(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    run.gets(run.calls("Bash", "toolu_a", command="make"), output(9_000).decode())
    run.spills(output(40_000), command="make", call_id="toolu_b")
    run.write()
    fork = Claude(tmp_path, session=OTHER)
    fork.lines = [
        line.replace(run.session.encode(), OTHER.encode(), 1) for line in run.lines
    ]
    fork.clock = run.clock + 100
    fork.gets(fork.calls("Bash", "toolu_c", command="make"), output(9_500).decode())
    fork.write()
    (group,) = groups_of(tmp_path).values()
    assert sizes_of(group) == [9_000, 40_000, 9_500]


def test_dsh_runs_are_taken_alike(tmp_path: Path) -> None:
    run = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    run.prompt("Build")
    run.gets(run.calls("bash", command="make"), output(12_000).decode())
    run.spills(output(60_000), command="make")
    run.write()
    (group,) = groups_of(tmp_path).values()
    assert sizes_of(group) == [12_000, 60_000]
    assert {run.source for run in group.sample} == {"dsh"}


def test_copies_in_a_fork_of_dsh_are_the_run_itself(tmp_path: Path) -> None:
    root = tmp_path / "tmp" / "dsh-spill-AbC123"
    run = Dsh(tmp_path, root)
    run.prompt("Build")
    run.gets(run.calls("bash", command="make"), output(12_000).decode())
    run.write()
    fork = Dsh(tmp_path, root, session="sess-2", parent=run)
    fork.clock = run.clock + 100
    fork._calls |= run._calls  # so that its next call has an id of its own
    fork.gets(fork.calls("bash", command="make"), output(13_000).decode())
    fork.write()
    (group,) = groups_of(tmp_path).values()
    assert sizes_of(group) == [12_000, 13_000]


def test_background_commands_and_edits_are_no_runs(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    aside = run.calls("Bash", command="make serve", run_in_background=True)
    run.gets(aside, "Command running in background with ID: b1")
    run.gets(run.calls("Edit", file_path="/srv/app/a", new_string="x"), "updated")
    run.gets(run.calls("Bash", command="ls"), "a\n")
    run.write()
    assert set(groups_of(tmp_path)) == {"ls"}


def test_a_run_whose_file_is_gone_is_counted_but_has_no_size(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    run.spills(output(40_000), command="make", write=False)
    run.gets(run.calls("Bash", command="make"), output(9_000).decode())
    run.write()
    (group,) = groups_of(tmp_path).values()
    assert (group.runs, group.unsized, sizes_of(group)) == (1, 1, [9_000])


@pytest.mark.usefixtures("machine")
def test_a_command_of_no_known_size_is_a_row_without_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Claude(tmp_path)
    run.spills(output(40_000), command="make", write=False)
    run.write()
    (row,) = rows_of(capsys, str(tmp_path))
    assert (row["runs"], row["runs_unsized"], row["state"]) == (0, 1, "unknown")
    assert {row[key] for key in CONTRACT[2:]} == {None}
    assert main(["forecast", "--all", str(tmp_path)]) == 0
    assert "unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    "typed",
    [
        "spillview wrap --tail 40 -- make -j8",
        "cd /srv/app && spillview wrap -- make -j8",
        "make -j8 2>&1 | spillview wrap",
        "make -j8",  # the hook changed what ran, not what the model wrote
        hooked("make -j8"),
    ],
)
def test_a_wrapped_command_inside_a_transcript_is_one_run(
    tmp_path: Path, typed: str
) -> None:
    run = Claude(tmp_path)
    call = run.calls("Bash", command=typed)
    start = run.clock
    run.clock += 60
    run.gets(call, "what an envelope of it says\n")
    run.gets(run.calls("Bash", command="make -j4"), output(7_000).decode())
    run.write()
    piped = "| spill" in typed
    own_run(tmp_path, None if piped else "make -j8", 250_000, start + 2, cwd="/srv")
    (group,) = groups_of(tmp_path).values()
    assert group.key == ("/srv/app", "make -j<n>")
    assert sizes_of(group) == [250_000, 7_000]
    assert group.sources == {"wrap", "claude-code"}


def test_a_wrapped_command_that_no_history_knows_is_told_by_the_transcript(
    tmp_path: Path,
) -> None:
    run = Claude(tmp_path)
    call = run.calls("Bash", command="spillview wrap -- make")
    run.gets(call, output(5_000).decode())
    run.write()
    own_run(tmp_path, "make", 80_000, run.clock + 40 * DAY)
    (group,) = groups_of(tmp_path).values()
    assert sizes_of(group) == [5_000, 80_000]


def test_history_and_measurements_are_taken(tmp_path: Path) -> None:
    own_run(tmp_path, "make", 1_000, NIGHT)
    own_run(tmp_path, "make", 2_000, NIGHT + DAY, source="measure")
    own_run(tmp_path, None, 3_000, NIGHT, label="build.log", source="measure")
    own_run(tmp_path, None, 4_000, NIGHT, label="stdin", source="measure")
    found = groups_of(tmp_path)
    assert sizes_of(found["make"]) == [1_000, 2_000]
    assert sizes_of(found["build.log"]) == [3_000]
    assert len(found) == 2


@pytest.mark.usefixtures("machine")
def test_lines_of_the_history_that_nobody_wrote_harm_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_run(tmp_path, "make", 1_000, NIGHT)
    (path,) = tmp_path.rglob(history.NAME)
    line = path.read_bytes()
    row = json.loads(line)
    with path.open("ab") as file:
        for strange in (
            {"started": float("nan")},
            {"started": float("inf")},
            {"started": -1e300},
            {"bytes": -5},
            {"boundary": 0},
            {"boundary": -3},
            {"chars": 10**30},
            {"command": "\ud800 \udcff lone"},
            {"cwd": "\udcff/x"},
            {"source": "\ud800"},
        ):
            file.write(json.dumps(row | strange).encode() + b"\n")
        file.write(line[: len(line) // 2])
    assert main(["forecast", "--json", str(tmp_path)]) == 0
    rows = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert {row["command"] for row in rows} >= {"make"}
    assert main(["forecast", "--all", str(tmp_path)]) == 0
    assert main(["forecast", "--json", "--per", "echo 5", str(tmp_path)]) == 0


def test_our_own_spills_are_not_taken_beside_their_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    script = "print('x' * 79 + chr(10), end='') or print(('y' * 79 + chr(10)) * 2000)"
    assert main(["wrap", "--", sys.executable, "-c", script]) == 0
    catalogue = Catalogue.here()
    found = list(catalogue.complete(catalogue.scan()))
    assert [a.found.harness for a in found] == ["spillview"]
    (group,) = gather(catalogue, found, Query()).groups.values()
    assert group.runs == 1
    assert shlex.split(group.example)[0] == sys.executable
    catalogue.close()


def test_queries_narrow_the_runs(tmp_path: Path) -> None:
    grows(tmp_path, [1_000, 2_000, 3_000, 40_000])
    own_run(tmp_path, "make lint", 5_000, NIGHT + 3.5 * DAY)
    since = groups_of(tmp_path, Query(since=NIGHT + 1.5 * DAY))["make lint"]
    assert sizes_of(since) == [3_000, 40_000, 5_000]
    until = groups_of(tmp_path, Query(until=NIGHT + 1.5 * DAY))["make lint"]
    assert sizes_of(until) == [1_000, 2_000]
    session = groups_of(tmp_path, Query(session="00000002"))["make lint"]
    assert sizes_of(session) == [3_000]
    alone = groups_of(tmp_path, Query(harness="claude-code"))["make lint"]
    assert sizes_of(alone) == [1_000, 2_000, 3_000, 40_000]


def test_what_was_read_is_cached_and_read_again_when_it_grows(tmp_path: Path) -> None:
    from spillview.catalogue.cache import Cache
    from spillview.transcripts import turns

    grows(tmp_path, [1_000, 2_000])
    places = Places.of_home(str(tmp_path))
    path = str(tmp_path / "cache.sqlite3")
    calls: list[str] = []
    told = turns.told

    def noted(found: Any, *rest: Any) -> Any:
        calls.append(found.path)
        return told(found, *rest)

    def look() -> list[int]:
        catalogue = Catalogue(places, cache=Cache(path))
        catalogue.scan()
        (group,) = gather(catalogue, [], Query()).groups.values()
        catalogue.close()
        return sizes_of(group)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns, "told", noted)
        assert look() == [1_000, 2_000]
        assert len(calls) == 2
        assert look() == [1_000, 2_000]
        assert len(calls) == 2
        (transcript,) = tmp_path.glob(".claude/projects/*/00000001*.jsonl")
        run = Claude(tmp_path, session="00000001-1111-4222-8333-444444444444")
        run.clock = NIGHT + 2 * DAY
        run.gets(run.calls("Bash", "t9", command="make lint"), output(3_000).decode())
        with transcript.open("ab") as file:
            file.write(b"\n".join(run.lines) + b"\n")
        assert look() == [1_000, 2_000, 3_000]
        assert len(calls) == 3


@pytest.mark.parametrize("seed", range(10))
def test_made_nights_give_each_run_once(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    expected: dict[str, list[int]] = {}
    clock = float(NIGHT)
    whole: list[Claude] = []
    for n in range(5):
        run = Claude(tmp_path, session=f"{n:08d}-1111-4222-8333-444444444444")
        if whole and dice.random() < 0.5:  # a fork: it begins with another's records
            origin = dice.choice(whole)
            old, new = origin.session.encode(), run.session.encode()
            run.lines = [line.replace(old, new, 1) for line in origin.lines]
        run.clock = clock
        for k in range(dice.randint(1, 6)):
            name = dice.choice(("make lint", "make docs"))
            size = dice.randint(2_000, 45_000)
            key = f"toolu_{n}_{k}"
            how = dice.choice(("plain", "wrapped", "hook", "person"))
            if how == "person":
                own_run(tmp_path, name, size, run.clock + 0.5, cwd="/srv/app")
                run.clock += 30
            elif how == "plain" and size > 30_000:
                run.spills(output(size), command=name, call_id=key)
            elif how == "plain":
                call = run.calls("Bash", key, command=name)
                run.gets(call, output(size).decode())
            else:
                typed = name if how == "hook" else f"spillview wrap -- {name}"
                call = run.calls("Bash", key, command=typed)
                own_run(tmp_path, name, size, run.clock + 1, cwd="/srv")
                run.clock += 3
                run.gets(call, "an envelope\n")
            expected.setdefault(name, []).append(size)
            run.clock += 30
        run.write()
        whole.append(run)
        clock = run.clock + DAY
    found = groups_of(tmp_path)
    assert {name: sizes_of(group) for name, group in found.items()} == expected


# What is printed


def rows_of(
    capsys: pytest.CaptureFixture[str], *words: str, code: int = 0
) -> list[dict[str, Any]]:
    assert main(["forecast", "--json", *words]) == code
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def recent(tmp_path: Path) -> Path:
    """Twenty days up to today of a command that crosses in ten days."""
    import time

    home = tmp_path / "night"
    sizes = [10_000 + n * 666 for n in range(20)]
    grows(home, sizes, first=time.time() - 19 * DAY - 3600)
    return home


@pytest.mark.usefixtures("machine")
def test_rows_follow_the_contract(
    recent: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = rows_of(capsys, str(recent))
    assert list(row)[: len(CONTRACT)] == CONTRACT
    assert (row["command"], row["runs"]) == ("make lint", 20)
    assert (row["boundary"], row["boundary_unit"]) == (30_000, "chars")
    assert row["latest"] == 10_000 + 19 * 666
    assert row["ratio"] == row["latest"] / 30_000
    assert row["average_per_day"] == pytest.approx(666, abs=1)
    assert row["recent_per_day"] == pytest.approx(666, abs=1)
    first, last = row["crosses_between"]
    assert first <= row["crosses_on"] <= last
    ahead = (date.fromisoformat(row["crosses_on"]) - date.today()).days  # noqa: DTZ011
    assert 9 <= ahead <= 12
    assert (row["per_unit"], row["units_left"]) == (None, None)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(("within", "code"), [("5d", 0), ("30d", 1)])
def test_a_crossing_within_the_time_asked_for_is_exit_code_1(
    recent: Path, within: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of(capsys, str(recent), "--fail-within", within, code=code)
    assert len(rows) == 1  # what is known is printed all the same


@pytest.mark.usefixtures("machine")
def test_what_is_over_fails_too_and_says_since_when(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import time

    home = tmp_path / "night"
    grows(home, [20_000, 40_000, 41_000], first=time.time() - 3 * DAY)
    (row,) = rows_of(capsys, str(home), "--fail-within", "1w", code=1)
    assert (row["state"], row["close"]) == ("over", True)
    assert row["crosses_on"] is None
    assert row["crossed_on"] is not None
    assert main(["forecast", "--fail-within", "20h", str(home)]) == 0  # not run since
    assert "over since" in capsys.readouterr().out


@pytest.mark.usefixtures("machine")
def test_another_boundary_takes_the_place_of_all(
    recent: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (row,) = rows_of(capsys, str(recent), "--boundary", "500lines")
    assert (row["boundary"], row["boundary_unit"]) == (500, "lines")
    assert row["latest"] == output(10_000 + 19 * 666).count(b"\n")


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    "words",
    [
        ["--fail-within", "soon"],
        ["--fail-within", "0d"],
        ["--cost", "--per", "ls"],
        ["--per", "exit 3"],
        ["--per", "true"],
        ["--per", "echo 3", "--noun", " "],
        ["--fail-within", "0"],
        ["--limit", "0"],
        ["/nowhere/at/all"],
    ],
)
def test_what_makes_no_sense_is_a_sentence(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["forecast", *words]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("spillview: ")
    assert "Traceback" not in told.err


@pytest.mark.usefixtures("machine")
def test_hostile_commands_are_harmless_in_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "night"
    grows(home, [9_000] * 6, command="echo \x1b[2J\x9b31m [/b] \u202e evil\udc80")
    assert main(["forecast", str(home)]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    (row,) = rows_of(capsys, str(home))
    assert "evil" in row["command"]


@pytest.mark.usefixtures("machine")
def test_an_unknown_command_is_exit_code_1(
    recent: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rows_of(capsys, str(recent), "--command", "nothing", code=1) == []
    assert len(rows_of(capsys, str(recent), "--command", "LINT")) == 1


# Against a number


@pytest.mark.usefixtures("machine")
def test_size_against_the_number_that_a_command_prints(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import time

    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    now = time.time()
    home = tmp_path / "night"
    run = Claude(home, cwd=str(work))
    for n in range(6):
        articles = 100 + 10 * n
        run.clock = now - (6 - n) * DAY
        run.gets(run.calls("Bash", command="count"), f"{articles}\n")
        index = output(500 + 110 * articles).decode()
        run.gets(run.calls("Bash", command="index"), index)
    run.write()
    (work / "n").write_text("150\n")
    rows = rows_of(capsys, str(home), "--per", "cat n", "--command", "index")
    (row,) = rows
    latest = 500 + 110 * 150
    # Nothing is known of what `cat n` printed before.
    assert (row["number"], row["marginal_per_unit"]) == (150, None)
    assert row["per_unit"] == pytest.approx(latest / 150)
    assert row["units_left"] == int((30_000 - latest) / row["per_unit"])
    script = work / "count"
    script.write_text("#!/bin/sh\necho 150\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{work}{os.pathsep}{os.environ['PATH']}")
    (row,) = rows_of(capsys, str(home), "--per", "count", "--command", "index")
    assert row["marginal_per_unit"] == pytest.approx(110, abs=0.5)
    assert row["per_unit"] == pytest.approx(latest / 150)  # the more careful
    words = ["--per", "count", "--command", "index", "--noun", "article"]
    assert main(["forecast", str(home), *words]) == 0
    text = capsys.readouterr().out
    assert "113.3 chars an article, 114 articles left" in text


@pytest.mark.usefixtures("machine")
def test_what_prints_no_number_is_counted_by_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "night"
    grows(home, [6_000])
    (row,) = rows_of(capsys, str(home), "--per", "printf 'a\\nb\\nc'")
    assert row["number"] == 3
    assert (row["per_unit"], row["units_left"]) == (2_000, 12)


@pytest.mark.usefixtures("machine")
def test_numbers_are_told_with_the_digits_that_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "night"
    grows(home, [6_000])
    assert main(["forecast", str(home), "--per", "echo 1234567"]) == 0
    told = capsys.readouterr()
    assert "the number of echo 1234567: 1,234,567" in told.err
    assert "0.00486 chars a unit, " in told.out
    for noun, article in (("unit", "a"), ("user", "a"), ("update", "an"), ("box", "a")):
        assert main(["forecast", str(home), "--per", "echo 2", "--noun", noun]) == 0
        assert f"3,000 chars {article} {noun}, " in capsys.readouterr().out


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("width", [40, 80])
def test_size_against_a_number_fits_its_terminal(tmp_path: Path, width: int) -> None:
    from tests.command import run

    home = tmp_path / "night"
    grows(home, [6_000])
    got = run("forecast", home, "--per", "echo 117", terminal=True, width=width)
    assert got.code == 0
    assert max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", got.out).split("\n"))) <= width


@pytest.mark.usefixtures("machine")
def test_kept_numbers_that_nobody_counted_harm_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from spillview.forecast import per

    monkeypatch.chdir(tmp_path)
    home = tmp_path / "night"
    grows(home, [6_000, 7_000, 8_000])
    folder = Path(Places.here().state_dir)
    folder.mkdir(parents=True, exist_ok=True)
    start = {"project": str(tmp_path), "command": "echo 3", "by_lines": False}
    rows = [
        json.dumps(start | {"when": when, "number": number})
        for when, number in [
            (1, float("nan")),
            (2, float("inf")),
            (float("-inf"), 1),
            (3, 10**400),
            (10**400, 3),
            (NIGHT, 1e308),
            (NIGHT + DAY, -1e308),
            (NIGHT + 2 * DAY, 5e-324),
        ]
    ]
    torn = '{"project": "/x", "comm'
    (folder / per.NAME).write_text("\n".join(["[]", "null", *rows, torn]))
    for _ in range(2):
        (row,) = rows_of(capsys, str(home), "--per", "echo 3")
        assert row["number"] == 3
    kept_rows = (folder / per.NAME).read_text().splitlines()[-2:]
    assert [json.loads(line)["number"] for line in kept_rows] == [3, 3]


# What became of earlier ones


def test_forecasts_are_kept_and_their_error_is_told(tmp_path: Path) -> None:
    sizes = [10_000 + n * 500 for n in range(20)]  # 30,000 on the 40th day
    grows(tmp_path, sizes)

    def look(day: float) -> Any:
        catalogue = catalogue_of(tmp_path, state=True, now=NIGHT + day * DAY)
        found = list(catalogue.complete(catalogue.scan()))
        made = board(catalogue, found, Query())
        catalogue.close()
        return made

    first = look(19.5)
    assert not first.outcomes
    (noted,) = kept.read(Places.of_home(str(tmp_path)))
    told_day = first.forecasts[0].crosses_on
    assert noted.crosses_on == told_day
    assert noted.runs == 20
    look(19.6)
    assert len(list(kept.read(Places.of_home(str(tmp_path))))) == 1  # one a day
    # Ten days on it grew by 400 a day.
    grows(tmp_path, [*sizes, *(19_500 + 400 * (n + 1) for n in range(10))])
    (outcome,) = look(29.5).outcomes.values()
    assert (outcome.later_runs, outcome.passed) == (10, False)
    assert outcome.expected == pytest.approx(19_500 + 500 * 9, rel=0.01)
    assert outcome.actual == 19_500 + 400 * 9
    assert outcome.error == pytest.approx(900, abs=60)
    # It crosses on the 46th day instead of the 40th.
    more = [19_500 + 400 * (n + 1) for n in range(28)]
    grows(tmp_path, [*sizes, *more])
    (outcome,) = look(48).outcomes.values()
    assert outcome.passed
    crossed = next(n for n, size in enumerate([*sizes, *more]) if size > 30_000)
    assert crossed == 46
    assert outcome.days_late == crossed - 40


def test_a_day_that_is_over_without_runs_is_told(tmp_path: Path) -> None:
    grows(tmp_path, [10_000 + n * 1_000 for n in range(15)])
    for day in (15, 60):
        catalogue = catalogue_of(tmp_path, state=True, now=NIGHT + day * DAY)
        made = board(catalogue, catalogue.complete(catalogue.scan()), Query())
        catalogue.close()
    (outcome,) = made.outcomes.values()
    assert outcome.passed
    assert outcome.error is None
    assert outcome.crossed_on is None


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    grows(tmp_path, [10_000 + n * 1_000 for n in range(15)])
    places = Places.of_home(str(tmp_path))
    folder = Path(places.state_dir)
    folder.mkdir(parents=True)
    (folder / kept.NAME).write_bytes(b'{"v": 1}\n[]\nnull\n\xff\xfe\n{"made": 1, "com')
    catalogue = catalogue_of(tmp_path, state=True, now=NIGHT + 15 * DAY)
    made = board(catalogue, catalogue.complete(catalogue.scan()), Query())
    assert not made.problems
    assert len(list(kept.read(places))) == 1
    mode = (folder / kept.NAME).stat().st_mode & 0o777
    assert mode & 0o044 == 0 or mode == 0o644  # as whoever made it left it


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((name, "NaN") for name in ("made", "since", "until", "level", "per_day")),
        *((name, "1e999") for name in ("made", "until", "level", "per_day")),
        *((name, "1" + "0" * 400) for name in ("made", "level", "boundary")),
        ("recent_per_day", "NaN"),
        ("boundary", "0"),
        ("boundary", "-5"),
        ("crosses_between", '["0001-01-01"]'),
    ],
)
def test_a_forecast_with_an_impossible_number_is_passed_over(
    tmp_path: Path, field: str, value: str
) -> None:
    grows(tmp_path, [10_000 + n * 1_000 for n in range(15)])
    catalogue = catalogue_of(tmp_path, state=True, now=NIGHT + 15 * DAY)
    places = catalogue.places
    found = list(catalogue.complete(catalogue.scan()))
    board(catalogue, found, Query())
    file = Path(places.state_dir) / kept.NAME
    row = json.loads(file.read_text())
    row[field] = "here"
    file.write_text(json.dumps(row).replace('"here"', value) + "\n")
    assert list(kept.read(places)) == []
    assert board(catalogue, found, Query()).outcomes == {}


def test_the_file_of_forecasts_stays_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LARGEST", 4_000)
    places = Places.of_home(str(tmp_path))
    one = date(2026, 11, 30)
    for n in range(60):
        made = kept.Kept(
            Key("/srv/app", f"make {n}"),
            NIGHT + n,
            Boundary(30_000, "chars"),
            one,
            (one, one),
            *(20, NIGHT, NIGHT, 1.0, 1.0, 1.0, None),
        )
        assert kept.note([made], places) == 1
    assert (Path(places.state_dir) / kept.NAME).stat().st_size <= 4_400
    names = [each.key.command for each in kept.read(places)]
    assert names[-1] == "make 59"
    assert len(names) > 5
