"""`prune`: what a clean-up would remove and why, and with `--apply` the clean-up."""

from __future__ import annotations

import argparse
from dataclasses import replace

from spillview.cli.commands import (
    query_of,
    tell_problems,
    tell_reading,
    whole_number,
)
from spillview.cli.plan_report import (
    Ahead,
    Where,
    amount,
    print_plan,
    tell_open,
    tell_settled,
)
from spillview.cli.stopping import Stop
from spillview.errors import BadInput, SpillError
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cleanup.cleanup import Prospect
    from spillview.cleanup.retention import Plan
    from spillview.cleanup.rules import Deciding, Rules
    from spillview.cleanup.trash import Applied, Emptied, Trash
    from spillview.cli.streams import Streams

PRUNE = """\
Plans a clean-up: for every artifact whether it would go, and why. Nothing is changed
until --apply, which moves artifacts into a trash on their own filesystem; `undo` puts
them back, `trash --empty` frees the space.

PATH, --harness, --session, --since and --until choose the ground; the options below
select on it, and what any of them selects goes. --session alone selects all of it.
--max-session and then --max-total count what the others leave.

Always kept: pinned artifacts (see `pin`), those of live sessions (active within the
hour, open in another process, or growing), whatever a live session refers to, and
whatever is no artifact by its harness's own names. The later of the session's last
activity and the file's change counts as its age.

--policy takes the rules from the standing policies in config.toml instead: for each
artifact those of the most specific policy that fits its harness and project; its caps
count what it decides on alone, on this ground. --at shows what a later run would remove
if nothing is written or read until then.

With trash_keep = "14d" in config.toml, --apply ends with deleting for good what older
clean-ups left in the trash, and says how much. What is deleted for good is said with -q
as well, which lists what goes and leaves out what stays (--all: every row).

A move into the trash is not asked, for `undo` takes it back. On a terminal a person is
asked before --permanent deletes, before files of a plain folder are moved, and whether
to delete what no trash can hold; --yes answers yes to the first two, and never turns a
move into a deletion: only --permanent deletes."""


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
    rules.add_argument("--max-file", metavar="SIZE", help="any larger than: 500MB")
    rules.add_argument(
        "--max-session",
        metavar="SIZE",
        help="the oldest of a session, until the rest of it fits: 200MB",
    )
    rules.add_argument(
        "--orphans", action="store_true", help="artifacts that no record points at"
    )
    rules.add_argument(
        "--policy", action="store_true", help="by the standing policies in config.toml"
    )
    rules.add_argument(
        "--at",
        metavar="WHEN",
        help="forecast for tomorrow, 3d from now, or a date; never with --apply",
    )
    acting = parser.add_argument_group("acting")
    acting.add_argument(
        "--apply",
        action="store_true",
        help="do it; a move into the trash is not asked",
    )
    acting.add_argument(
        "--permanent",
        action="store_true",
        help="with --apply: delete for good instead of moving into the trash",
    )
    acting.add_argument(
        "--yes",
        action="store_true",
        help="ask nothing where --permanent, or a plain folder, would",
    )
    acting.add_argument("--all", action="store_true", help="print every row")


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the plan, or carry it out and print what became of it."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cleanup.cleanup import prospect, room, trashes
    from spillview.cleanup.policy_file import EXAMPLE, NoPolicies, standing_policies
    from spillview.cleanup.trash import Trash
    from spillview.typed import parse_ahead

    if args.permanent and not args.apply:
        raise BadInput("--permanent needs --apply: without it nothing is removed")
    if args.at is not None and args.apply:
        raise BadInput("--at is a forecast, which --apply cannot carry out")
    rules: Deciding | None = None if args.policy else _rules(args)
    applied: Applied | None = None
    stop = Stop()
    catalogue = Catalogue.here()
    try:
        now = catalogue.now()
        moment = parse_ahead(args.at, now) if args.at is not None else None
        if rules is None:
            _refuse_beside_policy(args)
            rules = standing_policies(
                catalogue.settings, catalogue.places, catalogue.profiles
            )
        query = query_of(args, args.words)
        trash = Trash(catalogue.places, now=catalogue.now)
        if args.apply:
            trash.settle()
            tell_settled(trash, streams)
        else:
            tell_open(trash, streams)
        tell_reading(catalogue, streams)
        seen = prospect(
            catalogue,
            query,
            rules,
            progress=lambda done, total: streams.progress("looked at", done, total),
        )
        if args.session is not None:
            _only_one(args.session, seen.plan)
        ahead = Ahead(seen, now, moment, args.policy)
        if moment is not None:
            seen = replace(seen, plan=seen.at(moment))
        found = seen.plan.remove
        where = trashes(catalogue.places, found.found) if found else []
        full = room(catalogue.places, len(found)) if found else None
        plan = seen.plan
        if args.apply and found:
            if not _agreed(args, plan, where, streams):
                streams.note("nothing was removed")
                return 1
            with stop:
                plan, applied = _apply(
                    args, plan, catalogue, query, trash, streams, stop
                )
            tell_settled(trash, streams)
        elif args.apply:
            applied = _nothing_done()
        if args.policy:
            _tell_idle(seen, args.harness, streams)
        done = applied if not stop.wished else None
        expired = _expire(catalogue, trash, done, streams)
        print_plan(plan, where, full, applied, args, streams, ahead, expired)
        if catalogue.state is not None:  # one of them may be to be pinned
            catalogue.state.remember_ids(
                (choice.artifact.id, choice.artifact.found.address)
                for choice in plan.choices
            )
        code = tell_problems(streams, catalogue)
        for dispute in seen.disputes:
            streams.error(dispute.sentence)
            code = 2
        if any(problem not in catalogue.problems for problem in seen.problems):
            code = 2
        if (applied and applied.failed) or (expired and expired.failed):
            code = 2
        if not found and args.session is not None:
            streams.note(f"nothing of session {args.session} is to be removed")
            return code or 1
        if stop.wished:
            streams.error("stopped; the same command goes on with the rest")
            return 130
        return code
    except KeyboardInterrupt:
        if args.apply and applied is None:
            streams.error("stopped before anything was removed")
        raise
    except NoPolicies as error:
        streams.error(f"{error}, for example")
        for line in EXAMPLE.splitlines():
            streams.note(f"  {line}".rstrip())
        return error.exit_code
    finally:
        catalogue.close()


