"""The signal lines of a text's envelope: which of them there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spillview.envelopes.blocks import Block
from spillview.envelopes.excerpts import MARK, Excerpt, Spot, excerpt
from spillview.envelopes.heading import DIGITS
from spillview.envelopes.scanning import Found

if TYPE_CHECKING:
    from spillview.content.content import Content

SIGNAL_CHARS = (400, 240, 160)
"""Chars of a signal line: the most with which all of them fit, else the last."""

LEAST = 2 * MARK + 60
"""Chars in which a line that is too long can still be shown in part."""

SIGNALS_HEADING = "--- signal lines: {rows} here, {shown} of {total} shown"
GAP = "[{count} signal lines not shown]"


def signal_rows(
    content: Content, found: Found, others: Sequence[Block | None], room: int
) -> tuple[Block | None, int]:
    """Signal lines that no other block shows, and how many are shown in all.

    They take `room` chars at most, their heading included.
    """
    known = {
        shown.spot.number: shown
        for block in others
        if block is not None
        for shown in block.excerpts
    }
    spots = [*found.first, *found.last]
    wanted = [spot for spot in spots if not _is_shown(spot, known)]
    elsewhere = len(spots) - len(wanted)
    room -= len(SIGNALS_HEADING) + 3 * DIGITS
    if not wanted or room < LEAST:
        return None, elsewhere
    first, last = _chosen(content, wanted, room, complete=len(spots) == found.total)
    count = len(first) + len(last)
    hidden = found.total - count - elsewhere
    block = Block(
        SIGNALS_HEADING.format(rows=count, shown=count + elsewhere, total=found.total)
    )
    for shown in first:
        block.add(_numbered(shown), shown)
    if hidden:
        block.add(GAP.format(count=hidden))
    for shown in last:
        block.add(_numbered(shown), shown)
    return block, count + elsewhere


def _chosen(
    content: Content, spots: list[Spot], room: int, *, complete: bool
) -> tuple[list[Excerpt], list[Excerpt]]:
    """All of the lines if they fit, else the first and (a third) the last ones."""
    for limit in SIGNAL_CHARS:
        rows, left = _fitting(content, spots, limit, room)
        if complete and len(rows) == len(spots):
            return rows, []
    room -= len(GAP) + DIGITS
    limit = SIGNAL_CHARS[-1]
    first, left = _fitting(content, spots, limit, room - room // 3)
    behind = spots[len(first) :][::-1]
    last, left = _fitting(content, behind, limit, room // 3 + left)
    more, _ = _fitting(content, spots[len(first) : -len(last) or None], limit, left)
    return first + more, last[::-1]


def _fitting(
    content: Content, spots: Sequence[Spot], limit: int, room: int
) -> tuple[list[Excerpt], int]:
    """The first lines that fit, and the room that is left."""
    rows: list[Excerpt] = []
    for spot in spots:
        shown = excerpt(content, spot, limit, "hit")
        cost = len(_numbered(shown)) + 1
        if cost > room:
            break
        rows.append(shown)
        room -= cost
    return rows, room


def _numbered(shown: Excerpt) -> str:
    return f"{shown.spot.number}: {shown.text}"


def _is_shown(spot: Spot, known: dict[int, Excerpt]) -> bool:
    """Whether another block shows the line's hit."""
    other = known.get(spot.number)
    return other is not None and spot.hit is not None and other.holds(spot.hit)
