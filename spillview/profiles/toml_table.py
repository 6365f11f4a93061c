"""One TOML table, read key by key: a mistake names file, place and key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast

from spillview.errors import BadProfile

T = TypeVar("T")

REQUIRED = "is missing: add it"


class Table:
    """One TOML table; remembers which keys were asked for."""

    def __init__(self, data: dict[str, Any], source: str, where: str = "") -> None:
        self.data = data
        self._source = source
        self._where = where
        self._known: set[str] = set()

    def bad(self, key: str, what: str) -> BadProfile:
        """The error about `key`."""
        where = f"{self._where}: " if self._where else ""
        return BadProfile(f"{self._source}: {where}{key}: {what}")

    def name(self, key: str) -> str:
        """The file and the key, for errors made elsewhere."""
        return f"{self._source}: {self._where}: {key}"

    def pairs(self, key: str) -> Iterator[tuple[str, str]]:
        """Pairs of a regex and the text that replaces it."""
        for pair in self._get(key, list, "a list of pairs") or []:
            match pair:
                case [str(regex), str(text)]:
                    yield regex, text
                case _:
                    raise self.bad(key, f"must hold [regex, text], not {pair!r}")

    def _get(self, key: str, kind: type[T], say: str) -> T | None:
        self._known.add(key)
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.bad(key, f"must be {say}, not {value!r}")
        return value

    def text(self, key: str) -> str | None:
        """A text; None where there is none."""
        return self._get(key, str, "a text")

    def need(self, key: str) -> str:
        """A text that must be there and not be empty."""
        value = self.text(key)
        if not value:
            raise self.bad(key, REQUIRED + self._mistyped(key))
        return value

    def _mistyped(self, key: str) -> str:
        """What else stands here that may be meant for a key that is missing."""
        from difflib import get_close_matches

        others = [other for other in self.data if other not in self._known]
        near = get_close_matches(key, others, 1, 0.6)
        return f", or is {near[0]!r} meant to be {key!r}?" if near else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """One text or a list of them."""
        if isinstance(self.data.get(key), str):
            return (self.need(key),)
        values = self._get(key, list, "a text or a list of texts") or []
        for value in values:
            if not isinstance(value, str) or not value:
                raise self.bad(key, f"must hold texts only, not {value!r}")
        return tuple(values)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._get(key, bool, "true or false")
        return default if value is None else value

    def maybe(self, key: str, least: int = 1) -> int | None:
        """A whole number from `least` on; None where there is none."""
        value = self._get(key, int, "a whole number")
        if value is not None and not least <= value < 1 << 62:
            raise self.bad(key, f"must be above {least - 1}, not {value}")
        return value

    def whole(self, key: str, default: int | None, least: int = 1) -> int:
        """A whole number from `least` on; without a `default` it must be there."""
        value = self.maybe(key, least)
        if value is None and default is None:
            raise self.bad(key, REQUIRED + self._mistyped(key))
        return cast(int, default if value is None else value)

    def choice(self, key: str, choices: tuple[str, ...], default: str | None) -> Any:
        """One of `choices`, which the field's type lists as well."""
        value = self.text(key)
        if value is not None and value not in choices:
            raise self.bad(key, f"must be one of {', '.join(choices)}, not {value!r}")
        return default if value is None else value

    def mapping(self, key: str | None = None) -> Mapping[str, str]:
        """A table of texts: the one under `key`, or this one."""
        table = self if key is None else self.table(key)
        return {name: table.need(name) for name in table.data}

    def table(self, key: str, short: str | None = None) -> Table:
        """A table; with `short`, a lone text stands for `{short = text}`."""
        where = f"{self._where}: {key}" if self._where else key
        value = self.data.get(key)
        if short is not None and isinstance(value, str):
            self._known.add(key)
            return Table({short: value}, self._source, where)
        return Table(self._get(key, dict, "a table") or {}, self._source, where)

    def tables(self, key: str) -> list[Table]:
        """A list of tables; a list of texts means tables with only a `name`."""
        found = []
        for number, value in enumerate(self._get(key, list, "a list of tables") or []):
            if isinstance(value, str):
                value = {"name": value}
            if not isinstance(value, dict):
                raise self.bad(key, f"must be tables, as [[{key}]], not {value!r}")
            label = value.get("id") if isinstance(value.get("id"), str) else number + 1
            where = f"{self._where}: {key} {label}" if self._where else f"{key} {label}"
            found.append(Table(value, self._source, where))
        return found

    def done(self) -> None:
        """Raise for keys nobody asked for, naming the nearest that exists."""
        for key in self.data:
            if key not in self._known:
                from difflib import get_close_matches

                near = get_close_matches(key, self._known, 1, 0.5)
                hint = f"did you mean {near[0]!r}?" if near else "remove it"
                raise self.bad(key, f"is not a key of a profile: {hint}")
