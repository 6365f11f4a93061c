"""Commands that resume a session: data of profiles, quoted, honest where unknown."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.errors import BadProfile
from spillview.places import Places
from spillview.profiles.file import check_profile, parse_profile
from spillview.profiles.profile import Profile, load_profiles
from spillview.profiles.resumption import ReadTool, resume_command

ID = "7c625e95-f112-46f3-876e-419fdb52fcb3"
PROFILES, _ = load_profiles(Places.of_home("/nonexistent"))

HEAD = 'schema = 1\nharness = "acme"\nname = "Acme"\n'


def acme(text: str) -> Profile:
    return parse_profile(HEAD + text, "acme.toml")


def test_claude_code_resumes_by_id_in_its_project_folder() -> None:
    known = resume_command(PROFILES["claude-code"], ID, "/srv/my app")
    assert known.command == f"cd '/srv/my app' && claude --resume {ID}"
    assert "several reports" in known.sentence


def test_without_its_folder_a_command_that_needs_it_says_so() -> None:
    known = resume_command(PROFILES["claude-code"], ID, None)
    assert known.command == f"claude --resume {ID}"
    assert "not known" in known.sentence


def test_a_harness_without_a_known_command_says_so() -> None:
    known = resume_command(PROFILES["dsh"], ID, "/srv/app")
    assert known.command is None
    assert known.sentence.startswith("No command of")


@pytest.mark.parametrize(
    "session", ["", "--help", "a b", "$(reboot)", "x;y", "ü", "a\n"]
)
def test_an_id_that_the_command_would_not_take_gives_no_command(session: str) -> None:
    for name in ("claude-code", "goose", "droid"):
        assert resume_command(PROFILES[name], session, "/srv").command is None


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=100)
def test_every_word_reaches_the_shell_as_it_is(session: str, project: str) -> None:
    profile = acme(
        '[resume]\ncommand = ["acme", "--session={session}"]\nid = "[^!]{1,90}"\n'
    )
    known = resume_command(profile, session, project)
    if known.command is None:
        return
    words = shlex.split(known.command)
    assert words[-2:] == ["acme", f"--session={session}"]
    if len(words) > 2:
        cd, folder, joined = words[:-2]
        assert (cd, joined) == ("cd", "&&")
        assert folder.removeprefix("./") == project.removeprefix("./")
        assert not folder.startswith("-")


def test_every_built_in_command_names_its_source_and_holds_the_id() -> None:
    with_one = [p for p in PROFILES.values() if p.resume.command]
    assert {p.harness for p in with_one} >= {"claude-code", "codex", "gemini-cli"}
    for profile in with_one:
        assert profile.resume.source, profile.harness
        assert profile.resume.confidence
        assert any("{session}" in word for word in profile.resume.command)
        check_profile(profile)


def test_a_profile_without_the_ids_place_is_refused() -> None:
    with pytest.raises(BadProfile, match="resume: command"):
        acme('[resume]\ncommand = ["acme", "--last"]\n')
    with pytest.raises(BadProfile, match="confidence"):
        acme('[resume]\ncommand = ["acme", "{session}"]\nconfidence = "sure"\n')


def test_a_reading_call_holds_path_and_lines_whatever_the_path_holds() -> None:
    tool = ReadTool(
        'read(path="{path}", from={line}, skip={line0}, n={lines}, to={last})'
    )
    assert tool.of("/x/{line}", 41, 10) == (
        'read(path="/x/{line}", from=41, skip=40, n=10, to=50)'
    )


def test_profiles_of_every_harness_can_be_asked(tmp_path: Path) -> None:
    for profile in PROFILES.values():
        known = resume_command(profile, ID, str(tmp_path))
        assert known.sentence
        assert (known.command is None) == (
            not profile.resume.command or "not one" in known.sentence
        )
