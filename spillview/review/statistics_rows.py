"""The rows that the statistics are exported as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.review.statistics import Statistics


def rows(statistics: Statistics) -> Iterator[dict[str, Any]]:
    """One row for each tool and size band, then one for each boundary tried."""
    for row in statistics.tools:
        yield {
            "tool": None if row.tool is None else path_text(row.tool),
            "size_band": str(row.band),
            "spilled": row.spilled,
            "read_back": row.read_back,
            "calls_later": row.calls_later,
            "seen_share": row.seen_share,
            "carried_tokens": row.carried_tokens,
            "linked": row.linked,
            "bytes": row.bytes,
            "chars_from": row.band.start,
            "chars_to": row.band.end,
        }
    for tried in statistics.sweep:
        yield {
            "boundary": tried.boundary.size,
            "unit": tried.boundary.unit,
            "spills": tried.spills,
            "read_backs": tried.read_backs,
            "tokens_kept_out": tried.tokens_kept_out,
            "whole": tried.whole,
            "complete": tried.complete,
        }
