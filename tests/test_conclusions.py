"""What outputs conclude, also where other lines follow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.content.conclusions import MOST, TAIL, conclusion, lists
from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.model import Conclusion
from tests.refusals import ORDINARY, REFUSALS


def concluded(
    text: str | bytes, tool: str | None = "Bash", command: str | None = None
) -> Conclusion | None:
    content = BytesContent(text if isinstance(text, bytes) else text.encode())
    return conclusion(content, count(content), tool, command)


@pytest.mark.parametrize(
    ("text", "line", "verdict"),
    [
        (
            "FAILED tests/test_a.py::test_b\n=== 2 failed, 9 passed in 1.20s ===\n\n"
            "Coverage HTML written to dir htmlcov\nwrote report.xml\n",
            2,
            "fail",
        ),
        ("=== 9 passed, 1 warning in 1.20s ===\nprofiling data saved\n", 1, "pass"),
        (
            "Test Suites: 1 failed, 4 passed, 5 total\nTests:       20 passed, 20 total"
            "\nSnapshots:   0 total\nTime:        3.1 s\nRan all test suites.\n",
            1,
            "fail",
        ),
        (
            "Test Suites: 5 passed, 5 total\nTests:    2 skipped, 20 passed, 22 total"
            "\nSnapshots:   0 total\nTime:        3.1 s\nRan all test suites.\n",
            2,
            "pass",
        ),
        (
            " Test Files  1 failed | 3 passed (4)\n   Tests  2 failed | 30 passed (32)"
            "\n   Start at  10:00:01\n   Duration  1.20s (transform 80ms)\n",
            2,
            "fail",
        ),
        ("  1 failed\n    [chromium] › a.spec.ts:3:1\n  39 passed (1.2m)\n", 1, "fail"),
        ("  12 passing (3s)\n  1 failing\n\n  1) it adds\n     at a.js:3\n", 2, "fail"),
        (
            "3 examples, 1 failure\n\nFailed examples:\n\nrspec ./a_spec.rb:3\n",
            1,
            "fail",
        ),
        (
            "FAIL\tgithub.com/x/a\t0.1s\nok  \tgithub.com/x/b\t0.2s\n"
            "?   \tgithub.com/x/c\t[no test files]\n",
            1,
            "fail",
        ),
        (
            "error: could not compile `a` (bin) due to 2 previous errors\n"
            "warning: build failed, waiting for other jobs to finish...\n",
            1,
            "fail",
        ),
        (
            "    Finished `dev` profile [unoptimized] target(s) in 43.9s\n"
            "   Generated target/doc/a/index.html\n",
            1,
            "pass",
        ),
        (
            "make[1]: *** [Makefile:3: a.o] Error 1\n"
            "make[1]: Leaving directory '/srv/a'\nall done here\n",
            1,
            "fail",
        ),
        (
            "Found 12 errors in 3 files.\n\nErrors  Files\n     7  src/a.ts:1\n"
            "     5  src/b.ts:9\n",
            1,
            "fail",
        ),
        (
            "Found 300 errors in 200 files.\n\nErrors  Files\n"
            + "     1  src/a.ts:3\n" * 200,
            1,
            "fail",
        ),
        (
            "npm error code ELIFECYCLE\nnpm error errno 1\n\nreport written to x\n",
            2,
            "fail",
        ),
        (
            "added 512 packages, and audited 513 packages in 8s\n\n"
            "90 packages are looking for funding\n  run `npm fund` for details\n\n",
            1,
            "pass",
        ),
        ("BUILD FAILED in 3s\n5 actionable tasks: 3 executed\n", 1, "fail"),
        ("BUILD SUCCESSFUL in 3s\n5 actionable tasks: 3 executed\n", 1, "pass"),
        (
            "[INFO] BUILD FAILURE\n[INFO] Total time: 3 s\n[ERROR] To see the full "
            "stack trace, use -e\n[ERROR] Re-run Maven with -X\n",
            1,
            "fail",
        ),
        (
            "error: failed to push some refs to 'x'\nhint: Updates were rejected\n"
            "hint: See the note.\n",
            1,
            "fail",
        ),
        ("Found 3 errors.\n[*] 2 fixable with the `--fix` option.\n", 1, "fail"),
        (
            "✖ 3 problems (2 errors, 1 warning)\n  1 error potentially fixable with "
            "the `--fix` option.\n",
            1,
            "fail",
        ),
        (
            "Successfully installed a-1.0\n\n[notice] A new release of pip is out\n",
            1,
            "pass",
        ),
        ("  12 a.py\n  30 b.py\n  42 total\n", 3, "unknown"),
        ("\x1b[1m\x1b[32m  1 passed\x1b[0m in 0.01s\n", 1, "pass"),
        ("\r\x1b[K Building 1/2\r\x1b[K\x1b[1m    Finished\x1b[0m `dev`", 1, "pass"),
    ],
)
def test_conclusion_is_found_where_other_lines_follow(
    text: str, line: int, verdict: str
) -> None:
    found = concluded(text)
    assert found is not None
    assert (found.line.number, found.verdict) == (line, verdict)
    assert text.encode()[found.line.start : found.line.end] == (
        text.split("\n")[line - 1].encode()
    )


@pytest.mark.parametrize(
    "text",
    [
        "see the report\n",
        "the tests 3 failed to convince me\nnext chapter\n",
        "1 failed attempt is described below\nand more text\n",
        "",
        "\n\n",
    ],
)
def test_prose_concludes_nothing(text: str) -> None:
    assert concluded(text) is None


def test_nearest_conclusion_decides() -> None:
    text = "=== 2 failed in 0.1s ===\nfixing\n=== 2 passed in 0.1s ===\n"
    found = concluded(text)
    assert found is not None
    assert (found.line.number, found.verdict) == (3, "pass")


@pytest.mark.parametrize(
    ("tool", "command", "expected"),
    [
        ("Grep", None, True),
        ("Bash", "rg -n error .", True),
        ("Bash", "cd /srv && git log -p | head -400", True),
        ("Bash", "LC_ALL=C sudo grep -rn failed .", True),
        ("Bash", "git push 2>&1", False),
        ("Bash", "cargo test 2>&1 | grep -v ok", False),
        ("Bash", "pytest; echo done", False),
        ("Bash", "git -C /srv log", False),
        ("bash", None, False),
        (None, None, False),
    ],
)
def test_search_and_history_conclude_nothing(
    tool: str | None, command: str | None, expected: bool
) -> None:
    assert lists(tool, command) is expected
    text = "a.py:3: error: test failed, to rerun pass\n3 failed in 0.1s\n"
    assert (concluded(text, tool, command) is None) is expected


def test_look_is_bounded() -> None:
    early = "=== 2 failed in 0.1s ===\n"
    assert concluded(early + "and\n" * MOST) is None
    assert concluded(early + "x" * TAIL + "\n") is None
    assert concluded("y" * (TAIL * 2)) is None


def test_utf16_concludes_by_its_last_line() -> None:
    found = concluded("ok\r\n3 failed, 2 passed in 1.0s\r\n".encode("utf-16"))
    assert found is not None
    assert (found.runner, found.verdict) == ("pytest", "fail")


@given(st.lists(st.sampled_from(["", "a", "  ", "2 failed in 0.1s", "é\r"])))
def test_line_numbers_and_ranges_are_those_of_the_file(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    found = concluded(data)
    places = [n for n, row in enumerate(lines, 1) if row == "2 failed in 0.1s"]
    blank = [n for n, row in enumerate(lines, 1) if row.strip()]
    near = [n for n in places if len([b for b in blank if b > n]) < 40]
    assert (found.line.number if found else None) == (near[-1] if near else None)
    if found is not None:
        assert data[found.line.start : found.line.end] == b"2 failed in 0.1s"
        assert data[: found.line.start].count(b"\n") == found.line.number - 1


@given(st.text(max_size=3000))
def test_any_text_is_survived(text: str) -> None:
    found = concluded(text.encode("utf-8", "surrogatepass"))
    assert found is None or re.fullmatch("fail|pass|unknown", found.verdict)


@pytest.mark.parametrize("tool", REFUSALS)
def test_what_tools_say_when_they_could_not_do_it_is_a_failure(tool: str) -> None:
    for text in REFUSALS[tool]:
        for whole in (text, f"step 1 of 2\nstep 2 of 2\n{text}\n\n"):
            found = concluded(whole)
            assert found is not None, whole
            assert found.verdict == "fail", whole


@pytest.mark.parametrize("text", ORDINARY)
def test_lines_that_only_speak_of_such_tools_are_no_failure(text: str) -> None:
    found = concluded(f"one line\n{text}\n")
    assert found is None or found.verdict != "fail"
