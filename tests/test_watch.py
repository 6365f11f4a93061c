"""`watch`: real processes that write, the limits they pass, exit codes, odd names."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.growth.births import born
from spillview.growth.check import check
from spillview.growth.limits import Limits
from spillview.growth.moments import Moment
from spillview.growth.readings import Check
from spillview.places import Places
from tests.command import Row, process, run
from tests.stores import SESSION, Claude

LINUX = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="needs Linux's /proc"
)

WRITE = """
import os, sys, time
file = open(sys.argv[1], "ab", buffering=0)
if sys.argv[3] == "deleted":
    os.unlink(sys.argv[1])
print("open", flush=True)
while True:
    file.write(b"x" * int(sys.argv[2]))
    time.sleep(0.01)
"""


@contextmanager
def writing(path: Path, step: int = 1000, how: str = "") -> Iterator[int]:
    """A process that writes to a file until the block ends."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path), str(step), how],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        yield writer.pid
    finally:
        writer.kill()
        writer.communicate()


@pytest.fixture
def logs(machine: Path) -> Path:
    """A folder with a file that stays as it is."""
    folder = machine / "logs"
    folder.mkdir()
    (folder / "still.log").write_bytes(b"y" * 5000)
    return folder


def watch(*words: str | Path) -> list[Row]:
    return run("watch", "--json", "--interval", "0.2s", *words).rows


def files(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.get("what") in ("file", "deleted")]


def summary(rows: list[Row]) -> Row:
    assert rows[-1]["summary"] is True
    return rows[-1]


# What grows


def test_a_file_that_a_process_writes_is_told_with_its_rate(logs: Path) -> None:
    path = logs / "grows.log"
    with writing(path) as pid:
        before, began = path.stat().st_size, time.monotonic()
        rows = watch(logs)
        most = (path.stat().st_size - before) / 0.2
        assert time.monotonic() > began
    [row] = files(rows)
    assert row["path"] == str(path)
    assert row["passed"] is False
    assert row["limit"] is None
    assert 0 < row["per_second"] <= most
    assert row["now"]["grown"] > 0
    assert row["since"] is None
    if Path("/proc/self/fd").exists():
        [holder] = row["holders"]
        assert holder["pid"] == pid
        assert holder["writes"]
        assert "python" in holder["command"]
    assert summary(rows)["growing"] == 1
    assert summary(rows)["files"] == 2


def test_the_next_run_knows_the_rate_since_the_one_before(logs: Path) -> None:
    path = logs / "grows.log"
    path.write_bytes(b"x" * 1000)
    first = watch(logs)
    assert summary(first)["since_seconds"] is None
    with path.open("ab") as file:
        file.write(b"x" * 300_000)
    (logs / "new.log").write_bytes(b"z" * 7000)
    (logs / "still.log").write_bytes(b"short")
    rows = run("watch", "--json", "--interval", "0", logs).rows
    by_name = {os.path.basename(row["path"]): row for row in files(rows)}
    assert set(by_name) == {"grows.log", "new.log"}
    since = by_name["grows.log"]["since"]
    assert since["grown"] == 300_000
    least, most = since["seconds"] - 0.001, since["seconds"] + 0.001  # it is rounded
    assert 300_000 / most <= since["per_second"] <= 300_000 / max(1e-9, least)
    assert by_name["new.log"]["since"]["grown"] == 7000
    assert by_name["new.log"]["since"]["note"] == "new"
    [total] = [row for row in rows if row["what"] == "total"]
    assert total["since"]["grown"] == 307_000
    assert total["since"]["note"] == "unknown"  # one of them was shortened


def test_nothing_is_said_of_what_stays_as_it_is(logs: Path) -> None:
    for _ in range(2):
        rows = watch(logs)
        assert files(rows) == []
        assert summary(rows)["passed"] == 0
    assert run("watch", "-q", "--interval", "0", logs).data == b""


def test_a_clock_that_was_set_back_makes_no_rate(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Moment, "now", lambda: Moment(2e9))
    watch(logs)
    with (logs / "still.log").open("ab") as file:
        file.write(b"more")
    monkeypatch.setattr(Moment, "now", lambda: Moment(1.9e9))
    got = run("watch", "--json", "--interval", "0", logs)
    assert summary(got.rows)["since_seconds"] is None
    assert files(got.rows) == []
    assert got.code == 0


