"""The artifacts of the queue: their gists in columns, each made when it is shown."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from threading import Lock
from typing import Any, overload

from spillview.catalogue.finds import Finds
from spillview.catalogue.gists import NEVER, PINNED, Gists
from spillview.catalogue.known_gists import Said, said_of
from spillview.catalogue.listing import BATCH, Listing, Table
from spillview.frozen import replace
from spillview.model import Artifact, Found
from spillview.space import Space

Group = tuple[str, str]
"""A harness, and a session as its layout calls it."""

KEPT = 4000
"""So many artifacts that were made are kept; all, where there are no more."""


class Shelf:
    """The artifacts that were made last; any thread may take and put them."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[str, Artifact] = OrderedDict()
        self.before: Shelf | None = None
        """Those of the scan before, which are shown until they are made anew."""
        self._lock = Lock()

    def put(self, artifact: Artifact) -> None:
        """Keep the newest facts of an artifact."""
        with self._lock:
            self._kept[artifact.id] = artifact
            self._kept.move_to_end(artifact.id)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def renew(self, artifact: Artifact) -> None:
        """Keep newer facts of an artifact that is kept, or where there is room."""
        with self._lock:
            if artifact.id in self._kept or len(self._kept) < self._most:
                self._kept[artifact.id] = artifact

    def add(self, artifacts: Iterable[Artifact]) -> None:
        """Keep these, unless newer facts of one are kept already."""
        for artifact in artifacts:
            if self.get(artifact.id) is None:
                self.put(artifact)

    def get(self, ident: str) -> Artifact | None:
        """The artifact of that id, if it is kept."""
        with self._lock:
            known = self._kept.get(ident)
            if known is not None:
                self._kept.move_to_end(ident)
            return known


def _nothing_said(group: Group) -> None:
    return None


class Ledger(Table):
    """A scan's columns with the gists of its artifacts, and those made last."""

    gists: Gists
    shelf: Shelf
    kept: Set[Group] = frozenset()
    """Sessions whose texts `said_in` gives."""
    said_in: Callable[[Group], dict[int, Said] | None] = _nothing_said

    @classmethod
    def over(
        cls,
        table: Table,
        gists: Gists,
        shelf: Shelf,
        kept: Set[Group],
        said_in: Callable[[Group], dict[int, Said] | None],
    ) -> Ledger:
        """The ledger of a scan's table."""
        finds, make = table.finds, table.make
        columns = (finds, gists.created, gists.sessions, make, gists)
        return cls(*columns, shelf, kept, said_in)

    @classmethod
    def of(cls, artifacts: Sequence[Artifact]) -> Ledger:
        """One that keeps all of these, each at its place."""
        gists = Gists([artifact.session for artifact in artifacts])
        shelf = Shelf(len(artifacts))
        known = {artifact.id: artifact for artifact in artifacts}
        for place, artifact in enumerate(artifacts):
            gists.take(place, artifact)
            shelf.put(artifact)
            if artifact.reviewed is not None:
                gists.reviewed[place] = artifact.reviewed

        def make(found: Sequence[Found]) -> list[Artifact]:
            return [known[item.id] for item in found]

        finds = Finds(artifact.found for artifact in artifacts)
        return cls(finds, gists.created, gists.sessions, make, gists, shelf)


