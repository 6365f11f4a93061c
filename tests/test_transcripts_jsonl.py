"""Records of JSON Lines files, however damaged, against a plain reading of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.transcripts import jsonl
from spillview.transcripts.jsonl import Scanner


def scan(
    data: bytes,
    *,
    step: int = 7,
    needles: tuple[bytes, ...] = (),
    exact: bool = True,
    **more: Any,
) -> tuple[list[tuple[int, int, int, dict[str, Any]]], Scanner]:
    """Every record of `data`, fed in pieces of `step` bytes."""
    pieces = (data[at : at + step] for at in range(0, len(data), step))
    scanner = Scanner(pieces, needles, lambda hits, line: True, exact=exact, **more)
    rows = [(r.number, r.offset, r.length, r.value) for r in scanner]
    return rows, scanner


def plain(data: bytes) -> tuple[list[tuple[int, int, int, dict[str, Any]]], int, bool]:
    """The same by splitting at LF and parsing each line with the standard library."""
    rows: list[tuple[int, int, int, dict[str, Any]]] = []
    skipped, at = 0, 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        text = line.strip(b"\0 \t\r")
        if at == 0:
            text = text.removeprefix(b"\xef\xbb\xbf")
        if text:
            try:
                value = json.loads(text.decode("utf-8", "replace"))
            except ValueError:
                value = None
            if isinstance(value, dict):
                rows.append((number, at, len(line), value))
            elif not last:
                skipped += 1
            elif last:
                return rows, skipped, True
        elif b"\0" in line and not last:
            skipped += 1
        elif last and line:
            return rows, skipped, True
        at += len(line) + 1
    return rows, skipped, False


def test_every_record_comes_with_its_line_and_byte_range() -> None:
    data = b'{"a":1}\n\n{"b":"\xe2\x80\xa8 U+2028 ends no line"}\r\n{"c":[1]}\n'
    rows, scanner = scan(data)
    assert [(n, v) for n, _, _, v in rows] == [
        (1, {"a": 1}),
        (3, {"b": "\u2028 U+2028 ends no line"}),
        (4, {"c": [1]}),
    ]
    for _, offset, length, value in rows:
        assert json.loads(data[offset : offset + length]) == value
    assert (scanner.records, scanner.skipped, scanner.consumed) == (3, 0, len(data))


def test_cut_line_nul_padding_and_unknown_values_leave_the_rest() -> None:
    data = (
        b'{"type":"user","n":1}\n{"type":"assist\n\0\0\0\0\n'
        b'{"type":"no such type"}\n[1,2]\n\0\0{"n":2}\0\n{"half":'
    )
    rows, scanner = scan(data)
    assert [v for *_, v in rows] == [
        {"type": "user", "n": 1},
        {"type": "no such type"},
        {"n": 2},
    ]
    assert (scanner.records, scanner.skipped) == (3, 3)
    assert scanner.unfinished
    assert data[scanner.consumed :] == b'{"half":'


def test_record_glued_to_a_half_line_is_counted_as_lost() -> None:
    rows, scanner = scan(b'{"a":"cut her{"b":1}\n{"c":2}\n')
    assert [v for *_, v in rows] == [{"c": 2}]
    assert scanner.skipped == 1


def test_nul_tail_and_half_line_wait_for_more_instead_of_being_counted() -> None:
    for tail in (b"\0" * 300, b'{"a":', b'{"a":1}x', b"\xef\xbb"):
        _, scanner = scan(b'{"z":0}\n' + tail)
        assert (scanner.skipped, scanner.unfinished) == (0, True)
        assert scanner.consumed == 8


def test_lone_surrogates_and_invalid_utf8_are_read() -> None:
    rows, scanner = scan(b'{"a":"cut \\ud83d"}\n{"b":"\xff"}\n')
    assert [v for *_, v in rows] == [{"a": "cut \ud83d"}, {"b": "\ufffd"}]
    assert scanner.skipped == 0


def test_byte_order_mark_belongs_to_no_record() -> None:
    rows, _ = scan(b'\xef\xbb\xbf{"a":1}\n')
    assert [v for *_, v in rows] == [{"a": 1}]


def test_deep_nesting_is_a_broken_record_and_not_a_crash() -> None:
    rows, scanner = scan(b"{" + b'"a":[' * 200_000 + b'\n{"b":1}\n', step=1 << 16)
    assert [v for *_, v in rows] == [{"b": 1}]
    assert scanner.skipped == 1


def test_record_past_the_limit_is_skipped_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jsonl, "LIMIT", 100)
    long = b'{"a":"' + b"x" * 200 + b'"}'
    rows, scanner = scan(b'{"n":1}\n' + long + b'\n{"n":2}\n' + long, step=16)
    assert [v["n"] for *_, v in rows] == [1, 2]
    assert scanner.skipped == 1
    assert scanner.unfinished


def test_twelve_megabyte_record_between_small_ones() -> None:
    big = json.dumps({"text": "x\n" * 6_000_000}).encode()
    rows, scanner = scan(b'{"n":1}\n' + big + b'\n{"n":2}\n', step=1 << 20)
    assert [(n, length) for n, _, length, _ in rows] == [
        (1, 7),
        (2, len(big)),
        (3, 7),
    ]
    assert scanner.skipped == 0


def test_last_record_without_line_end_is_taken_once() -> None:
    data = b'{"n":1}\n{"n":2}'
    rows, first = scan(data)
    assert [v["n"] for *_, v in rows] == [1, 2]
    assert first.consumed == len(data)
    assert first.joint
    more = b'\n{"n":3}\n'
    rows, second = scan(more, offset=len(data), number=first.number, joint=True)
    assert [(n, v["n"]) for n, _, _, v in rows] == [(3, 3)]
    assert (first.number, second.number) == (2, 3)


def test_large_files_count_what_has_not_the_form_of_a_record() -> None:
    lines = [
        b'{"type":"user","text":"plain"}',
        b'{"type":"user","text":"quote \\" and \\\\"}',
        b'{"type":"cut in a str',
        b'{"cut": "in a string{"glued": 1}',
        b"\0\0\0",
        b'{"type":"wanted","needle":1}',
    ]
    data = b"\n".join(lines) + b"\n"
    pieces = [data]
    scanner = Scanner(
        iter(pieces), (b"needle",), lambda hits, line: bool(hits), exact=False
    )
    rows = [r.value for r in scanner]
    assert rows == [{"type": "wanted", "needle": 1}]
    assert (scanner.records, scanner.skipped) == (3, 3)


def test_needles_are_found_in_lines_of_any_size() -> None:
    data = b'{"a":"x"}\n{"a":"' + b"y" * 50 + b'needle"}\n{"a":"needle"}\n'
    seen: list[int] = []

    def wanted(hits: int, line: bytes) -> bool:
        seen.append(hits)
        return bool(hits)

    for step in (5, 17, 1000):
        pieces = [data[at : at + step] for at in range(0, len(data), step)]
        scanner = Scanner(iter(pieces), (b"needle", b"zzz"), wanted)
        assert [(r.number, r.hits) for r in scanner] == [(2, 1), (3, 1)]


LINES = st.lists(
    st.one_of(
        st.dictionaries(st.text(max_size=4), st.text(max_size=12), max_size=3).map(
            lambda value: json.dumps(value, ensure_ascii=False).encode()
        ),
        st.sampled_from(
            [b"", b"\0\0", b'{"a":', b"[1]", b"1", b" ", b'{"a":"\xff"}', b"\r"]
        ),
        st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")),
    ),
    max_size=8,
)


@given(LINES, st.booleans(), st.integers(1, 40))
def test_any_lines_are_read_as_a_plain_reading_reads_them(
    lines: list[bytes], ended: bool, step: int
) -> None:
    data = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    expected, skipped, unfinished = plain(data)
    rows, scanner = scan(data, step=step)
    assert rows == expected
    assert (scanner.records, scanner.skipped) == (len(expected), skipped)
    assert scanner.unfinished == unfinished


@given(LINES, st.data())
def test_reading_on_gives_what_reading_at_once_gives(
    lines: list[bytes], data: st.DataObject
) -> None:
    whole = b"\n".join(lines) + b"\n"
    cut = data.draw(st.integers(0, len(whole)))
    rows, first = scan(whole[:cut])
    more, second = scan(
        whole[first.consumed :],
        offset=first.consumed,
        number=first.number,
        joint=first.joint,
    )
    expected, skipped, _ = plain(whole)
    # A record that more text was written behind on its own line keeps its first form.
    if not first.joint or whole[cut : cut + 1] in (b"\n", b""):
        assert rows + more == expected
        assert first.skipped + second.skipped == skipped
