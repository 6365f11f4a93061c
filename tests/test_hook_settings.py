"""Installing the hook and taking it out again, in settings of every shape."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spillview.errors import BadInput
from spillview.hook import claude_code, replacing
from spillview.places import Places
from tests.command import Ran, run

ROOT = Path(__file__).parents[1]
COMMAND = "/opt/it/spillview hook run claude-code"


@pytest.fixture
def path(machine: Path) -> Path:
    """The user's settings, which are not there yet."""
    (machine / ".claude").mkdir()
    return machine / ".claude" / "settings.json"


def places(home: Path) -> Places:
    return Places.of_home(str(home))


def installed(path: Path, home: Path, command: str = COMMAND) -> bytes:
    change = claude_code.plan_install(str(path), command)
    claude_code.apply(change, places(home))
    return path.read_bytes()


def uninstalled(path: Path, home: Path) -> bytes | None:
    change = claude_code.plan_uninstall(str(path), places(home))
    if not change.nothing:
        claude_code.apply(change, places(home))
    return path.read_bytes() if path.exists() else None


def hooks_of(data: bytes) -> list[dict[str, Any]]:
    """Every PreToolUse hook with its matcher, by the standard library's reader."""
    groups = json.loads(data.decode("utf-8-sig"))["hooks"]["PreToolUse"]
    return [
        {"matcher": group.get("matcher"), **hook}
        for group in groups
        for hook in group["hooks"]
    ]


OURS = {"matcher": "Bash", "type": "command", "command": COMMAND, "timeout": 5}

TEXTS = {
    "empty object": "{}",
    "empty object with blanks": "{ \n }\n",
    "nothing": "",
    "blank": " \n",
    "one line": '{"model": "opus", "a": [1, 2]}',
    "tight": '{"model":"opus","a":[1,2]}\n',
    "two spaces": '{\n  "model": "opus"\n}\n',
    "four spaces, no end": '{\n    "model": "opus",\n    "env": {}\n}',
    "tabs": '{\n\t"model": "opus"\n}\n',
    "carriage returns": '{\r\n  "model": "opus"\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "model": "opus"\n}\n',
    "escapes": '{\n  "a\\u0062": "\\ud83d\\ude00 \\/ \\"{}[]",\n  "n": 1.0e+5\n}\n',
    "unknown keys": '{"zzz": null, "aaa": {"b": [[], {}, [{}]]}, "model": "x"}',
    "hooks empty": '{\n  "hooks": {}\n}\n',
    "hooks empty with blanks": '{\n  "hooks": {\n  }\n}\n',
    "no hooks before": '{\n  "hooks": {"PreToolUse": []}\n}\n',
    "other events": '{"hooks": {"Stop": [{"hooks": []}]}, "model": "x"}',
    "other hooks": """{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Edit",
        "hooks": [ { "type": "command", "command": "x" } ] }
    ],
    "Stop": []
  },
  "model": "opus"
}
""",
    "same matcher": '{"hooks": {"PreToolUse": ['
    '{"matcher": "Bash", "hooks": [{"a": 1}]}]}}',
    "odd layout": '{ "a":1\n  ,"hooks" :{ "PreToolUse":[ ] , "x":[]}\n\n}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_install_adds_one_hook_and_uninstall_restores_every_byte(
    text: str, path: Path, machine: Path
) -> None:
    path.write_bytes(text.encode())
    after = installed(path, machine)
    assert [hook for hook in hooks_of(after) if "command" in hook][-1] == OURS
    if text.strip():
        old = json.loads(text.encode().decode("utf-8-sig"))
        new = json.loads(after.decode("utf-8-sig"))
        assert list(new)[: len(old)] == list(old)
        assert {k: v for k, v in new.items() if k != "hooks"} == {
            k: v for k, v in old.items() if k != "hooks"
        }
    assert uninstalled(path, machine) == text.encode()


