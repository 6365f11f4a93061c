"""Listings: columns say what their artifacts do, and what is put away stays the same.

The oracle of the links is `Records`, which joins every transcript with every artifact
in memory; what a catalogue keeps out of memory must come back as it has it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.cache import Cache
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.triage import SORT_KEYS
from spillview.discovery.discovery import discover
from spillview.errors import BadInput
from spillview.links.links import Joined
from spillview.links.near import Near
from spillview.links.records import Records
from spillview.model import Artifact, Found
from spillview.places import Places
from spillview.profiles.profile import Profile, load_profiles
from spillview.transcripts.facts import TranscriptFacts
from tests.stores import Claude, Dsh, Made, log_of, make_claude, make_dsh

TIMES = 1_795_000_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a store of Claude Code and one of dsh, and a link in it."""
    make_claude(tmp_path)
    make_dsh(tmp_path, tmp_path / "tmp")
    side = next((tmp_path / ".claude/projects").glob("*/*/tool-results"))
    os.symlink(side / "nowhere.txt", side / "link.txt")
    return tmp_path


def catalogue_of(home: Path) -> Catalogue:
    places = Places.of_home(str(home))
    return Catalogue(places, cache=Cache(str(home / "cache" / "c.sqlite3")))


def whole(catalogue: Catalogue) -> list[Artifact]:
    known = {a.id: a for a in catalogue.scan()}
    known.update((a.id, a) for a in catalogue.complete(catalogue.scan()))
    return list(known.values())


# Columns


def test_columns_say_what_the_artifacts_made_of_them_do(home: Path) -> None:
    places = Places.of_home(str(home))
    finds = discover(places, load_profiles(places)[0]).found
    assert len(finds) == 7
    for place, found in enumerate(finds):
        assert finds.ident(place) == found.id
        assert finds.address(place) == found.address
        assert finds.name(place) == found.name
        assert finds.group(place) == (found.harness, found.session)
        assert finds.sizes[place] == found.size
        assert finds.key(place) == found.key
    grouped = {
        (group, place) for group, places in finds.groups().items() for place in places
    }
    assert grouped == {((f.harness, f.session), n) for n, f in enumerate(finds)}
    assert finds[-1] == finds[len(finds) - 1] == list(finds)[-1]


def test_a_file_found_by_two_names_of_its_folder_is_one(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.txt").write_text("a\n")
    (tmp_path / "same").symlink_to("out")
    paths = [str(tmp_path / name) for name in ("out", "same", "out/a.txt")]
    places = Places.of_home(str(tmp_path / "home"))
    found = discover(places, load_profiles(places)[0], None, paths, "folder").found
    assert [item.name for item in found] == ["a.txt"]


# Windows


def test_a_window_holds_what_the_whole_list_has_there(home: Path) -> None:
    catalogue = catalogue_of(home)
    listing = catalogue.settled(catalogue.scan())
    everything = list(listing)
    assert len(listing) == len(everything) == 7
    assert listing[2:5] == everything[2:5]
    assert listing[-1] == everything[-1]
    for index, artifact in enumerate(everything):
        assert listing.ident(index) == artifact.id
        assert listing.index_of(artifact.id) == index
        assert listing.created(index) == artifact.created
        assert listing.size(index) == artifact.found.size
        assert listing.session(index) == (artifact.found.harness, artifact.session)
    assert listing.index_of("f" * 16) is None
    assert listing.bytes == sum(a.found.size for a in everything)
    assert listing.pick([3, 1])[:] == [everything[3], everything[1]]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=40))
