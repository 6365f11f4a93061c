"""What a person says of a report: that it is done, what was reviewed, and notes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spillview.catalogue.query import MIN_PREFIX, Query
from spillview.errors import BadInput, Cancelled
from spillview.model import Artifact
from spillview.report.findings import Report
from spillview.report.period import night_start
from spillview.review.notes import LONGEST_NOTE, About, Note
from spillview.review.reviewed import call_mark, session_mark
from spillview.review.state import State
from spillview.text import printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

STEP = 2_000
"""So many marks are written at once; whoever else asks for marks comes in between."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What finishing a review covered."""

    upto: float
    """Seconds since the epoch: what changed later is left for the next report."""
    marked: int
    """Artifacts and calls that are reviewed now."""
    left: int
    moved: bool
    """Whether the next report begins at `upto`; not where a part was reviewed."""
    before: Mapping[str, float | None] = field(default_factory=dict)
    """The marks that were set, each with its earlier time; None where it had none."""
    last_before: float | None = None
    """The review that was the last one until then."""


def is_whole(query: Query) -> bool:
    """Whether a report speaks of all of its ground: paths, or this user's stores."""
    return not (query.harness or query.session or query.until)


def remember_report(state: State, query: Query, report: Report) -> None:
    """Keep the moment of a report that a person was given, for `finish`."""
    if is_whole(query) and query.since is None:
        state.set_last_report(report.made, query.paths)


def given_report(state: State, query: Query, report: Report) -> float | None:
    """When a person was given a report of this period last; None where none was."""
    if not is_whole(query) or query.since is not None:
        return None
    given = state.last_report(query.paths)
    start = night_start(state.last_review(query.paths), report.made)
    return given if given is not None and start < given <= report.made else None


