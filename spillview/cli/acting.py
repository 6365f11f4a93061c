"""`envelope --prompt`, `--resume`, `--pane`: what a person does about an artifact."""

from __future__ import annotations

import argparse

from spillview.cli.commands import query_of, tell_problems
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.model import Artifact, Missing

WAYS = ("prompt", "resume", "pane")


def describe(parser: argparse.ArgumentParser) -> None:
    """The options, one of which may be given."""
    options = parser.add_argument_group("options")
    one = options.add_mutually_exclusive_group()
    one.add_argument(
        "--prompt", action="store_true", help="a prompt that corrects the agent"
    )
    one.add_argument(
        "--resume", action="store_true", help="the command that resumes the session"
    )
    one.add_argument(
        "--pane", action="store_true", help="the command that shows its tmux pane"
    )


def wanted(args: argparse.Namespace) -> str | None:
    """Which of the options was given."""
    return next((way for way in WAYS if getattr(args, way)), None)


def run(catalogue: Catalogue, args: argparse.Namespace, streams: Streams) -> int:
    """Print it; exit code 1 where there is none."""
    row = _row(catalogue, args)
    way = wanted(args)
    if way == "prompt":
        code = _prompt(catalogue, row, args, streams)
    elif way == "resume":
        code = _resume(catalogue, row, args, streams)
    else:
        code = _pane(catalogue, row, args, streams)
    return tell_problems(streams, catalogue) or code


def _row(catalogue: Catalogue, args: argparse.Namespace) -> Artifact | Missing:
    """The artifact, or the call without one, that the word means."""
    word, query = args.words[0], query_of(args)
    try:
        return catalogue.find(word, query)
    except BadInput:
        catalogue.scan(query)
        calls = [m for m in catalogue.missing(query) if m.mention.call_id == word]
        if len(calls) != 1:
            raise
        return calls[0]


def _names(row: Artifact | Missing) -> dict[str, object]:
    from spillview.model import Artifact
    from spillview.review.acting import session_of

    harness, session = session_of(row)
    ident = row.id if isinstance(row, Artifact) else None
    return {"id": ident, "harness": harness, "session": path_text(session)}


def _prompt(
    catalogue: Catalogue,
    row: Artifact | Missing,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    from spillview.model import Artifact
    from spillview.review.corrections import correct_missing, correction

    if isinstance(row, Artifact):
        made = correction(row, catalogue.profile(row.found.harness))
        if catalogue.state is not None:  # the prompt names it
            catalogue.state.remember_ids([(row.id, row.found.address)])
    else:
        made = correct_missing(row)
    if args.json:
        streams.json({**_names(row), "kind": made.kind, "prompt": made.text})
    else:
        from spillview.secrets.masking import masked_text

        # It goes into a model's context: nothing that the model did not have yet.
        text = made.text if args.raw else masked_text(made.text)
        streams.write(text.encode("utf-8", "replace"))
    return 0


def _resume(
    catalogue: Catalogue,
    row: Artifact | Missing,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    from spillview.review.acting import resumed

    known = resumed(catalogue, row)
    if args.json:
        names = _names(row)
        streams.json({**names, "resume": known.command, "note": known.sentence})
    else:
        if known.command is not None:
            streams.line(known.command)
        streams.note(known.sentence)
    return 0 if known.command is not None else 1


def _pane(
    catalogue: Catalogue,
    row: Artifact | Missing,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    from spillview.review.acting import pane_of
    from spillview.review.tmux_panes import outside

    found = pane_of(catalogue, row)
    if args.json:
        panes = [
            {"pane": pane.id, "show": outside(pane), "why": found.why}
            for pane in found.panes
        ]
        streams.json({**_names(row), "panes": panes, "note": found.sentence})
    else:
        for pane in found.panes:
            streams.line(outside(pane))
        streams.note(found.sentence)
    return 0 if found.panes else 1
