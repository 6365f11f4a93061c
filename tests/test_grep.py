"""Search through ripgrep: its own results, with places on disk and what was seen."""

from __future__ import annotations

import base64
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spillview.model import Artifact, Counts, Found, Link, Seen
from spillview.search import grep, handles
from spillview.search.excerpts import EXCERPT, LONG, LongMessage, as_bytes, frames
from spillview.search.grep import Message, Options, Report, search, tally
from spillview.search.ripgrep import BadPattern, find_ripgrep
from tests.command import SLOW, busy

RG = find_ripgrep().path


def artifact(
    path: Path | bytes,
    *,
    encoding: str = "utf-8",
    seen: list[tuple[int, int]] | None = None,
    certain: bool = True,
) -> Artifact:
    """An artifact at `path` whose model received `seen`."""
    text = os.fsdecode(path)
    link = None
    if seen is not None:
        link = Link("linked", seen=Seen(tuple(seen), certain))
    return Artifact(
        Found(
            id=f"{abs(hash(text)) & (1 << 63):016x}"[:16],
            harness="folder",
            path=text,
            name=os.path.basename(text),
            session="s",
            root=os.path.dirname(text),
        ),
        counts=Counts(0, 0, 0, 0, encoding, "text"),
        link=link,
    )


def rg_json(*arguments: str | bytes | Path) -> list[Message]:
    """What ripgrep itself says, one file after the other."""
    done = subprocess.run(
        [RG, "--no-config", "--json", "-a", "-j1", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return [orjson.loads(line) for line in done.stdout.splitlines()]


def untimed(messages: list[Message], *, own: bool = False) -> list[Message]:
    """Messages without times and, with `own`, without what spillview adds."""

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            dropped = {"elapsed", "elapsed_total"}
            if own:
                dropped |= {"artifact", "seen", "byte_range"}
            return {k: clean(v) for k, v in value.items() if k not in dropped}
        if isinstance(value, list):
            return [clean(item) for item in value]
        return value

    cleaned: list[Message] = clean(messages)
    return cleaned


def of_type(kind: str, messages: list[Message]) -> list[dict[str, Any]]:
    return [m["data"] for m in messages if m["type"] == kind]


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        (Options(), []),
        (Options(case="-i"), ["-i"]),
        (Options(case="-S"), ["-S"]),
        (Options(fixed=True), ["-F"]),
        (Options(word=True), ["-w"]),
        (Options(invert=True), ["-v"]),
        (Options(max_count=2), ["-m2"]),
        (Options(before=1, after=2), ["-B1", "-A2"]),
        (Options(invert=True, after=1), ["-v", "-A1"]),
    ],
)
def test_messages_are_those_of_ripgrep(
    tmp_path: Path, options: Options, flags: list[str]
) -> None:
    files = {
        b"a.txt": b"Error one\nfine\nerror two\r\nerrors. error\n\nlast error",
        b"b \xff\n.txt": b"\xff\xfe\x80 error\nNUL \0 error\n",
        b"-c.txt": "エラー error 😀\nなし\n".encode() * 3,
        b"empty": b"",
    }
    paths = []
    for name, data in files.items():
        path = os.fsencode(tmp_path) + b"/" + name
        with open(path, "wb") as out:
            out.write(data)
        paths.append(path)
    ours = list(search([artifact(p) for p in paths], "error", options))
    assert untimed(ours, own=True) == untimed(rg_json(*flags, "-e", "error", *paths))


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    data=st.lists(
        st.one_of(
            st.binary(max_size=12),
            st.text(alphabet="ab\n\r eé日😀\0", max_size=30).map(str.encode),
        ),
        max_size=12,
    ).map(b"".join),
    pattern=st.sampled_from(["a", "b+", "^a", "e$", "é", "日|😀", "a*", r"\s", "."]),
    invert=st.booleans(),
    context=st.integers(0, 2),
)
def test_any_bytes_give_what_ripgrep_gives_and_true_byte_ranges(
    tmp_path: Path, data: bytes, pattern: str, invert: bool, context: int
) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = b"x" + data
    path = tmp_path / "any"
    path.write_bytes(data)
    options = Options(invert=invert, before=context, after=context)
    ours = list(search([artifact(path)], pattern, options))
    flags = ["-v"] if invert else []
    theirs = rg_json(*flags, f"-C{context}", "-e", pattern, path)
    assert untimed(ours, own=True) == untimed(theirs)
    for found in of_type("match", ours) + of_type("context", ours):
        start, end = found["byte_range"]
        assert data[start:end] == as_bytes(found["lines"])
        assert data[:start].count(b"\n") == found["line_number"] - 1


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lines=st.lists(st.text(alphabet="abé日😀\r", max_size=20), max_size=20),
    encoding=st.sampled_from(["utf-16-le", "utf-16-be"]),
    mark=st.booleans(),
    lone=st.booleans(),
)
def test_utf16_matches_carry_their_line_and_bytes_on_disk(
    tmp_path: Path, lines: list[str], encoding: str, mark: bool, lone: bool
) -> None:
    start = ("\ufeff" if mark else "").encode(encoding)
    if lone:
        lines = ["\ud800x", *lines]
    expected = []
    at = len(start)
    for number, line in enumerate(lines, 1):
        size = len((line + "\n").encode(encoding, "surrogatepass"))
        if "a" in line or "😀" in line:
            expected.append((number, [at, at + size]))
        at += size
    text = "".join(line + "\n" for line in lines)
    path = tmp_path / "wide"
    path.write_bytes(start + text.encode(encoding, "surrogatepass"))
    found = of_type("match", list(search([artifact(path, encoding=encoding)], "a|😀")))
    assert [(m["line_number"], m["byte_range"]) for m in found] == expected
    for match in found:
        for hit in match["submatches"]:
            assert hit["match"]["text"] in ("a", "😀")


