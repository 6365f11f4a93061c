"""Texts that stop being JSON: outlined up to the byte that cannot follow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shapes import (
    BATCHES,
    DOCUMENTS,
    STYLES,
    facts,
    outlined,
)


@given(DOCUMENTS, STYLES, BATCHES, st.data())
def test_a_text_cut_anywhere_is_outlined_up_to_the_cut(
    document: Any, style: dict[str, Any], batch: int, data: st.DataObject
) -> None:
    text = json.dumps([document, document], **style).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    found = outlined(text[:cut], batch)
    assert not found.complete
    assert found.error is not None
    assert found.error.byte == cut
    assert found.error.message.startswith("the text ends inside")
    assert found.paths[0].open == 1
    whole = facts(outlined(text))
    for trail, (count, *_) in facts(found).items():
        total = whole[trail][0]
        assert isinstance(count, int)
        assert isinstance(total, int)
        assert count <= total
    decoder = json.JSONDecoder()
    complete = 0
    at = text.index(b"[") + 1
    while complete < 2:
        rest = text[:cut].decode().lstrip()
        at = len(rest) - len(rest[at:].lstrip(" \n\t,"))
        try:
            _, end = decoder.raw_decode(rest, at)
        except ValueError:
            break
        if end >= len(rest) and rest[-1].isdigit():
            break  # more digits may have followed
        complete, at = complete + 1, end
    assert found.items == complete


@given(DOCUMENTS, st.binary(min_size=1, max_size=2), BATCHES, st.data())
def test_the_break_is_told_alike_whatever_the_size_of_the_parts(
    document: Any, junk: bytes, batch: int, data: st.DataObject
) -> None:
    text = json.dumps([document, document]).encode()
    place = data.draw(st.integers(1, len(text)))
    text = text[:place] + junk + text[place + data.draw(st.integers(0, 1)) :]
    try:
        json.loads(text.decode("utf-8", "replace"))
        good = True
    except ValueError:
        good = False
    small, large = outlined(text, batch), outlined(text)
    if "jsonl" not in (small.kind, large.kind):
        assert small.error == large.error
        assert good == small.complete
        if not small.duplicate_keys:
            assert facts(small) == facts(large)
            assert small.items == large.items


@pytest.mark.parametrize(
    ("text", "byte", "message"),
    [
        ("[1,2", 4, "the text ends inside a number"),
        ("[1,2,", 5, "the text ends inside an array"),
        ('[{"a":1},{"a', 12, "the text ends inside a string"),
        ('{"a":tru', 8, "the text ends inside a value"),
        ('{"a":trux}', 8, "“x” breaks a value"),
        ("[1 2]", 3, "a comma or a closing bracket is expected here, not “2”"),
        ("[1,]", 3, "a value is expected here, not “]”"),
        ("[1}", 2, "a comma or a closing bracket is expected here, not “}”"),
        ('{"a" 1}', 5, "a colon is expected here, not “1”"),
        ("{a:1}", 1, "a key in quotes is expected here, not “a”"),
        ("[01]", 2, "a comma or a closing bracket is expected here, not “1”"),
        ("[1.x]", 3, "“x” breaks a value"),
        ('["a\nb"]', 3, "a string cannot hold “␊” there"),
        ('["\\x"]', 3, "a string cannot hold “x” there"),
        ('["\\u12G4"]', 6, "a string cannot hold “G” there"),
        ("[\x1b]", 1, "a value is expected here, not “␛”"),
    ],
)
def test_the_break_is_at_the_byte_that_cannot_follow(
    text: str, byte: int, message: str
) -> None:
    for batch in (16, 1 << 17):
        error = outlined(text, batch).error
        assert error is not None
        assert (error.byte, error.message) == (byte, message)


def test_the_byte_of_a_break_is_exact_far_inside() -> None:
    records = [{"id": n, "t": "日本" * 20} for n in range(3000)]
    text = json.dumps(records, ensure_ascii=False)
    place = len(text[: text.index('"id": 2000')].encode())
    broken = text.replace('"id": 2000', '"id"= 2000')
    error = outlined(broken).error
    assert error is not None
    assert error.byte == place + len('"id"')
    assert outlined(broken).items == 2000


def test_broken_lines_are_left_out_and_counted() -> None:
    lines = ['{"a":1}'] * 1000
    lines[3] = '{"a":'
    lines[500] = "Traceback (most recent call last):"
    lines[700] = '{"a":1}}'
    found = outlined("\n".join(lines), lines=True)
    assert found.kind == "jsonl"
    assert not found.complete
    assert found.error is not None
    assert found.error.byte == len("\n".join(lines[:4])) + 1
    assert found.items == 997
    assert found.warnings[0].startswith("3 lines are no JSON")


def test_a_first_line_that_was_cut_hides_no_others() -> None:
    text = 'a":1}\n' + '{"a":2}\n' * 5
    found = outlined(text, lines=True)
    assert found.items == 5
    found = outlined('{"a":1,"b\n' + '{"a":2}\n' * 5)
    assert (found.kind, found.items) == ("jsonl", 5)
    assert found.error is not None
    assert found.error.byte == 9


def test_of_a_last_line_that_is_still_being_written_the_beginning_is_told() -> None:
    found = outlined('{"a":1}\n{"a":2}\n{"a":3,"b":[1,2', lines=True)
    assert found.items == 2
    assert facts(found)[("a",)][0] == 3
    assert found.paths[0].open == 1


def test_text_after_a_document_is_a_break_and_the_document_is_outlined() -> None:
    found = outlined('[{"a":1},{"a":2}]\nDone in 3 s.\n')
    assert (found.kind, found.items, found.complete) == ("array", 2, False)
    assert found.error is not None
    assert found.error.byte == 18
