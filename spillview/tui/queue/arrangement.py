"""Which rows the queue shows and in what order; a pure function of facts and view."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from spillview.catalogue import triage
from spillview.catalogue.first_look import Unlisted
from spillview.catalogue.gists import NEVER, Gists
from spillview.catalogue.picks import PICKS, Pick
from spillview.frozen import Frozen, replace
from spillview.model import Missing, Session
from spillview.review.reviewed import holds
from spillview.text import when
from spillview.tui.labels import Cancelled, Labels, joined
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.queue.queue_rows import Key, Row, Rows, row_key, session_key
from spillview.tui.queue.sessions import Figures, Run, in_order, places_of, runs_of
from spillview.tui.queue.sorting import SORT_KEYS, WORST, sort, sorted_sessions

__all__ = ["SORT_KEYS", "WORST", "Key", "Row", "row_key", "session_key", "sort"]


class View(Frozen):
    """What the person chose to see, and how."""

    flat: bool = False
    sort: str = WORST
    reverse: bool = False
    filter: str = ""
    all_time: bool = False
    since: float | None = None
    """Start of the window when not `all_time`; None shows everything."""
    opened: float | None = None
    """What was reviewed before this moment is left out of the window."""
    missing: bool = False
    only: str | None = None
    """The name of the selection that is shown alone."""
    collapsed: frozenset[Key] = frozenset()


class Material(Frozen):
    """What the catalogue gave: sessions worst first, and calls without a file."""

    ledger: Ledger
    """What the artifacts of all sessions stand in."""
    sessions: tuple[Run, ...]
    missing: tuple[Missing, ...]
    titles: dict[str, str]
    """Session titles by `harness/session`."""
    rest: Unlisted | None = None
    """Where these are only the first sessions: the artifacts of the others."""

    @classmethod
    def of(
        cls,
        sessions: Iterable[Session],
        missing: Sequence[Missing],
        rest: Unlisted | None = None,
    ) -> Material:
        """The material of a scan."""
        runs = runs_of(sessions)
        ledger = runs[0].artifacts.table if runs else Ledger.of(())
        titles = {f"{s.harness}/{s.id}": s.title for s in runs if s.title}
        return cls(ledger, tuple(runs), tuple(missing), titles, rest)

    def every(self) -> Members:
        """All artifacts, in the order of their sessions."""
        return Members(self.ledger, places_of(self.sessions))

    def reordered(self, places: set[int]) -> Material:
        """The same, once other marks of the artifacts at these places hold."""
        runs = [
            run
            if places.isdisjoint(run.artifacts.order)
            else Run.worst_first(run, run.artifacts)
            for run in self.sessions
        ]
        return replace(self, sessions=tuple(in_order(runs)))


class Listed(Frozen):
    """How many of the window's artifacts stand in the list so far."""

    done: int
    total: int

    def __str__(self) -> str:
        return f"listed {self.done:,} of {self.total:,}, ordering the rest"


class Arrangement(Frozen):
    """The rows in order, and the artifacts behind them (collapsed ones too)."""

    rows: Rows
    artifacts: Members
    sessions: int
    missing: int
    """Calls without a file inside the window, shown or not; not what a clean-up of
    ours removed."""
    beyond: int
    """Artifacts that the window leaves out."""
    figures: Figures = Figures()
    put_away: int = 0
    """How many of those are of the window's time and were reviewed before it opened;
    0 where only a part of the window is shown."""
    listed: Listed | None = None
    """How much of the window stands in the list; None once that is all of it."""
    calls: int = 0
    """Calls without a file that have a row."""


def in_window(view: View, gists: Gists) -> Callable[[int], bool]:
    """Tells of a place whether the window shows it: made or last changed in it.

    As in a report, whose period nothing may leave by being marked beside it.
    """
    since, opened = view.since, view.opened
    if view.all_time or since is None:
        return lambda place: True
    created, changed, reviewed = gists.created, gists.changed, gists.reviewed
    until = opened or math.inf

    def is_inside(place: int) -> bool:
        marked = reviewed[place]
        old = marked != NEVER and (opened is None or marked < opened)
        if old and holds(marked, changed[place], until):
            return False
        return max(created[place], changed[place]) >= since

    return is_inside


