"""How the words and options of a command are read, and what is wrong in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from spillview.cli.commands import Command

_COMMON = {
    "json": "one JSON object a line",
    "harness": "only this harness's stores",
    "session": "only this session",
    "since": "only what is newer",
    "until": "only what is older",
    "boundary": "measure against this boundary (chars, utf16, bytes, lines or tokens)",
}
_MEANS = {
    ("wrap", "session"): "the session that the output is kept for",
    ("wrap", "boundary"): "fold what is larger than this (default: 100000 chars)",
}
"""What a common option means to one command alone."""
_METAVARS = {
    "harness": "NAME",
    "session": "ID",
    "since": "AGE|DATE",
    "until": "AGE|DATE",
    "boundary": "N[UNIT]",
}

PATTERN = ("-e", "--regexp")
"""Options of `grep` whose value may begin with a dash."""

QUOTED = 400
"""Chars of a sentence that quotes an argument."""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that is as wide everywhere; asking the terminal costs a start-up import."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=80)


# Its own words are English here as ours are: it would look for translations of them,
# with the settings of the place, which takes a millisecond of each start.
argparse._ = str  # type: ignore[attr-defined]  # what it calls `gettext` by


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are sentences for `main` to print."""

    def error(self, message: str) -> NoReturn:
        """Raise `BadInput` with what argparse found wrong."""
        text = message[:1].lower() + message[1:]
        unknown = text.removeprefix("unrecognized arguments: ")
        if unknown != text:
            word = _short(unknown.split(" ")[0])
            text = f"there is no option {word}{self._nearest(unknown)}"
        raise BadInput(f"{_short(text)}; see `{self.prog} --help`")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """The value of an option; `--name=--` has one, which argparse would drop."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _nearest(self, unknown: str) -> str:
        import difflib

        options = [o for action in self._actions for o in action.option_strings]
        # The dashes are no likeness: without them `--wrong` is far from `--json`.
        known = {option.lstrip("-"): option for option in options}
        word = unknown.split()[0].split("=")[0].lstrip("-")
        near = difflib.get_close_matches(word, known, 1)
        return f"; did you mean {known[near[0]]}?" if near else ""


def _short(text: str) -> str:
    """A sentence that quotes what was typed, which may be endless."""
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def parser_of(command: Command) -> Parser:
    """The parser of one command: its own options and the common ones."""
    prog = f"spillview {command.name}".strip()
    parser = Parser(
        prog=prog,
        usage=f"{prog} [options] {command.words}",
        formatter_class=_Help,
        add_help=False,
        allow_abbrev=False,
    )
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    command.load().describe(command.name, parser)
    common = parser.add_argument_group("common options")
    for option, words in _COMMON.items():
        # Every command takes them all: what means nothing to one is not told of.
        words = _MEANS.get((command.name, option), words)
        about = words if option in command.common else argparse.SUPPRESS
        if option == "json":
            common.add_argument("--json", action="store_true", help=about)
        else:
            common.add_argument(f"--{option}", metavar=_METAVARS[option], help=about)
    common.add_argument("--no-color", action="store_true", help="no colour")
    common.add_argument(
        "-q", "--quiet", action="store_true", help="no notes, no progress"
    )
    common.add_argument("-h", "--help", action="help", help="this text")
    return parser


def parse(command: Command, arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; `words` holds those that are no options, in their order.

    `behind` is how many of them stand behind a `--`; None without one.
    """
    parser = parser_of(command)
    given: list[str] = []
    rest = list(arguments)
    dashes = False
    while rest:
        word = rest.pop(0)
        if word == "--":  # what follows are words, whatever they begin with
            dashes = True
            break
        if word in PATTERN and rest and command.name == "grep":
            word = f"--regexp={rest.pop(0)}"  # a pattern may look like an option
        given.append(word)
    args = parser.parse_intermixed_args(given)
    args.behind = len(rest) if dashes else None
    args.words = [*args.words, *rest]
    return args