def test_settings_that_were_not_there_are_made_and_removed(
    path: Path, machine: Path
) -> None:
    assert hooks_of(installed(path, machine)) == [OURS]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert uninstalled(path, machine) is None


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_without_its_own_records_uninstall_leaves_the_settings_as_they_were(
    text: str, path: Path, machine: Path
) -> None:
    path.write_bytes(text.encode())
    installed(path, machine)
    for each in (machine / ".local/state/spillview/hook").iterdir():
        each.unlink()
    left = uninstalled(path, machine)
    assert left is not None
    said = json.loads(left.decode("utf-8-sig"))
    expected = json.loads(text.encode().decode("utf-8-sig")) if text.strip() else {}
    assert without_empty(said) == without_empty(expected)


def without_empty(value: dict[str, Any]) -> dict[str, Any]:
    hooks = {k: v for k, v in value.get("hooks", {}).items() if v}
    rest = {k: v for k, v in value.items() if k != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
HOOK = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text(max_size=6)}
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HOOK, max_size=2)}, optional={"matcher": st.text(max_size=4)}
)
HOOKS = st.fixed_dictionaries(
    {}, optional={"PreToolUse": st.lists(GROUP, max_size=3), "Stop": st.lists(GROUP)}
)
SETTINGS = st.builds(
    lambda rest, hooks: {**rest, **({} if hooks is None else {"hooks": hooks})},
    st.dictionaries(
        st.text(max_size=5).filter(lambda k: k != "hooks"), JSON, max_size=4
    ),
    st.none() | HOOKS,
)
LAYOUT = st.sampled_from([None, 1, 2, 4, "\t"])


