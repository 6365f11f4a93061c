"""A synthetic night of several harnesses, to look at and to test with.

The files have the shapes that the harnesses write; people, projects and outputs are
invented. Times are relative to the moment given, everything else is the same each time.
"""

from __future__ import annotations

import os
import stat

from spillview.demo import (
    forge,
    growth,
    kisho,
    ledger,
    loose,
    mesh,
    review,
    storefront,
    yomimono,
)
from spillview.demo.night import MARKER, Night
from spillview.errors import BadInput
from spillview.text import path_text

__all__ = ["MARKER", "make_night"]


MADE = "A synthetic night made by `spillview demo`; safe to delete.\n"
MAKING = "A synthetic night that `spillview demo` has not finished; safe to delete.\n"
"""What the marker says of a whole night, and of one in the making."""


def make_night(home: str, now: float) -> bool:
    """Write the night below `home`, which serves as that night's home folder.

    A night that is there already stays as it is: two would mix. Gives whether one was
    written.

    Args:
        home: A folder that is empty, does not exist yet, or holds an earlier night.
        now: The morning after, in seconds since the epoch; all times lie before it.

    Raises:
        BadInput: `home` holds something else or half a night, has a name that is not
            UTF-8, or cannot be written.
    """
    if not home:
        raise BadInput("The demo needs a folder; the name given is empty.")
    try:
        home = os.path.abspath(home)
        home.encode()
        if _holds_night(home):
            return False
        _mark(home, MAKING)
        night = Night(home, now)
        for scene in (
            ledger,
            storefront,
            yomimono,
            mesh,
            review,
            kisho,
            forge,
            loose,
            growth,
        ):
            scene.write(night)
        _mark(home, MADE)
    except UnicodeEncodeError:
        raise BadInput(
            f"The demo cannot be written to {path_text(home)}: its logs are UTF-8, "
            "and the folder's name is not."
        ) from None
    except OSError as error:
        reason = error.strerror or "it failed"
        raise BadInput(f"The demo cannot be written to {home}: {reason}.") from error
    return True


def _holds_night(home: str) -> bool:
    """Whether `home` holds a whole night; else it is empty, and made where missing.

    Raises `BadInput` for whatever else it holds: never write into a real home.
    """
    os.makedirs(home, mode=0o700, exist_ok=True)
    if not os.listdir(home):
        return False
    said = _marked(home)
    if said == MADE:
        return True
    if said == MAKING:
        raise BadInput(
            f"{home} holds a demo night that was not finished; delete the folder, or"
            " give another one."
        )
    raise BadInput(
        f"{home} is not empty and holds no earlier demo; "
        "give a folder that is empty or does not exist yet."
    )


def _marked(home: str) -> str | None:
    """What the marker says; None where there is none of ours."""
    marker = os.path.join(home, MARKER)
    try:
        if not stat.S_ISREG(os.lstat(marker).st_mode):
            return None
        with open(marker, encoding="utf-8", errors="replace") as file:
            return file.read(len(MADE) + len(MAKING))
    except FileNotFoundError:
        return None


def _mark(home: str, words: str) -> None:
    """Write the marker."""
    marker = os.path.join(home, MARKER)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(marker, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(words)
