"""How `wrap` and its command end: signals, keys, and what is left running."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import COMMAND
from tests.spills import files, sidecar
from tests.terminal import Terminal
from tests.wrapping import anywhere, noted, python, started, state, store, wrapped

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")

__all__ = ["anywhere", "state", "store"]


# -- what outlives the command -------------------------------------------------------


def test_something_left_running_is_not_waited_for_nor_ended(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    code = f"""if True:
        import os, sys, time
        if os.fork() == 0:
            time.sleep(2)
            for n in range(40):
                os.write(1, b"log line of a server\\n" * 1000)
            open({str(alive)!r}, "w").write("still here")
            os._exit(0)
        print("started", flush=True)
        os._exit(0)
    """
    began = time.monotonic()
    got = wrapped(*python(code))
    took = time.monotonic() - began
    assert (got.code, got.data) == (0, b"started\n")
    assert took < 8
    assert "may print more" in got.err
    deadline = time.monotonic() + 20
    while not alive.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive.read_text() == "still here"


def test_what_comes_just_after_the_command_ended_is_kept() -> None:
    got = wrapped("--", "sh", "-c", "(sleep 0.4; echo late) & echo first")
    assert (got.data, got.err) == (b"first\nlate\n", "")


# -- signals -------------------------------------------------------------------------

TRAPS = """
import os, signal, sys, time
def said(number, frame):
    sys.stdout.write(f"got {signal.Signals(number).name}\\n")
    sys.stdout.flush()
    END
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(each, said)
sys.stdout.write(FILL)
sys.stdout.write("ready\\n")
sys.stdout.flush()
open(sys.argv[1], "w").close()
time.sleep(30)
"""


def trapping(end: str, tmp_path: Path, fill: str = "''") -> tuple[list[str], Path]:
    """A command that tells of signals, and the file that says it has begun."""
    ready = tmp_path / "ready"
    code = TRAPS.replace("END", end).replace("FILL", fill)
    return ["--", sys.executable, "-c", code, str(ready)], ready


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_is_passed_on_once_and_the_output_still_comes(
    name: str, tmp_path: Path
) -> None:
    words, ready = trapping("time.sleep(0.3); os._exit(9)", tmp_path)
    child = started(words, ready)
    os.kill(child.pid, signal.Signals[name])
    out, _ = child.communicate(timeout=30)
    assert out == f"ready\ngot {name}\n".encode()
    assert child.returncode == 9


def test_a_signal_that_ends_nothing_is_passed_on(tmp_path: Path) -> None:
    words, ready = trapping("os._exit(4)", tmp_path)
    child = started(words, ready)
    os.kill(child.pid, signal.SIGUSR1)
    out, _ = child.communicate(timeout=30)
    assert (out, child.returncode) == (b"ready\ngot SIGUSR1\n", 4)


@pytest.mark.parametrize("fill", ["''", "'x\\\\n' * 200_000"])
def test_ended_by_a_signal_it_folds_what_came_and_ends_by_it_too(
    fill: str, tmp_path: Path, store: Path, state: Path
) -> None:
    end = "signal.signal(number, signal.SIG_DFL); os.kill(os.getpid(), number)"
    words, ready = trapping(end, tmp_path, fill)
    child = started(words, ready)
    os.kill(child.pid, signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    assert child.returncode == -signal.SIGTERM
    assert out.rstrip(b"\n").endswith((b"got SIGTERM", b"[end of the envelope]"))
    assert noted(state)[0]["exit_code"] == 143
    if fill != "''":
        assert b"Exit code: 143 (ended by SIGTERM)" in out
        assert files(store)[0].read_bytes().endswith(b"ready\ngot SIGTERM\n")
        assert sidecar(files(store)[0])["exit_code"] == 143


def test_a_signal_that_comes_twice_does_not_stop_the_folding(
    tmp_path: Path, store: Path
) -> None:
    end = "signal.signal(number, signal.SIG_DFL); os.kill(os.getpid(), number)"
    words, ready = trapping(end, tmp_path, "'x\\n' * 4_000_000")
    child = started(words, ready)
    os.kill(child.pid, signal.SIGTERM)
    for _ in range(5):
        time.sleep(0.03)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    assert child.returncode == -signal.SIGTERM
    assert out.endswith(b"[end of the envelope]\n")
    assert "partial" not in sidecar(files(store)[0])


def test_reading_stdin_a_signal_ends_it_with_what_came(store: Path) -> None:
    source, sink = os.pipe()
    child = subprocess.Popen(
        [*COMMAND, "wrap"],
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(source)
    os.write(sink, b"early\n")
    data = b"x\n" * 150_000
    with open(sink, "wb", buffering=0, closefd=False) as pipe:
        left = memoryview(data)
        while left:
            left = left[pipe.write(left) :]
    time.sleep(0.5)
    os.kill(child.pid, signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    os.close(sink)
    assert child.returncode == -signal.SIGTERM
    assert files(store)[0].read_bytes() == b"early\n" + data
    assert b"Partial: SIGTERM came before the end" in out
    assert "SIGTERM" in sidecar(files(store)[0])["partial"]


CONTROLLED = (
    "import fcntl, os, sys, termios;"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)

COUNTS = """
import signal, sys, time
seen = []
signal.signal(signal.SIGINT, lambda *a: seen.append(1))
open(sys.argv[1], "w").close()
deadline = time.monotonic() + 20
while not seen and time.monotonic() < deadline:
    time.sleep(0.01)
