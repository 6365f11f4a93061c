"""What shell commands show of a file, told without running them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.seen.commands import Reading, reading


def of(command: str) -> Reading:
    return reading(command, lambda word: "ART" in word)


@pytest.mark.parametrize(
    ("command", "anchor", "line"),
    [
        ("cat ART", "whole", None),
        ("head ART", "head", None),
        ("head -n 20 ART", "head", None),
        ("head -c 300 ART", "head", None),
        ("tail -20 ART", "tail", None),
        ("tail -n +30 ART", None, 30),
        ("cat ART | tail -5", "tail", None),
        ("sed -n '10,20p' ART", None, 10),
        ("sed -n '10,20p;20q' ART", None, 10),
        ("head -100 ART | tail -5", None, None),
        ("head -n -5 ART", None, None),
        ("grep x ART", None, None),
        ("grep x ART | tail -3", None, None),
        ("F=/x/ART; tail -3 $F", "tail", None),
        ('cd /tmp && tail -3 "/x y/ART" 2>&1', "tail", None),
        ("timeout 5 tail -3 ART", "tail", None),
        ("sudo tail ART", "tail", None),
    ],
)
def test_place_that_a_command_names(
    command: str, anchor: str | None, line: int | None
) -> None:
    known = of(command)
    assert (known.shows, known.understood) == (True, True)
    assert (known.anchor, known.line, known.alone) == (anchor, line, True)


@pytest.mark.parametrize(
    "command",
    [
        "rm ART",
        "wc -l ART",
        "ls -la ART",
        "grep -c x ART",
        "grep -rlq x ART",
        "cat ART | wc -l",
        "cat ART > /dev/null",
        "cat ART &> x",
        "sed -i 's/a/b/' ART",
        "test -f ART && echo yes",
        "",
        "# tail ART",
    ],
)
def test_commands_that_show_nothing(command: str) -> None:
    known = of(command)
    assert not known.shows
    assert known.understood


@pytest.mark.parametrize(
    "command",
    [
        "python3 x.py ART",
        "jq . ART",
        "cat ART | python3 -c 'import sys'",
        "awk '{print $2}' ART",
        "awk 'NR>3 {print $0; print 1}' ART",
        "sed 's/a/b/' ART",
        "diff ART b",
        "make; tail ART",
        "for f in ART; do cat $f; done",
        "if true; then cat ART; fi",
        "echo $(tail -1 ART)",
        "echo `tail -1 ART`",
        'echo "$(tail -1 ART)"',
        "cat <<EOF\nART\nEOF",
        "diff <(cat ART) b",
        "grep -o x ART",
        "cut -d: -f2 ART",
        "tail -5 ART | xargs echo",
        "xxd ART",
    ],
)
def test_commands_whose_result_may_be_anything(command: str) -> None:
    assert not of(command).understood


def test_several_commands_and_what_stands_beside() -> None:
    known = of("tail -3 ART; echo; head -3 ART")
    assert (known.times, known.anchor, known.ordered, known.alone) == (
        2,
        None,
        False,
        False,
    )
    assert of("cd /tmp; tail -3 ART").alone
    assert not of("ls; tail -3 ART").alone
    assert of("sort ART").shows
    assert of("cat ART | sort").ordered is False
    assert of("cut -c1-80 ART").width == 80
    assert of("awk 'NR>=3 && NR<=9' ART").understood
    assert of("tail -3 ART > out; tail -3 ART").times == 1
    assert of("tail -3 ART | tee out").shows


@given(st.text(st.sampled_from("ARTcatils -n|;&<>'\"$(){}`#\\\n 0>"), max_size=60))
def test_any_command_is_told_apart_without_a_crash(command: str) -> None:
    assert of(command).times >= 0


@given(
    st.sampled_from(["tool x", "./run", "make -j", "node a.js", "go test ./..."]),
    st.sampled_from(["; ", " && ", " || ", "\n", " | "]),
    st.sampled_from(["tail -3 ART", "cat ART", "wc -l ART", "grep -n x ART"]),
)
def test_unknown_program_beside_a_reader_is_never_taken_for_silence(
    other: str, join: str, reader: str
) -> None:
    for command in (f"{other}{join}{reader}", f"{reader}{join}{other}"):
        assert not of(command).understood
