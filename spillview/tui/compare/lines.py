"""The lines above two texts that are compared: counts, verdicts, items."""

from __future__ import annotations

from textual.geometry import Size

from spillview.comparison.facts import Comparison
from spillview.comparison.words import (
    ending,
    ignored_words,
    item_words,
    line_words,
    seen_words,
    signed,
    trouble_words,
)
from spillview.model import Artifact
from spillview.seen.endings import ending_seen
from spillview.text import human_age
from spillview.tui.queue.bars import two_ends
from spillview.tui.queue.columns import subject
from spillview.tui.runs import Lines, Runs, clean, fit, fit_runs

LABEL = 9
"""Cells of the labels."""

TALLEST = 10

ITEMS = 4
"""Lines about JSON items, at most."""


def head_lines(
    before: Artifact,
    after: Artifact,
    found: Comparison | None,
    now: float,
    width: int,
    note: str = "",
) -> list[Runs]:
    """What both are, how both ended, and what became of the lines and items."""
    lines = [
        _side("before", before, now, width),
        _ended(before, found is not None),
        _side("after", after, now, width),
        _ended(after, found is not None),
    ]
    if found is None:
        return [*lines, _labelled("", [(note or "comparing both …", "dim")])]
    sizes: Runs = []
    room = width - LABEL - 2
    for unit, one, two in found.sizes():
        if one is None or two is None:
            continue
        sign = "~" if unit == "tokens" else ""
        runs: Runs = [("  " if sizes else "", ""), (f"{unit} ", "dim")]
        runs += [(f"{sign}{one:,} → {sign}{two:,} ", "")]
        runs.append((f"({signed(one, two)})", "dim"))
        room -= sum(len(text) for text, _ in runs)
        if room < 0:
            break
        sizes += runs
    if sizes:
        lines.append(_labelled("sizes", sizes))
    told: Runs = [(line_words(found), "")]
    seen = seen_words(found)
    if seen:
        unseen = found.lines.new_seen == 0
        told += [("; ", "dim"), (seen, "never" if unseen else "unseen")]
    lines.append(_labelled("lines", told))
    trouble = trouble_words(found)
    if trouble:
        tone = "never" if trouble.endswith("never seen") else "unseen"
        lines.append(_labelled("", [(trouble, tone)]))
    ignored = ignored_words(found)
    if ignored:
        lines.append(_labelled("", [(ignored, "notice")]))
    for number, text in enumerate(item_words(found)):
        if number < ITEMS:
            lines.append(_labelled("" if number else "items", [(text, "")]))
    return lines


def _labelled(label: str, text: Runs) -> Runs:
    return [(" ", ""), (fit(label, LABEL), "label"), *text]


def _side(label: str, artifact: Artifact, now: float, width: int) -> Runs:
    age = f"{human_age(max(0.0, now - artifact.created))} ago"
    words: Runs = [(clean(subject(artifact), width), "head")]
    return two_ends(
        _labelled(label, words), [(f"{artifact.id[:8]} · {age}", "dim")], width
    )


def _ended(artifact: Artifact, known: bool) -> Runs:
    if not known and artifact.counts is None:
        return _labelled("", [("not counted yet", "dim")])
    how, text = ending(artifact)
    tone = {None: "dim", True: "good", False: "never"}[ending_seen(artifact)]
    return _labelled("", [(how, tone), (f"  {text}", "")])


class CompareHead(Lines):
    """Draws `head_lines`."""

    def __init__(self) -> None:
        super().__init__(id="compare-head")
        self._facts: tuple[Artifact, Artifact, Comparison | None, float] | None = None
        self._note = ""

    def show(
        self,
        before: Artifact,
        after: Artifact,
        found: Comparison | None,
        now: float,
        note: str = "",
    ) -> None:
        """Show what is known."""
        self._facts = (before, after, found, now)
        self._note = note
        self.remake()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are."""
        return min(TALLEST, len(self.make(width, TALLEST)))

    def make(self, width: int, height: int) -> list[Runs]:
        """The lines."""
        if self._facts is None:
            return []
        lines = head_lines(*self._facts, width, self._note)[:height]
        return [fit_runs(line, width) for line in lines]
