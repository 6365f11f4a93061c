"""`prune`: what a clean-up would remove and why, and with `--apply` the clean-up."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spillview.cli.commands import query_of, tell_problems, whole_number
from spillview.errors import BadInput, SpillError
from spillview.text import human_age, human_bytes, human_count, path_text, printable

if TYPE_CHECKING:
    from spillview.bins import NoBin
    from spillview.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams
    from spillview.model import Found
    from spillview.moving import Failure
    from spillview.retention import Choice, Group, Plan, Rules
    from spillview.trash import Applied, Trash

Where = Sequence[tuple["str | NoBin", Sequence["Found"]]]

SHOWN = 50
"""Rows that a terminal gets unless told otherwise."""

PRUNE = """\
Plans a clean-up: for every artifact whether it would go, and why. Nothing is changed
until --apply, which moves the files into a trash on their own filesystem; `undo` puts
them back, `trash --empty` frees the space.

PATH, --harness, --session, --since and --until choose the ground; the options below
select on it, and what any of them selects goes. --session alone selects all of it.
--max-total counts what the others leave.

Always kept: pinned artifacts (see `pin`), those of live sessions (active within the
hour, open in another process, or growing), whatever a live session refers to, and
whatever is no artifact by its harness's own names. The later of the session's last
activity and the file's change counts as its age.

