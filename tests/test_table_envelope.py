"""The table envelope: summary, top rows, and every row once in parts."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.envelopes.records import Rows
from spillview.envelopes.table import (
    dated_name,
    fold_rows,
    table_chunks,
    table_envelope,
)
from spillview.errors import BadInput

HERE = Path(__file__)
ROWS: list[dict[str, Any]] = [
    {"name": f"file {n}", "size": (n * 7919) % 1009, "kind": "ab"[n % 2]}
    for n in range(1_000)
]
Pair = namedtuple("Pair", "name size kind")


@dataclass
class Entry:
    name: str
    size: int
    kind: str


def body(envelope: str) -> list[list[str]]:
    """The cells of a TSV envelope, header first."""
    lines = envelope.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith("--- ")) + 1
    return [line.split("\t") for line in lines[start:-2]]


def as_csv(separator: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(ROWS[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(ROWS)
    return out.getvalue()


def cursor() -> sqlite3.Cursor:
    base = sqlite3.connect(":memory:")
    base.execute("create table t (name text, size integer, kind text)")
    base.executemany("insert into t values (:name, :size, :kind)", ROWS)
    return base.execute("select name, size, kind from t")


def sources(folder: Path) -> dict[str, Any]:
    file = folder / "rows.csv"
    file.write_text(as_csv(), newline="")
    wide = folder / "wide.tsv"
    wide.write_bytes(as_csv("\t").encode("utf-16"))
    return {
        "dicts": ROWS,
        "iterator": iter(ROWS),
        "dataclasses": [Entry(**row) for row in ROWS],
        "named tuples": [Pair(**row) for row in ROWS],
        "csv": as_csv(),
        "tsv": as_csv("\t"),
        "file": file,
        "utf-16": wide,
        "json": json.dumps(ROWS, indent=1),
        "object": json.dumps({"total": 1_000, "rows": ROWS}),
        "jsonl": "\n".join(map(json.dumps, ROWS)),
        "bytes": as_csv().encode(),
        "cursor": cursor(),
    }


KINDS = [
    "dicts",
    "iterator",
    "dataclasses",
    "named tuples",
    "csv",
    "tsv",
    "file",
    "utf-16",
    "json",
    "object",
    "jsonl",
    "bytes",
    "cursor",
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rows_gives_the_same_envelope(kind: str, tmp_path: Path) -> None:
    def fold(rows: Any) -> str:
        return table_envelope(rows, path=HERE, by="size", totals=("size",))

    envelope = fold(sources(tmp_path)[kind])
    assert envelope == fold(ROWS)
    sizes = [row["size"] for row in ROWS]
    assert "Size: 1,000 rows, 3 columns" in envelope
    assert f"size: total {sum(sizes):,}, {min(sizes)} to {max(sizes):,}" in envelope
    assert f", {len(set(sizes)):,} distinct" in envelope
    wanted = sorted(ROWS, key=lambda row: -row["size"])[:20]
    assert body(envelope) == [
        ["name", "size", "kind"],
        *[[row["name"], str(row["size"]), row["kind"]] for row in wanted],
    ]
    assert "\n… 980 more rows in FILE\n" in envelope


CELL = st.one_of(
    st.none(),
    st.integers(-(10**25), 10**25),
    st.floats(),
    st.booleans(),
    st.text(max_size=40),
    st.sampled_from(
        ["12", " 7 ", "1,234", "-0.5", "1e3", "n/a", "a\tb\nc\\", "x" * 900]
    ),
    st.lists(st.integers(), max_size=3),
)
TABLE = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "c|d", "e\tf"]), CELL, max_size=4),
    max_size=40,
)


def exact(value: Any) -> Fraction | None:
    """The oracle's idea of a number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text, re.ASCII):
            text = text.replace(",", "")
        if not re.fullmatch(
            r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", text, re.ASCII
        ):
            return None
        return Fraction(text)
    if isinstance(value, float):
        return Fraction(repr(value)) if value - value == 0 else None
    return Fraction(value) if isinstance(value, int) else None


