"""The answer to one PreToolUse event of Claude Code: a rewritten command or nothing.

Nothing is decided about permissions. The harness judges the rewritten command like any
other, so whatever a rule of the user speaks of is left as the rule knows it.
"""

from __future__ import annotations

import os
import sys

from spillview.hook.parsing import LeftAlone, Pipeline, Simple, parse
from spillview.hook.permissions import (
    Permissions,
    inner_words,
    load_permissions,
    ruled,
    settings_files,
    spellings,
)
from spillview.hook.rewriting import name_of, quote, through_wrap, variables
from spillview.hook.rules import Rule, Rules, begins, given, load_rules

TYPE_CHECKING = False  # as in `typing`, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_BUILTINS = (
    ". : alias bg bind break builtin caller cd chdir command compgen complete continue"
    " declare dirs disown emulate enable eval exec exit export fc fg float functions"
    " getopts hash history integer jobs let local logout mapfile popd print pushd read"
    " readarray readonly return set setopt shift shopt source suspend times trap type"
    " typeset ulimit umask unalias unfunction unset unsetopt wait whence zmodload"
    " autoload nohup newgrp"
)
STATE = frozenset(_BUILTINS.split())
"""Builtins that change the shell they run in, or ask about it, and `nohup`."""

REWRITERS = ("rtk", "spillview")
"""Programs that already stand between an agent and its command."""

ASKS_NOTHING = "bypassPermissions"
"""The permission mode in which nobody is asked about anything but rules."""

_MAX_INPUT = 1 << 20

_NO_EVENT = (
    "on stdin there was no event of Claude Code, which is JSON: no command is changed;"
    " `spillview hook explain claude-code -- COMMAND` tells what the hook makes of one"
)


class Decision:
    """What becomes of one command."""

    __slots__ = ("command", "reason")

    def __init__(self, command: str | None, reason: str) -> None:
        self.command = command
        """What runs in its place; None: it stays as it is."""
        self.reason = reason
        """Why it stays, in a few words; otherwise the rule's label."""


def decide(
    command: str,
    rules: Rules,
    permissions: Permissions,
    *,
    mode: str | None = None,
    session: str | None = None,
    program: str = "spillview",
) -> Decision:
    """What becomes of `command`; never raises for what a command holds."""
    try:
        pipelines = parse(command)
        rule = _wanted(pipelines, rules)
        _unruled(command, pipelines, rules, permissions, mode)
        text = through_wrap(
            command,
            pipelines,
            program=program,
            session=session,
            label=rule.label,
            tail=rule.tail,
        )
        _still_unruled(text, pipelines, permissions, program)
    except LeftAlone as reason:
        return Decision(None, str(reason))
    return Decision(text, rule.label)


def _wanted(pipelines: Sequence[Pipeline], rules: Rules) -> Rule:
    """The rule whose command this is; raises `LeftAlone` where there is none."""
    for pipeline in pipelines:
        for place, simple in enumerate(pipeline):
            _harmless(simple, rules, first=place == 0)
    found: Rule | None = None
    for pipeline in pipelines:
        rule = rules.rule_for(inner_words(pipeline[0].values))
        for simple in pipeline[1:]:
            _hands_on(simple, rules)
        found = found or rule
    if found is None:
        raise LeftAlone(_unwanted(pipelines, rules))
    return found


def _unwanted(pipelines: Sequence[Pipeline], rules: Rules) -> str:
    """Why no rule wants a command: what it says itself, or what it is."""
    for pipeline in pipelines:
        words = inner_words(pipeline[0].values)
        said = rules.refusal(words)
        if said is not None:
            return said
    names = dict.fromkeys(os.path.basename(p[0].values[0]) for p in pipelines)
    return f"is named by no rule ({', '.join(names)}); your own go into hook.toml"


