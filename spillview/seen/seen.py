"""What the model received of an artifact: the envelope, and every later read of it."""

from __future__ import annotations

import html
import re

from spillview.content.conclusions import classify, conclusion, outcome
from spillview.content.signals import tally
from spillview.errors import Unreadable
from spillview.frozen import Frozen, replace
from spillview.hints import TYPE_CHECKING
from spillview.links.slots import OVERWRITTEN, overwritten
from spillview.model import (
    Boundary,
    Counts,
    Found,
    Line,
    Link,
    Mention,
    Range,
    Read,
    Seen,
)
from spillview.seen.alignment import LEAST, align, align_from, around, merge
from spillview.seen.beside import UNPLACED, told
from spillview.seen.capping import CAPPED, SENTENCE, is_capped

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.discovery.ways import Ways
    from spillview.profiles.profile import Notice, Preview, Profile

__all__ = ["Survival", "align", "look", "shown_by", "survival"]

OURS = "spillview."
"""What the ids of our own notices begin with."""

LEAD = 600
"""Chars after a notice in which the words that open its preview are looked for."""


class Survival(Frozen):
    """What a plain head cut at a boundary keeps of a content."""

    boundary: Boundary
    kept_bytes: int
    """Where the cut falls."""
    lines_kept: int
    """Whole lines before the cut; one that it splits is not kept."""
    lines: int
    verdict_kept: bool | None
    """None when there is no verdict."""
    json_parses: bool | None
    """Whether what is kept still parses; None where the content is no JSON."""
    json_error: str | None
    """Why it does not parse."""

    @property
    def share(self) -> float:
        """Lines kept / lines; 1.0 for an empty content."""
        return self.lines_kept / self.lines if self.lines else 1.0


def look(
    found: Found,
    counts: Counts,
    link: Link,
    profile: Profile,
    *,
    content: Content | None = None,
    ways: Ways | None = None,
) -> Link:
    """The link with what the content says: ranges seen, reads, verdict.

    An artifact, transcript or record that cannot be read makes the answer uncertain;
    it is never an error. `content` is the artifact's, where it is open already; else
    it is opened by `ways`, see `open_content`.
    """
    from spillview.stored.stored import open_artifact

    first = link.envelope
    tool = first.tool if first is not None else found.tool
    failed = first.failed if first is not None else None
    code = first.exit_code if first is not None else None
    opened: Content | None = None
    try:
        if content is None:
            content = opened = open_artifact(found, root=found.root, ways=ways)
    except Unreadable as error:
        line = counts.verdict.text if counts.verdict is not None else None
        kind = classify(line, tool, failed, code)
        return replace(link, verdict=kind, note=_noted(link.note, str(error)))
    ranges: list[Range] = []
    certain = True
    reads: list[Read] = []
    lack: str | None = None
    try:
        ended = conclusion(content, counts, tool, first.command if first else None)
        kind = outcome(ended.verdict if ended else "unknown", failed, code)
        link = replace(link, verdict=kind, conclusion=ended)
        if link.state != "linked":
            return link
        if overwritten(found, link, counts, profile):
            unknown = tuple(replace(read, ranges=None) for read in link.reads)
            nothing = Seen((), certain=False)
            note = _noted(link.note, OVERWRITTEN)
            return replace(link, reads=unknown, seen=nothing, note=note)
        lack = first.partial if first is not None else None
        for mention in link.mentions:
            try:
                said = told(mention, content, counts, profile)
            except Unreadable:
                certain = False
                continue
            if mention is first:
                lack = _lack(first, said.text, counts, profile)
            if said.unplaced:
                link = replace(link, note=_noted(link.note, UNPLACED))
            ranges += said.seen.ranges
            certain = certain and said.seen.certain
        if link.reads:
            from spillview.seen.reads import Reader

            reader = Reader(found, content, counts, profile)
            for read in link.reads:
                known, sure = reader.ranges(read)
                reads.append(replace(read, ranges=known))
                if read.own:
                    ranges += known or ()
                    certain = certain and sure
        seen = Seen(merge(ranges), certain)
        signals = tally(content, seen)
        capped = is_capped(content, profile)
    except Unreadable as error:
        # The file shrank or went away under us.
        return replace(link, note=_noted(link.note, str(error)))
    finally:
        if opened is not None:
            opened.close()
    if ended is not None:
        ended = replace(ended, seen=_line_seen(ended.line, seen))
    verdict_seen = _line_seen(counts.verdict, seen)
    if lack is not None and verdict_seen:
        verdict_seen = None  # the last line of what is left is no verdict
    return replace(
        link,
        reads=tuple(reads),
        seen=seen,
        verdict_seen=verdict_seen,
        conclusion=ended,
        signals=signals,
        note=_noted(link.note, lack or (SENTENCE if capped else None)),
        partial=capped or lack is not None,
    )


def shown_by(
    text: str, mention: Mention, content: Content, counts: Counts, profile: Profile
) -> Seen:
    """What an envelope's own text shows of the artifact."""
    from spillview.transcripts.notices import by_id

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
    halves = _split(text, notice)
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


