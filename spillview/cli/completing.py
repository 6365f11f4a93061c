"""`completion`: the words a shell offers behind `spillview`, as a script for it.

The script holds every command and option as the parsers have them. What lies in the
stores (ids, sessions) it asks for when the key is pressed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from itertools import islice

from spillview.cli.commands import BROWSE, COMMANDS, Command, parser_of
from spillview.errors import BadInput
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Literal
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

Kind = Literal["", "files", "folders", "artifacts", "sessions", "harnesses", "programs"]
"""What stands in a place of the command line; nothing is known of the empty one."""

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


class Option(Frozen):
    """One option of a command."""

    names: tuple[str, ...]
    about: str
    takes: bool = False
    """Whether a value follows it."""
    kind: Kind = ""
    choices: tuple[str, ...] = ()


class Offer(Frozen):
    """What may follow a command."""

    command: Command
    options: tuple[Option, ...]
    kind: Kind
    choices: tuple[str, ...]
    """Words that are themselves the choice: `install`, a shell's name."""


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


# The scripts


def _bash(offers: list[Offer]) -> str:
    def value(kind: Kind, choices: tuple[str, ...]) -> str:
        if choices:
            return f'_spillview_words "{" ".join(choices)}"'
        return {
            "": ":",
            "files": "_spillview_files -f",
            "folders": "_spillview_files -d",
            "programs": "_spillview_files -c",
            "artifacts": "_spillview_asked artifacts; _spillview_files -f",
        }.get(kind, f"_spillview_asked {kind}")

    cases, values = [], []
    for each in offers:
        names = " ".join(n for option in each.options for n in option.names)
        words = value(each.kind, each.choices)
        if each.command is BROWSE:
            words = f'_spillview_words "{" ".join(COMMANDS)}"; {words}'
        cases.append(
            f"        '{each.command.name}')\n"
            f'            case $cur in -*) _spillview_words "{names}";;'
            f" *) {words};; esac;;"
        )
        for option in each.options:
            if option.takes:
                spelled = "|".join(f"'{each.command.name} {n}'" for n in option.names)
                does = value(option.kind, option.choices)
                values.append(f"        {spelled}) {does}; return;;")
    return _BASH.format(
        commands="|".join(COMMANDS),
        valued="|".join(sorted({n for o in offers for n in _valued(o)})),
        values="\n".join(values),
        cases="\n".join(cases),
    )


def _valued(each: Offer) -> Iterator[str]:
    for option in each.options:
        if option.takes:
            yield from option.names


_BASH = """\
# bash completion for spillview
_spillview_words() {{
    local word
    for word in $1; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
}}

_spillview_asked() {{
    _spillview_words "$(spillview completion --list "$1" 2>/dev/null | cut -f 1)"
}}

_spillview_files() {{
    local name
    while IFS= read -r name; do
        [[ -n $name ]] && COMPREPLY+=("$name")
    done < <(compgen "$1" -- "$cur")
    [[ $1 == -c ]] || compopt -o filenames 2>/dev/null
}}

_spillview() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} command='' first='' place word skip=
    COMPREPLY=()
    for ((place = 1; place < COMP_CWORD; place++)); do
        word=${{COMP_WORDS[place]}}
        if [[ -n $skip ]]; then
            skip=
        elif [[ $word == -- ]]; then
            _spillview_files -f
            ((place + 1 == COMP_CWORD)) && _spillview_files -c
            return
        else
            case $word in
                {valued}) skip=1;;
                -*) ;;
                {commands}) [[ -n $first ]] || command=$word; first=$word;;
                *) first=$word;;
            esac
        fi
    done
    case "$command ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{values}
    esac
    case $command in
{cases}
    esac
}}

complete -F _spillview spillview"""


