"""The lines above and below an artifact's text: what it is, what followed it."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual.geometry import Size

from spillview.catalogue import triage
from spillview.model import Artifact, Link, Mention
from spillview.secrets.telling import seen_briefly
from spillview.seen.endings import ending_line
from spillview.seen.envelope import EnvelopeFacts
from spillview.text import (
    human_age,
    human_bytes,
    human_ratio,
    path_text,
    printable,
    share_text,
)
from spillview.tui.queue.bars import plural, two_ends
from spillview.tui.queue.columns import LINK_UNKNOWN, project_name, state_mark, subject
from spillview.tui.queue.detail import (
    NO_TEXT,
    nothing_followed,
    outcome,
    shown_by,
    verdict_state,
)
from spillview.tui.runs import Lines, Runs, clean, fit, fit_runs, plain, wrap

LABEL = 13
"""Cells of the labels of what followed."""

TALLEST = 5
"""Lines of what followed, at most."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which artifact of how many, in the order of the queue."""

    index: int
    total: int


def header_lines(
    artifact: Artifact,
    facts: EnvelopeFacts | None,
    place: Place,
    width: int,
    now: float,
) -> list[Runs]:
    """Three lines: the call, the sizes, what the model saw."""
    return [
        two_ends(_call(artifact, width), _corner(artifact, place, width), width),
        two_ends(_sizes(artifact), _whence(artifact, width, now), width),
        two_ends(_seen(artifact, facts), _flags(artifact), width),
    ]


def _call(artifact: Artifact, width: int) -> Runs:
    mark, tone = state_mark(artifact)
    runs: Runs = [(f" {mark} ", tone)]
    if artifact.tool:
        runs += [(clean(artifact.tool, 24), "label"), ("  ", "")]
    runs.append((clean(subject(artifact), width), "head"))
    return runs


def _corner(artifact: Artifact, place: Place, width: int) -> Runs:
    runs: Runs = []
    ended = outcome(artifact.envelope)
    if ended and (artifact.failed or width >= 100):
        runs += [(ended, "never" if artifact.failed else "dim"), (" · ", "dim")]
    if artifact.reviewed is not None:
        runs += [("reviewed", "good"), (" · ", "dim")]
    return [*runs, (f"{place.index + 1:,} of {place.total:,}", "dim")]


def _sizes(artifact: Artifact) -> Runs:
    counts, found = artifact.counts, artifact.found
    runs: Runs = [("   ", "")]
    if counts is None:
        runs.append((f"{found.size:,} bytes", ""))
        if found.type == "file":
            runs.append((" · not counted", "dim"))
        elif found.target_size is not None:
            behind = f"{found.target_size:,} bytes behind the symlink"
            runs.append((f" · {behind}", "dim"))
    else:
        runs.append((f"{counts.bytes:,} bytes · {counts.chars:,} chars", ""))
        runs.append((f" · {plural(counts.lines, 'line')}", ""))
    gate = artifact.gate
    if gate is not None:
        boundary, ratio = gate
        band = triage.band(ratio)
        sign = {"over": "▲ ", "close": "△ ", "below": ""}[band]
        runs += [(" · ", "dim"), (f"{sign}{human_ratio(ratio)} of {boundary}", band)]
    if counts is not None and counts.encoding != "utf-8":
        image = counts.kind == "image"
        runs.append((f" · {'image' if image else counts.encoding}", "notice"))
    name = printable(path_text(found.name))
    if artifact.command or found.label:
        runs.append((f" · {name}", "dim"))
    return runs


def _whence(artifact: Artifact, width: int, now: float) -> Runs:
    if width < 120:
        return []
    words = [artifact.found.harness]
    project = project_name(artifact.project, artifact.found.project_slug)
    if project:
        words.append(clean(project, 24))
    if artifact.dated:
        words.append(f"{human_age(max(0.0, now - artifact.created))} ago")
    return [("  ", ""), (printable(" · ".join(words)), "dim")]


