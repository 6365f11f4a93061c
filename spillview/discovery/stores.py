"""The stores of a user: where they are, and what each of them holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from spillview.discovery.entries import (
    Discovery,
    StoreFound,
    TranscriptFound,
    no_access,
)
from spillview.discovery.recognition import (
    project_folders,
)
from spillview.discovery.roots import closed_folder, find_roots, ignore
from spillview.discovery.routes import (
    ALL,
    Narrow,
    Route,
    Routes,
)
from spillview.discovery.shelves import Ground
from spillview.discovery.walk import Walker
from spillview.hints import TYPE_CHECKING
from spillview.places import Places
from spillview.profiles.profile import Glob, Profile
from spillview.space import Space

if TYPE_CHECKING:
    from spillview.catalogue.finds import Finds


class Stores:
    """The stores where the harnesses keep them, and what was found in some so far."""

    def __init__(
        self,
        places: Places,
        chosen: Sequence[Profile],
        profiles: Mapping[str, Profile],
        harness: str | None,
    ) -> None:
        self._places = places
        self._chosen = [p for p in chosen if p.harness != "folder"]
        self._profiles = profiles
        self._harness = harness
        self._files = True
        """Whether a PATH that is nothing else is a folder of files."""
        self._walker = Walker()
        self._logs = Walker(artifacts=False)
        self._routes = Routes(self._chosen)
        self._grounds: list[Ground] | None = None
        self._walked: list[Ground] = []
        self._tmps: set[str] = set()
        """Temp folders: with nothing in them they are no stores."""
        self._at = places
        """The home in which a PATH was recognised."""
        self._logs_of: Places | None = None
        """The home in which transcripts of all harnesses were looked for."""

    @property
    def _only_guest(self) -> bool:
        """Whether only what runs inside other harnesses is asked for."""
        return self._harness is not None and self._profiles[self._harness].guest

    def _add_hosts(self, places: Places, wanted: bool) -> None:
        """Find the transcripts in which a guest's notices may stand."""
        if not wanted or self._logs_of == places:
            return
        self._logs_of = places
        hosts = [p for p in self._profiles.values() if p.transcripts and not p.guest]
        for ground in Stores(places, hosts, self._profiles, None).grounds():
            self._logs.walk(ground)

    def finished(self) -> Discovery:
        """The result, with what each store holds."""
        result = self._walker.result
        known = {log.path for log in result.transcripts}
        more = self._logs.result
        result.transcripts += [log for log in more.transcripts if log.path not in known]
        result.folders = {**more.folders, **result.folders}
        told = {problem.path for problem in result.problems}
        result.problems += [p for p in more.problems if p.path not in told]
        for ground in self._walked:
            if any(rule.marker is not None for rule in ground.profile.projects):
                from spillview.discovery.working_folders import settle

                settle(result, ground.profile, ground.path, project_folders(ground))
        trust = {
            (g.profile.harness, g.path): g.confidence for g in reversed(self._walked)
        }
        # Folders that other programs make as well: only names tell whose they are.
        shared = {
            (g.profile.harness, g.path)
            for g in self._walked
            if all(isinstance(r.rule, Glob) and r.rule.named for r in g.routes)
        }
        shared |= {key for key in trust if key[1] in self._tmps}
        found, transcripts = result.found, tuple(result.transcripts)
        result.stores = lambda: _held(found, transcripts, trust, shared)
        return result

    def grounds(self) -> list[Ground]:
        """The stores that exist where the harnesses keep them."""
        if self._grounds is None:
            self._grounds = self._grounds_of(self._places, self._no_root)
        return self._grounds

    def _no_root(self, path: str, error: OSError) -> None:
        # Of a closed folder once, however many roots may be below.
        self._walker.tell(closed_folder(path), no_access(error), None)

    def _grounds_of(
        self, places: Places, tell: Callable[[str, OSError], None] = ignore
    ) -> list[Ground]:
        grounds: list[Ground] = []
        self._tmps.update(places.tmps)
        listed: dict[str, list[str]] = {}
        for profile in self._chosen:
            roots = find_roots(profile, places, tell, listed)
            paths: dict[str, str] = {}
            for found in roots:
                paths.setdefault(found.root.id, found.path)
            for found in roots:
                routes = self._routes_at(profile, found.root.id)
                if routes:
                    confidence = found.root.confidence or profile.confidence
                    shared = found.path in places.tmps and not places.confined
                    uid = places.uid if shared else -1
                    grounds.append(
                        Ground(profile, routes, found.path, paths, confidence, uid)
                    )
        return grounds

    def _routes_at(self, profile: Profile, root_id: str) -> tuple[Route, ...]:
        return tuple(r for r in self._routes[profile.harness] if r.root_id == root_id)

    def _walk(self, ground: Ground, narrow: Narrow = ALL) -> int:
        found, logs = self._walker.walk(ground, narrow)
        self._walked.append(ground)
        return found + logs


def _held(
    found: Finds,
    transcripts: Iterable[TranscriptFound],
    trust: Mapping[tuple[str, str], str],
    shared: Collection[tuple[str, str]],
) -> list[StoreFound]:
    """What each store holds; one of the `shared` that holds nothing is none."""
    held = found.stores()
    logs = Counter((log.harness, log.root) for log in transcripts)
    stores = []
    for key in dict.fromkeys((*trust, *held, *logs)):
        number, space = held.get(key, (0, Space()))
        if number or logs[key] or key not in shared:
            confidence = trust.get(key, "ours")
            facts = number, space.bytes, logs[key]
            stores.append(StoreFound(*key, confidence, *facts, disk=space.disk))
    return stores