def _harmless(simple: Simple, rules: Rules, *, first: bool) -> None:
    """Refuse what steers the shell, talks to a person or limits itself."""
    name = name_of(simple)
    for setting in simple.assignments:
        variable = setting.value.partition("=")[0].rstrip("+")
        if variable in ("PATH", "IFS", "ENV", "SHELL", "HOME") or variable.startswith(
            ("BASH", "LD_", "DYLD_", "SPILLVIEW")
        ):
            raise LeftAlone(f"sets {variable}")
    outer = simple.values
    inner = inner_words(outer)
    for words in (outer, inner):
        base = os.path.basename(words[0])
        if base in STATE:
            raise LeftAlone(f"has {base}")
        if base in rules.lists["interactive"]:
            raise LeftAlone(f"may talk to a person ({base})")
        if first and base in rules.lists["bare"] and len(words) == 1:
            raise LeftAlone(f"may wait for a person ({base})")
        if base in rules.lists["limits"]:
            raise LeftAlone(f"limits its output ({base})")
    for word in outer:
        if os.path.basename(word) in REWRITERS:
            raise LeftAlone(f"is rewritten already ({name})")


def _hands_on(simple: Simple, rules: Rules) -> None:
    """Refuse what follows a `|` and is not known to hand everything on."""
    words = simple.values
    base = os.path.basename(words[0])
    if base not in rules.lists["filters"]:
        raise LeftAlone(f"goes into {base}")
    options = [word for word in words[1:] if word[:1] == "-"]
    # `sort -n` and `nl` hand all on; `sed -n` and `grep -c` do not.
    limiting = rules.lists["limiting"]
    searching = base in ("grep", "egrep", "fgrep", "rg")
    if searching and any(given(o, options) for o in limiting if o != "-n"):
        raise LeftAlone(f"limits its output ({base})")
    if base == "sed" and (given("-n", options) or given("-i", options)):
        raise LeftAlone("limits its output (sed)")
    if base == "sed" and any(word.endswith("q") for word in words[1:]):
        raise LeftAlone("limits its output (sed)")
    if base in ("awk", "gawk") and any("NR" in word for word in words[1:]):
        raise LeftAlone("limits its output (awk)")
    if base == "sort" and given("-o", options):
        raise LeftAlone("writes into a file (sort)")


def _unruled(
    command: str,
    pipelines: Sequence[Pipeline],
    rules: Rules,
    permissions: Permissions,
    mode: str | None,
) -> None:
    """Refuse what a rule, a mode or another hook already speaks of."""
    if permissions.sandboxed:
        raise LeftAlone("runs in a sandbox, which keeps spillview from storing")
    if mode == "dontAsk":
        raise LeftAlone("would be refused in dontAsk mode")
    known = rules.lists["beside"]
    for other in permissions.other_hooks:
        if not any(part and part in other for part in known):
            raise LeftAlone(f"may be rewritten by another hook ({other})")
    simple = [each for pipeline in pipelines for each in pipeline]
    for patterns in (permissions.allow, permissions.asking):
        texts = [command, command.strip(), " ".join(command.split())]
        for each in simple:
            texts += spellings(each)
        rule = ruled(patterns, texts)
        if rule is not None:
            raise LeftAlone(f"falls under the rule {rule}")
    unasked = [_runs_unasked(each, rules) for each in simple]
    if permissions.files_ruled and any(unasked):
        raise LeftAlone("reads files, which a rule speaks of")
    if mode != ASKS_NOTHING and all(unasked):
        raise LeftAlone("runs without anybody being asked, which it would not wrapped")


def _runs_unasked(simple: Simple, rules: Rules) -> bool:
    """Whether the harness takes a command for one that only reads."""
    words = inner_words(simple.values)
    return any(begins(words, known.split()) for known in rules.lists["unasked"])


