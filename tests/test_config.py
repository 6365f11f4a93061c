"""The user's settings: what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.config import ExtraRoot, Settings, load_settings
from spillview.errors import BadInput
from spillview.model import Boundary
from spillview.places import Places


def settings(home: Path, text: str) -> Settings:
    folder = home / ".config" / "spillview"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return load_settings(Places.of_home(str(home)))


def test_without_a_file_nothing_is_changed(tmp_path: Path) -> None:
    assert load_settings(Places.of_home(str(tmp_path))) == Settings()


def test_roots_are_paths_or_tables_with_a_harness(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path,
        'roots = ["/srv/box/home", "~/old", { path = "/out", harness = "outbox" }]',
    )
    assert chosen.roots == (
        ExtraRoot("/srv/box/home"),
        ExtraRoot(str(tmp_path / "old")),
        ExtraRoot("/out", "outbox"),
    )


def test_boundaries_are_chosen_by_harness_then_tool(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path,
        """
        [boundaries]
        dsh = ["2000lines", "50000bytes"]
        [boundaries.claude-code]
        Bash = "60000chars"
        "mcp__*" = "9000tokens"
        """,
    )
    assert chosen.boundaries_for("dsh", None) == (
        Boundary(2000, "lines"),
        Boundary(50_000, "bytes"),
    )
    assert chosen.boundaries_for("claude-code", "Bash") == (Boundary(60_000, "chars"),)
    assert chosen.boundaries_for("claude-code", "mcp__a__b") == (
        Boundary(9000, "tokens"),
    )
    assert chosen.boundaries_for("claude-code", "Grep") == ()
    assert chosen.boundaries_for("folder", "Bash") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("root = []", "did you mean 'roots'"),
        ("colour = 1", "known: theme, remember, keys, roots"),
        ("remember = 1", "remember: must be true or false"),
        ("roots = 'x'", "must be a list"),
        ("roots = ['x']", "must be an absolute path"),
        ("roots = [1]", "must hold folders"),
        ("roots = [{path='/x', harnes='dsh'}]", "did you mean 'harness'"),
        ("boundaries = 3", "must be a table"),
        ("boundaries = {dsh = '0chars'}", "boundaries.dsh.*"),
        ("boundaries = {dsh = 'many'}", "boundaries.dsh.*"),
        ("boundaries = {dsh = true}", "such as"),
        ("= 1", "is not TOML"),
    ],
)
def test_a_mistake_names_the_file_the_key_and_what_to_do(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(BadInput) as error:
        settings(tmp_path, text)
    assert "config.toml" in str(error.value)
    assert said in str(error.value)


def test_text_that_is_not_utf_8_is_said_plainly(tmp_path: Path) -> None:
    settings(tmp_path, "")
    (tmp_path / ".config/spillview/config.toml").write_bytes(b"roots = ['\xff']")
    with pytest.raises(BadInput, match="not UTF-8"):
        load_settings(Places.of_home(str(tmp_path)))