def test_a_replaced_file_has_no_rate_and_a_renamed_one_neither(logs: Path) -> None:
    (logs / "a.log").write_bytes(b"a" * 100)
    (logs / "b.log").write_bytes(b"b" * 100)
    watch(logs)
    time.sleep(0.02)
    (logs / "new").write_bytes(b"c" * 90_000)
    os.replace(logs / "new", logs / "a.log")
    with (logs / "b.log").open("ab") as file:
        file.write(b"b" * 500)
    os.rename(logs / "b.log", logs / "c.log")
    rows = watch("--max-file", "50k", logs)
    [row] = files(rows)
    assert row["path"] == str(logs / "a.log")
    assert row["limit"] == "max-file"
    assert row["since"] == {
        "seconds": row["since"]["seconds"], "grown": None, "per_second": None,
        "note": "replaced",
    }  # fmt: skip
    assert row["per_second"] == 0  # while we looked


def test_a_file_that_was_there_before_but_not_looked_at_is_not_new(
    logs: Path, machine: Path
) -> None:
    other = machine / "other.log"
    other.write_bytes(b"o" * 70_000)
    time.sleep(0.02)
    watch("--since", "1h", logs)
    os.utime(logs / "still.log", (1e9, 1e9))
    watch("--since", "1h", logs)
    os.rename(other, logs / "came.log")  # moved here: it did not grow
    (logs / "made.log").write_bytes(b"m" * 600)
    os.utime(logs / "still.log")
    rows = run("watch", "--json", "--interval", "0", logs).rows
    [total] = [row for row in rows if row["what"] == "total"]
    if born(str(logs / "made.log")) is None:
        pytest.skip("this disk does not tell when a file was made")
    assert [os.path.basename(row["path"]) for row in files(rows)] == ["made.log"]
    assert total["since"]["grown"] == 600
    assert total["since"]["note"] == "unknown"


@LINUX
def test_what_grows_can_be_listed_alone(logs: Path) -> None:
    with writing(logs / "grows.log"):
        rows = run("ls", "--json", "--only", "growing", logs).rows
    assert [row["name"] for row in rows] == ["grows.log"]
    assert "growing" in rows[0]["flags"]


LIVES = st.lists(
    st.tuples(
        st.sampled_from(["append", "cut", "replace", "rename", "remove", "make"]),
        st.sampled_from("abcd"),
        st.sampled_from("abcd"),
        st.integers(1, 5000),
    ),
    max_size=8,
)


LIFE = itertools.count(1)
"""Tells every file that was ever made from all others."""


def live(folder: Path, names: dict[str, int], step: tuple[str, str, str, int]) -> None:
    """Do one thing to a file; `names` says whose life (a number) each name leads to."""
    what, name, other, size = step
    path = folder / name
    if what in ("append", "make"):
        if name not in names:
            names[name] = next(LIFE)
        with path.open("ab") as file:
            file.write(b"x" * size)
    elif name not in names:
        return
    elif what == "cut":
        os.truncate(path, min(size, path.stat().st_size))
    elif what == "replace":
        (folder.parent / "new").write_bytes(b"y" * size)
        os.replace(folder.parent / "new", path)
        names[name] = next(LIFE)
    elif what == "rename" and name != other:
        os.rename(path, folder / other)
        names[other] = names.pop(name)
    elif what == "remove":
        path.unlink()
        del names[name]


@given(LIVES, LIVES)
@settings(max_examples=25)
def test_growth_since_the_check_before_is_what_an_onlooker_would_say(
    before: list[tuple[str, str, str, int]], after: list[tuple[str, str, str, int]]
) -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "logs")
        folder.mkdir()
        (folder / "still").write_bytes(b"still")
        catalogue = Catalogue(Places.of_home(home))
        query = Query((str(folder),))

        def checked() -> Check:
            return check(catalogue, query, Limits(), interval=0)

        names: dict[str, int] = {}
        for step in before:
            live(folder, names, step)
        checked()
        known = {n: (life, (folder / n).stat().st_size) for n, life in names.items()}
        time.sleep(0.012)  # disks tell births in steps
        for step in after:
            live(folder, names, step)
        if names and born(str(folder / "still")) is None:
            return  # this disk does not tell when a file was made
        expected: dict[str, int | None] = {}
        alike = False  # another file of the same size: nothing tells it apart
        for name, life in names.items():
            size = (folder / name).stat().st_size
            if name in known:
                same = known[name][0] == life and size >= known[name][1]
                alike = alike or (known[name][0] != life and size == known[name][1])
                expected[name] = size - known[name][1] if same else None
            else:
                moved = any(life == other for other, _ in known.values())
                expected[name] = None if moved else size
        got = checked()
        grown = {
            os.path.basename(r.path): r.since.grown
            for r in got.readings
            if r.kind == "file" and r.since is not None
        }
        assert grown == {name: size for name, size in expected.items() if size}
        total = got.total.since
        assert total is not None
        assert total.grown == sum(size or 0 for size in expected.values())
        if not alike:
            assert (total.why == "unknown") is (None in expected.values())


