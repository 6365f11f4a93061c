"""What became of outputs of each harness, beside a plain walk through its records.

The walks know each format from its records alone, and only what is asked here: answers,
calls and results of the main agent, in order.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact, Boundary, Mention, Unit
from spillview.places import Places
from spillview.review.statistics import Statistics, measure
from spillview.transcripts import READERS
from spillview.transcripts.events import (
    Called,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.turns import Tally, Turns, Wanted
from tests.harness_stores import HarnessStore, Spill, make

EDGE = 1000
"""Chars above which results are counted."""


class Step(NamedTuple):
    """An answer, a call or a result of one session."""

    kind: str
    id: str = ""
    text: str = ""


Steps = dict[str, list[Step]]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(
        block["text"]
        for block in content or ()
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    )


def copilot_cli(home: Path) -> Steps:
    known: Steps = {}
    for path in (home / ".copilot/session-state").rglob("*.jsonl"):
        rows = [row for row in lines(path) if isinstance(row.get("data"), dict)]
        session = next(r["data"]["sessionId"] for r in rows if "start" in r["type"])
        steps = known.setdefault(session, [])
        for row in rows:
            data = row["data"]
            if data.get("parentToolCallId"):
                continue
            if row["type"] == "assistant.message":
                steps.append(Step("turn"))
                for call in data.get("toolRequests") or ():
                    made = json.dumps(call.get("arguments"))
                    steps.append(Step("call", call["toolCallId"], made))
            elif row["type"] == "tool.execution_complete":
                text = (data.get("result") or {}).get("content") or ""
                steps.append(Step("result", data["toolCallId"], text))
    return known


def codex(home: Path) -> Steps:
    known: Steps = {}
    for path in (home / ".codex").rglob("rollout-*.jsonl"):
        rows = [r for r in lines(path) if isinstance(r.get("payload"), dict)]
        first = next(r["payload"]["id"] for r in rows if r["type"] == "session_meta")
        steps = known.setdefault(first, [])
        answering = False
        for row in rows:
            item = row["payload"]
            kind = item.get("type") or ""
            if row["type"] != "response_item":
                continue
            if kind.endswith("_output"):
                answering = False
                output = item.get("output")
                if isinstance(output, dict):
                    output = output.get("content")
                steps.append(Step("result", item["call_id"], texts(output)))
            elif kind.endswith("_call") or item.get("role") == "assistant":
                if not answering:
                    steps.append(Step("turn"))
                answering = True
                if kind.endswith("_call"):
                    steps.append(Step("call", item["call_id"], json.dumps(item)))
            elif kind == "message":
                answering = False
                steps.append(Step("prompt", "", texts(item["content"])))
    return known


def qwen_code(home: Path) -> Steps:
    known: Steps = {}
    for path in (home / ".qwen/projects").glob("*/chats/*.jsonl"):
        steps = known.setdefault(path.stem, [])
        for row in lines(path):
            parts = (row.get("message") or {}).get("parts") or ()
            if row.get("type") == "assistant":
                steps.append(Step("turn"))
            for part in parts:
                call, given = part.get("functionCall"), part.get("functionResponse")
                if call:
                    steps.append(Step("call", call["id"], json.dumps(call)))
                if given:
                    output = given["response"].get("output") or ""
                    steps.append(Step("result", given["id"], output))
    return known


def pi(home: Path) -> Steps:
    known: Steps = {}
    for path in (home / ".pi").rglob("*.jsonl"):
        rows = list(lines(path))
        if not rows or rows[0].get("type") != "session":
            continue
        steps = known.setdefault(rows[0]["id"], [])
        for row in rows:
            message = row.get("message")
            message = message if isinstance(message, dict) else {}
            if message.get("role") == "assistant":
                steps.append(Step("turn"))
                for block in message["content"]:
                    if block["type"] == "toolCall":
                        made = json.dumps(block["arguments"])
                        steps.append(Step("call", block["id"], made))
            elif message.get("role") == "toolResult":
                content = texts(message["content"])
                steps.append(Step("result", message["toolCallId"], content))
    return known


def roo_code(home: Path) -> Steps:
    known: Steps = {}
    for path in home.rglob("api_conversation_history.json"):
        steps = known.setdefault(path.parent.name, [])
        for message in json.loads(path.read_bytes()):
            blocks = message["content"]
            blocks = blocks if isinstance(blocks, list) else []
            if message["role"] == "assistant":
                steps.append(Step("turn"))
            for block in blocks:
                if block.get("type") == "tool_use":
                    made = json.dumps(block["input"])
                    steps.append(Step("call", block["id"], made))
                elif block.get("type") == "tool_result":
                    text = texts(block["content"])
                    steps.append(Step("result", block["tool_use_id"], text))
    return known


def openhands(home: Path) -> Steps:
    known: Steps = {}
    for folder in (home / ".openhands/conversations").iterdir():
        steps = known.setdefault(folder.name, [])
        answer = None
        for path in sorted((folder / "events").glob("event-*.json")):
            try:
                event = json.loads(path.read_bytes())
            except ValueError:
                continue
            kind = event.get("kind")
            said = kind == "MessageEvent" and event["llm_message"]["role"] != "user"
            if said or kind == "ActionEvent":
                if event.get("llm_response_id") is None or (
                    event["llm_response_id"] != answer
                ):
                    steps.append(Step("turn"))
                answer = event.get("llm_response_id")
            if kind == "ActionEvent":
                made = json.dumps(event["tool_call"])
                steps.append(Step("call", event["tool_call_id"], made))
            elif kind == "ObservationEvent":
                text = texts(event["observation"].get("content"))
                # What was kept; what the model was given of it is cut at 30,000.
                kind = "cut" if len(text) > 30_000 else "result"
                steps.append(Step(kind, event["tool_call_id"], text))
    return known


def rows_of(path: Path, sql: str) -> list[tuple[Any, ...]]:
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute(sql).fetchall()
    finally:
        database.close()


def goose(home: Path) -> Steps:
    known: Steps = {}
    path = home / ".local/share/goose/sessions/sessions.db"
    sql = "SELECT session_id, role, content_json FROM messages ORDER BY rowid"
    for session, role, data in rows_of(path, sql):
        steps = known.setdefault(session, [])
        try:
            blocks = json.loads(data)
        except (ValueError, TypeError):
            continue
        if role == "assistant":
            steps.append(Step("turn"))
        for block in [each for each in blocks if isinstance(each, dict)]:
            if block.get("type") == "toolRequest":
                made = json.dumps(block["toolCall"])
                steps.append(Step("call", block["id"], made))
            elif block.get("type") == "toolResponse":
                value = block["toolResult"]["value"]
                content = texts(value["content"] if isinstance(value, dict) else value)
                steps.append(Step("result", block["id"], content))
    return known


def hermes_agent(home: Path) -> Steps:
    known: Steps = {}
    sql = "SELECT session_id, role, content, tool_calls, tool_call_id FROM messages"
    for session, role, content, calls, ident in rows_of(
        home / ".hermes/state.db", f"{sql} ORDER BY id"
    ):
        steps = known.setdefault(session, [])
        if role == "assistant":
            made = json.loads(calls) if calls else ()
            made = [c for c in made if isinstance(c, dict) and "function" in c]
            if made or (isinstance(content, str) and content):
                steps.append(Step("turn"))
            for call in made:
                steps.append(Step("call", call["id"], json.dumps(call)))
        elif role == "tool":
            steps.append(Step("result", ident, content))
    return known


def opencode(home: Path) -> Steps:
    """Its first form, of which each part is a row; the second has other sessions."""
    known: Steps = {}
    path = home / ".local/share/opencode/opencode.db"
    sql = (
        "SELECT p.session_id, p.message_id, m.data, p.data FROM part p"
        " JOIN message m ON m.id = p.message_id ORDER BY m.time_created, p.rowid"
    )
    seen: set[str] = set()
    for session, message, about, data in rows_of(path, sql):
        steps = known.setdefault(session, [])
        try:
            role, part = json.loads(about)["role"], json.loads(data)
        except (ValueError, TypeError):
            continue
        if not isinstance(part, dict):
            continue
        if role == "assistant" and message not in seen:
            seen.add(message)
            steps.append(Step("turn"))
        state = part.get("state")
        if part.get("type") == "tool" and isinstance(state, dict):
            made = json.dumps(state.get("input"))
            steps.append(Step("call", part["callID"], made))
            if state["status"] == "completed":
                steps.append(Step("result", part["callID"], state["output"]))
    return known


WALKS = {
    walk.__name__: walk
    for walk in (
        *(copilot_cli, codex, qwen_code, pi),
        *(roo_code, openhands),
        *(goose, hermes_agent, opencode),
    )
}
"""Of all forms: lines, one document, a folder of files, rows of a database."""

UNTOLD = {"roo_code", "goose"}
"""Whose records do not tell where the context was compacted."""


class Night(NamedTuple):
    """One made store, what was found in it, and what the walk saw."""

    store: HarnessStore
    catalogue: Catalogue
    pairs: list[tuple[Spill, Artifact]]
    steps: Steps

    def linked(self) -> Iterator[tuple[Spill, Artifact, list[Step], int]]:
        """Artifacts with the steps of their session and where their result is."""
        for spill, artifact in self.pairs:
            mention = artifact.envelope
            if mention is None or mention.agent is not None:
                continue
            steps = self.steps.get(mention.session, [])
            for place, step in enumerate(steps):
                result = step.kind in ("result", "cut") and step.id == mention.call_id
                told = step.kind == "prompt" and (spill.envelope or "?") in step.text
                if result or told:
                    yield spill, artifact, steps, place
                    break


@pytest.fixture(scope="module", params=sorted(WALKS))
def night(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Night:
    name = request.param
    home = tmp_path_factory.mktemp(name)
    store = make(name, home)
    catalogue = Catalogue(Places.of_home(str(home)))
    found = {a.id: a for a in catalogue.complete(catalogue.scan())}
    by_place = {(a.found.path, a.found.row): a for a in found.values()}
    pairs = [(s, by_place[str(s.path), s.row]) for s in store.spills]
    return Night(store, catalogue, pairs, WALKS[name](home))


def of_one(night: Night, artifact: Artifact) -> Statistics:
    return measure(night.catalogue, [artifact], boundary=Boundary(EDGE, "chars"))


def is_measured(artifact: Artifact) -> bool:
    return bool(artifact.boundaries) and artifact.counts is not None


def test_calls_until_an_output_was_read_back_are_counted(night: Night) -> None:
    checked = 0
    for spill, artifact, steps, place in night.linked():
        if not spill.read_back or not is_measured(artifact):
            continue
        calls = [step for step in steps[place:] if step.kind == "call"]
        named = (spill.path.name, spill.path.stem, spill.row or spill.path.name)
        answered = {s.id for s in steps[place:] if s.kind in ("result", "cut")}
        later = [
            number
            for number, step in enumerate(calls, 1)
            if step.id in answered and any(name in step.text for name in named)
        ]
        (row,) = of_one(night, artifact).tools
        assert row.calls_later == min(later), spill.what
        checked += 1
    assert checked


def test_envelopes_cost_their_tokens_on_each_later_answer(night: Night) -> None:
    checked = 0
    for spill, artifact, steps, place in night.linked():
        if not is_measured(artifact):
            continue
        turns = sum(step.kind == "turn" for step in steps[place:])
        (row,) = of_one(night, artifact).tools
        if night.store.harness.replace("-", "_") in UNTOLD:
            assert row.carried_tokens is None, spill.what
            continue
        assert spill.envelope is not None
        tokens = -(-len(spill.envelope.encode("utf-8", "surrogatepass")) // 4)
        assert row.carried_tokens == tokens * turns, spill.what
        checked += 1
    assert checked or night.store.harness.replace("-", "_") in UNTOLD


def test_results_that_went_in_whole_are_counted(night: Night) -> None:
    linked = [spill for spill in night.store.spills if spill.link == "linked"]
    replaced = {s.call_id for s in linked} | {g.call_id for g in night.store.gone}
    envelopes = [spill.envelope for spill in linked if spill.envelope]
    checked = 0
    for spill, artifact, steps, _ in night.linked():
        if not is_measured(artifact):
            continue
        results = {s.id: s.text for s in reversed(steps) if s.kind == "result"}
        whole = [
            text
            for ident, text in results.items()
            if text and ident not in replaced and not any(e in text for e in envelopes)
        ]
        (row,) = of_one(night, artifact).sweep
        above = sum(len(text) > EDGE for text in whole)
        assert row.whole == (above if whole else None), spill.what
        checked += 1
    assert checked


def test_what_a_transcript_without_results_tells_is_unknown(tmp_path: Path) -> None:
    make("cursor", tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    found = measured(catalogue, catalogue.complete(catalogue.scan()))
    assert found.tools
    for row in found.tools:
        told = (row.read_back, row.calls_later, row.seen_share, row.carried_tokens)
        assert told == (None, None, None, None)
    for tried in found.sweep:
        if tried.spills:
            assert (tried.read_backs, tried.tokens_kept_out) == (None, None)
        assert tried.whole is None


def measured(catalogue: Catalogue, artifacts: Iterable[Artifact]) -> Statistics:
    return measure(catalogue, list(artifacts))


# What the walks of made stores do not hold


def tallied(*records: list[Event], wanted: Wanted | None = None) -> Turns:
    """The turns of some records' events."""
    turns = Turns(compacts=True)
    tally = Tally(turns, wanted or Wanted())
    for number, events in enumerate(records, 1):
        tally.take(events, (number, number, 1))
    return turns


