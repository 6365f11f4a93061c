"""The text envelope: whatever the input, the verdict survives and the budget holds."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.envelopes.reading import seen_in
from spillview.envelopes.text import fold_text, text_envelope
from spillview.errors import BadInput

HERE = Path(__file__)
"""A file that exists; what it holds does not matter to the text form."""

CSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
WORDS = re.compile(
    r"(?<![\w-])(?<!\b0 )(?<!\b[nN]o )"
    r"(?:(?i:errors?|failed|failures?|fatal|panic(?:ked)?|exceptions?|traceback)"
    r"|[A-Za-z]{1,60}(?:Error|Exception))(?![\w-])",
    re.ASCII,
)


# -- the oracle: written without the code under test ---------------------------------


def plain(line: str) -> str:
    """A line as a person would read it, harmless."""
    line = CSI.sub("", line)
    return "".join(
        chr(0x2400 + ord(c))
        if ord(c) < 32 and c != "\t"
        else "␡"
        if c == "\x7f"
        else "\ufffd"
        if "\x80" <= c < "\xa0" or c in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
        else "\ufffd"
        if c in "\u2066\u2067\u2068\u2069"
        else c
        for c in line
    )


def is_empty(line: str) -> bool:
    return not CSI.sub("", line.replace("\0", "")).strip()


def verdict_of(text: str) -> tuple[int, str] | None:
    """Number and last frame of the last line with anything in it."""
    lines = text.split("\n")
    for number in range(len(lines), 0, -1):
        line = lines[number - 1]
        if not is_empty(line):
            frames = [f for f in line.rstrip("\r").split("\r") if not is_empty(f)]
            return number, frames[-1]
    return None


COLOUR = re.compile(r"\x1b\[(?:K|(?:[0-9]{1,3}(?:;[0-9]{1,3})*)?m)")


def signal_numbers(text: str) -> list[int]:
    """Lines with a word of trouble, behind a colour too."""
    rows = enumerate(text.split("\n"), 1)
    return [
        n for n, row in rows if WORDS.search(row) or WORDS.search(COLOUR.sub("/", row))
    ]


def line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


def parsed(envelope: str) -> dict[str, list[tuple[int, str]]]:
    """The blocks of an envelope: line numbers and texts, read by eye as it were."""
    rows = envelope.split("\n")
    blocks: dict[str, list[tuple[int, str]]] = {}
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        if m := re.fullmatch(r"--- (tail|head): lines (\d+) to (\d+)", row):
            first, last = int(m[2]), int(m[3])
            blocks[m[1]] = list(
                zip(
                    range(first, last + 1),
                    rows[at : at + last - first + 1],
                    strict=True,
                )
            )
            at += last - first + 1
        elif m := re.match(r"--- signal lines: (\d+) here", row):
            blocks["signal"] = []
            while len(blocks["signal"]) < int(m[1]):
                if not rows[at].startswith("["):
                    number, _, text = rows[at].partition(": ")
                    blocks["signal"].append((int(number), text))
                at += 1
        elif row.startswith("--- conclusion: "):
            number, _, text = rows[at].partition(": ")
            blocks["conclusion"] = [(int(number), text)]
            at += 1
    return blocks


def hidden_in(envelope: str, rows: int) -> int:
    """What the signal block of so many rows says of further ones."""
    _, _, block = envelope.partition("\n--- signal lines: ")
    lines = block.split("\n")[1:]
    while rows or lines[0].startswith("["):
        row = lines.pop(0)
        if row.startswith("["):
            return int(row.split()[0][1:])
        rows -= 1
    return 0


SHOWN = re.compile(
    r"Shown: (?:(?P<shown>\d+) of (?P<signals>[\d,]+) signal lines?, )?"
    r"(?:the first (?P<head>\d+ )?lines?, )?the last (?P<tail>\d+ )?lines?"
    r"(?: \((?P<dropped>\d+) more did not fit\))?(?P<none>; there are no signal lines)?"
)


def told_of(envelope: str) -> dict[str, int]:
    """The numbers in the header's words on what is shown; what is not told is 0."""
    [row] = [row for row in envelope.split("\n") if row.startswith("Shown: ")][:1]
    said = SHOWN.fullmatch(row)
    assert said is not None, row
    assert (said["none"] is None) == (said["signals"] is not None)
    numbers = {
        name: int((said[name] or "0").replace(",", ""))
        for name in ("shown", "signals", "head", "tail", "dropped")
    }
    numbers["head"] = numbers["head"] or ("the first line" in row)
    numbers["tail"] = numbers["tail"] or 1
    assert not re.search(r"\b1 [a-z ]*lines\b|the (?:first|last) 1 ", row)
    return numbers


