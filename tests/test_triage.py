"""The queue's order, checked on hand-made artifacts."""

from __future__ import annotations

import itertools
import random
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from spillview.catalogue import triage
from spillview.model import (
    Artifact,
    Boundary,
    Counts,
    Found,
    Link,
    Mention,
    Read,
    Session,
)

NUMBERS = itertools.count()


def artifact(
    *,
    chars: int = 10,
    boundary: int = 100,
    verdict_seen: bool | None = None,
    failed: bool | None = None,
    verdict: str = "unknown",
    reads: tuple[Read, ...] = (),
    when: float = 1000.0,
) -> Artifact:
    number = next(NUMBERS)
    mention = Mention("t", "s", 1, 0, 1, "result", "n", "/p", failed=failed, time=when)
    link = Link(
        "linked",
        (mention,),
        reads,
        verdict_seen=verdict_seen,
        verdict=verdict,  # type: ignore[arg-type] # a literal, passed on by the tests
    )
    return Artifact(
        Found(f"{number:016x}", "h", f"/{number}", str(number), "s", "/"),
        Counts(chars, chars, chars, 1, "utf-8", "text"),
        link,
        (Boundary(boundary, "chars"),),
    )


def session(name: str, *members: Artifact, active: float = 0.0) -> Session:
    return Session("h", name, None, None, None, active, False, members)


def test_failed_and_never_seen_comes_before_unseen_before_over_before_rest() -> None:
    failed = artifact(verdict_seen=False, failed=True)
    failed_by_text = artifact(verdict_seen=False, verdict="fail", chars=5)
    unseen = artifact(verdict_seen=False, chars=900)
    far_over = artifact(chars=800, verdict_seen=True)
    over = artifact(chars=200)
    rest = artifact(chars=90)
    shuffled = [rest, over, unseen, failed_by_text, far_over, failed]
    random.Random(1).shuffle(shuffled)
    ordered = sorted(shuffled, key=triage.worst_first)
    assert ordered == [failed, failed_by_text, unseen, far_over, over, rest]


def test_a_failure_whose_verdict_was_seen_comes_after_unseen_before_passes() -> None:
    failed = artifact(failed=True, verdict_seen=True)
    unseen = artifact(verdict_seen=False)
    over = artifact(chars=5000, verdict_seen=True)
    assert sorted([over, failed, unseen], key=triage.worst_first) == [
        unseen,
        failed,
        over,
    ]


def test_an_unknown_verdict_is_never_ranked_as_unseen() -> None:
    assert triage.rank(artifact(failed=True, verdict_seen=None)) is triage.Rank.FAILED


def test_a_tiny_boundary_does_not_lead_the_list() -> None:
    tiny = artifact(chars=70_000, boundary=500, verdict_seen=True)
    large = artifact(chars=90_000, boundary=30_000, verdict_seen=True)
    assert sorted([tiny, large], key=triage.worst_first) == [large, tiny]
    sessions = [session("tiny", tiny), session("large", large)]
    assert [s.id for s in triage.order_sessions(sessions)] == ["large", "tiny"]


def test_what_was_read_back_comes_after_what_never_was() -> None:
    read = Read("Read", "c", "t", 2, "s", True, ((0, 5),))
    empty = Read("Read", "c", "t", 2, "s", True, ())
    back = artifact(verdict_seen=False, reads=(read,), chars=900)
    never = artifact(verdict_seen=False, reads=(empty,), chars=200)
    assert sorted([back, never], key=triage.worst_first) == [never, back]


def test_the_session_with_most_failed_unseen_verdicts_is_first() -> None:
    one = session("one", artifact(verdict_seen=False, failed=True))
    two = session("two", *(artifact(verdict_seen=False) for _ in range(9)))
    three = session("three", *(artifact(verdict_seen=False, failed=True),) * 2)
    quiet = session("quiet", artifact(chars=5000))
    assert [s.id for s in triage.order_sessions([quiet, two, one, three])] == [
        "three",
        "one",
        "two",
        "quiet",
    ]


