"""What a content is: its encoding and its kind, told from bounded parts of it."""

from __future__ import annotations

import codecs
import re
from io import BytesIO

from spillview.hints import Literal
from spillview.model import Kind
from spillview.possessive import repeated
from spillview.regexes import late

HEAD = 1 << 16
"""Bytes from the beginning that decide about encoding, image and a JSON beginning."""

WHOLE = 1 << 21
"""JSON up to this size is parsed whole; of more, this much is parsed line by line."""

_IMAGES = (
    rb"\x89PNG\r\n\x1a\n|GIF8[79]a|\xff\xd8\xff|RIFF.{4}WEBP|II\*\0|MM\0\*"
    rb"|BM.{4}\0{4}.\0\0\0[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0"
    rb"|\0\0[\x01\x02]\0[^\0]|\0\0\0.ftyp(?:avif|avis|heic|heix|mif1)|8BPS\0\x01"
    rb"|\0\0\0\x0cJXL "
)


def is_image(head: bytes) -> bool:
    """Whether `head` begins with a picture format's magic, and is no text."""
    return 0 in head and re.match(_IMAGES, head, re.DOTALL) is not None


_ASCII_TEXT = re.compile(rb"[\0\t\n\r\f\b\x1b -~]*+")


def utf16_of(head: bytes) -> tuple[str, int] | None:
    """The UTF-16 encoding of a content and its byte order mark's length.

    Known by the mark, else by NULs that fill at least a quarter of one half of the
    byte pairs and none of the other, with text around. None for everything else:
    UTF-32, and ASCII texts with NULs between them.
    """
    if head[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return None
    if head.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le", 2
    if head.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be", 2
    if 0 not in head:
        return None
    head = head[: len(head) & ~1]
    even, odd = head[::2].count(0), head[1::2].count(0)
    pairs = len(head) // 2
    if pairs < 2 or min(even, odd) > max(even, odd) // 16 or max(even, odd) * 4 < pairs:
        return None
    if max(even, odd) * 10 < pairs * 9 and _ASCII_TEXT.fullmatch(head):
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    text = head.decode(encoding, "replace")
    odds = sum(not char.isprintable() and char not in "\t\n\r\f\b\x1b" for char in text)
    return (encoding, 0) if odds * 20 <= len(text) else None


_SPACE = b" \t\r\n"
_MARK = rb"[^ \t\r\n]"
_NO_ARRAY = late(rb"\[[ \t\r\n]*+[^] \t\r\n\"[{0-9tfnIN-]")
"""A bracket behind which no value can begin, as in `[INFO] …`."""
_SCALAR = rb"[A-Za-z0-9+.-]++[ \t\r\n]*+"
"""Whatever a document that is one number or word can be made of."""
_CLOSING = {ord("["): ord("]"), ord("{"): ord("}"), ord('"'): ord('"')}


_SPACED = b"\t\n\v\f\r \xef"
"""What may stand before a text's first character that counts."""
_OPENINGS = (b"[", b"{", b'"')
_SCALARS = tuple(b"%c" % byte for byte in b"-0123456789tfn")


def may_be_json(head: bytes, size: int) -> bool:
    """Whether the beginning of a text of `size` bytes is worth a look for JSON."""
    start = head[:1]
    if start in _SPACED:
        start = head[:HEAD].removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    return start in _OPENINGS or (size <= HEAD and start in _SCALARS)


_APART = late(rb"[^A-Za-z0-9+/=_:;,.\r\n-]")


def may_hold_another(head: bytes, kind: Kind) -> bool:
    """Whether it is worth a look what a content of this kind holds."""
    if kind == "json":
        return head[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b'"', b"[", b"{")
    if kind == "binary":
        return head[:1] == b"\x1f"
    return kind == "text" and len(head) > 60 and not _APART.search(head, 0, 200)


def json_kind(head: bytes, tail: bytes, size: int) -> tuple[Kind, bool]:
    """`json`, `jsonl` or `text`, and whether it is JSON that breaks (partial).

    `head` is the text's first `WHOLE` bytes (all of it when it is shorter), `tail` its
    last bytes, `size` its size. What is claimed:

    - up to `WHOLE` bytes: `json` means that all of it parses, `jsonl` that it has two
      or more lines and each of them is an object or array;
    - beyond: `json` means that the first 64 KiB are the beginning of a JSON document
      and the last byte is its closing bracket, `jsonl` that each whole line of the
      first `WHOLE` bytes is an object or array and so is the last line, as far as it
      lies in `tail`;
    - partial: it begins as JSON, beyond what a log line in brackets does
      (`[INFO] …`, `[1/5] …`, `[2026] …` are text), but the rest does not hold.
    """
    if _NO_ARRAY.match(head):
        return "text", False
    if head.startswith(codecs.BOM_UTF8):
        head, size = head[3:], size - 3
    start = head[:HEAD].lstrip(_SPACE)
    complete = len(head) >= size
    if not start:
        return "text", False
    if start[0] not in b'[{"':
        short = complete and size <= HEAD and re.fullmatch(_SCALAR, start)
        return ("json" if short and _parses(head) else "text"), False
    beginning, rest = _beginning(start, complete and size <= HEAD)
    if beginning == "text":
        return "text", False
    closes = _last(head if complete else tail) == _CLOSING[start[0]]
    if complete and closes and _parses(head):
        return "json", False
    if start[0] != ord('"'):
        lines = _jsonl(head, complete, tail)
        if lines is not None:
            return "jsonl", lines
    if beginning == "closed":
        follows = re.compile(_MARK).search(start, rest)
        if follows is not None:
            if b"\n" not in start[rest : follows.start()]:
                if follows.group() not in (b"[", b"{"):
                    return "text", False
                feed = start.find(b"\n", rest)
                follows = re.compile(_MARK).search(start, feed) if feed >= 0 else None
            if follows is not None and start.find(b'"', 0, rest) < 0:
                return "text", False
            return "json", True
        if complete and size <= HEAD:
            return "json", False
    if complete and closes and beginning != "broken":
        return "json", not _grammatical(head)
    return "json", beginning == "broken" or complete or not closes


def _last(data: bytes) -> int | None:
    """The last byte of `data` that is no space; little of it is copied."""
    ending = data[-64:].rstrip(_SPACE) or data.rstrip(_SPACE)
    return ending[-1] if ending else None


def _parses(data: bytes) -> bool:
    """Whether `data`, errors in it replaced, is one JSON document."""
    import orjson

    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    else:
        return True
    if data.isascii():
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        try:
            orjson.loads(data.decode("utf-8", "replace"))
        except orjson.JSONDecodeError:
            return False
        return True
    return False


def _grammatical(data: bytes) -> bool:
    """Whether `data` is JSON but for what one parser or another refuses.

    That is NaN and Infinity, numbers of any length, half surrogate pairs, any depth.
    """
    import json

    try:
        json.loads(data.decode("utf-8", "replace"), parse_int=len)
    except RecursionError:
        return _beginning(data.lstrip(_SPACE), True) == ("closed", len(data.strip()))
    except ValueError:
        return False
    return True


def _jsonl(head: bytes, complete: bool, tail: bytes) -> bool | None:
    """Whether a JSON line breaks; None when these are no lines of JSON."""
    import orjson

    good = 0
    for read in BytesIO(head):
        try:
            value = orjson.loads(read)
        except orjson.JSONDecodeError:
            line = read.strip(_SPACE)
            if not line or (line[:1] in (b"{", b"[") and _holds(line)):
                good += line != b""
                continue
            cut = good > 0 and _beginning(line[:HEAD], complete)[0] == "open"
            if not complete and not read.endswith(b"\n"):
                good += cut  # the rest of this line is beyond `head`
                break
            return True if good >= 2 or cut else None
        if not isinstance(value, dict | list):
            return True if good >= 2 else None
        good += 1
    if good < 2:
        return None
    if complete:
        return False
    last = tail.rstrip(_SPACE)
    feed = last.rfind(b"\n")
    if feed >= 0:
        return not _holds(last[feed + 1 :])
    return last[-1:] not in (b"}", b"]")


def _holds(line: bytes) -> bool:
    return _parses(line) or _grammatical(line)


_INSIDE = repeated(rb'[^"\\\n]|\\.')
_TOKEN = (  # compiled where it is used: a search has no use for it
    rb"[ \t\r\n]*(?:"
    rb'(?P<string>"' + _INSIDE + rb'")'
    rb"|(?P<scalar>-?(?:\d++(?:\.\d++)?(?:[eE][+-]?\d++)?|Infinity)|true|false|null|NaN)"
    rb"|(?P<mark>[][{},:])"
    rb'|(?P<end>(?:"' + _INSIDE + rb"\\?|-|-?\d[\d.eE+-]*"
    rb"|tr?u?|fa?l?s?|nu?l?|Na?|-?In?f?i?n?i?t?)?\Z)"
    rb")"
)
_MANY = 32
"""Tokens after which even plain numbers in brackets are a document, not a log line."""

Beginning = Literal["text", "open", "closed", "broken"]


def _beginning(data: bytes, complete: bool) -> tuple[Beginning, int]:
    """How far `data`, which starts with `[`, `{` or `"`, keeps to JSON's grammar.

    `open`: to its end, inside the document; `closed`: the document ends at the offset
    given; `broken`: not beyond the offset given, yet it was plainly JSON until there;
    `text`: it breaks before it was plainly JSON. `complete` when nothing follows.
    """
    stack = bytearray()
    wanted = "value"
    plain = False
    tokens = offset = 0
    empty = False
    previous = b""
    next_token = re.compile(_TOKEN).match
    while match := next_token(data, offset):
        kind = match.lastgroup
        mark = match["mark"] or b""
        if kind == "end":
            token = match["end"]
            if wanted not in ("value", "key") and token:
                break
            if token[:1] == b'"' and not stack:
                return ("open" if b"\\" in token else "text"), offset
            if tokens < 2 and token[:1] != b'"' and complete:
                return "text", offset
            return "open", offset
        if kind in ("string", "scalar"):
            if wanted == "value":
                wanted = "after"
            elif wanted == "key" and kind == "string":
                wanted = "colon"
            else:
                break
        elif mark == b"[" and wanted == "value":
            stack += mark
            empty = True
        elif mark == b"{" and wanted == "value":
            stack += mark
            wanted, empty = "key", True
        elif mark == b":" and wanted == "colon":
            wanted, plain = "value", True
        elif mark == b"," and wanted == "after" and stack:
            plain = plain or previous in (b"string", b"]", b"}")
            wanted = "value" if stack[-1] == ord("[") else "key"
        elif mark in (b"]", b"}") and stack and _CLOSING[stack[-1]] == mark[0]:
            if wanted != "after" and not empty:
                break
            stack.pop()
            wanted = "after"
        else:
            break
        empty = mark in (b"[", b"{") and mark != b""
        previous = mark or (kind or "").encode()
        tokens += 1
        offset = match.end()
        if not stack:
            return "closed", offset
    return ("broken" if plain or tokens >= _MANY else "text"), offset