def envelope(record: int, *, agent: str | None = None, block: int = 0) -> Mention:
    return Mention(
        transcript="t",
        session="s",
        record=record,
        offset=record,
        length=1,
        place="result",
        notice="x.y",
        path="/x",
        block=block,
        agent=agent,
    )


def called(ident: str, message: str | None = None, agent: str | None = None) -> Event:
    return Called(id=ident, tool="sh", message=message, agent=agent)


def returned(ident: str, *texts: str, agent: str | None = None) -> Event:
    return Returned(call_id=ident, texts=texts or ("x",), agent=agent)


def test_an_answer_without_an_id_ends_with_what_the_model_receives() -> None:
    turns = tallied(
        [Said(text="a"), called("1"), called("2")],
        [returned("1"), returned("2")],
        [called("3")],
        [Prompted(text="go on")],
        [Said(text="b")],
    )
    assert len(turns.lanes[""].turns) == 3


def test_an_answer_with_an_id_goes_on_behind_results_of_its_own_calls() -> None:
    wanted = Wanted()
    first = envelope(1)
    wanted.about(first)
    wanted.calls |= {"2", "3"}
    turns = tallied(
        [called("1", "m"), returned("1")],
        [called("2", "m"), returned("2")],
        [called("3", "n"), returned("3")],
        wanted=wanted,
    )
    assert len(turns.lanes[""].turns) == 2
    assert turns.carried(first) == 1
    # The second call was decided on with the first: it answers to no envelope.
    assert turns.calls_until(first, "2") is None
    assert turns.calls_until(first, "3") == 1


