"""What a person wrote about an artifact or a session."""

from __future__ import annotations

from spillview.frozen import Frozen
from spillview.hints import Literal

About = Literal["artifact", "session"]

LONGEST_NOTE = 10_000
"""Chars of a note."""


class Note(Frozen):
    """What a person wrote about an artifact or a session."""

    id: str
    """The artifact's id, or the mark by which its session is known."""
    about: About
    place: str
    """The artifact's address, or the session's id: said when it is gone."""
    text: str
    when: float
    """Seconds since the epoch."""
