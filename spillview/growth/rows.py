"""What a check says as JSON rows."""

from __future__ import annotations

import base64
import os
from typing import Any

from spillview.growth.changes import Change
from spillview.growth.readings import Check, Reading
from spillview.growth.repetition import Repetition
from spillview.growth.wording import growth_words
from spillview.text import path_text

Row = dict[str, Any]


def reading_row(reading: Reading) -> Row:
    """A file, a session, everything together, or a disk."""
    first = reading.passed[0] if reading.passed else None
    rate = reading.per_second
    row: Row = {
        "what": reading.kind,
        "path": path_text(reading.path) if reading.path else None,
        "bytes": reading.bytes,
        "per_second": None if rate is None else round(rate, 3),
        "limit": first.limit if first is not None else None,
        "passed": first is not None,
        "limits": [
            {"limit": each.limit, "most": each.most, "has": round(each.has, 3)}
            for each in reading.passed
        ],
        "disk_bytes": reading.disk,
        "full_in_seconds": _rounded(reading.full_in),
        "since": _change(reading.since),
    }
    if reading.path and row["path"] != reading.path:
        row["path_b64"] = base64.b64encode(os.fsencode(reading.path)).decode()
    if reading.kind == "disk":
        del row["disk_bytes"]
        row |= {"bytes": reading.disk, "of": reading.of}
        return row
    row["now"] = _change(reading.now)
    row["harness"], row["session"] = reading.harness, reading.session
    if reading.kind in ("session", "total"):
        row["files"] = reading.names
        return row
    row |= {"kind": reading.what, "names": reading.names}
    row |= {
        "flags": list(reading.flags),
        "repetition": repetition_row(reading.repetition),
    }
    row["holders"] = _holders(reading)
    return row


def growth_facts(reading: Reading | None) -> Row:
    """What the report says of an artifact that grows."""
    if reading is None:
        return {"per_second": None, "growth": ""}
    rate = reading.per_second
    return {
        "per_second": None if rate is None else round(rate, 3),
        "growth": ", ".join(growth_words(reading)),
        "full_in_seconds": _rounded(reading.full_in),
        "holders": _holders(reading),
        "growth_flags": list(reading.flags),
        "repetition": repetition_row(reading.repetition),
    }


def _holders(reading: Reading) -> list[Row]:
    return [
        {
            "pid": each.pid,
            "command": path_text(each.command),
            "writes": each.writes,
            "reads": each.reads,
        }
        for each in reading.holders
    ]


def summary_row(check: Check) -> Row:
    """The last row of a check."""
    since = check.total.since
    return {
        "summary": True,
        "what": "summary",
        "passed": len(check.passed),
        "growing": sum(
            r.kind in ("file", "deleted") and r.grows for r in check.readings
        ),
        "files": check.total.names,
        "bytes": check.total.bytes,
        "disk_bytes": check.total.disk,
        "interval": check.interval,
        "since_seconds": None if since is None else round(since.seconds, 3),
        "against": check.limits.values(),
        "defaults": not check.chosen,
        "processes_told": check.told,
        "processes_closed": check.closed,
    }


def repetition_row(found: Repetition | None) -> Row | None:
    """What a file repeats, measured over `looked` of `of` bytes; None: not looked."""
    if found is None:
        return None
    block, often = found.block, found.often
    return {
        "looked": found.looked,
        "of": found.of,
        "block": None if block is None else block._asdict(),
        "line": None if often is None else often._asdict(),
        "own_path": found.names,
        "own_path_at": found.named_at,
        "flags": list(found.flags),
    }


def _change(change: Change | None) -> Row | None:
    if change is None:
        return None
    rate = change.per_second
    row: Row = {
        "seconds": round(change.seconds, 3),
        "grown": change.grown,
        "per_second": None if rate is None else round(rate, 3),
    }
    return row | ({"note": change.why} if change.why else {})


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
