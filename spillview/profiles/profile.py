"""What each harness does, as data.

A profile is a TOML file (`profile_file` reads it); nothing here knows a harness.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Boundary, Problem
from spillview.named import NamedTuple
from spillview.profiles.resumption import ReadTool, Resume
from spillview.profiles.rules import (
    NONE,
    BoundaryRule,
    Confidence,
    EnvOverride,
    Form,
    Glob,
    NameRule,
    Notice,
    Preview,
    ProjectName,
    Resolve,
    Retention,
    Root,
    Sample,
    TranscriptRule,
    Way,
    compiled,
    untilde,
)

if TYPE_CHECKING:
    from spillview.config import Settings
    from spillview.places import Places
    from spillview.profiles.record_fields import RecordFields

__all__ = [
    "BoundaryRule",
    "Confidence",
    "EnvOverride",
    "Form",
    "Glob",
    "NameRule",
    "Notice",
    "Preview",
    "Profile",
    "ProjectName",
    "Resolve",
    "Retention",
    "Root",
    "Sample",
    "TranscriptRule",
    "Way",
    "load_profiles",
    "marks_of",
    "untilde",
    "version_key",
]


class Profile(NamedTuple):
    """Everything known of one harness."""

    harness: str
    name: str
    confidence: Confidence
    source: str
    """The file it was read from."""
    rules: str
    """A digest of its text: facts read under other rules are out of date."""
    spills: bool = True
    guest: bool = False
    """True for what runs inside other harnesses and has no transcripts of its own."""
    roots: tuple[Root, ...] = ()
    globs: tuple[Glob, ...] = ()
    names: tuple[NameRule, ...] = ()
    notices: tuple[Notice, ...] = ()
    boundaries: tuple[BoundaryRule, ...] = ()
    retention: Retention = Retention()
    transcripts: tuple[TranscriptRule, ...] = ()
    pointer: Mapping[str, str] = NONE
    """Fields of a record that a reader may look at: `path_field`, `id_field`, …"""
    projects: tuple[ProjectName, ...] = ()
    """How `<project>` is made from a working folder; any of them."""
    frames: tuple[str, ...] = ()
    """Regexes of what the harness puts around a tool's output in a result's text."""
    members: tuple[str, ...] = ()
    """Where results are JSON objects: the members that hold a tool's output."""
    quirks: tuple[str, ...] = ()
    records: RecordFields | None = None
    """Where everything stands in a record, for the reader `fields`."""
    verified: bool = False
    """True where it was compared with real data of the harness."""
    resume: Resume = Resume()
    """How a session is resumed."""
    read_tool: ReadTool = ReadTool()
    """How its model reads a part of a file."""
    hosts: tuple[Any, ...] = ()
    """Of a guest: the profiles of those in whose transcripts its notices stand."""

    def boundaries_for(
        self,
        tool: str | None,
        version: str | None = None,
        env: Mapping[str, str] | None = None,
        *,
        content: str = "spill",
        settings: Settings | None = None,
    ) -> tuple[Boundary, ...]:
        """The gates for one result of `tool`, the user's settings first.

        Contents without a boundary (background logs) give none.
        """
        if any(not g.bounded and g.content == content for g in self.globs):
            return ()
        if settings is not None:
            chosen = settings.boundaries_for(self.harness, tool)
            if chosen:
                return chosen
        rules = [
            rule
            for rule in self.boundaries
            if rule.gate
            and (not rule.contents or content in rule.contents)
            and _in_versions(version, rule.since, rule.before)
        ]
        named = [r for r in rules if tool is not None and r.tools and _fits(tool, r)]
        first = named[0].tools if named else ()
        return tuple(
            Boundary(_size(rule, env or {}), rule.unit)
            for rule in rules
            if rule.tools == first
        )

    def swept(self, state: str, made: float | None, now: float) -> str | None:
        """A sentence when the harness itself has removed a file of that time by now."""
        kept = self.retention
        if state != "dangling" or kept.automatic is not True:
            return None
        if kept.seconds is None:
            if kept.by != "session":
                return None
            return f"{self.name} removes such files itself when the session ends."
        if made is None or now - made <= kept.seconds:
            return None
        return f"{self.name} removes such files itself after {kept.age}."

    @property
    def is_mute(self) -> bool:
        """Whether no transcript of it can say which call made an artifact."""
        rules = self.transcripts
        return bool(rules) and not any(rule.results for rule in rules)

    @property
    def session_in_names(self) -> bool:
        """Whether a file's name may say of which session it is."""
        return any("(?P<session>" in rule.regex for rule in self.names)

    def admitted(self, names: Sequence[str], *, named: bool) -> list[bool]:
        """Which of these file names are artifacts'; `named`: by a name rule only."""
        if not named and not any(rule.skip for rule in self.names):
            return [True] * len(names)
        return [
            next((not r.skip for r in self.names if r.pattern.fullmatch(n)), not named)
            for n in names
        ]

    def read_name(self, name: str) -> tuple[NameRule, Mapping[str, str]] | None:
        """The first name rule that fits `name`, and what its groups say."""
        for rule in self.names:
            found = compiled(rule.regex, re.DOTALL).fullmatch(name)
            if found is not None:
                said = found.groupdict()
                if None in said.values():
                    said = {k: v for k, v in said.items() if v is not None}
                if rule.decode == "tilde":
                    said = {k: untilde(v) for k, v in said.items()}
                return rule, said
        return None


def load_profiles(places: Places) -> tuple[dict[str, Profile], list[Problem]]:
    """Built-in profiles and the user's own, by harness, and what was wrong with some.

    A user's profile replaces a built-in one of the same harness. One that cannot be
    read is a problem with its file, its key and what to do; the others stand.
    """
    from spillview.profiles.cache import built_in

    profiles = {profile.harness: profile for profile in built_in(places)}
    problems: list[Problem] = []
    if os.path.lexists(os.path.join(places.config_dir, "harnesses")):
        from spillview.profiles.file import user_files

        for profile in user_files(places.config_dir, problems):
            profiles[profile.harness] = profile
    return profiles, problems


def marks_of(places: Places) -> tuple[tuple[object, ...], ...]:
    """What changes when the user adds, edits or removes a profile of their own."""
    folder = os.path.join(places.config_dir, "harnesses")
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        facts = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return ()
    return tuple(
        (name, each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns)
        for name, each in facts
        if name.endswith(".toml")
    )


def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing: `2.1.51-beta` gives (2, 1, 51)."""
    found = re.match(r"\D{0,8}(\d+(?:\.\d+){0,5})", version)
    return tuple(int(n) for n in found[1].split(".")) if found else ()


def _in_versions(version: str | None, since: str | None, before: str | None) -> bool:
    key = version_key(version) if version else ()
    if not key:
        return before is None
    if since is not None and key < version_key(since):
        return False
    return before is None or key < version_key(before)


def _fits(tool: str, rule: BoundaryRule) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in rule.tools)


def _size(rule: BoundaryRule, env: Mapping[str, str]) -> int:
    text = env.get(rule.env, "").strip() if rule.env else ""
    if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) == 0:
        return rule.size
    size = int(text)
    if rule.env_min is not None:
        size = max(size, rule.env_min)
    return size if rule.env_max is None else min(size, rule.env_max)
