"""The user's permission rules for Claude Code, and what they could mean.

A rule that could match leaves the command alone, so everything here errs towards a
match: rules of every settings file count together, whichever would win.
"""

from __future__ import annotations

import json
import os
import sys

from spillview.hook.globs import matches
from spillview.hook.parsing import LeftAlone, Simple
from spillview.hook.reading import read_regular

TYPE_CHECKING = False  # as in `typing`, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

_MAX_BYTES = 8 << 20
_MANAGED = {
    "linux": "/etc/claude-code",
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}
_FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep")


class Pattern(str):
    """What a rule's brackets hold, for matching, with the rule as the user wrote it."""

    rule: str

    def __new__(cls, pattern: str, rule: str) -> Pattern:
        """A pattern of a rule."""
        found = super().__new__(cls, pattern)
        found.rule = rule
        return found


class Permissions:
    """What every settings file of the user says about shell commands."""

    def __init__(self) -> None:
        self.rules: dict[str, list[Pattern]] = {"allow": [], "ask": [], "deny": []}
        """Patterns of `Bash(…)` rules; `*` stands for any text."""
        self.files_ruled = False
        """Whether a rule keeps files from being read, which counts for `cat` too."""
        self.sandboxed = False
        """Whether commands run in a sandbox, from which nothing can be stored."""
        self.other_hooks: list[str] = []
        """Other PreToolUse hooks that see shell commands."""

    @property
    def allow(self) -> list[Pattern]:
        """The patterns that let a command pass unasked."""
        return self.rules["allow"]

    @property
    def asking(self) -> list[Pattern]:
        """The patterns that ask or deny."""
        return [*self.rules["ask"], *self.rules["deny"]]


def config_folder(env: Mapping[str, str]) -> str:
    """Claude Code's folder of this user."""
    chosen = env.get("CLAUDE_CONFIG_DIR")
    return chosen or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".claude")


def settings_files(env: Mapping[str, str], cwd: str | None) -> Iterator[str]:
    """Every file that may hold rules or hooks; few of them exist.

    Those of the project are looked for in every folder above `cwd`, for a hook is not
    told where the project begins.
    """
    managed = env.get("SPILLVIEW_MANAGED_SETTINGS") or _MANAGED.get(sys.platform)
    if managed:
        yield os.path.join(managed, "managed-settings.json")
        more = os.path.join(managed, "managed-settings.d")
        try:
            names = sorted(os.listdir(more))
        except OSError:
            names = []
        yield from (os.path.join(more, name) for name in names if name[:1] != ".")
    own = config_folder(env)
    for name in ("settings.json", "settings.local.json", "remote-settings.json"):
        yield os.path.join(own, name)
    yield from _plugin_files(own)
    folders = [env.get("CLAUDE_PROJECT_DIR") or "", cwd or ""]
    seen = {own}
    for folder in folders:
        if not os.path.isabs(folder):
            continue
        while True:
            below = os.path.join(folder, ".claude")
            if below not in seen:
                seen.add(below)
                yield os.path.join(below, "settings.json")
                yield os.path.join(below, "settings.local.json")
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent


def _plugin_files(own: str) -> Iterator[str]:
    """Where installed plugins keep hooks, in the same form as settings do.

    Those that are switched off count too; what a session alone loads is not known.
    """
    listed = _settings(os.path.join(own, "plugins", "installed_plugins.json"))
    plugins = listed.get("plugins")
    for places in plugins.values() if isinstance(plugins, dict) else ():
        for place in places if isinstance(places, list) else [places]:
            folder = place.get("installPath") if isinstance(place, dict) else None
            if isinstance(folder, str) and os.path.isabs(folder):
                yield os.path.join(folder, "hooks", "hooks.json")
                yield os.path.join(folder, ".claude-plugin", "plugin.json")


def load_permissions(paths: Iterable[str]) -> Permissions:
    """What these settings files say; raises `LeftAlone` for one that cannot be read."""
    found = Permissions()
    for path in paths:
        data = _settings(path)
        if data:
            _take(data, path, found)
    return found


