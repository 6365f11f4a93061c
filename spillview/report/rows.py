"""The rows that `review --json` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spillview.catalogue.rows import LONGEST, removed_row, was_read_back
from spillview.report.findings import SECTIONS, Finding, Report
from spillview.seen.endings import ending_seen
from spillview.text import iso, path_text

Row = dict[str, Any]


def rows(report: Report) -> Iterator[Row]:
    """One row for each finding, worst first, what was reviewed, then the summary."""
    for finding in report.findings:
        yield finding_row(finding, report)
    for finding in report.reviewed:
        yield finding_row(finding, report) | {"reviewed": True}
    yield summary_row(report)


def finding_row(finding: Finding, report: Report) -> Row:
    """One finding."""
    run = finding.run
    artifact = finding.artifact
    row: Row = {
        "section": finding.section,
        "session": path_text(run.id) if run is not None else None,
        "artifact": artifact.id if artifact is not None else None,
        "text": path_text(finding.text),
    }
    if run is not None:
        row["harness"] = run.harness
        row["project"] = _text(run.project)
        row["title"] = _text(run.title)
        row["session_noted"] = _text(report.session_notes.get((run.harness, run.id)))
    if artifact is not None:
        row |= _artifact(finding)
    if finding.call is not None:
        row |= _call(finding)
    row |= finding.more
    return row


def _artifact(finding: Finding) -> Row:
    artifact, line, following = finding.artifact, finding.line, finding.following
    assert artifact is not None
    row: Row = {
        "tool": _text(artifact.tool),
        "command": _short(artifact.command),
        "label": _text(artifact.label),
        "path": path_text(artifact.found.place),
        "created": iso(artifact.created) if artifact.dated else None,
        "bytes": artifact.found.size,
        "failed": artifact.failed,
        "verdict": artifact.link.verdict if artifact.link is not None else "unknown",
        "verdict_text": _short(line.text) if line is not None else None,
        "line": line.number if line is not None else None,
        "verdict_seen": ending_seen(artifact),
        "read_back": was_read_back(artifact.link),
        "said": _short(following.text) if following is not None else None,
        "called": _text(following.tool) if following is not None else None,
        "called_command": _short(following.command) if following is not None else None,
        "open": opening(finding),
        "flags": list(artifact.flags),
        "noted": _text(finding.note),
    }
    return row


def opening(finding: Finding, digits: int = 16) -> str | None:
    """The command that shows the line in which it concludes."""
    artifact, line = finding.artifact, finding.line
    if artifact is None or artifact.found.type != "file":
        return None
    command = f"spillview show {artifact.id[:digits]}"
    return command if line is None else f"{command} --offset {line.number}"


def _call(finding: Finding) -> Row:
    call = finding.call
    assert call is not None
    said = call.mention
    return {
        "tool": _text(said.tool),
        "command": _short(said.command),
        "call_id": _text(said.call_id),
        "path": _text(said.path),
        "created": iso(said.time),
        "failed": said.failed,
        "swept": finding.swept and call.removal is None,
        "removed": removed_row(call.removal),
        "transcript": path_text(said.transcript),
        "record": said.record,
    }


def summary_row(report: Report) -> Row:
    """The last row: the period, what became of every artifact in it, and sums."""
    tally, period = report.tally, report.period
    missing = (*report.of("dangling"), *report.of("cut"))
    return {
        "summary": True,
        "since": iso(period.since),
        "until": iso(period.until),
        "period": period.origin,
        "sessions": tally.sessions,
        "went_on": len(report.went_on),
        "artifacts": tally.artifacts,
        "found": tally.found,
        "fine": tally.fine,
        "unknown": tally.unknown,
        "reviewed": tally.reviewed,
        "calls": tally.calls,
        "calls_reviewed": tally.calls_reviewed,
        "swept": sum(finding.swept and not finding.removed for finding in missing),
        "removed": sum(finding.removed for finding in missing),
        "uncounted": tally.uncounted,
        "items_unread": tally.items_unread,
        "exposed_before": tally.exposed_before,
        "secrets_not_looked_for": tally.unlooked,
        "sections": {
            section: sum(not finding.removed for finding in report.of(section))
            for section in SECTIONS
        },
        "problems": [path_text(problem) for problem in report.problems],
    }


def _text(value: str | None) -> str | None:
    return None if value is None else path_text(value)


def _short(value: str | None) -> str | None:
    """A text of at most 2,000 chars; what is longer ends with an ellipsis."""
    if value is None:
        return None
    text = path_text(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