def test_utf16_larger_than_one_block_is_located_everywhere(tmp_path: Path) -> None:
    lines = [f"{n} 日本😀 {'needle' if n % 997 == 0 else 'hay'}\n" for n in range(5000)]
    data = "\ufeff".encode("utf-16-le") + "".join(lines).encode("utf-16-le")
    path = tmp_path / "wide"
    path.write_bytes(data)
    seen = [(0, len(data) // 2)]
    found = of_type(
        "match",
        list(search([artifact(path, encoding="utf-16-le", seen=seen)], "needle")),
    )
    assert len(found) == 6
    for match in found:
        start, end = match["byte_range"]
        assert data[start:end].decode("utf-16-le") == lines[match["line_number"] - 1]
        assert match["seen"] is (end < len(data) // 2)


def test_a_word_in_utf16_without_a_mark_is_found(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes("all fine\r\nBUILD FAILED\r\n".encode("utf-16-le"))
    [found] = of_type(
        "match", list(search([artifact(path, encoding="utf-16-le")], "FAILED"))
    )
    assert found["line_number"] == 2
    assert found["byte_range"] == [20, 48]


def test_a_nul_before_the_match_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "nul"
    path.write_bytes(b"\0\0\0" * 100 + b"\n" + b"x" * 70_000 + b"\nneedle\n")
    [found] = of_type("match", list(search([artifact(path)], "needle")))
    assert found["line_number"] == 3


def test_a_bad_byte_midway_does_not_end_the_search(tmp_path: Path) -> None:
    lines = [b"needle \xff\xc3(" if n % 3 == 0 else b"hay \xfe" for n in range(3000)]
    path = tmp_path / "bad"
    path.write_bytes(b"\n".join(lines))
    assert [n for _, n in tally([artifact(path)], "needle")] == [1000]
    found = of_type("match", list(search([artifact(path)], "needle")))
    assert [m["line_number"] for m in found] == list(range(1, 3001, 3))


def test_results_come_in_the_order_of_the_list(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n:03}" for n in range(300)]
    for path in paths:
        path.write_text("needle\n" * 3)
    order = paths[::-1]
    found = of_type("begin", list(search([artifact(p) for p in order], "needle")))
    assert [m["path"]["text"] for m in found] == [str(p) for p in order]


def test_a_file_named_twice_is_searched_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("needle\n")
    one = artifact(path)
    assert len(of_type("match", list(search([one, one], "needle")))) == 1


def test_what_the_model_received_decides_seen(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"needle 1\nneedle 2\nneedle needle 3\n")
    one = artifact(path, seen=[(0, 6), (9, 24)])
    found = of_type("match", list(search([one], "needle")))
    assert [m["seen"] for m in found] == [True, True, False]


def test_what_could_not_be_located_is_unknown_rather_than_unseen(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"needle 1\nneedle 2\n")
    one = artifact(path, seen=[(0, 9)], certain=False)
    found = of_type("match", list(search([one], "needle")))
    assert [m["seen"] for m in found] == [True, None]


def test_an_orphans_matches_are_neither_seen_nor_unseen(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"needle\n")
    assert of_type("match", list(search([artifact(path)], "needle")))[0]["seen"] is None
    for seen in (True, False):
        report = Report()
        options = Options(seen=seen)
        assert not of_type(
            "match", list(search([artifact(path)], "needle", options, report=report))
        )
        assert report.unknown == 1


def test_an_inverted_match_is_seen_when_its_text_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"needle\nhay 1\r\nhay 2\n")
    one = artifact(path, seen=[(7, 12)])
    found = of_type("match", list(search([one], "needle", Options(invert=True))))
    assert [m["seen"] for m in found] == [True, False]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    lines=st.lists(st.sampled_from(["a", "b", "aa"]), min_size=1, max_size=14),
    received=st.sets(st.integers(0, 13)),
    seen=st.booleans(),
    before=st.integers(0, 3),
    after=st.integers(0, 3),
    limit=st.none() | st.integers(1, 3),
)
def test_seen_and_unseen_choose_matches_before_counts_and_context(
    tmp_path: Path,
    lines: list[str],
    received: set[int],
    seen: bool,
    before: int,
    after: int,
    limit: int | None,
) -> None:
    path = tmp_path / "a"
    path.write_text("".join(line + "\n" for line in lines))
    starts = [sum(len(x) + 1 for x in lines[:n]) for n in range(len(lines) + 1)]
    ranges = [(starts[n], starts[n + 1]) for n in sorted(received) if n < len(lines)]
    wanted = [n for n, x in enumerate(lines) if "a" in x and (n in received) is seen][
        :limit
    ]
    shown = {
        n
        for m in wanted
        for n in range(m - before, m + after + 1)
        if 0 <= n < len(lines)
    }
    options = Options(seen=seen, before=before, after=after, max_count=limit)
    messages = list(search([artifact(path, seen=ranges)], "a", options))
    matches = of_type("match", messages)
    assert [m["line_number"] - 1 for m in matches] == wanted
    around = of_type("context", messages)
    assert {m["line_number"] - 1 for m in matches + around} == shown
    numbers = [m["data"]["line_number"] for m in messages if "lines" in m["data"]]
    assert numbers == sorted(set(numbers))
    assert len(of_type("begin", messages)) == len(of_type("end", messages))
    stats = messages[-1]["data"]["stats"]
    assert stats["matched_lines"] == len(wanted)
    assert stats["matches"] == sum(len(m["submatches"]) for m in matches)


def test_counts_and_names_equal_those_of_ripgrep(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a\nb", "-c", "none")]
    for path, text in zip(paths, ("x x\nx\n", "x\n", "y\n"), strict=True):
        path.write_text(text)
    artifacts = [artifact(path) for path in paths]

    def told(options: Options, names_only: bool = False) -> list[tuple[str, int]]:
        counted = tally(artifacts, "x", options, names_only=names_only)
        return [(one.found.name, number) for one, number in counted]

    assert told(Options()) == [("a\nb", 2), ("-c", 1)]
    assert told(Options(only_matching=True)) == [("a\nb", 3), ("-c", 1)]
    assert told(Options(max_count=1)) == [("a\nb", 1), ("-c", 1)]
    assert told(Options(), names_only=True) == [("a\nb", 1), ("-c", 1)]


# -- long lines ----------------------------------------------------------------------


@pytest.mark.parametrize("size", [EXCERPT + 10, LONG // 2, 3 * LONG])
@pytest.mark.parametrize("at", [0.0, 0.5, 1.0])
def test_a_long_line_is_an_excerpt_around_the_hit(
    tmp_path: Path, size: int, at: float
) -> None:
    hay = '日"\\'
    count = size // len(hay.encode())
    before = hay * int(count * at)
    text = "first\n" + before + "needle" + hay * (count - int(count * at)) + "\nlast\n"
    data = text.encode()
    path = tmp_path / "a"
    path.write_bytes(data)
    [found] = of_type("match", list(search([artifact(path)], "needle")))
    line = data.split(b"\n")[1] + b"\n"
    assert found["lines_bytes"] == len(line)
    assert found["line_number"] == 2
    assert found["byte_range"] == [6, 6 + len(line)]
    given_text = found["lines"]["text"].encode()
    assert EXCERPT - 6 <= len(given_text) <= EXCERPT or at in (0, 1)
    assert len(given_text) <= EXCERPT
    start = found["excerpt_start"]
    assert line[start : start + len(given_text)] == given_text
    [hit] = found["submatches"]
    assert given_text[hit["start"] : hit["end"]] == b"needle"
    assert start + hit["start"] == len(before.encode())


@pytest.mark.parametrize("repeats", [20_000, 400_000])
def test_hits_outside_the_excerpt_are_counted(tmp_path: Path, repeats: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"needle;" * repeats)
    size = 7 * repeats
    one = artifact(path, seen=[(0, size - 1)])
    [found] = of_type("match", list(search([one], "needle")))
    assert found["submatches_total"] == repeats
    assert 0 < len(found["submatches"]) < repeats
    assert found["seen"] is True
    [cut] = of_type("match", list(search([artifact(path, seen=[(0, 9)])], "needle")))
    assert cut["seen"] is False
    assert found["byte_range"] == [0, size]


@pytest.mark.parametrize("repeats", [20_000, 400_000])
def test_only_matching_gives_every_hit_of_a_long_line(
    tmp_path: Path, repeats: int
) -> None:
    path = tmp_path / "a"
    data = b"".join(b'{"id":"%d"},' % n for n in range(repeats))
    path.write_bytes(data)
    options = Options(only_matching=True)
    messages = list(search([artifact(path)], r'"id":"\d+"', options))
    found = [
        m["excerpt_start"] + hit["start"]
        for m in of_type("match", messages)
        for hit in m["submatches"]
    ]
    assert found == [hit.start() for hit in re.finditer(rb'"id":"\d+"', data)]
    assert messages[-1]["data"]["stats"]["matched_lines"] == 1


def test_full_lines_are_given_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3 * LONG + b"needle\n")
    ours = list(search([artifact(path)], "needle", Options(full_lines=True)))
    assert untimed(ours, own=True) == untimed(rg_json("needle", path))


def test_a_match_longer_than_an_excerpt_is_cut_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3 * LONG)
    [found] = of_type("match", list(search([artifact(path)], "x+")))
    [hit] = found["submatches"]
    assert (hit["start"], hit["end"]) == (0, EXCERPT)
    assert found["lines_bytes"] == 3 * LONG


def test_a_long_line_of_utf16_is_an_excerpt_too(tmp_path: Path) -> None:
    text = "\ufeff" + "一\n" + "日😀" * 300_000 + "needle" + "日" * 90_000 + "\nend"
    path = tmp_path / "a"
    path.write_bytes(text.encode("utf-16-le"))
    one = artifact(path, encoding="utf-16-le")
    [found] = of_type("match", list(search([one], "needle")))
    [hit] = found["submatches"]
    excerpt = found["lines"]["text"].encode()
    assert excerpt[hit["start"] : hit["end"]] == b"needle"
    line = text[3:].split("\n")[0] + "\n"
    assert found["lines_bytes"] == len(line.encode())
    start, end = found["byte_range"]
    assert text.encode("utf-16-le")[start:end].decode("utf-16-le") == line


def test_context_and_inverted_long_lines_are_excerpts(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"y" * 2 * LONG + b"\nneedle\n" + b"z" * (EXCERPT + 5) + b"\n")
    messages = list(search([artifact(path)], "needle", Options(before=1, after=1)))
    before, after = of_type("context", messages)
    assert before["lines_bytes"] == 2 * LONG + 1
    assert after["lines_bytes"] == EXCERPT + 6
    inverted = of_type(
        "match", list(search([artifact(path)], "needle", Options(invert=True)))
    )
    assert [m["lines_bytes"] for m in inverted] == [2 * LONG + 1, EXCERPT + 6]


@settings(max_examples=80, deadline=None)
@given(
    lines=st.lists(
        st.tuples(
            st.text(max_size=10),
            st.integers(0, 3),
            st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=4),
        ),
        max_size=6,
    ),
    cut=st.integers(1, 5000),
)
def test_messages_cut_anywhere_give_the_same_offsets(
    lines: list[tuple[str, int, list[tuple[int, int]]]], cut: int
) -> None:
    messages = []
    for text, long, hits in lines:
        data = {
            "path": {"text": '/p","lines":{"x'},
            "lines": {"text": (text + '"},"start":7,"end":9}') * (1 + long * 40_000)},
            "line_number": 3,
            "absolute_offset": 77,
            "submatches": [
                {"match": {"text": text}, "start": a, "end": b} for a, b in hits
            ],
        }
        messages.append(orjson.dumps({"type": "match", "data": data}))
    stream = b"".join(m + b"\n" for m in messages)
    step = cut if len(stream) < 20_000 else 50_000 + cut * 100
    chunks = [stream[n : n + step] for n in range(0, len(stream), step)]
    got: list[tuple[int, int, list[tuple[int, int]]]] = []
    pending: list[tuple[int, int]] = []
    for frame in frames(chunks):
        if isinstance(frame, LongMessage):
            pending += frame.take()
            if frame.complete:
                assert orjson.loads(frame.head)["data"]["path"]["text"].endswith("x")
                got.append((frame.line_number or 0, frame.absolute_offset, pending))
                pending = []
        else:
            data = orjson.loads(frame)["data"]
            found = [(hit["start"], hit["end"]) for hit in data["submatches"]]
            got.append((data["line_number"], data["absolute_offset"], found))
    assert got == [(3, 77, hits) for _, _, hits in lines]


# -- what cannot be read, and stopping -----------------------------------------------


def test_what_cannot_be_read_is_reported_and_the_rest_is_searched(
    tmp_path: Path,
) -> None:
    good = tmp_path / "good"
    good.write_text("needle\n")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    link = tmp_path / "link"
    link.symlink_to(good)
    gone = tmp_path / "gone\nrg: x"
    report = Report()
    artifacts = [artifact(p) for p in (gone, fifo, link, good)]
    found = of_type("match", list(search(artifacts, "needle", report=report)))
    assert len(found) == 1
    assert [p.path for p in report.problems] == [str(gone)]
    assert report.skipped == 2
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("opened", [True, False])
def test_a_file_that_vanishes_after_the_check_is_searched_or_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: bool
) -> None:
    """Where ripgrep is given the open file it searches that, else it says so."""
    if opened and not handles.room(1):
        pytest.skip("no open file can be given to a process here")
    if not opened:
        monkeypatch.setattr(grep, "room", lambda processes: 0)
    paths = [tmp_path / "gone", tmp_path / "good"]
    for path in paths:
        path.write_text("needle\n")
    real = os.lstat

    def late(path: str) -> os.stat_result:
        facts = real(path)
        if path == str(paths[1]):
            paths[0].unlink()
        return facts

    monkeypatch.setattr("spillview.search.grep.os.lstat", late)
    report = Report()
    found = list(search([artifact(p) for p in paths], "needle", report=report))
    assert len(of_type("match", found)) == 1 + opened
    assert [(p.path, p.sentence) for p in report.problems] == (
        [] if opened else [(str(paths[0]), "it is gone")]
    )


@pytest.mark.parametrize("files", [0, 1])
@pytest.mark.parametrize("pattern", ["(", "a\nb", r"\P{nothing}"])
def test_a_pattern_that_is_none_is_one_sentence(
    tmp_path: Path, pattern: str, files: int
) -> None:
    path = tmp_path / "a"
    path.write_text("x\n")
    with pytest.raises(BadPattern) as caught:
        list(search([artifact(path)] * files, pattern))
    assert "\n" not in str(caught.value)


def running_children() -> Iterator[str]:
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                status = Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            if f") S {os.getpid()} " in status or f") R {os.getpid()} " in status:
                yield Path("/proc", entry, "comm").read_text().strip()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("stop", ["cancel", "close"])
def test_a_search_that_is_stopped_leaves_no_process(tmp_path: Path, stop: str) -> None:
    path = busy(tmp_path)
    begin = threading.Event()
    pattern = SLOW if stop == "cancel" else "é"
    results = search([artifact(path)], pattern, cancelled=begin.is_set)
    if stop == "cancel":  # it would run for minutes and find nothing
        threading.Timer(0.1, begin.set).start()
        assert not list(results)
    else:
        next(results)
        results.close()  # type: ignore[attr-defined]  # a generator
    assert "rg" not in list(running_children())


def test_nested_repetition_takes_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes((b"a" * 5000 + b"!\n") * 200 + b"a" * 5000)
    found = of_type("match", list(search([artifact(path)], "(a+)+$")))
    assert [m["line_number"] for m in found] == [201]


def test_progress_is_told_by_artifacts(tmp_path: Path) -> None:
    paths = [tmp_path / str(n) for n in range(3)]
    for path in paths:
        path.write_text("x")
    told: list[tuple[int, int]] = []
    list(
        search(
            [artifact(p) for p in paths], "x", progress=lambda a, b: told.append((a, b))
        )
    )
    assert told[-1] == (3, 3)


def test_links_are_completed_only_where_something_matched(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    paths[0].write_text("needle\n")
    paths[1].write_text("hay\n")
    asked: list[str] = []

    def facts(one: Artifact) -> Artifact:
        asked.append(one.found.name)
        return artifact(Path(one.found.path), seen=[(0, 7)])

    plain: Callable[[Path], Artifact] = artifact
    found = list(search([plain(p) for p in paths], "needle", facts=facts))
    assert asked == ["a"]
    assert of_type("match", found)[0]["seen"] is True


def test_bytes_that_are_no_text_stay_exact(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xff needle \xfe" + b"\x80" * (EXCERPT * 2) + b"\n")
    [found] = of_type("match", list(search([artifact(path)], "needle")))
    given_bytes = base64.b64decode(found["lines"]["bytes"])
    assert path.read_bytes().startswith(given_bytes)
    [hit] = found["submatches"]
    assert given_bytes[hit["start"] : hit["end"]] == b"needle"
