"""The table of speeds: its rows, its targets, and the command that prints it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.__main__ import HEAD, benchmarks, markdown, row_of
from tests.bench.table import Row, Scale, Target, duration, percentile

ROOT = Path(__file__).parents[1]
TINY = ["--share", "0.0002", "--runs", "1"]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@pytest.mark.parametrize("name", ["counts", "lines", "grep", "wrap"])
def test_a_benchmark_prints_its_rows_at_any_size(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench", *TINY, "--folder", str(tmp_path)]
    done = subprocess.run(
        [*command, name], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    head, rule, *lines = done.stdout.split("\n\n")[0].splitlines()
    assert cells(head) == list(HEAD)
    assert set(rule) == {"|", "-"}
    assert lines
    assert "missed" not in done.stdout
    for line in lines:
        work, target, found, *_ = cells(line)
        assert work
        assert target
        assert found
    assert "CPython" in done.stdout
    assert "0.0002 of the full sizes" in done.stdout


def test_a_broken_benchmark_is_told_and_ends_with_1(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench", *TINY, "--folder", str(tmp_path)]
    (tmp_path / "ascii-0").mkdir()
    done = subprocess.run(
        [*command, "nothing_of_this_name"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "No such benchmark: bench_nothing_of_this_name" in done.stderr


def test_every_benchmark_with_rows_is_found() -> None:
    assert {"tests.bench.bench_counts", "tests.bench.bench_lines"} <= set(
        benchmarks([])
    )
    assert benchmarks(["counts"]) == ["tests.bench.bench_counts"]


def test_a_target_holds_when_each_of_its_parts_does() -> None:
    target = Target(ratio=1.5, megabytes=100)
    assert target.words() == "≤ 1.5 ×, ≤ 100 MB"
    assert Row("w", target, ratio=1.5, megabytes=90).met() is True
    assert Row("w", target, ratio=1.6, megabytes=90).met() is False
    assert Row("w", target, ratio=1.0, megabytes=101).met() is False
    assert Row("w", target, ratio=1.0).met() is None
    rate = Target(at_least=150, unit="MB/s")
    assert Row("w", rate, found=151).met() is True
    assert Row("w", rate, found=149).met() is False


def test_a_missed_target_is_marked() -> None:
    table = markdown(
        [
            Row("slow", Target(seconds=0.1), seconds=0.2, growth=(0.01, 0.05, 0.2)),
            Row("fast", Target(ratio=2), "`wc`", ratio=1.234, seconds=1.0),
            Row("unknown", Target(ratio=2), note="no peer here"),
        ]
    ).splitlines()[2:]
    assert cells(table[0])[1:] == [
        "≤ 100 ms",
        "200 ms **missed**",
        "",
        "200 ms",
        "10 ms, 50 ms, 200 ms",
    ]
    assert cells(table[1]) == ["fast", "≤ 2 ×", "1.23 ×", "`wc`", "1 s", ""]
    assert cells(table[2])[:3] == ["unknown (no peer here)", "≤ 2 ×", "(not measured)"]


def test_a_row_survives_the_way_between_two_processes() -> None:
    from dataclasses import asdict
    from json import dumps

    row = Row("w", Target(seconds=0.1), "`less`", 0.5, 0.01, (0.1, 0.2, 0.3), 12.0)
    assert row_of(dumps(asdict(row))) == row


def test_steps_are_1_10_and_100_times_the_work() -> None:
    shares = [step.share for step in Scale(share=2).steps()]
    assert shares == pytest.approx([0.02, 0.2, 2])
    assert Scale(0.0001).of(1000, least=3) == 3
    assert Scale(0.5).of(1000) == 500


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.00007, "0.07 ms"), (0.0052, "5.2 ms"), (0.1, "100 ms"), (3.456, "3.46 s")],
)
def test_times_are_said_in_the_unit_that_reads_best(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([float(n) for n in range(1, 101)]) == 95.0
    assert percentile([3.0]) == 3.0
    assert percentile([5.0, 1.0], 0.5) == 1.0
