"""The examples that `--help` prints can be typed as they are."""

from __future__ import annotations

import shlex

import pytest

from spillview.cli.commands import COMMANDS, split
from spillview.cli.examples import EXAMPLES
from spillview.cli.parsing import parse
from tests.command import run


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_that_its_parser_takes(name: str) -> None:
    shown = run(name, "--help").out
    assert "\nexamples:\n" in shown
    assert max(map(len, shown.partition("\nexamples:\n")[2].splitlines())) <= 80
    for line, gives in EXAMPLES[name]:
        assert line in shown
        assert gives in shown
        typed = next(part for part in line.split("|") if "spillview" in part)
        words = shlex.split(typed.split(">")[0])
        command, rest = split(words[1:])
        assert command.name == name
        parse(command, rest)


def test_no_example_is_of_a_command_that_is_gone() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