def finish(
    state: State,
    query: Query,
    report: Report,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Finished:
    """Mark what the person was given as reviewed, so that the rest comes next.

    Of everything that is up to the last report that was given; what changed after it
    was not seen by anybody yet. Of a part it is what `report` covers. The period of
    other paths than the query's stays where it is.

    `progress` is told how many of how many are marked. Raises `Cancelled` where it was
    stopped; then every mark and the period are as they were.
    """
    last = state.last_review(query.paths)
    start = night_start(last, report.made)
    whole = is_whole(query) and (query.since is None or query.since <= start)
    given = given_report(state, query, report)
    upto = report.made if given is None else given
    done = [mark for mark, changed in report.covered if changed <= upto]
    marks = state.reviewed()
    before = {mark: marks.get(mark) for mark in done}
    for at in range(0, len(done), STEP):
        if cancelled is not None and cancelled():
            _mark_as_before(state, {mark: before[mark] for mark in done[:at]})
            raise Cancelled
        state.mark_reviewed(done[at : at + STEP], upto)
        if progress is not None:
            progress(min(at + STEP, len(done)), len(done))
    if not whole and last is None:
        state.set_last_review(start, query.paths)  # the rest of the period comes next
    state.set_last_done(upto, last, query.paths)
    if whole:
        state.set_last_review(upto, query.paths)
    left = len(report.covered) - len(done)
    return Finished(upto, len(done), left, whole, before, last)


def resume(state: State, query: Query, finished: Finished) -> None:
    """Take back that a review was finished: marks and period as they were before."""
    _mark_as_before(state, finished.before)
    state.set_last_review(finished.last_before, query.paths)
    state.set_last_done(None, None, query.paths)


def _mark_as_before(state: State, before: Mapping[str, float | None]) -> None:
    by_time: dict[float | None, list[str]] = {}
    for mark, when in before.items():
        by_time.setdefault(when, []).append(mark)
    for when, marks in by_time.items():
        for at in range(0, len(marks), STEP):
            state.mark_reviewed(marks[at : at + STEP], when)


def undo_done(state: State, query: Query) -> tuple[float, int] | None:
    """Take back the last review of this ground that was done, wherever it was.

    Gives up to which moment it was done and how many marks were taken back; None
    where none is left to take back. Marks that were made since stay.
    """
    last = state.last_done(query.paths)
    if last is None:
        return None
    upto, before = last
    # Every review has a moment of its own, and it is the time of its marks.
    marks = [mark for mark, at in state.reviewed().items() if at == upto]
    state.mark_reviewed(marks, None)
    state.set_last_review(before, query.paths)
    state.set_last_done(None, None, query.paths)
    return upto, len(marks)


def hold(state: State, now: float, paths: Sequence[str] = ()) -> None:
    """With the first mark, keep where the period begins: the next report has the rest
    of it, whenever that comes."""
    if state.last_review(paths) is None:
        state.set_last_review(night_start(None, now), paths)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a word of the person means: an artifact, or a whole session."""

    mark: str
    artifacts: tuple[str, ...]
    """Ids of the artifacts that are reviewed with it."""
    place: str
    """The artifact's address or the session's id."""
    harness: str
    session: str | None
    """The session's id where it is one."""
    calls: tuple[str, ...] = ()
    """Marks of the session's calls without a file."""


def subject_of(catalogue: Catalogue, word: str, query: Query) -> Subject:
    """The artifact or session that a word names.

    Raises `BadInput` when nothing, or more than one thing, answers to it.
    """
    ground = replace(query, since=None, until=None)
    artifacts = catalogue.settled(catalogue.scan(ground))
    sessions = _sessions(catalogue, word, artifacts, ground)
    named = [a for a in artifacts if len(word) >= MIN_PREFIX and a.id.startswith(word)]
    if not (sessions or named or query.paths):
        elsewhere = _printed_ground(catalogue, word)
        if elsewhere:
            return subject_of(catalogue, word, replace(query, paths=elsewhere))
    if sessions and named:
        raise BadInput(
            f"“{word}” begins the ids of a session and of an artifact: give more of it"
        )
    if len(sessions) > 1:
        raise BadInput(f"“{word}” names {len(sessions)} sessions: give more of it")
    if sessions:
        harness, session = sessions[0]
        own = tuple(
            a.id for a in artifacts if (a.found.harness, a.session) == sessions[0]
        )
        calls = tuple(
            call_mark(call)
            for call in catalogue.missing(ground)
            if (call.harness, call.session) == sessions[0]
        )
        mark = session_mark(harness, session)
        return Subject(mark, own, session, harness, session, calls)
    artifact = catalogue.find(word, ground)
    found = artifact.found
    return Subject(artifact.id, (artifact.id,), found.address, found.harness, None)


def _printed_ground(catalogue: Catalogue, word: str) -> tuple[str, ...]:
    """The paths that were read when a session's id was printed; none if not known.

    Raises `BadInput` when it was printed for more than one ground.
    """
    if catalogue.state is None or len(word) < MIN_PREFIX:
        return ()
    grounds = [
        ground
        for ground in catalogue.state.grounds_of(word)
        if all(map(os.path.lexists, ground))
    ]
    if len(grounds) > 1:
        raise BadInput(
            f"“{printable(word)}” begins ids of sessions in {len(grounds)} places: give"
            " more of it, or the PATH that was read"
        )
    return grounds[0] if grounds else ()


def _sessions(
    catalogue: Catalogue, word: str, artifacts: Sequence[Artifact], query: Query
) -> list[tuple[str, str]]:
    """Harness and id of the sessions that a word names; an exact id outweighs."""
    known = {(a.found.harness, a.session) for a in artifacts}
    known |= {(call.harness, call.session) for call in catalogue.missing(query)}
    exact = [key for key in known if key[1] == word]
    if exact or len(word) < MIN_PREFIX:
        return exact
    return sorted(key for key in known if key[1].startswith(word))


def mark(
    state: State, subject: Subject, when: float | None, paths: Sequence[str] = ()
) -> None:
    """Mark an artifact, or a session with all its artifacts.

    None takes it back, and brings it into the next report.
    """
    marks = dict.fromkeys((subject.mark, *subject.artifacts))
    if when is None:
        state.reopen([*marks, *subject.calls])
        return
    hold(state, when, paths)
    state.mark_reviewed(marks, when)


def note(state: State, subject: Subject, text: str, when: float) -> Note:
    """Keep a note; an empty text takes it back. Raises `BadInput` for a long one."""
    if len(text) > LONGEST_NOTE:
        raise BadInput(
            f"a note has at most {LONGEST_NOTE:,} chars, and this one {len(text):,}"
        )
    about: About = "artifact"
    place = subject.place
    if subject.session is not None:
        about, place = "session", f"{subject.harness}\0{subject.session}"
    kept = Note(subject.mark, about, place, text.strip(), when)
    state.set_note(kept)
    return kept
