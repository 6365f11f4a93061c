"""Paths that jq takes as they are, and records as a table."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.errors import BadInput
from spillview.shape.source import Source
from spillview.shape.table import Table
from tests.shapes import DOCUMENTS, outlined

JQ = shutil.which("jq")


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        ([{"title": 1}], [".", ".[]", ".[].title"]),
        ({"a b": {"c": 1}}, [".", '.["a b"]', '.["a b"].c']),
        ({"a": {"b c": [1]}}, [".", ".a", '.a["b c"]', '.a["b c"][]']),
        ([[{"x-y": 1}]], [".", ".[]", ".[][]", '.[][]["x-y"]']),
        ({"and": 1, "_a1": 2, "1a": 3}, [".", ".and", "._a1", '.["1a"]']),
        ({"": 1, "日本": 2}, [".", '.[""]', '.["日本"]']),
        ({'q"': 1, "b\\": 2}, [".", '.["q\\""]', '.["b\\\\"]']),
        ({"it's": 1}, [".", '.["it\\u0027s"]']),
        ({"\x1b[31m": 1, "\u202e": 2}, [".", '.["\\u001b[31m"]', '.["\\u202e"]']),
        ({"\U000e0041": 1}, [".", '.["\\udb40\\udc41"]']),
        ([{"a": None}, {"a": {"b": 1}}], [".", ".[]", ".[].a", ".[].a.b"]),
        ([{"a": "x"}, {"a": {"b": 1}}], [".", ".[]", ".[].a", ".[].a.b?"]),
        ([{"a": None}, {"a": [1]}], [".", ".[]", ".[].a", ".[].a[]?"]),
        ([{"a": 1}, 2], [".", ".[]", ".[].a?"]),
        ([{"a": 1}, [2]], [".", ".[]", ".[] | arrays[]", ".[].a?"]),
        ([{"a": [1]}, {}], [".", ".[]", ".[].a", ".[].a[]?"]),
        ([{"a": {"b": [1]}}, {}], [".", ".[]", ".[].a", ".[].a.b", ".[].a.b[]?"]),
    ],
)
def test_paths_are_written_as_jq_needs_them(document: Any, paths: list[str]) -> None:
    found = outlined(json.dumps(document))
    assert [facts.path for facts in found.paths] == paths


@pytest.mark.skipif(JQ is None, reason="jq is not installed")
@given(st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_jq_takes_every_path_and_gives_the_first_value(document: Any) -> None:
    text = json.dumps(document, ensure_ascii=False)
    text = text.encode("utf-8", "replace").decode()  # jq refuses half pairs
    found = outlined(text)
    # One program for all paths: an array of what each gives at first.
    program = ",".join(f"[first({facts.path})]" for facts in found.paths)
    done = subprocess.run(
        [str(JQ), "-c", f"[{program}] | length"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(len(found.paths))


@pytest.mark.skipif(JQ is None, reason="jq is not installed")
def test_jq_gives_as_many_values_as_are_counted() -> None:
    document = {
        "m": {f"key {n}": {"v": n, "w": [n, None]} for n in range(1200)},
        "it's": [{"a b": "x", "é": [1, [2]]}, {"a b": None}],
    }
    text = json.dumps(document)
    found = outlined(text)
    assert ".m[].w[]" in [facts.path for facts in found.paths]
    for facts in found.paths:
        done = subprocess.run(
            [str(JQ), "-c", facts.path],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        values = [json.loads(line) for line in done.stdout.splitlines()]
        if facts.trail[-1:] != ("é",):  # jq gives null where a key is missing
            assert len(values) == facts.count


@pytest.mark.skipif(JQ is None, reason="jq is not installed")
@pytest.mark.parametrize(
    "value", [[{"type": "text", "text": "T"}], "T", {"result": "T"}]
)
def test_jq_unwraps_by_the_path_that_is_given(value: Any) -> None:
    inner = [{"a b": n} for n in range(5)]
    text = json.dumps(value).replace('"T"', json.dumps(json.dumps(inner)))
    with Source(BytesContent(text.encode())) as source:
        found = source.outline()
    program = found.pasteable('.[]["a b"]')
    done = subprocess.run(
        [str(JQ), "-c", program], input=text, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "1", "2", "3", "4"]


# -- tables ------------------------------------------------------------------------


def tabled(text: str, **options: Any) -> Table:
    """A table of the records in a text."""
    with Source(BytesContent(text.encode())) as source:
        return source.table(source.outline(), **options)


def rows(count: int) -> list[dict[str, Any]]:
    """Records in no order, with a number, a text and sometimes a list."""
    numbers = random.Random(3)
    return [
        {"n": n, "score": numbers.randrange(50), "t": f"t{numbers.randrange(30)}"}
        | ({"list": [0] * numbers.randrange(9)} if n % 3 else {})
        for n in range(count)
    ]


@pytest.mark.parametrize("wrap", ["[%s]", '{"a":{"rows":[%s]}}', "lines"])
@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("by", ["score", "t", "list", "n"])
def test_the_top_records_by_any_column_equal_a_sort(
    by: str, smallest: bool, wrap: str
) -> None:
    records = rows(3000)
    joined = ("\n" if wrap == "lines" else ",").join(map(json.dumps, records))
    text = joined if wrap == "lines" else wrap % joined
    found = tabled(text, by=by, smallest=smallest)

    def size(record: dict[str, Any]) -> Any:
        value = record[by]
        return len(value) if isinstance(value, list) else value

    having = [record for record in records if by in record]
    wanted = sorted(having, key=size, reverse=not smallest)[:20]
    assert list(found.rows) == wanted
    assert (found.having, found.total, found.left_out) == (len(having), 3000, 0)
    assert set(found.columns) == {"n", "score", "t", "list"}


def test_without_a_column_the_first_records_are_given() -> None:
    records = rows(500)
    found = tabled(json.dumps(records), top=3)
    assert list(found.rows) == records[:3]
    assert (found.by, found.total) == (None, 500)


def test_kinds_have_an_order_and_big_integers_are_exact() -> None:
    values = [None, True, "b", [1, 2], 10**30, 1.5, {"a": 1}, "a", 10**30 + 1, 2**64]
    text = json.dumps([{"v": value} for value in values])
    order = [10**30 + 1, 10**30, 2**64, 1.5, "b", "a", [1, 2], {"a": 1}, True, None]
    assert [row["v"] for row in tabled(text, by="v").rows] == order


def test_the_values_of_a_map_are_records_too() -> None:
    records = {f"key {n}": {"v": n % 977, "w": n} for n in range(2000)}
    found = tabled(json.dumps({"m": records}), by="v", top=2)
    assert found.path == ".m[]"
    assert [row["v"] for row in found.rows] == [976, 976]
    few = {f"key {n}": {"v": n % 97} for n in range(150)}
    found = tabled(json.dumps({"m": few}), by="v", top=1)
    assert (found.path, found.rows[0]["v"]) == (".m[]", 96)


def test_records_too_large_to_be_parsed_whole_are_said_to_be_missing() -> None:
    text = json.dumps([{"v": 1, "t": "x" * 3_000_000}, {"v": 2}, {"v": 3}])
    found = tabled(text, by="v")
    assert [row["v"] for row in found.rows] == [3, 2]
    assert (found.left_out, found.total) == (1, 3)


def test_what_cannot_be_a_table_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="no objects"):
        tabled("[1,2]")
    with pytest.raises(BadInput, match="No record has the key “x”"):
        tabled('[{"a":1}]', by="x")
