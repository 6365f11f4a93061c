"""What keys are called as they work now, whatever the settings changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from textual.binding import Binding
from textual.dom import DOMNode

_NAMED = re.compile(r"\{([a-z_]+\.[a-z_]+)\}")
_WORDS = {"space": "Space", "␣": "Space", "⏎": "Enter", "tab": "Tab", "esc": "Esc"}
"""How a sentence names what the footer draws otherwise."""


def _bindings(node: DOMNode) -> Iterator[Binding]:
    """Those of a node and all above it, as they are written down."""
    for each in node.ancestors_with_self:
        for kind in type(each).__mro__:
            for binding in vars(kind).get("BINDINGS", ()):
                if isinstance(binding, Binding):
                    yield binding


def key_of(node: DOMNode, name: str) -> str:
    """The key that has this name in `[keys]`, as a sentence of `node` names it.

    Raises `LookupError` where neither the node nor what is above it has such a key.
    """
    binding = next((each for each in _bindings(node) if each.id == name), None)
    if binding is None:
        raise LookupError(name)
    # Textual keeps what `set_keymap` was given there alone.
    chosen = node.app._keymap.get(name)
    if chosen is not None:
        binding = replace(binding, key=chosen, key_display=None)
    first = binding.key.split(",")[0].strip()
    shown = node.app.get_key_display(replace(binding, key=first, key_display=None))
    return _WORDS.get(shown, shown)


def with_keys(text: str, node: DOMNode) -> str:
    """A text in which `{queue.open}` stands for the key of that name."""
    return _NAMED.sub(lambda found: key_of(node, found[1]), text)
