"""JSON items compared by key: against dicts, and what the maker changed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.comparison import items as items_module
from spillview.comparison.items import ItemComparison, NotCompared, compare_items
from spillview.content.content import BytesContent

ROWS = st.dictionaries(
    st.integers(0, 30),
    st.fixed_dictionaries(
        {"price": st.integers(0, 3), "tags": st.lists(st.booleans())}
    ),
    min_size=1,
    max_size=20,
)


def compare(one: Any, two: Any) -> ItemComparison | NotCompared:
    sides = [
        BytesContent(x if isinstance(x, bytes) else json.dumps(x).encode())
        for x in (one, two)
    ]
    return compare_items(sides[0], sides[1])


def found(one: Any, two: Any) -> ItemComparison:
    result = compare(one, two)
    assert isinstance(result, ItemComparison), result
    return result


@given(ROWS, ROWS, st.booleans())
@settings(max_examples=80, deadline=None)
def test_items_are_compared_as_a_dict_of_them_would_be(
    one: dict[int, dict[str, Any]], two: dict[int, dict[str, Any]], lines: bool
) -> None:
    def written(rows: dict[int, dict[str, Any]]) -> bytes:
        items = [{"id": key, **row} for key, row in rows.items()]
        if lines:
            return b"".join(json.dumps(item).encode() + b"\n" for item in items)
        return json.dumps(items).encode()

    result = compare(written(one), written(two))
    if lines and len(one) < 2:
        return  # one line is one object, and no list of them
    if lines and len(two) < 2:
        return
    assert isinstance(result, ItemComparison)
    changed = [key for key in one.keys() & two.keys() if one[key] != two[key]]
    fields = Counter(
        name for key in changed for name in one[key] if one[key][name] != two[key][name]
    )
    assert result.key == "id"
    assert result.added == len(two.keys() - one.keys())
    assert result.removed == len(one.keys() - two.keys())
    assert result.changed == len(changed)
    assert dict(result.fields) == dict(fields)
    assert set(result.first_added) == {str(key) for key in two.keys() - one.keys()}
    assert (result.before, result.after) == (len(one), len(two))


def test_the_key_is_a_field_that_is_unlike_in_all_items_of_both() -> None:
    one = [{"id": 1, "path": "a", "n": 1}, {"id": 1, "path": "b", "n": 2}]
    two = [{"id": 1, "path": "b", "n": 5}, {"id": 2, "path": "c", "n": 2}]
    result = found(one, two)
    assert result.key == "path"
    assert (result.added, result.removed, result.changed) == (1, 1, 1)
    assert result.fields == (("n", 1),)
    assert "“path”" in result.said


def test_without_such_a_field_whole_items_are_compared_and_that_is_said() -> None:
    one = [{"a": 1}, {"a": 1}, {"a": 2}]
    two = [{"a": 1}, {"a": 2}, {"a": 2}]
    result = found(one, two)
    assert (result.key, result.added, result.removed, result.changed) == (None, 1, 1, 0)
    assert "whole items" in result.said


def test_the_order_of_members_and_of_items_changes_nothing() -> None:
    one = b'[{"id": 1, "x": {"a": 1, "b": 2}}, {"id": 2, "x": null}]'
    two = b'[{"x": null, "id": 2}, {"x": {"b": 2, "a": 1}, "id": 1}]'
    result = found(one, two)
    assert (result.added, result.removed, result.changed) == (0, 0, 0)


def test_records_inside_an_object_are_found_at_their_path() -> None:
    one = {"total": 2, "items": [{"name": "a"}, {"name": "b"}]}
    two = {"total": 3, "items": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}
    result = found(one, two)
    assert result.path == ".items[]"
    assert (result.added, result.first_added) == (1, ("c",))


def test_members_of_an_object_and_values_of_a_list_are_compared_too() -> None:
    result = found({"a": 1, "b": 2}, {"b": 3, "c": 4})
    assert (result.added, result.removed, result.changed) == (1, 1, 1)
    values = found([1, 1, "x"], [1, "y"])
    assert (values.added, values.removed) == (1, 2)


def test_what_is_no_json_or_breaks_is_said_and_not_compared() -> None:
    text = compare(b"plain text\n", [{"id": 1}])
    assert isinstance(text, NotCompared)
    broken = compare(b'[{"id": 1}, {"id": 2', [{"id": 1}])
    assert isinstance(broken, NotCompared)
    assert "breaks at byte" in broken.sentence


def test_more_items_than_are_held_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_module, "MOST", 2)
    result = compare([{"id": n} for n in range(3)], [{"id": 1}])
    assert isinstance(result, NotCompared)
    assert "3 items" in result.sentence


def test_keys_that_are_endless_are_cut_where_they_are_shown() -> None:
    result = found([{"id": "a"}], [{"id": "x" * 5000}])
    assert len(result.first_added[0]) <= items_module.NAME + 1
