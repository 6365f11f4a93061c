"""Results that a harness wrapped into a JSON string, and the document inside."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from spillview.content.content import Content, TemporaryContent
from spillview.content.kinds import WHOLE, json_kind
from spillview.content.pages import unescaped, unescaped_body
from spillview.errors import Cancelled
from spillview.model import Kind
from spillview.possessive import repeated

CHUNK = 1 << 16
"""Bytes of the string between two known places."""

DEEPEST = 8
"""Wrappings inside each other that are undone."""

_AROUND = 1 << 12
_S = rb"[ \t\r\n]*+"
_TYPE = rb'"type"' + _S + rb":" + _S + rb'"text"'
_EXTRA = (
    rb'"(?:annotations|_meta|cache_control)"'
    + _S
    + rb":"
    + _S
    + rb"(?:null|\{"
    + repeated(rb'[^{}"]|"[^"\\]*+"')
    + rb"\})"
)
_MEMBER = rb"(?:" + _TYPE + rb"|" + _EXTRA + rb")"
_BLOCK = (
    rb"\{"
    + _S
    + repeated(_MEMBER + _S + rb"," + _S)
    + rb'"text"'
    + _S
    + rb":"
    + _S
    + rb'"'
)
_FIRST_BLOCK = re.compile(rb"\[" + _S + _BLOCK)
_NEXT_BLOCK = re.compile(_S + rb"," + _S + _BLOCK)
_BLOCK_END = re.compile(_S + repeated(rb"," + _S + _MEMBER + _S) + rb"\}")
_BLOCKS_END = re.compile(_S + rb"\]" + _S + rb"\Z")
_RESULT = re.compile(rb"\{" + _S + rb'"result"' + _S + rb":" + _S + rb'"')


@dataclass(frozen=True, slots=True)
class _Form:
    """One way of wrapping."""

    opening: re.Pattern[bytes]
    path: str
    """The jq path to the string."""
    ending: re.Pattern[bytes]
    """What stands between the last string and the end of the text."""


_FORMS = (
    _Form(re.compile(b'"'), ".", re.compile(_S + rb"\Z")),
    _Form(_RESULT, ".result", re.compile(_S + rb"\}" + _S + rb"\Z")),
)


@dataclass(slots=True)
class Unwrapped:
    """The text inside the strings of a wrapping, and where each part of it was.

    It is a `Content`; `inner` and `outer` translate byte offsets.
    """

    around: Content
    path: str | None
    """None: no file holds these bytes."""
    jq: str
    """The jq path to the string, or to each of several."""
    _text: TemporaryContent
    _outer: list[int] = field(default_factory=list)
    _inner: list[int] = field(default_factory=list)
    """Piece n begins at byte `_outer[n]` of `around` and `_inner[n]` of the text."""
    _ends: list[int] = field(default_factory=list)
    """Where in `around` piece n ends, its string's quote left out."""
    joints: int = 0
    """Line feeds that were put between several strings."""
    _held: _Units | None = None

    @property
    def size(self) -> int:
        """Bytes."""
        return self._text.size

    def pread(self, offset: int, length: int) -> bytes:
        """See `Content.pread`."""
        return self._text.pread(offset, length)

    def close(self) -> None:
        """Free the space; what it was taken from stays open."""
        self._text.close()

    def outer(self, offset: int) -> int:
        """The byte of what is around at which byte `offset` of the text begins."""
        if not self._inner:
            return 0
        piece = max(0, bisect_right(self._inner, offset) - 1)
        units = self._units(piece)
        wanted = offset - self._inner[piece]
        place = bisect_right(units.inner, wanted) - 1
        if place >= len(units.escaped):
            return self._ends[piece]
        more = 0 if units.escaped[place] else wanted - units.inner[place]
        return self._outer[piece] + units.outer[place] + more

    def inner(self, offset: int) -> int:
        """The byte of the text that byte `offset` of what is around became; for a byte
        between strings the beginning of the next one."""
        piece = bisect_right(self._outer, offset) - 1
        if piece < 0:
            return 0
        if offset >= self._ends[piece]:
            following = piece + 1
            return self._inner[following] if following < len(self._inner) else self.size
        units = self._units(piece)
        wanted = offset - self._outer[piece]
        place = bisect_right(units.outer, wanted) - 1
        if place >= len(units.escaped):
            return self._inner[piece] + units.inner[-1]
        more = 0 if units.escaped[place] else wanted - units.outer[place]
        return self._inner[piece] + units.inner[place] + more

    def _units(self, piece: int) -> _Units:
        held = self._held
        if held is None or held.piece != piece:
            start = self._outer[piece]
            data = self.around.pread(start, self._ends[piece] - start)
            held = self._held = _units(piece, data)
        return held


_UNIT = re.compile(
    rb"[^\\]+|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|\\u[0-9a-fA-F]{4}|\\.|\\",
    re.DOTALL,
)


