"""What a plan must know of very many artifacts, in columns.

A `Standing` is made when one is asked for, of its directory entry and what is known
of its session: no content, no transcript and no artifact with all its facts is held.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from spillview.cleanup.standing import Standing
from spillview.cleanup.words import Words
from spillview.model import Artifact, Found

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing

NONE = -1
"""Stands for what is not known for sure."""


class Standings(Sequence[Standing]):
    """What a plan must know of the artifacts of a listing, in its order."""

    def __init__(
        self,
        listing: Listing,
        projects: Sequence[str | None],
        linked: Sequence[int],
        order: array[int] | None = None,
    ) -> None:
        """`projects` and `linked` of each of the listing's artifacts."""
        number = len(listing)
        self.listing, self.projects, self.linked = listing, projects, linked
        self.order = array("i", range(number)) if order is None else order
        """Indices into the columns."""
        self._words = Words()
        self._active = array("d", [math.nan]) * number
        self._named = array("d", [math.nan]) * number
        self._why = [array("i", [NONE]) * number for _ in range(3)]
        """Why it is pinned, live, foreign."""
        self._orphan = array("b", [NONE]) * number

    def put(
        self,
        index: int,
        active: float | None,
        named: float | None,
        why: tuple[str | None, str | None, str | None],
        orphan: bool | None,
    ) -> None:
        """What is known of one; `why` it is pinned, needed, foreign."""
        if active is not None:
            self._active[index] = active
        if named is not None:
            self._named[index] = named
        for column, text in zip(self._why, why, strict=True):
            if text is not None:
                column[index] = self._words.add(text)
        if orphan is not None:
            self._orphan[index] = orphan

    def pick(self, indices: Iterable[int]) -> Standings:
        """Those at these indices, in this order."""
        order = array("i", map(self.order.__getitem__, indices))
        some = object.__new__(Standings)
        some.__dict__ |= self.__dict__ | {"order": order}
        return some

    def found(self, index: int) -> Found:
        """The directory entry of one."""
        listing = self.listing
        return listing.table.finds[listing.order[self.order[index]]]

    def index_of(self, ident: str) -> int | None:
        """Where the artifact of that id is among all."""
        return self.listing.index_of(ident)

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Standing]:
        return map(self._made, self.order)

    @overload
    def __getitem__(self, index: int) -> Standing: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Standing]: ...
    def __getitem__(self, index: int | slice) -> Standing | Sequence[Standing]:
        if isinstance(index, slice):
            return self.pick(range(*index.indices(len(self))))
        return self._made(self.order[index])

    def _made(self, at: int) -> Standing:
        pinned, live, foreign = (
            None if column[at] == NONE else self._words[column[at]]
            for column in self._why
        )
        orphan = self._orphan[at]
        return Standing(
            outline(self.listing, at, self.projects[at]),
            _known(self._active[at]),
            _known(self._named[at]),
            pinned,
            live,
            foreign,
            None if orphan == NONE else bool(orphan),
            self.listing.created(at),
        )


def _known(time: float) -> float | None:
    return None if math.isnan(time) else time


def outline(listing: Listing, index: int, project: str | None) -> Artifact:
    """An artifact as far as a plan asks: its entry, its project, its session."""
    place = listing.order[index]
    found = listing.table.finds[place]
    return Artifact(found, project=project, session=listing.table.sessions[place])


def projects_of(catalogue: Catalogue, listing: Listing) -> list[str | None]:
    """The real working folder of each, as transcripts or its store tell it.

    Where no transcript tells of a session any more, those beside it in the same
    folder of their store do.
    """
    projects: list[str | None] = []
    known: dict[tuple[str, str], set[str]] = {}
    lacking: list[tuple[int, tuple[str, str]]] = []
    for index, found in enumerate(listing.found()):
        project = catalogue.session_named(*listing.session(index))[0] or found.project
        projects.append(project)
        if found.project_slug is None:
            continue
        beside = (found.root, found.project_slug)
        if project is None:
            lacking.append((index, beside))
        else:
            known.setdefault(beside, set()).add(project)
    for index, beside in lacking:
        if len(known.get(beside, ())) == 1:
            [projects[index]] = known[beside]
    return projects


def linked_of(catalogue: Catalogue, listing: Listing) -> bytearray:
    """Whether a record holds the envelope of each; transcripts must have been read."""
    finds, records = listing.table.finds, catalogue.standing
    by_place = bytearray(len(finds))
    for group, places in finds.groups().items():
        sheet = records.sheets().get(group)
        if sheet is not None:
            for place, flag in zip(records.places(group), sheet.linked, strict=True):
                by_place[place] = flag
            continue
        for place in places:
            link = records.links.get(finds.ident(place))
            by_place[place] = link is not None and link.state == "linked"
    return bytearray(map(by_place.__getitem__, listing.order))
