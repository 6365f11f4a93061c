"""From the catalogue to a report: reads what the period needs, and nothing more."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spillview.catalogue import triage
from spillview.exposure.exposure import leads_out, user_name
from spillview.growth.current import filling, growing
from spillview.growth.rows import growth_facts
from spillview.model import Artifact, Missing
from spillview.report import sentences
from spillview.report.findings import SECTIONS, Finding, Period, Report, Run, Tally
from spillview.report.items import ItemCounter, Items
from spillview.report.period import holds, holds_call, period_of
from spillview.report.placing import EXPOSING, is_fine, sections_of
from spillview.review.reviewed import (
    call_mark,
    is_call_reviewed,
    is_reviewed,
    session_mark,
)
from spillview.secrets.masking import masked_text
from spillview.secrets.showing import shown, shown_call
from spillview.secrets.telling import tally
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.growth.readings import Reading

Progress = Callable[[int, int], None]

LOOKING = 20.0
"""Seconds that are spent on looking for credentials where nobody looked before."""

_ORDER = {section: place for place, section in enumerate(SECTIONS)}


def gather(
    catalogue: Catalogue,
    query: Query,
    *,
    thorough: bool = False,
    raw: bool = False,
    progress: Progress | None = None,
) -> Report:
    """The report of the period that `query` asks for, else of the night.

    `thorough` looks at large JSON artifacts, and at what was reviewed, too; `raw`
    leaves credentials in its texts. Raises `BadInput` for a bad PATH.
    """
    now = catalogue.now()
    last = catalogue.last_review(query.paths)
    period = period_of(last, now, query.since, query.until)
    ground = replace(query, since=None, until=None)
    gathering = _Gathering(catalogue, ground, period, now, raw, reviewed=thorough)
    gathering.look(progress)
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
        self.inside: list[Artifact] = []
        self.todo: list[Artifact] = []
        self.before: list[Artifact] = []
        self.passed: list[Artifact] = []
        self.calls_passed: list[Missing] = []
        """What was reviewed, where that is told too."""
        self.calls: list[Missing] = []
        self.calls_inside = 0
        self.unlooked = 0
        self.growing: dict[str, Reading] = {}
        """How what grows does so, by the artifact's id."""

    # -- looking -----------------------------------------------------------------------

    def look(self, progress: Progress | None) -> None:
        """Find the period's artifacts, and complete those not reviewed yet."""
        catalogue, period = self.catalogue, self.period
        found = catalogue.settled(catalogue.scan(self.query))
        inside = [a for a in found if self._holds(a)]
        whole = {
            a.id: a
            for a in inside
            if self.with_reviewed or not is_reviewed(a, self.now)
        }
        wanted = list(whole.values())
        for artifact in catalogue.complete(wanted, progress=progress):
            whole[artifact.id] = artifact
        # A call's time is known better now than the file's was.
        latest = (whole.get(a.id, a) for a in inside)
        self.inside = [a for a in latest if self._holds(a)]
        self.todo = [a for a in self.inside if not is_reviewed(a, self.now)]
        if self.with_reviewed:
            self.passed = [a for a in self.inside if is_reviewed(a, self.now)]
        known = {artifact.id for artifact in inside}
        self.before = [
            a
            for a in found
            if a.id not in known
            and not is_reviewed(a, self.now)
            and period.since is not None
            and max(a.created, a.changed) < period.since
        ]
        missing = _once(catalogue, catalogue.missing(self.query))
        calls = [
            call
            for call in missing
            if holds_call(period, call) or call_mark(call) in self.reopened
        ]
        self.calls_inside = len(calls)
        self.calls = [c for c in calls if not is_call_reviewed(c, self.marks)]
        if self.with_reviewed:
            self.calls_passed = [c for c in calls if is_call_reviewed(c, self.marks)]
        self._look_for_credentials(progress)

    def _holds(self, artifact: Artifact) -> bool:
        """Whether it is told of: in the period, or opened again by its name."""
        return holds(self.period, artifact) or artifact.id in self.reopened

    def _look_for_credentials(self, progress: Progress | None) -> None:
        """In what is told of; what takes too long is counted instead."""
        from spillview.secrets.kept import look_through

        catalogue = self.catalogue
        _, left = look_through(
            catalogue.cache,
            [*self.todo, *self.passed],
            seconds=LOOKING,
            progress=progress,
        )
        self.unlooked = len(left)
        catalogue.learn_secrets()
        if catalogue.holding is not None:
            self.todo = [catalogue.with_secrets(a) for a in self.todo]
            self.passed = [catalogue.with_secrets(a) for a in self.passed]

    # -- reporting ---------------------------------------------------------------------

    def report(self, thorough: bool) -> Report:
        """Everything that was looked at, worst first."""
        catalogue = self.catalogue
        counter = ItemCounter(unbounded=thorough)
        roots = [os.path.realpath(store.root) for store in catalogue.stores]
        sessions = catalogue.sessions(self.todo)
        self.growing = growing(self.todo)
        findings: list[Finding] = []
        placed: set[str] = set()
        fine = 0
        for session in sessions:
            run = self._run(session.harness, session.id, session.project, session.title)
            for artifact in session.artifacts:
                own = list(self._of_artifact(artifact, run, counter, roots))
                findings += own
                if own:
                    placed.add(artifact.id)
                else:
                    fine += is_fine(artifact)
        if self.query.session is None:
            findings += self._exposures()
        findings += map(self._of_call, self.calls)
        keys = {(a.found.harness, a.session) for a in self.inside}
        keys |= {(call.harness, call.session) for call in self.calls}
        exposed_before = sum(self._is_exposed(a, roots) for a in self.before)
        tally = Tally(
            artifacts=len(self.inside),
            reviewed=len(self.inside) - len(self.todo),
            found=len(placed),
            fine=fine,
            unknown=len(self.todo) - len(placed) - fine,
            calls=self.calls_inside,
            calls_reviewed=self.calls_inside - len(self.calls),
            sessions=len(keys),
            uncounted=sum(a.counts is None and a.has_content for a in self.todo),
            items_unread=len(counter.unread),
            exposed_before=exposed_before,
            unlooked=self.unlooked,
        )
        findings.sort(key=_worst_first)  # stable: sessions stay in their order
        if self.query.session is None:
            findings += self._storage()
        return Report(
            self.period,
            self.now,
            tuple(findings),
            tally,
            tuple(dict.fromkeys(self.problems)),
            self._session_notes(keys),
            tuple(self._covered()),
            tuple(sorted(self._passed(counter, roots), key=_worst_first)),
            self.query.paths or self._looked_at(),
        )

    def _looked_at(self) -> tuple[str, ...]:
        """The roots of the stores, those with most that is older first."""
        held = Counter(artifact.found.root for artifact in self.before)
        roots = dict.fromkeys(store.root for store in self.catalogue.stores)
        return tuple(sorted(roots, key=lambda root: -held[root]))

    def _passed(self, counter: ItemCounter, roots: list[str]) -> Iterator[Finding]:
        """The worst of each artifact that was reviewed, and each such call."""
        for session in self.catalogue.sessions(self.passed):
            run = self._run(session.harness, session.id, session.project, session.title)
            for artifact in session.artifacts:
                told = self._of_artifact(artifact, run, counter, roots)
                worst = min(told, key=_worst_first, default=None)
                if worst is not None:
                    yield worst
        yield from map(self._of_call, self.calls_passed)

    def _covered(self) -> Iterator[tuple[str, float]]:
        """Marks of all that a finished review covers, and when each last changed."""
        for artifact in self.todo:
            last = max(artifact.created, artifact.changed) if artifact.dated else 0.0
            yield artifact.id, last if last <= self.now else 0.0
        for call in self.calls:
            at = call.mention.time or 0.0
            yield call_mark(call), at if at <= self.now else 0.0

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
        grounds = {(a.found.harness, a.found.root) for a in self.todo}
        stores = [s for s in catalogue.stores if (s.harness, s.root) in grounds]
        uid = catalogue.places.uid
        for fact in exposures(stores, self.todo, catalogue.profiles, uid):
            if fact.kind != "leads-out":  # each such link is told of by itself
                more = {"exposure": fact.kind, "path": path_text(fact.path)}
                yield Finding("exposed", fact.sentence, more=more)

    def _storage(self) -> Sequence[Finding]:
        from spillview.report.storage import storage

        rates = filling(self.growing)
        return list(storage(self.catalogue, self.query, self.problems, rates))

    def _of_artifact(
        self, artifact: Artifact, run: Run, counter: ItemCounter, roots: list[str]
    ) -> Iterator[Finding]:
        items = counter.items(artifact)
        owner = self._foreign_owner(artifact)
        out = _leads_out(artifact, roots)
        note = self.notes.get(artifact.id)
        for section in sections_of(
            artifact, items=items, foreign=owner is not None, leads_out=out
        ):
            artifact = artifact if self.raw else shown(artifact)
            more = dict(_facts(artifact))
            match section:
                case "items_missed":
                    assert items is not None  # or it would not be in this section
                    text = sentences.items_text(artifact, items)
                    more |= _item_facts(items)
                case "growing":
                    reading = self.growing.get(artifact.id)
                    more |= growth_facts(reading)
                    text = sentences.growing_text(artifact, str(more["growth"]))
                case "exposed":
                    text = sentences.exposed_text(artifact, owner, out)
                    more |= {"owner": owner, "leads_out": out}
                case _:
                    on = triage.went_on(artifact)
                    text = sentences.looked(section, artifact, run, on)
                    more["went_on"] = on
            words = note.text if note is not None else None
            yield Finding(section, text, run, artifact, None, words, more)

    def _of_call(self, call: Missing) -> Finding:
        project, title = self.catalogue.session_named(call.harness, call.session)
        run = self._run(call.harness, call.session, project or call.project, title)
        call = call if self.raw else shown_call(call)
        return Finding(call.state, sentences.call_text(call), run, call=call)

    def _run(
        self, harness: str, session: str, project: str | None, title: str | None
    ) -> Run:
        if title is not None and not self.raw:
            title = masked_text(title)
        return Run(harness, session, project, title)

    def _foreign_owner(self, artifact: Artifact) -> str | None:
        """The user a file belongs to, where that is somebody else."""
        uid, own = artifact.found.uid, self.catalogue.places.uid
        if artifact.found.type == "unreadable" or own < 0 or uid == own:
            return None
        return user_name(uid)

    def _is_exposed(self, artifact: Artifact, roots: list[str]) -> bool:
        return (
            any(flag in EXPOSING for flag in artifact.flags)
            or self._foreign_owner(artifact) is not None
            or _leads_out(artifact, roots)
        )


def _worst_first(finding: Finding) -> tuple[object, ...]:
    """Sections in their order; in each what was acted on, and what concludes, first."""
    artifact, section = finding.artifact, finding.section
    within: tuple[object, ...] = ()
    if section == "failed_unseen":
        within = (not finding.went_on,)
    elif section == "verdict_unseen" and artifact is not None:
        concludes = artifact.link is not None and artifact.link.verdict != "unknown"
        within = (not triage.errors_unseen(artifact), not concludes)
    elif section == "items_missed":
        missed = finding.more.get("items_missed", 0)
        within = (-missed,)
    elif section == "exposed" and artifact is not None:
        received = tally([artifact])
        within = (-received["seen"], -received["in part"], -received.total())
    elif finding.call is not None:
        within = (finding.swept, -(finding.call.mention.time or 0.0))
    return (_ORDER[section], *within)


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


def _leads_out(artifact: Artifact, roots: Sequence[str]) -> bool:
    """Whether it is a link to a place outside every store."""
    found = artifact.found
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
