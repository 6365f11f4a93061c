"""What makes a command the same command as yesterday's: without what changes each time.

`pytest -x /tmp/run-81/a.py --since 2026-11-28` and tomorrow's are one command. Names of
programs, files and options stay; paths under temp folders, numbers, hashes, dates and
the values of options such as `--since` become marks like `<n>`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

TEXT = 2_000
"""Chars of a command that are looked at, as many as are kept of one anywhere."""

_PASSES = 8
"""What was taken off may lay more of the same bare; then it is looked at again."""

_READY = " hook ready >/dev/null 2>&1; then "
"""What the hook puts before a command that goes through `wrap`."""

_WRAPPED = re.compile(
    r"(?P<before>\A|.*?(?:&&|;|\n)\s*)(?:\S*/)?spillview\s+wrap\b"
    r"(?P<options>(?:\s+(?!--\s)\S+)*?)\s+--\s+(?P<command>.+)\Z",
    re.DOTALL,
)
_PIPED = re.compile(
    # What goes on ends with no blank, so that these are passed over but once.
    r"(?P<command>.(?:.*?\S)??)\s*+(?:2>&1\s*+)?\|&?\s*+(?:\S*/)?"
    r"spillview\s++wrap\b[^|;&]*\Z",
    re.DOTALL,
)
_SHELL = re.compile(
    r"\A(?:\"?\$\{?BASH\S*|(?:/\S*/)?(?:ba|z|da|k)?sh)\s+-[a-z]*c\s+"
    r"(?P<quoted>'(?:[^']|'\\'')*'|\"(?:[^\"\\]|\\.)*\")\s*\Z",
    re.DOTALL,
)

_CD = re.compile(
    r"\Acd\s+(?P<to>'[^']*'|\"[^\"]*\"|[^\s;&|]+)\s*(?:&&|;)\s*(?P<rest>\S.*)\Z",
    re.DOTALL,
)
_COMMENT = re.compile(r"(?m)^\s*#[^\n]*(?:\n|\Z)")
_REDIRECTED = re.compile(
    r"\s*(?:2>\s*&\s*1|2>\s*/dev/null|\|\|\s*true\b)\s*(?=\Z|[|;&)\n])"
)

_VALUE = r"(?:\"[^\"]*\"|'[^']*'|[^\s;|&]+)"
_OPTIONS = (
    "since|until|after|before|from-date|to-date|date|seed|session|session-id"
    "|run-id|request-id|trace-id|job-id|timestamp|port|pid|cursor|page-token"
    "|rev|sha|build-id|random-seed|basetemp|tmpdir|temp-dir"
)
_VOLATILE = re.compile(rf"(?<![\w-])(--(?:{_OPTIONS}))(?:=|\s+)(?!-){_VALUE}")

_TEMP = re.compile(
    r"(?<![\w.])(?:"
    r"/private/tmp|/private/var/folders|/var/folders|/var/tmp|/dev/shm|/tmp"
    r"|\$\{?(?:TMPDIR|TEMP|TMP)\}?|[A-Za-z]:\\(?:[^\s\\'\"]+\\)*Temp"
    r")(?=[/\\\s'\"]|\Z)(?:[/\\][^\s'\";|&<>()]*)?"
)
_MARKS = (
    (
        re.compile(
            r"(?<!\w)\d{4}-\d{2}-\d{2}"
            r"(?:[T _]\d{2}[:.h]?\d{2}(?:[:.]?\d{2}(?:[.,]\d+)?)?"
            r"(?:Z|[+-]\d{2}:?\d{2})?)?"
            r"(?!\w)"
        ),
        "<date>",
    ),
    (
        re.compile(
            r"(?<!\w)(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:T?\d{4,6}Z?)?(?!\w)"
        ),
        "<date>",
    ),
    (re.compile(r"(?<!\w)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?!\w)"), "<time>"),
    (
        re.compile(
            r"(?<![\w])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}"
            r"-[0-9a-fA-F]{12}(?!\w)"
        ),
        "<id>",
    ),
    (
        re.compile(
            r"(?<![A-Za-z0-9])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"
            r"(?![A-Za-z0-9])"
        ),
        "<hash>",
    ),
    (
        # `50`, `1,204`, `18.2.0`, `200p`, `30s`, `4GB`; not `utf8`, `v2`, `a_2`.
        re.compile(
            r"(?<![\w.<])\d+(?:[.,_:]\d+)*(?:ms|[kMGT]i?B?|[smhdwpKB])?(?![\w>])"
        ),
        "<n>",
    ),
    # `-j8`, `-n50`: a letter alone, and how many.
    (re.compile(r"(?<![\w-])(-[A-Za-z])\d+(?![\w.])"), r"\1<n>"),
)

_NOISE = """
    cursor description head_limit headlimit limit max_results maxresults offset page
    page_size per_page run_in_background session_id since start_line end_line timeout
    timeout_ms timestamp tool_call_id until view_range yield_time_ms
