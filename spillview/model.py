"""The facts of the field as small frozen classes; no I/O happens here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from spillview.frozen import Frozen, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spillview.stored import Stored

Unit = Literal["chars", "utf16", "bytes", "lines", "tokens"]
Kind = Literal["text", "json", "jsonl", "binary", "image", "special"]
LinkState = Literal["linked", "orphan", "dangling", "cut", "unknown"]
"""`unknown`: no record points at it, but a transcript that may could not be read."""
VerdictClass = Literal["fail", "pass", "unknown"]

Range = tuple[int, int]
"""Half-open byte range `[start, end)` of an artifact's file."""

BYTES_PER_TOKEN = 4
"""The token estimate's rule: one token for every four bytes, rounded up."""


class Boundary(Frozen):
    """The size at which a harness spills, with its unit."""

    size: int
    unit: Unit

    def __str__(self) -> str:
        return f"{self.size:,} {self.unit}"


class Line(Frozen):
    """One line of an artifact: 1-based number, byte range without CR/LF, text."""

    number: int
    start: int
    end: int
    text: str
    """Decoded with errors replaced, cut at 2,000 chars when `truncated`."""
    truncated: bool = False


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


class Claim(Frozen):
    """What a notice states about the artifact: bytes, chars, lines, sha256, …"""

    unit: str
    """`bytes`, `omitted_bytes`, `chars`, `lines`, `tokens` or `sha256`."""
    value: int | str
    slack: float = 0.0
    """How far an exact count may lie from `value` through the notice's own rounding."""


class Next(Frozen):
    """What the agent said and called first after an envelope: the decision on it."""

    text: str | None = None
    tool: str | None = None
    command: str | None = None
    record: int | None = None


class Mention(Frozen):
    """One transcript record that carries an envelope, with the call it answers."""

    transcript: str
    session: str
    record: int
    """1-based line of the record in the transcript."""
    offset: int
    length: int
    """Byte range of the record in the (decompressed) transcript."""
    place: Literal["result", "prompt", "attachment"]
    notice: str
    """Id of the notice rule that matched, such as `claude.persisted`."""
    path: str | None
    """The artifact's path as the record gives it; None for a cut with nothing saved."""
    block: int = 0
    """Which text block of the record, counted from 0, holds the notice."""
    start: int = 0
    end: int = 0
    """Char range of the envelope inside that block's text."""
    claims: tuple[Claim, ...] = ()
    call_id: str | None = None
    tool: str | None = None
    command: str | None = None
    failed: bool | None = None
    exit_code: int | None = None
    time: float | None = None
    """Of the call, in seconds since the epoch (UTC)."""
    agent: str | None = None
    """The subagent that made the call, if it was one."""
    version: str | None = None
    """The harness's version as the transcript records it."""
    copy_chars: int = 0
    """Chars of a full copy that the record embeds beside the preview; 0 if none."""
    next: Next | None = None
    given: bool = True
    """False when the log alone holds this text: a program received the whole result,
    and the model what the program made of it."""
    ident: str | None = None
    """What the record calls the artifact where it gives no path: an id, a handle."""
    label: str | None = None
    """What the writer of the artifact calls it."""
    partial: str | None = None
    """Why the artifact is known to hold less than there was, as a plain sentence."""
    boundaries: tuple[Boundary, ...] = ()
    """The gates it was spilled at, where its writer noted them."""


class Read(Frozen):
    """A later call that named the artifact, and what came back of it."""

    tool: str | None
    call_id: str | None
    transcript: str
    record: int
    session: str
    own: bool
    """True for the artifact's own session, its subagents and forks."""
    ranges: tuple[Range, ...] | None
    """Byte ranges it showed; empty when it showed none; None when not known."""
    offset: int = 0
    length: int = 0
    """Byte range of the result's record in the (decompressed) transcript."""
    command: str | None = None
    failed: bool | None = None
    named: bool = False
    """True when the call named the artifact; False when only its result did."""


class Seen(Frozen):
    """The byte ranges of an artifact that the model received."""

    ranges: tuple[Range, ...]
    """Sorted, not touching, not overlapping."""
    certain: bool = True
    """False when some part of what the model received could not be located."""

    @property
    def bytes(self) -> int:
        """Bytes inside the ranges."""
        return sum(end - start for start, end in self.ranges)

    def covers(self, start: int, end: int) -> bool:
        """True when every byte of `[start, end)` was received."""
        if start >= end:
            return any(a <= start <= b for a, b in self.ranges)
        return any(a <= start and end <= b for a, b in self.ranges)


class Conclusion(Frozen):
    """The line in which a runner said how it ended, which need not be the last one."""

    line: Line
    runner: str
    """Whose rule found it: `pytest`, `jest`, `cargo`, …"""
    verdict: VerdictClass
    """`unknown` for a result that is neither, such as the total of `wc`."""
    seen: bool | None = None
    """Whether the model received the line; None where that is not known."""


class Signals(Frozen):
    """How many lines tell of trouble, and how many of them the model received."""

    total: int
    seen: int = 0
    """Lines received whole."""
    certain: bool = True
    """Whether the others were received by no one."""
    complete: bool = True
    """False when the content was too large to be looked through to its end."""

    @property
    def unseen(self) -> int | None:
        """Lines the model did not receive whole; None where that is not known."""
        return self.total - self.seen if self.certain else None


class Link(Frozen):
    """What the transcripts say of one artifact."""

    state: LinkState
    mentions: tuple[Mention, ...] = ()
    """In time order; the first is the envelope."""
    reads: tuple[Read, ...] = ()
    seen: Seen | None = None
    """None where nothing is known (orphans)."""
    verdict_seen: bool | None = None
    verdict: VerdictClass = "unknown"
    conclusion: Conclusion | None = None
    """The line that says how it ended, where a runner's pattern finds one."""
    signals: Signals | None = None
    """None where nothing is known of what was seen."""
    note: str | None = None
    """A plain sentence about the link: a duplicate copy, a capped spill, …"""
    partial: bool = False
    """True when the file is known to hold less than the call's result did."""
    intact: bool | None = None
    """Whether the content has the digest its name carries; None if it carries none."""
    chain: tuple[str, ...] = ()
    """Ids of the artifacts that reading one after the other made, this one among them;
    empty when no read of it was spilled again."""

    @property
    def envelope(self) -> Mention | None:
        """The record that put the envelope before the model first."""
        return self.mentions[0] if self.mentions else None


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

    def with_facts(self, counts: Counts | None, link: Link | None) -> Artifact:
        """This artifact with newer counts and link."""
        return replace(self, counts=counts, link=link)


class Missing(Frozen):
    """A call whose full result is not on disk: `dangling` or `cut`."""

    harness: str
    session: str
    project: str | None
    state: Literal["dangling", "cut"]
    mention: Mention
    swept: str | None = None
    """A sentence where the harness removes such files itself, and this one is old
    enough for it: then nothing is wrong."""


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
        """Bytes of all its artifacts by `stat` (links count nothing)."""
        return sum(artifact.found.size for artifact in self.artifacts)

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
