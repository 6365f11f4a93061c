"""Which bytes of an artifact the model received: envelopes, reads, the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.model import Boundary, Found, Link, Seen, Unit
from spillview.places import Places
from spillview.profiles.profile import Preview, load_profiles
from spillview.seen.reads import Reader
from spillview.seen.seen import align, look, survival
from tests.stores import (
    Claude,
    Dsh,
    Made,
    bounded,
    envelope_of,
    head_of,
    log_of,
    make_claude,
    numbered,
    span,
)
from tests.test_links import Store, look_into

PROFILE = load_profiles(Places.of_home("/nowhere"))[0]["claude-code"]


def aligned(shown: str, data: bytes, form: str | Preview) -> Seen:
    content = BytesContent(data)
    return align(shown, content, count(content), form)


def looked(store: Store, made: Made) -> Link:
    found = store.of(made)
    counts = count(BytesContent(made.path.read_bytes()))
    return look(found, counts, store.joined.links[found.id], store.profile)


def received(data: bytes, seen: Seen) -> list[bytes]:
    return [data[start:end] for start, end in seen.ranges]


# Heads


def test_head_is_its_exact_bytes() -> None:
    data = log_of(3000)
    assert aligned(data[:2000].decode(), data, "head") == Seen(((0, 2000),))


def test_head_of_wide_chars_is_measured_in_bytes() -> None:
    data = ("日本語の出力 🎉\n" * 400).encode()
    text, size = head_of(data, 2000)
    assert size > 4000
    assert aligned(text, data, "head") == Seen(((0, size),))


def test_cut_inside_a_surrogate_pair_or_a_sequence_adds_nothing() -> None:
    data = ("a" * 10 + "🎉" + "b" * 3000).encode()
    for cut in ("\ud83c", "\ufffd", "\ufffd\ufffd\ufffd"):
        assert aligned("a" * 10 + cut, data, "head") == Seen(((0, 10),))


def test_replacement_characters_stand_for_the_bad_bytes() -> None:
    data = b"ok \xff\xfe bad \xe6\x97 cut\n" + b"more\n" * 40
    text = data[:20].decode("utf-8", "replace")
    assert aligned(text, data, "head") == Seen(((0, 20),))


def test_crlf_shown_as_lf_counts_its_cr() -> None:
    data = b"one\r\ntwo\r\n" + b"rest\r\n" * 400
    assert aligned("one\ntwo\nre", data, "head") == Seen(((0, 12),))


def test_line_end_that_was_trimmed_is_not_counted() -> None:
    data = b"one\ntwo\n\n\nthree\n"
    assert aligned("one\ntwo", data, "head") == Seen(((0, 7),))


def test_leading_blank_lines_that_were_trimmed_are_not_counted() -> None:
    data = b"\n \n" + log_of(300)
    text = data[3:500].decode()
    assert aligned(text, data, "head") == Seen(((3, 500),))


def test_stripped_colours_lie_inside_the_range() -> None:
    data = b"\x1b[1mBuild\x1b[0m ok\n" + b"\x1b[32mpass\x1b[0m\n" * 500
    shown = "Build ok\n" + "pass\n" * 10
    (start, end) = aligned(shown, data, "head").ranges[0]
    assert start == 0
    assert data[start:end].count(b"pass") == 10


def test_overwritten_frames_of_a_progress_bar_are_not_received() -> None:
    data = (
        b"start\n" + b"".join(b"%d%%\r" % n for n in range(100)) + b"done 100%\nend\n"
    )
    seen = aligned("start\ndone 100%\nend", data, "head")
    last = data.index(b"done")
    assert seen == Seen(((0, 6), (last, len(data) - 1)))


def test_mark_of_the_cut_is_no_part_of_the_file() -> None:
    data = log_of(3000)
    assert aligned(data[:2000].decode() + "\n...", data, "head") == Seen(((0, 2000),))


def test_unrelated_preview_is_not_seen_and_leaves_the_rest_open() -> None:
    data = b"total 48\nreal output\n" * 100
    seen = aligned("total 48\ndrwxr-xr-x 2 root root 4096 src\n" * 40, data, "head")
    assert seen == Seen((), certain=False)


def test_what_fits_of_a_preview_is_seen_and_the_rest_uncertain() -> None:
    data = log_of(3000)
    shown = data[:1000].decode() + "something the file never held"
    seen = aligned(shown, data, "head")
    assert not seen.certain
    assert seen.ranges == ((0, 1000),)


def test_utf16_is_aligned_however_it_was_decoded() -> None:
    text = "".join(f"line {n} ünï\n" for n in range(300))
    data = b"\xff\xfe" + text.encode("utf-16-le")
    assert aligned(text[:500], data, "head") == Seen(((2, 1002),))
    garbled = data[:400].decode("utf-8", "replace")
    assert aligned(garbled, data, "head") == Seen(((0, 400),))


# Tails, heads and tails


def test_tail_is_its_exact_bytes_with_or_without_the_last_line_end() -> None:
    data = log_of(3000)
    size = len(data)
    assert aligned(data[-500:].decode(), data, "tail") == Seen(((size - 500, size),))
    trimmed = data[-500:-1].decode()
    assert aligned(trimmed, data, "tail") == Seen(((size - 500, size - 1),))


def test_tail_of_periodic_content_is_where_the_form_says() -> None:
    data = b"ab\n" * 1000
    assert aligned("ab\nab\n", data, "tail") == Seen(((2994, 3000),))
    assert aligned("ab\nab\n", data, "head") == Seen(((0, 6),))


def test_head_and_tail_with_nothing_between() -> None:
    data = log_of(6000)
    text, ranges = bounded(data, Path("/tmp/x"), 8000)
    shown = text.rpartition("\n\n(")[0]
    assert aligned(shown, data, "head+tail") == Seen(ranges)
    assert len(ranges) == 2


def test_head_and_tail_of_periodic_content_follow_the_even_budget() -> None:
    data = b"a" * 10_001
    for cap in range(900, 910):
        text, ranges = bounded(data, Path("/tmp/x"), cap)
        shown = text.rpartition("\n\n(")[0]
        assert aligned(shown, data, "head+tail") == Seen(ranges)


def test_head_and_tail_around_a_mark() -> None:
    data = log_of(6000)
    rule = Preview(form="head+tail", gap=r"\n\n\[\.\.\.\]\n\n")
    shown = data[:700].decode() + "\n\n[...]\n\n" + data[-900:].decode()
    size = len(data)
    assert aligned(shown, data, rule) == Seen(((0, 700), (size - 900, size)))


def test_content_that_holds_the_mark_itself() -> None:
    data = (b"x\n\n[...]\n\n" + log_of(100)) * 6
    rule = Preview(form="head+tail", gap=r"\n\n\[\.\.\.\]\n\n")
    shown = data[:1500].decode() + "\n\n[...]\n\n" + data[-1400:].decode()
    size = len(data)
    assert aligned(shown, data, rule) == Seen(((0, 1500), (size - 1400, size)))


def test_nothing_omitted_is_the_whole_file_once() -> None:
    data = log_of(50)
    assert aligned(data.decode(), data, "head+tail") == Seen(((0, len(data)),))


def test_preview_longer_than_the_file_is_not_taken_for_all_of_it() -> None:
    seen = aligned("abab" * 30, b"ab" * 50, "head+tail")
    assert not seen.certain


# Any file, any preview

TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\x1b\ufffd"), max_size=200
)
PERIODIC = st.tuples(
    st.sampled_from(["ab", "a", "é", "日本", "x\n", "\n", "🎉a"]), st.integers(1, 60)
).map(lambda pair: pair[0] * pair[1])
FILES = st.one_of(TEXT, PERIODIC, st.tuples(PERIODIC, TEXT).map("".join))


@given(FILES, st.integers(0, 80))
def test_any_head_is_found_at_its_bytes(text: str, size: int) -> None:
    data = text.encode()
    shown = text[:size]
    assume(shown.strip() and not shown[0].isspace())
    seen = aligned(shown, data, "head")
    assert seen.certain
    assert b"".join(received(data, seen)) == shown.rstrip("\n ").encode() or (
        b"".join(received(data, seen)) == shown.encode()
    )
    assert seen.ranges[0][0] == 0


@given(FILES, st.integers(0, 80))
def test_any_tail_is_found_at_its_bytes(text: str, size: int) -> None:
    data = text.encode()
    shown = text[len(text) - min(size, len(text)) :]
    assume(shown.strip())
    seen = aligned(shown, data, "tail")
    start = len(data) - len(shown.encode())
    assert seen == Seen(((start, len(data)),))


@given(FILES, st.integers(150, 700))
def test_any_bounded_result_is_never_seen_beyond_what_it_kept(
    text: str, cap: int
) -> None:
    data = (text * 8).encode()
    assume(len(data) > cap)
    shown_text, ranges = bounded(data, Path("/t"), cap)
    shown, _, _ = shown_text.rpartition("\n\n(")
    assume(shown.strip())
    seen = aligned(shown, data, "head+tail")
    truth = {i for start, end in ranges for i in range(start, end)}
    claimed = {i for start, end in seen.ranges for i in range(start, end)}
    assert claimed <= truth
    if seen.certain:
        assert claimed == truth


@given(FILES, FILES, st.sampled_from(["head", "tail", "head+tail"]))
def test_nothing_is_seen_that_the_preview_does_not_hold(
    text: str, preview: str, form: str
) -> None:
    data = text.encode()
    seen = aligned(preview, data, form)
    joined = preview.encode()
    for part in received(data, seen):
        assert part in joined
    assert seen.bytes <= len(joined)


@given(st.binary(max_size=120), st.integers(1, 60))
def test_any_bytes_decoded_and_cut_are_found_or_left_open(
    data: bytes, size: int
) -> None:
    shown = data.decode("utf-8", "replace")[:size]
    assume(shown.strip())
    seen = aligned(shown, data, "head")
    # The oracle: the shortest prefix that decodes to what was shown.
    ends = [
        end
        for end in range(len(data) + 1)
        if data[:end].decode("utf-8", "replace") == shown
    ]
    if seen.certain and seen.ranges and ends and seen.ranges[0][0] == 0:
        assert seen.ranges[-1][1] <= max(ends)


# The envelope and its artifact


def test_envelope_shows_the_head_alone_and_the_verdict_stays_unseen(
    tmp_path: Path,
) -> None:
    made = make_claude(tmp_path).made["build"]
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert link.seen == Seen(made.seen)
    assert made.verdict == "FAILED (errors=3)"
    assert (link.verdict_seen, link.verdict) == (False, "fail")


def test_dsh_envelope_shows_both_ends_and_the_verdict(tmp_path: Path) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    made = log.spills(log_of(6000))
    log.write()
    link = looked(look_into(tmp_path, "dsh"), made)
    assert link.seen == Seen(made.seen)
    assert len(made.seen) == 2
    assert (link.verdict_seen, link.verdict) == (True, "fail")


@pytest.mark.parametrize("gap", ["", "\n\n[...]\n\n"])
def test_dsh_budget_never_splits_a_char(tmp_path: Path, gap: str) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    many = [
        log.spills(("日本🎉語" * 9000).encode() + b"!" * n, cap=50_000, gap=gap)
        for n in range(4)
    ]
    log.write()
    store = look_into(tmp_path, "dsh")
    for made in many:
        assert looked(store, made).seen == Seen(made.seen)


def test_pruned_result_shows_no_more_than_the_result_did(tmp_path: Path) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    made = log.spills(log_of(6000))
    text = made.envelope
    pruned = text[:4096] + "\n\n[... tool result middle pruned ...]\n\n" + text[-1024:]
    assert made.call_id is not None
    log.gets(made.call_id, pruned, surfaceOp={"op": "replace", "start": 1, "end": 2})
    log.write()
    assert looked(look_into(tmp_path, "dsh"), made).seen == Seen(made.seen)


def test_what_a_programs_sub_call_logged_is_not_what_the_model_received(
    tmp_path: Path,
) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    call = log.calls("run_code", code="…")
    path = log.place("bash.txt")
    data = log_of(6000)
    text, ranges = bounded(data, path)
    sub = {"subCallId": f"{call}:code:1", "name": "bash", "arguments": {}}
    log.event("tool/code-dispatch", sub | {"content": [{"type": "text", "text": text}]})
    log.gets(call, "counted")
    log.write()
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    made = Made(path, data, text, ranges, None, "bash", None, 0)
    link = looked(look_into(tmp_path, "dsh"), made)
    assert link.seen == Seen((), certain=False)
    assert link.verdict_seen is None


def test_background_log_of_which_nothing_was_shown(tmp_path: Path) -> None:
    made = make_claude(tmp_path).made["background"]
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert link.seen == Seen(())
    assert (link.verdict_seen, link.verdict) == (False, "pass")


def test_spill_that_holds_less_than_its_notice_claims_is_partial(
    tmp_path: Path,
) -> None:
    main = Claude(tmp_path)
    made = main.spills(log_of(6000))
    main.write()
    made.path.write_bytes(made.data[:50_000])
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert link.note is not None
    assert "partial" in link.note


def test_duplicate_copy_changes_nothing_about_what_was_seen(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    data = log_of(160_000)
    made = main.spills(
        data, result={"stdout": data.decode(), "persistedOutputSize": len(data)}
    )
    main.write()
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert link.seen == Seen(((0, 2000),))
    assert link.verdict_seen is False
    assert "3,569,996 chars" in (link.note or "") or f"{len(data):,}" in (
        link.note or ""
    )


def test_orphan_has_a_verdict_class_and_nothing_seen(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    main.says("x")
    main.write()
    path = main.place("b12345678.txt")
    path.parent.mkdir(parents=True)
    path.write_text("FAILED (errors=3)\n")
    made = Made(path, path.read_bytes(), "", (), None, None, None, 0)
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert (link.state, link.seen, link.verdict_seen, link.verdict) == (
        "orphan",
        None,
        None,
        "fail",
    )


def test_transcript_that_lost_the_record_leaves_the_verdict_open(
    tmp_path: Path,
) -> None:
    made = make_claude(tmp_path).made["build"]
    store = look_into(tmp_path, "claude-code")
    for transcript in store.discovery.transcripts:
        Path(transcript.path).unlink()
    link = looked(store, made)
    assert link.seen == Seen((), certain=False)
    assert link.verdict_seen is None


# Later reads


class Reading:
    """One spilled output that was read again by calls of the session."""

    def __init__(self, home: Path, data: bytes | None = None) -> None:
        self.home = home
        self.main = Claude(home)
        self.data = log_of(3000) if data is None else data
        self.made = self.main.spills(self.data)

    def bash(self, command: str, output: str, *, failed: bool = False) -> Reading:
        line = command.replace("ART", str(self.made.path))
        self.main.gets(self.main.calls("Bash", command=line), output, failed=failed)
        return self

    def read(self, first: int, last: int, form: str = "{n:>6}→{line}") -> Reading:
        call = self.main.calls("Read", file_path=str(self.made.path), offset=first)
        self.main.gets(call, numbered(self.data, first, last, form))
        return self

    def link(self) -> Link:
        self.main.write()
        return looked(look_into(self.home, "claude-code"), self.made)

    def lines(self, first: int, last: int) -> tuple[int, int]:
        return span(self.data, first, last)


def test_numbered_read_shows_its_lines(tmp_path: Path) -> None:
    for form in ("{n:>6}→{line}", "{n:>6}\t{line}", "{n}\t{line}"):
        reading = Reading(tmp_path / form[:5]).read(2990, 3000, form)
        link = reading.link()
        (read,) = link.reads
        assert read.ranges == (reading.lines(2990, 3000),)
        assert link.seen == Seen(((0, 2000), reading.lines(2990, 3000)))
        assert link.verdict_seen is True


def test_read_by_a_subagent_counts(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    helper = Claude(tmp_path, agent="a1b2c3d4e5f6a7b8c")
    call = helper.calls("Read", file_path=str(reading.made.path), offset=2999)
    helper.gets(call, numbered(reading.data, 2999, 3000))
    helper.write()
    link = reading.link()
    assert link.verdict_seen is True
    assert link.reads[0].own


def test_read_of_another_session_is_listed_apart_and_not_counted(
    tmp_path: Path,
) -> None:
    reading = Reading(tmp_path)
    other = Claude(tmp_path, session="77777777-2222-4333-8444-555555555555")
    other.prompt("Look")
    call = other.calls("Read", file_path=str(reading.made.path), offset=2999)
    other.gets(call, numbered(reading.data, 2999, 3000))
    other.write()
    link = reading.link()
    assert [(r.own, r.ranges) for r in link.reads] == [
        (False, (reading.lines(2999, 3000),))
    ]
    assert link.seen == Seen(((0, 2000),))
    assert link.verdict_seen is False


def test_lines_that_are_not_the_files_are_not_seen(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    call = reading.main.calls("Read", file_path=str(reading.made.path))
    reading.main.gets(call, "  2999→not this\n  3000→FAILED (errors=4)")
    link = reading.link()
    assert link.reads[0].ranges is None
    assert link.seen == Seen(((0, 2000),), certain=False)
    assert link.verdict_seen is None


def test_long_line_that_the_tool_cut_is_seen_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    data = b"x" * 5000 + b"\n" + log_of(2000)
    reading = Reading(tmp_path, data)
    call = reading.main.calls("Read", file_path=str(reading.made.path), limit=2)
    text = f"     1→{'x' * 2000}... [truncated]\n     2→[00001] step 07919 ok"
    reading.main.gets(call, text)
    link = reading.link()
    assert link.reads[0].ranges == ((0, 2000), reading.lines(2, 2))
    assert link.seen is not None
    assert link.seen.certain


@pytest.mark.parametrize(
    ("command", "first", "last"),
    [
        ("tail -5 ART", 2996, 3000),
        ("tail -n 5 ART 2>/dev/null", 2996, 3000),
        ("cat ART | tail -5", 2996, 3000),
        ("head -n 40 ART", 1, 40),
        ("sed -n '100,110p' ART", 100, 110),
        ("tail -n +2990 ART", 2990, 3000),
        ("grep 'step 01[0-9]*' ART | head -3", 0, 0),
        ("cat ART", 1, 3000),
    ],
)
def test_plain_output_of_a_shell_is_placed(
    tmp_path: Path, command: str, first: int, last: int
) -> None:
    reading = Reading(tmp_path)
    lines = reading.data.decode().split("\n")
    if first:
        output = "\n".join(lines[first - 1 : last])
        start, end = reading.lines(first, last)
        expected: tuple[tuple[int, int], ...] = ((start, end - 1),)
    else:
        hits = [n for n, line in enumerate(lines, 1) if "step 01" in line][:3]
        output = "\n".join(lines[n - 1] for n in hits)
        expected = tuple((a, b - 1) for a, b in (reading.lines(n, n) for n in hits))
    link = reading.bash(command, output).link()
    assert link.reads[0].ranges == expected
    assert link.seen is not None
    assert link.seen.certain
    assert link.verdict_seen is (last == 3000)


def test_last_line_alone_is_enough_for_the_verdict(tmp_path: Path) -> None:
    link = Reading(tmp_path).bash("tail -1 ART", "FAILED (errors=3)").link()
    assert link.verdict_seen is True


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep -n FAILED ART", "3000:FAILED (errors=3)"),
        ("rg -n FAILED ART", "3000:FAILED (errors=3)"),
        ("grep -Hn FAILED ART", "ART:3000:FAILED (errors=3)"),
        ("grep FAILED ART", "FAILED (errors=3)"),
        ("cat -n ART | tail -1", "  3000\tFAILED (errors=3)"),
        ("cd / && tail -1 ART; echo done", "FAILED (errors=3)\ndone"),
        ("wc -l ART; tail -1 ART", "3000 ART\nFAILED (errors=3)"),
    ],
)
def test_searching_in_the_artifact_shows_the_lines_it_printed(
    tmp_path: Path, command: str, output: str
) -> None:
    reading = Reading(tmp_path)
    output = output.replace("ART", str(reading.made.path))
    link = reading.bash(command, output).link()
    assert link.verdict_seen is True
    assert link.seen is not None
    assert link.seen.certain


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("wc -l ART", "3000 ART"),
        ("grep -c FAILED ART", "1"),
        ("ls -la ART", "-rw-r--r-- 1 me me 66017 Aug 1 00:00 ART"),
        ("cat ART | md5sum", "d41d8cd98f00b204e9800998ecf8427e  -"),
        ("cp ART /tmp/x", ""),
        ("grep -q FAILED ART && echo yes", "yes"),
        ("tail -5 ART > /tmp/x", "(no output)"),
    ],
)
def test_commands_that_show_nothing_of_the_file(
    tmp_path: Path, command: str, output: str
) -> None:
    reading = Reading(tmp_path)
    link = reading.bash(command, output.replace("ART", str(reading.made.path))).link()
    assert link.reads[0].ranges == ()
    assert link.seen == Seen(((0, 2000),))
    assert link.verdict_seen is False


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("python3 summarise.py ART", "three errors, see FAILED (errors=3)"),
        ("make 2>&1 | tail -1; grep -c x ART", "FAILED (errors=3)\n0"),
        ("for f in ART; do tail -1 $f; done", "FAILED (errors=3)"),
        ("echo $(tail -1 ART)", "FAILED (errors=3)"),
        ("awk '{print $1}' ART", "FAILED"),
        ("diff ART old.txt", "3000c3000\n< FAILED (errors=3)"),
    ],
)
def test_what_cannot_be_located_leaves_the_verdict_open(
    tmp_path: Path, command: str, output: str
) -> None:
    link = Reading(tmp_path).bash(command, output).link()
    assert link.reads[0].ranges is None
    assert link.seen == Seen(((0, 2000),), certain=False)
    assert link.verdict_seen is None


@pytest.mark.parametrize(
    ("last", "command", "output"),
    [
        ("42", "wc -l < ART; tail -1 ART", "3000\n42"),
        ("done", "tail -1 ART; echo done", "done\ndone"),
        ("total 0", "ls -l /x; tail -1 ART", "total 0\ntotal 0"),
    ],
)
def test_line_that_another_command_may_have_printed_is_left_open(
    tmp_path: Path, last: str, command: str, output: str
) -> None:
    link = Reading(tmp_path, log_of(3000, last=last)).bash(command, output).link()
    assert link.seen == Seen(((0, 2000),), certain=False)
    assert link.verdict_seen is None


def test_failed_read_shows_nothing(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    call = reading.main.calls("Read", file_path=str(reading.made.path))
    reading.main.gets(call, "File does not exist.", failed=True)
    reading.bash("tail ART", "Exit code 1\ntail: cannot open", failed=True)
    link = reading.link()
    assert [r.ranges for r in link.reads] == [(), ()]
    assert link.verdict_seen is False


def test_read_that_spilled_again_shows_its_own_preview_only(tmp_path: Path) -> None:
    main = Claude(tmp_path)
    first = main.spills(log_of(6000))
    output = b"\n".join(first.data.split(b"\n")[3000:])
    second = main.spills(output, command=f"tail -n +3001 {first.path}")
    main.write()
    store = look_into(tmp_path, "claude-code")
    start = span(first.data, 3001, 6000)[0]
    link = looked(store, first)
    assert link.reads[0].ranges == ((start, start + 2000),)
    assert link.seen == Seen(((0, 2000), (start, start + 2000)))
    assert looked(store, second).seen == Seen(((0, 2000),))


def spilled_read(home: Path, rows: str, chars: int) -> Link:
    """The link of an artifact of which a read tool's `rows` were spilled again."""
    main = Claude(home)
    first = main.spills(log_of(6000), chars=500)
    call = main.calls("Read", file_path=str(first.path))
    path = main.place("toolu_again.txt")
    path.write_bytes(rows.encode())
    shown, _ = head_of(rows.encode(), chars)
    main.gets(call, envelope_of(path, rows.encode(), shown))
    main.write()
    return looked(look_into(home, "claude-code"), first)


