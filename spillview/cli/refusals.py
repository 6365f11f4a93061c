"""What stayed where it was, and why: by name, or many of one reason together."""

from __future__ import annotations

from collections.abc import Iterable

from spillview.hints import TYPE_CHECKING
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.cli.streams import Streams

NAMED = 3
"""So many of one reason are told by their names."""


def tell_refusals(
    failed: Iterable[tuple[str, str]], stays: str, stay: str, streams: Streams
) -> None:
    """Say of each path why it `stays`, or of how many together that they `stay`."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in failed:
        by_reason.setdefault(reason, []).append(path)
    for reason, paths in by_reason.items():
        if len(paths) > NAMED:
            streams.error(f"{len(paths):,} artifacts {stay}: {path_text(reason)}")
            continue
        for path in paths:
            streams.error(f"{path_text(path)} {stays}: {path_text(reason)}")
