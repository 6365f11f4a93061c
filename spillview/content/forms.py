"""Texts that hold another content: packed, encoded, or inside one JSON string.

What a content is (`kind`) stays what its own bytes are; its form says what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing

from spillview.errors import BadInput, Unreadable
from spillview.hints import TYPE_CHECKING
from spillview.regexes import late
from spillview.text import printable

if TYPE_CHECKING:
    from spillview.content.content import Content

FORMS = {
    "gzip": "gzip data",
    "base64": "one base64 text",
    "json-string": "one JSON string",
    "json-result": 'a text inside {"result": …}',
    "json-blocks": 'texts inside [{"type": "text", …}]',
}
"""The forms there are, in words."""

LARGEST = 256 << 20
"""What is taken out is no longer than this."""
MOST = 64 << 20
"""Beyond this size it is not looked whether a JSON string is all there is."""
_LEAST = 256
"""Shorter texts may be anything in base64's letters."""
_CHUNK = 1 << 18
_SPACE = late(rb"[\r\n \t]+")
_PREFIX = late(rb"data:[\w.+/;=-]{1,120};base64,")
_LETTERS = late(rb"[A-Za-z0-9+/]++={0,2}")
_URL_LETTERS = late(rb"[A-Za-z0-9_-]++={0,2}")
_WIDTHS = (60, 64, 72, 76)
_HEX = late(rb"[0-9a-fA-F]++")
_STRING = late(rb'(?:\xef\xbb\xbf)?\s*+"')
_RESULT = late(rb'(?:\xef\xbb\xbf)?\s*+\{\s*+"result"\s*+:\s*+"')
_OBJECT = late(rb"(?:\xef\xbb\xbf)?\s*+\{")
_ENDS = {
    "json-string": late(rb"\s*+\Z"),
    "json-result": late(rb"\s*+\}\s*+\Z"),
}


def form_of(content: Content, head: bytes, kind: str) -> str | None:
    """What the content holds, told from its beginning and its end; None: only itself.

    Of a JSON string it is also made sure that nothing stands beside it, up to `MOST`
    bytes. Raises what reading raises.
    """
    if kind == "binary":
        known = head[:3] == b"\x1f\x8b\x08" and len(head) > 18 and not head[3] & 0xE0
        return "gzip" if known else None
    if kind == "json":
        return _wrapping(content, head)
    return "base64" if kind == "text" and _is_base64(content, head) else None


def _is_base64(content: Content, head: bytes) -> bool:
    """One blob: on one line, or on lines of one length, in whole groups of four."""
    size = content.size
    if size < _LEAST:
        return False
    prefix = _PREFIX.match(head)
    start = prefix.end() if prefix is not None else 0
    whole = size <= len(head)
    lines = [line.removesuffix(b"\r") for line in head[start:].split(b"\n")]
    while whole and lines and not lines[-1]:
        lines.pop()
    tail = content.pread(max(start, size - 4096), 4096)
    if len(lines) > 1:
        if not whole:
            lines.pop()  # as far as it is known
        if len(lines[0]) not in _WIDTHS:
            return False
        known = lines[:-1] if whole else lines
        if any(len(line) != len(lines[0]) for line in known):
            return False
        letters = b"".join(lines)
    else:
        letters = b"".join(lines)
        if (size - start - (len(tail) - len(tail.rstrip(b"\r\n")))) % 4:
            return False
    if whole and len(letters) % 4:
        return False
    if not all(re.search(some, letters) for some in (b"[A-Z]", b"[a-z]", b"[0-9]")):
        return False  # one long word, a number, a digest
    return not _HEX.fullmatch(letters) and any(
        form.fullmatch(letters) and form.fullmatch(_SPACE.sub(b"", tail))
        for form in (_LETTERS, _URL_LETTERS)
    )


def _wrapping(content: Content, head: bytes) -> str | None:
    from spillview.shape.wrapping import is_block

    for form, opening in (("json-string", _STRING), ("json-result", _RESULT)):
        found = opening.match(head)
        if found is not None:
            alone = content.size > MOST or _alone(content, found.end(), _ENDS[form])
            return form if alone else None
    return "json-blocks" if is_block(head) else None


def _alone(content: Content, offset: int, ending: re.Pattern[bytes]) -> bool:
    """Whether the string whose inside begins there is all there is (or is cut off)."""
    from spillview.content.pages import unescaped

    ended = False
    for end, _, closed in unescaped(content, offset):
        offset, ended = end, closed
    after = content.pread(offset, 4096)
    return not ended or (
        ending.match(after) is not None and offset + len(after) >= content.size
    )


def inner(content: Content, tell: Callable[[str], None] = lambda _: None) -> Content:
    """What the content holds, in an unlinked temporary file; the caller closes both.

    Of an object it is the member that is a text and takes half of it or more; `tell`
    is given a sentence then, for the others are left out.

    Raises `BadInput` where it holds nothing but itself, `Unreadable` where it is
    damaged or too large, and what reading raises.
    """
    from spillview.content.kinds import HEAD
    from spillview.content.pages import unescape, unescaped
    from spillview.content.unpacking import longest_member

    head = content.pread(0, HEAD)
    if form_of(content, head, "binary") == "gzip":
        return _taken(_gunzipped(content))
    if form_of(content, head, "text") == "base64":
        return _taken(_decoded(content, head))
    try:
        return unescape(content)
    except BadInput:
        if not _OBJECT.match(head):
            raise
        found = longest_member(content)
        if found is None or 2 * found[2] < content.size:
            raise
    name, start, _ = found
    tell(f"the text of its member “{printable(name)}”; the others are left out")
    return _taken(piece for _, piece, _ in unescaped(content, start, chunk=_CHUNK))


def _taken(parts: Iterator[bytes]) -> Content:
    from spillview.content.content import TemporaryContent

    text = TemporaryContent()
    size = 0
    try:
        for part in parts:
            size += len(part)
            if size > LARGEST:
                raise Unreadable(
                    f"It holds more than {LARGEST:,} bytes: they are not taken out."
                )
            text.write(part)
        return text.seal()
    except BaseException:
        text.close()
        raise


def _parts(content: Content, offset: int = 0) -> Iterator[bytes]:
    while data := content.pread(offset, _CHUNK):
        offset += len(data)
        yield data


def _gunzipped(content: Content) -> Iterator[bytes]:
    from spillview.content.unpacking import inflated

    with closing(inflated(_parts(content))) as parts:
        try:
            yield from parts
        except ValueError as error:
            raise Unreadable(f"It cannot be unpacked: {error}.") from None


def _decoded(content: Content, head: bytes) -> Iterator[bytes]:
    import binascii

    prefix = _PREFIX.match(head)
    held = b""
    for part in _parts(content, prefix.end() if prefix is not None else 0):
        held += _SPACE.sub(b"", part).translate(bytes.maketrans(b"-_", b"+/"))
        usable = len(held) & ~3
        if b"=" in held[:usable].rstrip(b"="):
            break
        try:
            yield binascii.a2b_base64(held[:usable], strict_mode=True)
        except binascii.Error as error:
            raise Unreadable(f"It cannot be decoded: {error}.") from None
        held = held[usable:]
    if held:
        raise BadInput("It is no base64 text to its end, so it stays as it is.")
