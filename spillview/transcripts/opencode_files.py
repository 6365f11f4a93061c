"""opencode's older sessions: a folder of messages, and one of parts for each."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spillview.errors import SpillError
from spillview.transcripts import jsonl, logfile, opencode
from spillview.transcripts.tables import Key

if TYPE_CHECKING:
    from spillview.stored.databases import State


class Tree:
    """One session in files: `storage/{session,message,part}`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._session = os.path.basename(path)
        self._storage = os.path.dirname(os.path.dirname(path))
        self._parts: dict[int, tuple[str, dict[str, Any]]] = {}
        self.messages: list[tuple[str, dict[str, Any]]] = []
        """Each message's id and record, by time."""
        found = []
        for name in _names(path):
            value = _value(os.path.join(path, name))
            if value is not None:
                found.append((_created(value), name.removesuffix(".json"), value))
        found.sort(key=lambda each: each[:2])
        self.messages = [(ident, value) for _, ident, value in found]

    def state(self) -> State:
        """The state of the messages' folder; it changes with every message.

        While the last answer is under way its parts change too, which no folder tells:
        then no state is ever the same. Raises OSError.
        """
        from spillview.stored.databases import State

        facts = os.lstat(self._path)
        done = all(self.final({"message": value}) for _, value in self.messages[-1:])
        size = 0 if done else -1
        return State(facts.st_dev, facts.st_ino, size, facts.st_mtime_ns)

    def sessions(self) -> Iterable[tuple[str, str]]:
        """The one session, and what changes when a part of it does."""
        digest = hashlib.sha256()
        for key in self.keys(self._session):
            digest.update(f"{key.rowid} {key.stamp}\n".encode())
        digest.update(repr(self.about(self._session)).encode("utf-8", "replace"))
        yield self._session, digest.hexdigest()[:32]

    def about(self, session: str) -> dict[str, Any] | None:
        """The session's own file, in the folder of its project."""
        above = os.path.join(self._storage, "session")
        try:
            projects = sorted(os.listdir(above))
        except OSError:
            return None
        for project in projects:
            value = _value(os.path.join(above, project, f"{session}.json"))
            if value is not None:
                return {"session": value}
        return None

    def keys(self, session: str) -> Sequence[Key]:
        """The parts by their message's time, then by name; a hash of it finds one."""
        keys: list[Key] = []
        for ident, message in self.messages:
            folder = os.path.join(self._storage, "part", ident)
            for name in _names(folder):
                path = os.path.join(folder, name)
                try:
                    facts = os.lstat(path)
                except OSError:
                    continue
                row = _number(f"{ident}/{name}")
                self._parts[row] = (path, message)
                stamp = f"{facts.st_size} {facts.st_mtime_ns} {final(message)}"
                keys.append(Key(0, row, stamp))
        return keys

    def record(self, table: int, rowid: int) -> dict[str, Any] | None:
        """One part with its message."""
        if rowid not in self._parts:
            self.keys(self._session)
        path, message = self._parts.get(rowid, (None, None))
        value = _value(path) if path is not None else None
        if path is None or value is None:
            return None
        return {
            "id": os.path.basename(path).removesuffix(".json"),
            "message_id": os.path.basename(os.path.dirname(path)),
            "part": value,
            "message": message,
        }

    def final(self, record: dict[str, Any]) -> bool:
        """Whether the answer it is part of is complete."""
        return opencode.final(record)


def final(message: dict[str, Any]) -> bool:
    """Whether a message is complete."""
    return opencode.final({"message": message})


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)
            )
    except (FileNotFoundError, NotADirectoryError):
        return []


def _value(path: str) -> dict[str, Any] | None:
    from spillview.content.content import open_content

    try:
        content = open_content(path)
    except SpillError:
        return None
    try:
        if content.size > jsonl.LIMIT:
            return None
        return logfile.value_at(content, 0, content.size)
    finally:
        content.close()


def _created(message: dict[str, Any]) -> float:
    times = message.get("time")
    created = times.get("created") if isinstance(times, dict) else None
    return float(created) if isinstance(created, int | float) else 0.0


def _number(name: str) -> int:
    """A number that finds the part again; JSON keeps it whole."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return int(digest[:12], 16)
