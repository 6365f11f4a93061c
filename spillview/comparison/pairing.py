"""Which artifacts come from the same command: an earlier run to compare with."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spillview.errors import Cancelled
from spillview.forecast.normalising import normalised
from spillview.model import Artifact

if TYPE_CHECKING:
    from spillview.catalogue.known_gists import Said
    from spillview.catalogue.listing import Listing

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


class Beside(NamedTuple):
    """What one of very many artifacts can be compared with; no more are made."""

    runs: Listing
    """As `runs_of` gives them."""
    others: Listing
    """The rest of its harness in its project, newest first."""


def beside(
    artifact: Artifact,
    among: Listing,
    said: Iterable[Said],
    *,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Beside:
    """The runs of its command among these, and the rest of its project.

    `said` has what texts say of each of them, in their order. Raises `Cancelled`.
    """
    same, harness = same_of(artifact), artifact.found.harness
    chain = artifact.link.chain if artifact.link is not None else ()
    own = (harness, artifact.session)
    finds = among.table.finds
    whole = finds.whole()
    runs, others = array("i"), array("i")
    for index, (place, text) in enumerate(zip(among.order, said, strict=True)):
        if index % STEP == 0:
            if cancelled is not None and cancelled():
                raise Cancelled
            if progress is not None:
                progress(index, len(among))
        if place in whole and whole[place].type != "file":
            continue
        ident = among.ident(index)
        if ident == artifact.id:
            continue
        if (
            _says(text, same)
            and ident not in chain
            and (
                among.session(index) != own or not _is_same_run(among[index], artifact)
            )
        ):
            runs.append(index)
        elif text.project == artifact.project and finds.harness(place) == harness:
            others.append(index)

    def newest(index: int) -> tuple[float, str]:
        return -among.created(index), among.ident(index)

    return Beside(
        among.pick(sorted(runs, key=newest)), among.pick(sorted(others, key=newest))
    )


STEP = 256
"""So many artifacts are gone through before it is told, or asked whether to go on."""


def _says(text: Said, same: Same | None) -> bool:
    """Whether that is said of a run of the command."""
    if same is None or text.command is None:
        return False
    if (text.project or text.slug or "", text.tool or "") != same[:2]:
        return False
    project = text.project or ""
    return normalised(text.command, tool=text.tool or "", project=project) == same[2]


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
