"""Fewer bytes to the terminal, and the same on it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from spillview.tui.terminal_output import slim

COLOURS = st.sampled_from(
    ["31", "39", "97", "38;5;9", "38;2;1;2;3", "38;2;48;2;7", "38;2;38;5;1"]
)
BACKS = st.sampled_from(["41", "49", "105", "48;5;9", "48;2;1;2;3", "48;2;38;2;7"])
ATTRIBUTES = st.sets(st.sampled_from(["1", "2", "3", "4", "7", "9"]), max_size=3)
TEXTS = st.sampled_from(["", "a", "wide 税", "\x1b[3;4H", "\x1b[2J", "\r\n", "31m"])


@st.composite
def styles(draw: st.DrawFn) -> str:
    codes = sorted(draw(ATTRIBUTES))
    for colours in (COLOURS, BACKS):
        if draw(st.booleans()):
            codes.append(draw(colours))
    return f"\x1b[{';'.join(codes)}m" if codes else ""


@st.composite
def frames(draw: st.DrawFn) -> str:
    """Pieces of text as Textual writes them, with what moves the cursor between."""
    pieces = draw(st.lists(st.tuples(styles(), TEXTS, TEXTS), max_size=12))
    return "".join(
        f"{style}{text}\x1b[0m{bare}" if style else text + bare
        for style, text, bare in pieces
    )


def drawn(output: str) -> list[tuple[str, object]]:
    """Each character and each other sequence, with how a terminal would draw it."""
    found: list[tuple[str, object]] = []
    attributes: set[str] = set()
    fore = back = ""
    for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.", output, re.DOTALL):
        if not (part.startswith("\x1b[") and part.endswith("m")):
            found.append((part, (frozenset(attributes), fore, back)))
            continue
        codes = part[2:-1].split(";")
        while codes:
            code = codes.pop(0)
            if code in ("", "0"):
                attributes, fore, back = set(), "", ""
            elif code in ("38", "48"):
                take = 4 if codes[0] == "2" else 2
                colour = ";".join(codes[:take])
                del codes[:take]
                fore, back = (colour, back) if code == "38" else (fore, colour)
            elif len(code) > 1 and code[0] in "39":
                fore = code
            elif len(code) > 1:
                back = code
            else:
                attributes.add(code)
    return found


@given(frames())
def test_the_same_is_drawn_in_no_more_bytes(output: str) -> None:
    brief = slim(output)
    assert drawn(brief) == drawn(output)
    assert len(brief) <= len(output)
    assert drawn(brief + "x")[-1] == drawn(output + "x")[-1]


@given(st.text(alphabet="\x1b[0123456789;mHa\x07]", max_size=60))
def test_any_text_is_drawn_as_before_where_styles_begin_from_nothing(text: str) -> None:
    assert "".join(p for p, _ in drawn(slim(text))) == "".join(
        p for p, _ in drawn(text)
    )


def test_what_stays_is_not_said_again() -> None:
    red, bold = "\x1b[31;48;2;1;2;3m", "\x1b[1;31;48;2;1;2;3m"
    assert slim(f"{red}a\x1b[0m{red}b\x1b[0m{bold}c\x1b[0m{red}d\x1b[0m") == (
        f"{red}ab\x1b[1mc\x1b[0m{red}d\x1b[0m"
    )