def _tell_idle(seen: Prospect, harness: str | None, streams: Streams) -> None:
    """Say which policies fit nothing of the ground: a project may be mistyped."""
    from spillview.cleanup.policies import Policies, idle_words

    rules = seen.plan.rules
    if not isinstance(rules, Policies):
        return
    idle = rules.idle(each.artifact for each in seen.standings)
    if harness is not None:
        idle = [each for each in idle if each.is_for(harness)]
    if idle:
        streams.note(idle_words(idle))


def _refuse_beside_policy(args: argparse.Namespace) -> None:
    """Refuse rules of two kinds at once: which would decide?"""
    for name in (
        "older_than", "keep_last", "max_total", "max_file", "max_session", "orphans",
    ):  # fmt: skip
        if getattr(args, name) not in (None, False):
            raise BadInput(
                f"--policy takes its rules from config.toml: leave out"
                f" --{name.replace('_', '-')}, or --policy"
            )


def _rules(args: argparse.Namespace) -> Rules:
    from spillview.cleanup.rules import Rules
    from spillview.typed import parse_age, parse_size

    def size(option: str) -> int | None:
        text = getattr(args, option)
        try:
            return parse_size(text) if text is not None else None
        except BadInput as error:
            raise BadInput(f"--{option.replace('_', '-')}: {error}") from None

    rules = Rules(
        older_than=parse_age(args.older_than) if args.older_than is not None else None,
        keep_last=args.keep_last,
        max_total=size("max_total"),
        max_file=size("max_file"),
        max_session=size("max_session"),
        orphans=args.orphans,
    )
    if args.session is not None and not rules.any:
        rules = Rules(whole=True)
    if not rules.any:
        raise BadInput(
            "nothing says what is to go: give --older-than, --keep-last, --max-total,"
            " --max-file, --max-session or --orphans, name a --session, or take the"
            " standing policies with --policy"
        )
    return rules


