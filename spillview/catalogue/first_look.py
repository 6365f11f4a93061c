"""A first look at very many artifacts: the newest sessions, and totals of the others.

All of it may go from one process to another; see `ahead`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from spillview.catalogue import triage
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact, Session

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing
    from spillview.catalogue.query import Query
    from spillview.review.notes import Note

MANY = 3000
"""From so many artifacts on a first look without transcripts is worth its time."""

GLIMPSE = 100
"""Sessions are taken into the first rows until they have so many artifacts."""

LARGEST = 2000
"""A session with more artifacts than that waits for the whole list."""


class Window(Frozen):
    """What a queue shows at first: what is new since the last review."""

    last_review: float | None
    since: float | None
    """Where it begins; None where the query says so, or where everything is shown."""
    opened: float
    """When it was opened: what was reviewed before is left out."""

    @classmethod
    def of(cls, catalogue: Catalogue, query: Query, opened: float) -> Window:
        """The window of a queue that is opened now."""
        last = catalogue.last_review(query.paths)
        since = triage.night_start(last, opened) if query.since is None else None
        return cls(last, since, opened)


class Behind(Frozen):
    """Totals of artifacts that have no row yet."""

    artifacts: int = 0
    bytes: int = 0
    sessions: int = 0
    put_away: int = 0
    """How many more of the window's time were reviewed before it opened."""


class Unlisted(Frozen):
    """The artifacts of the sessions that are not listed yet."""

    every: Behind
    window: Behind
    """Those of them that are inside the window."""

    def __len__(self) -> int:
        return self.every.artifacts

    def inside(self, since: float | None) -> Behind:
        """Those that the window shows; all without `since`."""
        return self.every if since is None else self.window

    @classmethod
    def of(
        cls,
        sessions: Sequence[Listing],
        marks: Mapping[str, float],
        now: float,
        window: Window,
    ) -> Unlisted:
        """These; `marks`: when the person marked artifacts reviewed."""
        every = _totals((found, len(found)) for found in sessions)
        since, opened = window.since, window.opened
        if since is None:
            return cls(every, every)

        def shown(found: Listing) -> tuple[Listing, int]:
            created = map(found.table.created.__getitem__, found.order)
            late = [at >= since for at in created]
            if not all(late):
                found = found.pick(compress(range(len(found)), late))
            number = len(found)
            if marks:
                places = range(number)
                found = found.pick(i for i in places if has(found, i))
            return found, number

        def has(found: Listing, index: int) -> bool:
            """Whether it was not reviewed, as it is now, before the window opened."""
            marked = marks.get(found.ident(index))
            if marked is None or marked >= opened:
                return True
            return marked < found.changed(index) <= now

        return cls(every, _totals(map(shown, sessions)))


def _totals(sessions: Iterable[tuple[Listing, int]]) -> Behind:
    """Totals of what is shown of each session, and of how many that is."""
    artifacts = size = number = late = 0
    for shown, of in sessions:
        late += of
        if shown:
            artifacts += len(shown)
            size += shown.bytes
            number += 1
    return Behind(artifacts, size, number, late - artifacts)


def glimpse(found: Listing) -> tuple[list[Artifact], list[Listing]]:
    """The artifacts of the sessions that have the newest, and the other sessions."""
    taken: list[Artifact] = []
    rest: list[Listing] = []
    for members in found.groups().values():
        if len(taken) < GLIMPSE and len(members) <= LARGEST:
            taken += members
        else:
            rest.append(members)
    return taken, rest


class FirstLook(Frozen):
    """What a first frame shows."""

    sessions: Sequence[Session]
    """Worst first, as far as that is known."""
    rest: Unlisted | None
    """The others; None where these are all."""
    window: Window
    notes: Mapping[str, Note]

    @classmethod
    def of(cls, catalogue: Catalogue, found: Listing, window: Window) -> FirstLook:
        """The first of the last scan's artifacts.

        To put all in order takes every one to be made, which is long to wait for.
        """
        taken, others = glimpse(found)
        rest: Unlisted | None = None
        if others:
            marks, now = catalogue.reviewed(), catalogue.now()
            rest = Unlisted.of(others, marks, now, window)
        return cls(catalogue.sessions(taken), rest, window, catalogue.notes())
