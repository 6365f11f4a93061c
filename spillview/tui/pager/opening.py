"""The text of an artifact for a pager: its first lines, all of it, or why not."""

from __future__ import annotations

from dataclasses import replace

from spillview.discovery.entries import renewed
from spillview.errors import SpillError
from spillview.model import Artifact
from spillview.text import path_text
from spillview.tui.pager.document import Document, open_beginning, open_document


def as_it_is_now(artifact: Artifact) -> Artifact:
    """The artifact without anything that only its content of before told."""
    link = artifact.link
    if link is not None:
        link = replace(link, seen=None, verdict_seen=None, partial=False, intact=None)
    found = renewed(artifact.found)
    return replace(artifact, found=found, counts=None, link=link, error=found.error)


def first_lines(artifact: Artifact) -> Document | None:
    """What can be shown at once of a text that takes time; its faults come later."""
    counts = artifact.counts
    try:
        return open_beginning(
            artifact.found, encoding=counts.encoding if counts is not None else None
        )
    except SpillError:
        return None


def opened(artifact: Artifact) -> tuple[Document | None, str | None]:
    """All of the text; or None, and a sentence that says why."""
    found = artifact.found
    if found.type == "symlink":
        target = path_text(found.target or "?")
        return None, f"It is a link to {target}; none is followed."
    if artifact.error is not None and found.type != "file":
        return None, artifact.error
    encoding = artifact.counts.encoding if artifact.counts is not None else None
    try:
        return open_document(found, root=found.root, encoding=encoding), None
    except SpillError as error:
        return None, str(error)
