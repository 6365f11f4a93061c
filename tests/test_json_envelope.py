"""The JSON envelope: always JSON, every key, whole items, never over the budget."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.envelopes.document import fold_json, json_envelope
from spillview.envelopes.reading import seen_in
from spillview.errors import BadInput

HERE = Path(__file__)


def tokens(text: str) -> Any:
    """JSON with its numbers as written and its keys in order, doubles kept."""
    return json.loads(
        text, parse_int=str, parse_float=str, object_pairs_hook=lambda pairs: pairs
    )


def folded(text: str, **options: Any) -> dict[str, Any]:
    budget = options.setdefault("budget", 14_000)
    envelope = json_envelope(text, path=HERE, **options)
    assert len(envelope) <= budget
    orjson.loads(envelope)
    value = json.loads(envelope)
    assert isinstance(value, dict)
    assert value["spillview"] == "json envelope"
    assert value["chars"] == len(envelope)
    assert value["path"] == str(HERE)
    assert value["bytes"] == len(text.encode())
    assert value["total_chars"] == len(text)
    check_samples(envelope, text)
    return value


def check_samples(envelope: str, text: str) -> None:
    """A sample that is not marked says exactly what stands at its place."""
    data = text.encode()
    for row in envelope.split("\n"):
        match = re.match(r'(?:"document":)?\{"bytes":\[(\d+),(\d+)\],"value":(.*)', row)
        if match is None:
            continue
        start, end = int(match[1]), int(match[2])
        shown = match[3]
        while True:
            try:
                value = tokens(shown)
                break
            except ValueError:
                shown = shown[:-1]
        assert value == tokens(data[start:end].decode())


def paths_of(value: Any, path: str, found: Counter[str]) -> None:
    """Every path below a value, counted; keys are plain words here."""
    if isinstance(value, list):
        for each in value:
            found[f"{path}[]"] += 1
            paths_of(each, f"{path}[]", found)
    elif isinstance(value, dict):
        for key, each in value.items():
            found[f"{path}.{key}"] += 1
            paths_of(each, f"{path}.{key}", found)


def bare(path: str) -> str:
    path = path.replace("?", "").replace(" | arrays[]", "[]")
    return path if path.startswith(".[") or path == "." else path.replace("..", ".")


KEY = st.sampled_from(["a", "b", "title", "longer_key", "x1"])
SCALAR = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.builds(lambda n: "long " * n, st.integers(0, 3_000)),
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=8), st.dictionaries(KEY, inner, max_size=5)
    ),
    max_leaves=30,
)


@settings(max_examples=100, deadline=None)
@given(
    value=VALUE,
    indent=st.sampled_from([None, 2]),
    budget=st.sampled_from([1_500, 4_000, 14_000]),
    ascii_only=st.booleans(),
)
def test_any_value_gives_json_within_the_budget(
    value: Any, indent: int | None, budget: int, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    text = text.encode("utf-8", "replace").decode()
    envelope = folded(text, budget=budget)
    assert envelope["complete"] is True
    array, keyed = isinstance(value, list), isinstance(value, dict)
    assert envelope["kind"] == ("array" if array else "object" if keyed else "scalar")
    assert envelope["items"] == (len(value) if isinstance(value, list) else None)
    found: Counter[str] = Counter()
    paths_of(value, "", found)
    wanted = {p if p.startswith(".") else f".{p}": n for p, n in found.items()}
    listed = {bare(row[0]): row[1] for row in envelope.get("keys", [])}
    content = BytesContent(text.encode())
    known = fold_json(content, count(content), path=HERE, budget=budget)
    again = seen_in(known.text, content, count(content))
    assert again.ranges == known.facts.seen
    assert known.facts.chars == len(known.text)
    assert listed.items() <= wanted.items()
    assert len(listed) + envelope.get("keys_left_out", 0) == len(wanted)
    numbers = [row[1] for row in envelope.get("keys", [])]
    assert numbers == sorted(numbers, reverse=True)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(VALUE, min_size=2, max_size=20), cut=st.integers(1, 400))
def test_a_text_that_breaks_is_summed_up_to_its_break(
    values: list[Any], cut: int
) -> None:
    whole = json.dumps(values, ensure_ascii=False).encode("utf-8", "replace").decode()
    text = whole[: max(1, len(whole) - cut)]
    envelope = folded(text)
    assert envelope["complete"] is False
    assert envelope["error"]["byte"] <= len(text.encode())
    for sample in envelope.get("samples", []):
        assert sample["bytes"][1] <= len(text.encode())


def test_a_text_that_breaks_at_any_byte_is_summed_up() -> None:
    whole = (
        '{"rows":[{"n":-2.5e-300,"t":"\u00e9\\"\\ud83d\\ude00"},[1,[null,true]]],'
        '"big":' + "9" * 200 + ',"rows":false,"z":{}}'
    )
    for end in range(len(whole)):
        envelope = folded(whole[:end])
        assert envelope["complete"] is False
    assert folded(whole)["complete"] is True


@settings(max_examples=50, deadline=None)
@given(
    text=st.text(max_size=400)
    | st.binary(max_size=300).map(lambda b: b.decode("latin-1"))
)
def test_what_is_no_json_still_gives_json(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    folded(text)


def test_items_are_whole_while_there_is_room_for_them() -> None:
    rows = [{"id": n, "title": f"article {n}", "tags": ["a", "b"]} for n in range(803)]
    envelope = folded(json.dumps(rows))
    assert envelope["kind"] == "array"
    assert envelope["items"] == 803
    assert [s["value"] for s in envelope["samples"]] == rows[:8]
    assert [".[].id", 803, "integer"] in envelope["keys"]
    assert [".[].tags[]", 1606, "string"] in envelope["keys"]
    assert envelope["keys_left_out"] == 0


def test_numbers_order_and_double_keys_stay_as_they_are_written() -> None:
    text = '[{"z":1.10,"a":123456789012345678901234567890,"z":1E5,"b":-0.0}]'
    envelope = json_envelope(text, path=HERE)
    assert '{"z":1.10,"a":123456789012345678901234567890,"z":1E5,"b":-0.0}' in envelope
    notes = " ".join(json.loads(envelope)["notes"])
    assert "again in the same object" in notes


def test_nan_and_numbers_that_no_parser_takes_are_said() -> None:
    envelope = folded('[{"a":NaN,"b":1e999}]')
    (sample,) = envelope["samples"]
    assert sample["altered"] is True
    assert sample["value"] == {"a": None, "b": "1e999"}
    assert any("NaN" in note for note in envelope["notes"])


def test_only_the_items_that_are_too_large_are_shrunk() -> None:
    rows: list[Any] = [{"id": n} for n in range(7)]
    rows.insert(3, {"id": 99, "text": "y" * 50_000, "more": list(range(5_000))})
    envelope = folded(json.dumps(rows))
    marked = [bool(s.get("shrunk")) for s in envelope["samples"]]
    assert marked == [False, False, False, True, False, False, False, False]
    big = envelope["samples"][3]["value"]
    assert big["id"] == 99
    assert re.search(r"… \d+ more chars$", big["text"])
    assert envelope["chars"] > 13_000


def test_objects_that_hold_arrays_are_shown_by_their_records() -> None:
    rows = [{"n": n, "body": "b" * 900} for n in range(500)]
    envelope = folded(json.dumps({"total": 500, "next": None, "hits": rows}))
    assert envelope["kind"] == "object"
    assert envelope["records"] == 500
    assert envelope["records_path"] == ".hits[]"
    assert envelope["document"]["shrunk"] is True
    assert envelope["document"]["value"]["total"] == 500
    assert envelope["samples"][0]["value"] == rows[0]


def test_lines_of_json_are_items_and_broken_ones_are_said() -> None:
    lines = [json.dumps({"n": n, "ok": True}) for n in range(100)]
    lines.insert(2, "plain text, no JSON")
    envelope = folded("\n".join(lines) + "\n")
    assert envelope["kind"] == "jsonl"
    assert envelope["items"] == 100
    assert [s["value"]["n"] for s in envelope["samples"]] == list(range(8))
    assert any("no JSON" in note for note in envelope["notes"])


@pytest.mark.parametrize("distinct", [10_000, 30_000])
def test_the_most_common_of_many_keys_are_listed(distinct: int) -> None:
    rows = [{"id": n, f"key_{n % distinct}": n} for n in range(distinct)]
    envelope = folded(json.dumps(rows))
    if distinct <= 20_000:
        assert envelope["keys"][:2] == [
            [".[]", distinct, "object"],
            ['.[]["id"]', distinct, "integer"],
        ]
    else:
        assert envelope["keys_left_out_is"] == "at least"
    assert envelope["keys_left_out"] > 0
    if distinct <= 20_000:
        left = envelope["keys_left_out"] + len(envelope["keys"])
        assert left == distinct + 2  # `.[]`, `id` and the others


def test_one_object_of_ten_thousand_keys() -> None:
    value = {f"k{n}": n if n % 2 else str(n) for n in range(10_000)}
    envelope = folded(json.dumps(value))
    assert envelope["keys_left_out"] + len(envelope["keys"]) == 10_000
    assert ['.["k0"]', 1, "string"] in envelope["keys"] or [
        ".k0",
        1,
        "string",
    ] in envelope["keys"]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_an_empty_text(text: str) -> None:
    envelope = folded(text)
    assert envelope["kind"] == ("text" if text else "empty")


def test_a_text_that_is_no_json_says_so_and_ends_with_its_last_line() -> None:
    envelope = folded("Traceback:\n  boom\nValueError: no\n")
    assert envelope["kind"] == "text"
    assert envelope["last_line"] == {"line": 3, "text": "ValueError: no"}


def test_values_of_python_and_values_that_are_no_json() -> None:
    envelope = json.loads(json_envelope([{"a": 1.5}, None], path=HERE))
    assert [s["value"] for s in envelope["samples"]] == [{"a": 1.5}, None]
    assert "bytes" not in envelope["samples"][0]
    with pytest.raises(BadInput, match="cannot be written as JSON"):
        json_envelope({1, 2}, path=HERE)


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        json_envelope([1], path=tmp_path / "none.json")


def test_a_budget_that_is_too_small_names_one_that_is_not() -> None:
    text = json.dumps([{"a": "b" * 3_000}] * 20)
    with pytest.raises(BadInput) as refusal:
        json_envelope(text, path=HERE, budget=200)
    needed = int(re.sub(r"\D", "", str(refusal.value).rpartition("least")[2]))
    assert len(json_envelope(text, path=HERE, budget=needed)) <= needed


def test_deep_nesting_and_lone_surrogates() -> None:
    folded("[" * 500 + "]" * 500)
    folded('{"a":' * 90 + '"\\ud800"' + "}" * 90)
    envelope = folded('["\\ud83d\\ude00","\\ud83d"]', sample=2)
    assert envelope["samples"][0]["value"] == "😀"


def test_ranges_that_were_shown_whole_are_seen() -> None:
    text = json.dumps([{"n": n, "t": "x" * (n * 1_000)} for n in range(20)], indent=1)
    content = BytesContent(text.encode())
    envelope = fold_json(content, count(content), path=HERE)
    facts = envelope.facts
    seen = seen_in(envelope.text, content, count(content))
    assert seen.ranges == facts.seen
    assert not seen.certain  # some items are shrunk
    assert facts.items == 20
    assert 0 < facts.shown < 8
    for start, end in facts.seen:
        assert isinstance(json.loads(text[start:end]), dict)
