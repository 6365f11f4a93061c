"""How the screens were left: the queue of each ground, and the place in an artifact.

What is kept is judged anew when it is read: a file may hold anything.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, cast

from spillview.digests import sha256
from spillview.frozen import Frozen

if TYPE_CHECKING:
    from spillview.catalogue.query import Query
    from spillview.model import Found
    from spillview.review.screens import Screens

Mode = Literal["full", "envelope", "shape"]
MODES = ("full", "envelope", "shape")

LONGEST = 1000
"""Chars of a filter that are kept."""


class QueueLeft(Frozen):
    """How a queue was looked at."""

    sort: str
    """A column's name, or the triage."""
    reverse: bool = False
    flat: bool = False
    filter: str = ""
    only: str | None = None
    """The name of the kind that was shown alone."""
    at: str | None = None
    """The id of the artifact under the cursor, where the person had moved it."""


class ArtifactLeft(Frozen):
    """Where somebody was in an artifact, and how it was shown."""

    byte: int
    """On the disk."""
    key: tuple[int, ...]
    """`Found.key` as it was: of another file the place means nothing."""
    mode: Mode = "full"
    wrap: bool = True


def recall_queue(screens: Screens, query: Query) -> QueueLeft | None:
    """How the queue of this ground was left; None where nobody looked at it yet."""
    kept = _read(screens, _ground(query))
    if kept is None:
        return None
    try:
        words = {name: kept[name] for name in ("sort", "filter")}
        flags = {name: kept[name] for name in ("reverse", "flat")}
        maybe = {name: kept[name] for name in ("only", "at")}
    except KeyError:
        return None
    if not (
        all(isinstance(word, str) and len(word) <= LONGEST for word in words.values())
        and all(isinstance(flag, bool) for flag in flags.values())
        and all(each is None or isinstance(each, str) for each in maybe.values())
    ):
        return None
    return QueueLeft(**words, **flags, **maybe)


def remember_queue(
    screens: Screens, query: Query, left: QueueLeft | None, when: float
) -> None:
    """Keep how the queue of this ground was left; None: as it is at first."""
    if left is not None and len(left.filter) > LONGEST:
        left = None
    _write(screens, _ground(query), left, when)


def recall_artifact(screens: Screens, found: Found) -> ArtifactLeft | None:
    """Where an artifact was left; None where it was left as it opens."""
    kept = _read(screens, f"artifact {found.id}")
    if kept is None:
        return None
    byte, key = kept.get("byte"), kept.get("key")
    mode, wrap = kept.get("mode"), kept.get("wrap")
    numbers = isinstance(key, list) and all(isinstance(each, int) for each in key)
    if not (isinstance(byte, int) and byte >= 0 and numbers and isinstance(wrap, bool)):
        return None
    if mode not in MODES:
        return None
    return ArtifactLeft(byte, tuple(cast("list[int]", key)), mode, wrap)


def remember_artifact(
    screens: Screens, found: Found, left: ArtifactLeft | None, when: float
) -> None:
    """Keep where an artifact was left; None: as it opens."""
    _write(screens, f"artifact {found.id}", left, when)


def _ground(query: Query) -> str:
    """A name for the stores and the options that were asked for.

    Of times alone whether there is one: an age means another moment each time.
    """
    paths = sorted({os.path.realpath(path) for path in query.paths})
    options = (
        query.harness or "",
        query.session or "",
        str(query.since is not None),
        str(query.until is not None),
        str(query.boundary or ""),
    )
    ground = "\0".join((*options, *paths))
    return f"queue {sha256(os.fsencode(ground)).hexdigest()[:16]}"


def _read(screens: Screens, name: str) -> dict[str, Any] | None:
    text = screens.recall(name)
    if text is None:
        return None
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return kept if isinstance(kept, dict) else None


def _write(
    screens: Screens, name: str, left: QueueLeft | ArtifactLeft | None, when: float
) -> None:
    before = screens.recall(name)
    text = None
    if left is not None:
        fields = {each: getattr(left, each) for each in type(left).__annotations__}
        text = json.dumps(fields)
    if text != before:
        screens.remember(name, text, when)
