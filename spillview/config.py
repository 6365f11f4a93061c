"""The user's settings: `config.toml` in the config folder, read and never written."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from spillview.errors import BadInput
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Boundary

if TYPE_CHECKING:
    from spillview.cleanup.policies import Policy
    from spillview.places import Places

KEYS = (
    "theme",
    "remember",
    "keys",
    "roots",
    "boundaries",
    "policy",
    "trash_keep",
    "watch",
)
"""What the file may hold."""

THEMES = ("night", "day", "contrast", "ansi")
"""The colours of the screens; `tui/theme.py` makes them."""

_MAX_BYTES = 1 << 20


class ExtraRoot(Frozen):
    """A store the user added: a container's home, a configured spill root."""

    path: str
    harness: str | None = None
    """None: its layout tells."""


class Settings(Frozen):
    """What the user chose; the defaults change nothing."""

    roots: tuple[ExtraRoot, ...] = ()
    boundaries: Mapping[str, Mapping[str, tuple[Boundary, ...]]] = {}
    """By harness, then by tool pattern (`*` for all); the first that fits counts."""
    policies: tuple[Policy, ...] = ()
    """What `prune --policy` removes, by harness and project."""
    theme: str | None = None
    """One of `THEMES`; None: what fits the terminal."""
    keys: Mapping[str, str] = {}
    """Other keys, by the name of what they do: `tui/keymap.py` knows the names."""
    remember: bool = True
    """Whether the screens open as they were left."""
    trash_keep: float | None = None
    """Seconds after which a clean-up in the trash is deleted for good by the next one;
    None: never."""
    watch: Mapping[str, str] = {}
    """The limits of `watch` by their names, as they were typed."""

    def boundaries_for(self, harness: str, tool: str | None) -> tuple[Boundary, ...]:
        """The user's own gates for this tool; empty when the profile's count."""
        chosen = self.boundaries.get(harness, {})
        exact = chosen.get(tool) if tool is not None else None
        if exact is not None:
            return exact
        for pattern, boundaries in chosen.items():
            if pattern != "*" and tool is not None and fnmatchcase(tool, pattern):
                return boundaries
        return chosen.get("*", ())


def config_path(places: Places) -> str:
    """Where the settings are, or would be."""
    return os.path.join(places.config_dir, "config.toml")


def load_settings(places: Places) -> Settings:
    """The settings in `config.toml`; the defaults where there is none.

    Raises `BadInput` naming the file, the key and what to do.
    """
    path = config_path(places)
    if not os.path.isfile(path):
        return Settings()
    import tomllib

    try:
        with open(path, "rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start} is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: is not TOML: {error}") from None
    for key in data:
        if key not in KEYS:
            raise BadInput(f"{path}: {unknown_key(key, KEYS)}")
    policies: tuple[Policy, ...] = ()
    if "policy" in data:
        from spillview.cleanup.policy_file import read_policies

        policies = read_policies(data["policy"], path, places.home)
    watch: Mapping[str, str] = {}
    if "watch" in data:
        from spillview.growth.limits import read_watch

        watch = read_watch(data["watch"], path)
    return Settings(
        roots=tuple(_root(each, path, places) for each in _list(data, "roots", path)),
        boundaries=_boundaries(data.get("boundaries", {}), path),
        policies=policies,
        trash_keep=_trash_keep(data, path),
        watch=watch,
        theme=_theme(data, path),
        remember=_remember(data, path),
        keys=_keys(data.get("keys", {}), path),
    )


def _theme(data: Mapping[str, Any], path: str) -> str | None:
    theme = data.get("theme")
    if theme is not None and theme not in THEMES:
        raise BadInput(
            f"{path}: theme: must be one of {', '.join(THEMES)}, not {theme!r}"
        )
    return theme


def _remember(data: Mapping[str, Any], path: str) -> bool:
    remember = data.get("remember", True)
    if not isinstance(remember, bool):
        raise BadInput(f"{path}: remember: must be true or false, not {remember!r}")
    return remember


