"""What directory entries say: artifacts, transcripts, stores, and what went wrong."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from spillview.model import Found, Problem
from spillview.patterns import fill
from spillview.profile import Glob, Profile, TranscriptRule, untilde
from spillview.routes import Captures, Route, hashed_session

if TYPE_CHECKING:
    from typing import Protocol

    from spillview.stored import Stored

    class Entry(Protocol):
        """What is asked of a directory entry; `os.DirEntry` has all of it."""

        @property
        def name(self) -> str: ...
        def is_file(self, *, follow_symlinks: bool = True) -> bool: ...
        def is_symlink(self) -> bool: ...
        def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


_HASHED = re.compile("session-[0-9a-f]{12}")


class TranscriptFound(NamedTuple):
    """One transcript's file (or folder, or database), not opened yet."""

    harness: str
    reader: str
    path: str
    session: str
    """The session its spills belong to: a subagent's is its parent's."""
    parent_session: str | None
    """The parent's id when it is a subagent's, else None."""
    agent: str | None
    project_slug: str | None
    size: int
    mtime_ns: int
    dev: int
    ino: int
    root: str
    spill_session: str
    """What `Found.session` is for the spills of this session."""
    form: str = "jsonl"
    """How the records are kept: `jsonl`, `json`, `json-dir`, `sqlite`."""
    project: str | None = None
    """The working folder, where the store says which one its folder stands for."""

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Device, inode, size, mtime: unchanged means unchanged."""
        return (self.dev, self.ino, self.size, self.mtime_ns)


class StoreFound(NamedTuple):
    """One root folder of a harness that exists, and what lies in it."""

    harness: str
    root: str
    confidence: str
    artifacts: int = 0
    bytes: int = 0
    transcripts: int = 0
    problem: str | None = None


@dataclass(slots=True)
class Discovery:
    """Everything that directory entries say."""

    found: list[Found] = field(default_factory=list)
    transcripts: list[TranscriptFound] = field(default_factory=list)
    stores: list[StoreFound] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)
    """Folders that were taken as projects: what was found is of sessions whose folder
    name may stand for one of these; the transcript's own folder decides."""
    plain: list[str] = field(default_factory=list)
    """Folders that were taken as folders of files."""


class PathEntry(NamedTuple):
    """A single path as a directory entry."""

    path: str
    name: str

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.stat(follow_symlinks=follow_symlinks).st_mode)

    def is_symlink(self) -> bool:
        """Whether it is a link."""
        return os.path.islink(self.path)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Its facts; raises OSError."""
        return os.stat(self.path, follow_symlinks=follow_symlinks)


class Common(NamedTuple):
    """What the files of one folder share."""

    glob: Glob
    harness: str
    folder: str
    root: str
    project: str | None
    transcript: str | None
    stored: Stored | None = None


def says_of(
    glob: Glob, profile: Profile, name: str, captures: Captures
) -> Mapping[str, str] | None:
    """What a file's path and name say of it; None when it is no artifact."""
    if not glob.artifact:
        return None
    read = profile.read_name(name)
    if read is None:
        return None if glob.named else captures
    rule, groups = read
    if rule.skip:
        return None
    says = {**captures, **groups} if captures else dict(groups)
    if rule.content is not None:
        says["content"] = rule.content
    if rule.tool is not None:
        says["tool"] = fill(rule.tool, says) or rule.tool
    return says