--yes answers the questions; it never turns a move into a deletion: only --permanent
deletes, and where no trash can be made a person is asked or the files stay."""

GROUPS: dict[Group, str] = {
    "pinned": "pinned",
    "live": "needed by live sessions",
    "foreign": "no artifacts by their harness's names",
    "recent": "kept by a rule",
    "unselected": "selected by no rule",
}
"""Why artifacts stay, in few words."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `prune`."""
    parser.description = PRUNE
    rules = parser.add_argument_group("what goes")
    rules.add_argument("--older-than", metavar="AGE", help="not active since: 7d, 12h")
    rules.add_argument(
        "--keep-last",
        metavar="N",
        type=whole_number(1),
        help="all but the newest N of each session, which are kept in any case",
    )
    rules.add_argument(
        "--max-total", metavar="SIZE", help="the oldest, until the rest fits: 5GB"
    )
    rules.add_argument("--max-file", metavar="SIZE", help="files larger than: 500MB")
    rules.add_argument(
        "--orphans", action="store_true", help="files that no record points at"
    )
    acting = parser.add_argument_group("acting")
    acting.add_argument("--apply", action="store_true", help="do it")
    acting.add_argument(
        "--permanent",
        action="store_true",
        help="with --apply: delete for good instead of moving into the trash",
    )
    acting.add_argument("--yes", action="store_true", help="ask nothing")
    acting.add_argument("--all", action="store_true", help="print every row")


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the plan, or carry it out and print what became of it."""
    from spillview.catalogue import Catalogue
    from spillview.cleanup import prospect, trashes
    from spillview.trash import Trash

    rules = _rules(args)
    if args.permanent and not args.apply:
        raise BadInput("--permanent needs --apply: without it nothing is removed")
    catalogue = Catalogue.here()
    try:
        query = query_of(args, args.words)
        trash = Trash(catalogue.places)
        if args.apply:
            trash.settle()
            _tell_settled(trash, streams)
        else:
            _tell_open(trash, streams)
        seen = prospect(catalogue, query, rules)
        found = [choice.artifact.found for choice in seen.plan.remove]
        where = trashes(catalogue.places, found) if found else []
        applied = None
        plan = seen.plan
        if args.apply and found:
            if not _agreed(args, plan, where, streams):
                streams.note("nothing was removed")
                return 1
            plan, applied = _apply(args, plan, catalogue, query, trash, streams)
            _tell_settled(trash, streams)
        elif args.apply:
            applied = _nothing_done()
        _print(plan, where, applied, args, streams, catalogue.now())
        code = tell_problems(streams, catalogue)
        if any(problem not in catalogue.problems for problem in seen.problems):
            code = 2
        if applied is not None and applied.failed:
            code = 2
        if not found and args.session is not None:
            streams.note(f"nothing of session {args.session} is to be removed")
            return code or 1
        return code
    finally:
        catalogue.close()


def _rules(args: argparse.Namespace) -> Rules:
    from spillview.retention import Rules
    from spillview.text import parse_age, parse_size

    chosen = (args.older_than, args.keep_last, args.max_total, args.max_file)
    rules = Rules(
        parse_age(args.older_than) if args.older_than is not None else None,
        args.keep_last,
        parse_size(args.max_total) if args.max_total is not None else None,
        parse_size(args.max_file) if args.max_file is not None else None,
        args.orphans,
        args.session is not None and not args.orphans and not any(chosen),
    )
    if not rules.any:
        raise BadInput(
            "nothing says what is to go: give --older-than, --keep-last, --max-total,"
            " --max-file or --orphans, or name a --session"
        )
    return rules


def _nothing_done() -> Applied:
    from spillview.trash import Applied

    return Applied(None, (), ())


# Before anything is moved


def _agreed(
    args: argparse.Namespace, plan: Plan, where: Where, streams: Streams
) -> bool:
    """Whether a person agrees to what cannot simply be undone."""
    from spillview.cli.asking import agreed, answers

    if args.yes or not answers():
        return True
    what = _amount([choice.artifact.found for choice in plan.remove])
    if args.permanent:
        return agreed(streams, f"Delete {what} for good?")
    loose = [
        choice.artifact.found
        for choice in plan.remove
        if choice.artifact.found.harness == "folder"
    ]
    if loose and args.harness != "folder":
        return agreed(
            streams,
            f"{_amount(loose)} lie in a plain folder, where nothing tells outputs from"
            " other files. Move them into the trash?",
        )
    return True


def _apply(
    args: argparse.Namespace,
    plan: Plan,
    catalogue: Catalogue,
    query: Query,
    trash: Trash,
    streams: Streams,
) -> tuple[Plan, Applied]:
    from spillview.cleanup import still
    from spillview.cli.asking import agreed, answers
    from spillview.moving import Failure
    from spillview.trash import Applied, DiskFull, NoTrash

    if not args.yes and answers():
        plan = still(catalogue, query, plan)  # a person may have taken their time
    found = [choice.artifact.found for choice in plan.remove]

    def progress(done: int, total: int) -> None:
        streams.progress("removed", done, total)

    if args.permanent:
        return plan, trash.delete(found, progress=progress)
    try:
        applied = trash.apply(found, progress=progress)
    except (DiskFull, NoTrash) as error:
        reason = str(error)
        applied = Applied(
            None, (), tuple(Failure(each, reason, no_bin=True) for each in found)
        )
        streams.error(reason)
    stuck = [failure.found for failure in applied.failed if failure.no_bin]
    if not stuck:
        return plan, applied
    question = (
        f"{_amount(stuck)} cannot be moved into a trash"
        f" ({applied_reason(applied)}). Delete them for good?"
    )
    if args.yes or not answers() or not agreed(streams, question):
        return plan, applied
    deleted = trash.delete(stuck, progress=progress)
    others = tuple(failure for failure in applied.failed if not failure.no_bin)
    return plan, Applied(
        applied.batch,
        (*applied.moved, *deleted.moved),
        (*others, *deleted.failed),
        applied.freed_now + deleted.freed_now,
    )


def applied_reason(applied: Applied) -> str:
    """Why the first of the files without a trash has none."""
    return next(each.reason for each in applied.failed if each.no_bin)


# What is said


def _amount(found: Sequence[Found]) -> str:
    files = "1 file" if len(found) == 1 else f"{human_count(len(found))} files"
    return f"{files} ({human_bytes(sum(each.size for each in found))})"


def _tell_settled(trash: Trash, streams: Streams) -> None:
    while trash.settled:
        streams.note(trash.settled.pop(0))


def _tell_open(trash: Trash, streams: Streams) -> None:
    """Without --apply nothing is changed, a killed run's leftovers neither."""
    try:
        waiting = [batch for batch in trash.batches() if batch.open]
    except SpillError:
        return
    for batch in waiting:
        streams.note(
            f"clean-up {batch.id} is at work or was interrupted;"
            " `spillview trash` settles and shows it"
        )


