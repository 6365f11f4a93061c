"""Where a profile's roots really are on this machine: templates to existing folders."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping

from spillview.hints import TYPE_CHECKING
from spillview.named import NamedTuple
from spillview.profiles.patterns import BadPattern, Part, parts_of
from spillview.regexes import late

if TYPE_CHECKING:
    from spillview.places import Places
    from spillview.profiles.profile import Profile, Root

PLACEHOLDERS = (
    "tmp",
    "xdg_config",
    "xdg_data",
    "xdg_cache",
    "xdg_state",
    "xdg_runtime",
    "appdata",
    "localappdata",
    "vscode_user",
    "spillview_state",
)
"""What a root's path may begin with, in braces."""
_PLACEHOLDER = late(r"\{([a-z][a-z0-9_]*)\}")
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Code - OSS", "Cursor", "Windsurf")
_REMOTE = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscode-remote",
    ".vscodium-server",
    ".cursor-server",
    ".windsurf-server",
)
"""Folders of a home that editors on other machines keep there."""


def ignore(path: str, error: OSError) -> None:
    """Say nothing of a folder that could not be looked into."""


def folder_names(profile: Profile, root_id: str) -> list[str]:
    """The names that the folder of a root can have by its own templates."""
    root = next((root for root in profile.roots if root.id == root_id), None)
    if root is None:
        return []
    templates = [*root.paths, *(override.path for override in root.env)]
    for paths in root.by_platform.values():
        templates += paths
    names = (template.rstrip("/").rpartition("/")[2] for template in templates)
    return [name for name in dict.fromkeys(names) if name and name[0] not in "{~"]


class RootFound(NamedTuple):
    """One existing folder that a root's template names."""

    root: Root
    path: str
    captures: Mapping[str, str]


def check_template(template: str) -> None:
    """Raise `BadPattern` when `template` cannot be a root's path."""
    start = _PLACEHOLDER.match(template)
    if start is not None:
        if start[1] not in PLACEHOLDERS:
            known = ", ".join(sorted(PLACEHOLDERS))
            raise BadPattern(f"{{{start[1]}}} is not known: use one of {known}")
        template = template[start.end() :]
    elif not re.match(r"~(?=/|$)|/|[A-Za-z]:[/\\]", template):
        raise BadPattern("must begin with ~, / or a placeholder such as {tmp}")
    parts_of(template.removeprefix("~").replace("{uid}", "0"))


def find_roots(
    profile: Profile,
    places: Places,
    tell: Callable[[str, OSError], None] = ignore,
    listed: dict[str, list[str]] | None = None,
) -> list[RootFound]:
    """The profile's roots that exist here, in the order of the profile.

    `tell` hears of folders that could not be looked into. A folder that a varying part
    found in a place shared by several users counts only when it is this user's own.
    What is listed is looked up in `listed` and put there: many look into one folder.
    """
    found: list[RootFound] = []
    seen: set[tuple[str, str]] = set()
    for root in profile.roots:
        for base, below in templates(root, places):
            if places.confined and not _inside(base, places.home):
                continue
            for folder, captures in existing(base, below, tell, listed):
                if captures and not _own(folder, places):
                    continue
                if (root.id, folder) not in seen:
                    seen.add((root.id, folder))
                    found.append(RootFound(root, folder, captures))
    return found


def templates(root: Root, places: Places) -> Iterator[tuple[str, str]]:
    """The folders and the patterns below them that count here."""
    for override in root.env:
        value = places.env.get(override.name, "")
        if value:
            below = override.path.removeprefix("{value}")
            yield os.path.abspath(value), _with_uid(below, places)
            if override.adds:
                break
            return
    platform = {"darwin": "macos", "win32": "windows"}.get(places.platform, "linux")
    for template in root.by_platform.get(platform) or root.paths:
        start = _PLACEHOLDER.match(template)
        if template == "~" or template.startswith("~/"):
            yield places.home, _with_uid(template[1:], places)
        elif start is not None:
            below = _with_uid(template[start.end() :], places)
            for value in _values(start[1], places):
                yield value, below
        else:
            drive, below = os.path.splitdrive(template)
            yield drive + os.sep, _with_uid(below, places)