def _seen(artifact: Artifact, facts: EnvelopeFacts | None) -> Runs:
    link, counts = artifact.link, artifact.counts
    runs: Runs = [("   ", "")]
    if link is None:
        return [*runs, ("what the model saw is still being looked up", "dim")]
    if link.seen is None:
        return [*runs, (_unseen_why(artifact, link), "notice")]
    if link.seen.is_unknown:
        runs.append((f"{shown_by(artifact)} an unknown part", ""))
    elif counts is not None and counts.bytes:
        share = link.seen.bytes / counts.bytes
        least = "" if link.seen.certain else "at least "
        runs.append((f"{shown_by(artifact)} {least}{share_text(share)}", ""))
    else:
        runs.append((f"{shown_by(artifact)} {link.seen.bytes:,} bytes", ""))
    if counts is not None and ending_line(artifact) is None:
        runs.append((f" · {NO_TEXT}", "dim"))
    else:
        state, tone = verdict_state(artifact)
        runs += [(" · verdict ", "dim"), (state, tone)]
    runs += _signals(link)
    runs += _claims(facts)
    own = sum(1 for read in link.reads if read.own)
    if own:
        runs.append((f" · read back {plural(own, 'time')}", "dim"))
    if link.note:
        runs.append((f" · {plain(link.note)}", "notice"))
    return runs


def _unseen_why(artifact: Artifact, link: Link) -> str:
    """Why nothing can be told of what the model saw of it."""
    if link.state == "orphan":
        return "no record points at this artifact: what the model saw is unknown"
    if link.state == "unknown":
        return LINK_UNKNOWN
    words = "linked, but what the model saw of it is unknown"
    kinds = {"symlink": "it is a symlink", "special": "it is no regular file"}
    why = kinds.get(artifact.found.type, "")
    if not why and artifact.counts is None:
        why = "it is not counted" if artifact.error is None else "it cannot be read"
    return f"{words}: {why}" if why else words


def _signals(link: Link) -> Runs:
    """How many lines of errors and failures only the unseen part holds."""
    signals = link.signals
    if signals is None or not signals.total or not signals.unseen:
        return []
    least = "" if signals.complete else "at least "
    words = f"{least}{signals.unseen:,} of {plural(signals.total, 'error line')} unseen"
    return [(" · ", "dim"), (words, "unseen" if signals.seen else "never")]


def _claims(facts: EnvelopeFacts | None) -> Runs:
    if facts is None or not facts.claimed:
        return []
    claims = ", ".join(_claim(unit, value) for unit, value in facts.claimed.items())
    if facts.agrees is False:
        measured = ", ".join(
            _claim(unit, value)
            for unit, value in facts.measured.items()
            if value != facts.claimed.get(unit)
        )
        words = f": measured {measured}, it claims {claims}"
        return [(" · ", "dim"), ("notice WRONG", "never"), (printable(words), "never")]
    runs: Runs = [(" · notice claims ", "dim"), (printable(claims), "")]
    if facts.agrees is True:
        runs.append((", agrees", "good"))
    return runs


def _claim(unit: str, value: int | str) -> str:
    if isinstance(value, str):
        return f"{unit} {value}"
    if unit == "bytes":
        if value < 1024:
            return human_bytes(value)
        # Notices count in 1024s and say KB; everything else here counts in 1000s.
        size, unit = value / 1024, "KiB"
        if size >= 1024:
            size, unit = size / 1024, "MiB"
        return f"{size:,.1f} {unit} = {human_bytes(value)}"
    name = unit.replace("_", " ")
    return f"{value:,} {name.removesuffix('s') if value == 1 else name}"


def _flags(artifact: Artifact) -> Runs:
    flags = list(artifact.flags)
    if artifact.secrets is not None:
        held = plural(len(artifact.secrets.items), "credential")
        flags = [f"{held}, {seen_briefly(artifact)}", *flags]
        flags.remove("secret-like")
    return [(printable(", ".join(flags)), "notice")] if flags else []


