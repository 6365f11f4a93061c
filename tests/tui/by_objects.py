"""The queue arranged from artifacts themselves, one object each: an oracle.

What the queue does with columns of numbers is done here with the facts of each artifact
and the functions of the triage, so that the two can be compared.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from spillview import fuzzy
from spillview.catalogue import triage
from spillview.catalogue.picks import PICKS, Pick
from spillview.model import Artifact, Missing, Session
from spillview.review.reviewed import is_reviewed
from spillview.seen.endings import has_failed
from spillview.tui.labels import joined
from spillview.tui.queue.arrangement import WORST, View, session_key
from spillview.tui.queue.sorting import SORT_KEYS

Row = Session | Artifact | Missing


@dataclass(frozen=True, slots=True)
class Figures:
    """Totals of some artifacts, as the screen's own have them."""

    artifacts: int = 0
    counted: int = 0
    chars: int = 0
    bytes: int = 0
    reviewed: int = 0
    failed: int = 0
    unseen: int = 0


def figures_of(artifacts: Iterable[Artifact]) -> Figures:
    """The totals of these."""
    every = list(artifacts)
    left = [triage.rank(a) for a in every if a.reviewed is None]
    counts = [a.counts for a in every if a.counts is not None]
    return Figures(
        len(every),
        sum(a.counts is not None or not a.has_content for a in every),
        sum(each.chars for each in counts),
        sum(a.found.size for a in every),
        len(every) - len(left),
        left.count(triage.Rank.FAILED_UNSEEN),
        left.count(triage.Rank.VERDICT_UNSEEN),
    )


@dataclass(frozen=True, slots=True)
class Material:
    """Sessions worst first, and calls without a file."""

    sessions: tuple[Session, ...] = ()
    missing: tuple[Missing, ...] = ()
    titles: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sessions: Sequence[Session], missing: Sequence[Missing]) -> Material:
        """The material of a scan."""
        titles = {f"{s.harness}/{s.id}": s.title for s in sessions if s.title}
        return cls(tuple(sessions), tuple(missing), titles)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The rows in order, and the artifacts behind them (collapsed ones too)."""

    rows: list[Row]
    artifacts: list[Artifact]
    sessions: int
    missing: int
    beyond: int
    figures: Figures
    put_away: int = 0


def in_window(artifact: Artifact, view: View) -> bool:
    """Whether the view's window shows the artifact: made or last changed in it."""
    if view.all_time or view.since is None:
        return True
    reviewed = artifact.reviewed
    old = reviewed is not None and (view.opened is None or reviewed < view.opened)
    if old and is_reviewed(artifact, view.opened or math.inf):
        return False
    return max(artifact.created, artifact.changed) >= view.since


def arrange(
    material: Material,
    view: View,
) -> Arrangement:
    """Rows for the view: window, then filter, then order, then collapse."""
    total = sum(len(session.artifacts) for session in material.sessions)
    sessions = _windowed(material.sessions, view)
    missing = _missing_in_window(material.missing, view)
    inside = sum(len(session.artifacts) for session in sessions)
    lost = len(missing)
    only = PICKS.get(view.only or "")
    if only is not None:
        sessions, missing = _selected(sessions, missing, only)
    if view.filter.strip():
        sessions, missing = _filtered(sessions, missing, view.filter)
    if not (view.missing or only is not None):
        missing = []
    ordered = view.sort == WORST and not view.reverse
    bare = _bare_sessions(sessions, missing, material.sessions)
    if view.flat:
        artifacts = [a for session in sessions for a in session.artifacts]
        if not (ordered and view.filter.strip()):
            artifacts = sort(artifacts, view.sort, view.reverse, material.titles)
        rows: list[Row] = [*artifacts, *missing]
    else:
        if not ordered:
            sessions = _sorted_sessions(sessions, view)
        rows = _grouped([*sessions, *bare], missing, view)
        artifacts = [a for session in sessions for a in session.artifacts]
    whole = only is None and not view.filter.strip()
    return Arrangement(
        rows,
        artifacts,
        len(sessions) + len(bare),
        lost,
        total - inside,
        figures_of(artifacts),
        _put_away(material.sessions, view) if whole and inside < total else 0,
    )


def _windowed(sessions: Sequence[Session], view: View) -> list[Session]:
    if view.all_time or view.since is None:
        return list(sessions)
    kept: list[Session] = []
    changed = False
    for session in sessions:
        artifacts = tuple(a for a in session.artifacts if in_window(a, view))
        if len(artifacts) == len(session.artifacts):
            kept.append(session)
            continue
        changed = True
        if artifacts:
            kept.append(replace(session, artifacts=artifacts))
    # What was left out may have been what put a session first.
    return sorted(kept, key=triage.session_worst_first) if changed else kept


def _put_away(sessions: Sequence[Session], view: View) -> int:
    """How many of the window's time are hidden, for they were reviewed before."""
    since = view.since or 0.0
    return sum(
        max(artifact.created, artifact.changed) >= since
        and not in_window(artifact, view)
        for session in sessions
        for artifact in session.artifacts
        if artifact.reviewed is not None
    )


def _selected(
    sessions: Sequence[Session], missing: Sequence[Missing], only: Pick
) -> tuple[list[Session], list[Missing]]:
    """What belongs to the selection; sessions that hold none of it are left out."""
    kept: list[Session] = []
    for session in sessions:
        artifacts = tuple(a for a in session.artifacts if only.admits(a))
        if artifacts:
            kept.append(replace(session, artifacts=artifacts))
    calls = [call for call in missing if only.admits_call(call)]
    return sorted(kept, key=triage.session_worst_first), calls


