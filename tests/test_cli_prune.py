"""`prune`, `undo`, `trash`, `pin` and `unpin` as commands."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spillview.cli import asking

from .aging import DAY, HOUR, aged, session
from .command import Ran, Row, run
from .harness_stores.pi import transcript_of
from .stores import OTHER, SESSION, Claude, Dsh
from .test_disk import OTHER as ELSEWHERE
from .test_disk import elsewhere
from .test_writers import hold


def plan(*words: str | Path) -> dict[str, Row]:
    """The rows of a plan, by the file's name."""
    ran = run("prune", "--json", *words)
    assert ran.rows[-1]["summary"] is True, ran.err
    return {Path(row["path"]).name: row for row in ran.rows[:-1]}


def actions(*words: str | Path) -> dict[str, str]:
    return {name: row["action"] for name, row in plan(*words).items()}


def applied(*words: str | Path) -> tuple[Ran, Row]:
    ran = run("prune", "--apply", "--json", *words)
    return ran, ran.rows[-1]


# What is asked for


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--harness", "claude-code"],
        ["--since", "7d"],
        ["--until", "2020-01-01"],
        ["--apply"],
        ["."],
    ],
)
def test_without_a_selection_nothing_is_done_and_that_is_said(
    machine: Path, words: list[str]
) -> None:
    session(machine)
    ran = run("prune", *words)
    assert ran.code == 2
    assert ran.data == b""
    assert "nothing says what is to go" in ran.err
    assert not (machine / ".local/state/spillview/trash").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--older-than", "0d"],
        ["--older-than", "-7d"],
        ["--older-than", "999999999w"],
        ["--older-than", "week"],
        ["--max-total", "0"],
        ["--max-total", "-5GB"],
        ["--max-total", "5"],
        ["--max-file", "5"],
        ["--max-session", "200"],
        ["--max-file", "99999999999PB"],
        ["--max-file", "0.0k"],
        ["--keep-last", "0"],
        ["--keep-last", "-1"],
        ["--keep-last", "99999999999999999999"],
        ["--older-than", "7d", "--permanent"],
    ],
)
def test_zero_negative_and_overflowing_values_are_refused(
    machine: Path, words: list[str]
) -> None:
    _, made = session(machine)
    ran = run("prune", "--apply" if "--permanent" not in words else "-q", *words)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert all(each.path.exists() for each in made)


def test_without_apply_nothing_changes(machine: Path) -> None:
    session(machine)
    before = sorted(str(p) for p in (machine / ".claude").rglob("*"))
    ran = run("prune", "--older-than", "7d", "--json")
    assert ran.code == 0
    assert ran.rows[-1] == {
        "summary": True,
        "remove": 3,
        "remove_bytes": 3 * 300 * 39,
        "keep": 0,
        "applied": False,
        "batch": None,
        "failed": [],
        "freed_now": 0,
        "frees": 3 * 300 * 39,
        "trash": [
            {
                "path": str(machine.resolve() / ".local/state/spillview/trash"),
                "items": 3,
                "bytes": 3 * 300 * 39,
            }
        ],
    }
    assert sorted(str(p) for p in (machine / ".claude").rglob("*")) == before
    assert not (machine / ".local/state/spillview/trash").exists()


def test_apply_moves_and_undo_puts_back(machine: Path) -> None:
    _, made = session(machine)
    before = {each.path: each.path.stat() for each in made}
    ran, summary = applied("--older-than", "7d")
    assert ran.code == 0
    assert (summary["remove"], summary["applied"]) == (3, True)
    assert summary["freed_now"] == 0
    assert not any(each.path.exists() for each in made)
    assert not made[0].path.parent.exists()
    [row] = run("trash", "--json").rows
    assert (row["batch"], row["items"]) == (summary["batch"], 3)
    assert row["bytes"] == summary["remove_bytes"]
    assert os.path.isdir(row["path"])
    assert run("undo", "--json").row == {
        "batch": summary["batch"],
        "restored": 3,
        "failed": [],
    }
    for each in made:
        assert each.path.read_bytes() == each.data
        facts = each.path.stat()
        assert facts.st_mtime_ns == before[each.path].st_mtime_ns
        assert facts.st_mode == before[each.path].st_mode
    assert run("trash", "--json").data == b""