@settings(max_examples=50, deadline=None)
def test_the_newest_come_first_and_of_one_time_by_path(times: list[int]) -> None:
    with TemporaryDirectory() as folder:
        for number, time in enumerate(times):
            name = f"{number * 11 % 17:02}-{number}"
            path = Path(folder, "store", f"s{number * 7 % 3}", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            os.utime(path, (TIMES + time, TIMES + time))
        catalogue = Catalogue(Places.of_home(f"{folder}/home"))
        listing = catalogue.scan(Query(paths=(f"{folder}/store",)))
        found = [artifact.found for artifact in listing]
        assert len(found) == len(times)
        assert found == sorted(found, key=lambda item: (-item.mtime_ns, item.path))


@pytest.mark.parametrize("name", SORT_KEYS)
def test_an_order_is_that_of_the_artifacts(home: Path, name: str) -> None:
    catalogue = catalogue_of(home)
    whole(catalogue)
    listing = catalogue.settled(catalogue.scan())
    expected = sorted(listing, key=SORT_KEYS[name])
    assert list(listing.sorted(name)) == expected


def test_sessions_of_a_listing_are_those_of_its_artifacts(home: Path) -> None:
    catalogue = catalogue_of(home)
    listing = catalogue.settled(catalogue.scan())
    expected: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in listing:
        key = (artifact.found.harness, artifact.session)
        expected.setdefault(key, []).append(artifact)
    got = {key: list(members) for key, members in listing.groups().items()}
    assert got == expected


# What is put away


class World:
    """A home of sessions that read each other's artifacts, by a seed."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.dice = random.Random(seed)
        self.claudes: list[Claude] = []
        self.dshs: list[Dsh] = []
        self.made: list[Made] = []

    def begin(self) -> None:
        """Some sessions, one a fork of another or a subagent of it."""
        for number in range(self.dice.randint(2, 4)):
            name = f"{number:08x}-2222-4333-8444-555555555555"
            run = Claude(self.home, session=name, cwd=f"/srv/app{number % 2}")
            run.prompt(f"Task {number}")
            if self.claudes and self.dice.random() < 0.3:  # resumed: records repeated
                run.lines = list(self.dice.choice(self.claudes).lines)
            self.claudes.append(run)
            if self.dice.random() < 0.3:
                agent = Claude(self.home, session=name, cwd=run.cwd, agent=f"a{number}")
                self.claudes.append(agent)
        root = self.home / "tmp" / "dsh-spill-AbC123"
        for number in range(self.dice.randint(0, 2)):
            parent = self.dshs[0] if self.dshs and self.dice.random() < 0.5 else None
            run_of = Dsh(
                self.home, root, session=f"s-{number}", zstd=False, parent=parent
            )
            self.dshs.append(run_of)
        self.go_on()

    def go_on(self) -> None:
        """Every session does something, some of it to another one's artifacts."""
        runs: list[Claude | Dsh] = [*self.claudes, *self.dshs]
        for run in runs:
            for _ in range(self.dice.randint(0, 3)):
                self.dice.choice([self.spill, self.spill, self.read])(run)
            run.write()

    def spill(self, run: Claude | Dsh) -> None:
        write = self.dice.random() < 0.9
        data = log_of(self.dice.randint(1500, 2500))
        if isinstance(run, Claude):
            name = f"b{len(self.made):08d}.txt"
            self.made.append(run.spills(data, name=name, write=write))
        else:
            self.made.append(run.spills(data, write=write, cap=500))

    def read(self, run: Claude | Dsh) -> None:
        if not self.made:
            return
        path = self.dice.choice(self.made).path
        if self.dice.random() < 0.5:
            near = run.side if isinstance(run, Claude) else run.spill_dir
            own = [m.path for m in self.made if near in m.path.parents]
            path = self.dice.choice(own) if own else path
        name = self.dice.choice(
            [str(path), str(path), path.name, f"{path.parent}/*.txt", str(path.parent)]
        )
        call = run.calls("Bash", command=f"tail -3 {name}")
        run.gets(call, "FAILED (errors=3)")

    def check(self, catalogue: Catalogue) -> None:
        """What the catalogue says is what `Records` says of the same."""
        places = Places.of_home(str(self.home))
        profiles, _ = load_profiles(places)
        seen = discover(places, profiles)
        oracle = Records(lambda name: profiles[name], Cache(None))
        oracle.take(seen.transcripts, seen.found)
        oracle.read_all()
        listing = catalogue.settled(catalogue.scan())
        records = catalogue._records
        for found in seen.found:
            assert records.link(found) == oracle.links[found.id], found.path
        assert records.sessions == oracle.sessions
        assert _by_record(records) == _by_record(oracle)
        for log in seen.transcripts:
            assert records.sessions_in(log) == oracle.sessions_in(log)
        assert {a.id for a in listing} == set(oracle.links)
        for artifact in listing:
            link = oracle.links[artifact.id]
            if link.envelope is not None:
                assert artifact.created == link.envelope.time
        order = [(-a.created, a.found.address) for a in listing]
        assert order == sorted(order)


def _by_record(records: Records) -> set[tuple[str, str, int]]:
    return {(m.state, m.mention.transcript, m.mention.record) for m in records.missing}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 30))
def test_sessions_that_stand_for_themselves_are_joined_as_with_all_others(
    seed: int,
) -> None:
    with TemporaryDirectory() as folder:
        world = World(Path(folder), seed)
        world.begin()
        world.check(catalogue_of(world.home))
        world.check(catalogue_of(world.home))
        again = catalogue_of(world.home)
        world.check(again)
        world.go_on()
        world.check(again)
        world.check(catalogue_of(world.home))


def test_a_session_without_a_transcript_is_joined_as_with_all_others(
    tmp_path: Path,
) -> None:
    world = World(tmp_path, 4)
    world.begin()
    bare = tmp_path / ".claude/projects/-srv-app0/99999999-2222-4333-8444-555555555555"
    (bare / "tool-results").mkdir(parents=True)
    for name in ("b00000099.txt", "toolu_01alone.txt", "other.txt"):
        (bare / "tool-results" / name).write_bytes(log_of(2000))
    world.check(catalogue_of(world.home))
    again = catalogue_of(world.home)
    world.check(again)
    states = {a.id: a.link and a.link.state for a in again.complete(again.scan())}
    found = [a for a in again.scan() if str(bare) in a.found.path]
    assert [states[a.id] for a in found] == ["orphan"] * 3


