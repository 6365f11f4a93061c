"""Which sections of the report an artifact belongs to; a pure function of its facts."""

from __future__ import annotations

from spillview.catalogue import triage
from spillview.model import Artifact
from spillview.report.findings import Section
from spillview.report.items import Items
from spillview.seen.endings import ending_seen

EXPOSING = ("world-readable", "secret-like")
"""Flags that say who may read it, or what is in it."""


def looked_section(artifact: Artifact) -> Section | None:
    """The worst that is to be said of what the model saw of it; None for nothing."""
    rank = triage.rank(artifact)
    if rank is triage.Rank.FAILED_UNSEEN:
        return "failed_unseen"
    if rank is triage.Rank.VERDICT_UNSEEN:
        return "verdict_unseen"
    if triage.errors_unseen(artifact):
        return "signals_unseen"
    return "failed" if rank is triage.Rank.FAILED else None


def sections_of(
    artifact: Artifact,
    *,
    items: Items | None = None,
    foreign: bool = False,
    leads_out: bool = False,
) -> list[Section]:
    """Every section it belongs to: one for what was seen, and one for each more.

    `foreign` says that another user owns it, `leads_out` that it is a link to a place
    outside every store.
    """
    sections: list[Section] = []
    looked = looked_section(artifact)
    if looked is not None:
        sections.append(looked)
    if items is not None and items.missed:
        sections.append("items_missed")
    if "growing" in artifact.flags:
        sections.append("growing")
    if foreign or leads_out or any(flag in EXPOSING for flag in artifact.flags):
        sections.append("exposed")
    return sections


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
