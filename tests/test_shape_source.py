"""From a file to the document in it: UTF-16, byte order marks, wrapped results."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.errors import Cancelled
from spillview.model import Seen
from spillview.shape.locating import first_places, path_at
from spillview.shape.source import Source, outline_of
from tests.shapes import DOCUMENTS, facts, naive, outlined

ITEMS = [{"id": n, "t": '日本 \n\t"q" \\ 😀 \u2028'} for n in range(40)]
TEXT = json.dumps(ITEMS, ensure_ascii=False)

WRAPPED: dict[str, tuple[Any, str]] = {
    "blocks": ([{"type": "text", "text": TEXT}], ".[0].text"),
    "string": (TEXT, "."),
    "result": ({"result": TEXT}, ".result"),
    "twice": ({"result": json.dumps(TEXT)}, ".result | fromjson | ."),
    "block and result": (
        [{"type": "text", "text": json.dumps({"result": TEXT})}],
        ".[0].text | fromjson | .result",
    ),
    "other order": (
        [{"text": TEXT, "type": "text", "annotations": None}],
        ".[0].text",
    ),
    "more fields": (
        [{"type": "text", "annotations": {"a": "b"}, "text": TEXT, "_meta": {}}],
        ".[0].text",
    ),
}
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("form", WRAPPED)
def test_a_wrapped_result_is_outlined_by_the_document_inside(
    form: str, ascii_only: bool, indent: int | None, encoding: str
) -> None:
    value, path = WRAPPED[form]
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(encoding)
    found = outline_of(BytesContent(data))
    assert found.unwrapped == path
    assert (found.kind, found.items, found.complete) == ("array", 40, True)
    assert facts(found) == naive([ITEMS])
    assert found.size == len(data)


@pytest.mark.parametrize(
    "value",
    [
        [{"type": "text", "text": "It is done. [1]"}],
        [{"type": "text", "text": "42"}],
        [{"type": "image", "data": "[1]"}],
        [{"type": "text", "text": "[1]", "other": 1}],
        [{"type": "text", "text": "[1]"}, {"type": "image", "data": "x"}],
        [{"type": "text", "text": "[1]"}, {"type": "text", "text": "some words"}],
        {"result": "[1]", "other": 2},
        {"result": [1]},
        {"other": "[1]"},
        "some words",
        json.dumps("some words"),
        [TEXT],
    ],
)
def test_what_is_no_wrapped_document_is_outlined_as_it_is(value: Any) -> None:
    found = outline_of(BytesContent(json.dumps(value).encode()))
    assert found.unwrapped is None
    assert found.complete
    assert facts(found) == naive([value])


def test_several_blocks_are_several_documents() -> None:
    blocks = [{"type": "text", "text": json.dumps(one)} for one in ITEMS[:3]]
    found = outline_of(BytesContent(json.dumps(blocks).encode()))
    assert (found.unwrapped, found.kind, found.items) == (".[].text", "jsonl", 3)
    assert facts(found) == naive(ITEMS[:3])


def test_a_wrapped_document_that_was_cut_tells_the_byte_in_the_file() -> None:
    data = json.dumps([{"type": "text", "text": TEXT}])[:700].encode()
    found = outline_of(BytesContent(data))
    assert (found.unwrapped, found.complete) == (".[0].text", False)
    assert found.error is not None
    assert found.error.byte == 700
    inner = json.dumps([{"type": "text", "text": TEXT[:400]}]).encode()
    found = outline_of(BytesContent(inner))
    assert found.error is not None
    assert inner[found.error.byte :] == b'"}]'


def test_json_lines_in_a_string_are_lines() -> None:
    text = "\n".join(json.dumps(one) for one in ITEMS)
    found = outline_of(BytesContent(json.dumps({"result": text}).encode()))
    assert (found.unwrapped, found.kind, found.items) == (".result", "jsonl", 40)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("form", WRAPPED)
def test_offsets_lead_into_the_document_and_back(form: str, encoding: str) -> None:
    data = json.dumps(WRAPPED[form][0]).encode(encoding)
    with Source(BytesContent(data)) as source:
        inner = source.inner.pread(0, source.inner.size)
        last = -1
        for offset, byte in enumerate(inner):
            if byte & 0xC0 == 0x80:
                continue
            place = source.to_disk(offset)
            assert place >= last
            assert source.from_disk(place, place) == (offset, offset)
            last = place


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("form", WRAPPED)
def test_items_seen_are_counted_in_the_bytes_of_the_file(
    form: str, encoding: str
) -> None:
    text = json.dumps(WRAPPED[form][0])
    # The id of item 25 stands after 25 whole items, however it is escaped.
    place = text.index(": 25,")
    data = text.encode(encoding)
    end = len(text[:place].encode(encoding))
    found = outline_of(BytesContent(data), Seen(((0, end),)))
    assert (found.items_seen, found.items) == (25, 40)
    assert found.keys_unseen == ()
    assert found.seen_certain
    unsure = outline_of(BytesContent(data), Seen(((0, end),), certain=False))
    assert not unsure.seen_certain


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_first_places_are_bytes_of_the_file(encoding: str) -> None:
    text = json.dumps([{"a": "é", "b": [1, {"c": None}]}, {"late": 2}])
    data = text.encode(encoding)
    with Source(BytesContent(data)) as source:
        places = source.first_places(source.outline())
    bare = {"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(encoding, encoding)
    found = {trail: data[a:b].decode(bare) for trail, (a, b) in places.items()}
    assert found[(None, "late")] == '"late": 2'
    assert found[(None, "b", None)] == "1"
    assert found[(None, "b", None, "c")] == '"c": null'


def first_by_hand(value: Any, text: str) -> dict[tuple[str | None, ...], int]:
    """Where each path's first value (with its key) begins, in a compact text."""
    found: dict[tuple[str | None, ...], int] = {}

    def visit(value: Any, at: int, trail: tuple[str | None, ...], begins: int) -> int:
        found.setdefault(trail, begins)
        if isinstance(value, dict):
            at += 1
            for place, (key, inner) in enumerate(value.items()):
                begins = at + (place > 0)
                at = begins + len(json.dumps(key)) + 1
                at = visit(inner, at, (*trail, key), begins)
            return at + 1
        if isinstance(value, list):
            at += 1
            for place, inner in enumerate(value):
                begins = at + (place > 0)
                at = visit(inner, begins, (*trail, None), begins)
            return at + 1
        return at + len(json.dumps(value))

    assert visit(value, 0, (), 0) == len(text)
    return found


