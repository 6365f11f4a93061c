"""One look through a whole content for credentials: where they are, not what."""

from __future__ import annotations

from collections.abc import Callable

from spillview.content.codepoints import line_feeds
from spillview.errors import Cancelled
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.secrets.spans import BACK, REACH, Span, distinct, found

if TYPE_CHECKING:
    from spillview.content.content import Content

BLOCK = 1 << 20
"""Bytes looked through at a time."""

MOST = 1_000
"""Credentials that are remembered of one artifact; then the look ends."""


class Secret(Frozen):
    """The place of one credential in the bytes on disk; never the credential."""

    rule: str
    words: str
    """Its kind, for people."""
    line: int
    """The line it begins on, from 1."""
    start: int
    end: int
    """Byte range."""


class Secrets(Frozen):
    """What a look found."""

    items: tuple[Secret, ...]
    """By place; those that overlap are told as one."""
    complete: bool = True
    """False when it ended early, so that there may be more."""


def look(
    content: Content,
    *,
    cancelled: Callable[[], bool] | None = None,
    disk: Callable[[int], int] | None = None,
    block: int = BLOCK,
) -> Secrets:
    """Every credential in `content`, a text in UTF-8, in one pass and bounded memory.

    `disk` tells which byte on disk a byte of the text became. Raises `Cancelled` when
    `cancelled` says so (asked once a block), and what reading raises.
    """
    size, low, feeds = content.size, 0, 0
    spans: list[tuple[Span, int]] = []
    while low < size and len(spans) < 2 * MOST:
        if cancelled is not None and cancelled():
            raise Cancelled("Nobody waits for this look any more.")
        base = max(0, low - BACK)
        data = content.pread(base, low + block + REACH - base)
        high = min(low + block, size)
        inside = found(data, low - base, high - base)
        at, number = base, feeds - line_feeds(data[: low - base])
        for span in inside:
            start = span.start + base
            number += line_feeds(data[at - base : span.start])
            at = start
            spans.append((Span(start, span.end + base, span.rule), number + 1))
        feeds += line_feeds(data[low - base : high - base])
        low = high
    lines = dict(spans)
    whole = distinct(list(lines))
    place = disk or (lambda offset: offset)
    items = tuple(
        Secret(s.rule.name, s.rule.words, lines[s], place(s.start), place(s.end))
        for s in whole[:MOST]
    )
    return Secrets(items, low >= size and len(whole) <= MOST)