def test_rounds_of_one_record_are_told_apart_by_the_envelope_s_block() -> None:
    wanted = Wanted()
    first, last = envelope(1), envelope(1, block=2)
    wanted.about(first)
    wanted.about(last)
    rounds: list[Event] = [
        *(called("1", "m"), returned("1", "a", "b")),
        *(called("2", "n"), returned("2", "c")),
        Said(text="done", message="o"),
    ]
    turns = tallied(rounds, wanted=wanted)
    assert (turns.carried(first), turns.carried(last)) == (2, 1)


def test_records_that_are_written_again_count_once() -> None:
    wanted = Wanted(edges=(2,), unit="chars")
    again = [called("1"), returned("1", "long")]
    turns = tallied(again, [called("2"), returned("2")], again, wanted=wanted)
    assert len(turns.lanes[""].calls) == 2
    assert (turns.results, turns.above) == (2, [1])


def test_a_subagent_s_answers_do_not_carry_the_main_agent_s_envelope() -> None:
    wanted = Wanted(calls={"3", "4"})
    mine, its = envelope(1), envelope(2, agent="a")
    wanted.about(mine)
    wanted.about(its)
    turns = tallied(
        [called("1"), returned("1")],
        [called("2", agent="a"), returned("2", agent="a")],
        [called("3", agent="a"), returned("3", agent="a")],
        [called("4")],
        wanted=wanted,
    )
    assert (turns.carried(mine), turns.carried(its)) == (1, 1)
    assert turns.calls_until(mine, "3") is None
    assert turns.calls_until(its, "3") == 1
    assert turns.calls_until(mine, "4") == 1


