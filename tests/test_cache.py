"""The cache forgets what changed, survives damage, and is never needed."""

from __future__ import annotations

import os
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spillview.catalogue.cache import Cache
from spillview.catalogue.cache_file import FEW
from spillview.model import Counts, Found, Line


def found(number: int = 1, **changes: object) -> Found:
    item = Found(
        f"{number:016x}",
        "h",
        f"/store/{number}",
        str(number),
        "s",
        "/store",
        size=10,
        mtime_ns=20,
        dev=3,
        ino=number,
    )
    return replace(item, **changes)  # type: ignore[arg-type] # field names, by the tests


COUNTS = Counts(10, 9, 9, 2, "utf-8", "text", verdict=Line(2, 5, 9, "done"))


def test_counts_come_back_for_an_unchanged_file(tmp_path: Path) -> None:
    path = str(tmp_path / "c" / "cache.sqlite3")
    cache = Cache(path)
    cache.store_counts([(found(), COUNTS)])
    cache.close()
    assert Cache(path).counts([found()]) == {found().id: COUNTS}


def test_a_changed_size_time_or_inode_forgets_the_counts(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    cache.store_counts([(found(), COUNTS)])
    for change in ({"size": 11}, {"mtime_ns": 21}, {"ino": 99}, {"dev": 4}):
        assert cache.counts([found(**change)]) == {}


def test_many_and_few_artifacts_are_looked_up_alike(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    items = [found(n) for n in range(FEW + 50)]
    cache.store_counts((item, COUNTS) for item in items)
    assert len(cache.counts(items)) == len(items)
    assert set(cache.counts(items[:3])) == {item.id for item in items[:3]}


def test_the_folder_and_the_file_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.sqlite3"
    Cache(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_broken_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    path.write_bytes(b"this is no database" * 1000)
    cache = Cache(str(path))
    cache.store_counts([(found(), COUNTS)])
    assert cache.counts([found()]) == {found().id: COUNTS}
    assert cache.problem is None
    [aside] = tmp_path.glob("*.broken-1")
    assert aside.read_bytes() == b"this is no database" * 1000


def test_damage_found_while_in_use_ends_in_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    cache = Cache(str(path))
    cache.store_counts((found(n), COUNTS) for n in range(2000))
    cache.close()
    whole = bytearray(path.read_bytes())
    whole[8192:] = b"\xa5" * (len(whole) - 8192)
    path.write_bytes(whole)
    hurt = Cache(str(path))
    hurt.counts([found(n) for n in range(2000)])
    hurt.close()
    again = Cache(str(path))
    again.store_counts([(found(), COUNTS)])
    assert again.counts([found()]) == {found().id: COUNTS}


def test_another_version_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("create table counts (x)")
        db.execute("pragma user_version = 999")
    db.close()
    cache = Cache(str(path))
    cache.store_counts([(found(), COUNTS)])
    assert cache.counts([found()])


def test_a_locked_file_is_bypassed_without_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    cache = Cache(str(path))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")
    cache.store_counts([(found(), COUNTS)])
    assert cache.problem is not None
    assert "locked" in cache.problem
    other.execute("rollback")
    other.close()
    cache.store_counts([(found(), COUNTS)])
    assert cache.counts([found()])


def test_a_folder_in_the_files_place_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite3/inner").mkdir(parents=True)
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    assert cache.problem is None
    assert len(cache.mended) == 1
    assert cache.store_counts([(found(), COUNTS)])
    assert [p.name for p in tmp_path.glob("*.broken-folder-1/*")] == ["inner"]


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "victim"
    target.write_text("keep")
    (tmp_path / "cache.sqlite3").symlink_to(target)
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    cache.store_counts([(found(), COUNTS)])
    assert target.read_text() == "keep"


def test_no_path_gives_a_cache_that_remembers_nothing() -> None:
    cache = Cache(None)
    cache.store_counts([(found(), COUNTS)])
    assert cache.counts([found()]) == {}


def test_facts_and_looks_come_back_by_rules_key_and_token(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    cache.store_facts("/t", "rules-1", (1, 2, 3, 4), b"facts")
    assert cache.facts("/t", "rules-1", (1, 2, 3, 4)) == (True, b"facts")
    assert cache.facts("/t", "rules-1", (1, 2, 9, 4)) == (False, b"facts")
    assert cache.facts("/t", "rules-2", (1, 2, 3, 4)) is None
    cache.store_looks([(found(), "token", b"look")])
    assert cache.looks([found(), found(2)]) == {found().id: ("token", b"look")}


def test_facts_of_a_long_transcript_are_kept_in_little_room(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    data = b'[4, "' + b"the same words again, " * 100_000 + b'"]'
    assert cache.store_facts("/t", "rules", (1, 2, 3, 4), data)
    assert cache.facts("/t", "rules", (1, 2, 3, 4)) == (True, data)
    cache.close()
    held = sum(each.stat().st_size for each in tmp_path.iterdir())
    assert held < len(data) // 5


def test_names_that_are_not_utf8_are_keys_like_any_other(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    odd = found(path=os.fsdecode(b"/store/\xff\xfe\n"))
    cache.store_counts([(odd, COUNTS)])
    assert cache.counts([odd])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_verdict_text_is_kept(tmp_path_factory: Any, text: str) -> None:
    cache = Cache(str(tmp_path_factory.mktemp("cache") / "cache.sqlite3"))
    counts = replace(COUNTS, verdict=Line(1, 0, 1, text))
    cache.store_counts([(found(), counts)])
    assert cache.counts([found()]) == {found().id: counts}
    cache.close()


def test_large_inodes_fit(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))
    large = found(ino=2**64 - 1)
    cache.store_counts([(large, COUNTS)])
    assert cache.counts([large])


def test_threads_may_share_it(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache.sqlite3"))

    def work(start: int) -> None:
        for number in range(start, start + 50):
            cache.store_counts([(found(number), COUNTS)])
            cache.counts([found(number)])

    threads = [threading.Thread(target=work, args=(n * 50,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache.counts([found(n) for n in range(200)])) == 200
