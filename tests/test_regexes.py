"""Regexes that are compiled late do what those do that are compiled at once."""

from __future__ import annotations

import re

import pytest

from spillview.regexes import early, late


def test_a_late_regex_answers_as_a_compiled_one() -> None:
    text = "one 1, two 22"
    for compiled in (re.compile(r"(?P<n>\d+)"), late(r"(?P<n>\d+)")):
        found = compiled.search(text)
        assert found is not None
        assert found["n"] == "1"
        assert compiled.findall(text) == compiled.findall(text) == ["1", "22"]
        assert compiled.sub("#", text) == "one #, two #"
        assert (compiled.pattern, compiled.groups) == (r"(?P<n>\d+)", 1)
    folded = late("one", re.IGNORECASE).match("ONE")
    assert folded is not None


def test_it_is_compiled_when_it_is_first_used() -> None:
    bad = late("(")
    with pytest.raises(re.error):
        bad.match("")


def test_the_tests_of_every_regex_see_it() -> None:
    behind = early(late("a+"))
    assert behind is not None
    assert behind.pattern == "a+"
    assert early(re.compile("a+")) is None
    assert early("a+") is None