def _still_unruled(
    text: str, pipelines: Sequence[Pipeline], permissions: Permissions, program: str
) -> None:
    """Refuse when a rule speaks of what the command has become.

    An allow rule for `spillview wrap` would let every command pass unasked; a deny
    rule for `bash -c` would refuse one that nobody denied.
    """
    at = text.find(f"{program} wrap ")
    wrapped = text[at : text.find("; else ", at)]
    ours = [
        text,
        wrapped,
        wrapped.replace(program, "spillview", 1),
        f"{program} hook ready",
        "spillview hook ready",
    ]
    rule = ruled(permissions.allow, ours)
    if rule is not None:
        raise LeftAlone(f"would pass by the rule {rule}")
    if '" -c ' in wrapped:
        inner = wrapped[wrapped.index('" -c ') + 1 :]
        ours += [f"{shell}{inner}" for shell in ("bash", "sh", "/bin/bash")]
    for pipeline in pipelines:
        ours += [f"command -v {each.words[0].value}" for each in pipeline]
    ours += ["false", "[[ -x"]
    if "$(declare -p " in text:
        ours += [f"declare -p {name}" for name in variables(text)]
    rule = ruled(permissions.asking, ours)
    if rule is not None:
        raise LeftAlone(f"would fall under the rule {rule}")


def answer(
    event: object,
    env: Mapping[str, str],
    *,
    config_dir: str,
    cache_dir: str | None = None,
    program: str,
) -> dict[str, Any] | None:
    """What to print for an event of the harness; None: nothing, the command stays.

    Raises `BadInput` for rules of the user that are not in order.
    """
    if not isinstance(event, dict) or event.get("tool_name") != "Bash":
        return None
    if event.get("hook_event_name", "PreToolUse") != "PreToolUse":
        return None
    given_input = event.get("tool_input")
    if not isinstance(given_input, dict) or given_input.get("run_in_background"):
        return None
    command = given_input.get("command")
    if not isinstance(command, str) or not may_be_wanted(command):
        return None
    cwd, session, mode = (
        value if isinstance(value := event.get(key), str) else None
        for key in ("cwd", "session_id", "permission_mode")
    )
    if session is not None and not (session.isprintable() and 0 < len(session) <= 200):
        session = None
    try:
        permissions = load_permissions(settings_files(env, cwd))
    except LeftAlone:
        return None
    decision = decide(
        command,
        load_rules(config_dir, cache_dir),
        permissions,
        mode=mode,
        session=session,
        program=program,
    )
    if decision.command is None:
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "updatedInput": {**given_input, "command": decision.command},
        }
    }


def may_be_wanted(command: str) -> bool:
    """Whether a look at the rules is worth the time; costs next to nothing."""
    try:
        pipelines = parse(command)
    except LeftAlone:
        return False
    return all(
        os.path.basename(simple.words[0].value) not in STATE
        for pipeline in pipelines
        for simple in pipeline
    )


def own_program(*, short: bool = True) -> str:
    """How this program is started again, as shell text.

    With `short` its mere name, where that finds it.
    """
    here = os.path.abspath(sys.argv[0]) if sys.argv else ""
    if os.path.basename(here) == "__main__.py":
        return f"{quote(sys.executable)} -m spillview"
    if os.path.basename(here) != "spillview" or not os.access(here, os.X_OK):
        return "spillview"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = os.path.join(folder, "spillview")
        if short and os.path.isabs(folder) and os.access(found, os.X_OK):
            same = os.path.realpath(found) == os.path.realpath(here)
            return "spillview" if same else quote(here)
    return quote(here)


def run(program: str) -> int:
    """Read an event on stdin and answer it on stdout; always exits 0.

    Whatever goes wrong, nothing is printed and the command runs as it is.
    """
    try:
        import json

        data = sys.stdin.buffer.read(_MAX_INPUT + 1)
        if len(data) > _MAX_INPUT:
            return 0
        from spillview.folders import own_folder

        try:
            event = json.loads(data)
        except ValueError:
            sys.stderr.write(f"spillview: {_NO_EVENT}\n")
            return 0
        found = answer(
            event,
            os.environ,
            config_dir=own_folder("config"),
            cache_dir=own_folder("cache"),
            program=program,
        )
        if found is not None:
            text = json.dumps(found)
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
    except Exception as error:  # the agent's command matters more than ours
        sys.stderr.write(f"spillview: {error}\n")
    return 0