def _print(
    plan: Plan,
    where: Where,
    applied: Applied | None,
    args: argparse.Namespace,
    streams: Streams,
    now: float,
) -> None:
    failures = {each.found.id: each for each in applied.failed} if applied else {}
    if args.json:
        from spillview.plan_rows import choice_row, summary_row

        for choice in plan.choices:
            streams.json(choice_row(choice, failures.get(choice.artifact.id)))
        streams.json(summary_row(plan, where, applied))
        return
    going = [choice for choice in plan.remove if choice.artifact.id not in failures]
    rows = list(plan.choices)
    if streams.terminal and not args.all:
        rows = going[:SHOWN]
    _table(rows, {choice.artifact.id for choice in going}, failures, now, streams)
    if streams.terminal and not args.all and len(going) > SHOWN:
        streams.note(f"{SHOWN} of {len(going):,} files that go; --all prints all")
    _tell_sums(plan, going, where, applied, streams)


def _table(
    rows: Sequence[Choice],
    going: set[str],
    failures: Mapping[str, Failure],
    now: float,
    streams: Streams,
) -> None:
    from spillview.cli.listing import short_session, whole_session
    from spillview.cli.tables import Cell, Column, write_table

    columns = [
        Column("ACTION"),
        Column("ID"),
        Column("AGE", right=True),
        Column("BYTES", right=True),
        Column("HARNESS", drop=3),
        Column("SESSION", least=8, most=12, drop=2),
        Column("NAME", least=12, most=32, drop=1),
        Column("REASON", least=24),
    ]
    name_session = short_session if streams.terminal else whole_session
    table = []
    for choice in rows:
        found = choice.artifact.found
        removed = found.id in going
        failure = failures.get(found.id)
        reason = choice.reason
        if failure is not None:
            reason = f"could not be removed: {failure.reason}"
        table.append(
            [
                Cell("remove" if removed else "keep", "over" if removed else "below"),
                Cell(found.id[:8] if streams.terminal else found.id, "name"),
                Cell(human_age(now - found.mtime_ns / 1e9)),
                Cell(human_bytes(found.size)),
                Cell(found.harness),
                Cell(name_session(choice.artifact.session or found.session)),
                Cell(printable(path_text(found.name))),
                Cell(printable(path_text(reason))),
            ]
        )
    write_table(streams, columns, table)


def _tell_sums(
    plan: Plan,
    going: Sequence[Choice],
    where: Where,
    applied: Applied | None,
    streams: Streams,
) -> None:
    kept = Counter(choice.group for choice in plan.choices if not choice.remove)
    why = ", ".join(f"{kept[g]:,} {words}" for g, words in GROUPS.items() if kept[g])
    stays = f"; {len(plan.choices) - len(going):,} stay" + (f": {why}" if why else "")
    amount = _amount([choice.artifact.found for choice in going])
    if applied is None:
        streams.note(f"{amount} would go{stays}")
        _tell_trash(where, streams)
        if going:
            streams.note(
                f"emptying the trash then frees {human_bytes(plan.frees)};"
                " --apply moves them"
            )
    elif not applied.moved:
        streams.note(f"nothing was removed{stays}")
    elif applied.batch is None:
        freed = human_bytes(applied.freed_now)
        streams.note(f"{amount} deleted for good, {freed} freed{stays}")
    else:
        freed = human_bytes(applied.freed_now)
        streams.note(
            f"{amount} moved into the trash as {applied.batch}{stays}. {freed} freed so"
            " far: `spillview trash --empty` frees the rest, `spillview undo` puts the"
            " files back"
        )
    for failure in applied.failed if applied is not None else ():
        streams.error(f"{path_text(failure.found.path)}: {failure.reason}")
    if plan.over_total is not None:
        streams.note(
            f"{human_bytes(plan.over_total)} more than --max-total stay, for the rest"
            " is protected"
        )


def _tell_trash(where: Where, streams: Streams) -> None:
    """Where the trash is, when it is not simply the state folder's."""
    from spillview.bins import NoBin

    for place, found in where:
        if isinstance(place, NoBin):
            streams.error(
                f"no trash can be made for {_amount(found)}: {place.reason};"
                " --apply asks, and --apply --permanent deletes them for good"
            )
        elif not place.endswith("/trash"):
            streams.note(
                f"{_amount(found)} lie on another filesystem: their trash is"
                f" {path_text(place)}"
            )