def found_of(
    ident: str,
    path: str,
    name: str,
    common: Common,
    says: Mapping[str, str],
    facts: os.stat_result | None,
    error: str | None = None,
) -> Found:
    """One artifact; without `facts` an unreadable one."""
    get = says.get
    kind = "file"
    size = mtime_ns = dev = ino = mode = uid = 0
    nlink = 1
    target = target_size = target_mtime_ns = None
    if facts is None:
        kind = "unreadable"
    else:
        mode = facts.st_mode
        size, mtime_ns = facts.st_size, facts.st_mtime_ns
        dev, ino, uid, nlink = facts.st_dev, facts.st_ino, facts.st_uid, facts.st_nlink
        if not stat.S_ISREG(mode):
            size = 0
            kind = "special"
            if stat.S_ISLNK(mode):
                kind = "symlink"
                target, target_size, target_mtime_ns = _target(path)
    return Found(
        ident,
        common.harness,
        path,
        name,
        get("session") or common.folder,
        common.root,
        common.project,
        kind,  # type: ignore[arg-type]  # one of the four literals
        size,
        mtime_ns,
        dev,
        ino,
        mode,
        uid,
        nlink,
        target,
        target_size,
        target_mtime_ns,
        get("call_id"),
        get("tool") or common.glob.tool,
        get("label") or get("stream"),
        get("content") or common.glob.content,
        common.transcript,
        get("digest"),
        error,
        stored=common.stored,
    )


def renewed(found: Found) -> Found:
    """The artifact with its entry's facts as they are now."""
    try:
        facts = os.lstat(found.path)
    except OSError as error:
        return replace(found, type="unreadable", error=no_access(error))
    if found.row is not None:  # the row's own size and time are not the file's
        return found
    regular, link = stat.S_ISREG(facts.st_mode), stat.S_ISLNK(facts.st_mode)
    target, target_size, target_mtime_ns = (
        _target(found.path) if link else (None, None, None)
    )
    return replace(
        found,
        type="file" if regular else "symlink" if link else "special",
        size=facts.st_size if regular else 0,
        mtime_ns=facts.st_mtime_ns,
        dev=facts.st_dev,
        ino=facts.st_ino,
        mode=facts.st_mode,
        uid=facts.st_uid,
        nlink=facts.st_nlink,
        target=target,
        target_size=target_size,
        target_mtime_ns=target_mtime_ns,
        error=None,
    )


def log_of(
    route: Route, path: str, captures: Captures, facts: os.stat_result, root: str
) -> TranscriptFound:
    """One transcript."""
    rule = route.rule
    parent = captures.get("parent")
    session = parent or captures.get("session") or path
    if isinstance(rule, TranscriptRule) and rule.decode == "tilde":
        session = untilde(session)
    spills = session
    hashed = any(glob.session == "sha256-12" for glob in route.profile.globs)
    if hashed and _HASHED.fullmatch(session) is None:
        spills = hashed_session(session)
    size = facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    mtime_ns = facts.st_mtime_ns
    if isinstance(rule, TranscriptRule) and rule.form == "sqlite":
        from spillview.databases import state  # only where there is a database

        with suppress(OSError):
            _, _, size, mtime_ns = state(path, facts)
    return TranscriptFound(
        route.profile.harness,
        rule.reader or "",
        path,
        session,
        parent,
        captures.get("agent"),
        captures.get("project"),
        size,
        mtime_ns,
        facts.st_dev,
        facts.st_ino,
        root,
        spills,
        rule.form if isinstance(rule, TranscriptRule) else "jsonl",
    )


def artifact_id(address: str) -> str:
    """The id of the artifact at a path: 16 hex digits of its real folder and name.

    A row of a database has its key behind a NUL (`Found.address`).
    """
    path, separator, row = address.partition("\0")
    folder, name = os.path.split(os.path.abspath(path))
    whole = os.path.join(os.path.realpath(folder), name) + separator + row
    return sha256(os.fsencode(whole)).hexdigest()[:16]


def no_access(error: OSError) -> str:
    """A plain sentence for why something could not be looked at."""
    if isinstance(error, PermissionError):
        return "no access: permission denied"
    return f"cannot be read: {(error.strerror or 'unknown error').lower()}"


def _target(path: str) -> tuple[str | None, int | None, int | None]:
    """Where a link points, and its end's size and time; the end is not opened."""
    try:
        written = os.readlink(path)
    except OSError:
        return None, None, None
    try:
        facts = os.stat(path)
    except OSError:  # broken, or going in circles
        return written, None, None
    size = facts.st_size if stat.S_ISREG(facts.st_mode) else None
    return written, size, facts.st_mtime_ns