def test_emptying_says_what_the_disk_gained(machine: Path) -> None:
    session(machine)
    _, summary = applied("--older-than", "7d")
    ran = run("trash", "--empty", "--json")
    assert ran.code == 0
    batch, last = ran.rows
    assert batch["batch"] == summary["batch"]
    assert last == {
        "summary": True,
        "batches": 1,
        "items": 3,
        "bytes": summary["remove_bytes"],
        "freed_now": summary["remove_bytes"],
        "failed": [],
    }
    assert "nothing to undo" in run("undo").err


def test_permanent_deletes_and_says_what_that_freed(machine: Path) -> None:
    _, made = session(machine)
    ran, summary = applied("--older-than", "7d", "--permanent")
    assert ran.code == 0
    assert summary["batch"] is None
    assert summary["remove"] == 3
    assert summary["freed_now"] == summary["remove_bytes"]
    assert not any(each.path.exists() for each in made)
    assert run("trash", "--json").data == b""


# The ground, and what selects on it


def test_a_session_named_alone_goes_whole_and_no_other(machine: Path) -> None:
    session(machine)
    session(machine, OTHER)
    rows = actions("--session", OTHER[:8])
    assert rows == dict.fromkeys(rows, "remove")
    assert all(name.startswith("b9") for name in rows)
    ran, summary = applied("--session", OTHER)
    assert (ran.code, summary["remove"]) == (0, 3)


def test_a_session_that_has_nothing_to_go_is_told_by_the_exit_code(
    machine: Path,
) -> None:
    session(machine, age=30 * DAY)
    assert run("prune", "--session", "nobody").code == 1
    assert run("prune", "--session", SESSION, "--older-than", "90d").code == 1
    assert run("prune", "--older-than", "90d").code == 0
    assert run("prune", "--older-than", "90d", "--apply").code == 0


def test_the_beginning_of_two_sessions_is_not_taken_for_one(machine: Path) -> None:
    _, made = session(machine)
    session(machine, SESSION[:-1] + "6")
    ran = run("prune", "--session", SESSION[:8], "--apply")
    assert ran.code == 2
    assert "2 sessions" in ran.err
    assert all(each.path.exists() for each in made)
    assert run("prune", "--session", SESSION, "--apply").code == 0


def test_narrowing_chooses_the_ground_and_selections_unite_on_it(
    machine: Path,
) -> None:
    session(machine, age=30 * DAY)
    _, young = session(machine, OTHER, age=2 * DAY)
    with open(young[0].path, "ab") as file:
        file.write(b"x" * 50_000)
    aged(young[0].path, 2 * DAY)
    both = actions("--older-than", "7d", "--max-file", "40k")
    assert [name for name, what in both.items() if what == "remove"] == [
        young[0].name, "b10000002.txt", "b10000001.txt", "b10000000.txt",
    ]  # fmt: skip
    one = actions("--session", OTHER, "--older-than", "7d", "--max-file", "40k")
    assert sorted(one) == sorted(each.name for each in young)
    assert one[young[0].name] == "remove"
    place = machine / ".claude/projects/-srv-app" / SESSION
    assert set(actions(place, "--older-than", "7d")) == {
        f"b1000000{n}.txt" for n in range(3)
    }
    assert actions("--harness", "dsh", "--older-than", "7d") == {}


def test_the_newest_of_each_session_are_kept(machine: Path) -> None:
    session(machine, files=4)
    session(machine, OTHER, files=2)
    rows = plan("--keep-last", "2", "--older-than", "1d")
    kept = {name for name, row in rows.items() if row["action"] == "keep"}
    assert kept == {"b10000002.txt", "b10000003.txt", "b90000000.txt", "b90000001.txt"}
    assert "newest 2" in rows["b10000003.txt"]["reason"]


