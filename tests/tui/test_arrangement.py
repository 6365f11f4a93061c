"""Rows from facts: every artifact once, under its session, in the order asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue import triage
from spillview.catalogue.gists import OUTER
from spillview.model import Artifact, Missing, Session
from spillview.report.findings import Period
from spillview.report.period import holds_times
from spillview.review.reviewed import is_reviewed
from spillview.seen.endings import endings_unseen
from spillview.text import when
from spillview.tui.labels import Labels
from spillview.tui.queue import arrangement
from spillview.tui.queue.arrangement import (
    SORT_KEYS,
    Material,
    View,
    arrange,
    row_key,
    session_key,
    sort,
    window_words,
)
from spillview.tui.queue.members import Ledger, Members
from spillview.tui.queue.sessions import Figures, Run
from spillview.tui.review.marks import Marks
from tests.tui import by_objects
from tests.tui.by_objects import in_window
from tests.tui.fakes import (
    HOUR,
    NOW,
    Facts,
    FakeCatalogue,
    lost_call,
    taken_back,
    whole,
)

made_facts = st.builds(
    Facts,
    name=st.sampled_from(["a.txt", "b.txt", "c.txt"]),
    session=st.sampled_from(["s1", "s2", "s3"]),
    command=st.sampled_from(["npm run build", "pytest -q", "ls", None]),
    chars=st.integers(1, 200_000),
    verdict_seen=st.sampled_from([True, False, None]),
    failed=st.sampled_from([True, False, None]),
    ago=st.floats(0, 100 * HOUR),
    state=st.sampled_from(["linked", "orphan"]),
    error=st.sampled_from([None, None, None, "No."]),
    reviewed=st.sampled_from([None, None, NOW - HOUR]),
)
views = st.builds(
    View,
    flat=st.booleans(),
    sort=st.sampled_from(sorted(SORT_KEYS)),
    reverse=st.booleans(),
    filter=st.sampled_from(["", "  ", "npm", "s2 txt"]),
    all_time=st.booleans(),
    since=st.sampled_from([None, NOW - 20 * HOUR]),
    opened=st.just(NOW),
    missing=st.booleans(),
)


def material_of(artifacts: list[Artifact], missing: list[Missing]) -> Material:
    return Material.of(FakeCatalogue().sessions(artifacts), missing)


def members_of(artifacts: list[Artifact]) -> Members:
    return Members(Ledger.of(artifacts))


def numbered(facts: list[Facts]) -> list[Artifact]:
    return [whole(fact, number) for number, fact in enumerate(facts)]


@given(st.lists(made_facts, max_size=25), views)
@settings(max_examples=100)
def test_every_artifact_in_the_window_is_one_row_under_its_session(
    facts: list[Facts], view: View
) -> None:
    artifacts = numbered(facts)
    shown = arrange(material_of(artifacts, [lost_call()]), view, Labels())
    expected = {a.id for a in artifacts if in_window(a, view)}
    rows = [row.id for row in shown.rows if isinstance(row, Artifact)]
    assert len(rows) == len(set(rows))
    if view.filter.strip():
        assert set(rows) <= expected
    else:
        assert set(rows) == expected
    assert shown.beyond == len(artifacts) - len(expected)
    assert [a.id for a in shown.artifacts] == rows
    assert shown.figures == Figures.of(shown.artifacts)
    header: Session | None = None
    for row in shown.rows:
        if isinstance(row, Session):
            header = row
        elif view.flat:
            assert header is None
        else:
            assert header is not None
            assert row.session == header.id
    keys = [row_key(row) for row in shown.rows]
    assert len(keys) == len(set(keys))


@given(st.lists(made_facts, max_size=25), views)
@settings(max_examples=100)
def test_columns_arrange_as_the_artifacts_themselves_do(
    facts: list[Facts], view: View
) -> None:
    sessions = FakeCatalogue().sessions(numbered(facts))
    missing = [lost_call(), lost_call(session="s9")]
    only = replace(view, only="failed")
    for each in (view, only, replace(view, opened=None), replace(view, only="unread")):
        shown = arrange(Material.of(sessions, missing), each, Labels())
        expected = by_objects.arrange(by_objects.Material.of(sessions, missing), each)
        assert_alike(shown, expected)


def assert_alike(
    shown: arrangement.Arrangement, expected: by_objects.Arrangement
) -> None:
    """That columns tell what artifacts do: rows, totals, and each header's own."""
    assert list(map(told, shown.rows)) == list(map(told, expected.rows))
    assert list(shown.artifacts) == expected.artifacts
    for name in ("sessions", "missing", "beyond", "put_away"):
        assert getattr(shown, name) == getattr(expected, name)
    for name in by_objects.Figures.__slots__:
        assert getattr(shown.figures, name) == getattr(expected.figures, name)


