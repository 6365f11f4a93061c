"""Standing policies: rules that the user's settings give a harness or a project.

One policy decides about an artifact, the most specific that fits it: that of the
narrower projects, and of the same projects that of the harness. Where two fit and
neither is more specific, the artifact stays and both are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from spillview.cleanup.project_globs import ProjectGlob
from spillview.cleanup.rules import Rules, Ruling
from spillview.links.addresses import real_path

if TYPE_CHECKING:
    from spillview.model import Artifact


@dataclass(frozen=True)
class Policy:
    """One `[[policy]]` of the settings."""

    rules: Rules
    harness: str | None = None
    """None: of every harness."""
    project: str | None = None
    """A glob of project folders, as it is written; None: of every project."""
    folder: str | None = None
    """The same glob with the home folder in it."""
    keep: bool = False
    """Everything it fits stays."""
    number: int = 1
    """Which of the `[[policy]]` tables it is, counted from 1."""

    @property
    def name(self) -> str:
        """What it fits, in words: `claude-code in ~/work/*`."""
        if self.project is None:
            return self.harness or "for all"
        return f"{self.harness} in {self.project}" if self.harness else self.project

    @cached_property
    def glob(self) -> ProjectGlob | None:
        """The projects it fits; None for all."""
        return ProjectGlob(self.folder) if self.folder is not None else None

    def is_for(self, harness: str) -> bool:
        """Whether it fits artifacts of that harness."""
        return self.harness is None or self.harness == harness

    def narrower(self, other: Policy) -> bool:
        """Whether it is more specific than another."""
        mine, theirs = self.glob, other.glob
        within = theirs is None or (mine is not None and theirs.holds(mine))
        around = mine is None or (theirs is not None and mine.holds(theirs))
        if within and around:
            return self.harness is not None and other.harness is None
        return within


class Policies:
    """All standing policies; they decide about each artifact on its own."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.policies = tuple(policies)
        self._rulings: dict[Ruling, Ruling] = {}
        self._known: dict[tuple[str, str | None, str | None], Ruling] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policies) and self.policies == other.policies

    def __hash__(self) -> int:
        return hash(self.policies)

    def rulings(self, artifacts: Sequence[Artifact]) -> list[Ruling]:
        """What decides about each; one object where they decide together."""
        return list(map(self.ruling, artifacts))

    def ruling(self, artifact: Artifact) -> Ruling:
        """The policy that decides, or why none does."""
        found = artifact.found
        key = (found.harness, artifact.project, found.project_slug)
        known = self._known.get(key)
        if known is None:
            made = self._decide(*key)
            known = self._known[key] = self._rulings.setdefault(made, made)
        return known

    def idle(self, artifacts: Iterable[Artifact]) -> list[Policy]:
        """Those that fit none of these artifacts, in their order."""
        left = dict.fromkeys(self.policies)
        grounds = {
            (each.found.harness, each.project, each.found.project_slug)
            for each in artifacts
        }
        for ground in grounds:
            for policy in self._fitting(*ground):
                left.pop(policy, None)
        return list(left)

    def _fitting(
        self, harness: str, project: str | None, slug: str | None
    ) -> list[Policy]:
        """Those that fit; where the project is not known, those that may."""
        fitting = [each for each in self.policies if each.is_for(harness)]
        if project is not None:
            # As it was recorded, or with its links followed: either may be written.
            names = {project, real_path(project)}
            return [
                each
                for each in fitting
                if each.glob is None or any(map(each.glob.fits, names))
            ]
        if slug is not None:
            return [e for e in fitting if e.glob is None or _may_be(e.glob, slug)]
        return [each for each in fitting if each.glob is None]

    def _decide(self, harness: str, project: str | None, slug: str | None) -> Ruling:
        fitting = self._fitting(harness, project, slug)
        best = [
            each
            for each in fitting
            if not any(other.narrower(each) for other in fitting)
        ]
        if not fitting:
            return Ruling(keeps="no policy fits it")
        best = best or fitting  # the same globs written so that each seems the wider
        if project is None and any(each.glob is not None for each in best):
            which = next(each.name for each in best if each.glob is not None)
            return Ruling(
                keeps=f"its project is not known, so policy {which} may be the one"
                " that decides"
            )
        if len(best) > 1:
            both = " and ".join(each.name for each in best[:2])
            where = "" if project is None else f" {project}"
            return Ruling(
                keeps=f"policies {both} both fit{where} and neither is more specific",
                disputed=True,
            )
        [policy] = best
        keeps = "everything there is kept" if policy.keep else None
        return Ruling(policy.rules, policy.name, keeps)


def _may_be(glob: ProjectGlob, slug: str) -> bool:
    """Whether a store's folder name may stand for a project that the glob means.

    Names that spell a whole path begin with its separator; no other can be told.
    """
    if not slug.startswith("-"):
        return True
    start = _spelled(glob.start)
    return start == "-" or slug == start or slug.startswith(f"{start}-")


def _spelled(path: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in path)


def idle_words(idle: Sequence[Policy]) -> str:
    """That policies fit nothing: `policy ~/work/* fits nothing here`."""
    names = ", ".join(each.name for each in idle)
    return f"{'policy' if len(idle) == 1 else 'policies'} {names} " + (
        "fits nothing here" if len(idle) == 1 else "fit nothing here"
    )
