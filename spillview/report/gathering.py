"""From the catalogue to a report: what is to be said of the period, worst first."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from spillview.catalogue import triage
from spillview.catalogue.gists import GROWING, SECRET, WENT_ON
from spillview.growth.current import filling, growing
from spillview.growth.rows import growth_facts
from spillview.model import Artifact, Missing
from spillview.report import sentences
from spillview.report.finding_list import Entries, Findings, Wanted
from spillview.report.findings import SECTIONS, Finding, Report, Run, Section, Tally
from spillview.report.items import ItemCounter, Items
from spillview.report.period import period_of
from spillview.report.placing import sections_of_facts
from spillview.report.survey import (
    CONCLUDES,
    ERRORS,
    EXPOSED,
    FINE,
    ITEMS,
    UNCOUNTED,
    UNREAD,
    Cancelled,
    Progress,
    Survey,
)
from spillview.review.reviewed import session_mark
from spillview.secrets.masking import masked_text
from spillview.secrets.showing import shown, shown_call
from spillview.secrets.telling import tally
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.growth.readings import Reading

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
    survey = Survey(catalogue, ground, period, now, reviewed=thorough)
    gathering = _Gathering(survey, raw)
    gathering.plan(cancelled)
    survey.look(progress, cancelled)
    return gathering.report(thorough)


class _Gathering:
    """One report in the making."""

    def __init__(self, survey: Survey, raw: bool) -> None:
        self.survey, self.raw = survey, raw
        self.catalogue, self.query = survey.catalogue, survey.query
        state = self.catalogue.state
        self.notes = state.notes() if state is not None else {}
        self.problems: list[str] = []
        self.planned: Finding | None = None
        self.plan_problems: list[str] = []
        self.items: dict[int, Items] = {}
        self.out: set[int] = set()
        """Links that lead out of every store."""
        self.growing: dict[str, Reading] = {}
        """How what grows does so, by the artifact's id."""
        self.runs: dict[tuple[str, str], Run] = {}

    def plan(self, cancelled: Cancelled | None) -> None:
        """What a clean-up would free: before what the report itself has to hold."""
        from spillview.report.storage import plan_of

        if self.query.session is None:
            self.planned = plan_of(
                self.catalogue, self.query, self.plan_problems, cancelled
            )

    def report(self, thorough: bool) -> Report:
        """Everything that was looked at, worst first."""
        survey = self.survey
        facts, todo, inside = survey.facts, survey.todo, survey.inside
        counter = ItemCounter(unbounded=thorough)
        entries = Entries(survey.found, self._findings, self._run)
        grow = [p for p in todo if survey.gists.bits[p] & GROWING]
        self.growing = growing(map(survey.artifact, grow))
        listed: dict[tuple[object, ...], array[int]] = {}
        """Numbers of findings by where they stand, in their order."""
        placed = fine = unreadable = 0
        for places in survey.in_order(todo):
            for place in places:
                own = list(self._sections(place, counter))
                for section in own:
                    went_on = self._went_on(place, section)
                    number = entries.add(place, section, went_on=went_on)
                    key = self._key(place, section)
                    listed.setdefault(key, array("i")).append(number)
                placed += bool(own)
                fine += not own and facts[place] & FINE != 0
                unreadable += bool(own) and facts[place] & UNREAD != 0
        others = list(self._exposures()) if self.query.session is None else []
        others += map(self._of_call, survey.calls)
        for each in others:
            key = _worst_first(each)
            listed.setdefault(key, array("i")).append(entries.put(each))
        # Sessions stay in their order where nothing else tells.
        order = array("i", chain.from_iterable(listed[key] for key in sorted(listed)))
        passed = sorted(self._passed(entries, counter), key=itemgetter(0))
        sessions = survey.sessions()
        tally = Tally(
            artifacts=len(inside),
            reviewed=len(inside) - len(todo),
            found=placed,
            fine=fine,
            unknown=len(todo) - placed - fine,
            calls=survey.calls_inside,
            calls_reviewed=survey.calls_inside - len(survey.calls),
            sessions=len(sessions),
            uncounted=sum(facts[p] & UNCOUNTED != 0 for p in todo),
            items_unread=len(counter.unread),
            exposed_before=survey.exposed_before(),
            unlooked=survey.unlooked,
        )
        if self.query.session is None and survey.partial is None:
            order.extend(map(entries.put, self._storage()))
        return Report(
            survey.period,
            survey.now,
            Findings(entries, order),
            tally,
            tuple(dict.fromkeys(self.problems)),
            self._session_notes(sessions),
            survey.covered(),
            Findings(entries, map(itemgetter(1), passed)),
            self.query.paths or survey.looked_at(),
            unreadable,
            survey.partial,
        )

    def _sections(self, place: int, counter: ItemCounter) -> Iterator[Section]:
        """Every section it belongs to; see `placing`."""
        survey = self.survey
        facts, bits = survey.facts[place], survey.gists.bits[place]
        if facts & ITEMS:
            items = counter.items(survey.artifact(place))
            if items is not None and items.missed:
                self.items[place] = items
        finds = survey.found.table.finds
        if place in finds.whole() and survey.leads_out(finds[place]):
            self.out.add(place)
        yield from sections_of_facts(
            triage.Rank(survey.gists.ranks[place]),
            errors_unseen=facts & ERRORS != 0,
            items_missed=place in self.items,
            growing=bits & GROWING != 0,
            exposed=facts & EXPOSED != 0
            or place in self.out
            or survey.foreign_owner(finds[place]) is not None,
        )

    def _went_on(self, place: int, section: Section) -> bool:
        looked = section not in ("items_missed", "growing", "exposed")
        return looked and self.survey.gists.bits[place] & WENT_ON != 0

    def _key(self, place: int, section: Section) -> tuple[object, ...]:
        """Where it stands among the findings; as `_worst_first` has it."""
        facts = self.survey.facts[place]
        within: tuple[object, ...] = ()
        if section == "failed_unseen":
            within = (not self._went_on(place, section),)
        elif section == "verdict_unseen":
            within = (not facts & ERRORS, not facts & CONCLUDES)
        elif section == "items_missed":
            within = (-self.items[place].missed,)
        elif section == "exposed":
            within = (0, 0, 0)
            if self.survey.gists.bits[place] & SECRET:
                received = tally([self.survey.artifact(place)])
                seen, part = received["seen"], received["in part"]
                within = (-seen, -part, -received.total())
        return (_ORDER[section], *within)

    def _passed(
        self, entries: Entries, counter: ItemCounter
    ) -> Iterator[tuple[tuple[object, ...], int]]:
        """The worst of each artifact that was reviewed, and each such call."""
        for places in self.survey.in_order(self.survey.passed):
            for place in places:
                sections = list(self._sections(place, counter))
                if sections:
                    worst = min(sections, key=lambda each: self._key(place, each))
                    went_on = self._went_on(place, worst)
                    number = entries.add(place, worst, went_on=went_on)
                    yield self._key(place, worst), number
        for call in self.survey.calls_passed:
            finding = self._of_call(call)
            yield _worst_first(finding), entries.put(finding)

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
        finds, todo = self.survey.found.table.finds, self.survey.todo
        grounds = {(finds.harness(p), finds.root(p)) for p in todo}
        stores = [s for s in catalogue.stores if (s.harness, s.root) in grounds]
        uid = catalogue.places.uid
        entries = map(finds.__getitem__, todo)
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

    def _findings(self, wanted: Sequence[Wanted]) -> list[Finding]:
        """What is to be said of artifacts at their places."""
        places = list(dict.fromkeys(place for place, _ in wanted))
        whole = dict(zip(places, self.survey.artifacts(places), strict=True))
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
                owner = self.survey.foreign_owner(artifact.found)
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


def _worst_first(finding: Finding) -> tuple[object, ...]:
    """Where one stands that is no artifact's; see `_Gathering._key` for the others.

    Sections in their order; in each what was acted on, and what concludes, first.
    """
    within: tuple[object, ...] = ()
    if finding.call is not None:
        within = (finding.swept, -(finding.call.mention.time or 0.0))
    return (_ORDER[finding.section], *within)


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