def existing(
    base: str,
    pattern: str,
    tell: Callable[[str, OSError], None] = ignore,
    listed: dict[str, list[str]] | None = None,
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Existing folders that `pattern` names below `base`, and what it captures."""
    known = {} if listed is None else listed
    yield from _descend(base, parts_of(pattern, known=True), {}, tell, known)


def _descend(
    folder: str,
    parts: tuple[Part, ...],
    captures: Mapping[str, str],
    tell: Callable[[str, OSError], None],
    listed: dict[str, list[str]],
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Literal parts are joined unseen; a folder is listed only where a part varies."""
    for at, part in enumerate(parts):
        if part.literal is not None:
            folder = os.path.join(folder, part.literal)
            continue
        try:
            names = listed.get(folder)
            if names is None:
                names = listed[folder] = os.listdir(folder)
        except OSError as error:
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                tell(folder, error)
            return
        # Of a temp folder's many names few are sorted and matched.
        for name in sorted(name for name in names if name.startswith(part.start)):
            said = part.match(name)
            if said is None:
                continue
            inner = os.path.join(folder, name)
            # A varying part names what a harness made itself: never a link.
            if os.path.isdir(inner) and not os.path.islink(inner):
                more = {**captures, **said}
                yield from _descend(inner, parts[at + 1 :], more, tell, listed)
        return
    try:
        if stat.S_ISDIR(os.stat(folder).st_mode):
            yield folder, captures
    except OSError as error:
        if isinstance(error, PermissionError):
            tell(folder, error)


def _own(folder: str, places: Places) -> bool:
    """Whether the folder is this user's; in a copied home everything is."""
    if places.confined or places.uid < 0:
        return True
    try:
        return os.stat(folder).st_uid == places.uid
    except OSError:
        return False


def _with_uid(pattern: str, places: Places) -> str:
    # A copied home was somebody else's: any id will do there.
    uid = "<uid:[0-9]{1,10}>" if places.confined else str(max(places.uid, 0))
    return pattern.replace("{uid}", uid)


def _values(name: str, places: Places) -> Iterator[str]:
    """The folders a placeholder stands for."""
    if name == "tmp":
        yield from places.tmps
    elif name == "spillview_state":
        yield places.state_dir
    elif name == "vscode_user":
        yield from _vscode(places)
    elif name == "xdg_runtime":
        folder = places.env.get("XDG_RUNTIME_DIR", "")
        if os.path.isabs(folder):
            yield folder
    elif name in ("appdata", "localappdata"):
        below = {"appdata": "Roaming", "localappdata": "Local"}[name]
        usual = os.path.join(places.home, "AppData", below)
        yield places.env.get(name.upper()) or usual
    else:
        yield _xdg(name.removeprefix("xdg_"), places)


def _xdg(kind: str, places: Places) -> str:
    """XDG folders as programs that use them on every platform see them."""
    variable = f"XDG_{kind.upper()}_HOME"
    below = {"config": ".config", "cache": ".cache", "state": ".local/state"}
    chosen = places.env.get(variable, "")
    if os.path.isabs(chosen):
        return chosen
    return os.path.join(places.home, *below.get(kind, ".local/share").split("/"))


def _vscode(places: Places) -> Iterator[str]:
    home = places.home
    for editor in _EDITORS:
        if places.platform == "darwin":
            yield os.path.join(home, "Library/Application Support", editor, "User")
        elif places.platform == "win32":
            usual = os.path.join(home, "AppData", "Roaming")
            yield os.path.join(places.env.get("APPDATA") or usual, editor, "User")
        else:
            yield os.path.join(_xdg("config", places), editor, "User")
    for server in _REMOTE:
        yield os.path.join(home, server, "data/User")


def _inside(path: str, home: str) -> bool:
    return path == home or path.startswith(home.rstrip("/\\") + os.sep)


def closed_folder(path: str) -> str:
    """The topmost folder that hides `path`: what is in it may not be looked at."""
    while (above := os.path.dirname(path)) != path:
        try:
            os.lstat(above)
        except PermissionError:
            path = above
            continue
        except OSError:
            return path
        acting = os.access in os.supports_effective_ids
        entered = os.access(above, os.X_OK, effective_ids=acting)
        return path if entered else above
    return path
