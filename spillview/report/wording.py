"""What the text and the page both say: the headline, and what became of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spillview.report.findings import Report
from spillview.text import path_text, when

if TYPE_CHECKING:
    from spillview.report.finishing import Finished


def many(count: int, noun: str) -> str:
    """`1 artifact`, `2,000 artifacts`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def headline(report: Report) -> str:
    """What decides, in one sentence."""
    count = len(report.went_on)
    if count:
        saw = "it" if count == 1 else "they"
        return f"{many(count, 'session')} went on after a failure {saw} never saw"
    tally = report.tally
    if not tally.artifacts and not tally.calls:
        return "Nothing new in this period"
    if (tally.artifacts, tally.calls) == (tally.reviewed, tally.calls_reviewed):
        return "Everything of this period is reviewed"
    left = " that is left" if tally.reviewed else ""
    said = f"No session{left} went on after a failure it never saw"
    known, total = _known(report)
    if known < total:
        said += f" (known of {known:,} of {many(total, 'artifact')})"
    return said


def _known(report: Report) -> tuple[int, int]:
    """Of how many artifacts it is known whether a failure was seen, and of how many."""
    from spillview.seen.endings import ending_seen

    tally = report.tally
    total = tally.artifacts - tally.reviewed
    unknown = tally.unknown
    if report.partial is not None:
        done, total = report.partial
        unknown += total - done
    for finding in report.of("failed"):
        artifact = finding.artifact
        unknown += artifact is not None and ending_seen(artifact) is None
    return max(0, total - unknown), total


def stopped_headline(report: Report) -> str:
    """How many sessions said and called nothing after a failure they never saw."""
    count = len(report.stopped)
    saw = "it" if count == 1 else "they"
    return f"{many(count, 'session')} said nothing after a failure {saw} never saw"


def closing(report: Report) -> list[str]:
    """What became of every artifact, and what was not looked at."""
    tally = report.tally
    parts = [f"{tally.found:,} above", f"{tally.fine:,} fine"]
    if tally.unknown:
        parts.append(f"of {tally.unknown:,} it is not known what the model saw")
    if tally.reviewed:
        parts.append(f"{tally.reviewed:,} reviewed before")
    told = [f"{many(tally.artifacts, 'artifact')}: {', '.join(parts)}."]
    if report.partial is not None:
        done, total = report.partial
        told.insert(0, f"Partial: {done:,} of {total:,} artifacts were looked at.")
    if tally.calls_reviewed:
        told.append(f"{many(tally.calls_reviewed, 'missing call')} reviewed before.")
    told += _left_out(report)
    if not tally.artifacts and not tally.calls:
        told.append(_looked_at(report))
    if tally.uncounted:
        told.append(
            f"{many(tally.uncounted, 'artifact')} not looked into: too large, growing"
            " or closed to us."
        )
    if tally.items_unread:
        told.append(
            f"The items of {many(tally.items_unread, 'JSON artifact')} were not"
            " compared: too large or unreadable; `spillview review --all` compares the"
            " large ones too."
        )
    if tally.unlooked:
        told.append(
            f"Credentials were not looked for in {many(tally.unlooked, 'artifact')}:"
            " `spillview grep --secrets` does."
        )
    if tally.exposed_before:
        told.append(
            f"{many(tally.exposed_before, 'older artifact')} exposed too:"
            " `spillview review --since 1000w` lists them."
        )
    return told


def passed(report: Report) -> str:
    """The heading above what was reviewed: how much of it is told."""
    tally, told = report.tally, len(report.reviewed)
    rest = tally.reviewed + tally.calls_reviewed - told
    return f"Reviewed ({told:,}{f'; {rest:,} more were fine' if rest else ''})"


def _left_out(report: Report) -> list[str]:
    """How many reviewed rows are not told, and how to see them."""
    tally = report.tally
    out = tally.reviewed + tally.calls_reviewed
    if out and not report.reviewed:
        return [
            f"{out:,} reviewed left out: `spillview review --all` tells of them too."
        ]
    if not tally.artifacts and not tally.calls and report.period.origin == "review":
        return [
            "What was reviewed before is left out: `spillview review --since yesterday"
            " --all` tells of it too."
        ]
    return []


STORES = 4
"""Stores that an empty report names."""


def _looked_at(report: Report) -> str:
    """Where an empty report looked, and how to have it look elsewhere."""
    stores = report.looked_at
    if not stores:
        said = "No store was found on this machine"
    else:
        rest = len(stores) - STORES
        more = f" and {many(rest, 'more store')}" if rest > 0 else ""
        named = ", ".join(path_text(store) for store in stores[:STORES])
        said = f"Looked at {named}{more}"
    return f"{said}; for another folder give its PATH: `spillview review PATH`."


def finished(done: Finished, now: float) -> list[str]:
    """What finishing a review covered, and what is left for the next one."""
    left = f", {done.left:,} that came later are left" if done.left else ""
    words = (
        "artifact or missing call"
        if done.marked == 1
        else "artifacts and missing calls"
    )
    verb = "is" if done.marked == 1 else "are"
    upto = when(done.upto, now)
    told = [f"{done.marked:,} {words} up to {upto} {verb} reviewed{left}"]
    if not done.moved:
        told.append("what was left out here stays for the next report")
    return told


def undone(upto: float, marks: int, now: float) -> str:
    """What taking back a finished review did."""
    words = "artifact or missing call" if marks == 1 else "artifacts and missing calls"
    verb = "is" if marks == 1 else "are"
    return (
        f"{marks:,} {words} that were reviewed up to {when(upto, now)} {verb} open"
        " again; the next report begins where that one did"
    )