def test_artifacts_inside_a_session_are_worst_first_too() -> None:
    rest, bad = artifact(), artifact(verdict_seen=False, failed=True)
    (ordered,) = triage.order_sessions([session("s", rest, bad)])
    assert ordered.artifacts == (bad, rest)


def test_what_was_reviewed_comes_after_all_that_is_left_whatever_its_rank() -> None:
    failed = replace(artifact(verdict_seen=False, failed=True), reviewed=2000.0)
    unseen = replace(artifact(verdict_seen=False), reviewed=1500.0)
    rest = artifact()
    assert sorted([unseen, failed, rest], key=triage.worst_first) == [
        rest,
        failed,
        unseen,
    ]


def test_a_session_sinks_once_all_of_it_is_reviewed_and_not_before() -> None:
    bad = replace(artifact(verdict_seen=False, failed=True), reviewed=2000.0)
    begun = session("begun", bad, artifact())
    done = session("done", *(replace(bad, reviewed=2000.0 + n) for n in range(3)))
    unseen = session("unseen", artifact(verdict_seen=False))
    quiet = session("quiet", artifact())
    ordered = triage.order_sessions([quiet, done, unseen, begun])
    assert [s.id for s in ordered] == ["begun", "unseen", "quiet", "done"]
    assert [a.reviewed is None for a in ordered[0].artifacts] == [True, False]


def test_changed_sessions_are_put_where_a_new_order_would_have_them() -> None:
    sessions = [session(f"s{n}", artifact(chars=50 * n)) for n in range(1, 6)]
    ordered = triage.order_sessions(sessions)
    marked = [
        replace(s, artifacts=tuple(replace(a, reviewed=9.0) for a in s.artifacts))
        for s in ordered[1:3]
    ]
    kept = [ordered[0], *ordered[3:]]
    expected = triage.order_sessions([*kept, *marked])
    triage.put_in_order(kept, marked)
    assert kept == expected


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (None, "below"),
        (0.0, "below"),
        (0.8999, "below"),
        (0.9, "close"),
        (1.0, "close"),
        (1.0001, "over"),
    ],
)
def test_bands_change_at_nine_tenths_and_above_one(
    ratio: float | None, expected: str
) -> None:
    assert triage.band(ratio) == expected


def test_every_sort_key_orders_known_before_unknown() -> None:
    bare = Artifact(Found("0" * 16, "h", "/x", "x", "s", "/"))
    full = artifact()
    for name in ("chars", "lines", "ratio"):
        assert sorted([bare, full], key=triage.SORT_KEYS[name]) == [full, bare], name


@pytest.mark.parametrize(("hour", "day"), [(18, 29), (23, 29), (3, 28), (17, 28)])
def test_the_evening_is_the_latest_six_o_clock_not_after_now(
    hour: int, day: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    now = datetime(2026, 11, 29, hour, 5, tzinfo=UTC).timestamp()
    expected = datetime(2026, 11, day, 18, tzinfo=UTC).timestamp()
    assert triage.evening(now) == expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-03-29T07:00:00+02:00", "2026-03-28T18:00:00+01:00"),
        ("2026-03-29T03:00:00+02:00", "2026-03-28T18:00:00+01:00"),
        ("2026-10-25T07:00:00+01:00", "2026-10-24T18:00:00+02:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-24T18:00:00+02:00"),
        ("2026-10-25T18:00:00+01:00", "2026-10-25T18:00:00+01:00"),
    ],
)
def test_the_evening_is_at_six_though_the_clocks_were_changed_since(
    now: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spillview.report.period import evening_before

    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        moment = datetime.fromisoformat(now).timestamp()
        found, before = triage.evening(moment), evening_before(moment)
    time.tzset()
    assert found == datetime.fromisoformat(expected).timestamp()
    assert before in (found, found - 25 * 3600)


def test_a_night_starts_at_the_last_review_where_there_was_one() -> None:
    assert triage.night_start(123.0, 9e8) == 123.0
    assert triage.night_start(None, 9e8) == triage.evening(9e8)