@given(
    SETTINGS, LAYOUT, st.booleans(), st.booleans(), st.dictionaries(st.just("z"), JSON)
)
@settings(
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_settings_come_back_whatever_else_changes_meanwhile(
    path: Path,
    machine: Path,
    value: dict[str, Any],
    layout: Any,
    ascii_only: bool,
    crlf: bool,
    edit: dict[str, Any],
) -> None:
    text = json.dumps(value, indent=layout, ensure_ascii=ascii_only)
    data = text.replace("\n", "\r\n" if crlf else "\n").encode("utf-8", "surrogatepass")
    path.write_bytes(data)
    after = installed(path, machine)
    assert [h for h in hooks_of(after) if h.get("command") == COMMAND] == [OURS]
    assert installed(path, machine) == after  # a second time changes nothing
    if edit and "z" not in value:  # somebody adds a key at the top
        added = json.dumps(edit)[1:-1].encode()
        path.write_bytes(after.replace(b"{", b"{" + added + b",", 1))
        expected = data.replace(b"{", b"{" + added + (b"," if value else b""), 1)
        left = uninstalled(path, machine)
        assert left is not None
        if value:
            assert left == expected
        else:
            assert json.loads(left) == edit
    else:
        assert uninstalled(path, machine) == data


def test_a_hook_of_another_path_is_renewed_in_place(path: Path, machine: Path) -> None:
    path.write_text(TEXTS["other hooks"])
    old = installed(path, machine, "/old/spillview hook run claude-code")
    new = installed(path, machine)
    assert new == old.replace(b"/old/", b"/opt/it/")
    assert uninstalled(path, machine) == TEXTS["other hooks"].encode()


def test_a_hook_that_was_moved_among_others_is_found(path: Path, machine: Path) -> None:
    path.write_text("{}")
    installed(path, machine)
    value = json.loads(path.read_text())
    [group] = value["hooks"]["PreToolUse"]
    group["hooks"].insert(0, {"type": "command", "command": "guard"})
    group["hooks"].append({"type": "command", "command": "log"})
    path.write_text(json.dumps(value))
    left = uninstalled(path, machine)
    assert [h["command"] for h in hooks_of(left or b"")] == ["guard", "log"]


def test_the_mode_stays_and_the_backup_holds_what_was_there(
    path: Path, machine: Path
) -> None:
    path.write_text('{"a": 1}')
    path.chmod(0o640)
    change = claude_code.plan_install(str(path), COMMAND)
    backup = claude_code.apply(change, places(machine))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert backup is not None
    assert Path(backup).read_text() == '{"a": 1}'
    assert stat.S_IMODE(os.stat(backup).st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


REFUSED = {
    "a comment": ('{\n  // mine\n  "a": 1\n}', "is not JSON in line 2"),
    "a comma too many": ('{"a": 1,}', "is not JSON in line 1"),
    "cut short": ('{"a": ', "is not JSON"),
    "a list": ("[]", "is no JSON object"),
    "a key twice": ('{"a": 1, "a": 2}', "holds 'a' twice"),
    "hooks of another kind": ('{"hooks": []}', "no object under hooks.PreToolUse"),
    "a list of another kind": ('{"hooks": {"PreToolUse": {}}}', "no array under"),
    "no text": (b"\xff\xfe{}", "byte 0 is not UTF-8"),
    "too deep": ("[" * 100_000, "is nested too deeply"),
}


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_settings_that_cannot_be_kept_exactly_are_refused(
    text: str | bytes, why: str, path: Path
) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    for action in ("install", "uninstall"):
        done = run("hook", action, "claude-code", "--yes")
        assert str(path) in done.err
        if action == "install":
            assert done.code == 2
            assert why in done.err
        assert path.read_bytes() == data
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


def refused(path: Path, why: str) -> None:
    before = path.read_bytes() if path.is_file() else None
    done = run("hook", "install", "claude-code", "--yes")
    assert done.code == 2, done
    assert why in done.err
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_link_is_left_to_whatever_keeps_it(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    path.symlink_to(target)
    refused(path, f"is a link to {target}")
    assert path.is_symlink()


def test_a_broken_link_is_left_too(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "none")
    refused(path, "is a link")


def test_a_file_of_two_names_is_refused(path: Path, tmp_path: Path) -> None:
    path.write_text("{}")
    os.link(path, tmp_path / "twin")
    refused(path, "has 2 names")


def test_a_read_only_file_is_refused(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0o444)
    refused(path, "is read-only")


def test_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.mkdir()
    refused(path, "is no file")


def test_a_full_disk_leaves_the_old_settings(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("{}")
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        name = os.readlink(f"/proc/self/fd/{descriptor}")
        if ".settings.json.spillview-" in name:
            raise OSError(28, "No space left on device")
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    refused(path, "is full: make room there")
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize("before", ['{"a": 1}', None])
@pytest.mark.parametrize("how", ["in place", "by another file", "removed"])
def test_an_edit_between_reading_and_replacing_is_never_lost(
    before: str | None, how: str, path: Path, machine: Path
) -> None:
    if before is not None:
        path.write_text(before)
    elif how == "removed":
        return
    change = claude_code.plan_install(str(path), COMMAND)
    if how == "removed":
        path.unlink()
    elif how == "in place":
        path.write_text('{"theirs": 1}')
    else:
        other = path.with_name("other")
        other.write_text('{"theirs": 1}')
        other.rename(path)
    with pytest.raises(BadInput, match="changed by somebody else"):
        claude_code.apply(change, places(machine))
    names = [each.name for each in path.parent.iterdir()]
    assert names == ([] if how == "removed" else ["settings.json"])
    if how != "removed":
        assert path.read_text() == '{"theirs": 1}'


def test_an_edit_in_the_last_moment_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("{}")
    real = os.fsync

    def edited(descriptor: int) -> None:
        real(descriptor)
        path.write_text('{"theirs": 1}')

    monkeypatch.setattr(os, "fsync", edited)
    with pytest.raises(BadInput, match="changed by somebody else"):
        replacing.replace(str(path), b"{}", b'{"ours": 1}')
    assert path.read_text() == '{"theirs": 1}'


KILLED = """
import os, signal, sys
from spillview.hook import replacing
step, path = int(sys.argv[1]), sys.argv[2]
count = 0
def counted(name):
    real = getattr(os, name)
    def call(*words, **more):
        global count
        count += 1
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **more)
    setattr(os, name, call)
for name in ("open", "write", "fsync", "fchmod", "close", "lstat", "replace", "link"):
    counted(name)
replacing.replace(path, b"old" * 50_000, b"new" * 60_000)
print(count)
"""


def test_a_kill_at_any_step_leaves_the_old_or_the_new_settings_whole(
    path: Path,
) -> None:
    old, new = b"old" * 50_000, b"new" * 60_000
    seen = set()
    for step in range(1, 40):
        path.write_bytes(old)
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(step), str(path)],
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=False,
        )
        seen.add(path.read_bytes())
        assert seen <= {old, new}
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    else:
        pytest.fail("it never came to its end")
    assert seen == {old, new}


# The command


def test_install_shows_the_change_and_tells_of_the_backup(path: Path) -> None:
    path.write_text('{\n  "model": "opus"\n}\n')
    done = run("hook", "install", "claude-code", "--yes")
    assert done.code == 0
    assert '-  "model": "opus"' in done.out
    assert '+        "matcher": "Bash",' in done.out
    assert "the hook is installed" in done.err
    assert "What it held before is in" in done.err
    again = run("hook", "install", "claude-code", "--yes")
    assert (again.code, again.out) == (0, "")
    assert "is installed already" in again.err
    gone = run("hook", "uninstall", "claude-code", "--yes")
    assert gone.code == 0
    assert path.read_text() == '{\n  "model": "opus"\n}\n'
    none = run("hook", "uninstall", "claude-code", "--yes")
    assert none.code == 0
    assert "is not installed" in none.err


def test_nothing_is_changed_without_a_yes(path: Path) -> None:
    path.write_text("{}")
    done = run("hook", "install", "claude-code")
    assert done.code == 2
    assert "--yes" in done.err
    assert path.read_text() == "{}"


def test_print_gives_the_whole_settings_and_changes_nothing(path: Path) -> None:
    path.write_text('{"model": "opus"}')
    done = run("hook", "install", "claude-code", "--print")
    assert done.code == 0
    assert json.loads(done.out)["model"] == "opus"
    assert len(hooks_of(done.data)) == 1
    assert path.read_text() == '{"model": "opus"}'


def test_claudes_folder_and_the_projects_are_chosen(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.chdir(tmp_path)
    assert run("hook", "install", "claude-code", "--yes").code == 0
    assert hooks_of((tmp_path / "elsewhere/settings.json").read_bytes())
    assert run("hook", "install", "claude-code", "--project", "--yes").code == 0
    [hook] = hooks_of((tmp_path / ".claude/settings.json").read_bytes())
    assert hook["command"] == "spillview hook run claude-code"
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"hooks": {"PreToolUse": [{"hooks": [{"command": "rtk hook"}]}]}}, "rtk hook"),
        ({"permissions": {"allow": ["Bash(spillview:*)"]}}, "allows spillview"),
        ({"sandbox": {"enabled": True}}, "sandbox"),
    ],
)
def test_what_keeps_the_hook_from_working_is_said(
    content: dict[str, Any], said: str, path: Path
) -> None:
    path.write_text(json.dumps(content))
    assert said in run("hook", "install", "claude-code", "--yes").err


