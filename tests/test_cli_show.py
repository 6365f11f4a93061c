"""`show`: pages that join to the file, and nothing a terminal could be fooled by."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.text import printable
from tests.command import Row, process, run
from tests.hostile import hostile

FILES = {
    "plain": b"one\ntwo\nthree\n",
    "open-end": b"one\ntwo",
    "crlf": b"one\r\ntwo\r\n",
    "one-line": b"x" * 5000,
    "cjk": "日本語\n二行目😀\n".encode() * 40,
    "clusters": "e\u0301👩\u200d👩\u200d👧🇯🇵\n".encode() * 30,
    "invalid": b"good\n\xff\xfe\x80 bad \xe3\x81\nend \xf0\x9f",
    "nul": b"a\0b\n\0\0\n",
}


def pages(path: Path, unit: str, limit: int) -> list[Row]:
    """Every page, following `next` or `next_offset` until there is none."""
    rows: list[Row] = []
    offset = 1 if unit == "line" else 0
    while True:
        options = ["--unit", unit, "--offset", str(offset), "--limit", str(limit)]
        row = run("show", path, "--json", *options).row
        rows.append(row)
        assert row["text"] or not row["total"]
        if row.get("cut"):
            unit, offset = row["next"]["unit"], row["next"]["offset"]
            if offset == row["end"] == path.stat().st_size:
                return rows
        elif row["next_offset"] is None:
            return rows
        else:
            assert row["next_offset"] > offset
            offset = row["next_offset"]


@pytest.mark.parametrize("unit", ["line", "char", "byte"])
@pytest.mark.parametrize("limit", [1, 7, 1000])
@pytest.mark.parametrize("name", FILES)
def test_joined_pages_equal_the_file(
    tmp_path: Path, name: str, unit: str, limit: int
) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name][: 40 * limit])
    rows = pages(path, unit, limit)
    data = path.read_bytes()
    assert "".join(row["text"] for row in rows) == data.decode("utf-8", "replace")
    assert [row["start"] for row in rows] == [0, *(row["end"] for row in rows[:-1])]
    assert rows[-1]["end"] == len(data)


@pytest.mark.parametrize("unit", ["line", "char", "byte"])
def test_raw_pages_are_the_exact_bytes(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(FILES["invalid"] + "\n日本\r\n".encode() * 50)
    joined = b""
    offset: int | None = 1 if unit == "line" else 0
    while offset is not None:
        options = ["--unit", unit, "--offset", str(offset), "--limit", "9"]
        joined += run("show", path, "--raw", *options).data
        offset = run("show", path, "--json", *options).row["next_offset"]
    assert joined == path.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_raw_pages_of_utf16_are_the_exact_bytes_too(
    tmp_path: Path, encoding: str
) -> None:
    text = "".join(f"line {n} 日本😁\r\n" for n in range(60))
    path = tmp_path / "wide"
    path.write_bytes(text.encode(encoding))
    rows = pages(path, "line", 7)
    assert "".join(row["text"] for row in rows) == text
    assert rows[0]["encoding"].startswith("utf-16")
    joined = b""
    for row in rows:
        options = ["--offset", str(row["offset"]), "--limit", "7"]
        joined += run("show", path, "--raw", *options).data
    assert joined == path.read_bytes()


@settings(max_examples=40)
@given(data=hostile, unit=st.sampled_from(["line", "char", "byte"]))
def test_human_and_raw_output_of_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, unit: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "a"
    path.write_bytes(data)
    assert run("show", path, "--raw").data == data
    for terminal in (False, True):
        shown = run("show", path, "--unit", unit, terminal=terminal)
        assert shown.code == 0
        allowed = "" if terminal else "\r"
        rest = re.sub(f"[\n\t{allowed}]", "", shown.out)
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", rest)


def test_a_page_tells_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\nthree\n")
    row = run("show", path, "--json", "--offset", "2", "--limit", "1").row
    expected = {
        "unit": "line",
        "offset": 2,
        "limit": 1,
        "total": 3,
        "next_offset": 3,
        "text": "two\n",
        "encoding": "utf-8",
    }
    assert row | expected == row
    assert len(row["id"]) == 16


def test_a_page_of_lines_stops_at_one_mebibyte(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * (3 << 20) + b"\nend\n")
    row = run("show", path, "--json", "--limit", "1").row
    assert row["cut"] is True
    assert row["next"] == {"unit": "byte", "offset": 1 << 20}
    assert len(row["text"]) == 1 << 20


def test_an_offset_past_the_end_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    for unit, offset in (("line", "2"), ("char", "4"), ("byte", "9")):
        for more in ([], ["--json"], ["--raw"]):
            got = run("show", path, "--unit", unit, "--offset", offset, *more)
            assert (got.code, got.out) == (1, "")
            assert "past the end" in got.err


def test_an_empty_artifact_is_an_empty_page(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"")
    got = run("show", path, "--json")
    assert got.code == 0
    assert (got.row["text"], got.row["total"], got.row["next_offset"]) == ("", 0, None)
    assert run("show", path).out == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--offset", "0"],
        ["--offset", "-1"],
        ["--limit", "0"],
        ["--limit", "many"],
        ["--unit", "words"],
        ["--raw", "--json"],
        ["--raw", "-n"],
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    got = run("show", path, *options)
    assert (got.code, got.out) == (2, "")
    assert got.err.startswith("spillview: ")
    assert got.err.count("\n") == 1


def test_lines_are_numbered_as_editors_number_them(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes("a\u2028b\nc\rd\ne\x0b\x0cf\n".encode())
    got = run("show", path, "-n")
    assert [line.split()[0] for line in got.out.split("\n")[:-1]] == ["1", "2", "3"]
    tail = run("show", path, "-n", "--offset", "3")
    assert tail.out.split()[0] == "3"


def test_numbers_stay_right_across_the_pieces_a_file_is_read_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes("日本\r\nab\n\n".encode() * 50)
    whole = run("show", path, "-n").out
    monkeypatch.setattr("spillview.cli.reading.CHUNK", 5)
    assert run("show", path, "-n").out == whole
    numbers = [int(line.split()[0]) for line in whole.split("\n")[:-1]]
    assert numbers == list(range(1, 151))


def test_a_result_stored_as_json_is_shown_with_its_lines(tmp_path: Path) -> None:
    text = "first\nsecond \U0001f600\n"
    forms = [
        json.dumps(text),
        json.dumps([{"type": "text", "text": text}], indent=2),
        json.dumps({"result": text}),
    ]
    for number, form in enumerate(forms):
        path = tmp_path / f"{number}.json"
        path.write_text(form)
        assert run("show", path, "--unescape").out == text
        assert run("show", path, "--unescape", "--json").row["text"] == text
    plain = tmp_path / "plain"
    plain.write_text("no json")
    assert run("show", plain, "--unescape").code == 2


@pytest.mark.parametrize("indent", [None, 2])
def test_the_long_text_of_an_object_is_shown_with_its_lines(
    tmp_path: Path, indent: int | None
) -> None:
    text = 'first "one"\nsecond \U0001f600: {\n' * 5000
    path = tmp_path / "result.json"
    beside = {"note": "a\nb", "code": 0, "of": {"output": "x", "y": ["z", ":"]}}
    for value in (
        {"output": text, "exit_code": 0, "error": None},
        {**beside, "the [out]\x1b": text},
        {**beside, "result": text},
    ):
        path.write_text(json.dumps(value, indent=indent))
        shown = run("show", path, "--unescape", "--raw")
        assert shown.out == text
        name = next(key for key in value if value[key] == text)
        told = f"the text of its member “{printable(name)}”; the others are left out"
        assert told in shown.err
        assert run("show", path, "--unescape", "--offset", "9999", "--limit", "1").out
    halves = {"stdout": text, "stderr": text + text}
    path.write_text(json.dumps(halves))
    assert run("show", path, "--unescape", "--raw").out == text + text
    path.write_text(json.dumps({str(n): "short" for n in range(3)}))
    assert run("show", path, "--unescape").code == 2


def test_control_bytes_are_pictures_on_a_terminal_even_with_raw(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\x1b[2J\x07\x9b31m gone\r\n")
    for options in ([], ["--raw"]):
        got = run("show", path, *options, terminal=True)
        assert "␛[2J␇" in got.out
        assert "\x1b" not in got.out
    assert run("show", path, "--raw").data == path.read_bytes()


def test_raw_through_a_real_pipe_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 2000)
    assert process("show", "--raw", path).data == path.read_bytes()


def test_what_is_no_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    import os

    (tmp_path / "real").write_bytes(b"x\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "fifo")
    for name, word in (("link", "link"), ("fifo", "FIFO"), ("gone", "no such file")):
        got = run("show", tmp_path / name)
        assert (got.code, got.out) == (2, "")
        assert word in got.err
        assert got.err.count("\n") == 1


def test_a_limit_says_where_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\nthree\n")
    got = run("show", path, "--limit", "2")
    assert got.out == "one\ntwo\n"
    assert "--offset 3" in got.err
    assert run("show", path, "--limit", "2", "-q").err == ""
    assert run("show", path, "--limit", "3").err == ""


def test_an_artifact_is_named_by_id_path_or_name(machine: Path) -> None:
    folder = machine / "tmp" / "outbox"
    folder.mkdir()
    path = folder / "build-000000000000.txt"
    path.write_bytes(b"x\n")
    ident = run("ls", "--json").row["id"]
    for word in (ident, ident[:4], str(path), path.name):
        assert run("show", word).out == "x\n"
    assert run("show", ident[:3]).code == 2
    assert run("show", "0000").code == 2
    assert run("show").code == 2
    assert run("show", ident, ident).code == 2


def test_an_ambiguous_name_is_told_with_its_candidates(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.txt").write_bytes(b"x\n")
    ids = {row["id"] for row in run("ls", "--json", tmp_path).rows}
    rows = run("doctor", "--json").rows
    [place] = [row["text"] for row in rows if row.get("check") == "config"]
    config = Path(place)
    config.mkdir(parents=True)
    (config / "config.toml").write_text(f'roots = ["{tmp_path}"]\n')
    got = run("show", "same.txt")
    assert got.code == 2
    for ident in ids:
        assert ident in got.err
