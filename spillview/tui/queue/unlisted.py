"""What was found and stands in no row yet: its totals are known from columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

from spillview.catalogue.listing import Listing
from spillview.frozen import Frozen
from spillview.model import Artifact

GLIMPSE = 200
"""Sessions are taken into the first rows until they have so many artifacts."""

LARGEST = 2000
"""A session with more artifacts than that waits for the whole list."""


class Listed(Frozen):
    """How many of the window's artifacts stand in the list so far."""

    done: int
    total: int

    def __str__(self) -> str:
        return f"listed {self.done:,} of {self.total:,}, ordering the rest"


class Behind(Frozen):
    """Totals of what a window shows of it."""

    artifacts: int = 0
    bytes: int = 0
    sessions: int = 0
    put_away: int = 0
    """How many more of the window's time were reviewed before it opened."""


class Unlisted(Frozen):
    """The artifacts of the sessions that are not listed yet."""

    sessions: Sequence[Listing]
    marks: Mapping[str, float]
    """When the person marked artifacts reviewed."""
    now: float

    def __len__(self) -> int:
        return sum(map(len, self.sessions))

    def inside(self, since: float | None, opened: float | None) -> Behind:
        """Those that the window shows, as `in_window` has it; all without `since`."""
        artifacts = size = sessions = late = 0
        for found in self.sessions:
            shown = found
            if since is not None:
                created = map(found.table.created.__getitem__, found.order)
                inside = [at >= since for at in created]
                if not all(inside):
                    shown = found.pick(compress(range(len(found)), inside))
                late += len(shown)
                if self.marks:
                    places = range(len(shown))
                    shown = shown.pick(i for i in places if self._has(shown, i, opened))
            if shown:
                artifacts += len(shown)
                size += shown.bytes
                sessions += 1
        put_away = 0 if since is None else late - artifacts
        return Behind(artifacts, size, sessions, put_away)

    def _has(self, found: Listing, index: int, opened: float | None) -> bool:
        """Whether it was not reviewed, as it is now, before the window opened."""
        marked = self.marks.get(found.ident(index))
        if marked is None or (opened is not None and marked >= opened):
            return True
        return marked < found.changed(index) <= self.now


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
