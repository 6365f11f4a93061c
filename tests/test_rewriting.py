"""Texts that were written anew, found in the file by what they stand for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.model import Seen
from spillview.seen.rewriting import find_json, realign
from tests.stores import Claude, log_of
from tests.test_links import look_into
from tests.test_seen import looked

TEXT = "".join(f'line {n}: "quoted" \\ text é 🎉\n' for n in range(300))
VALUE = [{"a": n, "b": ["x y", n], "c": f'é "{n}"'} for n in range(300)]


def placed(shown: str, data: bytes) -> Seen | None:
    content = BytesContent(data)
    return realign(shown, content, count(content))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_text_is_found_inside_the_string_that_holds_it(
    ascii_only: bool, indent: int | None
) -> None:
    wrapped = [{"type": "text", "text": TEXT}]
    data = json.dumps(wrapped, indent=indent, ensure_ascii=ascii_only).encode()
    seen = placed(TEXT[:2000], data)
    assert seen is not None
    ((start, end),) = seen.ranges
    assert json.loads(b'"' + data[start:end] + b'"') == TEXT[:2000]


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [{"type": "text", "text": x}]])
@pytest.mark.parametrize("cut", range(1996, 2008))
def test_string_is_found_as_the_files_own_text(wrap: Any, cut: int) -> None:
    seen = placed(json.dumps(wrap(TEXT))[:cut], TEXT.encode())
    assert seen is not None
    ((start, end),) = seen.ranges
    assert start == 0
    whole = json.dumps(TEXT.encode()[:end].decode())[1:-1]
    inner = (
        json.dumps(wrap(TEXT))[:cut].partition('"text": "')[2]
        or (json.dumps(TEXT)[1:cut])
    )
    assert inner.startswith(whole)
    assert len(inner) - len(whole) < 12


@pytest.mark.parametrize("shown_indent", [None, 1, 4])
@pytest.mark.parametrize("file_indent", [None, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_is_found_whatever_its_spacing(
    shown_indent: int | None, file_indent: int | None, ascii_only: bool
) -> None:
    data = json.dumps(VALUE, indent=file_indent).encode()
    shown = json.dumps(VALUE, indent=shown_indent, ensure_ascii=ascii_only)[:2000]
    seen = placed(shown, data)
    assert seen is not None
    ((start, end),) = seen.ranges
    assert start == 0
    kept = "".join(data[:end].decode().split())
    assert "".join(json.dumps(VALUE)[: len(data)].split()).startswith(kept)
    objects = shown.count("}")
    assert data[:end].count(b"}") == objects


def test_other_json_is_not_found() -> None:
    data = json.dumps(VALUE).encode()
    assert placed(json.dumps([{**VALUE[0], "a": 1}, *VALUE[1:]])[:2000], data) is None
    assert placed(json.dumps(VALUE[1:], indent=2)[:2000], data) is None
    assert placed(TEXT[:2000], data) is None


@pytest.mark.parametrize("mark", ["... [truncated]", "… [truncated]", "…"])
def test_clipped_lines_are_seen_up_to_their_clip(mark: str) -> None:
    rows = [f"{n} " + "xy" * (40 if n % 3 else 300) for n in range(60)]
    data = ("\n".join(rows) + "\n").encode()
    shown = [row if len(row) <= 200 else row[:200] + mark for row in rows[:20]]
    seen = placed("\n".join(shown), data)
    assert seen is not None
    truth: set[int] = set()
    at = 0
    for row in rows[:20]:
        length = len(row) + 1 if len(row) <= 200 else 200
        truth |= set(range(at, at + length))
        at += len(row) + 1
    covered = {i for start, end in seen.ranges for i in range(start, end)}
    assert covered | {at - 1} == truth | {at - 1}


def test_values_are_found_where_each_stands_once() -> None:
    data = json.dumps(VALUE, separators=(",", ":")).encode()
    first = data.index(b'{"a":5,')
    last = data.index(b"}", first) + 1
    content = BytesContent(data)
    assert find_json(json.dumps(VALUE[5], indent=2), content) == ((first, last),)
    two = "\n".join(json.dumps(value) for value in (VALUE[7], VALUE[5]))
    found = find_json(two, content)
    assert found is not None
    assert [json.loads(data[a:b]) for a, b in found] == [VALUE[7], VALUE[5]]
    assert find_json('["x y"', content) is None
    assert find_json(json.dumps({"a": 5, "b": []}), content) is None


def test_jq_shows_the_values_it_printed(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    data = json.dumps(VALUE).encode()
    made = run.spills(data, command="curl api", name="b1.txt")
    call = run.calls("Bash", command=f"jq '.[200]' {made.path}")
    run.gets(call, json.dumps(VALUE[200], indent=2, ensure_ascii=False))
    call = run.calls("Bash", command=f"jq length {made.path}; echo 300")
    run.gets(call, "300\n300")
    run.write()
    link = looked(look_into(tmp_path, "claude-code"), made)
    ranges = link.reads[0].ranges
    assert ranges is not None
    ((start, end),) = ranges
    assert json.loads(data[start:end]) == VALUE[200]
    assert link.reads[1].ranges is None


def test_rewritten_preview_of_a_spill_is_seen(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    data = json.dumps([{"type": "text", "text": TEXT}]).encode()
    made = run.spills(data, tool="mcp__x__y", shown=TEXT[:2000])
    run.write()
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert link.seen is not None
    assert link.seen.certain
    ((start, end),) = link.seen.ranges
    assert json.loads(b'"' + data[start:end] + b'"') == TEXT[:2000]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.text('ab "\\\né🎉', max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("ab", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=30,
)


@given(st.lists(JSON, min_size=8, max_size=20), st.integers(64, 200), st.booleans())
def test_any_json_is_found_at_what_was_shown_or_not_at_all(
    value: list[Any], cut: int, ascii_only: bool
) -> None:
    data = json.dumps(value, indent=2).encode()
    shown = json.dumps(value, ensure_ascii=ascii_only)
    assume(len(shown) > 80)
    shown = shown[:cut]
    seen = placed(shown, data)
    if seen is None:
        return
    ((start, end),) = seen.ranges
    assert start == 0

    def bare(text: str) -> str:
        return "".join(text.encode().decode("unicode_escape", "ignore").split())

    plain = json.dumps(value).encode().decode()
    assert "".join(plain.split()).startswith("".join(data[:end].decode().split()))
    assert len(bare(data[:end].decode())) <= len(bare(json.dumps(value)))


@given(st.text(max_size=400), st.binary(max_size=400))
def test_nothing_of_another_file_is_found(shown: str, data: bytes) -> None:
    content = BytesContent(data)
    seen = realign(shown, content, count(content))
    if seen is not None:
        assert all(0 <= a < b <= len(data) for a, b in seen.ranges)


def test_plain_head_is_what_it_is() -> None:
    data = log_of(300)
    assert placed(data[:2000].decode(), data) in (None, Seen(((0, 2000),)))
