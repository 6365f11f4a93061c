"""Path patterns: parts, captures, choices, `**`, and what they refuse."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.discovery.routes import Narrow, Route, advance, begin, hashed_session
from spillview.profiles.patterns import BadPattern, fill, parts_of, split_root

NAMES = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=12)


def said(part: str, name: str) -> dict[str, str] | None:
    (one,) = parts_of(part)
    found = one.match(name)
    return None if found is None else dict(found)


@pytest.mark.parametrize(
    ("part", "name", "captured"),
    [
        ("tool-results", "tool-results", {}),
        ("tool-results", "tool-result", None),
        ("<session>", "a b\n\udcff", {"session": "a b\n\udcff"}),
        ("session-<session>", "session-1", {"session": "1"}),
        ("session-<session>", "session-", None),
        ("<session:session-[0-9a-f]{4}>", "session-00ff", {"session": "session-00ff"}),
        ("<session:session-[0-9a-f]{4}>", "session-00fff", None),
        ("content.{txt,json}", "content.json", {}),
        ("content.{txt,json}", "contentxjson", None),
        ("pi-*.log", "pi-.log", {}),
        ("slot-?", "slot-12", None),
        (
            "<label:(?:stdout|stderr)>-<slot:[0-7]>",
            "stderr-3",
            {"label": "stderr", "slot": "3"},
        ),
        ("<a>.<b>", "x\n.y", {"a": "x\n", "b": "y"}),
    ],
)
def test_a_part_fits_whole_names_only(
    part: str, name: str, captured: dict[str, str] | None
) -> None:
    assert said(part, name) == captured


@given(name=NAMES, shape=st.sampled_from(["*", "a*", "*b", "?", "a?*", "*.txt"]))
def test_stars_and_marks_match_as_in_a_shell(name: str, shape: str) -> None:
    assert (said(shape, name) is not None) == fnmatchcase(name, shape)


@given(name=NAMES)
def test_a_literal_part_fits_itself_alone(name: str) -> None:
    if not any(mark in name for mark in "<>{}*?") and name not in (".", ".."):
        assert said(name, name) == {}
        assert said(name, name + "x") is None


@pytest.mark.parametrize(
    "pattern", ["a/**", "**x/b", "../a", "a/./b", "<a", "a>", "{a}", "<a:[>", "<A>"]
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        parts_of(pattern)


def test_a_slash_inside_a_shape_does_not_part() -> None:
    assert [part.text for part in parts_of("a/<b:[^/]+>/c")] == ["a", "<b:[^/]+>", "c"]


def test_the_root_stands_first() -> None:
    assert split_root("{r}/a/b") == ("r", "a/b")
    for wrong in ("a/b", "{r}a", "~/a", ""):
        with pytest.raises(BadPattern):
            split_root(wrong)


def test_filling_needs_every_value() -> None:
    values = {"root": "/r", "session": "s"}
    assert fill("{root}/<session>.jsonl", values) == "/r/s.jsonl"
    assert fill("{root}/<project>/x", values) is None


def walk(pattern: str, path: str) -> set[tuple[tuple[str, str], ...]]:
    """What a pattern captures from a path, by the walk's own steps."""
    from spillview.profiles.file import built_in
    from spillview.profiles.profile import Glob

    profile = next(iter(built_in()))
    route = Route(profile, Glob("{r}/" + pattern), "r", parts_of(pattern))
    *folders, name = path.split("/")
    at = begin([route])
    for folder in folders:
        at = advance(at, folder, Narrow())
    ends = [(p, p.next.match(name)) for p in at if p.last]
    return {
        tuple(sorted({**place.captures, **got}.items()))
        for place, got in ends
        if got is not None
    }


@pytest.mark.parametrize(
    ("part", "start"),
    [
        ("<name:tool-(?:a|b)-[0-9]{3}>", "tool-"),
        ("x-<name:y>", "x-"),
        ("<name:ab*>", "a"),
        ("<name:ab{2}>", "a"),
        ("<name:ab+>", "ab"),
        ("<name:ab|cd>", ""),
        ("<name:ab[(]c|d[)]>", ""),
        (r"<name:ab\(c|d\)>", ""),
        ("<name:(?:ab|cd)>", ""),
        ("<name:[ab]c>", ""),
    ],
)
def test_what_all_names_of_a_part_begin_with(part: str, start: str) -> None:
    (one,) = parts_of(part)
    assert one.start == start


@given(
    st.sampled_from(
        ["<n:ab*c>", "<n:a|b>", "<n:ab?|c>", "<n:a[|]b>", "<n:a(b|c)?>", "<n>", "*.b"]
    ),
    st.sets(st.text("abc|.", min_size=1, max_size=3), max_size=6),
)
def test_a_part_fits_any_of_the_names_that_it_fits_one_by_one(
    part: str, names: set[str]
) -> None:
    (one,) = parts_of(part)
    tokens = part.removeprefix("<n").removesuffix(">").removeprefix(":")
    plain = {"": ".+", "*.b": r".*\.b"}.get(tokens, tokens)
    fitting = {name for name in names if re.fullmatch(plain, name)}
    assert {name for name in names if one.match(name) is not None} == fitting
    assert one.fits_any(names) == bool(fitting)


def test_two_stars_stand_for_any_number_of_folders() -> None:
    pattern = "<project>/results/**/<name>"
    for between in ("", "a/", "a/b/", "results/results/"):
        assert walk(pattern, f"p/results/{between}x") == {(("project", "p"),)}
    assert walk(pattern, "p/other/x") == set()
    assert walk("**/sh_<id>.out", "a/b/sh_1.out") == {(("id", "1"),)}
    assert walk("**/sh_<id>.out", "sh_1.out") == {(("id", "1"),)}


def test_narrowing_admits_what_may_still_lead_there() -> None:
    hashed = hashed_session("sess-1")
    assert hashed == "session-abe633f3a47a"
    one = Narrow(sessions=frozenset({"s", "sess-1", hashed}))
    assert one.admits({})
    assert one.admits({"project": "p"})
    assert one.admits({"session": "s"})
    assert one.admits({"parent": "s", "agent": "a"})
    assert one.admits({"session": hashed})
    assert not one.admits({"session": "t"})
    assert not one.settled({"project": "p"})
    by_hash = Narrow(sessions=frozenset({hashed}))
    assert by_hash.settled({"session": "sess-1"})
    project = Narrow(projects=frozenset({"p"}))
    assert project.admits({})
    assert project.settled({"project": "p", "session": "any"})
    assert not project.admits({"project": "q"})
