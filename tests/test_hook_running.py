"""What the hook rewrites does what the original does, whatever becomes of spillview."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.hook.filter import decide
from spillview.hook.permissions import Permissions
from spillview.hook.rules import Rules, load_rules

BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(not BASH, reason="no bash")

ROOT = Path(__file__).parents[1]
RULES = (
    '[[rule]]\nlabel = "said"\ntail = 7\ncommands = ["say", "fail", "both", "own"]\n'
)

SAY = """#!/bin/sh
printf 'cwd=%s A=%s n=%s\\n' "$PWD" "$A" "$#"
for each in "$@"; do printf '<%s>' "$each"; done
"""
BOTH = SAY + "printf 'to stderr: %s\\n' \"$*\" >&2\n"
STAND_IN = """#!/bin/sh
echo "$*" >> "$CALLS"
[ "$1" = hook ] && exit 0
merge=
while [ "$1" != -- ]; do [ "$1" = --merge ] && merge=1; shift; done
shift
[ -n "$merge" ] && exec "$@" 2>&1
exec "$@"
"""
REAL = f"""#!/bin/sh
PYTHONPATH={ROOT} exec {sys.executable} -m spillview "$@"
"""


class World:
    """A folder with programs, a rule for them, and a `spillview`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.work = folder / "work dir"
        for each in (self.bin, self.work, folder / "config"):
            each.mkdir()
        (folder / "config/hook.toml").write_text(RULES)
        self.rules: Rules = load_rules(str(folder / "config"))
        self.calls = folder / "calls"
        self.put("say", SAY)
        self.put("both", BOTH)
        self.put("fail", BOTH + "exit 3\n")
        self.put("killed", "#!/bin/sh\nkill -9 $$\n")
        for name in ("a.txt", "b b.txt", "c[1].txt"):
            (self.work / name).write_text(f"{name}\nx\n")
        shutil.copy(self.bin / "say", self.work / "own")
        self.use(STAND_IN)

    def put(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(script)
        path.chmod(0o755)

    def use(self, script: str) -> None:
        self.put("spillview", script)

    def rewritten(self, command: str) -> str | None:
        return decide(
            command, self.rules, Permissions(), mode="bypassPermissions", session="s"
        ).command

    def run(self, command: str, before: str = "") -> subprocess.CompletedProcess[bytes]:
        """Run it as a harness does: a shell evaluates the text it was given."""
        self.calls.write_text("")
        env = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "HOME": str(self.folder / "home"),
            "A": "of the environment",
            "B": "two  words *",
            "CALLS": str(self.calls),
            "SPILLVIEW_DEBUG": "1",
        }
        text = f"{before}eval {_quoted(command)} < /dev/null"
        return subprocess.run(
            [BASH, "-c", text], cwd=self.work, env=env, capture_output=True, timeout=60
        )

    def alike(self, command: str, before: str = "") -> bool:
        """Compare the rewritten command with the original; whether `wrap` was run."""
        text = self.rewritten(command)
        assert text is not None
        old, new = self.run(command, before), self.run(text, before)
        assert (new.returncode, new.stdout) == (old.returncode, old.stdout)
        assert _said(new.stderr) == _said(old.stderr)
        return self.wrapped

    @property
    def wrapped(self) -> bool:
        return any(
            line.startswith("wrap") for line in self.calls.read_text().split("\n")
        )


def _said(stderr: bytes) -> list[int] | None:
    """Stderr's bytes, sorted, for the parts of a pipeline speak at once.

    Without the numbers of lines, which a shell counts in its own way where a command
    has several. None where it tells of a program's death, for then it quotes the
    command.
    """
    if b"Killed" in stderr:
        return None
    return sorted(re.sub(rb": line \d+: ", b": line: ", stderr))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