class Members(Listing):
    """Artifacts of the queue in an order; what is asked of many is in their gists."""

    __slots__ = ("_space",)
    table: Ledger

    def __init__(self, table: Ledger, order: Iterable[int] | None = None) -> None:
        super().__init__(table, order)
        self._space: Space | None = None

    def of(self, order: Iterable[int]) -> Members:
        """Those at these places."""
        return Members(self.table, order)

    def pick(self, indices: Iterable[int]) -> Members:
        """Those at these indices, in this order."""
        return self.of(map(self.order.__getitem__, indices))

    @property
    def gists(self) -> Gists:
        """What the places of `order` lead to."""
        return self.table.gists

    # Artifacts

    @overload
    def __getitem__(self, index: int) -> Artifact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Artifact]: ...
    def __getitem__(self, index: int | slice) -> Artifact | list[Artifact]:
        if isinstance(index, slice):
            return self.made(self.order[index])
        [artifact] = self.made([self.order[index]])
        self.table.shelf.add([artifact])
        return artifact

    def __iter__(self) -> Iterator[Artifact]:
        for start in range(0, len(self), BATCH):
            yield from self.made(self.order[start : start + BATCH])

    def made(self, places: Sequence[int]) -> list[Artifact]:
        """The artifacts at these places: those kept, and others made anew."""
        known = [self._kept(place) for place in places]
        lacking = [p for p, kept in zip(places, known, strict=True) if kept is None]
        if lacking:
            finds = self.table.finds
            fresh = iter(self.table.make([finds[place] for place in lacking]))
            known = [next(fresh) if kept is None else kept for kept in known]
        return [
            self._marked(place, artifact)
            for place, artifact in zip(places, known, strict=True)
            if artifact is not None
        ]

    def known(self, place: int) -> Artifact | None:
        """The artifact at a place, if it need not be made."""
        kept = self._kept(place)
        return None if kept is None else self._marked(place, kept)

    def older(self, place: int) -> Artifact | None:
        """The artifact at a place as the scan before knew it."""
        before = self.table.shelf.before
        kept = before.get(self.gists.ident(place)) if before is not None else None
        return None if kept is None else self._marked(place, kept)

    def _kept(self, place: int) -> Artifact | None:
        return self.table.shelf.get(self.gists.ident(place))

    def _marked(self, place: int, artifact: Artifact) -> Artifact:
        """The artifact with the mark and the pin that it has now."""
        pinned = self.gists.bits[place] & PINNED != 0
        if pinned is not ("pinned" in artifact.flags):
            flags = tuple(flag for flag in artifact.flags if flag != "pinned")
            flags = (*flags, "pinned") if pinned else flags
            artifact = replace(artifact, flags=flags)
        when: float | None = self.gists.reviewed[place]
        when = None if when == NEVER else when
        if when == artifact.reviewed:
            return artifact
        return replace(artifact, reviewed=when)

    # Without making any

    @property
    def space(self) -> Space:
        """What all files hold and take of the disk, each once."""
        if self._space is None:
            # Very many names may be of one file, and this is asked at every drawing.
            finds, whole = self.table.finds, self.table.finds.whole()
            first: dict[object, int] = {}
            for place in self.order:
                key = (place,) if place in whole else finds.key(place)[:2]
                first.setdefault(key if key[-1] else (place,), place)
            self._space = finds.space(list(first.values()))
        return self._space

    def ident(self, index: int) -> str:
        """The id of one artifact."""
        return self.gists.ident(self.order[index])

    def index_of(self, ident: str) -> int | None:
        """Where the artifact of that id is."""
        place = self.gists.place_of(ident)
        try:
            return None if place is None else self.order.index(place)
        except ValueError:
            return None

    def idents(self) -> list[str]:
        """The ids of all."""
        return list(map(self.gists.ident, self.order))

    def where(self, admits: Callable[[int], Any]) -> Members:
        """Those whose places are admitted, in this order."""
        return self.of(array("i", filter(admits, self.order)))

    def values(self, fact: Callable[[Artifact], Any]) -> list[Any]:
        """A fact of each that its gist does not hold; they are made in batches."""
        return list(map(fact, self))

    def said(self) -> Iterator[Said]:
        """What texts say of each, as it is kept where it is; else they are made."""
        kept, said_in = self.table.kept, self.table.said_in
        group_of, before = self.table.finds.group, None
        known: dict[int, Said] | None = None
        lacking: list[int] = []
        for place in self.order:
            group = group_of(place)
            if group != before:
                before = group
                known = said_in(group) if group in kept else None
            if known is None or place not in known:
                lacking.append(place)
                if len(lacking) == BATCH:
                    yield from map(said_of, self.made(lacking))
                    lacking = []
                continue
            if lacking:
                yield from map(said_of, self.made(lacking))
                lacking = []
            yield known[place]
        yield from map(said_of, self.made(lacking))


class Changing(Sequence[Artifact]):
    """Artifacts of which some were put in another's place."""

    def __init__(self, artifacts: Sequence[Artifact]) -> None:
        self.given = artifacts
        self._changed: dict[int, Artifact] = {}

    def __len__(self) -> int:
        return len(self.given)

    @overload
    def __getitem__(self, index: int) -> Artifact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Artifact]: ...
    def __getitem__(self, index: int | slice) -> Artifact | list[Artifact]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        changed = self._changed.get(index)
        return self.given[index] if changed is None else changed

    def __setitem__(self, index: int, artifact: Artifact) -> None:
        self._changed[index] = artifact

    def __iter__(self) -> Iterator[Artifact]:
        for index, artifact in enumerate(self.given):
            yield self._changed.get(index, artifact)


class Mapped(Sequence[Artifact]):
    """Artifacts of a listing, each changed when it is made."""

    def __init__(
        self, given: Sequence[Artifact], change: Callable[[Artifact], Artifact]
    ) -> None:
        self.given, self.change = given, change

    def __len__(self) -> int:
        return len(self.given)

    def __iter__(self) -> Iterator[Artifact]:
        return map(self.change, self.given)

    @overload
    def __getitem__(self, index: int) -> Artifact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Artifact]: ...
    def __getitem__(self, index: int | slice) -> Artifact | list[Artifact]:
        if isinstance(index, slice):
            return list(map(self.change, self.given[index]))
        return self.change(self.given[index])
