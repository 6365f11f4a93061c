"""Where marks and notes are kept: said of a made night, which has two such places."""

from __future__ import annotations

import os

from spillview.hints import TYPE_CHECKING
from spillview.places import DEMO_MARKER
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query


def marks_kept(catalogue: Catalogue, query: Query) -> str | None:
    """Where marks made now are kept, where that is not plain; None where it is.

    `demo DIR` keeps them in DIR, and everything that is given DIR as a PATH with the
    person's own.
    """
    own = path_text(catalogue.places.state_dir)
    home = catalogue.places.home
    if not query.paths and _is_night(home):
        named = path_text(home)
        return (
            f"marks made here are kept in this night ({own}); `spillview {named}` and"
            f" `spillview review {named}` keep theirs with your own"
        )
    nights = [path for path in query.paths if _is_night(path)]
    if not nights:
        return None
    return (
        f"marks of this made night are kept with your own, in {own}; those made in"
        f" `spillview demo {path_text(nights[0])}` stay in the night"
    )


def marks_kept_in_short(catalogue: Catalogue, query: Query) -> str | None:
    """The same in few words, for a line that has little room."""
    if marks_kept(catalogue, query) is None:
        return None
    own = not query.paths and _is_night(catalogue.places.home)
    return "marks stay in this night" if own else "marks go to your own"


def _is_night(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, DEMO_MARKER))
