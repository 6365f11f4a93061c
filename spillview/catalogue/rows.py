"""The rows that `--json` prints: plain dicts of the facts, under their fixed names.

Integers are raw and times are ISO 8601 in UTC. Whatever is not known is null. Every
text is valid Unicode: undecodable bytes of a path are `\\xNN` in it.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from contextlib import suppress

from spillview.hints import TYPE_CHECKING, Any
from spillview.model import (
    Artifact,
    Boundary,
    Counts,
    Link,
    Missing,
    Problem,
    Seen,
    Session,
)
from spillview.text import iso, path_text

if TYPE_CHECKING:
    from spillview.catalogue.session_sums import Sums
    from spillview.cleanup.removals import Removal
    from spillview.content.pages import Page
    from spillview.discovery.discovery import StoreFound
    from spillview.profiles.profile import Profile

Row = dict[str, Any]

LONGEST = 2_000
"""Chars of a command or a verdict that a row carries."""


def artifact_row(artifact: Artifact) -> Row:
    """One row of `ls`."""
    found, counts, link = artifact.found, artifact.counts, artifact.link
    mention = artifact.envelope
    boundary, ratio = _gate(artifact)
    known = link is not None and link.state == "linked"
    row: Row = {
        "id": found.id,
        "harness": found.harness,
        "session": path_text(artifact.session or found.session),
        "project": exact_text(artifact.project),
        "path": path_text(found.path),
        "name": path_text(found.name),
        "tool": exact_text(artifact.tool),
        "call_id": exact_text((mention.call_id if mention else None) or found.call_id),
        "command": exact_text(artifact.command),
        "label": exact_text(artifact.label),
        "failed": artifact.failed,
        "created": iso(mention.time) if mention else None,
        "modified": iso(found.mtime_ns / 1e9) if found.type != "unreadable" else None,
        "bytes": _bytes(artifact),
        **_counted(counts),
        "kind": counts.kind if counts else _kind(found.type),
        "encoding": counts.encoding if counts else None,
        "boundary": boundary.size if boundary else None,
        "boundary_unit": boundary.unit if boundary else None,
        "ratio": ratio,
        "boundaries": [[each.size, each.unit] for each in artifact.boundaries],
        "link": link_state(link),
        "seen_bytes": seen_bytes(link.seen if link else None),
        "verdict_seen": artifact.verdict_seen,
        "verdict": link.verdict if link else "unknown",
        "read_back": was_read_back(link) if known else None,
        "flags": list(artifact.flags),
    }
    shorten(row, "command")
    if link is not None and link.seen is not None and not link.seen.certain:
        row["seen_certain"] = False
    if link is not None and link.note:
        row["note"] = path_text(link.note)
    if link is not None and link.chain:
        row["chain"] = list(link.chain)
    if mention is not None and mention.copy_chars:
        row["copy_chars"] = mention.copy_chars
    if found.target is not None:
        row["target"] = path_text(found.target)
        row["target_bytes"] = found.target_size
        changed = found.target_mtime_ns
        row["target_modified"] = iso(changed / 1e9) if changed is not None else None
    if counts is not None and counts.form is not None:
        row["form"] = counts.form
    if found.row is not None:
        row["row"] = path_text(found.row)
    if artifact.secrets is not None:
        row["secrets"] = len(artifact.secrets.items)
    if artifact.error is not None:
        row["error"] = path_text(artifact.error)
    if artifact.reviewed is not None:
        row["reviewed"] = iso(artifact.reviewed)
    _exact_path(row, found.path)
    return row


def was_read_back(link: Link | None) -> bool:
    """Whether the artifact's own session looked into it after the envelope."""
    return link is not None and any(r.own and r.ranges != () for r in link.reads)


def removed_row(removal: Removal | None) -> Row | None:
    """How a clean-up of ours removed the file of a call."""
    if removal is None:
        return None
    return {
        "batch": removal.batch,
        "when": iso(removal.when),
        "deleted": iso(removal.deleted) if removal.deleted is not None else None,
    }


def missing_row(missing: Missing) -> Row:
    """One row of `ls --missing`: a call whose full result is not on disk."""
    mention = missing.mention
    row: Row = {
        "id": None,
        "harness": missing.harness,
        "session": path_text(missing.session),
        "project": exact_text(missing.project),
        "path": exact_text(mention.path),
        "name": exact_text(os.path.basename(mention.path) if mention.path else None),
        "tool": exact_text(mention.tool),
        "call_id": exact_text(mention.call_id),
        "command": exact_text(mention.command),
        "failed": mention.failed,
        "created": iso(mention.time),
        "link": missing.state,
        "swept": missing.swept is not None and missing.removal is None,
        "removed": removed_row(missing.removal),
        "note": missing.swept,
        "claimed": {claim.unit: claim.value for claim in mention.claims},
        "transcript": path_text(mention.transcript),
        "record": mention.record,
    }
    shorten(row, "command")
    if mention.path is not None:
        _exact_path(row, mention.path)
    return row


