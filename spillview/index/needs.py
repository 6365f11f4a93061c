"""What a pattern needs, as signatures are asked for it.

Texts are bytes of UTF-8 with ASCII in lower case, as signatures hold them.
"""

from __future__ import annotations

from typing import NamedTuple

GRAM = 4
"""Bytes of a gram, the unit of a signature."""
REACH = 64
"""A required text is at most so long: so far do the blocks of a file overlap."""


class Chain(NamedTuple):
    """A text without a gap: of each group at least one gram is in it."""

    groups: tuple[tuple[bytes, ...], ...]


class AnyOf(NamedTuple):
    """One of these alternatives is met."""

    needs: tuple[Need, ...]


Need = tuple["Chain | AnyOf", ...]
"""All of these are in each matching line; nothing is required by an empty one."""
