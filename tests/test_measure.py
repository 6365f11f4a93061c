"""`spillview measure`: every number against a count of the test's own."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spillview import tokens
from spillview.cli.tables import clip_path
from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.errors import BadInput
from spillview.layout.cells import text_width
from spillview.model import Boundary, Unit
from spillview.store.measure import measure
from spillview.text import printable
from spillview.tokens import Tokenizer, vocabulary_path
from spillview.wrap.folding import Folding
from tests.command import COMMAND, process, run

UNITS = st.sampled_from(["chars", "utf16", "bytes", "tokens"])
TEXTS = st.text(alphabet="ab\n\r\té語👍 ", max_size=120)


def units(text: str) -> int:
    """UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def cut_at(text: str, size: int, unit: Unit) -> bytes:
    """What a head cut keeps, by walking over the text."""
    if unit == "chars":
        return text[:size].encode()
    if unit == "bytes":
        return text.encode()[:size]
    if unit == "tokens":
        return text.encode()[: 4 * size]
    if unit == "lines":
        return "".join(text.splitlines(keepends=True)[:size]).encode()
    kept = ""
    for char in text:
        if units(kept + char) > size:
            break
        kept += char
    return kept.encode()


@given(TEXTS, st.integers(1, 60), UNITS)
def test_every_number_is_what_a_plain_count_gives(
    text: str, size: int, unit: Unit
) -> None:
    data = text.encode()
    got = measure(
        BytesContent(data), "x", Folding(boundary=Boundary(size, unit)), path=__file__
    ).row()
    sizes = {
        "bytes": len(data),
        "chars": len(text),
        "utf16": units(text),
        "tokens": math.ceil(len(data) / 4),
    }
    assert {key: got[key] for key in sizes} == sizes
    assert got["lines"] == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    assert (got["boundary"], got["boundary_unit"]) == (size, unit)
    assert got["ratio"] == sizes[unit] / size
    over = sizes[unit] > size
    kept = cut_at(text, size, unit) if over else data
    lines = kept.count(b"\n") if len(kept) < len(data) else got["lines"]
    assert got["lines_kept"] == lines
    assert got["lines_kept_share"] == (lines / got["lines"] if got["lines"] else 1.0)
    bytewise = data[: size * 4] if unit == "tokens" else data[:size]
    assert got["lines_kept_if_bytes"] == (
        bytewise.count(b"\n") if len(bytewise) < len(data) else got["lines"]
    )
    seen = [line for line in data.split(b"\n") if line.strip().decode().strip()]
    if not seen:
        assert (got["verdict"], got["verdict_kept"]) == (None, None)
    else:
        last = seen[-1].rstrip(b"\r")
        assert got["verdict"] == last.decode()
        end = data.rindex(seen[-1]) + len(last)
        assert got["verdict_kept"] == (end <= len(kept))
    if over:
        assert got["envelope"]["share"] == got["envelope"]["chars"] / len(text)
        assert got["envelope"]["verdict_kept"] == (True if seen else None)
    else:
        assert got["envelope"] == {
            "chars": len(text),
            "share": 1.0,
            "verdict_kept": True if seen else None,
            "folded": False,
        }


def test_the_envelope_is_the_one_that_wrap_makes(tmp_path: Path, machine: Path) -> None:
    data = b"".join(b"line %d\n" % n for n in range(30_000)) + b"FAILED 3\n"
    (tmp_path / "out").write_bytes(data)
    got = run("measure", "--json", tmp_path / "out").row["envelope"]
    folded = subprocess.run(
        [*COMMAND, "wrap", "-q"], input=data, capture_output=True, check=True
    ).stdout.decode()
    # They differ by what the path and the label are long, and by no more.
    assert abs(got["chars"] - (len(folded) - 1)) < 400
    assert got["chars"] <= 14_000
    assert got["verdict_kept"] is True
    assert got["share"] == got["chars"] / len(data.decode())


