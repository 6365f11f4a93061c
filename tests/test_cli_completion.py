"""`spillview completion`: what real shells then offer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spillview
from spillview.cli.commands import BROWSE, COMMANDS
from spillview.cli.completion_scripts import SHELLS
from spillview.cli.parsing import parser_of
from tests.command import run
from tests.stores import Claude, log_of

SESSION = "0000abcd-2222-4333-8444-555555555555"


@pytest.fixture
def shelf(machine: Path) -> Path:
    """A machine with one artifact, and `spillview` on its PATH."""
    session = Claude(machine, session=SESSION)
    session.spills(log_of(1500), name="b12345678.txt")
    session.write()
    folder = machine / "bin"
    folder.mkdir()
    program = folder / "spillview"
    top = Path(spillview.__file__).parent.parent
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={top} exec {sys.executable} -m spillview "$@"\n'
    )
    program.chmod(0o755)
    return machine


def offered(shelf: Path, shell: str, line: str) -> set[str]:
    """What a shell offers for the last word of a line."""
    script = shelf / f"completion.{shell}"
    script.write_text(run("completion", shell).out)
    if shell == "bash":
        words = " ".join(f"'{word}'" for word in line.split(" "))
        code = (
            f"source {script}; COMP_WORDS=({words});"
            f" COMP_CWORD={line.count(' ')};"
            ' _spillview 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        command = ["bash", "--norc", "-c", code]
    else:
        command = [
            "fish",
            "--no-config",
            "-c",
            f"source {script}; complete -C '{line}'",
        ]
    env = {**os.environ, "PATH": f"{shelf / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=60, cwd=shelf
    )
    return {row.split("\t")[0] for row in done.stdout.splitlines() if row}


def needs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_commands_options_and_what_lies_in_stores_are_offered(
    shelf: Path, shell: str
) -> None:
    needs(shell)
    [ident] = [row["id"] for row in run("ls", "--json").rows]
    assert {"grep"} == offered(shelf, shell, "spillview gr")
    assert {"--older-than", "--orphans"} <= offered(shelf, shell, "spillview prune --o")
    assert "--older-than" not in offered(shelf, shell, "spillview show --o")
    assert ident in offered(shelf, shell, f"spillview show {ident[:4]}")
    assert {SESSION} == offered(shelf, shell, "spillview ls --session 0000")
    assert "gemini-cli" in offered(shelf, shell, "spillview ls --harness ge")
    assert {"line", "char", "byte"} <= offered(shelf, shell, "spillview show --unit ")
    assert "orphan" in offered(shelf, shell, "spillview ls --only o")
    assert {"bash", "zsh", "fish"} <= offered(shelf, shell, "spillview completion ")
    assert "b12345678.txt" not in offered(shelf, shell, "spillview ls --since ")


def test_bash_passes_over_the_values_of_options_and_completes_a_wrapped_command(
    shelf: Path,
) -> None:
    needs("bash")
    assert "--sort" in offered(shelf, "bash", "spillview --harness show ls --s")
    (shelf / "makings").mkdir()
    found = offered(shelf, "bash", "spillview wrap -- make mak")
    assert "makings" in found


def test_zsh_offers_the_same(shelf: Path) -> None:
    needs("zsh")
    script = shelf / "_spillview"
    script.write_text(run("completion", "zsh").out)
    assert subprocess.run(["zsh", "-n", script]).returncode == 0
    # `compadd` is what each offer ends in: it tells them instead of drawing a menu.
    code = f"""
autoload -Uz compinit && compinit -u -d {shelf}/zcompdump
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit && compinit -u -d {shelf}/zcompdump"
zpty -w shell "source {script}; echo re''ady"
zpty -r shell line '*ready*'
zpty -w -n shell $'spillview prune --older\\t'
zpty -r -t shell line; sleep 3; zpty -r shell line '*older-than*'; print -r -- "$line"
"""
    env = {
        **os.environ,
        "PATH": f"{shelf / 'bin'}:{os.environ['PATH']}",
        "TERM": "dumb",
    }
    done = subprocess.run(
        ["zsh", "-f", "-c", code], env=env, capture_output=True, text=True, timeout=60
    )
    assert "--older-than" in done.stdout, done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_each_script(shell: str) -> None:
    script = run("completion", shell).out
    for command in (BROWSE, *COMMANDS.values()):
        assert command.name in script
        for action in parser_of(command)._actions:
            for name in action.option_strings:
                dashless = name.lstrip("-") if shell == "fish" else name
                assert dashless in script


def test_an_unknown_shell_is_a_sentence() -> None:
    done = run("completion", "tcsh")
    assert done.code == 2
    assert "spillview completion bash, zsh or fish" in done.err


def test_hostile_names_never_reach_a_shell(machine: Path) -> None:
    session = Claude(machine, session="$(touch pwned)")
    session.spills(log_of(1500), name="b\x1b]0;x\x07`id`.txt")
    session.write()
    listed = run("completion", "--list", "artifacts").out
    assert not set(listed) & set("\x1b\x07")
    for row in run("completion", "--list", "sessions").out.splitlines():
        assert not set(row.split("\t")[0]) & set(" \t\n")
