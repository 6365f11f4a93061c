"""The sentence that points at a spill, and how much of the text fits beside it.

Everything is exact: what is shown, what the gap and the notice cost, what is omitted.
Texts are well-formed here (`store.encoding.well_formed`), so that each char is whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spillview.model import BYTES_PER_TOKEN, Unit

BLANK = "\n\n"
"""What stands between the preview and the notice."""

GAP = "\n\n[...]\n\n"
"""What stands between head and tail, so that two pieces never read as one."""

_PIECE = 1 << 20
"""Chars measured at a time."""


def notice(
    omitted: int,
    locator: str,
    hint: str,
    stored: tuple[int, int | None] | None = None,
) -> str:
    """The notice for `omitted` bytes of a result that is stored at `locator`.

    `stored` says that the store holds less than there was: its bytes, and those of
    the whole where they are known.
    """
    said = f"Omitted {omitted} bytes. " if omitted else ""
    if stored is None:
        what = "Full formatted result stored at"
    elif stored[1] is None:
        what = f"Only {stored[0]} bytes of the result are stored at"
    else:
        what = f"Only the first {stored[0]} of {stored[1]} bytes are stored at"
    return f"({said}{what}: {locator}. {hint})"


@dataclass(frozen=True, slots=True)
class Preview:
    """What of a text is shown: its head and its tail."""

    head: str
    tail: str
    omitted: int
    """Bytes of UTF-8 between them; 0 when the head is the whole text."""

    def joined(self, gap: str = GAP) -> str:
        """Head and tail, with `gap` between two that are there and do not touch."""
        return f"{self.head}{gap if self.head and self.tail else ''}{self.tail}"


def measure(text: str, unit: Unit) -> int:
    """The size of `text` in `unit`, as the reading side counts; memory is bounded.

    A lone half of a surrogate pair is a char, a UTF-16 unit, or three bytes.
    """
    if unit == "chars":
        return len(text)
    if unit == "lines":
        return text.count("\n") + (bool(text) and not text.endswith("\n"))
    if unit == "utf16":
        return sum(len(_utf16(piece)) // 2 for piece in _pieces(text))
    size = (
        len(text)
        if text.isascii()
        else sum(len(piece.encode("utf-8", "surrogatepass")) for piece in _pieces(text))
    )
    return -(-size // BYTES_PER_TOKEN) if unit == "tokens" else size


def preview(text: str, budget: int, unit: Unit, total: int | None = None) -> Preview:
    """Head and tail of `text` that together take at most `budget` of `unit`.

    Half the budget each, the head the odd one, each cut back to whole characters;
    CR LF is not split either. A budget of `lines` is a number of line feeds. Tokens
    have no halves: give bytes. A text within the budget is all head. `total` is the
    text's bytes where they are known already.
    """
    if total is None:
        total = measure(text, "bytes")
    if budget <= 0:
        return Preview("", "", total)
    size = text.count("\n") if unit == "lines" else measure(text, unit)
    if size <= budget:
        return Preview(text, "", 0)
    head = _head(text, budget - budget // 2, unit)
    tail = _tail(text, budget // 2, unit)
    shown = measure(head, "bytes") + measure(tail, "bytes")
    return Preview(head, tail, total - shown)


def replacement(
    text: str,
    cap: int,
    unit: Unit,
    locator: str,
    hint: str,
    *,
    gap: str = GAP,
    stored: tuple[int, int | None] | None = None,
) -> tuple[str, Preview] | None:
    """Preview and notice in at most `cap` of `unit`; None where they do not fit.

    The notice is priced first, as if everything were omitted; a preview that leaves
    no room for its own gap is left out.
    """
    total = measure(text, "bytes")
    if unit == "tokens":
        cap, unit = cap * BYTES_PER_TOKEN, "bytes"
    whole = notice(total, locator, hint, stored)
    cost = BLANK + gap + whole
    if unit == "lines":
        # The notice ends without a line feed: its last line is one more.
        budget = cap - cost.count("\n") - 1
    else:
        budget = cap - measure(cost, unit)
    shown = preview(text, budget, unit, total)
    body = shown.joined(gap)
    words = notice(shown.omitted, locator, hint, stored)
    result = f"{body}{BLANK}{words}" if body else words
    return (result, shown) if measure(result, unit) <= cap else None


def _head(text: str, budget: int, unit: Unit) -> str:
    head = text[:budget]
    if unit == "bytes":
        head = head.encode("utf-8")[:budget].decode("utf-8", "ignore")
    elif unit == "utf16":
        head = _utf16(head)[: 2 * budget].decode("utf-16-le", "ignore")
    elif unit == "lines":
        end = 0
        for _ in range(budget):
            end = text.find("\n", end) + 1
        return text[:end]
    if head.endswith("\r") and text[len(head) : len(head) + 1] == "\n":
        return head[:-1]
    return head


def _tail(text: str, budget: int, unit: Unit) -> str:
    if unit == "lines":
        start = len(text)
        for _ in range(budget + 1):
            start = text.rfind("\n", 0, start)
        return text[start + 1 :]
    if budget <= 0:
        return ""
    tail = text[-budget:]
    if unit == "bytes":
        # Only the start can lie inside a character; its rest is ignored.
        tail = tail.encode("utf-8")[-budget:].decode("utf-8", "ignore")
    elif unit == "utf16":
        data = _utf16(tail)[-2 * budget :]
        if data[1:2] and 0xDC <= data[1] <= 0xDF:
            data = data[2:]
        tail = data.decode("utf-16-le")
    start = len(text) - len(tail)
    if tail.startswith("\n") and start and text[start - 1] == "\r":
        return tail[1:]
    return tail


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
