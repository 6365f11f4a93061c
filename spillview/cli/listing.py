"""`ls` and `sessions`: what there is, as rows."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence

from spillview.cli.absence import none_found
from spillview.cli.commands import (
    keep_ids,
    query_of,
    tell_problems,
    tell_reading,
    whole_number,
)
from spillview.crews import crew
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Artifact
from spillview.space import size_words
from spillview.text import plural

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.catalogue.listing import Listing
    from spillview.cli.streams import Streams

NEWEST = 50
"""Rows that `ls` prints on a terminal unless told otherwise."""

ENTRY_KEYS = ("age", "bytes", "harness", "name", "path", "session")
"""Sort keys that directory entries alone can serve."""

LS = """\
Artifacts, newest first: what every tool printed that was too large for the model.
On a terminal the newest 50; piped or with --json all of them.

columns: ID AGE HARNESS SESSION PROJECT TOOL COMMAND CHARS BYTES LINES RATIO (size /
boundary, in its unit) VERDICT (of the last line, and whether the model saw it) LINK
(linked, orphan, …) FLAGS (secret-like, world-readable, pinned, growing, …). A terminal
heads them; a pipe gets one line an artifact and no heading, with every value whole."""

SESSIONS = """\
Sessions, worst first: those with failures whose verdict no model saw lead.

