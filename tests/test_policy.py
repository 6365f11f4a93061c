"""The policy: what is spilled, what stays inline and why; and nothing ever fails."""

from __future__ import annotations

import logging
import re
import warnings
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spillview.errors import BadInput
from spillview.model import Unit
from spillview.store import LocalSpillStore, SaveTextSpill, SpillRef
from spillview.store.encoding import well_formed
from spillview.store.notice import GAP, notice
from spillview.store.policy import READS, BadPolicy, Decision, Reason, SpillPolicy

from .spills import below, files, sidecar
from .test_notice import UNITS, size

CALL: dict[str, Any] = {"tool": "bash", "call_id": "c-1", "session_id": "sess-1"}
BIG = "".join(f"line {n}\n" for n in range(2000))


class Memory:
    """A store with the one method alone."""

    def __init__(self, locator: str = "memory:1", hint: str = "Ask me.") -> None:
        self.saved: list[SaveTextSpill] = []
        self.locator = locator
        self.hint_given = hint

    def save_text(self, request: SaveTextSpill) -> SpillRef:
        self.saved.append(request)
        size = len(request.content.encode())
        return SpillRef(self.locator, size, self.hint_given)


class Broken:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def save_text(self, request: SaveTextSpill) -> SpillRef:
        raise self.error


def told() -> tuple[list[Decision], SpillPolicy]:
    decisions: list[Decision] = []
    return decisions, SpillPolicy(1000, warn=decisions.append)


# Spilling


def test_a_large_result_is_saved_whole_and_replaced_within_the_cap(
    tmp_path: Path,
) -> None:
    store = LocalSpillStore(tmp_path)
    shown = SpillPolicy(max_inline=1000, unit="bytes").apply(
        BIG, store=store, **CALL, accepted=True, replaced=False, nested=False
    )
    (path,) = files(tmp_path)
    assert path.read_text() == BIG
    assert len(shown.encode()) <= 1000 < len(BIG)
    found = re.fullmatch(
        r"(?s)(line 0\n.*)\n\n\[\.\.\.\]\n\n(.*line 1999\n)\n\n"
        r"\(Omitted (\d+) bytes\. Full formatted result stored at: (\S+)\. (.*)\)",
        shown,
    )
    assert found is not None
    head, tail, omitted, locator, hint = found.groups()
    assert BIG.startswith(head)
    assert BIG.endswith(tail)
    assert len(head) + int(omitted) + len(tail) == len(BIG)
    assert locator == str(path)
    assert "offset/limit" in hint
    assert "spillview grep" in hint


def test_a_store_with_the_one_method_is_enough() -> None:
    store = Memory()
    shown = SpillPolicy(400).apply(BIG, store=store, **CALL)
    (request,) = store.saved
    assert request.content == BIG
    assert request.owner.session_id == "sess-1"
    assert (request.source.tool_name, request.source.call_id) == ("bash", "c-1")
    assert (request.source.label, request.suggested_name) == ("result", "bash.txt")
    assert shown.endswith("stored at: memory:1. Ask me.)")
    assert len(shown) <= 400


def test_who_asks_learns_what_was_done() -> None:
    policy = SpillPolicy(400)
    done = policy.decide(BIG, store=Memory(), **CALL)
    assert done.spilled
    assert done.reason == "spilled"
    assert done.ref == SpillRef("memory:1", len(BIG), "Ask me.")
    assert done.preview is not None
    assert done.preview.omitted > 0
    kept = policy.decide("short", store=Memory(), **CALL)
    assert (kept.text, kept.reason, kept.spilled, kept.ref) == (
        "short",
        "within-cap",
        False,
        None,
    )


# Skips

SKIPS: list[tuple[Reason, dict[str, Any]]] = [
    ("not-accepted", {"accepted": False}),
    ("replaced", {"replaced": True}),
    ("nested", {"nested": True}),
    ("exempt", {"tool": "read"}),
    ("not-text", {"text": [{"type": "image"}]}),
    ("within-cap", {"text": "short"}),
    ("no-session", {"session_id": None}),
    ("no-store", {"store": None}),
    ("save-failed", {"store": Broken(OSError("disk full"))}),
]


@pytest.mark.parametrize("first", range(len(SKIPS)))
def test_the_first_reason_in_the_order_of_the_skips_is_given(first: int) -> None:
    # Every later reason holds too, as far as one call can have them all.
    call: dict[str, Any] = {"text": BIG, "store": Memory(), **CALL}
    for _, changes in reversed(SKIPS[first:]):
        call |= changes
    decisions, policy = told()
    done = policy.decide(**call)
    assert done.reason == SKIPS[first][0]
    assert done.text is call["text"]
    quiet = done.reason not in ("no-session", "no-store", "save-failed")
    assert decisions == ([] if quiet else [done])
    assert done.sentence == "" if quiet else done.sentence


@pytest.mark.parametrize(("reason", "changes"), SKIPS)
def test_each_reason_alone_keeps_the_result(
    reason: Reason, changes: dict[str, Any]
) -> None:
    call: dict[str, Any] = {"text": BIG, "store": Memory(), **CALL, **changes}
    _, policy = told()
    assert policy.decide(**call).reason == reason
    assert policy.apply(**call) is call["text"]