def arrange(
    material: Material,
    view: View,
    labels: Labels,
    cancelled: Cancelled = None,
) -> Arrangement:
    """Rows for the view: window, then filter, then order, then collapse."""
    total = sum(len(session.artifacts) for session in material.sessions)
    runs = _windowed(material, view)
    missing = _missing_in_window(material.missing, view)
    inside = sum(len(run.artifacts) for run in runs)
    lost = sum(call.removal is None for call in missing)
    only = PICKS.get(view.only or "")
    if only is not None:
        runs, missing = _selected(runs, missing, only)
    if view.filter.strip():
        runs, missing = _filtered(runs, missing, view.filter, labels, cancelled)
    if not (view.missing or only is not None):
        missing = []
    ordered = view.sort == WORST and not view.reverse
    rows = Rows(material.ledger)
    artifacts = Members(material.ledger, places_of(runs))
    bare = _bare_sessions(runs, missing, material)
    if view.flat:
        if not (ordered and view.filter.strip()):
            artifacts = sort(artifacts, view.sort, view.reverse, material.titles)
        rows.extend(artifacts.order)
        for call in missing:
            rows.add(call)
    else:
        if not ordered:
            runs = sorted_sessions(runs, view.sort, view.reverse)
            artifacts = artifacts.of(places_of(runs))
        _group(rows, [*runs, *bare], missing, view)
    whole = only is None and not view.filter.strip()
    known = Arrangement(
        rows,
        artifacts,
        len(runs) + len(bare),
        lost,
        total - inside,
        Figures.of(artifacts),
        _put_away(material, view) if whole and inside < total else 0,
        calls=len(missing),
    )
    if material.rest is None:
        return known
    return _with_rest(known, material.rest, view, inside, whole)


def _with_rest(
    known: Arrangement, rest: Unlisted, view: View, inside: int, whole: bool
) -> Arrangement:
    """The same, with what is known of the artifacts that are not listed yet.

    No totals of theirs where only a part of the window is shown.
    """
    since = None if view.all_time else view.since
    behind = rest.inside(since)
    made = replace(
        known,
        beyond=known.beyond + len(rest) - behind.artifacts,
        listed=Listed(inside, inside + behind.artifacts) if behind.artifacts else None,
    )
    if not whole:
        return made
    figures = replace(
        known.figures,
        artifacts=known.figures.artifacts + behind.artifacts,
        bytes=known.figures.bytes + behind.bytes,
    )
    return replace(
        made,
        figures=figures,
        sessions=known.sessions + behind.sessions,
        put_away=known.put_away + behind.put_away,
    )


def prepare(material: Material, view: View, labels: Labels) -> None:
    """Make the filter ready for the view's rows before its first key."""
    runs = _windowed(material, view)
    if only := PICKS.get(view.only or ""):
        runs, _ = _selected(runs, (), only)
    labels.prepare(runs)


def _windowed(material: Material, view: View) -> list[Run]:
    runs = list(material.sessions)
    if view.all_time or view.since is None:
        return runs
    return _narrowed(runs, in_window(view, material.ledger.gists))


def _narrowed(runs: Iterable[Run], admits: Callable[[int], bool]) -> list[Run]:
    """The sessions with the artifacts that are admitted, as far as they have some."""
    kept: list[Run] = []
    changed = False
    for run in runs:
        members = run.artifacts.where(admits)
        if len(members) == len(run.artifacts):
            kept.append(run)
            continue
        changed = True
        if members:
            kept.append(Run.of(run, members))
    # What was left out may have been what put a session first.
    return in_order(kept) if changed else kept


def _put_away(material: Material, view: View) -> int:
    """How many of the window's time are hidden, for they were reviewed before."""
    since, gists = view.since or 0.0, material.ledger.gists
    is_inside = in_window(view, gists)
    return sum(
        gists.reviewed[place] != NEVER
        and max(gists.created[place], gists.changed[place]) >= since
        and not is_inside(place)
        for run in material.sessions
        for place in run.artifacts.order
    )


