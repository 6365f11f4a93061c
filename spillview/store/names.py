"""What a spill's folder and file are called: dsh's layout, names of bounded length.

    <root>/session-<12 hex of sha256(session id)>/<12 hex>-<encoded name>
    <root>/session-<…>/.<12 hex>-<encoded name>.json        its sidecar

A name keeps `A-Z a-z 0-9 . _ -`; each other UTF-16 unit (and `~` itself) is `~` and
four hex digits, so that each name can be told from every other and read back.
"""

from __future__ import annotations

import re
from hashlib import sha256

LONGEST = 255
"""Bytes of a file name on the file systems that matter."""

LONGEST_ENCODED = LONGEST - 13
"""Bytes of an encoded name behind the 12 hex digits and their hyphen."""

_SAFE = re.compile(r"[A-Za-z0-9._-]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_EXTENSION = 16
_DIGITS = 16
_CUT_ESCAPE = re.compile(r"(?:~D[89AB][0-9A-F]{2})?(?:~[0-9A-F]{0,3})?\Z")
"""What a cut leaves of a character at a name's end."""


def session_folder(session_id: str) -> str:
    """The folder of a session: the id cannot be read back from it."""
    digest = sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"session-{digest[:12]}"


def encoded(name: str) -> str:
    """`name` as a part of a path that is safe everywhere, however long it gets."""
    if name in ("", ".", ".."):
        return "~" if not name else name.replace(".", "~002E")
    if _SAFE.fullmatch(name):
        return name
    return _UNSAFE.sub(_escaped, name)


def bounded(name: str) -> str:
    """`encoded(name)`, where that is too long its beginning, a hash, its extension."""
    whole = encoded(name)
    if len(whole) <= LONGEST_ENCODED:
        return whole
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    stem, dot, extension = whole.rpartition(".")
    if not stem or len(extension) >= _LONGEST_EXTENSION or "~" in extension:
        stem, dot, extension = whole, "", ""
    end = f"-{digest}{dot}{extension}"
    kept = stem[: LONGEST_ENCODED - len(end)]
    return _CUT_ESCAPE.sub("", kept, count=1) + end


def leaf(spill_id: str, name: str) -> str:
    """The file's name: 12 hex digits, a hyphen, the name encoded and bounded."""
    return f"{spill_id}-{bounded(name)}"


def sidecar(leaf_name: str) -> str:
    """The name of a file's sidecar; it names the file where its own name cannot."""
    plain = f".{leaf_name}.json"
    if len(plain) <= LONGEST:
        return plain
    digest = sha256(leaf_name.encode("ascii")).hexdigest()[:_DIGITS]
    return f".{leaf_name[:12]}-{digest}.json"


def following(spill_id: str) -> str:
    """The id to try when a file of this one's name is there already."""
    return sha256(spill_id.encode("ascii")).hexdigest()[:12]


def _escaped(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"~{units[at : at + 4]}" for at in range(0, len(units), 4))
