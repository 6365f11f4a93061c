"""What a person types for an age, a size, a moment or a boundary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from spillview.errors import BadInput
from spillview.model import Boundary, Unit
from spillview.regexes import late
from spillview.text import printable

_LARGEST = 2**63 - 1
"""The largest size or offset that file systems and SQLite can carry."""

_LONGEST_AGE = 100 * 365 * 86_400
"""A hundred years in seconds; ages beyond are typing errors."""

_AGE = late(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII | re.IGNORECASE)
_AGE_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def _shown(typed: str) -> str:
    short = printable(typed)
    return f"`{short[:60]}…`" if len(short) > 60 else f"`{short}`"


def meant(typed: str, known: Iterable[str]) -> str:
    """What a mistyped word is nearest to, as a question; else what is known."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(typed, names, 1, 0.5)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"


def parse_age(typed: str) -> float:
    """Seconds of an age such as `90m`, `12h`, `7d` or `2w`.

    Raises `BadInput` for anything else, for zero and for more than a hundred years.
    """
    match = _AGE.fullmatch(typed.strip())
    if match is None:
        raise BadInput(
            f"{_shown(typed)} is not an age: write a number and m, h, d or w, like 12h."
        )
    seconds = float(match[1]) * _AGE_SECONDS[match[2].lower()]
    if seconds <= 0:
        raise BadInput(f"An age must be more than zero, not {_shown(typed)}.")
    if seconds > _LONGEST_AGE:
        raise BadInput(f"The age {_shown(typed)} is longer than a hundred years.")
    return seconds


_DAYS = {"today": 0, "yesterday": 1}
"""Days by name, and how long ago they began."""

_SIZE = late(r"(\d+(?:\.\d+)?)\s*(?:([kmgtp])(i)?)?b?", re.ASCII | re.IGNORECASE)


def parse_size(typed: str) -> int:
    """Bytes of a size such as `500k`, `3GB` (1000s), `64KiB` (1024s) or `4096 B`.

    Raises `BadInput` for anything else, for a number without a unit (who types 5 hardly
    means five bytes), for zero and for what no file can hold.
    """
    match = _SIZE.fullmatch(typed.strip())
    if match is None:
        raise BadInput(
            f"{_shown(typed)} is not a size: write a number and k, MB, GB or KiB,"
            " like 500k."
        )
    power = "kmgtp".index(match[2].lower()) + 1 if match[2] else 0
    scale = (1024 if match[3] else 1000) ** power
    # Whole numbers stay exact; a float would round beyond 2**53.
    size = int(match[1]) * scale if "." not in match[1] else _times(match[1], scale)
    if size <= 0:
        raise BadInput(f"A size must be more than zero, not {_shown(typed)}.")
    if match[0][-1].isdigit():
        number = match[1][:30]
        raise BadInput(
            f"{_shown(typed)} has no unit: write {number}GB, {number}MB or, for bytes,"
            f" {number}B."
        )
    if size > _LARGEST:
        raise BadInput(f"The size {_shown(typed)} is larger than any file can be.")
    return size


def _times(decimal: str, scale: int) -> int:
    whole, _, fraction = decimal.partition(".")
    parts: int = 10 ** len(fraction)
    return int(whole + fraction) * scale // parts


def parse_when(typed: str, now: float) -> float:
    """A moment in seconds since the epoch: an age before `now`, an ISO date or time, or
    `today` or `yesterday`.

    Without a zone the date or time is local; a day alone is its midnight.
    Raises `BadInput` for anything else and for moments the clock cannot express.
    """
    stripped = typed.strip()
    if _AGE.fullmatch(stripped):
        return now - parse_age(stripped)
    days = _DAYS.get(stripped.lower())
    if days is not None:
        local = datetime.fromtimestamp(now)  # noqa: DTZ006 - local, as people say it
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=days)).timestamp()
    try:
        moment = datetime.fromisoformat(stripped)
    except ValueError:
        raise BadInput(
            f"{_shown(typed)} is no time: write an age like 90m, 12h, 7d or 2w, a date"
            " like 2026-11-29 or 2026-11-29T18:00, or today or yesterday."
        ) from None
    try:
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        raise BadInput(f"The date {_shown(typed)} is out of range.") from None


def parse_ahead(typed: str, now: float) -> float:
    """A moment that is still to come: `tomorrow` (in 24 hours), an age from now such as
    `3d`, or an ISO date or time.

    Raises `BadInput` for anything else and for what has passed.
    """
    stripped = typed.strip()
    if stripped.lower() == "tomorrow":
        return now + 86_400
    if _AGE.fullmatch(stripped):
        return now + parse_age(stripped)
    try:
        moment = parse_when(stripped, now)
    except BadInput:
        raise BadInput(
            f"{_shown(typed)} is no time to come: write tomorrow, 12h, 3d or 2w from"
            " now, or a date like 2026-11-29 or 2026-11-29T18:00."
        ) from None
    if moment < now:
        raise BadInput(f"{_shown(typed)} has passed: a forecast is for a time to come.")
    return moment


_BOUNDARY = late(r"(\d+)\s*(chars|utf16|bytes|lines|tokens)?", re.ASCII | re.IGNORECASE)


def parse_boundary(typed: str) -> Boundary:
    """A boundary such as `30000chars`, `50000bytes` or `2000lines`; chars by default.

    Raises `BadInput` for anything else, for zero and for what no file can hold.
    """
    match = _BOUNDARY.fullmatch(typed.strip().replace(",", "").replace("_", ""))
    if match is None:
        raise BadInput(
            f"{_shown(typed)} is not a boundary: write a number and chars, utf16,"
            " bytes, lines or tokens, like 30000chars."
        )
    if len(match[1]) > 19 or int(match[1]) > _LARGEST:
        raise BadInput(f"The boundary {_shown(typed)} is larger than any file can be.")
    size = int(match[1])
    if size <= 0:
        raise BadInput(f"A boundary must be more than zero, not {_shown(typed)}.")
    unit: Unit
    match (match[2] or "chars").lower():
        case "utf16":
            unit = "utf16"
        case "bytes":
            unit = "bytes"
        case "lines":
            unit = "lines"
        case "tokens":
            unit = "tokens"
        case _:
            unit = "chars"
    return Boundary(size, unit)


_PER = {"s": 1, "sec": 1, "second": 1, "min": 60, "m": 60, "minute": 60}
_PER |= {"h": 3600, "hour": 3600, "d": 86_400, "day": 86_400}


def parse_rate(typed: str) -> float:
    """Bytes a second of a rate such as `10MB/s`, `500MB/min` or `20GB/h`.

    Raises `BadInput` for anything else and for zero.
    """
    size, slash, unit = typed.strip().partition("/")
    per = _PER.get(unit.strip().lower())
    if not slash or per is None:
        raise BadInput(
            f"{_shown(typed)} is not a rate: write a size and s, min or h, like 10MB/s"
            " or 20GB/h."
        )
    return parse_size(size) / per


_SHARE = late(r"(\d{1,3}(?:\.\d{1,9})?)\s*%", re.ASCII)


def parse_share(typed: str) -> float | None:
    """A share such as `5%` as a number below 1; None for what is no percentage.

    Raises `BadInput` for a share that is nothing, or everything.
    """
    match = _SHARE.fullmatch(typed.strip())
    if match is None:
        return None
    share = float(f"{match[1]}e-2")
    if not 0 < share < 1:
        raise BadInput(f"A share must be between 0% and 100%, not {_shown(typed)}.")
    return share
