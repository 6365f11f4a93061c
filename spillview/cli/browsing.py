"""The bare command and `demo`: the browser, which is imported here alone."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time

from spillview.cli.commands import nearest, query_of
from spillview.cli.streams import is_terminal
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams

_ID = re.compile(r"[0-9a-f]{4,16}")

DEMO = """\
Make a small night of several harnesses below DIR (a new temporary folder without one)
and browse it. Without a terminal it is made, and DIR is printed. A night that DIR holds
already is browsed as it is. Marks made here stay in DIR; `spillview DIR` and `spillview
review DIR` keep theirs with your own."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of the bare command; `demo` has none of its own."""
    if name == "demo":
        parser.description = DEMO
        return
    options = parser.add_argument_group("options")
    options.add_argument(
        "--or-demo",
        action="store_true",
        help="browse a made night where no store is found",
    )
    options.add_argument("--version", action="store_true", help="print the version")


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Browse, or make the demo night."""
    if name == "demo":
        return _demo(args, streams)
    if args.version:
        from spillview import __version__

        streams.line(f"spillview {__version__}")
        return 0
    for word in args.words:
        if not os.path.lexists(word):
            raise BadInput(_no_such(word, alone=len(args.words) == 1))
    if args.json:
        raise BadInput("--json needs a command: `spillview ls --json`")
    if not interactive(streams):
        raise BadInput(
            "browsing needs a terminal; without one use `spillview ls`, `sessions`,"
            " `show`, `envelope` or `grep`"
        )
    from spillview.catalogue.ahead import look_ahead
    from spillview.places import Places

    query, places = query_of(args, args.words), Places.here()
    # Before anything is loaded that it could share.
    ahead = None if args.or_demo else look_ahead(places, query, time.time())
    from spillview.catalogue.catalogue import Catalogue

    catalogue = Catalogue.here(places)
    catalogue.take_ahead(ahead)
    if not args.or_demo or catalogue.scan(query):
        return _browse(catalogue, query)
    from spillview.catalogue.query import Query
    from spillview.demo.passing import passing_night

    catalogue.close()
    streams.note(
        "no artifact was found on this machine (`spillview doctor` lists where was"
        " looked); this is a made night"
    )
    home = passing_night(time.time())
    return _browse(Catalogue.here(Places.of_home(home)), Query(), PASSING)


def interactive(streams: Streams) -> bool:
    """Whether a person can browse here: keys come in, and the screen goes out.

    The browser draws on stderr, so a redirected one would swallow the screen.
    """
    return streams.terminal and is_terminal(sys.stdin) and is_terminal(sys.stderr)


PASSING = (
    "a made night: it is gone when you leave, with the marks made in it;"
    " `spillview demo DIR` makes one that stays"
)


def _browse(catalogue: Catalogue, query: Query, greeting: str | None = None) -> int:
    from spillview.tui.pauses import hold_back

    hold_back()
    from spillview.cli.keeping import marks_kept_in_short
    from spillview.tui.app import SpillviewApp

    try:
        greeting = greeting or marks_kept_in_short(catalogue, query)
        app = SpillviewApp(catalogue, query, greeting=greeting)
        app.run()
    finally:
        catalogue.close()
    return app.return_code or 0


def _demo(args: argparse.Namespace, streams: Streams) -> int:
    if len(args.words) > 1:
        raise BadInput("demo takes one folder at most")
    folder = args.words[0] if args.words else _new_folder()
    catalogue = _made(folder, streams)
    if not interactive(streams):
        from spillview.cli.keeping import marks_kept

        kept = marks_kept(catalogue, query_of(args))
        if kept is not None:
            streams.note(kept)
        catalogue.close()
        if args.json:
            streams.json({"path": path_text(os.path.abspath(folder))})
        else:
            streams.write(os.fsencode(folder) + b"\n")
        return 0
    code = _browse(catalogue, query_of(args))
    if not args.words:
        streams.note(f"this made night is still in {path_text(folder)}")
    return code


def _made(folder: str, streams: Streams) -> Catalogue:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.demo import make_night
    from spillview.places import Places

    if not make_night(folder, time.time()):
        streams.note(
            f"{path_text(folder)} holds a demo night already, which is left as it is;"
            " for one of last night give a new folder"
        )
    return Catalogue.here(Places.of_home(os.path.abspath(folder)))


def _new_folder() -> str:
    import tempfile

    return os.path.join(tempfile.mkdtemp(prefix="spillview-demo-"), "home")


def _no_such(word: str, *, alone: bool) -> str:
    named = path_text(word)
    near = nearest(word) if alone and os.sep not in word else None
    if near is not None:
        return f"there is no command or path “{named}”; did you mean `{near}`?"
    if alone and _ID.fullmatch(word):
        return (
            f"there is no command or path “{named}”; if it is an id:"
            f" `spillview show {named}`"
        )
    if alone and os.sep not in word:
        return f"there is no command or path “{named}”; see `spillview --help`"
    return f"{named}: no such file or folder"
