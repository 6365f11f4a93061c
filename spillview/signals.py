"""Lines that tell of trouble, and what an output's last line concludes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from spillview.model import Line, VerdictClass

if TYPE_CHECKING:
    from spillview.content import Content

BLOCK = 1 << 18
"""Bytes read at a time."""

LONGEST = 1 << 16
"""Of a longer line this many bytes at a time are looked at."""

TEXT_LIMIT = 2_000
"""Chars of a line's text that are kept, as everywhere a line is quoted."""

_WORDS = (
    rb"(?i:errors?|failed|failures?|fatal|panic(?:ked)?|exceptions?|traceback)"
    rb"|[A-Za-z]{1,60}(?:Error|Exception)"
)
SIGNAL = re.compile(rb"(?<![\w-])(?<!\b0 )(?<!\b[nN]o )(?:" + _WORDS + rb")(?![\w-])")
"""A word that tells of trouble; `0 errors` and `no errors` tell of none."""


def signal_lines(
    content: Content, start: int = 0, end: int | None = None
) -> Iterator[Line]:
    """Lines in `[start, end)` that hold a signal word, in order.

    A line that begins before `start` is looked at from `start` on. Memory is bounded
    whatever the length of a line.
    """
    stop = content.size if end is None else min(end, content.size)
    number = 1 + _feeds_before(content, start)
    begin = _line_start(content, start)
    at = start
    carry = b""
    while at < stop:
        data = content.pread(at, min(BLOCK, stop - at))
        if not data:
            return
        window = carry + data
        base = at - len(carry)
        at += len(data)
        cut = window.rfind(b"\n") + 1
        if at >= stop:
            cut = len(window)
        elif cut == 0 and len(window) > LONGEST:
            # One long line: all but its end, where a word may go on.
            cut = len(window) - 64
        pos = 0
        while (found := SIGNAL.search(window, pos, cut)) is not None:
            feeds = window.count(b"\n", pos, found.start())
            if feeds:
                number += feeds
                begin = base + window.rfind(b"\n", pos, found.start()) + 1
            line = _line(content, number, begin)
            yield line
            after = window.find(b"\n", found.start(), cut)
            if after < 0:
                pos = cut
                if cut < len(window) or at < stop:
                    # The rest of this line was told of; go on behind it.
                    skip = _next_line(content, line.end, stop)
                    if skip is None:
                        return
                    number, begin, at = number + 1, skip, skip
                    window, cut, pos = b"", 0, 0
                break
            number, begin, pos = number + 1, base + after + 1, after + 1
        feeds = window.count(b"\n", pos, cut)
        if feeds:
            number += feeds
            begin = base + window.rfind(b"\n", pos, cut) + 1
        carry = window[cut:]


def classify(
    verdict: str | None,
    tool: str | None = None,
    failed: bool | None = None,
    exit_code: int | None = None,
) -> VerdictClass:
    """What an output's last line concludes, the call's own outcome first.

    An error state or an exit code other than 0 means `fail` whatever the text says; a
    text that tells of failure means `fail` even where the call succeeded (a pipe hides
    the exit code of its first command). `tool` is there for rules of one tool.
    """
    if failed or exit_code:
        return "fail"
    line = (verdict or "")[:TEXT_LIMIT].strip()
    line = re.sub(r"\x1b\[[0-9;:]{0,64}[mK]", "", line)
    line = line.strip("= \t")
    for kind, pattern in _rules():
        if pattern.search(line):
            return kind
    return "pass" if exit_code == 0 else "unknown"


@cache
def _rules() -> tuple[tuple[VerdictClass, re.Pattern[str]], ...]:
    """The rules of `verdicts.toml`, in order."""
    import tomllib

    text = files("spillview").joinpath("verdicts.toml").read_text(encoding="utf-8")
    return tuple(
        (rule["verdict"], re.compile(rule["regex"]))
        for rule in tomllib.loads(text)["rule"]
    )


def _feeds_before(content: Content, offset: int) -> int:
    """LF bytes before `offset`."""
    total = at = 0
    while at < offset:
        data = content.pread(at, min(1 << 20, offset - at))
        if not data:
            break
        total += data.count(b"\n")
        at += len(data)
    return total


def _line_start(content: Content, offset: int) -> int:
    """Where the line that holds byte `offset` begins."""
    while offset > 0:
        start = max(0, offset - LONGEST)
        step = content.pread(start, offset - start).rfind(b"\n")
        if step >= 0:
            return start + step + 1
        offset = start
    return 0


def _next_line(content: Content, offset: int, stop: int) -> int | None:
    """Where the line after the one at `offset` begins; None if none does by `stop`."""
    while offset < stop:
        data = content.pread(offset, min(BLOCK, stop - offset))
        if not data:
            return None
        step = data.find(b"\n")
        if step >= 0:
            return offset + step + 1
        offset += len(data)
    return None


def _line(content: Content, number: int, begin: int) -> Line:
    """The line that begins at byte `begin`."""
    end = begin
    head = b""
    while True:
        data = content.pread(end, LONGEST)
        step = data.find(b"\n")
        piece = data if step < 0 else data[:step]
        if len(head) < 4 * TEXT_LIMIT:
            head += piece[: 4 * TEXT_LIMIT]
        end += len(piece)
        if step >= 0 or not data:
            break
    if end > begin and content.pread(end - 1, 1) == b"\r":
        end -= 1
        head = head[: end - begin]
    text = head.decode("utf-8", "replace")
    truncated = len(text) > TEXT_LIMIT or end - begin > len(head)
    return Line(number, begin, end, text[:TEXT_LIMIT], truncated)
