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
from spillview.cli import commands, main, parsing
from spillview.config import KEYS as SETTINGS
from spillview.config import config_path, load_settings
from spillview.demo import make_night
from spillview.hook.rules import load_rules
from spillview.places import Places
from spillview.profiles.profile import load_profiles
from spillview.tui.app import SpillviewApp
from spillview.tui.keymap import _all
from tests import reference
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
            for folder in line.split("#")[0].split()[2:]:
                made |= {folder, *map(str, Path(folder).parents)}
        target = re.search(r" > (~/\S+)", line)
        if target is not None:
            assert target[1].rpartition("/")[0] in made


def test_both_commands_set_up_an_environment_of_their_own() -> None:
    assert START.startswith("python3 -m venv .venv && ")
    assert TESTS.startswith("python3 -m venv .venv && ")
    assert " -e . " in START
    assert " -e '.[test]' " in TESTS


CI = ROOT / ".ci/run"


@pytest.mark.skipif(not CI.is_file(), reason="a source distribution has none")
def test_ci_runs_exactly_the_readmes_test_command() -> None:
    lines = CI.read_text(encoding="utf-8").splitlines()
    assert lines[-1] == TESTS
    assert lines.count(TESTS) == 1


def test_every_command_is_shown_and_every_shown_command_is_understood() -> None:
    shown = [line.split("#")[0] for line in SHELL if line.startswith("spillview")]
    used = set()
    for line in shown:
        words = shlex.split(line.partition(">")[0])[1:]
        command, rest = commands.split(words)
        parsing.parse(command, rest)
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


USES = [
    use[: use.rindex("```") + 3]
    for use in README.split("## Wrap a command\n")[1]
    .split("\n## ")[0]
    .split("\n**")[1:]
]
"""The three uses of wrapping, each from its first words to the end of its example."""


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
    texts = [text for text in TOML if not {"[[rule]]", "[[root]]"} & {*text.split()}]
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


NAMED = {
    "Enter": "enter", "Space": "space", "Tab": "tab", "Esc": "escape",
    "Home": "home", "End": "end", "PgDn": "pagedown", "PgUp": "pageup", "F11": "f11",
    "↓": "down", "↑": "up", "←": "left", "→": "right",
    "Shift+↓": "shift+down", "Shift+↑": "shift+up",
}  # fmt: skip


def key_name(shown: str) -> str:
    """A key as Textual names it."""
    shown = shown.replace("\\|", "|")
    if shown in NAMED:
        return NAMED[shown]
    return _character_to_key(shown) if len(shown) == 1 else shown


def bound(kind: type) -> set[str]:
    """The keys that a class of widgets binds, by the names Textual gives them."""
    keys: set[str] = set()
    for binding in kind.__dict__["BINDINGS"]:
        assert isinstance(binding, Binding)
        keys |= {key_name(key.strip()) for key in binding.key.split(",")}
    return keys


def documented(heading: str) -> set[str]:
    """The keys in the table under a heading, by Textual's names."""
    rows = README.split(f"| {heading} | |\n|---|---|\n")[1].split("\n\n")[0]
    cells = [re.split(r"(?<!\\)\|", row)[1] for row in rows.splitlines()]
    return {key_name(key) for cell in cells for key in re.findall(r"`([^`]+)`", cell)}


EVERYWHERE = "everywhere"
PLACES = {
    EVERYWHERE: ("SpillviewApp", "CursorList"),
    "in the queue": ("HomeScreen", "Queue", "FilterInput"),
    "on an artifact": ("ArtifactScreen", "Pager", "ReadsScreen"),
    "in the report": ("ReportScreen",),
    "in the search": ("SearchScreen", "HitList", "PatternInput"),
    "in the shape of a document": ("PathList",),
    "in a comparison": ("CompareScreen", "CompareWithScreen"),
    "in the clean-up": ("CleanupScreen", "RulePrompt"),
    "in the trash": ("TrashScreen",),
    "in forecasts and statistics": (
        "ForecastScreen", "ChartScreen", "StatisticsScreen",
    ),
    "in a question": ("ConfirmScreen",),
}  # fmt: skip
"""Whose keys each table has."""

