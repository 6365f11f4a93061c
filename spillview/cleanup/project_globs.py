"""Globs of project folders: which folders they mean, and which means less.

`*`, `?` and `[…]` stay inside one name, `**` stands for any number of folders. A glob
means the folders it matches and all below them.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cached_property

_WILD = re.compile(r"[*?\[]")
_DEEP = "**"


class ProjectGlob:
    """One glob, made of an absolute path or of `**/…`."""

    def __init__(self, text: str) -> None:
        self.text = text
        parts = [part for part in text.split("/") if part]
        while parts and parts[-1] == _DEEP:
            del parts[-1]
        self.parts = (*parts, _DEEP)
        """The names and `**`; the last stands for what lies below."""

    def fits(self, path: str) -> bool:
        """Whether it means this folder."""
        return _covers(self.parts, tuple(part for part in path.split("/") if part))

    def holds(self, other: ProjectGlob) -> bool:
        """Whether every folder that the other means is meant by this one.

        False where that cannot be told from the two texts.
        """
        return _covers(self.parts, other.parts)

    @cached_property
    def start(self) -> str:
        """The folder that all it means are in, or are."""
        names = []
        for part in self.parts:
            if _WILD.search(part):
                break
            names.append(part)
        return "/" + "/".join(names)


def _covers(glob: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether a glob's names match a path's, or hold those of another glob.

    The places that the glob may have come to are moved on name by name.
    """
    places = _open(glob, {0})
    for part in parts:
        places = _open(
            glob,
            {
                place if glob[place] == _DEEP else place + 1
                for place in places
                if place < len(glob) and _one(glob[place], part)
            },
        )
    return len(glob) in places


def _open(glob: tuple[str, ...], places: set[int]) -> set[int]:
    """These places, and those behind a `**` that stands for nothing."""
    todo = list(places)
    while todo:
        place = todo.pop()
        if place < len(glob) and glob[place] == _DEEP and place + 1 not in places:
            places.add(place + 1)
            todo.append(place + 1)
    return places


def _one(name: str, part: str) -> bool:
    """Whether one name of a glob matches a name, or all that another's matches."""
    if name == _DEEP:
        return True
    if part == _DEEP:
        return False
    if _WILD.search(part) is None:
        return fnmatchcase(part, name)
    # Of a pattern's own signs only a star is sure to take all that they match.
    return name == part or (
        re.search(r"[?\[]", name) is None and fnmatchcase(part, name)
    )
