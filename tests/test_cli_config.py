"""`spillview config`, and what the settings file may say of colours and keys."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from spillview.config import KEYS, THEMES, load_settings
from spillview.places import Places
from tests.command import run


def settings_file(machine: Path) -> Path:
    path = machine / ".config" / "spillview" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_the_example_holds_every_setting_and_loads_with_all_of_them(
    machine: Path,
) -> None:
    text = run("config", "--example").out
    assert tomllib.loads(text) == {}
    said = re.sub(r"^#(?! )", "", text, flags=re.MULTILINE)
    settings_file(machine).write_text(said)
    assert set(tomllib.loads(said)) == set(KEYS)
    settings = load_settings(Places.of_home(str(machine)))
    assert settings.theme == "day"
    assert settings.remember is False
    assert settings.keys == {"home.review": "v,space"}
    assert len(settings.policies) == 2
    shown = run("config")
    assert shown.code == 0, shown.err
    assert tomllib.loads(shown.out) == tomllib.loads(said)


def test_what_is_printed_is_toml_with_the_same_settings(machine: Path) -> None:
    text = (
        'theme = "day"\ntrash_keep = "14d"\n'
        "roots = ['/srv/\"x\" \\', {path = '/mnt/字', harness = 'dsh'}]\n"
        "[boundaries.claude-code]\nBash = '60000chars'\n'mcp__*' = ['1k', 2]\n"
        "[boundaries]\ndsh = 5\n[[policy]]\nolder_than = '3d'\n[[policy]]\n"
        "project = '~/a'\nkeep = true\n"
    ).replace("'1k'", "'9chars'")
    settings_file(machine).write_text(text)
    shown = run("config")
    assert shown.code == 0, shown.err
    assert tomllib.loads(shown.out) == tomllib.loads(text)
    assert "# watch is not set: max-file 1GB, max-total 50GB" in shown.out
    assert "# theme is not set" not in shown.out


def test_it_tells_what_counts_where_nothing_is_set(machine: Path) -> None:
    shown = run("config").out
    assert tomllib.loads(shown) == {}
    for key in KEYS:
        assert f"# {key} is not set: " in shown
    assert all(row["default"] for row in run("config", "--json").rows)


def test_without_a_file_it_says_where_it_would_be(machine: Path) -> None:
    got = run("config")
    assert str(machine / ".config/spillview/config.toml (not there)") in got.out
    assert "--example" in got.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('them = "day"', "did you mean 'theme'?"),
        (
            'theme = "pink"',
            "theme: must be one of night, day, contrast, ansi, not 'pink'",
        ),
        ("[boundaries]\ndhs = '1bytes'", "'dhs' is no harness: did you mean 'dsh'?"),
        (
            "roots = [{path = '/srv', harness = 'claude-cod'}]",
            "roots: 'claude-cod' is no harness: did you mean 'claude-code'?",
        ),
        (
            "[[policy]]\nharness = 'dhs'\nkeep = true",
            "policy 1: 'dhs' is no harness: did you mean 'dsh'?",
        ),
        ("keys = 1", "keys: must be a table"),
        ("[keys]\nhome.review = 1", "keys.home.review: must be keys such as"),
        ('[keys]\n"home.reviw" = "v"', "did you mean 'home.review'?"),
        ('[keys]\n"home.review" = "super+x"', "'super+x' is no key"),
        ('[keys]\n"home.review" = "i"', "'i' would be both home.review (Reviewed)"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(
    machine: Path, text: str, said: str
) -> None:
    settings_file(machine).write_text(text)
    got = run("config")
    assert got.code == 2
    assert said in got.err
    assert "config.toml" in got.err
    assert got.err.count("\n") == 1


def test_every_key_is_listed_by_its_name(machine: Path) -> None:
    rows = run("config", "--keys", "--json").rows
    names = [row["name"] for row in rows]
    assert names == sorted(set(names))
    assert {"home.review", "queue.open", "artifact.verdict", "app.help"} <= set(names)
    settings_file(machine).write_text('[keys]\nhome.review = "v"\n')
    changed = {
        row["name"]: row["keys"] for row in run("config", "--keys", "--json").rows
    }
    assert changed["home.review"] == "v"
    assert changed["queue.open"] == "enter"
    assert "home.review" in run("config", "--keys").out


def test_the_themes_that_can_be_named_are_those_there_are() -> None:
    from spillview.tui.theme import THEMES as made

    assert tuple(made) == THEMES
