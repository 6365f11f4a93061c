"""Whether a regex stays quick on hostile text: transcripts are written by others."""

from __future__ import annotations

import re
from typing import Any

MAX_REPEAT = 10_000
"""A bounded repeat may go this far; more counts as unbounded."""
SHORT = 256
"""Two repeats of nearly any character may follow each other when one is this short."""

_ASCII = frozenset(range(128))
_BEYOND = 0x20AC
"""Stands for every character outside ASCII."""
_ALL = _ASCII | {_BEYOND}
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


class UnsafeRegex(ValueError):
    """The regex does not compile or could take very long; says what to change."""


def check_regex(regex: str, *, short_text: bool = False) -> None:
    """Raise `UnsafeRegex` unless `regex` takes time linear in the text, or nearly.

    `short_text` is for regexes that only ever meet file names: a square of 255 is
    harmless, so only nested repeats are refused there.
    """
    from re import _parser  # type: ignore[attr-defined]  # not in the type stubs

    try:
        compiled = re.compile(regex, re.MULTILINE)
        tree = _parser.parse(regex, re.MULTILINE)
    except (re.error, RecursionError, OverflowError) as error:
        raise UnsafeRegex(f"is not a regex: {error}") from None
    if compiled.fullmatch("") is not None and not short_text:
        raise UnsafeRegex("matches an empty text: it must say something")
    _nested(tree, inside=False)
    if not short_text:
        _neighbours(list(tree), after=None, leading=True)


def _nested(tree: Any, *, inside: bool) -> None:
    """Refuse a repeat within a repeat, and references back."""
    for op, value in tree:
        name = str(op)
        if name.startswith("GROUPREF"):
            raise UnsafeRegex("refers back to a group: write the text out instead")
        if name in _REPEATS:
            low, high, body = value
            varies = low != high and int(high) > 1
            if varies and inside:
                raise UnsafeRegex("has a repeat inside a repeat: flatten it")
            _nested(body, inside=inside or int(high) > 1)
        for body in _bodies(name, value):
            _nested(body, inside=inside)


def _neighbours(
    items: list[Any], after: frozenset[int] | None, *, leading: bool
) -> tuple[frozenset[int] | None, bool]:
    """Walk a sequence; refuse long repeats that overlap one before them.

    `after`: the characters of a long repeat that may still reach here, else None.
    Returns the same for what follows, and whether it is still the beginning.
    """
    for op, value in items:
        name = str(op)
        if name in _REPEATS:
            low, high, body = value
            chars = _chars(body)
            endless = int(high) > MAX_REPEAT
            wide = len(chars) > 100
            long = endless or (wide and int(high) > SHORT)
            if endless and leading:
                raise UnsafeRegex(
                    "begins with an unbounded repeat: begin with a literal text or ^"
                )
            if endless and wide and name != "POSSESSIVE_REPEAT":
                raise UnsafeRegex(
                    "has an unbounded repeat of nearly any character: bound it, "
                    "such as [^\\n]{1,4096}"
                )
            if long and after is not None and chars & after:
                raise UnsafeRegex(
                    "has two long repeats of the same characters with nothing between "
                    f"them that ends the first: bound one to {SHORT}, or make the "
                    "first possessive, such as [^]\\n]{1,4096}+"
                )
            if name == "POSSESSIVE_REPEAT":
                after = None  # it never gives back what it took
            elif long:
                after = chars if after is None else after | chars
            elif low and after is not None and not chars & after:
                after = None
            leading = leading and not low
        elif name in ("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY"):
            if after is not None and not _chars([(op, value)]) & after:
                after = None
            leading = False
        elif name == "AT":
            leading = leading and "BEGINNING" not in str(value)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            body = value[3] if name == "SUBPATTERN" else value
            after, leading = _neighbours(list(body), after, leading=leading)
        elif name == "BRANCH":
            ends = [_neighbours(list(b), after, leading=leading) for b in value[1]]
            left = [chars for chars, _ in ends if chars is not None]
            after = frozenset().union(*left) if left else None
            leading = any(still for _, still in ends)
    return after, leading


def _bodies(name: str, value: Any) -> list[Any]:
    if name == "SUBPATTERN":
        return [value[3]]
    if name == "ATOMIC_GROUP":
        return [value]
    if name == "BRANCH":
        return list(value[1])
    if name in ("ASSERT", "ASSERT_NOT"):
        return [value[1]]
    return []


def _chars(items: Any) -> frozenset[int]:
    """The characters that a body may consist of."""
    found: frozenset[int] = frozenset()
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            found |= {value if value < 128 else _BEYOND}
        elif name == "NOT_LITERAL":
            found |= _ALL - {value}
        elif name == "IN":
            found |= _class(value)
        elif name == "ANY":
            found |= _ALL - {10}
        elif name in _REPEATS:
            found |= _chars(value[2])
        else:
            for body in _bodies(name, value):
                found |= _chars(body)
    return found


def _class(items: Any) -> frozenset[int]:
    negated = str(items[0][0]) == "NEGATE"
    found: frozenset[int] = frozenset()
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            found |= {value if value < 128 else _BEYOND}
        elif name == "RANGE":
            low, high = value
            found |= {c for c in _ASCII if low <= c <= high}
            if high > 127:
                found |= {_BEYOND}
        elif name == "CATEGORY":
            found |= _category(str(value))
    return _ALL - found if negated else found


def _category(name: str) -> frozenset[int]:
    kind = name.rsplit("_", 1)[-1]
    test = {"DIGIT": str.isdigit, "SPACE": str.isspace}.get(
        kind, lambda c: c.isalnum() or c == "_"
    )
    chosen = frozenset(c for c in _ALL if test(chr(c)))
    if "NOT" in name:
        return _ALL - chosen
    # Such a class has members beyond ASCII too.
    return chosen | {_BEYOND}
