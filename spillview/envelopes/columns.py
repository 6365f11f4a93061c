"""What a pass over rows says of their columns: totals, extremes, distinct values."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

from spillview.envelopes.cells import text_of
from spillview.envelopes.parts import one_line
from spillview.shape.numbers import Written

DISTINCT = 100_000
"""Distinct values of a column that are told apart; of more it is `at least` so many."""

_NUMBER = re.compile(
    r"[+-]?(?:\d{1,4000}|\d{1,3}(?:,\d{3}){1,1000})(?:\.\d{0,4000})?(?:[eE][+-]?\d{1,4})?"
    r"|[+-]?\.\d{1,4000}(?:[eE][+-]?\d{1,4})?",
    re.ASCII,
)
_EXACT = Context(prec=400)

Exact = int | Decimal


def number_of(value: Any) -> Exact | None:
    """The exact number that a value is, or that its text is; None for neither.

    Thousands may be set apart by commas. True and false are no numbers, nor are NaN
    and infinity.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, Written):
        return value.value if value.value.is_finite() else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if len(text) > 4_000 or _NUMBER.fullmatch(text) is None:
        return None
    try:
        plain = text.replace(",", "")
        return int(plain) if plain.lstrip("+-").isdigit() else Decimal(plain)
    except (ValueError, InvalidOperation):
        return None


def is_missing(value: Any) -> bool:
    """Whether a row has nothing in a column."""
    return value is None or (isinstance(value, str) and not value.strip())


def written(value: Exact) -> str:
    """A number in full, thousands set apart."""
    if isinstance(value, int):
        try:
            return f"{value:,}"
        except ValueError:  # of more digits than Python turns into text
            return text_of(value)
    if value == value.to_integral_value() and abs(value) < Decimal(10) ** 20:
        return f"{int(value):,}"
    if abs(value.adjusted()) > 30:
        return str(value)
    return f"{value.normalize(_EXACT):,f}"


@dataclass(slots=True)
class Column:
    """The summary of one column."""

    name: str
    summed: bool
    """Whether its total is asked for."""
    counted: bool
    """Whether its distinct values are."""
    missing: int = 0
    others: int = 0
    """Values that are no numbers."""
    numbers: int = 0
    total: Exact = 0
    exact: bool = True
    low: Exact | None = None
    high: Exact | None = None
    first: str | None = None
    """Of the values that are no numbers, the first and last in the alphabet."""
    last: str | None = None
    _distinct: set[bytes] = field(default_factory=set)
    _more: bool = False

    def add(self, value: Any) -> None:
        """Take the next row's value."""
        if is_missing(value):
            self.missing += 1
            return
        number = number_of(value)
        if number is None:
            self.others += 1
            text = text_of(value)[:200]
            self.first = text if self.first is None else min(self.first, text)
            self.last = text if self.last is None else max(self.last, text)
        else:
            self.numbers += 1
            if self.summed:
                self._sum(number)
            if self.low is None or number < self.low:
                self.low = number
            if self.high is None or number > self.high:
                self.high = number
        if self.counted and not self._more:
            text = text_of(value)
            digest = hashlib.blake2b(
                text.encode("utf-8", "surrogatepass"), digest_size=12
            )
            self._distinct.add(digest.digest())
            if len(self._distinct) > DISTINCT:
                self._more = True
                self._distinct.clear()

    def _sum(self, number: Exact) -> None:
        if isinstance(number, int) and isinstance(self.total, int):
            self.total += number
            return
        _EXACT.clear_flags()
        self.total = _EXACT.add(Decimal(self.total), Decimal(number))
        self.exact = self.exact and not _EXACT.flags[Inexact]

    def said(self) -> str:
        """The summary in words."""
        parts = []
        if self.summed:
            about = "" if self.exact else "about "
            parts.append(f"total {about}{written(self.total)}")
        if self.low is not None and self.high is not None:
            parts.append(f"{written(self.low)} to {written(self.high)}")
        elif self.first is not None and self.last is not None:
            parts.append(f"{one_line(self.first, 40)} to {one_line(self.last, 40)}")
        if self.counted:
            many = (
                f"at least {DISTINCT:,}" if self._more else f"{len(self._distinct):,}"
            )
            parts.append(f"{many} distinct")
        if self.missing:
            parts.append(f"{self.missing:,} missing")
        if self.others and (self.numbers or self.summed):
            parts.append(f"{self.others:,} not numbers")
        return ", ".join(parts) or "empty"