@given(DOCUMENTS, st.integers(16, 200))
def test_the_first_place_of_every_path_is_found(document: Any, batch: int) -> None:
    text = json.dumps([document, document], separators=(",", ":"))
    found = outlined(text, batch)
    places = first_places(found, BytesContent(text.encode()))
    wanted = first_by_hand([document, document], text)
    assert {trail: start for trail, (start, _) in places.items()} == wanted


def paths_by_hand(value: Any, text: str) -> list[tuple[str | None, ...]]:
    """The path of the innermost value around each byte of a compact text."""
    found: list[tuple[str | None, ...]] = [()] * len(text)

    def visit(value: Any, at: int, trail: tuple[str | None, ...], begins: int) -> int:
        inner: list[tuple[Any, str | None]] = []
        if isinstance(value, dict):
            inner = [(one, key) for key, one in value.items()]
        elif isinstance(value, list):
            inner = [(one, None) for one in value]
        end = at + 1 if isinstance(value, dict | list) else at + len(json.dumps(value))
        spans = []
        for place, (one, key) in enumerate(inner):
            start = end + (place > 0)
            named = start if key is None else start + len(json.dumps(key)) + 1
            end = visit(one, named, (*trail, key), start)
            spans.append((start, end))
        end += isinstance(value, dict | list)
        for byte in range(begins, end):
            if not any(start <= byte < stop for start, stop in spans):
                found[byte] = trail
        return end

    assert visit(value, 0, (), 0) == len(text)
    return found


@given(DOCUMENTS, st.integers(16, 200))
def test_the_path_at_every_byte_is_found(document: Any, batch: int) -> None:
    text = json.dumps([document], separators=(",", ":"))
    content = BytesContent(text.encode())
    found = outlined(text, batch)
    ours = [path_at(found, content, byte) for byte in range(len(text))]
    assert ours == paths_by_hand([document], text)


def test_it_stops_while_a_wrapping_is_undone() -> None:
    text = json.dumps({"result": json.dumps(["x" * 1000] * 1000)})
    with pytest.raises(Cancelled):
        outline_of(BytesContent(text.encode()), cancelled=lambda: True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"hello", "it is no JSON"),
        (b"[INFO] started\n[INFO] done\n", "it is no JSON"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "it is no JSON"),
        (b"\0\1\2[1]", "it is no JSON"),
        (b"NaN", "it is no JSON"),
        ("失敗".encode("utf-16"), "it is no JSON"),
    ],
)
def test_what_is_no_json_is_said_to_be_none(data: bytes, message: str) -> None:
    found = outline_of(BytesContent(data), Seen(()))
    assert (found.kind, found.complete, found.items) == ("text", False, None)
    assert found.error is not None
    assert found.error.message == message


@pytest.mark.parametrize(
    "data", [b"7" * 5000, b" true\n", b"-1.5e3", b"\xef\xbb\xbf12"]
)
def test_a_single_value_is_outlined(data: bytes) -> None:
    found = outline_of(BytesContent(data))
    assert (found.kind, found.complete) == ("scalar", True)
    assert found.paths[0].path == "."
