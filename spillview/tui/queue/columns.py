"""What each column of the queue shows, and which columns fit into a width."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.cells import cell_len

from spillview.catalogue import triage
from spillview.frozen import Frozen
from spillview.model import Artifact
from spillview.seen.endings import ending_line, ending_seen
from spillview.text import (
    human_age,
    human_bytes,
    human_ratio,
    legible,
    path_text,
    share_text,
)
from spillview.tui.runs import Run, Runs, clean, fit, fit_runs, short_count

if TYPE_CHECKING:
    from spillview.growth.readings import Reading

PENDING = "…"
"""Stands where a number is still being counted."""
NOTHING = "–"
"""Stands where there is nothing to count or nothing is known."""

GUTTER = 4
"""Cells at the left: a space, the selection, the state, a space."""

RULES = "=-_*#~ "
"""What a verdict is often framed with; left out where room is short."""

LINK_UNKNOWN = "link unknown: the transcripts that can be read do not tell"

NARROW = 100
"""Below this width the queue uses its short forms."""

FLEXIBLE = 0
"""The width of a column that shares what the others leave."""

BAND_MARKS = {"below": "·", "close": "△", "over": "▲"}

FLAG_LETTERS = {
    "growing": "G",
    "uncounted": "U",
    "world-readable": "W",
    "secret-like": "S",
    "symlink": "L",
    "partial": "P",
    "digest-mismatch": "D",
    "special": "X",
    "unreadable": "!",
}
"""One letter for each flag where there is no room for words."""


class Context(Frozen):
    """What a cell needs to know beside its artifact."""

    now: float
    titles: dict[str, str]
    """Session titles by `harness/session`."""
    settled: bool = True
    """Whether what is not known now will stay so; else it is still being counted."""
    growth: Mapping[str, Reading] = MappingProxyType({})
    """How what grows does so, by its id."""

    def absent(self, artifact: Artifact) -> Runs:
        """What stands in the place of a number that is not known."""
        waiting = not self.settled and artifact.error is None
        return [(PENDING if waiting else NOTHING, "dim")]


Cell = Callable[[Artifact, int, Context], Runs]


class Column(Frozen):
    """One column: its title, its width in cells, and how it draws an artifact."""

    key: str
    """Also the name of its sort key."""
    title: str
    width: int
    right: bool
    cell: Cell
    tooltip: str = ""
    x: int = 0
    """Where it starts, in cells; set by `choose`."""


# -- cells ----------------------------------------------------------------------


def state_mark(artifact: Artifact) -> Run:
    """One character: reviewed, or how it ended where the model has to be told."""
    return gist_mark(triage.rank(artifact), artifact.reviewed is not None)


def gist_mark(rank: int, reviewed: bool) -> Run:
    """The same of an artifact's rank."""
    if reviewed:
        return "✓", "good"
    if rank == triage.Rank.FAILED_UNSEEN:
        return "✗", "never"
    if rank == triage.Rank.VERDICT_UNSEEN:
        return "○", "unseen"
    if rank == triage.Rank.FAILED:
        return "×", "dim"
    return " ", ""


def _age(artifact: Artifact, width: int, context: Context) -> Runs:
    if not artifact.dated:
        return [(NOTHING, "dim")]
    return [(human_age(max(0.0, context.now - artifact.created)), "dim")]


def tool_name(tool: str | None, cells: int) -> str:
    """The tool, an MCP tool without its server where both do not fit."""
    name = clean(tool, cells)
    if cell_len(name) > cells and name.startswith("mcp__"):
        name = name.rpartition("__")[2]
    return name


def _tool(artifact: Artifact, width: int, context: Context) -> Runs:
    return [(tool_name(artifact.tool, width) or NOTHING, "dim")]


def subject(artifact: Artifact) -> str:
    """What names an artifact best: its label and command, else its file's name."""
    if artifact.command and artifact.given_name:
        return f"{artifact.given_name}: {artifact.command}"
    return artifact.command or artifact.label or artifact.found.name


def follows(artifact: Artifact) -> bool:
    """Whether it is what a read of another artifact returned."""
    chain = artifact.link.chain if artifact.link else ()
    return bool(chain) and chain[0] != artifact.id


def pace(reading: Reading | None) -> Runs:
    """How fast a file grows; nothing where it does not, or not measurably."""
    rate = reading.per_second if reading is not None else None
    if not rate:
        return []
    from spillview.growth.limits import rate_text

    return [(f"↑ {rate_text(rate)} ", "notice")]


