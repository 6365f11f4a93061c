"""The findings of a report, which may be very many: each is made when asked for.

What orders and counts them stands in columns. What is no artifact's (a lost call, what
is exposed as a whole, the disk) is kept as it is.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from operator import not_
from typing import overload

from spillview.catalogue.listing import BATCH, Listing
from spillview.report.findings import SECTIONS, Finding, Run, Section

_NUMBERS: dict[Section, int] = {section: n for n, section in enumerate(SECTIONS)}
_NAMES = list(SECTIONS)

Wanted = tuple[int, Section]
"""An artifact's place in the scan, and what is to be said of it."""


class Entries:
    """What the findings of one report share; each is known by a number."""

    def __init__(
        self,
        listing: Listing,
        make: Callable[[Sequence[Wanted]], list[Finding]],
        run: Callable[[str, str], Run],
    ) -> None:
        """`make` gives the findings about artifacts at these places, `run` the session
        of a harness and id."""
        self.listing, self.make, self.run = listing, make, run
        self.sections = bytearray()
        self.went_on = bytearray()
        self.places = array("i")
        """Where the artifact is; of another one -1 less its place in `others`."""
        self.others: list[Finding] = []

    def add(self, place: int, section: Section, *, went_on: bool = False) -> int:
        """One about an artifact; gives its number."""
        self.sections.append(_NUMBERS[section])
        self.went_on.append(went_on)
        self.places.append(place)
        return len(self.places) - 1

    def put(self, finding: Finding) -> int:
        """One that is made already; gives its number."""
        self.others.append(finding)
        went_on = finding.went_on
        return self.add(-len(self.others), finding.section, went_on=went_on)

    def of(self, numbers: Iterable[int]) -> list[Finding]:
        """The findings of these numbers."""
        wanted = list(numbers)
        places = [self.places[number] for number in wanted]
        made = iter(
            self.make(
                [
                    (place, _NAMES[self.sections[number]])
                    for number, place in zip(wanted, places, strict=True)
                    if place >= 0
                ]
            )
        )
        return [next(made) if p >= 0 else self.others[-1 - p] for p in places]


class Findings(Sequence[Finding]):
    """Some of them in an order."""

    def __init__(self, entries: Entries, order: Iterable[int]) -> None:
        self.entries = entries
        self.order = array("i", order)
        """Their numbers."""

    # Narrowed

    def of(self, section: Section) -> Findings:
        """Those of one section."""
        number = _NUMBERS[section]
        sections = self.entries.sections
        return self._where(lambda each: sections[each] == number)

    def that_went_on(self, went_on: bool) -> Findings:
        """Those after which the agent went on, or not."""
        known = self.entries.went_on
        return self._where(lambda each: bool(known[each]) is went_on)

    def _where(self, admits: Callable[[int], bool]) -> Findings:
        return Findings(self.entries, compress(self.order, map(admits, self.order)))

    def apart(self, admits: Callable[[Finding], bool]) -> tuple[Findings, Findings]:
        """Those that are not admitted, and those that are; each is made once."""
        admitted = bytearray(map(admits, self))
        others = compress(self.order, map(not_, admitted))
        return (
            Findings(self.entries, others),
            Findings(self.entries, compress(self.order, admitted)),
        )

    def none(self) -> Findings:
        """None of them."""
        return Findings(self.entries, ())

    def by_run(self) -> list[tuple[Run, Findings]]:
        """By session, in the order of each one's first."""
        runs: dict[tuple[str, str], array[int]] = {}
        for number in self.order:
            key = self._session(number)
            if key is not None:
                runs.setdefault(key, array("i")).append(number)
        return [
            (self._run(numbers[0]), Findings(self.entries, numbers))
            for numbers in runs.values()
        ]

    def _run(self, number: int) -> Run:
        entries, place = self.entries, self.entries.places[number]
        if place >= 0:
            table = entries.listing.table
            return entries.run(table.finds.harness(place), table.sessions[place])
        run = entries.others[-1 - place].run
        assert run is not None  # it has a session
        return run

    def _session(self, number: int) -> tuple[str, str] | None:
        entries, place = self.entries, self.entries.places[number]
        if place < 0:
            run = entries.others[-1 - place].run
            return (run.harness, run.id) if run is not None else None
        table = entries.listing.table
        return table.finds.harness(place), table.sessions[place]

    # Single facts, without making anything

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Id and address of each artifact, once."""
        finds = self.entries.listing.table.finds
        places = dict.fromkeys(self.entries.places[n] for n in self.order)
        return ((finds.ident(p), finds.address(p)) for p in places if p >= 0)

    def idents(self) -> Iterator[str]:
        """The id of each artifact, once."""
        return (ident for ident, _ in self.addresses())

    def stores(self) -> set[tuple[str, str]]:
        """Harness and root of each store that their artifacts lie in."""
        finds = self.entries.listing.table.finds
        places = {self.entries.places[number] for number in self.order}
        stores = {(finds.harness(p), finds.root(p)) for p in places if p >= 0}
        others = (self.entries.others[-1 - p].artifact for p in places if p < 0)
        return stores | {(o.found.harness, o.found.root) for o in others if o}

    def sessions(self) -> set[str]:
        """The ids of their sessions."""
        keys = map(self._session, self.order)
        return {key[1] for key in keys if key is not None}

    def number_of(self, mark: str) -> int | None:
        """Where the first about the artifact, or call, of that mark stands."""
        from spillview.review.reviewed import call_mark

        finds = self.entries.listing.table.finds
        index = self.entries.listing.index_of(mark)
        place = None if index is None else self.entries.listing.order[index]
        if place is not None and finds.ident(place) == mark:
            return next(
                (
                    n
                    for n, e in enumerate(self.order)
                    if self.entries.places[e] == place
                ),
                None,
            )
        for at, number in enumerate(self.order):
            place = self.entries.places[number]
            call = self.entries.others[-1 - place].call if place < 0 else None
            if call is not None and call_mark(call) == mark:
                return at
        return None

    def artifacts(self) -> Listing:
        """The artifacts that these are about, each once, in this order."""
        places = dict.fromkeys(self.entries.places[n] for n in self.order)
        return self.entries.listing.of(place for place in places if place >= 0)

    # As a sequence

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Finding]:
        for start in range(0, len(self.order), BATCH):
            yield from self.entries.of(self.order[start : start + BATCH])

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Findings: ...
    def __getitem__(self, index: int | slice) -> Finding | Findings:
        if isinstance(index, slice):
            return Findings(self.entries, self.order[index])
        [finding] = self.entries.of([self.order[index]])
        return finding

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # it equals a list of the same


def _nothing() -> Listing:
    from spillview.catalogue.finds import Finds
    from spillview.catalogue.listing import Table

    return Listing(Table(Finds(), array("d"), [], lambda found: ()))


NOTHING = _nothing()
"""A listing without artifacts."""


class Covered(Sequence[tuple[str, float]]):
    """Marks of everything a report speaks of, each with the time of its last change."""

    def __init__(
        self, idents: array[int], times: array[float], calls: list[tuple[str, float]]
    ) -> None:
        """`idents` are the ids of artifacts as numbers."""
        self._idents, self._times, self._calls = idents, times, calls

    def __len__(self) -> int:
        return len(self._idents) + len(self._calls)

    @overload
    def __getitem__(self, index: int) -> tuple[str, float]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, float]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> tuple[str, float] | list[tuple[str, float]]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        if at < len(self._idents):
            return f"{self._idents[at]:016x}", self._times[at]
        return self._calls[at - len(self._idents)]