def session_row(session: Session, sums: Sums | None = None) -> Row:
    """One row of `sessions`; `sums` where it does not have its artifacts."""
    if sums is None:
        from spillview.catalogue.session_sums import Sums

        sums = Sums.of(session)
    unread = sums.files > 0 and not sums.known
    none_counted = sums.uncounted == sums.files
    row: Row = {
        "harness": session.harness,
        "session": path_text(session.id),
        "project": exact_text(session.project),
        "title": exact_text(session.title),
        "started": iso(session.started),
        "last_active": iso(session.last_active),
        "artifacts": sums.number,
        "bytes": sums.bytes,
        "chars": None if sums.uncounted else sums.file_chars,
        "over_boundary": (
            None if none_counted and sums.bounded else sums.over_boundary
        ),
        "verdict_unseen": None if unread else sums.verdict_unseen,
        "failed_unseen": None if unread else sums.failed_unseen,
        "live": session.live,
    }
    if sums.uncounted:
        row["uncounted"] = sums.uncounted
    if sums.number and sums.pinned == sums.number:
        row["pinned"] = True
    if session.skipped:
        row["skipped"] = session.skipped
    return row


def page_row(artifact: Artifact, page: Page, encoding: str) -> Row:
    """The object that `show --json` prints."""
    row: Row = {
        "id": artifact.id,
        "unit": page.unit,
        "offset": page.offset,
        "limit": page.limit,
        "total": page.total,
        "next_offset": page.next_offset,
        "text": page.text,
        "encoding": encoding,
        "start": page.start,
        "end": page.end,
    }
    if page.cut:
        row["cut"] = True
        row["next"] = page.next
    return row


def store_row(
    store: StoreFound, profile: Profile, boundaries: Iterable[Boundary]
) -> Row:
    """One row of `doctor`: a store that was found."""
    return {
        "harness": store.harness,
        "root": path_text(store.root),
        "artifacts": store.artifacts,
        "bytes": store.bytes,
        "boundaries": [[each.size, each.unit] for each in boundaries],
        "retention": str(profile.retention),
        "confidence": store.confidence,
        "verified": profile.verified or profile.confidence == "ours",
        "problem": exact_text(store.problem),
        "transcripts": store.transcripts,
        "disk_bytes": store.disk,
    }


def problem_row(problem: Problem) -> Row:
    """One row of `doctor`: something that is not as it should be."""
    return {
        "harness": problem.harness,
        "root": exact_text(problem.path or None),
        "artifacts": None,
        "bytes": None,
        "boundaries": None,
        "retention": None,
        "confidence": None,
        "problem": path_text(problem.sentence),
    }


def seen_bytes(seen: Seen | None) -> int | None:
    """How many bytes the model received; None where that is not known."""
    return None if seen is None or seen.is_unknown else seen.bytes


def exact_text(value: str | None) -> str | None:
    """The text as valid Unicode."""
    return None if value is None else path_text(value)


def shorten(row: Row, name: str) -> None:
    """Cut a long text and say so beside it."""
    value = row[name]
    if value is not None and len(value) > LONGEST:
        row[name] = value[:LONGEST]
        row["truncated"] = True


def _exact_path(row: Row, path: str) -> None:
    """Add the path's own bytes where its text cannot carry them."""
    if row["path"] == path:
        return
    with suppress(UnicodeEncodeError):  # half a pair: a record's path without bytes
        row["path_b64"] = base64.b64encode(os.fsencode(path)).decode()


def _gate(artifact: Artifact) -> tuple[Boundary | None, float | None]:
    """The main boundary and its ratio; without counts the first, with no ratio."""
    gate = artifact.gate
    if gate is not None:
        return gate
    return (artifact.boundaries[0] if artifact.boundaries else None), None


def _bytes(artifact: Artifact) -> int | None:
    """Bytes by what was counted, else by the directory entry."""
    found = artifact.found
    if artifact.counts is not None:
        return artifact.counts.bytes
    if found.type == "unreadable":
        return None
    return found.size if found.type == "file" else 0


def _counted(counts: Counts | None) -> Row:
    names = ("chars", "utf16", "lines", "tokens")
    return {name: getattr(counts, name) if counts else None for name in names}


def link_state(link: Link | None) -> str | None:
    """How an artifact is linked; None where that is not known."""
    return link.state if link is not None and link.state != "unknown" else None


def _kind(type_: str) -> str | None:
    return "special" if type_ == "special" else None