def told(row: object) -> object:
    """A row, of a session its facts and totals."""
    if not isinstance(row, Session):
        return row
    left = by_objects.figures_of(row.artifacts)
    facts: list[object] = [row.harness, row.id, row.project, row.title, row.started]
    facts += [row.last_active, row.live, row.activity, row.skipped, row.bytes]
    facts += [row.chars, row.over_boundary, row.verdict_unseen]
    unseen = endings_unseen(row.artifacts)
    if isinstance(row, Run):
        unseen = row.endings_unseen
        totals = [getattr(row.figures, name) for name in by_objects.Figures.__slots__]
        assert totals == [getattr(left, name) for name in by_objects.Figures.__slots__]
    return (*facts, unseen, *row.artifacts)


@given(st.lists(made_facts, max_size=25), st.sampled_from(sorted(SORT_KEYS)))
def test_sorting_puts_the_unknown_last_in_both_directions(
    facts: list[Facts], by: str
) -> None:
    artifacts = numbered(facts)
    for reverse in (False, True):
        keys = [SORT_KEYS[by](a) for a in sort(members_of(artifacts), by, reverse)]
        known = [k for k in keys if not (isinstance(k, tuple) and k[0] is True)]
        assert keys[: len(known)] == known
        assert known == sorted(known, reverse=reverse)


@given(st.lists(made_facts, max_size=25))
def test_worst_first_is_the_order_of_the_triage(facts: list[Facts]) -> None:
    artifacts = numbered(facts)
    flat = arrange(material_of(artifacts, []), View(flat=True), Labels())
    assert flat.rows == sorted(artifacts, key=triage.worst_first)
    grouped = arrange(material_of(artifacts, []), View(), Labels())
    headers = [row for row in grouped.rows if isinstance(row, Session)]
    assert headers == sorted(headers, key=triage.session_worst_first)
    # What is left comes before what is reviewed: in the list, and in each session.
    for rows in (flat.artifacts, *(header.artifacts for header in headers)):
        reviewed = [row.reviewed is not None for row in rows]
        assert reviewed == sorted(reviewed)
    done = [all(a.reviewed is not None for a in h.artifacts) for h in headers]
    assert done == sorted(done)


@given(st.lists(made_facts, max_size=25), st.lists(st.booleans(), min_size=25))
def test_marks_made_now_leave_the_order_that_a_new_start_would_have(
    facts: list[Facts], chosen: list[bool]
) -> None:
    made = numbered(facts)
    artifacts = [a if is_reviewed(a, NOW) else replace(a, reviewed=None) for a in made]
    catalogue = FakeCatalogue(artifacts)
    marks = Marks(catalogue)
    before = catalogue.sessions(artifacts)
    material = Material.of(before, ())
    marks.mark([a for a, marked in zip(artifacts, chosen, strict=False) if marked], NOW)
    material = material.reordered(marks.apply_to(material.ledger))
    anew = catalogue.sessions(catalogue.scan())
    assert same(material.sessions, anew)
    while marks.undoable:
        taken_back(marks)
    material = material.reordered(marks.apply_to(material.ledger))
    assert same(material.sessions, before)


def same(some: Sequence[Session], others: Sequence[Session]) -> bool:
    """Whether they are alike, artifact by artifact."""
    told = [
        [(s.id, s.last_active, *s.artifacts) for s in each] for each in (some, others)
    ]
    return told[0] == told[1]


@pytest.mark.parametrize("by", ["age", "bytes", "command"])
def test_an_order_that_was_asked_for_leaves_what_is_reviewed_in_its_place(
    by: str,
) -> None:
    facts = [
        Facts("a", "s1", chars=9, command="a", ago=1, reviewed=NOW),
        Facts("b", "s1", chars=8, command="b", ago=2),
        Facts("c", "s2", chars=7, command="c", ago=3, reviewed=NOW),
    ]
    shown = arrange(material_of(numbered(facts), []), View(sort=by), Labels())
    assert [a.command for a in shown.artifacts] == ["a", "b", "c"]
    worst = arrange(material_of(numbered(facts), []), View(), Labels())
    assert [a.command for a in worst.artifacts] == ["b", "a", "c"]


