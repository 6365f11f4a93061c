"""The options that say how an output is folded, shared by those who fold one."""

from __future__ import annotations

import argparse

from spillview.cli.commands import whole_number
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.wrap.folding import Folding


def folding_options(options: argparse._ArgumentGroup) -> None:
    """The options that say how an output is folded."""
    options.add_argument(
        "--tail",
        metavar="N",
        type=whole_number(1),
        help="last lines to keep (default: 20)",
    )
    options.add_argument(
        "--head",
        metavar="N",
        type=whole_number(0),
        help="first lines to show where room is left (default: 40 at most)",
    )
    options.add_argument(
        "--signal",
        metavar="REGEX",
        help="the lines that matter, in place of those that tell of errors",
    )
    options.add_argument(
        "--budget",
        metavar="N",
        type=whole_number(1),
        help="chars of the envelope at most (default: 14000)",
    )
    options.add_argument(
        "--as",
        dest="form",
        choices=("text", "json", "table"),
        default="text",
        help="fold it as a text (default), as JSON, or as a table",
    )
    options.add_argument(
        "--by", metavar="COLUMN", help="--as table: rows with the largest values in it"
    )
    options.add_argument(
        "--top",
        metavar="N",
        type=whole_number(0),
        help="--as table: rows to show (default: 20)",
    )
    options.add_argument(
        "--columns",
        metavar="A,B",
        help="--as table: the columns to show and to sum up",
    )


def folding_of(args: argparse.Namespace) -> Folding:
    """How to fold, checked. Raises `BadInput`."""
    from spillview.typed import parse_boundary
    from spillview.wrap.folding import DEFAULT, Folding

    usual = Folding()
    if args.form != "table" and (args.by or args.columns or args.top is not None):
        raise BadInput("--by, --top and --columns go with --as table")
    if args.form != "text" and (args.signal or args.tail or args.head is not None):
        raise BadInput("--tail, --head and --signal go with --as text")
    folding = Folding(
        form=args.form,
        boundary=parse_boundary(args.boundary) if args.boundary else DEFAULT,
        budget=args.budget or usual.budget,
        tail=args.tail or usual.tail,
        signal=args.signal,
        head=args.head,
        by=args.by,
        top=usual.top if args.top is None else args.top,
        columns=tuple(filter(None, (args.columns or "").split(","))),
    )
    folding.check()
    return folding
