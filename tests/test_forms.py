"""What a content holds: packed, encoded, wrapped into one JSON string, or itself."""

import base64
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content import forms
from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.content.forms import FORMS, inner
from spillview.errors import BadInput, Unreadable
from tests.command import run
from tests.printed import FAILED, output

TEXT = output("inner", 90_000, kind="cjk", verdict=FAILED)
MIXED = TEXT.decode() + '"quoted" \\ and \t tab'


def form(data: bytes) -> str | None:
    return count(BytesContent(data)).form


def held(data: bytes) -> bytes:
    content = inner(BytesContent(data))
    try:
        return content.pread(0, content.size)
    finally:
        content.close()


def wrapped(text: str) -> dict[str, bytes]:
    """The text in each JSON form."""
    blocks = [{"type": "text", "text": text}, {"type": "text", "text": "more"}]
    return {
        "json-string": json.dumps(text).encode(),
        "json-result": json.dumps({"result": text}, indent=1).encode(),
        "json-blocks": json.dumps(blocks, ensure_ascii=False).encode(),
    }


CASES = {
    "gzip": gzip.compress(TEXT),
    "base64": base64.b64encode(TEXT),
    **wrapped(MIXED),
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_named_and_taken_out(name: str) -> None:
    data = CASES[name]
    assert form(data) == name
    text = MIXED.encode() if name.startswith("json") else TEXT
    assert held(data) == text + (b"\nmore" if name == "json-blocks" else b"")


def test_base64_may_have_lines_a_type_and_an_end() -> None:
    for data in (
        base64.encodebytes(TEXT),
        base64.encodebytes(TEXT).replace(b"\n", b"\r\n"),
        b"data:image/png;base64," + base64.b64encode(TEXT) + b"\n",
        base64.urlsafe_b64encode(TEXT + b"??>>"),
    ):
        assert form(data) == "base64"
        assert held(data).startswith(TEXT)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"word",
        b"A" * 5000,
        b"0123456789abcdef" * 500,
        b"\n".join(b"%064x" % (n * 7919) for n in range(500)),
        b"\n".join(b"src/module%d/File.py" % n for n in range(900)),
        b"12345678" * 300 + b"\n",
        TEXT,
        b"[1, 2, 3]" * 3,
        json.dumps({"result": "x" * 500, "more": 1}).encode(),
        json.dumps({"result": ["x"]}).encode(),
        json.dumps([{"type": "image", "data": "x"}]).encode(),
        b"\x1f\x8b",
        bytes(range(256)) * 40,
        base64.b64encode(TEXT)[:-1],
        base64.b64encode(TEXT) + b" and more words",
    ],
    ids=range(16),
)
def test_what_holds_nothing_else_has_no_form(data: bytes) -> None:
    assert form(data) is None


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=2000), st.binary(min_size=1, max_size=2000))
def test_what_was_put_in_comes_out(text: str, data: bytes) -> None:
    for name, whole in wrapped(text).items():
        assert form(whole) == name
        assert held(whole) == text.encode() + (
            b"\nmore" if name == "json-blocks" else b""
        )
    assert held(gzip.compress(data)) == data
    long = data * (400 // len(data) + 1)
    encoded = base64.b64encode(long)
    if form(encoded) is not None:  # a single letter over and over is a word
        assert held(encoded) == long


def test_damage_and_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreadable, match="ends too soon"):
        held(gzip.compress(TEXT)[:-300])
    spoilt = bytearray(base64.b64encode(TEXT))
    spoilt[70_000:70_004] = b"===="
    with pytest.raises((Unreadable, BadInput)):
        held(bytes(spoilt))
    monkeypatch.setattr(forms, "LARGEST", 1 << 20)
    with pytest.raises(Unreadable, match="more than 1,048,576 bytes"):
        held(gzip.compress(bytes(30 << 20)))
    with pytest.raises(BadInput):
        held(b"plain text")


def test_the_commands_name_it_and_show_what_it_holds(tmp_path: Path) -> None:
    for name, data in CASES.items():
        (tmp_path / f"{name}.txt").write_bytes(data)
    rows = {r["name"]: r for r in run("ls", "--json", str(tmp_path)).rows}
    assert {name: r.get("form") for name, r in rows.items()} == {
        f"{name}.txt": name for name in CASES
    }
    again = {r["name"]: r.get("form") for r in run("ls", "--json", str(tmp_path)).rows}
    assert again == {name: r["form"] for name, r in rows.items()}  # cached by now
    kinds = {name: r["kind"] for name, r in rows.items()}
    assert kinds["gzip.txt"] == "binary"
    assert kinds["base64.txt"] == "text"
    for name in CASES:
        path = str(tmp_path / f"{name}.txt")
        shown = run("show", "--unescape", "--raw", path)
        assert shown.out.encode().startswith(TEXT), name
