"""What became of spilled outputs: read back, seen how far, carried at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.model import BYTES_PER_TOKEN, Artifact, Boundary, Link, Mention, Unit

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing
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
    unmeasured: int = 0
    """Artifacts that were not come to before it was stopped."""


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
    artifacts: Sequence[Artifact],
    *,
    boundary: Boundary | None = None,
    completing: Callable[[Listing], Iterable[Artifact]] = iter,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Statistics:
    """The statistics of completed artifacts; reads the transcripts behind them once.

    `boundary` is swept alone; without one `BOUNDARIES` are. Links, background logs and
    what could not be counted are left out. Of a listing, whose transcripts are read,
    `completing` gives the artifacts complete; no more than a session of it is held.
    What was measured by then is given where it is `cancelled`.
    """
    from spillview.review.spill_sums import ByTool, Sweep

    sizes = BOUNDARIES if boundary is None else (boundary.size,)
    unit: Unit = "chars" if boundary is None else boundary.unit
    tools, swept = ByTool(), Sweep([Boundary(size, unit) for size in sizes])
    whole: list[int] | None = None
    uncounted = measured = 0
    for members in _together(catalogue, artifacts, completing):
        turns = _Transcripts(catalogue, members, sizes, unit, cancelled)
        for artifact in members:
            if cancelled is not None and cancelled():
                break
            measured += 1
            if not artifact.boundaries:
                continue  # a background log is written whatever its size
            if artifact.counts is None:
                uncounted += artifact.has_content
            else:
                spill = _spill(artifact, turns)
                tools.add(spill)
                swept.add(spill)
        counted = turns.whole()
        if counted is not None:
            whole = [
                a + b for a, b in zip(whole or [0] * len(sizes), counted, strict=True)
            ]
        if cancelled is not None and cancelled():
            break
        if progress is not None:
            progress(measured, len(artifacts))
    return Statistics(
        tools.rows(), swept.rows(whole), uncounted, len(artifacts) - measured
    )


def _together(
    catalogue: Catalogue,
    artifacts: Sequence[Artifact],
    completing: Callable[[Listing], Iterable[Artifact]],
) -> Iterator[Sequence[Artifact]]:
    """Artifacts that have transcripts in common, at once; each in one of these."""
    from spillview.catalogue.listing import Listing

    if not isinstance(artifacts, Listing):
        yield artifacts
        return
    others: list[Artifact] = []
    made = completing(artifacts.by_group())
    for group, members in groupby(made, lambda a: (a.found.harness, a.found.session)):
        if catalogue.is_open(group):
            others += members  # what they share with other sessions is not known
        else:
            yield list(members)
    yield list({artifact.id: artifact for artifact in others}.values())


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
        return tokens(size) * later if size else None


def tokens(size: int) -> int:
    """Estimated tokens of so many bytes."""
    return -(-size // BYTES_PER_TOKEN)


def _short(chars: int) -> str:
    return f"{chars // 1_000_000}M" if chars >= 1_000_000 else f"{chars // 1000}k"
