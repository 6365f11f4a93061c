"""What lies in a report's period, and what the report asks of each: in columns.

Only what the period needs is read, and no artifact is kept that can be made again.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from spillview.catalogue import triage
from spillview.catalogue.gists import SECRET, Gists
from spillview.catalogue.session_order import worst_first
from spillview.exposure.files import leads_out
from spillview.exposure.people import user_name
from spillview.exposure.permissions import world_readable
from spillview.model import Artifact, Found, Missing
from spillview.report.finding_list import NOTHING, Covered
from spillview.report.findings import Period
from spillview.report.items import has_items
from spillview.report.period import holds_call, holds_times
from spillview.report.placing import EXPOSING, is_fine
from spillview.review.reviewed import call_mark, is_call_reviewed

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]

LOOKING = 20.0
"""Seconds that are spent on looking for credentials where nobody looked before."""

EXPOSED, ITEMS, FINE, UNCOUNTED, CONCLUDES, ERRORS, DATED, UNREAD = (
    1 << bit for bit in range(8)
)
"""What a report asks of an artifact that its gist does not tell: it is exposed by a
flag; items of it may have been missed; it is fine where it is in no section; nothing
was counted of it; its verdict concludes; errors stand only where no model looked; a
time is known of it; it could not be read."""


class Survey:
    """The period's artifacts, by their place in the scan, and its lost calls."""

    def __init__(
        self,
        catalogue: Catalogue,
        query: Query,
        period: Period,
        now: float,
        *,
        reviewed: bool,
    ) -> None:
        """Of what `query` asks for at any time; `reviewed`: what was reviewed, too."""
        self.catalogue, self.query, self.period, self.now = (
            catalogue,
            query,
            period,
            now,
        )
        self._with_reviewed = reviewed
        state = catalogue.state
        self._marks = state.reviewed() if state is not None else {}
        own = period.origin in ("review", "evening")  # nobody asked for another one
        self._reopened = state.reopened() if state is not None and own else set()
        self.found = self.inside = NOTHING
        """The ground; of that what the period holds."""
        self.todo = self.passed = array("i")
        """Places of what is left to review, and of what was reviewed, where that is
        told too."""
        self.gists = Gists(())
        self.facts = array("H")
        """What else is asked of each, by place."""
        self._special: dict[int, Artifact] = {}
        """Artifacts that are not made again as they are."""
        self.calls: list[Missing] = []
        self.calls_passed: list[Missing] = []
        """What was reviewed, where that is told too."""
        self.calls_inside = 0
        self.unlooked = 0
        """Artifacts that there was no time to look for credentials in."""
        self.partial: tuple[int, int] | None = None
        """Where it was stopped: so many were looked at, of so many."""
        self._roots: list[str] = []

    def look(self, progress: Progress | None, cancelled: Cancelled | None) -> None:
        """Find the period's artifacts, and complete those not reviewed yet."""
        catalogue = self.catalogue
        found = self.found = catalogue.settled(catalogue.scan(self.query))
        gists = self.gists = Gists(found.table.sessions)
        self.facts = array("H", bytes(2 * len(gists)))
        finds = found.table.finds
        for place in found.order:
            gists.changed[place] = finds.mtimes[place] / 1e9
        for ident, when in catalogue.marks.items():
            index = found.index_of(ident)
            if index is not None:
                gists.review(found.order[index], when, self.now)
        self.inside = found.pick(i for i in range(len(found)) if self._holds(i))
        reviewed = [gists.is_reviewed(place) for place in self.inside.order]
        wanted = self.inside
        if not self._with_reviewed and any(reviewed):
            wanted = wanted.pick(i for i, done in enumerate(reviewed) if not done)
        complete = catalogue.complete(wanted, progress=progress, cancelled=cancelled)
        taken = 0
        for place, artifact in zip(wanted.order, complete, strict=False):
            self._take(place, artifact)
            taken += 1
        if taken < len(wanted):  # nothing is said of the others
            self.partial = (taken, len(wanted))
            left_out = set(wanted.order[taken:])
            kept = [p not in left_out for p in self.inside.order]
            self.inside = self.inside.of(compress(self.inside.order, kept))
            reviewed = list(compress(reviewed, kept))
        self.todo = array(
            "i", (p for p, r in zip(self.inside.order, reviewed, strict=True) if not r)
        )
        if self._with_reviewed:
            self.passed = array(
                "i", (p for p, r in zip(self.inside.order, reviewed, strict=True) if r)
            )
        self._take_calls()
        self._look_for_credentials(progress, cancelled)
        self._roots = [os.path.realpath(store.root) for store in catalogue.stores]

    def _take_calls(self) -> None:
        """Find the period's lost calls."""
        missing = _once(self.catalogue, self.catalogue.missing(self.query))
        calls = [
            call
            for call in missing
            if holds_call(self.period, call) or call_mark(call) in self._reopened
        ]
        self.calls_inside = len(calls)
        self.calls = [c for c in calls if not is_call_reviewed(c, self._marks)]
        if self._with_reviewed:
            self.calls_passed = [c for c in calls if is_call_reviewed(c, self._marks)]

    def _holds(self, index: int) -> bool:
        """Whether it is told of: in the period, or opened again by its name."""
        found = self.found
        whole = found.table.finds.whole().get(found.order[index])
        dated = whole is None or found[index].dated
        times = found.created(index), found.changed(index)
        if holds_times(self.period, *times, dated=dated):
            return True
        return bool(self._reopened) and found.ident(index) in self._reopened

    def _take(self, place: int, artifact: Artifact) -> None:
        """Take down what is asked of a complete artifact, and let it go."""
        self.gists.take(place, artifact)
        link = artifact.link
        facts = (
            (EXPOSED, any(flag in EXPOSING for flag in artifact.flags)),
            (ITEMS, has_items(artifact)),
            (FINE, is_fine(artifact)),
            (UNCOUNTED, artifact.counts is None and artifact.has_content),
            (CONCLUDES, link is not None and link.verdict != "unknown"),
            (ERRORS, triage.errors_unseen(artifact)),
            (DATED, artifact.dated),
            (UNREAD, artifact.error is not None),
        )
        self.facts[place] = sum(bit for bit, holds in facts if holds)
        if not self.catalogue.remakes(artifact):
            self._special[place] = artifact

    def _look_for_credentials(
        self, progress: Progress | None, cancelled: Cancelled | None
    ) -> None:
        """In what is told of; what takes too long is counted instead."""
        from spillview.secrets.kept import look_through

        catalogue = self.catalogue
        told = (p for p in (*self.todo, *self.passed) if not self.facts[p] & UNREAD)
        self.unlooked = look_through(
            catalogue.cache,
            self.found.of(told),
            seconds=LOOKING,
            progress=progress,
            cancelled=cancelled,
        ).left
        catalogue.learn_secrets()
        if catalogue.holding is None:
            return
        self.gists.set_secrets(self.found.table.finds, catalogue.holding)
        for place in (*self.todo, *self.passed):
            if self.gists.bits[place] & SECRET:
                self.facts[place] |= EXPOSED
                if place in self._special:
                    whole = catalogue.with_secrets(self._special[place])
                    self._special[place] = whole

    # What was found

    def artifact(self, place: int) -> Artifact:
        """The complete artifact at a place of the scan."""
        [artifact] = self.artifacts([place])
        return artifact

    def artifacts(self, places: Sequence[int]) -> list[Artifact]:
        """The complete artifacts at these places: made again, as they were."""
        made = []
        for place, artifact in zip(places, self.found.of(places), strict=True):
            if place in self._special:
                artifact = self._special[place]
            elif triage.rank(artifact) != self.gists.ranks[place]:
                # The cache did not keep it, or lost it meanwhile.
                artifact = self.catalogue.complete_one(artifact)
            made.append(artifact)
        return made

    def in_order(self, places: Iterable[int]) -> Iterator[Sequence[int]]:
        """Those of each session, worst session first, worst artifact first."""
        return worst_first(self.catalogue, self.found.of(places), self.gists)

    def sessions(self) -> set[tuple[str, str]]:
        """Harness and id of each session in the period."""
        inside = self.inside
        keys = set(map(inside.session, range(len(inside))))
        return keys | {(call.harness, call.session) for call in self.calls}

    def looked_at(self) -> tuple[str, ...]:
        """The roots of the stores, those with most that is older first."""
        finds, within = self.found.table.finds, set(self.inside.order)
        older = (place for place in self.found.order if place not in within)
        held = Counter(map(finds.root, older))
        roots = dict.fromkeys(store.root for store in self.catalogue.stores)
        return tuple(sorted(roots, key=lambda root: -held[root]))

    def covered(self) -> Covered:
        """Marks of all that a finished review covers, and when each last changed."""
        gists = self.gists
        times = array("d")
        for place in self.todo:
            last = max(gists.created[place], gists.changed[place])
            last = last if self.facts[place] & DATED else 0.0
            times.append(last if last <= self.now else 0.0)
        calls = []
        for call in self.calls:
            at = call.mention.time or 0.0
            calls.append((call_mark(call), at if at <= self.now else 0.0))
        idents = array("Q", map(gists.idents.__getitem__, self.todo))
        return Covered(idents, times, calls)

    def exposed_before(self) -> int:
        """How many exposed ones there are from before the period, not reviewed."""
        since, found = self.period.since, self.found
        if since is None:
            return 0
        within = set(self.inside.order)
        finds, holding = found.table.finds, self.catalogue.holding
        number = 0
        for index, place in enumerate(found.order):
            if place in within or self.gists.is_reviewed(place):
                continue
            if max(found.created(index), found.changed(index)) >= since:
                continue
            item = finds[place]
            secrets = holding.of(item) if holding is not None else None
            number += (
                (item.type == "file" and world_readable(item.path, item.mode))
                or (secrets is not None and bool(secrets.items))
                or self.foreign_owner(item) is not None
                or self.leads_out(item)
            )
        return number

    def leads_out(self, found: Found) -> bool:
        """Whether it is a link to a place outside every store."""
        return found.type == "symlink" and leads_out(found.path, self._roots)

    def foreign_owner(self, found: Found) -> str | None:
        """The user a file belongs to, where that is somebody else."""
        uid, own = found.uid, self.catalogue.places.uid
        if found.type == "unreadable" or own < 0 or uid == own:
            return None
        return user_name(uid)


def _once(catalogue: Catalogue, calls: Iterable[Missing]) -> list[Missing]:
    """Each record's call once: of its own harness, where another claims it too."""
    kept: dict[tuple[object, ...], Missing] = {}
    for call in calls:
        said = call.mention
        key = (said.transcript, said.record, said.block, said.start, said.path)
        log = catalogue.transcript(said.transcript)
        own = log is not None and log.harness == call.harness
        if key not in kept or own:
            kept[key] = call
    return list(kept.values())
