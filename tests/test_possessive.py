"""Repeated groups that give nothing back, in the form of every Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import spillview
from spillview.possessive import SOUND, repeated

STRING = r'[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'


@pytest.mark.parametrize("sound", [SOUND, False])
@pytest.mark.parametrize(
    ("body", "text", "end"),
    [
        (STRING, "ab\\u12", 2),
        (STRING, "ab\\u1234c", 9),
        (r'[^{}"]|"[^"\\]*+"', 'ab"cd', 2),
        (r'[^{}"]|"[^"\\]*+"', 'ab"cd"e', 7),
        (r"\w++,", "a,bc,de", 5),
        (r"x", "", 0),
    ],
)
def test_a_round_that_fails_takes_nothing(
    body: str, text: str, end: int, sound: bool
) -> None:
    found = re.match(repeated(body, sound=sound), text)
    assert found is not None
    assert found.end() == end
    again = re.match(repeated(body.encode(), sound=sound), text.encode())
    assert again is not None
    assert again.end() == end


@pytest.mark.parametrize("sound", [SOUND, False])
def test_what_was_taken_is_not_given_back(sound: bool) -> None:
    assert re.match(repeated("ab|a", sound=sound) + "b", "abab") is None
    assert re.match(repeated("ab|a", sound=sound) + "c", "ababc")


def test_no_group_is_repeated_that_way_but_here() -> None:
    folder = Path(spillview.__file__).parent
    found = [
        str(path.relative_to(folder))
        for kind in ("*.py", "*.toml")
        for path in sorted(folder.rglob(kind))
        if re.search(r"\)(?:[*+?]|\{\d*,?\d*\})\+", path.read_text(encoding="utf-8"))
    ]
    assert found == ["possessive.py"]
