"""What a catalogue stands on, most of it made when it is first asked for.

The first frame of the terminal interface asks for none of what takes long to load:
profiles, cache, state, what transcripts say. A thread that looks at the stores does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock

from spillview.hints import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from spillview.catalogue.assembly import Assembly
    from spillview.catalogue.cache import Cache
    from spillview.config import Settings
    from spillview.links.standing import Standing
    from spillview.model import Problem
    from spillview.places import Places
    from spillview.profiles.profile import Profile
    from spillview.review.state import State

T = TypeVar("T")

_MAKING = RLock()
"""Held while something is made, so that two threads never make it twice."""


class made_once(Generic[T]):
    """A property that is made when it is first asked for, by any thread, and kept."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        with _MAKING:
            kept = vars(instance)
            if self._name not in kept:
                kept[self._name] = self._make(instance)
            made: T = kept[self._name]
            return made

    if TYPE_CHECKING:  # what is kept may be put in its place

        def __set__(self, instance: Any, value: T) -> None: ...


class Reading:
    """Profiles, and what was learnt by them: another when a profile was edited."""

    def __init__(self, footing: Footing) -> None:
        from spillview.catalogue.assembly import Assembly
        from spillview.links.standing import Standing
        from spillview.profiles.profile import load_profiles, marks_of
        from spillview.transcripts.guests import with_hosts

        places = footing.places
        self._marks = marks_of(places)
        profiles, self.problems = load_profiles(places)
        self.profiles = {name: with_hosts(p, profiles) for name, p in profiles.items()}
        self.records = Standing(footing.profile, footing.cache)
        self.assembly = Assembly(
            self.records,
            footing.cache,
            footing.profile,
            places.env,
            footing.settings,
            lambda: footing.now(),
        )

    def is_outdated(self, places: Places) -> bool:
        """Whether the user added, edited or removed a profile meanwhile."""
        from spillview.profiles.profile import marks_of

        return marks_of(places) != self._marks


class Footing:
    """Places, settings, and the parts of a catalogue, each made when it is needed."""

    _cache: Cache | str | None = None
    _state: State | bool | None = None

    def __init__(
        self,
        places: Places,
        settings: Settings | None = None,
        *,
        cache: Cache | str | None = None,
        state: State | bool | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`cache` may be the path of its file; `state`: True is the user's own."""
        from spillview.config import load_settings

        self.places = places
        self.settings = settings if settings is not None else load_settings(places)
        self.now = now
        self._cache = cache
        self._state = state

    @made_once
    def cache(self) -> Cache:
        """What can be had again by reading; one that stores nothing where none is."""
        from spillview.catalogue.cache import Cache

        given = self._cache
        return given if isinstance(given, Cache) else Cache(given)

    @made_once
    def state(self) -> State | None:
        """What a person said of artifacts; None where nothing of it is kept."""
        if not isinstance(self._state, bool):
            return self._state
        from spillview.review.state import State

        return State(self.places) if self._state else None

    @property
    def has_state(self) -> bool:
        """Whether what a person says is kept; `state` is not loaded for that."""
        kept = vars(self).get("state", self._state)
        return kept is not None and kept is not False

    @made_once
    def _reading(self) -> Reading:
        return Reading(self)

    @made_once
    def profiles(self) -> dict[str, Profile]:
        """What each harness does, by its name."""
        return self._reading.profiles

    @property
    def _records(self) -> Standing:
        return self._reading.records

    @property
    def _assembly(self) -> Assembly:
        return self._reading.assembly

    @property
    def _profile_problems(self) -> list[Problem]:
        return self._reading.problems

    def _take_profiles(self) -> None:
        """Read the profiles anew, and forget what was learnt by others."""
        with _MAKING:
            for name in ("_reading", "profiles"):
                vars(self).pop(name, None)

    def profile(self, harness: str) -> Profile:
        """The profile of a harness; the plain folder's for one unknown."""
        return self.profiles.get(harness) or self.profiles["folder"]

    def close(self) -> None:
        """Close cache and state, as far as they were opened."""
        made = vars(self)
        if "cache" in made:
            self.cache.close()
        if made.get("state") is not None and self.state is not None:
            self.state.close()
