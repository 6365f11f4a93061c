"""The commands there are, and how their words and options are read."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

from spillview.cli.parsing import PATTERN, parse, parser_of
from spillview.frozen import Frozen, replace
from spillview.hints import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams


class Module(Protocol):
    """What a module of commands offers for each command NAME of its own."""

    def describe(self, name: str, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options, and its help text as `description`."""

    def run(self, name: str, args: argparse.Namespace, streams: Streams) -> int:
        """Do it; gives the exit code."""


GROUND = ("json", "harness", "session", "since", "until")
"""Common options of a command that looks through stores."""
ALL = (*GROUND, "boundary")


class Command(Frozen):
    """One command of the registry."""

    name: str
    module: str
    words: str
    """Its words as the usage line shows them."""
    summary: str
    common: tuple[str, ...] = ALL
    """The common options that mean something to it, which its help tells of."""

    def load(self) -> Module:
        """The module that does it, imported now."""
        return cast(Module, import_module(f"spillview.cli.{self.module}"))


BROWSE = Command("", "browsing", "[PATH ...]", "browse every store, or these paths")

COMMANDS = {
    command.name: command
    for command in (
        Command("ls", "listing", "[PATH ...]", "artifacts, newest first"),
        Command("sessions", "listing", "[PATH ...]", "sessions, worst first"),
        Command("show", "reading", "ARTIFACT", "page through one artifact"),
        Command("envelope", "reading", "ARTIFACT", "what the model saw of it"),
        Command(
            "compare", "comparing", "A [B]", "two runs: lines and items new and gone"
        ),
        Command("grep", "searching", "PATTERN [WHERE ...]", "search artifacts"),
        Command(
            "index",
            "indexing",
            "[PATH ...]",
            "bring the search index up to date",
            GROUND,
        ),
        Command("shape", "shaping", "ARTIFACT", "outline of JSON / JSONL"),
        Command(
            "prune",
            "pruning",
            "[PATH ...]",
            "plan a clean-up; --apply does it",
            GROUND,
        ),
        Command("undo", "trashing", "[BATCH]", "put the last clean-up back", ("json",)),
        Command(
            "trash",
            "trashing",
            "[BATCH ...]",
            "list clean-ups; --empty frees them",
            ("json",),
        ),
        Command(
            "pin", "pinning", "[ARTIFACT ...]", "never plan these for removal", GROUND
        ),
        Command("unpin", "pinning", "ARTIFACT ...", "take pins back", GROUND),
        Command(
            "wrap",
            "wrapping",
            "[-- COMMAND ...]",
            "run a command (or read stdin) and fold its output",
            ("session", "boundary"),
        ),
        Command(
            "measure",
            "measuring",
            "[FILE ... | -- COMMAND ...]",
            "count, and say what a head cut would keep",
            ("json", "boundary"),
        ),
        Command(
            "hook",
            "hooking",
            "install|uninstall|explain HARNESS",
            "send an agent's big commands through wrap",
            ("json",),
        ),
        Command(
            "forecast",
            "forecasting",
            "[PATH ...]",
            "which commands are about to cross the boundary",
        ),
        Command("review", "reviewing", "[PATH ...]", "the morning report"),
        Command(
            "watch", "watching", "[PATH ...]", "one check for runaway growth", GROUND
        ),
        Command(
            "doctor",
            "health",
            "[PATH ...]",
            "stores found, their boundaries, permissions, problems",
            GROUND,
        ),
        Command(
            "config",
            "configuring",
            "",
            "the settings, an example, every key",
            ("json",),
        ),
        Command(
            "completion",
            "completing",
            "bash|zsh|fish",
            "a script that makes a shell complete all of this",
            (),
        ),
        Command(
            "demo",
            "browsing",
            "[DIR]",
            "make a small night of several harnesses and browse it",
        ),
    )
}
"""Every command by its name, in the order of the help."""

TAKES_VALUE = ("--harness", "--session", "--since", "--until", "--boundary")
"""Common options that are followed by a value."""

EXAMPLES = """\
examples:
  spillview                         browse what the agents spilled
  spillview ~/old-home              browse the stores of another home folder
  spillview ls --since 12h          artifacts of the last twelve hours
  spillview ls --json | jq .ratio   one JSON object a line
  spillview envelope 9f2c51         what the model saw of one artifact
  spillview grep --unseen FAILED    failures that no model received
  spillview --or-demo               your own stores, or a made night without any

ARTIFACT is an id (at least 4 characters of it), a path, or a file name when unique.
PATH is a home, store, project, session, transcript, file, or a folder of text files.
WHERE is artifacts, session ids, harness names and paths.
Ages are written 90m, 12h, 7d, 2w; --since and --until also take a date or a time like
2026-11-29T18:00, today and yesterday. `spillview COMMAND --help` tells more of each.

exit codes: 0 done; 1 nothing matched, or a limit of `watch` or `forecast` is passed;
2 bad usage, or something could not be read (what could be read is printed)."""


