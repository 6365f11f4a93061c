"""What became of spilled outputs: read back, seen how far, carried at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.model import BYTES_PER_TOKEN, Artifact, Boundary, Mention, Unit

if TYPE_CHECKING:
    from spillview.catalogue import Catalogue
    from spillview.transcripts.turns import Turns

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
    read_back: int
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
    read_backs: int
    tokens_kept_out: int
    """Estimated tokens of these that the model never received."""
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
    turns = _Transcripts(catalogue, cancelled)
    spills: list[Spill] = []
    uncounted = 0
    for artifact in artifacts:
        if cancelled is not None and cancelled():
            break
        if not artifact.boundaries:
            continue  # a background log is written whatever its size
        if artifact.counts is None:
            uncounted += artifact.has_content
        else:
            spills.append(_spill(artifact, turns))
    boundaries = BOUNDARIES if boundary is None else (boundary.size,)
    unit: Unit = "chars" if boundary is None else boundary.unit
    return Statistics(
        by_tool(spills),
        sweep(spills, [Boundary(n, unit) for n in boundaries]),
        uncounted,
    )


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
    spills: Sequence[Spill], boundaries: Iterable[Boundary]
) -> tuple[SweepRow, ...]:
    """For each boundary: the outputs above it, and what was done with them."""
    rows = []
    for boundary in boundaries:
        above = [s for s in spills if s.size(boundary.unit) > boundary.size]
        kept = sum(
            _tokens(s.bytes - s.seen_bytes) for s in above if s.seen_bytes is not None
        )
        rows.append(
            SweepRow(
                boundary,
                len(above),
                sum(s.read_back for s in above),
                kept,
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
        sum(s.read_back for s in linked),
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
    starts = {m.transcript: m.offset for m in reversed(link.mentions)}
    later: list[int] = []
    for read in reads:
        if read.transcript in starts:
            turns = transcripts.turns(read.transcript)
            calls = turns.calls_until(starts[read.transcript], read.call_id)
            if calls is not None:
                later.append(calls)
    return Spill(
        artifact,
        True,
        bool(reads),
        min(later, default=None),
        link.seen.bytes if link.seen is not None else None,
        transcripts.carried(mention, artifact.found.harness),
    )


class _Transcripts:
    """Transcripts read for their turns, each once."""

    def __init__(
        self, catalogue: Catalogue, cancelled: Callable[[], bool] | None
    ) -> None:
        self._catalogue = catalogue
        self._cancelled = cancelled
        self._turns: dict[str, Turns] = {}

    def turns(self, path: str) -> Turns:
        """The turns of a transcript; none where it cannot be read."""
        from spillview.transcripts import turns

        known = self._turns.get(path)
        if known is None:
            known = turns.Turns()
            found = self._catalogue.transcript(path)
            if found is not None:
                try:
                    known = turns.read(found, self._cancelled)
                except Unreadable:
                    known = turns.Turns()
            self._turns[path] = known
        return known

    def carried(self, mention: Mention, harness: str) -> int | None:
        """Tokens of the envelope x the model's later turns."""
        from spillview.transcripts import record_text

        turns = self.turns(mention.transcript)
        if not turns.turns:
            return None
        try:
            text = record_text(mention, self._catalogue.profile(harness))
        except Unreadable:
            return None
        size = len(text.encode("utf-8", "surrogatepass"))
        return _tokens(size) * turns.carried(mention.offset)


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)


def _short(chars: int) -> str:
    return f"{chars // 1_000_000}M" if chars >= 1_000_000 else f"{chars // 1000}k"