@pytest.mark.parametrize(
    ("text", "size", "parses", "char"),
    [
        (str([{"é": n} for n in range(50)]).replace("'", '"'), 100, False, 100),
        (json.dumps([1, 2, 3]), 100, True, None),
        ('{"a": 1}\n{"b": 2}\n{"c": 3}\n', 12, False, 12),
        ('{"a": 1}\n{"b": 2}\n{"c": 3}\n', 18, True, None),
        ("no JSON at all\n" * 20, 100, None, None),
    ],
)
def test_json_after_the_cut(
    text: str, size: int, parses: bool | None, char: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "f"
    path.write_text(text)
    row = run("measure", "--json", "--boundary", str(size), path).row
    assert row["json_parses"] is parses
    if char is None:
        assert row["json_error"] is None
    else:
        assert row["json_error"]["char"] == char
        assert row["json_error"]["message"]


def test_utf16_is_measured_by_its_text(tmp_path: Path) -> None:
    text = "行 👍\nlast\n"
    (tmp_path / "f").write_bytes(text.encode("utf-16"))
    row = run("measure", "--json", "--boundary", "3chars", tmp_path / "f").row
    assert row["chars"] == len(text)
    assert row["utf16"] == units(text)
    assert row["bytes"] == 2 * units(text) + 2
    assert (row["lines"], row["lines_kept"], row["verdict"]) == (2, 0, "last")


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.UTF-8", "ja_JP.eucJP"])
def test_the_locale_changes_no_number(locale: str, tmp_path: Path) -> None:
    text = "é語👍\n" * 30_000
    path = tmp_path / "é語.log"
    path.write_bytes(text.encode())
    env = {**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0"}
    env.pop("PYTHONIOENCODING", None)
    row = process("measure", "--json", path, env=env).row
    assert (row["chars"], row["utf16"]) == (len(text), units(text))
    assert (row["bytes"], row["lines"]) == (len(text.encode()), 30_000)
    assert row["verdict"] == "é語👍"
    shown = process("measure", path, env=env)
    assert "é語👍" in shown.out


# -- sources -------------------------------------------------------------------------


def test_a_command_is_measured_with_its_exit_code(tmp_path: Path) -> None:
    got = process(
        *("measure", "--json", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    )
    assert (got.code, got.err) == (0, "")
    assert got.row["source"] == "sh -c 'echo out; echo err >&2; exit 3'"
    assert (got.row["bytes"], got.row["lines"], got.row["exit_code"]) == (8, 2, 3)


def test_nothing_a_command_printed_stays_on_the_disk(
    machine: Path, tmp_path: Path
) -> None:
    assert process("measure", "--", "sh", "-c", "yes | head -90000").code == 0
    assert not list((machine / "tmp").iterdir())
    assert not (machine / ".local").exists()


def test_a_list_of_commands_is_measured_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(
        "# a comment\n\necho one\nprintf 'a\\nb\\n'; exit 4\ncat; echo $((1 + 1))\n"
    )
    got = process("measure", "--json", "--each", tmp_path / "list")
    assert [row["source"] for row in got.rows] == [
        "echo one",
        "printf 'a\\nb\\n'; exit 4",
        "cat; echo $((1 + 1))",
    ]
    assert [row["bytes"] for row in got.rows] == [4, 4, 2]
    assert [row["exit_code"] for row in got.rows] == [0, 4, 0]
    table = process("measure", "--each", tmp_path / "list")
    assert len(table.lines) == 3


def test_what_is_piped_in_is_measured() -> None:
    for words in ([], ["-"]):
        done = subprocess.run(
            [*COMMAND, "measure", "--json", *words],
            input="é\n".encode(),
            capture_output=True,
            check=True,
        )
        row = json.loads(done.stdout)
        assert (row["source"], row["chars"], row["bytes"]) == ("stdin", 2, 3)


def test_a_link_a_person_names_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x\n")
    (tmp_path / "link").symlink_to("real")
    assert run("measure", "--json", tmp_path / "link").row["bytes"] == 2


def test_what_cannot_be_read_is_named_and_the_rest_measured(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"x\n")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "empty").mkdir()
    bad: list[str | Path] = [tmp_path / "absent", tmp_path / "empty"]
    bad += [tmp_path / "fifo", "a\0b"]
    got = run("measure", "--json", *bad, tmp_path / "good")
    assert got.code == 2
    assert [row["bytes"] for row in got.rows] == [2]
    assert len(got.err.splitlines()) == 4
    assert "absent" in got.err
    assert "FIFO" in got.err
    assert "\0" not in got.err


def test_a_folder_means_every_file_below_it(tmp_path: Path) -> None:
    for name in ("b.log", "a.log", "deep/er/c.log", ".hidden", ".git/config"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("a.log")
    (tmp_path / "loop").symlink_to(tmp_path)
    got = run("measure", "--json", tmp_path)
    names = ["a.log", "b.log", "link", "deep/er/c.log"]
    assert [row["source"] for row in got.rows] == [str(tmp_path / n) for n in names]
    assert got.code == 0
    left = "left out: 2 hidden, 1 that no file is behind"
    assert got.err == f"{tmp_path}: {left}\n"


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    got = run("measure", tmp_path)
    assert (got.code, got.out) == (2, "")
    assert got.err == f"spillview: {tmp_path} holds no file to measure\n"


def test_long_paths_keep_their_names_in_a_narrow_table(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20) / ("日本" * 20)
    folder.mkdir(parents=True)
    for name in ("one.log", "two.log"):
        (folder / name).write_text("x\n")
    for width in (60, 80, 120):
        got = run("measure", folder, terminal=True, width=width)
        assert "/one.log  " in plain(got.lines[1])
        assert "/two.log  " in plain(got.lines[2])
        assert "…" in got.lines[1]
        assert all(cell_len(plain(line)) <= width for line in got.lines)


def plain(line: str) -> str:
    """A line without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


@given(st.text(max_size=40), st.integers(0, 30))
def test_a_path_cut_to_a_width_is_its_end(text: str, width: int) -> None:
    text = printable(text)
    got = clip_path(text, width)
    assert text_width(got) <= width
    if text_width(text) <= width:
        assert got == text
    elif width:
        assert got[0] == "…"
        assert text.endswith(got[1:])


def test_one_of_each_is_told_in_the_singular(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("x")
    out = run("measure", path).out
    assert "  size       1 char, 1 byte, 1 utf16, 1 line, ~1 token\n" in out
    assert "keeps 1 of 1 line (100%), the verdict is kept\n" in out


def test_a_byte_cut_is_told_where_it_would_keep_something_else(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("é\n" * 1_000)
    out = run("measure", "--boundary", "900", path).out
    assert "  byte cut   at 900 bytes keeps 300 lines\n" in out
    for boundary in ("900bytes", "100tokens", "500lines"):
        assert "bytes keeps" not in run("measure", "--boundary", boundary, path).out
    row = run("measure", "--json", "--boundary", "100tokens", path).row
    assert row["lines_kept_if_bytes"] == row["lines_kept"] == 133


def test_of_a_binary_file_no_verdict_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(range(256)) * 800)
    out = run("measure", path).out
    assert "  verdict    none that can be read: it is a binary file\n" in out
    assert "the verdict is" not in out
    path.write_bytes(b"\0\1\2" * 90_000 + b"\nFAILED: 3\n")
    assert "  verdict    FAILED: 3\n" in run("measure", path).out


def test_a_command_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    got = run("measure", "--", "no-such-command-at-all")
    assert (got.code, got.out) == (2, "")
    assert "no-such-command-at-all is no command" in got.err
    assert "wrap" not in got.err
    assert got.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["a", "--", "b"], "not both"),
        (["--"], "no command"),
        (["--each", "/no/such/list"], "/no/such/list"),
        (["--each", os.devnull], "holds no command"),
        (["--each", os.devnull, "x"], "--each takes the place"),
        (["--session", "x", "f"], "--session"),
        (["--boundary", "0", "f"], "more than zero"),
        (["--tokens", "nosuch", "f"], "o200k_base"),
    ],
)
def test_bad_usage_is_one_sentence(words: list[str], part: str) -> None:
    got = run("measure", *words)
    assert (got.code, got.out) == (2, "")
    assert part in got.err
    assert got.err.count("\n") == 1


# -- for a person --------------------------------------------------------------------


def test_one_source_is_told_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("".join(f"line {n}\n" for n in range(30_000)) + "FAILED\x1b[0m\n")
    got = run("measure", path)
    size = path.stat().st_size
    for part in (
        f"{size:,} chars",
        f"~{-(-size // 4):,} tokens",
        "30,001 lines",
        "the boundary of 100,000 chars",
        "the verdict is lost",
        "the verdict is kept",
        "verdict    FAILED␛[0m",
    ):
        assert part in got.out
    kept = path.read_text()[:100_000].count("\n")
    assert f"keeps {kept:,} of 30,001 lines" in got.out
    assert "\x1b" not in got.out


def test_several_sources_are_a_table_on_any_terminal(tmp_path: Path) -> None:
    for name in ("a", "b" * 90):
        (tmp_path / name).write_bytes(b"x\n" * 60_000)
    for width in (40, 80, 200):
        got = run("measure", *tmp_path.iterdir(), terminal=True, width=width)
        assert len(got.lines) == 3
        assert "1.20×" in got.out
    plain = run("measure", *tmp_path.iterdir())
    assert len(plain.lines) == 2
    assert "b" * 90 in plain.out


# -- saving --------------------------------------------------------------------------


def test_saving_feeds_the_history(machine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x\n")
    run("measure", tmp_path / "f")
    path = machine / ".local" / "state" / "spillview" / "history.jsonl"
    assert not path.exists()
    assert run("measure", "--save", tmp_path / "f").code == 0
    assert process("measure", "--save", "--", "sh", "-c", "echo y; exit 2").code == 0
    file, command = map(json.loads, path.read_text().splitlines())
    assert (file["source"], file["label"]) == ("measure", str(tmp_path / "f"))
    assert "command" not in file
    assert (command["command"], command["exit_code"]) == ("sh -c 'echo y; exit 2'", 2)
    assert (command["bytes"], command["ratio"]) == (2, 2 / 100_000)


def test_a_history_that_cannot_be_written_is_said(
    machine: Path, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(b"x\n")
    (machine / ".local").write_text("in the way")
    got = run("measure", "--save", "--json", tmp_path / "f")
    assert got.code == 2
    assert got.row["bytes"] == 2
    assert "history" in got.err


# -- tokens --------------------------------------------------------------------------


def installed(monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, str]:
    """An environment in which there is a tokenizer and a vocabulary."""
    module: Any = types.ModuleType("tiktoken")
    module.get_encoding = lambda name: Lines()
    monkeypatch.setitem(sys.modules, "tiktoken", module)
    env = {"TIKTOKEN_CACHE_DIR": str(folder)}
    Path(vocabulary_path("o200k_base", env)).write_bytes(b"x")
    return env


class Lines:
    """A tokenizer whose tokens never reach over an LF that text follows."""

    def encode_ordinary(self, text: str) -> list[str]:
        import re

        return re.findall(r"\s*\n+|[^\n]{1,3}", text)


def test_without_a_tokenizer_or_vocabulary_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(BadInput, match=r"spillview\[tokens\]"):
        Tokenizer("o200k_base")
    env = installed(monkeypatch, tmp_path)
    with pytest.raises(BadInput, match="not on this disk"):
        Tokenizer("cl100k_base", env)
    Tokenizer("o200k_base", env)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have texts encoded a few bytes at a time."""
    return lambda size: monkeypatch.setattr(tokens, "PIECE", size)


@pytest.mark.parametrize("size", [5, 16, 100])
def test_tokens_of_pieces_add_up_to_those_of_the_whole(
    size: int,
    small_pieces: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    tokenizer = Tokenizer("o200k_base", installed(monkeypatch, tmp_path))
    text = "".join(f"line {n} é👍\n{'  ' * (n % 3)}\n" for n in range(60)) + "end"
    data = text.encode()
    small_pieces(size)
    assert "".join(tokens._pieces(BytesContent(data))) == text
    content = BytesContent(data)
    whole = len(Lines().encode_ordinary(text))
    assert tokenizer.count(content, count(content)) == whole


def test_exact_tokens_are_shown_beside_the_estimate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    env = installed(monkeypatch, tmp_path)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", env["TIKTOKEN_CACHE_DIR"])
    (tmp_path / "f").write_bytes(b"abcdef\n")
    row = run("measure", "--json", "--tokens", "o200k_base", tmp_path / "f").row
    assert (row["tokens"], row["tokens_exact"]) == (2, 3)
    told = run("measure", "--tokens", "o200k_base", tmp_path / "f").out
    assert "~2 tokens (3 by o200k_base)" in told
