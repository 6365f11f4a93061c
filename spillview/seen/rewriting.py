"""Where in a file a text stands that was written anew: JSON spaced or escaped in
another way, and lines that were clipped.

Both sides are brought to one form and compared; nothing counts that does not fit whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spillview.content.rendering import Rendered, render
from spillview.model import Counts, Range, Seen
from spillview.possessive import repeated
from spillview.seen.alignment import LEAST, WINDOW, align

if TYPE_CHECKING:
    from spillview.content.content import Content

_TOKEN = re.compile(
    r'(?P<string>"' + repeated(r'[^"\\]++|\\.') + r'(?:"|\\?\Z))|(?P<blank>\s+)',
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r'|u[0-9a-fA-F]{4}|["\\/bfnrt])'
)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_BROKEN = re.compile(
    r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}\\?u?[\w]{0,3})?\Z"
)
_WRAPPED = re.compile(
    r'\A\s{0,8}(?:[\[{](?:[^"]|"[\w-]{1,40}"){0,400}?"(?:text|content|output|stdout|result)"'
    r'\s{0,4}:\s{0,4})?"'
)
_MARK = re.compile(r"(?:\s*(?:\.\.\.|…))\Z")


@dataclass(slots=True)
class _Form:
    """A text in another form, with the way back to it."""

    text: str = ""
    pieces: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Where each piece begins here and there, and how long it is here and there."""

    def back(self, first: int, last: int) -> Range:
        """The chars of the other text that `[first, last)` of this one stand for."""
        return self._start(first), self._end(last - 1)

    def _piece(self, char: int) -> tuple[int, int, int, int]:
        return self.pieces[bisect_right(self.pieces, (char, 1 << 62, 0, 0)) - 1]

    def _start(self, char: int) -> int:
        here, there, length, other = self._piece(char)
        return there + (char - here if length == other else 0)

    def _end(self, char: int) -> int:
        here, there, length, other = self._piece(char)
        return there + (char - here + 1 if length == other else other)


def realign(shown: str, content: Content, counts: Counts) -> Seen | None:
    """The bytes of the file's start that `shown` is in another form; None if it is not.

    For previews that show the head of what they stand for.
    """
    body = _MARK.sub("", shown).strip("\n")
    if len(body) < LEAST:
        return None
    return (
        _clipped(shown.strip("\n"), content, counts)
        or _as_json(body, content, anywhere=False)
        or _unescaped(body, content)
        or _escaped(body, content, counts)
    )


def find_json(shown: str, content: Content) -> tuple[Range, ...] | None:
    """The one place in the file that holds `shown`, spaced in whatever way.

    Several lines may be values of their own, each in its own place. None where some of
    it is not found, or found more than once.
    """
    whole = _as_json(shown, content, anywhere=True)
    if whole is not None:
        return whole.ranges
    ranges: list[Range] = []
    lines = [line for line in shown.split("\n") if line.strip()]
    for line in lines if len(lines) < 2000 else ():
        found = _as_json(line, content, anywhere=True)
        if found is None:
            return None
        ranges += found.ranges
    return tuple(ranges) or None


def _clipped(shown: str, content: Content, counts: Counts) -> Seen | None:
    """The first lines of the file, long ones cut and marked."""
    from spillview.seen.alignment import merge
    from spillview.seen.filelines import Lines

    rows = shown.split("\n")
    if counts.encoding.startswith("utf-16") or len(rows) > counts.lines:
        return None
    lines = Lines(content, counts)
    ranges: list[Range] = []
    cut = 0
    for number, row in enumerate(rows, start=1):
        last = number == len(rows)
        span = lines.shown(number, row)
        if span is None and last:
            span = _begun(lines, number, _MARK.sub("", row), content)
        if span is None:
            return None
        ranges.append(span)
        after = lines.start(number + 1)
        cut += span[1] != (content.size if after is None else after)
    return Seen(merge(ranges)) if cut else None


def _begun(lines: object, number: int, row: str, content: Content) -> Range | None:
    """The start of a line that the end of the preview cut."""
    from spillview.seen.filelines import Lines

    assert isinstance(lines, Lines)
    start = lines.start(number)
    data = row.encode("utf-8", "surrogatepass")
    if start is None or content.pread(start, len(data)) != data:
        return None
    return start, start + len(data)


