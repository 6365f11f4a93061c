"""Folders of one user, on each platform, from the environment alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from spillview.places import Places, private_dir


def places(home: str = "/home/u", platform: str = "linux", **env: str) -> Places:
    return Places(home, "/tmp", env, 1000, platform)


def test_linux_folders_are_those_of_xdg() -> None:
    here = places()
    assert here.config_dir == "/home/u/.config/spillview"
    assert here.cache_dir == "/home/u/.cache/spillview"
    assert here.state_dir == "/home/u/.local/state/spillview"


def test_xdg_variables_move_each_folder() -> None:
    here = places(XDG_CONFIG_HOME="/c", XDG_CACHE_HOME="/k", XDG_STATE_HOME="/s")
    assert here.config_dir == "/c/spillview"
    assert here.cache_dir == "/k/spillview"
    assert here.state_dir == "/s/spillview"


def test_a_relative_xdg_variable_is_ignored() -> None:
    assert places(XDG_STATE_HOME="here").state_dir == "/home/u/.local/state/spillview"


def test_macos_folders_are_in_the_library() -> None:
    here = places("/Users/u", "darwin")
    assert here.config_dir == "/Users/u/Library/Application Support/spillview"
    assert here.cache_dir == "/Users/u/Library/Caches/spillview"
    assert here.state_dir.startswith(here.config_dir)
    assert here.state_dir != here.config_dir


def test_windows_folders_follow_appdata() -> None:
    here = places("C:\\Users\\u", "win32", APPDATA="R", LOCALAPPDATA="L")
    assert here.config_dir == os.path.join("R", "spillview")
    assert here.cache_dir == os.path.join("L", "spillview")


def test_here_reads_home_and_tmpdir(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere/home")
    monkeypatch.setenv("TMPDIR", "/somewhere/tmp")
    here = Places.here()
    assert here.home == "/somewhere/home"
    assert here.tmp == "/somewhere/tmp"
    assert "/tmp" in here.tmps
    assert here.tmps[0] == "/somewhere/tmp"


@pytest.mark.parametrize("home", ["", "of/mine", "~"])
def test_a_relative_home_is_none(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    pwd = pytest.importorskip("pwd")
    monkeypatch.setenv("HOME", home)
    assert Places.here().home == pwd.getpwuid(os.getuid()).pw_dir


def test_without_tmpdir_nothing_is_created_to_find_the_temp_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)

    def refuse(*_: object) -> None:
        raise AssertionError("opened something")

    monkeypatch.setattr(os, "open", refuse)
    assert Places.here().tmp


def test_a_folder_as_home_ignores_this_process_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/elsewhere")
    there = Places.of_home(str(tmp_path))
    assert there.env == {}
    assert there.tmp == str(tmp_path / "tmp")
    assert there.tmps == (there.tmp,)
    assert there.state_dir == str(tmp_path / ".local/state/spillview")


def test_looking_creates_nothing(tmp_path: Path) -> None:
    there = Places.of_home(str(tmp_path))
    assert there.config_dir
    assert there.cache_dir
    assert there.state_dir
    assert list(tmp_path.iterdir()) == []


def test_a_private_folder_is_its_owners_alone(tmp_path: Path) -> None:
    wanted = tmp_path / "a" / "b"
    assert private_dir(str(wanted)) == str(wanted)
    assert stat.S_IMODE(wanted.stat().st_mode) == 0o700
    wanted.chmod(0o755)
    private_dir(str(wanted))
    assert stat.S_IMODE(wanted.stat().st_mode) == 0o700
