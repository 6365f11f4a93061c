"""What is gathered of one scan: gists that fill up, and the sessions they make."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.gists import GROWING, Gists
from spillview.catalogue.known_gists import Said, said_of
from spillview.catalogue.listing import Listing
from spillview.crews import quiet_crew
from spillview.model import Artifact
from spillview.tui.queue.members import Group, Ledger, Members, Shelf
from spillview.tui.queue.sessions import Run, in_order

READY = 100
"""So many artifacts are made before a first frame."""


class Held:
    """The artifacts of a scan, completed one after the other, by session.

    Only the thread that gathers changes the gists, but for the person's marks. A
    screen that draws them meanwhile sees newer facts in the order of older ones.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        listing: Listing,
        expect: Callable[[int], object] = lambda number: None,
    ) -> None:
        """`expect` is told how many artifacts have to be made, before they are."""
        self._catalogue = catalogue
        shelf = Shelf()
        self._gists, self._complete = catalogue.gists(listing, shelf.renew, expect)
        self._kept = set(self._complete)
        self.ledger = Ledger.over(
            listing.table, self._gists, shelf, self._kept, self._said_in
        )
        self._of_group = listing.table.finds.groups()
        self._order = listing.order
        self._places: dict[tuple[str, str], array[int]] = {}
        """The places of each session's artifacts, by harness and true id."""
        for place in listing.order:
            self._places.setdefault(self._group(place), array("i")).append(place)
        self._runs: dict[tuple[str, str], Run] = {}
        self._stale = set(self._places)
        """Sessions of which an artifact changed since they were last in order."""
        self._said: dict[int, Said] = {}
        """Texts of artifacts of sessions that are not complete yet."""
        self._fresh: set[Group] = set()
        """Sessions, as the layout calls them, whose gists may be worth keeping."""

    def _group(self, place: int) -> tuple[str, str]:
        return self.ledger.finds.harness(place), self._gists.sessions[place]

    def _said_in(self, group: Group) -> dict[int, Said] | None:
        """What is kept of a session's texts, by place."""
        said, places = self._catalogue.said_in(group), self._of_group[group]
        if said is None or len(said) != len(places):
            return None
        return dict(zip(places, said, strict=True))

    # Completing

    def make_ready(
        self, runs: Iterable[Run], first: Callable[[Gists], Callable[[int], bool]]
    ) -> None:
        """Make what is likely to be in sight at first: the first that are admitted."""
        is_first = first(self._gists)
        places = (place for run in runs for place in run.artifacts.order)
        members = Members(self.ledger, islice(filter(is_first, places), READY))
        self.ledger.shelf.add(members)

    def lacking(self, first: Callable[[Gists], Callable[[int], bool]]) -> Members:
        """What is to be completed; those whose places `first` admits before others."""
        is_first, group = first(self._gists), self.ledger.finds.group
        near, far = array("i"), array("i")
        for place in self._order:
            if group(place) not in self._complete:
                (near if is_first(place) else far).append(place)
        return Members(self.ledger, near + far)

    def complete(
        self, members: Members, cancelled: Callable[[], bool]
    ) -> Iterator[Artifact]:
        """Each of these complete, and others where a link came to be another."""
        complete = partial(self._catalogue.complete, cancelled=cancelled)
        crew = quiet_crew(len(members), members.bytes)
        yield from complete(members, crew=crew)
        is_open, group = self._catalogue.is_open, self.ledger.finds.group
        opened = {each for each in self._complete if is_open(each)}
        if opened and not cancelled():
            places = (p for p in self._order if group(p) in opened)
            yield from complete(members.of(places))

    def take(self, artifact: Artifact) -> bool:
        """Take over the facts of a completed artifact; whether it is the first time."""
        place = self._gists.place_of(artifact.id)
        if place is None:
            return False
        before = self._group(place)
        self._gists.take(place, artifact)
        self._said[place] = said_of(artifact)
        self.ledger.shelf.renew(artifact)
        group = self._group(place)
        if group != before:
            self._places[before].remove(place)
            self._places.setdefault(group, array("i")).append(place)
        self._stale |= {before, group}
        self._fresh.add(self.ledger.finds.group(place))
        self._kept.discard(self.ledger.finds.group(place))
        first_time = not self._gists.done[place]
        self._gists.done[place] = True
        return first_time

    # The sessions

    def ordered(self, *, anew: bool = False) -> list[Run]:
        """The sessions worst first, each with its worst artifacts first.

        `anew`: with what is known now of every session, not of those that changed.
        """
        self._keep()
        for group in list(self._places) if anew else self._stale:
            places = self._places[group]
            if places:
                self._runs[group] = self._run(group, Members(self.ledger, places))
            else:
                self._runs.pop(group, None)
                del self._places[group]
        self._stale.clear()
        return in_order(self._runs.values())

    def _keep(self) -> None:
        """Keep the gists of sessions that came to be complete."""

        def said(places: Sequence[int]) -> list[Said]:
            lacking = [place for place in places if place not in self._said]
            made = Members(self.ledger, lacking)
            self._said.update(zip(lacking, map(said_of, made), strict=True))
            return [self._said[place] for place in places]

        done = self._gists.done
        complete = {
            group
            for group in self._fresh
            if all(done[place] for place in self._of_group[group])
        }
        self._kept |= self._catalogue.keep_gists(self._gists, complete, said)
        self._fresh -= complete
        for group in complete:
            for place in self._of_group[group]:
                self._said.pop(place, None)

    def _run(self, group: tuple[str, str], members: Members) -> Run:
        changed, bits = self._gists.changed, self._gists.bits
        session = self._catalogue.session_of(
            group,
            members,
            max(map(changed.__getitem__, members.order)),
            growing=any(bits[place] & GROWING for place in members.order),
        )
        return Run.worst_first(session, members)
