"""The key that pins what a clean-up must not take, and takes that back."""

from __future__ import annotations

from collections.abc import Callable

from textual.binding import Binding

from spillview.catalogue.catalogue import Catalogue
from spillview.errors import SpillError
from spillview.frozen import Frozen
from spillview.model import Artifact, Session
from spillview.tui.cleanup.undoing import sentence
from spillview.tui.queue.sessions import Run

MARK = "*"
"""What stands before a pinned row, and the key."""


def pin_binding(name: str) -> Binding:
    """The key, on the screen that calls itself so."""
    return Binding(
        "asterisk",
        "pin",
        "Pin",
        show=False,
        key_display=MARK,
        id=f"{name}.pin",
        tooltip="No clean-up takes it, or a whole session; again takes the pin back",
    )


class Pinning(Frozen):
    """What the key did, in words, and how to take it back."""

    words: str
    back: Callable[[], None] | None = None
    """None where nothing was changed."""
    undone: str = ""
    """What taking it back does, as a sentence."""


def is_pinned(row: Artifact | Session) -> bool:
    """Whether a row is drawn as pinned: a session when all it shows is."""
    if isinstance(row, Run):
        return row.pinned
    if isinstance(row, Session):
        return bool(row.artifacts) and all(map(is_pinned, row.artifacts))
    return "pinned" in row.flags


def turn_pin(catalogue: Catalogue, row: Artifact | Session) -> Pinning:
    """Pin an artifact or a whole session, or take its pin back."""
    from spillview.cleanup.pins import Pin, session_pin

    now = catalogue.now()
    if isinstance(row, Session):
        pin, what = session_pin(row.harness, row.id, now), "The session"
    else:
        pin, what = Pin(row.id, row.found.address, now), "It"
    pinned = catalogue.why_pinned(pin.id) is None
    if pinned and not isinstance(row, Session) and is_pinned(catalogue.with_pin(row)):
        return Pinning("Its session is pinned: unpin that to take it back.")
    words = (
        f"{what} is pinned: no clean-up takes {'any of it' if what != 'It' else 'it'}."
        if pinned
        else f"{what} is no longer pinned."
    )
    try:
        catalogue.set_pin(pin, pinned=pinned)
    except SpillError as error:
        return Pinning(sentence(error))
    return Pinning(
        words,
        lambda: catalogue.set_pin(pin, pinned=not pinned),
        f"{what} is no longer pinned." if pinned else f"{what} is pinned again.",
    )
