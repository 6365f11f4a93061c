"""The strip under the queue: the verdict, and what the agent did next."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.reactive import var

from spillview.catalogue import triage
from spillview.model import Artifact, Mention, Missing
from spillview.seen.endings import ending_line, ending_seen
from spillview.space import size_words
from spillview.text import (
    human_age,
    human_bytes,
    legible,
    path_text,
    printable,
    share_text,
)
from spillview.tui.queue.bars import plural
from spillview.tui.queue.columns import (
    LINK_UNKNOWN,
    special_words,
    subject,
    tool_name,
)
from spillview.tui.queue.queue_rows import Row
from spillview.tui.queue.rows import missing_sentence
from spillview.tui.queue.sessions import Run as SessionRow
from spillview.tui.review.pinning import is_pinned
from spillview.tui.runs import (
    Lines,
    Run,
    Runs,
    clean,
    fit,
    fit_runs,
    plain,
    wrap,
)

if TYPE_CHECKING:
    from spillview.growth.readings import Reading

LABEL = 12
"""Cells of the labels at the left."""

NO_TEXT = "it has no line of text"
"""Stands for the verdict of what has none."""


def shown_by(artifact: Artifact) -> str:
    """The beginning of how much of it was seen: by a model, where one is known of."""
    return "the envelope showed" if artifact.modelless else "model saw"


def nothing_followed(artifact: Artifact) -> str:
    """Why nothing is told of what the agent said next."""
    if artifact.modelless:
        return "no transcript holds its envelope: who read it is not known"
    return "nothing more was said or called in this session"


def verdict_state(artifact: Artifact) -> Run:
    """Whether the model received the verdict, in words."""
    seen = ending_seen(artifact)
    if seen is False:
        rank = triage.rank(artifact)
        tone = "never" if rank is triage.Rank.FAILED_UNSEEN else "unseen"
        return "NEVER SEEN", tone
    return ("seen", "good") if seen else ("unknown", "dim")


def outcome(mention: Mention | None) -> str:
    """How the call ended, as the transcript records it; empty where it does not."""
    if mention is None or mention.failed is None:
        return ""
    if mention.exit_code is not None:
        if not mention.failed:
            return f"exit {mention.exit_code} recorded"
        return f"failed, exit code {mention.exit_code}"
    return "failed" if mention.failed else "no exit code recorded"


def detail_lines(
    row: Row | None,
    width: int,
    height: int,
    now: float,
    note: str | None = None,
    growth: Reading | None = None,
) -> list[Runs]:
    """The strip's lines for the row under the cursor; at most `height`.

    A `note` of the person comes below the first one, then how it grows.
    """
    room = height - 1 if note and height > 1 else height
    room -= 1 if growth is not None and room > 1 else 0
    lines: list[Runs] = []
    if isinstance(row, Artifact):
        lines = _artifact_lines(row, width, room, now)
    elif isinstance(row, Missing):
        lines = _missing_lines(row, width, room)
    elif isinstance(row, SessionRow):
        lines = _session_lines(row, width, now)
    if growth is not None and height > 1:
        from spillview.growth.wording import growth_words

        words = printable(", ".join(growth_words(growth)))
        lines.insert(1, _labelled(("growing", "label"), [(words, "notice")], width))
    if note and height > 1:
        lines.insert(1, _labelled(("note", "label"), [(plain(note), "notice")], width))
    return lines


def _labelled(label: Run, text: Runs, width: int) -> Runs:
    room = max(1, width - LABEL - 2)
    return [
        (" ", ""),
        (f"{fit(label[0], LABEL - 1)} ", label[1]),
        *fit_runs(text, room),
    ]


def _block(label: Run, text: str, tone: str, width: int, lines: int) -> list[Runs]:
    """A label and its wrapped text, the further lines indented below."""
    room = max(8, width - LABEL - 2)
    wrapped = wrap(text, room, max(1, lines))
    first, rest = wrapped[0], wrapped[1:]
    below = [_labelled(("", ""), [(line, tone)], width) for line in rest]
    return [_labelled(label, [(first, tone)], width), *below]


def _artifact_lines(
    artifact: Artifact, width: int, height: int, now: float
) -> list[Runs]:
    head = _headline(artifact, width, now)
    verdict = _verdict_block(artifact, width, 2 if height >= 8 else 1, now)
    spare = 1 if height >= 6 else 0
    room = max(1, height - 1 - len(verdict) - spare)
    following = _next_block(artifact.envelope, artifact, width, room)
    return [head, *verdict, *following, _facts(artifact, width)][:height]


def _headline(artifact: Artifact, width: int, now: float) -> Runs:
    ended = outcome(artifact.envelope)
    right: Runs = []
    if ended:
        failed = artifact.failed
        right.append((ended, "never" if failed else "dim"))
        right += [(" ", ""), ("· ", "dim")]
    if artifact.dated:
        age = human_age(max(0.0, now - artifact.created))
        right.append((f"{age} ago ", "dim"))
    taken = sum(cell_len(text) for text, _ in right)
    label = (tool_name(artifact.tool or "artifact", LABEL - 1), "label")
    text: Runs = [(clean(subject(artifact), width), "head")]
    if width - taken < 2 * LABEL:
        return _labelled(label, text, width)
    return [*_labelled(label, text, width - taken - 1), (" ", ""), *right]


def _verdict_block(
    artifact: Artifact, width: int, lines: int, now: float
) -> list[Runs]:
    if artifact.error is not None:
        text = plain(artifact.error)
        return _block(("not read", "notice"), text, "notice", width, lines)
    if artifact.found.type in ("symlink", "special"):
        words = plain(special_words(artifact, now))
        kind = "symlink" if artifact.found.type == "symlink" else "special"
        return _block((kind, "label"), words, "dim", width, lines)
    if artifact.counts is None:
        waiting = "the last line is not counted yet"
        if "uncounted" in artifact.flags:
            waiting = "not counted: too large, or still growing"
        return _block(("verdict", "label"), waiting, "dim", width, 1)
    line = ending_line(artifact)
    if line is None:
        return _block(("verdict", "label"), NO_TEXT, "dim", width, 1)
    label = verdict_state(artifact)
    text = f"{line.number:,}: {plain(legible(line.text))}"
    tone = label[1] if ending_seen(artifact) is False else ""
    return _block(label, text, tone, width, lines)


def _next_block(
    mention: Mention | None, artifact: Artifact, width: int, lines: int
) -> list[Runs]:
    if mention is None:
        if artifact.link is None:
            words = "its transcript is not read yet"
        elif artifact.link.state == "unknown":
            words = LINK_UNKNOWN
        else:
            words = "no record points at this artifact, so what was shown is not known"
        return _block(("agent", "label"), words, "dim", width, lines)
    following = mention.next
    if following is None or (following.text is None and following.tool is None):
        words = nothing_followed(artifact)
        return _block(("then", "label"), words, "dim", width, lines)
    call: list[Runs] = []
    if following.tool is not None:
        call = [_call_line(following.tool, following.command, width)]
    said: list[Runs] = []
    if following.text is not None:
        room = max(1, lines - len(call))
        said = _block(
            ("then said", "label"), f"“{plain(following.text)}”", "said", width, room
        )
    return [*said, *call][: max(1, lines)]


def _call_line(tool: str, command: str | None, width: int) -> Runs:
    runs: Runs = [(clean(tool, width), "")]
    if command:
        runs += [("  ", ""), (plain(command), "dim")]
    return _labelled(("then called", "label"), runs, width)


def _facts(artifact: Artifact, width: int) -> Runs:
    """Harness, coverage, read-backs, notes and the file's place, in one line."""
    parts: list[str] = [artifact.found.harness]
    if artifact.secrets is not None:
        from spillview.secrets.telling import kinds, seen_briefly

        held = plural(len(artifact.secrets.items), "credential")
        parts.append(f"{held}, {seen_briefly(artifact)}: {kinds(artifact)}")
    link = artifact.link
    if link is not None and link.seen is not None and artifact.counts is not None:
        total = artifact.counts.bytes
        share = f" ({share_text(link.seen.bytes / total)})" if total else ""
        known = "" if link.seen.certain else "at least "
        part = f"{known}{link.seen.bytes:,} of {total:,} bytes{share}"
        if link.seen.is_unknown:
            part = f"an unknown part of {total:,} bytes"
        parts.append(f"{shown_by(artifact)} {part}")
    signals = link.signals if link is not None else None
    if signals is not None and signals.unseen:
        lines = plural(signals.total, "error line")
        least = "" if signals.complete else "at least "
        parts.append(f"{least}{signals.unseen:,} of {lines} unseen")
    if link is not None and link.reads:
        own = sum(1 for read in link.reads if read.own)
        parts.append(f"read back {own} time" + ("" if own == 1 else "s"))
    if artifact.counts is not None and artifact.counts.form is not None:
        from spillview.content.forms import FORMS

        parts.append(FORMS.get(artifact.counts.form, artifact.counts.form))
    found = artifact.found
    if found.disk != found.size:
        parts.append(size_words(found.size, found.disk))
    if artifact.flags:
        parts.append(", ".join(artifact.flags))
    if link is not None and link.note:
        parts.append(plain(link.note))
    path = path_text(artifact.found.place)
    text = printable(" · ".join([*parts, path]))
    if cell_len(text) > width - LABEL - 2:
        text = printable(" · ".join([*parts, path_text(artifact.found.name)]))
    return _labelled(("file", "label"), [(text, "dim")], width)


