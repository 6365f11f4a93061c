"""Where the roots of a profile are: platforms, variables, shapes, owners."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from spillview.discovery.roots import check_template, find_roots, templates
from spillview.places import Places
from spillview.profiles.file import built_in
from spillview.profiles.patterns import BadPattern
from spillview.profiles.profile import EnvOverride, Profile, Root

PROFILES = {profile.harness: profile for profile in built_in()}


def places(platform: str = "linux", **env: str) -> Places:
    return Places("/home/u", "/t", env, 1000, platform)


def where(root: Root, here: Places) -> list[str]:
    return [base.rstrip("/") + below for base, below in templates(root, here)]


@pytest.mark.parametrize(
    ("platform", "path"),
    [
        ("linux", "/home/u/.config/Claude/local-agent-mode-sessions"),
        ("darwin", "/home/u/Library/Application Support/Claude/local-agent"),
    ],
)
def test_a_root_follows_the_platform(platform: str, path: str) -> None:
    (cowork,) = [r for r in PROFILES["claude-code"].roots if r.id == "cowork"]
    (found,) = where(cowork, places(platform))
    assert found.startswith(path)


def test_windows_has_two_places_for_a_packaged_program() -> None:
    (cowork,) = [r for r in PROFILES["claude-code"].roots if r.id == "cowork"]
    here = places("win32", APPDATA="/R", LOCALAPPDATA="/L")
    first, second = where(cowork, here)
    assert first.startswith("/R/Claude/")
    assert second.startswith("/L/Packages/Claude_")


def test_task_folders_carry_the_users_number() -> None:
    (tasks,) = [r for r in PROFILES["claude-code"].roots if r.id == "claude_tmp"]
    assert "/t/claude-1000" in where(tasks, places())
    assert "/tmp/claude-1000" in where(tasks, places())
    assert "/t/claude" in where(tasks, places())
    moved = where(tasks, places(CLAUDE_CODE_TMPDIR="/big"))
    assert moved[0] == "/big/claude-1000"
    assert "/t/claude-1000" in moved


def test_the_first_variable_that_is_set_decides() -> None:
    root = Root(
        "r",
        ("~/.gemini",),
        env=(EnvOverride("HOME_OF_IT", "{value}/.gemini"), EnvOverride("DIR")),
    )
    assert where(root, places()) == ["/home/u/.gemini"]
    assert where(root, places(DIR="/d")) == ["/d"]
    assert where(root, places(DIR="/d", HOME_OF_IT="/h")) == ["/h/.gemini"]
    assert where(root, places(DIR="")) == ["/home/u/.gemini"]


@pytest.mark.parametrize(
    ("template", "env", "paths"),
    [
        ("{xdg_data}/o", {}, ["/home/u/.local/share/o"]),
        ("{xdg_data}/o", {"XDG_DATA_HOME": "/d"}, ["/d/o"]),
        ("{xdg_runtime}/k", {}, []),
        ("{xdg_runtime}/k", {"XDG_RUNTIME_DIR": "/run/user/1"}, ["/run/user/1/k"]),
        ("{spillview_state}/spills", {"XDG_STATE_HOME": "/s"}, ["/s/spillview/spills"]),
        ("/var/run/x", {}, ["/var/run/x"]),
        ("~", {}, ["/home/u"]),
    ],
)
def test_placeholders_stand_for_the_users_folders(
    template: str, env: dict[str, str], paths: list[str]
) -> None:
    assert where(Root("r", (template,)), places(**env)) == paths


def test_editor_folders_are_those_of_every_flavour() -> None:
    found = where(Root("r", ("{vscode_user}/x",)), places())
    assert "/home/u/.config/Code/User/x" in found
    assert "/home/u/.config/VSCodium/User/x" in found
    assert "/home/u/.vscode-server/data/User/x" in found


@pytest.mark.parametrize(
    "template", ["x/y", "~u/x", "{nothing}/x", "~/{tmp}/x", "~/../x", "~/<a", ""]
)
def test_a_template_that_cannot_be_a_root_is_refused(template: str) -> None:
    with pytest.raises(BadPattern):
        check_template(template)


def profile_of(*roots: Root) -> Profile:
    return Profile("trial", "Trial", "ours", "trial.toml", "", roots=roots)


def test_variable_parts_are_found_and_captured(tmp_path: Path) -> None:
    for name in ("a/1/x", "a/2/x", "a/two/x", "b/1/x"):
        (tmp_path / "data" / name).mkdir(parents=True)
    (tmp_path / "data" / "a" / "3").symlink_to(tmp_path / "data" / "b" / "1")
    here = replace(Places.of_home(str(tmp_path)), uid=os.getuid())
    roots = find_roots(profile_of(Root("r", ("~/data/<org>/<run:[0-9]>/x",))), here)
    assert [(r.path.removeprefix(str(tmp_path)), dict(r.captures)) for r in roots] == [
        ("/data/a/1/x", {"org": "a", "run": "1"}),
        ("/data/a/2/x", {"org": "a", "run": "2"}),
        ("/data/b/1/x", {"org": "b", "run": "1"}),
    ]


def test_a_made_home_takes_nothing_from_outside_it(tmp_path: Path) -> None:
    here = Places.of_home(str(tmp_path))
    assert find_roots(profile_of(Root("r", ("/tmp",)), Root("h", ("~",))), here) == [
        (Root("h", ("~",)), str(tmp_path), {})
    ]


def test_another_users_process_folders_in_the_temp_folder_are_not_taken(
    tmp_path: Path,
) -> None:
    (tmp_path / "dsh-spill-AbC123").mkdir()
    own = Places("/nowhere", str(tmp_path), {}, os.getuid(), "linux")
    other = replace(own, uid=os.getuid() + 1)

    def found(here: Places) -> list[str]:
        roots = find_roots(PROFILES["dsh"], here)
        return [r.path for r in roots if r.path.startswith(str(tmp_path))]

    assert found(own) == [str(tmp_path / "dsh-spill-AbC123")]
    assert found(other) == []


def test_a_folder_that_cannot_be_listed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def refuse(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "listdir", refuse)
    here = Places("/nowhere", str(tmp_path), {}, 0, "linux")
    find_roots(PROFILES["dsh"], here, lambda path, _: told.append(path))
    assert str(tmp_path) in told
