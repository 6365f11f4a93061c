"""What nobody should type or meet: each ends in a plain sentence or goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spillview.cli import commands, main
from tests.command import COMMAND, SLOW, Ran, busy, process, run
from tests.stores import SESSION, Claude, make_claude, make_dsh

ROOT = str(Path(__file__).parents[1])

VALUES = (
    "",
    "0",
    "-1",
    "1",
    "9" * 30,
    "9" * 5000,
    "1e5",
    "12h",
    "0h",
    "2026-13-01",
    "9999-12-31T23:59:59",
    "0001-01-01T00:00:00+23:59",
    "\udcff\udc80",
    "\ud800",
    "--",
    "-",
    "-x",
    "\n",
    "\x1b[2J",
    "30000chars",
    "0chars",
    "5parsecs",
    "claude-code",
    "line",
    "(",
    "[a-",
    "(a+)+$",
    "a" * 5000,
    "/" + "a" * 5000,
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "/etc/passwd/x",
    "..",
)
OPTIONS = {
    "ls": ("--all", "--limit", "--sort", "--missing", "--no-count", "--count"),
    "sessions": ("--all", "--limit", "--sort"),
    "show": ("--offset", "--limit", "--unit", "-n", "--unescape", "--raw"),
    "envelope": (),
    "grep": ("-i", "-F", "-v", "-c", "-l", "-o", "-m", "-C", "-e", "--seen"),
    "doctor": (),
    "": ("--or-demo", "--version"),
}
COMMON = ("--json", "--harness", "--session", "--since", "--until", "--boundary", "-q")


def no_control(text: str) -> bool:
    return not any(
        (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 for char in text
    )


def plain(got: Ran) -> None:
    """What every ending must be."""
    assert got.code in (0, 1, 2)
    assert "went wrong inside" not in got.err
    assert no_control(got.err.replace("\r\x1b[K", ""))


@pytest.fixture
def store(machine: Path) -> Path:
    """Two stores with a few artifacts."""
    make_claude(machine)
    make_dsh(machine, machine / "tmp")
    return machine


@pytest.mark.parametrize("seed", range(6))
def test_any_words_end_plainly(store: Path, seed: int) -> None:
    dice = random.Random(seed)
    ids = [str(row["id"]) for row in run("ls", "--json").rows]
    for _ in range(25):
        name = dice.choice(list(OPTIONS))
        words = [name] if name else []
        for _ in range(dice.randrange(5)):
            value = dice.choice([*VALUES, dice.choice(ids)[: dice.choice([1, 4, 16])]])
            option = dice.choice((*OPTIONS[name], *COMMON))
            words += dice.choice(
                [[option, value], [f"{option}={value}"], [option], [value], ["--"]]
            )
        got = run(*words, terminal=dice.random() < 0.3, width=dice.choice([1, 80, 300]))
        plain(got)
        if got.code == 2:
            assert got.err or name == "doctor"


@pytest.mark.parametrize(
    "option", ["--harness", "--session", "--since", "--until", "--boundary", "--limit"]
)
def test_two_dashes_can_be_an_options_value(store: Path, option: str) -> None:
    got = run("ls", f"{option}=--")
    plain(got)
    assert "--" in got.err or option == "--session"


def test_pattern_may_look_like_any_option(store: Path) -> None:
    folder = store / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("x -- y\n--help\n-h\n")
    for pattern, lines in (("--", 2), ("--help", 1), ("-h", 2), ("-e", 0)):
        got = run("grep", "-c", "-e", pattern, folder)
        assert got.out == (f"{folder / 'a.txt'}:{lines}\n" if lines else "")
        assert got.code == (0 if lines else 1)


def test_endless_word_is_cut_in_its_sentence(store: Path) -> None:
    for words in (
        ["--limit", "9" * 5000],
        ["--" + "x" * 5000],
        [f"--all={'y' * 5000}"],
    ):
        got = run("ls", *words)
        assert got.code == 2
        assert len(got.err) < 1000


def test_demo_in_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\xfe"
    got = run("demo", os.fsdecode(name))
    assert got.code == 2
    assert "\\xff\\xfe" in got.err
    assert not os.path.exists(name)


@pytest.mark.parametrize("word", ["", "here"])
def test_demo_in_a_folder_that_is_gone_is_one_sentence(
    tmp_path: Path, word: str
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    code = f"import os; os.chdir({str(folder)!r}); os.rmdir({str(folder)!r})\n"
    code += (
        f"from spillview.cli import main; raise SystemExit(main(['demo', {word!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("spillview: The demo ")
    assert done.stderr.count("\n") == 1


# -- streams and signals -----------------------------------------------------------


@pytest.mark.parametrize("code", [KeyboardInterrupt(), SystemExit(143)])
def test_lock_that_complains_over_an_interrupt_is_not_a_fault(
    monkeypatch: pytest.MonkeyPatch, code: BaseException
) -> None:
    def interrupted(*_: Any) -> int:
        try:
            raise code
        finally:
            raise RuntimeError("release unlocked lock")

    monkeypatch.setattr(commands, "run", interrupted)
    got = run("ls")
    assert got.code == (130 if isinstance(code, KeyboardInterrupt) else 143)
    assert got.err == ""


def test_search_that_nobody_reads_ends_quietly(store: Path) -> None:
    done = subprocess.run(
        f"({' '.join(COMMAND)} grep . 2>err; echo $? >code) | true",
        shell=True,
        cwd=store,
        check=False,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    assert done.returncode == 0
    assert (store / "code").read_text() == "0\n"
    assert (store / "err").read_text() == ""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_signal_during_a_search_leaves_no_sentence_and_no_process(
    machine: Path, tmp_path: Path, name: str
) -> None:
    path = busy(tmp_path)
    with subprocess.Popen(
        [*COMMAND, "grep", "-e", SLOW, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        if not children.exists():
            running.kill()
            pytest.skip("needs /proc")
        searching: list[str] = []
        while not searching:
            assert running.poll() is None
            searching = [c for c in children.read_text().split() if _searches(c)]
        running.send_signal(getattr(signal, name))
        _, err = running.communicate(timeout=30)
    assert running.returncode in (130, 143)
    assert err == b""
    assert not _searches(searching[0])


def _searches(process: str) -> bool:
    """Whether that process is ripgrep with the file before it, by name or open."""
    try:
        line = Path(f"/proc/{process}/cmdline").read_bytes()
        return b"--json" in line and (b"/busy" in line or b"/self/fd/" in line)
    except OSError:
        return False


# -- cache and state ---------------------------------------------------------------


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").touch()


def _flipped(path: Path) -> None:
    dice, data = random.Random(7), bytearray(path.read_bytes())
    for _ in range(40):
        data[dice.randrange(len(data))] = dice.randrange(256)
    path.write_bytes(data)


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("pragma user_version = 999")
    db.close()


def _views(path: Path) -> None:
    with sqlite3.connect(path) as db:
        for name in ("counts", "facts", "looks", "printed", "reviewed"):
            db.execute(f"create view {name} as select 1 as id, 2 as at, x'' as path")
        db.execute("pragma user_version = 1")
    db.close()


KEPT: tuple[Callable[[Path], object], ...] = (
    _flipped,
    _newer,
    lambda path: path.write_bytes(path.read_bytes()[:5000]),
    lambda path: Path(f"{path}-wal").write_bytes(b"\x37\x7f\x06\x82" * 9000),
    lambda path: Path(f"{path}-wal").mkdir(),
    lambda path: Path(f"{path}-journal").write_bytes(b"x" * 4000),
)
"""Faults of a file that was good."""

NEW: tuple[Callable[[Path], object], ...] = (
    _folder,
    _views,
    os.mkfifo if hasattr(os, "mkfifo") else _folder,
    lambda path: path.symlink_to("/etc/passwd"),
    lambda path: path.symlink_to(path),
    lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 20),
    lambda path: path.write_bytes(b""),
)
"""What may lie in its place."""


def _wipe(path: Path) -> None:
    for each in path.parent.glob(f"{path.name}*"):
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()


@pytest.mark.parametrize("which", [".cache/spillview/catalogue.sqlite3", "state"])
def test_whatever_lies_in_the_databases_place_the_list_is_the_same(
    store: Path, which: str
) -> None:
    path = store / which
    if which == "state":
        path = store / ".local/state/spillview/state.sqlite3"
    (store / "folder").mkdir()
    (store / "folder" / "a.txt").write_text("a\n")
    run("ls", store / "folder")
    expected = run("ls", "--json")
    good = path.read_bytes()
    for fault in (*KEPT, *NEW):
        _wipe(path)
        if fault in KEPT:
            path.write_bytes(good)
        fault(path)
        for _ in range(2):
            got = run("ls", "--json")
            assert got.rows == expected.rows
            assert got.code == 0
        plain(run("ls", store / "folder"))
    assert Path("/etc/passwd").stat().st_size


@pytest.mark.parametrize("value", ["x", b"\xff", None, -1.5])
def test_cached_value_of_another_type_is_found_out_anew(
    store: Path, value: object
) -> None:
    expected = run("ls", "--json").rows
    path = store / ".cache/spillview/catalogue.sqlite3"
    fits_no_text = not isinstance(value, str | float)  # SQLite makes text of a number
    for table, columns in (
        ("counts", ("bytes", "chars", "lines", "partial")),
        ("counts", ("verdict_number", "verdict_start", "verdict_truncated")),
        ("counts", ("encoding", "kind", "verdict_text") if fits_no_text else ()),
        ("facts", ("data",)),
        ("looks", ("token", "data")),
    ):
        for column in columns:
            with sqlite3.connect(path) as db:
                db.execute(f"update {table} set {column} = ?", (value,))
            db.close()
            got = run("ls", "--json")
            assert got.code == 0
            assert got.rows == expected


def test_fact_whose_bytes_changed_in_the_cache_is_read_anew(store: Path) -> None:
    expected = run("ls", "--json").rows
    path = store / ".cache/spillview/catalogue.sqlite3"
    with sqlite3.connect(path) as db:
        for table in ("facts", "looks"):
            for key, data in db.execute(f"select path, data from {table}").fetchall():
                other = data.replace(b"make", b"fake").replace(b"2", b"3")
                db.execute(f"update {table} set data = ? where path = ?", (other, key))
    db.close()
    assert run("ls", "--json").rows == expected


def test_many_at_once_from_nothing_agree(store: Path) -> None:
    running = [
        subprocess.Popen(
            [*COMMAND, "ls", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    outs = [each.communicate(timeout=60) for each in running]
    assert {each.returncode for each in running} == {0}
    assert {err for _, err in outs} == {b""}
    assert len({out for out, _ in outs}) == 1


def test_killed_at_any_moment_the_next_start_works_and_keeps_the_marks(
    store: Path,
) -> None:
    from spillview.places import Places
    from spillview.review.state import State

    expected = [row["id"] for row in run("ls", "--json").rows]
    writer = (
        "import itertools, sys\n"
        "from spillview.places import Places\n"
        "from spillview.review.state import State\n"
        "state = State(Places.here())\n"
        "for n in itertools.count():\n"
        "    ident = f'{n:016x}'\n"
        "    state.mark_reviewed([ident], 1.0 + n)\n"
        "    state.remember_ids([(ident, '/x/' + ident)])\n"
        "    print(ident, flush=True)\n"
    )
    for lines in (1, 5, 20):
        _wipe(store / ".cache/spillview/catalogue.sqlite3")
        listing = subprocess.Popen([*COMMAND, "ls", "--json"], stdout=subprocess.PIPE)
        with subprocess.Popen(
            [sys.executable, "-c", writer], stdout=subprocess.PIPE, text=True
        ) as marking:
            assert marking.stdout is not None
            told = [marking.stdout.readline().strip() for _ in range(lines)]
            marking.kill()
            listing.kill()
        listing.communicate()
        state = State(Places.here())
        assert set(told) <= set(state.reviewed())
        assert all(state.path_of(ident) for ident in told)
        assert state.problems == []
        state.close()
        assert [row["id"] for row in run("ls", "--json").rows] == expected


# -- the machine -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOME", ""),
        ("HOME", "/dev/null"),
        ("HOME", "/" + "h" * 300),
        ("XDG_CACHE_HOME", "/dev/null"),
        ("XDG_STATE_HOME", "/dev/full"),
        ("XDG_CONFIG_HOME", "/proc/self"),
        ("TMPDIR", "/nonexistent"),
        ("COLUMNS", "0"),
        ("COLUMNS", "nine"),
        ("COLUMNS", "9" * 30),
        ("TERM", "dumb"),
        ("LC_ALL", "C"),
        ("PYTHONIOENCODING", "ascii"),
    ],
)
def test_odd_environment_is_no_traceback(store: Path, name: str, value: str) -> None:
    variables = {**os.environ, name: value}
    for words in (["ls"], ["sessions", "--json"], ["grep", "-c", "FAILED"]):
        got = process(*words, env=variables)
        plain(got)
        assert "Traceback" not in got.err


@pytest.mark.parametrize("blocks", [0, 1, 8, 64])
def test_disk_that_takes_no_more_stops_no_listing(store: Path, blocks: int) -> None:
    limits = pytest.importorskip("resource")
    expected = run("ls", "--json").rows
    for cached in (True, False):
        if not cached:
            shutil.rmtree(store / ".cache")
        got = process(
            "ls",
            "--json",
            preexec_fn=lambda: limits.setrlimit(
                limits.RLIMIT_FSIZE, (blocks * 512, blocks * 512)
            ),
        )
        assert got.rows == expected
        assert (got.code, got.err) == (0, "")


def test_reader_of_stdin_is_not_waited_for(store: Path) -> None:
    read, write = os.pipe()
    try:
        for words in (["ls"], ["grep", "FAILED"], ["grep", "-e", "FAILED"]):
            done = subprocess.run(
                [*COMMAND, *words], stdin=read, capture_output=True, timeout=30
            )
            assert done.returncode == 0
    finally:
        os.close(read)
        os.close(write)


def test_session_in_a_folder_named_with_any_bytes_is_listed(machine: Path) -> None:
    session = Claude(machine, cwd="/srv/\udcffapp")
    made = session.spills(b"text\n" * 9000)
    session.write()
    got = run("ls", "--json")
    assert [row["name"] for row in got.rows] == [made.name]
    assert main(["ls", "-q"]) == 0


# -- nothing known yet ---------------------------------------------------------------


@pytest.mark.parametrize("command", ["ls", "sessions", "grep"])
@pytest.mark.parametrize(
    "narrow",
    [
        ("--until", "2026-11-20"),
        ("--since", "2026-11-20"),
        ("--session", "sess-2"),
        ("--session", SESSION[:8]),
    ],
)
def test_first_start_finds_what_the_second_does(
    store: Path, command: str, narrow: tuple[str, str]
) -> None:
    """A call's time and a session's own id stand in the transcripts alone."""
    words = ["grep", "-c", "."] if command == "grep" else [command]
    first = run(*words, "--json", *narrow)
    run("ls")
    again = run(*words, "--json", *narrow)
    assert first.rows == again.rows
    assert first.code == again.code
    assert bool(first.rows) == (narrow[0] != "--since")


@pytest.mark.parametrize("key", ["age", "bytes", "tool", "worst", "harness"])
def test_first_start_cuts_where_the_second_does(store: Path, key: str) -> None:
    calls = [str(row["id"]) for row in run("ls", "--json", "--sort", key).rows]
    shutil.rmtree(store / ".cache")
    for limit in (1, 3, 50):
        got = run("ls", "--json", "--sort", key, "--limit", str(limit))
        assert [row["id"] for row in got.rows] == calls[:limit]
        shutil.rmtree(store / ".cache")
