"""A search of a listing says what a search of its artifacts says, and what grep says.

The oracle of the lines is Python's own `in` over each line of each file.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.listing import Listing
from spillview.index import building
from spillview.index.building import update
from spillview.index.known import FEW, TOGETHER
from spillview.index.wanted import wanted
from spillview.model import Artifact
from spillview.places import Places
from spillview.search.grep import Report, counts, search, tally
from spillview.search.handles import BATCH_FILES, LARGE, Subject
from tests.test_index import timeless

FOLDERS = 7
FILES = 60
"""In each folder, whose files take turns in time, so that folders alternate."""
WORDS = ["needle", "rare-4711", "nowhere"]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files made a moment ago count as settled."""
    monkeypatch.setattr(building, "SETTLED", -60.0)
    monkeypatch.setattr(building, "COARSE", -60.0)


class World:
    """A folder of files, a catalogue of them, and their index."""

    def __init__(self, base: Path) -> None:
        self.store = base / "store"
        dice = random.Random(11)
        for number in range(FOLDERS * FILES):
            folder = self.store / f"session-{number % FOLDERS}"
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{number:05}.txt"
            words = ["one", "two", "needle", "hay", f"number {number}"]
            lines = [
                " ".join(dice.choices(words, k=4)) for _ in range(dice.randint(0, 9))
            ]
            if number % 97 == 5:
                lines.append("a rare-4711 word")
            path.write_text("\n".join(lines))
            os.utime(path, (1e9 + number, 1e9 + number))
        alone = self.store / "alone"
        alone.mkdir()
        (alone / "wide.txt").write_bytes("needle rare-4711 wide\n".encode("utf-16-le"))
        (alone / "mark.txt").write_bytes(b"\xef\xbb\xbfa needle\nrare-4711\n")
        (alone / "large.txt").write_bytes(b"hay\n" * (LARGE // 4) + b"needle\n")
        (alone / "link.txt").symlink_to(alone / "large.txt")
        os.mkfifo(alone / "fifo.txt")
        self.catalogue = Catalogue(Places.of_home(str(base / "home")))
        self.index = str(base / "index")
        update(self.index, wanted(self.listing()))

    def listing(self) -> Listing:
        """What lies there now, newest first."""
        return self.catalogue.scan(Query(paths=(str(self.store),)))

    def matching(self, word: str, listing: Sequence[Artifact]) -> dict[str, int]:
        """Matching lines by path, as Python finds them, in the listing's order."""
        found = {}
        for artifact in listing:
            if artifact.found.type != "file":
                continue
            data = Path(artifact.found.path).read_bytes()
            wide = b"\0" in data
            text = data.decode("utf-16-le" if wide else "utf-8")
            number = sum(word in line for line in text.split("\n"))
            if number:
                found[artifact.found.path] = number
        return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "SETTLED", -60.0)
        patch.setattr(building, "COARSE", -60.0)
        return World(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize("word", WORDS)
def test_a_listing_and_its_artifacts_are_searched_alike(
    world: World, word: str
) -> None:
    listing = world.listing()
    artifacts = list(listing)
    assert len(artifacts) == FOLDERS * FILES + 5
    plain = list(map(timeless, search(artifacts, word)))
    for some, index, looked in (
        (listing, None, False),
        (listing, None, True),
        (artifacts, world.index, False),
        (listing, world.index, False),
        (listing, world.index, True),
    ):
        report = Report()
        found = search(some, word, index=index, looked=looked, report=report)
        assert list(map(timeless, found)) == plain
        assert report.skipped == 2
        assert not report.problems


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("looked", [False, True])
def test_lines_are_counted_as_python_counts_them(
    world: World, word: str, looked: bool
) -> None:
    listing = world.listing()
    expected = world.matching(word, listing)
    found = {
        listing.address(index): number
        for index, number in counts(listing, word, index=world.index, looked=looked)
    }
    assert list(found.items()) == list(expected.items())
    told = tally(listing, word, index=world.index, looked=looked)
    assert {a.found.path: number for a, number in told} == expected
    named = tally(listing, word, names_only=True, index=world.index, looked=looked)
    assert [(a.found.path, n) for a, n in named] == [(path, 1) for path in expected]


def test_the_order_is_the_listings_where_folders_alternate(world: World) -> None:
    listing = world.listing()
    begun = [
        message["data"]["artifact"]
        for message in search(listing, "number", index=world.index)
        if message["type"] == "begin"
    ]
    place = {artifact.id: number for number, artifact in enumerate(listing)}
    assert len(begun) > FOLDERS * FILES // 2
    assert begun == sorted(begun, key=place.__getitem__)
    assert listing.session(-1) != listing.session(-2)


def test_a_file_that_changed_since_it_was_indexed_is_searched(tmp_path: Path) -> None:
    world = World(tmp_path)
    path = world.store / "session-3" / "00003.txt"
    facts = path.stat()
    path.write_bytes(b"x rare-4711 y".ljust(facts.st_size, b"."))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    listing = world.listing()
    expected = world.matching("rare-4711", listing)
    assert str(path) in expected
    for looked in (False, True):
        told = tally(listing, "rare-4711", index=world.index, looked=looked)
        assert {a.found.path: number for a, number in told} == expected


def test_a_file_that_changed_since_it_was_listed_is_searched(tmp_path: Path) -> None:
    world = World(tmp_path)
    listing = world.listing()
    path = world.store / "session-3" / "00003.txt"
    facts = path.stat()
    path.write_bytes(b"x rare-4711 y".ljust(facts.st_size, b"."))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    told = tally(listing, "rare-4711", index=world.index)
    assert str(path) in {artifact.found.path for artifact, _ in told}


def test_a_command_asks_once_for_what_the_index_knows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = world.listing()
    looks = 0
    real = os.stat

    def counted(*given: object, **named: object) -> os.stat_result:
        nonlocal looks
        looks += 1
        return real(*given, **named)  # type: ignore[arg-type]  # whatever was given

    monkeypatch.setattr(os, "stat", counted)
    # What is in one of these small files may be in any, as far as the index knows.
    assert not list(tally(listing, "nowhere", index=world.index))
    assert looks > FOLDERS * FILES
    looks = 0
    assert not list(tally(listing, "nowhere", index=world.index, looked=True))
    assert looks < FOLDERS * FILES / 4


def test_no_artifact_is_made_to_count_its_lines(world: World) -> None:
    listing = world.listing()
    made: list[str] = []
    make = listing.table.make

    def making(found: object) -> object:
        artifacts = list(make(found))  # type: ignore[arg-type]  # as it was given
        made.extend(artifact.id for artifact in artifacts)
        return artifacts

    watched = Listing(
        type(listing.table)(
            listing.table.finds,
            listing.table.created,
            listing.table.sessions,
            making,  # type: ignore[arg-type]  # it makes the same
        ),
        listing.order,
    )
    numbers = [n for _, n in counts(watched, "needle", index=world.index)]
    assert len(numbers) > FOLDERS * FILES // 2
    assert len(made) < 20  # those that are no plain text, which are opened


@pytest.mark.parametrize("step", [1, 2, 3, 50])
def test_a_subject_gives_the_artifact_of_each_number(world: World, step: int) -> None:
    listing = world.listing()
    subject = Subject(listing)
    assert len(subject) == len(listing)
    for index in [*range(0, len(listing), step), 0, len(listing) - 1, 5, 4, 6, 7]:
        assert subject[index] == listing[index]
        assert subject.root(index) == listing[index].found.root


def test_more_files_than_are_looked_at_together_are_searched(tmp_path: Path) -> None:
    number = max(TOGETHER, BATCH_FILES) + FEW + 3
    store = tmp_path / "store"
    store.mkdir()
    for each in range(number):
        (store / f"{each:05}").write_text("needle\n" if each % 2 else "hay\n")
    catalogue = Catalogue(Places.of_home(str(tmp_path / "home")))
    listing = catalogue.scan(Query(paths=(str(store),)))
    index = str(tmp_path / "index")
    assert sum(n for _, n in counts(listing, "needle", index=index)) == number // 2
    update(index, wanted(listing))
    for looked in (False, True):
        found = list(counts(listing, "needle", index=index, looked=looked))
        odd = [i for i in range(number) if int(listing.address(i)[-5:]) % 2]
        assert found == [(index, 1) for index in odd]
