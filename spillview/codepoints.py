"""Counting characters and line feeds in blocks of UTF-8, and where a block may end.

Everything agrees with `bytes.decode("utf-8", "replace")`: a character is a valid
sequence, or one maximal run of bytes for which the decoder gives U+FFFD.
"""

from __future__ import annotations

# The wheel ships no type stubs.
from stringzilla import (  # type: ignore[import-not-found]
    find_first_of,
    translate,
    utf8_count,
)

_LEADS = b"\xf0\xf1\xf2\xf3\xf4"
# In a table a counted byte turns into a continuation byte and every other byte into a
# letter: counting code points then counts the others, at memory speed.
_LF_TABLE = bytes(0x80 if byte == 0x0A else 0x61 for byte in range(256))
_ASTRAL_TABLE = bytes(0x80 if byte in _LEADS else 0x61 for byte in range(256))


def whole(data: bytes) -> int:
    """How many bytes of `data` to keep so that no character is cut at its end.

    Only an unfinished sequence of at most three bytes is left off, so that
    `data[:whole(data)]` and what follows decode apart as they do joined.
    """
    size = len(data)
    for back in range(1, min(3, size) + 1):
        byte = data[size - back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needs = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            # Longer leads than F4 are never valid, so nothing can be missing.
            return size - back if back < needs and byte <= 0xF4 else size
    return size


def line_feeds(data: bytes) -> int:
    """How many bytes of `data` are LF."""
    return len(data) - int(utf8_count(translate(data, _LF_TABLE)))


def chars(data: bytes) -> tuple[int, int, bool]:
    """Code points, astral code points, and whether `data` is valid UTF-8.

    `data` must not end inside a character (see `whole`).
    """
    if data.isascii():
        return len(data), 0, True
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        return len(text), sum(char > "\uffff" for char in text), False
    if find_first_of(data, _LEADS) < 0:
        return len(text), 0, True
    return len(text), len(data) - int(utf8_count(translate(data, _ASTRAL_TABLE))), True


def first_char(data: bytes) -> int:
    """Bytes of the first character of `data`, which must begin at one; 0 when empty."""
    for size in range(1, min(4, len(data))):
        if len(data[: size + 1].decode("utf-8", "replace")) > 1:
            return size
    return min(4, len(data))
