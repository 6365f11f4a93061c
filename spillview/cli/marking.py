"""What a person marks and notes in the report, and whether it is kept."""

from __future__ import annotations

import argparse
import os

from spillview.cli.commands import tell_problems
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams
    from spillview.report.findings import Report
    from spillview.review.notes import Note
    from spillview.review.state import State


def tell_state(catalogue: Catalogue, streams: Streams, *, marked: bool) -> int:
    """Say what is wrong with the marks and notes that are kept; the exit code.

    `marked` says that a person wanted something kept now, not only a report read.
    """
    from spillview.review.state_file import ENDS

    state = state_of(catalogue)
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


def state_of(catalogue: Catalogue) -> State:
    state = catalogue.state
    assert state is not None  # `Catalogue.here` has one
    return state


def tell_done(
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


def take_back(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    """Take the last review that was done back; exit code 1 where there is none."""
    from spillview.report.finishing import undo_done
    from spillview.report.wording import undone
    from spillview.text import iso

    state = state_of(catalogue)
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
    return tell_state(catalogue, streams, marked=marked) or int(not marked)


def mark(
    catalogue: Catalogue, query: Query, args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.report import finishing
    from spillview.text import iso

    state, now = state_of(catalogue), catalogue.now()
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
    return tell_state(catalogue, streams, marked=True) or code


def list_notes(catalogue: Catalogue, args: argparse.Namespace, streams: Streams) -> int:
    from spillview.text import iso

    notes = state_of(catalogue).notes()
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
    return tell_state(catalogue, streams, marked=False)


def _note_line(note: Note) -> str:
    text = printable(" ".join(path_text(note.text).split()))
    place = note.place.partition("\0")[2] if note.about == "session" else note.id
    return f"{note.about}  {printable(path_text(place))}  {text}"
