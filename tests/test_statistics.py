"""What became of spilled outputs, beside what the maker of the sessions knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue
from spillview.cli import main
from spillview.model import Boundary
from spillview.places import Places
from spillview.review.statistics import EDGES, Statistics, band_of, measure
from tests.stores import Claude, Dsh, log_of, numbered


def measured(home: Path, boundary: Boundary | None = None) -> Statistics:
    catalogue = Catalogue(Places.of_home(str(home)))
    found = list(catalogue.complete(catalogue.scan()))
    return measure(catalogue, found, boundary=boundary)


def make_night(home: Path) -> tuple[bytes, bytes, bytes]:
    """A session that reads one output back at the third call, and a later one not."""
    run = Claude(home)
    run.prompt("Fix it")
    build = run.spills(log_of(3000), command="make test")
    run.gets(run.calls("Bash", command="git status"), "clean")
    run.gets(run.calls("Bash", command="ls"), "a b")
    read = run.calls("Read", file_path=str(build.path), offset=2000, limit=10)
    run.gets(read, numbered(build.data, 2000, 2009))
    run.says("Three fail.")
    again = run.calls("Read", file_path=str(build.path), offset=2010, limit=10)
    run.gets(again, numbered(build.data, 2010, 2019))
    search = run.spills(log_of(900, last="a:1: x"), tool="Grep", command="TODO")
    docs = run.spills(log_of(2900), command="make docs")
    run.says("Done.")
    run.write()
    return build.data, search.data, docs.data


def test_rows_tell_of_each_tool_and_size_band(tmp_path: Path) -> None:
    build, search, docs = make_night(tmp_path)
    rows = {(row.tool, str(row.band)): row for row in measured(tmp_path).tools}
    assert len(build) > 50_000 > len(search)
    assert set(rows) == {("Bash", "50k to 100k"), ("Grep", band(search))}
    bash = rows["Bash", "50k to 100k"]
    assert (bash.spilled, bash.linked, bash.read_back, bash.calls_later) == (2, 2, 1, 3)
    lines = build.split(b"\n")[1999:2019]
    seen = 4000 + sum(len(line) + 1 for line in lines)
    assert bash.seen_share == pytest.approx(seen / (len(build) + len(docs)))
    assert bash.bytes == len(build) + len(docs)
    assert rows["Grep", band(search)].calls_later is None


def band(data: bytes) -> str:
    return "under 25k" if len(data) < 25_000 else "25k to 50k"


def test_envelopes_cost_their_tokens_on_each_later_turn(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    made = run.spills(log_of(3000))
    for n in range(5):
        run.says(f"step {n}")
        run.gets(run.calls("Bash", command="ls"), "a")
    run.write()
    # Each `says` begins a message that the call belongs to.
    (row,) = measured(tmp_path).tools
    assert row.carried_tokens == -(-len(made.envelope.encode()) // 4) * 5


def test_compaction_ends_what_is_carried(tmp_path: Path) -> None:
    run = Claude(tmp_path)
    made = run.spills(log_of(3000))
    run.says("one")
    run.record("system", subtype="compact_boundary", content="Conversation compacted")
    run.says("two")
    run.says("three")
    run.write()
    (row,) = measured(tmp_path).tools
    assert row.carried_tokens == -(-len(made.envelope.encode()) // 4)


def test_sweep_counts_what_lies_above_each_boundary(tmp_path: Path) -> None:
    sizes = [len(data) for data in make_night(tmp_path)]
    statistics = measured(tmp_path)
    for row in statistics.sweep:
        assert row.boundary.unit == "chars"
        assert row.spills == sum(size > row.boundary.size for size in sizes)
        assert row.read_backs == (sizes[0] > row.boundary.size)
        # Grep has a gate of 20,000 chars, Bash one of 30,000.
        assert row.complete is (row.boundary.size >= 30_000)


def test_boundary_that_is_asked_for_is_swept_alone(tmp_path: Path) -> None:
    build, _, docs = make_night(tmp_path)
    (row,) = measured(tmp_path, Boundary(40_000, "bytes")).sweep
    assert (row.spills, row.boundary) == (2, Boundary(40_000, "bytes"))
    seen = 2000 + sum(len(line) + 1 for line in build.split(b"\n")[1999:2019])
    kept = [len(build) - seen, len(docs) - 2000]
    assert row.tokens_kept_out == sum(-(-size // 4) for size in kept)
    assert not row.complete  # the gates are in chars: bytes may be more


def test_orphans_count_as_spilled_and_are_known_for_nothing_else(
    tmp_path: Path,
) -> None:
    run = Claude(tmp_path)
    run.spills(log_of(3000))
    orphan = run.place("toolu_0099.txt")
    orphan.write_bytes(log_of(2500))
    run.write()
    rows = measured(tmp_path).tools
    assert sum(row.spilled for row in rows) == 2
    assert sum(row.linked for row in rows) == 1


def test_dsh_is_measured_alike(tmp_path: Path) -> None:
    run = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    run.prompt("Build")
    made = run.spills(log_of(6000))
    call = run.calls("read", file_path=str(made.path), offset=2900, limit=5)
    run.gets(call, numbered(made.data, 2900, 2904, "{n}: {line}"))
    run.says("Done")
    run.write()
    (row,) = measured(tmp_path).tools
    assert (row.tool, row.read_back, row.calls_later) == ("bash", 1, 1)
    assert row.carried_tokens == 50_000 // 4 * 2


def test_command_prints_the_rows_of_both_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_night(tmp_path)
    assert main(["review", "--stats", "--json", str(tmp_path)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    tools = [row for row in rows if "tool" in row]
    assert {"tool", "size_band", "spilled", "read_back", "calls_later"} <= set(tools[0])
    assert {"seen_share", "carried_tokens"} <= set(tools[0])
    tried = [row for row in rows if "boundary" in row]
    assert {"boundary", "unit", "spills", "read_backs", "tokens_kept_out"} <= set(
        tried[0]
    )
    assert len(rows) == len(tools) + len(tried)
    assert main(["review", "--stats", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "Bash" in text
    assert "30,000 chars" in text


@given(st.integers(0, 20_000_000))
def test_every_size_is_in_one_band(chars: int) -> None:
    found = band_of(chars)
    assert found.start <= chars
    assert found.end is None or chars < found.end
    assert found.start in (0, *EDGES)