def _missing_lines(missing: Missing, width: int, height: int) -> list[Runs]:
    mention = missing.mention
    label = (tool_name(mention.tool or missing.state, LABEL - 1), "label")
    head = _labelled(label, [(clean(mention.command, width), "head")], width)
    sentence = plain(missing_sentence(missing))
    tone = "dim" if missing.swept else "notice"
    why = _block((missing.word, tone), sentence, tone, width, 1)
    place = f"record {mention.record:,} of {path_text(mention.transcript)}"
    following: list[Runs] = []
    if mention.next is not None:
        fake = max(1, height - 3)
        following = _missing_next(mention, width, fake)
    where = _labelled(("transcript", "label"), [(printable(place), "dim")], width)
    return [head, *why, *following, where][:height]


def _missing_next(mention: Mention, width: int, lines: int) -> list[Runs]:
    following = mention.next
    if following is None:
        return []
    call: list[Runs] = []
    if following.tool is not None:
        call = [_call_line(following.tool, following.command, width)]
    said: list[Runs] = []
    if following.text is not None:
        text = f"“{plain(following.text)}”"
        said = _block(("then said", "label"), text, "said", width, lines - len(call))
    return [*said, *call][:lines]


def _session_lines(session: SessionRow, width: int, now: float) -> list[Runs]:
    title = clean(session.title or "untitled session", width)
    label = (clean(session.harness, LABEL - 1), "label")
    lines = [_labelled(label, [(title, "head")], width)]
    if session.project:
        project = printable(path_text(session.project))
        lines.append(_labelled(("project", "label"), [(project, "")], width))
    times: list[str] = []
    if session.started is not None:
        age = human_age(max(0.0, now - session.started))
        times.append(f"started {age} ago")
    if session.last_active is not None:
        age = human_age(max(0.0, now - session.last_active))
        times.append(f"last active {age} ago")
    if session.activity:
        times.append(session.activity)
    if is_pinned(session):
        times.append("pinned")
    if times:
        text = " · ".join(times)
        lines.append(_labelled(("time", "label"), [(text, "dim")], width))
    figures = [
        plural(len(session.artifacts), "artifact"),
        f"{session.over_boundary:,} over the boundary",
        f"{plural(session.endings_unseen, 'verdict')} never seen",
    ]
    reviewed = session.figures.reviewed
    if reviewed:
        figures.insert(1, f"{reviewed:,} reviewed")
    if session.chars is not None:
        figures.append(f"{session.chars:,} chars")
    figures.append(human_bytes(session.bytes))
    if session.skipped:
        figures.append(f"{plural(session.skipped, 'transcript line')} skipped")
    counts = " · ".join(figures)
    lines.append(_labelled(("counts", "label"), [(counts, "dim")], width))
    identity = printable(session.id)
    lines.append(_labelled(("session", "label"), [(identity, "dim")], width))
    return lines


class Detail(Lines):
    """Draws `detail_lines` of the row under the cursor."""

    row: var[Row | None] = var[Row | None](None)

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        note_of: Callable[[Row | None], str | None] = lambda row: None,
    ) -> None:
        """`note_of` gives the person's note on a row."""
        self.growth: Mapping[str, Reading] = {}
        """How what grows does so, by its id."""
        super().__init__(id="detail")
        self.clock, self.note_of = clock, note_of

    def watch_row(self) -> None:
        """Another row, or newer facts of the same."""
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """The row's verdict and what followed it."""
        note = self.note_of(self.row)
        row = self.row
        growth = self.growth.get(row.id) if isinstance(row, Artifact) else None
        return detail_lines(row, width, height, self.clock(), note, growth)