def next_lines(artifact: Artifact, width: int, height: int) -> list[Runs]:
    """What the agent said and called after the envelope, in `height` lines."""
    mention = artifact.envelope
    if mention is None:
        words = "its transcript is not read yet"
        if artifact.link is not None and artifact.link.state == "unknown":
            words = LINK_UNKNOWN
        elif artifact.link is not None:
            words = "not known: no record of a session points at this artifact"
        return _block("then", words, "dim", width, 1)
    following = mention.next
    if following is None or (following.text is None and following.tool is None):
        words = nothing_followed(artifact)
        return _block("then", words, "dim", width, 1)
    call = _call_line(mention, width)
    said: list[Runs] = []
    if following.text is not None:
        room = max(1, height - len(call))
        text = f"“{plain(following.text)}”"
        said = _block("then said", text, "said", width, room)
    return [*said, *call][:height]


def _call_line(mention: Mention, width: int) -> list[Runs]:
    following = mention.next
    if following is None or following.tool is None:
        return []
    runs: Runs = [(clean(following.tool, 24), "label")]
    if following.command:
        runs.append(("  " + plain(following.command), ""))
    return [_labelled("then called", runs, width)]


def _labelled(label: str, text: Runs, width: int) -> Runs:
    room = max(1, width - LABEL - 3)
    return [("   ", ""), (fit(label, LABEL), "label"), *fit_runs(text, room)]


def _block(label: str, text: str, tone: str, width: int, lines: int) -> list[Runs]:
    wrapped = wrap(text, max(8, width - LABEL - 4), max(1, lines))
    return [
        _labelled(label if at == 0 else "", [(line, tone)], width)
        for at, line in enumerate(wrapped)
    ]


class Header(Lines):
    """Draws `header_lines`."""

    def __init__(self) -> None:
        super().__init__(id="header")
        self._facts: tuple[Artifact, EnvelopeFacts | None, Place, float] | None = None

    def show(
        self, artifact: Artifact, facts: EnvelopeFacts | None, place: Place, now: float
    ) -> None:
        """Show an artifact and what is known of it."""
        self._facts = (artifact, facts, place, now)
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """Three lines."""
        if self._facts is None:
            return []
        artifact, facts, place, now = self._facts
        return header_lines(artifact, facts, place, width, now)


class NextStrip(Lines):
    """Draws `next_lines`."""

    def __init__(self) -> None:
        super().__init__(id="next")
        self._artifact: Artifact | None = None
        self._note: str | None = None

    def show(self, artifact: Artifact, note: str | None = None) -> None:
        """Show what followed this artifact, and the person's note on it."""
        self._artifact, self._note = artifact, note
        self.remake()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as it takes, up to what the stylesheet allows."""
        return len(self.make(width, TALLEST))

    def make(self, width: int, height: int) -> list[Runs]:
        """As many lines as there is room for."""
        if self._artifact is None:
            return []
        if not self._note or height < 2:
            return next_lines(self._artifact, width, height)
        note = _labelled("note", [(plain(self._note), "notice")], width)
        return [note, *next_lines(self._artifact, width, height - 1)]


class PaneTitle(Lines):
    """The line above a pane: its name, and where its cursor is."""

    def __init__(self, name: str, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._label = name
        self._note = ""
        self._status = ""
        self._lit = False

    def show(
        self,
        *,
        name: str | None = None,
        note: str | None = None,
        status: str | None = None,
        lit: bool | None = None,
    ) -> None:
        """Change what stands in it; None leaves it as it is."""
        before = (self._label, self._note, self._status, self._lit)
        self._label = self._label if name is None else name
        self._note = self._note if note is None else note
        self._status = self._status if status is None else status
        self._lit = self._lit if lit is None else lit
        if before != (self._label, self._note, self._status, self._lit):
            self.remake()

    def on_click(self) -> None:
        """To what it is the title of."""
        beside = self.parent.query("*") if self.parent is not None else ()
        target = next((each for each in beside if each.focusable), None)
        if target is not None:
            target.focus()

    def make(self, width: int, height: int) -> list[Runs]:
        """The name at the left, the status whole at the right while it fits."""
        tone = "brand" if self._lit else "label"
        status = self._status
        left: Runs = [(f" {self._label}", tone)]
        if len(self._label) + cell_len(self._note) + cell_len(status) + 6 <= width:
            left.append((f"  {self._note}", "dim"))
        if cell_len(status) > max(8, width - len(self._label) - 4):
            status = fit(status, max(8, width - len(self._label) - 4))
        return [two_ends(left, [(status, "dim")], width)]
