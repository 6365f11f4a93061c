"""Finding every store, artifact and transcript from directory entries alone.

With no PATH the stores are where the harnesses keep them for this user; with PATHs
each is recognised: a home, a store, a project's or session's folder, a transcript, one
file, a folder in which sessions ran, or any folder of files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence

from spillview.discovery.entries import (
    Discovery,
    PathEntry,
    StoreFound,
    TranscriptFound,
    artifact_id,
    no_access,
)
from spillview.discovery.recognition import (
    Recognised,
    holds,
    in_ground,
    in_unknown_place,
    inside,
    is_store,
    named_alike,
    project_folders,
    project_of,
    sessions_of,
)
from spillview.discovery.routes import (
    ALL,
    At,
    Narrow,
    Route,
    begin,
    hashed_session,
)
from spillview.discovery.shelves import Ground, Shelf
from spillview.discovery.stores import Stores
from spillview.discovery.walk import Walker
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.places import Places
from spillview.profiles.patterns import parts_of
from spillview.profiles.profile import Glob, Profile

if TYPE_CHECKING:
    from spillview.config import ExtraRoot, Settings

__all__ = [
    "Discovery",
    "StoreFound",
    "TranscriptFound",
    "artifact_id",
    "discover",
    "store_roots",
]

_LOOSE = Glob(path="{folder}/**/<name>", recognise="never")
"""What a plain folder's files are: each folder with files is one session."""


def discover(
    places: Places,
    profiles: Mapping[str, Profile],
    settings: Settings | None = None,
    paths: Sequence[str] = (),
    harness: str | None = None,
    *,
    there: Collection[str] = (),
) -> Discovery:
    """Everything below `paths`, or in this user's stores when there are none.

    `harness` allows only that one; a PATH that does not look like it is then read as a
    folder of its files. Raises `BadInput` for an unknown harness or a path that is not
    there; what cannot be read is a problem, and the rest is found. So is a path that
    was `there` at an earlier look and is gone.
    """
    if harness is not None and harness not in profiles:
        raise BadInput(_no_harness(harness, profiles))
    chosen = [p for name, p in profiles.items() if harness in (None, name)]
    search = _Search(places, chosen, profiles, harness)
    for path in paths:
        try:
            search.take(path)
        except BadInput:
            if path not in there:
                raise
            search.missed(path)
    if not paths:
        search.usual(settings)
    return search.finished()


def store_roots(
    places: Places, profiles: Mapping[str, Profile], harness: str | None = None
) -> set[tuple[str, str]]:
    """The harness and folder of every store of this user that exists."""
    chosen = [p for name, p in profiles.items() if harness in (None, name)]
    return roots_of(Stores(places, chosen, profiles, harness).grounds())


def roots_of(grounds: Iterable[Ground]) -> set[tuple[str, str]]:
    """The harness and folder of each."""
    return {(ground.profile.harness, ground.path) for ground in grounds}


