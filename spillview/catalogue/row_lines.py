"""The lines of `ls --json`: most are known as lines, and no artifact is made for them.

Lines of whole sessions that were counted and linked are kept by the cache, see
`kept_lines`; files of one folder of which nothing is known but their entries have lines
that are alike but for a few fields, see `alike_lines`. All others are made from their
artifacts.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from spillview.catalogue.kept_lines import Lines, dump
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.finds import Finds
    from spillview.catalogue.listing import Listing
    from spillview.links.sheets import Group
    from spillview.model import Artifact

FIRST = 256
"""The lines of so many artifacts are looked up together at first."""

WINDOW = 16_384
"""And of so many later: where sessions alternate, each is loaded once for them."""

Completing = Callable[["Listing"], Iterable["Artifact"]]
"""Gives each artifact of a listing in its order, as complete as it is to be."""


def row_lines(
    catalogue: Catalogue, listing: Listing, completing: Completing, *, complete: bool
) -> Iterator[tuple[bytes, bool]]:
    """The lines of artifacts in their order, and whether one could not be read.

    One line at a time, or all those of a session that stand together.
    `complete`: whether `completing` counts and links, so that its lines may be kept.
    """
    lines = Lines(catalogue, listing, complete)
    finds, order = listing.table.finds, listing.order

    def made_in(starts: Iterable[int]) -> Iterator[Artifact]:
        """The artifacts of stretches whose lines are not known."""
        rest: list[int] = []
        for start, end in pairwise(starts):
            if not lines.has(finds.group(order[start])):
                rest += range(start, end)
        return iter(completing(listing.pick(rest))) if rest else iter(())

    starts: Iterable[int] = _starts(finds, order)
    if complete:  # all that is to be completed is so together
        starts = array("i", starts)
        made = made_in(starts)
    for window in _windows(starts):
        if not complete:
            made = made_in(window)
        held = _Held(lines, order, window)
        for start, end in pairwise(window):
            group = finds.group(order[start])
            known = held.lines(group, start, end)
            if known is not None:
                yield known, False
                continue
            for place in order[start:end]:
                artifact = next(made)
                line = dump(artifact)
                lines.learn(group, place, artifact, line)
                yield line, artifact.error is not None
    lines.keep()


def _starts(finds: Finds, order: Sequence[int]) -> Iterator[int]:
    """Where in the order a stretch of one session's artifacts begins, and its end."""
    run = range(0)
    before: Group | None = None
    for index, place in enumerate(order):
        if place in run:
            continue
        run = finds.run(place)
        group = finds.group(place)
        if group != before:
            yield index
            before = group
    yield len(order)


def _windows(starts: Iterable[int]) -> Iterator[Sequence[int]]:
    """Stretches that are looked up together: few at first, more later."""
    window, size = array("i"), FIRST
    for start in starts:
        window.append(start)
        if start - window[0] >= size:
            yield window
            window, size = array("i", [start]), min(WINDOW, 2 * size)
    if len(window) > 1:
        yield window


class _Held:
    """The known lines of one window; a session that comes more than once is loaded
    once, and only its lines in the window are held."""

    def __init__(self, lines: Lines, order: array[int], window: Sequence[int]) -> None:
        self._lines = lines
        self._order = order
        self._stretches: dict[Group, list[tuple[int, int]]] = {}
        for start, end in pairwise(window):
            group = lines.finds.group(order[start])
            self._stretches.setdefault(group, []).append((start, end))
        self._held: dict[Group, dict[int, bytes]] = {}

    def lines(self, group: Group, start: int, end: int) -> bytes | None:
        """The lines of a stretch; None where they are not known."""
        if not self._lines.has(group):
            return None
        stretches = self._stretches[group]
        places = self._order[start:end]
        if len(stretches) == 1:
            return self._lines.in_order(group, places)
        held = self._held.get(group)
        if held is None:
            wanted = [p for a, b in stretches for p in self._order[a:b]]
            of = self._lines.of(group)
            held = self._held[group] = {place: of[place] for place in wanted}
        return b"".join(map(held.__getitem__, places))
