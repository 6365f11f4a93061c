"""What went wrong elsewhere when outputs were cut, wrapped and measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spillview.content import counts
from spillview.errors import Cancelled
from tests.command import COMMAND, run
from tests.spills import below, files, sidecar
from tests.wrapping import anywhere, python, state, store, wrapped

__all__ = ["anywhere", "state", "store"]

BUDGET = 14_000


def piped(*words: str, data: bytes) -> dict[str, object]:
    """The row of `measure` for what is piped in."""
    done = subprocess.run(
        [*COMMAND, "measure", "--json", *words],
        input=data,
        capture_output=True,
        check=True,
    )
    row: dict[str, object] = json.loads(done.stdout)
    return row


# -- counting ------------------------------------------------------------------------


def test_two_hundred_emoji_are_not_cut_at_300_chars() -> None:
    data = ("🎉" * 200).encode()
    assert wrapped("--boundary", "300", data=data).data == data
    row = piped("--boundary", "300", data=data)
    assert (row["chars"], row["utf16"], row["bytes"]) == (200, 400, 800)
    assert row["verdict_kept"] is True
    assert piped("--boundary", "300utf16", data=data)["verdict_kept"] is False


def test_cjk_output_near_the_boundary_is_measured_in_the_boundarys_own_unit() -> None:
    data = ("漢字\n" * 33_333).encode()  # 99,999 chars, 233,331 bytes
    assert wrapped(data=data).data == data
    row = piped(data=data)
    assert row["ratio"] == 0.99999
    assert row["lines_kept"] == 33_333
    # Who cuts at as many bytes loses more than half of the lines.
    assert row["lines_kept_if_bytes"] == 100_000 // 7
    assert wrapped("--boundary", "100000bytes", data=data).data != data


def test_a_cut_inside_a_character_counts_no_replacement() -> None:
    row = piped("--boundary", "4bytes", data="aé語".encode())
    assert (row["chars"], row["bytes"], row["bytes_kept"]) == (3, 6, 4)


def test_a_progress_bar_is_counted_from_its_raw_bytes(store: Path) -> None:
    data = b"".join(b"\r[%5d/10000] compiling" % n for n in range(10_000)) + b"\nok\n"
    got = wrapped(data=data)
    assert piped(data=data)["bytes"] == len(data)
    assert files(store)[0].read_bytes() == data
    assert "without the frames that a CR overwrote" in got.out
    assert "ok" in got.out


# -- envelopes -----------------------------------------------------------------------


def test_a_failure_in_the_last_lines_alone_is_in_the_envelope() -> None:
    data = b"ok\n" * 200_000 + b"E       AssertionError: 1 != 2\n1 failed, 9 passed\n"
    got = wrapped(data=data)
    assert "AssertionError: 1 != 2" in got.out
    assert "1 failed, 9 passed" in got.out


def test_one_endless_line_is_folded_and_can_be_read_on_by_chars() -> None:
    got = wrapped(data=b"x" * 3_000_000 + b" END")
    assert len(got.out) <= BUDGET + 1
    assert got.out.count("x") < BUDGET
    assert " END" in got.out
    assert "--unit char" in got.out


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 20_000 + b"]" * 20_000 + b" " * 100_000,
        b"[" + b"1" * 150_000 + b"]",
        b'{"a": NaN, "b": "' + b"x" * 120_000 + b'"}',
        b'[{"a": 1}, {"a": ' + b"2" * 110_000,
        b"no JSON\n" * 20_000,
    ],
    ids=["deep", "long number", "NaN", "broken", "text"],
)
def test_json_of_any_kind_is_folded_to_valid_json(data: bytes, store: Path) -> None:
    got = wrapped("--as", "json", data=data)
    assert got.code == 0
    assert isinstance(json.loads(got.out), dict)
    assert len(got.out) <= BUDGET + 1
    assert "Traceback" not in got.err
    assert files(store)[0].read_bytes() == data


def test_nothing_of_an_output_can_act_on_the_terminal_that_shows_its_envelope() -> None:
    evil = b"\x1b[?5h\x1b]0;title\x07\x9b2J\xc2\x9b2J\x08\x00 error\n"
    got = wrapped("--label", "a\x1b[2Jb", data=evil * 20_000)
    assert not [c for c in got.out if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f"]
    assert "\x1b" not in got.err


def test_a_name_full_of_slashes_stays_one_leaf(store: Path) -> None:
    wrapped("--label", "../../etc/" + "x" * 400, data=b"x\n" * 99_999)
    [path] = files(store)
    assert path.parent.parent == store
    assert run("ls", "--json").row["label"].startswith("../../etc/")


# -- endings -------------------------------------------------------------------------


def test_who_stops_the_folding_finds_the_output_where_it_says(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise Cancelled("stopped")

    monkeypatch.setattr(counts, "count", stopped)
    got = run("wrap", "--", "sh", "-c", "yes | head -99999")
    [path] = files(store)
    assert path.read_bytes() == b"y\n" * 99_999
    assert str(path) in got.err
    assert got.out == ""
    assert "partial" in sidecar(path)


def test_a_command_whose_output_nobody_takes_ends_as_without_us(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("x")
    words = ["wrap", "--dir", str(tmp_path / "file"), "--", "sh", "-c", "yes; exit 7"]
    child = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert child.stdout is not None
    assert child.stdout.read(100) == b"y\n" * 50
    child.stdout.close()
    # `yes` ends by its broken pipe, and the shell goes on.
    assert child.wait(timeout=60) == 7


def test_a_locale_that_python_sets_for_itself_is_not_the_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LC_ALL", "LANG", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    want = subprocess.run(["env"], capture_output=True, check=True).stdout
    got = wrapped("--", "env").data

    def names(data: bytes) -> list[bytes]:
        lines = sorted(data.splitlines())
        return [line for line in lines if not line.startswith((b"_=", b"SHLVL="))]

    assert names(got) == names(want)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_were_closed_before_are_nobody_elses(closed: str) -> None:
    for words in ("wrap", "wrap -- sh -c 'echo x; echo y >&2; exit 3'", "measure"):
        line = f"{' '.join(COMMAND)} {words} {closed}"
        data = b"" if words.endswith("3'") else b"z\n"
        done = subprocess.run(
            ["sh", "-c", line], input=data, capture_output=True, check=False, timeout=60
        )
        assert done.returncode == (3 if words.endswith("3'") else 0)
        assert b"Traceback" not in done.stderr


def test_a_disk_that_is_full_for_good_costs_a_warning_alone(tmp_path: Path) -> None:
    tiny = tmp_path / "tiny"
    tiny.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tiny],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no small disk can be made here")
    try:
        want = b"".join(b"line %d\n" % n for n in range(300_000))
        got = wrapped("--dir", tiny / "s", data=want)
        assert (got.code, got.data) == (0, want)
        assert "is full: make room" in got.err
        assert not below(tiny / "s")
    finally:
        subprocess.run(["umount", tiny], check=True)


def test_a_shells_time_limit_leaves_what_came_for_the_model(store: Path) -> None:
    code = "import time\nfor n in range(30_000): print('line', n, flush=n == 29_999)\n"
    got = subprocess.run(
        ["timeout", "3", *COMMAND, "wrap", *python(code + "time.sleep(60)")],
        capture_output=True,
        check=False,
    )
    assert got.returncode in (124, -signal.SIGTERM)
    assert b"Exit code: 143 (ended by SIGTERM)" in got.stdout
    assert files(store)[0].read_bytes().endswith(b"line 29999\n")


def test_two_that_end_at_once_by_one_signal_leave_both_outputs(store: Path) -> None:
    children = [
        subprocess.Popen(
            [*COMMAND, "wrap", "--", "sh", "-c", "yes | head -99999; exec sleep 30"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        for _ in range(2)
    ]
    deadline = time.monotonic() + 30
    while len([p for p in below(store) if p.stat().st_size > 199_000]) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for child in children:
        os.killpg(child.pid, signal.SIGINT)
    for child in children:
        out, _ = child.communicate(timeout=30)
        assert b"(ended by SIGINT)" in out
        assert child.returncode == -signal.SIGINT


def test_python_as_a_library_reads_the_runs_back() -> None:
    from spillview.wrap import history

    wrapped("--label", "a", "--", "sh", "-c", "echo x; exit 3")
    run("measure", "--save", sys.executable)
    first, second = history.runs()
    assert (first.label, first.exit_code, first.bytes) == ("a", 3, 2)
    assert (second.source, second.bytes) == (
        "measure",
        os.stat(sys.executable).st_size,
    )
