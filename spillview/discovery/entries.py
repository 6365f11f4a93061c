"""What directory entries say: artifacts, transcripts, stores, and what went wrong."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from spillview.catalogue.finds import Facts, Finds
from spillview.digests import sha256
from spillview.discovery.routes import Captures, Route, hashed_session
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.model import Found, Problem
from spillview.named import NamedTuple
from spillview.profiles.patterns import Part, fill
from spillview.profiles.profile import Glob, Profile, TranscriptRule, untilde

if TYPE_CHECKING:
    from typing import Protocol

    from spillview.stored.stored import Stored

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
    """What its files hold, each once."""
    transcripts: int = 0
    problem: str | None = None
    disk: int = 0
    """Bytes of the disk that they take."""


class Discovery:
    """Everything that directory entries say."""

    def __init__(self) -> None:
        self.found = Finds()
        self.transcripts: list[TranscriptFound] = []
        self.problems: list[Problem] = []
        self.projects: list[str] = []
        """Folders that were taken as projects: what was found is of sessions whose
        folder name may stand for one; the transcript's own folder decides."""
        self.plain: list[str] = []
        """Folders that were taken as folders of files."""
        self.began = time.time()
        """When the look began, seconds since the epoch."""
        self.roots: set[tuple[str, str]] | None = None
        """Harness and folder of every store of this user; None where PATHs were
        looked at instead."""
        self.folders: dict[str, int] = {}
        """Every folder that was listed, with its mtime (ns) before that."""
        self._stores: list[StoreFound] | Callable[[], list[StoreFound]] = []

    @property
    def stores(self) -> list[StoreFound]:
        """The roots that exist, and what each holds: added up when first asked for."""
        if not isinstance(self._stores, list):
            self._stores = self._stores()
        return self._stores

    @stores.setter
    def stores(self, stores: list[StoreFound] | Callable[[], list[StoreFound]]) -> None:
        self._stores = stores

    def __getstate__(self) -> dict[str, object]:
        """What another process is given: nothing that is still to be added up."""
        return {**self.__dict__, "_stores": self.stores}


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
    """What the files of one folder share that one pattern takes."""

    glob: Glob
    profile: Profile
    folder: str
    root: str
    captures: Captures
    """What the folders above say."""
    last: Part
    """The part of the pattern that a file's own name fits."""
    below: str
    """The folder's path with a separator at its end."""
    real: str
    """The real folder: ids depend on it."""
    transcript: str | None
    stored: Stored | None = None

    @property
    def harness(self) -> str:
        """Whose they are."""
        return self.profile.harness

    def path_of(self, name: str) -> str:
        """The path of the file of that name."""
        return self.below + name

    def ident_of(self, name: str) -> str:
        """Its id: 16 hex digits."""
        real = self.real  # joined by hand: there may be very many
        address = real + name if real.endswith(os.sep) else f"{real}{os.sep}{name}"
        return sha256(os.fsencode(address)).hexdigest()[:16]

    def says_of(self, name: str) -> Mapping[str, str] | None:
        """What its path and name say of it; None when it is no artifact."""
        said = self.last.match(name)
        captures = {**self.captures, **said} if said else self.captures
        return says_of(self.glob, self.profile, name, captures)

    def found_of(self, name: str, facts: Facts) -> Found:
        """The artifact that is the regular file of that name."""
        size, mtime_ns, ino, dev, mode, uid, nlink, blocks = facts
        get = (self.says_of(name) or self.captures).get
        return Found(
            self.ident_of(name),
            self.profile.harness,
            self.below + name,
            name,
            get("session") or self.folder,
            self.root,
            self.captures.get("project"),
            "file",
            size,
            mtime_ns,
            dev,
            ino,
            mode,
            uid,
            nlink,
            None,
            None,
            None,
            get("call_id"),
            get("tool") or self.glob.tool,
            get("label") or get("stream"),
            get("content") or self.glob.content,
            self.transcript,
            get("digest"),
            stored=self.stored,
            blocks=blocks,
        )


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


def other_of(
    common: Common, name: str, facts: os.stat_result | None, error: str | None
) -> Found:
    """One artifact that is no regular file; without `facts` an unreadable one."""
    if facts is None:
        found = common.found_of(name, (0, 0, 0, 0, 0, 0, 1, None))
        return replace(found, type="unreadable", error=error)
    path = common.path_of(name)
    found = common.found_of(name, facts_of(facts))
    if stat.S_ISREG(facts.st_mode):
        return found
    if not stat.S_ISLNK(facts.st_mode):
        return replace(found, type="special", size=0)
    target, target_size, target_mtime_ns = _target(path)
    return replace(
        found,
        type="symlink",
        size=0,
        target=target,
        target_size=target_size,
        target_mtime_ns=target_mtime_ns,
    )


def facts_of(facts: os.stat_result) -> Facts:
    """What is kept of an entry's facts."""
    return (
        facts.st_size,
        facts.st_mtime_ns,
        facts.st_ino,
        facts.st_dev,
        facts.st_mode,
        facts.st_uid,
        facts.st_nlink,
        getattr(facts, "st_blocks", None),
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
        blocks=getattr(facts, "st_blocks", None),
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
        from spillview.stored.databases import state  # only where there is a database

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
