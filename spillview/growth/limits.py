"""How large, how fast and how close to a full disk is too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spillview.errors import BadInput
from spillview.frozen import Frozen
from spillview.text import exact_age, exact_size, human_bytes
from spillview.typed import parse_age, parse_rate, parse_share, parse_size

NONE = "none"
"""What lifts a limit that `config.toml` sets."""


class Free(Frozen):
    """How much of a disk must stay free: bytes, or a share of the disk."""

    bytes: int = 0
    share: float = 0.0

    def of(self, size: int) -> int:
        """Bytes that must stay free on a disk of `size` bytes."""
        return max(self.bytes, int(size * self.share))

    def __str__(self) -> str:
        return f"{self.share * 100:g}%" if self.share else exact_size(self.bytes)


class Limits(Frozen):
    """What must not be passed; None is no limit. Sizes are bytes of the disk."""

    max_file: int | None = None
    max_session: int | None = None
    max_total: int | None = None
    max_rate: float | None = None
    """Bytes a second, of one file and of all of them together."""
    min_free: Free | None = None
    full_within: float | None = None
    """Seconds within which a disk would be full at the rate of its growth."""

    @property
    def any(self) -> bool:
        """Whether there is one at all."""
        return bool(self._set())

    def _set(self) -> list[tuple[str, Any]]:
        """The name and the value of each."""
        told = ((name, getattr(self, field)) for name, field in _FIELDS.items())
        return [(name, value) for name, value in told if value is not None]

    def words(self) -> list[str]:
        """Each as it could be typed: `max-file 1GB`, `full-within 6h`."""
        return [f"{name} {text_of(name, value)}" for name, value in self._set()]

    def values(self) -> dict[str, Any]:
        """Each in bytes, bytes a second or seconds; a share of a disk as text."""
        return {
            name: (value.bytes or str(value)) if isinstance(value, Free) else value
            for name, value in self._set()
        }


def _parse_free(typed: str) -> Free:
    share = parse_share(typed)
    return Free(share=share) if share is not None else Free(parse_size(typed))


PARSERS: dict[str, Callable[[str], Any]] = {
    "max-file": parse_size,
    "max-session": parse_size,
    "max-total": parse_size,
    "max-rate": parse_rate,
    "min-free": _parse_free,
    "full-within": parse_age,
}
"""How each limit is typed, by its name as an option and in `[watch]`."""

_FIELDS = {name: name.replace("-", "_") for name in PARSERS}

DEFAULTS = Limits(
    max_file=10**9,
    max_total=50 * 10**9,
    max_rate=10e6,
    min_free=Free(10**9),
    full_within=6 * 3600.0,
)
"""What counts where nobody set a limit."""


def limits_of(typed: Mapping[str, str]) -> Limits:
    """The limits typed under their names; `none` lifts one.

    Raises `BadInput` that names the limit.
    """
    values = {}
    for name, text in typed.items():
        if text.strip().lower() == NONE:
            continue
        try:
            values[_FIELDS[name]] = PARSERS[name](text)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
    return Limits(**values)


def text_of(name: str, value: Any) -> str:
    """A limit's value as it could be typed, nothing rounded where it need not be."""
    if name == "max-rate":
        return _exact_rate(value)
    if name == "full-within":
        return exact_age(value)
    return str(value) if isinstance(value, Free) else exact_size(int(value))


def _exact_rate(per_second: float) -> str:
    """A rate as it may have been typed: in the unit that takes the fewest digits."""
    told = []
    for unit, seconds in (("s", 1), ("min", 60), ("h", 3600), ("d", 86_400)):
        size = round(per_second * seconds)
        # What was divided by the seconds comes back but for a float's last digits.
        if size and abs(size / seconds - per_second) <= 1e-12 * per_second:
            told.append((len(str(size).rstrip("0")), f"{exact_size(size)}/{unit}"))
    return min(told, key=lambda each: each[0])[1] if told else rate_text(per_second)


def rate_text(per_second: float) -> str:
    """A rate in the unit that says most: `48.0 MB/s`, `1.2 MB/min`, `0 B/s`."""
    if per_second >= 1000 or per_second <= 0:
        return f"{human_bytes(round(per_second))}/s"
    if per_second * 60 >= 1000:
        return f"{human_bytes(round(per_second * 60))}/min"
    return f"{human_bytes(round(per_second * 3600))}/h"


def read_watch(data: object, path: str) -> Mapping[str, str]:
    """The `[watch]` table of the settings: limits as they were typed, by their names.

    Raises `BadInput` naming the file, the key and what to do.
    """
    if not isinstance(data, dict):
        raise BadInput(f"{path}: watch: must be a table of limits")
    keys = {field: name for name, field in _FIELDS.items()}
    typed: dict[str, str] = {}
    for key, value in data.items():
        if key not in keys:
            from spillview.config import unknown_key

            raise BadInput(f"{path}: watch: {unknown_key(key, tuple(keys))}")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise BadInput(f'{path}: watch.{key}: must be text such as "5GB"')
        typed[keys[key]] = str(value)
    try:
        limits_of(typed)
    except BadInput as error:
        raise BadInput(f"{path}: watch: {error}") from None
    return typed
