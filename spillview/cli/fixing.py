"""`doctor --fix-modes`: shows what it would change, asks, and tells how to go back."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import human_count, path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.exposure.modes import Change, Left
    from spillview.model import Artifact


def fix(
    catalogue: Catalogue,
    artifacts: Sequence[Artifact],
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    """Take the rights of others away; exit code 2 where a change failed.

    1 where somebody had to be asked and said no, or could not be asked.
    """
    from spillview.cli.asking import agreed, answers
    from spillview.exposure.modes import plan

    if catalogue.places.uid < 0:
        raise BadInput("--fix-modes: this system has no owners and rights to change")
    changes, left = plan(artifacts, catalogue.places)
    if not changes:
        _tell_left(left, args, streams)
        if not args.json:
            streams.line("Nothing to change: nobody but you has rights on your files.")
        return 0
    if not args.json:
        for change in changes:
            streams.line(change.words)
        _tell_left(left, args, streams)
    files = sum(change.kind == "file" for change in changes)
    what = f"{_many(files, 'artifact')} and {_many(len(changes) - files, 'folder')}"
    if not args.yes:
        question = f"Take the rights of others away from {what}?"
        if not answers() or not agreed(streams, question):
            if args.json:
                for change in changes:
                    streams.json(_row(change, False, None))
                _tell_left(left, args, streams)
            streams.note(f"nothing was changed of {what}; --yes does so without asking")
            return 1
    return _apply(changes, left, args, streams)


def _apply(
    changes: Sequence[Change],
    left: Sequence[Left],
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    from spillview.exposure.modes import apply

    done: list[Change] = []
    failed = 0
    for change, problem in apply(changes):
        if args.json:
            streams.json(_row(change, problem is None, problem))
        if problem is None:
            done.append(change)
            continue
        failed += 1
        streams.error(f"{path_text(change.path)} was left alone: {problem}")
    if args.json:
        _tell_left(left, args, streams)
    elif done:
        streams.line()
        streams.line("# to give the rights back:")
        for change in reversed(done):  # folders first, or what is in them is shut off
            streams.line(printable(change.undo))
    streams.note(f"changed: {human_count(len(done))} of {human_count(len(changes))}")
    return 2 if failed else 0


def _many(number: int, noun: str) -> str:
    return f"{human_count(number)} {noun}{'' if number == 1 else 's'}"


def _tell_left(
    left: Sequence[Left], args: argparse.Namespace, streams: Streams
) -> None:
    for each in left:
        if args.json:
            row = {"path": path_text(each.path), "applied": False}
            streams.json(row | {"before": None, "after": None, "reason": each.reason})
        else:
            path = printable(path_text(each.path))
            streams.line(f"left as it is  {path}: {printable(each.reason)}")


def _row(change: Change, applied: bool, problem: str | None) -> dict[str, object]:
    return {
        "path": path_text(change.path),
        "kind": change.kind,
        "before": f"{change.before:04o}",
        "after": f"{change.after:04o}",
        "applied": applied,
        "reason": problem,
        "undo": change.undo,
    }
