"""Which working folder a store's project folder stands for, where the store says so.

Such stores name a folder after the last part of its path and write the path beside; an
older name is the path's digest. What was copied from one name to the next is told apart
from what is new.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence

from spillview.catalogue.finds import Finds
from spillview.digests import sha256
from spillview.discovery.routes import filled
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from spillview.discovery.entries import Discovery, TranscriptFound
    from spillview.model import Found
    from spillview.profiles.profile import Profile, ProjectName

LARGEST = 4 << 20
"""Bytes of a list of projects that are read."""

LONGEST = 4096
"""Bytes of a path that are read."""

AnyFound = TypeVar("AnyFound", "Found", "TranscriptFound")


class Folders:
    """The project folders of one store."""

    def __init__(self, profile: Profile, root: str, slugs: Iterable[str]) -> None:
        self._rules = [r for r in profile.projects if r.marker is not None]
        self._root = root
        self._known: dict[str, str] = {}
        names = dict.fromkeys(slugs)
        for rule in self._rules:
            self._learn(rule, names)

    @property
    def paths(self) -> Mapping[str, str]:
        """Working folders by the names of their project folders."""
        return self._known

    def copied(self, found: Sequence[AnyFound]) -> dict[str, AnyFound]:
        """Copies by their paths, each with the file it was copied from.

        The folder of the older name of the same project holds one of that place, as
        large at the most: what is a transcript may have grown since.
        """
        known = list(self._known.values())
        older = {
            slug: path
            for slug, path in self._known.items()
            if slug == digest_of(path) and known.count(path) > 1
        }
        first = {
            (older[item.project_slug], self._below(item)): item
            for item in found
            if item.project_slug in older
        }
        copies: dict[str, AnyFound] = {}
        for item in found:
            path = self._known.get(item.project_slug or "")
            if path is not None and item.project_slug not in older:
                origin = first.get((path, self._below(item)))
                if origin is not None and (
                    origin.size <= item.size or _anew(origin.path, item.path)
                ):
                    copies[item.path] = origin
        return copies

    def _below(self, item: Found | TranscriptFound) -> str:
        """The item's path below its project's folder."""
        for rule in self._rules:
            folder = self._folder(rule, item.project_slug or "")
            if folder is not None and item.path.startswith(folder + os.sep):
                return _as_document(item.path[len(folder) + 1 :])
        return item.path

    def _folder(self, rule: ProjectName, slug: str) -> str | None:
        marker = self._marker(rule, slug)
        return os.path.dirname(marker) if marker is not None else None

    def _marker(self, rule: ProjectName, slug: str) -> str | None:
        pattern = rule.marker or ""
        root_id = pattern[1 : pattern.find("}")]
        return filled(pattern, {root_id: self._root}, {"project": slug})

    def _learn(self, rule: ProjectName, slugs: Mapping[str, None]) -> None:
        listed: dict[str, str] = {}
        if rule.listed is not None:
            root_id = rule.listed[1 : rule.listed.find("}")]
            name = filled(rule.listed, {root_id: self._root}, {})
            listed = _list_in(name) if name is not None else {}
        for slug in slugs:
            marker = self._marker(rule, slug)
            path = _path_in(marker) if marker is not None else None
            path = path or listed.get(slug)
            if path is not None:
                self._known.setdefault(slug, path)
        paths = {*self._known.values(), *listed.values()}
        digests = {digest_of(path): path for path in paths}
        for slug in slugs:
            if slug in digests:
                self._known.setdefault(slug, digests[slug])


def settle(
    result: Discovery, profile: Profile, root: str, slugs: Iterable[str]
) -> None:
    """Tell the working folders of what was found in a store, and leave out copies."""
    store = (profile.harness, root)
    found = [f for f in result.found if (f.harness, f.root) == store]
    logs = [log for log in result.transcripts if (log.harness, log.root) == store]
    found, logs = in_working_folders(profile, root, found, logs, slugs)
    others = [f for f in result.found if (f.harness, f.root) != store]
    result.found = Finds([*others, *found])
    result.transcripts = [
        log for log in result.transcripts if (log.harness, log.root) != store
    ] + logs


def in_working_folders(
    profile: Profile,
    root: str,
    found: Sequence[Found],
    logs: Sequence[TranscriptFound],
    slugs: Iterable[str],
) -> tuple[list[Found], list[TranscriptFound]]:
    """What was found in one store with its working folders, without copies.

    Of an artifact the older file stays, which records name; of a transcript the newer,
    which goes on, and of a document that was written anew as lines these.
    """
    every = {log.path for log in logs}
    logs = [log for log in logs if f"{log.path}l" not in every]
    folders = Folders(profile, root, slugs)
    if not folders.paths:
        return list(found), list(logs)
    sizes = {item.path: item.size for item in found}
    copies = {
        path: origin
        for path, origin in folders.copied(found).items()
        if sizes[path] == origin.size
    }
    kept_at: dict[str, list[str]] = {}
    for path, origin in copies.items():
        kept_at.setdefault(origin.path, []).append(path)
    grown = {origin.path for origin in folders.copied(logs).values()}
    return (
        [
            replace(
                item,
                project=folders.paths.get(item.project_slug or ""),
                copies=tuple(kept_at.get(item.path, ())),
            )
            for item in found
            if item.path not in copies
        ],
        [
            log._replace(project=folders.paths.get(log.project_slug or ""))
            for log in logs
            if log.path not in grown
        ],
    )


def _as_document(path: str) -> str:
    """`path`, that of lines as that of the document they were before."""
    return path[:-1] if path.endswith(".jsonl") else path


def _anew(old: str, new: str) -> bool:
    """Whether one path is a document's and the other that of its lines."""
    return old.endswith(".json") and new.endswith(".jsonl")


def digest_of(path: str) -> str:
    """The name that older versions gave to a working folder's project."""
    return sha256(os.fsencode(path)).hexdigest()


def _list_in(name: str) -> dict[str, str]:
    """Working folders by names, as the store's own list gives them."""
    from spillview.transcripts.facts import load

    data = _bytes_of(name, LARGEST)
    try:
        value = load(data) if data else None
    except ValueError:
        return {}
    projects = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {
        slug: path
        for path, slug in projects.items()
        if isinstance(slug, str) and _is_path(path)
    }


def _path_in(name: str) -> str | None:
    """The path that a small file holds, bare or as the address of a `folder`."""
    data = _bytes_of(name, LONGEST + 2)
    if data is not None and data.lstrip()[:1] == b"{":
        path = _folder_in(data)
    else:
        path = os.fsdecode(data).strip("\r\n") if data is not None else ""
    return path if _is_path(path) and len(path) <= LONGEST else None


def _folder_in(data: bytes) -> str:
    """The path in `{"folder": "file:///…"}`; empty where there is none."""
    from urllib.parse import unquote, urlsplit

    from spillview.transcripts.facts import load

    try:
        value = load(data)
        address = value.get("folder") if isinstance(value, dict) else None
        path = unquote(urlsplit(address).path) if isinstance(address, str) else ""
    except ValueError:
        return ""
    return path[1:] if path[2:3] == ":" else path


def _is_path(path: str) -> bool:
    absolute = path.startswith("/") or path[1:3] in (":\\", ":/")
    return absolute and "\0" not in path and "\n" not in path


def _bytes_of(name: str, most: int) -> bytes | None:
    """What a regular file holds, at most `most` bytes; None when there is none."""
    try:
        flags = (
            os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        )
        handle = os.open(name, flags)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return os.read(handle, most)
    except OSError:
        return None
    finally:
        os.close(handle)