SAME = [
    "say",
    "say a 'b  c' \"d e\" f\\ g",
    "say '' \"\"",
    "say *.txt 'c[1].txt' c[1].txt nothing*",
    'say "$A" $B ${A} "${B}"',
    "say ~ ~/x a~",
    "say {a,b}{1,2} x=*",
    "say a\\\n  b",
    "say $NOTSET x",
    "say 'quote '\\'' in it'",
    "say -- --label x",
    "say --tail 3 --json -h",
    "fail",
    "fail a 2>&1",
    "both a b",
    "both a 2>&1",
    "both a 2>/dev/null",
    "both 2>/dev/null a",
    "both a 2> /dev/null",
    "A=changed say",
    "A='two words' B=x say $A",
    "say a && fail b && say c",
    "say a || say b",
    "fail a || say b",
    "say a; say b\nsay c",
    "say a | sort",
    "say a |& sort",
    "both a 2>&1 | sort | cat",
    "fail a | sort",
    "say a # not b",
    "# first\nsay a\n\n# last",
    "./own a",
    "say a; nosuchprogram b",
    "nosuchprogram a; say b",
    "say a; killed",
    "timeout 5 say a",
    "env A=b say c",
    "say 日本語 'ü  é'",
    "say !x 'a!b' ^x =say",
    "say a;",
    'say "a\\$b\\"c\\\\d\\x"',
    'say "it\'s" \'say "x"\'',
]


@pytest.mark.parametrize("command", SAME)
def test_the_rewritten_command_does_what_the_original_does(
    command: str, world: World
) -> None:
    world.use(STAND_IN)
    world.alike(command)


@pytest.mark.parametrize("command", SAME[::4])
def test_through_the_real_wrap_small_outputs_are_byte_for_byte_the_same(
    command: str, world: World
) -> None:
    world.use(REAL)
    world.alike(command)


PIECES = st.sampled_from(
    [
        *("say", "both", "fail", "killed", "nosuch", "./own", "sort", "cat", "true"),
        *(
            "a",
            "'b c'",
            '"d e"',
            "*.txt",
            "$A",
            '"$B"',
            "${A}",
            "~",
            "{x,y}",
            "\\ ",
            "\\",
        ),
        *(
            "a'b",
            'a"b',
            "$",
            "$(say x)",
            "`say`",
            "$1",
            "${A:-x}",
            "#",
            "!",
            "A=1",
            "x=*",
        ),
        *(
            "&&",
            "||",
            ";",
            "|",
            "|&",
            "&",
            "\n",
            "(",
            ")",
            "{",
            "}",
            "\\\n",
            ">f",
            "<f",
        ),
        *("2>&1", "2>/dev/null", "2>", "cd", "if", "then", "fi", "[[", "''", "-", "--"),
        *(
            "say a",
            "both 2>&1",
            "fail ||",
            "say &&",
            "| sort",
            "\t",
            "é",
            "\u00a0",
            "=say",
        ),
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=7), st.booleans())
@settings(deadline=None, max_examples=100)
def test_whatever_is_rewritten_runs_alike(
    world: World, pieces: list[str], spaced: bool
) -> None:
    command = ("say " if spaced else "") + (" " if spaced else "").join(pieces)
    if world.rewritten(command) is not None:
        world.use(STAND_IN)
        world.alike(command)


SHELLISH = st.text(
    st.sampled_from(" \n\t'\"\\$&|;<>(){}[]*?#!~=-_.:,/sayabc012é\x00\ud83d")
)


@given(st.one_of(st.text(), SHELLISH, st.lists(PIECES).map(" ".join)))
@settings(max_examples=100)
def test_no_text_makes_the_parser_fail(world: World, text: str) -> None:
    for command in (text, f"say {text}", f"say && {text}", f"{text} | sort"):
        found = world.rewritten(command)
        assert found is None or f"; else {command}" in found


# Where spillview is missing or fails


