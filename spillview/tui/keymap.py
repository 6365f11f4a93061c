"""Which keys there are by the names that `[keys]` of the settings uses."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, key_to_character

import spillview.tui
from spillview.errors import BadInput
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.places import Places

_NAMED = {key.value for key in Keys}


def bindings() -> dict[str, Binding]:
    """Every binding that has a name, by it; loads every screen."""
    return {name: binding for _, name, binding in _all()}


def _all() -> list[tuple[type, str, Binding]]:
    """Each with the class whose keys it is among."""
    found = {}
    for module in pkgutil.walk_packages(spillview.tui.__path__, "spillview.tui."):
        for value in vars(import_module(module.name)).values():
            if not isinstance(value, type) or not issubclass(value, DOMNode):
                continue
            if not value.__module__.startswith("spillview."):
                continue
            for binding in value.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id is not None:
                    found[value, binding.id] = binding
    return [(kind, name, binding) for (kind, name), binding in found.items()]


def check_keys(keys: Mapping[str, str], path: str) -> None:
    """Raise `BadInput` for a name, a key or a clash that cannot be meant."""
    from spillview.config import unknown_key

    there = _all()
    names = tuple(dict.fromkeys(name for _, name, _ in there))
    for name, typed in keys.items():
        if name not in names:
            raise BadInput(f"{path}: keys: {unknown_key(name, names)}")
        for key in split(typed):
            if not is_key(key):
                raise BadInput(
                    f"{path}: keys.{name}: {printable(path_text(key))!r} is no key; it"
                    " is one character, or a name such as space, f5, ctrl+r, pageup"
                )
    for kind in {kind for kind, _, _ in there}:
        taken: dict[str, Binding] = {}
        for owner, name, binding in there:
            if owner is not kind:
                continue
            for key in split(keys.get(name, binding.key)):
                other = taken.setdefault(key, binding)
                # One key may do what applies of two.
                shared = key in split(binding.key) and key in split(other.key)
                if other is not binding and not shared:
                    raise BadInput(
                        f"{path}: keys: {key!r} would be both {other.id}"
                        f" ({other.description}) and {name} ({binding.description});"
                        " give one of them another key"
                    )


def split(typed: str) -> list[str]:
    """The keys of a setting; a comma between keys, alone it is a key itself."""
    if typed.strip() == ",":
        return [","]
    return [part for each in typed.split(",") if (part := each.strip())]


def is_key(key: str) -> bool:
    """Whether a terminal can send what is called so."""
    bare = key
    for held in ("ctrl+", "shift+", "alt+"):
        bare = bare.removeprefix(held)
    if bare in _NAMED or key in _NAMED:
        return True
    character = key_to_character(REPLACED_KEYS.get(bare, bare))
    return character is not None and character.isprintable()


def keymap(keys: Mapping[str, str], places: Places) -> dict[str, str]:
    """The settings' keys as Textual takes them. Raises `BadInput`."""
    if not keys:
        return {}
    from spillview.config import config_path

    check_keys(keys, config_path(places))
    spelled = {name: map(_spelled, split(typed)) for name, typed in keys.items()}
    return _beside(keys) | {name: ",".join(each) for name, each in spelled.items()}


def _beside(keys: Mapping[str, str]) -> dict[str, str]:
    """What shares a key with something that is given another, and its own keys.

    Textual takes a key away from all that share it, unless they are named too.
    """
    there = _all()
    freed = {
        (kind, key)
        for kind, name, binding in there
        if name in keys
        for key in split(binding.key)
    }
    return {
        name: binding.key
        for kind, name, binding in there
        if name not in keys and any((kind, key) in freed for key in split(binding.key))
    }


def _spelled(key: str) -> str:
    return "comma" if key == "," else key
