"""The options of `grep`: ripgrep's own, and what the model saw."""

from __future__ import annotations

import argparse

from spillview.cli.commands import whole_number
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spillview.search.selection import Options

GREP = """\
Search artifacts with ripgrep: its pattern syntax, its flags, its JSON Lines. Each hit
is told apart by whether the model saw it: on a terminal and with --json; in a pipe
lines are path:line:text, and --seen or --unseen keeps one kind. Binary and UTF-16
artifacts are searched as text. With -e every word is WHERE: artifacts, session ids,
harness names, paths.

  spillview grep -i 'error|panic'
  spillview grep --unseen -C2 FAILED claude-code
  spillview grep --json -e TODO 9f2c51 | jq .data.seen
  spillview grep --secrets --seen              credentials that a model received"""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `grep`: ripgrep's, and what the model saw."""
    parser.description = GREP
    options = parser.add_argument_group("options")

    def flag(*names: str, **more: Any) -> None:
        options.add_argument(*names, **more)

    flag("-e", "--regexp", metavar="PATTERN", action="append", help="a pattern")
    flag(
        "-i",
        "--ignore-case",
        dest="case",
        action="store_const",
        const="-i",
        help="upper and lower case are the same",
    )
    flag(
        "-S",
        "--smart-case",
        dest="case",
        action="store_const",
        const="-S",
        help="the same unless the pattern has upper case",
    )
    flag("-F", "--fixed-strings", action="store_true", help="the pattern is plain text")
    flag("-w", "--word-regexp", action="store_true", help="whole words only")
    flag("-x", "--line-regexp", action="store_true", help="whole lines only")
    flag("-v", "--invert-match", action="store_true", help="lines that do not match")
    flag("-c", "--count", action="store_true", help="matching lines per artifact")
    flag(
        "-l", "--files-with-matches", action="store_true", help="artifacts with a match"
    )
    flag("-o", "--only-matching", action="store_true", help="only the matching parts")
    flag(
        "-n", "--line-number", action="store_true", help="as always: lines are numbered"
    )
    number = whole_number(0)
    flag("-m", "--max-count", metavar="N", type=number, help="N lines per artifact")
    flag("-A", "--after-context", metavar="N", type=number, help="N lines after")
    flag("-B", "--before-context", metavar="N", type=number, help="N lines before")
    flag("-C", "--context", metavar="N", type=number, help="N lines around")
    seen = options.add_mutually_exclusive_group()
    seen.add_argument(
        "--seen",
        dest="seen",
        action="store_const",
        const=True,
        help="only what the model received",
    )
    seen.add_argument(
        "--unseen",
        dest="seen",
        action="store_const",
        const=False,
        help="only what the model never received",
    )
    flag(
        "--secrets",
        action="store_true",
        help="what looks like a credential, in place of a pattern: where, not what",
    )
    flag("--raw", action="store_true", help="credentials as they are, not as stars")
    flag("--full-lines", action="store_true", help="no excerpts of lines over 64 KiB")
    parser.set_defaults(seen=None)


def words_of(args: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The patterns, and the words that say where."""
    if args.regexp:
        return args.regexp, args.words
    if not args.words:
        raise BadInput("grep needs a pattern: `spillview grep PATTERN [WHERE ...]`")
    return args.words[:1], args.words[1:]


def options_of(args: argparse.Namespace) -> Options:
    from spillview.search.selection import Options

    around = args.context or 0
    before, after = args.before_context, args.after_context
    return Options(
        case=args.case,
        fixed=args.fixed_strings,
        word=args.word_regexp,
        line=args.line_regexp,
        invert=args.invert_match,
        only_matching=args.only_matching,
        max_count=args.max_count,
        before=around if before is None else before,
        after=around if after is None else after,
        seen=args.seen,
        full_lines=args.full_lines,
    )
