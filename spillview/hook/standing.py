"""How the hook stands on this machine: installed, able to start, and what stops it."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.errors import BadInput
from spillview.hook.claude_code import commands_in, settings_path
from spillview.hook.parsing import LeftAlone
from spillview.hook.permissions import load_permissions, ruled, settings_files
from spillview.hook.rules import OWN, load_rules
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.places import Places


@dataclass(frozen=True, slots=True)
class Standing:
    """The hook of Claude Code as its settings and our rules tell of it."""

    installed: tuple[tuple[str, str], ...]
    """Each file of settings with the command that it starts."""
    rules: str | None
    """The user's own file of rules; None where there is none."""
    problems: tuple[str, ...]
    """Plain sentences: why the hook cannot start, or changes nothing."""
    unread: tuple[str, ...] = ()
    """Files of settings that could not be understood."""

    def __str__(self) -> str:
        if not self.installed and self.unread:
            files = dict.fromkeys(map(path_text, self.unread))
            said = f"whether it is installed is not known, for {', '.join(files)}"
        elif not self.installed:
            said = "not installed (spillview hook install claude-code does it)"
        else:
            files = dict.fromkeys(path_text(path) for path, _ in self.installed)
            said = f"installed in {', '.join(files)}"
        own = "" if self.rules is None else f"; own rules in {path_text(self.rules)}"
        return f"claude-code: {said}{own}"


def standing(places: Places, cwd: str) -> Standing:
    """Look at everything the hook depends on; reads, changes and starts nothing."""
    problems: list[str] = []
    unread: list[str] = []
    installed: list[tuple[str, str]] = []
    project = os.path.join(cwd, ".claude", "settings")
    files = (settings_path(places, None), f"{project}.json", f"{project}.local.json")
    for path in dict.fromkeys(files):
        try:
            installed += [(path, command) for command in commands_in(path)]
        except BadInput as error:
            unread.append(path)
            problems.append(
                f"{error}: correct that, then `spillview hook install claude-code`"
                " can work on it"
            )
    for command in dict.fromkeys(command for _, command in installed):
        lost = _lost(command, places)
        if lost is not None:
            problems.append(
                f"the settings start {path_text(lost)}, which is not there or cannot be"
                " started: every command stays as it is until `spillview hook install"
                " claude-code` has named it anew"
            )
    own = os.path.join(places.config_dir, OWN)
    try:
        load_rules(places.config_dir)
    except BadInput as error:
        problems.append(f"{error}; until that is mended every command stays as it is")
    else:
        problems += cautions(places, cwd) if installed else []
    rules = own if os.path.lexists(own) else None
    told = tuple(dict.fromkeys(problems))
    return Standing(tuple(installed), rules, told, tuple(unread))


def cautions(places: Places, cwd: str) -> list[str]:
    """What keeps the hook from doing anything, as far as settings tell.

    Raises `BadInput` for rules of the user that are not in order.
    """
    beside = load_rules(places.config_dir).lists["beside"]
    try:
        env = {**places.env, "HOME": places.home}
        permissions = load_permissions(settings_files(env, cwd))
    except LeftAlone as reason:
        return [f"the hook {reason}; until then every command stays as it is"]
    found = []
    others = [
        other
        for other in permissions.other_hooks
        if not any(part and part in other for part in beside)
    ]
    if others:
        found.append(
            f"other hooks see shell commands ({'; '.join(dict.fromkeys(others))})."
            " Which of two rewritten commands wins is left to chance, so every command"
            f" stays as it is until {path_text(os.path.join(places.config_dir, OWN))}"
            ' says that they never rewrite one: beside = ["part of their command"]'
        )
    if permissions.sandboxed:
        found.append("commands run in a sandbox, and stay as they are")
    rule = ruled(permissions.allow, ["spillview wrap --label x --tail 1 -- x"])
    if rule is not None:
        found.append(
            f"the rule {rule} allows spillview, which would let every wrapped command"
            " pass unasked; so every command stays as it is"
        )
    return found


def _lost(command: str, places: Places) -> str | None:
    """The program of a hook's command, where it cannot be started."""
    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError):
        return command
    path = places.env.get("PATH", os.defpath)
    return None if shutil.which(program, path=path) is not None else program