def _selected(
    runs: Sequence[Run], missing: Sequence[Missing], only: Pick
) -> tuple[list[Run], list[Missing]]:
    """What belongs to the selection; sessions that hold none of it are left out."""
    calls = [call for call in missing if only.admits_call(call)]
    if not runs:
        return [], calls
    admits = runs[0].artifacts.gists.admits
    kept = _narrowed(runs, lambda place: admits(only.name, place))
    return kept, calls


def _missing_in_window(missing: Sequence[Missing], view: View) -> list[Missing]:
    if view.all_time or view.since is None:
        return list(missing)
    since = view.since
    return [m for m in missing if m.mention.time is None or m.mention.time >= since]


def _filtered(
    runs: Sequence[Run],
    missing: Sequence[Missing],
    query: str,
    labels: Labels,
    cancelled: Cancelled,
) -> tuple[list[Run], list[Missing]]:
    """Best match first: sessions by their best artifact, artifacts in each."""
    from spillview import fuzzy

    ends = list(accumulate(len(run.artifacts) for run in runs))
    kept: dict[int, list[int]] = {}
    for number in labels.find(query, runs, cancelled):
        at = bisect_right(ends, number)
        kept.setdefault(at, []).append(runs[at].artifacts.order[number - ends[at]])
    shown = [Run.of(runs[at], runs[at].artifacts.of(some)) for at, some in kept.items()]
    calls = [
        joined(call.mention.command, call.mention.tool, call.project, call.harness)
        for call in missing
    ]
    return shown, [missing[number] for number in fuzzy.matches(query, calls)]


def _bare_sessions(
    runs: Sequence[Run], missing: Sequence[Missing], material: Material
) -> list[Run]:
    """The sessions beside these of which nothing but missing results is shown."""
    if not missing:
        return []
    shown = {(run.harness, run.id) for run in runs}
    known = {(run.harness, run.id): run for run in material.sessions}
    none = Members(material.ledger, ())
    bare: dict[tuple[str, str], Run] = {}
    for lost in missing:
        key = (lost.harness, lost.session)
        if key in shown or key in bare:
            continue
        if key in known:
            bare[key] = Run.of(known[key], none)
        else:
            time = lost.mention.time
            bare[key] = Run(*key, lost.project, None, None, time, False, none)
    return list(bare.values())


def _group(
    rows: Rows, runs: Sequence[Run], missing: Sequence[Missing], view: View
) -> None:
    """Fill in each session's header and what stands below it."""
    lost: dict[tuple[str, str], list[Missing]] = {}
    for call in missing:
        lost.setdefault((call.harness, call.session), []).append(call)
    for run in runs:
        rows.add(run)
        if session_key(run) not in view.collapsed:
            rows.extend(_chained(run.artifacts, apart=view.sort == WORST))
            for call in lost.get((run.harness, run.id), ()):
                rows.add(call)


def _chained(members: Members, *, apart: bool) -> Iterable[int]:
    """The artifacts in order, but what a read of one returned right below it.

    `apart` leaves what is reviewed where it is, away from what is not.
    """
    gists, order = members.gists, members.order
    if not gists.chains or gists.chains.keys().isdisjoint(order):
        return order
    here = set(order)
    placed: dict[int, None] = {}
    for place in order:
        chain: Iterable[int | None] = (place,)
        if place in gists.chains:
            chain = map(gists.place_of, gists.chains[place])
        for each in chain:
            if each is None or each not in here:
                continue
            if not apart or gists.is_reviewed(each) is gists.is_reviewed(place):
                placed.setdefault(each)
    return placed


def window_words(view: View, reviewed: float | None, now: float) -> str:
    """The window in words, as the header states it."""
    if view.all_time or view.since is None:
        return "all time"
    words = f"since {when(view.since, now)}"
    # While some of a first night is left, the window still begins at an evening.
    if reviewed == view.since != triage.evening(view.since):
        return f"{words}, your last review"
    return words
