"""The errors the core raises; each is one plain sentence for a person."""

from __future__ import annotations


class SpillError(Exception):
    """Base of every error spillview raises on purpose; shown without a traceback."""

    exit_code = 2


class BadInput(SpillError):
    """The user asked for something that cannot be done as written."""


class Unreadable(SpillError):
    """One file or folder could not be read; the others still can."""


class ArtifactGone(Unreadable):
    """The artifact was deleted, replaced or truncated since it was listed."""


class NotRegular(Unreadable):
    """The path is a FIFO, socket, device, folder or link, which is never opened."""


class BadProfile(SpillError):
    """A harness profile file does not say what it must."""


class PastEnd(SpillError):
    """A page was asked for that begins after the artifact's end."""

    exit_code = 1


class Cancelled(SpillError):
    """Work was stopped because nobody waits for it any more; nothing is to be said."""
