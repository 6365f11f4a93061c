"""Results of a search across artifacts as rows: session, artifact, line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from spillview.model import Artifact, Range
from spillview.search.excerpts import as_bytes
from spillview.secrets.lines import MaskedLines
from spillview.text import printable
from spillview.tui.queue.members import Members

SHOWN = 5_000
"""Lines that are shown at most; further ones are counted."""

BEFORE, AFTER = 200, 400
"""Bytes of a line kept before and after its first hit."""

SEEN_WORDS = {True: "seen", False: "never seen", None: "unknown"}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The session that the artifacts below belong to."""

    heading: ClassVar[bool] = True
    harness: str
    session: str
    project: str | None


@dataclass(slots=True)
class ArtifactRow:
    """An artifact with hits; `lines` grows while they come in."""

    heading: ClassVar[bool] = True
    index: int
    """Of the artifact in the list that is searched."""
    lines: int = 0


@dataclass(frozen=True, slots=True)
class LineRow:
    """One line that matches, cut around its first hit."""

    heading: ClassVar[bool] = False
    index: int
    number: int | None
    at: Range
    """Where the first hit is (or, in UTF-16, its line), in bytes on disk."""
    text: str
    hits: tuple[tuple[int, int], ...]
    """Characters of `text` that matched."""
    seen: bool | None


Row = SessionRow | ArtifactRow | LineRow


@dataclass(slots=True)
class Batch:
    """Rows since the last batch, and totals so far."""

    rows: list[Row] = field(default_factory=list)
    total: int = 0
    shown: int = 0
    artifacts: int = 0


def grouped(artifacts: Sequence[Artifact]) -> Sequence[Artifact]:
    """The artifacts by session, sessions and artifacts in the order they came in."""
    if isinstance(artifacts, Members):
        runs: dict[tuple[str, str], list[int]] = {}
        finds, sessions = artifacts.table.finds, artifacts.gists.sessions
        for place in artifacts.order:
            session = sessions[place] or finds.session(place)
            runs.setdefault((finds.harness(place), session), []).append(place)
        return artifacts.of(place for run in runs.values() for place in run)
    groups: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in artifacts:
        key = (artifact.found.harness, artifact.session or artifact.found.session)
        groups.setdefault(key, []).append(artifact)
    return [artifact for group in groups.values() for artifact in group]


def _idents(artifacts: Sequence[Artifact]) -> Sequence[str]:
    if isinstance(artifacts, Members):
        return artifacts.idents()
    return [artifact.id for artifact in artifacts]


class Gatherer:
    """Turns ripgrep's messages into rows."""

    def __init__(self, artifacts: Sequence[Artifact], shown: int = SHOWN) -> None:
        self._artifacts = artifacts
        self._places: dict[str, int] = {}
        for index, ident in enumerate(_idents(artifacts)):
            self._places.setdefault(ident, index)
        self._limit = shown
        self._session: tuple[str, str] | None = None
        self._artifact: ArtifactRow | None = None
        self._rows: list[Row] = []
        self.total = 0
        self.shown = 0
        self.artifacts = 0
        self._masks = MaskedLines()

    @property
    def full(self) -> bool:
        """Whether further lines are only counted."""
        return self.shown >= self._limit

    @property
    def index(self) -> int:
        """Of the artifact with the last line; -1 before the first."""
        return self._artifact.index if self._artifact is not None else -1

    def count(self, lines: int) -> None:
        """Add an artifact of which only the number of lines is known."""
        self.total += lines
        self.artifacts += 1

    def take(self, message: dict[str, Any]) -> None:
        """Add one message; all but matches only say where the next ones belong."""
        if message["type"] != "match":
            return
        data = message["data"]
        index = self._places[data["artifact"]]
        self.total += 1
        fresh = self._artifact is None or self._artifact.index != index
        if fresh:
            self._artifact = ArtifactRow(index)
            self.artifacts += 1
        assert self._artifact is not None
        self._artifact.lines += 1
        if self.shown >= self._limit:
            return
        if fresh:
            self._head(index)
        artifact = self._artifacts[index]
        offset = data["absolute_offset"] + data.get("excerpt_start", 0)
        line = self._masks.masked(artifact, offset, as_bytes(data["lines"]))
        self._rows.append(line_row(index, data, artifact, line))
        self.shown += 1

    def _head(self, index: int) -> None:
        artifact = self._artifacts[index]
        key = (artifact.found.harness, artifact.session or artifact.found.session)
        if key != self._session:
            self._session = key
            self._rows.append(SessionRow(*key, artifact.project))
        assert self._artifact is not None
        self._rows.append(self._artifact)

    def close(self) -> None:
        """Close the artifact whose lines came last."""
        self._masks.close()

    def batch(self) -> Batch:
        """The rows since the last batch."""
        rows, self._rows = self._rows, []
        return Batch(rows, self.total, self.shown, self.artifacts)


def line_row(
    index: int, data: dict[str, Any], artifact: Artifact, line: bytes
) -> LineRow:
    """The row of one match, whose line is drawn as it is given here."""
    hits = [(hit["start"], hit["end"]) for hit in data["submatches"]] or [(0, 0)]
    first, last = hits[0]
    start = max(0, first - BEFORE)
    stop = min(len(line), max(first + AFTER, min(last, first + 4 * AFTER)))
    while start < first and line[start] & 0xC0 == 0x80:
        start += 1
    text = _shown(line[start:stop].rstrip(b"\r\n"))
    if start == 0:
        blank = len(text) - len(text.lstrip(" ␉"))
        blank = min(blank, len(_shown(line[:first])))
    else:
        blank = 0
    spans = [
        (len(_shown(line[start:a])) - blank, len(_shown(line[start:b])) - blank)
        for a, b in hits
        if a < stop and b <= stop
    ]
    ahead = "…" if start else ""
    return LineRow(
        index,
        data.get("line_number"),
        _place(data, first, last, artifact),
        ahead + text[blank:],
        tuple((a + len(ahead), b + len(ahead)) for a, b in spans if b > a),
        data.get("seen"),
    )


def _shown(data: bytes) -> str:
    return printable(data.decode("utf-8", "replace"))


def _place(data: dict[str, Any], first: int, last: int, artifact: Artifact) -> Range:
    """The first hit's bytes on disk, or its line's where they cannot be told."""
    place = data.get("byte_range")
    if place is None:
        return data["absolute_offset"], data["absolute_offset"] + 1
    encoding = artifact.counts.encoding if artifact.counts is not None else ""
    if encoding.startswith("utf-16"):
        return place[0], place[1]
    start = place[0] + (data.get("excerpt_start") or 0) + first
    return start, start + last - first
