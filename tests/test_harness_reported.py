"""Harnesses of which one report says where files lie: those are listed, no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.discovery.discovery import discover
from spillview.places import Places
from spillview.profiles.file import check_profile
from spillview.profiles.profile import load_profiles

FILES = {
    "agenc": (".agenc/workspace/tool-results/s1/call_1.txt", "s1"),
    "zeph": (".zeph/data/tool-output/abc.txt", None),
    "oh-my-cli": (".oh-my-cli/sessions/s1.spill/12.log", "s1"),
    "hlvm": (".hlvm/.runtime/tool-results/s1/call_1.json", "s1"),
    "codewhale": (".deepseek/tool_outputs/call_1.txt", None),
    "eca": (".cache/eca/0a1b2c/shell-output/1.txt", None),
    "opensploit": (".opensploit/outputs/s1/0a1b.json", "s1"),
    "librechat": ("tmp/lc-local-output-0a1b.txt", None),
}
"""Where each keeps one, and the session its path tells."""

BESIDE = (
    ".agenc/workspace/notes.txt",
    ".zeph/data/zeph.db",
    ".oh-my-cli/sessions/s1.jsonl",
    ".oh-my-cli/sessions/s1.spill/notes.md",
    ".hlvm/.runtime/log.txt",
    ".deepseek/config.toml",
    ".deepseek/tool_outputs/.lock",
    ".cache/eca/0a1b2c/db.json",
    ".opensploit/outputs/index.json",
    "tmp/lc-local-output.txt",
    "tmp/lc-other.txt",
)
"""Files that are nobody's outputs."""


def put(home: Path, name: str) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{name}\n")
    return path


def test_each_file_is_listed_once_under_its_harness(tmp_path: Path) -> None:
    for name in (*BESIDE, *(name for name, _ in FILES.values())):
        put(tmp_path, name)
    places = Places.of_home(str(tmp_path))
    found = discover(places, load_profiles(places)[0]).found
    listed = sorted((item.harness, item.path) for item in found)
    wanted = [(key, str(tmp_path / name)) for key, (name, _) in FILES.items()]
    assert listed == sorted(wanted)
    sessions = {item.harness: item.session for item in found}
    for harness, (_, session) in FILES.items():
        assert session in (None, sessions[harness])


@pytest.mark.parametrize("harness", FILES)
def test_a_copy_elsewhere_is_a_plain_folder(harness: str, tmp_path: Path) -> None:
    name = FILES[harness][0].rpartition("/")[2]
    path = put(tmp_path, f"copied/{name}")
    places = Places.of_home(str(tmp_path / "home"))
    profiles = load_profiles(places)[0]
    found = discover(places, profiles, paths=[str(path.parent)]).found
    assert [item.harness for item in found] == ["folder"]


@pytest.mark.parametrize("harness", FILES)
def test_its_confidence_says_how_little_is_known(harness: str, tmp_path: Path) -> None:
    profile = load_profiles(Places.of_home(str(tmp_path)))[0][harness]
    check_profile(profile)
    assert profile.confidence == "single report"
    assert not profile.transcripts
    assert not profile.boundaries
