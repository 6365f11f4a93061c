"""The file beside each spill that says what it is: see `transcripts.sidecar`."""

from __future__ import annotations

import json
from typing import Any

from spillview.store.seam import SpillEnvelope, SpillFacts, SpillRequest
from spillview.store.tally import Tally

LONGEST = 1 << 16
"""Chars of a command or a label that are kept."""

LARGEST = 1 << 20
"""Bytes of an envelope's JSON above which its text is left out, and that said."""

WRITING = "Whatever wrote it has not finished, or was ended: the spill is partial."
"""What a sidecar says until its spill is complete."""


def begun(request: SpillRequest, leaf: str, created: str) -> dict[str, Any]:
    """The facts known before the first byte; they call the spill partial.

    Of a text over `LONGEST` chars the beginning is kept, and its length in `cut`.
    """
    source = request.source
    cut: dict[str, int] = {}
    facts: dict[str, str | None] = {
        "name": leaf,
        "session": request.owner.session_id,
        "tool": source.tool_name,
        "call_id": source.call_id,
        "label": source.label,
        "command": source.command,
        "cwd": source.cwd,
        "created": created,
        "partial": WRITING,
    }
    gates = [[each.size, each.unit] for each in request.boundaries]
    kept: dict[str, Any] = {}
    for key, value in facts.items():
        if value is None:
            continue
        kept[key] = value
        # The session's id is never cut: its digest is the folder's name.
        if len(value) > LONGEST and key != "session":
            kept[key] = value[:LONGEST]
            cut[key] = len(value)
    if gates:
        kept["boundaries"] = gates
    return kept | {"cut": cut} if cut else kept


def ended(
    begin: dict[str, Any],
    tally: Tally,
    facts: SpillFacts,
    cut: tuple[str, int] | None,
) -> dict[str, Any]:
    """The facts of a spill that is complete, or cut: why, and the bytes there were."""
    result = {key: value for key, value in begin.items() if key != "partial"}
    partial = facts.partial
    if cut is not None:
        partial = f"{cut[0]} {partial}" if partial else cut[0]
        result["whole_bytes"] = cut[1]
    if partial is not None:
        result["partial"] = partial
    if facts.exit_code is not None:
        result["exit_code"] = facts.exit_code
    if facts.failed is not None:
        result["failed"] = facts.failed
    result |= {
        "bytes": tally.bytes,
        "chars": tally.chars,
        "lines": tally.lines,
        "sha256": tally.sha256,
    }
    return with_envelope(result, facts.envelope)


def with_envelope(
    facts: dict[str, Any], envelope: SpillEnvelope | None
) -> dict[str, Any]:
    """The facts with another envelope, or without one."""
    result = {key: value for key, value in facts.items() if key != "envelope"}
    if envelope is None:
        return result
    kept: dict[str, Any] = {**envelope.facts, "text": envelope.text}
    if envelope.parts is not None:
        kept["parts"] = [list(part) for part in envelope.parts]
    if len(written(kept)) > LARGEST:
        kept = {"left_out_chars": len(envelope.text)}
    result["envelope"] = kept
    return result


def written(facts: dict[str, Any]) -> bytes:
    """The facts as the bytes of a sidecar."""
    return json.dumps(facts, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
