"""Searching what would stop a search: one endless line, too many hits, odd bytes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spillview.search import ripgrep
from spillview.search.ripgrep import find_ripgrep
from tests.command import run


def rg(*arguments: str | Path) -> list[dict[str, Any]]:
    """What ripgrep itself prints as JSON, without what changes from run to run."""
    done = subprocess.run(
        [find_ripgrep().path, "--json", "--text", *map(str, arguments)],
        capture_output=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def matches(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Line numbers, offsets and hits of the matches in them."""
    return [
        (
            row["data"]["line_number"],
            row["data"]["absolute_offset"],
            [(hit["start"], hit["end"]) for hit in row["data"]["submatches"]],
        )
        for row in rows
        if row["type"] == "match"
    ]


def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, int]]:
    """Each ripgrep process from now on: whether it maps, and how many files it gets."""
    calls: list[tuple[bool, int]] = []
    real = ripgrep.Run

    def watching(
        program: ripgrep.Ripgrep, arguments: list[str], paths: list[str], **more: Any
    ) -> ripgrep.Run:
        calls.append(("--mmap" in arguments, len(paths)))
        return real(program, arguments, paths, **more)

    monkeypatch.setattr("spillview.search.grep.Run", watching)
    return calls


def test_a_file_of_one_endless_line_is_searched_alone_and_mapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_bytes(b"[" + b'{"id": 1}, ' * 200_000 + b'"needle"]')
    (tmp_path / "b.txt").write_bytes(b"a line\n" * 400_000 + b"needle\n")
    (tmp_path / "c.txt").write_bytes(b"needle\n")
    calls = started(monkeypatch)
    rows = run("grep", "--json", "needle", tmp_path).rows
    assert sorted(calls) == [(False, 2), (True, 1)]
    for name in ("a.json", "b.txt", "c.txt"):
        path = str(tmp_path / name)
        mine = [r for r in rows if r["data"].get("path", {}).get("text") == path]
        [(line, offset, _)] = matches(mine)
        assert [(line, offset)] == [m[:2] for m in matches(rg("needle", path))]
        assert mine[0]["type"] == "begin"
        assert mine[-1]["type"] == "end"


@pytest.mark.parametrize("place", ["begin", "middle", "end"])
def test_an_endless_line_is_noticed_wherever_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    lines, long = b"a line\n" * 300_000, b"x" * (3 << 20) + b"\n"
    parts = {"begin": (long, lines), "middle": (lines, long, lines)}
    (tmp_path / "a").write_bytes(b"".join(parts.get(place, (lines, long))))
    calls = started(monkeypatch)
    assert run("grep", "-c", "x", tmp_path).lines == [f"{tmp_path / 'a'}:1"]
    assert calls == [(True, 1)]


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process")
def test_more_hits_on_a_line_than_memory_holds_are_said_and_the_rest_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "MEMORY", 64 << 20)
    (tmp_path / "a.txt").write_bytes(b"z" * (3 << 20))
    (tmp_path / "b.txt").write_bytes(b"z\n")
    for options in ((), ("--json",)):
        got = run("grep", *options, "z", tmp_path)
        assert got.code == 2
        assert f"{tmp_path / 'a.txt'}: one of its lines has more hits" in got.err
        assert str(tmp_path / "b.txt") in got.out
    assert sorted(run("grep", "-c", "z", tmp_path).lines) == [
        f"{tmp_path / 'a.txt'}:1",
        f"{tmp_path / 'b.txt'}:1",
    ]


BYTES = {
    "NUL before the hit": b"\0" * 5000 + b"\nneedle\n",
    "NUL on the line": b"a\0needle\0b\n",
    "bad byte midway": b"needle\n" * 500 + b"\xff\xfe\x80\n" + b"needle\n" * 500,
    "half a character at the end": b"needle \xe3\x81",
    "lone CRs": b"10%\rneedle\r20%\n",
    "CRLF": b"one\r\nneedle\r\n",
    "no line end": b"needle",
    "surrogates": b"needle \xed\xa0\x80\n",
    "separators": "a\u2028needle\u0085b\x0cneedle\n".encode(),
}


@pytest.mark.parametrize("name", BYTES)
def test_hits_among_odd_bytes_equal_a_byte_level_count(
    tmp_path: Path, name: str
) -> None:
    data = BYTES[name]
    (tmp_path / "a").write_bytes(data)
    rows = run("grep", "--json", "needle", tmp_path).rows
    hits = [
        row["data"]["absolute_offset"] + hit["start"]
        for row in rows
        if row["type"] == "match"
        for hit in row["data"]["submatches"]
    ]
    assert hits == [found.start() for found in re.finditer(b"needle", data)]
    lines = sum(b"needle" in line for line in data.split(b"\n"))
    assert run("grep", "-c", "needle", tmp_path).out.endswith(f":{lines}\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_word_in_utf16_is_found_with_its_bytes_on_disk(
    tmp_path: Path, encoding: str
) -> None:
    text = "one\r\n失敗 ERROR 😀 here\r\nlast\r\n" * 50
    data = text.encode(encoding)
    (tmp_path / "a").write_bytes(data)
    rows = run("grep", "--json", "ERROR", tmp_path).rows
    found = [row["data"] for row in rows if row["type"] == "match"]
    assert [row["line_number"] for row in found] == list(range(2, 151, 3))
    for row in found:
        start, end = row["byte_range"]
        order = "utf-16-be" if encoding == "utf-16-be" else "utf-16-le"
        assert data[start:end].decode(order) == "失敗 ERROR 😀 here\r\n"
    assert run("ls", "--json", tmp_path).row["encoding"].startswith("utf-16")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "(x+x+)+y", "([a-z]+)*!"]
)
def test_patterns_that_explode_elsewhere_end_here(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a").write_bytes(b"a" * 200_000 + b"!\n" + b"x" * 100_000 + b"\n")
    oracle = re.compile(pattern.encode()).search(b"a" * 12 + b"!") is not None
    assert run("grep", "-c", pattern, tmp_path).code in (0, 1)
    if oracle:
        assert run("grep", "-c", pattern, tmp_path).code == 0
