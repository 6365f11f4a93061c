"""The command that runs another one through `wrap`, or as it is.

The result is one line of shell that bash and zsh read alike:

    if [[ $(command -v pytest) == /* ]] && spillview hook ready >/dev/null 2>&1;
    then spillview wrap --session S --label tests --tail 60 -- pytest -x;
    else pytest -x; fi

The original stands in it word for word, so that a harness which looks into the
branches finds what its rules speak of, and it runs in exactly one of them: as it is
where a name stands for a function or an alias, where the shell has options that change
what the words mean, where it has variables of its own that another shell would not
know, and where `spillview hook ready` fails or is not there.
"""

from __future__ import annotations

from spillview.hook.parsing import LeftAlone, Pipeline, Simple

TYPE_CHECKING = False  # as in `typing`, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONS = (
    "case :$BASHOPTS:$SHELLOPTS: in ::*|*glob:*|*globstar:*|*nocase*|*:errexit:*"
    "|*:nounset:*|*:pipefail:*|*:lastpipe:*|*:noclobber:*|*:posix:*|*:xpg_echo:*)"
    " false ;; esac"
)
"""True in a bash in which no option changes what a command means; false in zsh."""

SPLITS = "[[ $IFS == $' \\t\\n' && -z ${GLOBIGNORE+x} ]]"
"""True where words are split and globbed as in every new shell."""

LONGEST = 9_000
"""Chars; Claude Code asks about commands that are longer than 10,000."""

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SAFE = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%@"
)


def quote(text: str) -> str:
    """`text` as one word of any shell."""
    if text and set(text) <= _SAFE:
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def through_wrap(
    command: str,
    pipelines: Sequence[Pipeline],
    *,
    program: str,
    session: str | None,
    label: str,
    tail: int,
) -> str:
    """`command` through `program wrap`; `program` is ready for a shell.

    Raises `LeftAlone` where it would become too long or mean something else.
    """
    simple = [each for pipeline in pipelines for each in pipeline]
    names = list(dict.fromkeys(name_of(each) for each in simple))
    tests = " && ".join(_is_program(name) for name in names)
    guard = f"[[ {tests} ]] && {program} hook ready >/dev/null 2>&1"
    options = f"--label {quote(label)} --tail {tail} --"
    if session is not None:
        options = f"--session {quote(session)} {options}"
    only = simple[0] if len(simple) == 1 and not simple[0].assignments else None
    if only is not None and not only.redirections:
        wrapped = only.text
    elif only is not None and only.redirections == ("2>&1",):
        options = f"--merge {options}"
        wrapped = " ".join(word.raw for word in only.words)
    elif len(simple) == 1 and inert(simple[0]):
        wrapped = f'"${{BASH:-sh}}" -c {quote(command)}'
    else:
        known = [_is_exported(name) for name in variables(command)]
        guard = " && ".join([OPTIONS, *([SPLITS, *known] if known else []), guard])
        wrapped = f'"$BASH" -c {quote(command)}'
    text = f"if {guard}; then {program} wrap {options} {wrapped}; else {command}"
    # On one line where that can be, so that the shell counts its lines as before.
    if "#" in command or "\n" in command:
        text += "\nfi"
    else:
        text += " fi" if command.rstrip().endswith(";") else "; fi"
    if len(text) > LONGEST:
        raise LeftAlone("is too long to be written twice")
    return text


def variables(command: str) -> list[str]:
    """The names behind each `$` of a command, each once; quotes are not looked at."""
    found: dict[str, None] = {}
    for piece in command.split("$")[1:]:
        piece = piece.removeprefix("{")
        end = 0
        while end < len(piece) and piece[end] in _NAME:
            end += 1
        if end and not piece[0].isdigit():
            found[piece[:end]] = None
    return list(found)


def name_of(simple: Simple) -> str:
    """The name of the program that a simple command starts."""
    word = simple.words[0]
    if not word.inert or not word.value or set(word.value) - _SAFE:
        raise LeftAlone("names its program by an expansion")
    if word.raw != word.value:
        raise LeftAlone("quotes its program's name")  # so it is no alias, for once
    return word.value


def inert(simple: Simple) -> bool:
    """Whether every shell, whatever its options, reads the command alike."""
    return all(word.inert for word in (*simple.words, *simple.assignments))


def _is_exported(name: str) -> str:
    """A test that a variable is none, or one that a new shell finds as it is."""
    return f"[[ -z ${{{name}+x}} || $(declare -p {name}) =~ ^declare\\ -[iclrtu]*x ]]"


def _is_program(name: str) -> str:
    """A test that a name is a program's, not a function's, alias's or builtin's."""
    if "/" in name:
        return f"-f {name} && -x {name}"
    return f"$(command -v {name}) == /*"