@pytest.mark.parametrize("chars", [1999, 2003, 2006, 2008, 2009, 2028, 2029, 2030])
def test_numbered_read_that_spilled_again_is_seen_up_to_where_it_was_cut(
    tmp_path: Path, chars: int
) -> None:
    width, number = len("[00001] step 07919 ok\n"), len("     1→")
    rows = numbered(log_of(6000), 1, 6000)
    whole, rest = divmod(chars, width + number)
    link = spilled_read(tmp_path, rows, chars)
    # Of a line that is shown to its end the line end counts, as everywhere.
    beyond = max(0, rest - number)
    shown = whole * width + (width if beyond == width - 1 else beyond)
    assert link.reads[0].ranges == ((0, shown),)
    assert link.seen == Seen(((0, shown),))
    assert link.verdict_seen is False


def test_numbered_read_that_spilled_again_with_a_strange_row_is_left_open(
    tmp_path: Path,
) -> None:
    rows = numbered(log_of(6000), 1, 60) + "\n    61→it was another file then\n"
    link = spilled_read(tmp_path, rows + "x" * 9000, len(rows) - 6)
    assert link.seen is not None
    assert not link.seen.certain
    assert link.verdict_seen is None


@pytest.mark.parametrize("command", ["cat {}", "head -c 90000 {}"])
def test_whole_file_that_spilled_again_is_seen_at_both_ends(
    tmp_path: Path, command: str
) -> None:
    main = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    first = main.spills(log_of(6000), cap=20_000)
    whole = command.startswith("cat")
    output = first.data if whole else first.data[:90_000]
    again = main.spills(output, command=command.format(first.path), cap=40_000)
    main.write()
    link = looked(look_into(tmp_path, "dsh"), first)
    # Where a part was printed its tail is not the file's, and stays open.
    assert [read.ranges for read in link.reads] == [again.seen if whole else None]
    assert link.seen == Seen(again.seen if whole else first.seen, certain=whole)


