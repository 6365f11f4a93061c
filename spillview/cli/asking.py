"""Asking a person before something that cannot be taken back."""

from __future__ import annotations

import sys

from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.cli.streams import Streams


def answers() -> bool:
    """Whether somebody sits there who can be asked."""
    try:
        return bool(sys.stdin and sys.stdin.isatty() and sys.stderr.isatty())
    except (AttributeError, ValueError, OSError):
        return False


def agreed(streams: Streams, question: str) -> bool:
    """Whether the person says yes; anything else, or silence, means no."""
    from spillview.text import printable

    streams.flush()
    sys.stderr.write(f"{printable(question)} [y/N] ")
    sys.stderr.flush()
    try:
        answer = sys.stdin.readline()
    except (OSError, ValueError):
        return False
    return answer.strip().lower() in ("y", "yes")