def test_the_total_is_brought_down_by_the_oldest(machine: Path) -> None:
    session(machine, age=30 * DAY)
    session(machine, OTHER, age=2 * DAY)
    one = 300 * 39
    rows = actions("--max-total", f"{3 * one}B")
    gone = {name for name, what in rows.items() if what == "remove"}
    assert gone == {f"b1000000{n}.txt" for n in range(3)}


def test_orphans_go_only_where_every_record_could_be_read(machine: Path) -> None:
    told, made = session(machine)
    orphan = made[0].path.with_name("b00000000.txt")
    orphan.write_text("nobody knows me")
    aged(orphan, 30 * DAY)
    rows = actions("--orphans")
    assert [name for name, what in rows.items() if what == "remove"] == [orphan.name]
    told.transcript.unlink()
    os.mkfifo(told.transcript)  # no record can be read now
    ran = run("prune", "--orphans", "--json")
    assert ran.code in (0, 2)
    orphans = [r["path"] for r in ran.rows[:-1] if r["action"] == "remove"]
    links = {r["name"]: r["link"] for r in run("ls", "--json").rows}
    assert {Path(path).name for path in orphans} <= {
        name for name, link in links.items() if link == "orphan"
    }


@pytest.mark.parametrize("whose", ["its own", "another's"])
def test_an_orphan_stays_where_a_record_of_its_session_is_broken(
    machine: Path, whose: str
) -> None:
    told, made = session(machine)
    other, _ = session(machine, OTHER)
    orphan = made[0].path.with_name("b00000000.txt")
    orphan.write_text("who knows me?")
    aged(orphan, 30 * DAY)
    broken = (told if whose == "its own" else other).transcript
    broken.write_bytes(broken.read_bytes() + b'{"type":"user","mess{"type":"user"}\n')
    aged(broken, 30 * DAY)
    row = plan("--orphans")[orphan.name]
    if whose == "its own":
        assert row["action"] == "keep"
        assert "could not be read whole" in row["reason"]
        assert plan("--older-than", "7d")[orphan.name]["action"] == "remove"
    else:
        assert row["action"] == "remove"


def test_an_orphan_that_may_be_any_sessions_stays_while_a_record_is_broken(
    machine: Path,
) -> None:
    name = f"pi-bash-{7:016x}.log"
    orphan = machine / "tmp" / name
    orphan.write_text("who knows me?\n")
    aged(orphan, 30 * DAY)
    log = transcript_of(machine, SESSION)
    log.parent.mkdir(parents=True)
    for data, action in ((b"{}\n", "remove"), (b"{}\n{\n", "keep")):
        log.write_bytes(data)
        aged(log, 30 * DAY)
        assert plan("--orphans")[name]["action"] == action


# What is protected


def test_a_pinned_artifact_stays_until_it_is_unpinned(machine: Path) -> None:
    _, made = session(machine)
    name = made[1].name
    row = run("pin", "--json", name).row
    assert (row["path"], row["pinned"]) == (str(made[1].path), True)
    assert run("pin", "--json").row["id"] == row["id"]
    planned = plan("--older-than", "7d", "--max-file", "1B")
    assert planned[name]["action"] == "keep"
    assert planned[name]["reason"] == "it is pinned"
    _, summary = applied("--session", SESSION)
    assert summary["remove"] == 2
    assert made[1].path.exists()
    assert run("unpin", str(made[1].path)).code == 0
    assert run("unpin", row["id"]).code == 1
    assert actions("--session", SESSION) == {name: "remove"}


def test_a_pin_outlives_its_file_and_can_be_taken_back(machine: Path) -> None:
    _, made = session(machine)
    ident = run("pin", "--json", made[0].name).row["id"]
    made[0].path.unlink()
    assert run("unpin", ident[:6]).code == 0
    assert run("pin", "--json").data == b""


def test_pins_that_cannot_be_read_stop_everything(machine: Path) -> None:
    _, made = session(machine)
    run("pin", made[0].name)
    for name in ("pins", "pins.copy"):
        (machine / ".local/state/spillview" / name).write_text("damaged")
    ran = run("prune", "--older-than", "7d", "--apply")
    assert ran.code == 2
    assert "pins" in ran.err
    assert all(each.path.exists() for each in made)