def _only_one(reference: str, plan: Plan) -> None:
    """Refuse the beginning of several sessions' ids: nobody names those together."""
    ids = {c.artifact.session for c in plan.choices}
    ids |= {c.artifact.found.session for c in plan.choices}
    hits = sorted(each for each in ids if each.startswith(reference))
    if reference not in ids and len(hits) > 1:
        named = ", ".join(hits[:3]) + (" …" if len(hits) > 3 else "")
        raise BadInput(
            f"“{reference}” begins the ids of {len(hits)} sessions ({named}):"
            " give more of it"
        )


def _expire(
    catalogue: Catalogue, trash: Trash, applied: Applied | None, streams: Streams
) -> Emptied | None:
    """After a clean-up, delete for good what was in the trash for too long."""
    keep = catalogue.settings.trash_keep
    if applied is None or keep is None:
        return None
    try:
        return trash.expire(keep, applied.batch)
    except SpillError as error:  # the clean-up itself is done, and is told
        streams.error(f"nothing in the trash expired: {error}")
        return None


def _nothing_done() -> Applied:
    from spillview.cleanup.trash import Applied

    return Applied(None, (), ())


# Before anything is moved


def _agreed(
    args: argparse.Namespace, plan: Plan, where: Where, streams: Streams
) -> bool:
    """Whether a person agrees to what cannot simply be undone."""
    from spillview.cli.asking import agreed, answers

    if args.yes or not answers():
        return True
    what = amount(plan.remove.found())
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
            f"{amount(loose)} lie in a plain folder, where nothing tells outputs from"
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
    stop: Stop,
) -> tuple[Plan, Applied]:
    from spillview.cleanup.cleanup import still
    from spillview.cleanup.moving import Failure
    from spillview.cleanup.trash import Applied, DiskFull, NoTrash
    from spillview.cli.asking import agreed, answers

    if not args.yes and answers():
        plan = still(catalogue, query, plan)  # a person may have taken their time
    found = list(plan.remove.found())

    def progress(done: int, total: int) -> None:
        streams.progress("removed", done, total)

    if args.permanent:
        return plan, trash.delete(found, progress=progress, cancelled=stop)
    try:
        applied = trash.apply(found, progress=progress, cancelled=stop)
    except (DiskFull, NoTrash) as error:
        reason = str(error)
        applied = Applied(
            None, (), tuple(Failure(each, reason, no_bin=True) for each in found)
        )
    stuck = [failure.found for failure in applied.failed if failure.no_bin]
    if not stuck:
        return plan, applied
    question = (
        f"{amount(stuck)} cannot be moved into a trash"
        f" ({applied_reason(applied)}). Delete them for good?"
    )
    if stop.wished or args.yes or not answers():
        return plan, applied
    with stop.asking():
        if not agreed(streams, question):
            return plan, applied
    deleted = trash.delete(stuck, progress=progress, cancelled=stop)
    others = tuple(failure for failure in applied.failed if not failure.no_bin)
    return plan, Applied(
        applied.batch,
        (*applied.moved, *deleted.moved),
        (*others, *deleted.failed),
        applied.freed_now + deleted.freed_now,
        deleted.moved,
    )


def applied_reason(applied: Applied) -> str:
    """Why the first of the artifacts without a trash has none."""
    return next(each.reason for each in applied.failed if each.no_bin)
