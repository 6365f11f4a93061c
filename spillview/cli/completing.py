"""`completion`: the words a shell offers behind `spillview`, as a script for it.

The script holds every command and option as the parsers have them. What lies in the
stores (ids, sessions) it asks for when the key is pressed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from itertools import islice

from spillview.cli.commands import BROWSE, COMMANDS, Command
from spillview.cli.completion_scripts import SHELLS, Kind, Offer, Option
from spillview.cli.parsing import parser_of
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.cli.streams import Streams

DESCRIPTION = """\
Prints a script that makes a shell complete commands, options, ids of the newest
artifacts, sessions and harnesses:

  bash: mkdir -p ~/.local/share/bash-completion/completions
        spillview completion bash > ~/.local/share/bash-completion/completions/spillview
  zsh:  mkdir -p ~/.zfunc                                   (a folder of your $fpath)
        spillview completion zsh > ~/.zfunc/_spillview
  fish: mkdir -p ~/.config/fish/completions
        spillview completion fish > ~/.config/fish/completions/spillview.fish"""

NEWEST = 100
"""Ids of so many artifacts or sessions are offered: a menu, and no listing."""

_KINDS: dict[str, Kind] = {
    "FILE": "files",
    "PATH": "files",
    "DIR": "folders",
    "ARTIFACT": "artifacts",
    "A": "artifacts",
    "WHERE": "artifacts",
    "HARNESS": "harnesses",
    "COMMAND": "programs",
}


def _named(option: str) -> tuple[str, ...]:
    """The words of an option that takes one of a few and is checked later."""
    if option == "--sort":
        from spillview.catalogue.triage import SORT_KEYS

        return tuple(SORT_KEYS)
    if option == "--only":
        from spillview.catalogue.picks import PICKS

        return tuple(PICKS)
    return ()


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `completion`."""
    parser.description = DESCRIPTION
    options = parser.add_argument_group("options")
    options.add_argument(
        "--list",
        choices=tuple(LISTS),
        help=f"what the script asks for: the newest {NEWEST}, or every harness",
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the script, or a list that a script asks for; gives the exit code."""
    if args.list is not None:
        for word, about in LISTS[args.list]():
            streams.line(f"{word}\t{printable(path_text(about))}")
        return 0
    if len(args.words) != 1 or args.words[0] not in SHELLS:
        raise BadInput("name one shell: spillview completion bash, zsh or fish")
    streams.line(
        SHELLS[args.words[0]]([offer(c) for c in (BROWSE, *COMMANDS.values())])
    )
    return 0


def offer(command: Command) -> Offer:
    """What may follow a command, from its own parser."""
    options = []
    for action in parser_of(command)._actions:
        if not action.option_strings or action.help == argparse.SUPPRESS:
            continue
        takes = action.nargs != 0
        metavar = action.metavar[0] if isinstance(action.metavar, tuple) else None
        value = str(metavar or action.metavar or "")
        kind = _KINDS.get(value, "")
        kind = {"--harness": "harnesses", "--session": "sessions"}.get(
            action.option_strings[0],
            kind,  # type: ignore[assignment] # both are kinds
        )
        about = " ".join((action.help or "").split())
        choices = tuple(map(str, action.choices or _named(action.option_strings[0])))
        names = tuple(action.option_strings)
        options.append(Option(names, about, takes, kind if takes else "", choices))
    first = re.match(r"\W*([\w|-]+)", command.words)
    words = tuple(first[1].split("|")) if first and first[1].islower() else ()
    kinds = [_KINDS[w] for w in re.findall(r"[A-Z]+", command.words) if w in _KINDS]
    return Offer(command, tuple(options), kinds[0] if kinds else "", words)


# What lies in the stores


def _artifacts() -> Iterator[tuple[str, str]]:
    from spillview.catalogue.catalogue import Catalogue

    catalogue = Catalogue.here()
    try:
        for artifact in islice(catalogue.scan(), NEWEST):
            yield artifact.id, artifact.found.name
    finally:
        catalogue.close()


def _sessions() -> Iterator[tuple[str, str]]:
    from spillview.catalogue.catalogue import Catalogue

    catalogue = Catalogue.here()
    try:
        groups = catalogue.scan().groups()
        for (harness, session), members in islice(groups.items(), NEWEST):
            plain = printable(path_text(session))
            if session and plain == session and not re.search(r"\s", session):
                yield session, f"{harness}, artifacts: {len(members)}"
    finally:
        catalogue.close()


def _harnesses() -> Iterator[tuple[str, str]]:
    from spillview.places import Places
    from spillview.profiles.profile import load_profiles

    profiles, _ = load_profiles(Places.here())
    for name in sorted(profiles):
        yield name, "" if name == profiles[name].name else profiles[name].name


LISTS = {"artifacts": _artifacts, "sessions": _sessions, "harnesses": _harnesses}
