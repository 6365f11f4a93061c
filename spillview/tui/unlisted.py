"""What was found and stands in no row yet: its totals are known from columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spillview.listing import Listing
from spillview.model import Artifact

GLIMPSE = 200
"""Sessions are taken into the first rows until they have so many artifacts."""

LARGEST = 2000
"""A session with more artifacts than that waits for the whole list."""


@dataclass(frozen=True, slots=True)
class Listed:
    """How many of the window's artifacts stand in the list so far."""

    done: int
    total: int

    def __str__(self) -> str:
        return f"listed {self.done:,} of {self.total:,}, ordering the rest"


@dataclass(frozen=True, slots=True)
class Unlisted:
    """The artifacts of the sessions that are not listed yet."""

    listing: Listing
    marks: Mapping[str, float]
    """When the person marked artifacts reviewed."""
    now: float

    def inside(self, since: float | None, opened: float | None) -> tuple[Listing, int]:
        """Those that the window shows, as `in_window` has it, and how many of its
        time were reviewed before it opened; without `since` all and none."""
        found = self.listing
        if since is None:
            return found, 0
        late = found.pick(i for i in range(len(found)) if found.created(i) >= since)
        if not self.marks:
            return late, 0
        shown = late.pick(i for i in range(len(late)) if self._shows(late, i, opened))
        return shown, len(late) - len(shown)

    def _shows(self, found: Listing, index: int, opened: float | None) -> bool:
        """Whether it was not reviewed, as it is now, before the window opened."""
        marked = self.marks.get(found.ident(index))
        if marked is None or (opened is not None and marked >= opened):
            return True
        return marked < found.changed(index) <= self.now


def glimpse(found: Listing) -> tuple[list[Artifact], Listing]:
    """The artifacts of the sessions that have the newest, and all others."""
    taken: list[Artifact] = []
    chosen: set[tuple[str, str]] = set()
    for key, members in found.groups().items():
        if len(taken) >= GLIMPSE:
            break
        if len(members) <= LARGEST:
            taken += members
            chosen.add(key)
    rest = (i for i in range(len(found)) if found.session(i) not in chosen)
    return taken, found.pick(rest)
