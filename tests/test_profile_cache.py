"""The built-in profiles kept in the cache folder are those of the files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from spillview.places import Places
from spillview.profiles import cache as profile_cache
from spillview.profiles import file as profile_file
from spillview.profiles.profile import Profile, load_profiles


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A user whose cache folder is empty."""
    return replace(Places.of_home(str(tmp_path)), confined=False)


def read() -> list[Profile]:
    return list(profile_file.built_in())


def refuse() -> list[Profile]:
    raise AssertionError("the files are read again")


def test_kept_profiles_equal_those_of_the_files(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = profile_cache.built_in(places)
    monkeypatch.setattr(profile_cache, "_read", refuse)
    kept = profile_cache.built_in(places)
    assert first == kept == read()
    assert [type(p) for p in kept] == [Profile] * len(kept)
    for mine, theirs in zip(kept, read(), strict=True):
        for notice, other in zip(mine.notices, theirs.notices, strict=True):
            assert type(notice) is type(other)
            assert type(notice.preview) is type(other.preview)
            assert notice.pattern.pattern == other.pattern.pattern
    path = Path(places.cache_dir) / profile_cache.NAME
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(places.cache_dir) == [profile_cache.NAME]


@pytest.mark.parametrize("at", [0, 31, 40, 70, 5000, -1])
def test_a_damaged_file_is_read_anew(places: Places, at: int) -> None:
    profile_cache.built_in(places)
    path = Path(places.cache_dir) / profile_cache.NAME
    good = path.read_bytes()
    bad = bytearray(good)
    bad[at] ^= 0x55
    path.write_bytes(bad)
    assert profile_cache.built_in(places) == read()
    assert path.read_bytes() == good
    path.write_bytes(good[:at])
    assert profile_cache.built_in(places) == read()


def test_a_changed_profile_counts_at_once(
    places: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "harnesses"
    folder.mkdir()
    one = folder / "one.toml"
    monkeypatch.setattr(profile_cache, "_FOLDER", str(folder))
    monkeypatch.setattr(profile_file, "_BUILT_IN", str(folder))
    for name in ("First", "Second"):
        one.write_text(f'harness = "one"\nname = "{name}"\n')
        profiles, problems = load_profiles(places)
        assert [p.name for p in profiles.values()] == [name]
        assert problems == []


def test_nothing_is_written_where_only_a_copied_home_is_looked_at(
    tmp_path: Path,
) -> None:
    load_profiles(Places.of_home(str(tmp_path)))
    assert os.listdir(tmp_path) == []


def test_a_cache_folder_that_cannot_be_written_costs_time_only(places: Places) -> None:
    Path(places.home, ".cache").write_text("in the way")
    assert profile_cache.built_in(places) == read()
