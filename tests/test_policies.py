"""Standing policies: read from the settings, the most specific decides, doubt keeps."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview import frozen
from spillview.cleanup.policies import Policies, Policy
from spillview.cleanup.policy_file import EXAMPLE, NoPolicies, standing_policies
from spillview.cleanup.project_globs import ProjectGlob
from spillview.cleanup.retention import Plan, Standing, plan
from spillview.cleanup.rules import Rules
from spillview.config import Settings
from spillview.errors import BadInput
from spillview.places import Places

from .test_config import settings
from .test_retention import DAY, NOW, removed, rules, standing, standings

PROJECTS = (None, "/srv/app", "/srv/app/web", "/srv/lib", "/home/u")
GLOBS = (None, "/srv", "/srv/*", "/srv/app", "/srv/*/web", "/home/**")
HARNESSES = ("dsh", "claude-code")


def placed(
    one: Standing,
    project: str | None,
    harness: str = "dsh",
    slug: str | None = None,
) -> Standing:
    """The artifact of another harness and project."""
    found = frozen.replace(one.found, harness=harness, project_slug=slug)
    return replace(
        one, artifact=frozen.replace(one.artifact, found=found, project=project)
    )


def policy(
    glob: str | None = None,
    harness: str | None = None,
    chosen: Rules | None = None,
    **rest: bool,
) -> Policy:
    return Policy(chosen or Rules(older_than=DAY), harness, glob, glob, **rest)


def decides(
    policies: list[Policy],
    project: str | None,
    harness: str = "dsh",
    slug: str | None = None,
) -> str | None:
    one = placed(standing(), project, harness, slug)
    return Policies(policies).ruling(one.artifact).policy


# Globs of projects

names = st.sampled_from(["a", "b", "ab"])
paths = st.lists(names, max_size=5).map(lambda parts: "/" + "/".join(parts))
globs = st.lists(
    st.sampled_from(["a", "b", "ab", "*", "**", "?", "a*", "*b", "[ab]"]), max_size=4
).map(lambda parts: "/" + "/".join(parts))


def as_regex(glob: str) -> str:
    """The same glob as a regular expression, over names that end with `/`."""
    out = ""
    for part in [p for p in glob.split("/") if p]:
        if part == "**":
            out += "(?:[^/]+/)*"
        else:
            one = part.replace("*", "[^/]*").replace("?", "[^/]")
            out += f"(?=[^/]+/){one}/"
    return f"/{out}(?:[^/]+/)*"


@given(globs, paths)
def test_a_glob_means_what_it_matches_and_all_below(glob: str, path: str) -> None:
    expected = re.fullmatch(as_regex(glob), path.rstrip("/") + "/") is not None
    assert ProjectGlob(glob).fits(path) is expected


@given(globs, globs, st.lists(paths, min_size=20, max_size=20))
def test_a_glob_that_holds_another_means_all_that_it_means(
    wide: str, narrow: str, many: list[str]
) -> None:
    if ProjectGlob(wide).holds(ProjectGlob(narrow)):
        for path in many:
            assert ProjectGlob(wide).fits(path) or not ProjectGlob(narrow).fits(path)


@pytest.mark.parametrize(
    ("wide", "narrow", "holds"),
    [
        ("/srv", "/srv/app", True),
        ("/srv/*", "/srv/app", True),
        ("/srv/*", "/srv/app/web", True),
        ("/srv/*", "/srv", False),
        ("/srv/*", "/srv/**", False),
        ("/**", "/srv/*", True),
        ("**/web", "/srv/*/web", True),
        ("/srv/*/web", "/srv/app", False),
        ("/srv/app*", "/srv/app", True),
        ("/srv/app?", "/srv/app*", False),
    ],
)
def test_which_glob_is_the_wider(wide: str, narrow: str, holds: bool) -> None:
    assert ProjectGlob(wide).holds(ProjectGlob(narrow)) is holds


# Which policy decides


@pytest.mark.parametrize(
    ("project", "harness", "expected"),
    [
        ("/opt/x", "dsh", "for all"),
        (None, "dsh", "for all"),
        ("/opt/x", "claude-code", "claude-code"),
        ("/srv/app", "dsh", "/srv/*"),
        ("/srv/app/sub", "claude-code", "claude-code in /srv/app"),
        ("/srv/lib", "claude-code", "/srv/*"),  # a project is narrower than a harness
    ],
)
def test_the_most_specific_policy_decides(
    project: str | None, harness: str, expected: str
) -> None:
    policies = [
        policy(),
        policy(harness="claude-code"),
        policy("/srv/*"),
        policy("/srv/app", "claude-code"),
    ]
    for mixed in (policies, policies[::-1]):
        assert decides(mixed, project, harness) == expected


def test_where_neither_of_two_is_more_specific_the_file_stays_and_both_are_named() -> (
    None
):
    policies = Policies([policy("/srv/*/web"), policy("/srv/app")])
    one = placed(standing(), "/srv/app/web")
    [choice] = plan([one], policies, NOW).choices
    assert not choice.remove
    assert choice.group == "disputed"
    assert "/srv/*/web" in choice.reason
    assert "/srv/app" in choice.reason
    # One for what they share settles it.
    settled = Policies([*policies.policies, policy("/srv/app/web")])
    assert settled.ruling(one.artifact).policy == "/srv/app/web"


@given(st.lists(globs, max_size=5), paths, st.booleans())
def test_whatever_fits_decides_or_is_told(
    many: list[str], path: str, special: bool
) -> None:
    policies = [policy(glob, "dsh" if special else None) for glob in many]
    ruling = Policies(policies).ruling(placed(standing(), path).artifact)
    fits = [
        glob
        for glob in many
        if re.fullmatch(as_regex(glob), path.rstrip("/") + "/") is not None
    ]
    if not fits:
        assert ruling.keeps == "no policy fits it"
    elif ruling.policy is None:
        assert ruling.disputed
    else:
        assert ruling.policy.removeprefix("dsh in ") in fits
        chosen = ProjectGlob(ruling.policy.removeprefix("dsh in "))
        for other in map(ProjectGlob, fits):  # none that fits is narrower
            assert not (chosen.holds(other) and not other.holds(chosen))


def test_globs_that_mean_the_same_in_other_words_are_a_dispute() -> None:
    assert decides([policy("/srv/*"), policy("/srv/*/**")], "/srv/app") is None


def test_what_no_policy_fits_stays() -> None:
    one = placed(standing(), "/opt/x")
    [choice] = plan([one], Policies([policy("/srv/*")]), NOW).choices
    assert (choice.remove, choice.reason) == (False, "no policy fits it")
    assert choice.policy is None


def test_a_policy_that_keeps_everything_keeps_it_from_a_wider_one() -> None:
    policies = Policies([policy(), policy("/srv/app", chosen=Rules(), keep=True)])
    ones = [placed(standing(1), "/srv/app"), placed(standing(2), "/srv/lib")]
    made = plan(ones, policies, NOW)
    assert removed(made) == {ones[1].artifact.id}
    assert made.choices[0].reason == "everything there is kept (policy /srv/app)"
    assert made.choices[1].reason.endswith("older than 1d (policy for all)")


@pytest.mark.parametrize(
    ("slug", "stays"),
    [
        ("-srv-app", True),
        ("-srv-app-web", True),
        ("-srv-apple", False),
        ("-home-u", False),
        ("0123abcd", True),  # a digest: it may be any project
        (None, False),  # a store without projects
    ],
)
def test_of_an_unknown_project_nothing_goes_that_another_policy_may_decide_on(
    slug: str | None, stays: bool
) -> None:
    policies = [policy(), policy("/srv/app", chosen=Rules(), keep=True)]
    one = placed(standing(), None, "claude-code", slug)
    [choice] = plan([one], Policies(policies), NOW).choices
    assert choice.remove is not stays
    assert ("project is not known" in choice.reason) is stays


# Plans by policies, for any artifacts

chosen_policies = st.lists(
    st.builds(
        policy,
        st.sampled_from(GLOBS),
        st.sampled_from([None, *HARNESSES]),
        rules.map(lambda each: replace(each, whole=False)),
    ),
    max_size=5,
    unique_by=lambda each: (each.project, each.harness),
)


@st.composite
def worlds(draw: st.DrawFn) -> list[Standing]:
    """Artifacts in several projects and harnesses; a session is in one of each."""
    ones = draw(standings)
    where = {
        session: (
            draw(st.sampled_from(PROJECTS)),
            draw(st.sampled_from(HARNESSES)),
        )
        for session in "abc"
    }
    return [placed(one, *where[one.artifact.session]) for one in ones]


RANK = {
    None: 0,
    "/home/**": 1,
    "/srv": 1,
    "/srv/*": 2,
    "/srv/app": 3,
    "/srv/*/web": 3,
}
"""How specific the globs above are; the last two say nothing of each other."""
MEANS = {
    None: PROJECTS,
    "/home/**": ("/home/u",),
    "/srv": ("/srv/app", "/srv/app/web", "/srv/lib"),
    "/srv/*": ("/srv/app", "/srv/app/web", "/srv/lib"),
    "/srv/app": ("/srv/app", "/srv/app/web"),
    "/srv/*/web": ("/srv/app/web",),
}


def expected(one: Standing, policies: list[Policy]) -> Policy | None:
    """Which policy decides, found by ranks."""
    fits = [
        each
        for each in policies
        if each.harness in (None, one.found.harness)
        and one.artifact.project in MEANS[each.project]
    ]
    if not fits:
        return None
    top = max(RANK[each.project] for each in fits)
    fits = [each for each in fits if RANK[each.project] == top]
    if len({each.project for each in fits}) > 1:
        return None
    return max(fits, key=lambda each: each.harness is not None)


@given(worlds(), chosen_policies)
def test_each_policy_plans_alone_for_what_it_decides_on(
    ones: list[Standing], policies: list[Policy]
) -> None:
    made = plan(ones, Policies(policies), NOW)
    deciding = {one.artifact.id: expected(one, policies) for one in ones}
    gone: set[str] = set()
    for each in policies:
        mine = [one for one in ones if deciding[one.artifact.id] is each]
        gone |= removed(plan(mine, each.rules, NOW))
    assert removed(made) == gone
    for choice in made.choices:
        decided = deciding[choice.artifact.id]
        assert choice.policy == (decided.name if decided else None)
        if choice.remove:
            assert decided is not None
            assert choice.reason.endswith(f"(policy {decided.name})")


@given(worlds(), chosen_policies)
def test_nothing_protected_goes_by_a_policy(
    ones: list[Standing], policies: list[Policy]
) -> None:
    gone = removed(plan(ones, Policies(policies), NOW))
    for one in ones:
        if one.pinned or one.live or one.foreign:
            assert one.artifact.id not in gone


@given(worlds(), chosen_policies, st.randoms())
def test_the_order_of_policies_and_files_changes_nothing(
    ones: list[Standing], policies: list[Policy], chance: random.Random
) -> None:
    mixed, turned = list(ones), list(policies)
    chance.shuffle(mixed)
    chance.shuffle(turned)
    made = plan(mixed, Policies(turned), NOW)
    assert removed(made) == removed(plan(ones, Policies(policies), NOW))


def newest(ones: list[Standing], count: int | None) -> set[str]:
    kept: set[str] = set()
    for session in "abc":
        members = [one for one in ones if one.artifact.session == session]
        members.sort(key=lambda one: (one.found.mtime_ns, one.found.path))
        kept |= {one.artifact.id for one in members[-count:]} if count else set()
    return kept


@given(worlds(), chosen_policies)
def test_every_cap_holds_unless_what_is_protected_prevents_it(
    ones: list[Standing], policies: list[Policy]
) -> None:
    made = plan(ones, Policies(policies), NOW)
    gone = removed(made)
    over_session = over_total = 0
    for each in policies:
        mine = [one for one in ones if expected(one, policies) is each]
        kept = [one for one in mine if one.artifact.id not in gone]
        firm = newest(mine, each.rules.keep_last)
        groups = [(each.rules.max_total, kept)]
        for session in "abc":
            members = [one for one in kept if one.artifact.session == session]
            groups.append((each.rules.max_session, members))
        for cap, members in groups:
            size = sum(one.found.size for one in members)
            if cap is None or size <= cap:
                continue
            assert all(
                one.protected or one.artifact.id in firm or not one.found.size
                for one in members
            )
            if members is kept:
                over_total += size - cap
            else:
                over_session += size - cap
        if each.rules.max_file is not None:
            for one in kept:
                assert (
                    one.found.size <= each.rules.max_file
                    or one.protected
                    or one.artifact.id in firm
                )
    assert (made.over_total or 0) == over_total
    assert (made.over_session or 0) == over_session


@given(worlds(), chosen_policies, st.integers(1, 40 * DAY))
def test_what_goes_today_goes_later_too_if_nothing_happens(
    ones: list[Standing], policies: list[Policy], later: int
) -> None:
    def gone(moment: float) -> Plan:
        return plan(ones, Policies(policies), moment)

    assert removed(gone(NOW)) <= removed(gone(NOW + later))


def test_the_oldest_of_a_session_go_until_the_rest_of_it_fits() -> None:
    ones = [standing(n, age=(n + 1) * DAY, session="ab"[n % 2]) for n in range(8)]
    made = plan(ones, Rules(max_session=2500), NOW)
    assert removed(made) == {ones[n].artifact.id for n in (4, 5, 6, 7)}
    assert "more than 2500B" in made.choices[4].reason


def test_what_a_session_cap_takes_counts_for_the_total() -> None:
    ones = [standing(n, age=(n + 1) * DAY, session="ab"[n % 2]) for n in range(8)]
    made = plan(ones, Rules(max_session=2500, max_total=3000), NOW)
    assert removed(made) == {ones[n].artifact.id for n in (3, 4, 5, 6, 7)}


# The settings


def test_policies_are_read_with_the_home_folder_in_their_projects(
    tmp_path: Path,
) -> None:
    first, second = settings(tmp_path, EXAMPLE).policies
    assert first.rules == Rules(older_than=30 * DAY, max_total=10**10)
    assert first.name == "for all"
    assert second.rules == Rules(keep_last=20, max_session=200_000_000)
    assert second.folder == f"{tmp_path}/work/*"
    assert second.name == "claude-code in ~/work/*"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("policy = 3", "each begun with [[policy]]"),
        ("[policy]\nolder_than = '3d'", "each begun with [[policy]]"),
        ("[[policy]]", "policy 1: says nothing"),
        ("[[policy]]\nharness = 'dsh'", "policy 1: says nothing"),
        ("[[policy]]\nolder = '3d'", "did you mean 'older_than'"),
        ("[[policy]]\nolder_than = 3", "older_than: must be written like"),
        ("[[policy]]\nolder_than = '3'", "older_than: `3` is not an age"),
        ("[[policy]]\nolder_than = '0d'", "older_than: An age must be more"),
        ("[[policy]]\nmax_total = 5", "max_total: must be written like"),
        ("[[policy]]\nmax_session = 'much'", "max_session: `much` is not a size"),
        ("[[policy]]\nkeep_last = 0", "keep_last: must be a whole number"),
        ("[[policy]]\nkeep_last = true", "keep_last: must be a whole number"),
        ("[[policy]]\norphans = 'yes'", "orphans: must be true or false"),
        ("[[policy]]\nkeep = true\norphans = true", "keep: keeps everything"),
        ("[[policy]]\norphans = true\nharness = 3", "harness: must be a harness"),
        ("[[policy]]\norphans = true\nproject = ''", "project: must be a glob"),
        ("[[policy]]\norphans = true\nproject = 'app'", "must be an absolute path"),
        ("[[policy]]\norphans = true\nproject = '/a/../b'", "hold no . or .."),
        (
            "[[policy]]\norphans = true\n[[policy]]\nkeep_last = 3",
            "policy 2: policy 1 is for the same (for all)",
        ),
        (
            "[[policy]]\norphans=true\nproject='/a'\n"
            "[[policy]]\nkeep_last=3\nproject='/a/'",
            "policy 1 is for the same",
        ),
    ],
)
def test_a_mistake_names_the_file_the_policy_the_key_and_what_to_do(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(BadInput) as error:
        settings(tmp_path, text)
    assert "config.toml: policy" in str(error.value)
    assert said in str(error.value)


def test_a_harness_that_is_none_is_told_with_the_nearest(tmp_path: Path) -> None:
    chosen = settings(tmp_path, "[[policy]]\nharness = 'claude-cod'\norphans = true")
    places = Places.of_home(str(tmp_path))
    with pytest.raises(BadInput, match="did you mean 'claude-code'"):
        standing_policies(chosen, places, ["claude-code", "dsh"])
    assert standing_policies(chosen, places, ["claude-cod"]).policies


def test_without_any_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoPolicies, match=r"config\.toml"):
        standing_policies(Settings(), Places.of_home(str(tmp_path)), ["dsh"])