@settings(max_examples=100, deadline=None)
@given(
    rows=TABLE,
    budget=st.sampled_from([1_500, 3_000, 14_000]),
    form=st.sampled_from(["tsv", "markdown"]),
    top=st.sampled_from([0, 1, 5, 20]),
)
def test_the_budget_holds_and_the_top_is_the_top(
    rows: list[dict[str, Any]], budget: int, form: Any, top: int
) -> None:
    rows = [{"id": n, **row, "a": row.get("a")} for n, row in enumerate(rows)]
    envelope = fold_rows(
        rows, path=HERE, by="a", totals=("a",), top=top, form=form, budget=budget
    )
    assert len(envelope.text) <= budget
    assert f"[spillview table envelope, {len(envelope.text)} chars]" in envelope.text
    assert envelope.facts.items == len(rows)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", envelope.text)

    def key(row: dict[str, Any]) -> tuple[int, Any]:
        value, number = row["a"], exact(row["a"])
        if number is not None:
            return 2, number
        if value is None or (isinstance(value, str) and not value.strip()):
            return 0, 0
        return 1, 0

    wanted = sorted(rows, key=key, reverse=True)[:top]
    shown = envelope.facts.shown
    assert shown <= len(wanted)
    numbers = [row for row in wanted if key(row)[0] == 2][:shown]
    ids = [str(row["id"]) for row in numbers]
    if rows and shown:
        lines = envelope.text.split("\n")
        at = next(n for n, line in enumerate(lines) if line.startswith("--- "))
        at += 2 + (form == "markdown")
        part = lines[at : at + len(ids)]
        mark = "\t" if form == "tsv" else " | "
        assert [line.removeprefix("| ").split(mark)[0] for line in part] == ids
    more = len(rows) - shown
    assert (f"… {more:,} more rows in FILE" in envelope.text) == (more > 0)
    total = sum((n for row in rows if (n := exact(row["a"])) is not None), Fraction(0))
    said = re.search(r"^a: total (about )?(\S+?)(?:,(?: |$)|$)", envelope.text, re.M)
    if rows and said is not None and said[1] is None:
        assert Fraction(said[2].rstrip(",").replace(",", "")) == total


def unescaped(cell: str) -> str:
    known = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\", "\\|": "|"}
    return re.sub(
        r"\\(?:[tnr\\|]|x[0-9a-f]{2}|u[0-9a-f]{4})",
        lambda m: known.get(m[0]) or chr(int(m[0][2:], 16)),
        cell,
    )


@settings(max_examples=100, deadline=None)
@given(
    cells=st.lists(
        st.tuples(st.text(max_size=20), st.sampled_from(["|", "a\tb", "\\t", "\x1b["])),
        max_size=30,
    ),
    size=st.integers(1, 12),
    form=st.sampled_from(["tsv", "markdown"]),
)
def test_parts_hold_every_row_exactly_once(
    cells: list[tuple[str, str]], size: int, form: Any
) -> None:
    rows = [{"x": x.encode("utf-8", "replace").decode(), "y": y} for x, y in cells]
    chunks = list(table_chunks(rows, path=HERE, size=size, form=form))
    found: list[tuple[int, str, str]] = []
    for chunk in chunks:
        lines = chunk.text.split("\n")
        assert lines[0].startswith(f"[rows {chunk.first} to {chunk.last} of ")
        assert lines[1] == f"Full output: {HERE}"
        for line in lines[3 if form == "tsv" else 4 :]:
            inner = line if form == "tsv" else line.removeprefix("| ")[:-2]
            parts = inner.split("\t" if form == "tsv" else " | ")
            number, x, y = parts[0], " | ".join(parts[1:-1]), parts[-1]
            found.append((int(number), unescaped(x), unescaped(y)))
    assert [number for number, _, _ in found] == list(range(1, len(rows) + 1))
    assert [(x, y) for _, x, y in found] == [(row["x"], row["y"]) for row in rows]
    assert [chunk.first for chunk in chunks] == list(range(1, len(rows) + 1, size))


def test_equal_rows_keep_their_order_and_missing_ones_come_last() -> None:
    rows = [
        {"id": 1, "n": None},
        {"id": 2, "n": "5"},
        {"id": 3, "n": 5},
        {"id": 4},
        {"id": 5, "n": "n/a"},
        {"id": 6, "n": "1,000"},
    ]
    envelope = table_envelope(rows, path=HERE, by="n", totals=("n",))
    assert [row[0] for row in body(envelope)[1:]] == ["6", "2", "3", "5", "1", "4"]
    assert "n: total 1,010, 5 to 1,000, 3 distinct, 2 missing, 1 not numbers\n" in (
        envelope
    )


def test_floats_are_summed_exactly_as_they_are_written() -> None:
    rows = "x\n" + "0.1\n" * 10 + "0.2\n"
    assert "x: total 1.2, 0.1 to 0.2" in table_envelope(
        rows, path=HERE, by="x", totals=("x",)
    )