def check(text: str, *, budget: int = 14_000, tail: int = 20) -> str:
    """Fold `text` and hold it against every promise."""
    envelope = text_envelope(
        text, label="make all", path=HERE, budget=budget, tail=tail
    )
    assert len(envelope) <= budget
    size = re.match(r"\[spillview text envelope, (\d+) chars\] ", envelope)
    assert size is not None
    assert int(size[1]) == len(envelope)
    assert str(HERE) in envelope
    sizes = (
        (len(text), "char"),
        (len(text.encode()), "byte"),
        (line_count(text), "line"),
    )
    told = ", ".join(f"{n:,} {word}" + "s" * (n != 1) for n, word in sizes)
    assert f"\nSize: {told}; " in envelope
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", envelope)
    blocks = parsed(envelope)
    verdict = verdict_of(text)
    if verdict is None:
        assert "tail" not in blocks
        assert "Shown: " not in envelope
        assert "Nothing of it can be shown" in envelope
        return envelope
    # The last thing that is read is the last thing that was printed.
    assert list(blocks)[-1] == "tail"
    head = blocks.get("head", [])
    assert len(head) <= 40
    assert sum(len(row) + 1 for _, row in head) <= 4_000
    number, last = verdict
    shown = plain(last)
    assert blocks["tail"][-1][0] == number
    kept = blocks["tail"][-1][1]
    kept = re.sub(r"…\[\d+ bytes after\]$", "", kept)
    if not kept.endswith(shown):
        mark = re.match(r"\[(\d+) bytes before\]…", kept)
        assert mark is not None
        part = kept[mark.end() :]
        assert shown.endswith(part)
        assert len(part) >= min(len(shown), min(3_000, budget // 3) // 2 - 200, 100)
    signals = signal_numbers(text)
    said = told_of(envelope)
    assert said["signals"] == len(signals)
    assert said["head"] == len(head)
    assert said["tail"] == len(blocks["tail"])
    assert said["dropped"] == min(tail, number) - len(blocks["tail"])
    listed = [n for n, _ in blocks.get("signal", [])]
    assert listed == sorted(set(listed))
    assert set(listed) <= set(signals)
    assert said["shown"] <= len(signals)
    if listed:
        assert hidden_in(envelope, len(listed)) == len(signals) - said["shown"]
    # What the reader calls seen is what is shown, and nothing else.
    data = text.encode()
    content = BytesContent(data)
    counts = count(content, utf8=True)
    facts = fold_text(
        content, counts, label="make all", path=HERE, budget=budget, tail=tail
    ).facts
    seen = seen_in(envelope, content, counts)
    assert seen.certain
    assert seen.ranges == facts.seen
    assert seen.ranges == ranges_of(blocks, data)
    return envelope


def ranges_of(
    blocks: dict[str, list[tuple[int, str]]], data: bytes
) -> tuple[tuple[int, int], ...]:
    """The bytes that the blocks show, found anew from numbers and marks."""
    starts = [0]
    for at, byte in enumerate(data):
        if byte == 10:
            starts.append(at + 1)
    marked = bytearray(len(data))
    for rows in blocks.values():
        for number, row in rows:
            start = starts[number - 1]
            stop = starts[number] if number < len(starts) else len(data)
            line = data[start:stop]
            bare = line.rstrip(b"\r\n") if line.endswith(b"\n") else line.rstrip(b"\r")
            if row == plain(bare.decode("utf-8", "replace")):
                low, high = start, stop
            else:
                before = re.match(r"\[(\d+) bytes (?:before|overwritten)\]…", row)
                after = re.search(r"…\[(\d+) bytes after\]$", row)
                low = start + (int(before[1]) if before else 0)
                high = start + len(bare) - int(after[1]) if after else stop
                part = data[low : start + len(bare) - (int(after[1]) if after else 0)]
                bare_row = row[before.end() if before else 0 :]
                if after:
                    bare_row = bare_row[: -len(after[0])]
                assert bare_row == plain(part.decode("utf-8", "replace"))
            marked[low:high] = b"x" * (high - low)
    return tuple(m.span() for m in re.finditer(b"x+", bytes(marked)))


# -- any input ------------------------------------------------------------------------

ALPHABET = st.sampled_from(
    [*list("ab é漢😀\t\r\x00\x1b\x07\x85\u2028[];31mK"), "\x1b[31m"]
)
LINE = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n")),
    st.lists(ALPHABET, max_size=60).map("".join),
    st.sampled_from(
        [
            "",
            " ",
            "\r",
            "ok",
            "error: no such file",
            "FAILED tests/test_a.py::test_b - AssertionError",
            "=== 3 failed, 10 passed in 0.12s ===",
            "10%\r20%\r100%",
            "100%\r    ",
            "[5 bytes before]…hello",
            "--- tail: lines 1 to 2",
            "[end of the envelope]",
            "12: error: quoted",
            "[3 signal lines not shown]",
            "\x1b[2K\x1b[1G\x1b[31mFAIL\x1b[0m",
            "\x1b[1;31merror\x1b[0m: x",
            "\x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kno such file",
            "0 errors, \x1b[38;5;196mfailed",
        ]
    ),
    st.builds(lambda n, c: c * n, st.integers(0, 9_000), st.sampled_from("x漢é😀\r ")),
    st.builds(
        lambda a, b: "y" * a + " error: " + "z" * b,
        st.integers(0, 3_000),
        st.integers(0, 3_000),
    ),
)
END = st.sampled_from(["", "\n", "\r\n", "\n" * 30, "\n \n\t\n\0\0\n", "\r"])


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(LINE, max_size=60),
    ending=st.sampled_from(["\n", "\r\n"]),
    end=END,
    budget=st.sampled_from([1_200, 2_000, 5_000, 14_000]),
    tail=st.sampled_from([1, 3, 20, 200]),
)
def test_the_verdict_survives_and_the_budget_holds(
    lines: list[str], ending: str, end: str, budget: int, tail: int
) -> None:
    check(ending.join(lines) + end, budget=budget, tail=tail)


