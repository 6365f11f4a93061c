"""What a call's result holds beside a notice that no rule of the profile accounts for.

A preview rule says where the artifact's own text stands in a result. Whatever else is
there is the harness's own words, which the profile names, or text of the artifact that
no rule knows of. Such text is looked for in the file; while some of it cannot be found
there, nothing of the artifact can be called never seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spillview.frozen import Frozen
from spillview.model import Range, Seen
from spillview.profiles.rules import compiled
from spillview.seen.alignment import align, merge
from spillview.seen.previews import preview_of
from spillview.seen.shown import shown_by
from spillview.transcripts.notices import by_id, find, notices_in

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.model import Counts, Mention
    from spillview.profiles.profile import Notice, Profile
    from spillview.transcripts.notices import Block

LEAST = 16
"""Chars of a line, or of a text, below which a place in the file may be mere chance."""

UNPLACED = (
    "The call's result holds text beside the notice that no rule of the profile"
    " accounts for, and not all of it could be located in the file."
)

_ORDINARY = (
    re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL),
    re.compile(
        r"^[ \t]{0,8}[<\[(]?(?:Error: |Command |Process |Tool )?"
        r"(?:exit(?:ed|s)?|finished with exit|completed with exit)"
        r"(?: with)?[ _-](?:code|status)[:= ]{0,3}-?\d{1,10}[>\])]?[.:]?[ \t]{0,8}$",
        re.IGNORECASE | re.MULTILINE,
    ),
)
"""What many harnesses put around a result: a reminder, a line with the exit code."""


class Told(Frozen):
    """What one record says of an artifact."""

    text: str
    """The envelope's exact text."""
    seen: Seen
    unplaced: bool
    """Whether the result holds text that no rule accounts for and no file holds."""


def told(mention: Mention, content: Content, counts: Counts, profile: Profile) -> Told:
    """Read a record again: its envelope, and what its whole result shows.

    Raises `Unreadable` when it cannot be read, or is not what it was.
    """
    from spillview.transcripts.envelopes import result

    text, blocks = result(mention, profile)
    seen = shown_by(text, mention, content, counts, profile)
    if seen.certain and seen.bytes >= counts.bytes:
        return Told(text, seen, unplaced=False)
    verdict = counts.verdict.text.strip() if counts.verdict is not None else ""
    beside = unaccounted(blocks, mention, profile, verdict)
    if not beside:
        return Told(text, seen, unplaced=False)
    parts = [_located(piece, content, counts) for piece in beside]
    ranges = merge([*seen.ranges, *(span for part in parts for span in part.ranges)])
    placed = all(part.certain for part in parts)
    return Told(text, Seen(ranges, seen.certain and placed), not placed)


# What is there


def unaccounted(
    blocks: list[Block], mention: Mention, profile: Profile, verdict: str = ""
) -> list[str]:
    """The texts of a call's result that neither notice, preview nor frame account for.

    `blocks` are the texts of the record that holds the mention. Words of the harness
    that read like the line `verdict` are no longer only its words.
    """
    if mention.place != "result" or mention.block >= len(blocks) or not mention.given:
        return []
    own = blocks[mention.block]
    notice = by_id(profile, mention.notice)
    if notice is not None and notice.preview.form == "blocks":
        return []  # our own envelope says itself what it shows
    found: list[str] = []
    for number, block in enumerate(blocks):
        if block.place != "result" or block.call_id != own.call_id:
            continue
        here = mention if number == mention.block else None
        spans = list(_told_in(block.text, here, profile))
        if here is not None:
            spans += _shown(block.text, mention, notice)
        words = (*profile.frames, *(notice.words if notice is not None else ()))
        found += _rest(block.text, spans, words, verdict)
        if here is not None and notice is not None and notice.preview.field is not None:
            for text, shown in _members(block.text, notice.preview.field, notice):
                shown += _told_in(text, None, profile)
                found += _rest(text, shown, words, verdict)
    return found


def _told_in(text: str, own: Mention | None, profile: Profile) -> Iterator[Range]:
    """What every notice of the profile says itself, and the other notices' envelopes.

    An envelope that is the whole text says nothing of where its parts are.
    """
    for hit in notices_in(text, "result", profile.notices):
        yield hit.at, hit.until
        if hit.notice.extent != "text" and (
            own is None or (hit.notice.id, hit.start) != (own.notice, own.start)
        ):
            yield hit.start, hit.end


