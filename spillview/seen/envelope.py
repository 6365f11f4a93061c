"""All that can be said of one artifact's envelope: claims, measures, what was seen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from spillview.errors import Unreadable
from spillview.frozen import Frozen, replace
from spillview.hints import TYPE_CHECKING
from spillview.model import (
    Artifact,
    Boundary,
    Claim,
    Counts,
    Found,
    Mention,
    Range,
    Seen,
)

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.profiles.profile import Profile
    from spillview.seen.seen import Survival

CHUNK = 1 << 20
"""Bytes read at a time; memory stays bounded whatever the artifact's size."""


WORDLESS = (
    "The record names this file, but does not keep the words that the model received."
)


class Shown(Frozen):
    """One record that put (part of) the artifact before the model."""

    mention: Mention
    text: str | None
    """The envelope's exact text; None where its record does not keep it."""
    seen: Seen | None
    """What of the artifact stands in this envelope; None when that is not known."""
    claimed: dict[str, int | str]
    measured: dict[str, int | str]
    agrees: bool | None
    """Whether every claim fits its measure within the notice's rounding."""
    error: str | None = None

    @property
    def why(self) -> str:
        """Why there is no text, as a sentence."""
        return self.error or WORDLESS


class EnvelopeFacts(Frozen):
    """The envelope of an artifact beside its content."""

    artifact: Artifact
    shown: tuple[Shown, ...]
    """One entry a record, in time order; empty for an orphan."""
    claimed: dict[str, int | str]
    """What the notice (or, in an outbox, the file's name) states."""
    measured: dict[str, int | str]
    agrees: bool | None
    seen_lines: int | None
    """Lines received whole; None where nothing is known."""
    coverage: float | None
    """Seen bytes / all bytes, 0.0 to 1.0; None where nothing is known."""
    survival: Survival | None
    """What a plain head cut at the boundary keeps; None without a boundary."""
    survival_otherwise: Survival | None = None
    """The same had one counted bytes instead of chars, or chars instead of bytes; None
    where the boundary is in neither."""


def envelope_facts(artifact: Artifact, profile: Profile) -> EnvelopeFacts:
    """Read the envelope records and the artifact, and put them side by side.

    Where the artifact itself cannot be read, its `error` says why and the envelopes
    stand alone. Raises `Unreadable` when there is none of them either.
    """
    from spillview.content.counts import count
    from spillview.seen.seen import survival
    from spillview.stored.stored import open_artifact

    found = artifact.found
    mentions = artifact.link.mentions if artifact.link is not None else ()
    try:
        content = open_artifact(found, root=found.root)
    except Unreadable as failure:
        if not mentions:
            raise
        return _alone(replace(artifact, error=str(failure)), mentions, profile)
    try:
        counts = artifact.counts if artifact.counts else count(content)
        shown = tuple(_shown(m, content, counts, profile) for m in mentions)
        first = shown[0] if shown else None
        claimed = dict(first.claimed) if first else {}
        measured = dict(first.measured) if first else {}
        agrees = first.agrees if first else None
        if found.digest is not None:
            claimed["sha256"] = found.digest
            measured["sha256"] = sha256_prefix(content, len(found.digest))
            agrees = claimed["sha256"] == measured["sha256"] and agrees is not False
        seen = artifact.link.seen if artifact.link is not None else None
        seen_lines = coverage = None
        if seen is not None and not seen.is_unknown:
            wide = counts.encoding.startswith("utf-16")
            if not wide:
                seen_lines = lines_within(content, seen.ranges)
            coverage = seen.bytes / counts.bytes if counts.bytes else 1.0
        gate = artifact.gate
        boundary: Boundary | None = gate[0] if gate else None
        kept = survival(content, counts, boundary) if boundary is not None else None
        other = _otherwise(boundary)
        return EnvelopeFacts(
            artifact,
            shown,
            claimed,
            measured,
            agrees,
            seen_lines,
            coverage,
            kept,
            survival(content, counts, other) if other is not None else None,
        )
    finally:
        content.close()


def _otherwise(boundary: Boundary | None) -> Boundary | None:
    """The boundary in the unit that it is mistaken for."""
    if boundary is None or boundary.unit not in ("chars", "utf16", "bytes"):
        return None
    return Boundary(boundary.size, "chars" if boundary.unit == "bytes" else "bytes")