class _Search(Stores):
    """One discovery under way, of this user's stores or of PATHs."""

    def usual(self, settings: Settings | None) -> None:
        """The stores of this user, and those the settings add."""
        for ground in self.grounds():
            self._walk(ground)
        self._walker.result.roots = roots_of(self.grounds())
        self._add_hosts(self._places, self._only_guest)
        for extra in settings.roots if settings is not None else ():
            if None not in (extra.harness, self._harness) and (
                extra.harness != self._harness
            ):
                continue
            if extra.harness is not None and extra.harness not in self._profiles:
                sentence = _no_harness(extra.harness, self._profiles)
                self._walker.tell(extra.path, sentence, None)
                continue
            try:
                self._added(extra).take(extra.path)
            except BadInput as error:
                self._walker.tell(extra.path, f"{error} (roots in config.toml)", None)

    def _added(self, extra: ExtraRoot) -> _Search:
        """A search that adds to this one; it reads as files what it is told to only."""
        chosen = [self._profiles[extra.harness]] if extra.harness else self._chosen
        search = _Search(self._places, chosen, self._profiles, extra.harness)
        search._walker, search._logs = self._walker, self._logs
        search._walked = self._walked
        search._files = extra.harness is not None or self._harness in (None, "folder")
        return search

    # One PATH

    def take(self, path: str) -> None:
        """Recognise one PATH and find what it means."""
        if not path:  # of an unset variable, most likely: never the current folder
            raise BadInput("a path cannot be empty")
        try:
            path = os.path.abspath(path)
            facts = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            raise BadInput(f"{_shown(path)}: no such file or folder") from None
        except ValueError:
            raise BadInput("a path cannot hold a NUL character") from None
        except OSError as error:
            self._walker.tell(path, no_access(error), self._harness)
            return
        if stat.S_ISLNK(facts.st_mode):
            folder = os.path.isdir(path)
        else:
            folder = stat.S_ISDIR(facts.st_mode)
        if self._harness == "folder":
            self._plain(path, folder)
        elif folder:
            self._take_folder(path)
        else:
            self._take_file(path)

    def missed(self, path: str) -> None:
        """Note that a PATH is no longer there."""
        self._walker.tell(os.path.abspath(path), "it is gone", self._harness)

    def _take_folder(self, path: str) -> None:
        real = os.path.realpath(path)
        tmps = set(map(os.path.realpath, self._places.tmps))
        if real in tmps and self._whole(real):
            return
        if self._known(path, self.grounds()):
            return
        if real == os.path.realpath(self._places.home):
            for ground in self.grounds():
                self._walk(ground)
            self._add_hosts(self._places, self._only_guest)
            return
        if self._home(path) or self._in_a_home(path):
            return
        place = in_unknown_place(path, self._chosen, self._routes, folder=True)
        if place is not None:
            self._recognised(place, [])
            return
        alike = named_alike(path, self._chosen, self._routes)
        if alike is not None:
            self._walk(alike)
            for ground in self.grounds():  # what points at them lies elsewhere
                if ground.profile is alike.profile:
                    self._logs.walk(ground)
            return
        if not self._project(path):
            self._plain(path, folder=True)

    def _whole(self, real: str) -> bool:
        """Whether stores are in a temp folder, which many share; then they are found.

        A harness whose files lie directly in it has a store there when there are any.
        """
        inner = [ground for ground in self.grounds() if inside(ground, real)]
        own = [g for g in self.grounds() if os.path.realpath(g.path) == real]
        inner += [ground for ground in own if holds(ground, ALL)]
        for ground in inner:
            self._walk(ground)
        return bool(inner)

    def _take_file(self, path: str) -> None:
        if self._known(path, self.grounds()) or self._in_a_home(path):
            return
        place = in_unknown_place(path, self._chosen, self._routes, folder=False)
        if place is not None:
            self._recognised(place, [])
            return
        for profile in self._chosen:
            for route in self._routes[profile.harness]:
                rule = route.rule
                if not isinstance(rule, Glob):
                    continue
                name = os.path.basename(path)
                named = rule.recognise == "name" and profile.read_name(name) is not None
                database = rule.reader == "table" and route.parts[-1].literal == name
                if named or database:
                    folder = os.path.dirname(path)
                    ground = Ground(profile, (route,), folder, {}, "ours")
                    self._one(path, ground, begin([route]))
                    return
        self._plain(path, folder=False)

    def _known(self, path: str, grounds: Sequence[Ground]) -> bool:
        """Whether PATH is one of these stores, or inside one; then it is found."""
        places = [in_ground(path, ground) for ground in grounds]
        found = [place for place in places if place is not None]
        if not found:
            return False
        deepest = max(len(place.ground.path) for place in found)
        for place in found:
            if len(place.ground.path) == deepest:
                self._recognised(place, grounds)
        return True

    def _in_a_home(self, path: str) -> bool:
        """Whether PATH is inside a store of some home (a copy, a made one)."""
        home = os.path.dirname(path)
        while True:
            grounds = self._grounds_of(Places.of_home(home))
            if grounds:
                stores = [ground for ground in grounds if is_store(ground)]
                self._at = Places.of_home(home)
                if stores and self._known(path, stores):
                    return True
                self._at = self._places
            parent = os.path.dirname(home)
            if parent == home:
                return False
            home = parent

    def _recognised(self, place: Recognised, grounds: Sequence[Ground]) -> None:
        """Take what a recognised PATH means, in the other stores `grounds` as well."""
        others = [
            g
            for g in grounds
            if g.profile is place.ground.profile and g.path != place.ground.path
        ]
        every = [place.ground, *others]
        self._add_hosts(self._at, place.ground.profile.guest)
        narrow = self._narrow(place)
        if narrow is not None:
            for ground in every:
                self._walk(ground, narrow)
            return
        if place.file is not None:
            self._one(place.file, place.ground, place.places)
        else:
            self._walker.walk(place.ground, start=place.path, places=place.places)
        self._walked.append(place.ground)
        # What points at these files may lie in another folder or store.
        sessions = sessions_of(place.places)
        for ground in every:
            self._logs.walk(ground, Narrow(sessions) if sessions else ALL)

    def _narrow(self, place: Recognised) -> Narrow | None:
        """What a PATH inside a store stands for: a session, a project, or its files."""
        if place.names == "session":
            return Narrow(sessions=sessions_of(place.places))
        if place.names != "project":
            return None
        projects = frozenset(p for p in map(project_of, place.places) if p)
        return self._of_projects([place.ground], projects)

    def _of_projects(
        self, grounds: Iterable[Ground], projects: frozenset[str]
    ) -> Narrow:
        """The projects, and the sessions whose transcripts lie in their folders."""
        logs = Walker(artifacts=False)
        for ground in grounds:
            logs.walk(ground, Narrow(projects=projects))
        sessions = {log.session for log in logs.result.transcripts}
        sessions |= {hashed_session(session) for session in sessions}
        return Narrow(frozenset(sessions), projects)

    def _one(self, path: str, ground: Ground, places: Sequence[At]) -> None:
        """One file as an artifact of `ground`."""
        folder, name = os.path.split(path)
        shelf = Shelf(ground, folder, os.path.realpath(folder), list(places), ALL)
        shelf.take(self._walker, PathEntry(path, name))
        shelf.put_down(self._walker)

    def _home(self, path: str) -> bool:
        """Whether PATH is a home with stores in it; if so, they are found."""
        grounds = self._grounds_of(Places.of_home(path))
        if not any(map(is_store, grounds)):
            return False
        for ground in grounds:
            self._walk(ground)
        self._add_hosts(Places.of_home(path), self._only_guest)
        return True

    def _project(self, path: str) -> bool:
        """Whether sessions may have run in PATH; if so, they are found."""
        names = {path, os.path.realpath(path)}
        any_found = False
        for profile in self._chosen:
            grounds = [g for g in self.grounds() if g.profile is profile]
            projects = frozenset(
                name
                for ground in grounds
                for name in project_folders(ground)
                if any(p.fits(name, path) for p in profile.projects for path in names)
                or self._working_folder(ground, name) in names
            )
            if not projects:
                continue
            narrow = self._of_projects(grounds, projects)
            if narrow.sessions or any(holds(g, narrow) for g in grounds):
                any_found = True
                for ground in grounds:
                    self._walk(ground, narrow)
        if any_found:
            self._walker.result.projects.append(path)
        return any_found

    def _working_folder(self, ground: Ground, name: str) -> str | None:
        """The working folder that a store says its project folder `name` is of."""
        if not any(rule.marker is not None for rule in ground.profile.projects):
            return None
        from spillview.discovery.working_folders import Folders

        return Folders(ground.profile, ground.path, [name]).paths.get(name)

    def _plain(self, path: str, folder: bool) -> None:
        """PATH as a folder of files (or one file), each folder with files a session."""
        if not self._files:
            return
        if folder:
            self._walker.result.plain.append(path)
        profile = self._profiles[self._harness or "folder"]
        route = Route(profile, _LOOSE, "folder", parts_of("**/<name>"))
        top = path if folder else os.path.dirname(path)
        ground = Ground(profile, (route,), top, {}, profile.confidence)
        if folder:
            self._walk(ground)
        else:
            self._one(path, ground, begin(ground.routes))


def _no_harness(name: str, profiles: Mapping[str, Profile]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, profiles, 1, 0.5)
    known = ", ".join(profiles)
    hint = f"did you mean {near[0]}?" if near else f"known: {known}"
    return f"{_shown(name)} is not a harness: {hint}"


def _shown(path: str) -> str:
    from spillview.text import path_text, printable

    return printable(path_text(path))