def test_distinct_values_beyond_the_bound_are_said_to_be_at_least_so_many() -> None:
    rows = ({"id": n} for n in range(100_002))
    envelope = table_envelope(rows, path=HERE, by=None, distinct=("id",))
    assert "id: 0 to 100,001, at least 100,000 distinct" in envelope


def test_numbers_of_json_stay_digit_for_digit() -> None:
    text = '[{"a":1.10,"b":123456789012345678901234567890},{"a":1E2,"b":0}]'
    envelope = table_envelope(text, path=HERE, by="a")
    assert body(envelope)[1:] == [
        ["1E2", "0"],
        ["1.10", "123456789012345678901234567890"],
    ]


def test_both_costs_are_measured() -> None:
    tsv = fold_rows(ROWS, path=HERE, by="size")
    markdown = fold_rows(ROWS, path=HERE, by="size", form="markdown")
    rows = "\n".join("\t".join(row) for row in body(tsv.text)) + "\n"
    assert tsv.facts.tsv_chars == markdown.facts.tsv_chars == len(rows)
    table = "\n".join(line for line in markdown.text.split("\n") if line[:2] == "| ")
    assert markdown.facts.markdown_chars == tsv.facts.markdown_chars == len(table) + 1


def test_columns_can_be_chosen_and_wide_tables_are_cut_and_said() -> None:
    envelope = table_envelope(ROWS, path=HERE, by="size", columns=("kind", "size"))
    assert body(envelope)[0] == ["kind", "size"]
    wide = [{f"column {n}": n for n in range(3_000)} for _ in range(30)]
    envelope = table_envelope(wide, path=HERE, by=None)
    assert re.search(r"; [\d,]+ of 3,000 columns;", envelope)
    assert len(envelope) <= 14_000


def test_a_csv_with_quotes_ragged_rows_and_doubled_names() -> None:
    text = 'a,a,b\n1,"x, ""y""\nz",2\n3\n4,5,6,7\n'
    envelope = table_envelope(text, path=HERE, by=None)
    assert body(envelope) == [
        ["a", "a (2)", "b", "column 4"],
        ["1", 'x, "y"\\nz', "2", ""],
        ["3", "", "", ""],
        ["4", "5", "6", "7"],
    ]


def test_broken_lines_of_jsonl_are_counted() -> None:
    text = '{"a":1}\nnot JSON\n{"a":2}\n{"a":3}\n'
    envelope = table_envelope(text, path=HERE, by="a")
    assert "Size: 3 rows" in envelope
    assert "Left out: 1 lines that are no JSON" in envelope


def test_no_rows_and_unknown_columns_and_missing_files(tmp_path: Path) -> None:
    envelope = table_envelope([], path=HERE, by="a", totals=("a",))
    assert "Size: 0 rows, 0 columns" in envelope
    with pytest.raises(BadInput, match=r"No row has a column `b`\. There are: a"):
        table_envelope([{"a": 1}], path=HERE, by="b")
    with pytest.raises(BadInput, match="does not exist"):
        table_envelope(ROWS, path=tmp_path / "none.tsv", by="size")
    with pytest.raises(BadInput, match="does not exist"):
        table_chunks(ROWS, path=tmp_path / "none.tsv")
    with pytest.raises(BadInput, match="breaks at byte"):
        table_envelope('[{"a":1},{"a":', path=HERE, by="a")


def test_a_content_is_folded_with_its_sizes() -> None:
    content = BytesContent(as_csv().encode())
    counts = count(content)
    facts = fold_rows(content, label="ls", path=HERE, by="size", counts=counts).facts
    assert (facts.bytes, facts.lines, facts.items) == (counts.bytes, 1_001, 1_000)


def test_names_carry_their_day() -> None:
    day = date(2026, 11, 29)
    assert dated_name("open issues / all", "tsv", day) == (
        "2026-11-29-open-issues-all.tsv"
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-table\.md", dated_name("///", ".md"))


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 400_000), min_size=1, max_size=6),
    indent=st.sampled_from([None, 1]),
)
def test_rows_of_json_of_any_length_are_read_once(
    sizes: list[int], indent: int | None
) -> None:
    rows = [{"n": n, "text": "é" * size} for n, size in enumerate(sizes)]
    for text in (json.dumps(rows, indent=indent), json.dumps({"rows": rows})):
        found = list(Rows(text))
        assert [(row["n"], row["text"]) for row in found] == [
            (row["n"], row["text"]) for row in rows
        ]


