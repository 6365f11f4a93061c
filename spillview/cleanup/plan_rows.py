"""The rows that `prune`, `undo`, `trash` and `pin` print with `--json`."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Sequence
from typing import Any

from spillview.cleanup.batches import Batch
from spillview.cleanup.bins import NoBin
from spillview.cleanup.choices import Choice, Choices
from spillview.cleanup.cleanup import Share
from spillview.cleanup.moving import Failure
from spillview.cleanup.outcomes import Applied, Emptied, Undone
from spillview.cleanup.pins import Pin
from spillview.cleanup.retention import Plan
from spillview.model import Found
from spillview.text import iso, path_text

Row = dict[str, Any]


def choice_row(choice: Choice, failure: Failure | None = None) -> Row:
    """One artifact of a plan; after it was carried out, with what became of it."""
    found = choice.artifact.found
    remove = choice.remove and failure is None
    reason = choice.reason
    if failure is not None:
        reason = f"it could not be removed: {failure.reason}"
    row: Row = {
        "id": found.id,
        "path": path_text(found.path),
        "bytes": found.size,
        "disk_bytes": found.disk,
        "action": "remove" if remove else "keep",
        "reason": path_text(reason),
        "harness": found.harness,
        "session": path_text(choice.artifact.session or found.session),
        "modified": iso(found.mtime_ns / 1e9),
    }
    if choice.policy is not None:
        row["policy"] = path_text(choice.policy)
    _exact(row, found.path)
    return row


def summary_row(
    plan: Plan,
    trashes: Sequence[tuple[str | NoBin, Share]],
    applied: Applied | None,
    full: str | None = None,
) -> Row:
    """The last row of `prune`: sums of what is planned, or of what was done."""
    number, size = len(plan.remove), plan.remove_bytes
    if applied is not None:
        number = len(applied.moved)
        size = sum(found.size for found in applied.moved)
    failed = applied.failed if applied is not None else ()
    row: Row = {
        "summary": True,
        "remove": number,
        "remove_bytes": size,
        "keep": len(plan.choices) - number,
        "applied": applied is not None,
        "batch": applied.batch if applied is not None else None,
        "failed": [
            _failure(each.found.path, each.reason, each.found) for each in failed
        ],
        "freed_now": applied.freed_now if applied is not None else 0,
        "frees": plan.frees,
    }
    if applied is None:
        row["trash"] = [_place(where, share) for where, share in trashes]
        if full is not None:
            row["problem"] = path_text(full)
    if plan.over_total is not None:
        row["over_total"] = plan.over_total
    if plan.over_session is not None:
        row["over_session"] = plan.over_session
    return row


def forecast_facts(plan: Plan, today: Plan) -> Row:
    """What a forecast's summary says besides: for when, and what is new by then."""
    gone = set(today.remove.order)
    return {
        "forecast": True,
        "at": iso(plan.now),
        "more": removal_facts(plan.remove.where(lambda index: index not in gone)),
        "live_now": plan.keep.groups()["live"],
    }


def removal_facts(choices: Choices) -> Row:
    """How many files go, and their bytes."""
    size = sum(found.size for found in choices.found())
    return {"remove": len(choices), "remove_bytes": size}


def _place(where: str | NoBin, share: Share) -> Row:
    row: Row = {"path": None, "items": share.items, "bytes": share.bytes}
    if isinstance(where, NoBin):
        row["problem"] = path_text(where.reason)
    else:
        row["path"] = path_text(where)
    return row


def batch_row(batch: Batch, expires: float | None = None) -> Row:
    """One clean-up in the trash, and from when on the next one deletes it."""
    row: Row = {
        "batch": batch.id,
        "when": iso(batch.when) if batch.when else None,
        "items": batch.items,
        "bytes": batch.bytes,
        "path": path_text(batch.path),
        "moved": batch.total,
        "expires": iso(expires),
    }
    if len(batch.paths) > 1:
        row["paths"] = [path_text(path) for path in batch.paths]
    if batch.away:
        row["away"] = batch.away
    if batch.open:
        row["open"] = True
    if batch.problem is not None:
        row["problem"] = path_text(batch.problem)
    _exact(row, batch.path)
    return row


def content_row(batch: str, path: str, size: int) -> Row:
    """One file of a clean-up in the trash, by where it came from."""
    row: Row = {"batch": batch, "path": path_text(path), "bytes": size}
    _exact(row, path)
    return row


def emptied_row(done: Emptied) -> Row:
    """What emptying the trash freed."""
    return {"summary": True, **emptied_facts(done)}


def emptied_facts(done: Emptied) -> Row:
    """How many clean-ups were deleted for good, and what the disk gained."""
    return {
        "batches": len(done.batches),
        "items": done.items,
        "bytes": done.bytes,
        "freed_now": done.freed_now,
        "failed": _failures(done.failed),
    }


def undone_row(done: Undone) -> Row:
    """What an undo put back."""
    row: Row = {
        "batch": done.batch,
        "restored": len(done.restored),
        "failed": _failures(done.failed),
    }
    if done.freed is not None:
        row["deleted"] = {"batch": done.freed.batch, "at": iso(done.freed.at)}
    return row


def pin_row(pin: Pin, *, pinned: bool = True) -> Row:
    """One pin, of an artifact or a session, or one that was taken back."""
    row: Row = {
        "id": pin.id,
        "path": path_text(pin.path),
        "pinned": pinned,
        "when": iso(pin.when),
    }
    if pin.session is not None:
        row["path"] = None
        row |= {"harness": pin.harness, "session": path_text(pin.session)}
        return row
    _exact(row, pin.path)
    return row


def _failures(failed: Iterable[tuple[str, str]]) -> list[Row]:
    return [_failure(path, why) for path, why in failed]


def _failure(path: str, reason: str, found: Found | None = None) -> Row:
    row: Row = {"id": found.id} if found is not None else {}
    row |= {"path": path_text(path), "reason": path_text(reason)}
    _exact(row, path)
    return row


def _exact(row: Row, path: str) -> None:
    """Add the path's own bytes where its text cannot carry them."""
    if row["path"] != path:
        row["path_b64"] = base64.b64encode(os.fsencode(path)).decode()