def test_a_compaction_ends_what_is_carried() -> None:
    wanted = Wanted()
    first = envelope(1)
    wanted.about(first)
    turns = tallied(
        [called("1"), returned("1")],
        [Said(text="a"), returned("1")],
        [Compacted()],
        [Said(text="b"), returned("1")],
        wanted=wanted,
    )
    assert turns.carried(first) == 1
    turns.compacts = False
    assert turns.carried(first) is None


@pytest.mark.parametrize(
    ("unit", "size"), [("chars", 3), ("utf16", 4), ("bytes", 8), ("tokens", 2)]
)
def test_results_are_measured_in_the_boundary_s_unit(unit: Unit, size: int) -> None:
    text = "\U0001f600あa"
    for edge, above in ((size - 1, 1), (size, 0)):
        wanted = Wanted(edges=(edge,), unit=unit)
        assert tallied([returned("1", text)], wanted=wanted).above == [above]


@pytest.mark.parametrize(
    ("reader", "record"),
    [
        ("codex", {"type": "compacted", "payload": {"message": "so far"}}),
        ("pi", {"type": "compaction", "id": "1", "summary": "so far"}),
        ("copilot-cli", {"type": "session.compaction_complete", "data": {}}),
        ("openhands", {"kind": "Condensation", "forgotten_event_ids": ["1"]}),
        ("qwen", {"type": "system", "subtype": "chat_compression"}),
        ("droid", {"type": "compaction_state", "summary": {}}),
        ("opencode", {"part": {"type": "compaction", "auto": True}, "message": {}}),
        ("opencode", {"id": "m", "type": "compaction", "summary": "so far"}),
    ],
)
def test_records_tell_where_a_context_was_compacted(
    reader: str, record: dict[str, Any]
) -> None:
    module = import_module(READERS[reader])
    assert Compacted() in list(module.events(record, {}))
    assert module.COMPACTS is True


@pytest.mark.parametrize(
    "value", [None, 7, "x", [], {}, [[]], {"message": 7}, {"data": []}, {"type": []}]
)
def test_odd_records_of_readers_of_their_own_tell_nothing(value: Any) -> None:
    for name in ("claude", "dsh"):
        module = import_module(READERS[name])
        for record in (value, {"type": "assistant", "message": value}):
            if isinstance(record, dict):
                list(module.spoken(record))
        list(module.spoken({"type": "assistant/message", "data": value}))
        list(module.spoken({"type": "tool/call", "data": value}))
        list(module.spoken({"type": "tool/result", "data": value}))
