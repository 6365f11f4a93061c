"""What the calls of any harness have in common: commands, names, exit codes, times."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator

from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Any
from spillview.profiles.patterns import part_regex
from spillview.regexes import late

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile

_QUOTED = late(r"\"([^\"\n]{1,4096})\"|'([^'\n]{1,4096})'")
_BARE = late(r"(?:\\ |[^\s'\"`;|&<>()$=,\\])+")
_EXIT = late(r"\s{0,8}(?:Error: )?Exit code (-?\d{1,10})(?![\d.])")
_COMMAND_KEYS = ("command", "cmd", "script")
_LINE_PATH = late(r"^(?P<path>(?:[A-Za-z]:)?[^\n:]{1,4096}):\d{1,12}:", re.MULTILINE)

MAX_NAMES = 64
"""So many names one call can give; a command that names more is a listing."""


def command_of(arguments: Any) -> str | None:
    """The command line in a call's arguments, else the arguments on one line."""
    if isinstance(arguments, str):
        return arguments or None
    if not isinstance(arguments, dict) or not arguments:
        return None
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return " ".join(value)
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except RecursionError:  # nested so deeply that no line can show it
        return None


class Marks(Frozen):
    """The folders directly above a harness's artifacts, by which paths are known.

    A folder has a name of its own (`tool-results`), and then the folder above it tells
    the session; or it is the session's, known by its shape (`session-<12 hex>`).
    """

    names: tuple[str, ...] = ()
    shapes: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def of(cls, profile: Profile) -> Marks:
        """The marks that a profile's globs give."""
        names: dict[str, None] = {}
        shapes: dict[re.Pattern[str], None] = {}
        for glob in profile.globs:
            parts = glob.path.split("/")[1:-1]
            literal = [part for part in parts if re.fullmatch(r"[\w.-]{3,}", part)]
            if literal and literal[-1] != parts[0]:
                names[literal[-1]] = None
            elif parts and re.fullmatch(r"<session:.{4,}>", parts[-1]):
                shapes[part_regex(parts[-1])] = None
        return cls(tuple(names), tuple(shapes))

    def at(self, parts: list[str]) -> int | None:
        """Where in a path's parts what names the artifact begins."""
        for index in range(len(parts) - 1, -1, -1):
            if index > 0 and parts[index] in self.names:
                return index - 1
            if any(shape.fullmatch(parts[index]) for shape in self.shapes):
                return index
        return None


def names_in(arguments: Any, profile: Profile, marks: Marks) -> list[str]:
    """Paths and file names in a call's arguments that can be an artifact's.

    That is what holds one of the `marks`, or whose last part fits one of the
    profile's name rules; a shell pattern (`*.txt`) below such a folder counts too.
    """
    names: dict[str, None] = {}
    for key, text in strings(arguments):
        if len(names) >= MAX_NAMES:
            break
        whole = key not in _COMMAND_KEYS and "\n" not in text and len(text) <= 4096
        handle = handle_of(profile, text)
        if handle is not None:
            names[handle[0]] = None
        if whole and is_name(text, profile, marks):
            names[text] = None
            continue
        for word in _words(text):
            if is_name(word, profile, marks):
                names[word] = None
                if len(names) >= MAX_NAMES:
                    break
    return list(names)


def handle_of(profile: Profile, text: str) -> re.Match[str] | None:
    """The handle in a text by which tools of this harness name an artifact, if any.

    Its group `id` is what the notices have: `artifact://3`.
    """
    regex = profile.pointer.get("handle")
    return re.search(regex, text[:8192]) if regex else None


def is_name(word: str, profile: Profile, marks: Marks) -> bool:
    """Whether `word` can name an artifact (or the folder of some)."""
    parts = word.replace("\\", "/").split("/")
    if marks.at(parts) is not None:
        return True
    return profile.read_name(parts[-1]) is not None if len(parts[-1]) > 4 else False


def paths_at_lines(text: str, profile: Profile, marks: Marks) -> list[str]:
    """Artifact paths that begin `path:number:` lines, as a search prints them."""
    if not any(mark in text for mark in marks.names) and not marks.shapes:
        return []
    names: dict[str, None] = {}
    last = ""
    for found in _LINE_PATH.finditer(text):
        path = found["path"]
        if path == last or "/" not in path:
            continue
        last = path
        if path not in names and is_name(path, profile, marks):
            names[path] = None
            if len(names) >= MAX_NAMES:
                break
    return list(names)


def strings(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every text inside a JSON value with the key it stands under."""
    if isinstance(value, str):
        yield key, value
    elif depth < 6:
        if isinstance(value, dict):
            for name, item in value.items():
                yield from strings(item, name, depth + 1)
        elif isinstance(value, list):
            for item in value:
                yield from strings(item, key, depth + 1)


def texts_of(content: Any) -> list[str]:
    """The texts of a result's content, a string or a list of blocks."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [
        block["text"]
        for block in content
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]


def exit_code_in(text: str) -> int | None:
    """The number after `Exit code` at the start of a result's text."""
    found = _EXIT.match(text)
    return int(found[1]) if found else None


def parse_time(value: Any) -> float | None:
    """Seconds since the epoch of an ISO text or of a number of seconds, milli-,
    micro- or nanoseconds; None for a time at which no agent can have run."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        told = (plausible(value / unit) for unit in _UNITS if value < LARGEST_TIME)
        return next((when for when in told if when is not None), None)
    if not isinstance(value, str) or len(value) > 64:
        return None
    import datetime  # no sooner: it takes a millisecond of each start

    try:
        when = datetime.datetime.fromisoformat(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.UTC)
        return plausible(when.timestamp())
    except (ValueError, OverflowError):
        return None


EARLIEST = 1_420_070_400.0
"""The first second of 2015 in UTC: no agent ran before."""
AHEAD = 366 * 86_400.0
"""Seconds by which a clock may be ahead of ours."""
LARGEST_TIME = 1e20
_UNITS = (1.0, 1e3, 1e6, 1e9)
"""Parts of a second; what is plausible in one of them is not in another."""


def plausible(when: float) -> float | None:
    """A time in seconds since the epoch, where an agent can have run at it."""
    return when if EARLIEST <= when <= time.time() + AHEAD else None


def one_line(text: str, limit: int = 300) -> str:
    """`text` on one line, ended by an ellipsis where it is longer than `limit`."""
    flat = " ".join(text[: limit * 8].split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _words(text: str) -> Iterator[str]:
    for found in _QUOTED.finditer(text):
        yield found[1] or found[2]
    for found in _BARE.finditer(text):
        yield found[0].replace("\\ ", " ")