def test_what_followed_a_reviewed_artifact_stays_with_what_is_left() -> None:
    made = numbered(
        [
            Facts("a", command="a", reviewed=NOW, chars=9),
            Facts("b", command="b", chars=8),
            Facts("c", command="c", chars=7),
        ]
    )
    chain = (made[0].id, made[2].id)
    for place in (0, 2):
        link = made[place].link
        assert link is not None
        made[place] = replace(made[place], link=replace(link, chain=chain))
    shown = arrange(material_of(made, []), View(), Labels())
    rows = [row.command for row in shown.rows if isinstance(row, Artifact)]
    assert rows == ["b", "c", "a"]


def test_what_was_reviewed_before_the_start_is_still_counted() -> None:
    artifacts = numbered(
        [
            Facts("a", reviewed=NOW - HOUR, ago=2 * HOUR),
            Facts("b", ago=2 * HOUR),
            Facts("c", reviewed=NOW - HOUR, ago=90 * HOUR),
        ]
    )
    material = material_of(artifacts, [])
    view = View(since=NOW - 5 * HOUR, opened=NOW)
    shown = arrange(material, view, Labels())
    assert (shown.figures.artifacts, shown.put_away, shown.beyond) == (1, 1, 2)
    every = arrange(material, replace(view, all_time=True), Labels())
    assert (every.figures.reviewed, every.put_away) == (2, 0)
    part = arrange(material, replace(view, filter="make"), Labels())
    assert part.put_away == 0


@given(st.lists(made_facts, min_size=1, max_size=25))
def test_figures_add_up(facts: list[Facts]) -> None:
    artifacts = numbered(facts)
    figures = Figures.of(members_of(artifacts))
    counted = [a.counts.chars for a in artifacts if a.counts is not None]
    assert figures.artifacts == len(artifacts)
    assert (figures.counted, figures.chars) == (len(counted), sum(counted))
    assert figures.bytes == sum(a.found.size for a in artifacts)
    left = [a for a in artifacts if a.reviewed is None]
    assert figures.reviewed == len(artifacts) - len(left)
    # None of these has a line that concludes but its last one.
    unseen = sum(1 for a in left if a.verdict_seen is False)
    assert figures.failed + figures.unseen == unseen


def test_a_window_that_hides_a_sessions_worst_ranks_the_session_anew() -> None:
    artifacts = numbered(
        [
            Facts("old", "s1", failed=True, verdict_seen=False, ago=90 * HOUR),
            Facts("new", "s1", chars=10),
            Facts("mid", "s2", verdict_seen=False),
        ]
    )
    view = View(since=NOW - 5 * HOUR)
    rows = arrange(material_of(artifacts, []), view, Labels()).rows
    assert [row.id for row in rows if isinstance(row, Session)] == ["s2", "s1"]


@pytest.mark.parametrize("called", [90, 2])
@pytest.mark.parametrize("changed", [80, 1])
def test_the_window_shows_what_was_made_or_changed_in_it_as_a_report_does(
    called: float, changed: float
) -> None:
    artifact = whole(Facts("x", ago=called * HOUR))
    view = View(since=NOW - 5 * HOUR)
    found = replace(artifact.found, mtime_ns=int((NOW - changed * HOUR) * 1e9))
    moved = replace(artifact, found=found)
    inside = called < 5 or changed < 5
    assert in_window(moved, view) is inside
    members = members_of([moved])
    assert arrangement.in_window(view, members.gists)(0) is inside
    period = Period(view.since, NOW, "review")
    assert holds_times(period, moved.created, moved.changed, dated=True) is inside
    # Nothing is known of the call yet: the file's own time stands for it.
    bare = replace(artifact, link=None, found=found)
    assert in_window(bare, view) is (changed < 5)


def test_what_failed_is_found_by_that_word() -> None:
    artifacts = numbered(
        [
            Facts("a", "s1", failed=True, verdict_seen=False, command="make"),
            Facts("b", "s1", failed=True, verdict_seen=True, command="npm"),
            Facts("c", "s1", verdict_seen=False, command="rg"),
        ]
    )
    material = material_of(artifacts, [])
    found = arrange(material, View(filter="failed"), Labels()).artifacts
    assert sorted(a.command or "" for a in found) == ["make", "npm"]
    alone = arrange(material, View(only="failed"), Labels()).artifacts
    assert [a.command for a in alone] == ["make"]