"""
_NOISE_KEYS = frozenset(_NOISE.split())
"""Arguments that ask for another part, or differ each time, and name no other thing."""


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A command without the `spillview wrap` around it."""

    command: str
    wrapped: bool


@lru_cache(maxsize=4096)
def unwrapped(command: str) -> Unwrapped:
    """What `spillview wrap` was asked to run, where the command asks that.

    Also as the hook writes it, and where something is piped into `wrap`.
    """
    if " wrap" not in command:
        return Unwrapped(command, False)
    if (inner := _hooked(command)) is not None:
        return Unwrapped(inner, True)
    text = command[:TEXT]
    if (found := _WRAPPED.match(text)) is not None:
        return Unwrapped(found["before"] + found["command"], True)
    if (found := _PIPED.match(text)) is not None:
        return Unwrapped(found["command"], True)
    return Unwrapped(command, False)


def _hooked(command: str) -> str | None:
    """The command that the hook rewrote into `if …; then … wrap … -- X; else X; fi`."""
    ready = command.find(_READY) if command.startswith("if ") else -1
    if ready < 0:
        return None
    wrap = command.find(" wrap ", ready + len(_READY) - 1)
    dashes = command.find(" -- ", wrap) if wrap >= 0 else -1
    other = command.find("; else ", dashes) if dashes >= 0 else -1
    if other < 0:
        return None
    inner = command[other + len("; else ") :].rstrip().removesuffix(";")
    for end in ("; fi", "\nfi", " fi"):
        if inner.endswith(end):
            return inner.removesuffix(end)
    return None


def normalised(command: str, *, tool: str | None = None, project: str = "") -> str:
    """The command without its volatile words; equal for runs of the same command.

    `tool` is named where the command is a call's arguments and no command line.
    Paths in the `project` folder become relative to it. Applied twice it changes
    nothing more.
    """
    return _normalised(command[:TEXT], tool or "", project.rstrip("/"))


@lru_cache(maxsize=4096)
def _normalised(command: str, tool: str, project: str) -> str:
    arguments = _arguments(command)
    if arguments is not None:
        command = _named(arguments, tool)
    for _ in range(_PASSES):
        before, command = command, _once(command, project)
        if command == before:
            break
    return command


def is_command_line(command: str) -> bool:
    """Whether it is a command line and no object of arguments."""
    return _arguments(command) is None


def _arguments(command: str) -> dict[str, object] | None:
    if not command.startswith("{") or not command.rstrip().endswith("}"):
        return None
    try:
        value = json.loads(command)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _named(arguments: dict[str, object], tool: str) -> str:
    words = [tool] if tool else []
    for key, value in arguments.items():
        if key.lower() in _NOISE_KEYS or value in (None, "", [], {}):
            continue
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        words.append(f"{key}={text}")
    return " ".join(words)


def _once(command: str, project: str) -> str:
    command = unwrapped(command).command
    if (shell := _SHELL.match(command)) is not None:
        command = _unquoted(shell["quoted"])
    command = _COMMENT.sub("", command)
    if project and len(project) > 1:
        command = re.sub(
            rf"(?<![\w./-]){re.escape(project)}(?:/(?=[\w.@-])|/?(?![\w./-]))",
            lambda found: (
                ""
                if found[0].endswith("/")
                and found.end() < len(found.string)
                and not found.string[found.end()].isspace()
                else "."
            ),
            command,
        )
    if (gone := _CD.match(command)) is not None and gone["to"].strip("'\"") == ".":
        command = gone["rest"]
    command = _REDIRECTED.sub(" ", command)
    command = _VOLATILE.sub(r"\1 <…>", command)
    command = _TEMP.sub("<tmp>", command)
    for pattern, mark in _MARKS:
        command = pattern.sub(mark, command)
    return " ".join(command.split())


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1].replace("'\\''", "'")
    return re.sub(r'\\(["\\$`])', r"\1", text[1:-1])