# Limits and exit codes


@pytest.mark.parametrize(
    ("limits", "code", "name"),
    [
        (["--max-file", "4kB"], 1, "max-file"),
        (["--max-file", "5kB"], 0, None),
        (["--max-total", "4999B"], 1, "max-total"),
        (["--max-session", "4k"], 1, "max-session"),
        (["--max-session", "1M"], 0, None),
        (["--min-free", "99.99%"], 1, "min-free"),
        (["--min-free", "1B"], 0, None),
        (["--full-within", "1s"], 0, None),
        (["--max-rate", "1B/h"], 0, None),
        ([], 0, None),
    ],
)
def test_a_limit_that_is_passed_is_named_and_gives_exit_code_1(
    logs: Path, limits: list[str], code: int, name: str | None
) -> None:
    got = run("watch", "--json", "--interval", "0.01s", logs, *limits)
    assert got.code == code, got.err
    passed = [row for row in got.rows if row.get("limits")]
    assert [row["limit"] for row in passed] == ([name] if name else [])
    assert all(row["passed"] for row in passed)
    if name is not None:
        [limit] = passed[0]["limits"]
        assert limit["limit"] == name
        assert limit["most"] != limit["has"]
    told = run("watch", "-q", "--interval", "0.01s", logs, *limits)
    assert told.code == code
    assert told.out.startswith(name or "")
    assert bool(told.out) is (name is not None)
    assert told.err == ""


def test_a_rate_passes_a_limit_while_a_process_writes(logs: Path) -> None:
    with writing(logs / "fast.log", 50_000):
        got = run("watch", "--interval", "0.3s", "--max-rate", "10kB/s", logs)
    assert got.code == 1
    assert got.out.startswith("max-rate 10kB/s")
    assert str(logs / "fast.log") in got.out
    assert "all 2 artifacts" not in got.out  # said of the file, not again of the sum


def test_many_small_new_files_pass_a_rate_together(logs: Path) -> None:
    watch(logs)
    for number in range(50):
        (logs / f"{number}.log").write_bytes(b"x" * 1000)
    got = run("watch", "--json", "--interval", "0", "--max-rate", "1kB/s", logs)
    since = next(row for row in got.rows if row["what"] == "total")["since"]
    assert since["grown"] == 50_000
    if since["seconds"] > 1:
        pytest.skip("the machine is too busy to tell one rate from the other")
    assert got.code == 1


def test_a_disk_that_would_be_full_soon_is_told(logs: Path) -> None:
    with writing(logs / "fast.log", 50_000):
        rows = watch("--full-within", "30000d", logs)
    [disk] = [row for row in rows if row["what"] == "disk"]
    assert disk["limit"] == "full-within"
    assert disk["per_second"] > 0
    expected = disk["bytes"] / disk["per_second"]
    assert disk["full_in_seconds"] == pytest.approx(expected, rel=0.01)
    [row] = files(rows)
    assert row["full_in_seconds"] == disk["full_in_seconds"]


def test_when_a_disk_is_full_is_told_of_what_grows_alone(logs: Path) -> None:
    (logs / "still.log").write_bytes(b"x" * 9000)
    with writing(logs / "fast.log", 50_000):
        rows = watch("--max-file", "8kB", logs)
    told = {Path(row["path"]).name: row["full_in_seconds"] for row in files(rows)}
    assert told["still.log"] is None
    assert told["fast.log"] is not None


def test_limits_of_the_settings_count_and_options_override(
    logs: Path, machine: Path
) -> None:
    config = machine / ".config/spillview/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[watch]\nmax_file = "4kB"\nmin_free = "1%"\n')
    words = ["watch", "--interval", "0.01s", str(logs)]
    assert run(*words).code == 1
    assert run(*words, "--max-file", "1MB").code == 0
    lifted = run(*words, "--max-file", "none")
    assert lifted.code == 0
    assert "limits: min-free 1%\n" in lifted.err
    for bad, said in (
        ("max_files = 3", "max_files"),
        ('max_file = "huge"', "max-file"),
        ("max_rate = true", "watch.max_rate"),
    ):
        config.write_text(f"[watch]\n{bad}\n")
        got = run(*words)
        assert got.code == 2
        assert said in got.err
        assert str(config) in got.err
    config.write_text("watch = 3\n")
    assert "must be a table" in run(*words).err


