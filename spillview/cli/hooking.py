"""`hook`: send an agent's big commands through `wrap`, by a hook of its harness."""

from __future__ import annotations

import argparse
import os

from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.cli.streams import Streams
    from spillview.hook.claude_code import Change
    from spillview.hook.permissions import Permissions
    from spillview.places import Places

HOOK = """\
Let a harness send its agent's big shell commands through `spillview wrap`, which keeps
the whole output and shows an envelope of it.

  spillview hook install claude-code      show the change of the settings, ask, do it
  spillview hook uninstall claude-code    take exactly that out again
  spillview hook explain claude-code -- grep -rn TODO .
                                          what becomes of a command, and why

The harness runs `spillview hook run claude-code` before each shell command. Never is a
permission decided: whatever matches a rule of yours (allow, ask or deny, in any
settings file), and whatever the harness runs unasked, stays as it is, as does what
changes the shell (cd, export), runs in the background, has a here-document or a
subshell, talks to a person, limits its own output (| head, > FILE, -q), or meets
another hook that might rewrite it. If spillview is missing or fails, the command runs
as it is. Rules of your own: hook.toml in spillview's config folder."""

HARNESSES = ("claude-code",)
MODES = ("default", "bypassPermissions")
"""Permission modes of Claude Code that `explain` tells apart."""

ACTIONS = ("install", "uninstall", "explain", "run", "ready")


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `hook`."""
    parser.description = HOOK
    options = parser.add_argument_group("options")
    options.add_argument(
        "--print",
        dest="only",
        action="store_true",
        help="print what the settings would hold; change nothing",
    )
    options.add_argument("--yes", action="store_true", help="do it without asking")
    options.add_argument(
        "--project",
        action="store_true",
        help="the settings of this folder's project (.claude/settings.json)",
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Install, uninstall or explain; gives the exit code."""
    if not args.words:
        raise BadInput("say what to do: hook install claude-code, or hook uninstall …")
    action, *rest = args.words
    if action not in ACTIONS:
        raise BadInput(
            f"hook {action}: there is no such action{_near(action, ACTIONS)}"
        )
    if action == "ready":
        return ready()
    if not rest:
        raise BadInput(f"hook {action}: name the harness: {', '.join(HARNESSES)}")
    harness, *more = rest
    if harness not in HARNESSES:
        raise BadInput(
            f"hook {action}: there is no hook for {harness}{_near(harness, HARNESSES)}"
        )
    if action == "run":
        from spillview.hook import filter as answering

        return answering.run(answering.own_program())
    if action == "explain":
        return _explain(more, args, streams)
    if more:
        raise BadInput(f"hook {action}: one harness at a time, not {' '.join(more)}")
    return _change(action, args, streams)


def ready() -> int:
    """Exit code 0 when `wrap` can be started; raises where something is missing."""
    import spillview.cli.wrapping
    import spillview.wrap.running  # noqa: F401  # that it can be loaded is the answer

    return 0


def _near(word: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1, 0.4)
    return f"; did you mean {near[0]}?" if near else f"; there is {', '.join(known)}"


def _change(action: str, args: argparse.Namespace, streams: Streams) -> int:
    from spillview.cli.asking import agreed, answers
    from spillview.hook import claude_code
    from spillview.hook.filter import own_program
    from spillview.places import Places

    places = Places.here()
    path = claude_code.settings_path(places, os.getcwd() if args.project else None)
    if action == "install":
        # A project's settings travel to other machines, where only the name holds.
        program = "spillview" if args.project else own_program(short=False)
        command = f"{program} hook run claude-code"
        change = claude_code.plan_install(path, command)
    else:
        change = claude_code.plan_uninstall(path, places)
    if args.only:
        text = (change.after or b"").decode("utf-8", "replace")
        streams.write(text.encode())
        return 0
    if change.nothing:
        state = "is installed already" if action == "install" else "is not installed"
        return _told(change, None, args, streams, f"the hook {state}")
    if not args.json and not (args.quiet and args.yes):
        for line in _diff(change):
            streams.line(line)
    if action == "install":
        _caution(places, streams)
    if not args.yes:
        if not answers():
            raise BadInput("nobody can be asked here; --yes does it, --print shows it")
        if not agreed(streams, f"{action} the hook in {path_text(path)}?"):
            streams.note("Nothing was changed.")
            return 0
    backup = claude_code.apply(change, places)
    return _told(change, backup, args, streams, f"the hook is {action}ed")


def _told(
    change: Change,
    backup: str | None,
    args: argparse.Namespace,
    streams: Streams,
    text: str,
) -> int:
    if args.json:
        streams.json(
            {
                "harness": HARNESSES[0],
                "settings": change.path,
                "changed": not change.nothing,
                "backup": backup,
            }
        )
    streams.note(f"{path_text(change.path)}: {text}")
    if backup is not None:
        streams.note(f"What it held before is in {path_text(backup)}")
    return 0


def _diff(change: Change) -> list[str]:
    from difflib import unified_diff

    before = (change.before or b"").decode("utf-8", "replace")
    after = (change.after or b"").decode("utf-8", "replace")
    name = path_text(change.path)
    lines = unified_diff(
        before.splitlines(),
        after.splitlines(),
        name if change.before is not None else "/dev/null",
        name if change.after is not None else "/dev/null",
        lineterm="",
    )
    return [printable(line, tabs=True) for line in lines]


def _permissions(places: Places) -> Permissions:
    from spillview.hook.permissions import load_permissions, settings_files

    return load_permissions(settings_files(places.env, os.getcwd()))


def _caution(places: Places, streams: Streams) -> None:
    """Say what keeps the hook from doing anything, as far as settings tell."""
    from spillview.hook.standing import cautions

    for each in cautions(places, os.getcwd()):
        streams.note(f"Note: {each}.")


def _explain(words: list[str], args: argparse.Namespace, streams: Streams) -> int:
    from spillview.hook.filter import decide, own_program
    from spillview.hook.parsing import LeftAlone
    from spillview.hook.permissions import Permissions
    from spillview.hook.rewriting import quote
    from spillview.hook.rules import load_rules
    from spillview.places import Places

    if not words:
        raise BadInput("hook explain: name a command, one word in quotes or behind --")
    command = words[0] if len(words) == 1 else " ".join(map(quote, words))
    places = Places.here()
    rules = load_rules(places.config_dir)
    try:
        permissions = _permissions(places)
    except LeftAlone as reason:
        permissions, reason_text = Permissions(), f"the hook {reason}"
    else:
        reason_text = ""
    row = {"command": command}
    for mode in MODES:
        decision = decide(command, rules, permissions, mode=mode, program="spillview")
        becomes = None if reason_text else decision.command
        row[mode] = becomes or f"stays: {reason_text or f'it {decision.reason}'}"
    if args.json:
        streams.json(row)
        return 0
    alike = len({row[mode] for mode in MODES}) == 1
    for name, mode in (
        (("in every mode", MODES[0]),) if alike else zip(MODES, MODES, strict=True)
    ):
        streams.line(printable(f"{name}: {row[mode]}", newlines=True))
    program = own_program()
    if program != "spillview":
        streams.note(
            f"the hook writes {printable(program)} where spillview stands here"
        )
    return 0
