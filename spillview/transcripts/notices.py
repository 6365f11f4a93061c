"""Where a harness's notices stand in a text, and what each of them covers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from spillview.frozen import Frozen
from spillview.model import Claim

if TYPE_CHECKING:
    from spillview.profiles.profile import Notice, Profile


TAIL = 16384
"""Chars at a text's end in which a notice that must end it is looked for."""

Place = Literal["result", "prompt", "attachment"]


class Block(Frozen):
    """One text of a record that the model received."""

    place: Place
    text: str
    call_id: str | None = None
    error: bool | None = None
    """The result's error state; None outside results."""


class Hit(Frozen):
    """One notice in a text."""

    notice: Notice
    path: str | None
    """As the notice gives it; None when it names none or says it was not saved."""
    start: int
    end: int
    """Char range of the whole envelope in the text."""
    at: int
    """Where the notice's own words begin."""
    match: re.Match[str]
    """The notice's own words."""
    groups: dict[str, str]
    """What the regex's groups say, `call_id`, `id`, `status` among them."""

    @property
    def until(self) -> int:
        """Where the notice's own words end."""
        return self.match.end()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the notice states."""
        return self.notice.claims_in(self.match)


def notices_in(text: str, place: str, notices: Iterable[Notice]) -> list[Hit]:
    """Every notice in `text` that may stand in `place`, in order of their start."""
    hits: list[Hit] = []
    for notice in notices:
        if notice.needle not in text or place not in notice.places:
            continue
        start = max(0, len(text) - TAIL) if notice.at_end else 0
        matches = list(notice.find(text, start))
        before = 0
        for match, after in zip(matches, [*matches[1:], None], strict=False):
            if notice.extent == "counted" and match.start() < before:
                continue  # quoted by the envelope before it
            if notice.at_end and text[match.end() :].strip():
                continue
            if notice.preview.opening and notice.opens(text) is None:
                continue
            limit = after.start() if after is not None else len(text)
            start, end = extent(text, match, notice, before, limit)
            before = end if notice.extent == "counted" else match.end()
            groups = {k: v for k, v in match.groupdict().items() if v is not None}
            path = groups.get("path")
            hits.append(
                Hit(
                    notice,
                    path.strip() if path is not None else None,
                    start,
                    end,
                    match.start(),
                    match,
                    groups,
                )
            )
    hits.sort(key=lambda hit: (hit.at, hit.start))
    return hits


def extent(
    text: str, match: re.Match[str], notice: Notice, before: int, limit: int
) -> tuple[int, int]:
    """Char range of the envelope whose notice is `match`, between two neighbours.

    Where the closing text is missing the envelope runs to the next notice; where the
    preview stands before its notice, it begins behind the one before.
    """
    if notice.extent == "text":
        return 0, len(text)
    if notice.extent == "counted":
        return match.start(), min(len(text), match.start() + int(match["size"]))
    if notice.extent == "element" and notice.close:
        close = text.find(notice.close, match.end(), limit)
        end = close + len(notice.close) if close >= 0 else limit
        return match.start(), end
    if notice.preview.form != "none" and notice.preview.place == "before":
        return before, match.end()
    return match.span()


_found: tuple[str, Notice, re.Match[str] | None] | None = None
"""What was looked for last: who reads an envelope asks several times."""


def find(text: str, notice: Notice) -> re.Match[str] | None:
    """The notice in an envelope's own text."""
    global _found
    last = _found
    if last is not None and last[0] is text and last[1] is notice:
        return last[2]
    match = _find(text, notice)
    _found = text, notice, match
    return match


def _find(text: str, notice: Notice) -> re.Match[str] | None:
    start = max(0, len(text) - TAIL) if notice.at_end else 0
    matches = list(notice.find(text, start))
    if not matches:
        return None
    if notice.extent == "counted":
        return matches[0]
    return (
        matches[-1] if notice.at_end or notice.preview.place == "before" else matches[0]
    )


def by_id(profile: Profile, name: str) -> Notice | None:
    """The profile's notice of that id."""
    return next((n for n in profile.notices if n.id == name), None)
