"""The built-in profiles, read once and kept in a form that loads at once.

Reading two dozen TOML files takes as long as the rest of a start. What they say is kept
in the cache folder as plain tuples, under a digest of what tells of a changed file
(device, inode, size, times) and of the form that profiles have; anything that does not
fit is read anew from the files.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Mapping
from contextlib import suppress

from spillview.digests import blake2b
from spillview.hints import TYPE_CHECKING, Any
from spillview.own_files import is_own, open_own
from spillview.profiles import claims, profile, resumption

if TYPE_CHECKING:
    from spillview.places import Places
    from spillview.profiles.profile import Profile

NAME = "profiles.bin"
DIGEST = 32
"""Bytes of a digest."""

_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harnesses"
)
_TYPES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        claims.ClaimRule,
        profile.BoundaryRule,
        profile.EnvOverride,
        profile.Glob,
        profile.NameRule,
        profile.Notice,
        profile.Preview,
        profile.Profile,
        profile.ProjectName,
        profile.Resolve,
        profile.Retention,
        profile.Root,
        profile.Sample,
        profile.TranscriptRule,
        resumption.ReadTool,
        resumption.Resume,
    )
}
_NEW = tuple.__new__


def built_in(places: Places) -> list[Profile]:
    """The profiles that come with the program."""
    files = _files()
    if files is None or places.confined:
        return _read()
    key = _key(files)
    path = os.path.join(places.cache_dir, NAME)
    known = _kept(path, key)
    if known is not None:
        return known
    found = _read()
    with suppress(OSError, ValueError):  # unwritable: the next start reads them again
        _keep(path, key, found)
    return found


def _read() -> list[Profile]:
    from spillview.profiles.file import built_in as read

    return list(read())


def _files() -> list[tuple[object, ...]] | None:
    """The profiles' files, each with all that changes when it does."""
    files: list[tuple[object, ...]] = []
    try:
        with os.scandir(_FOLDER) as entries:
            for entry in entries:
                if entry.name.endswith(".toml"):
                    s = entry.stat()
                    times = s.st_mtime_ns, s.st_ctime_ns
                    files.append((entry.path, s.st_dev, s.st_ino, s.st_size, *times))
    except OSError:
        return None
    return sorted(files)


def _key(files: list[tuple[object, ...]]) -> bytes:
    """A digest of all that the kept form depends on."""
    form = {name: kind._fields for name, kind in _TYPES.items()}
    return _digest(repr((sys.version, marshal.version, form, files)).encode())


def _kept(path: str, key: bytes) -> list[Profile] | None:
    """What is kept under `key`; None where that is anything else, or damaged."""
    try:
        with open_own(path) as file:
            facts = os.fstat(file.fileno())
            if not is_own(facts) or facts.st_mode & 0o022:
                return None  # what others may have written is not even unpacked
            if file.read(len(key)) != key:
                return None
            digest, data = file.read(DIGEST), file.read()
    except OSError:
        return None
    if _digest(key + data) != digest:
        return None
    return [_thick(item) for item in marshal.loads(data)]


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST).digest()


def _keep(path: str, key: bytes, profiles: list[Profile]) -> None:
    from spillview.places import private_dir

    data = marshal.dumps([_thin(item) for item in profiles])
    private_dir(os.path.dirname(path))
    own = f"{path}.{os.getpid()}"
    try:
        with open(
            os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
        ) as out:
            out.write(key + _digest(key + data) + data)
        os.replace(own, path)
    except OSError:
        with suppress(OSError):
            os.unlink(own)
        raise


def _thin(value: Any) -> Any:
    """`value` in types that `marshal` knows: a list is a named tuple, by its name."""
    if isinstance(value, tuple):
        thin = [_thin(item) for item in value]
        if hasattr(value, "_fields"):
            name = type(value).__name__
            if name not in _TYPES:
                raise ValueError(f"{name} cannot be kept")
            return [name, *thin]
        return ["", *thin] if list in map(type, thin) else tuple(thin)
    return dict(value) if isinstance(value, Mapping) else value


def _thick(value: Any) -> Any:
    """What `value` was made of; a tuple that holds no named one is as it was."""
    name, *items = value
    return _NEW(
        _TYPES[name] if name else tuple,
        [_thick(item) if type(item) is list else item for item in items],
    )
