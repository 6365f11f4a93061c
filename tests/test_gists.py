"""Gists: the numbers of artifacts without them, equal to what the artifacts say."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from spillview.catalogue import triage
from spillview.catalogue.cache import Cache
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.gists import CONTENT, COUNTED, GROWING, NEVER, UNKNOWN, Gists
from spillview.catalogue.known_gists import said_of
from spillview.catalogue.picks import PICKS
from spillview.demo import make_night
from spillview.index.wanted import wanted
from spillview.model import Artifact, Boundary
from spillview.places import Places
from spillview.review.state import State
from tests.harness_stores import NAMES, make
from tests.stores import NIGHT, Claude, Dsh, log_of, numbered


def catalogue_of(home: Path, name: str = "cache") -> Catalogue:
    places = Places.of_home(str(home))
    cache = Cache(str(home / name / "facts.sqlite3"))
    return Catalogue(places, cache=cache, state=State(places))


def assert_same(gists: Gists, artifacts: Iterable[tuple[int, Artifact]]) -> None:
    """That the columns hold what these artifacts at their places say."""
    pairs = list(artifacts)
    for place, a in pairs:
        assert gists.ident(place) == a.id
        assert gists.place_of(a.id) == place
        assert gists.ranks[place] == triage.rank(a)
        assert gists.sizes[place] == a.found.size
        assert gists.unseen[place] == triage.unseen_bytes(a)
        assert gists.chars[place] == (a.counts.chars if a.counts else UNKNOWN)
        assert gists.lines[place] == (a.counts.lines if a.counts else UNKNOWN)
        coverage = triage.coverage(a)
        assert gists.coverage[place] == (UNKNOWN if coverage is None else coverage)
        assert gists.ratios[place] == (UNKNOWN if a.ratio is None else a.ratio)
        assert gists.created[place] == a.created
        assert gists.changed[place] == a.changed
        assert gists.reviewed[place] == (NEVER if a.reviewed is None else a.reviewed)
        assert gists.sessions[place] == a.session
        assert bool(gists.bits[place] & COUNTED) is (a.counts is not None)
        assert bool(gists.bits[place] & CONTENT) is a.has_content
        assert bool(gists.bits[place] & GROWING) is ("growing" in a.flags)
        assert gists.chains.get(place, ()) == (a.link.chain if a.link else ())
        for name, pick in PICKS.items():
            assert gists.admits(name, place) is pick.admits(a)
    by_gist = sorted((place for place, _ in pairs), key=gists.worst_first)
    by_artifact = sorted(pairs, key=lambda pair: triage.worst_first(pair[1]))
    assert by_gist == [place for place, _ in by_artifact]


def looked_at(catalogue: Catalogue) -> tuple[Gists, int]:
    """The gists of a scan, which are its artifacts'; how many had to be made."""
    listing = catalogue.scan()
    made: list[Artifact] = []
    gists, _ = catalogue.gists(listing, made.append)
    assert_same(gists, zip(listing.order, listing, strict=True))
    return gists, len(made)


def complete(catalogue: Catalogue) -> None:
    """Count and link everything and keep its gists, as the queue does."""
    listing = catalogue.scan()
    gists, _ = catalogue.gists(listing)
    whole = {}
    for artifact in catalogue.complete(listing):
        place = gists.place_of(artifact.id)
        assert place is not None
        gists.take(place, artifact)
        gists.done[place] = True
        whole[place] = artifact
    assert_same(gists, whole.items())
    kept = catalogue.keep_gists(
        gists,
        catalogue.finds.groups(),
        lambda places: [said_of(whole[place]) for place in places],
    )
    for group in kept:
        said = catalogue.said_in(group)
        assert said is not None
        places = catalogue.finds.groups()[group]
        assert said == [said_of(whole[place]) for place in places]


def all_three(home: Path) -> int:
    """The first look, a later one, and one of a new start; how many it made."""
    first = catalogue_of(home)
    looked_at(first)
    complete(first)
    looked_at(first)
    first.close()
    later = catalogue_of(home)
    _, made = looked_at(later)
    later.close()
    return made


@pytest.mark.parametrize("name", NAMES)
def test_gists_are_those_of_the_artifacts_of_every_harness(
    name: str, tmp_path: Path
) -> None:
    make(name, tmp_path)
    all_three(tmp_path)


