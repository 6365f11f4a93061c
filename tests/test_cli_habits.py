"""Habits of the whole command line: words, options, streams, colour, exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spillview.cli import commands, main, parsing
from tests.command import COMMAND, process, run
from tests.stores import Claude


@pytest.fixture
def store(machine: Path) -> Path:
    """A home with one spilled output."""
    session = Claude(machine)
    session.spills(b"x \x1b[2J\n" * 40_000)
    session.write()
    return machine


# -- words and options ---------------------------------------------------------------


def test_help_names_every_command_and_shows_examples() -> None:
    got = run("--help")
    assert got.code == 0
    for name in commands.COMMANDS:
        assert f"  {name} " in got.out
        assert f"  {commands.COMMANDS[name].summary}\n" in got.out.replace("] ", "]  ")
    assert "examples:" in got.out
    assert "exit codes:" in got.out
    assert max(map(len, got.lines)) <= 88


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_every_command_takes_the_common_options(name: str) -> None:
    got = run(name, "--help")
    assert got.code == 0
    for option in ("--no-color", "--quiet"):
        assert option in got.out
    assert max(map(len, got.lines)) <= 88
    values = {"--json": (), "--harness": ("dsh",), "--boundary": ("5chars",)}
    for option in ("--session", "--since", "--until"):
        values[option] = ("1d",)
    for option, value in values.items():
        parsing.parse(commands.COMMANDS[name], [option, *value])
        told = option in re.findall(r"^  (--[a-z]+)", got.out, re.MULTILINE)
        assert told == (option[2:] in commands.COMMANDS[name].common)


@pytest.mark.parametrize("name", ["undo", "trash", "config", "completion", "hook"])
def test_help_tells_of_no_option_that_means_nothing_there(name: str) -> None:
    told = re.findall(r"^  (--[a-z]+)", run(name, "--help").out, re.MULTILINE)
    assert not {"--since", "--until", "--harness", "--session"} & set(told)


def test_what_is_like_no_command_is_not_said_to_be_one() -> None:
    assert "did you mean" not in run("nope").err
    assert "did you mean `sessions`" in run("sesions").err


def test_the_version_is_printed() -> None:
    got = run("--version")
    assert got.code == 0
    assert got.out.startswith("spillview 0.")


def test_common_options_stand_before_or_after_the_command(store: Path) -> None:
    expected = run("ls", "--json").data
    for words in (
        ["--json", "ls"],
        ["--harness", "claude-code", "--json", "ls"],
        ["--json", "--harness=claude-code", "ls", "--since", "5000d"],
        ["--harness", "claude-code", "ls", "--json", "--no-color"],
    ):
        assert run(*words).data == expected
    assert run("-q", "--session", "nobody", "ls").code == 1


def test_options_may_stand_between_words(store: Path) -> None:
    a, b = store / "a", store / "b"
    for path in (a, b):
        path.write_bytes(b"x\n")
    rows = run("ls", a, "--json", b).rows
    assert {row["name"] for row in rows} == {"a", "b"}
    assert run("grep", "x", "-l", a, "-i", b).code == 0


def test_after_two_dashes_everything_is_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--json").write_bytes(b"x\n")
    assert run("ls", "--json", "--", "--json").row["name"] == "--json"


def test_a_first_word_that_is_no_command_is_a_path(store: Path) -> None:
    got = run(store)
    assert got.code == 2
    assert "needs a terminal" in got.err
    assert "spillview ls" in got.err
    assert run().err == got.err
    assert run(".", "ls").code == 2


def test_a_folder_named_like_a_command_can_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ls").mkdir()
    assert "needs a terminal" in run("./ls").err
    assert "needs a terminal" in run("--", "ls").err
    assert run("ls").code == 0


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["sl"], ["no command or path “sl”", "`ls`"]),
        (["session"], ["`sessions`"]),
        (["wrapp"], ["no command or path"]),
        (["/no/such/place"], ["/no/such/place: no such file or folder"]),
        (["show", "/no/such/place"], ["/no/such/place: no such file or folder"]),
        (["ls", "--lmit", "3"], ["no option --lmit", "--limit"]),
        (["ls", "--limit"], ["--limit", "expected one argument"]),
        (["ls", "--limit", "x"], ["--limit", "whole number"]),
        (["ls", "/no/such/place"], ["/no/such/place"]),
        (["ls", "--since", "yesterdayish"], ["yesterdayish"]),
        (["ls", "--since=-3h"], ["3h"]),
        (["ls", "--boundary", "0"], ["0"]),
        (["ls", "--boundary", "5parsecs"], ["5parsecs"]),
        (["ls", "--all", "--limit", "3"], ["--all", "--limit"]),
        (["ls", "--count", "--no-count"], ["--count"]),
        (["show"], ["one artifact"]),
        (["envelope", "nothing-like-this"], ["nothing-like-this"]),
        (["grep"], ["pattern"]),
        (["demo", "a", "b"], ["one folder"]),
        (["--json"], ["spillview ls --json"]),
    ],
)
def test_bad_usage_is_one_plain_sentence(words: list[str], parts: list[str]) -> None:
    got = run(*words)
    assert (got.code, got.out) == (2, "")
    assert got.err.startswith("spillview: ")
    assert got.err.count("\n") == 1
    for part in parts:
        assert part in got.err


def test_a_hostile_word_is_escaped_in_its_error() -> None:
    got = run("ls", "/no/\x1b]0;x\x07such")
    assert got.code == 2
    assert "\x1b" not in got.err
    assert "␛" in got.err


# -- streams -------------------------------------------------------------------------


def test_stdout_carries_data_only(store: Path) -> None:
    for words in (["ls"], ["ls", "--json"], ["sessions"], ["grep", "x"], ["doctor"]):
        got = process(*words)
        assert got.code == 0
        assert got.err == ""
        assert got.out


def test_python_m_and_main_are_the_same(store: Path) -> None:
    assert process("ls", "--json").data == run("ls", "--json").data


@pytest.mark.parametrize(
    "words",
    [["ls"], ["ls", "--json"], ["show", "--raw"], ["show", "-n"], ["grep", "x"]],
)
def test_a_closed_pipe_ends_quietly(store: Path, words: list[str]) -> None:
    folder = store / "many"
    folder.mkdir()
    for n in range(600):
        (folder / f"{n}-{'x' * 100}").write_bytes(b"x\n" * 1000)
    target = next((store / ".claude").rglob("*.txt")) if "show" in words else folder
    with subprocess.Popen(
        [*COMMAND, *words, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(30) == 0


def test_a_closed_stdout_and_stderr_are_no_traceback(store: Path) -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f"{' '.join(COMMAND)} ls {closed}"],
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 2)
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_told(store: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "ls"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"spillview: ")
    assert done.stderr.count(b"\n") == 1


def test_quiet_keeps_notes_back_but_no_errors(store: Path) -> None:
    folder = store / "many"
    folder.mkdir()
    for n in range(60):
        (folder / str(n)).write_bytes(b"x\n")
    assert "50 of 60" in run("ls", folder, terminal=True).err
    assert run("ls", "-q", folder, terminal=True).err == ""
    assert run("ls", "-q", "/no/such").err != ""


def test_progress_is_shown_on_a_terminal_and_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(80):
        (tmp_path / str(n)).write_bytes(b"x\n")
    monkeypatch.setattr("spillview.cli.streams.EVERY", 0.0)
    assert "counted" not in run("ls", "--all", tmp_path, terminal=True).err
    monkeypatch.setattr("spillview.cli.streams.PATIENCE", 0.0)
    got = run("ls", "--all", tmp_path, terminal=True)
    assert "counted" in got.err
    assert got.err.endswith("\r\x1b[K")
    assert run("ls", "--all", tmp_path).err == ""


# -- colour --------------------------------------------------------------------------


def test_colour_is_for_terminals_that_want_it(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" in run("ls", terminal=True).out
    assert "\x1b" not in run("ls").out
    assert "\x1b" not in run("ls", "--no-color", terminal=True).out
    assert "\x1b" not in run("--no-color", "ls", terminal=True).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("ls", terminal=True).out
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b[" in run("ls", terminal=True).out
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in run("ls", terminal=True).out


# -- ends ----------------------------------------------------------------------------


def test_an_interrupt_is_quiet_and_130(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spillview.catalogue.catalogue.Catalogue.scan", interrupted)
    got = run("ls")
    assert (got.code, got.out, got.err) == (130, "", "")


def test_a_fault_inside_is_one_sentence(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("it \x1b[2J broke")

    monkeypatch.setattr("spillview.catalogue.catalogue.Catalogue.scan", broken)
    got = run("ls")
    assert (got.code, got.out) == (2, "")
    assert got.err.count("\n") == 1
    assert "RuntimeError" in got.err
    assert "\x1b" not in got.err
    monkeypatch.setenv("SPILLVIEW_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["ls"])


def test_a_broken_cache_and_state_stop_nothing(store: Path) -> None:
    expected = run("ls", "--json").data
    for path in store.rglob("*.sqlite3"):
        path.write_bytes(b"this is no database" * 100)
    assert run("ls", "--json").data == expected
    for folder in (store / ".cache", store / ".local"):
        subprocess.run(["rm", "-rf", folder], check=True)
        folder.write_bytes(b"")
    got = run("ls", "--json")
    assert (got.code, got.data) == (0, expected)


# -- the demo ------------------------------------------------------------------------


def test_the_demo_without_a_terminal_is_made_and_named(tmp_path: Path) -> None:
    got = process("demo", tmp_path / "night")
    assert (got.code, got.out) == (0, f"{tmp_path / 'night'}\n")
    assert got.err.startswith("marks made here are kept in this night (")
    assert got.err.count("\n") == 1
    rows = run("ls", "--json", tmp_path / "night").rows
    assert len(rows) >= 40
    assert len({row["harness"] for row in rows}) >= 3
    assert len(run("sessions", "--json", tmp_path / "night").rows) >= 8
    without = process("demo")
    folder = without.out.strip()
    assert os.path.isdir(folder)
    subprocess.run(["rm", "-rf", os.path.dirname(folder)], check=True)


def test_the_demo_spoils_no_folder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"precious")
    got = run("demo", tmp_path)
    assert got.code == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine"]


# -- start-up ------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["--help"], ["ls"], ["sessions"], ["--version"]])
def test_no_command_loads_what_draws_screens(machine: Path, words: list[str]) -> None:
    program = (
        "import sys; from spillview.cli import main; main(sys.argv[1:]);"
        "print([m for m in ('textual', 'rich', 'asyncio', 'rapidfuzz', 'stringzilla')"
        " if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, check=True
    )
    assert done.stderr.splitlines()[-1] == b"[]"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
def test_no_file_is_written_by_help(machine: Path) -> None:
    before = sorted(machine.rglob("*"))
    run("--help")
    run("ls", "--help")
    assert sorted(machine.rglob("*")) == before


def test_a_folder_without_access_is_told_and_the_rest_is_listed(nobody: int) -> None:
    import shutil
    import tempfile

    base = Path(tempfile.mkdtemp(prefix="spillview-access-", dir="/tmp"))
    try:
        base.chmod(0o755)
        (base / "closed").mkdir(mode=0o700)
        (base / "good").write_bytes(b"x\n")
        (base / "secret").write_bytes(b"x\n")
        (base / "secret").chmod(0o600)
        run("ls", base)  # another user may not be allowed to load the modules
        run("grep", "x", base)
        os.seteuid(nobody)
        try:
            got = run("ls", "--json", base)
            searched = run("grep", "x", base)
        finally:
            os.seteuid(0)
    finally:
        shutil.rmtree(base)
    rows = {row["name"]: row for row in got.rows}
    assert got.code == 2
    assert rows["good"]["chars"] == 2
    assert rows["secret"]["chars"] is None
    assert "denied" in rows["secret"]["error"]
    assert str(base / "closed") in got.err
    assert searched.code == 2
    assert searched.lines == [f"{base / 'good'}:1:x"]
    assert str(base / "secret") in searched.err
