"""What the model received of an artifact: the envelope, and every later read of it."""

from __future__ import annotations

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
from spillview.seen.alignment import align, merge
from spillview.seen.beside import UNPLACED, told
from spillview.seen.capping import CAPPED, SENTENCE, is_capped
from spillview.seen.previews import preview_of
from spillview.seen.shown import shown_by

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.discovery.ways import Ways
    from spillview.profiles.profile import Notice, Profile

__all__ = ["Survival", "align", "look", "shown_by", "survival"]


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
        return _received(found, counts, link, profile, content)
    except Unreadable as error:
        # The file shrank or went away under us.
        return replace(link, note=_noted(link.note, str(error)))
    finally:
        if opened is not None:
            opened.close()


def _received(
    found: Found, counts: Counts, link: Link, profile: Profile, content: Content
) -> Link:
    """The link with what the envelopes and every later read show of the content."""
    first, note = link.envelope, link.note
    lack = first.partial if first is not None else None
    ranges: list[Range] = []
    certain = True
    for mention in link.mentions:
        try:
            said = told(mention, content, counts, profile)
        except Unreadable:
            certain = False
            continue
        if mention is first:
            lack = _lack(first, said.text, counts, profile)
        if said.unplaced:
            note = _noted(note, UNPLACED)
        ranges += said.seen.ranges
        certain = certain and said.seen.certain
    reads: list[Read] = []
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
    capped = is_capped(content, profile)
    ended = link.conclusion
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
        signals=tally(content, seen),
        note=_noted(note, lack or (SENTENCE if capped else None)),
        partial=capped or lack is not None,
    )


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