def _command(artifact: Artifact, width: int, context: Context) -> Runs:
    before: Runs = [("↳ ", "dim")] if follows(artifact) else []
    before = [*pace(context.growth.get(artifact.id)), *before]
    if artifact.command:
        return [*before, (clean(subject(artifact), width), "")]
    return [*before, (clean(subject(artifact), width), "dim")]


def _chars(artifact: Artifact, width: int, context: Context) -> Runs:
    if artifact.counts is None:
        return context.absent(artifact)
    return [(short_count(artifact.counts.chars, width), "")]


def _lines(artifact: Artifact, width: int, context: Context) -> Runs:
    if artifact.counts is None:
        return context.absent(artifact)
    return [(short_count(artifact.counts.lines, width), "")]


def _bytes(artifact: Artifact, width: int, context: Context) -> Runs:
    return [(human_bytes(artifact.found.size), "")]


def _ratio(artifact: Artifact, width: int, context: Context) -> Runs:
    gate = artifact.gate
    if gate is None:
        unbounded = not artifact.boundaries
        absent = [(NOTHING, "dim")] if unbounded else context.absent(artifact)
        return fit_runs(absent, 8, right=True)
    boundary, ratio = gate
    band = triage.band(ratio)
    number = fit(human_ratio(ratio), 6, right=True)
    return [
        (BAND_MARKS[band] + " ", band),
        (number + " ", band),
        (boundary.unit, "dim"),
    ]


def _seen(artifact: Artifact, width: int, context: Context) -> Runs:
    """The share of its bytes that the model received; `≥` where some is not placed."""
    link, counts = artifact.link, artifact.counts
    if link is None or counts is None:
        return context.absent(artifact)
    if link.seen is None:
        return [(NOTHING, "dim")]
    if link.seen.is_unknown:
        return [("?", "dim")]
    share = triage.coverage(artifact) or 0.0
    text = share_text(share) if share < 0.0995 or share > 0.9 else f"{share:.0%}"
    least = "" if link.seen.certain else "≥"
    return [(least + text, "good" if share == 1.0 else "")]


def _link(artifact: Artifact, width: int, context: Context) -> Runs:
    if artifact.link is None:
        return context.absent(artifact)
    state = artifact.link.state
    return [(state, "dim" if state == "linked" else "notice")]


def _flags(artifact: Artifact, width: int, context: Context) -> Runs:
    # The mark at the row's left end tells of a pin.
    flags = tuple(flag for flag in artifact.flags if flag != "pinned")
    if artifact.error is not None and "unreadable" not in flags:
        flags = ("unreadable", *flags)
    if not context.settled:
        flags = tuple(flag for flag in flags if flag != "uncounted")
    if not flags:
        return []
    if width >= 12:
        return [(clean(", ".join(flags), width), "notice")]
    letters = [FLAG_LETTERS.get(flag, flag[:1].upper()) for flag in flags]
    return [(clean("".join(letters), width), "notice")]


def special_words(artifact: Artifact, now: float) -> str:
    """What a link points at and how fresh that is; that others are never opened."""
    found = artifact.found
    if found.type != "symlink":
        return "it is never opened: a FIFO, socket or device"
    target = f"→ {path_text(found.target or '?')}"
    if found.target_mtime_ns is None:
        return f"{target} · nothing is there"
    age = human_age(max(0.0, now - found.target_mtime_ns / 1e9))
    if found.target_size is None:
        return f"{target} · no file, changed {age} ago"
    return f"{human_bytes(found.target_size)}, changed {age} ago {target}"


def _verdict(artifact: Artifact, width: int, context: Context) -> Runs:
    if artifact.error is not None:
        return [(clean(artifact.error, width), "notice")]
    if artifact.found.type in ("symlink", "special"):
        return [(clean(special_words(artifact, context.now), width), "dim")]
    line = ending_line(artifact)
    if line is None:
        return []
    tone = "dim"
    if artifact.counts is not None and artifact.counts.kind in ("binary", "image"):
        return [(artifact.counts.kind, "dim")]
    if ending_seen(artifact) is False:
        rank = triage.rank(artifact)
        tone = "never" if rank is triage.Rank.FAILED_UNSEEN else ""
    return [(clean(legible(line.text).lstrip(RULES), width), tone)]


