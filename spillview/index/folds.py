"""The spellings of a character that ripgrep takes as one where case is ignored."""

from __future__ import annotations

import unicodedata
from functools import cache

CASED = (
    (0x80, 0x590),
    (0x1C80, 0x2000),
    (0x2100, 0x2190),
    (0x2C00, 0x2E00),
    (0xA640, 0xAC00),
    (0xFF00, 0xFFF0),
)
"""Where letters lie whose other case is looked for; Georgian, Cherokee and the rare
scripts of the higher planes are not among them, and have no known spelling."""

_OTHER_LETTERS = (
    "Lo",
    "Nd",
    "Po",
    "Ps",
    "Pe",
    "Pd",
    "Pi",
    "Pf",
    "Sm",
    "Sc",
    "So",
    "Zs",
)
"""Categories of characters that have no case and never get one."""


def spellings(char: str) -> tuple[str, ...] | None:
    """Every character that `char` may stand for where case is ignored.

    At least what ripgrep takes as equal; None where its Unicode may be newer than ours.
    """
    if char.isascii():
        if char in "kK":
            return ("k", "K", "\N{KELVIN SIGN}")
        if char in "sS":
            return ("s", "S", "\N{LATIN SMALL LETTER LONG S}")
        return (char.lower(), char.upper()) if char.isalpha() else (char,)
    if char in "\N{KELVIN SIGN}\N{LATIN SMALL LETTER LONG S}":
        return spellings(_key(char))
    same = _classes().get(_key(char))
    if same is not None:
        # A lone letter may get a partner in a later Unicode.
        return tuple(same) if len(same) > 1 and char in same else None
    if unicodedata.category(char) not in _OTHER_LETTERS:
        return None
    return (char,) if char.lower() == char == char.upper() else None


def _key(char: str) -> str:
    """What the spellings of a character have in common: its simple folding."""
    for folded in (char.casefold(), char.lower()):
        if len(folded) == 1:
            return folded
    return char


@cache
def _classes() -> dict[str, list[str]]:
    """The characters beyond ASCII that have case, by what they fold to."""
    classes: dict[str, list[str]] = {}
    for low, high in CASED:
        for char in map(chr, range(low, high)):
            if unicodedata.category(char) in ("Lu", "Ll", "Lt", "Mn", "Nl"):
                classes.setdefault(_key(char), []).append(char)
    return classes