def test_rows_that_are_numbers_lists_or_nested_too_deep() -> None:
    assert next(iter(Rows("[1, 2.50, [3, 4]]"))) == {"value": 1}
    assert list(Rows("[[1, 2], [3, 4]]"))[1] == {"column 1": 3, "column 2": 4}
    assert list(Rows("[]")) == []
    deep = '[{"a":' + "[" * 20_000 + "]" * 20_000 + "}]"
    with pytest.raises(BadInput, match="nested too deep"):
        list(Rows(deep))


def test_very_many_columns_of_one_name_are_told_apart() -> None:
    rows = list(Rows("a,b\n" + "," * 9_000 + "\n" + "x" + ",1" * 9_000 + "\n"))
    assert [len(row) for row in rows] == [9_001, 9_001]
    equal = list(Rows(",".join(["c"] * 9_000) + "\n" + "," * 8_999 + "\n"))
    assert list(equal[0])[:3] == ["c", "c (2)", "c (3)"]
    assert len(equal[0]) == 9_000


@pytest.mark.parametrize("names", [["a", "b"], ["a", "a"]])
@pytest.mark.parametrize("kind", ["none", "row", "dict", "named"])
def test_a_cursor_gives_its_values_whatever_its_rows_are(
    kind: str, names: list[str]
) -> None:
    database = sqlite3.connect(":memory:")
    factory: Any = {
        "none": None,
        "row": sqlite3.Row,
        "dict": lambda at, row: dict(
            zip((column[0] for column in at.description), row, strict=True)
        ),
        "named": lambda _, row: namedtuple("Two", "x y")(*row),
    }[kind]
    database.row_factory = factory
    cursor = database.execute(f"SELECT 1 AS {names[0]}, x'00ff' AS {names[1]}")
    (row,) = Rows(cursor)
    values = list(row.values())
    assert values == ([1, b"\x00\xff"] if len(values) == 2 else [b"\x00\xff"])


def test_a_quote_that_is_never_closed_swallows_no_rows() -> None:
    with pytest.raises(BadInput, match="row of line 3 is never closed"):
        list(Rows('a,b\n1,2\n"x,3\n4,5\n6,7\n'))
    rows = list(Rows('a,b\n"x\ny",3\n4,"5\n"'))
    assert [tuple(row.values()) for row in rows] == [("x\ny", "3"), ("4", "5\n")]


def test_line_ends_that_are_no_line_ends_are_said() -> None:
    with pytest.raises(BadInput, match="line 2 has a CR inside a cell"):
        list(Rows("a,b\n1,x\ry\n"))


def test_only_the_first_line_has_a_byte_order_mark() -> None:
    rows = list(Rows("\ufeffa,b\n\ufeffx,1\n"))
    assert rows == [{"a": "\ufeffx", "b": "1"}]


@pytest.mark.parametrize(
    "text",
    [
        '"a,b,c"\td\n1\t2\n',
        '"x;y;""z",d\n1,2\n',
        'long 5",wide 6"\n1,2\n',
        '"a,b,c;";";"\n1;2\n',
    ],
)
def test_separators_inside_quotes_separate_nothing(text: str) -> None:
    (row,) = Rows(text)
    assert list(row.values()) == ["1", "2"]


@pytest.mark.parametrize("rows", [5, None, {"a": 1, "b": 2}])
def test_what_is_no_rows_is_refused(rows: Any) -> None:
    with pytest.raises(BadInput, match="Rows are many"):
        table_envelope(rows, path=HERE, by=None)


def test_keys_that_only_look_alike_are_two_columns() -> None:
    (row,) = Rows([{1: "a", "1": "b"}])
    assert row == {"1": "a", "1 (2)": "b"}


def test_integers_of_any_size_are_summed_up() -> None:
    rows = [{"n": 10**5_000}, {"n": -(10**5_000)}, {"n": 7}]
    envelope = table_envelope(rows, path=HERE, by="n", totals=["n"])
    assert "n: total 7, a number of 16,610 bits to a number of 16,610 bits" in envelope


def test_a_generator_that_fails_midway_fails_the_envelope() -> None:
    def rows() -> Iterator[dict[str, int]]:
        yield {"a": 1}
        raise LookupError("midway")

    with pytest.raises(LookupError, match="midway"):
        table_envelope(rows(), path=HERE, by="a")


def test_halves_of_surrogate_pairs_are_values_of_their_own() -> None:
    rows = [{"a": "\ud800"}, {"a": "\udc00"}, {"a": "?"}]
    assert "3 distinct" in table_envelope(rows, path=HERE, by=None, distinct=["a"])
    (row,) = Rows("a\n\ud83d\ude00\ud800\n")
    assert row == {"a": "\U0001f600\ufffd"}
