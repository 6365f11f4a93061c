"""Places in a text as a person types them: a line, a percentage, a byte, a char."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from spillview.errors import BadInput
from spillview.text import printable

_FORM = re.compile(
    r"(?P<mark>[@#])?\s*(?P<number>\d[\d,_]{0,20})(?P<rest>\.\d+)?\s*(?P<percent>%)?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A place to go to."""

    unit: Literal["line", "percent", "byte", "char"]
    value: float
    """Lines count from 1; bytes and chars from 0."""


def parse_target(typed: str) -> Target:
    """The place that `42` (line), `42%`, `@1048576` (byte) or `#5000` (char) names.

    Raises `BadInput` for anything else.
    """
    match = _FORM.fullmatch(typed.strip())
    if match is None or (match["rest"] and not match["percent"]):
        raise BadInput(
            f"`{printable(typed.strip()[:40])}` is no place: type a line like 42, or"
            " 42%, @1048576 for a byte, #5000 for a char."
        )
    digits = match["number"].replace(",", "").replace("_", "")
    number = float(digits + (match["rest"] or ""))
    if match["percent"]:
        if match["mark"] or number > 100:
            raise BadInput("A percentage is a number up to 100 and %, like 42%.")
        return Target("percent", number)
    if match["mark"] == "@":
        return Target("byte", int(digits))
    if match["mark"] == "#":
        return Target("char", int(digits))
    if int(digits) == 0:
        raise BadInput("Lines count from 1.")
    return Target("line", int(digits))