def _members(
    text: str, field: str, notice: Notice
) -> Iterator[tuple[str, list[Range]]]:
    """The texts in a JSON object that an envelope is, each with its accounted ranges.

    A member of one line is a fact about the result, and no part of it.
    """
    from spillview.transcripts.facts import load

    try:
        value = load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return
    for name, member in value.items() if isinstance(value, dict) else ():
        if not isinstance(member, str) or "\n" not in member.strip():
            continue
        if name != field:
            yield member, []
            continue
        shown = preview_of(text, notice) or ""
        start = max(member.find(shown), 0)
        yield (
            member,
            [
                (start, start + len(shown)),
                *_opened(member, start, notice.preview.opens),
            ],
        )


def _shown(text: str, mention: Mention, notice: Notice | None) -> Iterator[Range]:
    """Char ranges of the preview, and of the words that open and close it."""
    if notice is None:
        yield mention.start, mention.end
        return
    for start, end in _preview(text[mention.start : mention.end], notice):
        yield mention.start + start, mention.start + end


def _preview(shown: str, notice: Notice) -> Iterator[Range]:
    rule, match = notice.preview, find(shown, notice)
    if match is None or rule.form == "none":
        return
    if rule.field is not None or rule.place == "around":
        yield 0, len(shown)
        return
    text = preview_of(shown, notice) or ""
    if rule.opening and (opening := notice.opens(shown)) is not None:
        yield opening.span()
    if rule.place == "before":
        start = max(shown.rfind(text, 0, match.start()), 0)
        yield start, match.start()
        yield from _opened(shown, start, rule.opens)
        return
    start = max(shown.find(text, match.end()), match.end())
    end = start + len(text)
    yield start, end
    if text:
        yield from _opened(shown, start, rule.opens)
    for words in rule.closes:
        if shown.startswith(words, end):
            yield end, end + len(words)
    if rule.behind is not None and (last := re.search(rule.behind, shown[end:])):
        yield end + last.start(), end + last.end()


def _opened(shown: str, start: int, opens: tuple[str, ...]) -> Iterator[Range]:
    for words in opens:
        if shown.endswith(words, 0, start):
            yield start - len(words), start


def _rest(
    text: str, spans: list[Range], words: tuple[str, ...], verdict: str
) -> Iterator[str]:
    """What is left of a text between these ranges, without these words."""
    patterns = [compiled(regex, re.MULTILINE) for regex in words]

    def kept(match: re.Match[str]) -> str:
        lines = [line.strip() for line in match[0].split("\n")]
        return match[0] if verdict and verdict in lines else ""

    for pattern in patterns:
        spans += [match.span() for match in pattern.finditer(text) if not kept(match)]
    at = 0
    for start, end in [*sorted(spans), (len(text), len(text))]:
        if start > at:
            piece = text[at:start]
            for pattern in (*patterns, *_ORDINARY):
                piece = pattern.sub(kept, piece)
            if piece.strip():
                yield piece
        at = max(at, end)


# Where it stands in the file


def _located(piece: str, content: Content, counts: Counts) -> Seen:
    """Where a text stands in the file: at an end, at both, in one piece, or in lines.

    What could not be located makes the answer uncertain.
    """
    from spillview.seen.placing import occurrences, place

    ranges: list[Range] = []
    if len(piece.strip()) >= LEAST:
        for form in ("head", "tail", "head+tail"):
            seen = align(piece, content, counts, form)
            if seen.certain and seen.ranges:
                return seen
            ranges += seen.ranges
        for text in (piece.lstrip("\r\n"), piece.strip("\r\n")):
            data = text.encode("utf-8", "surrogatepass")
            at = occurrences(data, content)
            if len(at) == 1:
                return Seen(((at[0], at[0] + len(data)),))
    lines = piece.split("\n")
    placed = place(lines, content, counts)
    if not placed.missing and not placed.unsure and placed.ranges:
        return Seen(placed.ranges)
    # Words of others stand among them: a short line may be one of those.
    known = [line for line in lines if len(line.strip()) >= LEAST]
    ranges += place(known, content, counts).ranges
    return Seen(merge(ranges), certain=False)
