"""What became of spilled outputs: read back, seen how far, carried at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.model import BYTES_PER_TOKEN, Artifact, Boundary, Link, Mention, Unit

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.discovery.discovery import TranscriptFound
    from spillview.transcripts.turns import Turns, Wanted

EDGES = (25_000, 50_000, 100_000, 250_000, 1_000_000, 10_000_000)
"""Chars at which one size band ends and the next begins."""

BOUNDARIES = (
    *(10_000, 16_000, 20_000, 25_000, 30_000, 40_000, 50_000, 75_000, 100_000),
    *(150_000, 200_000, 300_000, 500_000, 1_000_000),
)
"""Boundaries that the sweep tries, unless others are asked for."""


@dataclass(frozen=True, slots=True)
class Spill:
    """One spilled output as the statistics take it."""

    artifact: Artifact
    linked: bool
    """False where no record points at it, so that nothing is known of its use."""
    read_back: bool = False
    """Whether its own session looked into it after the envelope."""
    calls_later: int | None = None
    """At which call after the envelope it was first read back; None if it was not, or
    another transcript did it."""
    seen_bytes: int | None = None
    """Bytes that the model ever received; None where that is not known."""
    carried: int | None = None
    """Tokens of its envelope x later turns of the model; None where not known."""

    @property
    def bytes(self) -> int:
        """Bytes of the whole output."""
        return self.artifact.counts.bytes if self.artifact.counts else 0

    def size(self, unit: Unit) -> int:
        """Its size in `unit`."""
        return self.artifact.counts.size_in(unit) if self.artifact.counts else 0


@dataclass(frozen=True, slots=True)
class Band:
    """Sizes from `start` up to, not with, `end` chars; None for no end."""

    start: int
    end: int | None

    def __str__(self) -> str:
        if not self.start:
            return f"under {_short(self.end or 0)}"
        if self.end is None:
            return f"{_short(self.start)} and more"
        return f"{_short(self.start)} to {_short(self.end)}"


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool's outputs of one size band."""

    tool: str | None
    band: Band
    spilled: int
    linked: int
    """Of the spilled, those that a record points at; the rest is about these."""
    read_back: int | None
    """None where none is linked."""
    calls_later: float | None
    """Calls from the envelope to the first reading back, the median; None if none."""
    seen_share: float | None
    """Bytes ever received / bytes, of those where it is known."""
    carried_tokens: int | None
    """Estimated tokens of envelopes x later turns, summed."""
    bytes: int


@dataclass(frozen=True, slots=True)
class SweepRow:
    """What a boundary would have done to the same outputs."""

    boundary: Boundary
    spills: int
    read_backs: int | None
    """None where it is known of none of them."""
    tokens_kept_out: int | None
    """Estimated tokens of these that the model never received; None likewise."""
    whole: int | None
    """Results above it that the model received whole, in the sessions that spilled
    these; None where no transcript holds results."""
    complete: bool
    """False where smaller outputs, which went in whole and left no file, would have
    been spilled too: then there are at least so many."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Rows by tool and size band, and the sweep over boundaries."""

    tools: tuple[ToolRow, ...]
    sweep: tuple[SweepRow, ...]
    uncounted: int = 0
    """Artifacts left out because nothing could be counted."""


def band_of(chars: int) -> Band:
    """The size band of an output of so many chars."""
    start = 0
    for edge in EDGES:
        if chars < edge:
            return Band(start, edge)
        start = edge
    return Band(start, None)