def _missing_in_window(missing: Sequence[Missing], view: View) -> list[Missing]:
    if view.all_time or view.since is None:
        return list(missing)
    since = view.since
    return [m for m in missing if m.mention.time is None or m.mention.time >= since]


def _filtered(
    sessions: Sequence[Session],
    missing: Sequence[Missing],
    query: str,
) -> tuple[list[Session], list[Missing]]:
    """Best match first: sessions by their best artifact, artifacts in each."""
    ends = list(accumulate(len(session.artifacts) for session in sessions))
    kept: dict[int, list[Artifact]] = {}
    labels = [_label(a, session) for session in sessions for a in session.artifacts]
    columns = [list(column) for column in zip(*labels, strict=True)]
    for place in fuzzy.Index(columns).find(query) if columns else ():
        at = bisect_right(ends, place)
        kept.setdefault(at, []).append(sessions[at].artifacts[place - ends[at]])
    shown = [replace(sessions[at], artifacts=tuple(some)) for at, some in kept.items()]
    calls = [
        joined(call.mention.command, call.mention.tool, call.project, call.harness)
        for call in missing
    ]
    return shown, [missing[place] for place in fuzzy.matches(query, calls)]


def _by_title(titles: Mapping[str, str]) -> Callable[[Artifact], tuple[str, str]]:
    """Sessions by the title that is shown, the same session's rows together."""

    def key(artifact: Artifact) -> tuple[str, str]:
        name = titles.get(f"{artifact.found.harness}/{artifact.session}")
        return ((name or artifact.session).casefold(), artifact.session)

    return key


def _unknown(key: Any) -> bool:
    return isinstance(key, tuple) and bool(key) and key[0] is True


def sort(
    artifacts: Iterable[Artifact],
    by: str,
    reverse: bool,
    titles: Mapping[str, str] | None = None,
) -> list[Artifact]:
    """Sorted by a column; what is not known stays last in either direction."""
    key = SORT_KEYS[by]
    if by == "session" and titles is not None:
        key = _by_title(titles)
    keyed = [(key(artifact), artifact) for artifact in artifacts]
    known = [pair for pair in keyed if not _unknown(pair[0])]
    unknown = [artifact for pair_key, artifact in keyed if _unknown(pair_key)]
    known.sort(key=lambda pair: pair[0], reverse=reverse)
    return [*(artifact for _, artifact in known), *unknown]


def _sorted_sessions(sessions: Sequence[Session], view: View) -> list[Session]:
    """Each session sorted inside; sessions in the order of their first artifacts."""
    inside = [
        replace(s, artifacts=tuple(sort(s.artifacts, view.sort, view.reverse)))
        for s in sessions
    ]
    first = {s.artifacts[0].id: s for s in inside if s.artifacts}
    leaders = sort([s.artifacts[0] for s in first.values()], view.sort, view.reverse)
    bare = [s for s in inside if not s.artifacts]
    return [*(first[a.id] for a in leaders), *bare]


def _bare_sessions(
    sessions: Sequence[Session], missing: Sequence[Missing], every: Sequence[Session]
) -> list[Session]:
    """One for each that has nothing but missing results here, as it is known."""
    known = {(s.harness, s.id) for s in sessions}
    bare: dict[tuple[str, str], Session] = {}
    for lost in missing:
        key = (lost.harness, lost.session)
        if key not in known and key not in bare:
            time = lost.mention.time
            made = Session(
                lost.harness, lost.session, lost.project, None, None, time, False, ()
            )
            same = [s for s in every if (s.harness, s.id) == key]
            bare[key] = replace(same[0], artifacts=()) if same else made
    return list(bare.values())


def _grouped(
    sessions: Sequence[Session], missing: Sequence[Missing], view: View
) -> list[Row]:
    lost: dict[tuple[str, str], list[Missing]] = {}
    for call in missing:
        lost.setdefault((call.harness, call.session), []).append(call)
    rows: list[Row] = []
    for session in sessions:
        rows.append(session)
        if session_key(session) not in view.collapsed:
            rows.extend(_chained(session.artifacts, apart=view.sort == WORST))
            rows.extend(lost.get((session.harness, session.id), ()))
    return rows


def _chained(artifacts: Sequence[Artifact], *, apart: bool) -> Iterable[Artifact]:
    """The artifacts in order, but what a read of one returned right below it.

    `apart` leaves what is reviewed where it is, away from what is not.
    """
    chains = {a.id: a.link.chain for a in artifacts if a.link and a.link.chain}
    if not chains:
        return artifacts
    here = {artifact.id: artifact for artifact in artifacts}
    placed: dict[str, Artifact] = {}
    for artifact in artifacts:
        reviewed = artifact.reviewed is not None
        for each in chains.get(artifact.id, (artifact.id,)):
            follower = here.get(each)
            if follower is None:
                continue
            if not apart or (follower.reviewed is not None) is reviewed:
                placed.setdefault(each, follower)
    return placed.values()


def _label(artifact: Artifact, session: Session) -> tuple[str, str, str, str]:
    found = artifact.found
    shared = (
        session.project or artifact.project or found.project_slug,
        session.title,
        found.harness,
        artifact.session,
    )
    failed = "failed" if has_failed(artifact) else None
    return (
        joined(artifact.command, artifact.label),
        joined(artifact.tool, failed),
        found.name,
        joined(*shared),
    )
