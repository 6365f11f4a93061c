"""`review`: the morning report, what a person marks in it, and the statistics."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from spillview.cli.commands import query_of, tell_problems, tell_reading
from spillview.cli.reading import add_raw
from spillview.cli.review_statistics import STATISTICS
from spillview.errors import BadInput
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams
    from spillview.report.findings import Report
    from spillview.review.notes import Note
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
            return _mark(catalogue, query, args, streams)
        if args.undone:
            return _undone(catalogue, query, args, streams)
        if args.notes:
            return _notes(catalogue, args, streams)
        return _report(catalogue, query, args, streams)
    finally:
        catalogue.close()


# -- the report --------------------------------------------------------------------


def _report(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.report.finishing import given_report, is_whole, remember_report
    from spillview.report.gathering import gather

    state = _state(catalogue)
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
        _done(state, query, report, args, streams)
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
            streams.note("nothing is in this period: --since 30d looks further back")
        else:
            ground = replace(query, since=None, until=None)
            streams.note(none_found("artifact", ground))
    code = _tell(catalogue, report, streams)
    code = _tell_state(catalogue, streams, marked=args.done) or code
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


def _tell_state(catalogue: Catalogue, streams: Streams, *, marked: bool) -> int:
    """Say what is wrong with the marks and notes that are kept; the exit code.

    `marked` says that a person wanted something kept now, not only a report read.
    """
    from spillview.review.state_file import ENDS

    state = _state(catalogue)
    for problem in state.problems:
        path, sentence = path_text(problem.path), problem.sentence.removesuffix(ENDS)
        named = os.path.dirname(path) in sentence
        streams.error(f"{'marks and notes' if named else path}: {sentence}")
    if not state.lasts:
        if marked:
            streams.error("this was not kept: do it again when that is mended")
        else:
            streams.note(
                "that this report was read is not kept, nor are its ids: `review"
                " --done` prints it once more, and an id needs its PATH beside it"
            )
    unkept = marked and not state.lasts
    return 2 if unkept or state.mended or not state.is_read else 0


# -- what the person says of it ----------------------------------------------------


def _state(catalogue: Catalogue) -> State:
    state = catalogue.state
    assert state is not None  # `Catalogue.here` has one
    return state


def _done(
    state: State,
    query: Query,
    report: Report,
    args: argparse.Namespace,
    streams: Streams,
) -> None:
    from spillview.report.finishing import finish
    from spillview.report.wording import finished
    from spillview.text import iso

    done = finish(state, query, report)
    if args.json:
        streams.json(
            {
                "done": True,
                "until": iso(done.upto),
                "marked": done.marked,
                "left": done.left,
                "next_since": iso(done.upto) if done.moved else None,
            }
        )
    if not state.lasts:
        return  # why it could not be kept is said at the end
    for sentence in finished(done, report.made):
        streams.note(sentence)


def _undone(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    """Take the last review that was done back; exit code 1 where there is none."""
    from spillview.report.finishing import undo_done
    from spillview.report.wording import undone
    from spillview.text import iso

    state = _state(catalogue)
    taken = undo_done(state, query)
    if args.json:
        upto, marks = taken if taken is not None else (None, 0)
        streams.json({"undone": taken is not None, "until": iso(upto), "open": marks})
    if taken is None:
        of = " of this PATH" if query.paths else ""
        streams.note(f"there is no --done{of} to take back")
    elif state.lasts:
        streams.note(undone(*taken, catalogue.now()))
    marked = taken is not None
    return _tell_state(catalogue, streams, marked=marked) or int(not marked)


def _mark(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.report import finishing
    from spillview.text import iso

    state, now = _state(catalogue), catalogue.now()
    wanted = [
        *((word, now, None) for word in args.reviewed),
        *((word, None, None) for word in args.reopen),
        *((word, now, text) for word, text in args.note),
    ]
    # Every word is understood before the first one changes anything.
    subjects = [finishing.subject_of(catalogue, w, query) for w, _, _ in wanted]
    for (_, when, text), subject in zip(wanted, subjects, strict=True):
        row = {
            "session": path_text(subject.session) if subject.session else None,
            "artifact": subject.mark if subject.session is None else None,
        }
        name = printable(path_text(subject.session or subject.mark))
        if text is not None:
            kept = finishing.note(state, subject, text, now)
            row["noted"] = path_text(kept.text) or None
            said = f"the note on {name} is kept" if kept.text else f"no note on {name}"
        else:
            finishing.mark(state, subject, when, query.paths)
            row["reviewed"] = iso(when)
            of = len(subject.artifacts)
            more = (
                f" ({of:,} artifact{'' if of == 1 else 's'})"
                if subject.session is not None
                else ""
            )
            again = "open again, and in the next report"
            said = f"{name}{more} is {'reviewed' if when else again}"
        if args.json:
            streams.json(row)
        if state.lasts:
            streams.note(said)
    code = tell_problems(streams, catalogue)
    return _tell_state(catalogue, streams, marked=True) or code


def _notes(catalogue: Catalogue, args: argparse.Namespace, streams: Streams) -> int:
    from spillview.text import iso

    notes = _state(catalogue).notes()
    for note in notes.values():
        if args.json:
            session = note.place.partition("\0")[2] if note.about == "session" else None
            streams.json(
                {
                    "artifact": note.id if note.about == "artifact" else None,
                    "session": path_text(session) if session is not None else None,
                    "path": path_text(note.place) if session is None else None,
                    "noted": path_text(note.text),
                    "when": iso(note.when),
                }
            )
        else:
            streams.line(_note_line(note))
    if not notes:
        streams.note("there are no notes")
    return _tell_state(catalogue, streams, marked=False)


def _note_line(note: Note) -> str:
    text = printable(" ".join(path_text(note.text).split()))
    place = note.place.partition("\0")[2] if note.about == "session" else note.id
    return f"{note.about}  {printable(path_text(place))}  {text}"
