"""The envelope of a text: header, signal lines, head and tail in one budget.

The tail has its room first and the head what is left; they stand in the order of the
text, so that the last lines read are the last lines there were.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spillview.content.conclusions import conclusion
from spillview.content.content import BytesContent, text_content
from spillview.content.counts import count
from spillview.content.signals import line_start
from spillview.envelopes.blocks import Block
from spillview.envelopes.excerpts import MARK, Excerpt, Spot, excerpt, visible
from spillview.envelopes.heading import DIGITS, About, Told, header
from spillview.envelopes.parts import (
    BOUNDARY,
    BUDGET,
    Envelope,
    Facts,
    Kept,
    as_boundary,
    existing,
    too_small,
    with_size,
)
from spillview.envelopes.scanning import Found, Scan, signals_of
from spillview.envelopes.signal_rows import LEAST, SIGNAL_CHARS, signal_rows
from spillview.errors import BadInput
from spillview.model import Boundary, Counts
from spillview.seen.alignment import merge
from spillview.store.encoding import pieces

if TYPE_CHECKING:
    from spillview.content.content import Content

TAIL = 20
"""Last lines that are kept, blank ones at the very end left out."""

TAIL_CHARS = 3_000
"""Chars of the tail, its heading left out."""

HEAD = 40
"""First lines that are shown at the most, unless more are asked for."""

HEAD_CHARS = 4_000
"""Chars of the head, unless its lines are asked for."""

CONCLUSION_HEADING = "--- conclusion: {runner}, {verdict}"
TAIL_HEADING = "--- tail: lines {first} to {last}"
HEAD_HEADING = "--- head: lines {first} to {last}"
BLANK = "[then {count} blank lines]"
END = "[end of the envelope]"


def signal_lines(budget: int) -> int:
    """How many of the first and of the last signal lines a budget may have room for."""
    return budget // 5 + 200


def text_envelope(
    text: str,
    *,
    label: str,
    path: str | os.PathLike[str],
    boundary: int | Boundary = BOUNDARY,
    budget: int = BUDGET,
    tail: int = TAIL,
    signal: str | None = None,
    head: int | None = None,
) -> str:
    """What a model should receive in the place of `text`, in `budget` chars at most.

    `path` is the file that holds the whole text already, `label` says what it is (a
    command line), `signal` is a regex for the lines that matter, in place of the
    built-in words for errors and failures. The last `tail` lines come first in the
    budget, then signal lines; of the beginning there are 40 lines at most where room is
    left, or `head` lines. Everything that is left out is said.

    Raises `BadInput` when `path` does not exist, the budget is too small for the least
    there must be, or the pattern is none that is safe to run.
    """
    content = BytesContent(b"".join(pieces(text)))
    return fold_text(
        content,
        count(content, utf8=True),
        label=label,
        path=path,
        boundary=boundary,
        budget=budget,
        tail=tail,
        signal=signal,
        head=head,
    ).text


def fold_text(
    content: Content,
    counts: Counts,
    *,
    label: str,
    path: str | os.PathLike[str],
    boundary: int | Boundary = BOUNDARY,
    budget: int = BUDGET,
    tail: int = TAIL,
    tail_chars: int = TAIL_CHARS,
    signal: str | None = None,
    head: int | None = None,
    extra: Sequence[str] = (),
    cancelled: Callable[[], bool] | None = None,
    begun: Scan | None = None,
) -> Envelope:
    """The envelope of a content of any size whose sizes are `counts`.

    As `text_envelope`, in bounded memory. `extra` are further lines of the header
    (an exit code, that the output is partial), each shown on one line. Two passes over
    the content at most. The facts' ranges are those of `content`, whatever its
    encoding. `begun` has looked for signal lines from the content's beginning.

    Raises what `text_envelope` raises, `Cancelled`, and what reading raises.
    """
    if tail < 1 or tail_chars < LEAST:
        raise BadInput(
            f"A tail must have at least 1 line and {LEAST} chars: the last line holds"
            " what a tool concludes."
        )
    if head is not None and head < 0:
        raise BadInput(f"A head has 0 lines or more, not {head}.")
    name = existing(path)
    gate = as_boundary(boundary)
    text = text_content(content, counts.encoding)
    try:
        inner = counts if text is content else count(text, cancelled=cancelled)
        about = About(label, name, counts, gate, inner.verdict, tuple(extra))
        folding = _Folding(text, inner, about, budget, cancelled)
        if signal is None and text is content:
            folding.begun = begun
        envelope = folding.envelope(tail, tail_chars, signal, head)
        if text is content:
            return envelope
        from spillview.envelopes.reading import on_disk

        seen = on_disk(envelope.facts.seen, content, text, counts.encoding)
        return replace(envelope, facts=replace(envelope.facts, seen=seen))
    finally:
        if text is not content:
            text.close()


class _Folding:
    """One envelope in the making."""

    def __init__(
        self,
        content: Content,
        counts: Counts,
        about: About,
        budget: int,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.content = content
        self.counts = counts
        """Of `content`, which is a transcription where the file is UTF-16."""
        self.about = about
        self.budget = budget
        self.cancelled = cancelled
        self.begun: Scan | None = None

    def envelope(
        self, lines: int, chars: int, pattern: str | None, first: int | None
    ) -> Envelope:
        """The envelope: what there must be is priced first, the tail reserved next."""
        verdict = self.counts.verdict
        room = self.budget - len(header(self.about, Told())) - len(END) - 2
        tail = None
        if verdict is not None:
            blank = self.counts.lines - verdict.number
            ending = BLANK.format(count=blank) if blank else ""
            heading = len(TAIL_HEADING) + 2 * DIGITS + len(ending) + 2
            if room < heading + LEAST:
                raise too_small(self.budget, self.budget - room + heading + LEAST)
            tail = self._tail(lines, min(chars, room - heading))
            if ending:
                tail.add(ending)
            room -= tail.cost
        elif room < 0:
            raise too_small(self.budget, self.budget - room)
        found = Found(signal_lines(self.budget))
        if self.counts.kind != "image":
            found = signals_of(
                self.content, found.most, pattern, self.cancelled, self.begun
            )
        concluded = self._conclusion(tail, room)
        room -= concluded.cost if concluded is not None else 0
        signals, shown = signal_rows(self.content, found, (tail, concluded), room)
        room -= signals.cost if signals is not None else 0
        if first is None:
            first, room = HEAD, min(room, HEAD_CHARS)
        head = self._head(tail, room, first)
        blocks = [b for b in (concluded, signals, head, tail) if b is not None]
        return self._composed(blocks, tail, head, lines, found.total, shown)

    # -- the parts -------------------------------------------------------------------

    def _tail(self, lines: int, chars: int) -> Block:
        """The verdict and the lines before it, as many as fit."""
        verdict = self.counts.verdict
        assert verdict is not None
        end = self._line_end(verdict.end)
        spot = Spot(verdict.number, verdict.start, end)
        rows: list[Excerpt] = []
        left = chars
        while True:
            shown = excerpt(self.content, spot, left, "end")
            rows.append(shown)
            left -= len(shown.text) + 1
            if shown.cut_short or len(rows) == lines or spot.number == 1:
                break
            if left < LEAST:
                break
            end = spot.start - 1
            spot = Spot(spot.number - 1, line_start(self.content, end), end)
        rows.reverse()
        block = Block(
            TAIL_HEADING.format(first=rows[0].spot.number, last=verdict.number)
        )
        for shown in rows:
            block.add(shown.text, shown)
        return block

    def _line_end(self, end: int) -> int:
        """The byte of the LF (or the content's end) behind a line's CRs."""
        while data := self.content.pread(end, 4096):
            returns = len(data) - len(data.lstrip(b"\r"))
            end += returns
            if returns < len(data):
                break
        return end

    def _conclusion(self, tail: Block | None, room: int) -> Block | None:
        """The line in which a runner says how it ended, unless the tail shows it."""
        ended = conclusion(self.content, self.counts)
        if ended is None or tail is None or room < SIGNAL_CHARS[0] + 100:
            return None
        line = ended.line
        if line.number >= tail.excerpts[0].spot.number:
            return None
        block = Block(
            CONCLUSION_HEADING.format(runner=ended.runner, verdict=ended.verdict)
        )
        spot = Spot(line.number, line.start, self._line_end(line.end))
        shown = excerpt(self.content, spot, SIGNAL_CHARS[0], "end")
        block.add(f"{line.number}: {shown.text}", shown)
        return block

    def _head(self, tail: Block | None, room: int, most: int) -> Block | None:
        """The first lines, up to where the tail begins, as far as there is room."""
        room -= len(HEAD_HEADING) + 2 * DIGITS
        if tail is None:
            return None
        first = tail.excerpts[0]
        stop = first.seen[0] if first.cut_short else first.spot.start
        block, at, number = Block(""), 0, 1
        while at < stop and room >= LEAST and number <= most:
            end, limit = self._next_feed(at), room - 1
            if end > stop:  # the line that the tail shows the end of
                beginning = self.content.pread(at, min(stop - at, 4 * limit))
                limit = min(limit, len(visible(beginning)) + 2 * MARK)
            if limit < LEAST:
                break
            shown = excerpt(self.content, Spot(number, at, end), limit, "start")
            block.add(shown.text, shown)
            room -= len(shown.text) + 1
            if shown.cut_short:
                break
            at, number = end + 1, number + 1
        if not block.rows:
            return None
        block.heading = HEAD_HEADING.format(first=1, last=len(block.rows))
        return block

    def _next_feed(self, at: int) -> int:
        """The byte of the LF that ends the line at `at`, or the content's end."""
        size = self.content.size
        step = 1 << 12
        while at < size:
            data = self.content.pread(at, step)
            feed = data.find(b"\n")
            if feed >= 0:
                return at + feed
            at += len(data)
            step = 1 << 18
        return size

    # -- the whole -------------------------------------------------------------------

    def _composed(
        self,
        blocks: list[Block],
        tail: Block | None,
        head: Block | None,
        lines: int,
        signals: int,
        signals_shown: int,
    ) -> Envelope:
        shown = [each for block in blocks for each in block.excerpts]
        told = Told(signals, signals_shown, tail=0, dropped=0, head=0, onward=1)
        kept: Kept = "none"
        verdict = self.counts.verdict
        if tail is not None and verdict is not None:
            told.tail = len(tail.excerpts)
            told.dropped = min(lines, verdict.number) - told.tail
            kept = "end" if tail.excerpts[-1].cut_short else "whole"
        if head is not None:
            told.head = len(head.excerpts)
            told.onward = told.head + (not head.excerpts[-1].cut_short)
        told.cut = sum(each.cut_short for each in shown)
        told.overwritten = sum(each.overwritten for each in shown)
        told.escapes = sum(each.escapes for each in shown)
        told.controls = sum(each.controls for each in shown)
        top = header(self.about, told)
        text = with_size("\n".join((top, *(b.text() for b in blocks), END)))
        assert len(text) <= self.budget, "the parts were priced wrong"
        sizes, gate = self.about.sizes, self.about.gate
        return Envelope(
            text,
            Facts(
                kind="text",
                chars=len(text),
                budget=self.budget,
                bytes=sizes.bytes,
                total_chars=sizes.chars,
                lines=sizes.lines,
                ratio=sizes.size_in(gate.unit) / gate.size,
                signals=signals,
                signals_shown=signals_shown,
                tail_lines=told.tail,
                tail_dropped=told.dropped,
                head_lines=told.head,
                verdict_line=verdict.number if verdict is not None else None,
                verdict_kept=kept,
                seen=merge([each.seen for each in shown]),
            ),
        )
