"""What goes through very many artifacts says what was said when all were held.

The oracle is the same work over plain lists of artifacts and facts, as `Session`,
`runs_of` and `plan` have them; of each harness's made store, and of a whole night.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path

import pytest

from spillview.catalogue.cache import Cache
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.known_gists import said_of
from spillview.catalogue.listing import Listing
from spillview.catalogue.rows import session_row
from spillview.catalogue.session_sums import summed
from spillview.cleanup.cleanup import prospect
from spillview.cleanup.retention import plan, without
from spillview.cleanup.rules import Rules
from spillview.comparison.pairing import beside, earlier_run, runs_of
from spillview.forecast.series import gather as series_of
from spillview.model import Artifact
from spillview.places import Places
from spillview.report.gathering import gather
from spillview.review.statistics import measure
from tests.harness_stores import NAMES, make
from tests.stores import make_claude, make_dsh
from tests.test_endings import looked_section

NIGHT = "night"
LATER = 400 * 86_400
Home = Callable[[str], Path]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Makes each home once: a harness's, or a night of two."""

    @lru_cache
    def home_of(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        if name == NIGHT:
            make_claude(folder)
            make_dsh(folder, folder / "tmp")
        else:
            make(name, folder)
        return folder

    return home_of


def catalogue_of(home: Path, *, lasting: bool = True, later: float = 0) -> Catalogue:
    places = Places.of_home(str(home))
    path = str(home / "kept.sqlite3") if lasting else None
    catalogue = Catalogue(places, cache=Cache(path))
    now = catalogue.now()
    catalogue.now = lambda: now + later
    return catalogue


def complete(catalogue: Catalogue) -> tuple[Listing, list[Artifact]]:
    """A listing, and the same artifacts with everything counted and linked."""
    listing = catalogue.settled(catalogue.scan())
    return listing, list(catalogue.complete(listing))


homes = pytest.mark.parametrize("name", [NIGHT, *NAMES])
lasting = pytest.mark.parametrize("lasting", [True, False], ids=["kept", "forgotten"])


@lasting
@homes
def test_sessions_are_summed_up_as_they_are(
    name: str, lasting: bool, home: Home
) -> None:
    catalogue = catalogue_of(home(name), lasting=lasting)
    listing, artifacts = complete(catalogue)
    expected = catalogue.sessions(artifacts)
    got = summed(catalogue, listing, iter(artifacts))
    assert [session_row(*each) for each in got] == list(map(session_row, expected))
    for (session, sums), other in zip(got, expected, strict=True):
        assert sums.activity(session) == other.activity
        assert (None if sums.unknown else sums.chars) == other.chars


@lasting
@homes
def test_statistics_of_sessions_in_turn_are_those_of_all(
    name: str, lasting: bool, home: Home
) -> None:
    catalogue = catalogue_of(home(name), lasting=lasting)
    listing, artifacts = complete(catalogue)
    expected = measure(catalogue, artifacts)
    assert measure(catalogue, listing, completing=catalogue.complete) == expected


def test_stopped_statistics_say_of_how_many_they_are(home: Home) -> None:
    catalogue = catalogue_of(home(NIGHT))
    listing, artifacts = complete(catalogue)
    asked = iter([False] * 3 + [True] * 100)
    some = measure(catalogue, artifacts, cancelled=lambda: next(asked))
    assert 0 < some.unmeasured < len(listing)
    counted = sum(row.spilled for row in some.tools) + some.uncounted
    assert counted <= len(listing) - some.unmeasured


@homes
def test_runs_of_a_stream_are_those_of_a_list(name: str, home: Home) -> None:
    catalogue = catalogue_of(home(name))
    listing, artifacts = complete(catalogue)
    expected = series_of(catalogue, artifacts, Query())
    got = series_of(catalogue, listing, Query(), completing=catalogue.complete)
    assert got.groups.keys() == expected.groups.keys()
    for key, group in expected.groups.items():
        other = got.groups[key]
        assert other.sample == group.sample
        shown = (group.example, group.tool, group.runs, group.unsized, group.sources)
        also = (other.example, other.tool, other.runs, other.unsized, other.sources)
        assert also == shown


@homes
def test_what_is_beside_an_artifact_is_what_a_walk_finds(name: str, home: Home) -> None:
    catalogue = catalogue_of(home(name))
    complete(catalogue)
    listing = catalogue.settled(catalogue.scan())
    artifacts = list(listing)
    for one in artifacts[:20]:
        found = beside(one, listing, map(said_of, listing))
        runs = runs_of(one, artifacts)
        assert list(found.runs) == runs
        assert earlier_run(one, found.runs) == earlier_run(one, runs)
        known = {one.id, *(a.id for a in runs)}
        others = [
            a
            for a in artifacts
            if a.id not in known
            and a.found.type == "file"
            and a.project == one.project
            and a.found.harness == one.found.harness
        ]
        others.sort(key=lambda a: (-a.created, a.id))
        assert list(found.others) == others


PLANS = [
    Rules(older_than=86_400),
    Rules(keep_last=1),
    Rules(max_total=1_000),
    Rules(max_session=1_000),
    Rules(max_file=100, orphans=True),
]


@homes
def test_a_plan_over_columns_is_the_plan_over_a_list(name: str, home: Home) -> None:
    seen = prospect(catalogue_of(home(name), later=LATER), Query(), Rules(whole=True))
    now, standings = seen.plan.now, list(seen.standings)
    for rules in PLANS:
        expected, got = plan(standings, rules, now), plan(seen.standings, rules, now)
        told = [f.name for f in fields(got) if f.name not in ("rules", "choices")]
        for field in told:
            assert getattr(got, field) == getattr(expected, field)
        assert list(got.choices) == list(expected.choices)
        going = [choice for choice in expected.choices if choice.remove]
        assert got.remove == going
        assert list(got.remove.found()) == [c.artifact.found for c in going]
        assert len(got.keep) == len(got.choices) - len(going)
        spared = {c.artifact.id: "you keep it" for c in going[::2]}
        left = without(got, spared, "spared")
        assert left.remove == going[1::2]
        assert left.remove_bytes == sum(c.artifact.found.size for c in going[1::2])
        assert got.remove == going  # the one that was shown is as it was


@lasting
@homes
def test_findings_are_made_of_artifacts_as_they_were(
    name: str, lasting: bool, home: Home
) -> None:
    catalogue = catalogue_of(home(name), lasting=lasting)
    _, artifacts = complete(catalogue)
    report = gather(catalogue, Query(since=1.0), raw=True)
    whole = {artifact.id: artifact for artifact in artifacts}
    looked: set[str] = set()
    for finding in report.findings:
        made = finding.artifact
        if made is None:
            continue
        assert made == whole[made.id]
        if finding.section in ("failed_unseen", "verdict_unseen", "failed"):
            assert finding.section == looked_section(made)
            looked.add(made.id)
    expected = {
        artifact.id
        for artifact in artifacts
        if looked_section(artifact) not in (None, "signals_unseen")
    }
    assert looked == expected
    assert list(report.findings) == list(report.findings[:])
    for number, finding in enumerate(report.findings):
        assert report.findings[number] == finding
    ids = [f.artifact.id for f in report.findings if f.artifact is not None]
    assert list(report.findings.idents()) == list(dict.fromkeys(ids))


def test_a_report_that_is_stopped_is_of_what_was_looked_at(home: Home) -> None:
    catalogue = catalogue_of(home(NIGHT))
    listing, _ = complete(catalogue)
    asked: Iterator[bool] = iter([False] * 3)
    report = gather(
        catalogue, Query(since=1.0, session="s"), cancelled=lambda: next(asked, True)
    )
    assert report.partial is None or report.partial[0] < report.partial[1]
    asked = iter([False] * 2)
    report = gather(catalogue, Query(since=1.0), cancelled=lambda: next(asked, True))
    assert report.partial is not None
    done, total = report.partial
    assert (report.tally.artifacts, total) == (done, len(listing))
    assert done < total