def test_a_session_active_within_the_hour_keeps_everything(machine: Path) -> None:
    _, made = session(machine, age=20 * 60)
    for each in made:
        aged(each.path, 30 * DAY)  # the session decides, not the file's time
    rows = plan("--older-than", "1h", "--max-file", "1B", "--session", SESSION)
    for row in rows.values():
        assert row["action"] == "keep"
        assert "live" in row["reason"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_a_session_open_in_another_process_keeps_everything(machine: Path) -> None:
    told, _ = session(machine)
    session(machine, OTHER)
    holder = hold(told.transcript, "r")
    try:
        rows = plan("--older-than", "7d")
        for name, row in rows.items():
            assert row["action"] == ("keep" if name.startswith("b1") else "remove")
        assert "open" in rows["b10000000.txt"]["reason"]
    finally:
        holder.communicate("\n")
    assert set(actions("--older-than", "7d").values()) == {"remove"}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_an_artifact_being_written_keeps_its_whole_session(machine: Path) -> None:
    _, made = session(machine)
    holder = hold(made[1].path, "a")
    try:
        rows = plan("--older-than", "7d")
    finally:
        holder.communicate("\n")
    assert {row["action"] for row in rows.values()} == {"keep"}
    assert "being written" in rows[made[1].name]["reason"]
    assert "live" in rows[made[0].name]["reason"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_an_artifact_somebody_reads_is_kept_alone(machine: Path) -> None:
    _, made = session(machine)
    holder = hold(made[1].path, "r")
    try:
        rows = actions("--older-than", "7d")
    finally:
        holder.communicate("\n")
    assert [n for n, what in rows.items() if what == "keep"] == [made[1].name]


def test_what_a_live_session_refers_to_is_kept(machine: Path) -> None:
    _, made = session(machine)
    live = Claude(machine, session=OTHER, cwd="/srv/other")
    live.clock = time.time() - 600
    live.prompt(f"have a look at {made[0].path}")
    call = live.calls("Read", file_path=str(made[1].path))
    live.gets(call, "1→nothing")
    live.write()
    rows = plan("--older-than", "7d")
    assert {n: r["action"] for n, r in rows.items()} == {
        made[0].name: "keep",
        made[1].name: "keep",
        made[2].name: "remove",
    }
    assert OTHER[:8] in rows[made[0].name]["reason"]


def test_what_a_live_session_of_another_harness_names_is_kept(machine: Path) -> None:
    _, made = session(machine)
    live = Dsh(machine, machine / "tmp/dsh-spill-AbC123", session="now")
    live.clock = time.time() - 600
    live.prompt(f"have a look at {made[0].path}.")
    live.write()
    rows = plan(machine / ".claude", "--older-than", "7d")
    assert rows[made[0].name]["action"] == "keep"
    assert "dsh" in rows[made[0].name]["reason"]
    assert rows[made[1].name]["action"] == "remove"


def test_what_a_live_fork_goes_on_from_is_kept(machine: Path) -> None:
    root = machine / "tmp/dsh-spill-AbC123"
    first = Dsh(machine, root, session="sess-1")
    first.clock = time.time() - 30 * DAY
    first.prompt("go")
    made = first.spills(b"x" * 60_000)
    first.write()
    aged(made.path, 30 * DAY)
    aged(first.log, 30 * DAY)
    assert actions("--older-than", "7d") == {made.name: "remove"}
    fork = Dsh(machine, root, session="sess-2", parent=first)
    fork.clock = time.time() - 600
    fork.prompt("go on")
    fork.write()
    # Asked for by its own folder as well: the fork's log lies elsewhere.
    for words in (["--older-than", "7d"], [made.path.parent, "--older-than", "7d"]):
        [row] = plan(*words).values()
        assert row["action"] == "keep"
        assert "live" in row["reason"]


# Only artifacts


def test_nothing_but_artifacts_by_their_harnesss_own_names_is_planned(
    machine: Path,
) -> None:
    told, made = session(machine)
    folder = made[0].path.parent
    foreign = {
        folder / "NOTES.md": "mine",
        folder / "b1.txt": "too short a name",
        folder.parent / "keep.txt": "mine",
        told.project / "memory/MEMORY.md": "mine",
        machine / "tmp/dsh-spill-AbC123/session-backup/0123456789ab-bash.txt": "mine",
        machine / "tmp/dsh-spill-AbC123/session-0123456789a/0123456789ab-bash.txt": "",
    }
    for path, text in foreign.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        aged(path, 30 * DAY)
    os.mkfifo(folder / "bfifo0000.txt")
    aged(folder / "bfifo0000.txt", 30 * DAY)
    rows = plan("--older-than", "7d")
    gone = {name for name, row in rows.items() if row["action"] == "remove"}
    assert gone == {each.name for each in made}
    assert "its name is none" in rows["NOTES.md"]["reason"]
    ran, summary = applied("--older-than", "7d")
    assert (ran.code, summary["remove"]) == (0, 3)
    assert all(path.exists() for path in foreign)
    assert told.transcript.exists()
    assert folder.is_dir()  # it holds what is not ours


def test_an_artifact_of_an_unknown_name_goes_when_a_record_points_at_it(
    machine: Path,
) -> None:
    told, _ = session(machine)
    told.clock = time.time() - 30 * DAY
    odd = told.spills(b"odd\n" * 400, name="odd \x1b[2J name")
    told.write()
    aged(odd.path, 30 * DAY)
    aged(told.transcript, 30 * DAY)
    assert actions("--older-than", "7d")[odd.name] == "remove"


def test_a_plain_folder_is_planned_but_not_what_is_surely_no_output(
    machine: Path,
) -> None:
    folder = machine / "outputs"
    for name in ("one.txt", ".hidden", "work/.git/HEAD", "work/main.py"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        aged(path, 30 * DAY)
    rows = plan(folder, "--older-than", "7d")
    assert {n for n, r in rows.items() if r["action"] == "remove"} == {"one.txt"}
    assert "repository" in rows["main.py"]["reason"]
    forced = actions(folder, "--older-than", "7d", "--harness", "folder")
    assert forced["main.py"] == "remove"


def test_our_own_trash_is_never_an_artifact(machine: Path) -> None:
    session(machine)
    applied("--older-than", "7d")
    state = machine / ".local"
    rows = plan(state, "--harness", "folder", "--max-file", "1B")
    assert {row["action"] for row in rows.values()} == {"keep"}
    assert {row["reason"] for row in rows.values()} == {"it is spillview's own"}


@pytest.mark.parametrize(
    "name",
    [
        b"mcp-\xff\xfe-1700000000000.txt",
        b"mcp-a\nb-1700000000000.txt",
        "mcp-😀-1700000000000.txt".encode(),
        b"mcp-\x1b[2J-1700000000000.txt",
    ],
)
def test_any_name_can_be_pruned_and_its_bytes_round_trip(
    machine: Path, name: bytes
) -> None:
    told, _ = session(machine, files=1)
    path = os.fsencode(told.place("x").parent) + b"/" + name
    with open(path, "wb") as file:
        file.write(b"data")
    when = time.time() - 30 * DAY
    os.utime(path, (when, when))
    ran = run("prune", "--older-than", "7d", "--json")
    [row] = [r for r in ran.rows[:-1] if "mcp-" in r["path"]]
    assert row["action"] == "remove"
    said = row.get("path_b64")
    assert (base64.b64decode(said) if said else row["path"].encode()) == path
    shown = run("prune", "--older-than", "7d", terminal=True)
    assert "\x1b[2J" not in shown.out + shown.err
    applied("--older-than", "7d")
    assert not os.path.lexists(path)
    assert run("undo").code == 0
    with open(path, "rb") as file:
        assert file.read() == b"data"


# Links, swapped folders, other hands


def test_a_link_to_a_folder_outside_is_removed_itself_at_most(machine: Path) -> None:
    outside = machine / "precious"
    outside.mkdir()
    (outside / "b12345678.txt").write_text("mine")
    aged(outside / "b12345678.txt", 30 * DAY)
    _, made = session(machine)
    link = made[0].path.with_name("blink0000.txt")
    link.symlink_to(outside)
    broken = made[0].path.with_name("bbroken00.txt")
    broken.symlink_to("nowhere")
    away = made[0].path.with_name("away")
    away.symlink_to(outside)
    for each in (link, broken, away):
        aged(each, 30 * DAY)
    _, summary = applied("--older-than", "7d")
    assert summary["remove"] == 5  # the link away bears no name of an artifact
    assert not os.path.lexists(link)
    assert not os.path.lexists(broken)
    assert (outside / "b12345678.txt").read_text() == "mine"
    run("undo")
    assert os.readlink(link) == str(outside)
    assert os.readlink(broken) == "nowhere"
    run("prune", "--older-than", "7d", "--apply", "--permanent")
    assert (outside / "b12345678.txt").read_text() == "mine"


def test_a_broken_link_ages_like_any_other_artifact(machine: Path) -> None:
    _, made = session(machine)
    link = made[0].path.with_name("bbroken00.txt")
    link.symlink_to("nowhere")
    aged(link, 2 * HOUR)
    assert actions("--older-than", "7d")[link.name] == "keep"
    aged(link, 30 * DAY)
    assert actions("--older-than", "7d")[link.name] == "remove"


def test_a_link_whose_target_still_grows_is_kept(machine: Path) -> None:
    told, _ = session(machine)
    log = machine / "live.log"
    log.write_text("growing")
    link = told.tasks / "abackground1.output"
    link.parent.mkdir(parents=True)
    link.symlink_to(log)
    aged(link, 30 * DAY)
    row = plan("--older-than", "7d")[link.name]
    assert row["action"] == "keep"
    assert "target changed" in row["reason"]


def test_a_touched_file_is_judged_by_its_session_and_both_are_said(
    machine: Path,
) -> None:
    _, made = session(machine, age=2 * DAY)
    aged(made[0].path, 300 * DAY)  # a backup gave it another time
    row = plan("--older-than", "7d")[made[0].name]
    assert row["action"] == "keep"
    assert "session was last active 2d ago" in row["reason"]
    assert "changed 42w ago" in row["reason"]


def test_a_store_swept_while_we_look_is_no_error_of_ours(machine: Path) -> None:
    _, made = session(machine)
    found = plan("--older-than", "7d")
    assert len(found) == 3
    made[0].path.unlink()
    ran, summary = applied("--older-than", "7d")
    assert (ran.code, summary["remove"], summary["failed"]) == (0, 2, [])


# Failures and totals


def test_a_failure_is_named_and_the_totals_are_true(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, made = session(machine, files=10)
    rename = os.rename

    def failing(source: str, target: str, **more: int) -> None:
        if source == made[4].name:
            raise PermissionError(13, "no")
        rename(source, target, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", failing)
        ran, summary = applied("--older-than", "7d")
    assert ran.code == 2
    assert summary["remove"] == 9
    assert [(f["path"], f["reason"]) for f in summary["failed"]] == [
        (str(made[4].path), "permission denied")
    ]
    rows = {Path(row["path"]).name: row for row in ran.rows[:-1]}
    assert rows[made[4].name]["action"] == "keep"
    assert sum(row["action"] == "remove" for row in rows.values()) == 9
    assert summary["remove_bytes"] == sum(
        row["bytes"] for row in rows.values() if row["action"] == "remove"
    )
    assert run("undo", "--json").row["restored"] == 9
    assert all(each.path.read_bytes() == each.data for each in made)


def test_a_taken_place_is_named_and_exits_two(machine: Path) -> None:
    _, made = session(machine)
    applied("--older-than", "7d")
    made[0].path.parent.mkdir(parents=True)
    made[0].path.write_text("newer")
    ran = run("undo", "--json")
    assert ran.code == 2
    assert ran.row["restored"] == 2
    [failed] = ran.row["failed"]
    assert failed["path"] == str(made[0].path)
    assert made[0].path.read_text() == "newer"
    assert run("trash", "--json").row["items"] == 1


@pytest.fixture
def apart(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder on another filesystem than the stores."""
    if not elsewhere(machine):
        pytest.skip("needs a second filesystem")
    state = ELSEWHERE / f"spillview-state-{os.getpid()}"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    yield state
    shutil.rmtree(state, ignore_errors=True)


def test_another_filesystem_is_said_before_and_keeps_its_own_trash(
    machine: Path, apart: Path
) -> None:
    session(machine)
    ran = run("prune", "--older-than", "7d")
    assert "another filesystem" in ran.err
    assert ".spillview-trash-" in ran.err
    _, summary = applied("--older-than", "7d")
    assert summary["remove"] == 3
    assert summary["freed_now"] == 0
    row = run("trash", "--json").row
    assert row["path"].startswith(str(machine.resolve()))
    assert run("undo").code == 0
    assert list(machine.glob(".spillview-trash*")) == []


def test_where_there_is_no_trash_nothing_is_deleted_unless_a_person_says_so(
    machine: Path, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, made = session(machine)
    shared = [made[0].path.parent, *list(made[0].path.parents)[1:6]]
    for folder in shared[:5]:
        folder.chmod(0o777)
    (machine / ".claude").chmod(0o777)
    machine.chmod(0o777)
    try:
        ran = run("prune", "--older-than", "7d")
        assert "no trash can be made" in ran.err
        for words in ([], ["--yes"]):
            ran, summary = applied("--older-than", "7d", *words)
            assert ran.code == 2
            assert (summary["remove"], len(summary["failed"])) == (0, 3)
        monkeypatch.setattr(asking, "answers", lambda: True)
        questions: list[str] = []

        def say(answer: bool) -> None:
            def agreed(_: object, question: str) -> bool:
                questions.append(question)
                return answer

            monkeypatch.setattr(asking, "agreed", agreed)

        say(False)
        assert applied("--older-than", "7d")[1]["remove"] == 0
        assert all(each.path.exists() for each in made)
        say(True)
        ran, summary = applied("--older-than", "7d")
        assert (ran.code, summary["remove"]) == (0, 3)
        assert summary["freed_now"] == summary["remove_bytes"]
        assert summary["batch"] is None
        assert all("for good" in question for question in questions)
    finally:
        machine.chmod(0o700)


# Asking


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["prune", "--older-than", "7d", "--apply", "--permanent"], "for good"),
        (["trash", "--empty"], "for good"),
        (["prune", "plain", "--older-than", "7d", "--apply"], "plain folder"),
    ],
)
def test_a_person_is_asked_and_no_means_no(
    machine: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], question: str
) -> None:
    session(machine)
    session(machine, OTHER)
    run("prune", "--session", OTHER, "--apply")
    (machine / "plain").mkdir()
    (machine / "plain/a.txt").write_text("a")
    aged(machine / "plain/a.txt", 30 * DAY)
    monkeypatch.chdir(machine)
    asked: list[str] = []

    def no(_: object, text: str) -> bool:
        asked.append(text)
        return False

    monkeypatch.setattr(asking, "answers", lambda: True)
    monkeypatch.setattr(asking, "agreed", no)
    before = sorted(str(p) for p in machine.rglob("*") if p.is_file())
    assert run(*words).code == 1
    assert question in asked[0]
    after = sorted(str(p) for p in machine.rglob("*") if p.is_file())
    assert [p for p in after if ".cache" not in p] == [
        p for p in before if ".cache" not in p
    ]
    asked.clear()
    assert run(*words, "--yes").code == 0
    assert asked == []


# Words


def test_the_trash_lists_its_clean_ups_and_their_files(machine: Path) -> None:
    _, made = session(machine)
    session(machine, OTHER)
    run("prune", "--session", SESSION, "--apply")
    run("prune", "--session", OTHER, "--apply")
    rows = run("trash", "--json").rows
    assert len(rows) == 2
    first = rows[1]["batch"]
    files = run("trash", "--json", first).rows
    assert {row["path"] for row in files} == {str(each.path) for each in made}
    assert run("trash", "--empty", first).code == 0
    assert [row["batch"] for row in run("trash", "--json").rows] == [rows[0]["batch"]]
    shown = run("trash", terminal=True)
    assert rows[0]["batch"] in shown.out
    assert "frees it" in shown.err


@pytest.mark.parametrize("command", [["undo", "nope"], ["trash", "--empty", "nope"]])
def test_a_clean_up_that_is_not_there_exits_one(
    machine: Path, command: list[str]
) -> None:
    session(machine)
    applied("--older-than", "7d")
    ran = run(*command)
    assert ran.code == 1
    assert "there is no clean-up" in ran.err


@pytest.mark.parametrize("command", ["undo", "trash"])
def test_whole_clean_ups_are_not_narrowed(machine: Path, command: str) -> None:
    assert run(command, "--session", SESSION).code == 2


def test_nothing_to_undo_and_an_empty_trash_are_no_errors(machine: Path) -> None:
    assert run("undo", "--json").row == {"batch": None, "restored": 0, "failed": []}
    assert run("trash").code == 0
    assert run("trash", "--empty", "--json").row["items"] == 0
    assert not (machine / ".local").exists()


def test_the_terminal_shows_what_goes_and_counts_what_stays(machine: Path) -> None:
    session(machine, files=60)
    session(machine, OTHER, age=DAY)
    ran = run("prune", "--older-than", "7d", terminal=True)
    assert "50 of 60 artifacts that go" in ran.err
    assert "3 stay: 3 not selected (newer than the rule)" in ran.err
    assert len([line for line in ran.lines if "remove" in line]) == 50
    everything = run("prune", "--older-than", "7d", "--all", terminal=True)
    assert len(everything.lines) == 64


def test_every_row_has_a_reason_and_the_sums_are_those_of_the_rows(
    machine: Path,
) -> None:
    session(machine, files=5)
    session(machine, OTHER, age=DAY)
    ran = run("prune", "--older-than", "7d", "--keep-last", "2", "--json")
    *rows, summary = ran.rows
    assert all(row["reason"] for row in rows)
    assert {row["action"] for row in rows} == {"remove", "keep"}
    gone = [row for row in rows if row["action"] == "remove"]
    assert summary["remove"] == len(gone)
    assert summary["remove_bytes"] == sum(row["bytes"] for row in gone)
    assert summary["keep"] == len(rows) - len(gone)
    listed = {row["id"] for row in run("ls", "--json").rows}
    assert {row["id"] for row in rows} == listed


def test_an_interrupted_clean_up_is_said_at_the_next_start(machine: Path) -> None:
    session(machine, files=9)
    killed = subprocess.run(
        [sys.executable, "-c", DIE],
        cwd=Path(__file__).parents[1],
        env={**os.environ},
        check=False,
    )
    assert killed.returncode < 0
    first = run("prune", "--older-than", "7d", "--json")
    assert "interrupted" in first.err
    assert len(first.rows) == 1 + 5
    again = run("trash")
    assert "4 of 9 artifacts" in again.err
    assert run("undo", "--json").row["restored"] == 4


DIE = """
import os, sys
from spillview import disk
from spillview.cli import main
count = 0
move = disk.Disk.move
def die(self, *words):
    global count
    count += 1
    if count == 5:
        os.kill(os.getpid(), 9)
    move(self, *words)
disk.Disk.move = die
main(["prune", "--older-than", "7d", "--apply"])
"""


def test_rows_are_what_the_contract_names(machine: Path) -> None:
    _, made = session(machine, files=1)
    row, summary = run("prune", "--older-than", "7d", "--json").rows
    assert {"id", "path", "bytes", "action", "reason"} <= set(row)
    assert row["bytes"] == len(made[0].data)
    assert {
        "summary", "remove", "remove_bytes", "keep", "applied", "batch", "failed",
    } <= set(summary)  # fmt: skip
    json.dumps(row)
