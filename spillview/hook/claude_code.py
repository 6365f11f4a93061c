"""Installing the hook in Claude Code's settings, and taking it out again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from spillview.errors import BadInput
from spillview.hook.permissions import config_folder, is_ours
from spillview.hook.replacing import create, read, replace
from spillview.hook.settings import Node, Trail, cut_out, inserted, scan
from spillview.own_files import open_own, unwritable
from spillview.places import private_dir
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.places import Places

SECONDS = 5
"""After so long Claude Code goes on without an answer, with the command as it is."""

_PATH = ("hooks", "PreToolUse")
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file of settings."""

    path: str
    before: bytes | None
    after: bytes | None
    """None: there is no such file."""
    piece: str = ""
    """What was put in, to be found again."""
    made: int = 0
    """How many of the objects and arrays around it were made for it."""

    @property
    def nothing(self) -> bool:
        """Whether all stays as it is."""
        return self.before == self.after


def entry(command: str) -> dict[str, Any]:
    """What goes into the settings: a hook on shell commands."""
    hook = {"type": "command", "command": command, "timeout": SECONDS}
    return {"matcher": "Bash", "hooks": [hook]}


def settings_path(places: Places, project: str | None) -> str:
    """The file of settings: the user's, or that of a project's folder."""
    if project is not None:
        return os.path.join(project, ".claude", "settings.json")
    return os.path.join(
        os.path.abspath(config_folder({**places.env, "HOME": places.home})),
        "settings.json",
    )


def commands_in(path: str) -> list[str]:
    """What our hooks in a file of settings start. Raises `BadInput` for no settings."""
    text = _text(path, read(path))
    with _of(path):
        body = text.removeprefix(_MARK)
        return [each.command for each in _ours(body)] if body.strip() else []


def plan_install(path: str, command: str) -> Change:
    """What installing changes; raises `BadInput` where it cannot be done."""
    before = read(path)
    text = _text(path, before)
    with _of(path):
        if not text.strip(_MARK + " \t\r\n"):
            new = json.dumps({_PATH[0]: {_PATH[1]: [entry(command)]}}, indent=2) + "\n"
            return Change(path, before, (text + new).encode(), new, 2)
        mark = _MARK if text.startswith(_MARK) else ""
        body = text[len(mark) :]
        ours = list(_ours(body))
        if ours:
            return _renewed(path, before, mark, body, ours, command)
        root = scan(body)
        hooks = root.get(_PATH[0])
        made = 2 if hooks is None else 1 if hooks.get(_PATH[1]) is None else 0
        new, start, end = inserted(body, _PATH, entry(command))
        return Change(path, before, (mark + new).encode(), new[start:end], made)


def _renewed(
    path: str,
    before: bytes | None,
    mark: str,
    body: str,
    ours: list[_Ours],
    command: str,
) -> Change:
    """Installed already: the same, but for the way to the program."""
    for found in reversed(ours):
        if found.command != command:
            node = found.node
            body = body[: node.start] + json.dumps(command) + body[node.end :]
    return Change(path, before, (mark + body).encode())


def plan_uninstall(path: str, places: Places) -> Change:
    """What uninstalling changes: exactly what installing had added."""
    before = read(path)
    text = _text(path, before)
    if before is None or not text.strip(_MARK + " \t\r\n"):
        return Change(path, before, before)
    with _of(path):
        mark = _MARK if text.startswith(_MARK) else ""
        body = text[len(mark) :]
        if not list(_ours(body)):
            return Change(path, before, before)
        record = _record(places, path)
        if record.get("after") == _digest(before):
            known, original = _original(record)
            if known:
                return Change(path, before, original)
        piece = record.get("piece")
        if isinstance(piece, str) and piece and body.count(piece) == 1:
            without = body.replace(piece, "")
            if _same_but_ours(body, without):
                return Change(path, before, (mark + without).encode())
        made = record.get("made")
        top = 2 - made if made in (0, 1, 2) else 0
        while True:
            ours = next(_ours(body), None)
            if ours is None:
                return Change(path, before, (mark + body).encode())
            body = cut_out(body, ours.trail, top)


