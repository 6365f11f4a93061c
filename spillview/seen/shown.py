"""What an envelope's own text shows of the artifact: its preview, found in the file."""

from __future__ import annotations

import html
import re

from spillview.hints import TYPE_CHECKING
from spillview.model import Counts, Mention, Seen
from spillview.seen.alignment import LEAST, align, align_from, around
from spillview.seen.previews import preview_of, split
from spillview.transcripts.notices import by_id

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.profiles.profile import Preview, Profile

OURS = "spillview."
"""What the ids of our own notices begin with."""


def shown_by(
    text: str, mention: Mention, content: Content, counts: Counts, profile: Profile
) -> Seen:
    """What an envelope's own text shows of the artifact."""
    if not mention.given:
        return Seen((), certain=False)
    if mention.notice.startswith(OURS):
        from spillview.transcripts import sidecar

        stated = sidecar.stated(mention, text, content, counts)
        if stated is not None:
            return stated
    notice = by_id(profile, mention.notice)
    if notice is None:
        # A field names the artifact, the text says nothing: it may be its head.
        return align(text, content, counts, "head")
    parts = preview_of(text, notice)
    if parts is None:
        return Seen((), certain=False)
    if notice.preview.form == "blocks":
        from spillview.envelopes.reading import seen_in

        return seen_in(text, content, counts)
    if notice.preview.numbered:
        from spillview.seen.filelines import numbered

        if notice.preview.gap is not None:
            parts = re.sub(notice.preview.gap, "\n", parts, count=1)
        return numbered(parts, content, counts)
    rule = notice.preview
    if rule.escaped:
        parts = html.unescape(parts)
    halves = split(text, notice)
    seen = around(*halves, content, counts) if halves is not None else None
    if seen is None:
        seen = _aligned(parts, content, counts, rule)
    if notice.replaces:
        # The model had all of it before: what it received cannot be told from this.
        return Seen(seen.ranges, certain=False)
    if not seen.certain and (rule.form, rule.unit) == ("tail", "bytes") and rule.size:
        behind = len(text[text.find(parts) + len(parts) :].encode("utf-8", "replace"))
        again = _cut_again(parts, rule.size, behind, content, counts)
        seen = again or seen
    if not seen.certain and rule.form == "head":
        from spillview.seen.rewriting import realign

        seen = realign(parts, content, counts) or seen
    if seen.ranges or seen.certain:
        return seen
    return _somewhere(parts, content, counts)


def _aligned(parts: str, content: Content, counts: Counts, rule: Preview) -> Seen:
    """A preview compared with the file, its escaped tags as they were or as shown."""
    seen = align(_with_tags(parts, rule.tags), content, counts, rule)
    if rule.tags and not seen.certain:
        # The output itself may have held the entities.
        shown = align(parts, content, counts, rule)
        return shown if shown.bytes > seen.bytes else seen
    return seen


def _with_tags(text: str, tags: tuple[str, ...]) -> str:
    for tag in tags:
        text = text.replace(f"&lt;{tag[1:-1]}&gt;", tag)
    return text


def _cut_again(
    shown: str, size: int, behind: int, content: Content, counts: Counts
) -> Seen | None:
    """A tail of `size` bytes of which a later gate kept head and tail alone."""
    start = max(0, content.size - size)
    while start < content.size and content.pread(start, 1)[0] & 0xC0 == 0x80:
        start += 1
    seen = align_from(shown, start, behind, content, counts)
    return seen if len(seen.ranges) > 1 else None


def _somewhere(shown: str, content: Content, counts: Counts) -> Seen:
    """A preview that stands elsewhere than its notice says: a search's first hits under
    a heading of their own, a list in another order."""
    from spillview.seen.placing import occurrences, place

    body = shown.strip("\n")
    _, _, without_line = body.partition("\n")
    _, _, without_paragraph = body.partition("\n\n")
    for text in (body, without_line, without_paragraph):
        data = text.strip("\n").encode("utf-8", "surrogatepass")
        if len(data) >= LEAST and len(places := occurrences(data, content)) == 1:
            return Seen(((places[0], places[0] + len(data)),))
    placed = place(body.split("\n"), content, counts, ordered=False)
    if placed.missing or not placed.ranges:
        return Seen((), certain=False)
    return Seen(placed.ranges, certain=not placed.unsure)
