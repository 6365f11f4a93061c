"""The plan: every artifact gets an answer and a reason, and doubt keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.cleanup.cleanup import named_time
from spillview.cleanup.retention import GROUPS, Plan, Standing, plan, without
from spillview.cleanup.rules import Rules
from spillview.model import Artifact, Found
from spillview.places import Places
from spillview.profiles.profile import load_profiles

NOW = 1_800_000_000.0
HOUR = 3600
DAY = 86_400


def standing(
    number: int = 0,
    *,
    age: float = 10 * DAY,
    active: float | None = None,
    size: int = 1000,
    session: str = "s",
    inode: int | None = None,
    nlink: int = 1,
    pinned: bool = False,
    live: str | None = None,
    foreign: str | None = None,
    orphan: bool | None = False,
    named: float | None = None,
) -> Standing:
    """One artifact whose file is `age` seconds old."""
    found = Found(
        id=f"{number:016x}",
        harness="dsh",
        path=f"/store/{session}/{number:04}",
        name=f"{number:04}",
        session=session,
        root="/store",
        size=size,
        mtime_ns=int((NOW - age) * 1e9),
        dev=1,
        ino=number if inode is None else inode,
        nlink=nlink,
    )
    return Standing(
        Artifact(found, session=session),
        NOW - active if active is not None else None,
        NOW - named if named is not None else None,
        "it is pinned" if pinned else None,
        live,
        foreign,
        orphan,
    )


def removed(made: Plan) -> set[str]:
    return {choice.artifact.id for choice in made.remove}


def reason(one: Standing, rules: Rules) -> tuple[bool, str]:
    [choice] = plan([one], rules, NOW).choices
    return choice.remove, choice.reason


# Age


@pytest.mark.parametrize(
    ("file", "session", "goes"),
    [
        (10 * DAY, None, True),
        (10 * DAY, 10 * DAY, True),
        (7 * DAY, 7 * DAY, False),  # exactly at the limit
        (7 * DAY + 1, 7 * DAY + 1, True),
        (30 * DAY, 2 * HOUR, False),  # the session decides against the file's time
        (2 * HOUR, 30 * DAY, False),  # and the file's against the session's
        (-3 * HOUR, 30 * DAY, False),  # a clock is wrong
        (30 * DAY, -3 * HOUR, False),
    ],
)
def test_the_later_of_session_and_file_decides(
    file: float, session: float | None, goes: bool
) -> None:
    one = standing(age=file, active=session)
    assert reason(one, Rules(older_than=7 * DAY))[0] is goes


def test_both_times_are_said_and_their_disagreement_too() -> None:
    one = standing(age=2 * HOUR, active=30 * DAY)
    goes, text = reason(one, Rules(older_than=7 * DAY))
    assert not goes
    assert "its session was last active 4w ago" in text
    assert "the file changed 2h ago" in text
    assert "disagree" in text
    agreed = reason(standing(age=DAY, active=DAY), Rules(older_than=7 * DAY))[1]
    assert "disagree" not in agreed


def test_a_time_in_the_name_counts_when_it_can_be_true() -> None:
    rules = Rules(older_than=7 * DAY)
    assert not reason(standing(named=DAY), rules)[0]
    assert reason(standing(named=30 * DAY), rules)[0]


@pytest.mark.parametrize(
    ("harness", "name", "when"),
    [
        ("claude-code", "mcp-srv-logs-1799990000000.txt", 1_799_990_000.0),
        ("claude-code", "mcp-srv-logs-9999990000000.txt", None),  # in the future
        ("claude-code", "mcp-srv-logs-0000000000001.txt", None),  # it began anew
        ("claude-code", "b12345678.txt", None),
        ("agent-artifacts", "links_2027-01-10.json", 1_799_625_600.0),
        ("agent-artifacts", "links_2027-13-40.json", None),
    ],
)
def test_times_in_names_are_read(harness: str, name: str, when: float | None) -> None:
    profiles, _ = load_profiles(Places.of_home("/nowhere"))
    found = replace(standing().found, harness=harness, name=name)
    assert named_time(found, profiles[harness], NOW) == when


# The other rules


def test_the_newest_of_each_session_stay_whatever_else_selects_them() -> None:
    ones = [standing(n, age=(n + 1) * DAY, session="ab"[n % 2]) for n in range(8)]
    made = plan(ones, Rules(keep_last=2), NOW)
    assert removed(made) == {ones[n].artifact.id for n in (4, 5, 6, 7)}
    everything = Rules(keep_last=2, older_than=HOUR, max_file=1, orphans=True)
    assert removed(plan(ones, everything, NOW)) == removed(made)


def test_a_large_file_goes_and_one_of_just_that_size_stays() -> None:
    assert reason(standing(size=1001), Rules(max_file=1000))[0]
    assert not reason(standing(size=1000), Rules(max_file=1000))[0]


def test_only_what_is_known_to_be_an_orphan_goes_as_one() -> None:
    rules = Rules(orphans=True)
    assert reason(standing(orphan=True), rules) == (True, "no record points at it")
    assert not reason(standing(orphan=False), rules)[0]
    goes, text = reason(standing(orphan=None), rules)
    assert not goes
    assert "could not be read" in text


def test_the_oldest_go_until_the_rest_fits() -> None:
    ones = [standing(n, age=(n + 1) * DAY) for n in range(6)]
    made = plan(ones, Rules(max_total=3500), NOW)
    assert removed(made) == {ones[n].artifact.id for n in (3, 4, 5)}
    assert made.over_total is None


def test_what_other_rules_take_counts_for_the_total() -> None:
    ones = [
        standing(0, age=DAY, size=5000),
        *(standing(n, age=9 * DAY) for n in (1, 2)),
    ]
    made = plan(ones, Rules(max_total=2000, max_file=4000), NOW)
    assert removed(made) == {ones[0].artifact.id}


def test_what_protected_files_exceed_the_total_by_is_said() -> None:
    ones = [standing(0, pinned=True), standing(1), standing(2, live="it is live")]
    made = plan(ones, Rules(max_total=500), NOW)
    assert removed(made) == {ones[1].artifact.id}
    assert made.over_total == 1500


def test_a_named_session_goes_as_a_whole_but_for_what_is_protected() -> None:
    ones = [
        standing(0, age=60),
        standing(1, pinned=True),
        standing(2, live="its session is live"),
        standing(3, foreign="no name of dsh"),
    ]
    made = plan(ones, Rules(whole=True), NOW)
    assert removed(made) == {ones[0].artifact.id}
    assert [choice.group for choice in made.choices] == [
        "rule", "pinned", "live", "foreign",
    ]  # fmt: skip


def test_only_what_a_rule_keeps_is_said_to_be_kept_by_one() -> None:
    ones = [standing(0, age=60), standing(1, age=120)]
    [young, _] = plan(ones, Rules(older_than=3 * 86_400), NOW).choices
    assert GROUPS[young.group] == "not selected (newer than the rule)"
    newest, old = plan(ones, Rules(keep_last=1), NOW).choices
    assert (GROUPS[newest.group], old.remove) == ("kept by a rule", True)
    [left, _] = plan(ones, Rules(max_file=10**9), NOW).choices
    assert GROUPS[left.group] == "not selected by any rule"


# Hard links


def test_space_is_freed_only_with_the_last_name() -> None:
    shared = [standing(n, inode=7, nlink=2) for n in (0, 1)]
    both = plan(shared, Rules(whole=True), NOW)
    assert both.frees == 1000
    assert both.remove_bytes == 2000
    one = plan(shared[:1], Rules(whole=True), NOW)
    assert one.frees == 0
    assert "2 names (hard links)" in one.choices[0].reason


def test_a_plan_without_some_of_its_files_frees_less() -> None:
    ones = [standing(n) for n in range(3)]
    made = plan(ones, Rules(whole=True), NOW)
    less = without(made, {ones[1].artifact.id: "it is live now"})
    assert removed(less) == {ones[0].artifact.id, ones[2].artifact.id}
    assert less.frees == 2000
    assert less.choices[1].reason == "it is live now"


# For any artifacts and rules

ages = st.integers(-2 * DAY, 40 * DAY).map(float)
standings = st.lists(
    st.builds(
        standing,
        number=st.just(0),
        age=ages,
        active=st.none() | ages,
        size=st.integers(0, 5000),
        session=st.sampled_from("abc"),
        pinned=st.booleans(),
        live=st.sampled_from([None, None, None, "its session is live"]),
        foreign=st.sampled_from([None, None, None, "no artifact"]),
        orphan=st.sampled_from([True, False, None]),
        named=st.none() | ages,
    ),
    max_size=12,
).map(
    lambda ones: [
        replace(
            one,
            artifact=replace(
                one.artifact,
                found=replace(one.found, id=f"{n:016x}", ino=n, path=f"/s/{n:04}"),
            ),
        )
        for n, one in enumerate(ones)
    ]
)
rules = st.builds(
    Rules,
    older_than=st.none() | st.integers(1, 30 * DAY).map(float),
    keep_last=st.none() | st.integers(1, 4),
    max_total=st.none() | st.integers(1, 20_000),
    max_file=st.none() | st.integers(1, 5000),
    orphans=st.booleans(),
    whole=st.booleans(),
)


@given(standings, rules)
def test_each_artifact_has_one_answer_and_a_reason(
    ones: list[Standing], chosen: Rules
) -> None:
    made = plan(ones, chosen, NOW)
    assert [c.artifact.id for c in made.choices] == [one.artifact.id for one in ones]
    assert all(choice.reason for choice in made.choices)
    assert len(made.remove) + len(made.keep) == len(ones)
    assert made.remove_bytes == sum(c.artifact.found.size for c in made.remove)
    if not chosen.any:
        assert made.remove == []


@given(standings, rules)
def test_nothing_protected_ever_goes(ones: list[Standing], chosen: Rules) -> None:
    gone = removed(plan(ones, chosen, NOW))
    for one in ones:
        if one.pinned or one.live or one.foreign:
            assert one.artifact.id not in gone


@given(standings, rules)
def test_nothing_goes_for_its_age_that_anything_shows_to_be_fresh(
    ones: list[Standing], chosen: Rules
) -> None:
    limit = chosen.older_than or DAY
    for one in ones:
        goes = removed(plan([one], Rules(older_than=limit), NOW))
        times = [one.active, one.found.mtime_ns / 1e9, one.named]
        old = all(NOW - time > limit for time in times if time is not None)
        assert bool(goes) is (old and not one.protected)


@given(standings, rules)
def test_selections_unite(ones: list[Standing], chosen: Rules) -> None:
    chosen = replace(chosen, keep_last=None, max_total=None)
    alone = [
        Rules(older_than=chosen.older_than),
        Rules(max_file=chosen.max_file),
        Rules(orphans=chosen.orphans),
        Rules(whole=chosen.whole),
    ]
    each = [removed(plan(ones, rule, NOW)) for rule in alone if rule.any]
    assert removed(plan(ones, chosen, NOW)) == set().union(*each)


@given(standings, st.integers(1, 4))
def test_all_but_the_newest_of_each_session_go(
    ones: list[Standing], count: int
) -> None:
    gone = removed(plan(ones, Rules(keep_last=count), NOW))
    for session in "abc":
        members = [one for one in ones if one.artifact.session == session]
        members.sort(key=lambda one: (one.found.mtime_ns, one.found.path))
        older = members[:-count]
        assert {one.artifact.id for one in members} & gone == {
            one.artifact.id for one in older if not one.protected
        }


@given(standings, st.integers(1, 20_000))
def test_no_more_goes_than_the_total_needs(ones: list[Standing], most: int) -> None:
    made = plan(ones, Rules(max_total=most), NOW)
    rest = sum(choice.artifact.found.size for choice in made.keep)
    free = [one for one in ones if not one.protected and one.found.size]
    if made.over_total is None:
        assert rest <= most
    else:
        assert made.over_total == rest - most
        assert removed(made) == {one.artifact.id for one in free}
    by_age = sorted(
        (one for one in free if one.artifact.id in removed(made)),
        key=lambda one: one.freshest,
    )
    if by_age:
        assert rest + by_age[-1].found.size > most
        kept = [one for one in free if one.artifact.id not in removed(made)]
        assert all(one.freshest >= by_age[-1].freshest for one in kept)


@given(standings, rules, st.randoms())
def test_the_order_changes_nothing(
    ones: list[Standing], chosen: Rules, random: object
) -> None:
    mixed = list(ones)
    random.shuffle(mixed)  # type: ignore[attr-defined]  # hypothesis gives a Random
    assert removed(plan(mixed, chosen, NOW)) == removed(plan(ones, chosen, NOW))
