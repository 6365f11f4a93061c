"""From the catalogue to a report: reads what the period needs, and nothing more."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, compress
from operator import itemgetter
from typing import TYPE_CHECKING

from spillview.catalogue import triage
from spillview.catalogue.gists import GROWING, SECRET, WENT_ON, Gists
from spillview.catalogue.session_order import worst_first
from spillview.exposure.exposure import leads_out, user_name
from spillview.exposure.permissions import world_readable
from spillview.growth.current import filling, growing
from spillview.growth.rows import growth_facts
from spillview.model import Artifact, Found, Missing
from spillview.report import sentences
from spillview.report.finding_list import NOTHING, Covered, Entries, Findings, Wanted
from spillview.report.findings import (
    SECTIONS,
    Finding,
    Period,
    Report,
    Run,
    Section,
    Tally,
)
from spillview.report.items import ItemCounter, Items, has_items
from spillview.report.period import holds_call, holds_times, period_of
from spillview.report.placing import EXPOSING, is_fine, sections_of_facts
from spillview.review.reviewed import call_mark, is_call_reviewed, session_mark
from spillview.secrets.masking import masked_text
from spillview.secrets.showing import shown, shown_call
from spillview.secrets.telling import tally
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.growth.readings import Reading

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

_ORDER = {section: place for place, section in enumerate(SECTIONS)}


def gather(
    catalogue: Catalogue,
    query: Query,
    *,
    thorough: bool = False,
    raw: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Report:
    """The report of the period that `query` asks for, else of the night.

    `thorough` looks at large JSON artifacts, and at what was reviewed, too; `raw`
    leaves credentials in its texts. Where it is `cancelled` it is partial: of what was
    looked at by then. Raises `BadInput` for a bad PATH.
    """
    now = catalogue.now()
    last = catalogue.last_review(query.paths)
    period = period_of(last, now, query.since, query.until)
    ground = replace(query, since=None, until=None)
    gathering = _Gathering(catalogue, ground, period, now, raw, reviewed=thorough)
    gathering.plan(cancelled)
    gathering.look(progress, cancelled)
    return gathering.report(thorough)


class _Gathering:
    """One report in the making."""

    def __init__(
        self,
        catalogue: Catalogue,
        query: Query,
        period: Period,
        now: float,
        raw: bool,
        *,
        reviewed: bool,
    ) -> None:
        self.raw, self.with_reviewed = raw, reviewed
        self.catalogue, self.query, self.period, self.now = (
            catalogue,
            query,
            period,
            now,
        )
        state = catalogue.state
        self.marks = state.reviewed() if state is not None else {}
        self.notes = state.notes() if state is not None else {}
        own = period.origin in ("review", "evening")  # nobody asked for another one
        self.reopened = state.reopened() if state is not None and own else set()
        self.problems: list[str] = []
        self.planned: Finding | None = None
        self.plan_problems: list[str] = []
        self.found = self.inside = NOTHING
        """The ground; of that what the period holds."""
        self.todo = self.passed = array("i")
        """Places of what is left to review, and of what was reviewed, where that is
        told too."""
        self.gists = Gists(())
        self.facts = array("H")
        """What else is asked of each, by place."""
        self.special: dict[int, Artifact] = {}
        """Artifacts that are not made again as they are."""
        self.items: dict[int, Items] = {}
        self.out: set[int] = set()
        """Links that lead out of every store."""
        self.calls_passed: list[Missing] = []
        """What was reviewed, where that is told too."""
        self.calls: list[Missing] = []
        self.calls_inside = 0
        self.unlooked = 0
        self.partial: tuple[int, int] | None = None
        """Where it was stopped: so many were looked at, of so many."""
        self.growing: dict[str, Reading] = {}
        """How what grows does so, by the artifact's id."""
        self.runs: dict[tuple[str, str], Run] = {}

    # -- looking -----------------------------------------------------------------------

    def plan(self, cancelled: Cancelled | None) -> None:
        """What a clean-up would free: before what the report itself has to hold."""
        from spillview.report.storage import plan_of

        if self.query.session is None:
            self.planned = plan_of(
                self.catalogue, self.query, self.plan_problems, cancelled
            )

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
        if not self.with_reviewed and any(reviewed):
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
        if self.with_reviewed:
            self.passed = array(
                "i", (p for p, r in zip(self.inside.order, reviewed, strict=True) if r)
            )
        missing = _once(catalogue, catalogue.missing(self.query))
        calls = [
            call
            for call in missing
            if holds_call(self.period, call) or call_mark(call) in self.reopened
        ]
        self.calls_inside = len(calls)
        self.calls = [c for c in calls if not is_call_reviewed(c, self.marks)]
        if self.with_reviewed:
            self.calls_passed = [c for c in calls if is_call_reviewed(c, self.marks)]
        self._look_for_credentials(progress, cancelled)

    def _holds(self, index: int) -> bool:
        """Whether it is told of: in the period, or opened again by its name."""
        found = self.found
        whole = found.table.finds.whole().get(found.order[index])
        dated = whole is None or found[index].dated
        times = found.created(index), found.changed(index)
        if holds_times(self.period, *times, dated=dated):
            return True
        return bool(self.reopened) and found.ident(index) in self.reopened

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
            self.special[place] = artifact

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
                if place in self.special:
                    whole = catalogue.with_secrets(self.special[place])
                    self.special[place] = whole

    # -- reporting ---------------------------------------------------------------------

    def report(self, thorough: bool) -> Report:
        """Everything that was looked at, worst first."""
        catalogue = self.catalogue
        counter = ItemCounter(unbounded=thorough)
        roots = [os.path.realpath(store.root) for store in catalogue.stores]
        entries = Entries(self.found, self._findings, self._run)
        grow = [p for p in self.todo if self.gists.bits[p] & GROWING]
        self.growing = growing(map(self._artifact, grow))
        listed: dict[tuple[object, ...], array[int]] = {}
        """Numbers of findings by where they stand, in their order."""
        placed = fine = unreadable = 0
        for places in self._in_order(self.todo):
            for place in places:
                own = list(self._sections(place, counter, roots))
                for section in own:
                    went_on = self._went_on(place, section)
                    number = entries.add(place, section, went_on=went_on)
                    key = self._key(place, section)
                    listed.setdefault(key, array("i")).append(number)
                placed += bool(own)
                fine += not own and self.facts[place] & FINE != 0
                unreadable += bool(own) and self.facts[place] & UNREAD != 0
        others = list(self._exposures()) if self.query.session is None else []
        others += map(self._of_call, self.calls)
        for each in others:
            key = _worst_first(each)
            listed.setdefault(key, array("i")).append(entries.put(each))
        # Sessions stay in their order where nothing else tells.
        order = array("i", chain.from_iterable(listed[key] for key in sorted(listed)))
        passed = sorted(self._passed(entries, counter, roots), key=itemgetter(0))
        inside = self.inside
        keys = set(map(inside.session, range(len(inside))))
        keys |= {(call.harness, call.session) for call in self.calls}
        tally = Tally(
            artifacts=len(inside),
            reviewed=len(inside) - len(self.todo),
            found=placed,
            fine=fine,
            unknown=len(self.todo) - placed - fine,
            calls=self.calls_inside,
            calls_reviewed=self.calls_inside - len(self.calls),
            sessions=len(keys),
            uncounted=sum(self.facts[p] & UNCOUNTED != 0 for p in self.todo),
            items_unread=len(counter.unread),
            exposed_before=self._exposed_before(roots),
            unlooked=self.unlooked,
        )
        if self.query.session is None and self.partial is None:
            order.extend(map(entries.put, self._storage()))
        return Report(
            self.period,
            self.now,
            Findings(entries, order),
            tally,
            tuple(dict.fromkeys(self.problems)),
            self._session_notes(keys),
            self._covered(),
            Findings(entries, map(itemgetter(1), passed)),
            self.query.paths or self._looked_at(),
            unreadable,
            self.partial,
        )

    def _in_order(self, places: Iterable[int]) -> Iterator[Sequence[int]]:
        """Those of each session, worst session first, worst artifact first."""
        return worst_first(self.catalogue, self.found.of(places), self.gists)

    def _looked_at(self) -> tuple[str, ...]:
        """The roots of the stores, those with most that is older first."""
        finds, within = self.found.table.finds, set(self.inside.order)
        older = (place for place in self.found.order if place not in within)
        held = Counter(map(finds.root, older))
        roots = dict.fromkeys(store.root for store in self.catalogue.stores)
        return tuple(sorted(roots, key=lambda root: -held[root]))

    def _sections(
        self, place: int, counter: ItemCounter, roots: list[str]
    ) -> Iterator[Section]:
        """Every section it belongs to; see `placing`."""
        facts, bits = self.facts[place], self.gists.bits[place]
        if facts & ITEMS:
            items = counter.items(self._artifact(place))
            if items is not None and items.missed:
                self.items[place] = items
        finds = self.found.table.finds
        if place in finds.whole() and _leads_out(finds[place], roots):
            self.out.add(place)
        yield from sections_of_facts(
            triage.Rank(self.gists.ranks[place]),
            errors_unseen=facts & ERRORS != 0,
            items_missed=place in self.items,
            growing=bits & GROWING != 0,
            exposed=facts & EXPOSED != 0
            or place in self.out
            or self._foreign_owner(finds[place]) is not None,
        )

    def _went_on(self, place: int, section: Section) -> bool:
        looked = section not in ("items_missed", "growing", "exposed")
        return looked and self.gists.bits[place] & WENT_ON != 0

    def _key(self, place: int, section: Section) -> tuple[object, ...]:
        """Where it stands among the findings; as `_worst_first` has it."""
        facts = self.facts[place]
        within: tuple[object, ...] = ()
        if section == "failed_unseen":
            within = (not self._went_on(place, section),)
        elif section == "verdict_unseen":
            within = (not facts & ERRORS, not facts & CONCLUDES)
        elif section == "items_missed":
            within = (-self.items[place].missed,)
        elif section == "exposed":
            within = (0, 0, 0)
            if self.gists.bits[place] & SECRET:
                received = tally([self._artifact(place)])
                seen, part = received["seen"], received["in part"]
                within = (-seen, -part, -received.total())
        return (_ORDER[section], *within)

    def _passed(
        self, entries: Entries, counter: ItemCounter, roots: list[str]
    ) -> Iterator[tuple[tuple[object, ...], int]]:
        """The worst of each artifact that was reviewed, and each such call."""
        for places in self._in_order(self.passed):
            for place in places:
                sections = list(self._sections(place, counter, roots))
                if sections:
                    worst = min(sections, key=lambda each: self._key(place, each))
                    went_on = self._went_on(place, worst)
                    number = entries.add(place, worst, went_on=went_on)
                    yield self._key(place, worst), number
        for call in self.calls_passed:
            finding = self._of_call(call)
            yield _worst_first(finding), entries.put(finding)

    def _covered(self) -> Covered:
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

    def _exposed_before(self, roots: list[str]) -> int:
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
                or self._foreign_owner(item) is not None
                or _leads_out(item, roots)
            )
        return number

    def _session_notes(
        self, keys: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], str]:
        notes = {}
        for harness, session in keys:
            note = self.notes.get(session_mark(harness, session))
            if note is not None:
                notes[harness, session] = note.text
        return notes

    def _exposures(self) -> Iterator[Finding]:
        """Who else reaches the stores of these artifacts."""
        from spillview.exposure.exposure import exposures

        catalogue = self.catalogue
        finds = self.found.table.finds
        grounds = {(finds.harness(p), finds.root(p)) for p in self.todo}
        stores = [s for s in catalogue.stores if (s.harness, s.root) in grounds]
        uid = catalogue.places.uid
        entries = map(finds.__getitem__, self.todo)
        for fact in exposures(stores, entries, catalogue.profiles, uid):
            if fact.kind != "leads-out":  # each such link is told of by itself
                more = {"exposure": fact.kind, "path": path_text(fact.path)}
                yield Finding("exposed", fact.sentence, more=more)

    def _storage(self) -> Sequence[Finding]:
        from spillview.report.storage import storage

        rates = filling(self.growing)
        told = list(storage(self.catalogue, self.problems, rates, self.planned))
        self.problems += self.plan_problems
        return told

    def _artifact(self, place: int) -> Artifact:
        """The complete artifact at a place of the scan."""
        [artifact] = self._artifacts([place])
        return artifact

    def _artifacts(self, places: Sequence[int]) -> list[Artifact]:
        """The complete artifacts at these places: made again, as they were."""
        made = []
        for place, artifact in zip(places, self.found.of(places), strict=True):
            if place in self.special:
                artifact = self.special[place]
            elif triage.rank(artifact) != self.gists.ranks[place]:
                # The cache did not keep it, or lost it meanwhile.
                artifact = self.catalogue.complete_one(artifact)
            made.append(artifact)
        return made

    def _findings(self, wanted: Sequence[Wanted]) -> list[Finding]:
        """What is to be said of artifacts at their places."""
        places = list(dict.fromkeys(place for place, _ in wanted))
        whole = dict(zip(places, self._artifacts(places), strict=True))
        return [self._finding(p, whole[p], section) for p, section in wanted]

    def _finding(self, place: int, artifact: Artifact, section: Section) -> Finding:
        run = self._run(artifact.found.harness, artifact.session)
        note = self.notes.get(artifact.id)
        if not self.raw:
            artifact = shown(artifact)
        more = dict(_facts(artifact))
        match section:
            case "items_missed":
                items = self.items[place]
                text = sentences.items_text(artifact, items)
                more |= _item_facts(items)
            case "growing":
                reading = self.growing.get(artifact.id)
                more |= growth_facts(reading)
                text = sentences.growing_text(artifact, str(more["growth"]))
            case "exposed":
                owner = self._foreign_owner(artifact.found)
                out = place in self.out
                text = sentences.exposed_text(artifact, owner, out)
                more |= {"owner": owner, "leads_out": out}
            case _:
                on = triage.went_on(artifact)
                text = sentences.looked(section, artifact, run, on)
                more["went_on"] = on
        words = note.text if note is not None else None
        return Finding(section, text, run, artifact, None, words, more)

    def _of_call(self, call: Missing) -> Finding:
        run = self._run(call.harness, call.session, call.project)
        call = call if self.raw else shown_call(call)
        return Finding(call.state, sentences.call_text(call), run, call=call)

    def _run(self, harness: str, session: str, project: str | None = None) -> Run:
        """The session of a finding; `project` where no transcript tells it."""
        key = (harness, session)
        run = self.runs.get(key)
        if run is None:
            known, title = self.catalogue.session_named(*key)
            if title is not None and not self.raw:
                title = masked_text(title)
            run = self.runs[key] = Run(harness, session, known, title)
        if run.project is None and project is not None:
            return replace(run, project=project)
        return run

    def _foreign_owner(self, found: Found) -> str | None:
        """The user a file belongs to, where that is somebody else."""
        uid, own = found.uid, self.catalogue.places.uid
        if found.type == "unreadable" or own < 0 or uid == own:
            return None
        return user_name(uid)


def _worst_first(finding: Finding) -> tuple[object, ...]:
    """Where one stands that is no artifact's; see `_Gathering._key` for the others.

    Sections in their order; in each what was acted on, and what concludes, first.
    """
    within: tuple[object, ...] = ()
    if finding.call is not None:
        within = (finding.swept, -(finding.call.mention.time or 0.0))
    return (_ORDER[finding.section], *within)


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


def _leads_out(found: Found, roots: Sequence[str]) -> bool:
    """Whether it is a link to a place outside every store."""
    return found.type == "symlink" and leads_out(found.path, roots)


def _facts(artifact: Artifact) -> Iterator[tuple[str, object]]:
    """Raw facts that every row of an artifact carries."""
    signals = artifact.link.signals if artifact.link is not None else None
    yield "signals_unseen", signals.unseen if signals is not None else None


def _item_facts(items: Items) -> dict[str, object]:
    return {
        "items": items.total,
        "items_seen": items.seen,
        "items_missed": items.missed,
        "items_certain": items.certain,
        "items_path": items.path,
    }
