"""`review`: the morning report, what a person marks in it, and the statistics."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from spillview.cli.commands import query_of, tell_problems, tell_reading
from spillview.cli.marking import (
    list_notes,
    mark,
    state_of,
    take_back,
    tell_done,
    tell_state,
)
from spillview.cli.reading import add_raw
from spillview.cli.review_statistics import STATISTICS
from spillview.errors import BadInput
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams
    from spillview.report.findings import Report
    from spillview.review.state import State

REVIEW = f"""\
The morning report: what needs a look since the last review (before the first one since
18:00 of yesterday), worst first. Sessions that went on after a failure they never saw,
verdicts and errors that stand only where no model looked, JSON items missed, other
failures, results that are gone or were cut, what grows, what is exposed, and what the
disk needs. Nothing is removed. What was reviewed, here or in the browser, is left out;
--all tells of it too, marked ✓, and --since yesterday goes back to before a --done.

  spillview review                       read it
  spillview review --html night.html     the same as one page for a browser
  spillview review --done                done with it: the next one has the rest
  spillview review --undone              take that back
  spillview review --reviewed 9f2c       done with one artifact, or a whole session
  spillview review --note 9f2c "flaky"   write something about it

{STATISTICS}"""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `review`."""
    parser.description = REVIEW
    options = parser.add_argument_group("options")
    options.add_argument(
        "--all",
        action="store_true",
        help="every row, what was reviewed (✓), and large JSON artifacts too",
    )
    options.add_argument(
        "--html", metavar="FILE", help="one self-contained page; - for stdout"
    )
    options.add_argument(
        "--stats", action="store_true", help="print the read-back statistics"
    )
    add_raw(options)
    marks = parser.add_argument_group("marks and notes")
    marks.add_argument(
        "--done",
        action="store_true",
        help="the report that was read last is reviewed; the next has the rest",
    )
    marks.add_argument(
        "--undone",
        action="store_true",
        help="take the last --done back, as `u` does on the screen",
    )
    marks.add_argument(
        "--reviewed",
        metavar="ID",
        action="append",
        default=[],
        help="this artifact, or session with all its artifacts, is reviewed",
    )
    marks.add_argument(
        "--reopen",
        metavar="ID",
        action="append",
        default=[],
        help="take that mark back: the next report has it, whatever its period",
    )
    marks.add_argument(
        "--note",
        nargs=2,
        metavar=("ID", "TEXT"),
        action="append",
        default=[],
        help="a note on an artifact or a session; an empty TEXT takes it back",
    )
    marks.add_argument("--notes", action="store_true", help="list every note")


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the report, or keep what the person says of it; gives the exit code."""
    marking = bool(args.reviewed or args.reopen or args.note)
    actions = (args.stats, args.done, args.undone, marking, args.notes)
    if sum(map(bool, actions)) > 1:
        raise BadInput(
            "--stats, --done, --undone, --notes and marks are things of their own:"
            " give one"
        )
    if args.html is not None and (args.json or any(actions)):
        raise BadInput("--html writes the report alone: leave the other options out")
    if args.html == "":
        raise BadInput("--html wants the name of a file, or - for stdout")
    if args.stats:
        from spillview.cli.review_statistics import print_statistics

        return print_statistics(args, streams)
    from spillview.catalogue.catalogue import Catalogue

    catalogue = Catalogue.here()
    try:
        tell_reading(catalogue, streams)
        query = query_of(args, args.words)
        if marking:
            return mark(catalogue, query, args, streams)
        if args.undone:
            return take_back(catalogue, query, args, streams)
        if args.notes:
            return list_notes(catalogue, args, streams)
        return _report(catalogue, query, args, streams)
    finally:
        catalogue.close()


# -- the report --------------------------------------------------------------------


def _report(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.report.finishing import given_report, is_whole, remember_report
    from spillview.report.gathering import gather

    state = state_of(catalogue)
    if (
        query.since is not None
        and query.until is not None
        and query.since > query.until
    ):
        raise BadInput("--since lies after --until: there is nothing between them")
    if query.since is not None and query.since > catalogue.now():
        raise BadInput("--since lies in the future: there is nothing to report yet")
    report = gather(
        catalogue,
        query,
        thorough=args.all,
        raw=args.json or args.raw,
        progress=lambda done, total: streams.progress("counted", done, total),
    )
    _remember_names(state, query, report)  # a pipe may close before the end
    if args.done:
        if is_whole(query) and given_report(state, query, report) is None:
            _print(report, args, streams)  # nobody has read it yet
        tell_done(state, query, report, args, streams)
    else:
        _print(report, args, streams)
        if not args.json:
            remember_report(state, query, report)
    if not args.json:
        from spillview.cli.keeping import marks_kept

        kept = marks_kept(catalogue, query)
        if kept is not None:
            streams.note(kept)
    if not report.tally.artifacts + report.tally.calls and query.session is None:
        from spillview.cli.absence import none_found

        if any(store.artifacts for store in catalogue.stores):
            option = "--since 30d" if args.since is None else "an earlier --since"
            streams.note(f"nothing is in this period: {option} looks further back")
        else:
            ground = replace(query, since=None, until=None)
            streams.note(none_found("artifact", ground))
    code = _tell(catalogue, report, streams)
    code = tell_state(catalogue, streams, marked=args.done) or code
    if query.session is not None and not report.tally.artifacts + report.tally.calls:
        streams.note(f"nothing of session {query.session} was found in the period")
        return code or 1
    return code


def _remember_names(state: State, query: Query, report: Report) -> None:
    """Keep the ids that the report prints, so that they name something alone."""
    state.remember_ids(report.findings.addresses())
    if query.paths:
        sessions = report.findings.sessions()
        state.remember_sessions(sorted(sessions), query.paths)


def _print(report: Report, args: argparse.Namespace, streams: Streams) -> None:
    if args.json:
        from spillview.report.rows import rows

        for row in rows(report):
            streams.json(row)
    elif args.html is not None:
        from spillview.report.page import parts_of

        data = (part.encode("utf-8", "replace") for part in parts_of(report))
        if args.html == "-":
            for part in data:
                streams.write(part)
        else:
            _write_file(args.html, data)
            streams.note(f"the report is in {path_text(args.html)}")
    else:
        from spillview.cli.report_text import write_report

        write_report(report, streams, everything=args.all)
        if args.done:
            return
        if report.tally.found or report.tally.calls > report.tally.calls_reviewed:
            streams.note(
                f"when you are through: `{_same(args, '--done')}`; the next report"
                " then begins with the rest (--undone takes it back)"
            )


def _same(args: argparse.Namespace, option: str) -> str:
    """The command for the same ground with another option."""
    import shlex

    words = ["spillview", "review", option]
    for name in ("harness", "session", "since", "until"):
        value = getattr(args, name)
        if value is not None:
            words += [f"--{name}", value]
    return shlex.join([*words, *map(path_text, args.words)])


def _write_file(path: str, data: Iterable[bytes]) -> None:
    """Write the page so that a reader of it finds the old one or the whole new one.

    It quotes private outputs, so it is for its owner alone. Raises `BadInput`.
    """
    if os.path.isdir(path):
        raise BadInput(f"{path_text(path)} is a folder: name a file in it")
    if os.path.lexists(path) and not os.path.isfile(path):
        raise BadInput(f"{path_text(path)} is no regular file, and is left alone")
    import tempfile
    from contextlib import suppress

    real = os.path.realpath(path)
    draft = None
    try:
        number, draft = tempfile.mkstemp(
            prefix=".spillview-", dir=os.path.dirname(real) or "."
        )
        with os.fdopen(number, "wb") as file:
            file.writelines(data)
        os.replace(draft, real)
    except BaseException as error:  # an interrupt leaves nothing behind either
        if draft is not None:
            with suppress(OSError):
                os.unlink(draft)
        if not isinstance(error, OSError):
            raise
        raise BadInput(
            f"{path_text(path)} cannot be written: {(error.strerror or 'it failed')}"
        ) from None


def _tell(catalogue: Catalogue, report: Report, streams: Streams) -> int:
    """Say what could not be read, and what the state does not keep; the exit code."""
    code = tell_problems(streams, catalogue)
    known = {problem.sentence for problem in catalogue.problems}
    for sentence in report.problems:
        if sentence not in known:
            streams.error(sentence)
            code = 2
    if report.unreadable:
        code = 2
    return code
