"""`undo` and `trash`: what clean-ups removed, put back or freed."""

from __future__ import annotations

import argparse

from spillview.cli.refusals import tell_refusals
from spillview.cli.stopping import Stop
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import (
    exact_age,
    human_age,
    human_bytes,
    path_text,
    plural,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spillview.cleanup.batches import Batch
    from spillview.cleanup.trash import Trash
    from spillview.cli.streams import Streams

UNDO = """\
Puts back the artifacts of the last clean-up, or of the one that BATCH (or its
beginning) names: the same bytes, modes and times, in their old places. Nothing is
overwritten: where something else has the place now, the artifact stays in the trash and
that is said. Move it away and undo again. Folders that the clean-up removed are made
anew."""

TRASH = """\
Lists the clean-ups in the trash, newest first; with BATCH the artifacts of that one.
--empty deletes them for good, all of them or the BATCHes named, and says what the disk
gained. A person on a terminal is asked before; in a pipe or a job nobody is. Until then
a clean-up frees nothing, and `undo` puts its artifacts back.

With trash_keep = "14d" in config.toml each clean-up that is carried out ends with
deleting for good the clean-ups made longer ago, and says so; nothing else ever does."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `undo` and `trash`."""
    parser.description = UNDO if name == "undo" else TRASH
    if name == "trash":
        options = parser.add_argument_group("options")
        options.add_argument(
            "--empty", action="store_true", help="delete for good what is in the trash"
        )
        options.add_argument("--yes", action="store_true", help="ask nothing")


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Do it; gives the exit code."""
    from spillview.cleanup.trash import Trash
    from spillview.config import load_settings
    from spillview.places import Places

    for option in ("harness", "session", "since", "until"):
        if getattr(args, option) is not None:
            raise BadInput(
                f"`{name}` takes whole clean-ups: it has no use for --{option}"
            )
    places = Places.here()
    trash = Trash(places)
    trash.settle()
    while trash.settled:
        streams.note(trash.settled.pop(0))
    if name == "undo":
        return _undo(trash, args, streams)
    if args.empty:
        return _empty(trash, args, streams)
    return _list(trash, load_settings(places).trash_keep, args, streams)


def _undo(trash: Trash, args: argparse.Namespace, streams: Streams) -> int:
    if len(args.words) > 1:
        raise BadInput("`undo` puts back one clean-up at a time")
    reference = args.words[0] if args.words else None
    with Stop() as stop:
        done = trash.undo(
            reference,
            progress=lambda done, total: streams.progress("restored", done, total),
            cancelled=stop,
        )
    if args.json:
        from spillview.cleanup.plan_rows import undone_row

        streams.json(undone_row(done))
    if done.batch is None:
        freed = f"; {done.freed.sentence}" if done.freed is not None else ""
        streams.note(f"there is nothing to undo: the trash is empty{freed}")
        return 0
    back = len(done.restored)
    are = "is" if back == 1 else "are"
    streams.note(f"{plural(back, 'artifact')} {are} back ({done.batch})")
    tell_refusals(done.failed, "is not back", "are not back", streams)
    if stop.wished:
        streams.error(f"stopped; `spillview undo {done.batch}` goes on")
        return 130
    return 2 if done.failed else 0


def _list(
    trash: Trash, keep: float | None, args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.cleanup.expiry import expires

    batches = trash.batches()
    if args.words:
        return _contents(trash, batches, args, streams)
    if args.json:
        from spillview.cleanup.plan_rows import batch_row

        for batch in batches:
            streams.json(batch_row(batch, expires(batch, keep)))
    else:
        _table(batches, keep, streams)
    broken = [batch for batch in batches if batch.problem is not None]
    for batch in broken:
        streams.error(f"{path_text(batch.path)}: {batch.problem}")
    for batch in batches:
        if batch.away:
            streams.error(
                f"{batch.id}: {batch.away:,} artifacts of it lie on a filesystem that"
                " cannot be reached: is it mounted?"
            )
    total = sum(batch.bytes for batch in batches)
    if not batches:
        streams.note("the trash is empty")
    elif not args.json:
        streams.note(
            f"{human_bytes(total)} in the trash: `spillview trash --empty` frees it,"
            " `spillview undo` puts the last clean-up back"
        )
        if keep is not None:
            streams.note(
                f"trash_keep = {exact_age(keep)}: the next clean-up that is carried out"
                " deletes for good what is older"
            )
    return 2 if broken or any(batch.away for batch in batches) else 0


def _contents(
    trash: Trash, batches: Sequence[Batch], args: argparse.Namespace, streams: Streams
) -> int:
    from spillview.cleanup.batches import named_batch
    from spillview.cleanup.plan_rows import content_row

    for word in args.words:
        batch = named_batch(batches, word)
        assert batch is not None  # a reference gives one or raises
        for path, size in trash.contents(batch.id):
            if args.json:
                streams.json(content_row(batch.id, path, size))
            else:
                streams.line(f"{human_bytes(size):>10}  {printable(path_text(path))}")
    return 0


def _empty(trash: Trash, args: argparse.Namespace, streams: Streams) -> int:
    from spillview.cleanup.batches import named_batch
    from spillview.cli.asking import agreed, answers

    batches = trash.batches()
    if args.words:
        named = [named_batch(batches, word) for word in args.words]
        batches = [batch for batch in batches if batch in named]
    items = sum(batch.items for batch in batches)
    size = human_bytes(sum(batch.bytes for batch in batches))
    question = f"Delete {plural(items, 'artifact')} ({size}) for good?"
    asked = batches and not args.yes and answers()
    if asked and not agreed(streams, question):
        streams.note("nothing was deleted")
        return 1
    with Stop() as stop:
        done = trash.empty(
            [batch.id for batch in batches] if args.words else None,
            progress=lambda done, total: streams.progress("deleted", done, total),
            cancelled=stop,
        )
    if args.json:
        from spillview.cleanup.plan_rows import batch_row, emptied_row

        for batch in done.batches:
            streams.json(batch_row(batch))
        streams.json(emptied_row(done))
    if not done.items and not done.failed:
        streams.note("the trash is empty")
    else:
        freed = human_bytes(done.freed_now)
        gone = plural(done.items, "artifact")
        streams.deletion(f"{gone} deleted for good, {freed} freed")
    tell_refusals(done.failed, "stays in the trash", "stay in the trash", streams)
    if stop.wished:
        streams.error("stopped; the same command goes on")
        return 130
    return 2 if done.failed else 0


def _table(batches: Sequence[Batch], keep: float | None, streams: Streams) -> None:
    import time

    from spillview.cleanup.expiry import expiry
    from spillview.cli.tables import Cell, Column, write_table

    now = time.time()
    columns = [
        Column("BATCH"),
        Column("AGE", right=True),
        Column("ARTIFACTS", right=True),
        Column("BYTES", right=True),
        *([Column("EXPIRES")] if keep is not None else []),
        Column("PATH", least=16),
    ]
    table = []
    for batch in batches:
        of = f" of {batch.total:,}" if batch.items != batch.total else ""
        table.append(
            [
                Cell(batch.id, "name"),
                Cell(human_age(now - batch.when) if batch.when else ""),
                Cell(f"{batch.items:,}{of}"),
                Cell(human_bytes(batch.bytes)),
                *([Cell(expiry(batch, keep, now))] if keep is not None else []),
                Cell(printable(path_text(batch.path))),
            ]
        )
    write_table(streams, columns, table)
