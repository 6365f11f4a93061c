"""The scripts that make a shell complete our words: for bash, zsh and fish."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spillview.cli.commands import BROWSE, COMMANDS, Command
from spillview.frozen import Frozen
from spillview.hints import Literal

Kind = Literal["", "files", "folders", "artifacts", "sessions", "harnesses", "programs"]
"""What stands in a place of the command line; nothing is known of the empty one."""


LISTED = ("artifacts", "sessions", "harnesses")
"""Kinds that a script asks for when the key is pressed."""


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
        if kind in LISTED:
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
