"""What differs between two runs of the same thing: times, progress, colours."""

from __future__ import annotations

import re

SAID = "times, dates, durations, percentages, addresses, colours and progress frames"
"""What is left out, in words."""

_NOISE = re.compile(
    rb"[\x1b0-9](?:(?<=\x1b)\[[0-9;:]{0,32}[A-Za-z]"
    rb"|(?<=[0-9])(?<![\w.,:\x1b][0-9])(?:"
    # 2026-11-28T04:05:06.789Z
    rb"\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?"
    rb"(?:Z|[+-]\d\d:?\d\d)?"
    # 04:05:06
    rb"|\d?:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?![\w:])"
    # 0x7ffe1234abcd
    rb"|(?<=0)x[0-9a-fA-F]{4,16}\b"
    # 0.52s, 12 ms, 3 minutes
    rb"|\d{0,11}(?:[.,]\d{1,9})?[ ]?"
    rb"(?:ns|us|\xc2\xb5s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?!\w)"
    # 42%
    rb"|\d{0,2}(?:\.\d{1,6})?[ ]?%"
    rb"))"
)
"""It begins with a set of bytes, which is quickly looked for."""


def without_noise(data: bytes) -> bytes:
    """The lines of `data` with `~` for each of these; LFs stay where they are."""
    if b"\r" in data:
        data = b"\n".join(map(_last_frame, data.split(b"\n")))
    return _NOISE.sub(b"~", data)


def _last_frame(line: bytes) -> bytes:
    """A line as a terminal would leave it: what a CR overwrote is gone."""
    return line.rstrip(b"\r").rpartition(b"\r")[2]