def measure(
    catalogue: Catalogue,
    artifacts: Iterable[Artifact],
    *,
    boundary: Boundary | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Statistics:
    """The statistics of completed artifacts; reads the transcripts behind them once.

    `boundary` is swept alone; without one `BOUNDARIES` are. Links, background logs and
    what could not be counted are left out.
    """
    found = list(artifacts)
    sizes = BOUNDARIES if boundary is None else (boundary.size,)
    unit: Unit = "chars" if boundary is None else boundary.unit
    turns = _Transcripts(catalogue, found, sizes, unit, cancelled)
    spills: list[Spill] = []
    uncounted = 0
    for artifact in found:
        if cancelled is not None and cancelled():
            break
        if not artifact.boundaries:
            continue  # a background log is written whatever its size
        if artifact.counts is None:
            uncounted += artifact.has_content
        else:
            spills.append(_spill(artifact, turns))
    boundaries = [Boundary(size, unit) for size in sizes]
    swept = sweep(spills, boundaries, turns.whole())
    return Statistics(by_tool(spills), swept, uncounted)


def by_tool(spills: Sequence[Spill]) -> tuple[ToolRow, ...]:
    """One row for each tool and size band, tools with most bytes first."""
    groups: dict[tuple[str | None, Band], list[Spill]] = {}
    totals: dict[str | None, int] = {}
    for spill in spills:
        tool = spill.artifact.tool
        groups.setdefault((tool, band_of(spill.size("chars"))), []).append(spill)
        totals[tool] = totals.get(tool, 0) + spill.bytes
    keys = sorted(groups, key=lambda key: (-totals[key[0]], key[0] or "", key[1].start))
    return tuple(_row(tool, band, groups[tool, band]) for tool, band in keys)


def sweep(
    spills: Sequence[Spill],
    boundaries: Sequence[Boundary],
    whole: Sequence[int] | None = None,
) -> tuple[SweepRow, ...]:
    """For each boundary: the outputs above it, and what was done with them.

    `whole` has for each the results above it that went in whole, where known.
    """
    rows = []
    for index, boundary in enumerate(boundaries):
        above = [s for s in spills if s.size(boundary.unit) > boundary.size]
        linked = [s for s in above if s.linked]
        kept = [
            _tokens(s.bytes - s.seen_bytes) for s in above if s.seen_bytes is not None
        ]
        rows.append(
            SweepRow(
                boundary,
                len(above),
                sum(s.read_back for s in linked) if linked or not above else None,
                sum(kept) if kept or not above else None,
                whole[index] if whole is not None else None,
                all(_spills_above(s.artifact, boundary) for s in spills),
            )
        )
    return tuple(rows)


_IMPLIED: dict[Unit, dict[Unit, float]] = {
    "chars": {"chars": 1, "utf16": 1, "bytes": 1, "tokens": BYTES_PER_TOKEN},
    "utf16": {"utf16": 1, "bytes": 1, "tokens": BYTES_PER_TOKEN},
    "bytes": {"bytes": 1, "tokens": BYTES_PER_TOKEN},
    "tokens": {"tokens": 1, "bytes": 1 / BYTES_PER_TOKEN},
    "lines": {"lines": 1},
}
"""What is larger than N in a unit is larger than N in these others, times this."""


def _spills_above(artifact: Artifact, boundary: Boundary) -> bool:
    """Whether its harness spilled everything that `boundary` would have."""
    sizes = _IMPLIED[boundary.unit]
    return any(
        gate.size * sizes[gate.unit] <= boundary.size
        for gate in artifact.boundaries
        if gate.unit in sizes
    )


def _row(tool: str | None, band: Band, spills: Sequence[Spill]) -> ToolRow:
    linked = [s for s in spills if s.linked]
    known = [s for s in linked if s.seen_bytes is not None]
    later = sorted(s.calls_later for s in linked if s.calls_later is not None)
    carried = [s.carried for s in linked if s.carried is not None]
    total = sum(s.bytes for s in known)
    return ToolRow(
        tool,
        band,
        len(spills),
        len(linked),
        sum(s.read_back for s in linked) if linked else None,
        _median(later),
        sum(s.seen_bytes or 0 for s in known) / total if total else None,
        sum(carried) if carried else None,
        sum(s.bytes for s in spills),
    )


def _median(values: Sequence[int]) -> float | None:
    if not values:
        return None
    middle = len(values) // 2
    if len(values) % 2:
        return values[middle]
    both = values[middle - 1] + values[middle]
    return both // 2 if both % 2 == 0 else both / 2


def _spill(artifact: Artifact, transcripts: _Transcripts) -> Spill:
    link, mention = artifact.link, artifact.envelope
    if link is None or link.state != "linked" or mention is None:
        return Spill(artifact, linked=False)
    reads = [read for read in link.reads if read.own and read.ranges != ()]
    starts = _starts(link)
    later: list[int] = []
    for read in reads:
        start = starts.get((read.transcript, read.session))
        turns = transcripts.turns(start) if start is not None else None
        if start is not None and turns is not None:
            calls = turns.calls_until(start, read.call_id)
            if calls is not None:
                later.append(calls)
    return Spill(
        artifact,
        True,
        bool(reads),
        min(later, default=None),
        None if link.seen is None or link.seen.is_unknown else link.seen.bytes,
        transcripts.carried(mention, artifact.found.harness),
    )


def _starts(link: Link) -> dict[tuple[str, str], Mention]:
    """The first envelope in each session of each transcript."""
    return {(m.transcript, m.session): m for m in reversed(link.mentions)}


class _Transcripts:
    """Transcripts read for their turns, each session once."""

    def __init__(
        self,
        catalogue: Catalogue,
        artifacts: Sequence[Artifact],
        sizes: tuple[int, ...],
        unit: Unit,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._catalogue = catalogue
        self._sizes, self._unit = sizes, unit
        self._own: dict[tuple[str, str], Mention] = {}
        """The sessions that spilled these, each by an envelope in it."""
        self._cancelled = cancelled
        self._found: dict[str, TranscriptFound | None] = {}
        self._turns: dict[tuple[str, str], Turns | None] = {}
        self._wanted: dict[tuple[str, str], Wanted] = {}
        for artifact in artifacts:
            link = artifact.link
            if link is not None and link.state == "linked" and artifact.boundaries:
                self._want(link, artifact.envelope)

    def _want(self, link: Link, envelope: Mention | None) -> None:
        from spillview.transcripts.turns import Wanted

        starts = _starts(link)
        asked = [*starts.values(), *([envelope] if envelope is not None else ())]
        for mention in asked:
            key = (mention.transcript, mention.session)
            if key not in self._wanted:
                self._wanted[key] = Wanted(edges=self._sizes, unit=self._unit)
                for other in self._catalogue.mentions_in(*key):
                    self._wanted[key].replace(other)
            self._wanted[key].about(mention)
        if envelope is not None:
            self._own.setdefault((envelope.transcript, envelope.session), envelope)
        for read in link.reads:
            key = (read.transcript, read.session)
            if key in starts and read.own and read.call_id is not None:
                self._wanted[key].calls.add(read.call_id)

    def turns(self, mention: Mention) -> Turns | None:
        """The turns of an envelope's session; None where they cannot be read."""
        from spillview.transcripts import turns

        key = (mention.transcript, mention.session)
        if key not in self._turns:
            self._turns[key] = None
            found = self._transcript(mention.transcript)
            if found is not None:
                profile = self._catalogue.profile(found.harness)
                with suppress(Unreadable):
                    self._turns[key] = turns.read(
                        found,
                        profile,
                        mention.session,
                        self._wanted[key],
                        self._cancelled,
                    )
        return self._turns[key]

    def whole(self) -> list[int] | None:
        """Results in the artifacts' sessions that went in whole, above each size."""
        counted: list[int] | None = None
        for mention in self._own.values():
            turns = self.turns(mention)
            if turns is not None and turns.results:
                counted = counted or [0] * len(self._sizes)
                counted = [a + b for a, b in zip(counted, turns.above, strict=True)]
        return counted

    def _transcript(self, path: str) -> TranscriptFound | None:
        if path not in self._found:
            self._found[path] = self._catalogue.transcript(path)
        return self._found[path]

    def carried(self, mention: Mention, harness: str) -> int | None:
        """Tokens of the envelope x the model's later turns."""
        from spillview.transcripts import record_text

        turns = self.turns(mention)
        later = turns.carried(mention) if turns is not None else None
        if turns is None or later is None or not mention.given:
            return None
        size = turns.sizes.get(mention)
        if size is None:
            try:
                text = record_text(mention, self._catalogue.profile(harness))
            except Unreadable:
                return None
            size = len(text.encode("utf-8", "surrogatepass"))
        return _tokens(size) * later if size else None


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)


def _short(chars: int) -> str:
    return f"{chars // 1_000_000}M" if chars >= 1_000_000 else f"{chars // 1000}k"
