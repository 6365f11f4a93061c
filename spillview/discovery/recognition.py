"""Telling what a PATH is from its place in a store, or from what lies below it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from spillview.discovery.roots import folder_names
from spillview.discovery.routes import (
    ALL,
    At,
    Captures,
    Narrow,
    Route,
    advance,
    begin,
    close,
    hashed_session,
)
from spillview.discovery.shelves import Ground
from spillview.discovery.walk import Walker
from spillview.hints import Literal
from spillview.named import NamedTuple
from spillview.profiles.patterns import Part
from spillview.profiles.profile import Glob, Profile, TranscriptRule
from spillview.transcripts.addressing import Ending

_ANYONES = ("a", "1", "a.txt", "1.txt", "notes.md", "a.log", "a.json", "data.jsonl")
"""Names that files of anyone may have."""

Names = Literal["root", "project", "session", "inside"]


class Recognised(NamedTuple):
    """A PATH whose place in a store is known."""

    ground: Ground
    path: str
    """The folder itself; for a file the folder that holds it."""
    places: Sequence[At]
    """Where the walk goes on below `path`; for a file the routes that end in it."""
    names: Names
    """What the PATH stands for: a whole store, a project, a session, its own files."""
    file: str | None = None
    """The file, when the PATH is one."""


def in_ground(path: str, ground: Ground) -> Recognised | None:
    """`path` as a place in a known store; None when it is in no place of it."""
    names = _below(path, ground.path)
    if names is None:
        return None
    folder = os.path.isdir(path)
    return _place(ground, names, folder=folder)


def in_unknown_place(
    path: str,
    profiles: Sequence[Profile],
    routes: Mapping[str, Sequence[Route]],
    *,
    folder: bool,
) -> Recognised | None:
    """`path` as part of a store (or a copy) that lies anywhere; the best evidence wins.

    A file must fit a whole route. A folder may be the root, or a folder of a route
    that was copied without those above it, when files of that route lie below.
    """
    best: tuple[int, Recognised] | None = None
    listed = Listed()
    for profile in profiles:
        by_root: dict[str, list[Route]] = {}
        for route in routes[profile.harness]:
            by_root.setdefault(route.root_id, []).append(route)
        for root_id, group in by_root.items():
            for place in _candidates(path, profile, root_id, group, folder):
                weight = _evidence(place, listed)
                if weight and (best is None or weight > best[0]):
                    best = weight, place
    return best[1] if best is not None else None


def named_alike(
    path: str, profiles: Sequence[Profile], routes: Mapping[str, Sequence[Route]]
) -> Ground | None:
    """`path` as a store of a harness known by its files' names (an outbox).

    At least half of the regular files directly in it must have such a name.
    """
    try:
        with os.scandir(path) as entries:
            names = [e.name for e in entries if e.is_file(follow_symlinks=False)]
    except OSError:
        return None
    for profile in profiles:
        group = [
            r
            for r in routes[profile.harness]
            if isinstance(r.rule, Glob) and r.rule.recognise == "name"
        ]
        if group:
            fitting = sum(1 for name in names if profile.read_name(name) is not None)
            if fitting and 2 * fitting >= len(names):
                roots = {group[0].root_id: path}
                return Ground(profile, tuple(group), path, roots, profile.confidence)
    return None


def _candidates(
    path: str, profile: Profile, root_id: str, group: Sequence[Route], folder: bool
) -> list[Recognised]:
    """Every way in which `path` may lie in a store of this root."""
    found = []
    parts = path.rstrip(os.sep).split(os.sep)
    longest = max(len(route.parts) for route in group)
    for up in range(0 if folder else 1, min(longest + 8, len(parts) - 1) + 1):
        top = os.sep.join(parts[: len(parts) - up]) or os.sep
        ground = Ground(profile, tuple(group), top, {root_id: top}, profile.confidence)
        place = _place(ground, parts[len(parts) - up :], folder=folder)
        if place is not None and (up == 0 or _marked(place.places)):
            found.append(place)
    if folder:
        ground = Ground(profile, tuple(group), path, {}, profile.confidence)
        for end in range(1, longest):
            places = [at for route in group for at in _cut_off(route, end, parts)]
            if places:
                found.append(Recognised(ground, path, close(places), "inside"))
    return found


def _place(ground: Ground, names: Sequence[str], *, folder: bool) -> Recognised | None:
    """The place that `names` lead to from the ground's root."""
    at = begin(ground.routes)
    path = ground.path
    for name in names if folder else names[:-1]:
        at = advance(at, name, ALL)
        path = os.path.join(path, name)
        if not at:
            return None
    if folder:
        return Recognised(ground, path, at, _names(at))
    if not names:
        return None
    name = names[-1]
    ends = [
        (place, said)
        for place in at
        if place.last and (said := place.next.match(name)) is not None
    ]
    if not ends:
        return None
    first = ends[0][0].route
    captured = [At(p.route, p.part, {**p.captures, **said}) for p, said in ends]
    kind: Names = "session" if first.is_transcript else "inside"
    return Recognised(ground, path, captured, kind, os.path.join(path, name))