def _settings(path: str) -> dict[str, Any]:
    try:
        data = read_regular(path, _MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise LeftAlone(f"cannot know the rules in {path}: {error.strerror}") from None
    if len(data) > _MAX_BYTES:
        raise LeftAlone(f"cannot know the rules in {path}: it is too large")
    if not data.strip():
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise LeftAlone(f"cannot know the rules in {path}: it is no JSON") from None
    if not isinstance(value, dict):
        raise LeftAlone(f"cannot know the rules in {path}: it is no JSON object")
    return value


def _take(data: dict[str, Any], path: str, found: Permissions) -> None:
    permissions = data.get("permissions")
    if permissions is not None and not isinstance(permissions, dict):
        raise LeftAlone(f"cannot know the rules in {path}: permissions is no object")
    permissions = permissions or {}
    for kind, patterns in found.rules.items():
        rules = permissions.get(kind)
        if rules is None:
            continue
        if not isinstance(rules, list):
            raise LeftAlone(f"cannot know the rules in {path}: {kind} is no list")
        for rule in rules:
            if not isinstance(rule, str):
                raise LeftAlone(f"cannot know the rules in {path}: {rule!r}")
            tool, _, inner = rule.strip().partition("(")
            if matches(tool.strip(), "Bash"):
                patterns.append(Pattern(_pattern(inner), rule.strip()))
            elif kind != "allow" and tool.strip() in _FILE_TOOLS:
                found.files_ruled = True
    if permissions.get("blockReadsOutsideWorkingDirectories"):
        found.files_ruled = True
    sandbox = data.get("sandbox")
    if isinstance(sandbox, dict) and sandbox.get("enabled"):
        found.sandboxed = True
    found.other_hooks += _other_hooks(data.get("hooks"))


def _pattern(inner: str) -> str:
    """The pattern between the brackets of a rule; nothing there means everything."""
    inner = inner.rstrip()
    inner = inner[:-1] if inner.endswith(")") else inner
    inner = inner.strip()
    # Some versions take `:*` for any ending, others for further words.
    return inner.removesuffix(":*") + "*" if inner.endswith(":*") else inner or "*"


def _other_hooks(hooks: object) -> Iterator[str]:
    """The commands of PreToolUse hooks on shell commands that are not ours."""
    groups = hooks.get("PreToolUse") if isinstance(hooks, dict) else None
    for group in groups if isinstance(groups, list) else ():
        if not isinstance(group, dict):
            continue
        matcher = group.get("matcher")
        if isinstance(matcher, str) and not sees_shell(matcher):
            continue
        entries = group.get("hooks")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                command = entry.get("command") or entry.get("url") or entry.get("type")
                if not is_ours(str(command)):
                    yield str(command)


def sees_shell(matcher: str) -> bool:
    """Whether a hook with this matcher is started for shell commands."""
    import re

    if matcher in ("", "*"):
        return True
    try:
        return re.search(matcher, "Bash") is not None
    except re.error:
        return True


def is_ours(command: str) -> bool:
    """Whether a hook's command is the one that `hook install` writes."""
    return "spillview" in command and command.rstrip().endswith("hook run claude-code")


def covers(pattern: str, text: str) -> bool:
    """Whether a `Bash(…)` pattern could match a command."""
    if pattern.endswith(" *") and matches(pattern[:-2], text):
        return True
    return matches(pattern.replace("\\*", "*"), text)


def ruled(patterns: Sequence[str], commands: Iterable[str]) -> str | None:
    """The first rule that could match one of the commands, as it is written."""
    for text in commands:
        for pattern in patterns:
            if covers(pattern, text):
                return pattern.rule if isinstance(pattern, Pattern) else pattern
    return None


_WRAPPERS = (
    *("timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin"),
    *("env", "xargs", "noglob", "nocorrect", "setsid", "ionice", "flock"),
)


def spellings(simple: Simple) -> Iterator[str]:
    """Every way in which a rule could have been written for one simple command."""
    words = simple.values
    assigned = [word.value for word in simple.assignments]
    yield simple.text
    yield " ".join(simple.text.split())
    yield " ".join([*assigned, *words])
    yield " ".join(words)
    base = os.path.basename(words[0])
    yield " ".join([base, *words[1:]])
    if base in _WRAPPERS:  # whatever its options are, the command follows them
        for at in range(1, len(words)):
            yield " ".join(words[at:])
            yield " ".join([os.path.basename(words[at]), *words[at + 1 :]])


def inner_words(words: Sequence[str]) -> Sequence[str]:
    """The words of the command that `timeout`, `nice` or `env` starts.

    Gives `words` themselves where the wrapper's options are not understood.
    """
    base = os.path.basename(words[0])
    at = 1
    if base == "timeout":
        while at < len(words) and words[at][:1] == "-":
            at += 2 if words[at] in ("-k", "-s") else 1
        at += 1  # the duration
    elif base == "nice":
        while at < len(words) and words[at][:1] == "-":
            at += 2 if words[at] == "-n" else 1
    elif base == "stdbuf":
        while at < len(words) and words[at][:1] == "-":
            at += 2 if words[at] in ("-i", "-o", "-e") else 1
    elif base == "env":
        while at < len(words) and "=" in words[at] and words[at][:1] != "-":
            at += 1
    else:
        return words
    if at >= len(words) or words[at][:1] == "-":
        return words
    return inner_words(words[at:])
