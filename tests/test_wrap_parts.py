"""The parts of `wrap`: order of streams, turns, digests, sessions, the capture."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from tempfile import TemporaryFile
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.errors import BadInput
from spillview.model import Boundary, Unit
from spillview.store import LocalSpillStore, SpillFailed, SpillWriter
from spillview.store.files import StoreDisk
from spillview.store.tally import Tally
from spillview.wrap import folding, hashing, ordering
from spillview.wrap.capture import Capture
from spillview.wrap.hashing import Digest
from spillview.wrap.ordering import Turns, Weaving
from spillview.wrap.running import Stream
from spillview.wrap.sessions import session_id
from tests.spills import below, stream

TEXTS = st.text(alphabet="ab\n\ré語👍", max_size=30)
PIECES = st.lists(
    st.tuples(st.sampled_from([1, 2]), st.integers(1, 9), st.booleans(), st.booleans()),
    max_size=60,
)


def woven(
    texts: dict[Stream, bytes], plan: list[tuple[Stream, int, bool, bool]]
) -> list[tuple[Stream, bytes]]:
    """What comes out when the streams are cut into pieces as planned."""
    weaving, at = Weaving(), {1: 0, 2: 0}
    out: list[tuple[Stream, bytes]] = []
    rest: list[tuple[Stream, int, bool, bool]] = [
        (1, 1 << 20, False, False),
        (2, 1 << 20, False, False),
    ]
    for each, length, contended, idle in [*plan, *rest]:
        data = texts[each][at[each] : at[each] + length]
        at[each] += length
        if data:
            out += weaving.add(each, data, contended)
        if idle:
            out += weaving.idle()
    return [*out, *weaving.rest()]


@given(TEXTS, TEXTS, PIECES)
def test_no_byte_of_a_stream_is_lost_or_moved(
    one: str, two: str, plan: list[tuple[Stream, int, bool, bool]]
) -> None:
    texts: dict[Stream, bytes] = {1: one.encode(), 2: two.encode()}
    out = woven(texts, plan)
    for each in (1, 2):
        assert b"".join(piece for who, piece in out if who == each) == texts[each]


@given(TEXTS, TEXTS, PIECES)
def test_no_character_of_either_stream_is_broken(
    one: str, two: str, plan: list[tuple[Stream, int, bool, bool]]
) -> None:
    out = woven({1: one.encode(), 2: two.encode()}, plan)
    joined = b"".join(piece for _, piece in out).decode()
    assert sorted(joined) == sorted(one + two)


@given(st.binary(max_size=60), st.binary(max_size=60), PIECES)
def test_bytes_that_are_no_text_are_not_lost_either(
    one: bytes, two: bytes, plan: list[tuple[Stream, int, bool, bool]]
) -> None:
    out = woven({1: one, 2: two}, plan)
    assert b"".join(piece for who, piece in out if who == 1) == one
    assert b"".join(piece for who, piece in out if who == 2) == two


def test_while_both_speak_at_once_lines_stay_whole() -> None:
    weaving = Weaving()
    out = [*weaving.add(1, b"one\nhal", True), *weaving.add(2, b"err\n", True)]
    out += weaving.add(1, b"f\n", True)
    assert out == [(1, b"one\n"), (2, b"err\n"), (1, b"half\n")]


def test_once_it_is_quiet_an_unfinished_line_goes_on_before_what_follows() -> None:
    weaving = Weaving()
    out = [*weaving.add(1, b"Name? ", True), *weaving.idle()]
    out += weaving.add(2, b"none\n", False)
    assert out == [(1, b"Name? "), (2, b"none\n")]


def test_an_endless_line_is_not_kept_back() -> None:
    weaving = Weaving()
    data = b"x" * (ordering.LONGEST + 1)
    assert list(weaving.add(1, data, True)) == [(1, data)]


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.integers(0, 5))), st.integers(0))
def test_turns_say_whose_every_byte_is(
    pieces: list[tuple[Stream, int]], cut: int
) -> None:
    turns = Turns()
    owners: list[int] = []
    for each, length in pieces:
        turns.add(each, length)
        owners += [each] * length
    assert turns.totals == {1: owners.count(1), 2: owners.count(2)}
    total = min(cut, len(owners))
    got = [0] * total
    for who, start, end in turns.pieces(total):
        assert 0 <= start < end <= total
        got[start:end] = [who] * (end - start)
    assert got == owners[:total]


def test_too_many_turns_are_forgotten_in_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ordering, "TURNS", 10)
    turns = Turns()
    for _ in range(20):
        turns.add(1, 1)
        turns.add(2, 1)
    assert not turns.complete
    assert list(turns.pieces(40)) == [(1, 0, 40)]
    assert turns.totals == {1: 20, 2: 20}


@given(st.lists(st.binary(min_size=1, max_size=5000), max_size=40))
def test_the_digest_beside_the_writing_is_that_of_all(pieces: list[bytes]) -> None:
    digest = Digest()
    with TemporaryFile() as file, patch.object(hashing, "BEHIND", 6_000):
        digest.follow(file.fileno())
        for each in pieces:
            os.write(file.fileno(), each)
            digest.add(memoryview(each))
        digest.stop(hashed=True)
    assert digest.bytes == sum(map(len, pieces))
    assert digest.sha256 == hashlib.sha256(b"".join(pieces)).hexdigest()
    assert digest.wide
    digest.recount(3, 2)
    assert (digest.chars, digest.lines, digest.wide) == (3, 2, False)


def test_a_file_that_was_truncated_meanwhile_has_no_digest() -> None:
    digest = Digest()
    with TemporaryFile() as file:
        digest.add(memoryview(b"never there"))
        digest.follow(file.fileno())
        with pytest.raises(OSError, match="truncated"):
            _ = digest.sha256


# -- sessions ------------------------------------------------------------------------

NOON = 1_796_000_000.0


def test_a_harness_that_says_its_session_is_believed() -> None:
    env = {"CLAUDE_CODE_SESSION_ID": "a", "CODEX_THREAD_ID": "b"}
    assert session_id(env, "/w", NOON) == "a"
    assert session_id({**env, "SPILLVIEW_SESSION": "mine"}, "/w", NOON) == "mine"
    assert session_id({"CODEX_THREAD_ID": " t-1 "}, "/w", NOON) == "t-1"


@pytest.mark.parametrize("bad", ["", "  ", "x" * 201, "a\x1bb", "a\nb"])
def test_what_is_no_session_id_is_passed_over(bad: str) -> None:
    assert (
        session_id({"CLAUDE_SESSION_ID": bad, "CODEX_THREAD_ID": "b"}, "/w", 0) == "b"
    )


def test_else_a_session_is_a_days_work_in_one_folder() -> None:
    one = session_id({}, "/srv/app", NOON)
    assert one == session_id({}, "/srv/app", NOON + 60)
    assert one != session_id({}, "/old/app", NOON)
    assert one != session_id({}, "/srv/app", NOON + 86_400)
    assert "-app-" in one
    for folder in ("/", "/a\nb", "/\udcff", "/" + "x" * 300, "/日本"):
        made = session_id({}, folder, NOON)
        assert made.isprintable()
        assert len(made) < 70


# -- the capture ---------------------------------------------------------------------


class Heard:
    """An outlet that keeps everything."""

    def __init__(self, room: int = 1 << 40) -> None:
        self.out: dict[Stream, bytes] = {1: b"", 2: b""}
        self.all = b""
        self.warnings: list[str] = []
        self.room = room

    def give(self, stream: Stream, data: bytes) -> None:
        if len(self.all) + len(data) > self.room:
            raise BrokenPipeError
        self.out[stream] += data
        self.all += data

    def warn(self, sentence: str) -> None:
        self.warnings.append(sentence)


def capture(
    root: Path, outlet: Heard, disk: StoreDisk | None = None, size: int = 10
) -> Capture:
    """A capture whose store is at `root` and may fail."""

    def begin(tally: Tally) -> SpillWriter:
        return LocalSpillStore(root, disk=disk).writer(stream(), tally=tally)

    return Capture(Boundary(size, "bytes"), begin, outlet, woven=True)


@pytest.mark.parametrize("at", range(0, 40))
def test_whichever_call_of_the_store_fails_all_comes_through(
    at: int, tmp_path: Path
) -> None:
    left = [at]

    def step(name: str) -> None:
        left[0] -= 1
        if left[0] < 0 and name not in ("unlink", "remove"):
            raise OSError(28, "No space left on device")

    heard = Heard()
    into = capture(tmp_path / "s", heard, StoreDisk(step))
    for n in range(30):
        into.take(1, b"out %d\n" % n, False)
        into.take(2, b"err %d\n" % n, False)
        into.idle()
    into.finish()
    if into.state != "loose":
        into.give_on()
        into.drop()
    else:
        assert "is full: make room" in heard.warnings[0]
        assert into.loose.bytes == len(heard.all)
    assert heard.all == b"".join(b"out %d\nerr %d\n" % (n, n) for n in range(30))
    assert heard.out[1] == b"".join(b"out %d\n" % n for n in range(30))


def test_what_is_stored_can_be_given_on_after_its_file_is_gone(tmp_path: Path) -> None:
    heard = Heard()
    into = capture(tmp_path / "s", heard)
    into.take(1, b"x" * 50, False)
    into.finish()
    assert into.writer is not None
    Path(into.writer.locator).unlink()
    with pytest.raises(SpillFailed):
        into.writer.commit()
    into.give_on()
    into.drop()
    assert heard.all == b"x" * 50
    assert not below(tmp_path)


def test_a_reader_that_left_ends_the_giving_on(tmp_path: Path) -> None:
    into = capture(tmp_path / "s", Heard(room=0))
    into.take(1, b"x" * 5, False)
    into.finish()
    into.give_on()
    assert into.closed


@pytest.mark.parametrize("unit", ["chars", "utf16", "bytes", "lines", "tokens"])
def test_what_stays_in_memory_is_bounded_in_every_unit(unit: Unit) -> None:
    held = Capture(Boundary(1 << 50, unit), NEVER, Heard(), woven=False)
    held.take(1, b"x" * 1000, False)
    assert held.state == "held"
    with pytest.raises(AssertionError):
        held.take(1, b"x" * (5 << 20), False)


def NEVER(tally: Tally) -> SpillWriter:
    """Stands for a store that must not be asked."""
    raise AssertionError


def test_what_cannot_be_folded_is_refused_beforehand() -> None:
    with pytest.raises(BadInput):
        folding.Folding(budget=100).check()
    with pytest.raises(BadInput):
        folding.Folding(signal="(a+)+$").check()
    folding.Folding(signal="WARN").check()
