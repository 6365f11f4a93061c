"""`shape`: the outline as a row and as a table, its records, its places."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command import COMMAND, run
from tests.shapes import naive
from tests.stores import Claude

KEYS = {
    "id",
    "kind",
    "complete",
    "error",
    "unwrapped",
    "items",
    "items_seen",
    "seen_certain",
    "keys",
    "keys_unseen",
    "paths",
    "duplicate_keys",
    "warnings",
    "sample",
    "records",
    "bytes",
    "depth",
}
PATH_KEYS = {"path", "count", "types", "min_len", "max_len", "min", "max", "example"}

ITEMS: list[dict[str, Any]] = [
    {"id": n, "title": f"Title {n}", "tags": ["a"] * (n % 3), "when": None}
    | ({"a b": n / 2} if n % 2 else {})
    for n in range(30)
]


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(ITEMS))
    return path


def test_the_row_holds_what_the_contract_names(artifact: Path) -> None:
    ran = run("shape", artifact, "--json")
    assert ran.code == 0
    row = ran.row
    assert set(row) == KEYS
    assert (row["kind"], row["complete"], row["error"]) == ("array", True, None)
    assert (row["items"], row["items_seen"], row["duplicate_keys"]) == (30, None, 0)
    assert row["keys"] == [
        ["id", 30],
        ["title", 30],
        ["tags", 30],
        ["when", 30],
        ["a b", 15],
    ]
    assert row["sample"] == ITEMS[:8]
    assert row["warnings"] == []
    assert row["bytes"] == artifact.stat().st_size
    assert all(set(path) >= PATH_KEYS for path in row["paths"])
    found = {path["path"]: path for path in row["paths"]}
    assert found[".[].title"] == {
        "path": ".[].title",
        "count": 30,
        "types": {"string": 30},
        "min_len": 7,
        "max_len": 8,
        "min": None,
        "max": None,
        "example": "Title 0",
        "first": artifact.read_text().index('"title"'),
    }
    wanted = naive([ITEMS])
    assert len(row["paths"]) == len(wanted)
    assert [found['.[]["a b"]'][name] for name in ("count", "min", "max")] == [
        15,
        0.5,
        14.5,
    ]


def test_json_lines_have_paths_without_the_array(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    row = run("shape", path, "--json").row
    assert (row["kind"], row["items"]) == ("jsonl", 30)
    assert row["sample"] == ITEMS[:8]
    assert row["paths"][1]["path"] == ".id"


def test_an_object_and_a_scalar_have_no_items(tmp_path: Path) -> None:
    path = tmp_path / "object.json"
    path.write_text('{"a":1,"b":{"c":[1,2]}}')
    row = run("shape", path, "--json").row
    assert (row["kind"], row["items"]) == ("object", None)
    assert row["keys"] == [["a", 1], ["b", 1]]
    path.write_text("12345678901234567890123")
    row = run("shape", path, "--json").row
    assert (row["kind"], row["items"], row["sample"]) == (
        "scalar",
        None,
        [12345678901234567890123],
    )


def test_no_json_is_said_with_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("make: nothing to be done\n")
    ran = run("shape", path, "--json")
    assert ran.code == 1
    assert ran.row["kind"] == "text"
    ran = run("shape", path)
    assert ran.code == 1
    assert "no JSON" in ran.out


def test_a_wrapped_result_tells_the_path_to_its_document(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.json"
    path.write_text(json.dumps([{"type": "text", "text": json.dumps(ITEMS)}], indent=1))
    row = run("shape", path, "--json").row
    assert (row["unwrapped"], row["kind"], row["items"]) == (".[0].text", "array", 30)
    text = path.read_text()
    [title] = [one for one in row["paths"] if one["path"] == ".[].title"]
    assert text[title["first"] :].startswith('\\"title\\"')
    assert "for jq: .[0].text | fromjson | PATH" in run("shape", path).out


def test_the_outline_is_readable(artifact: Path) -> None:
    ran = run("shape", artifact, terminal=True)
    assert ran.err == ""
    lines = [line.rstrip() for line in ran.lines]
    size = artifact.stat().st_size / 1000
    assert f"array of 30 items, 8 paths, {size:.1f} kB, complete" in lines[0]
    assert "keys: id, title, tags, when, a b (15)" in lines[1]
    table = "\n".join(lines)
    assert '.[]["a b"]' in table
    for words in (
        ("path", "count", "types", "length", "values", "example"),
        (".[].id", "30", "integer", "0…29"),
        (".[].tags", "30", "array", "0…2"),
        (".[].when", "30", "null"),
    ):
        assert any(all(word in line for word in words) for line in lines), words


def test_many_paths_are_cut_on_a_terminal_and_said(tmp_path: Path) -> None:
    path = tmp_path / "wide.json"
    wide = [{f"key{n}": n if n % 2 else "x" for n in range(300)}] * 3
    path.write_text(json.dumps(wide))
    ran = run("shape", path, terminal=True)
    assert "200 of 302 paths" in ran.err
    assert len(run("shape", path, "--all", terminal=True).lines) > 302
    assert len(run("shape", path).lines) > 302


def test_what_the_model_saw_is_told_beside_every_path(machine: Path) -> None:
    session = Claude(machine)
    session.prompt("List")
    data = json.dumps(ITEMS * 40).encode()
    made = session.spills(data, command="list")
    session.write()
    row = run("shape", made.path, "--json").row
    end = made.seen[0][1]
    text = data[:end].decode()
    assert row["items_seen"] == text.count("}")
    assert row["items"] == 1200
    found = {one["path"]: one["seen"] for one in row["paths"]}
    assert found["."] == 0
    assert found[".[]"] == row["items_seen"]
    assert found[".[].when"] == text.count('"when": null')
    out = run("shape", made.path).out
    assert f"the model saw {row['items_seen']} of 1,200 items" in out


def test_records_are_a_table_with_the_summary_above(artifact: Path) -> None:
    ran = run("shape", artifact, "--table", "--top", "3")
    assert ran.code == 0
    assert "array of 30 items" in ran.lines[0]
    [heading] = [n for n, line in enumerate(ran.lines) if line.startswith("id  ")]
    assert ran.lines[heading].split() == ["id", "title", "tags", "when", "a", "b"]
    assert ran.lines[heading + 1].split() == ["0", "Title", "0", "[]", "null"]
    assert len(ran.lines) == heading + 4
    assert "the first 3 of 30 records at .[]" in ran.err


def test_the_top_records_by_a_column_come_first(artifact: Path) -> None:
    rows = run("shape", artifact, "--by", "a b", "--json").rows
    having = [item for item in ITEMS if "a b" in item]
    assert rows == sorted(having, key=lambda item: -float(item["a b"]))[:20]
    few = run("shape", artifact, "--by", "id", "--smallest", "--top", "2", "--json")
    assert few.rows == ITEMS[:2]
    shown = run("shape", artifact, "--by", "title", terminal=True)
    assert "20 of 30 records with “title”" in shown.err
    heading = [line for line in shown.lines if "title" in line and "tags" in line][1]
    assert heading.index("title") < heading.index("tags") < heading.index("when")


def test_a_place_is_told_in_bytes_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "pretty.json"
    path.write_text(json.dumps(ITEMS, indent=2))
    text = path.read_text()
    at = text.index('"a b"')
    line = text[:at].count("\n") + 1
    ran = run("shape", path, "--at", '.[]["a b"]')
    assert ran.out == f"byte {at}, line {line}\n"
    row = run("shape", path, "--at", '.[]["a b"]', "--json").row
    assert row == {
        "path": '.[]["a b"]',
        "byte": at,
        "end": at + len('"a b": 0.5'),
        "line": line,
    }
    refused = run("shape", path, "--at", ".[].nothing")
    assert refused.code == 2
    assert "is not there" in refused.err


def test_first_items_are_shown_on_request(artifact: Path) -> None:
    out = run("shape", artifact, "--sample").out
    assert "the first 8 of 30" in out
    assert '{"id":0,"title":"Title 0","tags":[],"when":null}' in out


def test_nothing_raw_reaches_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    evil = "\x1b]0;t\x07\x9b31m\u202e[/red]"
    records = [{evil: evil, "n": {evil: [evil]}}] * 3
    path.write_text(json.dumps(records, ensure_ascii=False))
    for options in ([], ["--sample"], ["--table"], ["--by", evil]):
        ran = run("shape", path, *options, terminal=True)
        assert ran.code == 0
        for char in ("\x07", "\x9b", "\u202e", "\x1b]"):
            assert char not in ran.out + ran.err
    assert '.[]["\\u001b]0;t\\u0007\\u009b31m\\u202e[/red]"]' in run("shape", path).out


def test_bad_use_is_one_sentence(artifact: Path, tmp_path: Path) -> None:
    for words, said in (
        ((), "shape takes one artifact"),
        ((artifact, artifact), "shape takes one artifact"),
        ((artifact, "--smallest"), "--smallest goes with --by"),
        ((artifact, "--by", "nothing"), "No record has the key"),
        ((tmp_path / "none.json",), "none.json"),
    ):
        ran = run("shape", *words)
        assert ran.code == 2
        assert said in ran.err
        assert "Traceback" not in ran.err


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in ITEMS * 2000))
    out, into = os.pipe()
    os.close(out)
    command = [*COMMAND, "shape", str(path), "--json"]
    try:
        done = subprocess.run(
            command, stdout=into, stderr=subprocess.PIPE, check=False, timeout=60
        )
    finally:
        os.close(into)
    assert (done.returncode, done.stderr) == (0, b"")
