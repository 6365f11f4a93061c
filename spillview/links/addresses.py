"""Artifacts by every name a record may give them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

from spillview.discovery.working_folders import digest_of
from spillview.hints import TYPE_CHECKING
from spillview.model import Found

if TYPE_CHECKING:
    from spillview.transcripts.calls import Marks


def real_path(path: str) -> str:
    """`path` without links; itself where no file can have it (a NUL, half a pair)."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


class Addresses:
    """The artifacts of one harness by path, by what a move leaves of it, by name.

    Only the paths are indexed at once; the rest when a path is not found among them.
    """

    def __init__(self, found: Sequence[Found], marks: Marks) -> None:
        self.found = found
        self.marks = marks
        self.by_path = {item.path: item for item in found if item.row is None}

    def at(self, path: str) -> Found | None:
        """The artifact at a recorded path, at its real path, or moved from there."""
        item = self.by_path.get(path)
        if item is None and os.path.isabs(path):
            item = self._by_real_path.get(path)
            if item is None and (real := real_path(path)) != path:
                item = self.by_path.get(real) or self._by_real_path.get(real)
        if item is None and ("/" in path or "\\" in path):
            suffix = self.suffix(path)
            item = self._by_suffix.get(suffix) or self._by_former.get(suffix)
        return item

    def named(self, name: str) -> Sequence[Found]:
        """Every artifact of that bare file name."""
        return self._by_name.get(name, ())

    def like(self, pattern: str) -> Iterable[Found]:
        """Every artifact whose bare file name fits a shell pattern."""
        return (item for item in self.found if fnmatchcase(item.name, pattern))

    def suffix(self, path: str) -> str:
        """The end of a path that stays the same when the tree is moved."""
        parts = path.replace("\\", "/").split("/")
        at = self.marks.at(parts)
        return "/".join(parts[-2:] if at is None else parts[at:])

    def folder_of(self, path: str) -> str | None:
        """The part of a path that tells the session, if it has the layout's form."""
        parts = path.replace("\\", "/").split("/")
        at = self.marks.at(parts)
        return None if at is None else parts[at]

    @cached_property
    def _by_real_path(self) -> dict[str, Found]:
        folders: dict[str, str] = {}
        known: dict[str, Found] = {}
        for item in self.found:
            if item.row is not None:
                continue  # its file is no artifact
            folder, name = os.path.split(item.path)
            if folder not in folders:
                folders[folder] = os.path.realpath(folder)
            known.setdefault(os.path.join(folders[folder], name), item)
        return known

    @cached_property
    def _by_suffix(self) -> dict[str, Found | None]:
        known: dict[str, Found | None] = {}
        for item in self.found:
            if item.row is not None:
                continue
            suffix = self.suffix(item.path)
            # Two files of one name in two copies of a session: it names neither.
            known[suffix] = item if known.get(suffix, item) is item else None
        return known

    @cached_property
    def _by_former(self) -> dict[str, Found | None]:
        """By the same end of the path under the name that a project had before."""
        known: dict[str, Found | None] = {}
        for item in self.found:
            if item.project is None or item.project_slug is None:
                continue
            slug, digest = item.project_slug, digest_of(item.project)
            if slug != digest and (at := item.path.rfind(f"/{slug}/")) >= 0:
                after = item.path[at + len(slug) + 2 :]
                suffix = self.suffix(f"{item.path[:at]}/{digest}/{after}")
                known[suffix] = item if known.get(suffix, item) is item else None
        return known

    @cached_property
    def _by_name(self) -> dict[str, list[Found]]:
        known: dict[str, list[Found]] = {}
        for item in self.found:
            known.setdefault(item.name, []).append(item)
        return known