def _as_json(shown: str, content: Content, *, anywhere: bool) -> Seen | None:
    """JSON whose spaces or escapes differ from the file's."""
    body = shown.strip()
    if not anywhere and body[:1] not in ("[", "{"):
        return None
    wanted = _respaced(_BROKEN.sub("", body)).text
    if len(wanted) < 16:
        return None
    size = content.size if anywhere else 8 * len(shown) + (1 << 16)
    base, text = _window(content, size)
    if base is None:
        return None
    form = _respaced(text)
    at = form.text.find(wanted)
    if at < 0 or (not anywhere and at > 0):
        return None
    if anywhere and form.text.find(wanted, at + 1) >= 0:
        return None
    return _found(base, form, at, len(wanted))


def _unescaped(shown: str, content: Content) -> Seen | None:
    """Plain text that the file holds inside a JSON string."""
    base, text = _window(content, 8 * len(shown) + (1 << 16))
    if base is None or '"' not in text[:4096] or "\\" not in text:
        return None
    found: list[Seen] = []
    for token in _TOKEN.finditer(text):
        string = token["string"]
        if string is None or len(string) < len(shown):
            continue
        form = _decoded(string[1:], token.start() + 1)
        at = len(form.text) - len(form.text.lstrip())
        for begin in {0, at}:
            if form.text.startswith(shown, begin):
                found.append(_found(base, form, begin, len(shown)))
    return found[0] if len(found) == 1 else None


def _escaped(shown: str, content: Content, counts: Counts) -> Seen | None:
    """A JSON string that holds the file's own text."""
    opening = _WRAPPED.match(shown)
    if opening is None or "\\" not in shown:
        return None
    inner = _BROKEN.sub("", shown[opening.end() :])
    text = _decoded(inner).text
    for end in (text, re.sub(r'"\s{0,8}[\]}\s]{0,8}\Z', "", text)):
        seen = align(end, content, counts, "head")
        if seen.certain and seen.ranges:
            return seen
    return None


def _window(content: Content, size: int) -> tuple[Rendered | None, str]:
    """The file's start as text; none of a file too large to be compared whole."""
    size = min(size, content.size)
    if size > WINDOW:
        return None, ""
    base = render(content.pread(0, size), 0, 0, final=size == content.size)
    return base, base.text


def _found(base: Rendered, form: _Form, at: int, length: int) -> Seen:
    first, last = form.back(at, at + length)
    return Seen(tuple(base.ranges(first, last)))


def _decoded(text: str, start: int = 0, form: _Form | None = None) -> _Form:
    """`text` with every JSON escape put in."""
    form = form if form is not None else _Form()
    out: list[str] = []
    here, at = len(form.text), 0
    for found in _ESCAPE.finditer(text):
        if found.start() > at:
            plain = text[at : found.start()]
            form.pieces.append((here, start + at, len(plain), len(plain)))
            out.append(plain)
            here += len(plain)
        char = _char(found.group())
        form.pieces.append((here, start + found.start(), 1, len(found.group())))
        out.append(char)
        here += 1
        at = found.end()
    if at < len(text):
        form.pieces.append((here, start + at, len(text) - at, len(text) - at))
        out.append(text[at:])
    form.text += "".join(out)
    return form


def _respaced(text: str) -> _Form:
    """`text` without the spaces between JSON tokens, escapes put in."""
    form = _Form()
    out: list[str] = []
    here = at = 0

    def keep(start: int, end: int) -> None:
        nonlocal here
        if start < end:
            form.pieces.append((here, start, end - start, end - start))
            out.append(text[start:end])
            here += end - start

    for found in _TOKEN.finditer(text):
        keep(at, found.start())
        at = found.end()
        string = found["string"]
        if string is None:
            continue
        if "\\" not in string:
            keep(found.start(), at)
            continue
        inner = _decoded(string, found.start())
        form.pieces += [(here + a, b, c, d) for a, b, c, d in inner.pieces]
        out.append(inner.text)
        here += len(inner.text)
    keep(at, len(text))
    form.text = "".join(out)
    return form


def _char(escape: str) -> str:
    if escape[1] != "u":
        return _SIMPLE.get(escape[1], escape[1])
    code = int(escape[2:6], 16)
    if len(escape) > 6:
        low = int(escape[8:12], 16)
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
    return chr(code)