def preview_of(text: str, notice: Notice) -> str | None:
    """The part of an envelope that is the artifact's own text.

    None when the notice no longer stands in it.
    """
    from spillview.transcripts.notices import find

    match = find(text, notice)
    if match is None:
        return None
    rule = notice.preview
    if rule.form == "none":
        return ""
    if rule.field is not None:
        member = _member(text, rule.field)
        return member if member is None or not rule.opens else _within(member, rule)
    if rule.form == "blocks":
        from spillview.envelopes.reading import shown_text

        return shown_text(text)
    before, after = text[: match.start()], text[match.end() :]
    if rule.place != "after" and rule.opening:
        opening = notice.opens(text)
        before = before[opening.end() :] if opening is not None else before
    if rule.place == "before":
        return _closed(_behind_last(before, rule), rule, match.group())
    if rule.place == "around":
        return "".join(_halves(before, after, rule, match.group()))
    return _within(after, rule)


def _split(text: str, notice: Notice) -> tuple[str, str] | None:
    """Head and tail of an envelope whose notice stands between the two."""
    from spillview.transcripts.notices import find

    rule, match = notice.preview, find(text, notice)
    if (rule.place, rule.form) != ("around", "head+tail") or match is None:
        return None
    opening = notice.opens(text) if rule.opening else None
    before = text[opening.end() if opening is not None else 0 : match.start()]
    return _halves(before, text[match.end() :], rule, match.group())


def _halves(before: str, after: str, rule: Preview, notice: str) -> tuple[str, str]:
    """What stands before and after a notice, without what belongs to it."""
    return _closed(before, rule, notice), _opened(after, rule) if rule.opens else after


def _within(text: str, rule: Preview) -> str:
    """A preview between the words that open it and those that close it."""
    shown = _opened(text, rule)
    if rule.behind is not None:
        last = re.search(rule.behind, shown)
        shown = shown[: last.start()] if last is not None else shown
    return _closed(shown, rule, "")


def _member(text: str, name: str) -> str | None:
    """A text inside the JSON object that an envelope is."""
    from spillview.transcripts.facts import load

    try:
        value = load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    shown = value.get(name) if isinstance(value, dict) else None
    return shown if isinstance(shown, str) else None


def _opened(text: str, rule: Preview) -> str:
    """What follows the words that open a preview."""
    for words in rule.opens:
        at = text.find(words, 0, LEAD + len(words))
        if at >= 0:
            return text[at + len(words) :]
    return text.lstrip("\n") if not rule.opens else ""


def _behind_last(text: str, rule: Preview) -> str:
    """What follows the last words that open a preview, where it stands before."""
    for words in rule.opens:
        at = text.rfind("\n" + words)
        if at >= 0:
            return text[at + 1 + len(words) :]
        if text.startswith(words):
            return text[len(words) :]
    return text


def _closed(text: str, rule: Preview, notice: str) -> str:
    """What stands before the words that close a preview."""
    for words in sorted(rule.closes, key=len, reverse=True):
        if notice.startswith(words):
            return text  # the notice itself begins with them
        if text.endswith(words):
            return text[: len(text) - len(words)]
    return text


def _line_seen(line: Line | None, seen: Seen) -> bool | None:
    if line is None:
        return None
    if seen.covers(line.start, line.end):
        return True
    return False if seen.certain else None


def _lack(first: Mention, text: str, counts: Counts, profile: Profile) -> str | None:
    """A sentence when the file holds less than its envelope claims."""
    from spillview.transcripts.notices import by_id

    if first.partial is not None:
        return first.partial
    notice = by_id(profile, first.notice)
    for claim in first.claims:
        if not isinstance(claim.value, int):
            continue
        size: int
        if claim.unit in ("bytes", "chars", "lines"):
            size, whole = getattr(counts, claim.unit), claim.value
            said = f"The notice claims {whole:,} {claim.unit}"
        elif claim.unit == "omitted_bytes" and notice is not None:
            size, whole = counts.bytes, claim.value + _shown_bytes(text, notice)
            said = f"With what it shows, the notice claims {whole:,} bytes"
        else:
            continue
        if size < whole - claim.slack - 1:
            return f"{said}, the file holds {size:,}: the spill is partial."
    if notice is not None and notice.partial:
        return CAPPED
    return None


def _shown_bytes(text: str, notice: Notice) -> int:
    """Bytes of the artifact that an envelope shows, at least."""
    shown = preview_of(text, notice) or ""
    if notice.preview.gap:
        shown = re.sub(notice.preview.gap, "", shown, count=1)
    # A replacement character may stand for a single byte.
    return len(shown.encode("utf-8", "replace")) - 2 * shown.count("\ufffd")


def _noted(note: str | None, more: str | None) -> str | None:
    if more is None or (note is not None and more in note):
        return note
    return more if note is None else f"{note} {more}"


def survival(content: Content, counts: Counts, boundary: Boundary) -> Survival:
    """What a plain head cut at `boundary` keeps, exactly; memory is bounded.

    A line is kept when all of it, its LF included, lies before the cut, or when the
    cut falls at the content's end.
    """
    from spillview.content.cutting import cut

    return cut(content, counts, boundary)
