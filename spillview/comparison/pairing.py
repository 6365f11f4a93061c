"""Which artifacts come from the same command: an earlier run to compare with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spillview.forecast.normalising import normalised
from spillview.model import Artifact

Same = tuple[str, str, str]
"""Where it ran, its tool, and its command without what changes each time."""


def same_of(artifact: Artifact) -> Same | None:
    """What all runs of its command have in common; None where no command is known."""
    if artifact.command is None or artifact.found.type != "file":
        return None
    project = artifact.project or artifact.found.project_slug or ""
    tool = artifact.tool or ""
    command = normalised(artifact.command, tool=tool, project=artifact.project or "")
    return project, tool, command


def runs_of(artifact: Artifact, among: Iterable[Artifact]) -> list[Artifact]:
    """The other runs of its command in the same project, newest first."""
    same = same_of(artifact)
    if same is None:
        return []
    found = [a for a in among if not _is_same_run(a, artifact) and same_of(a) == same]
    return sorted(found, key=lambda a: (-a.created, a.id))


def earlier_run(artifact: Artifact, runs: Sequence[Artifact]) -> Artifact | None:
    """The last of the runs before it; None where it is the first."""
    return next((a for a in runs if a.created < artifact.created), None)


def _is_same_run(one: Artifact, other: Artifact) -> bool:
    """Whether both are of one run: one call, or one read out of the other."""
    if one.id == other.id:
        return True
    if other.link is not None and one.id in other.link.chain:
        return True
    calls = [
        a.envelope.call_id if a.envelope is not None else None for a in (one, other)
    ]
    return (
        one.session == other.session and calls[0] == calls[1] and calls[0] is not None
    )
