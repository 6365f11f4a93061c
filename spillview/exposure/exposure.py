"""Who else can read, plant or swap what lies in a store: facts, and what to do.

Nothing is opened here. Each fact is of one kind, has a path where it shows, and says
how many artifacts it is of.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from spillview.exposure.facts import Exposure, Kind
from spillview.exposure.files import Files, passed
from spillview.exposure.folders import of_folder, of_folders
from spillview.exposure.people import others_in

if TYPE_CHECKING:
    from spillview.discovery.entries import StoreFound
    from spillview.model import Found
    from spillview.profiles.profile import Profile

__all__ = ["Exposure", "exposures", "forget"]


def exposures(
    stores: Sequence[StoreFound],
    artifacts: Iterable[Found],
    profiles: Mapping[str, Profile],
    uid: int,
) -> Iterator[Exposure]:
    """Every exposure of these artifacts and of the folders they lie in.

    World-readable files and files of other owners are told of elsewhere: an entry
    alone says so. Nothing where the system has no owners (`uid` below 0).
    """
    if uid < 0:
        return
    roots = [os.path.realpath(store.root) for store in stores]
    files: dict[tuple[str, str], Files] = {}
    for found in artifacts:
        key = (found.harness, found.root)
        of_store = files.get(key)
        if of_store is None:
            of_store = files[key] = Files(roots)
        of_store.take(found)
    told: set[tuple[Kind, str]] = set()
    for store in stores:
        mine = files.get((store.harness, store.root)) or Files(roots)
        facts = [*mine.facts(store.harness)]
        facts += of_folders(store, mine.folders, profiles.get(store.harness), uid)
        for fact in facts:
            # A folder above several stores is told of once.
            if fact.number or (fact.kind, fact.path) not in told:
                told.add((fact.kind, fact.path))
                yield fact


def forget() -> None:
    """Look at every folder anew."""
    for cached in (of_folder, passed, others_in):
        cached.cache_clear()
