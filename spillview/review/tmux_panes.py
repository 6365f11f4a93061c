"""The tmux pane in which a session runs: found by its processes, opened when asked.

Nothing is typed into a pane. What is found is one of two things: the process that holds
the session's transcript open, which is sure; or the harness's program running in the
session's folder, which is likely.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from spillview.text import printable

TIMEOUT = 3.0
"""Seconds that tmux has to answer."""

LISTED = 6
"""So many panes are named in a sentence."""

_FORMAT = "#{pane_id} #{pane_pid} #{session_id} #{window_index} #{pane_current_path}"

Run = Callable[[Sequence[str]], str]
"""Runs a command and gives its output; raises `OSError` where it fails."""


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane of the tmux server."""

    id: str
    """`%3`."""
    pid: int
    session: str
    """`$1`."""
    window: str
    folder: str


@dataclass(frozen=True, slots=True)
class Process:
    """One process of this machine, as far as this user may know it."""

    pid: int
    parent: int
    words: tuple[str, ...] = ()
    folder: str | None = None
    holds: frozenset[tuple[int, int]] = frozenset()
    """Device and inode of the regular files asked about that it has open."""


@dataclass(frozen=True, slots=True)
class Sought:
    """The session whose pane is looked for."""

    files: frozenset[tuple[int, int]] = frozenset()
    """Device and inode of its transcripts."""
    program: str = ""
    """The harness's program; empty where it is not known."""
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """The panes that the session may run in."""

    panes: tuple[Pane, ...] = ()
    why: Literal["open", "runs"] = "open"
    """`open`: a process in it holds the transcript; `runs`: the program runs in the
    session's folder."""
    sentence: str = ""
    """What is to be said where there is not exactly one."""
    commands: tuple[str, ...] = field(default=())
    """For a shell: opens the pane from outside tmux."""

    @property
    def pane(self) -> Pane | None:
        """The pane, where there is exactly one."""
        return self.panes[0] if len(self.panes) == 1 else None


