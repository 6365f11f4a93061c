"""The facts of the field as small frozen classes; no I/O happens here."""

from __future__ import annotations

import os

from spillview.evidence import (
    Boundary,
    Claim,
    Conclusion,
    Line,
    Link,
    LinkState,
    Mention,
    Next,
    Range,
    Read,
    Seen,
    Signals,
    Unit,
    VerdictClass,
)
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Literal
from spillview.space import space_of, taken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spillview.cleanup.removals import Removal
    from spillview.secrets.looking import Secrets
    from spillview.stored.stored import Stored

__all__ = [
    "BYTES_PER_TOKEN",
    "Artifact",
    "Boundary",
    "Claim",
    "Conclusion",
    "Counts",
    "Found",
    "Kind",
    "Line",
    "Link",
    "LinkState",
    "Mention",
    "Missing",
    "Next",
    "Problem",
    "Range",
    "Read",
    "Seen",
    "Session",
    "Signals",
    "Unit",
    "VerdictClass",
]

Kind = Literal["text", "json", "jsonl", "binary", "image", "special"]

BYTES_PER_TOKEN = 4
"""The token estimate's rule: one token for every four bytes, rounded up."""


class Counts(Frozen, uncompared=("form",)):
    """Exact sizes of one artifact's content, from one pass over its bytes."""

    bytes: int
    chars: int
    """Code points of the text, decoded as UTF-8 with errors replaced (or UTF-16)."""
    utf16: int
    lines: int
    """LF bytes, plus one if the last byte is not LF; 0 when empty."""
    encoding: str
    """`utf-8`, `utf-8-invalid`, `utf-16-le`, `utf-16-be` or `binary`."""
    kind: Kind
    partial: bool = False
    """True when it begins as JSON and breaks."""
    verdict: Line | None = None
    """The last non-blank line; None when there is none."""
    form: str | None = None
    """What the content holds, where that is another one: see `forms.FORMS`."""

    @property
    def tokens(self) -> int:
        """Estimated tokens: bytes / 4, rounded up."""
        return -(-self.bytes // BYTES_PER_TOKEN)

    def size_in(self, unit: Unit) -> int:
        """The content's size in `unit`."""
        size: int = getattr(self, unit)
        return size


class Found(Frozen):
    """What a directory entry, `stat` and the path's shape say of one artifact."""

    id: str
    """16 hex digits that depend on the absolute path (and the row) alone."""
    harness: str
    path: str
    """Absolute; undecodable bytes are carried as surrogate escapes (`os.fsencode`)."""
    name: str
    session: str
    """The session id the layout gives (or, in dsh, `session-<12 hex>`)."""
    root: str
    """The store's root folder; no link is followed out of it."""
    project_slug: str | None = None
    type: Literal["file", "symlink", "special", "unreadable"] = "file"
    size: int = 0
    """Bytes by `stat`; 0 for a symlink."""
    mtime_ns: int = 0
    dev: int = 0
    ino: int = 0
    mode: int = 0
    uid: int = 0
    nlink: int = 1
    target: str | None = None
    """Where a symlink points, as written in the link."""
    target_size: int | None = None
    target_mtime_ns: int | None = None
    """A symlink target's own size and time: a live log's link looks stale without."""
    call_id: str | None = None
    """Only when the name or path itself carries it."""
    tool: str | None = None
    label: str | None = None
    content: str = "spill"
    """What the profile calls files of this place: `spill`, `background`, `hook`, …"""
    transcript: str | None = None
    """The transcript that the layout names for this session; it may not exist."""
    digest: str | None = None
    """A sha256 prefix carried by the name (outbox)."""
    error: str | None = None
    """Why it could not be examined, as a plain sentence."""
    project: str | None = None
    """The working folder, where the store says which one its folder stands for."""
    copies: tuple[str, ...] = ()
    """Where the harness itself keeps copies of the same file."""
    row: str | None = None
    """The row's key where the artifact is one of a database; `path` is the database."""
    stored: Stored | None = None
    """How the text lies in its file; None where the file is the text."""
    command: str | None = None
    """What its own store says of the call."""
    exit_code: int | None = None
    blocks: int | None = None
    """512-byte units of the disk; None where nothing tells."""

    @property
    def disk(self) -> int:
        """Bytes of the disk that it takes; see `space.taken`."""
        return taken(self.size, self.blocks)

    @property
    def address(self) -> str:
        """The path, and behind a NUL the row: what no other artifact has."""
        return self.path if self.row is None else f"{self.path}\0{self.row}"

    @property
    def place(self) -> str:
        """Where it is, for people: `/…/recall.db#0123456789ab`."""
        return self.path if self.row is None else f"{self.path}#{self.row}"

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Device, inode, size, mtime: cached facts hold while these are unchanged."""
        return (self.dev, self.ino, self.size, self.mtime_ns)


class Artifact(Frozen):
    """One artifact: what was found, what was counted, what is linked."""

    found: Found
    counts: Counts | None = None
    link: Link | None = None
    boundaries: tuple[Boundary, ...] = ()
    project: str | None = None
    """The real working folder, from the transcript."""
    session: str = ""
    """The true session id once known; before that what the layout gives."""
    error: str | None = None
    flags: tuple[str, ...] = ()
    reviewed: float | None = None
    """When the person marked it reviewed; None if not."""
    secrets: Secrets | None = None
    """The credentials in it; None where none is known, or nobody looked yet."""

    @property
    def id(self) -> str:
        """The artifact's id, 16 hex digits."""
        return self.found.id

    @property
    def envelope(self) -> Mention | None:
        """The mention that carries its envelope, if one was found."""
        return self.link.envelope if self.link else None

    @property
    def has_content(self) -> bool:
        """False for links, FIFOs, sockets and devices: there is nothing to count."""
        return self.found.type not in ("symlink", "special")

    @property
    def tool(self) -> str | None:
        """The tool of the call that made it."""
        mention = self.envelope
        return (mention.tool if mention else None) or self.found.tool

    @property
    def command(self) -> str | None:
        """The command line, or the call's arguments on one line."""
        mention = self.envelope
        return (mention.command if mention else None) or self.found.command

    @property
    def label(self) -> str | None:
        """What its writer, or its name, calls it."""
        mention = self.envelope
        return (mention.label if mention else None) or self.found.label

    @property
    def given_name(self) -> str | None:
        """The label that a person gave it, which says more than its command."""
        mention = self.envelope
        label = mention.label if mention else None
        return None if label in ("result", "dispatch") else label

    @property
    def failed(self) -> bool | None:
        """The call's error state; None where the harness records nothing."""
        mention = self.envelope
        failed = mention.failed if mention else None
        if failed is None and self.found.exit_code is not None:
            return self.found.exit_code != 0
        return failed

    @property
    def created(self) -> float:
        """The call's time, else when it changed; seconds since the epoch."""
        mention = self.envelope
        if mention is not None and mention.time is not None:
            return mention.time
        return self.changed

    @property
    def changed(self) -> float:
        """The file's mtime, seconds since the epoch.

        A link is as fresh as what it points at: the log behind it may grow for hours.
        """
        behind = self.found.target_mtime_ns
        return (behind if behind is not None else self.found.mtime_ns) / 1e9

    @property
    def dated(self) -> bool:
        """Whether any time is known of it: of its call, or of its file."""
        mention = self.envelope
        called = mention is not None and mention.time is not None
        return called or self.found.type != "unreadable"

    @property
    def gate(self) -> tuple[Boundary, float] | None:
        """The boundary with the highest ratio, and that ratio; None if none applies."""
        if self.counts is None or not self.boundaries:
            return None
        ratios = [(self.counts.size_in(b.unit) / b.size, b) for b in self.boundaries]
        ratio, boundary = max(ratios, key=lambda pair: pair[0])
        return boundary, ratio

    @property
    def ratio(self) -> float | None:
        """Size in the boundary's own unit / the boundary; None if unknown."""
        gate = self.gate
        return gate[1] if gate else None

    @property
    def verdict_seen(self) -> bool | None:
        """Whether the model received the verdict; None where nothing is known."""
        return self.link.verdict_seen if self.link else None

    @property
    def conclusion_seen(self) -> bool | None:
        """Whether the model received what it concludes: its conclusion, else verdict.

        None where nothing is known.
        """
        conclusion = self.link.conclusion if self.link else None
        return conclusion.seen if conclusion is not None else self.verdict_seen

    @property
    def modelless(self) -> bool:
        """Whether only the file that its writer laid beside it tells of its session.

        Then no transcript of that session holds its envelope, and no model is known
        to have read it there.
        """
        link = self.link
        if link is None or not link.mentions or any(read.own for read in link.reads):
            return False
        folder, name = os.path.split(self.found.path)
        start = os.path.join(folder, f".{name[:13]}")
        return all(mention.transcript.startswith(start) for mention in link.mentions)


class Missing(Frozen):
    """A call whose full result is not on disk: `dangling` or `cut`."""

    harness: str
    session: str
    project: str | None
    state: Literal["dangling", "cut"]
    mention: Mention
    swept: str | None = None
    """A sentence where nothing is wrong: the harness removes such files itself, and
    this one is old enough for it; or the person removed it, see `removal`."""
    removal: Removal | None = None
    """How a clean-up of ours removed the file; None where none did."""

    @property
    def word(self) -> str:
        """Its state, or what a clean-up of ours did."""
        return self.state if self.removal is None else self.removal.word


class Session(Frozen):
    """One agent run and its artifacts."""

    harness: str
    id: str
    project: str | None
    title: str | None
    started: float | None
    last_active: float | None
    live: bool
    artifacts: Sequence[Artifact]
    skipped: int = 0
    """Lines of its transcripts that hold no readable record."""

    @property
    def activity(self) -> Literal["live", "recent", ""]:
        """What to call it where it is `live`: one that no agent is known of is recent.

        What a person wrapped has come to its end, unless it grows.
        """
        if not self.live:
            return ""
        growing = any("growing" in artifact.flags for artifact in self.artifacts)
        alone = bool(self.artifacts) and all(a.modelless for a in self.artifacts)
        return "recent" if alone and not growing else "live"

    @property
    def bytes(self) -> int:
        """Bytes of all its files by `stat`, each once (links count nothing)."""
        return space_of(artifact.found for artifact in self.artifacts).bytes

    @property
    def chars(self) -> int | None:
        """Chars of all its artifacts; None while one of them is not counted."""
        total = 0
        for artifact in self.artifacts:
            if artifact.counts is not None:
                total += artifact.counts.chars
            elif artifact.has_content:
                return None
        return total

    @property
    def over_boundary(self) -> int:
        """How many artifacts have a ratio above 1."""
        return sum(1 for a in self.artifacts if (a.ratio or 0) > 1)

    @property
    def verdict_unseen(self) -> int:
        """How many artifacts have a verdict the model did not receive."""
        return sum(1 for a in self.artifacts if a.verdict_seen is False)


class Problem(Frozen):
    """Something that could not be read: where, and a plain sentence."""

    path: str
    sentence: str
    harness: str | None = None
