"""The README says what is true: commands run, keys work, pictures and files exist."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.keys import _character_to_key

from spillview.cleanup.policy_file import KEYS as POLICY
from spillview.cleanup.policy_file import standing_policies
from spillview.cli import commands, main
from spillview.config import KEYS as SETTINGS
from spillview.config import config_path, load_settings
from spillview.demo import make_night
from spillview.hook.rules import load_rules
from spillview.places import Places
from spillview.profiles.profile import load_profiles
from spillview.tui.app import SpillviewApp
from spillview.tui.artifact.keys import ARTIFACT_BINDINGS
from spillview.tui.cleanup.keys import CLEANUP_BINDINGS
from spillview.tui.keys import HOME_BINDINGS, QUEUE_BINDINGS
from spillview.tui.pager.keys import PAGER_BINDINGS
from spillview.tui.report.keys import REPORT_BINDINGS
from spillview.tui.search.hit_list import HitList
from spillview.tui.search.search import SearchScreen
from tests.command import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
SHELL = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]

ANY = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
TOML = [text for kind, text in BLOCKS if kind == "toml"]

START = next(line for line in SHELL if line.endswith("spillview --or-demo"))
TESTS = next(line for line in SHELL if "pytest" in line)


def test_the_sample_of_the_report_is_what_the_demo_shows(tmp_path: Path) -> None:
    [sample] = [text for _, text in ANY if "went on after a failure" in text]
    make_night(str(tmp_path / "night"), time.time())
    told = run("review", tmp_path / "night").lines
    first, header, *rows = sample.splitlines()
    assert first in told
    for row in (header, *rows):
        start = row.partition("…")[0]
        assert any(line.startswith(start) for line in told), row


def test_what_goes_into_a_file_has_its_folder_made_before() -> None:
    made: set[str] = set()
    for line in SHELL:
        if line.startswith("mkdir -p "):
            made.update(line.split("#")[0].split()[2:])
        target = re.search(r" > (~/\S+)", line)
        if target is not None:
            assert target[1].rpartition("/")[0] in made


def test_both_commands_set_up_an_environment_of_their_own() -> None:
    assert START.startswith("python3 -m venv .venv && ")
    assert TESTS.startswith("python3 -m venv .venv && ")
    assert " -e . " in START
    assert " -e '.[test]' " in TESTS


def test_ci_runs_exactly_the_readmes_test_command() -> None:
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert lines[-1] == TESTS
    assert lines.count(TESTS) == 1


def test_every_command_is_shown_and_every_shown_command_is_understood() -> None:
    shown = [line.split("#")[0] for line in SHELL if line.startswith("spillview")]
    used = set()
    for line in shown:
        words = shlex.split(line.partition(">")[0])[1:]
        command, rest = commands.split(words)
        commands.parse(command, rest)
        used.add(command.name)
    assert used == {"", *commands.COMMANDS}


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_every_command_has_a_help_text(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    assert "usage: spillview" in capsys.readouterr().out


def test_every_file_that_is_linked_exists() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len([t for t in targets if t.endswith(".svg")]) >= 2
    for target in targets:
        if "://" not in target:
            assert (ROOT / target).is_file(), target


def test_python_examples_compile() -> None:
    examples = [text for kind, text in BLOCKS if kind == "python"]
    assert examples
    for text in examples:
        compile(text, "README.md", "exec")


USES = README.split("## Three uses\n")[1].split("\n## ")[0].split("\n**")[1:]
"""The three uses, each from its first words to its last line."""


def test_three_uses_take_ten_lines_each() -> None:
    assert len(USES) == 3
    for use, kind in zip(USES, ("sh", "python", "sh"), strict=True):
        lines = [line for line in use.splitlines() if line and line[:3] != "```"]
        assert len(lines) <= 10
        assert f"```{kind}\n" in use


@pytest.mark.usefixtures("machine")
def test_the_library_example_runs_as_it_stands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```$", USES[1], re.DOTALL | re.MULTILINE)
    exec(code, {})
    shown = int(capsys.readouterr().out.split()[0])
    assert 1_000 < shown <= 50_000


@pytest.mark.usefixtures("machine")
def test_what_the_librarys_example_says_of_ls_is_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    [text] = re.findall(r"```python\n(.*?)```", USES[1], re.DOTALL)
    exec(text, {})  # the example itself is the test
    said = re.search(r"`spillview (ls)` shows ([^\n]+)\n", text)
    assert said is not None
    capsys.readouterr()
    assert main([said[1]]) == 0
    shown = capsys.readouterr().out
    assert said[2] in shown
    assert "  make  " in shown


def test_the_rules_example_is_in_order(tmp_path: Path) -> None:
    [text] = [text for text in TOML if "[[rule]]" in text]
    (tmp_path / "hook.toml").write_text(text, encoding="utf-8")
    rule = load_rules(str(tmp_path)).rule_for(["./nightly.sh"])
    assert rule is not None
    assert (rule.label, rule.tail) == ("nightly", 60)


def test_the_settings_examples_load_and_mean_what_is_said(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    path = Path(config_path(places))
    path.parent.mkdir(parents=True)
    texts = [text for text in TOML if "[[rule]]" not in text]
    path.write_text("\n".join(texts), encoding="utf-8")  # all in one file
    settings = load_settings(places)
    profiles, _ = load_profiles(places)
    policies = standing_policies(settings, places, profiles).policies
    assert [policy.name for policy in policies] == [
        "for all", "claude-code in ~/work/*", "/srv/payments",
    ]  # fmt: skip
    assert policies[1].glob is not None
    assert policies[1].glob.fits(f"{tmp_path}/work/app/web")
    assert policies[2].keep
    assert settings.trash_keep == 14 * 86_400
    assert settings.watch


def test_every_key_of_the_settings_is_documented() -> None:
    table = README.split("| in `config.toml` | |")[1].split("\n\n")[0]
    named = set(re.findall(r"`\[*(\w+)\]*`", table))
    assert set(SETTINGS) <= named
    assert set(POLICY) <= named


def bound(bindings: object) -> set[str]:
    """The keys of bindings, by the names Textual gives them."""
    assert isinstance(bindings, list)
    keys: set[str] = set()
    for binding in bindings:
        assert isinstance(binding, Binding)
        keys |= {key_name(key.strip()) for key in binding.key.split(",")}
    return keys


NAMED = {"Enter": "enter", "Space": "space", "Tab": "tab", "Esc": "escape"}


def key_name(shown: str) -> str:
    """A key as Textual names it."""
    shown = shown.replace("\\|", "|")
    if shown in NAMED:
        return NAMED[shown]
    return _character_to_key(shown) if len(shown) == 1 else shown


def documented(heading: str) -> set[str]:
    """The keys in the table under a heading, by Textual's names."""
    rows = README.split(f"| {heading} | |\n|---|---|\n")[1].split("\n\n")[0]
    cells = [re.split(r"(?<!\\)\|", row)[1] for row in rows.splitlines()]
    return {key_name(key) for cell in cells for key in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize(
    ("heading", "bindings"),
    [
        ("in the queue", [*HOME_BINDINGS, *QUEUE_BINDINGS]),
        ("on an artifact", [*ARTIFACT_BINDINGS, *PAGER_BINDINGS]),
        ("in the clean-up", CLEANUP_BINDINGS),
        ("in the report", REPORT_BINDINGS),
        ("in the search", [*SearchScreen.BINDINGS, *HitList.BINDINGS]),
    ],
)
def test_every_documented_key_is_bound(heading: str, bindings: list[Binding]) -> None:
    assert documented(heading) <= bound(bindings)


def test_every_key_of_the_report_is_documented() -> None:
    everywhere = {"q", "escape", "R"}  # back, as `R` came here
    assert bound(REPORT_BINDINGS) - everywhere == documented("in the report")


def test_the_keys_that_work_everywhere_are_bound() -> None:
    keys = bound(SpillviewApp.BINDINGS)
    assert "question_mark" in keys
    assert SpillviewApp.COMMAND_PALETTE_BINDING == "ctrl+p"
    assert "q" in bound(HOME_BINDINGS) & bound(ARTIFACT_BINDINGS)


def test_every_harness_is_named_in_the_readme_and_no_other() -> None:
    shipped = {path.stem for path in (ROOT / "spillview/harnesses").glob("*.toml")}
    table = README.split("| harness | stores | support |")[1].split("\n\n")[0]
    first = "".join(re.findall(r"^\|([^|]+)\|", table, re.MULTILINE))
    assert sorted(re.findall(r"`([\w-]+)`", first)) == sorted(shipped)
