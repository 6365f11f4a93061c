"""Lines that tell of trouble, and what last lines conclude."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content import signals
from spillview.content.conclusions import classify
from spillview.content.content import BytesContent
from spillview.content.signals import SIGNAL, first_signal, signal_lines, tally
from spillview.model import Line, Seen


def lines_of(data: bytes, start: int = 0, end: int | None = None) -> list[Line]:
    return list(signal_lines(BytesContent(data), start, end))


def test_words_are_whole_words_in_any_case() -> None:
    data = (
        b"all good\nERROR: no such file\nthe terror of it\nTest FAILED\r\n"
        b"error_count = 3\nTraceback (most recent call last):\nValueError: x\n"
        b"0 errors, no failures\nkernel panic - not syncing\nfatal: not a repository\n"
        b"NullPointerException at A.java:3\nunhandled exception\nlast"
    )
    assert [(line.number, line.text) for line in lines_of(data)] == [
        (2, "ERROR: no such file"),
        (4, "Test FAILED"),
        (6, "Traceback (most recent call last):"),
        (7, "ValueError: x"),
        (9, "kernel panic - not syncing"),
        (10, "fatal: not a repository"),
        (11, "NullPointerException at A.java:3"),
        (12, "unhandled exception"),
    ]


def test_byte_ranges_leave_out_the_line_end() -> None:
    data = b"x\nerror one\r\ny\n\nfatal two"
    assert [data[line.start : line.end] for line in lines_of(data)] == [
        b"error one",
        b"fatal two",
    ]


def test_search_may_begin_and_end_anywhere() -> None:
    data = b"error a\nok\nerror b\nok\nerror c\n"
    assert [line.number for line in lines_of(data, start=3)] == [3, 5]
    assert [line.number for line in lines_of(data, start=8, end=19)] == [3]
    assert [line.number for line in lines_of(data, start=len(data))] == []


def test_long_line_is_told_once_and_cut_for_its_text() -> None:
    data = b"a\n" + b"x " * 400_000 + b"error " + b"y" * 300_000 + b" error\nfatal\n"
    first, second = lines_of(data)
    assert (first.number, first.truncated, len(first.text)) == (2, True, 2000)
    assert (second.number, second.text) == (3, "fatal")
    assert data[first.start : first.end].endswith(b" error")


@given(
    st.lists(
        st.sampled_from(
            [b"ok", b"an error here", b"", b"FAILED\r", b"fine " * 9, b"panic", b"\xff"]
        ),
        max_size=30,
    ),
    st.integers(0, 60),
    st.booleans(),
    st.integers(2, 50),
)
def test_any_lines_against_a_plain_search(
    rows: list[bytes], start: int, ended: bool, block: int
) -> None:
    data = b"\n".join(rows) + (b"\n" if ended else b"")
    start = min(start, len(data))
    expected = []
    at = 0
    for number, row in enumerate(data.split(b"\n"), 1):
        first = max(start, at)
        if first <= at + len(row) and signals.SIGNAL.search(data, first, at + len(row)):
            expected.append((number, at, at + len(row.removesuffix(b"\r"))))
        at += len(row) + 1
    whole = signals.BLOCK
    signals.BLOCK = block
    try:
        found = lines_of(data, start)
    finally:
        signals.BLOCK = whole
    assert [(x.number, x.start, x.end) for x in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=== 3 failed, 808 passed in 71.34s (0:01:11) ===", "fail"),
        ("=== 811 passed, 2 skipped in 9.01s ===", "pass"),
        ("=== 1 error in 0.12s ===", "fail"),
        ("=== no tests ran in 0.01s ===", "unknown"),
        ("Tests:       1 failed, 5 passed, 6 total", "fail"),
        ("Tests:       6 passed, 6 total", "pass"),
        ("  24 passed (9.6s)", "pass"),
        ("FAIL\tgithub.com/x/y\t0.012s", "fail"),
        ("ok  \tgithub.com/x/y\t0.012s", "pass"),
        ("ok  \tgithub.com/x/y\t(cached)", "pass"),
        ("FAIL", "fail"),
        ("PASS", "pass"),
        ("exit status 2", "fail"),
        (
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.1s",
            "fail",
        ),
        ("test result: ok. 640 passed; 0 failed; 0 ignored; finished in 0.1s", "pass"),
        ("error: could not compile `ledger` (lib) due to 118 previous errors", "fail"),
        ("error: test failed, to rerun pass `-p ledger --lib`", "fail"),
        ("    Finished `dev` profile [unoptimized] target(s) in 2.01s", "pass"),
        ("make: *** [Makefile:41: integration] Error 2", "fail"),
        ("make[1]: *** [all] Error 1", "fail"),
        ("ninja: build stopped: subcommand failed.", "fail"),
        ("Found 3 errors in 2 files.", "fail"),
        ("Found 0 errors.", "pass"),
        ("Found 2 errors (2 fixed, 0 remaining).", "pass"),
        ("Found 12 errors.", "fail"),
        ("All checks passed!", "pass"),
        ("Success: no issues found in 18 source files", "pass"),
        ("npm ERR! A complete log of this run can be found in:", "fail"),
        ("npm error code ELIFECYCLE", "fail"),
        (" ELIFECYCLE  Command failed with exit code 1.", "fail"),
        ("BUILD FAILED in 3s", "fail"),
        ("BUILD SUCCESSFUL in 4m 2s", "pass"),
        ("[INFO] BUILD SUCCESS", "pass"),
        ("FAILED (failures=1, errors=2)", "fail"),
        ("FAILED (errors=3)", "fail"),
        ("OK", "pass"),
        ("OK (skipped=2)", "pass"),
        ("5 examples, 1 failure", "fail"),
        ("5 examples, 0 failures", "pass"),
        ("Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "fail"),
        ("100% tests passed, 0 tests failed out of 5", "pass"),
        ("60% tests passed, 2 tests failed out of 5", "fail"),
        ("** BUILD FAILED **", "fail"),
        ("** TEST SUCCEEDED **", "pass"),
        ("Build did NOT complete successfully", "fail"),
        ("ValueError: invalid literal for int()", "fail"),
        ("sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) x", "fail"),
        ("Segmentation fault (core dumped)", "fail"),
        ("bash: line 1: foo: command not found", "fail"),
        ("Process exited with code 1", "fail"),
        ("Process exited with code 0", "pass"),
        ("[exit code: 1]", "fail"),
        ("fatal: not a git repository", "fail"),
        ("panic: runtime error: index out of range", "fail"),
        ("Successfully installed rich-14.0", "pass"),
        ("\x1b[32m✓ built in 14.20s 🎉\x1b[39m", "pass"),
        ("\x1b[31m✖ 3 problems (2 errors, 1 warning)\x1b[0m", "fail"),
        ("webpack compiled successfully", "pass"),
        ("src/a.py:12: TODO", "unknown"),
        ("total\t4188210", "unknown"),
        ("", "unknown"),
    ],
)
def test_last_lines_of_runners(text: str, expected: str) -> None:
    assert classify(text) == expected


def test_the_calls_own_outcome_comes_first() -> None:
    assert classify("3 passed", failed=True) == "fail"
    assert classify("3 passed", exit_code=1) == "fail"
    # A pipe hides the exit code of its first command.
    assert classify("1 failed, 2 passed", failed=False, exit_code=0) == "fail"
    assert classify("src/a.py:12: TODO", exit_code=0) == "pass"
    assert classify("src/a.py:12: TODO", failed=False) == "unknown"
    assert classify(None) == "unknown"


def test_every_rule_is_a_regex_of_bounded_repeats() -> None:
    text = (
        files("spillview.content").joinpath("verdicts.toml").read_text(encoding="utf-8")
    )
    rules = tomllib.loads(text)["rule"]
    for rule in rules:
        assert rule["verdict"] in ("fail", "pass", "unknown")
        re.compile(rule["regex"])
        plain = re.sub(r"\\.|\[[^\]]*\]", "x", rule["regex"])
        assert "*" not in plain, rule
        assert "+" not in plain, rule


@pytest.mark.parametrize(
    "text", ["a" * 2_000_000, "1 " * 1_000_000, "(" * 100_000, "A.B" * 100_000]
)
def test_hostile_last_lines_are_looked_at_up_to_a_bound(text: str) -> None:
    assert classify(text) in ("fail", "pass", "unknown")


def told(data: bytes, ranges: tuple[tuple[int, int], ...] = ()) -> tuple[int, int]:
    found = tally(BytesContent(data), Seen(ranges))
    return found.total, found.seen


def test_signal_lines_are_counted_by_what_was_received() -> None:
    data = b"error a\r\nok\nfatal b\nno errors\nfailed"
    assert told(data) == (3, 0)
    assert told(data, ((0, 7),)) == (3, 1)
    assert told(data, ((1, len(data)),)) == (3, 2)
    assert told(data, ((0, 7), (12, 19), (30, len(data)))) == (3, 3)


def test_uncertain_coverage_leaves_the_unseen_ones_open() -> None:
    found = tally(BytesContent(b"error a\nerror b\n"), Seen(((0, 7),), certain=False))
    assert (found.total, found.seen, found.unseen) == (2, 1, None)


def test_larger_content_is_looked_at_in_part_and_said_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signals, "LOOKED", 8)
    found = tally(BytesContent(b"error a\nerror b\n"), Seen(()))
    assert (found.total, found.complete) == (1, False)


def test_the_end_of_a_larger_content_is_looked_at_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signals, "LOOKED", 160)
    data = b"ok so far\n" * 100 + b"it failed\nfatal: gone\n"
    found = tally(BytesContent(data), Seen(((len(data) - 12, len(data)),)))
    assert (found.total, found.seen, found.complete) == (1, 1, False)
    monkeypatch.setattr(signals, "LOOKED", 400)
    found = tally(BytesContent(data), Seen(()))
    assert (found.total, found.seen, found.complete) == (2, 0, False)


@given(
    st.lists(
        st.sampled_from(
            (b"error", b"0 errors", b"terror", b"\n", b"\r\n", b" x ", b"y" * 60)  # noqa: RUF005 - two lines
            + (b"Failed", b"KeyError:", b"panic", b"\n\n", b"-", b"no ")
        ),
        max_size=60,
    ),
    st.lists(st.integers(0, 400), max_size=6),
    st.sampled_from([8, 64, 1 << 18]),
)
def test_tally_agrees_with_the_lines(
    parts: list[bytes], cuts: list[int], block: int
) -> None:
    data = b"".join(parts)
    edges = sorted({min(cut, len(data)) for cut in cuts})
    ranges = tuple(zip(edges[::2], edges[1::2], strict=False))
    total = seen = at = 0
    for row in data.split(b"\n"):
        end = at + len(row.removesuffix(b"\r"))
        if signals.SIGNAL.search(row):
            total += 1
            seen += any(a <= at and end <= b for a, b in ranges)
        at += len(row) + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signals, "BLOCK", block)
        patch.setattr(signals, "LONGEST", max(block // 2, signals.WORD))
        patch.setattr(signals, "STRETCH", signals.WORD + 8)
        assert told(data, ranges) == (total, seen)


def test_a_long_line_is_searched_only_where_a_word_may_stand() -> None:
    class Searched:
        chars = 0

        def search(
            self, data: bytes, start: int, end: int | None = None
        ) -> re.Match[bytes] | None:
            stop = len(data) if end is None else end
            self.chars += stop - start
            return re.compile(rb"error").search(data, start, stop)

    content = BytesContent(b'{"a":0}' * 500_000 + b"an error here" + b"\0" * 500_000)
    for looked in (lambda: tally(content, Seen(())), lambda: [*signal_lines(content)]):
        searched = Searched()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(signals, "SIGNAL", searched)
            looked()
        assert searched.chars < 20_000


@settings(max_examples=100, deadline=None)
@given(
    parts=st.lists(
        st.sampled_from(
            [
                b"error",
                b"Errors",
                b"failsafe ",
                b"FAILED",
                b"no ",
                b"0 ",
                b" ",
                b"x",
                b"-",
                b"\x1b[31m",
                b"\x1b[K",
                b"ValueError",
                b"k" * 70,
                b" filler" * 40,
                b"panicked",
            ]
        ),
        max_size=60,
    ),
    pos=st.integers(0, 40),
    back=st.integers(0, 40),
)
def test_the_first_signal_is_the_one_that_the_pattern_finds(
    parts: list[bytes], pos: int, back: int
) -> None:
    data = b"".join(parts)
    end = max(len(data) - back, 0)
    pos = min(pos, end)
    match = SIGNAL.search(data, pos, end)
    assert first_signal(data, pos, end) == (match.span() if match else None)
