"""`spillview wrap`: what a command prints, above and below the boundary."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import COMMAND, Ran, process, run
from tests.spills import below, files, sidecar
from tests.terminal import Terminal
from tests.wrapping import anywhere, noted, python, started, state, store, wrapped

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")

__all__ = ["anywhere", "state", "store"]

BUDGET = 14_000


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A text of 200,001 lines, 2.3 MB."""
    path = tmp_path / "big"
    lines = (f"line {n:05d}\n" for n in range(200_000))
    path.write_text("".join(lines) + "é FAILED: 3\n")
    return path


# -- below the boundary --------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"no newline",
        b"10%\r50%\r100%\r\n",
        bytes(range(256)) * 4,
        "日本語 👍\n".encode("utf-16"),
        b"\xf0\x9f\x91",
        "é".encode() * 40_000,
    ],
)
def test_small_output_passes_through_unchanged(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(data)
    assert wrapped("--", "cat", path).data == data
    assert wrapped(data=data).data == data


def test_both_streams_stay_apart_and_exact(tmp_path: Path) -> None:
    code = """if True:
        import os
        for n in range(300):
            os.write(1, b"out %d \\xe6\\x97" % n)
            os.write(2, b"\\xff err %d\\r" % n)
            os.write(1, b"\\xa5\\n")
    """
    got = subprocess.run(
        [*COMMAND, "wrap", *python(code)], capture_output=True, check=False
    )
    assert got.stdout == b"".join(b"out %d \xe6\x97\xa5\n" % n for n in range(300))
    assert got.stderr == b"".join(b"\xff err %d\r" % n for n in range(300))


def test_small_output_leaves_nothing_in_the_store(store: Path) -> None:
    assert wrapped("--", "echo", "x").data == b"x\n"
    assert not store.exists()


def test_slow_small_output_passes_through_and_leaves_nothing(store: Path) -> None:
    got = wrapped("--", "sh", "-c", "echo a; sleep 1.3; echo b >&2; echo c")
    assert (got.data, got.err) == (b"a\nc\n", "b\n")
    assert not below(store)


def test_what_a_terminal_would_not_see_is_not_counted_as_bytes(state: Path) -> None:
    # 60,000 chars are 180,000 bytes: below the boundary, though not in memory alone.
    got = wrapped(data="漢".encode() * 60_000)
    assert got.data == "漢".encode() * 60_000
    assert got.err == ""
    assert noted(state)[0]["ratio"] == 0.6


@pytest.mark.parametrize(
    ("chars", "warns", "folds"),
    [
        (89_999, False, False),
        (90_000, True, False),
        (100_000, True, False),
        (100_001, True, True),
    ],
)
def test_from_nine_tenths_of_the_boundary_on_it_warns(
    chars: int, warns: bool, folds: bool
) -> None:
    got = wrapped(data=b"x" * chars)
    assert ("the boundary of 100,000 chars" in got.err) == warns
    assert (got.data == b"x" * chars) != folds
    assert wrapped("-q", data=b"x" * chars).err == ""


@pytest.mark.parametrize(
    ("boundary", "fits", "spills"),
    [
        ("100chars", "é" * 100, "é" * 101),
        ("100utf16", "👍" * 50, "👍" * 51),
        ("100bytes", "é" * 50, "é" * 51),
        ("3lines", "a\nb\nc\n", "a\nb\nc\nd"),
        ("25tokens", "x" * 100, "x" * 101),
    ],
)
def test_each_unit_has_its_boundary(boundary: str, fits: str, spills: str) -> None:
    assert wrapped("--boundary", boundary, data=fits.encode()).out == fits
    got = wrapped("--boundary", boundary, data=spills.encode())
    assert got.out.startswith("[spillview text envelope, ")


# -- above the boundary --------------------------------------------------------------


def test_large_output_is_folded_and_kept_whole(
    store: Path, state: Path, big: Path, tmp_path: Path
) -> None:
    code = f"cat {shlex.quote(str(big))}; exit 7"
    got = wrapped("--label", "build", "--", "sh", "-c", code, cwd=tmp_path)
    data = big.read_bytes()
    assert got.code == 7
    assert len(got.out) <= BUDGET + 1
    assert got.out.endswith("]\n")
    [path] = files(store)
    assert path.read_bytes() == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for part in (str(path), "Exit code: 7", "é FAILED: 3", "build"):
        assert part in got.out
    note = sidecar(path)
    assert note["session"].startswith(time.strftime("%Y-"))
    assert note["label"] == "build"
    assert note["tool"] == "wrap"
    assert note["command"] == shlex.join(["sh", "-c", code])
    assert note["cwd"] == str(tmp_path)
    assert (note["exit_code"], note["failed"]) == (7, True)
    assert note["bytes"] == len(data)
    assert note["chars"] == len(data.decode())
    assert note["lines"] == 200_001
    assert note["sha256"] == hashlib.sha256(data).hexdigest()
    assert note["envelope"]["text"] + "\n" == got.out
    assert "partial" not in note
    [row] = noted(state)
    assert row["exit_code"] == 7
    assert row["bytes"] == len(data)
    assert row["chars"] == row["utf16"] == len(data.decode())
    assert row["lines"] == 200_001
    assert row["tokens"] == -(-len(data) // 4)
    assert row["label"] == "build"
    assert row["ratio"] == len(data.decode()) / 100_000


def test_an_artifact_is_listed_with_envelope_coverage_and_label(
    store: Path, state: Path, big: Path
) -> None:
    assert wrapped("--session", "s-1", "--label", "nightly", "--", "cat", big).code == 0
    row = run("ls", "--json").row
    assert row["harness"] == "spillview"
    assert (row["session"], row["label"], row["tool"]) == ("s-1", "nightly", "wrap")
    assert row["link"] == "linked"
    assert row["verdict_seen"] is True
    assert row["failed"] is False
    assert row["command"] == f"cat {big}"
    assert row["id"] == noted(state)[0]["spilled"]
    shown = run("envelope", "--json", row["id"]).row
    assert shown["agrees"] is True
    assert shown["text"] == sidecar(files(store)[0])["envelope"]["text"]
    # What readers call seen is what the text shows of the file, line by line.
    text, data = shown["text"].splitlines(), big.read_bytes()
    lines = data.splitlines(keepends=True)
    both = [
        i for i, line in enumerate(text) if line.startswith(("--- head", "--- tai"))
    ]
    first, last = map(int, text[both[1]].split("lines ")[1].split(" to "))
    head = sum(map(len, lines[first - 1 : last]))
    assert row["seen_bytes"] >= head
    assert row["seen_bytes"] <= len(shown["text"].encode())


def test_the_queue_shows_it_with_label_coverage_and_envelope(big: Path) -> None:
    wrapped("--label", "nightly build", "--session", "s-9", "--", "cat", big)
    seen = run("ls", "--json").row
    share = 100 * seen["seen_bytes"] / seen["bytes"]
    with Terminal(COMMAND, env=dict(os.environ), columns=160) as terminal:
        queue = terminal.until(r"é FAILED: 3.*the envelope showed")
        assert "nightly build: cat" in queue
        assert "s-9" in queue
        assert "linked" in queue
        assert f"{max(0.1, share):.1f}%" in queue
        terminal.press("\r")
        terminal.until("verdict seen")
        shown = terminal.until("ENVELOPE")
        assert "text envelope, " in shown


def test_the_order_of_both_streams_is_kept(store: Path) -> None:
    code = "for i in 1 2 3 4 5; do echo out $i; sleep .05; echo err $i >&2; sleep .05;"
    code += " done"
    got = wrapped("--boundary", "20", "--", "sh", "-c", code)
    want = "".join(f"out {i}\nerr {i}\n" for i in range(1, 6))
    assert files(store)[0].read_text() == want
    assert got.err.splitlines()[:-1] == []
    assert "stdout (30 bytes) and stderr (30 bytes)" in got.out


def test_lines_of_two_loud_streams_are_not_torn(store: Path) -> None:
    code = """if True:
        import sys, threading
        def speak(stream, word):
            for n in range(20_000):
                stream.write(f"{word} {n} {'語' * 20}\\n")
        threads = [
            threading.Thread(target=speak, args=(sys.stdout, "out")),
            threading.Thread(target=speak, args=(sys.stderr, "err")),
        ]
        for each in threads: each.start()
        for each in threads: each.join()
    """
    wrapped(*python(code))
    lines = files(store)[0].read_text().splitlines()
    for word in ("out", "err"):
        mine = [line for line in lines if line.startswith(word)]
        wholes = [f"{word} {n} {'語' * 20}" for n in range(20_000)]
        assert sum(a == b for a, b in zip(mine, wholes, strict=False)) > 0
    got = "".join(f"{line}\n" for line in lines)
    assert sorted(got) == sorted(
        "".join(
            f"{word} {n} {'語' * 20}\n"
            for word in ("out", "err")
            for n in range(20_000)
        )
    )
    assert "\ufffd" not in got


def test_merged_streams_have_the_order_of_the_command(store: Path) -> None:
    code = "import os\nfor n in range(9999): os.write(1 + n % 2, b'%d\\n' % n)"
    wrapped("--merge", "--boundary", "100", *python(code))
    want = "".join(f"{n}\n" for n in range(9999))
    assert files(store)[0].read_text() == want
    small = wrapped(
        "--merge", *python("import os; os.write(2, b'e'); os.write(1, b'o')")
    )
    assert (small.data, small.err) == (b"eo", "")


@pytest.mark.parametrize(
    "data",
    [
        b"\0\xff\xfe" * 100_000,
        b"x" * 5_000_000,
        b"".join(b"\r%d%%" % n for n in range(60_000)) + b"\r\ndone\n",
        ("行\n" * 150_000).encode("utf-16"),
        b"\n" * 200_000,
        b"\x1b[2J\x1b]0;title\x07" * 20_000,
    ],
    ids=["binary", "one line", "bars", "utf-16", "blank", "escapes"],
)
def test_whatever_it_holds_the_file_is_exact_and_the_envelope_in_budget(
    data: bytes, store: Path
) -> None:
    got = wrapped("--label", "x", data=data)
    assert got.code == 0
    assert len(got.out) <= BUDGET + 1
    assert not set(got.out) & {chr(c) for c in range(32)} - {"\n", "\t"}
    [path] = files(store)
    assert path.read_bytes() == data
    note = sidecar(path)
    wide = data.startswith(b"\xff\xfe")
    text = data.decode("utf-16" if wide else "utf-8", "replace")
    assert (note["chars"], note["bytes"]) == (len(text), len(data))
    assert note["sha256"] == hashlib.sha256(data).hexdigest()


def test_json_is_folded_to_json_and_stderr_passes_by(store: Path) -> None:
    rows = [{"id": n, "name": f"row {n}"} for n in range(9_000)]
    code = f"""if True:
        import json, sys
        print("working", file=sys.stderr)
        json.dump({rows!r}, sys.stdout)
    """
    path = store.parent / "make.py"
    path.parent.mkdir(parents=True)
    path.write_text(code)
    got = wrapped("--as", "json", "--", sys.executable, str(path))
    assert got.err.startswith("working\n")
    assert json.loads(got.out)["items"] == 9_000
    assert len(got.out) <= BUDGET + 1
    assert json.loads(files(store)[0].read_bytes()) == rows
    assert files(store)[0].name.endswith(".json")


def test_a_table_shows_the_top_rows(store: Path) -> None:
    data = "name,size\n" + "".join(
        f"f{n},{n * 7919 % 100_003}\n" for n in range(20_000)
    )
    got = wrapped(
        *("--as", "table", "--by", "size", "--top", "3", "--columns", "name,size"),
        data=data.encode(),
    )
    best = sorted((n * 7919 % 100_003 for n in range(20_000)), reverse=True)
    assert "20,000 rows" in got.out
    for size in best[:3]:
        assert str(size) in got.out
    assert f"\t{best[3]}\n" not in got.out


def test_what_is_no_table_is_folded_as_text_and_that_said(store: Path) -> None:
    got = wrapped("--as", "table", "--by", "nosuch", data=b"a,b\n1,2\n" * 30_000)
    assert got.code == 0
    assert got.out.startswith("[spillview text envelope")
    assert "nosuch" in got.out
    assert "not as table" in got.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--"], "no command behind"),
        (["--by", "x"], "--as table"),
        (["--as", "json", "--tail", "3"], "--as text"),
        (["--tail", "0"], "at least 1"),
        (["--budget", "100"], "too small"),
        (["--signal", "("], "regex"),
        (["--boundary", "0"], "more than zero"),
        (["--json"], "--as json"),
        (["--harness", "x"], "--harness"),
        (["--as", "yaml"], "yaml"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_runs(
    words: list[str], part: str, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    command = [] if words == ["--"] else ["--", "touch", str(made)]
    got = wrapped(*words, *command)
    assert got.code == 2
    assert part in got.err
    assert not made.exists()


def test_options_of_the_envelope_are_heeded(store: Path) -> None:
    data = b"".join(b"line %d\n" % n for n in range(50_000)) + b"WARN odd\nend\n"
    got = wrapped(
        *("--tail", "5", "--signal", "WARN", "--budget", "3000"), data=data * 2
    )
    assert len(got.out) <= 3_001
    assert "2 of 2 signal lines, " in got.out
    assert ", the last 5 lines\n" in got.out


def test_the_store_may_lie_elsewhere(tmp_path: Path, store: Path) -> None:
    wrapped("--dir", tmp_path / "mine", data=b"x\n" * 99_999)
    assert len(files(tmp_path / "mine")) == 1
    assert not store.exists()


def test_the_harness_says_whose_session_it_is(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "0199-ab")
    wrapped(data=b"x\n" * 99_999)
    assert sidecar(files(store)[0])["session"] == "0199-ab"


# -- commands ------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 2, 100, 255])
def test_the_exit_code_is_the_commands_own(code: int) -> None:
    assert wrapped("--", "sh", "-c", f"exit {code}").code == code


def test_a_command_that_a_signal_ended_gives_128_and_its_number(state: Path) -> None:
    got = wrapped("--", "sh", "-c", "echo before; kill -SEGV $$")
    assert got.code == 128 + signal.SIGSEGV
    assert got.data == b"before\n"
    assert noted(state)[0]["exit_code"] == 139


def test_a_command_that_is_not_there_or_cannot_run_is_said(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("x")
    for words, code in (
        (["no-such-command-at-all"], 127),
        ([str(tmp_path / "absent")], 127),
        ([str(plain)], 126),
        ([str(tmp_path)], 126),
        (["true", "x" * 3_000_000], 126),
    ):
        got = wrapped("--", *words) if len(words) == 1 else None
        if got is None:
            got = run("wrap", "--", *words)  # too long for any process to be started
        assert (got.code, got.data) == (code, b"")
        assert got.err.startswith("spillview: ")
        assert got.err.count("\n") == 1


def test_a_script_without_its_first_line_runs_as_in_a_shell(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo said $1\nexit 3\n")
    script.chmod(0o755)
    got = wrapped("--", script, "it")
    assert (got.code, got.data) == (3, b"said it\n")


def test_stdin_goes_to_the_command() -> None:
    assert wrapped("--", "tr", "a-z", "A-Z", data=b"to be read").data == b"TO BE READ"


def test_words_of_the_command_are_its_own() -> None:
    got = wrapped("--", "printf", "%s|", "--help", "--json", "--", "a b", "*")
    assert got.data == b"--help|--json|--|a b|*|"


def test_the_environment_and_folder_are_the_callers(tmp_path: Path) -> None:
    env = {**os.environ, "MARK": "é"}
    got = wrapped("--", "sh", "-c", 'echo "$MARK"; pwd', cwd=tmp_path, env=env)
    assert got.out == f"é\n{tmp_path}\n"


def test_a_reader_that_leaves_does_not_change_the_exit_code(big: Path) -> None:
    for words in (
        ["--", "sh", "-c", "echo x; exit 5"],
        ["--", "sh", "-c", f"cat {big}; exit 5"],
    ):
        child = subprocess.Popen(
            [*COMMAND, "wrap", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.close()
        assert child.stderr is not None
        err = child.stderr.read()
        child.stderr.close()
        assert child.wait() == 5
        assert b"Traceback" not in err


# -- kill -9 and a store that fails --------------------------------------------------


def killed(child: subprocess.Popen[bytes]) -> None:
    """End the wrapper and its command without a word."""
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()


@pytest.mark.parametrize("lines", [5, 300_000])
def test_a_killed_wrap_leaves_what_had_arrived_marked_partial(
    lines: int, tmp_path: Path, store: Path
) -> None:
    ready = tmp_path / "ready"
    code = f"yes | head -{lines}; touch {ready}; sleep 30"
    child = started(["--label", "long", "--", "sh", "-c", code], ready)
    deadline = time.monotonic() + 20
    while not (store.exists() and files(store)) or files(store)[0].stat().st_size < (
        2 * lines
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    killed(child)
    assert files(store)[0].read_bytes() == b"y\n" * lines
    assert "partial" in sidecar(files(store)[0])
    row = run("ls", "--json").row
    assert "partial" in row["flags"]
    assert row["label"] == "long"
    assert row["command"] == shlex.join(["sh", "-c", code])


def limited(size: int, *words: str, data: bytes = b"") -> Ran:
    """As `wrapped`, with no file larger than `size` bytes."""
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return wrapped(*words, data=data, preexec_fn=limit)


@pytest.mark.parametrize("size", [0, 5_000, 1_000_001])
def test_when_the_disk_is_full_everything_still_comes_through(
    size: int, store: Path, big: Path
) -> None:
    code = f"cat {big}; echo problem >&2; exit 6"
    got = limited(size, "--", "sh", "-c", code)
    assert got.code == 6
    assert got.data == big.read_bytes()
    assert "problem\n" in got.err
    assert "given on whole" in got.err
    assert not below(store)


def test_when_the_disk_fills_the_streams_stay_apart(store: Path) -> None:
    code = """if True:
        import os
        for n in range(30_000):
            os.write(1, b"out %d\\n" % n)
            if n % 100 == 0: os.write(2, b"err %d\\n" % n)
    """
    got = limited(150_000, *python(code))
    assert got.data == b"".join(b"out %d\n" % n for n in range(30_000))
    errs = [line for line in got.err.splitlines() if line.startswith("err ")]
    assert errs == [f"err {n}" for n in range(0, 30_000, 100)]
    assert not below(store)


@pytest.mark.parametrize("kind", ["file", "open", "absent parent"])
def test_a_store_that_cannot_be_used_costs_nothing(
    kind: str, tmp_path: Path, big: Path
) -> None:
    root = tmp_path / "root"
    if kind == "file":
        root.write_text("x")
    elif kind == "open":
        root.mkdir()
        root.chmod(0o777)
    else:
        (tmp_path / "file").write_text("x")
        root = tmp_path / "file" / "root"
    got = wrapped("--dir", root, "--", "cat", big)
    assert (got.code, got.data) == (0, big.read_bytes())
    assert "given on whole" in got.err
    assert str(root) in got.err


def test_an_artifact_that_is_taken_away_meanwhile_still_comes_through(
    store: Path, tmp_path: Path, big: Path
) -> None:
    gone = tmp_path / "ready"
    code = f"cat {big}; touch {gone}; sleep 1.5; echo end"
    child = started(["--", "sh", "-c", code], gone)
    while not (store.exists() and files(store)):
        time.sleep(0.02)
    for path in files(store):
        path.unlink()
    out, err = child.communicate(timeout=30)
    assert out == big.read_bytes() + b"end\n"
    assert child.returncode == 0
    assert b"given on whole" in err


def test_a_history_that_cannot_be_written_changes_nothing(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text("no folder")
    got = wrapped("--", "sh", "-c", "echo x; exit 3")
    assert (got.code, got.data) == (3, b"x\n")
    assert "not in the history" in got.err
    assert wrapped("-q", "--", "echo", "x").err == ""


PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
print(len(done.stdout), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("producer", ["cat /dev/zero", "yes 12345678", "yes é👍"])
def test_memory_is_bounded_whatever_is_printed(producer: str, store: Path) -> None:
    line = f"{producer} | head -c 150000000"
    # Counted from a small process: a child begins with the memory of its parent.
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *COMMAND, "wrap", "--", "sh", "-c", line],
        capture_output=True,
        check=True,
    )
    shown, peak = map(int, done.stdout.split())
    assert shown <= 4 * BUDGET
    assert (peak if sys.platform == "linux" else peak >> 10) < 100 * 1024
    assert files(store)[0].stat().st_size == 150_000_000


def test_many_at_once_do_not_disturb_each_other(store: Path, state: Path) -> None:
    running = [
        subprocess.Popen(
            [
                *COMMAND,
                "wrap",
                "--session",
                "s",
                "--",
                "sh",
                "-c",
                f"yes {n} | head -60000",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for n in range(6)
    ]
    assert [each.wait() for each in running] == [0] * 6
    assert sorted(path.read_bytes() for path in files(store)) == [
        b"%d\n" % n * 60_000 for n in range(6)
    ]
    assert len(noted(state)) == 6


def test_in_this_process_too_it_can_be_called(store: Path) -> None:
    got = run("wrap", "--", "sh", "-c", "echo a; echo b >&2; exit 2")
    assert (got.code, got.data, got.err) == (2, b"a\n", "b\n")
    assert process("wrap", "--", "echo", "x").data == b"x\n"


# -- what a person reads of it --------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ("exit 3", 3, "exit code 3; "),
        ("kill -9 $$", 137, "exit code 137, ended by SIGKILL; "),
    ],
)
def test_the_last_lines_are_the_verdict_and_then_exit_code_and_path(
    end: str, code: int, said: str, store: Path
) -> None:
    line = f"seq 40000; echo ERROR: boom; seq 3; {end}"
    got = wrapped("--", "sh", "-c", line, cwd=store.parents[3])
    assert got.code == code
    [path] = files(store)
    *_, boom, one, two, three, last = got.out.splitlines()
    assert (boom, one, two, three) == ("ERROR: boom", "1", "2", "3")
    assert last == "[end of the envelope]"
    # Both fit on one screen, the path and the exit code first.
    rows = got.out.splitlines()
    assert len(rows) < 80
    assert rows[1] == f"Full output: {path}"
    assert rows[3].startswith(f"Exit code: {code}")
    assert got.err.splitlines()[-1] == (
        f"spillview: sh printed 2.28× the boundary of 100,000 chars; {said}"
        f"all of it is in {path}"
    )


def test_of_what_was_piped_in_no_exit_code_is_told(store: Path) -> None:
    got = wrapped(data=b"x\n" * 70_000)
    [path] = files(store)
    assert got.err == (
        "spillview: stdin holds 1.40× the boundary of 100,000 chars;"
        f" all of it is in {path}\n"
    )


def test_more_of_the_beginning_is_shown_on_demand() -> None:
    data = b"".join(b"line %d\n" % n for n in range(50_000))
    assert b"\nline 99\n" not in wrapped(data=data).data
    assert b"\nline 99\n" in wrapped("--head", "100", data=data).data
    assert b"--- head" not in wrapped("--head", "0", data=data).data
    assert "go with --as text" in wrapped("--as", "json", "--head", "3").err