def test_our_own_limits_are_said_where_nobody_set_any(logs: Path) -> None:
    got = run("watch", "--interval", "0.01s", logs)
    assert "limits (our own" in got.err
    for words in ("max-file 1GB", "min-free 1GB", "max-rate 10MB/s", "full-within 6h"):
        assert words in got.err


@pytest.mark.parametrize(
    "words",
    [
        ["--max-file", "0"],
        ["--max-file", "5"],
        ["--min-free", "5"],
        ["--max-rate", "5/s"],
        ["--max-rate", "5MB"],
        ["--min-free", "200%"],
        ["--full-within", "never"],
        ["--interval", "2h"],
        ["--interval", "x"],
        ["/no/such/path"],
    ],
)
def test_what_cannot_be_meant_is_a_sentence(machine: Path, words: list[str]) -> None:
    got = run("watch", *words)
    assert got.code == 2
    assert got.err.startswith("spillview: ")
    assert got.err.count("\n") == 1


def test_a_store_that_cannot_be_read_gives_2_and_a_passed_limit_still_1(
    logs: Path, machine: Path
) -> None:
    state = machine / ".local/state/spillview"
    state.mkdir(parents=True, exist_ok=True)
    (state / "watch").write_text("in the way")
    got = run("watch", "--interval", "0", logs)
    assert got.code == 2
    assert "are not kept for the next check" in got.err
    assert run("watch", "--interval", "0", "--max-file", "1k", logs).code == 1


# Files that are more, or less, than they seem


def test_hard_links_count_once_and_links_not_at_all(logs: Path, machine: Path) -> None:
    os.link(logs / "still.log", logs / "again.log")
    big = machine / "big"
    big.write_bytes(b"b" * 900_000)
    (logs / "link.log").symlink_to(big)
    rows = watch("--max-file", "1k", "--max-total", "6k", logs)
    [row] = files(rows)
    assert row["names"] == 2
    [total] = [row for row in rows if row["what"] == "total"]
    assert (total["bytes"], total["files"], total["passed"]) == (5000, 1, False)


def test_one_file_in_two_stores_counts_once_in_all_and_in_each_session(
    logs: Path, machine: Path
) -> None:
    other = machine / "other"
    other.mkdir()
    os.link(logs / "still.log", other / "same.log")
    rows = watch("--max-session", "1k", "--max-total", "5001B", logs, other)
    sessions = [row for row in rows if row["what"] == "session"]
    assert sorted(row["session"] for row in sessions) == [str(logs), str(other)]
    assert {row["bytes"] for row in sessions} == {5000}
    assert [row["passed"] for row in rows if row["what"] == "total"] == [False]


def test_holes_are_no_use_of_the_disk(logs: Path) -> None:
    with (logs / "holes.log").open("wb") as file:
        file.truncate(1 << 33)
    if (logs / "holes.log").stat().st_blocks:
        pytest.skip("this disk has no holes")
    got = run("watch", "--interval", "0", "--max-file", "1MB", logs)
    assert got.code == 0
    assert "2 artifacts take 5.0 kB of the disk and hold 8.6 GB" in got.err


@LINUX
def test_a_file_that_was_deleted_while_open_still_counts(logs: Path) -> None:
    with writing(logs / "gone.log", 2000, "deleted") as pid:
        rows = watch("--max-file", "1k", logs)
        told = run("watch", "--interval", "0.1s", logs)
    row = next(row for row in files(rows) if row["what"] == "deleted")
    assert row["path"] == str(logs / "gone.log")
    assert row["limit"] == "max-file"
    assert row["holders"][0]["pid"] == pid
    assert row["now"]["grown"] > 0
    assert "gone.log (deleted)" in told.out
    assert told.out.count("/s  ") >= 2  # the second run knows it from the first


@LINUX
def test_deleted_files_of_others_in_the_temp_folder_are_not_told(
    machine: Path, tmp_path: Path
) -> None:
    made = Path(os.environ["TMPDIR"])
    spills = made / "dsh-spill-AbCd12" / "session-0123456789ab"
    spills.mkdir(parents=True)
    (spills / "0123456789ab-bash.txt").write_bytes(b"x" * 5000)
    with (
        writing(made / "somebody.tmp", 1000, "deleted"),
        writing(spills / "0123456789ac-bash.txt", 1000, "deleted"),
    ):
        rows = watch()
    told = [row["path"] for row in files(rows) if row["what"] == "deleted"]
    assert told == [str(spills / "0123456789ac-bash.txt")]


