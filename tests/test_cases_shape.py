"""What parsers choke on or hide: seen parts of arrays, limits, cuts, sizes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from spillview.content.content import BytesContent
from spillview.shape import Outline
from spillview.shape.rows import outline_row
from spillview.shape.source import outline_of
from tests.command import run
from tests.shapes import facts, naive, outlined
from tests.stores import Claude


def records(count: int) -> list[dict[str, Any]]:
    """Records such as a tool gives."""
    return [{"id": n, "name": f"record {n}", "state": "open"} for n in range(count)]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_preview_with_164_of_276_items_says_so(machine: Path, indent: int) -> None:
    text = json.dumps(records(276), indent=indent)
    cut = text.index('"id": 164')  # so that 164 items stand before it whole
    session = Claude(machine)
    session.prompt("List them")
    path = session.place("b1234abcd.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    call = session.calls("Bash", command="list")
    envelope = (
        "<persisted-output>\nOutput too large (12KB). Full output saved to:"
        f" {path}\n\nPreview (first 2KB):\n{text[:cut]}\n...\n</persisted-output>"
    )
    session.gets(call, envelope)
    session.write()
    row = run("shape", path, "--json").row
    assert (row["items"], row["items_seen"]) == (276, 164)
    assert row["keys_unseen"] == []
    assert row["complete"] is True
    out = run("shape", path).out
    assert "the model saw 164 of 276 items" in out


def limits(text: str) -> Outline:
    """The outline, which must not depend on how the text was cut."""
    small, large = outlined(text, 64), outlined(text)
    assert facts(small) == facts(large)
    assert small.warnings == large.warnings
    assert small.depth == large.depth
    return large


def test_a_depth_of_20_000_is_told_and_nothing_breaks() -> None:
    found = limits("[" * 20_000 + "]" * 20_000)
    assert found.complete
    assert found.depth == 20_000
    assert len(found.paths) == 101
    assert "nested 20,000 deep" in found.warnings[0]
    assert "19,899 values lie deeper" in found.warnings[0]
    deep = limits('{"a":' * 20_000 + "1" + "}" * 20_000)
    assert (deep.depth, deep.complete) == (20_000, True)


def test_a_depth_that_is_cut_is_told_up_to_the_cut() -> None:
    found = limits("[" * 20_000)
    assert found.error is not None
    assert found.error.byte == 20_000
    assert found.depth == 20_000


def test_an_integer_of_5_000_digits_is_exact() -> None:
    digits = "1" + "0123456789" * 499 + "123456789"
    found = limits(f'[{{"n":{digits}}},{{"n":-{digits}}},{{"n":3}}]')
    [one] = [path for path in found.paths if path.trail == (None, "n")]
    assert (one.count, one.integers) == (3, 3)
    assert found.complete
    assert any("5,000 characters" in warning for warning in found.warnings)
    content = BytesContent(f'[{{"n":{digits}}}]'.encode())
    row = outline_row(outline_of(content), artifact=None)
    written = json.loads(orjson.dumps(row))
    assert written["paths"][2]["max"] == digits
    assert written["sample"] == [{"n": digits}]


def test_big_integers_stay_digit_for_digit_in_the_row(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_text('[{"id":9007199254740993},{"id":123456789012345678901234567890}]')
    ran = run("shape", path, "--json")
    row = ran.row
    assert row["paths"][2]["min"] == 9007199254740993
    assert row["paths"][2]["max"] == 123456789012345678901234567890
    assert row["sample"][1] == {"id": 123456789012345678901234567890}
    assert b"123456789012345678901234567890" in ran.data
    assert "beyond 2^53 at .[].id" in row["warnings"][0]


def test_floats_are_given_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "floats.json"
    path.write_text("[1.50, 1E5, -0.0, 0.1000000000000000000001]")
    data = run("shape", path, "--json").data
    assert b'"sample":[1.50,1E5,-0.0,0.1000000000000000000001]' in data


def test_nan_and_infinity_are_counted_and_told() -> None:
    found = limits('[{"v":NaN},{"v":1.5},{"v":-Infinity},{"v":Infinity},{"v":2}]')
    assert found.complete
    [one] = [path for path in found.paths if path.trail == (None, "v")]
    assert (one.count, one.types, one.integers) == (5, {"number": 5}, 1)
    assert (one.min, one.max) == (1.5, 2)
    assert found.warnings[0].startswith("3 values are NaN or Infinity")
    assert json.loads(found.sample[0].text) == {"v": None}


def test_a_number_beyond_a_double_is_compared_exactly() -> None:
    found = limits("[1e400,-1e400,1e5,1e399]")
    assert str(found.paths[1].min) == "Written('-1e400')"
    assert str(found.paths[1].max) == "Written('1e400')"
    huge = limits("[1e999999999999999999999,1]")
    assert str(huge.paths[1].max) == "Written('1e999999999999999999999')"


def test_integers_are_exact_beyond_what_the_fast_parser_holds() -> None:
    values = [2**64 - 1, 2**64, 2**64 + 1, -(2**63) - 1, 10**30, 1e30, 0.5]
    assert facts(limits(json.dumps(values))) == naive([values])


def test_duplicate_keys_are_counted_at_any_depth() -> None:
    found = outlined('[{"a":1,"a":2,"b":{"c":1,"c":1,"c":3}},{"a":[{"x":0,"x":1}]}]')
    assert found.duplicate_keys == 4
    assert found.warnings == (
        "4 keys stand again in the same object: the last value counts, as in jq.",
    )


def test_keys_that_only_look_alike_are_no_duplicates() -> None:
    assert outlined('{"a":"\\"a\\":1","\\\\":1,"\\"":2,"a\\\\":3}').duplicate_keys == 0
    assert outlined('{"a":1,"\\u0061":2}').duplicate_keys == 1


def test_lone_surrogates_and_undecodable_bytes_are_told_not_refused() -> None:
    found = limits('[{"a":"\\ud800"},{"\\udfff":"ok"}]')
    assert found.complete
    assert found.keys == (("a", 1), ("\udfff", 1))
    bad = outlined(b'[{"a":"caf\xe9"},{"a":"ok"}]')
    assert bad.complete
    assert facts(bad)[(None, "a")][3:5] == (2, 4)
    assert "not valid UTF-8 from byte 10" in bad.warnings[0]


def test_truncated_json_is_outlined_up_to_its_byte(tmp_path: Path) -> None:
    text = json.dumps(records(300))
    path = tmp_path / "cut.json"
    path.write_text(text[:5000])
    row = run("shape", path, "--json").row
    assert (row["kind"], row["complete"]) == ("array", False)
    assert row["error"]["byte"] == 5000
    assert row["items"] == text[:5000].count("}")
    assert "it breaks at byte 5,000" in run("shape", path).out


def test_the_tail_of_a_cut_text_does_not_hide_its_beginning() -> None:
    text = json.dumps(records(50))
    found = outlined(text[:1500] + "\n... [12,345 characters truncated] ...\n")
    assert not found.complete
    assert found.error is not None
    assert found.error.byte <= 1501
    assert found.items == text[:1500].count("}")


SIZE = 30_000_000

PEAK = """
import resource, sys
from spillview.content.content import open_content
from spillview.shape.source import outline_of
with open_content(sys.argv[1]) as content:
    found = outline_of(content)
scale = 20 if sys.platform == "darwin" else 10
print(found.items, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> scale)
"""


def test_a_large_document_takes_bounded_memory(tmp_path: Path) -> None:
    item = json.dumps(records(1)[0] | {"body": "x" * 200}).encode()
    count = SIZE // (len(item) + 1)
    path = tmp_path / "large.json"
    path.write_bytes(b"[" + b",".join([item] * count) + b"]")
    # A fork's peak is its parent's at least, so that a clean process is needed.
    command = [sys.executable, "-c", PEAK, str(path)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    items, peak = map(int, done.stdout.split())
    assert items == count
    parent = 0
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="ascii")
        parent = int(status.split("VmHWM:")[1].split()[0]) >> 10
    assert peak < max(100, parent + 1)