def project_name(project: str | None, slug: str | None = None) -> str:
    """The last folder of a project's path, else the slug that the store gives."""
    if project:
        return os.path.basename(project.rstrip("/\\")) or project
    return slug or ""


def _project(artifact: Artifact, width: int, context: Context) -> Runs:
    name = project_name(artifact.project, artifact.found.project_slug)
    return [(clean(name, width), "dim")]


def _harness(artifact: Artifact, width: int, context: Context) -> Runs:
    return [(clean(artifact.found.harness, width), "dim")]


def _session(artifact: Artifact, width: int, context: Context) -> Runs:
    key = f"{artifact.found.harness}/{artifact.session}"
    return [(clean(context.titles.get(key) or artifact.session, width), "dim")]


HARNESS = Column("harness", "harness", 11, False, _harness, "The agent's harness")
AGE = Column("age", "age", 4, True, _age, "Age: time since the call")
TOOL = Column("tool", "tool", 6, False, _tool, "The tool of the call")
COMMAND = Column("command", "command", FLEXIBLE, False, _command, "The command")
CHARS = Column("chars", "chars", 9, True, _chars, "Characters (code points)")
BYTES = Column("bytes", "bytes", 8, True, _bytes, "Size on disk")
RATIO = Column(
    "ratio", "ratio", 15, False, _ratio, "Size / boundary, in the boundary's own unit"
)
SEEN = Column(
    "seen",
    "seen",
    6,
    True,
    _seen,
    "Share of the bytes the model received; ≥ at least: not all of it was placed",
)
LINES = Column("lines", "lines", 7, True, _lines, "Lines")
LINK = Column(
    "link",
    "link",
    7,
    False,
    _link,
    "linked; orphan: no record of it; unknown: no transcript tells",
)
FLAGS = Column("flags", "flags", 5, False, _flags, "What is unusual about the artifact")
PROJECT = Column("project", "project", 8, False, _project, "The project's folder")
SESSION = Column("session", "session", 18, False, _session, "The session's title")
VERDICT = Column("verdict", "verdict", FLEXIBLE, False, _verdict, "The last line")

ALL = (
    AGE,
    HARNESS,
    PROJECT,
    SESSION,
    TOOL,
    COMMAND,
    VERDICT,
    CHARS,
    BYTES,
    RATIO,
    SEEN,
    LINES,
    LINK,
    FLAGS,
)
"""Every column there is, from left to right."""


# -- choosing -------------------------------------------------------------------


def _wanted(width: int, flat: bool) -> list[Column]:
    """The columns for `width`, from left to right, at the sizes it allows."""
    wide = width >= NARROW
    columns = [AGE]
    if flat and width >= 150:
        columns.append(replace(HARNESS, width=14))
    if flat and width >= 76:
        columns.append(replace(PROJECT, width=16 if width >= 150 else 8))
    if flat and width >= 110:
        columns.append(replace(SESSION, width=28 if width >= 170 else 14))
    if width >= 56:
        columns.append(replace(TOOL, width=12 if width >= 150 else 8 if wide else 6))
    columns.append(COMMAND)
    if width >= 140:
        columns.append(VERDICT)
    if width >= 48:
        columns.append(replace(CHARS, width=11 if width >= 140 else 9))
    if width >= 92:
        columns.append(BYTES)
    if width >= 40:
        columns.append(RATIO)
    if width >= 112:
        columns.append(SEEN)
    if width >= (140 if flat else 104):
        columns.append(replace(LINES, width=9 if width >= 140 else 7))
    if width >= 72:
        columns.append(LINK)
    if width >= 78:
        columns.append(replace(FLAGS, width=14 if width >= 130 else 5))
    return columns


@lru_cache(maxsize=32)
def choose(width: int, flat: bool) -> tuple[Column, ...]:
    """The columns that `width` cells can show readably, with their places."""
    columns = _wanted(width, flat)
    room = width - GUTTER - (len(columns) - 1) - 1
    room -= sum(column.width for column in columns)
    flexible = [column for column in columns if column.width == FLEXIBLE]
    shares = {COMMAND.key: max(1, room)}
    if len(flexible) > 1:
        shares = {COMMAND.key: room * 45 // 100, VERDICT.key: room - room * 45 // 100}
    placed: list[Column] = []
    x = GUTTER
    for column in columns:
        cells = column.width or shares[column.key]
        placed.append(replace(column, width=cells, x=x))
        x += cells + 1
    return tuple(placed)
