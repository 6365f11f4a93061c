"""A look at the stores by a process of its own, while this one loads its screens."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from select import select
from threading import Lock

from spillview.hints import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from spillview.catalogue.first_look import FirstLook
    from spillview.catalogue.query import Query
    from spillview.discovery.entries import Discovery
    from spillview.places import Places

PIPE = 1 << 20
"""Bytes that the system keeps for us until we read, where it lets us choose."""

T = TypeVar("T")


class Ahead:
    """A look that is under way in a child of this process, part after part."""

    def __init__(self, query: Query, opened: float, child: int, answer: int) -> None:
        """Its process id, and the pipe that its answer comes through."""
        self.query = query
        self.opened = opened
        """When it began, seconds since the epoch."""
        self._child = child
        self._pipe = open(answer, "rb")  # noqa: SIM115 - until the last part was read
        self._lock = Lock()
        self._first_read = False

    def close(self) -> None:
        """Let the child end; nobody wants what it finds."""
        with self._lock:
            self._pipe.close()

    def first(self, *, wait: bool) -> FirstLook | None:
        """The first look, once; None where it is not worth one, or came to nothing.

        Without `wait` None too where it is not there yet.
        """
        from spillview.catalogue.first_look import FirstLook

        with self._lock:
            if self._first_read or self._pipe.closed:
                return None
            if not wait and not select([self._pipe], [], [], 0)[0]:
                return None
            return self._read_first(FirstLook)

    def _read_first(self, kind: type[T]) -> T | None:
        self._first_read = True
        found = self._next()
        return found if isinstance(found, kind) else None

    def discovery(self) -> Discovery | None:
        """What it found, once it is done; None where it came to nothing.

        To be called once.
        """
        from spillview.discovery.entries import Discovery

        with self._lock:
            if not self._first_read:
                self._read_first(object)
            seen = self._next()
            self._pipe.close()
        with suppress(OSError):
            if os.waitpid(self._child, 0)[1] == 0 and isinstance(seen, Discovery):
                return seen
        return None

    def _next(self) -> object:
        import pickle

        with suppress(OSError, EOFError, pickle.UnpicklingError):
            return pickle.load(self._pipe)
        return None


def look_ahead(places: Places, query: Query, opened: float) -> Ahead | None:
    """Start to look; None where that takes no time of another processor.

    Only for a process that has one thread and no database open: a child has no other
    thread, but their locks, and must not use their files.
    """
    if query.paths:  # which may stand for sessions that the cache tells of
        return None
    return begin(query, opened, lambda: _parts(places, query, opened))


def begin(
    query: Query, opened: float, look: Callable[[], Iterable[object]]
) -> Ahead | None:
    """Have a child give the parts of `look`."""
    if not hasattr(os, "fork") or _processors() < 2:
        return None
    try:
        answer, into = os.pipe()
    except OSError:
        return None
    try:
        child = os.fork()
    except OSError:
        os.close(answer)
        os.close(into)
        return None
    if child == 0:
        os.close(answer)  # else nobody would be missed who does not read
        _answer(look, into)
    os.close(into)
    return Ahead(query, opened, child, answer)


def _parts(places: Places, query: Query, opened: float) -> Iterable[object]:
    """In the child: a first look, where it can be had without mending a file of ours,
    and all that was found. What is broken, the parent will mend and tell."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.first_look import MANY, FirstLook, Window

    cache, sound = _readable(places)
    catalogue = Catalogue(places, cache=cache, state=sound)
    listing = catalogue.scan(query, bare=True)
    first: FirstLook | None = None
    if sound and len(listing) > MANY:
        window = Window.of(catalogue, query, opened)
        first = FirstLook.of(catalogue, listing, window)
    yield first
    yield catalogue.seen


def _readable(places: Places) -> tuple[str | None, bool]:
    """The path of the cache, if it is there, and whether it and the state are sound."""
    from spillview.catalogue.cache_file import SCHEMA
    from spillview.own_files import is_sound
    from spillview.review.state_file import VERSION

    cache = os.path.join(places.cache_dir, "catalogue.sqlite3")
    state = os.path.join(places.state_dir, "state.sqlite3")
    sound = not os.path.lexists(state)
    sound = sound or is_sound(state, VERSION, "printed, reviewed, facts")
    if not os.path.lexists(cache):
        return None, sound
    return (cache, sound) if is_sound(cache, SCHEMA, "counts, looks") else (None, False)


def _answer(look: Callable[[], Iterable[object]], into: int) -> NoReturn:
    """In the child: look, hand over what was found, and end without a word."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's first process
        import copyreg
        import pickle
        from types import MappingProxyType

        def plain(proxy: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
            return MappingProxyType, (dict(proxy),)

        copyreg.pickle(MappingProxyType, plain)
        with suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE)
        with open(into, "wb", buffering=0) as pipe:
            for part in look():
                left = memoryview(pickle.dumps(part, -1))
                while left:
                    left = left[pipe.write(left) :]
        os._exit(0)
    finally:
        os._exit(1)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
