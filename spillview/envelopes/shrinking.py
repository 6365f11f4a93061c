"""A JSON value as text of at most so many chars: whole, or shrunk and marked so.

Tokens stay as they are written, digit for digit, and keys keep their order, also those
that stand twice. Strings are cut first, then arrays, then objects; what is left out is
said where it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from spillview.possessive import repeated
from spillview.shape.samples import compact
from spillview.shape.tokens import CLOSE, KEY, OPEN, Broken, events

LARGEST = 1 << 16
"""Bytes of a value that are looked at."""

DEEPEST = 40
"""Arrays and objects inside each other that are shown."""

SHORTEST = 90
"""Chars in which every value can be shown: by what it is."""

_ALL = 1 << 40
_STEPS = ((60, _ALL, _ALL), (60, 3, _ALL), (20, 3, _ALL), (20, 1, 3))
"""Strings, elements and members at the least, tried one after the other."""

_CHAR = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\.|.",
    re.DOTALL,
)
_LONE = re.compile(
    r"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_STRING_OR_BRACKET = re.compile('"' + repeated(r'[^"\\]++|\\.') + r'"|[\[{]|[\]}]')
_HIDDEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@dataclass(slots=True)
class _Container:
    opening: str
    """`[` or `{`."""
    keys: list[str] = field(default_factory=list)
    """As written, with their quotes; empty in an array."""
    values: list[_Value] = field(default_factory=list)
    open: bool = False
    """Whether what was looked at ends inside it."""


_Value = str | _Container


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A value as text."""

    text: str
    """JSON."""
    whole: bool
    """Whether nothing of it is left out."""
    altered: bool
    """Whether something no parser takes was replaced: see `written`."""


def written(raw: bytes) -> tuple[str, bool]:
    """A value without white space between its tokens, fit for any parser of JSON.

    As `samples.compact`; besides, halves of surrogate pairs become U+FFFD, and
    characters that a terminal obeys are written as escapes. Whether anything was
    replaced by something else.
    """
    text, altered = compact(raw)
    if "\\" in text:
        text, count = _without_lone(text)
        altered = altered or count > 0
    return _HIDDEN.sub(_escaped, text), altered


def shrunk(
    raw: bytes, limit: int, *, complete: bool = True, elements: int | None = None
) -> Shrunk:
    """The value that `raw` is (or, not `complete`, begins) in at most `limit` chars.

    `limit` is at least `SHORTEST`. What has to be shrunk has no more than `elements` in
    its arrays.
    """
    text, altered = written(raw)
    if not altered:
        altered = "\N{REPLACEMENT CHARACTER}" in text and not _is_utf8(raw)
    if complete and len(text) <= limit and _depth(text) <= DEEPEST:
        return Shrunk(text, True, altered)
    value = _parsed(text.encode("utf-8", "surrogatepass"))
    if value is None:
        return Shrunk(_quoted(f"… {len(raw)} bytes that are cut off"), False, altered)
    for step in _STEPS:
        few = step[1] if elements is None else min(step[1], elements)
        caps = _best(value, limit, (step[0], few, step[2]), elements)
        if caps is not None:
            return Shrunk(_text(value, *caps), False, altered)
    return Shrunk(_quoted(_what(value)), False, altered)


def _best(
    value: _Value, limit: int, least: tuple[int, int, int], elements: int | None
) -> tuple[int, int, int] | None:
    """The largest caps of strings, elements and members that fit, none below `least`.

    None where not even those fit. Members are given room first, strings last.
    """
    if len(_text(value, *least)) > limit:
        return None
    caps = list(least)
    for place in (2, 1, 0):
        good, bad = caps[place], LARGEST + 1
        if place == 1 and elements is not None:
            bad = elements + 1
        while bad - good > 1:
            middle = (good + bad) // 2
            trial = [*caps[:place], middle, *caps[place + 1 :]]
            if len(_text(value, trial[0], trial[1], trial[2])) <= limit:
                good = middle
            else:
                bad = middle
        caps[place] = good
    return caps[0], caps[1], caps[2]


def _parsed(data: bytes) -> _Value | None:
    """The first value of `data`, as far as it goes."""
    stack: list[_Container] = []
    skipped = 0
    done: _Value | None = None
    try:
        for kind, start, end in events(data, "documents", whole=True):
            token = data[start:end].decode("utf-8", "replace")
            if kind == OPEN:
                if len(stack) >= DEEPEST or skipped:
                    if not skipped:
                        stack[-1].values.append(_quoted("… nested deeper"))
                    skipped += 1
                    continue
                inner = _Container(token)
                if stack:
                    stack[-1].values.append(inner)
                stack.append(inner)
            elif kind == CLOSE:
                if skipped:
                    skipped -= 1
                    continue
                done = stack.pop()
            elif skipped:
                continue
            elif kind == KEY:
                stack[-1].keys.append(token)
            elif stack:
                stack[-1].values.append(token)
            else:
                done = token
            if not stack and done is not None:
                return done
    except Broken:
        pass
    for each in stack:
        each.open = True
        del each.keys[len(each.values) :]
    return stack[0] if stack else None


def _text(value: _Value, strings: int, elements: int, members: int) -> str:
    if isinstance(value, str):
        return _cut(value, strings)
    array = value.opening == "["
    most = elements if array else members
    values = [_text(v, strings, elements, members) for v in value.values[:most]]
    more = len(value.values) - len(values)
    said = ""
    if value.open:
        said = "and more"
    elif more:
        said = f"{more} more {'items' if array else 'keys'}"
    if array:
        if said:
            values.append(_quoted(f"… {said}"))
        return f"[{','.join(values)}]"
    keys = [_cut(key, max(strings, 60)) for key in value.keys]
    rows = [f"{key}:{text}" for key, text in zip(keys, values, strict=False)]
    if said:
        rows.append(f'"…":{_quoted(said)}')
    return f"{{{','.join(rows)}}}"


def _cut(token: str, most: int) -> str:
    """A token; a string's first `most` chars, and how many there are more."""
    if len(token) - 2 <= most or not token.startswith('"'):
        return token
    chars = _CHAR.findall(token[1:-1])
    if len(chars) <= most + 20:
        return token
    return f'"{"".join(chars[:most])}… {len(chars) - most} more chars"'


def _what(value: _Value) -> str:
    if isinstance(value, str):
        return f"… {len(value)} chars"
    more = " or more" if value.open else ""
    if value.opening == "[":
        return f"… an array of {len(value.values)}{more} items"
    return f"… an object of {len(value.values)}{more} keys"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _without_lone(text: str) -> tuple[str, int]:
    count = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal count
        if match["lone"] is None:
            return match[0]
        count += 1
        return "\\ufffd"

    return _LONE.sub(replaced, text), count


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in re.finditer(_STRING_OR_BRACKET, text):
        if match[0] in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in ("]", "}"):
            depth -= 1
    return deepest