def test_without_a_cap_the_policy_is_off() -> None:
    store = Memory()
    done = SpillPolicy().decide(BIG, store=store, **CALL)
    assert (done.text, done.reason) == (BIG, "off")
    assert store.saved == []


def test_the_exempt_tools_can_be_chosen() -> None:
    assert "read" in READS
    mine = SpillPolicy(400, exempt=frozenset({"view"}))
    reads = {**CALL, "tool": "read"}
    views = {**CALL, "tool": "view"}
    assert mine.decide(BIG, store=Memory(), **reads).spilled
    assert mine.decide(BIG, store=Memory(), **views).reason == "exempt"
    names: Any = ["a", "b"]
    assert SpillPolicy(1, exempt=names).exempt == frozenset("ab")


def test_the_label_command_and_folder_of_the_call_are_handed_on() -> None:
    store = Memory()
    SpillPolicy(400).apply(
        BIG,
        store=store,
        **CALL,
        label="dispatch",
        command="make",
        cwd="/srv",
        suggested_name="grep-results.txt",
    )
    (request,) = store.saved
    source = request.source
    assert (source.label, source.command, source.cwd) == ("dispatch", "make", "/srv")
    assert request.suggested_name == "grep-results.txt"


def test_a_text_that_names_an_artifact_already_is_spilled_again(tmp_path: Path) -> None:
    store = LocalSpillStore(tmp_path)
    text = (
        BIG + "\n\n" + notice(9, "/h/session-abe633f3a47a/0123456789ab-a.txt", "Ask.")
    )
    done = SpillPolicy(1000).decide(text, store=store, **CALL)
    assert done.spilled
    assert done.ref is not None
    assert Path(done.ref.locator).read_text() == text


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_inline": -1},
        {"max_inline": 1.5},
        {"max_inline": True},
        {"max_inline": "7"},
        {"unit": "words"},
        {"unit": None},
        {"exempt": "read"},
    ],
)
def test_a_policy_that_means_nothing_is_refused_when_it_is_made(
    wrong: dict[str, Any],
) -> None:
    with pytest.raises(BadPolicy) as caught:
        SpillPolicy(**wrong)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, BadInput)
    assert next(iter(wrong)) in str(caught.value)


def test_a_policy_does_not_change() -> None:
    policy: Any = SpillPolicy(7)
    with pytest.raises(FrozenInstanceError):
        policy.max_inline = 8


# What does not fit


@pytest.mark.parametrize("cap", [0, 1, 4, 8, 100])
@pytest.mark.parametrize("text", ["x" * 101, BIG])
def test_a_cap_below_the_notice_writes_nothing_and_keeps_the_result(
    tmp_path: Path, cap: int, text: str
) -> None:
    decisions: list[Decision] = []
    policy = SpillPolicy(cap, warn=decisions.append)
    done = policy.decide(text, store=LocalSpillStore(tmp_path / "root"), **CALL)
    assert (done.text, done.reason, done.ref) == (text, "would-not-fit", None)
    assert decisions == [done]
    assert not (tmp_path / "root").exists()


def test_an_empty_result_is_within_every_cap() -> None:
    for unit in UNITS:
        done = SpillPolicy(0, unit).decide("", store=Memory(), **CALL)
        assert done.reason == "within-cap"


def test_without_locate_what_does_not_fit_is_known_only_after_saving() -> None:
    store = Memory(locator="memory:" + "x" * 500)
    _, policy = told()
    done = SpillPolicy(400, warn=policy.warn).decide(BIG, store=store, **CALL)
    assert (done.text, done.reason) == (BIG, "would-not-fit")
    assert done.ref is not None
    assert len(store.saved) == 1


def test_a_store_that_located_wrongly_is_believed_only_once_it_has_saved() -> None:
    class Moving(Memory):
        amended: Any = "never"

        def locate(self, request: SaveTextSpill) -> str:
            return "memory:foreseen"

        def hint(self, request: SaveTextSpill) -> str:
            return "Ask me."

        def amend(self, ref: SpillRef, envelope: Any) -> None:
            self.amended = envelope

    store = Moving(locator="memory:elsewhere")
    done = SpillPolicy(400).decide(BIG, store=store, **CALL)
    assert "memory:elsewhere" in done.text
    assert "foreseen" not in done.text
    assert store.amended.text == done.text
    store = Moving(locator="x" * 600)
    _, quiet = told()
    done = SpillPolicy(400, warn=quiet.warn).decide(BIG, store=store, **CALL)
    assert (done.reason, done.text, store.amended) == ("would-not-fit", BIG, None)


def test_a_locator_is_enough_to_see_that_nothing_fits() -> None:
    class Located(Memory):
        def locate(self, request: SaveTextSpill) -> str:
            return "x" * 400

    store = Located()
    _, quiet = told()
    done = SpillPolicy(400, warn=quiet.warn).decide(BIG, store=store, **CALL)
    assert done.reason == "would-not-fit"
    assert store.saved == []