def test_gists_are_those_of_the_demo_night(tmp_path: Path) -> None:
    make_night(str(tmp_path), NIGHT + 10_000)
    all_three(tmp_path)


def random_session(home: Path, dice: random.Random, number: int) -> None:
    """A session of Claude Code or dsh with spills, reads and orphans."""
    session = f"{number:08x}-2222-4333-8444-555555555555"
    run: Claude | Dsh
    if dice.random() < 0.3:
        run = Dsh(home, home / "tmp" / "dsh-spill-AbC123", session=f"s-{number}")
    else:
        run = Claude(home, session=session)
    for each in range(dice.randint(1, 6)):
        last = dice.choice(["Error: x", "ok", "FAILED (failures=1)", "3 passed"])
        log = log_of(dice.randint(2000, 4000), last=last)
        if isinstance(run, Dsh):
            run.spills(log)
            continue
        made = run.spills(log, name=f"b{each}.txt", command=f"make {each}")
        if dice.random() < 0.4:
            call = run.calls("Read", file_path=str(made.path), offset=1, limit=9)
            run.gets(call, numbered(made.data, 1, 9))
        if dice.random() < 0.3:
            run.place(f"toolu_{each:04}.txt").write_bytes(log_of(50))
    run.write()


@pytest.mark.parametrize("seed", range(6))
def test_gists_are_those_of_random_sessions(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    for number in range(dice.randint(1, 6)):
        random_session(tmp_path, dice, number)
    all_three(tmp_path)


def three_sessions(home: Path) -> None:
    for session in range(3):
        run = Claude(home, session=f"{session:08x}-2222-4333-8444-555555555555")
        for each in range(4):
            run.spills(log_of(2000 + each), name=f"t{session}{each}.txt")
        run.write()


def test_a_later_start_makes_no_artifact_of_what_is_known(tmp_path: Path) -> None:
    three_sessions(tmp_path)
    assert all_three(tmp_path) == 0


def test_a_first_look_makes_no_artifact_of_plain_files(tmp_path: Path) -> None:
    three_sessions(tmp_path)
    catalogue = catalogue_of(tmp_path)
    assert looked_at(catalogue)[1] == 0


def test_one_session_that_changed_is_made_again_alone(tmp_path: Path) -> None:
    three_sessions(tmp_path)
    all_three(tmp_path)
    changed = next(tmp_path.rglob("t11.txt"))
    changed.write_bytes(log_of(2500))
    catalogue = catalogue_of(tmp_path)
    assert looked_at(catalogue)[1] == 4


def test_marks_are_those_of_now(tmp_path: Path) -> None:
    three_sessions(tmp_path)
    all_three(tmp_path)
    catalogue = catalogue_of(tmp_path)
    listing = catalogue.scan()
    early, late = listing[0], listing[5]
    catalogue.mark_reviewed([early.id], early.changed - 5)
    catalogue.mark_reviewed([late.id], late.changed + 5)
    gists, made = looked_at(catalogue)
    assert made == 0
    marked = [place for place in range(len(gists)) if gists.is_reviewed(place)]
    assert [gists.ident(place) for place in marked] == [late.id]


def test_a_boundary_that_was_asked_for_is_not_kept_and_has_its_own(
    tmp_path: Path,
) -> None:
    three_sessions(tmp_path)
    all_three(tmp_path)
    catalogue = catalogue_of(tmp_path)
    listing = catalogue.scan(Query(boundary=Boundary(7, "bytes")))
    gists, complete = catalogue.gists(listing)
    assert not complete
    assert_same(gists, zip(listing.order, listing, strict=True))
    assert min(gists.ratios) > 1000


def test_damaged_gists_are_made_again(tmp_path: Path) -> None:
    three_sessions(tmp_path)
    all_three(tmp_path)
    cache = Cache(str(tmp_path / "cache" / "facts.sqlite3"))
    group, token, give = next(cache.gists())
    data = give()
    assert data is not None
    cache.store_gists({group: (token, data[:-8], b"")})
    cache.close()
    assert looked_at(catalogue_of(tmp_path))[1] == 4


def test_the_index_wants_the_same_of_a_listing_as_of_its_artifacts(
    tmp_path: Path,
) -> None:
    three_sessions(tmp_path)
    make("goose", tmp_path)
    listing = catalogue_of(tmp_path).scan()
    expected = sorted(wanted(list(listing)), key=repr)
    assert expected
    assert sorted(wanted(listing), key=repr) == expected
