"""Numbers that no machine type holds: kept as written, compared exactly."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

LONGEST = 20_000
"""Characters of a number beyond which it is counted but not compared."""

_PLAIN_DIGITS = 600
"""Every Python turns integers of this many digits from text, whatever its settings."""


class Written:
    """A number beyond Python's and JSON parsers' own types, as it was written."""

    __slots__ = ("text", "value")

    def __init__(self, text: str) -> None:
        """`text` is a JSON number."""
        self.text = text
        try:
            self.value = Decimal(text)
        except InvalidOperation:  # an exponent of nineteen digits
            self.value = Decimal("-Infinity" if text.startswith("-") else "Infinity")

    def __lt__(self, other: object) -> bool:
        return self.value < _comparable(other)

    def __gt__(self, other: object) -> bool:
        return self.value > _comparable(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | float | Decimal | Written):
            return self.value == _comparable(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Written({self.text!r})"


def _comparable(other: object) -> Decimal:
    if isinstance(other, Written):
        return other.value
    if isinstance(other, Decimal):
        return other
    assert isinstance(other, int | float)
    return Decimal(other)


class Constant:
    """NaN, Infinity or -Infinity, which JSON does not have."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Constant({self.name!r})"


class Endless:
    """A number longer than `LONGEST`: that it is one is all that is kept."""

    __slots__ = ("chars",)

    def __init__(self, chars: int) -> None:
        self.chars = chars


Number = int | float | Written


def number(text: str) -> Number | Endless:
    """The exact value of a JSON number: an int, a float, or as it was written.

    A fraction or an exponent makes a float, as everywhere, unless no float is as large.
    """
    if len(text) <= _PLAIN_DIGITS:
        if text.lstrip("-").isdigit():
            return int(text)
        value = float(text)
        if value - value == 0:
            return value
    elif len(text) > LONGEST:
        return Endless(len(text))
    return Written(text)


def written(value: Number) -> str:
    """A number as JSON text; an integer of any size digit for digit."""
    if isinstance(value, Written):
        return value.text
    return repr(value)


def is_portable(text: str) -> bool:
    """Whether a double can hold the number at all, so that any parser takes it.

    Half a number (`2.5e`, `-`), where a text breaks, is none.
    """
    try:
        return abs(float(text)) != float("inf")
    except ValueError:
        return False