# Failures


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        ValueError(),
        Unprintable(),
        MemoryError(),
    ],
)
def test_a_failing_store_never_fails_the_call(error: Exception) -> None:
    decisions, policy = told()
    done = policy.decide(BIG, store=Broken(error), **CALL)
    assert (done.text, done.reason) == (BIG, "save-failed")
    assert decisions == [done]
    assert type(error).__name__ in done.sentence or "No space left" in done.sentence


@pytest.mark.parametrize("answer", [None, 7, "path", SpillRef])
def test_a_store_that_answers_nonsense_never_fails_the_call(answer: Any) -> None:
    class Nonsense:
        def save_text(self, request: SaveTextSpill) -> Any:
            return answer

    decisions, policy = told()
    store: Any = Nonsense()
    assert policy.apply(BIG, store=store, **CALL) is BIG
    assert [each.reason for each in decisions] == ["save-failed"]


def test_a_full_disk_keeps_the_result_inline(tmp_path: Path) -> None:
    from .test_store import Thin

    decisions, policy = told()
    store = LocalSpillStore(tmp_path, disk=Thin(5))
    assert policy.apply(BIG, store=store, **CALL) is BIG
    assert "is full: make room" in decisions[0].sentence
    assert below(tmp_path) == []


def test_an_interrupt_is_not_swallowed() -> None:
    class Interrupted:
        def save_text(self, request: SaveTextSpill) -> SpillRef:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SpillPolicy(400).apply(BIG, store=Interrupted(), **CALL)


def test_trouble_is_logged_where_nobody_asked_to_be_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, logger="spillview"):
        SpillPolicy(400).apply(BIG, store=None, **CALL)
        SpillPolicy(400).apply("short", store=None, **CALL)
    (record,) = caplog.records
    assert record.name == "spillview"
    assert "no store" in record.getMessage()


def test_a_log_or_callback_that_fails_never_fails_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the log is broken")

    assert SpillPolicy(400, warn=fail).apply(BIG, store=None, **CALL) is BIG
    monkeypatch.setattr("spillview.store.policy.log.warning", fail)
    assert SpillPolicy(400).apply(BIG, store=None, **CALL) is BIG
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = SpillPolicy(400, warn=lambda d: warnings.warn(d.sentence, stacklevel=2))
        assert done.apply(BIG, store=None, **CALL) is BIG


# Caps of the store


@pytest.mark.parametrize("kept", [5, 100, 3000])
def test_a_spill_that_the_store_cut_is_called_partial_and_its_parts_are_exact(
    tmp_path: Path, kept: int
) -> None:
    store = LocalSpillStore(tmp_path, max_file=kept)
    done = SpillPolicy(1000).decide(BIG, store=store, **CALL)
    assert done.spilled
    assert done.ref is not None
    assert done.ref.partial
    assert f"Only the first {kept} of {len(BIG)} bytes are stored at:" in done.text
    assert "Full" not in done.text
    assert len(done.text) <= 1000
    note = sidecar(done.ref.locator)
    assert note["envelope"]["text"] == done.text
    stored = Path(done.ref.locator).read_text()
    assert stored == BIG[:kept]
    for start, end, first, last in note["envelope"]["parts"]:
        assert done.text[start:end] == stored[first:last]
    assert note["envelope"]["parts"][0][3] == min(kept, len(done.preview.head))  # type: ignore[union-attr]  # it is spilled
    assert len(note["envelope"]["parts"]) == 1


# Everything


ODD = st.text(
    st.one_of(st.sampled_from("ab \n\r\0é日😀\ud83d\ude00\udc80"), st.characters())
)


@given(
    ODD.map(lambda text: text * 40),
    st.integers(0, 1200),
    st.sampled_from(UNITS),
    st.sampled_from(["", GAP]),
)
@example("\ud83d" * 1000, 900, "bytes", GAP)
@example("\ud83d\ude00" * 500, 600, "chars", GAP)
def test_the_result_is_the_input_or_within_the_cap_for_any_text_and_any_cap(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    cap: int,
    unit: Unit,
    gap: str,
) -> None:
    store = LocalSpillStore(tmp_path_factory.getbasetemp() / "everything")
    policy = SpillPolicy(cap, unit, gap=gap, warn=lambda _: None)
    done = policy.decide(text, store=store, **CALL)
    if done.reason in ("within-cap", "would-not-fit"):
        assert done.text is text
        return
    assert done.reason == "spilled"
    assert size(done.text, unit) <= cap  # it is well-formed, or this would raise
    assert done.ref is not None
    assert done.preview is not None
    stored = Path(done.ref.locator).read_bytes()
    assert stored.decode() == well_formed(text)
    head, tail = done.preview.head.encode(), done.preview.tail.encode()
    assert len(head) + done.preview.omitted + len(tail) == len(stored)
    assert stored.startswith(head)
    assert stored.endswith(tail)
    assert sidecar(done.ref.locator)["envelope"]["text"] == done.text