def root_help() -> str:
    """What `spillview --help` prints."""
    lines = [
        "usage: spillview [options] [PATH ...]",
        "       spillview COMMAND [options] ...",
        "",
        "See what a coding agent's tools really printed, and which part of it the",
        "model never saw. Without a command: browse every store, or just these paths.",
        "",
        "commands:",
    ]
    for command in COMMANDS.values():
        usage = f"{command.name} {command.words}"
        if len(usage) > 25:
            lines.append(f"  {usage}")
            usage = ""
        lines.append(f"  {usage:<26}{command.summary}")
    options = parser_of(BROWSE).format_help().partition("\n\n")[2]
    return "\n".join([*lines, "", options.rstrip(), "", EXAMPLES, ""])


def split(argv: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that `argv` names (else browsing), and the arguments left for it."""
    skip = False
    for place, word in enumerate(argv):
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-") and word != "-":
            skip = word in TAKES_VALUE
        elif word in COMMANDS:
            return COMMANDS[word], [*argv[:place], *argv[place + 1 :]]
        else:
            break
    return BROWSE, list(argv)


def run(command: Command, arguments: Sequence[str], streams: Streams) -> int:
    """Run one command; gives the exit code."""
    if _asks_for_help(command, arguments):
        streams.line(_help_of(command).rstrip())
        return 0
    args = parse(command, arguments)
    streams.quiet = args.quiet
    streams.colour = streams.colour and not args.no_color
    code = command.load().run(command.name, args, streams)
    streams.tell_left_out()
    return code


def _help_of(command: Command) -> str:
    if command is BROWSE:
        return root_help()
    from spillview.cli import examples

    parser = parser_of(command)
    parser.epilog = examples.text(command.name)
    return parser.format_help()


def _asks_for_help(command: Command, arguments: Sequence[str]) -> bool:
    """Whether `-h` is among the options; a pattern of `grep` may read the same."""
    before = ""
    for word in arguments:
        if before in PATTERN and command.name == "grep":
            before = ""
        elif word == "--":
            return False
        elif word in ("-h", "--help"):
            return True
        else:
            before = word
    return False


def nearest(word: str) -> str | None:
    """The command that a mistyped `word` is closest to."""
    import difflib

    near = difflib.get_close_matches(word, COMMANDS, 1, 0.7)
    # Of a short word with two letters the other way round, half is like it.
    near += [name for name in COMMANDS if sorted(name) == sorted(word)]
    return near[0] if near else None


def query_of(args: argparse.Namespace, paths: Sequence[str] = ()) -> Query:
    """What the common options and `paths` narrow a command to."""
    from spillview.catalogue.query import Query

    query = Query(tuple(paths), args.harness, args.session)
    if (args.since, args.until, args.boundary) == (None, None, None):
        return query
    from spillview.typed import parse_boundary, parse_when

    now = time.time()
    return replace(
        query,
        since=parse_when(args.since, now) if args.since is not None else None,
        until=parse_when(args.until, now) if args.until is not None else None,
        boundary=parse_boundary(args.boundary) if args.boundary is not None else None,
    )


def whole_number(least: int) -> Callable[[str], int]:
    """An argparse type: a whole number of at least `least`."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"“{text}” is no whole number") from None
        if not least <= value <= sys.maxsize:
            raise argparse.ArgumentTypeError(f"{text} is not at least {least}")
        return value

    return number


def tell_reading(catalogue: Catalogue, streams: Streams) -> None:
    """Have it told how many of the transcripts that are new are read."""
    catalogue.tell_reading(
        lambda done, total: streams.progress("transcripts read", done, total)
    )


def keep_ids(
    catalogue: Catalogue, pairs: Iterable[tuple[str, str]], streams: Streams
) -> None:
    """Keep printed ids with their paths, so that they can be used without PATH."""
    from spillview.review.state_file import ENDS

    state = catalogue.state
    if state is None:
        return
    state.remember_ids(pairs)
    if not state.lasts and state.problems:
        why = state.problems[-1].sentence.removesuffix(ENDS)
        streams.note(f"the ids printed here mean something only beside PATH: {why}")


def tell_problems(streams: Streams, catalogue: Catalogue) -> int:
    """Say what could not be read; exit code 2 if there was something, else 0."""
    from spillview.text import path_text

    problems = list(dict.fromkeys(catalogue.problems))
    for problem in problems[:PROBLEMS]:
        path = path_text(problem.path)
        named = not path or path in problem.sentence or problem.path in problem.sentence
        streams.error(problem.sentence if named else f"{path}: {problem.sentence}")
    if len(problems) > PROBLEMS:
        streams.error(
            f"{len(problems) - PROBLEMS:,} more could not be read"
            f" ({PROBLEMS} of {len(problems):,} told)"
        )
    return 2 if problems else 0


PROBLEMS = 20
"""So many problems are told one by one."""
