"""A profile's patterns made ready for walking: which names lead on, which end there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from spillview.digests import sha256
from spillview.named import NamedTuple
from spillview.profiles.patterns import Part, fill, parts_of, split_root
from spillview.profiles.profile import Glob, Profile, TranscriptRule, untilde

Captures = Mapping[str, str]
NOTHING: Captures = {}
STORED = ("table", "json")
"""Readers of globs whose artifacts lie inside a file: `stored` takes them out."""


class Route(NamedTuple):
    """One glob or transcript pattern of a profile, below its root."""

    profile: Profile
    rule: Glob | TranscriptRule
    root_id: str
    parts: tuple[Part, ...]
    is_transcript: bool = False
    """True for a transcript's pattern (or a database's, which a reader reads)."""
    is_folder: bool = False
    """True when the pattern names folders (`json-dir`)."""


class At(NamedTuple):
    """A place on a route: the next part to fit, and what was captured so far."""

    route: Route
    part: int
    captures: Captures

    @property
    def last(self) -> bool:
        """True when the next part is the file's own name."""
        return self.part == len(self.route.parts) - 1

    @property
    def next(self) -> Part:
        """The part that the next name must fit."""
        return self.route.parts[self.part]


class Narrow(NamedTuple):
    """Only these sessions and these projects, united; both None admits all."""

    sessions: frozenset[str] | None = None
    """Session ids, and the `session-<12 hex>` names of those ids."""
    projects: frozenset[str] | None = None
    """Names of project folders."""

    def admits(self, captures: Captures) -> bool:
        """Whether what was captured so far may still lead to one of them."""
        if self.sessions is None and self.projects is None:
            return True
        if self.settled(captures):
            return True
        if captures.get("parent") or captures.get("session"):
            return False
        return self.sessions is not None or "project" not in captures

    def settled(self, captures: Captures) -> bool:
        """Whether what was captured belongs to one of them."""
        if self.sessions is None and self.projects is None:
            return True
        if self.projects is not None and captures.get("project") in self.projects:
            return True
        session = captures.get("parent") or captures.get("session")
        if self.sessions is None or session is None:
            return False
        return session in self.sessions or hashed_session(session) in self.sessions


ALL = Narrow()
"""Every session and every project."""


def hashed_session(session: str) -> str:
    """`session-` and 12 hex digits of the id's sha256; `~0020` in it is decoded."""
    data = untilde(session).encode("utf-8", "surrogatepass")
    return f"session-{sha256(data).hexdigest()[:12]}"


def routes_of(profile: Profile) -> list[Route]:
    """Every route of a profile: transcripts first, for they are no artifacts."""
    rules: list[Glob | TranscriptRule] = [*profile.transcripts, *profile.globs]
    found = []
    for rule in rules:
        root, rest = split_root(rule.path)
        parts = parts_of(rest, known=True)
        if parts:
            log = isinstance(rule, TranscriptRule)
            stored = isinstance(rule, Glob) and rule.reader in STORED
            transcript = log or (rule.reader is not None and not stored)
            folder = isinstance(rule, TranscriptRule) and rule.form == "json-dir"
            found.append(Route(profile, rule, root, parts, transcript, folder))
    return found


class Routes(Mapping[str, Sequence[Route]]):
    """The routes of some profiles by harness, made when they are first asked for.

    Most harnesses have no store on most machines, so that nobody asks.
    """

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self._profiles = {profile.harness: profile for profile in profiles}
        self._made: dict[str, list[Route]] = {}

    def __getitem__(self, harness: str) -> Sequence[Route]:
        made = self._made.get(harness)
        if made is None:
            made = self._made[harness] = routes_of(self._profiles[harness])
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._profiles)

    def __len__(self) -> int:
        return len(self._profiles)


def begin(routes: Iterable[Route], captures: Captures = NOTHING) -> list[At]:
    """The places from which a walk starts in a root."""
    return close([At(route, 0, captures) for route in routes])


def close(places: Iterable[At]) -> list[At]:
    """`places` and those that a `**` lets them skip to."""
    found = []
    for place in places:
        found.append(place)
        while place.next.deep:
            place = At(place.route, place.part + 1, place.captures)
            found.append(place)
    return found


def advance(places: Iterable[At], name: str, narrow: Narrow) -> list[At]:
    """Where the folder `name` leads from `places`; empty when nowhere."""
    found = []
    for place in places:
        part = place.next
        if part.deep:
            found.append(place)
            continue
        if place.last:
            continue
        said = part.match(name)
        if said is None:
            continue
        captures = {**place.captures, **said} if said else place.captures
        if said and not narrow.admits(captures):
            continue
        found.append(At(place.route, place.part + 1, captures))
    return close(found)


def filled(template: str, roots: Mapping[str, str], captures: Captures) -> str | None:
    """A path template with its root and captures put in; None if one is unknown."""
    root_id, rest = split_root(template)
    root = roots.get(root_id)
    below = fill(rest, captures) if root is not None else None
    return f"{root}/{below}" if below is not None else None
