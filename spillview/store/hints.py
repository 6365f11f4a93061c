"""How the model gets at a spill: a sentence that fits its text."""

from __future__ import annotations

from spillview.store.encoding import pieces
from spillview.store.tally import LONG

BY_LINE = (
    "Read it by lines with offset/limit, or search it:"
    " `spillview grep PATTERN` and this path."
)
BY_CHAR = (
    "It cannot be paged by line: read it with `spillview show` and this path,"
    " --unit char --offset N --limit N,"
    " or search it with `spillview grep PATTERN` and this path."
)


def hint(*, pages_by_line: bool) -> str:
    """The retrieval hint of a text that can, or cannot, be paged by lines."""
    return BY_LINE if pages_by_line else BY_CHAR


def pages_by_line(text: str) -> bool:
    """What `Tally.pages_by_line` says of a text once it is stored."""
    if not 0 <= text.find("\n") < len(text) - 1:
        return False
    since = 0
    for piece in pieces(text):
        at = 0
        while True:
            room = LONG - since
            end = piece.rfind(b"\n", at, at + room)
            if end < 0:
                break
            at, since = end + 1, 0
        if len(piece) - at > room:
            return False
        since += len(piece) - at
    return True