def wrong(*words: str) -> Ran:
    done = run("hook", *words)
    assert done.code == 2
    return done


def test_words_that_are_none_are_answered_with_those_that_are() -> None:
    assert "hook install claude-code" in wrong().err
    assert "did you mean install" in wrong("instal", "claude-code").err
    assert "did you mean claude-code" in wrong("install", "claude").err
    assert "name the harness: claude-code" in wrong("install").err
    assert "one harness at a time" in wrong("install", "claude-code", "dsh").err


def test_explain_tells_what_becomes_of_a_command(path: Path) -> None:
    done = run("hook", "explain", "claude-code", "--json", "--", "grep", "-rn", "a b")
    assert done.row["command"] == "grep -rn 'a b'"
    assert done.row["default"] == (
        "stays: it runs without anybody being asked, which it would not wrapped"
    )
    assert "spillview wrap --label search" in done.row["bypassPermissions"]
    path.write_text("{")
    done = run("hook", "explain", "claude-code", "npm test")
    assert done.lines == [
        f"in every mode: stays: the hook cannot know the rules in {path}: it is no JSON"
    ]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("pytest -q", "it limits its own output (pytest -q)"),
        ("pytest -vq", "it limits its own output (pytest -vq)"),
        ("docker logs -f web", "it follows what comes, without an end (docker -f)"),
        ("npx jest --watch", "it follows what comes, without an end (npx --watch)"),
        ("make --help", "it tells of itself (make --help)"),
        ("make menuconfig", "it is for something else than its output (menuconfig)"),
        ("grep x a.py", "it prints little without -r or -R or --recursive"),
        ("cat a.py", "it reads no file that is named like a log"),
        ("git log -5", "it limits its own output (git -5)"),
        ("pwd", "it is named by no rule (pwd)"),
        ("npm test | head", "it limits its output (head)"),
        ("cd x && npm test", "it has cd"),
    ],
)
def test_explain_names_the_reason_of_this_very_command(
    command: str, why: str, path: Path
) -> None:
    done = run("hook", "explain", "claude-code", command)
    [line] = done.lines
    assert line.startswith(f"in every mode: stays: {why}")