columns: SESSION ACTIVE HARNESS PROJECT TITLE ARTIFACTS BYTES CHARS OVER (larger than
their boundary) FAILED (of them, failed with a verdict the model never saw) UNSEEN (all
whose verdict it never saw) LIVE"""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `ls` and `sessions`."""
    parser.description = LS if name == "ls" else SESSIONS
    options = parser.add_argument_group("options")
    options.add_argument(
        "--no-count",
        action="store_true",
        help="list at once from directory entries alone, counting nothing",
    )
    options.add_argument(
        "--count",
        action="store_true",
        help="count files over 1 GiB and growing ones too",
    )
    options.add_argument("--all", action="store_true", help="every row")
    options.add_argument(
        "--limit", metavar="N", type=whole_number(1), help="at most N rows"
    )
    if name == "ls":
        options.add_argument(
            "--sort",
            metavar="KEY",
            default="age",
            help="age, worst, ratio, chars, bytes, lines, seen, tool, command, …",
        )
        options.add_argument(
            "--only",
            metavar="KIND",
            help="failed (verdict never seen), errors (only where no model looked),"
            " unread, orphan, partial, secret-like (holds what looks like a"
            " credential), chain, growing, dangling or cut",
        )
        options.add_argument(
            "--missing",
            action="store_true",
            help="calls whose full result is not on disk: dangling and cut",
        )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the rows of `ls` or `sessions`."""
    from spillview.catalogue.catalogue import Catalogue

    if args.count and args.no_count:
        raise BadInput("--count and --no-count exclude each other")
    catalogue = Catalogue.here()
    try:
        tell_reading(catalogue, streams)
        query = query_of(args, args.words)
        if name == "sessions":
            return _sessions(catalogue, query, args, streams)
        if args.missing or _only(args) in ("dangling", "cut"):
            return _missing(catalogue, query, args, streams)
        return _artifacts(catalogue, query, args, streams)
    finally:
        catalogue.close()


def _artifacts(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    sort = _sort_key(args.sort)
    only = _only(args)
    if only is not None:
        from spillview.catalogue.picks import PICKS
    limit = _limit(args, NEWEST if streams.terminal and not args.json else None)
    listing = catalogue.scan(query)
    if not args.no_count:
        listing = catalogue.settled(listing, crew())

    def completing(some: Listing) -> Iterable[Artifact]:
        if args.no_count:
            return some
        return completed(catalogue, some, streams, huge=args.count)

    if args.no_count or (only is None and args.sort in ENTRY_KEYS):
        rows = listing if args.sort == "age" else listing.sorted(args.sort)
    else:
        keyed = (
            (sort(artifact), index)
            for index, artifact in enumerate(completing(listing))
            if only is None or PICKS[only].admits(artifact)
        )
        rows = listing.pick(index for _, index in sorted(keyed))
    whole = rows
    if limit is not None and limit < len(whole):
        rows = whole.pick(range(limit))
    if query.paths:
        keep_ids(catalogue, rows.addresses(), streams)
    unreadable = False
    if args.json:
        from spillview.catalogue.row_lines import row_lines

        counted = not args.no_count
        for lines, failed in row_lines(catalogue, rows, completing, complete=counted):
            unreadable = unreadable or failed
            streams.write(lines)
    elif rows:
        from spillview.cli.listing_tables import artifact_table

        unreadable = artifact_table(rows, completing(rows), catalogue.now(), streams)
    if len(rows) < len(whole):
        size = size_words(whole.space.bytes, whole.space.disk)
        _tell_limit(streams, len(rows), len(whole), f"artifacts ({size})")
    if only == "secret-like":
        _tell_unlooked(catalogue, listing, streams)
    code = tell_problems(streams, catalogue)
    _tell_skipped(streams, catalogue)
    if unreadable:
        code = 2
    total = len(listing)
    return code or _nothing(
        streams, rows, query, "artifact", total=total, kind=only or ""
    )


def completed(
    catalogue: Catalogue,
    artifacts: Iterable[Artifact],
    streams: Streams,
    *,
    huge: bool = False,
) -> Iterator[Artifact]:
    """Each counted and linked in its order, telling how far it is.

    Once each, where every transcript was read before.
    """
    return catalogue.complete(
        artifacts,
        huge=huge,
        crew=crew(),
        progress=lambda done, total: streams.progress("counted", done, total),
    )


def _missing(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    catalogue.scan(query)
    found = catalogue.missing(query)
    if (only := _only(args)) is not None:
        from spillview.catalogue.picks import PICKS

        found = [call for call in found if PICKS[only].admits_call(call)]
    rows = found[: _limit(args, NEWEST if streams.terminal and not args.json else None)]
    if args.json:
        from spillview.catalogue.rows import missing_row

        for row in rows:
            streams.json(missing_row(row))
    elif rows:
        from spillview.cli.listing_tables import missing_table

        missing_table(rows, catalogue.now(), streams)
    if len(rows) < len(found):
        _tell_limit(streams, len(rows), len(found), "calls")
    _tell_skipped(streams, catalogue)
    return tell_problems(streams, catalogue) or _nothing(
        streams, rows, query, "missing call"
    )


def _sessions(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.catalogue.session_sums import summed

    listing = catalogue.scan(query)
    artifacts: Iterable[Artifact] = listing
    if not args.no_count:
        listing = catalogue.settled(listing)
        artifacts = completed(catalogue, listing, streams, huge=args.count)
    everything = summed(catalogue, listing, artifacts)
    sessions = everything[: _limit(args, None)]
    if args.json:
        from spillview.catalogue.rows import session_row

        for session, sums in sessions:
            streams.json(session_row(session, sums))
    elif sessions:
        from spillview.cli.listing_tables import session_table

        session_table(sessions, catalogue.now(), streams)
    if len(sessions) < len(everything):
        _tell_limit(streams, len(sessions), len(everything), "sessions")
    code = tell_problems(streams, catalogue)
    _tell_skipped(streams, catalogue)
    return code or _nothing(streams, sessions, query, "session")


def _only(args: argparse.Namespace) -> str | None:
    """The kind that `--only` names."""
    name: str | None = args.only
    if name is None:
        return None
    from spillview.catalogue.picks import PICKS

    if name not in PICKS:
        raise BadInput(f"there is no kind {name}; there are {', '.join(PICKS)}")
    if args.no_count:
        raise BadInput("--only needs the contents, which --no-count leaves out")
    return name


def _limit(args: argparse.Namespace, usual: int | None) -> int | None:
    if args.all:
        if args.limit is not None:
            raise BadInput("--all and --limit exclude each other")
        return None
    return args.limit if args.limit is not None else usual


def _tell_limit(streams: Streams, shown: int, total: int, what: str) -> None:
    streams.note(f"{shown:,} of {total:,} {what}; --all prints all of them")


def _tell_unlooked(
    catalogue: Catalogue, artifacts: Sequence[Artifact], streams: Streams
) -> None:
    """Say in how many artifacts nobody looked for credentials yet."""
    from spillview.secrets.kept import unlooked

    left = unlooked(catalogue.cache, artifacts)
    if left:
        streams.note(
            f"not looked for in {plural(len(left), 'artifact')} yet:"
            " `spillview grep --secrets` looks through them"
        )


def _tell_skipped(streams: Streams, catalogue: Catalogue) -> None:
    """Say that some of the transcripts' lines could not be read, if so."""
    skipped = catalogue.skipped_lines
    if skipped:
        lines = "line was" if skipped == 1 else "lines were"
        streams.note(
            f"{skipped:,} broken transcript {lines} skipped (see `spillview doctor`)"
        )


def _nothing(
    streams: Streams,
    rows: Sequence[object],
    query: Query,
    what: str,
    *,
    total: int = 0,
    kind: str = "",
) -> int:
    """Say that nothing answers; exit code 1 when a session was asked for by name."""
    if rows:
        return 0
    if query.session is not None and not total:
        streams.note(f"no {what} of session {query.session} was found")
        return 1
    streams.note(none_found(what, query, total=total, kind=kind))
    return int(query.session is not None)


def _sort_key(name: str) -> Callable[[Artifact], Any]:
    from spillview.catalogue.triage import SORT_KEYS

    key = SORT_KEYS.get(name)
    if key is None:
        raise BadInput(
            f"there is no sort key “{name}”; there are: {', '.join(SORT_KEYS)}"
        )
    return key
