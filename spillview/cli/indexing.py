"""`index`: bring the search index up to date."""

from __future__ import annotations

import argparse
import time

from spillview.cli.commands import query_of, tell_problems
from spillview.hints import TYPE_CHECKING
from spillview.own_files import unwritable
from spillview.text import human_bytes, plural

if TYPE_CHECKING:
    from spillview.cli.streams import Streams
    from spillview.index.building import Outcome

INDEX = """\
Brings the search index up to date, which lets `grep` and the search screen leave out
artifacts that cannot match. Results are the same with it, with part of it and without
it: what is new or has changed is read, whatever it leaves is searched. Browsing does
this by itself in the background. The index lies in the cache folder and may be deleted.

  spillview index
  spillview index ~/old-home"""


MOMENT = 0.06
"""Seconds after which even what was written at this very moment can be read."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The help of `index`; it has no options of its own."""
    parser.description = INDEX


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Read what is new; exit code 2 when something could not be read."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.index.building import update
    from spillview.index.wanted import wanted

    catalogue = Catalogue.here()
    try:
        query = query_of(args, args.words)
        artifacts = catalogue.scan(query, bare=not query.needs_records)
        time.sleep(MOMENT)
        folder = catalogue.places.index_dir
        try:
            outcome = update(
                folder,
                wanted(artifacts),
                progress=lambda done, total: streams.progress("read", done, total),
            )
        except OSError as error:
            reason = unwritable(folder, error)
            streams.error(f"there is no new index, and searches need none: {reason}")
            return 2
        if args.json:
            streams.json(_row(outcome))
        else:
            _told(outcome, streams)
        return tell_problems(streams, catalogue)
    finally:
        catalogue.close()


def _row(outcome: Outcome) -> dict[str, int]:
    return {
        "artifacts": outcome.files,
        "bytes": outcome.text,
        "index_bytes": outcome.size,
        "added": outcome.added,
        "left": outcome.left,
    }


def _told(outcome: Outcome, streams: Streams) -> None:
    streams.line(
        f"{plural(outcome.files, 'artifact')}, {human_bytes(outcome.text)}:"
        f" {outcome.added:,} added; the index takes {human_bytes(outcome.size)}"
    )
    if outcome.damaged:
        streams.note("a part of the index was damaged and was made anew")
    if outcome.left:
        one = outcome.left == 1
        streams.note(
            f"{plural(outcome.left, 'artifact')} {'stays' if one else 'stay'} outside"
            " and will be searched without it: in UTF-16, with a byte order mark,"
            " just changing, or not readable"
        )