def _names(places: Sequence[At]) -> Names:
    """What a folder stands for: by the part that its own name fitted."""
    kinds: set[Names] = set()
    for at in places:
        if at.part == 0:
            kinds.add("root")
            continue
        text = at.route.parts[at.part - 1].text
        if re.match(r"[^<]*<(session|parent)\b", text):
            kinds.add("session")
        elif "<project" in text:
            kinds.add("project")
        elif "session" in at.captures and not at.route.is_transcript:
            kinds.add("inside")
        elif "parent" in at.captures or "session" in at.captures:
            kinds.add("session")
        else:
            kinds.add("inside")
    order: tuple[Names, ...] = ("root", "project", "inside", "session")
    return next(kind for kind in order if kind in kinds)


def _cut_off(route: Route, end: int, parts: Sequence[str]) -> list[At]:
    """The place before part `end`, when the last of `parts` fit those before it.

    Those further up were cut off. It must hold more than parts that fit any name.
    """
    if end >= len(route.parts):
        return []
    captures: dict[str, str] = {}
    at, name = end - 1, len(parts) - 1
    while at >= 0 and name > 0 and not route.parts[at].deep:
        said = route.parts[at].match(parts[name])
        if said is None:
            break
        captures.update(said)
        at, name = at - 1, name - 1
    if at == end - 1 or at < 0:
        return []
    shaped = [p for p in route.parts[at + 1 : -1] if p.shaped]
    rule = route.rule
    named = isinstance(rule, TranscriptRule) and bool(rule.evidence)
    return [At(route, end, captures)] if shaped or named else []


def _marked(places: Sequence[At]) -> bool:
    """Whether the names above say more than "some folder"."""
    return any(part.shaped for at in places for part in at.route.parts[: at.part])


class Listed:
    """The names in folders, each listed once for all that may be looked for there."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[list[str], frozenset[str]]] = {}

    def names(self, folder: str) -> tuple[list[str], frozenset[str]]:
        """The folders in one, and everything else; none where it is closed."""
        names = self._names.get(folder)
        if names is None:
            folders: list[str] = []
            others: list[str] = []
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        inner = entry.is_dir(follow_symlinks=False)
                        (folders if inner else others).append(entry.name)
            except OSError:
                pass  # whoever goes there tells why
            names = self._names[folder] = folders, frozenset(others)
        return names

    def may_hold(self, folder: str, places: list[At]) -> bool:
        """Whether a name below `folder` ends one of the routes at these places."""
        ahead = [(folder, places)]
        while ahead:
            folder, here = ahead.pop()
            folders, others = self.names(folder)
            for at in here:
                if at.last and at.next.fits_any(
                    frozenset(folders) if at.route.is_folder else others
                ):
                    return True
            literal = {at.next.literal for at in here}
            if None not in literal:
                folders = [name for name in folders if name in literal]
            below = os.path.join(folder, "")
            ahead += [
                (below + name, further)
                for name in folders
                if (further := advance(here, name, ALL))
            ]
        return False


def _evidence(place: Recognised, listed: Listed) -> int:
    """How many files speak for `place`; 0 when nothing does."""
    if place.file is not None:
        return sum(1 for at in place.places if _speaks(at.route, at.captures))
    walker = Walker()
    top = os.path.basename(place.ground.path)
    fit = [at for at in place.places if _may_speak(at.route, top)]
    if not fit or not listed.may_hold(place.path, fit):
        return 0
    walker.walk(place.ground, start=place.path, places=fit)
    logs = sum(_fits(log.path, fit) for log in walker.result.transcripts)
    return len(walker.result.found) + logs


def _may_speak(route: Route, top: str) -> bool:
    """Whether files of a route tell a harness, in a root whose own name is `top`."""
    rule = route.rule
    if isinstance(rule, TranscriptRule):
        return bool(rule.evidence) or any(p.shaped for p in route.parts[1:])
    if rule.recognise != "path":
        return False
    if any(part.shaped and not part.deep for part in route.parts[:-1]):
        return True
    return _tells(route.parts[-1]) or top in folder_names(route.profile, route.root_id)


def _tells(part: Part) -> bool:
    """Whether a file's name is one that only this harness gives."""
    return part.shaped and not any(part.match(name) for name in _ANYONES)


