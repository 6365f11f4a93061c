"""The object that `envelope --json` prints, and its parts."""

from __future__ import annotations

from spillview.catalogue.rows import (
    Row,
    exact_text,
    link_state,
    seen_bytes,
    shorten,
)
from spillview.hints import TYPE_CHECKING
from spillview.model import (
    Artifact,
    Conclusion,
    Mention,
    Next,
    Read,
    Seen,
    Signals,
)
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.seen.envelope import EnvelopeFacts, Shown
    from spillview.seen.seen import Survival


def envelope_row(facts: EnvelopeFacts) -> Row:
    """The object that `envelope --json` prints."""
    artifact = facts.artifact
    link = artifact.link
    first = facts.shown[0] if facts.shown else None
    seen = link.seen if link else None
    row: Row = {
        "id": artifact.id,
        "link": link_state(link),
        "transcript": path_text(first.mention.transcript) if first else None,
        "record": first.mention.record if first else None,
        "text": exact_text(first.text) if first else None,
        "claimed": facts.claimed,
        "measured": facts.measured,
        "agrees": facts.agrees,
        "seen": _ranges(seen),
        "seen_bytes": seen_bytes(seen),
        "seen_lines": facts.seen_lines,
        "coverage": facts.coverage,
        "verdict": _verdict(artifact),
        "reads": [_read(each) for each in link.reads] if link else [],
        "next": _next(first.mention.next) if first else None,
        "flags": list(artifact.flags),
        "envelopes": [_shown(each) for each in facts.shown[1:]],
        "survival": _survival(facts.survival, facts.survival_otherwise),
        **_call(first.mention if first else None),
    }
    if link is not None:
        row["conclusion"] = _conclusion(link.conclusion)
        row["signals"] = _signals(link.signals)
    if seen is not None and not seen.certain:
        row["seen_certain"] = False
    if first is not None and first.mention.copy_chars:
        row["copy_chars"] = first.mention.copy_chars
    if link is not None and link.note:
        row["note"] = path_text(link.note)
    if link is not None and link.chain:
        row["chain"] = list(link.chain)
    error = artifact.error or (first.error if first is not None else None)
    if error:
        row["error"] = path_text(error)
    return row


def _ranges(seen: Seen | None) -> list[list[int]] | None:
    return (
        None if seen is None or seen.is_unknown else [[*each] for each in seen.ranges]
    )


def _verdict(artifact: Artifact) -> Row | None:
    line = artifact.counts.verdict if artifact.counts else None
    if line is None:
        return None
    row: Row = {
        "line": line.number,
        "text": path_text(line.text),
        "class": artifact.link.verdict if artifact.link else "unknown",
        "seen": artifact.verdict_seen,
        "byte_range": [line.start, line.end],
    }
    if line.truncated:
        row["truncated"] = True
    shorten(row, "text")
    return row


def _conclusion(conclusion: Conclusion | None) -> Row | None:
    if conclusion is None:
        return None
    line = conclusion.line
    row: Row = {
        "line": line.number,
        "text": path_text(line.text),
        "runner": conclusion.runner,
        "class": conclusion.verdict,
        "seen": conclusion.seen,
        "byte_range": [line.start, line.end],
    }
    if line.truncated:
        row["truncated"] = True
    return row


def _signals(signals: Signals | None) -> Row | None:
    if signals is None:
        return None
    row: Row = {
        "total": signals.total,
        "seen": signals.seen,
        "unseen": signals.unseen,
    }
    if not signals.complete:
        row["complete"] = False
    return row


def _read(read: Read) -> Row:
    return {
        "tool": exact_text(read.tool),
        "call_id": exact_text(read.call_id),
        "transcript": path_text(read.transcript),
        "record": read.record,
        "session": path_text(read.session),
        "own": read.own,
        "ranges": None if read.ranges is None else [list(r) for r in read.ranges],
    }


def _next(following: Next | None) -> Row | None:
    if following is None:
        return None
    row: Row = {
        "text": exact_text(following.text),
        "tool": exact_text(following.tool),
        "command": exact_text(following.command),
        "record": following.record,
    }
    shorten(row, "command")
    return row


def _call(mention: Mention | None) -> Row:
    """The call that an envelope answers."""
    row: Row = {
        "tool": exact_text(mention.tool) if mention else None,
        "call_id": exact_text(mention.call_id) if mention else None,
        "command": exact_text(mention.command) if mention else None,
        "failed": mention.failed if mention else None,
        "exit_code": mention.exit_code if mention else None,
        "session": path_text(mention.session) if mention else None,
    }
    shorten(row, "command")
    return row


def _shown(shown: Shown) -> Row:
    row: Row = {
        "transcript": path_text(shown.mention.transcript),
        "record": shown.mention.record,
        "text": exact_text(shown.text),
        "claimed": shown.claimed,
        "measured": shown.measured,
        "agrees": shown.agrees,
        "seen": _ranges(shown.seen),
        "seen_bytes": seen_bytes(shown.seen),
        "next": _next(shown.mention.next),
        **_call(shown.mention),
    }
    if shown.error:
        row["error"] = path_text(shown.error)
    return row


def _survival(survival: Survival | None, otherwise: Survival | None) -> Row | None:
    if survival is None:
        return None
    row: Row = {
        "boundary": survival.boundary.size,
        "unit": survival.boundary.unit,
        "lines_kept": survival.lines_kept,
        "lines": survival.lines,
        "verdict_kept": survival.verdict_kept,
        "json_parses": survival.json_parses,
        "json_error": exact_text(survival.json_error),
        "share": survival.share,
    }
    if otherwise is not None:
        row[f"lines_kept_if_{otherwise.boundary.unit}"] = otherwise.lines_kept
        row[f"verdict_kept_if_{otherwise.boundary.unit}"] = otherwise.verdict_kept
    return row