PLAIN = (
    "Prompt", "PromptLine", "NoteLine", "NoteScreen", "ProblemList", "ProblemsScreen",
    "CopyScreen",
)  # fmt: skip
"""Where nothing but typing, Enter and what works everywhere works."""

PLAINLY = {"enter", "tab", "shift+tab"}


def screens() -> dict[str, type]:
    """Every class with keys of its own, by its name."""
    found = {kind.__name__: kind for kind, _, _ in _all()}
    return {**found, "SpillviewApp": SpillviewApp}


def test_every_class_with_keys_has_a_table() -> None:
    assert {*(name for names in PLACES.values() for name in names), *PLAIN} == set(
        screens()
    )


@pytest.mark.parametrize("heading", PLACES)
def test_every_documented_key_is_bound_and_every_bound_key_documented(
    heading: str,
) -> None:
    there = set().union(*(bound(screens()[name]) for name in PLACES[heading]))
    if heading == EVERYWHERE:
        there |= {"q", SpillviewApp.COMMAND_PALETTE_BINDING}
        assert documented(heading) == there
        return
    works = documented(EVERYWHERE)
    assert documented(heading) <= there
    assert there - works <= documented(heading) | (PLAINLY - {"enter"})


def test_where_one_only_types_no_key_needs_a_table() -> None:
    there = set().union(*(bound(screens()[name]) for name in PLAIN))
    assert there <= documented(EVERYWHERE) | PLAINLY | {"exclamation_mark"}


def test_q_and_escape_lead_back_from_every_screen() -> None:
    for name, kind in screens().items():
        if name.endswith("Screen") and name not in PLAIN:
            assert {"q", "escape"} <= bound(kind), name


def test_every_option_is_in_the_table_as_the_parsers_have_it() -> None:
    assert reference.written(README) == README, "python -m tests.reference writes it"


def test_every_harness_is_named_in_the_readme_and_no_other() -> None:
    shipped = {path.stem for path in (ROOT / "spillview/harnesses").glob("*.toml")}
    table = README.split("| harness | stores | support |")[1].split("\n\n")[0]
    first = "".join(re.findall(r"^\|([^|]+)\|", table, re.MULTILINE))
    assert sorted(re.findall(r"`([\w-]+)`", first)) == sorted(shipped)


ASKED = {
    "ls": ("ls",),
    "ls --missing": ("ls", "--missing"),
    "sessions": ("sessions",),
    "show": ("show", "ONE", "--limit", "2"),
    "envelope": ("envelope", "ONE"),
    "grep": ("grep", "half_cent"),
    "index": ("index",),
    "shape": ("shape", "JSON"),
    "prune": ("prune", "--older-than", "1d"),
    "trash": ("trash",),
    "undo": ("undo",),
    "measure": ("measure", str(ROOT / "README.md")),
    "forecast": ("forecast",),
    "review": ("review",),
    "review --stats": ("review", "--stats"),
    "watch": ("watch", "--interval", "0"),
    "doctor": ("doctor",),
}
"""How each of these is asked for its rows."""


def test_the_rows_of_json_have_the_fields_that_are_documented(tmp_path: Path) -> None:
    night = tmp_path / "night"
    make_night(str(night), time.time())
    artifacts = run("ls", "--json", night).rows
    named = {
        "ONE": next(row["id"] for row in artifacts if row["verdict_seen"] is False),
        "JSON": next(row["id"] for row in artifacts if row["kind"] == "json"),
    }
    assert run("prune", "--older-than", "1d", "--apply", night).code == 0
    table = README.split("| `--json` of | ")[1].split("\n\n")[0]
    told = re.findall(r"^\| (`[^|]+`) \| (.+) \|$", table, re.MULTILINE)
    asked = set()
    for commands_named, fields in told:
        rows: set[str] = set()
        for name in re.findall(r"`([^`]+)`", commands_named):
            words = [named.get(word, word) for word in ASKED[name]]
            ground = [] if words[0] in ("trash", "undo", "measure") else [str(night)]
            ground = [] if named["ONE"] in words or named["JSON"] in words else ground
            for row in run(*words, "--json", *ground).rows:
                rows |= {*row, *(row["data"] if name == "grep" else ())}
            asked.add(name)
        assert set(re.findall(r"`([^`]+)`", fields)) <= rows, commands_named
    assert asked == set(ASKED)
