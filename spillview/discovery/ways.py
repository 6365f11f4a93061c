"""Ways from a store's root to its folders, none of which leads out of the root."""

from __future__ import annotations

import os
from collections import OrderedDict

from spillview.errors import NotRegular
from spillview.text import path_text, printable


def _flag(name: str) -> int:
    value: int = getattr(os, name, 0)  # each is missing on some platform
    return value


_FOLDER = os.O_RDONLY | _flag("O_DIRECTORY") | _flag("O_NOFOLLOW") | _flag("O_CLOEXEC")
_AT = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd

_NO_NAMES = ("", os.curdir, os.pardir)

OPEN = 8
"""Folders that are held open for the next file in them."""


class Ways:
    """Folders that were walked to, the last ones held open.

    A folder that is held is taken again only while its path still names it, so what is
    opened in it is what a walk would find. For one thread; close it afterwards.
    """

    def __init__(self, most: int = OPEN) -> None:
        self._most = most
        self._held: OrderedDict[tuple[str, str], tuple[int, os.stat_result]]
        self._held = OrderedDict()

    def to(self, path: str, root: str) -> tuple[int | None, str]:
        """A descriptor of the file's folder, which stays ours, and its bare name.

        Where the platform has no descriptor-relative calls the check is by name alone.
        Raises `NotRegular` for a way out of `root`, `OSError` where there is none.
        """
        parent, _, name = path.rpartition(os.sep)
        if (root, parent) not in self._held or name in _NO_NAMES:
            parent, name = os.path.split(os.path.abspath(path))
        held = self._held.pop((root, parent), None)
        if held is not None:
            folder, facts = held
            try:
                same = os.path.samestat(os.stat(parent), facts)
            except OSError:
                same = False
            if same:
                self._held[root, parent] = held
                return folder, name
            os.close(folder)
        base, real = os.path.realpath(root), os.path.realpath(parent)
        if real != base and not real.startswith(base.rstrip(os.sep) + os.sep):
            raise NotRegular(
                f"{printable(path_text(path))} is behind a link that leads out of"
                f" {printable(path_text(root))}."
            )
        if not _AT:
            return None, os.path.join(real, name)
        folder = _walk(base, os.path.relpath(real, base))
        self._held[root, parent] = folder, os.fstat(folder)
        if len(self._held) > self._most:
            os.close(self._held.popitem(last=False)[1][0])
        return folder, name

    def near(self, path: str, root: str) -> tuple[int | None, str]:
        """`to`, but a folder that is held is taken as it is.

        For who makes sure that the file he opens is the one that was found there.
        """
        parent, _, name = path.rpartition(os.sep)
        held = self._held.get((root, parent)) if name not in _NO_NAMES else None
        return (held[0], name) if held is not None else self.to(path, root)

    def close(self) -> None:
        """Let go of every folder."""
        while self._held:
            os.close(self._held.popitem()[1][0])

    def __del__(self) -> None:
        self.close()


def _walk(base: str, inner: str) -> int:
    """A descriptor of the folder at `inner` below `base`; no link is followed."""
    folder = os.open(base, _FOLDER)
    try:
        for part in () if inner == os.curdir else inner.split(os.sep):
            # A folder swapped for a link since realpath is refused here.
            deeper = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = deeper
    except BaseException:  # whatever it was: it is not left open
        os.close(folder)
        raise
    return folder