def apply(change: Change, places: Places) -> str | None:
    """Do it; gives the path of the backup, None where there was nothing to keep.

    Raises `BadInput` where the file was changed meanwhile or cannot be replaced.
    """
    backup = None
    folder = os.path.join(places.state_dir, "hook")
    try:
        private_dir(folder)
        if change.before is not None:
            stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
            digest = _digest(change.before)[:8]
            backup = os.path.join(folder, f"settings-{stamp}-{digest}.json")
            if os.path.lexists(backup):
                backup = backup.removesuffix(".json") + f"-{time.time_ns()}.json"
            create(backup, change.before)
    except OSError as error:
        raise BadInput(
            f"{path_text(change.path)} is as it was, for a copy of it cannot be kept:"
            f" {unwritable(folder, error)}"
        ) from None
    if change.before is None:
        os.makedirs(os.path.dirname(change.path), mode=0o700, exist_ok=True)
    replace(change.path, change.before, change.after)
    _remember(places, change, backup)
    return backup


@dataclass(frozen=True, slots=True)
class _Ours:
    """One of our hooks in a file of settings."""

    command: str
    node: Node
    """Where its command stands."""
    trail: Trail


def _ours(text: str) -> Iterator[_Ours]:
    """Our hooks in the settings, in their order."""
    root = scan(text)
    trail: Trail = []
    node = root
    for key in _PATH:
        place = [name for name, _ in node.members].index(key) if node.get(key) else -1
        if place < 0:
            return
        trail.append((node, place))
        node = node.members[place][1]
    for at, (_, group) in enumerate(node.members):
        hooks = group.get("hooks")
        if hooks is None:
            continue
        for place, (_, hook) in enumerate(hooks.members):
            command = hook.get("command")
            if command is None or text[command.start] != '"':
                continue
            words = json.loads(text[command.start : command.end])
            if not is_ours(words):
                continue
            way = [*trail, (node, at)]
            if len(hooks.members) > 1:
                inner = [name for name, _ in group.members].index("hooks")
                way += [(group, inner), (hooks, place)]
            yield _Ours(words, command, way)


def _same_but_ours(text: str, without: str) -> bool:
    """Whether a text without the piece says the same, our hooks apart."""
    try:
        if list(_ours(without)):
            return False
        old, new = json.loads(text), json.loads(without)
    except (BadInput, ValueError):
        return False
    return bool(_bare(old) == _bare(new))


def _bare(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without our hooks, and without what is empty then."""
    hooks = dict(settings.get("hooks") or {})
    groups = []
    for group in hooks.pop("PreToolUse", None) or []:
        kept = [
            hook
            for hook in group.get("hooks", [])
            if not is_ours(str(hook.get("command")))
        ]
        if kept or not group.get("hooks"):
            groups.append({**group, "hooks": kept})
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**rest, "hooks": {**hooks, **({"PreToolUse": groups} if groups else {})}}


def _text(path: str, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path_text(path)}: byte {error.start} is not UTF-8") from None


class _of:
    """Puts the file's name before what is found wrong in it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, BadInput) and error.__cause__ is None:
            text = str(error)
            if not text.startswith(path_text(self._path)):
                raise BadInput(f"{path_text(self._path)}: {text}") from None


# What was installed where


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _records(places: Places) -> dict[str, Any]:
    try:
        with open_own(os.path.join(places.state_dir, "hook", "installed.json")) as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _record(places: Places, path: str) -> dict[str, Any]:
    found = _records(places).get(path)
    return found if isinstance(found, dict) else {}


def _original(record: dict[str, Any]) -> tuple[bool, bytes | None]:
    """Whether the file from before is known for sure, and what it held."""
    backup = record.get("backup")
    if backup is None:
        return record.get("before") is None, None
    try:
        with open_own(backup) as file:
            data = file.read()
    except (OSError, TypeError, ValueError):
        return False, None
    return _digest(data) == record.get("before"), data


def _remember(places: Places, change: Change, backup: str | None) -> None:
    records = _records(places)
    if change.piece:
        records[change.path] = {
            "before": None if change.before is None else _digest(change.before),
            "after": None if change.after is None else _digest(change.after),
            "backup": backup,
            "piece": change.piece,
            "made": change.made,
        }
    elif change.after is None or b"hook run claude-code" not in change.after:
        records.pop(change.path, None)
    path = os.path.join(places.state_dir, "hook", "installed.json")
    data = (json.dumps(records, indent=1) + "\n").encode()
    try:
        with open_own(path) as file:
            before: bytes | None = file.read()
    except OSError:
        before = None
    try:
        replace(path, before, data)
    except BadInput:
        return  # uninstalling finds its way without it
