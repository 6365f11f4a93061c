"""How much files grew: never negative, never invented, whatever the clock does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.query import Query
from spillview.errors import BadInput, Unreadable
from spillview.growth.births import born
from spillview.growth.changes import Change, Size, change, together
from spillview.growth.disks import Disk, disks_of, until_full
from spillview.growth.limits import DEFAULTS, Free, Limits, limits_of, rate_text
from spillview.growth.looks import Looks, Watched
from spillview.growth.memory import (
    Known,
    digest,
    ground_of,
    recall,
    remember,
)
from spillview.growth.moments import Moment
from spillview.growth.passing import disk_reading, judged
from spillview.growth.readings import LONGEST, Reading, telling
from spillview.places import Places
from spillview.typed import parse_rate, parse_share

SIZES = st.builds(Size, st.just(1), st.integers(1, 3), st.integers(0, 1 << 45),
                  st.integers(0, 1 << 45))  # fmt: skip
SECONDS = st.floats(0.001, 1e6)


# Changes


@given(st.none() | SIZES, SIZES, SECONDS)
@settings(max_examples=100)
def test_a_rate_is_what_came_by_the_time_or_not_known(
    before: Size | None, after: Size, seconds: float
) -> None:
    got = change(before, after, seconds)
    if before is None:
        expected: float | None = after.size / seconds
    elif before.ino != after.ino or after.size < before.size:
        expected = None
    else:
        expected = (after.size - before.size) / seconds
    assert got.per_second == expected
    assert got.per_second is None or got.per_second >= 0
    assert got.disk >= 0


@given(st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=8))
@settings(max_examples=60)
def test_a_sum_of_changes_says_when_a_part_is_not_known(
    pairs: list[tuple[Size, Size]],
) -> None:
    changes = [change(before, after, 10.0) for before, after in pairs]
    got = together(changes)
    assert got is not None
    assert got.grown == sum(c.grown for c in changes if c.grown is not None)
    assert (got.why == "unknown") is any(c.grown is None for c in changes)


def test_the_longer_time_tells_how_fast_while_it_speaks_of_now() -> None:
    now, since = Change(1.0, 50), Change(600.0, 600)
    assert telling(since, now) is since
    assert telling(Change(LONGEST + 1, 600), now) is now
    assert telling(Change(600.0, None, why="replaced"), now) is now
    assert telling(Change(0.5, 600), now) is now
    assert telling(since, None) is since
    assert telling(None, None) is None


# Moments


@given(st.floats(-1e9, 1e9), st.floats(0.001, 1e6))
@settings(max_examples=60)
def test_a_clock_that_is_set_does_not_change_what_has_passed(
    jump: float, passed: float
) -> None:
    before = Moment(1.7e9, "boot", 1000.0)
    after = Moment(1.7e9 + passed + jump, "boot", 1000.0 + passed)
    assert before.until(after) == pytest.approx(passed)


@given(st.floats(-1e9, 1e9))
@settings(max_examples=60)
def test_after_a_new_start_the_wall_clock_counts_unless_it_runs_backwards(
    passed: float,
) -> None:
    before, after = Moment(1.7e9, "one", 5.0), Moment(1.7e9 + passed, "two", 1.0)
    got = before.until(after)
    assert got is None if after.wall <= before.wall else got == after.wall - before.wall


def test_time_passes_on_this_machine() -> None:
    before = Moment.now()
    time.sleep(0.01)
    passed = before.until(Moment.now())
    assert passed is not None
    assert 0.01 <= passed < 60


# Looks


def looked(*paths: Path) -> Looks:
    looks = Looks([Watched(str(path), "folder", "s") for path in paths])
    looks.first()
    return looks


def test_two_looks_measure_what_was_written_between_them(tmp_path: Path) -> None:
    grows, still = tmp_path / "grows", tmp_path / "still"
    grows.write_bytes(b"x" * 1000)
    still.write_bytes(b"y")
    looks = looked(grows, still)
    with grows.open("ab") as file:
        file.write(b"x" * 234_567)
    looks.second()
    assert set(looks.changes) == {0}
    assert looks.changes[0].grown == 234_567
    assert looks.changes[0].seconds <= looks.seconds + 1
    now = looks.now(1)
    assert now is not None
    assert now.grown == 0


@pytest.mark.parametrize("way", ["shorter", "other file", "same number", "gone"])
def test_what_was_shortened_or_replaced_between_looks_has_no_rate(
    tmp_path: Path, way: str
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 5000)
    looks = looked(path)
    if way == "shorter":
        os.truncate(path, 10)
    elif way == "other file":
        (tmp_path / "new").write_bytes(b"z" * 9000)
        os.replace(tmp_path / "new", path)
    elif way == "same number":
        number = path.stat().st_ino
        path.unlink()
        time.sleep(0.02)  # disks tell births in steps
        path.write_bytes(b"z" * 9000)
        if path.stat().st_ino == number and born(str(path)) is None:
            pytest.skip("this disk does not tell when a file was made")
    else:
        path.unlink()
    looks.second()
    assert all(each.per_second is None for each in looks.changes.values())
    assert bool(looks.changes) is (way != "gone")


def test_a_link_is_not_looked_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    looks = looked(tmp_path / "link", tmp_path / "file")
    assert looks.size(0) is None
    assert looks.unique() == [1]


def test_one_file_with_two_names_is_looked_at_as_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    os.link(tmp_path / "a", tmp_path / "b")
    looks = looked(tmp_path / "a", tmp_path / "b")
    assert looks.unique() == [0]
    assert list(looks.names().values()) == [2]


# Memory


@given(st.dictionaries(st.integers(0, 2**32 - 1), SIZES, max_size=20))
@settings(max_examples=40)
def test_what_is_remembered_is_recalled(sizes: dict[int, Size]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        places = Places.of_home(home)
        known = Known(Moment(1.7e9, "boot", 3.0), sizes, {1: 500}, len(sizes) > 9)
        remember(places, "0" * 16, known)
        assert recall(places, "0" * 16) == known
        assert recall(places, "1" * 16) is None


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"form":2}', b'{"form":1,"when":[1,2]}', b"\xff" * 99]
)
def test_a_broken_memory_is_none(tmp_path: Path, data: bytes) -> None:
    places = Places.of_home(str(tmp_path))
    remember(places, "0" * 16, Known(Moment(1.0), {}))
    [kept] = Path(places.state_dir, "watch").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_bytes(data)
    assert recall(places, "0" * 16) is None


def test_what_is_no_file_of_ours_is_no_memory_and_is_replaced(tmp_path: Path) -> None:
    places, known = Places.of_home(str(tmp_path)), Known(Moment(1.0), {})
    remember(places, "0" * 16, known)
    [kept] = Path(places.state_dir, "watch").iterdir()
    other = tmp_path / "other"
    other.write_text("not ours")
    for make in (os.mkfifo, lambda path: os.symlink(other, path)):
        kept.unlink()
        make(str(kept))
        assert recall(places, "0" * 16) is None
        remember(places, "0" * 16, known)
        assert recall(places, "0" * 16) == known
    assert other.read_text() == "not ours"


def test_where_nothing_can_be_kept_a_sentence_says_so(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    os.makedirs(os.path.dirname(places.state_dir))
    Path(places.state_dir).write_text("a file in the way")
    with pytest.raises(Unreadable, match="are not kept for the next check"):
        remember(places, "0" * 16, Known(Moment(1.0), {}))


def test_old_memories_of_grounds_nobody_checks_go(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    remember(places, "0" * 16, Known(Moment(time.time()), {}))
    [old] = Path(places.state_dir, "watch").iterdir()
    os.utime(old, (1, 1))
    remember(places, "1" * 16, Known(Moment(time.time()), {}))
    assert [p.stem for p in Path(places.state_dir, "watch").iterdir()] == ["1" * 16]


def test_a_ground_is_its_real_paths_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to(tmp_path / "a")
    one = ground_of(Query((str(tmp_path / "a"), "/x")))
    assert one == ground_of(Query(("/x", str(tmp_path / "b"))))
    assert one != ground_of(Query(("/x",)))
    assert len({digest("/x"), digest("/y")}) == 2


# Limits


@pytest.mark.parametrize(
    ("typed", "bytes_"),
    [("10MB/s", 10e6), ("60kB/min", 1000), ("3.6GB/h", 1e6), ("64KiB / s", 65536)],
)
def test_rates_are_sizes_by_a_time(typed: str, bytes_: float) -> None:
    assert parse_rate(typed) == pytest.approx(bytes_)


@pytest.mark.parametrize("typed", ["", "10MB", "10MB/", "/s", "-1MB/s", "0B/s", "1/y"])
def test_what_is_no_rate_is_refused(typed: str) -> None:
    with pytest.raises(BadInput):
        parse_rate(typed)


def test_shares_are_told_from_sizes() -> None:
    assert parse_share("5%") == pytest.approx(0.05)
    assert parse_share("5GB") is None
    for typed in ("0%", "100%", "999%"):
        with pytest.raises(BadInput):
            parse_share(typed)


def test_limits_are_read_by_name_and_lifted_by_none() -> None:
    got = limits_of({"max-file": "5GB", "min-free": "5%", "max-total": "none"})
    assert got == Limits(max_file=5 * 10**9, min_free=Free(share=0.05))
    assert got.words() == ["max-file 5GB", "min-free 5%"]
    with pytest.raises(BadInput, match="full-within"):
        limits_of({"full-within": "soon"})
    assert DEFAULTS.any
    assert not limits_of({"max-file": "None"}).any


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("max-rate", "100MB/min"),
        ("max-rate", "10MB/s"),
        ("max-rate", "20GB/h"),
        ("max-rate", "1MB/h"),
        ("max-rate", "7kB/h"),
        ("max-rate", "90kB/h"),
        ("max-rate", "1GB/d"),
        ("max-file", "64KiB"),
        ("full-within", "30d"),
        ("min-free", "5GB"),
        ("min-free", "2.5%"),
    ],
)
def test_a_limit_is_told_as_it_was_typed(name: str, typed: str) -> None:
    assert limits_of({name: typed}).words() == [f"{name} {typed}"]


@pytest.mark.parametrize(
    ("rate", "words"),
    [(0, "0 B/s"), (48e6, "48.0 MB/s"), (100, "6.0 kB/min"), (0.01, "36 B/h")],
)
def test_a_slow_rate_is_told_by_a_longer_time(rate: float, words: str) -> None:
    assert rate_text(rate) == words


def test_a_file_passes_by_what_it_takes_of_the_disk_and_not_by_its_length() -> None:
    limits = Limits(max_file=1000, max_rate=5.0)
    holes = Reading("file", "/x", bytes=1 << 40, disk=1000)
    assert judged(holes, limits).passed == ()
    large = Reading("file", "/x", bytes=1001, disk=1001, now=Change(2.0, 11))
    assert [p.limit for p in judged(large, limits).passed] == ["max-file", "max-rate"]
    unknown = Reading("file", "/x", now=Change(2.0, None, why="shortened"))
    assert judged(unknown, limits).passed == ()


@given(st.integers(0, 10**13), st.just(0.0) | st.floats(1e-3, 1e9), st.floats(1, 1e7))
@settings(max_examples=80)
def test_a_disk_passes_when_it_would_be_full_sooner_than_allowed(
    free: int, rate: float, within: float
) -> None:
    disk = Disk(1, "/d", free, 10**13)
    got = disk_reading(disk, None, None, rate, Limits(full_within=within))
    assert bool(got.passed) is (rate > 0 and free / rate < within)
    assert got.full_in == (free / rate if rate > 0 else None)


def test_what_must_be_free_may_be_a_size_or_a_share() -> None:
    disk = Disk(1, "/d", 40, 1000)
    for free, passes in ((Free(41), True), (Free(40), False), (Free(share=0.05), True)):
        got = disk_reading(disk, None, None, 0.0, Limits(min_free=free))
        assert bool(got.passed) is passes


def test_a_disk_that_others_fill_is_full_by_its_own_fall() -> None:
    disk = Disk(1, "/d", 10_000, 20_000)
    before = Known(Moment(1.0), {}, {1: 16_000})
    got = disk_reading(disk, before, 600.0, 1.0, Limits(full_within=2000.0))
    assert got.full_in == pytest.approx(1000.0)
    assert got.passed
    brief = disk_reading(disk, before, 5.0, 1.0, Limits(full_within=2000.0))
    assert brief.full_in == pytest.approx(10_000)  # five seconds say nothing


def test_disks_are_told_once_and_never_divided_by_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    disks = disks_of([str(tmp_path), str(tmp_path / "a"), "/no/such/folder"])
    [disk] = disks.values()
    assert 0 <= disk.free <= disk.size
    assert until_full(10, 0) is None
    assert until_full(10, None) is None
    assert until_full(0, 5.0) == 0
