"""What harnesses put around a tool's output in a result, taken off again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile

_EXIT = re.compile(r"\A\s{0,8}(?:Error: )?Exit code -?\d{1,10}\n?")
_ENDED = re.compile(
    r"\n?\[(?:exit code: -?\d{1,10}|killed by signal: \w{1,20}|timed out after \d+ms)\]"
    r"\s{0,8}\Z"
)
_ELEMENT = re.compile(
    r"<(?P<tag>output|stdout|content)>\n?(?P<body>.*?)(?:</(?P=tag)>|\Z)", re.DOTALL
)
_REMINDER = re.compile(r"\s{0,8}<system-reminder>.*?</system-reminder>", re.DOTALL)


def unframed(text: str, profile: Profile) -> str:
    """A result's text without what a harness's own rules say stands around output."""
    if profile.frames and text.startswith('{"output":'):
        text = _output_in(text, ("output",))
    elif profile.members and text.startswith("{"):
        text = _output_in(text, profile.members)
    for frame in profile.frames:
        text = re.sub(frame, "", text, count=1)
    return text


def body(text: str) -> str:
    """A result's text without reminders, and out of the element that it stands in."""
    text = _REMINDER.sub("", text)
    element = _ELEMENT.search(text)
    if element is not None and text.lstrip().startswith("<"):
        text = re.sub(r"\n\n\([^\n]{0,300}\)\n?\Z", "", element["body"])
    return text.strip("\n")


def without_exit(text: str) -> str:
    """A command's text without the exit code that a failed one begins with."""
    return _EXIT.sub("", text)


def without_end(text: str) -> str:
    """A command's text without the line on how it ended."""
    return _ENDED.sub("", text)


def _output_in(text: str, members: Sequence[str]) -> str:
    """The output in a result that is a JSON object, `{"output": …, "metadata": …}`."""
    from spillview.transcripts.facts import load

    try:
        value = load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return text
    for member in members if isinstance(value, dict) else ():
        if isinstance(output := value.get(member), str):
            return output
    return text