def _quoted(text: str) -> str:
    """As one word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _zsh(offers: list[Offer]) -> str:
    def value(kind: Kind, choices: tuple[str, ...]) -> str:
        if choices:
            return f"({' '.join(choices)})"
        return {
            "": " ",
            "files": "_files",
            "folders": "_files -/",
            "programs": "_command_names -e",
            "artifacts": "_spillview_artifacts",
        }.get(kind, f"_spillview_asked {kind}")

    def told(option: Option) -> Iterator[str]:
        about = re.sub(r"([\\\[\]:])", r"\\\1", option.about)
        for name in option.names:
            takes = (
                f":value:{value(option.kind, option.choices)}" if option.takes else ""
            )
            yield _quoted(f"{name}[{about}]{takes}")

    cases = []
    for each in offers[1:]:
        rows = [row for option in each.options for row in told(option)]
        rows.append(_quoted(f"*:word:{value(each.kind, each.choices)}"))
        cases.append(_arguments(each.command.name, rows))
    browse = [row for option in offers[0].options for row in told(option)]
    return _ZSH.format(
        commands="\n".join(
            f"    {_quoted(f'{c.name}:{c.summary}')}" for c in COMMANDS.values()
        ),
        names="|".join(COMMANDS),
        cases="\n".join(cases),
        browse=" \\\n            ".join(browse),
    )


def _arguments(name: str, rows: list[str]) -> str:
    joined = " \\\n                ".join(rows)
    return f"        {name})\n            _arguments -s \\\n                {joined};;"


_ZSH = """\
#compdef spillview
_spillview_asked() {{
    local -a found
    found=(${{(f)"$(spillview completion --list $1 2>/dev/null | tr '\\t' ':')"}})
    _describe $1 found
}}

_spillview_artifacts() {{
    _spillview_asked artifacts
    _files
}}

_spillview_commands() {{
    local -a found
    found=(
{commands}
    )
    _describe command found
    _files
}}

_spillview() {{
    local place command
    for ((place = 2; place < CURRENT; place++)); do
        case $words[place] in
            {names})
                command=$words[place]
                shift $((place - 1)) words
                ((CURRENT -= place - 1))
                break;;
        esac
    done
    case $command in
{cases}
        *)
            _arguments -s \\
            {browse} \\
            '*:command:_spillview_commands';;
    esac
}}

if [ "$funcstack[1]" = _spillview ]; then
    _spillview "$@"
else
    compdef _spillview spillview
fi"""


def _fish(offers: list[Offer]) -> str:
    def value(kind: Kind, choices: tuple[str, ...]) -> str:
        if choices:
            return f" -f -a {_quoted(' '.join(choices))}"
        if kind in LISTS:
            files = "" if kind == "artifacts" else " -f"
            return f"{files} -a '(spillview completion --list {kind} 2>/dev/null)'"
        return {
            "": "",
            "folders": " -f -a '(__fish_complete_directories)'",
            "programs": " -a '(__fish_complete_command)'",
        }.get(kind, " -F")

    lines = [
        "# fish completion for spillview",
        f"set -l commands {' '.join(COMMANDS)}",
    ]
    for command in COMMANDS.values():
        lines.append(
            'complete -c spillview -n "not __fish_seen_subcommand_from $commands"'
            f" -a {command.name} -d {_fished(command.summary)}"
        )
    for each in offers:
        name = each.command.name
        seen = f"__fish_seen_subcommand_from {name}"
        where = (
            '"not __fish_seen_subcommand_from $commands"' if not name else f'"{seen}"'
        )
        start = f"complete -c spillview -n {where}"
        if name and (each.choices or each.kind not in ("", "files")):
            lines.append(start + value(each.kind, each.choices))
        for option in each.options:
            names = "".join(
                f" -l {n[2:]}" if n.startswith("--") else f" -s {n[1:]}"
                for n in option.names
            )
            takes = f" -r{value(option.kind, option.choices)}" if option.takes else ""
            lines.append(f"{start}{names}{takes} -d {_fished(option.about)}")
    return "\n".join(lines)


def _fished(text: str) -> str:
    """As one word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
