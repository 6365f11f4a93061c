"""What `prune` says of a plan, and of what became of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spillview.cleanup.retention import GROUPS
from spillview.cli.refusals import tell_refusals
from spillview.errors import SpillError
from spillview.hints import TYPE_CHECKING
from spillview.space import space_of
from spillview.text import (
    human_age,
    human_bytes,
    human_count,
    path_text,
    printable,
    when,
)

if TYPE_CHECKING:
    from spillview.cleanup.bins import NoBin
    from spillview.cleanup.choices import Choices
    from spillview.cleanup.cleanup import Prospect, Share
    from spillview.cleanup.moving import Failure
    from spillview.cleanup.retention import Choice, Plan
    from spillview.cleanup.trash import Applied, Emptied, Trash
    from spillview.cli.streams import Streams
    from spillview.model import Found

Where = Sequence[tuple["str | NoBin", "Share"]]

DAY = 86_400.0

SHOWN = 50
"""Rows that a terminal gets unless told otherwise."""


@dataclass(frozen=True)
class Ahead:
    """What a plan says of later."""

    today: Prospect
    now: float
    moment: float | None = None
    """What the plan is a forecast for; None for one of now."""
    policy: bool = False
    """Whether tomorrow's is told beside it."""

    @property
    def tomorrow(self) -> Choices | None:
        """What goes in a day besides, if nothing is written or read meanwhile."""
        if self.moment is not None or not self.policy:
            return None
        return self.today.more(self.now + DAY)


def amount(found: Iterable[Found]) -> str:
    """So many artifacts and their bytes, in words."""
    number = 0

    def counted() -> Iterator[Found]:
        nonlocal number
        for each in found:
            number += 1
            yield each

    space = space_of(counted())
    return _amount(number, space.bytes)


def _amount(number: int, size: int) -> str:
    artifacts = "1 artifact" if number == 1 else f"{human_count(number)} artifacts"
    return f"{artifacts} ({human_bytes(size)})"


def tell_settled(trash: Trash, streams: Streams) -> None:
    """Say what killed runs had left and what became of it, once."""
    while trash.settled:
        streams.note(trash.settled.pop(0))


def tell_open(trash: Trash, streams: Streams) -> None:
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


def print_plan(
    plan: Plan,
    where: Where,
    full: str | None,
    applied: Applied | None,
    args: argparse.Namespace,
    streams: Streams,
    ahead: Ahead,
    expired: Emptied | None = None,
) -> None:
    """The plan's rows and sums; with `applied` those of what was really done."""
    tomorrow = ahead.tomorrow
    failures = {each.found.id: each for each in applied.failed} if applied else {}
    if args.json:
        from spillview.cleanup.plan_rows import (
            choice_row,
            emptied_facts,
            forecast_facts,
            removal_facts,
            summary_row,
        )

        for choice in plan.choices:
            streams.json(choice_row(choice, failures.get(choice.artifact.id)))
        row = summary_row(plan, where, applied, full)
        if ahead.moment is not None:
            row |= forecast_facts(plan, ahead.today.plan)
        if tomorrow is not None:
            row["tomorrow"] = removal_facts(tomorrow)
        if expired is not None:
            row["expired"] = emptied_facts(expired)
        streams.json(row)
        return
    going, stuck = plan.remove, plan.remove[:0]
    if failures:
        places = {plan.choices.index_of(ident) for ident in failures}
        stuck = plan.choices.where(places.__contains__)
        going = going.where(lambda index: index not in places)
    rows: Sequence[Choice] = plan.choices
    if (streams.terminal or streams.quiet) and not args.all:
        rows = [*stuck, *(going[:SHOWN] if streams.terminal else going)]
    _table(rows, failures, plan.now, streams)
    if streams.terminal and not args.all and len(going) > SHOWN:
        streams.note(f"{SHOWN} of {len(going):,} artifacts that go; --all prints all")
    if ahead.moment is not None:
        _tell_forecast(plan, going, ahead, streams)
        return
    _tell_sums(plan, going, where, full, applied, streams, policy=ahead.policy)
    if expired is not None:
        _tell_expired(expired, streams)
    if tomorrow is not None:
        what = amount(tomorrow.found())
        more = f"{what} more" if tomorrow else "nothing more"
        streams.note(f"tomorrow {more}, if nothing is written or read until then")