def test_explain_shows_a_rule_as_the_user_wrote_it(path: Path) -> None:
    for rule in ("Bash(npm test:*)", "Bash(npm *)", "Bash", "Bash( npm test )", "*"):
        path.write_text(json.dumps({"permissions": {"ask": [rule]}}))
        [line] = run("hook", "explain", "claude-code", "npm test").lines
        assert line == f"in every mode: stays: it falls under the rule {rule}"
    path.write_text(json.dumps({"permissions": {"allow": ["Bash(spillview:*)"]}}))
    [line] = run("hook", "explain", "claude-code", "npm test").lines
    assert line.endswith("would pass by the rule Bash(spillview:*)")
    assert "rule Bash(spillview:*) allows" in (
        run("hook", "install", "claude-code", "--yes").err
    )


def test_what_is_done_without_asking_and_quietly_says_nothing(path: Path) -> None:
    done = run("hook", "install", "claude-code", "--yes", "-q")
    assert (done.code, done.data, done.err) == (0, b"", "")
    assert hooks_of(path.read_bytes())
    done = run("hook", "uninstall", "claude-code", "--yes", "-q")
    assert (done.code, done.data, done.err) == (0, b"", "")
    # Whoever is asked sees what he is asked about, however quiet.
    assert "PreToolUse" in run("hook", "install", "claude-code", "-q").out


def test_the_usage_of_hook_names_every_action_of_a_person() -> None:
    assert "install|uninstall|explain HARNESS" in run("hook", "--help").out


# Rules of the user


RULES = {
    "no TOML": ("[[rule", "is not TOML"),
    "an unknown key": ("quite = []", "did you mean 'quiet'?"),
    "an unknown key of a rule": ('[[rule]]\nlable = "x"', "did you mean 'label'?"),
    "no tail": ('[[rule]]\nlabel = "x"\ncommands = ["x"]', "rule 1: has no tail"),
    "a tail of text": ('[[rule]]\ntail = "x"', "tail must be a number"),
    "a tail that is true": ("[[rule]]\ntail = true", "tail must be a number"),
    "a tail of nothing": (
        '[[rule]]\nlabel = "x"\ncommands = ["x"]\ntail = 0',
        "1 to 1000",
    ),
    "no commands": ('[[rule]]\nlabel = "x"\ntail = 5\ncommands = []', "at least one"),
    "commands of numbers": ("[[rule]]\ncommands = [1]", "a list of texts"),
    "a label with a line break": (
        '[[rule]]\nlabel = "a\\nb"\ntail = 5\ncommands = ["x"]',
        "printable",
    ),
    "an unknown label": ('without = ["serch"]', "did you mean 'search'?"),
    "no list": ('beside = "x"', "beside: must be a list of texts"),
    "one table": ("[rule]\ntail = 5", "must be written [[rule]]"),
}


# What `doctor` says of it


def doctored() -> tuple[str, str | None]:
    """The text and the problem of doctor's line on the hook."""
    rows = run("doctor", "--json").rows
    [row] = [row for row in rows if row.get("check") == "hook"]
    return row["text"], row["problem"]


