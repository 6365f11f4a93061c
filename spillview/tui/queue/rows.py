"""How an artifact, a session and a missing call are drawn over the columns."""

from __future__ import annotations

from rich.cells import cell_len

from spillview.catalogue.gists import PINNED as PINNED_BIT
from spillview.model import Artifact, Missing
from spillview.text import human_age, human_bytes
from spillview.tui.queue.columns import (
    NARROW,
    NOTHING,
    PENDING,
    Column,
    Context,
    gist_mark,
    project_name,
    state_mark,
)
from spillview.tui.queue.members import Members
from spillview.tui.queue.sessions import Run
from spillview.tui.review.pinning import MARK, is_pinned
from spillview.tui.runs import Run as Words
from spillview.tui.runs import Runs, clean, fit_runs, short_count

PINNED: Words = (MARK, "good")
"""The mark of what no clean-up takes."""


def artifact_runs(
    artifact: Artifact, columns: tuple[Column, ...], selected: bool, context: Context
) -> Runs:
    """One artifact's row."""
    mark, tone = state_mark(artifact)
    before: Words = ("+" if selected else " ", "selected")
    if not selected and is_pinned(artifact):
        before = PINNED
    runs: Runs = [(" ", ""), before, (mark, tone)]
    for column in columns:
        cell = column.cell(artifact, column.width, context)
        runs.append((" ", ""))
        runs.extend(fit_runs(cell, column.width, right=column.right))
    return _dimmed(runs) if artifact.reviewed is not None else runs


def waiting_runs(
    members: Members, place: int, columns: tuple[Column, ...], selected: bool
) -> Runs:
    """The row of an artifact that is still being made: what its gist says."""
    gists = members.gists
    mark = gist_mark(gists.ranks[place], gists.is_reviewed(place))
    cells: dict[str, str] = {
        "bytes": human_bytes(gists.sizes[place]),
        "command": clean(members.table.finds.name(place), 200),
        "session": clean(gists.sessions[place], 40),
    }
    if gists.chars[place] >= 0:
        cells["chars"] = short_count(gists.chars[place], 9)
        cells["lines"] = short_count(gists.lines[place], 7)
    before: Words = ("+" if selected else " ", "selected")
    if not selected and gists.bits[place] & PINNED_BIT:
        before = PINNED
    runs: Runs = [(" ", ""), before, mark]
    for column in columns:
        cell = [(cells.get(column.key, ""), "dim")]
        runs.append((" ", ""))
        runs += fit_runs(cell, column.width, right=column.right)
    return runs


def _dimmed(runs: Runs) -> Runs:
    """What is reviewed draws no eye; its mark stays green."""
    return [(text, "good" if tone == "good" else "dim") for text, tone in runs]


def session_runs(session: Run, columns: tuple[Column, ...], closed: bool) -> Runs:
    """A session's header row: who and what at the left, totals in their columns."""
    width = columns[-1].x + columns[-1].width
    figures = _session_figures(session, width)
    edge = next((c.x for c in columns if c.key in figures), width + 1)
    counts = _session_counts(session, width)
    room = edge - 1 - 4 - sum(cell_len(text) for text, _ in counts)
    if room < 8:
        counts, room = [], edge - 1 - 4
    fold = "▸" if closed else "▾"
    runs: Runs = [(" ", ""), (f"{fold} ", "dim")]
    if is_pinned(session):
        runs[1:] = [(fold, "dim"), PINNED]
    runs += fit_runs(_session_name(session, room), room)
    runs += [(" ", ""), *counts]
    for column in columns:
        if column.x >= edge:
            runs.append((" ", ""))
            cell = figures.get(column.key, [])
            runs += fit_runs(cell, column.width, right=column.right)
    done = 0 < len(session.artifacts) == session.figures.reviewed
    return _dimmed(runs) if done else runs


def _session_name(session: Run, room: int) -> Runs:
    """Title and project; the project's path is shortened or left out to fit."""
    title = clean(session.title or session.id, room)
    name: Words = (title, "title" if session.title else "project")
    for project in (session.project, project_name(session.project)):
        text = clean(project, room)
        if text and cell_len(title) + 2 + cell_len(text) <= room:
            return [name, ("  ", ""), (text, "project")]
    return [name]


def _session_counts(session: Run, width: int) -> Runs:
    """Harness, what is left of what nobody saw, and how many there are."""
    figures, over = session.figures, session.over_boundary
    unseen = figures.failed + figures.unseen
    runs: Runs = [(f"{clean(session.harness, 15)} · ", "dim")]
    if unseen:
        words = f"{unseen:,} unseen" if width < 140 else f"{unseen:,} never seen"
        tone = "never" if figures.failed else "unseen"
        runs += [(words, tone), (" ", ""), ("· ", "dim")]
    if over and width >= 140:
        runs += [(f"{over:,} over the boundary · ", "dim")]
    total, reviewed = figures.artifacts, figures.reviewed
    if not total:  # it has calls without a file alone
        return [(clean(session.harness, 15), "dim")]
    if reviewed:
        words = f"✓ {reviewed:,} of {total:,}"
        return [*runs, (words if width < 140 else f"{words} reviewed", "good")]
    noun = "" if width < 140 else " artifact" + ("" if total == 1 else "s")
    return [*runs, (f"{total:,}{noun}", "dim")]


_ACTIVITY: dict[str, Runs] = {
    "live": [("● live", "live")],
    "recent": [("recent", "dim")],
    "": [],
}


def _session_figures(session: Run, width: int) -> dict[str, Runs]:
    """What stands under which column; where it is narrow the name needs the room."""
    figures: dict[str, Runs] = {
        "bytes": [(human_bytes(session.bytes), "dim")],
        "link": _ACTIVITY[session.activity],
    }
    if width < NARROW:
        return figures
    if width >= 130:  # else the title needs the room, and bytes say as much
        chars = session.chars
        text = PENDING if chars is None else short_count(chars, 9)
        figures["chars"] = [(text, "dim")]
    lines = session.lines
    if lines is not None:
        figures["lines"] = [(short_count(lines, 7), "dim")]
    return figures


def missing_runs(
    missing: Missing, columns: tuple[Column, ...], context: Context
) -> Runs:
    """A call whose full result is not on disk."""
    mention = missing.mention
    age = ""
    if mention.time is not None:
        age = human_age(max(0.0, context.now - mention.time))
    cells: dict[str, Words] = {
        "age": (age, "dim"),
        "tool": (mention.tool or NOTHING, "dim"),
        "command": (mention.command or mention.path or NOTHING, ""),
        "project": (project_name(missing.project), "dim"),
        "session": (missing.session, "dim"),
        "ratio": (missing.word, "dim" if missing.swept else "notice"),
        "verdict": (missing_sentence(missing), "dim"),
    }
    runs: Runs = [("   ", "")]
    for column in columns:
        text, tone = cells.get(column.key, ("", ""))
        cell = [(clean(text, column.width), tone)]
        runs.append((" ", ""))
        runs += fit_runs(cell, column.width, right=column.right)
    return runs


def missing_sentence(missing: Missing) -> str:
    """Why there is no artifact, in words."""
    if missing.state == "cut":
        return "The result was cut and nothing was saved."
    if missing.swept:
        named = missing.mention.path
        return f"{missing.swept} It was {named}" if named else missing.swept
    if missing.mention.path is None:
        return "The artifact that the notice tells of is gone."
    return f"The artifact that the notice names is gone: {missing.mention.path}"
