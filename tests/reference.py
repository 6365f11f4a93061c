"""The README's table of every option: `python -m tests.reference` writes it anew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from spillview.cli.commands import BROWSE, COMMANDS, Command
from spillview.cli.parsing import parser_of

README = Path(__file__).parents[1] / "README.md"

BEGIN = "<!-- options: `python -m tests.reference` writes this table -->\n"
END = "<!-- end of the options -->\n"

COMMON = "common options"
"""The group of options that several commands take alike."""


def options(command: Command) -> Iterator[tuple[str, argparse.Action]]:
    """The options that the help of a command tells of, each with its group."""
    for group in parser_of(command)._action_groups:
        for action in group._group_actions:
            if action.option_strings and action.help is not argparse.SUPPRESS:
                yield group.title or "", action


def spelled(action: argparse.Action) -> str:
    """An option as one types it: `-e PATTERN`, `--unit line|char|byte`."""
    value = action.metavar
    if action.choices is not None:
        value = "|".join(map(str, action.choices))
    elif isinstance(value, tuple):
        value = " ".join(value)
    names = ", ".join(action.option_strings)
    return f"{names} {value}" if action.nargs != 0 and value else names


def table() -> str:
    """Every option of every command, the common ones first, as Markdown."""
    commands = (BROWSE, *COMMANDS.values())
    takers: dict[str, list[str]] = {}
    about: dict[str, str] = {}
    rows: list[str] = []
    for command in commands:
        usage = f"spillview {command.name}".strip()
        head = f"{usage} {command.words}".strip()
        rows.append(_row(f"**`{head}`**", f"**{command.summary}**"))
        for group, action in options(command):
            name = spelled(action)
            if group == COMMON:
                takers.setdefault(name, []).append(command.name)
                about[name] = action.help or ""
            else:
                rows.append(_row(f"`{name}`", action.help or ""))
    common = []
    for name, names in takers.items():
        left = [c.name for c in commands if c.name not in names]
        shown = f"; not `{'` `'.join(left)}`" if left else ""
        common.append(_row(f"`{name}`", f"{about[name]}{shown}"))
    lines = ["| option | |", "|---|---|", "| **all commands** | |", *common]
    return "\n".join([*lines, *rows]) + "\n"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def written(readme: str) -> str:
    """The README with the table as it should be."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


def main() -> int:
    """Write the table; gives the exit code."""
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
