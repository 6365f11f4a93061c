"""Bytes for property tests: text, broken text, and where characters begin in it."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    b"",
    b"a",
    b"plain words ",
    b"\n",
    b"\n\n\n",
    b"\r\n",
    b"\r",
    b" \t ",
    b"\0",
    "\u3000\u2028\x85".encode(),  # blank, but no line ends
    "é".encode(),
    "あいう".encode(),
    "한\ud7a3".encode(),
    "😀".encode(),
    "👩\u200d👩\u200d👧e\u0301🇯🇵".encode(),
    "\ufeff\ufffd".encode(),
    b"\x1b[0m",
    b"\x80",  # from here on: not UTF-8
    b"\xff\xfe",
    b"\xc0\xaf",
    b"\xe0\x80",
    b"\xe3\x81",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xf0\x80\x80",
    b"\xf4\x90\x80\x80",
]

pieces = st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=40)
hostile = pieces.map(b"".join)
"""Any bytes, mostly text that breaks where it hurts."""

valid = st.lists(st.sampled_from(PIECES[:17]), max_size=40).map(b"".join)
"""Valid UTF-8."""


def char_starts(data: bytes) -> list[int]:
    """Where each character of `data` begins, by an incremental decoding byte by byte.

    Independent of the code under test: a byte continues the character before it when
    the text up to it has as many characters with it as without it.
    """
    starts, before = [], 0
    for place in range(len(data)):
        now = len(data[: place + 1].decode("utf-8", "replace"))
        if now > before:
            starts += [place] * (now - before)
        before = now
    return starts
