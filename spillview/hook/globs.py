"""Matching a text against a pattern in which only `*` is special."""

from __future__ import annotations


def matches(pattern: str, text: str) -> bool:
    """Whether `text` is `pattern`, each `*` standing for any text, none included.

    Takes time in proportion to the lengths, whatever the pattern.
    """
    parts = pattern.split("*")
    if len(parts) == 1:
        return pattern == text
    first, last = parts[0], parts[-1]
    if len(text) < len(first) + len(last):
        return False
    if not (text.startswith(first) and text.endswith(last)):
        return False
    at, stop = len(first), len(text) - len(last)
    for part in parts[1:-1]:
        found = text.find(part, at, stop)
        if found < 0:
            return False
        at = found + len(part)
    return True
