"""Which sections of the report an artifact belongs to; a pure function of its facts."""

from __future__ import annotations

from collections.abc import Iterator

from spillview.catalogue import triage
from spillview.model import Artifact
from spillview.report.findings import Section
from spillview.seen.endings import ending_seen

EXPOSING = ("world-readable", "secret-like")
"""Flags that say who may read it, or what is in it."""


def sections_of_facts(
    rank: triage.Rank,
    *,
    errors_unseen: bool,
    items_missed: bool,
    growing: bool,
    exposed: bool,
) -> Iterator[Section]:
    """Every section of an artifact: one for what was seen, and one for each more.

    `exposed`: by a flag, by its owner, or as a link to a place outside every store.
    """
    if rank is triage.Rank.FAILED_UNSEEN:
        yield "failed_unseen"
    elif rank is triage.Rank.VERDICT_UNSEEN:
        yield "verdict_unseen"
    elif errors_unseen:
        yield "signals_unseen"
    elif rank is triage.Rank.FAILED:
        yield "failed"
    if items_missed:
        yield "items_missed"
    if growing:
        yield "growing"
    if exposed:
        yield "exposed"


def is_fine(artifact: Artifact) -> bool:
    """Whether an artifact in no section is known to be all right.

    A link has no content of its own to be missed, an empty file no line.
    """
    if artifact.error is not None or artifact.link is None:
        return False
    if artifact.found.type == "symlink":
        return artifact.link.state == "linked"
    if artifact.counts is None:
        return False
    if artifact.link.state != "linked":
        return False
    nothing_to_miss = artifact.counts.verdict is None and not artifact.counts.bytes
    return ending_seen(artifact) is True or nothing_to_miss
