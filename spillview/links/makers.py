"""Which call made an artifact whose place does not say it: of flat stores and slots."""

from __future__ import annotations

from collections.abc import Sequence

from spillview.hints import TYPE_CHECKING
from spillview.model import Found, Mention

if TYPE_CHECKING:
    from spillview.links.kinship import Kinship

SLACK = 2.0
"""Seconds by which a file may be older than the call that made it: coarse clocks."""


class Made:
    """The mentions of one artifact, told apart."""

    def __init__(self) -> None:
        self.own: list[Mention] = []
        """Of the call that made it, and of its session's later ones."""
        self.replaced: list[Mention] = []
        """Of calls whose artifact was overwritten since."""
        self.foreign: list[Mention] = []
        """Of other sessions, which only quote its path."""


def settle(
    item: Found, mentions: Sequence[Mention], kinship: Kinship, *, reused: bool
) -> Made:
    """Tell the mentions of an artifact in a flat store apart.

    Sessions that have nothing in common cannot share one: ids of calls may be counted
    alike in two of them, and a person's notes may quote a path. `reused` says that
    the harness writes later calls' results to the same name.
    """
    groups = _groups(mentions, kinship)
    overwritten = reused or (item.call_id is not None and len(groups) > 1)
    if len(groups) > 1:
        groups = _claimed(item, groups)
    made = Made()
    if overwritten:
        mine = _latest(item, [m for group in groups for m in group])
        if mine is None:
            made.replaced = list(mentions)
            return made
        for mention in mentions:
            same = not reused or mention.call_id == mine.call_id
            mine_too = same and kinship.related(mention.session, mine.session)
            (made.own if mine_too else made.replaced).append(mention)
        return made
    first = _earliest(groups)
    for mention in mentions:
        mine_too = first is not None and kinship.related(mention.session, first.session)
        (made.own if mine_too else made.foreign).append(mention)
    return made


def _groups(mentions: Sequence[Mention], kinship: Kinship) -> list[list[Mention]]:
    """The mentions by sessions that share a history."""
    groups: list[list[Mention]] = []
    for mention in mentions:
        for group in groups:
            if kinship.related(group[0].session, mention.session):
                group.append(mention)
                break
        else:
            groups.append([mention])
    return groups


def _claimed(item: Found, groups: list[list[Mention]]) -> list[list[Mention]]:
    """The groups whose notices are true of the file's size, if some are."""
    fitting = [group for group in groups if not _contradicts(item, group[0])]
    return fitting or groups


def _contradicts(item: Found, mention: Mention) -> bool:
    return any(
        claim.unit == "bytes"
        and isinstance(claim.value, int)
        and abs(claim.value - item.size) > claim.slack
        for claim in mention.claims
    )


def _latest(item: Found, mentions: list[Mention]) -> Mention | None:
    """The last call that can have written the file as it is."""
    fitting = [m for m in mentions if not _contradicts(item, m)]
    if not fitting:
        return None
    changed = item.mtime_ns / 1e9 + SLACK
    before = [m for m in fitting if m.time is not None and m.time <= changed]
    if before:
        return max(before, key=lambda m: (m.time or 0.0, m.record))
    untimed = [m for m in fitting if m.time is None]
    calls = {(m.transcript, m.call_id) for m in untimed}
    if len(calls) == 1 or len({m.transcript for m in untimed}) == 1:
        return max(untimed, key=lambda m: m.record)
    return None


def _earliest(groups: list[list[Mention]]) -> Mention | None:
    """The first mention of all; None where that cannot be told."""
    if len(groups) == 1:
        return groups[0][0]
    timed = [m for group in groups for m in group if m.time is not None]
    if not timed or any(all(m.time is None for m in group) for group in groups):
        return None
    return min(timed, key=lambda m: m.time or 0.0)
