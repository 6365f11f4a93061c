"""A synthetic night of several harnesses, to look at and to test with.

The files have the shapes that the harnesses write; people, projects and outputs are
invented. Times are relative to the moment given, everything else is the same each time.
"""

from __future__ import annotations

import os

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


def make_night(home: str, now: float) -> None:
    """Write the night below `home`, which serves as that night's home folder.

    Args:
        home: A folder that is empty, does not exist yet, or holds an earlier night.
        now: The morning after, in seconds since the epoch; all times lie before it.

    Raises:
        BadInput: `home` holds something else, has a name that is not UTF-8, or cannot
            be written.
    """
    if not home:
        raise BadInput("The demo needs a folder; the name given is empty.")
    try:
        home = os.path.abspath(home)
        home.encode()
        _claim(home)
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
    except UnicodeEncodeError:
        raise BadInput(
            f"The demo cannot be written to {path_text(home)}: its logs are UTF-8, "
            "and the folder's name is not."
        ) from None
    except OSError as error:
        reason = error.strerror or "it failed"
        raise BadInput(f"The demo cannot be written to {home}: {reason}.") from error


def _claim(home: str) -> None:
    """Make `home`, or make sure that it is ours: never write into a real home."""
    os.makedirs(home, mode=0o700, exist_ok=True)
    marker = os.path.join(home, MARKER)
    if os.listdir(home) and not os.path.lexists(marker):
        raise BadInput(
            f"{home} is not empty and holds no earlier demo; "
            "give a folder that is empty or does not exist yet."
        )
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(marker, flags, 0o600), "w", encoding="utf-8") as file:
        file.write("A synthetic night made by `spillview demo`; safe to delete.\n")