def test_hostile_names_and_commands_cannot_reach_the_terminal(logs: Path) -> None:
    name = "a\x1b]52;c;aGk=\x07\u202e\n.log"
    with writing(logs / name):
        got = run("watch", "--interval", "0.2s", logs, terminal=True, width=160)
        rows = watch(logs)
    assert "\x1b]" not in got.out
    assert "\u202e" not in got.out
    assert len(got.lines) == 2  # the heading and one line
    [row] = files(rows)
    assert row["path"] == str(logs / name)


def test_bytes_that_are_no_text_are_carried_beside_the_path(logs: Path) -> None:
    raw = os.fsencode(str(logs)) + b"/\xff.log"
    Path(os.fsdecode(raw)).write_bytes(b"x" * 9000)
    [row] = files(watch("--max-file", "8k", logs))
    assert row["path"].endswith("\\xff.log")
    import base64

    assert base64.b64decode(row["path_b64"]) == raw


# What repeats and what reads itself


def test_a_log_of_one_line_is_told_with_how_much_was_looked_at(logs: Path) -> None:
    (logs / "loop.log").write_bytes(b"error: port 80 is in use\n" * 200_000)
    words = ["watch", "--interval", "0", "--max-file", "1MB", str(logs)]
    got = run(*words)
    assert "error: port 80 is in use" in got.out
    assert "1.2 MB looked at" in got.out
    [row] = files(run(*words, "--json").rows)
    assert row["flags"] == ["repeats"]
    assert row["repetition"]["looked"] < row["repetition"]["of"] == 5_000_000
    [whole] = files(run(*words, "--json", "--whole").rows)
    assert whole["repetition"]["looked"] == 5_000_000
    assert whole["repetition"]["block"] == {"bytes": 25, "start": 0, "end": 5_000_000}


def test_a_log_that_names_its_own_path_is_told_with_the_place(logs: Path) -> None:
    path = logs / "self.log"
    path.write_text(f"first line\n{path}:1:first line\n" + "x\n" * 5000)
    got = run("watch", "--interval", "0", "--max-file", "8kB", logs)
    assert "names itself 1 times, first at byte" in got.out
    [row] = files(run("watch", "--json", "--max-file", "8kB", logs).rows)
    assert "self-reference" in row["flags"]
    assert path.read_bytes()[row["repetition"]["own_path_at"] :].startswith(
        b"logs/self.log"
    )


@LINUX
def test_a_process_that_reads_what_it_writes_is_told(logs: Path) -> None:
    path = logs / "fed.log"
    path.write_bytes(os.urandom(3000))
    with path.open("ab") as out:
        reader = subprocess.Popen(["tail", "-f", str(path)], stdout=out)
        try:
            deadline = time.monotonic() + 20
            while path.stat().st_size < 100_000 and time.monotonic() < deadline:
                time.sleep(0.01)
            rows = watch(logs)
        finally:
            reader.kill()
            reader.wait()
    row = next(row for row in files(rows) if row["path"] == str(path))
    assert "self-reference" in row["flags"]
    assert [
        h["reads"] and h["writes"] for h in row["holders"] if h["pid"] == reader.pid
    ]


# Stores


def test_a_session_that_is_nowhere_is_told_and_no_silent_success(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"x\n" * 40_000)
    session.write()
    assert run("watch", "--interval", "0", "--session", SESSION).code == 0
    got = run("watch", "--interval", "0", "--session", "nobody")
    assert got.code == 2
    assert "no artifact of session nobody was found" in got.err


def test_transcripts_are_watched_and_no_part_of_the_totals(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"x\n" * 40_000)
    session.write()
    rows = watch("--max-file", "100B")
    assert {row["kind"] for row in files(rows)} == {"artifact", "transcript"}
    assert {row["harness"] for row in files(rows)} == {"claude-code"}
    [total] = [row for row in rows if row["what"] == "total"]
    assert (total["bytes"], total["files"]) == (80_000, 1)
    doctor = run("doctor", "--json").rows
    assert total["bytes"] == sum(row["bytes"] or 0 for row in doctor)


def test_the_process_that_runs_it_writes_nothing_but_its_memory(logs: Path) -> None:
    before = {path: path.stat() for path in logs.iterdir()}
    assert process("watch", "--interval", "0", logs).code == 0
    assert {path: path.stat() for path in logs.iterdir()} == before
