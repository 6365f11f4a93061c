"""Transcripts that somebody broke on purpose: the others are read all the same."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.envelope_rows import envelope_row
from spillview.catalogue.rows import artifact_row, missing_row, session_row
from spillview.places import Places
from spillview.transcripts import claude, frames, logfile
from spillview.transcripts.facts import TranscriptFacts
from tests.stores import (
    OTHER,
    Claude,
    Dsh,
    Made,
    compress,
    log_of,
    make_claude,
    make_dsh,
)

Path_ = tuple[str | int, ...]

NASTY: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    2**64,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\n",
    "\0",
    "\ud800",
    "\udcff",
    "undefined",
    "/etc/passwd",
    "../../../../etc/passwd",
    "/proc/self/mem",
    "/dev/zero",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00+23:59",
    "9" * 5000,
    [],
    {},
    [[]],
    [None],
    [1, "x", None, {}],
    {"type": "text"},
    {"type": "text", "text": 5},
    {"": ""},
)


def nested(depth: int, value: Any = "x") -> Any:
    """A value inside so many objects."""
    for _ in range(depth):
        value = {"a": value}
    return value


def places_in(value: Any) -> Iterator[Path_]:
    """Where each value inside a record stands; nothing deeper than 20."""
    waiting: list[tuple[Any, Path_]] = [(value, ())]
    while waiting:
        inner, path = waiting.pop()
        yield path
        if len(path) < 20 and isinstance(inner, dict):
            waiting += [(item, (*path, key)) for key, item in inner.items()]
        elif len(path) < 20 and isinstance(inner, list):
            waiting += [(item, (*path, key)) for key, item in enumerate(inner)]


def mutate(record: Any, dice: random.Random) -> None:
    """Change one value of a record, or take it away."""
    path = dice.choice([path for path in places_in(record) if path])
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    if dice.random() < 0.15:
        del holder[path[-1]]
    elif isinstance(old := holder[path[-1]], str) and dice.random() < 0.3:
        at = dice.randrange(len(old) + 1)
        piece = dice.choice(["\ud83d", "/../..", "\n", "9" * 30, "/etc/passwd", old])
        holder[path[-1]] = old[:at] + piece + old[at + dice.randrange(9) :]
    elif dice.random() < 0.1:
        holder[path[-1]] = nested(dice.choice([20, 500, 930]))
    else:
        holder[path[-1]] = dice.choice(NASTY)


def written(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


class Night:
    """Two stores that get broken, and a neighbour in each that does not."""

    def __init__(self, home: Path) -> None:
        self.home = home
        tmp = home / "tmp"
        self.logs = [*make_claude(home).transcripts, *make_dsh(home, tmp).transcripts]
        beside = Claude(home, session=OTHER, cwd="/srv/other")
        self.other = beside.spills(log_of(2500), command="make other")
        beside.write()
        log = Dsh(home, tmp / "dsh-spill-AbC123", session="sess-9", cwd="/srv/nine")
        self.nine = log.spills(log_of(5500), command="make nine")
        log.write()

    def read(self) -> Catalogue:
        """Read everything there is and check what must hold of it, whatever it is."""
        catalogue = Catalogue(Places.of_home(str(self.home)))
        listed = catalogue.scan()
        whole = {a.found.path: a for a in catalogue.complete(listed)}
        assert len(whole) == len(listed) >= 8
        for artifact in whole.values():
            orjson.dumps(artifact_row(artifact))
            orjson.dumps(envelope_row(catalogue.envelope(artifact)))
            seen = artifact.link.seen if artifact.link is not None else None
            at = -1
            for start, end in seen.ranges if seen is not None else ():
                assert at < start < end <= artifact.found.size
                at = end
        for missing in catalogue.missing():
            orjson.dumps(missing_row(missing))
        for session in catalogue.sessions(whole.values()):
            orjson.dumps(session_row(session))
        for beside in (self.other, self.nine):
            self.holds(whole[str(beside.path)].link, beside)
        return catalogue

    @staticmethod
    def holds(link: Any, made: Made) -> None:
        assert link is not None
        assert link.state == "linked"
        assert link.envelope.command == made.command
        assert link.seen.ranges == made.seen


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Night:
    """The stores; a reader that fails says where instead of being passed over."""
    monkeypatch.setenv("SPILLVIEW_DEBUG", "1")
    return Night(tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_records_of_any_shape_break_nothing_but_themselves(
    night: Night, seed: int
) -> None:
    dice = random.Random(seed)
    for _ in range(12):
        log = dice.choice(night.logs)
        before = log.read_bytes()
        text = before
        if log.suffix == ".zstd":
            text = b"".join(frames.Frames(_content(before), frames.Mark(0, 0)))
        lines = text.strip(b"\n").split(b"\n")
        for at in dice.sample(range(len(lines)), 3):
            record = json.loads(lines[at])
            mutate(record, dice)
            lines[at] = written(record)
        if dice.random() < 0.2:
            dice.shuffle(lines)
        data = b"\n".join(lines) + b"\n"
        log.write_bytes(compress(data) if log.suffix == ".zstd" else data)
        night.read().close()
        log.write_bytes(before)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_break_nothing_but_their_records(night: Night, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(8):
        log = dice.choice(night.logs)
        before = log.read_bytes()
        data = bytearray(before)
        for _ in range(dice.choice([1, 3, 20])):
            at = dice.randrange(len(data))
            pieces = [b"\n", b"\0" * 50, b"{", b'"', b"\xff\xfe", b"[" * 2000, b""]
            data[at : at + dice.choice([0, 1, 500])] = dice.choice(pieces)
        log.write_bytes(data)
        night.read().close()
        log.write_bytes(before)


def _content(data: bytes) -> Any:
    from spillview.content.content import BytesContent

    return BytesContent(data)


@pytest.mark.parametrize(
    "time", [10**400, 2**64, -(10**400), float("nan"), float("inf"), 1e308]
)
def test_time_that_no_clock_can_show_is_none(night: Night, time: Any) -> None:
    for log in night.logs:
        if log.suffix == ".jsonl":
            log.write_bytes(
                written({"type": "user", "timestamp": time, "time": time, "seq": 0})
                + b"\n"
                + log.read_bytes()
            )
    night.read().close()


@pytest.mark.parametrize("depth", [300, 960, 1020, 100_000])
def test_arguments_nested_past_any_line_are_a_call_without_a_command(
    night: Night, depth: int
) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    main = Claude(night.home)
    made = main.spills(log_of(3000), command="DEEP")
    main.lines = [line.replace(b'"DEEP"', deep.encode()) for line in main.lines]
    main.write()
    log = Dsh(night.home, night.home / "tmp" / "dsh-spill-AbC123", session="sess-1")
    log.calls("bash", command="pending")
    log.rows[-1]["data"] |= {"arguments": deep, "step": [deep]}
    log.write()
    catalogue = night.read()
    [artifact] = [a for a in catalogue.scan() if a.found.path == str(made.path)]
    assert artifact.link is not None
    assert artifact.link.seen is None or artifact.link.seen.ranges == made.seen
    catalogue.close()


@pytest.mark.parametrize("size", ["9" * 18 + "KB", "9" * 25, "9" * 31, "9" * 5000])
def test_size_that_no_file_has_is_no_claim(night: Night, size: str) -> None:
    main = Claude(night.home)
    call = main.calls("Bash", command="make huge")
    path = main.place("huge.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log_of(3000))
    shown = path.read_text()[:2000]
    main.gets(
        call,
        f"<persisted-output>\nOutput too large ({size}). Full output saved to: {path}"
        f"\n\nPreview (first 2KB):\n{shown}\n...\n</persisted-output>",
    )
    main.write()
    log = Dsh(night.home, night.home / "tmp" / "dsh-spill-AbC123", session="sess-1")
    log.gets(
        log.calls("bash", command="make huge"),
        f"x\n\n(Omitted {size} bytes. Full formatted result stored at: "
        f"{log.place('bash.txt')}. Use read with offset/limit, or grep this path to "
        "search within it.)",
    )
    log.write()
    night.read().close()


def test_sidecar_with_numbers_past_any_file_is_read(tmp_path: Path) -> None:
    folder = tmp_path / ".local/state/spillview/spills/session-abe633f3a47a"
    folder.mkdir(parents=True)
    (folder / "0123456789ab-bash.txt").write_bytes(b"text\n")
    for number in (2**64, -(2**70), 10**400):
        sidecar = {"session": "s", "bytes": number, "exit_code": number}
        (folder / ".0123456789ab-bash.txt.json").write_bytes(written(sidecar))
        catalogue = Catalogue(Places.of_home(str(tmp_path)))
        for artifact in catalogue.complete(catalogue.scan()):
            orjson.dumps(artifact_row(artifact))
            orjson.dumps(envelope_row(catalogue.envelope(artifact)))
        catalogue.close()


def test_facts_of_any_text_are_written_and_read_back(tmp_path: Path) -> None:
    facts = TranscriptFacts("t", "h", "s\ud800", title="\udcff", extra={"n": 2**64 - 1})
    assert TranscriptFacts.from_json(facts.to_json()) == facts


def test_reader_that_fails_costs_one_transcript_and_says_so(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPILLVIEW_DEBUG")
    real = claude.read

    def failing(found: Any, *more: Any) -> TranscriptFacts:
        if "/-srv-app/" in found.path:
            raise RecursionError("too deep")
        return real(found, *more)

    monkeypatch.setattr(claude, "read", failing)
    catalogue = night.read()
    told = [p for p in catalogue.problems if "RecursionError" in p.sentence]
    assert {p.path for p in told} == {str(p) for p in night.logs if ".claude" in str(p)}
    assert all(p.path in p.sentence for p in told)
    catalogue.close()


def test_call_that_is_nowhere_is_looked_for_in_the_same_bytes_once(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = Claude(night.home)
    made = main.spills(log_of(3000))
    for _ in range(200):
        main.gets("toolu_lost", made.envelope)
    main.write()
    looked = 0
    real = logfile.lines_back

    def counted(*more: Any) -> Iterator[bytes]:
        nonlocal looked
        for line in real(*more):
            looked += 1
            yield line

    monkeypatch.setattr(logfile, "lines_back", counted)
    night.read().close()
    assert 200 <= looked < 500


def test_log_that_unpacks_without_end_is_left_and_told(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "FLOOR", 1 << 20)
    log = next(log for log in night.logs if log.suffix == ".zstd")
    log.write_bytes(log.read_bytes() + compress(b"\0" * (1 << 24)) * 4)
    catalogue = night.read()
    [problem] = catalogue.problems
    assert problem.path == str(log)
    assert "1,000 times" in problem.sentence
    catalogue.close()


def test_notice_that_points_out_of_its_store_opens_nothing(night: Night) -> None:
    opened: list[str] = []
    watching = True

    def watch(event: str, details: tuple[Any, ...]) -> None:
        if watching and event == "open" and isinstance(details[0], str | bytes):
            path = details[0]
            opened.append(path if isinstance(path, str) else path.decode())

    main = Claude(night.home)
    for path in (
        "/etc/passwd",
        "/proc/self/mem",
        "/dev/zero",
        f"{main.side}/tool-results/../../../../../../../etc/passwd",
        f"{main.side}/tool-results/link",
        f"{main.side}/tool-results/pipe",
        "\ud800",
        "a\0b",
    ):
        call = main.calls("Bash", command="x")
        main.gets(
            call,
            "<persisted-output>\nOutput too large (9KB). Full output saved to: "
            f"{path}\n\nPreview (first 2KB):\nroot:x:0:0\n...\n</persisted-output>",
            result={"persistedOutputPath": path, "persistedOutputSize": 9000},
        )
        main.calls("Read", file_path=path)
    (main.side / "tool-results/link").symlink_to("/etc/passwd")
    if hasattr(os, "mkfifo"):
        os.mkfifo(main.side / "tool-results/pipe")
    main.write()
    sys.addaudithook(watch)
    try:
        night.read().close()
    finally:
        watching = False
    outside = [
        path
        for path in opened
        if path.startswith(("/etc/passwd", "/proc/self/mem", "/dev/z"))
        or path.rpartition("/")[2] in ("link", "pipe")
    ]
    assert outside == []
