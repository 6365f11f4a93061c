"""Where the files of one harness lie, told from the end of a path.

A recorded path may be of another machine, or of a tree that was moved: only what a
pattern says of the last folders and the name can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from spillview.discovery.roots import folder_names
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.profiles.patterns import Part, parts_of, split_root

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile

Captures = Mapping[str, str]
_Names = tuple[tuple[str, tuple[str, ...]], ...]

REMEMBERED = 256
"""Profiles whose folder names are known."""


class Ending(Frozen):
    """The parts that end every path of one pattern."""

    parts: tuple[Part, ...]
    rule: int
    """Which rule of the profile it came from, counted from 0."""

    @property
    def deep(self) -> bool:
        """Whether any number of folders may stand in it."""
        return any(part.deep for part in self.parts)

    def match(self, path: Sequence[str]) -> Captures | None:
        """What the pattern captures from the end of a path; None when it differs."""
        return _match(self.parts, path)


def artifact_endings(profile: Profile) -> tuple[Ending, ...]:
    """What the paths of a harness's artifacts end in."""
    patterns = tuple(glob.path for glob in profile.globs if glob.artifact)
    return _endings(_names_of(profile), patterns)


def endings(profile: Profile, patterns: tuple[str, ...]) -> tuple[Ending, ...]:
    """What the paths of these patterns end in, each in every form of its root.

    Where nothing in a pattern says more than "some name", the root's own folder
    name has to be there as well. `Ending.rule` counts the patterns.
    """
    return _endings(_names_of(profile), patterns)


def split(path: str) -> list[str]:
    """The parts of a path of any system."""
    return path.replace("\\", "/").split("/")


_NAMES: dict[int, tuple[Profile, _Names]] = {}
"""Of the profiles asked for, by their identity: a hash takes as long as the names."""


def _names_of(profile: Profile) -> _Names:
    known = _NAMES.get(id(profile))
    if known is None or known[0] is not profile:
        names = tuple(
            (root.id, tuple(folder_names(profile, root.id))) for root in profile.roots
        )
        if len(_NAMES) >= REMEMBERED:
            _NAMES.clear()
        known = _NAMES[id(profile)] = profile, names
    return known[1]


@lru_cache(maxsize=256)
def _endings(
    roots: tuple[tuple[str, tuple[str, ...]], ...], patterns: tuple[str, ...]
) -> tuple[Ending, ...]:
    names = dict(roots)
    found = []
    for rule, pattern in enumerate(patterns):
        root_id, rest = split_root(pattern)
        parts = parts_of(rest)
        if any(part.shaped and not part.deep for part in parts):
            found.append(Ending(parts, rule))
            continue
        for name in names.get(root_id, ()):
            found.append(Ending((*parts_of(name), *parts), rule))
    return tuple(found)


def _match(parts: Sequence[Part], path: Sequence[str]) -> Captures | None:
    captures: dict[str, str] = {}
    at = len(path)
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if part.deep:
            for end in range(at, -1, -1):
                above = _match(parts[:index], path[:end])
                if above is not None:
                    return {**above, **captures}
            return None
        at -= 1
        said = part.match(path[at]) if at >= 0 and path[at] else None
        if said is None:
            return None
        captures.update(said)
    return captures