BROKEN = {
    "missing": None,
    "no interpreter": "#!/nonexistent/python\n",
    "not ready": "#!/bin/sh\necho broken >&2; echo out; exit 1\n",
    "ends by a signal": "#!/bin/sh\nkill -9 $$\n",
    "python without its library": f"#!/bin/sh\nPYTHONHOME=/nonexistent {sys.executable}"
    ' -m spillview "$@"\n',
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("command", ["both a", "fail a 2>&1", "say a && fail b"])
def test_without_a_working_spillview_the_original_runs_once(
    script: str | None, command: str, world: World
) -> None:
    if script is None:
        (world.bin / "spillview").unlink()
    else:
        world.use(script)
    text = world.rewritten(f"counted && {command}")
    assert text is not None
    world.put("counted", "#!/bin/sh\necho x >> ../count\n")
    count = world.folder / "count"
    count.unlink(missing_ok=True)
    old = world.run(command)
    new = world.run(text)
    assert (new.returncode, new.stdout) == (old.returncode, old.stdout)
    if script is None or "kill" not in script:  # of which the shell tells
        assert _said(new.stderr) == _said(old.stderr)
    assert count.read_text() == "x\n"


@pytest.mark.parametrize(
    ("before", "command", "wraps"),
    [
        ("", "say *.txt", True),
        ("say() { echo function; }; ", "say a", False),
        ("shopt -s expand_aliases\nalias say='echo alias'\n", "say a", False),
        ("sort() { cat; }; ", "say a | sort", False),
        ("", "say a | sort", True),
        ("shopt -s nullglob; ", "say a* | sort", False),
        ("shopt -s failglob; ", "say z* | sort", False),
        ("shopt -s extglob; ", "say a | sort", False),
        ("set -o pipefail; ", "fail | sort", False),
        ("set -u; ", "say $NONE; say b", False),
        ("set -e; ", "fail; say b", False),
        ("shopt -s dotglob; ", "say *", True),  # the words come from this very shell
        # Variables that only this shell knows, or knows otherwise.
        ("OWN=1; ", "say $OWN && say b", False),
        ("OWN=1; ", 'say "${OWN}" | sort', False),
        ("OWN=1; ", "B=$OWN say b", False),
        ("OWN=1; ", "say $OWN b", True),
        ("declare -x OWN=1; ", "say $OWN && say b", True),
        ("declare -xi OWN=1; ", "say $OWN && say b", True),
        ("OWN=(1 2); export OWN; ", "say $OWN && say b", False),
        ("OWN=1; declare -n NAME=OWN; ", "say $NAME && say b", False),
        ("declare -r OWN='x -x'; ", "say $OWN && say b", False),
        ("A='of its own'; ", "say $A && say b", True),
        ("", "say $NOTSET && say b", True),
        ("IFS=w; ", "say $B && say b", False),
        ("GLOBIGNORE='*'; ", "say $B && say b", False),
        ("LOCAL=x; ", 'say "$LOCAL"', True),
    ],
)
def test_a_shell_of_its_own_kind_runs_the_original(
    before: str, command: str, wraps: bool, world: World
) -> None:
    world.use(STAND_IN)
    assert world.alike(command, before) is wraps


def test_a_large_output_becomes_an_envelope_and_keeps_its_exit_code(
    world: World,
) -> None:
    world.use(REAL)
    world.put("say", "#!/bin/sh\nseq 1 40000\necho the verdict\nexit 4\n")
    text = world.rewritten("say")
    assert text is not None
    found = world.run(text)
    world.put("say", SAY)
    assert found.returncode == 4
    assert len(found.stdout) < 15_000
    assert b"the verdict" in found.stdout
    assert b"said" in found.stdout
    store = world.folder / "home/.local/state/spillview/spills"
    spilled = [each for each in store.rglob("*said*") if each.suffix == ".txt"]
    assert [each.read_bytes().count(b"\n") for each in spilled] == [40_001]


def test_the_program_is_named_by_its_path_where_its_name_does_not_find_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "it's here"
    folder.mkdir()
    script = folder / "spillview"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from spillview.cli import main\nsys.exit(main())\n"
    )
    script.chmod(0o755)
    given_event = (
        '{"tool_name": "Bash", "tool_input": {"command": "npm test"}, "cwd": "/"}'
    )
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    for path, named in (
        (env["PATH"], "it'\\\\''s here/spillview' wrap"),
        (f"{folder}:{env['PATH']}", "&& spillview hook ready"),
    ):
        done = subprocess.run(
            [script, "hook", "run", "claude-code"],
            input=given_event.encode(),
            env={**env, "PATH": path},
            capture_output=True,
            check=True,
        )
        assert named in done.stdout.decode(), done
        assert done.stderr == b""


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[1", b"\xff\xfe", b"null", b"[" * 100_000, b" " * (1 << 21)]
)
def test_an_event_that_cannot_be_read_is_not_answered(
    data: bytes, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spillview", "hook", "run", "claude-code"],
        input=data,
        env={
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr
