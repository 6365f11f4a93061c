"""How a session goes on: its harness's own command, and its tool for reading a file.

Both are data of a profile (`[resume]`, `[read_tool]`); nothing here runs anything.
"""

from __future__ import annotations

import re
import shlex

from spillview.hints import TYPE_CHECKING, Literal
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile

Folder = Literal["project", "any"]


class Resume(NamedTuple):
    """The words that resume a session; no words where none are known."""

    command: tuple[str, ...] = ()
    """`{session}` in a word stands for the session's id."""
    cwd: Folder = "any"
    """`project`: it finds the session in the folder only in which that began."""
    id: str = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}"
    """Regex of the ids that the command takes; others are said to be none."""
    confidence: str = ""
    source: str = ""
    """Where it was read."""
    note: str = ""

    @property
    def program(self) -> str:
        """The program's name; empty where none is known."""
        return self.command[0] if self.command else ""


class ReadTool(NamedTuple):
    """The tool by which the harness's model reads a part of a file."""

    call: str = ""
    """`{path}`, `{line}` (counted from 1), `{line0}` (from 0), `{lines}` (how many) and
    `{last}` stand for what is to be read; empty where no such tool is known."""
    source: str = ""

    def of(self, path: str, line: int, lines: int) -> str:
        """The call for `lines` lines from `line` on; `path` as it is to be shown."""
        values = {
            "{line}": str(line),
            "{line0}": str(line - 1),
            "{lines}": str(lines),
            "{last}": str(line + lines - 1),
            "{path}": path,
        }
        return re.sub(
            r"\{(?:path|line0?|lines|last)\}", lambda m: values[m[0]], self.call
        )


class Resumed(NamedTuple):
    """What resumes one session, or why nothing is known to."""

    command: str | None
    """For a POSIX shell, every word quoted; None where there is none."""
    sentence: str
    """What is to be known of it: what it rests on, or why there is none."""


def resume_command(profile: Profile, session: str, project: str | None) -> Resumed:
    """The command that resumes `session`, in its project's folder where that matters.

    Nothing is guessed: an id that the harness's command would not take, and a folder
    that is not known, are said.
    """
    known = profile.resume
    if not known.command:
        why = f"No command of {profile.name} is known that resumes a session."
        return Resumed(None, f"{why} {known.note}".strip())
    if not _is_plain(session) or re.fullmatch(known.id, session, re.ASCII) is None:
        return Resumed(
            None,
            f"The session's id is not one that {known.program} takes: open"
            f" {profile.name} and choose the session there.",
        )
    words = [word.replace("{session}", session) for word in known.command]
    command = shlex.join(words)
    sentence = f"It is {profile.name}'s own; {_rests(known)}."
    if project is not None and _is_plain(project):
        command = f"cd {_quoted(project)} && {command}"
    elif known.cwd == "project":
        sentence = (
            "Run it in the folder in which the session began, which is not known;"
            f" it is {profile.name}'s own; {_rests(known)}."
        )
    return Resumed(command, f"{sentence} {known.note}".strip())


def _rests(known: Resume) -> str:
    where = f" ({known.source})" if known.source else ""
    return f"known from {known.confidence or 'one report'}{where}"


def _quoted(folder: str) -> str:
    """The folder for `cd`: one that begins with a dash is no option of it."""
    return shlex.quote(folder if not folder.startswith("-") else f"./{folder}")


def _is_plain(text: str) -> bool:
    """Whether it can be typed: no byte of it is unknown, none acts on a terminal."""
    from spillview.text import printable

    return bool(text) and printable(text) == text
