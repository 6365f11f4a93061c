"""Which folders above artifacts others can write in, or could make before a harness."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from spillview.exposure.facts import OWN_TEMP, Exposure
from spillview.exposure.people import group_name, others_in, user_name
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.discovery.entries import StoreFound
    from spillview.profiles.profile import Profile


def of_folders(
    store: StoreFound, folders: Iterable[str], profile: Profile | None, uid: int
) -> Iterator[Exposure]:
    """What others can do in these folders of a store, in its root and above that.

    `uid` is the user's own number.
    """
    root = os.path.realpath(store.root)
    inner = {
        above
        for folder in folders
        for above in _above(os.path.realpath(folder))
        if above == root or above.startswith(f"{root}/")
    }
    for folder in sorted({*inner, *_above(root)}):
        fact = of_folder(store.harness, folder, uid)
        if fact is not None:
            yield fact
    if profile is None:
        return
    known = fixed_names(profile, uid)
    for folder in _above(root):
        name, parent = os.path.basename(folder), os.path.dirname(folder)
        if name in known and is_shared(parent):
            yield Exposure(
                "fixed-name",
                store.harness,
                folder,
                f"every user can make {path_text(folder)} before {store.harness} does,"
                " for all know its name: it then fails, or writes where they read",
                OWN_TEMP,
            )


def _above(folder: str) -> Iterator[str]:
    """A folder and every one above it."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


@lru_cache(maxsize=4096)
def of_folder(harness: str, folder: str, uid: int) -> Exposure | None:
    """What others can do in one folder; None for nothing, or where it is gone."""
    try:
        facts = os.stat(folder)
    except OSError:
        return None
    mode, shown = facts.st_mode, path_text(folder)
    if facts.st_uid not in (uid, 0):
        owner = user_name(facts.st_uid)
        return Exposure(
            "foreign-folder",
            harness,
            folder,
            f"{shown} belongs to {owner}, who can remove and swap all that is in it",
            "move the store into a folder of your own",
        )
    if mode & stat.S_ISVTX:
        return None  # nobody removes what belongs to others
    if mode & 0o002:
        return Exposure(
            "open-folder",
            harness,
            folder,
            f"every user can plant, remove and swap files in {shown}",
            "take that right away (chmod o-w, or doctor --fix-modes)",
        )
    if mode & 0o020 and others_in(facts.st_gid, facts.st_uid):
        group = group_name(facts.st_gid)
        return Exposure(
            "group-folder",
            harness,
            folder,
            f"the group {group} can plant, remove and swap files in {shown}",
            "take that right away (chmod g-w, or doctor --fix-modes)",
        )
    return None


def is_shared(folder: str) -> bool:
    """Whether every user can make new names in a folder, as in /tmp."""
    try:
        return bool(os.stat(folder).st_mode & 0o002)
    except OSError:
        return False


def fixed_names(profile: Profile, uid: int) -> set[str]:
    """The names of a harness's folders in the temp folder that anybody can know."""
    names = set()
    for root in profile.roots:
        for template in (
            *root.paths,
            *(p for v in root.by_platform.values() for p in v),
        ):
            if template.startswith("{tmp}/"):
                first = template.removeprefix("{tmp}/").split("/")[0]
                if "<" not in first:
                    names.add(first.replace("{uid}", str(uid)))
    return names
