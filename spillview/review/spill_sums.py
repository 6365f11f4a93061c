"""The statistics of spilled outputs, added up one output at a time."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from spillview.model import BYTES_PER_TOKEN, Artifact, Boundary, Unit
from spillview.review.statistics import Band, Spill, SweepRow, ToolRow, band_of, tokens


@dataclass(slots=True)
class _Sums:
    """One tool's outputs of one size band."""

    spilled: int = 0
    linked: int = 0
    read_back: int = 0
    known: int = 0
    """Bytes of those of which it is known what was received of them."""
    seen: int = 0
    bytes: int = 0
    carried: int | None = None
    later: array[int] = field(default_factory=lambda: array("q"))

    def add(self, spill: Spill) -> None:
        self.spilled += 1
        self.bytes += spill.bytes
        if not spill.linked:
            return
        self.linked += 1
        self.read_back += spill.read_back
        if spill.seen_bytes is not None:
            self.known += spill.bytes
            self.seen += spill.seen_bytes
        if spill.calls_later is not None:
            self.later.append(spill.calls_later)
        if spill.carried is not None:
            self.carried = (self.carried or 0) + spill.carried


class ByTool:
    """Outputs by tool and size band."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str | None, Band], _Sums] = {}
        self._totals: dict[str | None, int] = {}

    def add(self, spill: Spill) -> None:
        """One more."""
        tool = spill.artifact.tool
        key = (tool, band_of(spill.size("chars")))
        sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = _Sums()
        sums.add(spill)
        self._totals[tool] = self._totals.get(tool, 0) + spill.bytes

    def rows(self) -> tuple[ToolRow, ...]:
        """One for each tool and size band, tools with most bytes first."""
        totals = self._totals
        keys = sorted(
            self._sums, key=lambda key: (-totals[key[0]], key[0] or "", key[1].start)
        )
        return tuple(self._row(*key) for key in keys)

    def _row(self, tool: str | None, band: Band) -> ToolRow:
        sums = self._sums[tool, band]
        return ToolRow(
            tool,
            band,
            sums.spilled,
            sums.linked,
            sums.read_back if sums.linked else None,
            _median(sorted(sums.later)),
            sums.seen / sums.known if sums.known else None,
            sums.carried,
            sums.bytes,
        )


@dataclass(slots=True)
class _Above:
    """The outputs above one boundary."""

    spills: int = 0
    linked: int = 0
    read_backs: int = 0
    told: int = 0
    """Of so many it is known what was received of them."""
    kept_out: int = 0
    complete: bool = True


class Sweep:
    """For each of some boundaries the outputs above it, and what was done with them."""

    def __init__(self, boundaries: Sequence[Boundary]) -> None:
        self._above = [(boundary, _Above()) for boundary in boundaries]

    def add(self, spill: Spill) -> None:
        """One more."""
        for boundary, above in self._above:
            above.complete &= _spills_above(spill.artifact, boundary)
            if spill.size(boundary.unit) <= boundary.size:
                continue
            above.spills += 1
            if spill.linked:
                above.linked += 1
                above.read_backs += spill.read_back
            if spill.seen_bytes is not None:
                above.told += 1
                above.kept_out += tokens(spill.bytes - spill.seen_bytes)

    def rows(self, whole: Sequence[int] | None) -> tuple[SweepRow, ...]:
        """One for each boundary.

        `whole` has for each the results above it that went in whole, where known.
        """
        return tuple(
            SweepRow(
                boundary,
                above.spills,
                above.read_backs if above.linked or not above.spills else None,
                above.kept_out if above.told or not above.spills else None,
                whole[index] if whole is not None else None,
                above.complete,
            )
            for index, (boundary, above) in enumerate(self._above)
        )


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


def _median(values: Sequence[int]) -> float | None:
    if not values:
        return None
    middle = len(values) // 2
    if len(values) % 2:
        return values[middle]
    both = values[middle - 1] + values[middle]
    return both // 2 if both % 2 == 0 else both / 2