def test_nothing_of_an_unchanged_session_is_read_or_joined_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        run = Claude(tmp_path, session=f"{number:08x}-2222-4333-8444-555555555555")
        run.spills(log_of(2000))
        run.write()
    first = catalogue_of(tmp_path)
    first.settled(first.scan())
    first.close()

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    def join(found: list[Found], facts: list[TranscriptFacts], _: Profile) -> Joined:
        assert not found
        assert not facts
        return Joined({}, {}, [], [])

    monkeypatch.setattr("spillview.links.links.join", join)
    monkeypatch.setattr("spillview.catalogue.cache.Cache.facts", refuse)
    later = catalogue_of(tmp_path)
    listing = later.scan()
    assert len(listing) == 3
    assert listing.created(0) >= TIMES
    assert len(later.sessions([])) == 0
    assert len(later.transcripts()) == 3


def test_links_come_back_when_the_cache_is_lost_meanwhile(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    made = run.spills(log_of(2000))
    run.write()
    catalogue = catalogue_of(tmp_path)
    catalogue.settled(catalogue.scan())
    listing = catalogue.scan()
    catalogue.cache.close()
    catalogue._records._near = Near()
    [artifact] = listing[:1]
    assert artifact.found.path == str(made.path)
    assert artifact.command == "make"


# Looking again


def test_a_new_a_gone_and_a_grown_file_are_noticed(home: Path) -> None:
    catalogue = catalogue_of(home)
    artifact = next(a for a in catalogue.scan() if a.found.type == "file")
    path = Path(artifact.found.path)
    assert not catalogue.refresh()
    assert not catalogue.refresh()
    beside = path.parent / "bnew00001.txt"
    beside.write_text("x\n")
    assert catalogue.refresh()
    catalogue.scan()
    assert not catalogue.refresh()
    with path.open("ab") as file:
        file.write(b"more\n")
    assert catalogue.refresh()
    catalogue.scan()
    assert not catalogue.refresh()
    beside.unlink()
    assert catalogue.refresh()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_named_path_that_goes_is_a_problem_and_the_others_stay(
    tmp_path: Path, kind: str
) -> None:
    going, staying = tmp_path / "going", tmp_path / "staying"
    for folder in (going, staying):
        folder.mkdir()
        (folder / "a.txt").write_text("x\n")
    named = str(going / "a.txt" if kind == "file" else going)
    query = Query(paths=(named, str(staying)))
    catalogue = catalogue_of(tmp_path)
    assert len(catalogue.scan(query)) == 2
    assert not catalogue.refresh()
    (going / "a.txt").unlink()
    going.rmdir()
    assert catalogue.refresh()
    (left,) = catalogue.scan(query)
    assert left.found.path == str(staying / "a.txt")
    assert [(p.path, p.sentence) for p in catalogue.problems] == [(named, "it is gone")]
    assert not catalogue.refresh()
    with pytest.raises(BadInput, match="no such file or folder"):
        catalogue_of(tmp_path).scan(query)


def test_a_transcript_that_grew_is_noticed_however_old_it_is(home: Path) -> None:
    log = next((home / ".claude/projects").glob("*/*.jsonl"))
    os.utime(log, (1e9, 1e9))
    catalogue = catalogue_of(home)
    catalogue.scan()
    assert not catalogue.refresh()
    with log.open("ab") as file:
        file.write(b"{}\n")
    os.utime(log, (1e9, 1e9))
    assert catalogue.refresh()


def test_a_store_that_was_not_there_is_noticed(tmp_path: Path) -> None:
    make_claude(tmp_path)
    catalogue = catalogue_of(tmp_path)
    catalogue.scan()
    assert not catalogue.refresh()
    make_dsh(tmp_path, tmp_path / "tmp")
    assert catalogue.refresh()


def test_a_file_of_an_old_session_that_grew_is_noticed_in_the_end(home: Path) -> None:
    for folder, _, names in os.walk(home):
        for name in names:
            os.utime(Path(folder, name), (1e9, 1e9), follow_symlinks=False)
    catalogue = catalogue_of(home)
    path = next(Path(a.found.path) for a in catalogue.scan() if a.counts is None)
    assert not catalogue.refresh()
    with path.open("ab") as file:
        file.write(b"more\n")
    os.utime(path, (1e9, 1e9))
    assert any(catalogue.refresh() for _ in range(12))


def test_a_query_narrows_by_columns_as_by_artifacts(home: Path) -> None:
    catalogue = catalogue_of(home)
    everything = list(catalogue.settled(catalogue.scan()))
    middle = sorted(a.created for a in everything)[len(everything) // 2]
    for query in (Query(since=middle), Query(until=middle), Query(session="sess-1")):
        expected = [a.id for a in everything if query.admits(a)]
        assert [a.id for a in catalogue.scan(query)] == expected
        assert expected