time.sleep(0.6)
print("interrupts:", len(seen))
"""


def test_ctrl_c_on_a_terminal_reaches_the_command_once(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [sys.executable, "-c", CONTROLLED, *COMMAND, "wrap", "--"]
    command += [sys.executable, "-c", COUNTS, str(ready)]
    with Terminal(command, env=dict(os.environ)) as terminal:
        deadline = time.monotonic() + 30
        while not ready.exists():
            assert time.monotonic() < deadline, terminal.text
            terminal.read(0.05)
        terminal.press("\x03")
        assert terminal.ends() == 0
        assert "interrupts: 1" in terminal.text


def test_ctrl_c_folds_what_came_and_ends_the_wrapper_too(
    tmp_path: Path, store: Path
) -> None:
    ready = tmp_path / "ready"
    code = f"yes | head -150000; touch {ready}; exec sleep 30"
    command = [sys.executable, "-c", CONTROLLED, *COMMAND, "wrap", "--"]
    with Terminal([*command, "sh", "-c", code], env=dict(os.environ)) as terminal:
        deadline = time.monotonic() + 30
        while not ready.exists():
            assert time.monotonic() < deadline, terminal.text
            terminal.read(0.05)
        terminal.press("\x03")
        assert terminal.ends() == -signal.SIGINT
        assert "Exit code: 130 (ended by SIGINT)" in terminal.text
        assert "[end of the envelope]" in terminal.text
    assert files(store)[0].read_bytes() == b"y\n" * 150_000


def test_ctrl_z_stops_both_and_both_go_on(tmp_path: Path) -> None:
    words, ready = trapping("os._exit(0)", tmp_path)
    child = started(words, ready)
    os.kill(child.pid, signal.SIGTSTP)
    deadline = time.monotonic() + 20
    while state_of(child.pid) != "T":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    [command] = children(child.pid)
    while state_of(command) != "T":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGCONT)
    os.kill(child.pid, signal.SIGTERM)
    out, _ = child.communicate(timeout=30)
    assert (out, child.returncode) == (b"ready\ngot SIGTERM\n", 0)


def state_of(pid: int) -> str:
    """R, S, T, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except FileNotFoundError:
        pytest.skip("there is no /proc to look at")


def children(pid: int) -> list[int]:
    """Processes that this one has started."""
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in found.read_text().split()]


def test_what_was_ignored_stays_ignored(tmp_path: Path) -> None:
    words, ready = trapping("os._exit(0)", tmp_path)
    line = f"trap '' HUP; exec {shlex.join([*COMMAND, 'wrap', *words])}"
    child = subprocess.Popen(["sh", "-c", line], stdout=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not ready.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGHUP)
    time.sleep(0.2)
    os.kill(child.pid, signal.SIGTERM)
    assert child.communicate(timeout=30)[0] == b"ready\ngot SIGTERM\n"