@pytest.mark.parametrize("length", [0, 1, 399, 3_000, 65_535, 65_536, 65_537, 10**6])
@pytest.mark.parametrize("last", ["x", "é", "😀", "\x1b[1mb", "50%\r"])
def test_a_last_line_of_any_length_keeps_its_end(length: int, last: str) -> None:
    text = "first\n" + (last * length)[:length] + "é THE END"
    envelope = check(text)
    assert parsed(envelope)["tail"][-1][1].endswith(" THE END")


@pytest.mark.parametrize("length", range(1, 401, 7))
def test_forty_signal_lines_of_any_length(length: int) -> None:
    signal = ("error: " + "e" * 400)[: max(length, 6)]
    lines = [line for n in range(40) for line in (f"step {n}", signal)]
    envelope = check("\n".join([*lines, "BUILD FAILED"]))
    assert "of 41 signal lines" in envelope


def test_one_long_line_shows_its_beginning_and_its_end() -> None:
    text = "BEGIN" + "é" * 40_000 + "THE END"
    envelope = check(text)
    assert "--- head: lines 1 to 1\nBEGIN" in envelope
    assert parsed(envelope)["tail"][-1][1].endswith("THE END")
    assert len(envelope) > 7_000


@pytest.mark.parametrize("asked", [0, 1, 7, 3_000])
def test_a_head_is_as_long_as_it_is_asked_for_where_there_is_room(asked: int) -> None:
    text = "".join(f"{n}\n" for n in range(1, 40_001)) + "ERROR: boom\n"
    envelope = text_envelope(text, label="seq", path=HERE, head=asked)
    assert len(envelope) <= 14_000
    shown = parsed(envelope).get("head", [])
    if asked < 100:
        assert len(shown) == asked
    else:
        assert len(envelope) > 13_000
    assert told_of(envelope)["head"] == len(shown)
    assert f"--offset {len(shown) + 1} --limit 100;" in envelope


