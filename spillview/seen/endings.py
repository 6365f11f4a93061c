"""How an artifact ended, and whether the model received that.

Queue, listings, report and page all ask here, so that they never tell two stories.
"""

from __future__ import annotations

from collections.abc import Iterable

from spillview.model import Artifact, Line


def has_failed(artifact: Artifact) -> bool:
    """Whether its call failed, or it concludes that something did."""
    link = artifact.link
    return bool(artifact.failed) or (link is not None and link.verdict == "fail")


def ending_seen(artifact: Artifact) -> bool | None:
    """Whether the model received how it ended; None where that is not known.

    A failure was seen once its conclusion was, whatever follows it. Of all else the
    last line has to be received too: it may say more than the conclusion does.
    """
    concluded = artifact.conclusion_seen
    if concluded is True and has_failed(artifact):
        return True
    return False if artifact.verdict_seen is False else concluded


def ending_line(artifact: Artifact) -> Line | None:
    """The line that `ending_seen` speaks of; None where there is none.

    It is the runner's own conclusion where one was found, else the last non-blank
    line; that one too where it alone was not received.
    """
    link = artifact.link
    last = artifact.counts.verdict if artifact.counts is not None else None
    conclusion = link.conclusion if link is not None else None
    if conclusion is None:
        return last
    if ending_seen(artifact) is False and conclusion.seen is not False:
        return last
    return conclusion.line


def endings_unseen(artifacts: Iterable[Artifact]) -> int:
    """Of how many the model never received how they ended."""
    return sum(ending_seen(artifact) is False for artifact in artifacts)