def test_search_that_spilled_again_is_placed_but_for_the_line_it_was_cut_in(
    tmp_path: Path,
) -> None:
    main = Claude(tmp_path)
    first = main.spills(log_of(6000))
    hits = [n for n, row in enumerate(first.data.split(b"\n"), 1) if b"step 0" in row]
    output = "\n".join(
        f"{n}:{first.data.decode().split(chr(10))[n - 1]}" for n in hits
    ).encode()
    main.spills(output, command=f"grep -n 'step 0' {first.path}")
    main.write()
    link = looked(look_into(tmp_path, "claude-code"), first)
    whole = output[:2000].count(b"\n")
    ranges = link.reads[0].ranges
    assert ranges is not None
    covered = {i for a, b in ranges for i in range(a, b)}
    assert covered == {i for n in hits[:whole] for i in range(*span(first.data, n, n))}
    assert link.verdict_seen is False


def test_equal_lines_are_seen_only_where_no_other_place_is_possible(
    tmp_path: Path,
) -> None:
    data = b"same\nfirst\nsame\nmiddle\nsame\n" + log_of(3000)
    reading = Reading(tmp_path, data)
    link = reading.bash("grep -A1 m ART", "same\nmiddle").link()
    read = link.reads[0]
    assert read.ranges is not None
    covered = b"".join(data[a:b] for a, b in read.ranges)
    assert covered.count(b"same") <= 1
    assert b"middle" in covered