def test_of_plain_numbers_forty_lines_say_what_they_are() -> None:
    text = "".join(f"{n}\n" for n in range(1, 40_001)) + "ERROR: boom\n1\n2\n"
    envelope = check(text)
    assert len(envelope.split("\n")) < 80
    assert envelope.endswith("\nERROR: boom\n1\n2\n[end of the envelope]")
    assert "Shown: 1 of 1 signal line, the first 40 lines, the last 20 lines\n" in (
        envelope
    )


def test_the_commands_to_read_on_can_be_given_as_they_stand(tmp_path: Path) -> None:
    from tests.command import run

    path = tmp_path / "it's an output.txt"
    path.write_text("".join(f"line {n}\n" for n in range(1, 20_001)))
    envelope = text_envelope(path.read_text(), label="x", path=path)
    [row] = re.findall(r"^To read on: (.*)$", envelope, re.MULTILINE)
    show, _, grep = row.partition("; to search: ")
    program, *words = shlex.split(show)
    assert program == "spillview"
    assert run(*words).lines == [f"line {n}" for n in range(41, 141)]
    program, *words = shlex.split(grep.replace("PATTERN", "'line 777$'"))
    assert "line 777" in run(*words).out


def test_a_path_too_long_to_stand_in_a_command_stands_above_it(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 250)
    folder.mkdir()
    path = folder / "x.txt"
    path.touch()
    envelope = text_envelope("x\n" * 500, label="x", path=path)
    assert envelope.count(str(path)) == 1
    assert "spillview show FILE --offset 41" in envelope