def tmux(words: Sequence[str]) -> str:
    """What `tmux WORDS` prints. Raises `OSError` with a plain reason."""
    try:
        done = subprocess.run(
            ["tmux", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError("tmux does not answer") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip()
        raise OSError(printable(reason[:200]) or "tmux refused")
    return done.stdout.decode("utf-8", "surrogateescape")


def panes(run: Run = tmux) -> list[Pane]:
    """Every pane of the server. Raises `OSError` where there is no tmux."""
    found = []
    for line in run(["list-panes", "-a", "-F", _FORMAT]).split("\n"):
        parts = line.split(" ", 4)
        if len(parts) == 5 and parts[0].startswith("%") and parts[1].isdigit():
            found.append(Pane(parts[0], int(parts[1]), *parts[2:]))
    return found


def find_pane(
    sought: Sought,
    *,
    run: Run = tmux,
    proc: str = "/proc",
) -> Search:
    """The pane in which a session runs; never raises, what fails is its sentence."""
    try:
        every = panes(run)
    except FileNotFoundError:
        return Search(sentence="tmux is not installed: no pane can be looked for.")
    except OSError as error:
        reason = error.strerror or str(error)
        return Search(sentence=f"No pane can be looked for: {reason}.")
    processes = running(sought.files, proc)
    if not processes:
        return Search(
            sentence="Which pane it runs in cannot be told on this system: it does not"
            " say what its processes do."
        )
    holds = {p.pid for p in processes.values() if p.holds & sought.files}
    found = _with(every, processes, holds)
    if found:
        return _told(found, "open", "holds its transcript open")
    program = sought.program
    runs: set[int] = set()
    if program and sought.folder is not None:
        folder = os.path.realpath(sought.folder)
        runs = {
            p.pid
            for p in processes.values()
            if _runs(p, program) and p.folder == folder
        }
    found = _with(every, processes, runs)
    if found:
        return _told(found, "runs", f"runs {program} in its folder")
    what = f"{program} in the session's folder" if program else "the session's program"
    return Search(
        sentence=f"No tmux pane holds its transcript open or runs {what}: resume the"
        " session instead."
    )


def _told(found: Sequence[Pane], why: Literal["open", "runs"], what: str) -> Search:
    commands = tuple(outside(pane) for pane in found)
    if len(found) == 1:
        return Search(tuple(found), why, f"A process in pane {found[0].id} {what}.")
    names = ", ".join(pane.id for pane in found[:LISTED])
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return Search(
        tuple(found),
        why,
        f"{len(found)} panes have a process that {what}: {names}{more}. Which one it"
        " is cannot be told.",
        commands,
    )


def _with(
    every: Sequence[Pane], processes: Mapping[int, Process], wanted: set[int]
) -> list[Pane]:
    """The panes among whose processes is one of those wanted."""
    above: set[int] = set()
    for pid in wanted:
        seen: set[int] = set()
        while pid > 1 and pid not in seen:
            seen.add(pid)
            process = processes.get(pid)
            pid = process.parent if process is not None else 0
        above |= seen
    return [pane for pane in every if pane.pid in above]


def _runs(process: Process, program: str) -> bool:
    """Whether it is the program, or an interpreter that runs it."""
    names = (os.path.basename(word) for word in process.words[:3])
    return any(os.path.splitext(name)[0] == program for name in names)


def running(
    files: frozenset[tuple[int, int]] = frozenset(), proc: str = "/proc"
) -> dict[int, Process]:
    """The processes of this machine by id; none where the system does not tell."""
    found: dict[int, Process] = {}
    try:
        pids = [int(name) for name in os.listdir(proc) if name.isdigit()]
    except OSError:
        return found
    own = os.getpid()
    for pid in pids:
        folder = f"{proc}/{pid}"
        try:
            with open(f"{folder}/stat", "rb") as file:
                stat = file.read(4096)
            with open(f"{folder}/cmdline", "rb") as file:
                line = file.read(1 << 16)
        except OSError:
            continue
        fields = stat.rpartition(b")")[2].split()
        words = tuple(os.fsdecode(w) for w in line.split(b"\0")[:4])
        place: str | None = None
        try:
            place = os.readlink(f"{folder}/cwd")
        except OSError:
            place = None
        holds = frozenset() if pid == own else _holds(f"{folder}/fd", files)
        parent = int(fields[1]) if len(fields) > 1 else 0
        found[pid] = Process(pid, parent, words, place, holds)
    return found


def _holds(
    folder: str, files: frozenset[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    if not files:
        return frozenset()
    held = set()
    try:
        for number in os.listdir(folder):
            try:
                if os.readlink(f"{folder}/{number}").startswith("/"):
                    facts = os.stat(f"{folder}/{number}")
                    held.add((facts.st_dev, facts.st_ino))
            except OSError:
                continue
    except OSError:
        return frozenset()
    return files & held


def outside(pane: Pane) -> str:
    """The shell command that opens a pane from a terminal outside tmux."""
    words = ["tmux", "select-window", "-t", pane.id, ";", "select-pane", "-t", pane.id]
    words += [";", "attach-session", "-t", pane.session]
    return shlex.join(words)


def open_pane(pane: Pane, env: Mapping[str, str], run: Run = tmux) -> str:
    """Show a pane to the person, whose terminal is in tmux; a sentence of how it went.

    Outside tmux nothing is done, and the sentence says what to do.
    """
    if not env.get("TMUX"):
        return f"This terminal is not in tmux: run {outside(pane)}"
    try:
        run(["select-window", "-t", pane.id])
        run(["select-pane", "-t", pane.id])
        run(["switch-client", "-t", pane.id])
    except OSError as error:
        return f"tmux could not show pane {pane.id}: {error.strerror or error}."
    return f"Pane {pane.id} is shown; nothing was typed into it."
