"""The order of sessions and of their artifacts, by columns: none of them is made."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from spillview.catalogue import triage
from spillview.catalogue.gists import GROWING

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.gists import Gists
    from spillview.catalogue.listing import Listing


def worst_first(
    catalogue: Catalogue, listing: Listing, gists: Gists
) -> Iterator[array[int]]:
    """The places of each session's artifacts, in the order of `sessions.by_session`."""
    sessions = []
    for key, members in listing.groups().items():
        order = array("i", sorted(members.order, key=gists.worst_first))
        changed = max(map(gists.changed.__getitem__, order))
        growing = any(gists.bits[place] & GROWING for place in order)
        active = catalogue.session_of(key, (), changed, growing=growing).last_active
        ranks = bytes(map(gists.ranks.__getitem__, order))
        place = (
            all(map(gists.is_reviewed, order)),
            *(-ranks.count(rank) for rank in range(triage.Rank.OVER)),
            -sum(map(gists.unseen.__getitem__, order)),
            -(active or 0.0),
            *key,
        )
        sessions.append((place, order))
    return (order for _, order in sorted(sessions, key=itemgetter(0)))
