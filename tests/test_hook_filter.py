"""Which commands of an agent the hook rewrites, and which it leaves alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from spillview.errors import BadInput
from spillview.hook.filter import answer, decide
from spillview.hook.permissions import Permissions, load_permissions
from spillview.hook.rules import Rules, load_rules
from tests.command import process

WRAPPED = {
    # tests
    "pytest": "tests",
    "pytest -x tests/": "tests",
    "python -m pytest tests/test_a.py -k 'a and not b'": "tests",
    "python3.11 -m pytest": "tests",
    ".venv/bin/python -m pytest -v": "tests",
    "uv run pytest -n auto": "tests",
    "npm test": "tests",
    "npm test 2>&1": "tests",
    "npm --prefix web test": "tests",
    "npm run test:unit -- --coverage": "tests",
    "yarn test": "tests",
    "pnpm run test": "tests",
    "npx jest src/a.test.ts": "tests",
    "npx vitest run": "tests",
    "cargo test --workspace": "tests",
    "cargo test 2>&1": "tests",
    "go test ./...": "tests",
    "go test -v -run TestA ./pkg/a": "tests",
    "dotnet test": "tests",
    "bundle exec rspec spec/models": "tests",
    "ctest --output-on-failure": "tests",
    "make test": "tests",
    "make -C build check": "tests",
    "./gradlew test": "tests",
    "mvn verify": "tests",
    "timeout 300 npm test": "tests",
    "timeout -k 5 300 cargo test": "tests",
    "env CI=1 npm test": "tests",
    "NODE_ENV=test npm test": "tests",
    "tox -e py311": "tests",
    "python manage.py test": "tests",
    "/usr/bin/pytest": "tests",
    "pytest tests/*.py": "tests",
    'pytest "$TESTS"': "tests",
    "pytest ${TESTS}": "tests",
    "npm run build && npm test": "build",
    "npm ci; npm test": "install",
    "# the whole suite\npytest": "tests",
    "pytest # all of it": "tests",
    "pytest \\\n  -x \\\n  tests/": "tests",
    # builds
    "make": "build",
    "make -j8": "build",
    "make all 2>/dev/null": "build",
    "cmake --build build -j 4": "build",
    "ninja -C out": "build",
    "cargo build --release": "build",
    "cargo check": "build",
    "go build ./...": "build",
    "npm run build": "build",
    "npx tsc --noEmit": "build",
    "./gradlew assemble": "build",
    "mvn package": "build",
    "docker build -t app .": "build",
    "docker compose build": "build",
    "terraform plan": "build",
    "dotnet build 2>&1": "build",
    "cargo fmt && cargo build": "build",
    # installs
    "npm ci": "install",
    "npm install left-pad": "install",
    "pip install -r requirements.txt": "install",
    "python -m pip install .": "install",
    "uv sync": "install",
    "bundle install": "install",
    "apt-get install -y jq": "install",
    "go mod download": "install",
    # lint
    "eslint .": "lint",
    "npx eslint src --ext .ts": "lint",
    "npm run lint": "lint",
    "ruff check": "lint",
    "mypy src": "lint",
    "golangci-lint run": "lint",
    "cargo clippy --all-targets": "lint",
    "shellcheck a.sh b.sh": "lint",
    # searches
    "grep -rn TODO .": "search",
    "grep -R --include='*.py' import src": "search",
    "grep --recursive x .": "search",
    "grep -rn foo . 2>/dev/null": "search",
    "grep -rn TODO . | sort | uniq -c": "search",
    "grep -rln TODO src | sort": "search",
    "rg TODO": "search",
    "rg -n 'fn main' crates": "search",
    "git grep -n foo": "search",
    "find . -name '*.py'": "search",
    "find / -name x -type f 2>/dev/null": "search",
    "find . -type f | grep test": "search",
    "fd -e py": "search",
    # listings
    "ls -R": "listing",
    "ls -laR src": "listing",
    "ls --recursive": "listing",
    "tree": "listing",
    "du -a .": "listing",
    "git ls-files": "listing",
    "unzip -l a.zip": "listing",
    "tar tzf a.tgz": "listing",
    # history and diffs
    "git log": "history",
    "git log --oneline": "history",
    "git -C sub log --stat": "history",
    "git --no-pager log -p": "history",
    "git log --author=me": "history",
    "git diff": "diff",
    "git diff main...HEAD": "diff",
    "git diff --stat": "diff",
    "git show HEAD~3": "diff",
    "git blame src/a.c": "diff",
    "git log | cat": "history",
    # logs
    "cat build.log": "log",
    "cat /var/log/syslog": "log",
    "cat logs/app.log": "log",
    "zcat app.log.2.gz": "log",
    "cat server.out | grep ERROR": "log",
    "docker logs web": "log",
    "docker compose logs": "log",
    "docker logs web 2>&1": "log",
    "kubectl logs pod-1": "log",
    "kubectl -n prod logs deploy/web": "log",
    "kubectl logs pod-1 -c app": "log",
    "journalctl -u nginx": "log",
    "dmesg": "log",
    "gh run view 123 --log": "log",
    # dumps
    "kubectl describe pods": "dump",
    "strings core": "dump",
    "objdump -d a.out": "dump",
}
"""Commands that are rewritten, and the label of the rule."""

LEFT = {
    # nothing that grows
    "": "empty",
    "   \n": "empty",
    "pwd": "named by no rule",
    "git status": "named by no rule",
    "git status --short": "named by no rule",
    "git branch": "named by no rule",
    "ls": "prints little without",
    "ls -la src": "prints little without",
    "cat src/main.py": "no file that is named like a log",
    "grep foo a.txt": "prints little without",
    "echo hello": "named by no rule",
    "mkdir -p a/b": "named by no rule",
    "rm -rf build": "named by no rule",
    "git commit -m 'grep -r x'": "named by no rule",
    "git push": "named by no rule",
    "python script.py": "named by no rule",
    "node server.js": "named by no rule",
    "npm run dev": "named by no rule",
    "npm start": "named by no rule",
    "curl https://example.com": "named by no rule",
    "which pytest": "named by no rule",
    "make run": "something else than its output",
    "make menuconfig": "something else than its output",
    "./gradlew bootRun": "something else than its output",
    "mvn spring-boot:run": "something else than its output",
    "cargo run": "named by no rule",
    "docker run -it app": "named by no rule",
    "find . -name x -delete": "an option with which it is left alone",
    "find . -exec rm {} +": "an option with which it is left alone",
    "find . -name core -quit": "limits its own output",
    "rg --pre cat x": "an option with which it is left alone",
    "fd -x rm": "an option with which it is left alone",
    # their own limit
    "git log -5": "limits its own output",
    "git log -n 5": "limits its own output",
    "git log --max-count=5": "limits its own output",
    "git diff --shortstat": "limits its own output",
    "git diff --quiet": "limits its own output",
    "grep -rq x .": "limits its own output",
    "grep -rc x .": "an option with which it is left alone",
    "grep -r -m 3 x .": "limits its own output",
    "pytest -q": "limits its own output",
    "pytest --quiet": "limits its own output",
    "npm ci --silent": "limits its own output",
    "docker logs --tail 50 web": "limits its own output",
    "docker logs --tail=50 web": "limits its own output",
    "kubectl logs --tail=5 p": "limits its own output",
    "journalctl -n 20": "limits its own output",
    "du -sh .": "limits its own output",
    "pytest --help": "tells of itself",
    "make --version": "tells of itself",
    "npm test | head": "limits",
    "npm test 2>&1 | tail -20": "limits",
    "grep -rn x . | wc -l": "limits",
    "make | tee build.log": "limits",
    "cat build.log | head -50": "limits",
    "npm ci && npm test | tail -5": "limits",
    "git log | grep -c fix": "limits",
    "cat a.log | sed -n 1,5p": "limits",
    "cat a.log | sed 5q": "limits",
    "cat a.log | awk 'NR<5'": "limits",
    "pytest > out.txt": "writes",
    "pytest >> out.txt": "writes",
    "pytest > out.txt 2>&1": "writes",
    "pytest 2> err.txt": "writes",
    "pytest 1>&2": "writes",
    "make >/dev/null": "writes",
    "make &> build.log": "&",
    "make >| build.log": "writes",
    "git log | sort -o out": "writes",
    # followers
    "docker logs -f web": "follows what comes",
    "kubectl logs -f p": "follows what comes",
    "journalctl -fu nginx": "follows what comes",
    "tail -f app.log": "limits",
    "npx vitest --watch": "named by no rule",
    "npm test -- --watch": "follows what comes",
    # the shell itself
    "cd src && pytest": "cd",
    "cd /tmp; make": "cd",
    "pushd a && make && popd": "pushd",
    "export A=1 && pytest": "export",
    "source .venv/bin/activate && pytest": "source",
    ". .venv/bin/activate && pytest": "has .",
    "set -e; make": "set",
    "alias ll=ls; make": "alias",
    "unset A; make": "unset",
    "eval make": "eval",
    "exec make": "exec",
    "A=1": "changes the shell",
    "A=1; make": "changes the shell",
    "trap 'x' EXIT; make": "trap",
    "make; exit 3": "exit",
    "ulimit -n 10; make": "ulimit",
    "read x; make": "read",
    "wait; make": "wait",
    "command make": "command",
    "nohup make": "nohup",
    "PATH=/x make": "sets PATH",
    "LD_PRELOAD=x.so make": "sets LD_PRELOAD",
    "BASH_ENV=x make": "sets BASH_ENV",
    # background and what is not plain
    "make &": "&",
    "npm start & npm test": "&",
    "make & wait": "&",
    "cat <<EOF\nx\nEOF": "here-document",
    "cat > a.log <<'EOF'\nx\nEOF": "writes",
    "grep -r x <<< y": "here-document",
    "sort < a.log": "reads from a file",
    "(cd a && make)": "subshell",
    "(make)": "subshell",
    "{ make; }": "shell's '{'",
    "if make; then npm test; fi": "shell's 'if'",
    "for i in 1 2; do make; done": "shell's 'for'",
    "while true; do make; done": "shell's 'while'",
    "! make": "shell's '!'",
    "time make": "shell's 'time'",
    "[[ -f x ]] && make": "shell's '[['",
    "f() { make; }": "subshell or function",
    "function f { make; }": "shell's 'function'",
    "grep -rn $(cat words) .": "substitution",
    "grep -rn `cat words` .": "substitution",
    'grep -rn "$(cat words)" .': "substitution",
    'grep -rn "`cat words`" .': "substitution",
    "diff -r <(ls a) <(ls b)": "reads",
    "grep -rn $1 .": "$1",
    "grep -rn $? .": "$?",
    "grep -rn $$ .": "$$",
    'grep -rn "$@" .': "$@",
    "grep -rn ${A:-b} .": "computes",
    "grep -rn ${#A} .": "$",
    "grep -rn ${A[0]} .": "computes",
    "grep -rn $'a\\n' .": "$'",
    "grep -rn $((1+2)) .": "substitution",
    "grep -rn $RANDOM .": "$RANDOM",
    "$PYTHON -m pytest": "expansion",
    "{pytest,x}": "expansion",
    "py*est": "expansion",
    "\\make": "quotes its program",
    "'make'": "quotes its program",
    "grep -rn 'x .": "open quote",
    'grep -rn "x .': "open quote",
    "grep -rn x . \\": "backslash",
    "make &&": "ends with",
    "make |": "ends with",
    "&& make": "nothing before",
    "make && && make": "nothing after",
    "make ;; make": "nothing before",
    "make \x00": "control",
    "make\r\n": "control",
    "make \x1b[0m": "control",
    "make \ud800": "Unicode",
    "make\u00a0all": "space",
    # people
    "sudo make install": "person",
    "ssh host make": "person",
    "vim a.log": "person",
    "less a.log": "person",
    "cat a.log | less": "person",
    "git log | vim -": "person",
    "top": "person",
    "watch make": "person",
    "python": "person",
    "make && python3": "person",
    "env sudo make": "person",
    "timeout 5 ssh host": "person",
    # rewritten already
    "rtk grep -rn x .": "already",
    "rtk git log": "already",
    "/usr/local/bin/rtk npm test": "already",
    "spillview wrap -- pytest": "already",
    "spillview grep -r x": "already",
    "make && rtk npm test": "already",
    "grep -rn x spillview": "already",
    "timeout 5 rtk npm test": "already",
    # what follows the pipe is unknown
    "cat a.log | python -c 'x'": "goes into",
    "find . -name '*.py' | xargs grep x": "goes into",
    "git log | ./summary": "goes into",
}
"""Commands that stay, and a word of the reason."""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return load_rules(str(tmp_path_factory.mktemp("none")))


def chosen(command: str, rules: Rules, **more: Any) -> tuple[str | None, str]:
    """The rewritten command and the reason, where nothing is asked."""
    permissions = more.pop("permissions", None) or Permissions()
    mode = more.pop("mode", "bypassPermissions")
    found = decide(command, rules, permissions, mode=mode, **more)
    return found.command, found.reason


def test_the_tables_are_large() -> None:
    assert len(WRAPPED) + len(LEFT) >= 250


@pytest.mark.parametrize(("command", "label"), WRAPPED.items())
def test_output_that_grows_is_wrapped(command: str, label: str, rules: Rules) -> None:
    text, reason = chosen(command, rules, session="s-1")
    assert text is not None, reason
    assert f" wrap --session s-1 --label {label} --tail " in text.replace(
        "--merge ", ""
    )
    end = "\nfi" if "\n" in command or "#" in command else "; fi"
    assert text.endswith(f"; else {command}{end}")  # the original as it is


@pytest.mark.parametrize(("command", "why"), LEFT.items())
def test_everything_else_is_left_alone(command: str, why: str, rules: Rules) -> None:
    text, reason = chosen(command, rules)
    assert text is None, text
    assert why in reason


def test_logs_keep_more_of_their_end_than_searches(rules: Rules) -> None:
    assert "--tail 60 " in (chosen("docker logs web", rules)[0] or "")
    assert "--tail 20 " in (chosen("grep -rn x .", rules)[0] or "")


def test_a_plain_command_needs_no_second_shell(rules: Rules) -> None:
    assert chosen("pytest 'a b' \"$X\"", rules, session="s")[0] == (
        "if [[ $(command -v pytest) == /* ]] && spillview hook ready >/dev/null 2>&1;"
        " then spillview wrap --session s --label tests --tail 60 --"
        " pytest 'a b' \"$X\"; else pytest 'a b' \"$X\"; fi"
    )


def test_a_command_that_would_grow_too_long_is_left_alone(rules: Rules) -> None:
    assert chosen("grep -rn " + "x" * 4000 + " .", rules)[0] is not None
    assert "too long" in chosen("grep -rn " + "x" * 5000 + " .", rules)[1]


# Permissions

SETTINGS: list[tuple[dict[str, list[str]], str, bool]] = [
    ({"allow": ["Bash"]}, "npm test", False),
    ({"allow": ["Bash(*)"]}, "npm test", False),
    ({"allow": ["Bash()"]}, "npm test", False),
    ({"allow": ["Bash(npm test)"]}, "npm test", False),
    ({"allow": ["Bash(npm test)"]}, "npm test 2>&1", False),
    ({"allow": ["Bash(npm:*)"]}, "npm test", False),
    ({"allow": ["Bash(npm *)"]}, "npm test", False),
    ({"allow": ["Bash(npm*)"]}, "npm test", False),
    ({"allow": ["Bash(npm run test:*)"]}, "npm run test:unit", False),
    ({"allow": ["Bash(* test)"]}, "npm test", False),
    ({"allow": ["Bash(n* t*t)"]}, "npm test", False),
    ({"allow": ["Bash(npm ci *)"]}, "npm ci", False),
    ({"allow": ["Bash(npm run *)"]}, "npm test", True),
    ({"allow": ["Bash(npmx *)"]}, "npm test", True),
    ({"allow": ["Bash(git *)"]}, "npm test", True),
    ({"allow": ["Read(./x)"]}, "npm test", True),
    ({"allow": ["Edit", "WebFetch(domain:a.b)"]}, "npm test", True),
    ({"ask": ["Bash(npm *)"]}, "npm test", False),
    ({"deny": ["Bash(npm *)"]}, "npm test", False),
    ({"deny": ["Bash(npm test:*)"]}, "npm ci && npm test", False),
    ({"deny": ["Bash(npm test:*)"]}, "npm ci; npm test", False),
    ({"deny": ["Bash(npm test:*)"]}, "npm ci\nnpm test", False),
    ({"deny": ["Bash(npm test:*)"]}, "npm ci || npm test", False),
    ({"deny": ["Bash(sort *)"]}, "git log | sort", False),
    ({"ask": ["Bash(make)"]}, "cargo build && make", False),
    ({"deny": ["Bash(npm *)"]}, "CI=1 npm test", False),
    ({"deny": ["Bash(npm *)"]}, "timeout 5 npm test", False),
    ({"deny": ["Bash(npm *)"]}, "timeout -k 1 5 npm test", False),
    ({"deny": ["Bash(npm *)"]}, "env CI=1 npm test", False),
    ({"deny": ["Bash(npm *)"]}, "nice -n 5 npm test", False),
    ({"deny": ["Bash(npm *)"]}, "/usr/bin/npm test", False),
    ({"deny": ["Bash(npm test)"]}, "npm   test", False),
    ({"deny": ["Bash(npm test)"]}, "npm 'test'", False),
    ({"deny": ["Bash(npm test)"]}, "npm \\\n test", False),
    ({"deny": ["*"]}, "npm test", False),
    ({"ask": ["B*"]}, "npm test", False),
    ({"deny": ["mcp__*"]}, "npm test", True),
    ({"deny": ["Bash(rm *)"]}, "npm test", True),
    ({"deny": ["Bash(git push *)"]}, "git log", True),
    ({"deny": ["Bash(bash -c *)"]}, "git log | sort", False),
    ({"deny": ["Bash(bash *)"]}, "npm test", True),
    ({"ask": ["Bash(sh -c *)"]}, "make 2>/dev/null", False),
    ({"deny": ["Bash(command *)"]}, "npm test", False),
    ({"allow": ["Bash(spillview:*)"]}, "npm test", False),
    ({"allow": ["Bash(spillview wrap *)"]}, "npm test", False),
    ({"allow": ["Bash(if *)"]}, "npm test", False),
    ({"ask": ["Bash(spillview *)"]}, "npm test", False),
    ({"deny": ["Read(./.env)"]}, "cat a.log", False),
    ({"deny": ["Read(//etc/**)"]}, "grep -rn x .", False),
    ({"ask": ["Edit"]}, "find . -name x", False),
    ({"deny": ["Read(./.env)"]}, "npm test", True),
]


@pytest.mark.parametrize(("permissions", "command", "wrapped"), SETTINGS)
def test_what_a_rule_speaks_of_is_left_as_the_rule_knows_it(
    permissions: dict[str, list[str]],
    command: str,
    wrapped: bool,
    rules: Rules,
    tmp_path: Path,
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"permissions": permissions}))
    text, reason = chosen(
        command, rules, permissions=load_permissions([str(path)]), session="s"
    )
    assert (text is not None) is wrapped, reason


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "auto", None])
def test_what_runs_unasked_is_wrapped_only_where_nothing_is_asked(
    mode: str | None, rules: Rules
) -> None:
    for command in ("grep -rn x .", "git log", "find . | sort", "cat a.log"):
        assert "without anybody being asked" in chosen(command, rules, mode=mode)[1]
        assert chosen(command, rules)[0] is not None
    for command in ("npm test", "git log && npm test"):
        assert chosen(command, rules, mode=mode)[0] is not None


def test_nothing_is_wrapped_where_asking_means_refusing(rules: Rules) -> None:
    assert "dontAsk" in chosen("npm test", rules, mode="dontAsk")[1]


# The event


def event(command: object = "npm test", **more: object) -> dict[str, object]:
    return {
        "session_id": "0b1f-22",
        "transcript_path": "/home/u/.claude/projects/p/0b1f-22.jsonl",
        "cwd": "/srv/app",
        "permission_mode": "bypassPermissions",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "d", "timeout": 9000},
        "tool_use_id": "toolu_1",
        **more,
    }


def answered(given: object, home: Path, **env: str) -> dict[str, Any] | None:
    return answer(
        given,
        {"HOME": str(home), "SPILLVIEW_MANAGED_SETTINGS": str(home / "managed"), **env},
        config_dir=str(home / "config"),
        program="spillview",
    )


def test_the_answer_replaces_the_command_alone_and_decides_nothing(
    tmp_path: Path,
) -> None:
    found = answered(event(), tmp_path)
    assert found is not None
    output = found["hookSpecificOutput"]
    assert sorted(output) == ["hookEventName", "updatedInput"]
    assert output["hookEventName"] == "PreToolUse"
    given = output["updatedInput"]
    assert {**given, "command": "npm test"} == event()["tool_input"]
    assert "--session 0b1f-22 " in given["command"]
    assert "allow" not in json.dumps(found)
    assert "permissionDecision" not in json.dumps(found)


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        "x",
        {},
        event(tool_name="Read"),
        event(tool_name=None),
        event(hook_event_name="PostToolUse"),
        event(tool_input=None),
        event(tool_input={"command": "npm test", "run_in_background": True}),
        event(3),
        event(None),
    ],
)
def test_events_of_another_kind_are_not_answered(given: object, tmp_path: Path) -> None:
    assert answered(given, tmp_path) is None


@pytest.mark.parametrize("session", [None, 5, "", "a\nb", "x" * 500])
def test_a_session_that_is_none_is_left_out(session: object, tmp_path: Path) -> None:
    found = answered(event(session_id=session), tmp_path)
    assert found is not None
    assert "--session" not in found["hookSpecificOutput"]["updatedInput"]["command"]


PLACES = {
    "user": "home/.claude/settings.json",
    "user's local": "home/.claude/settings.local.json",
    "from the organisation": "home/.claude/remote-settings.json",
    "managed": "home/managed/managed-settings.json",
    "managed in parts": "home/managed/managed-settings.d/50-a.json",
    "project": "home/app/.claude/settings.json",
    "project's local": "home/app/.claude/settings.local.json",
    "where the project is said to be": "other/.claude/settings.json",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(
    "settings",
    [
        {"permissions": {"deny": ["Bash(npm *)"]}},
        {"permissions": {"deny": "Bash(npm *)"}},
        {"permissions": ["Bash(npm *)"]},
        {"permissions": {"ask": [{"Bash": "npm *"}]}},
        {"sandbox": {"enabled": True}},
        {"hooks": {"PreToolUse": [{"hooks": [{"command": "guard.py"}]}]}},
        [],
    ],
    ids=["deny", "no list", "no object", "no text", "sandbox", "hook", "no settings"],
)
def test_the_settings_of_every_place_count(
    place: str, settings: object, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    below = home / "app/web/src"
    below.mkdir(parents=True)
    (tmp_path / "other").mkdir()
    env = {"CLAUDE_PROJECT_DIR": str(tmp_path / "other")}
    given = event(cwd=str(below))
    assert answered(given, home, **env) is not None
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings))
    assert answered(given, home, **env) is None


def test_claudes_own_folder_may_lie_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "settings.json").write_text('{"permissions": {"deny": ["Bash(npm:*)"]}}')
    assert answered(event(), tmp_path) is not None
    assert answered(event(), tmp_path, CLAUDE_CONFIG_DIR=str(folder)) is None


@pytest.mark.parametrize("text", ["{", "// no\n{}", '{"a": 1,}', "\xff", "[" * 100_000])
def test_settings_that_cannot_be_understood_may_hold_any_rule(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_bytes(text.encode("latin-1"))
    assert answered(event(), tmp_path) is None


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop"])
@pytest.mark.parametrize("place", [".claude/settings.json", "config/hook.toml"])
def test_settings_that_are_no_file_are_never_waited_for(
    place: str, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)
    if place.startswith("config"):  # the user's own rules, of which he is told
        with pytest.raises(BadInput, match=r"hook\.toml: cannot be read"):
            load_rules(str(path.parent))
    else:
        assert answered(event(), tmp_path) is None


HOOKS = [
    ({"hooks": [{"type": "command", "command": "rtk hook claude"}]}, False),
    ({"matcher": "*", "hooks": [{"command": "guard.py"}]}, False),
    ({"matcher": "Bash|Edit", "hooks": [{"command": "guard.py"}]}, False),
    ({"matcher": "^Ba", "hooks": [{"type": "http", "url": "http://x"}]}, False),
    ({"matcher": "(", "hooks": [{"command": "guard.py"}]}, False),
    ({"matcher": "Edit|Write", "hooks": [{"command": "guard.py"}]}, True),
    ({"matcher": "mcp__.*", "hooks": [{"command": "guard.py"}]}, True),
    ({"hooks": [{"command": "/x/spillview hook run claude-code"}]}, True),
    ({"hooks": [{"command": "/opt/quiet/log.sh"}]}, True),
]


@pytest.mark.parametrize(("group", "wrapped"), HOOKS)
def test_another_hook_that_may_rewrite_has_the_command_to_itself(
    group: dict[str, object], wrapped: bool, tmp_path: Path
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(
        json.dumps({"hooks": {"PreToolUse": [group]}})
    )
    (tmp_path / "config").mkdir()
    (tmp_path / "config/hook.toml").write_text('beside = ["/opt/quiet/"]\n')
    assert (answered(event(), tmp_path) is not None) is wrapped


@pytest.mark.parametrize("form", ["list", "single"])
@pytest.mark.parametrize("where", ["hooks/hooks.json", ".claude-plugin/plugin.json"])
def test_hooks_of_plugins_count_like_those_of_settings(
    form: str, where: str, tmp_path: Path
) -> None:
    plugin = tmp_path / "cache/p/1.0"
    path = plugin / where
    path.parent.mkdir(parents=True)
    place = {"scope": "user", "installPath": str(plugin)}
    listed = {"p@m": [place] if form == "list" else place, "gone@m": [{"a": 1}, 2]}
    plugins = tmp_path / ".claude/plugins/installed_plugins.json"
    plugins.parent.mkdir(parents=True)
    plugins.write_text(json.dumps({"version": 2, "plugins": listed}))
    assert answered(event(), tmp_path) is not None
    group = {"matcher": "Edit", "hooks": [{"command": "x"}]}
    path.write_text(json.dumps({"name": "p", "hooks": {"PreToolUse": [group]}}))
    assert answered(event(), tmp_path) is not None
    group["matcher"] = "Bash"
    path.write_text(json.dumps({"name": "p", "hooks": {"PreToolUse": [group]}}))
    assert answered(event(), tmp_path) is None


def test_what_is_no_event_is_said_in_a_sentence_and_changes_nothing() -> None:
    got = process("hook", "run", "claude-code")
    assert (got.code, got.data) == (0, b"")
    assert got.err.startswith("spillview: on stdin there was no event of Claude Code")
    assert "`spillview hook explain claude-code -- COMMAND`" in got.err
    assert "Expecting value" not in got.err
