"""Very many artifacts in an order: each is made when it is asked for, and let go.

What orders and narrows them stands in columns: times, sizes, names, sessions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, count, islice
from operator import eq, neg

from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Any, overload
from spillview.model import Artifact, Found, Link

if TYPE_CHECKING:
    from spillview.catalogue.finds import Finds
    from spillview.links.standing import Standing
    from spillview.space import Space

BATCH = 256
"""So many artifacts are made at once where all of them are gone through."""


class Table(Frozen):
    """What the listings of one scan share."""

    finds: Finds
    created: array[float]
    """The call's time, else the file's, seconds since the epoch, by place."""
    sessions: list[str]
    """The true session id once known; before that what the layout gives."""
    make: Callable[[Sequence[Found]], Iterable[Artifact]]


class Listing(Sequence[Artifact]):
    """Artifacts of one scan in an order; a slice of it is the window to show."""

    __slots__ = ("_index", "order", "table")

    def __init__(self, table: Table, order: Iterable[int] | None = None) -> None:
        self.table = table
        places = range(len(table.finds)) if order is None else order
        self.order = array("i", places)
        """The places of its artifacts in the scan."""
        self._index: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> Artifact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Artifact]: ...
    def __getitem__(self, index: int | slice) -> Artifact | list[Artifact]:
        if isinstance(index, slice):
            finds = self.table.finds
            return list(self.table.make([finds[p] for p in self.order[index]]))
        [artifact] = self.table.make([self.table.finds[self.order[index]]])
        return artifact

    def __iter__(self) -> Iterator[Artifact]:
        for start in range(0, len(self), BATCH):
            yield from self[start : start + BATCH]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # it equals a list of the same

    def found(self) -> Iterator[Found]:
        """The directory entry of each, in this order; no artifact is made."""
        return map(self.table.finds.__getitem__, self.order)

    # Single facts, without making anything

    def ident(self, index: int) -> str:
        """The id of one artifact."""
        return self.table.finds.ident(self.order[index])

    def address(self, index: int) -> str:
        """The path of one artifact, and behind a NUL the row."""
        return self.table.finds.address(self.order[index])

    def index_of(self, ident: str) -> int | None:
        """Where the artifact of that id is; a dict is built at the first call."""
        if self._index is None:
            finds = self.table.finds
            self._index = {finds.ident(p): i for i, p in enumerate(self.order)}
        return self._index.get(ident)

    def addresses(self) -> Iterator[tuple[str, str]]:
        """The id and the address of each."""
        finds = self.table.finds
        return ((finds.ident(place), finds.address(place)) for place in self.order)

    def created(self, index: int) -> float:
        """When it was made, seconds since the epoch."""
        return self.table.created[self.order[index]]

    def size(self, index: int) -> int:
        """Bytes of its file."""
        return self.table.finds.sizes[self.order[index]]

    def changed(self, index: int) -> float:
        """Its file's mtime, seconds since the epoch; a link's of what it points at."""
        return self.table.finds.mtimes[self.order[index]] / 1e9

    def group(self, index: int) -> tuple[str, str]:
        """Its harness and the session that the layout gives."""
        return self.table.finds.group(self.order[index])

    def session(self, index: int) -> tuple[str, str]:
        """Its harness and true session."""
        place = self.order[index]
        return self.table.finds.harness(place), self.table.sessions[place]

    @property
    def space(self) -> Space:
        """What all files hold and take of the disk, each once."""
        return self.table.finds.space(self.order)

    @property
    def bytes(self) -> int:
        """Bytes of all files, each once."""
        return self.table.finds.held(self.order)

    # Other listings of the same

    def pick(self, indices: Iterable[int]) -> Listing:
        """Those at these indices, in this order."""
        order = self.order
        return Listing(self.table, [order[index] for index in indices])

    def newest_first(self) -> Listing:
        """By time, newest first; of one time by address."""
        by_address = self.table.finds.by_address
        created = self.table.created.tolist()
        places = sorted(self.order, key=created.__getitem__, reverse=True)
        times = list(map(created.__getitem__, places))
        end = 0
        for start in compress(count(), map(eq, times, islice(times, 1, None))):
            if start < end:
                continue
            end = bisect_right(times, -times[start], start, key=neg)
            places[start:end] = by_address(places[start:end])
        return Listing(self.table, places)

    def by_group(self) -> Listing:
        """Those of a session, as the layout calls it, one after the other."""
        held: dict[tuple[str, str], array[int]] = {}
        for place in self.order:
            held.setdefault(self.table.finds.group(place), array("i")).append(place)
        return self.of(chain.from_iterable(held.values()))

    def of(self, order: Iterable[int]) -> Listing:
        """Those at these places of the scan, in this order."""
        return Listing(self.table, order)

    def sorted(self, name: str) -> Listing:
        """In the order of a `triage.SORT_KEYS` name; what is alike stays as it was."""
        finds, table = self.table.finds, self.table
        keys: dict[str, Callable[[int], Any]] = {
            "age": lambda place: -table.created[place],
            "bytes": lambda place: -finds.sizes[place],
            "harness": lambda place: finds.harness(place).casefold(),
            "name": lambda place: finds.name(place).casefold(),
            "path": lambda place: finds.address(place).replace("\0", "#").casefold(),
            "session": lambda place: table.sessions[place].casefold(),
        }
        if name in keys:
            return Listing(table, sorted(self.order, key=keys[name]))
        from spillview.catalogue.triage import SORT_KEYS

        values = list(map(SORT_KEYS[name], self))
        return self.pick(sorted(range(len(values)), key=values.__getitem__))

    def with_prefix(self, prefix: str) -> list[Artifact]:
        """The artifacts whose id begins so; the one whose whole id it is, if any."""
        ident = self.table.finds.ident
        hits = [i for i, p in enumerate(self.order) if ident(p).startswith(prefix)]
        exact = [i for i in hits if self.ident(i) == prefix]
        return list(self.pick(exact or hits))

    def named(self, name: str) -> list[Artifact]:
        """The artifacts whose file (or row) has that name."""
        names = self.table.finds.name
        return list(self.pick(i for i, p in enumerate(self.order) if names(p) == name))

    def called(self, word: str) -> Listing:
        """Those of that harness, and those of that name."""
        finds = self.table.finds
        return self.pick(
            index
            for index, place in enumerate(self.order)
            if word in (finds.harness(place), finds.name(place))
        )

    def groups(self) -> dict[tuple[str, str], Listing]:
        """By harness and true session, each in this order."""
        finds, sessions = self.table.finds, self.table.sessions
        held: dict[tuple[str, str], list[int]] = {}
        for place in self.order:
            held.setdefault((finds.harness(place), sessions[place]), []).append(place)
        return {key: Listing(self.table, places) for key, places in held.items()}


def table_of(
    finds: Finds,
    link: Callable[[Found], Link | None],
    make: Callable[[Sequence[Found]], Iterable[Artifact]],
    records: Standing | None,
) -> Table:
    """The columns of these artifacts, as far as they are known.

    `records`: what is known by sessions, where these are what it was started with.
    """
    created = array("d", bytes(8 * len(finds)))
    sessions = finds.sessions()

    def by_file(places: Iterable[int]) -> None:
        mtimes = finds.mtimes
        for place in places:
            created[place] = mtimes[place] / 1e9

    def learn(place: int, link: Link | None) -> None:
        envelope = link.envelope if link is not None else None
        if envelope is not None:
            sessions[place] = envelope.session
            if envelope.time is not None:
                created[place] = envelope.time

    if records is None:
        by_file(range(len(finds)))
        for place, item in enumerate(finds):
            learn(place, link(item))
        return Table(finds, created, sessions, make)
    untold = bytearray(b"\1") * len(finds)
    for group, sheet in records.sheets().items():
        places = records.places(group)
        if isinstance(places, range):
            created[places.start : places.stop] = sheet.created
            untold[places.start : places.stop] = bytes(len(places))
        else:
            for place, time in zip(places, sheet.created, strict=True):
                created[place] = time
                untold[place] = 0
        if sheet.session != group[1]:
            for place in compress(places, sheet.linked):
                sessions[place] = sheet.session
    by_file(compress(range(len(finds)), untold))
    for group, items in records.opened():
        for place, item in zip(records.places(group), items, strict=True):
            learn(place, records.links.get(item.id))
    return Table(finds, created, sessions, make)
