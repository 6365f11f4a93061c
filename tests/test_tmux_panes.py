"""A session's tmux pane by its processes: on made ones, and on a real server."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from spillview.review.tmux_panes import (
    Pane,
    Sought,
    find_pane,
    open_pane,
    outside,
    panes,
)


class Machine:
    """A `/proc` of made processes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def runs(
        self,
        pid: int,
        parent: int,
        *words: str,
        cwd: str = "/",
        opens: str | None = None,
    ) -> None:
        folder = self.root / str(pid)
        (folder / "fd").mkdir(parents=True)
        (folder / "stat").write_text(f"{pid} (a) b) c) S {parent} 1 1")
        (folder / "cmdline").write_bytes(b"\0".join(w.encode() for w in words) + b"\0")
        (folder / "cwd").symlink_to(cwd)
        if opens is not None:
            (folder / "fd" / "3").symlink_to(opens)


def listing(*rows: str) -> Callable[[Sequence[str]], str]:
    return lambda words: "".join(f"{row}\n" for row in rows)


def inode(path: Path) -> frozenset[tuple[int, int]]:
    facts = path.stat()
    return frozenset({(facts.st_dev, facts.st_ino)})


ROWS = ("%1 100 $0 0 /srv/my app", "%2 200 $0 1 /srv/app")


def test_the_pane_whose_process_holds_the_transcript_open_is_found(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("{}\n")
    machine = Machine(tmp_path / "proc")
    machine.runs(100, 1, "zsh")
    machine.runs(101, 100, "node", "/usr/bin/agent")
    machine.runs(102, 101, "worker", opens=str(log))
    machine.runs(200, 1, "zsh")
    found = find_pane(
        Sought(inode(log), "claude", "/srv/app"),
        run=listing(*ROWS),
        proc=str(machine.root),
    )
    assert found.pane == Pane("%1", 100, "$0", "0", "/srv/my app")
    assert found.why == "open"


def test_else_the_program_in_the_sessions_folder_is_likely(tmp_path: Path) -> None:
    project = tmp_path / "app"
    project.mkdir()
    machine = Machine(tmp_path / "proc")
    machine.runs(100, 1, "zsh", cwd=str(project))
    machine.runs(200, 1, "zsh")
    machine.runs(201, 200, "node", "/opt/bin/claude", "--resume", cwd=str(project))
    sought = Sought(program="claude", folder=str(project))
    found = find_pane(sought, run=listing(*ROWS), proc=str(machine.root))
    assert found.pane is not None
    assert (found.pane.id, found.why) == ("%2", "runs")
    assert "runs claude" in found.sentence


def test_several_panes_are_named_and_none_is_chosen(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "proc")
    machine.runs(100, 1, "claude", cwd=str(tmp_path))
    machine.runs(200, 1, "claude", cwd=str(tmp_path))
    found = find_pane(
        Sought(program="claude", folder=str(tmp_path)),
        run=listing(*ROWS),
        proc=str(machine.root),
    )
    assert found.pane is None
    assert len(found.panes) == 2
    assert "%1, %2" in found.sentence


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(2, "No such file"), "not installed"),
        (OSError("no server running"), "no server running"),
    ],
)
def test_without_tmux_it_is_said(error: OSError, words: str) -> None:
    def refuse(_: Sequence[str]) -> str:
        raise error

    assert words in find_pane(Sought(), run=refuse).sentence


def test_where_processes_cannot_be_looked_at_it_is_said(tmp_path: Path) -> None:
    found = find_pane(Sought(), run=listing(*ROWS), proc=str(tmp_path / "none"))
    assert found.panes == ()
    assert "cannot be told" in found.sentence


def test_lines_of_other_forms_are_no_panes() -> None:
    assert panes(listing("", "junk", "%x y", "%3 12 $1 0 /a b/c ")) == [
        Pane("%3", 12, "$1", "0", "/a b/c ")
    ]


def test_outside_tmux_nothing_is_done_and_the_command_is_said() -> None:
    called: list[Sequence[str]] = []

    def run(words: Sequence[str]) -> str:
        called.append(words)
        return ""

    pane = Pane("%2", 1, "$0", "1", "/")
    sentence = open_pane(pane, {}, run)
    assert not called
    assert outside(pane) in sentence
    open_pane(pane, {"TMUX": "/tmp/x,1,0"}, run)
    assert {word for words in called for word in words[:1]} == {
        "select-window",
        "select-pane",
        "switch-client",
    }


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[[Sequence[str]], str]]:
    """A tmux server of its own."""
    program = shutil.which("tmux")
    if program is None:
        pytest.skip("there is no tmux here")
    socket = str(tmp_path / "s")

    def run(words: Sequence[str]) -> str:
        done = subprocess.run(
            [program, "-S", socket, "-f", os.devnull, *words],
            capture_output=True,
            check=False,
            timeout=10,
        )
        if done.returncode:
            raise OSError(done.stderr.decode())
        return done.stdout.decode()

    yield run
    with_server = os.path.exists(socket)
    if with_server:
        run(["kill-server"])


def test_a_real_server_tells_its_panes_and_shows_one(
    server: Callable[[Sequence[str]], str], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("{}\n")
    server(["new-session", "-d", "-s", "one", "sleep 60"])
    server(["new-window", "-d", "-t", "one", f"exec 9>>{log}; sleep 60"])
    found = find_pane(Sought(inode(log)), run=server)
    for _ in range(50):
        if found.pane is not None:
            break
        time.sleep(0.1)
        found = find_pane(Sought(inode(log)), run=server)
    assert found.pane is not None
    assert found.pane.window == "1"
    before = server(["display-message", "-p", "-t", "one", "#{pane_id}"]).strip()
    assert before != found.pane.id
    open_pane(found.pane, {"TMUX": "x"}, server)  # no client is attached to switch
    now = server(["display-message", "-p", "-t", "one", "#{pane_id}"]).strip()
    assert now == found.pane.id
