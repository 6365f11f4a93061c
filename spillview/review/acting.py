"""What a session's harness offers to go on with it: its command, its pane."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spillview.model import Artifact, Missing
from spillview.profiles.resumption import Resumed, resume_command
from spillview.review.tmux_panes import Search, Sought, find_pane

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue


def resumed(catalogue: Catalogue, row: Artifact | Missing) -> Resumed:
    """The command that resumes the session of an artifact or of a missing result."""
    harness, session = session_of(row)
    return resume_command(catalogue.profile(harness), session, row.project)


def session_of(row: Artifact | Missing) -> tuple[str, str]:
    """The harness and the session; that of the records where they tell it."""
    if isinstance(row, Missing):
        return row.harness, row.session
    return row.found.harness, row.session or row.found.session


def pane_of(catalogue: Catalogue, row: Artifact | Missing) -> Search:
    """The tmux pane in which its session runs; see `tmux_panes`."""
    harness, _ = session_of(row)
    return find_pane(
        Sought(
            frozenset(filter(None, map(_inode, _transcripts(row)))),
            catalogue.profile(harness).resume.program,
            row.project,
        )
    )


def _transcripts(row: Artifact | Missing) -> set[str]:
    """Files of the session's own records."""
    if isinstance(row, Missing):
        return {row.mention.transcript}
    link = row.link
    session = session_of(row)[1]
    found = {
        mention.transcript
        for mention in (link.mentions if link is not None else ())
        if mention.session == session
    }
    if row.found.transcript is not None:
        found.add(row.found.transcript)
    return found


def _inode(path: str) -> tuple[int, int] | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return facts.st_dev, facts.st_ino