def _keys(data: object, path: str) -> Mapping[str, str]:
    if not isinstance(data, dict):
        raise BadInput(f"{path}: keys: must be a table; see `spillview config --keys`")
    found: dict[str, str] = {}
    for name, value in data.items():
        # `home.review = "v"` without quotes is a table `home` to TOML.
        inner = value if isinstance(value, dict) else {"": value}
        for action, keys in inner.items():
            whole = f"{name}.{action}" if action else name
            if not isinstance(keys, str) or not keys.strip():
                raise BadInput(f'{path}: keys.{whole}: must be keys such as "v,space"')
            found[whole] = keys
    return found


def _root(value: object, path: str, places: Places) -> ExtraRoot:
    harness = None
    if isinstance(value, dict):
        for key in value:
            if key not in ("path", "harness"):
                hint = unknown_key(key, ("path", "harness"))
                raise BadInput(f"{path}: roots: {hint}")
        harness, value = value.get("harness"), value.get("path")
        if harness is not None and not isinstance(harness, str):
            raise BadInput(f"{path}: roots: harness must be a harness's name")
    if not isinstance(value, str) or not value:
        raise BadInput(
            f"{path}: roots: must hold folders, or tables with path and harness"
        )
    if value == "~" or value.startswith("~/"):
        value = places.home + value[1:]
    if not os.path.isabs(value):
        raise BadInput(f"{path}: roots: {value!r} must be an absolute path")
    return ExtraRoot(os.path.normpath(value), harness)


def _boundaries(
    data: object, path: str
) -> Mapping[str, Mapping[str, tuple[Boundary, ...]]]:
    if not isinstance(data, dict):
        raise BadInput(f"{path}: boundaries: must be a table of harnesses")
    found: dict[str, dict[str, tuple[Boundary, ...]]] = {}
    for harness, value in data.items():
        by_tool = value if isinstance(value, dict) else {"*": value}
        found[harness] = {
            tool: _sizes(size, f"{path}: boundaries.{harness}.{tool}")
            for tool, size in by_tool.items()
        }
    return found


def _sizes(value: Any, where: str) -> tuple[Boundary, ...]:
    from spillview.typed import parse_boundary

    sizes = value if isinstance(value, list) else [value]
    if not sizes:
        raise BadInput(f'{where}: must hold a size such as "30000chars"')
    found = []
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, str | int):
            raise BadInput(f'{where}: must be a size such as "30000chars"')
        try:
            found.append(parse_boundary(str(size)))
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None
    return tuple(found)


def _trash_keep(data: Mapping[str, Any], path: str) -> float | None:
    if "trash_keep" not in data:
        return None
    from spillview.typed import parse_age

    where, value = f"{path}: trash_keep", data["trash_keep"]
    if not isinstance(value, str):
        raise BadInput(f'{where}: must be an age such as "14d"')
    try:
        return parse_age(value)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None


def _list(data: Mapping[str, Any], key: str, path: str) -> list[object]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise BadInput(f"{path}: {key}: must be a list")
    return value


def unknown_key(key: str, known: tuple[str, ...]) -> str:
    """That a key is no setting, and which was meant."""
    from spillview.typed import meant

    return f"{key!r} is not a setting: {meant(key, known)}"


def unknown_harnesses(
    settings: Settings, places: Places, known: Collection[str]
) -> list[str]:
    """For each harness that the settings name and that is none, where and which was
    meant."""
    from spillview.typed import meant

    named = [("boundaries", harness) for harness in settings.boundaries]
    named += [("roots", root.harness) for root in settings.roots if root.harness]
    named += [
        (f"policy {policy.number}", policy.harness)
        for policy in settings.policies
        if policy.harness
    ]
    path = config_path(places)
    return [
        f"{path}: {where}: {name!r} is no harness: {meant(name, sorted(known))}"
        for where, name in named
        if name not in known
    ]
