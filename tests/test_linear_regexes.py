"""Every regex of the program ends soon on the texts that pump it most."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

import pytest

from spillview.config import load_settings
from spillview.errors import SpillError
from spillview.places import Places
from spillview.profiles.file import parse_profile
from spillview.profiles.regexes import UnsafeRegex, check_regex

from .pumps import PACKAGE, TooLong, at_most, patterns, profile_regexes, pumped, search

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a virtual timer")

LENGTH = 1_500
"""Chars; what goes with their square takes a moment, what goes with more an age."""
PROCESSOR = 1.0
"""Seconds of this process's own time: a bound for what would never end, no measure."""


def test_no_pattern_of_the_program_or_a_profile_takes_an_age() -> None:
    every = patterns()
    assert len(every) > 300
    slow = []
    for where, pattern in every.items():
        try:
            for text in pumped(pattern, LENGTH):
                with at_most(PROCESSOR):
                    search(pattern, text)
        except TooLong:
            slow.append((where, pattern.pattern))
    assert slow == []


@pytest.mark.parametrize(
    "bad", [r"x(a+)+$", r"x(?:\s*,?\s*)*y", r"^\s*a?\s*b?\s*c?\s*$x", r"x(a|a)*$"]
)
def test_the_pumps_reach_what_takes_an_age(bad: str) -> None:
    pattern = re.compile(bad)
    texts = list(pumped(pattern, 3_000))
    with pytest.raises(TooLong), at_most(0.2):
        list(map(partial(search, pattern), texts))


def test_every_regex_of_a_profile_passes_the_check_made_of_a_users_own() -> None:
    assert len(profile_regexes()) > 100
    # Reading a profile raises where one does not; the built-in ones are read untrusted.
    folder = PACKAGE / "harnesses"
    for path in sorted(folder.glob("*.toml")):
        parse_profile(path.read_text(), str(path))


@pytest.mark.parametrize(
    "bad",
    [
        r"saved to (a+)+",
        r"saved (?:a|b+)*c",
        r"saved .*x.*y",
        r".*saved",
        r"saved (\w+) \1",
        r"saved \s+\s+x",
        r"saved [^x]*y[^z]*z",
        "saved (",
    ],
)
def test_a_users_own_bad_regex_is_refused_with_a_sentence(
    tmp_path: Path, bad: str
) -> None:
    with pytest.raises(UnsafeRegex) as caught:
        check_regex(bad)
    assert len(str(caught.value)) > 10
    text = (PACKAGE / "harnesses/dsh.toml").read_text()
    start = text.index("regex = ", text.index("[[notice]]"))
    end = text.index("\n", start)
    text = f"{text[:start]}regex = '''{bad}'''{text[end:]}"
    with pytest.raises(SpillError, match="regex"):
        parse_profile(text, "mine.toml")


def test_settings_hold_no_regex_that_goes_unchecked(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    path = Path(places.config_dir) / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('regex = "(a+)+"\n')
    with pytest.raises(SpillError):
        load_settings(places)
