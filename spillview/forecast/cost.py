"""What the context really paid for: each result's tokens x the model's later turns.

Every result counts, spilled or not, as the model received it: an envelope by its own
size. A result is carried on each later turn up to the next compaction, and on the turns
of every fork that began with it; turns that a fork merely copied count once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from spillview.catalogue.query import Query
from spillview.digests import sha256
from spillview.forecast.cost_rows import Cost, CostRows
from spillview.forecast.series import Completing, Told, each_once, mark_of, told
from spillview.model import Artifact, Problem

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

Cancelled = Callable[[], bool]
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Costs:
    """Every result by what it cost, most first."""

    rows: CostRows = field(default_factory=CostRows)
    unknown: int = 0
    """Results of harnesses whose records do not tell of compactions."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def carried(self) -> int:
        """Of all of them."""
        return self.rows.carried


def rank(
    catalogue: Catalogue,
    artifacts: Iterable[Artifact],
    query: Query,
    *,
    completing: Completing = iter,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Costs:
    """What each result of the last scan's sessions cost; `artifacts` are completed,
    of a listing by `completing`."""
    found = Costs()
    ranking = _Ranking(catalogue, each_once(artifacts, completing), query, found)
    for each in told(
        catalogue, query, found.problems, progress=progress, cancelled=cancelled
    ):
        ranking.take(each)
    found.rows.rank()
    return found


class _Ranking:
    def __init__(
        self,
        catalogue: Catalogue,
        artifacts: Iterable[Artifact],
        query: Query,
        found: Costs,
    ) -> None:
        self._catalogue, self._query, self._found = catalogue, query, found
        self._artifacts = {
            mark_of(m): artifact.id
            for artifact in artifacts
            if artifact.link is not None
            for m in artifact.link.mentions
        }
        self._turns: set[tuple[str, int]] = set()

    def take(self, told: Told) -> None:
        harness, results = told.log.harness, told.results
        if not results.compacts:
            self._found.unknown += len(results.results)
            return
        new = {
            lane: list(accumulate(map(self._is_new(harness), digests), initial=0))
            for lane, digests in results.turns.items()
        }
        mentions = self._catalogue.mentions_in(told.log.path, told.session)
        places = {(m.offset, m.block): m for m in mentions}
        calls = {m.call_id: m for m in mentions if m.call_id is not None}
        for result in results.results:
            if result.time is not None and not self._in_time(result.time):
                continue
            counted = new[result.lane]
            turns = counted[result.until] - counted[result.turn]
            mention = calls.get(result.call_id or "")
            if mention is None:
                mention = places.get((result.offset, result.block))
            artifact = None
            if mention is not None:
                artifact = self._artifacts.get(mark_of(mention))
            row = Cost(
                result.tokens * turns,
                result.tokens,
                turns,
                harness,
                told.session,
                told.project,
                result.tool,
                result.command,
                result.time,
                artifact,
                mention is not None,
                told.log.path,
                result.record,
            )
            self._found.rows.add(row, _call_mark(row, result.call_id))

    def _is_new(self, harness: str) -> Callable[[int], bool]:
        def is_new(digest: int) -> bool:
            if not digest:  # nothing tells it from others
                return True
            key = (harness, digest)
            if key in self._turns:
                return False
            self._turns.add(key)
            return True

        return is_new

    def _in_time(self, when: float) -> bool:
        query = self._query
        if query.since is not None and when < query.since:
            return False
        return query.until is None or when <= query.until


def _call_mark(row: Cost, call_id: str | None) -> bytes | None:
    """What a call is known by in each fork that began with it; None: by nothing."""
    if call_id is None:
        return None
    told = (row.harness, call_id, row.command, row.time)
    return sha256(repr(told).encode("utf-8", "surrogatepass")).digest()[:16]