@pytest.mark.parametrize("length", range(2_900, 3_300, 13))
def test_a_line_little_longer_than_the_tail_is_not_shown_twice(length: int) -> None:
    envelope = check("".join(chr(0x4E00 + n) for n in range(length)))
    assert envelope.count(chr(0x4E00 + length // 2)) <= 1
    assert envelope.count(chr(0x4E00 + length - 1)) == 1


def test_progress_bars_collapse_where_they_are_shown_and_not_in_counts() -> None:
    bar = "".join(f"{n}%\r" for n in range(100)) + "100% done"
    text = "start\n" + "\n".join([bar] * 30) + "\nok\n"
    envelope = check(text)
    assert f"{len(text):,} chars" in envelope
    assert f"[{len(bar) - 9} bytes overwritten]…100% done" in envelope
    assert "99%" not in envelope
    assert "lines without the frames that a CR overwrote" in envelope


def test_a_signal_that_a_bar_overwrote_is_shown_all_the_same() -> None:
    text = "a\n" * 100 + "10%\rerror: lost\r100%\n" + "b\n" * 100
    envelope = check(text)
    assert "101: [4 bytes overwritten]…error: lost…[5 bytes after]" in envelope


def test_a_long_signal_line_is_cut_around_its_hit() -> None:
    text = "y" * 5_000 + " error: here " + "z" * 5_000 + "\n" + "ok\n" * 100
    envelope = check(text)
    (row,) = parsed(envelope)["signal"]
    assert re.fullmatch(
        r"\[\d+ bytes before\]…y+ error: here z+…\[\d+ bytes after\]", row[1]
    )
    assert len(row[1]) <= 400


def test_an_own_pattern_takes_the_place_of_the_words() -> None:
    text = "error: a\nnote: schön\nwarning: b\n" + "x\n" * 300
    envelope = text_envelope(
        text, label="cc", path=HERE, signal="^.*(?:warning|schön)", tail=3
    )
    assert "Shown: 2 of 2 signal lines, " in envelope
    assert "\n2: note: schön\n3: warning: b\n" in envelope


@pytest.mark.parametrize(
    ("pattern", "word"),
    [("(", "is not a regex"), ("(a+)+b", "repeat"), ("x*", "empty"), ("a|", "empty")],
)
def test_a_pattern_that_is_none_or_may_hang_is_refused(pattern: str, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        text_envelope("x\n", label="x", path=HERE, signal=pattern)


@pytest.mark.parametrize("off", range(6))
@pytest.mark.parametrize("end", ["", "error: it broke"])
def test_no_escape_sequence_is_torn_where_a_long_line_is_looked_at(
    off: int, end: str
) -> None:
    text = "x" * 100_000 + "\x1b[31m" * 20_000 + "y" * off + end
    envelope = text_envelope(text, label="long", path=HERE)
    tail = envelope.split("--- tail: ")[1].split("\n")[1]
    assert re.sub(r"\[\d+ bytes before\]…", "", tail) == "y" * off + end
    assert not re.search(r"[0-9\[]m", envelope.split("\n---", 1)[1])


def test_a_conclusion_before_the_tail_is_shown() -> None:
    text = (
        "x\n" * 400
        + "===== 10 passed in 0.12s =====\n"
        + "".join(f"note {n}\n" for n in range(12))
    )
    envelope = text_envelope(text, label="pytest", path=HERE, tail=5)
    assert "--- conclusion: pytest, pass\n401: ===== 10 passed" in envelope
    content = BytesContent(text.encode())
    assert seen_in(envelope, content, count(content)).certain


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        text_envelope("x", label="x", path=tmp_path / "none.txt")
    with pytest.raises(BadInput, match="no regular file"):
        text_envelope("x", label="x", path=tmp_path)


@pytest.mark.parametrize("text", ["", "x" * 9_000, "error\n" * 900, "\n" * 50])
def test_a_budget_that_is_too_small_names_one_that_is_not(text: str) -> None:
    with pytest.raises(BadInput) as refusal:
        text_envelope(text, label="x", path=HERE, budget=100)
    needed = int(re.sub(r"\D", "", str(refusal.value).rpartition("least")[2]))
    assert len(text_envelope(text, label="x", path=HERE, budget=needed)) <= needed


def test_labels_and_further_lines_stay_on_one_line() -> None:
    content = BytesContent(b"x\n" * 9)
    envelope = fold_text(
        content,
        count(content),
        label="a\nb\x1b[31m {size} " + "c" * 900,
        path=HERE,
        extra=["exit code 2\n--- tail: lines 1 to 2"],
    ).text
    first, second = envelope.split("\n")[:2]
    assert first.startswith("[spillview text envelope, ")
    assert "a b␛[31m {size} ccc" in first
    assert len(first) < 260
    assert second.startswith("Full output: ")
    assert "\nexit code 2 --- tail: lines 1 to 2\n" in envelope


def test_bytes_that_are_no_utf8_and_images() -> None:
    data = b"a\xff\xfeb\n" * 400 + b"\x00\x01 end\xc3"
    content = BytesContent(data)
    envelope = fold_text(content, count(content), label="x", path=HERE)
    assert "\n␀␁ end\ufffd\n" in envelope.text
    assert seen_in(envelope.text, content, count(content)).ranges == envelope.facts.seen
    image = BytesContent(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    shown = fold_text(image, count(image), label="x", path=HERE)
    assert "it is an image" in shown.text
    assert shown.facts.seen == ()


@pytest.mark.parametrize("text", ["0\x00a\x00b\x00\n\x00 end", "GIF89a\nend"])
def test_a_text_that_looks_like_utf16_or_an_image_is_a_text(text: str) -> None:
    envelope = text_envelope(text, label="x", path=HERE)
    assert f"Size: {len(text):,} chars" in envelope
    assert " end\n" in envelope or "\nend\n" in envelope