@dataclass(slots=True)
class _Units:
    """The escapes of a piece, and the stretches of text between them."""

    piece: int
    outer: list[int]
    inner: list[int]
    """Where each begins, and where the last one ends."""
    escaped: list[bool]


def _units(piece: int, data: bytes) -> _Units:
    units = _Units(piece, [0], [0], [])
    for match in _UNIT.finditer(data):
        unit = match[0]
        escaped = unit[:1] == b"\\"
        length = len(unescaped_body(unit)) if escaped else len(unit)
        units.outer.append(match.end())
        units.inner.append(units.inner[-1] + length)
        units.escaped.append(escaped)
    return units


def is_block(head: bytes) -> bool:
    """Whether a text begins as a result that is a list of texts."""
    start = len(head) - len(head.lstrip(b"\xef\xbb\xbf \t\r\n"))
    return _FIRST_BLOCK.match(head, start) is not None


def unwrap(
    content: Content, *, cancelled: Callable[[], bool] | None = None
) -> Unwrapped | None:
    """The JSON document that a JSON string in `content` holds; None when there is none.

    Known forms: `"…"`, `{"result": "…"}`, `[{"type": "text", "text": "…"}, …]`. The
    texts of several blocks are joined by LF, each a document of its own then. The
    caller closes both.

    Raises `Cancelled`, what reading raises, and `Unreadable` when there is no room for
    the text.
    """
    head = content.pread(0, _AROUND)
    mark = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    start = mark + len(head[mark:]) - len(head[mark:].lstrip(b" \t\r\n"))
    writing = _Writing(content, cancelled)
    try:
        blocks = _FIRST_BLOCK.match(head, start)
        if blocks is not None:
            return writing.blocks(blocks.end())
        for form in _FORMS:
            match = form.opening.match(head, start)
            if match is not None:
                return writing.string(form, match.end())
    except _Bare:
        pass
    except BaseException:  # whatever it was: no copy is left behind
        writing.made.close()
        raise
    writing.made.close()
    return None


class _Bare(Exception):
    """What looked like a wrapping is none, or holds no document."""


class _Writing:
    def __init__(self, content: Content, cancelled: Callable[[], bool] | None) -> None:
        self._content = content
        self._cancelled = cancelled
        self.made = Unwrapped(content, None, "", TemporaryContent())
        self._written = 0

    def string(self, form: _Form, start: int) -> Unwrapped:
        """The text of one string whose inside begins at `start`."""
        self._look_ahead(start)
        self.made.jq = form.path
        end, closed = self._write(start)
        if closed and not form.ending.match(self._content.pread(end, _AROUND)):
            raise _Bare
        return self._finish()

    def blocks(self, start: int) -> Unwrapped:
        """The texts of all blocks, the first of which begins at `start`."""
        self._look_ahead(start)
        end, closed = self._write(start)
        while closed:
            after = self._content.pread(end, _AROUND)
            block = _BLOCK_END.match(after)
            if block is None:
                raise _Bare
            further = _NEXT_BLOCK.match(after, block.end())
            if further is None:
                if not _BLOCKS_END.match(after, block.end()):
                    raise _Bare
                break
            self._put(b"\n")
            self.made.joints += 1
            end, closed = self._write(end + further.end())
        self.made.jq = ".[].text" if self.made.joints else ".[0].text"
        return self._finish()

    def _look_ahead(self, start: int) -> None:
        """Look whether the string begins as a document before all of it is written."""
        head = b""
        for _, piece, closed in unescaped(self._content, start, chunk=CHUNK):
            head += piece
            if closed:
                if _kind(head, head, len(head)) == "text":
                    raise _Bare
                return
            if len(head) > CHUNK * 2:
                break
        if _kind(head, b"", max(self._content.size, WHOLE + 1)) == "text":
            raise _Bare

    def _write(self, start: int) -> tuple[int, bool]:
        closed = False
        made = self.made
        for end, piece, closed in unescaped(self._content, start, chunk=CHUNK):
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("The outline was stopped.")
            made._outer.append(start)
            made._inner.append(self._written)
            made._ends.append(end - closed)
            self._put(piece)
            start = end
        return start, closed

    def _put(self, data: bytes) -> None:
        self.made._text.write(data)
        self._written += len(data)

    def _finish(self) -> Unwrapped:
        text = self.made._text.seal()
        head = text.pread(0, WHOLE)
        tail = text.pread(max(0, text.size - CHUNK), CHUNK)
        if _kind(head, tail, text.size) == "text":
            raise _Bare
        return self.made


def _kind(head: bytes, tail: bytes, size: int) -> Kind:
    """`json` and `jsonl` for documents that hold more than one value."""
    if head.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] not in (b"[", b"{", b'"'):
        return "text"
    return json_kind(head, tail, size)[0]
