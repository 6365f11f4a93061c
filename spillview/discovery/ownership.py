"""Whether a file in a store is an artifact by its harness's exact shape.

`ls` shows whatever lies where artifacts lie; only what the harness itself names so, or
a record points at, may be planned for removal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from spillview.model import Found
from spillview.profiles.patterns import parts_of, split_root
from spillview.profiles.profile import Glob, Profile
from spillview.text import path_text

_REPOSITORIES = (".git", ".hg", ".svn", ".jj")


class Ownership:
    """Tells for each file of one plan whether it may be removed as an artifact."""

    def __init__(
        self,
        profile: Callable[[str], Profile],
        *,
        forced: bool = False,
        own: Iterable[str] = (),
    ) -> None:
        """`forced` says that the user called the files of a plain folder artifacts.

        `own` are our own folders, whose files are nobody's outputs.
        """
        self._own = [os.path.join(os.path.realpath(folder), "") for folder in own]
        self._profile = profile
        self._forced = forced
        self._repositories: dict[str, str | None] = {}

    def foreign(self, found: Found, *, linked: bool = False) -> str | None:
        """Why a file is not to be removed as an artifact, or None when it may be.

        `linked` says that a record points at it.
        """
        if found.row is not None:
            return (
                "it is a row of a database, which its owner keeps and clears itself;"
                " its own command removes it"
            )
        if found.type == "unreadable":
            return f"it cannot be looked at: {found.error or 'no access'}"
        if found.type == "special":
            return "it is a FIFO, a socket or a device, and no artifact"
        profile = self._profile(found.harness)
        if profile.harness == "folder":
            folder = os.path.join(os.path.realpath(os.path.dirname(found.path)), "")
            if folder.startswith(tuple(self._own)):
                return "it is spillview's own"
            return None if self._forced else self._in_plain_folder(found)
        if linked or not profile.names or profile.read_name(found.name) is not None:
            return None
        if any(_shaped(glob, found) for glob in profile.globs):
            return None
        return f"its name is none that {profile.name} gives, and no record points at it"

    def _in_plain_folder(self, found: Found) -> str | None:
        """Among anybody's files nothing tells artifacts; some are surely none."""
        below = os.path.relpath(found.path, found.root).split(os.sep)
        if any(name.startswith(".") for name in below):
            return "it is hidden, as outputs are not; --harness folder takes it along"
        repository = self._repository(os.path.dirname(found.path))
        if repository is not None:
            return (
                f"it lies in a repository ({path_text(repository)}), as outputs do"
                " not; --harness folder takes it along"
            )
        return None

    def _repository(self, folder: str) -> str | None:
        """The repository that a folder belongs to."""
        if folder in self._repositories:
            return self._repositories[folder]
        marks = (os.path.join(folder, name) for name in _REPOSITORIES)
        found = next((mark for mark in marks if os.path.lexists(mark)), None)
        parent = os.path.dirname(folder)
        if found is None and parent != folder:
            found = self._repository(parent)
        self._repositories[folder] = found
        return found


def _shaped(glob: Glob, found: Found) -> bool:
    """Whether the pattern itself says what such a file is called, and where."""
    parts = parts_of(split_root(glob.path)[1])
    if not glob.artifact or len(parts) < 2 or parts[-1].anything is not None:
        return False
    folder = os.path.basename(os.path.dirname(found.path))
    above = parts[-2]
    return (
        not above.deep
        and above.match(folder) is not None
        and parts[-1].match(found.name) is not None
    )