def test_doctor_tells_whether_the_hook_is_installed(
    path: Path, machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert doctored()[0].startswith("claude-code: not installed")
    assert doctored()[1] is None
    program = tmp_path / "spillview"
    program.touch(mode=0o700)
    installed(path, machine, f"{program} hook run claude-code")
    assert doctored() == (f"claude-code: installed in {path}", None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run("hook", "install", "claude-code", "--project", "--yes").code == 0
    there = tmp_path / ".claude" / "settings.json"
    assert doctored() == (f"claude-code: installed in {path}, {there}", None)
    assert "hook: claude-code: installed" in run("doctor").out


@pytest.mark.parametrize(("text", "why"), RULES.values(), ids=RULES)
def test_doctor_tells_of_rules_that_switch_the_hook_off(
    text: str, why: str, machine: Path
) -> None:
    config = machine / ".config/spillview"
    config.mkdir(parents=True)
    (config / "hook.toml").write_text(text)
    said, problem = doctored()
    assert str(config / "hook.toml") in said
    assert problem is not None
    assert why in problem
    assert "every command stays as it is" in problem


def test_doctor_tells_of_a_program_that_is_gone(path: Path, machine: Path) -> None:
    installed(path, machine)
    problem = doctored()[1]
    assert problem is not None
    assert "start /opt/it/spillview, which is not there" in problem
    path.unlink()
    installed(path, machine, "spillview hook run claude-code")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        assert "start spillview, which" in str(doctored()[1])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"hooks": {"PreToolUse": [{"hooks": [{"command": "rtk hook"}]}]}}, "rtk hook"),
        ({"permissions": {"allow": ["Bash(spillview:*)"]}}, "allows spillview"),
        ({"sandbox": {"enabled": True}}, "sandbox"),
    ],
)
def test_doctor_tells_what_keeps_the_hook_from_working(
    content: dict[str, Any], said: str, path: Path, machine: Path
) -> None:
    path.write_text(json.dumps(content))
    assert doctored()[1] is None  # nobody asked for a hook
    installed(path, machine, f"{sys.executable} -m spillview hook run claude-code")
    problem = doctored()[1]
    assert problem is not None
    assert said in problem
    path.write_text("{")
    assert "is not JSON" in str(doctored()[1])


@pytest.mark.parametrize(("text", "why"), RULES.values(), ids=RULES)
def test_rules_that_are_not_in_order_are_said_and_rewrite_nothing(
    text: str, why: str, machine: Path
) -> None:
    config = machine / ".config/spillview"
    config.mkdir(parents=True)
    (config / "hook.toml").write_text(text)
    done = run("hook", "explain", "claude-code", "npm test")
    assert done.code == 2
    assert str(config / "hook.toml") in done.err
    assert why in done.err
    answer = hooked("npm test", machine)
    assert (answer.returncode, answer.stdout) == (0, b"")
    assert why.encode() in answer.stderr


def hooked(command: str, home: Path) -> subprocess.CompletedProcess[bytes]:
    """What the harness gets for a command."""
    event = {
        "tool_name": "Bash",
        "permission_mode": "bypassPermissions",
        "tool_input": {"command": command},
    }
    return subprocess.run(
        [sys.executable, "-m", "spillview", "hook", "run", "claude-code"],
        input=json.dumps(event).encode(),
        env={"HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )


def test_rules_of_the_user_come_first_and_a_change_counts_at_once(
    machine: Path,
) -> None:
    config = machine / ".config/spillview"
    config.mkdir(parents=True)
    own = config / "hook.toml"
    assert b"--label search --tail 20" in hooked("grep -rn x .", machine).stdout
    own.write_text(
        '[[rule]]\nlabel = "mine"\ntail = 99\ncommands = ["grep"]\nquiet = []\n'
    )
    assert b"--label mine --tail 99" in hooked("grep -q x .", machine).stdout
    own.write_text('without = ["search"]\ninteractive = ["npm"]\n')
    assert hooked("grep -rn x .", machine).stdout == b""
    assert hooked("npm test", machine).stdout == b""
    assert hooked("cargo test", machine).stdout != b""
    own.unlink()
    assert b"--label search --tail 20" in hooked("grep -rn x .", machine).stdout


def test_a_cache_of_rules_that_others_could_write_is_not_believed(
    machine: Path,
) -> None:
    hooked("npm test", machine)
    cache = machine / ".cache/spillview/hook-rules.json"
    held = json.loads(cache.read_text())
    held["value"]["rule"] = []
    cache.write_text(json.dumps(held))
    assert hooked("npm test", machine).stdout == b""
    cache.chmod(0o666)
    assert hooked("npm test", machine).stdout != b""
    cache.write_text("{")
    assert hooked("npm test", machine).stdout != b""
