"""Repeated groups of a regex that give nothing back, on every Python.

Before 3.11.5 (Debian 12 has 3.11.2) `(?:…)*+` also takes what its last, failing round
had matched so far: https://github.com/python/cpython/issues/106052. An atomic group
says the same, four times slower and with some memory for each round.
"""

from __future__ import annotations

import sys
from spillview.hints import AnyStr

SOUND = sys.version_info >= (3, 11, 5)
"""Whether a possessive group ends where it should."""


def repeated(body: AnyStr, *, sound: bool = SOUND) -> AnyStr:
    """The pattern of `body`, any number of times, without a way back into it."""
    if isinstance(body, bytes):
        return b"(?:%b)*+" % body if sound else b"(?>(?:%b)*)" % body
    return f"(?:{body})*+" if sound else f"(?>(?:{body})*)"