def test_grep_that_shows_every_copy_of_a_line(tmp_path: Path) -> None:
    data = log_of(1500, last="x") + b"WARN twice\n" + log_of(1500, last="y")
    data += b"WARN twice\n"
    reading = Reading(tmp_path, data)
    link = reading.bash("grep WARN ART", "WARN twice\nWARN twice").link()
    read = link.reads[0]
    assert read.ranges is not None
    assert [data[a:b].strip() for a, b in read.ranges] == [b"WARN twice"] * 2
    assert link.verdict_seen is True


def test_search_tool_over_the_folder_shows_the_lines_it_names(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    other = reading.made.path.with_name("bother001.txt")
    call = reading.main.calls("Grep", pattern="FAILED", path=str(other.parent))
    text = f"{reading.made.path}:3000:FAILED (errors=3)\n{other}:1:FAILED"
    reading.main.gets(call, text)
    link = reading.link()
    assert link.reads[-1].ranges == (reading.lines(3000, 3000),)
    assert link.verdict_seen is True


def test_list_of_files_shows_nothing(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    call = reading.main.calls("Grep", pattern="x", path=str(reading.made.path))
    reading.main.gets(call, f"Found 1 file\n{reading.made.path}")
    link = reading.link()
    assert link.reads[0].ranges == ()
    assert link.verdict_seen is False


def test_task_output_of_a_background_log_is_placed(tmp_path: Path) -> None:
    from tests.stores import background

    main = Claude(tmp_path)
    data = log_of(60, last="soak over")
    made = background(main, data, code=0)
    call = main.calls("TaskOutput", task_id="bback0001", block=True)
    main.gets(
        call,
        "<retrieval_status>success</retrieval_status>\n<task_id>bback0001</task_id>\n"
        f"<output>\n{data.decode()}</output>",
    )
    main.write()
    link = looked(look_into(tmp_path, "claude-code"), made)
    assert link.verdict_seen is True


def test_dsh_read_and_search_are_placed(tmp_path: Path) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    made = log.spills(log_of(6000), cap=5000)
    call = log.calls("read", file_path=str(made.path), offset=3000, limit=2)
    rows = numbered(made.data, 3000, 3001, "{n}: {line}")
    log.gets(
        call,
        f"<path>{made.path}</path>\n<type>file</type>\n<content>\n{rows}\n\n"
        "(Showing lines 3000-3001 of 6000. Use offset=3002 to continue.)\n</content>",
    )
    call = log.calls("grep", pattern="step 00001", path=str(made.path))
    line = made.data.decode().split("\n")[3999]
    log.gets(call, f"Found 1 matches\n\n{made.path}\nLine 4000: {line}")
    log.write()
    link = looked(look_into(tmp_path, "dsh"), made)
    assert [r.ranges for r in link.reads] == [
        (span(made.data, 3000, 3001),),
        (span(made.data, 4000, 4000),),
    ]


def test_dsh_stream_log_is_seen_at_its_end(tmp_path: Path) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    path = tmp_path / "tmp" / "dsh-subprocess-AbC123"
    path = path / "dsh-subprocess-42-1-0123456789ab-stdout.log"
    data = log_of(6000)
    call = log.calls("bash", command="make")
    tail = data[-20_000:].decode()
    log.gets(call, f"{tail}\n[output truncated; full output: {path}]\n[exit code: 1]")
    log.write()
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    made = Made(path, data, "", (), call, "bash", "make", 0)
    link = looked(look_into(tmp_path, "dsh"), made)
    assert link.seen == Seen(((len(data) - 20_000, len(data)),))
    assert (link.verdict_seen, link.verdict) == (True, "fail")


def test_dsh_search_results_are_found_below_their_own_heading(tmp_path: Path) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    rows = "".join(f"Line {n}: TODO {n * 7919 % 1000}\n" for n in range(1, 400))
    data = f"Found 399 matches\n\na.py\n{rows}".encode()
    path = log.place("grep-results.txt")
    body = data[data.index(b"a.py") : data.index(b"Line 50:")].decode().rstrip()
    call = log.calls("grep", pattern="TODO")
    log.gets(
        call,
        f"Found 49 of 399 matches\n\n{body}\n\n(Full grep result stored at: {path}. "
        "Use read with offset/limit, or grep this path to search within it.)",
    )
    log.write()
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    made = Made(path, data, "", (), call, "grep", None, 0)
    start = data.index(b"a.py")
    seen = looked(look_into(tmp_path, "dsh"), made).seen
    assert seen == Seen(((start, start + len(body.encode())),))


ROWS = st.lists(
    st.sampled_from(
        ["a", "b", "ab", "", "12:a", "3", "x", "error", "é日", " a", "a ", "--", "1:b"]
    ),
    min_size=1,
    max_size=14,
)


@given(ROWS, st.booleans(), st.integers(1, 8), st.integers(1, 15), st.integers(0, 5))
@example(["error", "error", "error", "a", "a", "error"], False, 5, 1, 0)
def test_any_lines_of_any_file_are_never_seen_elsewhere(
    rows: list[str], ended: bool, few: int, first: int, more: int
) -> None:
    data = ("\n".join(rows) + ("\n" if ended else "")).encode()
    assume(data.strip())
    rows = data.decode().split("\n")
    if rows[-1] == "":
        rows.pop()
    total = len(rows)
    hits = [n for n, row in enumerate(rows, 1) if "a" in row]
    first = min(first, total)
    last = min(total, first + more)
    path = "/s/tool-results/bart00001.txt"
    every = list(range(1, total + 1))
    runs = {
        f"cat {path}": every,
        f"head -n {few} {path}": every[:few],
        f"tail -n {few} {path}": every[-few:],
        f"tail -n +{first} {path}": every[first - 1 :],
        f"sed -n '{first},{last}p' {path}": every[first - 1 : last],
        f"head -n {last} {path} | tail -n {last - first + 1}": every[first - 1 : last],
        f"grep a {path}": hits,
        f"grep -n a {path}": hits,
        f"cat -n {path}": every,
        f"grep a {path} | tail -n {few}": hits[-few:],
        f"sort {path}": sorted(every, key=lambda n: rows[n - 1]),
        f"head -n {few} {path}; tail -n {few} {path}": every[:few] + every[-few:],
        f"tail -n {few} {path}; echo a": [*every[-few:], 0],
        f"wc -l {path}; tail -n {few} {path}": every[-few:],
    }
    content = BytesContent(data)
    found = Found("0" * 16, "claude-code", path, "bart00001.txt", "s", "/s")
    for command, shown in runs.items():
        texts = [rows[n - 1] if n else "a" for n in shown]
        if "-n a" in command:
            texts = [f"{n}:{rows[n - 1]}" for n in shown]
        elif "cat -n" in command:
            texts = [f"{n:6}\t{rows[n - 1]}" for n in shown]
        elif "wc" in command:
            texts = [f"{total} {path}", *texts]
        output = "\n".join(texts).strip("\n")
        if not output.strip():
            continue
        reader = Reader(found, content, count(content), PROFILE)
        ranges, sure = reader.shown_in_shell(output, command)
        truth = {i for n in shown if n for i in range(*span(data, n, n))}
        claimed = {i for a, b in ranges or () for i in range(a, b)}
        assert claimed <= truth, command
        if sure and ranges is not None:
            left = {data[i : i + 1] for i in truth - claimed}
            assert not any(byte.strip() for byte in left), command


# Survival


@given(
    st.text(st.sampled_from("ab\né日🎉\r"), max_size=60),
    st.integers(1, 70),
    st.sampled_from(["chars", "utf16", "bytes", "lines"]),
)
def test_survival_counts_what_a_head_cut_keeps(
    text: str, size: int, unit: Unit
) -> None:
    data = text.encode()
    content = BytesContent(data)
    counts = count(content)
    kept = survival(content, counts, Boundary(size, unit))
    if unit == "bytes":
        cut = min(size, len(data))
    elif unit == "chars":
        cut = len(text[:size].encode())
    elif unit == "utf16":
        units = 0
        cut = 0
        for char in text:
            units += 2 if char > "\uffff" else 1
            if units > size:
                break
            cut += len(char.encode())
    else:
        cut = len(b"".join(data.splitlines(keepends=True)[:0]))
        rows = data.split(b"\n")
        cut = min(len(b"\n".join(rows[:size])) + 1, len(data))
    assert kept.kept_bytes == cut
    whole = data[:cut].count(b"\n")
    if cut == len(data) and data and not data.endswith(b"\n"):
        whole += 1
    assert (kept.lines_kept, kept.lines) == (whole, counts.lines)
    if counts.verdict is None:
        assert kept.verdict_kept is None
    else:
        assert kept.verdict_kept == (counts.verdict.end <= cut)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_survival_of_utf16_is_counted_after_decoding(encoding: str) -> None:
    text = "".join(f"zeile {n} 🎉\n" for n in range(100))
    bom = b"\xff\xfe" if encoding == "utf-16-le" else b"\xfe\xff"
    data = bom + text.encode(encoding)
    content = BytesContent(data)
    kept = survival(content, count(content), Boundary(95, "chars"))
    assert kept.kept_bytes == 2 + len(text[:95].encode(encoding))
    assert kept.lines_kept == text[:95].count("\n")
    kept = survival(content, count(content), Boundary(7, "lines"))
    assert kept.lines_kept == 7


def test_survival_of_invalid_bytes_counts_replacement_characters() -> None:
    data = b"a\xff\xfeb\n" * 50
    content = BytesContent(data)
    for size in (1, 2, 3, 4, 5, 7, 33):
        kept = survival(content, count(content), Boundary(size, "chars"))
        assert kept.kept_bytes == size


def test_survival_says_whether_json_still_parses() -> None:
    data = json.dumps([{"n": n} for n in range(200)]).encode()
    content = BytesContent(data)
    counts = count(content)
    cut = survival(content, counts, Boundary(100, "chars"))
    assert cut.json_parses is False
    assert cut.json_error
    whole = survival(content, counts, Boundary(100_000, "chars"))
    assert (whole.json_parses, whole.json_error) == (True, None)
    rows = b"".join(b'{"n": %d}\n' % n for n in range(50))
    content = BytesContent(rows)
    line = rows.index(b"\n", 100) + 1
    kept = survival(content, count(content), Boundary(line, "bytes"))
    assert kept.json_parses is True
    kept = survival(content, count(content), Boundary(line + 3, "bytes"))
    assert kept.json_parses is False


def test_envelope_of_an_empty_preview_shows_nothing() -> None:
    assert envelope_of(Path("/x"), b"", "")
    assert aligned("", b"abc", "head") == Seen(())
    assert aligned("  \n", b"abc", "tail") == Seen(())


def test_search_of_indented_lines_is_placed(tmp_path: Path) -> None:
    rows = ["[", *(f'  "row {n}",' for n in range(4000)), "]"]
    main = Claude(tmp_path)
    made = main.spills("\n".join(rows).encode() + b"\n")
    call = main.calls("Bash", command=f"grep -n 'row 39' {made.path}")
    hits = [n for n, row in enumerate(rows, 1) if "row 39" in row]
    main.gets(call, "\n".join(f"{n}:{rows[n - 1]}" for n in hits))
    main.write()
    link = looked(look_into(tmp_path, "claude-code"), made)
    covered = {i for a, b in link.reads[0].ranges or () for i in range(a, b)}
    assert covered == {i for n in hits for i in range(*span(made.data, n, n))}


def test_stream_log_of_a_result_that_was_cut_again_is_seen_at_both_ends(
    tmp_path: Path,
) -> None:
    log = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    path = tmp_path / "tmp" / "dsh-subprocess-AbC123"
    path = path / "dsh-subprocess-42-1-0123456789ab-stdout.log"
    data = log_of(9000, wide="日本 ")
    tail = data[-64_000:].decode("utf-8", "ignore")
    result = f"{tail}\n[output truncated; full output: {path}]"
    made = log.spills(result.encode())
    log.write()
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    stream = Made(path, data, "", (), None, "bash", "make", 0)
    link = looked(look_into(tmp_path, "dsh"), stream)
    start = len(data) - len(tail.encode())
    (head, end) = made.seen
    truth = ((start, start + head[1]), (start + end[0], len(data)))
    assert link.seen == Seen(truth)