def _tell_forecast(plan: Plan, going: Choices, ahead: Ahead, streams: Streams) -> None:
    """What would go at a later moment, and what that rests on."""
    at = when(plan.now, ahead.now)
    what = amount(going.found())
    today = set(ahead.today.plan.remove.order)
    more = going.where(lambda index: index not in today)
    new = (
        f"{amount(more.found())} of them not yet today"
        if more
        else "no more than today"
    )
    streams.note(f"forecast for {at}: {what} would go, {new}; {_stays(plan, going)}")
    live = plan.keep.groups()["live"]
    sessions = "; what live sessions need now still stays in it" if live else ""
    streams.note(f"it holds if nothing is written or read until then{sessions}")


def _table(
    rows: Sequence[Choice],
    failures: Mapping[str, Failure],
    now: float,
    streams: Streams,
) -> None:
    from spillview.cli.listing_tables import short_session, whole_session
    from spillview.cli.tables import Cell, Column, write_table

    columns = [
        Column("ACTION"),
        Column("ID"),
        Column("AGE", right=True),
        Column("BYTES", right=True),
        Column("HARNESS", drop=4),
        Column("SESSION", least=8, most=12, drop=3),
        Column("NAME", least=12, most=24, drop=1),
        Column("REASON", least=44),
    ]
    name_session = short_session if streams.terminal else whole_session
    table = []
    for choice in rows:
        found = choice.artifact.found
        failure = failures.get(found.id)
        removed = choice.remove and failure is None
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
    going: Choices,
    where: Where,
    full: str | None,
    applied: Applied | None,
    streams: Streams,
    *,
    policy: bool,
) -> None:
    stays = f"; {_stays(plan, going)}"
    what = amount(going.found())
    if applied is None:
        streams.note(f"{what} would go{stays}")
        _tell_trash(where, streams)
        if full is not None:
            streams.error(f"{full}; --apply asks before it deletes without a trash")
        if going:
            streams.note(
                f"emptying the trash then frees {human_bytes(plan.frees)};"
                " --apply moves them"
            )
    elif not applied.moved:
        streams.note(f"nothing was removed{stays}")
    elif applied.batch is None:
        freed = human_bytes(applied.freed_now)
        streams.deletion(f"{what} deleted for good, {freed} freed{stays}")
    else:
        freed = human_bytes(applied.freed_now)
        if applied.deleted:
            streams.deletion(f"{amount(applied.deleted)} deleted for good")
            lost = {each.id for each in applied.deleted}
            what = amount(each for each in going.found() if each.id not in lost)
        streams.note(
            f"{what} moved into the trash as {applied.batch}{stays}. {freed} freed so"
            " far: `spillview trash --empty` frees the rest, `spillview undo` puts them"
            " back"
        )
    _tell_failures(applied.failed if applied is not None else (), streams)
    for over, cap in (
        (plan.over_total, "--max-total"),
        (plan.over_session, "--max-session"),
    ):
        if policy:
            cap = cap[2:].replace("-", "_")
        if over is not None:
            streams.note(
                f"{human_bytes(over)} more than {cap} stay, for the rest is protected"
            )


def _stays(plan: Plan, going: Choices) -> str:
    """How many artifacts stay, and why."""
    kept = plan.keep.groups()
    why = ", ".join(f"{kept[g]:,} {words}" for g, words in GROUPS.items() if kept[g])
    return f"{len(plan.choices) - len(going):,} stay" + (f": {why}" if why else "")


def _tell_failures(failed: Sequence[Failure], streams: Streams) -> None:
    """What could not be removed: each by name, or many with one reason together."""

    def reason(failure: Failure) -> str:
        if not failure.no_bin:
            return failure.reason
        return f"{failure.reason}; `--apply --permanent` deletes without a trash"

    pairs = ((failure.found.path, reason(failure)) for failure in failed)
    tell_refusals(pairs, "stays", "stay", streams)


def _tell_expired(expired: Emptied, streams: Streams) -> None:
    """What was deleted for good of older clean-ups."""
    if expired.items:
        streams.deletion(expired.sentence)
    tell_refusals(expired.failed, "stays in the trash", "stay in the trash", streams)


def _tell_trash(where: Where, streams: Streams) -> None:
    """Where the trash is, when it is not simply the state folder's."""
    from spillview.cleanup.bins import NoBin

    for place, share in where:
        what = _amount(share.items, share.space.bytes)
        if isinstance(place, NoBin):
            streams.error(
                f"no trash can be made for {what}: {place.reason};"
                " --apply asks, and --apply --permanent deletes them for good"
            )
        elif not place.endswith("/trash"):
            streams.note(
                f"{what} lie on another filesystem: their trash is {path_text(place)}"
            )
