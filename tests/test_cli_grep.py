"""`grep`: ripgrep's own results, told apart by what the model saw."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from spillview.search.ripgrep import find_ripgrep
from tests.command import COMMAND, SLOW, Ran, busy, process, run
from tests.stores import SESSION, Claude, Made

RG = find_ripgrep().path


def rg(*arguments: str | Path) -> Ran:
    """What ripgrep itself prints."""
    done = subprocess.run(
        [RG, "--no-config", "-a", "-j1", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())


def compared(rows: list[dict[str, Any]]) -> list[Any]:
    """Messages without times and what spillview adds, a file's in one group."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                k: clean(v)
                for k, v in value.items()
                if k
                not in {"elapsed", "elapsed_total", "artifact", "seen", "byte_range"}
            }
        return [clean(v) for v in value] if isinstance(value, list) else value

    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(str(row["data"].get("path", "")), []).append(clean(row))
    return sorted(groups.items())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of every kind."""
    (tmp_path / "plain.txt").write_bytes(b"Error one\nfine\nerror two\r\nerror error\n")
    (tmp_path / "cjk.txt").write_bytes("エラー error 😀\n終わり\n".encode() * 20)
    (tmp_path / "nul.bin").write_bytes(b"\0\1\2\nerror \0 after\n" * 3)
    (tmp_path / "invalid").write_bytes(b"\xff\xfd error\xff\n")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / ".hidden").write_bytes(b"error in a dot file\n")
    (tmp_path / ".gitignore").write_bytes(b"*\n")
    return tmp_path


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["-i"],
        ["-S"],
        ["-w"],
        ["-v"],
        ["-F"],
        ["-n"],
        ["-m", "1"],
        ["-A", "1"],
        ["-B1"],
        ["-C", "2", "-B", "0"],
        ["-o"],
    ],
)
def test_json_equals_that_of_ripgrep(folder: Path, flags: list[str]) -> None:
    ours = run("grep", "--json", *flags, "error", folder)
    files = sorted(p for p in folder.iterdir() if p.is_file())
    theirs = rg("--json", "--hidden", "--no-ignore", *flags, "-e", "error", *files)
    assert compared(ours.rows) == compared(theirs.rows)
    assert ours.code == 0
    ids = {row["id"] for row in run("ls", "--json", folder).rows}
    for row in ours.rows[:-1]:
        assert row["data"]["artifact"] in ids
    for row in ours.rows:
        assert ("seen" in row["data"]) is (row["type"] == "match")


def test_piped_lines_counts_and_names_read_as_those_of_ripgrep(folder: Path) -> None:
    files = [folder / name for name in ("plain.txt", "cjk.txt")]
    for flags in (["-c"], ["-l"], ["-c", "-o"], ["-o"], ["-n"][:0], ["-v"], ["-w"]):
        ours = run("grep", *flags, "error", *files)
        number = [] if set(flags) & {"-c", "-l"} else ["-n"]
        theirs = rg("--with-filename", *number, *flags, "-e", "error", *files)
        expected = theirs.out.replace("\r\n", "\n").splitlines()
        assert sorted(ours.lines) == sorted(expected), flags


def spilled(home: Path) -> Made:
    session = Claude(home)
    data = b"seen error 1\n" + b"filler\n" * 20_000 + b"late error 2\nlate error 3\n"
    made = session.spills(data)
    session.write()
    return made


def test_lines_are_numbered_whether_that_is_asked_for_or_not(folder: Path) -> None:
    plain = run("grep", "error", folder / "plain.txt")
    assert plain.out.split(":")[1] == "3"
    for more in ("-n", "--line-number", "-in"):
        found = run("grep", more, "error", folder / "plain.txt")
        assert (found.code, plain.out in found.out) == (0, True)


def test_seen_and_unseen_choose_matches(machine: Path) -> None:
    made = spilled(machine)
    rows = run("grep", "--json", "error").rows
    matches = [row["data"] for row in rows if row["type"] == "match"]
    assert [m["seen"] for m in matches] == [True, False, False]
    starts = [m["byte_range"][0] for m in matches]
    assert made.data[starts[1] :].startswith(b"late error 2")
    for flags, texts in (
        (["--seen"], ["seen error 1"]),
        (["--unseen"], ["late error 2", "late error 3"]),
        (["--unseen", "-m1"], ["late error 2"]),
    ):
        lines = run("grep", *flags, "error").lines
        assert [line.split(":", 2)[2] for line in lines] == texts
    assert run("grep", "--unseen", "-c", "error").out.endswith(":2\n")
    assert run("grep", "--seen", "-l", "error").out == f"{made.path}\n"
    nothing = run("grep", "--seen", "late")
    assert (nothing.code, nothing.out) == (1, "")


def test_a_terminal_groups_hits_and_tells_seen_from_unseen(machine: Path) -> None:
    spilled(machine)
    got = run("grep", "--no-color", "error", terminal=True, width=80)
    heading, *hits = got.lines
    assert "Bash" in heading
    assert "make" in heading
    assert [line.split()[1] for line in hits] == ["seen", "unseen", "unseen"]
    coloured = run("grep", "error", terminal=True)
    assert "\x1b[1;31merror\x1b[0m" in coloured.out
    assert "\x1b" not in run("grep", "error").out


def test_orphans_are_neither_seen_nor_unseen_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"error\n")
    got = run("grep", "--unseen", "error", tmp_path)
    assert (got.code, got.out) == (1, "")
    assert "not known" in got.err


def test_where_is_artifacts_sessions_harnesses_and_paths(machine: Path) -> None:
    made = spilled(machine)
    box = machine / "tmp" / "outbox"
    box.mkdir()
    (box / "x-000000000000.txt").write_bytes(b"error in the outbox\n")

    def paths(*where: str | Path) -> set[str]:
        return set(run("grep", "-l", "error", *where).lines)

    outbox = str(box / "x-000000000000.txt")
    spill = str(made.path)
    ident = next(r["id"] for r in run("ls", "--json").rows if r["path"] == spill)
    assert paths() == {spill, outbox}
    assert paths("outbox") == {outbox}
    assert paths("claude-code") == {spill}
    assert paths(SESSION) == {spill}
    assert paths(ident[:8]) == {spill}
    assert paths(made.path, box) == {spill, outbox}
    assert paths("--harness", "outbox") == {outbox}
    assert paths("--since", "1m", "--harness", "outbox") == {outbox}
    unknown = run("grep", "error", "nosuchthing")
    assert unknown.code == 2
    assert "nosuchthing" in unknown.err


def test_with_e_every_word_is_where(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\nthree -x\n")
    got = run("grep", "-e", "one", "-e", "two", tmp_path)
    assert [line.rsplit(":")[-1] for line in got.lines] == ["one", "two"]
    dash = run("grep", "-e", "-x", tmp_path)
    assert dash.lines[0].endswith("three -x")
    assert run("grep", "--", "-x", str(tmp_path)).lines == dash.lines


def test_exit_codes(folder: Path) -> None:
    assert run("grep", "error", folder).code == 0
    none = run("grep", "nowhere to be found", folder)
    assert (none.code, none.out) == (1, "")
    assert none.err.startswith("no line matches in ")
    assert run("grep", "-q", "nowhere to be found", folder).err == ""
    for bad in (["("], ["a\nb"], ["x", "-m", "-1"], [], ["x\0y"]):
        got = run("grep", *bad, *([folder] if bad else []))
        assert (got.code, got.out) == (2, "")
        assert got.err.count("\n") == 1
        assert got.err.startswith("spillview: ")


def test_what_cannot_be_read_makes_two_of_the_exit_code(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.lstat

    def failing(path: str) -> os.stat_result:
        if (
            str(path).endswith("cjk.txt")
            and sys._getframe(1).f_code.co_name == "batches"
        ):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("spillview.search.grep.os.lstat", failing)
    got = run("grep", "error", folder)
    assert got.code == 2
    assert "no permission" in got.err
    assert "plain.txt" in got.out


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"error outside\n")
    store = tmp_path / "store"
    store.mkdir()
    (store / "link").symlink_to(tmp_path / "secret")
    (store / "real").write_bytes(b"error inside\n")
    got = run("grep", "error", store)
    assert got.lines == [f"{store / 'real'}:1:error inside"]


def test_long_lines_are_excerpts_unless_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 500_000 + b" error " + b"y" * 500_000 + b"\n")
    [row] = run("grep", "--json", "error", tmp_path).rows[1:2]
    assert row["data"]["lines_bytes"] == 1_000_008
    assert len(row["data"]["lines"]["text"]) <= 65_536
    [full] = run("grep", "--json", "--full-lines", "error", tmp_path).rows[1:2]
    assert len(full["data"]["lines"]["text"]) == 1_000_008
    human = run("grep", "error", tmp_path, terminal=True)
    assert len(human.out) < 70_000
    assert "1.0 MB" in human.out


def test_control_bytes_reach_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"error \x1b[2J\x9b\x07\r\nerror\rover\n")
    for terminal in (False, True):
        got = run("grep", "--no-color", "error", tmp_path, terminal=terminal)
        text = got.out.replace("\n", "")
        assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in text)


def test_names_of_any_bytes_are_searched_and_told(tmp_path: Path) -> None:
    for name in (b"-dash", b"bad\xff", b"new\nline"):
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as out:
            out.write(b"error\n")
    rows = run("grep", "--json", "error", tmp_path).rows
    assert sum(row["type"] == "match" for row in rows) == 3
    assert len(run("grep", "-l", "error", tmp_path).lines) == 3


def test_counts_and_names_as_json(folder: Path) -> None:
    rows = run("grep", "--json", "-c", "error", folder / "plain.txt").rows
    assert rows == [
        {
            "type": "count",
            "data": {
                "path": {"text": str(folder / "plain.txt")},
                "artifact": run("ls", "--json", folder / "plain.txt").row["id"],
                "count": 2,
            },
        }
    ]
    [name] = run("grep", "--json", "-l", "error", folder / "plain.txt").rows
    assert name["type"] == "file"


def test_an_id_printed_by_grep_can_be_used_afterwards(folder: Path) -> None:
    rows = run("grep", "--json", "エラー", folder).rows
    ident = rows[0]["data"]["artifact"]
    assert run("show", ident, "--limit", "1").out.startswith("エラー")


def test_the_users_own_ripgrep_settings_change_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "rc"
    config.write_text("--invert-match\n--max-count=1\n")
    before = run("grep", "error", folder / "plain.txt").lines
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(config))
    assert run("grep", "error", folder / "plain.txt").lines == before


# -- stopping ------------------------------------------------------------------------


def searching(path: Path) -> list[str]:
    """Process ids of each ripgrep that runs over `path`; zombies have no words."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.path.basename(words[0]) == b"rg" and os.fsencode(path) in words:
            found.append(entry)
    return found