def test_what_is_reviewed_now_stays_until_the_next_start() -> None:
    view = View(since=NOW - 5 * HOUR, opened=NOW)
    assert in_window(whole(Facts("x", reviewed=NOW + 1)), view)
    assert not in_window(whole(Facts("x", reviewed=NOW - 1)), view)


def test_collapsed_sessions_keep_their_artifacts_in_the_totals() -> None:
    artifacts = numbered([Facts("a", "s1"), Facts("b", "s2")])
    material = material_of(artifacts, [])
    closed = frozenset(map(session_key, material.sessions))
    shown = arrange(material, View(collapsed=closed), Labels())
    assert all(isinstance(row, Session) for row in shown.rows)
    assert shown.figures.artifacts == 2


def test_sorting_by_session_goes_by_the_title_that_is_shown() -> None:
    artifacts = numbered([Facts("a", "s1"), Facts("b", "s2"), Facts("c", "s1")])
    titles = {"claude-code/s1": "Zebra", "claude-code/s2": "aardvark"}
    rows = sort(members_of(artifacts), "session", False, titles)
    assert [row.session for row in rows] == ["s2", "s1", "s1"]


def test_labels_that_were_let_go_of_are_made_again() -> None:
    material = material_of(numbered([Facts("a", command="npm"), Facts("b")]), [])
    labels, view = Labels(), View(filter="npm")
    first = arrange(material, view, labels).rows
    labels.forget()
    assert list(arrange(material, view, labels).rows) == list(first)


@pytest.mark.parametrize("flag", ["secret-like", "pinned", "growing"])
def test_the_filter_finds_flags_as_they_are_now(flag: str) -> None:
    plain, flagged = numbered([Facts("a", command="npm"), Facts("a", command="zz")])
    flagged = replace(flagged, flags=(flag,))
    material, labels = material_of([plain, flagged], []), Labels()
    view = View(filter=flag)
    assert [a.id for a in arrange(material, view, labels).artifacts] == [flagged.id]
    gists = material.ledger.gists
    for place in range(2):
        gists.bits[place] &= ~OUTER
    assert list(arrange(material, view, labels).rows) == []


def test_the_filter_finds_what_others_may_read(tmp_path: Path) -> None:
    open_, closed = tmp_path / "one", tmp_path / "two"
    for path, mode in ((open_, 0o644), (closed, 0o600)):
        path.write_text("x")
        path.chmod(mode)
    made = [
        replace(
            each, found=replace(each.found, path=str(path), mode=path.stat().st_mode)
        )
        for each, path in zip(
            numbered([Facts("a"), Facts("a")]), (open_, closed), strict=True
        )
    ]
    with mock.patch("spillview.exposure.permissions._passable", return_value=True):
        shown = arrange(material_of(made, []), View(filter="world-readable"), Labels())
    assert [a.id for a in shown.artifacts] == [made[0].id]


def test_a_cancelled_filter_stops() -> None:
    artifacts = numbered([Facts("a", command="npm")])
    shown = arrange(
        material_of(artifacts, []), View(filter="npm"), Labels(), lambda: True
    )
    assert list(shown.rows) == []


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (2, "07:30 today"),
        (12, "21:30 yesterday"),
        (36, "21:30 on Mon 12 Jan"),
        (24 * 365, "Tue 14 Jan 2025"),
    ],
)
def test_times_are_said_in_words(hours: int, words: str) -> None:
    now = datetime(2026, 1, 14, 9, 30).timestamp()  # noqa: DTZ001 - local on purpose
    assert when(now - hours * HOUR, now) == words


def test_the_window_is_said_in_words() -> None:
    now = datetime(2026, 1, 14, 9, 30).timestamp()  # noqa: DTZ001 - local on purpose
    view = View(since=now - 15.5 * HOUR)
    assert window_words(view, None, now) == "since 18:00 yesterday"
    later = View(since=now - 3 * HOUR)
    reviewed = window_words(later, later.since, now)
    assert reviewed == "since 06:30 today, your last review"
    assert window_words(replace(view, all_time=True), None, now) == "all time"


def test_an_evening_at_which_nobody_reviewed_is_not_called_a_review() -> None:
    now = datetime(2026, 1, 14, 9, 30).timestamp()  # noqa: DTZ001 - local on purpose
    view = View(since=now - 15.5 * HOUR)
    assert window_words(view, view.since, now) == "since 18:00 yesterday"
