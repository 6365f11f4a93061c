"""A comparison as the object that `compare --json` prints."""

from __future__ import annotations

from typing import Any

from spillview.comparison.facts import Comparison
from spillview.comparison.items import ItemComparison
from spillview.comparison.lines import Told
from spillview.model import Artifact, Line
from spillview.text import iso, path_text

Row = dict[str, Any]

SHOWN = 20
"""Lines of each side that are printed unless more are asked for."""


def comparison_row(found: Comparison, shown: int = SHOWN) -> Row:
    """The object; `shown` lines and items of each kind are in it."""
    lines, items = found.lines, found.items
    row: Row = {
        "before": side_row(found.before),
        "after": side_row(found.after),
        "difference": {
            unit: None if one is None or two is None else two - one
            for unit, one, two in found.sizes()
        },
        "lines": {
            "same": lines.same,
            "new": lines.new,
            "gone": lines.gone,
            "moved": lines.moved,
            "new_seen": lines.new_seen,
            "noise": lines.noise,
            "ignored": lines.ignored,
            "hunks": lines.hunks_total,
            "trouble": lines.trouble_total,
            "first_trouble": [_told(told) for told in lines.trouble[:shown]],
            "first_new": [_told(told) for told in lines.first_new[:shown]],
            "first_gone": [_told(told) for told in lines.first_gone[:shown]],
        },
        "items": None,
    }
    if isinstance(items, ItemComparison):
        row["items"] = _items(items, shown)
    elif items is not None:
        row["items_note"] = path_text(items.sentence)
    return row


def side_row(artifact: Artifact) -> Row:
    """One of the two: what it is, how it ended, what was seen of it."""
    counts, link = artifact.counts, artifact.link
    mention = artifact.envelope
    concluded = link.conclusion if link is not None else None
    command = artifact.command
    return {
        "id": artifact.id,
        "harness": artifact.found.harness,
        "session": path_text(artifact.session or artifact.found.session),
        "path": path_text(artifact.found.path),
        "command": None if command is None else path_text(command[:2_000]),
        "created": iso(artifact.created),
        **{
            unit: getattr(counts, unit) if counts is not None else None
            for unit in ("bytes", "chars", "lines", "tokens")
        },
        "failed": artifact.failed,
        "exit_code": mention.exit_code if mention is not None else None,
        "verdict": link.verdict if link is not None else "unknown",
        "verdict_line": _line(counts.verdict if counts is not None else None),
        "verdict_seen": artifact.verdict_seen,
        "conclusion_line": _line(concluded.line if concluded is not None else None),
        "conclusion_seen": artifact.conclusion_seen,
    }


def _line(line: Line | None) -> Row | None:
    if line is None:
        return None
    return {"line": line.number, "text": path_text(line.text)}


def _told(told: Told) -> Row:
    row: Row = {
        "line": told.line.number,
        "text": path_text(told.line.text),
        "seen": told.seen,
        "byte_range": [told.line.start, told.line.end],
    }
    if told.line.truncated:
        row["truncated"] = True
    return row


def _items(items: ItemComparison, shown: int) -> Row:
    return {
        "before": items.before,
        "after": items.after,
        "path": items.path,
        "key": items.key,
        "told_apart": items.said,
        "added": items.added,
        "removed": items.removed,
        "changed": items.changed,
        "fields": [list(pair) for pair in items.fields],
        "first_added": [path_text(name) for name in items.first_added[:shown]],
        "first_removed": [path_text(name) for name in items.first_removed[:shown]],
        "first_changed": [path_text(name) for name in items.first_changed[:shown]],
    }
