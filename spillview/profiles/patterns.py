"""Path patterns of harness profiles: templates, captured components, safe regexes.

A pattern is `{root}/part/part/…`. In a part, `<name>` captures at least one character,
`<name:regex>` captures what the regex allows, `*` and `?` match as in a shell,
`{a,b}` is a choice; a part that is `**` stands for any number of folders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache

from spillview.named import NamedTuple
from spillview.regexes import late

_TOKEN = re.compile(
    r"<(?P<capture>[a-z_][a-z0-9_]*)(?::(?P<shape>(?:[^<>\\]|\\.)+))?>"
    r"|(?P<many>\*)|(?P<one>\?)|\{(?P<choice>[^{}]*,[^{}]*)\}",
)
_VARIABLE = frozenset("*?<>{}")
"""A part without any of these is a name as it stands."""
_LETTERS = late(r"[A-Za-z0-9_-]+")
_BRACKETED = late(r"\\.|\[[^\]]*\]|\([^()]*\)")
_NAME = late(r"<([a-z_][a-z0-9_]*)>|\{([a-z][a-z0-9_]*)\}")
_PLACEHOLDER = re.compile(r"\{(?P<name>[a-z][a-z0-9_]*)\}")


class BadPattern(ValueError):
    """A pattern or regex that cannot be used; its text says why and what to do."""


class Part(NamedTuple):
    """One component of a path pattern."""

    text: str
    literal: str | None = None
    """The exact name, when the part has nothing variable."""
    deep: bool = False
    """`**`: any number of folders, none included."""
    anything: str | None = None
    """The capture's name, when the part is `<name>` alone (`*` alone: empty)."""
    shaped: bool = False
    """True when it says more than "any name": a literal text or a shape."""
    start: str = ""
    """What a name that fits begins with: most names are told apart by it alone."""

    def match(self, name: str) -> Mapping[str, str] | None:
        """What the part captures from `name`; None when it does not fit."""
        if self.literal is not None:
            return _NOTHING if name == self.literal else None
        if self.anything is not None:
            return {self.anything: name} if self.anything else _NOTHING
        if not name.startswith(self.start):
            return None
        found = part_regex(self.text).fullmatch(name)
        if found is None:
            return None
        return {k: v for k, v in found.groupdict().items() if v is not None}

    def fits_any(self, names: Set[str]) -> bool:
        """Whether one of `names` fits."""
        if self.literal is not None:
            return self.literal in names
        if self.anything is not None or self.deep:
            return bool(names)
        some = [name for name in names if name.startswith(self.start)]
        return bool(some) and any(map(part_regex(self.text).fullmatch, some))

    def check(self) -> None:
        """Raise BadPattern when it has a shape that is no regex."""
        if self.literal is None and self.anything is None and not self.deep:
            part_regex(self.text)


_NOTHING: Mapping[str, str] = {}


@lru_cache(maxsize=1024)
def split_root(pattern: str) -> tuple[str, str]:
    """`{root}/rest` as its root's id and `rest`; raises BadPattern."""
    found = _PLACEHOLDER.match(pattern)
    if found is None:
        raise BadPattern("must begin with {the id of a root}/")
    rest = pattern[found.end() :]
    if rest and not rest.startswith("/"):
        raise BadPattern("needs a / after the root")
    return found["name"], rest.strip("/")


def parts_of(pattern: str, *, known: bool = False) -> tuple[Part, ...]:
    """The parts of a pattern without its root; raises BadPattern.

    The regexes of a `known` one, which was read before, are made when they are used.
    """
    parts = tuple(_part(text) for text in _split(pattern))
    if not known:
        for part in parts:
            part.check()
    if parts and parts[-1].deep:
        raise BadPattern("must not end in **: add <name>")
    return parts


@lru_cache(maxsize=1024)
def part_regex(text: str) -> re.Pattern[str]:
    """The regex of one part; raises BadPattern."""
    out: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        out.append(_plain(text[at : token.start()]))
        at = token.end()
        if token["capture"]:
            out.append(f"(?P<{token['capture']}>{token['shape'] or '.+'})")
        elif token["many"]:
            out.append(".*")
        elif token["one"]:
            out.append(".")
        else:
            choices = token["choice"].split(",")
            out.append("(?:" + "|".join(re.escape(each) for each in choices) + ")")
    out.append(_plain(text[at:]))
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error as error:
        raise BadPattern(f"{text!r} is not a pattern: {error}") from None


def fill(template: str, values: Mapping[str, str]) -> str | None:
    """`template` with `<name>` and `{name}` replaced; None when a value is missing."""
    first, *pieces = _pieces(template)
    filled = [first]
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        value = values.get(name)
        if value is None:
            return None
        filled += value, text
    return "".join(filled)


@lru_cache(maxsize=1024)
def _pieces(template: str) -> list[str]:
    """The text before the first name, then each name and the text behind it."""
    # A name has one of the two groups; the other one is None.
    return [text for text in _NAME.split(template) if text is not None]


def _split(pattern: str) -> list[str]:
    """`pattern` at its slashes; those inside a capture's shape do not count."""
    if "<" not in pattern and "{" not in pattern:
        return [text for text in pattern.split("/") if text]
    texts: list[str] = []
    start = at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is not None:
            at = token.end()
            continue
        if pattern[at] == "/":
            texts.append(pattern[start:at])
            start = at + 1
        at += 1
    texts.append(pattern[start:])
    return [text for text in texts if text]


def _part(text: str) -> Part:
    if text == "**":
        return Part(text, deep=True)
    if "**" in text:
        raise BadPattern(f"{text!r}: ** must be a whole part")
    if text in (".", ".."):
        raise BadPattern("must not hold . or .. as a part")
    if not _VARIABLE.intersection(text):
        return Part(text, literal=text, shaped=True)
    tokens = list(_TOKEN.finditer(text))
    rest = _TOKEN.sub("", text)
    if any(mark in rest for mark in "<>{}"):
        raise BadPattern(f"{text!r} has a bracket that does not belong to a capture")
    if not tokens:
        return Part(text, literal=text, shaped=True)
    if not rest and len(tokens) == 1:
        token = tokens[0]
        if token["many"]:
            return Part(text, anything="")
        if token["capture"] and not token["shape"]:
            # A file's own name is known without being captured.
            name = token["capture"]
            return Part(text, anything="" if name == "name" else name)
    # A mere ending such as `.jsonl` is too common to tell a harness by.
    shaped = any(token["shape"] or token["choice"] for token in tokens) or len(rest) > 6
    start = text[: tokens[0].start()] or _beginning(tokens[0]["shape"] or "")
    return Part(text, shaped=shaped, start=start)


def _beginning(shape: str) -> str:
    """What all that a regex allows begins with; nothing when that is not plain."""
    plain = _LETTERS.match(shape)
    if plain is None or _has_ways(shape):
        return ""
    return plain[0][:-1] if shape[plain.end() :][:1] in ("*", "?", "{") else plain[0]


def _has_ways(shape: str) -> bool:
    """Whether a regex may have `|` outside of every bracket."""
    outer = _BRACKETED.sub("", shape)
    while outer != shape:
        shape, outer = outer, _BRACKETED.sub("", outer)
    return "|" in outer


def _plain(text: str) -> str:
    return re.escape(text)