def _speaks(route: Route, captures: Captures) -> bool:
    rule = route.rule
    if isinstance(rule, TranscriptRule):
        return all(
            re.fullmatch(regex, captures.get(key, "")) is not None
            for key, regex in rule.evidence.items()
        )
    return rule.recognise == "path"


def _fits(path: str, places: Sequence[At]) -> bool:
    """Whether a transcript's name is one that only this harness gives."""
    *folders, name = path.split(os.sep)
    for at in places:
        below = {p.literal for p in at.route.parts[at.part : -1] if p.literal}
        if not below <= set(folders):
            continue
        rule = at.route.rule
        if isinstance(rule, TranscriptRule):
            here = Ending(at.route.parts[at.part :], 0).match([*folders, name])
            if here is None:
                continue
            said = {**at.captures, **here}
            known = {k: v for k, v in rule.evidence.items() if k in said}
            if rule.evidence and not known:
                continue  # it speaks of folders that are not here
            if all(re.fullmatch(v, said[k]) is not None for k, v in known.items()):
                return True
    return False


def _below(path: str, root: str) -> list[str] | None:
    """The names from `root` down to `path`; None when it is not below it."""
    folder, name = os.path.split(path)
    real = os.path.join(os.path.realpath(folder), name) if name else path
    for whole, top in (
        (path, root),
        (real, os.path.realpath(root)),
        (os.path.realpath(path), os.path.realpath(root)),
    ):
        if whole == top:
            return []
        if whole.startswith(top.rstrip(os.sep) + os.sep):
            return whole[len(top.rstrip(os.sep)) + 1 :].split(os.sep)
    return None


def sessions_of(places: Iterable[At]) -> frozenset[str]:
    """The sessions that places are of, with the names of their spill folders."""
    found = set()
    for at in places:
        session = at.captures.get("parent") or at.captures.get("session")
        if session:
            found |= {session, hashed_session(session)}
    return frozenset(found)


def project_of(at: At) -> str | None:
    """The project's folder name that was captured, if one was."""
    return at.captures.get("project")


def inside(ground: Ground, folder: str) -> bool:
    """Whether a store lies below `folder`, a real path."""
    return os.path.realpath(ground.path).startswith(folder.rstrip(os.sep) + os.sep)


def is_store(ground: Ground) -> bool:
    """Whether an existing root is a store, and not a folder of the same name."""
    for route in ground.routes:
        if isinstance(route.rule, Glob) and route.rule.recognise == "name":
            one = [ground.profile]
            return named_alike(ground.path, one, {one[0].harness: [route]}) is not None
        first = route.parts[0]
        if first.literal is None or len(route.parts) == 1:
            return holds(ground, ALL)
        if os.path.isdir(os.path.join(ground.path, first.literal)):
            return True
    return False


def holds(ground: Ground, narrow: Narrow) -> bool:
    """Whether anything at all is found there."""
    found, logs = Walker().walk(ground, narrow)
    return found + logs > 0


def project_folders(ground: Ground) -> list[str]:
    """The names that stand at `<project>` in a store."""
    names: dict[str, None] = {}
    for route in ground.routes:
        at = next((i for i, p in enumerate(route.parts) if "<project" in p.text), None)
        if at is None or any(part.literal is None for part in route.parts[:at]):
            continue
        folder = os.path.join(ground.path, *(p.text for p in route.parts[:at]))
        try:
            listed = os.listdir(folder)
        except OSError:
            continue
        names.update(dict.fromkeys(n for n in listed if route.parts[at].match(n)))
    return list(names)