def started(path: Path, **streams: Any) -> subprocess.Popen[bytes]:
    """A search that runs; ripgrep is at work when this returns."""
    running = subprocess.Popen(
        [*COMMAND, "grep", SLOW, path], stdin=subprocess.DEVNULL, **streams
    )
    until = time.monotonic() + 20
    while not searching(path) and time.monotonic() < until:
        assert running.poll() is None
        time.sleep(0.01)
    return running


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_an_interrupt_ends_the_search_quietly_and_at_once(
    tmp_path: Path, number: int, code: int
) -> None:
    path = busy(tmp_path)
    running = started(path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err) == (code, b"", b"")
    assert not searching(path)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_closed_pipe_ends_a_search_that_finds_nothing(tmp_path: Path) -> None:
    read, write = os.pipe()
    path = busy(tmp_path)
    running = started(path, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    os.close(read)
    _, err = running.communicate(timeout=30)
    assert err == b""
    assert not searching(path)


def test_a_closed_pipe_ends_a_search_that_finds_much(tmp_path: Path) -> None:
    path = tmp_path / "many"
    path.write_bytes(b"needle\n" * 300_000)
    for flags in ([], ["--json"]):
        with subprocess.Popen(
            [*COMMAND, "grep", *flags, "needle", path],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.readline()
            running.stdout.close()
            assert running.stderr.read() == b""
            assert running.wait(20) == 0


def test_a_process_of_its_own_gives_the_same(folder: Path) -> None:
    got = process("grep", "error", folder / "plain.txt")
    assert got == run("grep", "error", folder / "plain.txt")


def test_it_is_said_where_there_is_nothing_to_search(
    machine: Path, tmp_path: Path
) -> None:
    got = run("grep", "foo")
    assert (got.code, got.out) == (1, "")
    assert "no artifacts were found on this machine" in got.err
    assert run("grep", "-q", "foo").err == ""
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.write()
    assert run("grep", "foo").err == "no line matches in 1 artifact\n"


def test_where_nothing_matches_it_is_told_in_how_many(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.spills(b"baz\n" * 9000)
    session.write()
    got = run("grep", "--no-color", "foo", terminal=True)
    assert (got.code, got.out) == (1, "")
    assert "no line matches in 2 artifacts" in got.err


def test_times_that_leave_nothing_are_named_as_they_were_understood(
    machine: Path,
) -> None:
    session = Claude(machine)
    place = session.spills(b"bar\n" * 9000)
    session.write()
    del place
    for words in (("grep", "bar"), ("ls",), ("sessions",)):
        got = run(*words, "--until", "2001-02-03 04:05", terminal=True)
        assert "until Sat 3 Feb 2001 were found" in got.err


def test_a_pattern_that_is_none_is_told_with_the_way_to_take_it_as_it_is(
    machine: Path,
) -> None:
    got = run("grep", "foo(")
    assert got.code == 2
    assert "-F takes it as plain text" in got.err
    assert run("grep", "-F", "foo(").code == 1


def test_headings_on_a_terminal_say_how_old_the_artifact_is(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.write()
    head = run("grep", "--no-color", "-m1", "bar", terminal=True).out.splitlines()[0]
    assert re.search(r"^\w{8}  \d+[smhdwy] ago  claude-code", head)


def test_a_letter_that_another_encoding_writes_otherwise_is_not_taken_for_absent(
    tmp_path: Path,
) -> None:
    text = "für dich\n"
    (tmp_path / "one.txt").write_bytes(text.encode("utf-8"))
    (tmp_path / "wide.txt").write_bytes(text.encode("utf-16"))
    (tmp_path / "other.txt").write_bytes(text.encode("latin-1"))
    (tmp_path / "stray.txt").write_bytes(text.encode("utf-8") + b"\xe9\n")
    (tmp_path / "blob.bin").write_bytes(b"\0\xe9\0")
    for words in (("grep", "für"), ("grep", "-c", "für"), ("grep", "--json", "für")):
        got = run(*words, tmp_path)
        assert got.code == 0
        assert "2 artifacts hold bytes that are no UTF-8: there “ü”" in got.err
        assert str(tmp_path) in got.err
    listed = run("ls", "--json", tmp_path).rows  # counted now
    wrong = [row for row in listed if row["encoding"] == "utf-8-invalid"]
    assert len(wrong) == 2
    assert "2 artifacts hold bytes" in run("grep", "für", tmp_path).err
    assert "no UTF-8" not in run("grep", "dich", tmp_path).err
    assert "no UTF-8" not in run("grep", "-q", "für", tmp_path).err
    assert "no UTF-8" in run("grep", r"f\x{fc}r", tmp_path).err
    found = run("grep", "-l", "für", tmp_path).lines
    assert {Path(line).name for line in found} == {"one.txt", "wide.txt", "stray.txt"}
