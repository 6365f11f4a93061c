"""Outlines: every value counted, wherever the text was cut into parts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.model import Range
from spillview.shape import parsing
from spillview.shape.parsing import FAST, PLAIN
from tests.shapes import (
    BATCHES,
    DOCUMENTS,
    SCALARS,
    STYLES,
    facts,
    lost_keys,
    naive,
    outlined,
)


@given(DOCUMENTS, STYLES, BATCHES, st.integers(0, 200))
def test_every_fact_equals_a_naive_walks_however_small_the_parts(
    document: Any, style: dict[str, Any], batch: int, more: int
) -> None:
    text = json.dumps(document, **style)
    found = outlined(text, batch, whole=batch + more)
    assert found.complete
    assert found.error is None
    assert found.duplicate_keys == 0
    assert facts(found) == naive([document])
    assert found.items == (len(document) if isinstance(document, list) else None)


@given(st.lists(DOCUMENTS, min_size=2, max_size=9), BATCHES, st.booleans())
def test_json_lines_equal_a_naive_walk(
    documents: list[Any], batch: int, blank: bool
) -> None:
    lines = [json.dumps({"v": document}) for document in documents]
    text = ("\n\n" if blank else "\r\n").join(lines) + "\n" * blank
    found = outlined(text, batch, lines=True)
    assert found.kind == "jsonl"
    assert found.complete
    assert found.items == len(documents)
    assert facts(found) == naive([{"v": document} for document in documents])


@given(st.lists(DOCUMENTS, min_size=2, max_size=9), STYLES, BATCHES)
def test_documents_over_several_lines_equal_a_naive_walk(
    documents: list[Any], style: dict[str, Any], batch: int
) -> None:
    text = "\n".join(json.dumps({"v": one}, **style) for one in documents)
    found = outlined(text, batch)
    assert found.kind == "jsonl"
    assert found.items == len(documents)
    assert facts(found) == naive([{"v": document} for document in documents])


@pytest.mark.parametrize("refusing", [(), (FAST,), (PLAIN,), (FAST, PLAIN)])
@given(document=DOCUMENTS, batch=BATCHES)
def test_every_reader_finds_the_same(
    refusing: tuple[int, ...], document: Any, batch: int
) -> None:
    # What the parsers refuse depends on the version of Python: its depth, its digits.
    loads = parsing._loads

    def some(text: bytes, reader: int) -> parsing.Values:
        if reader in refusing:
            raise parsing.Refused
        return loads(text, reader)

    text = json.dumps([document, document])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "_loads", some)
        found = outlined(text, batch)
    assert facts(found) == naive([[document, document]])
    assert found.duplicate_keys == 0


MEMBER = st.tuples(st.sampled_from("aabc"), SCALARS | st.lists(SCALARS, max_size=3))


@given(st.lists(st.lists(MEMBER, max_size=6), max_size=8), st.integers(200, 400))
def test_duplicate_keys_are_counted_and_the_last_value_stands(
    records: list[list[tuple[str, Any]]], batch: int
) -> None:
    objects = (
        ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in members)
        for members in records
    )
    text = "[" + ",".join(f"{{{members}}}" for members in objects) + "]"
    found = outlined(text, batch, whole=1 << 20)
    assert found.duplicate_keys == lost_keys(text)
    assert bool(found.warnings) >= bool(found.duplicate_keys)
    assert facts(found) == naive([[dict(members) for members in records]])


@given(st.lists(st.sampled_from(["a", "b", "c" * 40, "d"]), max_size=12), BATCHES)
def test_duplicate_keys_are_counted_in_an_object_larger_than_a_part(
    keys: list[str], batch: int
) -> None:
    text = "{" + ",".join(f'"{key}":"{"v" * 20}"' for key in keys) + "}"
    found = outlined(text, batch, whole=batch)
    assert found.duplicate_keys == len(keys) - len(set(keys))
    assert found.paths[0].max_len == len(set(keys))


# -- what there is -----------------------------------------------------------------


def test_kinds_are_told() -> None:
    for text, kind, items in (
        ("[]", "array", 0),
        ("[1,2]", "array", 2),
        ("{}", "object", None),
        ('{"a":[1]}', "object", None),
        ('"x"', "scalar", None),
        ("-12.5e3", "scalar", None),
        ("null", "scalar", None),
        ('{"a":1}\n{"a":2}', "jsonl", 2),
        ('{"a":1}{"a":2}', "jsonl", 2),
        ("", "text", None),
        ("hello", "text", None),
    ):
        found = outlined(text)
        assert (found.kind, found.items) == (kind, items)
        assert found.complete == (kind != "text")


def test_keys_are_counted_in_the_order_of_their_appearance() -> None:
    found = outlined('[{"b":1,"a":2},{"a":1,"c":null}]')
    assert found.keys == (("b", 1), ("a", 2), ("c", 1))
    assert outlined('{"z":1,"y":[1]}').keys == (("z", 1), ("y", 1))


def test_examples_are_scalars_that_say_something_and_are_bounded() -> None:
    found = outlined(json.dumps([{"a": None, "b": ""}, {"a": 7, "b": "x" * 500}]))
    assert found.facts(".[].a").example == 7  # type: ignore[union-attr] # it is there
    example = found.facts(".[].b").example  # type: ignore[union-attr] # it is there
    assert example == "x" * 119 + "…"
    assert found.facts(".[]").example is None  # type: ignore[union-attr] # it is there


def test_the_first_eight_items_are_given_as_they_are_written() -> None:
    item = '{ "z":1.50,\n "a" : 123456789012345678901234567890, "e": 1E5 }'
    found = outlined("[" + ",".join([item] * 10) + "]")
    assert len(found.sample) == 8
    text = '{"z":1.50,"a":123456789012345678901234567890,"e":1E5}'
    assert {item.text for item in found.sample} == {text}
    assert outlined("[1, 2 ,3]", 16).sample[1].text == "2"


def test_a_large_item_of_the_sample_is_given_in_part_and_says_so() -> None:
    text = json.dumps([{"a": "x" * 200_000}, {"a": 1}])
    first, second = outlined(text).sample
    assert (first.whole, second.whole) == (False, True)
    assert first.size == 200_009
    assert first.text == text[1:2001]


def test_records_are_the_items_or_the_largest_array_of_objects() -> None:
    assert outlined("[1,2]").records is None
    records = outlined('{"n":2,"a":{"rows":[{"x":1},{"x":2}]},"b":[{"y":1}]}').records
    assert records is not None
    assert (records.path, records.count, records.keys) == (
        ".a.rows[]",
        2,
        (("x", 2),),
    )
    lines = outlined('{"a":1}\n{"a":2}', lines=True).records
    assert lines is not None
    assert lines.path == "."


# -- what was seen -----------------------------------------------------------------


def seen_by_hand(
    value: Any, text: str, ranges: list[Range], trail: tuple[str | None, ...] = ()
) -> dict[tuple[str | None, ...], int]:
    """How many values of each path lie in `ranges`, of a compact text of ASCII."""
    found: dict[tuple[str | None, ...], int] = {}

    def visit(value: Any, at: int, trail: tuple[str | None, ...]) -> int:
        start = at
        if isinstance(value, dict):
            at += 1
            for place, (key, inner) in enumerate(value.items()):
                at += len(json.dumps(key)) + 1 + (place > 0)
                at = visit(inner, at, (*trail, key))
            at += 1
        elif isinstance(value, list):
            at += 1
            for place, inner in enumerate(value):
                at = visit(inner, at + (place > 0), (*trail, None))
            at += 1
        else:
            at += len(json.dumps(value))
        inside = any(a <= start and at <= b for a, b in ranges)
        found[trail] = found.get(trail, 0) + inside
        return at

    assert visit(value, 0, trail) == len(text)
    return found


@given(DOCUMENTS, BATCHES, st.data())
def test_values_count_as_seen_when_all_their_bytes_were_received(
    document: Any, batch: int, data: st.DataObject
) -> None:
    text = json.dumps([document, document], separators=(",", ":"))
    cuts = sorted(
        data.draw(
            st.lists(st.integers(0, len(text)), min_size=2, max_size=6, unique=True)
        )
    )
    ranges = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    found = outlined(text, batch, seen=ranges)
    wanted = seen_by_hand([document, document], text, ranges)
    assert {facts.trail: facts.seen for facts in found.paths} == wanted
    assert found.items_seen == wanted[(None,)]


def test_where_nothing_is_known_nothing_is_claimed() -> None:
    found = outlined("[1,2]")
    assert found.items_seen is None
    assert found.keys_unseen is None
    assert found.paths[0].seen is None
    assert outlined("[1,2]", seen=[]).items_seen == 0


def test_keys_that_were_never_received_are_named() -> None:
    text = '[{"id":1,"t":2},{"id":3,"t":4,"late":5}]'
    found = outlined(text, seen=[(0, text.index('"late"'))])
    assert found.keys_unseen == ("late",)
    assert found.items_seen == 1
    assert outlined(text, seen=[(0, text.index(":5"))]).keys_unseen == ()
