"""The queue's order by a column: by its gists, or by a fact of each artifact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spillview.catalogue import triage
from spillview.catalogue.gists import UNKNOWN
from spillview.model import Artifact
from spillview.tui.queue.members import Members
from spillview.tui.queue.sessions import Run

WORST = "worst"
"""The order that is not a column's: the triage."""


def _by_verdict(artifact: Artifact) -> tuple[bool, str]:
    line = artifact.counts.verdict if artifact.counts else None
    return (line is None, line.text.strip().casefold() if line else "")


def _by_flags(artifact: Artifact) -> tuple[bool, tuple[str, ...]]:
    return (not artifact.flags, artifact.flags)


SORT_KEYS: dict[str, Callable[[Artifact], Any]] = {
    **triage.SORT_KEYS,
    "verdict": _by_verdict,
    "flags": _by_flags,
}
"""Sort keys by column; the columns that only this screen has come last."""

_NUMBERS = {
    "bytes": "sizes",
    "chars": "chars",
    "lines": "lines",
    "ratio": "ratios",
    "seen": "coverage",
}
"""The gists' column of each that is sorted by a number, largest first."""


def keys(members: Members, by: str, titles: Mapping[str, str] | None) -> Sequence[Any]:
    """The sort key of each: the same order as that of `SORT_KEYS`."""
    gists, finds, order = members.gists, members.table.finds, members.order
    if by == WORST:
        return list(map(gists.worst_first, order))
    if by == "age":
        return [-gists.created[place] for place in order]
    if by in _NUMBERS:
        column = getattr(gists, _NUMBERS[by])
        return [(column[place] == UNKNOWN, -column[place]) for place in order]
    if by == "session" and titles is None:
        return [gists.sessions[place].casefold() for place in order]
    if by == "session" and titles is not None:
        known = {name: (title.casefold(), name) for name, title in titles.items()}

        def shown(place: int) -> tuple[str, str]:
            session = gists.sessions[place]
            name = f"{finds.harness(place)}/{session}"
            return known[name][0] if name in known else session.casefold(), session

        return list(map(shown, order))
    if by == "harness":
        return [finds.harness(place).casefold() for place in order]
    if by == "name":
        return [finds.name(place).casefold() for place in order]
    if by == "path":
        return [finds.address(place).replace("\0", "#").casefold() for place in order]
    if by in ("command", "tool", "project"):
        texts = [getattr(said, by) for said in members.said()]
        return [(text is None, (text or "").casefold()) for text in texts]
    return members.values(SORT_KEYS[by])


def _unknown(key: Any) -> bool:
    return isinstance(key, tuple) and bool(key) and key[0] is True


def sort(
    members: Members, by: str, reverse: bool, titles: Mapping[str, str] | None = None
) -> Members:
    """Sorted by a column; what is not known stays last in either direction."""
    keyed = list(zip(keys(members, by, titles), members.order, strict=True))
    known = [pair for pair in keyed if not _unknown(pair[0])]
    unknown = [place for key, place in keyed if _unknown(key)]
    known.sort(key=lambda pair: pair[0], reverse=reverse)
    return members.of([*(place for _, place in known), *unknown])


def sorted_sessions(runs: Sequence[Run], by: str, reverse: bool) -> list[Run]:
    """Each session sorted inside; sessions in the order of their first artifacts."""
    if not runs:
        return []
    inside = [Run.of(run, sort(run.artifacts, by, reverse)) for run in runs]
    first = {run.artifacts.order[0]: run for run in inside if run.artifacts}
    leaders = sort(runs[0].artifacts.of(first), by, reverse)
    bare = [run for run in inside if not run.artifacts]
    return [*(first[place] for place in leaders.order), *bare]
