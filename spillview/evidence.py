"""What transcripts say of an artifact: its envelope, later reads, what was seen of it.

Small frozen classes of facts, as in `model`, which gives them to everybody.
"""

from __future__ import annotations

from spillview.frozen import Frozen
from spillview.hints import Literal

Unit = Literal["chars", "utf16", "bytes", "lines", "tokens"]
LinkState = Literal["linked", "orphan", "dangling", "cut", "unknown"]
"""`unknown`: no record points at it, but a transcript that may could not be read."""
VerdictClass = Literal["fail", "pass", "unknown"]

Range = tuple[int, int]
"""Half-open byte range `[start, end)` of an artifact's file."""


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

    @property
    def is_unknown(self) -> bool:
        """True when nothing of what the model received could be located."""
        return not self.certain and not self.ranges

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
