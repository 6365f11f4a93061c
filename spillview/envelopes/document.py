"""The envelope of JSON: kind, items, every key, whole items; always valid JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.envelopes.excerpts import Spot, excerpt
from spillview.envelopes.inventory import Inventory
from spillview.envelopes.members import Member, Members
from spillview.envelopes.parts import (
    BUDGET,
    Envelope,
    Facts,
    as_word,
    existing,
    too_small,
    with_size,
)
from spillview.envelopes.shrinking import LARGEST, SHORTEST, Shrunk, shrunk
from spillview.errors import BadInput
from spillview.model import Counts
from spillview.seen.alignment import merge
from spillview.shape.outline import Outline
from spillview.shape.source import Source
from spillview.store.encoding import pieces
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.content.content import Content

SAMPLE = 8
"""Items that are shown whole, if they fit."""

MOST_KEYS = 20_000
"""Keys of the objects at one path that are told apart and counted one by one."""

NOTES = 1_500
"""Chars of what the outline has to say of its limits."""

BESIDE = 3
"""Elements of an array in the document that are shown where its records follow."""

ENDING = 400
"""Chars of the last line of a text that is no JSON, or breaks."""

READ_ON = "spillview shape {file}; jq 'PATH' {file}; spillview grep PATTERN {file}"


def json_envelope(
    data_or_text: Any,
    *,
    path: str | os.PathLike[str],
    sample: int = SAMPLE,
    budget: int = BUDGET,
) -> str:
    """What a model should receive in the place of a JSON document: JSON as well.

    `data_or_text` is the JSON or JSONL text, as `str` or `bytes`, or any value that
    `json.dumps` takes. `path` is the file that holds it already. The first `sample`
    items are given whole, or shrunk as far as the budget of chars needs and marked.
    What is no JSON is summed up as that; what breaks, up to where it does.

    Raises `BadInput` when `path` does not exist, the value is none of JSON, or the
    budget is too small for the least there must be.
    """
    own = not isinstance(data_or_text, str | bytes | bytearray)
    if isinstance(data_or_text, str):
        data = b"".join(pieces(data_or_text))
    elif own:
        try:
            said = json.dumps(data_or_text, ensure_ascii=False, separators=(",", ":"))
            data = b"".join(pieces(said))
        except (TypeError, ValueError, RecursionError) as error:
            raise BadInput(f"This value cannot be written as JSON: {error}.") from None
    else:
        data = bytes(data_or_text)
    content = BytesContent(data)
    return fold_json(
        content,
        count(content, utf8=own or isinstance(data_or_text, str)),
        path=path,
        sample=sample,
        budget=budget,
        located=not own,
    ).text


def fold_json(
    content: Content,
    counts: Counts,
    *,
    path: str | os.PathLike[str],
    sample: int = SAMPLE,
    budget: int = BUDGET,
    located: bool = True,
    cancelled: Callable[[], bool] | None = None,
) -> Envelope:
    """The envelope of a JSON content of any size whose sizes are `counts`.

    As `json_envelope`, in bounded memory. `located` says that the bytes of `content`
    are those of the file at `path`, so that items are given with their places in it.

    Raises what `json_envelope` raises, `Cancelled`, and what reading raises.
    """
    if sample < 0:
        raise BadInput(f"A sample has 0 items or more, not {sample}.")
    name = existing(path)
    with Source(content, cancelled=cancelled) as source:
        outline = source.outline(most_keys=MOST_KEYS)
        located = located and source.inner is content
        folding = _Folding(source, outline, counts, name, budget, located)
        return folding.envelope(sample)


class _Folding:
    """One envelope in the making."""

    def __init__(
        self,
        source: Source,
        outline: Outline,
        counts: Counts,
        path: str,
        budget: int,
        located: bool,
    ) -> None:
        self.inner = source.inner
        self.text = source.text
        self.lines = source.kind == "jsonl"
        self.outline = outline
        self.counts = counts
        self.path = path
        self.budget = budget
        self.located = located
        self.shown: list[tuple[Member, Shrunk]] = []

    def envelope(self, sample: int) -> Envelope:
        outline = self.outline
        fixed = self._fixed()
        inventory = Inventory(outline)
        members = Members(self.inner, outline, self._stop())
        documents: list[Member] = []
        items: list[Member] = []
        if outline.kind in ("object", "scalar"):
            documents = members.document()
        if outline.kind not in ("scalar", "text"):
            items = members.first(sample)
        room = self.budget - len(self._json(fixed, [], 0, [], [])) - inventory.reserve
        least = 2 * min(1, len(documents) + len(items)) * self._cost(SHORTEST)
        if room < least:
            raise too_small(self.budget, self.budget - room + least)
        documents, items = self._affordable(documents, items, room)
        wants = [self._cost(_size(each)) for each in (*documents, *items)]
        listed = inventory.listed(max(room // 2, room - sum(wants)))
        room -= sum(len(row) + 2 for row in listed)
        shares = _shares(wants, room)
        rows: list[str] = []
        for each, share in zip((*documents, *items), shares, strict=True):
            limit = max(SHORTEST, share - self._cost(0))
            few = BESIDE if items and each in documents else None
            shown = shrunk(each.raw, limit, complete=each.complete, elements=few)
            rows.append(self._row(each, shown))
        text = self._json(
            fixed,
            listed,
            inventory.total - len(listed),
            rows[: len(documents)],
            rows[len(documents) :],
            least=inventory.at_least,
        )
        text = with_size(text)
        assert len(text) <= self.budget, "the parts were priced wrong"
        whole = [each.place for each, shown in self.shown if _is_seen(shown)]
        return Envelope(
            text,
            Facts(
                kind="json",
                chars=len(text),
                budget=self.budget,
                bytes=self.counts.bytes,
                total_chars=self.counts.chars,
                lines=self.counts.lines,
                items=outline.items,
                shown=sum(shown.whole for _, shown in self.shown[len(documents) :]),
                seen=merge(whole) if self.located else (),
            ),
        )

    # -- what is said first ----------------------------------------------------------

    def _fixed(self) -> list[tuple[str, Any]]:
        outline, counts = self.outline, self.counts
        kind = outline.kind
        rows: list[tuple[str, Any]] = [
            ("path", path_text(self.path)),
            ("bytes", counts.bytes),
            ("total_chars", counts.chars),
            ("kind", "empty" if not counts.bytes else kind),
            ("complete", outline.complete),
            ("items", outline.items),
        ]
        if outline.unwrapped is not None:
            rows.append(("unwrapped", outline.unwrapped[:500]))
        records = outline.records
        if records is not None and kind == "object":
            rows += [("records", records.count), ("records_path", records.path[:500])]
        if outline.error is not None and counts.bytes:
            message = printable(path_text(outline.error.message))[:300]
            rows.append(("error", {"byte": outline.error.byte, "message": message}))
        if outline.error is not None and counts.verdict is not None:
            rows.append(("last_line", self._last_line()))
        notes = list(_notes(outline))
        if notes:
            rows.append(("notes", notes))
        return rows

    def _last_line(self) -> dict[str, Any]:
        """What a text that breaks ends with: often it is an error message."""
        from spillview.content.last_line import last_line

        verdict = last_line(self.text, feeds=self._feeds())
        if verdict is None:
            return {"text": ""}
        end = verdict.end
        spot = Spot(verdict.number, verdict.start, end)
        return {
            "line": verdict.number,
            "text": excerpt(self.text, spot, ENDING, "end").text,
        }

    def _feeds(self) -> int:
        verdict = self.counts.verdict
        assert verdict is not None
        ended = self.text.pread(self.text.size - 1, 1) == b"\n"
        return self.counts.lines - (not ended)

    def _stop(self) -> int:
        """The byte up to which the text is JSON."""
        error = self.outline.error
        if error is None or self.lines or not self.located:
            return self.inner.size
        return error.byte

    def _affordable(
        self, documents: list[Member], items: list[Member], room: int
    ) -> tuple[list[Member], list[Member]]:
        """No more items than can be shown at all; none where the document is whole."""
        if documents and documents[0].complete and items:
            cost = self._cost(_size(documents[0]))
            if cost <= room // 2:
                items = []
        most = max(1, room // 2 // self._cost(SHORTEST))
        return documents, items[: max(0, most - len(documents))]

    # -- writing ---------------------------------------------------------------------

    def _cost(self, chars: int) -> int:
        """Chars of a row with a value of `chars` chars."""
        digits = 2 * len(str(self.counts.bytes)) + 1
        return (
            chars
            + len('{"bytes":[],"shrunk":true,"altered":true,"value":},\n')
            + digits
        )

    def _row(self, sample: Member, shown: Shrunk) -> str:
        self.shown.append((sample, shown))
        marks = "" if shown.whole else '"shrunk":true,'
        marks += '"altered":true,' if shown.altered else ""
        start, end = sample.place
        place = f'"bytes":[{start},{end}],' if self.located else ""
        return f'{{{place}{marks}"value":{shown.text}}}'

    def _json(
        self,
        fixed: list[tuple[str, Any]],
        keys: list[str],
        left_out: int,
        documents: list[str],
        items: list[str],
        *,
        least: bool = False,
    ) -> str:
        rows = ['"spillview":"json envelope","chars":{size}']
        rows += [f'"{name}":{_dumped(value)}' for name, value in fixed]
        if keys or left_out:
            rows.append(f'"keys":[\n{_joined(keys)}]')
            rows.append(f'"keys_left_out":{left_out}')
            if least:
                rows.append('"keys_left_out_is":"at least"')
        for row in documents:
            rows.append(f'"document":{row}')
        if items or self.outline.kind in ("array", "jsonl"):
            rows.append(f'"samples":[\n{_joined(items)}]')
        onward = READ_ON.format(file=as_word(self.path))
        rows.append(f'"read_on":{_dumped(onward)}')
        return "{" + ",\n".join(rows) + "}"


def _joined(rows: list[str]) -> str:
    return ",\n".join(rows)


def _dumped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return printable(text)


def _notes(outline: Outline) -> Iterator[str]:
    """What the outline warns of, up to `NOTES` chars."""
    room = NOTES
    for place, warning in enumerate(outline.warnings):
        said = printable(path_text(warning))[:400]
        if len(said) > room:
            yield f"{len(outline.warnings) - place} more notes: spillview shape FILE"
            return
        room -= len(said)
        yield said


def _size(sample: Member) -> int:
    """Chars that the item takes when it is whole, near enough."""
    if not sample.complete:
        return LARGEST
    from spillview.envelopes.shrinking import written

    return max(SHORTEST, len(written(sample.raw)[0]))


def _is_seen(shown: Shrunk) -> bool:
    return shown.whole and not shown.altered


def _shares(wants: list[int], room: int) -> list[int]:
    """What each gets: all it wants, or an equal part of what the small ones leave."""
    shares = [0] * len(wants)
    left = len(wants)
    for place in sorted(range(len(wants)), key=wants.__getitem__):
        shares[place] = min(wants[place], room // left)
        room -= shares[place]
        left -= 1
    return shares