def _alone(
    artifact: Artifact, mentions: Sequence[Mention], profile: Profile
) -> EnvelopeFacts:
    """The envelopes of an artifact that cannot be read."""
    from spillview.transcripts import record_text

    shown = []
    for mention in mentions:
        text, error = None, None
        try:
            text = record_text(mention, profile) or None
        except Unreadable as failure:
            error = str(failure)
        shown.append(Shown(mention, text, None, _claimed(mention), {}, None, error))
    claimed = dict(shown[0].claimed)
    if artifact.found.digest is not None:
        claimed["sha256"] = artifact.found.digest
    return EnvelopeFacts(artifact, tuple(shown), claimed, {}, None, None, None, None)


def _claimed(mention: Mention) -> dict[str, int | str]:
    return {claim.unit: claim.value for claim in mention.claims}


def _shown(
    mention: Mention, content: Content, counts: Counts, profile: Profile
) -> Shown:
    from spillview.seen.beside import told

    text, seen, error = None, None, None
    try:
        said = told(mention, content, counts, profile)
        text, seen = said.text, said.seen
        text = text or None  # named by a field alone: its words are not kept
    except Unreadable as failure:
        error = str(failure)
    claimed = _claimed(mention)
    measured: dict[str, int | str] = {}
    verdicts: list[bool] = []
    for claim in mention.claims:
        value = _measure(claim, content, counts, seen)
        if value is None:
            continue
        measured[claim.unit] = value
        verdicts.append(fits(claim, value))
    return Shown(
        mention,
        text,
        seen,
        claimed,
        measured,
        all(verdicts) if verdicts else None,
        error,
    )


def _measure(
    claim: Claim, content: Content, counts: Counts, seen: Seen | None
) -> int | str | None:
    if claim.unit in ("bytes", "chars", "utf16", "lines", "tokens"):
        value: int = getattr(counts, claim.unit)
        return value
    if claim.unit == "sha256":
        return sha256_prefix(content, len(str(claim.value)))
    if claim.unit == "omitted_bytes" and seen is not None and seen.certain:
        return counts.bytes - seen.bytes
    return None


def fits(claim: Claim, value: int | str) -> bool:
    """Whether a measure agrees with what the notice states, its rounding allowed."""
    if isinstance(claim.value, str) or isinstance(value, str):
        return str(claim.value).lower() == str(value).lower()
    return abs(claim.value - value) <= claim.slack


def sha256_prefix(content: Content, digits: int = 64) -> str:
    """The first hex digits of the content's sha256, read in bounded pieces."""
    digest, offset = hashlib.sha256(), 0
    while piece := content.pread(offset, CHUNK):
        digest.update(piece)
        offset += len(piece)
    return digest.hexdigest()[:digits]


def has_digest(found: Found) -> bool:
    """Whether the file's content still has the sha256 prefix that its name carries.

    Raises `Unreadable` when it cannot be read.
    """
    from spillview.stored.stored import open_artifact

    content = open_artifact(found, root=found.root)
    try:
        digest = found.digest or ""
        return sha256_prefix(content, len(digest)) == digest.lower()
    finally:
        content.close()


def lines_within(content: Content, ranges: Sequence[Range]) -> int:
    """How many lines were received whole: all their bytes before CR/LF are in a range.

    The LF itself need not be, but of an empty line it is all there is. Memory is
    bounded; only the ranges are read.
    """
    total = 0
    for start, end in ranges:
        position = start
        if start > 0 and content.pread(start - 1, 1) != b"\n":
            found = _after_newline(content, start, end)
            if found is None:
                continue
            position = found
        open_line = position
        while position < end:
            piece = content.pread(position, min(CHUNK, end - position))
            if not piece:
                break
            total += piece.count(b"\n")
            last = piece.rfind(b"\n")
            if last >= 0:
                open_line = position + last + 1
            position += len(piece)
        rest = content.pread(open_line, 2)
        if open_line < end and rest != b"\r\n" and _ends_line(content, end):
            total += 1
    return total


def _ends_line(content: Content, end: int) -> bool:
    """Whether nothing but CR/LF stands between `end` and the end of its line."""
    after = content.pread(end, 2)
    if after in (b"", b"\r\n") or after[:1] == b"\n":
        return True
    return content.pread(end - 1, 2) == b"\r\n"


def _after_newline(content: Content, start: int, end: int) -> int | None:
    """Byte offset just past the first LF in `[start, end)`; None when there is none."""
    while start < end:
        piece = content.pread(start, min(CHUNK, end - start))
        if not piece:
            return None
        at = piece.find(b"\n")
        if at >= 0:
            return start + at + 1
        start += len(piece)
    return None
